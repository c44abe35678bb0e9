//! What was read, as it was recorded. No tool: models cite evidence, people look at it.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, State, rejection::PathRejection},
    response::Response,
};
use deedbox_core::EvidenceId;
use http::HeaderMap;

use super::{Caller, Served, answer, parts};

/// `GET /api/evidence/{id}`
pub(super) async fn evidence(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    // A path that does not decode is not a UUID either.
    let text = id.map_or_else(|_| String::new(), |Path(text)| text);
    let id = parts::known_options(&headers).and_then(|()| parts::parse::<EvidenceId>("id", &text));
    let found = match id {
        Ok(id) => served.app.evidence(&by, id).await,
        Err(refusal) => Err(refusal.into()),
    };
    answer::plain(found)
}
