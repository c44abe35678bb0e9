//! A JSON-RPC endpoint that does what a test tells it: a real server on a loopback port, with or without TLS, that answers,
//! refuses, delays, cuts short, talks without end, says nothing, or hangs up, and remembers what it was asked.
//!
//! Threads and sockets, nothing else: what goes over the wire is exactly what the test says.

mod server;

use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use anyhow::Result;
use serde_json::{Value, json};

use self::server::Shared;
pub use crate::certificate::Certificate;
use crate::connections::{Connections, lock};

/// One JSON-RPC call, as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its id.
    pub id: Value,
    /// Its method.
    pub method: String,
    /// Its parameters.
    pub params: Value,
}

/// One HTTP request, as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// The path and the query.
    pub target: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its calls; none when the body is no JSON-RPC.
    pub calls: Vec<Call>,
    /// Whether they came as an array.
    pub batch: bool,
}

impl Request {
    /// The methods of its calls.
    #[must_use]
    pub fn methods(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.method.as_str()).collect()
    }

    /// Whether one of its calls is of `method`.
    #[must_use]
    pub fn has(&self, method: &str) -> bool {
        self.calls.iter().any(|call| call.method == method)
    }
}

/// An error object.
#[must_use]
pub fn error(code: i64, message: &str) -> Value {
    json!({"code": code, "message": message})
}

/// What is sent, and how badly.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    after: Duration,
    manner: Manner,
}

/// How a reply is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    Whole,
    /// This many bytes of the body, then the connection is closed.
    Cut(usize),
    /// The body again and again, as one chunked body, until the other side has had enough.
    Endless,
    /// Nothing, until the other side hangs up.
    Hang,
    /// The connection is closed at once.
    Close,
}

impl Reply {
    /// A status and a body.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
            after: Duration::ZERO,
            manner: Manner::Whole,
        }
    }

    /// What `answer` says to each call: a result, or an error object. Arrays are answered with arrays.
    pub fn each(request: &Request, answer: impl Fn(&Call) -> Result<Value, Value>) -> Self {
        let answers = request.calls.iter().map(|call| match answer(call) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": call.id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": call.id, "error": error}),
        });
        let mut answers: Vec<_> = answers.collect();
        let body = match (request.batch, answers.pop()) {
            (false, Some(only)) => only,
            (_, last) => answers.into_iter().chain(last).collect(),
        };
        Self::new(200, body.to_string())
    }

    /// One error object for the whole request, with the id of its only call or `null`.
    pub fn refusal(request: &Request, status: u16, error: &Value) -> Self {
        let id = match (&request.calls[..], request.batch) {
            ([call], false) => call.id.clone(),
            _ => Value::Null,
        };
        let body = json!({"jsonrpc": "2.0", "id": id, "error": error});
        Self::new(status, body.to_string())
    }

    /// Says nothing until the other side hangs up.
    pub fn hang() -> Self {
        Self::new(200, "").manner(Manner::Hang)
    }

    /// Hangs up at once.
    pub fn close() -> Self {
        Self::new(200, "").manner(Manner::Close)
    }

    /// Sends `piece` again and again, without end.
    pub fn endless(piece: impl Into<Vec<u8>>) -> Self {
        Self::new(200, piece).manner(Manner::Endless)
    }

    /// The same with another status.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same, but hanging up after `bytes` of the body, although the header announces all of it.
    #[must_use]
    pub fn cut(self, bytes: usize) -> Self {
        self.manner(Manner::Cut(bytes))
    }

    /// The same, later.
    #[must_use]
    pub fn after(self, after: Duration) -> Self {
        Self { after, ..self }
    }

    fn manner(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }
}

/// What decides how each request is answered. It may block: each connection has a thread of its own.
pub type Script = dyn Fn(&Request) -> Reply + Send + Sync;

/// The endpoint. Dropping it closes every connection.
pub struct FaultyEndpoint {
    connections: Connections,
    certificate: Option<Certificate>,
    shared: Arc<Shared>,
}

impl fmt::Debug for FaultyEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyEndpoint")
            .field("address", &self.connections.address())
            .finish_non_exhaustive()
    }
}

