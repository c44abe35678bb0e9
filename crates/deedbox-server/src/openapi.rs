//! The OpenAPI 3.1 document, put together from the same schemas that MCP clients see.

use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::{operations::Tool, schemas};

const TASK_ID: &str = "taskId";

/// The document that `GET /openapi.json` answers with. The same for every server of this version.
#[must_use]
pub fn openapi_document() -> Value {
    let mut outputs = schemas::outputs("#/components/schemas");
    let mut paths = Map::new();
    for tool in Tool::ALL {
        let value = schemas::value(tool, &mut outputs);
        let (path, method, operation) = operation(tool, &value);
        paths.insert(path.to_owned(), json!({ method: operation }));
    }
    for (path, item) in about_the_server() {
        paths.insert(path.to_owned(), item);
    }
    let mut components = outputs.take_definitions(true);
    components.insert("Problem".to_owned(), problem_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Deedbox",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Who has accepted a task, and how \"done\" is known. The same operations are MCP tools at /mcp.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "security": [{"bearer": []}, {"apiKey": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "responses": problem_responses(),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "A Deedbox key."},
                "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "A Deedbox key."},
            },
        },
    })
}

/// What HTTP answers say: the status stands in the answer's head, not in its body.
fn problem_schema() -> Value {
    json!({
        "type": "object",
        "description": "Why a request was not answered. Nothing was written, unless the status is 504.",
        "properties": {
            "error": {"type": "string", "description": "What is wrong, for people."},
            "code": {"type": "string", "description": "A name for programs that never changes."},
        },
        "required": ["error", "code"],
        "additionalProperties": false,
    })
}

/// Every status that a problem can have, with when.
const PROBLEMS: [(u16, &str); 16] = [
    (
        400,
        "The input is malformed, or two different credentials were sent.",
    ),
    (401, "No key, or one that is wrong, expired or revoked."),
    (
        403,
        "The key may not do this, or the actor may not; or the Origin is not allowed.",
    ),
    (404, "No such task, actor, evidence or path."),
    (405, "The path does not answer to that method."),
    (406, "The client does not accept JSON."),
    (408, "The body did not arrive in time."),
    (
        409,
        "The task's state does not allow it, or the idempotency key was used with other arguments.",
    ),
    (413, "The body is too large."),
    (415, "The body is not JSON."),
    (421, "The server does not answer to that Host."),
    (429, "Too many requests with this key; see Retry-After."),
    (500, "Something went wrong inside the server."),
    (503, "The database does not answer."),
    (
        504,
        "It took too long, and is not known whether it was done.",
    ),
    (431, "The request's head is too large."),
];

fn problem_responses() -> Map<String, Value> {
    let response = |(status, when): (u16, &str)| {
        let content =
            json!({"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}});
        let mut response = json!({"description": when, "content": content});
        let header = |name: &str, about: &str| json!({name: {"description": about, "schema": {"type": "string"}}});
        match status {
            401 => response["headers"] = header("WWW-Authenticate", "Bearer"),
            405 => response["headers"] = header("Allow", "What the path answers to."),
            429 => response["headers"] = header("Retry-After", "Seconds to wait."),
            // The HTTP layer's own answer, without a body.
            431 => response = json!({"description": when}),
            _ => {}
        }
        (format!("Problem{status}"), response)
    };
    PROBLEMS.into_iter().map(response).collect()
}

fn problems(statuses: &[u16]) -> impl Iterator<Item = (String, Value)> {
    let reference = |status: &u16| {
        let target = format!("#/components/responses/Problem{status}");
        (status.to_string(), json!({ "$ref": target }))
    };
    statuses.iter().map(reference)
}

/// Path, method and description of an operation whose result has the schema `value`.
fn operation(tool: Tool, value: &Value) -> (&'static str, &'static str, Value) {
    let (path, summary) = match tool {
        Tool::CreateTask => ("/api/tasks", "Create a task"),
        Tool::AcceptTask => ("/api/tasks/{taskId}/accept", "Accept a task"),
        Tool::ReportCompletion => ("/api/tasks/{taskId}/complete", "Report completion"),
        Tool::HandoffTask => ("/api/tasks/{taskId}/handoff", "Hand a task off"),
        Tool::GetTaskStatus => ("/api/tasks/{taskId}/status", "A task with its history"),
        Tool::ListUnacceptedTasks => ("/api/tasks/unaccepted", "Tasks that nobody owns"),
    };
    let method = if tool.reads() { "get" } else { "post" };
    let mut schema = schemas::input(tool);
    let mut parameters = Vec::new();
    if let Some(id) = take_property(&mut schema, TASK_ID) {
        parameters.push(json!({"name": TASK_ID, "in": "path", "required": true, "schema": id}));
    }
    let success = if tool.reads() {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    let mut answer = json!({
        "description": "Done.",
        "content": {"application/json": {"schema": value}},
    });
    let mut operation = json!({"operationId": tool.name(), "summary": summary, "tags": ["tasks"]});
    if tool.reads() {
        parameters.extend(query_parameters(schema));
    } else {
        parameters.extend(beside(tool));
        answer["headers"] = json!({"Idempotency-Replayed": {
            "description": "true when an earlier request with the same Idempotency-Key did the work.",
            "schema": {"type": "string", "const": "true"},
        }});
        let content = json!({"application/json": {"schema": schema}});
        operation["requestBody"] = json!({"required": true, "content": content});
    }
    operation["parameters"] = Value::Array(parameters);
    let mut responses = Map::from_iter([(success.as_str().to_owned(), answer)]);
    responses.extend(problems(statuses(tool)));
    operation["responses"] = Value::Object(responses);
    (path, method, operation)
}

const fn statuses(tool: Tool) -> &'static [u16] {
    match tool {
        Tool::CreateTask | Tool::AcceptTask | Tool::ReportCompletion | Tool::HandoffTask => &[
            400, 401, 403, 404, 408, 409, 413, 415, 421, 429, 431, 500, 503, 504,
        ],
        Tool::GetTaskStatus | Tool::ListUnacceptedTasks => {
            &[400, 401, 403, 404, 421, 429, 431, 500, 503, 504]
        }
    }
}

fn take_property(schema: &mut Map<String, Value>, name: &str) -> Option<Value> {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|entry| entry != name);
    }
    schema.get_mut("properties")?.as_object_mut()?.remove(name)
}

