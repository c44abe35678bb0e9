//! The operations as HTTP routes.

use std::{str::FromStr, sync::Arc};

use axum::{
    Extension,
    extract::{Path, Query, Request, State, rejection::PathRejection},
    response::Response,
};
use deedbox_core::{Attribution, Refusal, TaskId};
use deedbox_store::IdempotencyKey;
use http::{HeaderMap, HeaderName, StatusCode, Uri, request::Parts};
use serde_json::{Map, Value};

use super::{Caller, Served, answer, body};
use crate::{
    inputs::{CursorText, GetTaskStatus, ListUnacceptedTasks},
    json,
    operations::{Answer, Extras, Operation, Tool},
    problem::Problem,
};

type Id = Result<Path<String>, PathRejection>;

/// Carries the idempotency key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Asks that, after a handoff, only the recipient may accept.
const RECIPIENT_ONLY: HeaderName = HeaderName::from_static("deedbox-recipient-only");

/// `POST /api/tasks`
pub(super) async fn create(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    request: Request,
) -> Response {
    let done = write(&served, &by, Tool::CreateTask, None, request).await;
    answer::operation(StatusCode::CREATED, done)
}

/// `POST /api/tasks/{id}/accept`
pub(super) async fn accept(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Id,
    request: Request,
) -> Response {
    let done = write(&served, &by, Tool::AcceptTask, Some(id), request).await;
    answer::operation(StatusCode::CREATED, done)
}

/// `POST /api/tasks/{id}/complete`
pub(super) async fn complete(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Id,
    request: Request,
) -> Response {
    let done = write(&served, &by, Tool::ReportCompletion, Some(id), request).await;
    answer::operation(StatusCode::CREATED, done)
}

/// `POST /api/tasks/{id}/handoff`
pub(super) async fn hand_off(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Id,
    request: Request,
) -> Response {
    let done = write(&served, &by, Tool::HandoffTask, Some(id), request).await;
    answer::operation(StatusCode::CREATED, done)
}

/// `GET /api/tasks/{id}/status`
pub(super) async fn status(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Id,
) -> Response {
    let read = task_id(id).map(|task_id| {
        let input = GetTaskStatus { task_id };
        (Operation::GetTaskStatus(input), Extras::default())
    });
    let done = served.app.perform(&by, Tool::GetTaskStatus, read).await;
    answer::operation(StatusCode::OK, done)
}

/// `GET /api/tasks/unaccepted`
pub(super) async fn unaccepted(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    uri: Uri,
) -> Response {
    let read = filter(&uri).map(|input| (Operation::ListUnacceptedTasks(input), Extras::default()));
    let tool = Tool::ListUnacceptedTasks;
    answer::operation(StatusCode::OK, served.app.perform(&by, tool, read).await)
}

async fn write(
    served: &Served,
    by: &Attribution,
    tool: Tool,
    id: Option<Id>,
    request: Request,
) -> Result<Answer, Problem> {
    let (Parts { headers, .. }, body) = request.into_parts();
    if !body::is_json(&headers) {
        return Err(body::not_json());
    }
    let bytes = body::read(&served.app, &headers, body).await?;
    let value = json::parse(&bytes)?;
    let read = arguments(value, id)
        .and_then(|arguments| Operation::read(tool, arguments))
        .and_then(|operation| Ok((operation, extras(&headers)?)));
    served.app.perform(by, tool, read).await
}

/// An operation's arguments, from the body and the path.
fn arguments(body: Value, id: Option<Id>) -> Result<Map<String, Value>, Refusal> {
    let Value::Object(mut arguments) = body else {
        return Err(Refusal::invalid("", "the body must be a JSON object"));
    };
    if let Some(id) = id {
        if arguments.contains_key("taskId") {
            return Err(Refusal::invalid(
                "taskId",
                "stands in the path; leave it out of the body",
            ));
        }
        arguments.insert("taskId".to_owned(), task_id(id)?.to_string().into());
    }
    Ok(arguments)
}

fn task_id(id: Id) -> Result<TaskId, Refusal> {
    // A path that does not decode is not a UUID either.
    let text = id.map_or_else(|_| String::new(), |Path(text)| text);
    parse("taskId", &text)
}

fn parse<T: FromStr<Err: ToString>>(field: &str, text: &str) -> Result<T, Refusal> {
    text.parse()
        .map_err(|error: T::Err| Refusal::invalid(field, error.to_string()))
}

/// The filter of the list, from the query string.
fn filter(uri: &Uri) -> Result<ListUnacceptedTasks, Refusal> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_| Refusal::invalid("", "the query string does not read as name=value pairs"))?;
    let mut input = ListUnacceptedTasks::default();
    for (name, value) in pairs {
        let doubled = match name.as_str() {
            "actorId" => input.actor_id.replace(parse(&name, &value)?).is_some(),
            "limit" => input.limit.replace(parse(&name, &value)?).is_some(),
            "cursor" => input.cursor.replace(CursorText(value)).is_some(),
            _ => {
                let known = "unknown parameter; known: actorId, limit, cursor";
                let shown: String = name.chars().take(64).collect();
                return Err(Refusal::invalid(shown, known));
            }
        };
        if doubled {
            return Err(Refusal::invalid(name, "stands twice"));
        }
    }
    Ok(input)
}

/// What rides beside the arguments.
fn extras(headers: &HeaderMap) -> Result<Extras, Refusal> {
    let idempotency = single(headers, &IDEMPOTENCY_KEY)?
        .map(|text| parse::<IdempotencyKey>("Idempotency-Key", text))
        .transpose()?;
    let recipient_only = match single(headers, &RECIPIENT_ONLY)? {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => {
            return Err(Refusal::invalid(
                "Deedbox-Recipient-Only",
                "must be true or false",
            ));
        }
    };
    Ok(Extras {
        recipient_only,
        idempotency,
    })
}

fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let Some(first) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Refusal::invalid(name.as_str(), "stands twice"));
    }
    first
        .to_str()
        .map(Some)
        .map_err(|_| Refusal::invalid(name.as_str(), "must be visible ASCII"))
}
