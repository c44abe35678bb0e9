//! `/mcp`: Streamable HTTP, without sessions, for clients of both eras.
//!
//! The SDK speaks the protocol. What stands before it here is what it leaves off or answers in its own
//! way: strict JSON, no batches, malformed messages as JSON-RPC errors rather than a 415, an unknown
//! version with the list of known ones, and clients that accept anything rather than naming both types.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT, ALLOW, CONTENT_TYPE},
};
use http_body_util::Full;
use rmcp::{
    model::{ErrorData, ProtocolVersion},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};

use super::{Served, answer, body};
use crate::{
    App, json,
    mcp::{Handler, envelope},
    problem::Problem,
};

const VERSION_HEADER: &str = "mcp-protocol-version";

/// The SDK's service. Host, origin and size are checked before it, on every route alike.
pub(super) fn service(app: &Arc<App>) -> StreamableHttpService<Handler, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(deedbox_core::limits::BODY_BYTES)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let handler = Handler::over_http(app);
    StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}

pub(super) async fn endpoint(State(served): State<Arc<Served>>, request: Request) -> Response {
    if request.method() != Method::POST {
        let mut response = answer::problem(&Problem::wrong_method());
        let allow = HeaderValue::from_static("POST");
        response.headers_mut().insert(ALLOW, allow);
        return response;
    }
    let (mut parts, body) = request.into_parts();
    if !body::is_json(&parts.headers) {
        return answer::problem(&body::not_json());
    }
    if let Err(problem) = accept_both(&mut parts.headers) {
        return answer::problem(&problem);
    }
    let bytes = match body::read(&served.app, &parts.headers, body).await {
        Ok(bytes) => bytes,
        Err(problem) => return answer::problem(&problem),
    };
    let message = match json::parse(&bytes) {
        Ok(message) => message,
        Err(bad) => {
            let error = ErrorData::parse_error(bad.to_string(), None);
            return rpc_error(StatusCode::BAD_REQUEST, &envelope::error(None, error));
        }
    };
    let checked = envelope::check(&message)
        .and_then(|envelope| known_version(&parts.headers, &envelope).map(|()| envelope));
    let envelope = match checked {
        Ok(envelope) => envelope,
        Err(error) => return rpc_error(StatusCode::BAD_REQUEST, &error),
    };
    let request = http::Request::from_parts(parts, Full::new(bytes));
    let response = served.mcp.handle(request).await;
    spoken(response.map(Body::new), &envelope)
}

/// Lets in clients that accept JSON without naming both types, as the SDK would demand. An answer is an event
/// stream only when a tool reports progress, which clients of that kind do not ask for.
fn accept_both(headers: &mut HeaderMap) -> Result<(), Problem> {
    let is_json = |range: &str| {
        let essence = range.split(';').next().unwrap_or_default().trim();
        ["application/json", "application/*", "*/*"]
            .into_iter()
            .any(|known| essence.eq_ignore_ascii_case(known))
    };
    let accepts_json = headers.get_all(ACCEPT).iter().any(|value| {
        value
            .to_str()
            .is_ok_and(|value| value.split(',').any(is_json))
    });
    if headers.contains_key(ACCEPT) && !accepts_json {
        return Err(Problem::new(
            406,
            "not_acceptable",
            "answers are JSON: send Accept: application/json, text/event-stream",
        ));
    }
    let both = HeaderValue::from_static("application/json, text/event-stream");
    headers.insert(ACCEPT, both);
    Ok(())
}

/// A version that is named only in the header must be one that exists. One that the body names too is
/// checked by the SDK.
fn known_version(
    headers: &HeaderMap,
    envelope: &envelope::Envelope,
) -> Result<(), envelope::RpcError> {
    let Some(version) = headers.get(VERSION_HEADER) else {
        return Ok(());
    };
    let known = ProtocolVersion::KNOWN_VERSIONS;
    if envelope.names_version
        || known
            .iter()
            .any(|v| v.as_str().as_bytes() == version.as_bytes())
    {
        return Ok(());
    }
    let requested = String::from_utf8_lossy(version.as_bytes());
    Err(envelope::error(
        envelope.id.clone(),
        envelope::unknown_version(&requested),
    ))
}

/// Whatever the SDK answers in plain text, as JSON-RPC.
fn spoken(response: Response, envelope: &envelope::Envelope) -> Response {
    let status = response.status();
    let is_json = body::is_json(response.headers());
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let kind = response.headers().get(CONTENT_TYPE);
    tracing::debug!(?kind, %status, "the SDK's answer is not JSON-RPC");
    let (status, error) = if status.is_server_error() {
        (status, ErrorData::internal_error("Internal error", None))
    } else {
        let text = "Invalid Request: not a message of this protocol";
        (
            StatusCode::BAD_REQUEST,
            ErrorData::invalid_request(text, None),
        )
    };
    rpc_error(status, &envelope::error(envelope.id.clone(), error))
}

fn rpc_error(status: StatusCode, error: &envelope::RpcError) -> Response {
    // Infallible: texts and numbers in structs.
    answer::json(status, serde_json::to_vec(error).unwrap_or_default())
}