fn query_parameters(schema: Map<String, Value>) -> Vec<Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| json!({"name": name, "in": "query", "schema": schema}))
        .collect()
}

/// The headers that ride beside a write's arguments.
fn beside(tool: Tool) -> Vec<Value> {
    let mut headers = vec![json!({
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A repeat with the same key within 24 hours returns the first result and writes nothing.",
        "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
    })];
    if tool == Tool::CreateTask {
        headers.push(json!({
            "name": "Deedbox-Recipient-Only",
            "in": "header",
            "description": "Whether, after a handoff, only the recipient may accept. false when absent.",
            "schema": {"type": "string", "enum": ["true", "false"]},
        }));
    }
    headers
}

fn about_the_server() -> Vec<(&'static str, Value)> {
    let get = |id: &str, summary: &str, answer: Value, statuses: &[u16], open: bool| {
        let mut responses = Map::from_iter([("200".to_owned(), answer)]);
        responses.extend(problems(statuses));
        let mut operation = json!({
            "operationId": id, "summary": summary, "tags": ["server"], "responses": responses,
        });
        if open {
            operation["security"] = json!([]);
        }
        json!({"get": operation})
    };
    let json_answer = |about: &str, schema: Value| json!({"description": about, "content": {"application/json": {"schema": schema}}});
    let ok = json!({
        "type": "object",
        "properties": {"status": {"const": "ok"}},
        "required": ["status"],
    });
    let closed = [400, 401, 403, 421, 429, 431, 500, 503];
    let metrics = json!({
        "description": "Prometheus' text format. For operator keys.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    });
    let object = json!({"type": "object"});
    vec![
        (
            "/api/healthz",
            get(
                "health",
                "Whether the server can do its work",
                json_answer("It can.", ok),
                &[400, 403, 421, 431, 500, 503],
                true,
            ),
        ),
        (
            "/.well-known/mcp/server-card.json",
            get(
                "server_card",
                "What a client can know before it has a key",
                json_answer("The card.", object.clone()),
                &[400, 403, 421, 431, 500],
                true,
            ),
        ),
        (
            "/openapi.json",
            get(
                "openapi",
                "This document",
                json_answer("The document.", object),
                &closed,
                false,
            ),
        ),
        (
            "/metrics",
            get(
                "metrics",
                "Counts and latencies",
                metrics,
                &[400, 401, 403, 404, 421, 429, 431, 500, 503],
                false,
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `$ref` in the document.
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str));
                map.values().for_each(|inner| references(inner, found));
            }
            Value::Array(items) => items.iter().for_each(|inner| references(inner, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = openapi_document();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 50, "{}", found.len());
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn a_tasks_id_stands_in_the_path_and_not_in_the_body() {
        let document = openapi_document();
        let accept = &document["paths"]["/api/tasks/{taskId}/accept"]["post"];
        assert_eq!(accept["parameters"][0]["name"], "taskId");
        let body = &accept["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(body["required"], json!(["actorId"]));
        assert!(body["properties"].get("taskId").is_none());
        assert_eq!(body["additionalProperties"], false);
    }
}
