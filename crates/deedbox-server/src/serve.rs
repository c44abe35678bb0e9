//! Sockets: taking connections, bounding them, and stopping without breaking off what is in flight.

use std::{io, sync::Arc, time::Duration};

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
/// How often in a row a listener may fail before it is given up.
const FAILURES: u32 = 100;
/// How long to wait when the listener fails: mostly it is short of file handles.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`, then takes no more connections, finishes what is in flight for up to `grace`, and
/// returns. What is in flight after that is broken off.
///
/// # Errors
/// When the listener fails many times in a row.
pub async fn serve_http(
    app: Arc<App>,
    listener: TcpListener,
    stop: CancellationToken,
    grace: Duration,
) -> io::Result<()> {
    let service = TowerToHyperService::new(router(&app));
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
    let in_flight = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let ended = loop {
        let next = tokio::select! {
            () = stop.cancelled() => break Ok(()),
            next = accept(&listener, &slots) => next,
        };
        let (stream, slot) = match next {
            Ok(next) => next,
            Err(error) => break Err(error),
        };
        let connection = builder.serve_connection(TokioIo::new(stream), service.clone());
        let connection = in_flight.watch(connection.into_owned());
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = %error, "a connection broke off");
            }
            drop(slot);
        });
    };
    drop(listener);
    if tokio::time::timeout(grace, in_flight.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests were still in flight after the grace period");
    }
    ended
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots)
        .acquire_owned()
        .await
        .map_err(io::Error::other)?;
    let mut failures = 0;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are small and whole; waiting to fill a segment only delays them.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "TCP_NODELAY was refused");
                }
                return Ok((stream, slot));
            }
            Err(error) if failures < FAILURES => {
                failures += 1;
                tracing::warn!(%error, "accepting a connection failed");
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
}
