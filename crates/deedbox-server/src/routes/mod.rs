//! Routes. Outermost stands [`front`], then [`admit`]; a handler sees only requests that came through both.

mod admit;
mod answer;
mod body;
mod chain;
mod front;
mod mcp;
mod open;
mod parts;
mod tasks;

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    middleware::from_fn_with_state,
    response::Response,
    routing::{any, get, post},
};
use bytes::Bytes;
use deedbox_core::Attribution;
use metrics_exporter_prometheus::PrometheusHandle;
use rmcp::transport::streamable_http_server::{
    StreamableHttpService, session::never::NeverSessionManager,
};

pub(crate) use self::front::panic_text;
use crate::{App, card, mcp::Handler, openapi, problem::Problem, tools::Tool, toolsets::Toolset};

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
    for toolset in Toolset::ALL {
        if app.options.toolsets.contains(toolset) {
            router = router.merge(match toolset {
                Toolset::Tasks => tasks(),
                Toolset::Chain => chain(),
            });
        }
    }
    router
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&served), admit::admit))
        .layer(from_fn_with_state(Arc::clone(&served), front::front))
        .with_state(served)
}

/// The routes of the toolset `tasks`.
fn tasks() -> Router<Arc<Served>> {
    Router::new()
        .route("/api/tasks", post(tasks::create))
        .route("/api/tasks/unaccepted", get(tasks::unaccepted))
        .route("/api/tasks/{id}/accept", post(tasks::accept))
        .route("/api/tasks/{id}/complete", post(tasks::complete))
        .route("/api/tasks/{id}/handoff", post(tasks::hand_off))
        .route("/api/tasks/{id}/status", get(tasks::status))
}

/// The routes of the toolset `chain`. Those that take a reading differ in nothing but the tool.
fn chain() -> Router<Arc<Served>> {
    let others = Router::new()
        .route(Tool::ListChains.about().path, get(chain::list))
        .route(Tool::CheckConclusion.about().path, post(chain::conclusion))
        .route("/api/evidence/{id}", get(chain::evidence));
    let readings = Tool::ALL.into_iter().filter(|tool| tool.takes_a_reading());
    readings.fold(others, |router, tool| {
        let handler = move |served, caller, chain, headers, uri| {
            chain::reading(tool, served, caller, chain, headers, uri)
        };
        router.route(tool.about().path, get(handler))
    })
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
