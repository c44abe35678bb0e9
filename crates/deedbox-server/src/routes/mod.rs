//! Routes. Outermost stands [`front`], then [`admit`]; a handler sees only requests that came through both.

mod admit;
mod answer;
mod body;
mod evidence;
mod front;
mod mcp;
mod open;
mod parts;
mod tools;

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    middleware::from_fn_with_state,
    response::Response,
    routing::{any, get},
};
use bytes::Bytes;
use deedbox_core::Attribution;
use metrics_exporter_prometheus::PrometheusHandle;
use rmcp::transport::streamable_http_server::{
    StreamableHttpService, session::never::NeverSessionManager,
};

pub(crate) use self::front::panic_text;
use crate::{App, card, mcp::Handler, openapi, problem::Problem, tools::Tool};

/// What handlers share.
pub(crate) struct Served {
    app: Arc<App>,
    mcp: StreamableHttpService<Handler, NeverSessionManager>,
    card: Bytes,
    openapi: Bytes,
}

/// Who sent a request, put into its extensions once it was admitted.
#[derive(Clone, Debug)]
pub(crate) struct Caller(pub(crate) Arc<Attribution>);

/// Every route of a server.
pub fn router(app: &Arc<App>) -> Router {
    let served = Arc::new(Served {
        app: Arc::clone(app),
        mcp: mcp::service(app),
        card: card::card(app).to_string().into(),
        openapi: openapi::openapi_document().to_string().into(),
    });
    let mut router = Router::new()
        .route("/mcp", any(mcp::endpoint))
        .route("/api/healthz", get(open::healthz))
        .route("/.well-known/mcp/server-card.json", get(open::card))
        .route("/openapi.json", get(open::openapi))
        .route("/metrics", get(open::metrics));
    for tool in Tool::ALL.into_iter().filter(|tool| app.offers(*tool)) {
        router = router.route(tool.about().path, tools::route(tool));
    }
    let readings = Tool::ALL.into_iter().filter(|tool| tool.takes_a_reading());
    if readings.into_iter().any(|tool| app.offers(tool)) {
        router = router.route("/api/evidence/{id}", get(evidence::evidence));
    }
    router
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&served), admit::admit))
        .layer(from_fn_with_state(Arc::clone(&served), front::front))
        .with_state(served)
}

/// Only `/metrics`, open to whoever reaches the listener: for one of its own, on loopback.
pub fn metrics_router(metrics: PrometheusHandle) -> Router {
    Router::new().route(
        "/metrics",
        get(move || async move { open::exposition(&metrics) }),
    )
}

async fn nothing_here(_: Request) -> Response {
    answer::problem(&Problem::not_found())
}

async fn wrong_method(_: Request) -> Response {
    answer::problem(&Problem::wrong_method())
}
