//! The operations as HTTP routes.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use deedbox_core::{Attribution, Refusal, TaskId};
use deedbox_store::IdempotencyKey;
use http::{HeaderMap, HeaderName, Uri, request::Parts};
use serde_json::{Map, Value};

use super::{Caller, Served, answer, body, parts};
use crate::{
    inputs::{CursorText, GetTaskStatus, ListUnacceptedTasks},
    operations::{Answer, Extras, Fault, Operation, Tool},
    problem::Problem,
};

type Id = Result<Path<String>, PathRejection>;

/// Carries the idempotency key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// `POST /api/tasks`
pub(super) async fn create(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    request: Request,
) -> Response {
    let done = write(&served, &by, Tool::CreateTask, None, request).await;
    answer::operation(Tool::CreateTask, done)
}

/// `POST /api/tasks/{id}/accept`
pub(super) async fn accept(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Id,
    request: Request,
) -> Response {
    let done = write(&served, &by, Tool::AcceptTask, Some(id), request).await;
    answer::operation(Tool::AcceptTask, done)
}

/// `POST /api/tasks/{id}/complete`
pub(super) async fn complete(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Id,
    request: Request,
) -> Response {
    let done = write(&served, &by, Tool::ReportCompletion, Some(id), request).await;
    answer::operation(Tool::ReportCompletion, done)
}

/// `POST /api/tasks/{id}/handoff`
pub(super) async fn hand_off(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Id,
    request: Request,
) -> Response {
    let done = write(&served, &by, Tool::HandoffTask, Some(id), request).await;
    answer::operation(Tool::HandoffTask, done)
}

/// `GET /api/tasks/{id}/status`
pub(super) async fn status(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    id: Id,
) -> Response {
    let read = task_id(id).map_err(Fault::from).map(|task_id| {
        let input = GetTaskStatus { task_id };
        (Operation::GetTaskStatus(input), Extras::default())
    });
    let done = served.app.perform(&by, Tool::GetTaskStatus, read).await;
    answer::operation(Tool::GetTaskStatus, done)
}

/// `GET /api/tasks/unaccepted`
pub(super) async fn unaccepted(
    State(served): State<Arc<Served>>,
    Extension(Caller(by)): Extension<Caller>,
    uri: Uri,
) -> Response {
    let read = filter(&uri)
        .map_err(Fault::from)
        .map(|input| (Operation::ListUnacceptedTasks(input), Extras::default()));
    let tool = Tool::ListUnacceptedTasks;
    answer::operation(tool, served.app.perform(&by, tool, read).await)
}

async fn write(
    served: &Served,
    by: &Attribution,
    tool: Tool,
    id: Option<Id>,
    request: Request,
) -> Result<Answer, Problem> {
    let (Parts { headers, .. }, body) = request.into_parts();
    let value = body::json(&served.app, &headers, body).await?;
    let read = arguments(value, id)
        .map_err(Fault::from)
        .and_then(|arguments| Operation::read(tool, arguments))
        .and_then(|operation| Ok((operation, extras(&headers)?)));
    served.app.perform(by, tool, read).await
}

/// An operation's arguments, from the body and the path.
fn arguments(body: Value, id: Option<Id>) -> Result<Map<String, Value>, Refusal> {
    let mut arguments = body::object(body)?;
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
    parts::parse("taskId", &text)
}

/// The filter of the list, from the query string.
fn filter(uri: &Uri) -> Result<ListUnacceptedTasks, Refusal> {
    let mut input = ListUnacceptedTasks::default();
    for (name, value) in parts::query(uri)? {
        let doubled = match name.as_str() {
            "actorId" => input
                .actor_id
                .replace(parts::parse(&name, &value)?)
                .is_some(),
            "limit" => input.limit.replace(parts::parse(&name, &value)?).is_some(),
            "cursor" => input.cursor.replace(CursorText(value)).is_some(),
            _ => {
                let known = "unknown parameter; known: actorId, limit, cursor";
                return Err(Refusal::invalid(parts::shown(&name), known));
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
    parts::known_options(headers)?;
    let idempotency = parts::single(headers, &IDEMPOTENCY_KEY)?
        .map(|text| parts::parse::<IdempotencyKey>("Idempotency-Key", text))
        .transpose()?;
    let recipient_only = match parts::single(headers, &parts::RECIPIENT_ONLY)? {
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
        task: None,
    })
}
