//! Sockets: taking connections, bounding them, and stopping without breaking off what is in flight.

use std::{sync::Arc, time::Duration};

use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::sync::CancellationToken;

use crate::{App, router};

/// Connections at once. More wait in the operating system's queue.
const CONNECTIONS: usize = 4096;
/// Requests at once on one HTTP/2 connection.
const STREAMS: u32 = 128;
/// How long a connection may take to send a request's head, and how long it may idle between two requests.
const HEAD: Duration = Duration::from_secs(60);
/// How long a connection may take until it has said which version of HTTP it speaks.
const FIRST: Duration = Duration::from_secs(10);
/// How long to wait when a connection cannot be taken: mostly the process is short of file handles, and
/// those come back when connections end.
const PAUSE: Duration = Duration::from_millis(100);
/// What every HTTP/2 connection begins with (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Serves everything until `stop`; see [`serve_router`].
pub async fn serve_http(
    app: Arc<App>,
    listener: TcpListener,
    stop: CancellationToken,
    grace: Duration,
) {
    serve_router(router(&app), listener, stop, grace).await;
}

/// Serves `routes` until `stop`, then takes no more connections, finishes what is in flight for up to
/// `grace`, and returns. What is in flight after that is broken off.
///
/// Whoever connects costs a bounded number of connections for a bounded time each, so nobody without a key
/// can end the server or keep others out for long.
pub async fn serve_router(
    routes: axum::Router,
    listener: TcpListener,
    stop: CancellationToken,
    grace: Duration,
) {
    let service = TowerToHyperService::new(routes);
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .keep_alive_interval(HEAD);
    let builder = Arc::new(builder);
    let in_flight = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let next = tokio::select! {
            () = stop.cancelled() => break,
            next = accept(&listener, &slots) => next,
        };
        let Some((stream, slot)) = next else { break };
        let (builder, service, stop) = (Arc::clone(&builder), service.clone(), stop.clone());
        let watcher = in_flight.watcher();
        tokio::spawn(async move {
            let speaks = tokio::select! {
                () = stop.cancelled() => false,
                speaks = speaks(&stream) => speaks,
            };
            if speaks {
                let connection = builder.serve_connection(TokioIo::new(stream), service);
                if let Err(error) = watcher.watch(connection.into_owned()).await {
                    tracing::debug!(error = %error, "a connection broke off");
                }
            }
            drop(slot);
        });
    }
    drop(listener);
    if tokio::time::timeout(grace, in_flight.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests were still in flight after the grace period");
    }
}

/// Waits until the connection has said enough for its version of HTTP to be known; false when it does not
/// in time. The HTTP library waits for that without end.
async fn speaks(stream: &TcpStream) -> bool {
    let said = async {
        let mut start = [0; PREFACE.len()];
        loop {
            match stream.peek(&mut start).await {
                Ok(0) | Err(_) => return false,
                Ok(n) if n < PREFACE.len() && PREFACE.starts_with(&start[..n]) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Ok(_) => return true,
            }
        }
    };
    tokio::time::timeout(FIRST, said).await.unwrap_or(false)
}

/// The next connection, and its place among those that are served at once.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    // Err: the semaphore was closed, which nobody does.
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    let mut failures = 0_u32;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are small and whole; waiting to fill a segment only delays them.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "TCP_NODELAY was refused");
                }
                return Some((stream, slot));
            }
            Err(error) => {
                if failures.is_multiple_of(100) {
                    tracing::warn!(%error, "no connection can be taken; trying again");
                }
                failures += 1;
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
