//! HTTP/1.1 by hand, over TLS or a bare socket: as much as a GET needs, and every way to answer it wrongly.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    sync::{Arc, Mutex},
    thread,
};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::{Answer, Piece, Request, Script};
use crate::connections::{headers, lock};

/// What the threads of one server share.
pub(super) struct Shared {
    pub(super) script: Mutex<Arc<Script>>,
    tls: Option<Arc<ServerConfig>>,
    pub(super) asked: Mutex<Vec<Request>>,
}

impl Shared {
    pub(super) fn new(script: Arc<Script>, tls: Option<Arc<ServerConfig>>) -> Self {
        Self {
            script: Mutex::new(script),
            tls,
            asked: Mutex::default(),
        }
    }
}

pub(super) fn serve(connection: TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(config) = &shared.tls else {
        let mut stream = BufReader::new(connection);
        converse(&mut stream, shared)?;
        return Ok(());
    };
    let session = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
    let mut stream = BufReader::new(StreamOwned::new(session, connection));
    if converse(&mut stream, shared)? == After::Close {
        let stream = stream.get_mut();
        stream.conn.send_close_notify();
        stream.flush()?;
    }
    Ok(())
}

/// What becomes of a connection after an answer.
#[derive(Clone, Copy, PartialEq)]
enum After {
    Stay,
    Close,
    Cut,
}

fn converse<S: Read + Write>(stream: &mut BufReader<S>, shared: &Shared) -> io::Result<After> {
    while let Some(request) = receive(stream)? {
        lock(&shared.asked).push(request.clone());
        let script = Arc::clone(&lock(&shared.script));
        let after = send(stream, &script(&request))?;
        if after != After::Stay {
            return Ok(after);
        }
    }
    Ok(After::Close)
}

/// The next request; none when the other side is done. What does not begin as one does has no method, and is not read on.
fn receive(stream: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    let first = stream.fill_buf()?.first().copied();
    if first.is_some_and(|byte| !byte.is_ascii_uppercase()) {
        return Ok(Some(Request {
            method: String::new(),
            target: String::new(),
            headers: Vec::new(),
        }));
    }
    if stream.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let method = words.next().unwrap_or_default();
    let target = words.next().unwrap_or_default();
    Ok(Some(Request {
        method,
        target,
        headers: headers(stream)?,
    }))
}

fn send<S: Read + Write>(stream: &mut BufReader<S>, answer: &Answer) -> io::Result<After> {
    for piece in &answer.0 {
        match piece {
            Piece::Bytes(bytes) => write(stream, bytes)?,
            Piece::Pause(pause) => thread::sleep(*pause),
            Piece::Forever(bytes, pause) => loop {
                write(stream, bytes)?;
                thread::sleep(*pause);
            },
            Piece::Hang => {
                // Ends when the other side hangs up, or this one is stopped.
                let _anything = stream.read(&mut [0])?;
                return Ok(After::Cut);
            }
            Piece::Close => return Ok(After::Close),
            Piece::Cut => return Ok(After::Cut),
        }
    }
    Ok(After::Stay)
}

fn write<S: Read + Write>(stream: &mut BufReader<S>, bytes: &[u8]) -> io::Result<()> {
    stream.get_mut().write_all(bytes)?;
    stream.get_mut().flush()
}