impl FaultyEndpoint {
    /// Starts it without TLS.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn http(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Result<Self> {
        Self::start(None, Arc::new(script))
    }

    /// Starts it with TLS, and a certificate that deserves trust or does not.
    ///
    /// # Errors
    /// When no port can be had, or no certificate made.
    pub fn https(
        certificate: Certificate,
        script: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::start(Some(certificate), Arc::new(script))
    }

    fn start(certificate: Option<Certificate>, script: Arc<Script>) -> Result<Self> {
        let tls = certificate
            .as_ref()
            .map(|certificate| certificate.config(&[]))
            .transpose()?;
        let shared = Arc::new(Shared::new(script, tls));
        let served = Arc::clone(&shared);
        Ok(Self {
            connections: Connections::accept(move |connection| server::serve(connection, &served))?,
            certificate,
            shared,
        })
    }

    /// Where it is; no path.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.certificate.is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://localhost:{}", self.connections.address().port())
    }

    /// The certificate (PEM) that a client would have to trust.
    #[must_use]
    pub fn ca_pem(&self) -> Option<Vec<u8>> {
        let certificate = self.certificate.as_ref()?;
        Some(certificate.ca_pem().as_bytes().to_vec())
    }

    /// Another script from now on.
    pub fn script(&self, script: impl Fn(&Request) -> Reply + Send + Sync + 'static) {
        self.shared.set_script(Arc::new(script));
    }

    /// What it was asked, in the order in which it came.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        lock(&self.shared.asked).clone()
    }

    /// How many HTTP requests it was sent.
    #[must_use]
    pub fn requests(&self) -> usize {
        lock(&self.shared.asked).len()
    }

    /// How many calls of `method` it was asked, in how many requests ever.
    #[must_use]
    pub fn calls(&self, method: &str) -> usize {
        let asked = lock(&self.shared.asked);
        let calls = asked.iter().flat_map(|request| &request.calls);
        calls.filter(|call| call.method == method).count()
    }

    /// How many requests were being answered at once, at most.
    #[must_use]
    pub fn most_at_once(&self) -> usize {
        self.shared.most_at_once.load(Ordering::Acquire)
    }

    /// How many requests are being answered now.
    #[must_use]
    pub fn at_once(&self) -> usize {
        self.shared.at_once.load(Ordering::Acquire)
    }

    /// Forgets what it was asked.
    pub fn forget(&self) {
        lock(&self.shared.asked).clear();
    }
}

/// A small honest chain: what a test's script falls back to.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its id.
    pub id: u64,
    /// The height of its newest block.
    pub head: u64,
}

impl Chain {
    /// The hash of the block at a height.
    #[must_use]
    pub fn hash(number: u64) -> String {
        format!("0x{:064x}", 0xb10c_0000_0000_0000_u64 + number)
    }

    /// The block at a height; null above the head.
    #[must_use]
    pub fn block(&self, number: u64) -> Value {
        if number > self.head {
            return Value::Null;
        }
        json!({
            "number": format!("0x{number:x}"),
            "hash": Self::hash(number),
            "timestamp": format!("0x{:x}", 1_700_000_000 + 12 * number),
            "transactions": [],
        })
    }

    /// Answers what can be answered about it: every balance is its address' last two bytes, there is no code, calls
    /// return nothing, and there are no logs.
    ///
    /// # Errors
    /// An error object, as geth words it, for a block or a method that it does not know.
    pub fn answer(&self, call: &Call) -> Result<Value, Value> {
        let text = |index: usize| call.params[index].as_str().unwrap_or_default();
        match call.method.as_str() {
            "eth_chainId" => Ok(json!(format!("0x{:x}", self.id))),
            "eth_blockNumber" => Ok(json!(format!("0x{:x}", self.head))),
            "eth_getBlockByNumber" => Ok(self.block(match text(0) {
                "latest" => self.head,
                "safe" => self.head.saturating_sub(32),
                "finalized" => self.head.saturating_sub(64),
                number => hex(number).unwrap_or(u64::MAX),
            })),
            "eth_getBlockByHash" => {
                Ok(self.by_hash(text(0)).map_or(Value::Null, |n| self.block(n)))
            }
            "eth_getBalance" => self.at(&call.params[1]).map(|()| {
                let digits = text(0).get(38..).unwrap_or_default();
                json!(format!(
                    "0x{:x}",
                    u64::from_str_radix(digits, 16).unwrap_or(0)
                ))
            }),
            "eth_getCode" | "eth_call" => self.at(&call.params[1]).map(|()| json!("0x")),
            "eth_getLogs" => Ok(json!([])),
            method => Err(error(
                -32601,
                &format!("the method {method} does not exist/is not available"),
            )),
        }
    }

    /// A whole reply.
    pub fn reply(&self, request: &Request) -> Reply {
        Reply::each(request, |call| self.answer(call))
    }

    fn by_hash(&self, hash: &str) -> Option<u64> {
        let number = u64::from_str_radix(hash.get(50..)?, 16)
            .ok()?
            .checked_sub(0xb10c_0000_0000_0000)?;
        (number <= self.head && Self::hash(number) == hash).then_some(number)
    }

    /// Whether it has the state at a block given as EIP-1898 has it.
    fn at(&self, block: &Value) -> Result<(), Value> {
        let hash = block["blockHash"].as_str().unwrap_or_default();
        match self.by_hash(hash) {
            Some(_) if block["requireCanonical"] == true => Ok(()),
            Some(_) => Err(error(-32602, "the test wants requireCanonical")),
            None => Err(error(-32000, "header not found")),
        }
    }
}

/// A quantity.
#[must_use]
pub fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}
