//! What is said about the server itself.

use std::sync::Arc;

use axum::{
    Extension,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{
    HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use metrics_exporter_prometheus::PrometheusHandle;

use super::{Caller, Served, answer};
use crate::problem::Problem;

/// `GET /api/healthz`: 200 when the database answers, else 503.
pub(super) async fn healthz(State(served): State<Arc<Served>>) -> Response {
    if served.app.health.is_well().await {
        answer::json(StatusCode::OK, "{\"status\":\"ok\"}")
    } else {
        answer::problem(&Problem::new(
            503,
            "unavailable",
            "the database does not answer",
        ))
    }
}

/// `GET /.well-known/mcp/server-card.json`: what a client can know before it has a key.
pub(super) async fn card(State(served): State<Arc<Served>>) -> Response {
    let mut response = answer::json(StatusCode::OK, served.card.clone());
    let hour = HeaderValue::from_static("public, max-age=3600");
    response.headers_mut().insert(CACHE_CONTROL, hour);
    response
}

/// `GET /openapi.json`.
pub(super) async fn openapi(State(served): State<Arc<Served>>) -> Response {
    answer::json(StatusCode::OK, served.openapi.clone())
}

/// `GET /metrics`, for operators: counts say who does how much.
pub(super) async fn metrics(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
) -> Response {
    if let Err(refusal) = by.must_be_operator() {
        return answer::problem(&Problem::from(&refusal));
    }
    match &served.app.options.metrics {
        Some(metrics) => exposition(metrics),
        None => answer::problem(&Problem::not_found()),
    }
}

/// Prometheus' text format.
pub(super) fn exposition(metrics: &PrometheusHandle) -> Response {
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(CONTENT_TYPE, kind)], metrics.render()).into_response()
}
