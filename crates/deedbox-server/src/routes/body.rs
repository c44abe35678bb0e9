//! Reading a request's body: never more than the limit into memory, never longer than the request has.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use deedbox_core::{Refusal, limits};
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use serde_json::{Map, Value};

use crate::{App, json, problem::Problem};

/// How much of a body that is too large is read and thrown away. A client that is still sending when the
/// connection closes may never see the answer that tells it why.
const DRAINED: usize = 16 * 1024 * 1024;

/// Reads a body whole.
///
/// # Errors
/// A [`Problem`] when it is larger than [`limits::BODY_BYTES`], does not arrive in time, or breaks off.
pub(super) async fn read(app: &App, headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > DRAINED as u64) {
        return Err(Problem::body_too_large());
    }
    tokio::time::timeout(app.options.request_timeout, collect(body))
        .await
        .unwrap_or_else(|_| {
            Err(Problem::new(
                408,
                "body_timeout",
                "the request's body did not arrive in time",
            ))
        })
}

/// Reads a body as JSON.
///
/// # Errors
/// As [`read`]; also when it is not announced as JSON, or is none.
pub(super) async fn json(app: &App, headers: &HeaderMap, body: Body) -> Result<Value, Problem> {
    if !is_json(headers) {
        return Err(not_json());
    }
    let bytes = read(app, headers, body).await?;
    Ok(json::parse(&bytes)?)
}

/// The arguments in a body.
pub(super) fn object(body: Value) -> Result<Map<String, Value>, Refusal> {
    match body {
        Value::Object(arguments) => Ok(arguments),
        _ => Err(Refusal::invalid("", "the body must be a JSON object")),
    }
}

async fn collect(mut body: Body) -> Result<Bytes, Problem> {
    let (mut whole, mut seen) = (BytesMut::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|_| Problem::new(400, "body_unreadable", "the request's body broke off"))?;
        let Ok(data) = frame.into_data() else {
            continue; // trailers
        };
        seen = seen.saturating_add(data.len());
        if seen <= limits::BODY_BYTES {
            whole.extend_from_slice(&data);
        } else if seen <= DRAINED {
            whole = BytesMut::new();
        } else {
            break;
        }
    }
    if seen > limits::BODY_BYTES {
        return Err(Problem::body_too_large());
    }
    Ok(whole.freeze())
}

/// Whether a header names JSON as the media type of the body.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// The body is something else than JSON.
pub(super) fn not_json() -> Problem {
    Problem::new(
        415,
        "unsupported_media_type",
        "send JSON, with Content-Type: application/json",
    )
}
