//! Every tool as an HTTP route, from what is known of the tool: its method and path, and the schema of its arguments.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Extension,
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
    routing::{MethodFilter, MethodRouter, on},
};
use deedbox_core::Refusal;
use deedbox_store::IdempotencyKey;
use http::{HeaderMap, HeaderName, Method, Uri, request::Parts};
use serde_json::{Map, Value};

use super::{Caller, Served, answer, body, parts};
use crate::{
    operations::{Extras, Fault, Operation, Tool},
    schemas,
    tools::NamedTwice,
};

/// Carries the idempotency key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What stands in the path, by name.
type InPath = Result<Path<HashMap<String, String>>, PathRejection>;

/// What answers to a tool's method, under its path.
pub(super) fn route(tool: Tool) -> MethodRouter<Arc<Served>> {
    let method = if in_query(tool) {
        MethodFilter::GET
    } else {
        MethodFilter::POST
    };
    on(method, move |served, caller, path, request| {
        call(tool, served, caller, path, request)
    })
}

/// Whether the arguments that do not stand in the path stand in the query; otherwise they are the body.
fn in_query(tool: Tool) -> bool {
    tool.about().method == Method::GET
}

async fn call(
    tool: Tool,
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    path: InPath,
    request: Request,
) -> Response {
    let (Parts { headers, uri, .. }, body) = request.into_parts();
    let given = if in_query(tool) {
        Ok(query(tool, &uri))
    } else {
        let body = body::json(&served.app, &headers, body).await;
        body.map(body::object)
    };
    let done = match given {
        Ok(given) => {
            let read = options(tool, &headers)
                .and_then(|extras| Ok((with_path(tool, given?, path)?, extras)))
                .map_err(Fault::from)
                .and_then(|(arguments, extras)| Ok((Operation::read(tool, arguments)?, extras)));
            served.app.perform(&by, tool, read).await
        }
        Err(unread) => Err(unread),
    };
    answer::operation(tool, done)
}

/// The query string as arguments.
fn query(tool: Tool, uri: &Uri) -> Result<Map<String, Value>, Refusal> {
    let arguments = tool.arguments(parts::query(uri)?);
    arguments.map_err(|NamedTwice(name)| Refusal::invalid(parts::shown(&name), "stands twice"))
}

/// The arguments with those that stand in the path, and stand nowhere else.
fn with_path(
    tool: Tool,
    mut arguments: Map<String, Value>,
    path: InPath,
) -> Result<Map<String, Value>, Refusal> {
    // A path that does not decode is no identifier either.
    let mut path = path.map_or_else(|_| HashMap::new(), |Path(path)| path);
    for name in tool.in_path() {
        let value = schemas::form(tool, name).value(path.remove(name).unwrap_or_default());
        if arguments.insert(name.to_owned(), value).is_some() {
            let reason = if in_query(tool) {
                "stands in the path; leave it out of the query"
            } else {
                "stands in the path; leave it out of the body"
            };
            return Err(Refusal::invalid(name, reason));
        }
    }
    Ok(arguments)
}

/// What rides beside the arguments.
fn options(tool: Tool, headers: &HeaderMap) -> Result<Extras, Refusal> {
    parts::known_options(headers)?;
    let mut extras = Extras::default();
    if tool.takes_a_reading() {
        extras.task = parts::single(headers, &parts::TASK)?
            .map(|text| parts::parse("Deedbox-Task", text))
            .transpose()?;
    }
    if !tool.reads() {
        extras.idempotency = parts::single(headers, &IDEMPOTENCY_KEY)?
            .map(|text| parts::parse::<IdempotencyKey>("Idempotency-Key", text))
            .transpose()?;
        extras.recipient_only = match parts::single(headers, &parts::RECIPIENT_ONLY)? {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => {
                let reason = "must be true or false";
                return Err(Refusal::invalid("Deedbox-Recipient-Only", reason));
            }
        };
    }
    Ok(extras)
}
