//! A proxy that adds a credential to every request: for programs that cannot be told to send one.

use std::sync::Arc;

use anyhow::{Context, Result};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::Connection;

/// A running proxy. Dropping it stops it.
#[derive(Debug)]
pub struct Proxy {
    url: String,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct Route {
    /// Where requests go.
    server: String,
    /// What is added to them.
    authorization: HeaderValue,
    /// `host:port` of the proxy itself.
    own: String,
}

impl Proxy {
    /// Starts a proxy to the server at `url` that adds `key`.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start(url: &str, key: &str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let own = listener.local_addr()?.to_string();
        let route = Arc::new(Route {
            server: url.to_owned(),
            authorization: format!("Bearer {key}").parse()?,
            own: own.clone(),
        });
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let route = Arc::clone(&route);
                let service = service_fn(move |request| {
                    let route = Arc::clone(&route);
                    async move { pass(&route, request).await }
                });
                let io = TokioIo::new(stream);
                tokio::spawn(async move {
                    // A client that goes away in the middle is its own business.
                    drop(
                        hyper::server::conn::http1::Builder::new()
                            .serve_connection(io, service)
                            .await,
                    );
                });
            }
        });
        Ok(Self {
            url: format!("http://{own}"),
            accepting,
        })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Passes a request on. `Host` and `Origin` stay as they are unless they name the proxy itself: the server must
/// see what a stranger's page would have sent.
async fn pass(route: &Route, request: Request<Incoming>) -> Result<Response<Full<Bytes>>> {
    let (mut parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let server = route.server.trim_start_matches("http://");
    for (name, own, instead) in [
        (header::HOST, route.own.clone(), server.to_owned()),
        (
            header::ORIGIN,
            format!("http://{}", route.own),
            route.server.clone(),
        ),
    ] {
        if parts
            .headers
            .get(&name)
            .is_some_and(|value| value.as_bytes() == own.as_bytes())
        {
            parts.headers.insert(name, instead.parse()?);
        }
    }
    parts.headers.remove(header::TRANSFER_ENCODING);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::CONNECTION);
    parts
        .headers
        .insert(header::AUTHORIZATION, route.authorization.clone());
    let path = parts
        .uri
        .path_and_query()
        .context("no path")?
        .as_str()
        .parse()?;
    parts.uri = path;
    let mut connection = Connection::open(&route.server).await?;
    let answer = connection.send(Request::from_parts(parts, body)).await?;
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status.try_into()?;
    *response.headers_mut() = answer.headers;
    response.headers_mut().remove(header::TRANSFER_ENCODING);
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response.headers_mut().remove(header::CONNECTION);
    Ok(response)
}
