//! HTTP/1.1 by hand, over a socket or over TLS: as much as a client of JSON-RPC needs, and every way to get it wrong.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use super::{Call, Manner, Reply, Request, Script};
use crate::connections::{headers, lock};

/// No test sends more.
const LARGEST: usize = 16 * 1024 * 1024;

/// What the threads of one endpoint share.
pub(super) struct Shared {
    script: Mutex<Arc<Script>>,
    tls: Option<Arc<ServerConfig>>,
    pub(super) asked: Mutex<Vec<Request>>,
    pub(super) at_once: AtomicUsize,
    pub(super) most_at_once: AtomicUsize,
}

impl Shared {
    pub(super) fn new(script: Arc<Script>, tls: Option<Arc<ServerConfig>>) -> Self {
        Self {
            script: Mutex::new(script),
            tls,
            asked: Mutex::default(),
            at_once: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
        }
    }

    pub(super) fn set_script(&self, script: Arc<Script>) {
        *lock(&self.script) = script;
    }
}

pub(super) fn serve(connection: TcpStream, shared: &Shared) -> io::Result<()> {
    match &shared.tls {
        None => converse(connection, shared),
        Some(config) => {
            let session = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
            converse(StreamOwned::new(session, connection), shared)
        }
    }
}

fn converse<S: Read + Write>(stream: S, shared: &Shared) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(request) = receive(&mut stream)? {
        lock(&shared.asked).push(request.clone());
        let now = shared.at_once.fetch_add(1, Ordering::AcqRel) + 1;
        shared.most_at_once.fetch_max(now, Ordering::AcqRel);
        let script = Arc::clone(&lock(&shared.script));
        let reply = script(&request);
        thread::sleep(reply.after);
        let sent = send(&mut stream, &reply);
        shared.at_once.fetch_sub(1, Ordering::AcqRel);
        if !sent? {
            return Ok(());
        }
    }
    Ok(())
}

/// The next request; none when the other side is done.
fn receive(stream: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let headers = headers(stream)?;
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length.min(LARGEST)];
    stream.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let batch = body.is_array();
    let calls = match body {
        Value::Array(calls) => calls.iter().map(call).collect(),
        Value::Null => Vec::new(),
        only => vec![call(&only)],
    };
    Ok(Some(Request {
        target,
        headers,
        calls,
        batch,
    }))
}

fn call(value: &Value) -> Call {
    Call {
        id: value["id"].clone(),
        method: value["method"].as_str().unwrap_or_default().to_owned(),
        params: value["params"].clone(),
    }
}

/// Sends a reply; whether the connection can be used again.
fn send<S: Read + Write>(stream: &mut BufReader<S>, reply: &Reply) -> io::Result<bool> {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let whole = reply.body.len();
    let body = match reply.manner {
        Manner::Close => return Ok(false),
        Manner::Hang => {
            // Ends when the other side hangs up, or this one is stopped.
            let _anything = stream.read(&mut [0])?;
            return Ok(false);
        }
        Manner::Endless => {
            head.push_str("transfer-encoding: chunked\r\n\r\n");
            stream.get_mut().write_all(head.as_bytes())?;
            let mut chunk = format!("{whole:x}\r\n").into_bytes();
            chunk.extend(&reply.body);
            chunk.extend(b"\r\n");
            loop {
                stream.get_mut().write_all(&chunk)?;
            }
        }
        Manner::Whole => &reply.body[..],
        Manner::Cut(bytes) => &reply.body[..bytes.min(whole)],
    };
    head.push_str(&format!("content-length: {whole}\r\n\r\n"));
    let mut message = head.into_bytes();
    message.extend(body);
    stream.get_mut().write_all(&message)?;
    stream.get_mut().flush()?;
    Ok(reply.manner == Manner::Whole)
}
