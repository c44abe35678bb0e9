//! The second step: who is asking, and how often.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{Method, header::AUTHORIZATION};
use tracing::Span;

use super::{Caller, Served, answer};
use crate::{
    Labels,
    auth::{self, API_KEY_HEADER},
    problem::Problem,
};

/// The two routes that are open to everyone, and nothing else: a path that does not exist
/// needs a key too.
fn is_open(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
        && matches!(
            request.uri().path(),
            "/api/healthz" | "/.well-known/mcp/server-card.json"
        )
}

pub(super) async fn admit(
    State(served): State<Arc<Served>>,
    mut request: Request,
    next: Next,
) -> Response {
    if is_open(&request) {
        return next.run(request).await;
    }
    let app = &served.app;
    let credential = match auth::presented(request.headers()) {
        Ok(credential) => credential,
        Err(reason) => return answer::problem(&Problem::from(reason)),
    };
    let principal = match app.authenticator.admit(credential).await {
        Ok(principal) => principal,
        Err(reason) => return answer::problem(&Problem::from(reason)),
    };
    Span::current().record("principal", principal.id.as_str());
    if let Err(too_many) = app.admit_rate(&principal.id) {
        return answer::problem(&Problem::from(too_many));
    }
    // From here on nobody needs the credential, and what nobody has cannot end up in a log.
    let headers = request.headers_mut();
    headers.remove(AUTHORIZATION);
    headers.remove(API_KEY_HEADER);
    let attribution = Labels::take(headers).attribute(principal);
    request
        .extensions_mut()
        .insert(Caller(Arc::new(attribution)));
    next.run(request).await
}
