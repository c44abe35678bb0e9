//! Sockets: taking connections, bounding them, and stopping without breaking off what is in flight.

use std::{sync::Arc, time::Duration};

use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use crate::{App, router};

/// Connections at once. More wait in the operating system's queue.
const CONNECTIONS: usize = 4096;
/// How long to wait when a connection cannot be taken: mostly the process is short of file handles, and
/// those come back when connections end.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a server waits for others.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How long a connection may take to send a request's head, and how long it may idle between two requests.
    pub head: Duration,
    /// How long a peer may leave untaken what was sent to it.
    pub untaken: Duration,
    /// How long what is in flight may take to finish once the server is to stop.
    pub grace: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(60),
            untaken: Duration::from_secs(60),
            grace: Duration::from_secs(10),
        }
    }
}

/// Serves everything until `stop`; see [`serve_router`].
pub async fn serve_http(
    app: Arc<App>,
    listener: TcpListener,
    stop: CancellationToken,
    patience: Patience,
) {
    serve_router(router(&app), listener, stop, patience).await;
}

/// Serves `routes` until `stop`, then takes no more connections, finishes what is in flight for up to
/// [`Patience::grace`], and returns. What is in flight after that is broken off.
///
/// Whoever connects costs a bounded number of connections for a bounded time each, so nobody without a key
/// can end the server or keep others out for long. Only HTTP/1.1 is spoken: an HTTP/2 connection can be kept open
/// for ever without a request, and what needs HTTP/2 outside talks to a reverse proxy.
pub async fn serve_router(
    routes: axum::Router,
    listener: TcpListener,
    stop: CancellationToken,
    patience: Patience,
) {
    let service = TowerToHyperService::new(routes);
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head);
    let in_flight = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let next = tokio::select! {
            () = stop.cancelled() => break,
            next = accept(&listener, &slots) => next,
        };
        let Some((stream, slot)) = next else { break };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(patience.untaken));
        let connection = protocol.serve_connection(TokioIo::new(Box::pin(stream)), service.clone());
        let connection = in_flight.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = %error, "a connection broke off");
            }
            drop(slot);
        });
    }
    drop(listener);
    if tokio::time::timeout(patience.grace, in_flight.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests were still in flight after the grace period");
    }
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
