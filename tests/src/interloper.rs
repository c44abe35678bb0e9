//! Something happens between two requests of one answer: a proxy before a node that acts before it passes a request on.

use std::{fmt, sync::Arc};

use anyhow::Result;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::Connection;

/// What happens, told the request that is about to be passed on.
pub type Act = Arc<dyn Fn(&Value) -> Result<()> + Send + Sync>;

/// A running proxy. Dropping it stops it.
pub struct Interloper {
    url: String,
    accepting: JoinHandle<()>,
}

impl fmt::Debug for Interloper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interloper")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Interloper {
    /// Starts a proxy to the node at `url`.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start(url: &str, act: Act) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let own = format!("http://{}", listener.local_addr()?);
        let node: Arc<str> = url.into();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (node, act) = (Arc::clone(&node), Arc::clone(&act));
                let service =
                    service_fn(move |request| pass(Arc::clone(&node), Arc::clone(&act), request));
                tokio::spawn(async move {
                    // A client that goes away in the middle is its own business.
                    drop(
                        hyper::server::conn::http1::Builder::new()
                            .serve_connection(TokioIo::new(stream), service)
                            .await,
                    );
                });
            }
        });
        Ok(Self {
            url: own,
            accepting,
        })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Interloper {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn pass(
    node: Arc<str>,
    act: Act,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>> {
    let body = request.into_body().collect().await?.to_bytes();
    let calls = serde_json::from_slice(&body)?;
    tokio::task::spawn_blocking(move || act(&calls)).await??;
    let request = Request::post("/")
        .header("content-type", "application/json")
        .body(body)?;
    let mut connection = Connection::open(&node).await?;
    let answer = connection.send(request).await?;
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status.try_into()?;
    response
        .headers_mut()
        .insert("content-type", "application/json".parse()?);
    Ok(response)
}
