//! The operations in the OpenAPI document, each from what is known of its tool.

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::{NO_READINGS, problems, refer};
use crate::{schemas, tools::Tool};

/// The description of an operation whose result has the schema `value`.
pub(super) fn operation(tool: Tool, value: &Value) -> Value {
    let about = tool.about();
    let mut schema = schemas::input(tool);
    let mut parameters: Vec<Value> = tool
        .in_path()
        .filter_map(|name| {
            let schema = take_property(&mut schema, name)?;
            Some(json!({"name": name, "in": "path", "required": true, "schema": schema}))
        })
        .collect();
    let mut answer = json!({
        "description": "Done.",
        "content": {"application/json": {"schema": value}},
    });
    let mut operation = json!({
        "operationId": about.name, "summary": about.title, "tags": [about.toolset.name()],
    });
    if about.method == Method::GET {
        parameters.extend(query_parameters(&schema));
    } else {
        let content = json!({"application/json": {"schema": schema}});
        operation["requestBody"] = json!({"required": true, "content": content});
    }
    parameters.extend(beside(tool));
    let success = if tool.reads() {
        StatusCode::OK
    } else {
        answer["headers"] = json!({"Idempotency-Replayed": {
            "description": "true when an earlier request with the same Idempotency-Key did the work.",
            "schema": {"type": "string", "const": "true"},
        }});
        StatusCode::CREATED
    };
    operation["parameters"] = Value::Array(parameters);
    let mut responses = Map::from_iter([(success.as_str().to_owned(), answer)]);
    if tool.takes_a_reading() {
        responses.extend(problems(&[401, 421, 431]));
        let has_body = about.method == Method::POST;
        let met = NO_READINGS.iter().map(|(status, _)| *status);
        let met = met.filter(|status| has_body || !matches!(status, 408 | 413 | 415));
        responses.extend(met.map(|status| refer("NoReading", status)));
    } else {
        responses.extend(problems(&[
            400, 401, 403, 404, 421, 429, 431, 500, 503, 504,
        ]));
        if about.method == Method::POST {
            responses.extend(problems(&[408, 413, 415]));
        }
        if !tool.reads() {
            responses.extend(problems(&[409]));
        }
    }
    operation["responses"] = Value::Object(responses);
    operation
}

/// The description of `GET /api/evidence/{id}`, which is no tool: models cite evidence, people look at it.
pub(super) fn evidence(value: &Value) -> Value {
    let answer = json!({
        "description": "Found.",
        "content": {"application/json": {"schema": value}},
    });
    let mut responses = Map::from_iter([("200".to_owned(), answer)]);
    responses.extend(problems(&[
        400, 401, 403, 404, 421, 429, 431, 500, 503, 504,
    ]));
    json!({
        "operationId": "evidence",
        "summary": "A reading as it was recorded",
        "tags": ["chain"],
        "parameters": [{
            "name": "id", "in": "path", "required": true,
            "description": "The evidence_id of the reading.",
            "schema": {"type": "string", "format": "uuid"},
        }],
        "responses": responses,
    })
}

fn take_property(schema: &mut Map<String, Value>, name: &str) -> Option<Value> {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|entry| entry != name);
    }
    schema.get_mut("properties")?.as_object_mut()?.remove(name)
}

fn query_parameters(schema: &Map<String, Value>) -> Vec<Value> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|all| all.contains(&json!(name)));
    let properties = schema.get("properties").and_then(Value::as_object);
    let parameter = |(name, schema): (&String, &Value)| {
        let mut parameter = json!({"name": name, "in": "query", "schema": schema});
        if is_required(name) {
            parameter["required"] = true.into();
        }
        parameter
    };
    properties.into_iter().flatten().map(parameter).collect()
}

/// The headers that ride beside an operation's arguments.
fn beside(tool: Tool) -> Vec<Value> {
    let header = |name: &str, about: &str, schema: Value| json!({"name": name, "in": "header", "description": about, "schema": schema});
    if tool.takes_a_reading() {
        return vec![header(
            "Deedbox-Task",
            "The task that the reading is for: it is counted for that task, and recorded with it.",
            json!({"type": "string", "format": "uuid"}),
        )];
    }
    if tool.reads() {
        return Vec::new();
    }
    let mut headers = vec![header(
        "Idempotency-Key",
        "A repeat with the same key within 24 hours returns the first result and writes nothing.",
        json!({"type": "string", "pattern": "^[!-~]{1,255}$"}),
    )];
    if tool == Tool::CreateTask {
        headers.push(header(
            "Deedbox-Recipient-Only",
            "Whether, after a handoff, only the recipient may accept. false when absent.",
            json!({"type": "string", "enum": ["true", "false"]}),
        ));
    }
    headers
}
