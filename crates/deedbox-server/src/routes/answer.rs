//! How answers look on the wire.

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde::Serialize;

use crate::{
    operations::{Answer, Envelope, Tool},
    problem::{Problem, Retry},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Says that an earlier request with the same idempotency key did the work.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// JSON that is written already.
pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Body::from(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

fn write(value: &impl Serialize) -> Vec<u8> {
    // Infallible: every answer is texts, numbers and lists in structs.
    serde_json::to_vec(value).unwrap_or_default()
}

/// The answer of an operation, or why there is none.
pub(super) fn operation(tool: Tool, done: Result<Answer, Problem>) -> Response {
    match done {
        Ok(answer) => {
            let success = if tool.reads() {
                StatusCode::OK
            } else {
                StatusCode::CREATED
            };
            let mut response = json(success, write(&answer.reply));
            if answer.replayed {
                let headers = response.headers_mut();
                headers.insert(REPLAYED, HeaderValue::from_static("true"));
            }
            response
        }
        Err(reason) if tool.takes_a_reading() => under(&reason, &Envelope::without(&reason)),
        Err(reason) => problem(&reason),
    }
}

/// A value, or why there is none.
pub(super) fn plain(found: Result<impl Serialize, Problem>) -> Response {
    match found {
        Ok(value) => json(StatusCode::OK, write(&value)),
        Err(reason) => problem(&reason),
    }
}

/// `{error, code}` under its status.
pub(super) fn problem(problem: &Problem) -> Response {
    #[derive(Serialize)]
    struct Body<'a> {
        error: &'a str,
        code: &'static str,
    }
    under(
        problem,
        &Body {
            error: &problem.error,
            code: problem.code,
        },
    )
}

/// A body under a problem's status, with the headers that go with it.
fn under(problem: &Problem, body: &impl Serialize) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json(status, write(body));
    let headers = response.headers_mut();
    if status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Bearer realm=\"deedbox\"");
        headers.insert(WWW_AUTHENTICATE, challenge);
    }
    if let Retry::After(seconds) = problem.retry {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
