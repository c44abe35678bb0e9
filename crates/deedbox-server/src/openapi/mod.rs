//! The OpenAPI 3.1 document, put together from the same schemas that MCP clients see.

mod operations;

use deedbox_core::evidence::Evidence;
use serde_json::{Map, Value, json};

use crate::{schemas, tools::Tool};

/// The document that `GET /openapi.json` answers with. The same for every server of this version.
#[must_use]
pub fn openapi_document() -> Value {
    let mut outputs = schemas::outputs("#/components/schemas");
    let mut paths = Map::new();
    for tool in Tool::ALL {
        let value = schemas::value(tool, &mut outputs);
        let about = tool.about();
        let method = about.method.as_str().to_ascii_lowercase();
        let operation = operations::operation(tool, &value);
        // One path may answer to two methods.
        let item = paths.entry(about.path).or_insert_with(|| json!({}));
        item[method] = operation;
    }
    let evidence = outputs.subschema_for::<Evidence>().to_value();
    let item = json!({"get": operations::evidence(&evidence)});
    paths.insert("/api/evidence/{id}".to_owned(), item);
    for (path, item) in about_the_server() {
        paths.insert(path.to_owned(), item);
    }
    let mut components = outputs.take_definitions(true);
    components.insert("Problem".to_owned(), problem_schema());
    components.insert("NoReading".to_owned(), no_reading_schema());
    let mut responses = problem_responses();
    responses.extend(no_reading_responses());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Deedbox",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Who has accepted a task, how \"done\" is known, what a chain said at which block, who owns an agent, and whether a tool is what it says. The same operations are MCP tools at /mcp.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "security": [{"bearer": []}, {"apiKey": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "responses": responses,
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

/// What HTTP answers say when there is no reading.
fn no_reading_schema() -> Value {
    json!({
        "type": "object",
        "description": "Why there is no reading. Nothing was recorded, unless the status is 503 or 504: then it may have been.",
        "properties": {
            "data": {"type": "null"},
            "provenance": {"type": "null"},
            "error": {"$ref": "#/components/schemas/Unread"},
        },
        "required": ["data", "provenance", "error"],
        "additionalProperties": false,
    })
}

/// Every status that a call without a reading can have, with when. Those that can also be met before the call is
/// looked at say so with a problem.
const NO_READINGS: [(u16, &str); 13] = [
    (400, "An argument is malformed."),
    (
        403,
        "The key may not do this, or the operator's policy does not allow it; or the Origin is not allowed.",
    ),
    (
        404,
        "The chain is not configured, the block does not exist (yet), or there is no such task. Without the tool's toolset, the path is not there.",
    ),
    (408, "The request's body did not arrive in time."),
    (409, "The block was replaced while it was being read."),
    (413, "The request's body is too large."),
    (415, "The request's body is not announced as JSON."),
    (
        422,
        "What is there cannot be read that way: no contract, a contract that answers otherwise, state that no endpoint keeps, or too much of it.",
    ),
    (429, "Too many calls with this key; see Retry-After."),
    (500, "Something went wrong inside the server."),
    (
        502,
        "No endpoint answers usefully: none can be reached, all are on another chain, or one has not come to that block and another one does not answer.",
    ),
    (
        503,
        "Endpoints or this server have too much to do, see Retry-After; or the database does not answer.",
    ),
    (504, "It took too long."),
];

fn no_reading_responses() -> impl Iterator<Item = (String, Value)> {
    NO_READINGS.into_iter().map(|(status, when)| {
        let form = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
        let schema = if matches!(status, 400 | 403 | 404 | 429 | 500 | 503) {
            json!({"oneOf": [form("NoReading"), form("Problem")]})
        } else {
            form("NoReading")
        };
        let content = json!({"application/json": {"schema": schema}});
        let mut response = json!({"description": when, "content": content});
        if matches!(status, 429 | 503) {
            let about = "Seconds to wait, when somebody knows.";
            response["headers"] =
                json!({"Retry-After": {"description": about, "schema": {"type": "string"}}});
        }
        (format!("NoReading{status}"), response)
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
    statuses.iter().map(|status| refer("Problem", *status))
}

/// A status with a reference to what is said under it.
fn refer(kind: &str, status: u16) -> (String, Value) {
    let target = format!("#/components/responses/{kind}{status}");
    (status.to_string(), json!({ "$ref": target }))
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
    fn no_text_links_into_this_programs_own_documentation() {
        let text = openapi_document().to_string();
        assert!(!text.contains("[`") && !text.contains("]("), "{text}");
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
    fn every_argument_of_a_reading_stands_in_the_path_or_is_required_in_the_query() {
        let document = openapi_document();
        let in_query =
            |tool: &Tool| tool.takes_a_reading() && tool.about().method == http::Method::GET;
        for tool in Tool::ALL.into_iter().filter(in_query) {
            let about = tool.about();
            let parameters = &document["paths"][about.path]["get"]["parameters"];
            let parameters = parameters.as_array().unwrap();
            let arguments = parameters.iter().filter(|p| p["in"] != "header");
            let mut names: Vec<_> = arguments
                .map(|parameter| {
                    assert_eq!(parameter["required"], true, "{} {parameter}", about.name);
                    parameter["name"].as_str().unwrap()
                })
                .collect();
            names.sort_unstable();
            let taken = crate::schemas::input(tool)["properties"].clone();
            let taken: Vec<_> = taken.as_object().unwrap().keys().cloned().collect();
            assert_eq!(names, taken, "{}", about.name);
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
