//! One kept-alive HTTP/1.1 connection, without anything between a test and the bytes.

use anyhow::{Context, Result};
use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// A connection to one server.
#[derive(Debug)]
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    authority: String,
}

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Response {
    /// The body as JSON.
    ///
    /// # Errors
    /// When it is not JSON; with what it was.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| {
            let text = String::from_utf8_lossy(&self.body);
            format!("status {}, not JSON: {text:?}", self.status)
        })
    }

    /// A header's text; empty when it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

impl Connection {
    /// Connects to `url` (`http://host:port`).
    ///
    /// # Errors
    /// When nobody listens.
    pub async fn open(url: &str) -> Result<Self> {
        let authority = url
            .trim_start_matches("http://")
            .trim_end_matches('/')
            .to_owned();
        let stream = TcpStream::connect(&authority).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { sender, authority })
    }

    /// Sends a request whose URI is a path, and waits for the whole answer. `Host` is added when missing.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn send(&mut self, mut request: Request<Bytes>) -> Result<Response> {
        if !request.headers().contains_key(http::header::HOST) {
            let host = self.authority.parse()?;
            request.headers_mut().insert(http::header::HOST, host);
        }
        self.sender.ready().await?;
        let response = self.sender.send_request(request.map(Full::new)).await?;
        let (parts, body) = response.into_parts();
        Ok(Response {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.collect().await?.to_bytes(),
        })
    }
}
