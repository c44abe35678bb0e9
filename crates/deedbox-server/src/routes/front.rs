//! The outermost step: a request gets its id and its span, strangers' browsers are turned away, and
//! whatever happens inside, there is an answer.

use std::{any::Any, panic::AssertUnwindSafe, sync::Arc, time::Instant};

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use futures::FutureExt as _;
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS},
};
use tracing::{Instrument as _, Span};

use super::{Served, answer};
use crate::{
    problem::Problem,
    telemetry::{self, REQUEST_ID_HEADER},
};

pub(super) async fn front(
    State(served): State<Arc<Served>>,
    request: Request,
    next: Next,
) -> Response {
    let since = Instant::now();
    let app = &served.app;
    let id = telemetry::request_id(request.headers(), || app.world.uuid());
    let matched = request.extensions().get::<MatchedPath>();
    let route = telemetry::route_label(matched.map(MatchedPath::as_str));
    let method = request.method().clone();
    let span = telemetry::span(&id, &method, route, request.headers());
    if let Some(hook) = app.options.on_request_span {
        hook(&span, request.headers());
    }
    let inside = async {
        let mut response = match app.guard.check(request.uri(), request.headers()) {
            Ok(()) => run(request, next).await,
            Err(reason) => answer::problem(&Problem::from(reason)),
        };
        finish(response.headers_mut(), &id);
        telemetry::answered(route, &method, response.status(), since);
        response
    };
    inside.instrument(span).await
}

async fn run(mut request: Request, next: Next) -> Response {
    // MCP handlers run in tasks of their own and find the span here.
    request.extensions_mut().insert(Span::current());
    AssertUnwindSafe(next.run(request))
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| {
            tracing::error!(panic = panic_text(&*panic), "a handler panicked");
            answer::problem(&Problem::internal())
        })
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(not a text)")
}

fn finish(headers: &mut HeaderMap, id: &str) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID_HEADER, id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        HeaderName::from_static("content-security-policy"),
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}
