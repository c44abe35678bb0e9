//! An HTTPS server that does what a test tells it, on a loopback port, with a certificate of an authority of its own: it answers,
//! redirects, drips, talks without end, says nothing, hangs up in the middle, or speaks no TLS at all, and counts who connects.
//!
//! Threads and sockets, nothing else: what goes over the wire is exactly what the test says, right or wrong.

mod server;

use std::{fmt, sync::Arc, time::Duration};

use anyhow::Result;

use self::server::Shared;
use crate::{
    certificate::Certificate,
    connections::{Connections, lock},
};

/// One request, as it came. Requests with bodies are not understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The method; empty when what came is no HTTP.
    pub method: String,
    /// The path and the query.
    pub target: String,
    /// The headers, names in lower case, in the order in which they came.
    pub headers: Vec<(String, String)>,
}

impl Request {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name)?;
        Some(&found.1)
    }
}

/// What is sent, piece after piece. After the last piece the connection stays open for another request, as HTTP/1.1 has it.
#[derive(Clone, Debug)]
pub struct Answer(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Bytes(Vec<u8>),
    Pause(Duration),
    Forever(Vec<u8>, Duration),
    Hang,
    Close,
    Cut,
}

impl Answer {
    /// A whole answer with its `Content-Length`.
    pub fn new(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let length = body.len().to_string();
        let headers = [headers, &[("content-length", &*length)]].concat();
        Self::head(status, &headers).then(body)
    }

    /// A whole answer with status 200.
    pub fn ok(body: impl AsRef<[u8]>) -> Self {
        Self::new(200, &[], body)
    }

    /// Status line and headers; what comes after them, and how it is framed, is up to whoever goes on.
    #[must_use]
    pub fn head(status: u16, headers: &[(&str, &str)]) -> Self {
        let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        Self::raw(head)
    }

    /// These bytes, whatever they are.
    pub fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Self(Vec::new()).then(bytes)
    }

    /// Then these bytes.
    #[must_use]
    pub fn then(self, bytes: impl AsRef<[u8]>) -> Self {
        self.piece(Piece::Bytes(bytes.as_ref().to_vec()))
    }

    /// Then a chunk of a chunked body.
    #[must_use]
    pub fn chunk(self, bytes: impl AsRef<[u8]>) -> Self {
        self.then(chunk(bytes.as_ref()))
    }

    /// Then nothing for a while.
    #[must_use]
    pub fn pause(self, pause: Duration) -> Self {
        self.piece(Piece::Pause(pause))
    }

    /// Then these bytes again and again, with a pause after each time, until the other side has had enough.
    #[must_use]
    pub fn forever(self, bytes: impl AsRef<[u8]>, pause: Duration) -> Self {
        self.piece(Piece::Forever(bytes.as_ref().to_vec(), pause))
    }

    /// Then nothing, until the other side hangs up.
    #[must_use]
    pub fn hang(self) -> Self {
        self.piece(Piece::Hang)
    }

    /// Then the connection is closed in good order: TLS says so first.
    #[must_use]
    pub fn close(self) -> Self {
        self.piece(Piece::Close)
    }

    /// Then the connection is closed without a word, as whoever sits on the line could do it.
    #[must_use]
    pub fn cut(self) -> Self {
        self.piece(Piece::Cut)
    }

    fn piece(mut self, piece: Piece) -> Self {
        self.0.push(piece);
        self
    }
}

/// One chunk of a chunked body.
#[must_use]
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// What decides how each request is answered. It may block: each connection has a thread of its own.
pub type Script = dyn Fn(&Request) -> Answer + Send + Sync;

/// The server. Dropping it closes every connection.
pub struct HttpsServer {
    connections: Connections,
    ca_pem: Option<String>,
    shared: Arc<Shared>,
}

impl fmt::Debug for HttpsServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpsServer")
            .field("address", &self.connections.address())
            .finish_non_exhaustive()
    }
}

impl HttpsServer {
    /// Starts it on a free port of 127.0.0.1, with a certificate that deserves trust or does not.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(
        certificate: &Certificate,
        script: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::speaking(&[], certificate, script)
    }

    /// Starts one that knows these protocols only (ALPN), whatever the script then says.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn speaking(
        protocols: &[&str],
        certificate: &Certificate,
        script: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::listen(Some((certificate, protocols)), Arc::new(script))
    }

    /// Starts one without TLS, where a client expects it.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn without_tls(
        script: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::listen(None, Arc::new(script))
    }

    fn listen(tls: Option<(&Certificate, &[&str])>, script: Arc<Script>) -> Result<Self> {
        let config = tls
            .map(|(certificate, protocols)| certificate.config(protocols))
            .transpose()?;
        let shared = Arc::new(Shared::new(script, config));
        let served = Arc::clone(&shared);
        Ok(Self {
            connections: Connections::accept(move |connection| server::serve(connection, &served))?,
            ca_pem: tls.map(|(certificate, _)| certificate.ca_pem().to_owned()),
            shared,
        })
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.connections.address().port()
    }

    /// The URL of a path on it, under a name that the client takes for its own.
    #[must_use]
    pub fn url(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}{path}", self.port())
    }

    /// The certificate (PEM) of the authority that a client would have to trust; none without TLS.
    #[must_use]
    pub fn ca_pem(&self) -> Option<&str> {
        self.ca_pem.as_deref()
    }

    /// Another script from now on.
    pub fn script(&self, script: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        *lock(&self.shared.script) = Arc::new(script);
    }

    /// How many connections it was asked for, those that ended before TLS was agreed on among them.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.accepted()
    }

    /// What it was asked, in the order in which it came.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        lock(&self.shared.asked).clone()
    }
}
