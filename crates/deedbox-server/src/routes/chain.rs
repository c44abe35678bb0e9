//! Reading chains, and what was read, as HTTP routes.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use deedbox_core::{EvidenceId, Refusal};
use http::{HeaderMap, Uri, request::Parts};
use serde_json::{Map, Value};

use super::{Caller, Served, answer, body, parts};
use crate::operations::{Extras, Fault, Operation, Tool};

const CHAIN_ID: &str = "chain_id";

/// `GET /api/chains/{chain_id}/…`: one of the five readings. Every argument stands in the path or, once, in the query.
pub(super) async fn reading(
    tool: Tool,
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    chain: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let read = arguments(chain, &uri)
        .map_err(Fault::from)
        .and_then(|arguments| Operation::read(tool, arguments))
        .and_then(|operation| Ok((operation, extras(&headers)?)));
    answer::operation(tool, served.app.perform(&by, tool, read).await)
}

/// `GET /api/chains`
pub(super) async fn list(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let tool = Tool::ListChains;
    let read = parts::known_options(&headers)
        .and_then(|()| query(&uri))
        .map_err(Fault::from)
        .and_then(|arguments| Operation::read(tool, arguments))
        .map(|operation| (operation, Extras::default()));
    answer::operation(tool, served.app.perform(&by, tool, read).await)
}

/// `POST /api/conclusions/check`
pub(super) async fn conclusion(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    request: Request,
) -> Response {
    let tool = Tool::CheckConclusion;
    let (Parts { headers, .. }, body) = request.into_parts();
    let body = match body::json(&served.app, &headers, body).await {
        Ok(body) => body,
        Err(problem) => return answer::problem(&problem),
    };
    let read = parts::known_options(&headers)
        .and_then(|()| body::object(body))
        .map_err(Fault::from)
        .and_then(|arguments| Operation::read(tool, arguments))
        .map(|operation| (operation, Extras::default()));
    answer::operation(tool, served.app.perform(&by, tool, read).await)
}

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

/// The arguments of a reading.
fn arguments(
    chain: Result<Path<String>, PathRejection>,
    uri: &Uri,
) -> Result<Map<String, Value>, Refusal> {
    let mut arguments = query(uri)?;
    let chain = chain.map_or_else(|_| String::new(), |Path(text)| text);
    if arguments
        .insert(CHAIN_ID.to_owned(), number(chain))
        .is_some()
    {
        let reason = "stands in the path; leave it out of the query";
        return Err(Refusal::invalid(CHAIN_ID, reason));
    }
    if let Some(Value::String(limit)) = arguments.get_mut("limit") {
        let limit = std::mem::take(limit);
        arguments.insert("limit".to_owned(), number(limit));
    }
    Ok(arguments)
}

/// The query string as arguments, each of which stands there once.
fn query(uri: &Uri) -> Result<Map<String, Value>, Refusal> {
    let mut arguments = Map::new();
    for (name, value) in parts::query(uri)? {
        if arguments
            .insert(name.clone(), Value::String(value))
            .is_some()
        {
            return Err(Refusal::invalid(parts::shown(&name), "stands twice"));
        }
    }
    Ok(arguments)
}

/// A whole number from its one spelling in digits. Anything else stays the text that it is, and is refused where a
/// number is wanted.
fn number(text: String) -> Value {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let number = text.parse::<u64>().ok().filter(|_| plain);
    number.map_or(Value::String(text), Value::from)
}

/// What rides beside the arguments.
fn extras(headers: &HeaderMap) -> Result<Extras, Refusal> {
    parts::known_options(headers)?;
    let task = parts::single(headers, &parts::TASK)?;
    let task = task
        .map(|text| parts::parse("Deedbox-Task", text))
        .transpose()?;
    Ok(Extras {
        task,
        ..Extras::default()
    })
}
