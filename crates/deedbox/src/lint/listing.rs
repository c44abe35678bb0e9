//! A list of tools, from the forms in which people have it.

use serde_json::{Map, Value};

/// A tool as its server lists it, as far as a reader of descriptions looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Its name.
    pub(crate) name: String,
    /// What it says of itself. Empty when it says nothing.
    pub(crate) description: String,
    /// What it takes, in the order of the schema.
    pub(crate) inputs: Vec<Input>,
    /// What the schema of its answers says of each part: descriptions, and formats like `date-time`.
    pub(crate) outputs: Vec<String>,
}

/// One input of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// Its name.
    pub(crate) name: String,
    /// What the schema says of it. Empty when it says nothing.
    pub(crate) description: String,
    /// Whether the schema says what form it has: a type, a choice of values, a pattern.
    pub(crate) has_form: bool,
    /// Whether a call without it is refused.
    pub(crate) required: bool,
    /// Whether the schema names a default.
    pub(crate) has_default: bool,
}

/// Why a JSON value is no list of tools.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAList {
    /// It has none of the forms.
    #[error(
        "expected {{\"tools\": […]}}, the answer of a server to tools/list, or an array of tools"
    )]
    NoList,
    /// A server's error instead of a list.
    #[error("it is a server's error and no list of tools")]
    ServerError,
    /// One of the tools is none.
    #[error("tool {0} has no name")]
    NoName(usize),
    /// There is nothing to judge.
    #[error("the list of tools is empty")]
    Empty,
}

/// How deep a schema is followed.
const DEPTH: u8 = 8;

/// Reads `{"tools":[…]}`, a JSON-RPC answer to `tools/list`, or a bare array.
///
/// # Errors
/// [`NotAList`] says what it is instead.
pub(crate) fn read(value: &Value) -> Result<Vec<Listed>, NotAList> {
    let result = match value.get("result") {
        Some(result) => result,
        None if value.get("error").is_some_and(Value::is_object) => {
            return Err(NotAList::ServerError);
        }
        None => value,
    };
    let tools = result.get("tools").unwrap_or(result).as_array();
    let tools = tools.ok_or(NotAList::NoList)?;
    if tools.is_empty() {
        return Err(NotAList::Empty);
    }
    let numbered = tools.iter().enumerate();
    numbered
        .map(|(at, tool)| listed(tool).ok_or(NotAList::NoName(at.saturating_add(1))))
        .collect()
}

fn listed(tool: &Value) -> Option<Listed> {
    let input = &tool["inputSchema"];
    let empty = Map::new();
    let properties = input["properties"].as_object().unwrap_or(&empty);
    let required: Vec<&str> = input["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let inputs = properties.iter().map(|(name, schema)| {
        let schema = resolved(schema, input);
        Input {
            name: name.clone(),
            description: text(&properties[name], "description")
                .or_else(|| text(schema, "description"))
                .unwrap_or_else(|| within(schema)),
            has_form: [
                "type", "enum", "const", "pattern", "anyOf", "oneOf", "allOf",
            ]
            .iter()
            .any(|key| schema.get(key).is_some()),
            required: required.contains(&name.as_str()),
            has_default: properties[name].get("default").is_some()
                || schema.get("default").is_some(),
        }
    });
    let mut outputs = Vec::new();
    said(&tool["outputSchema"], DEPTH, &mut outputs);
    Some(Listed {
        name: text(tool, "name")?,
        description: text(tool, "description").unwrap_or_default(),
        inputs: inputs.collect(),
        outputs,
    })
}

fn text(value: &Value, key: &str) -> Option<String> {
    let text = value.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// What a schema says of its parts: an array of objects may be described member by member.
fn within(schema: &Value) -> String {
    let mut parts = Vec::new();
    said(schema, DEPTH, &mut parts);
    parts.retain(|part| !part.starts_with("format "));
    parts.join("; ")
}

/// The schema that a reference within its own document leads to.
fn resolved<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let pointer = schema["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
    pointer
        .and_then(|pointer| document.pointer(pointer))
        .unwrap_or(schema)
}

/// Everything that a schema says in words.
fn said(schema: &Value, depth: u8, found: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("description", Value::String(text)) => found.push(text.clone()),
                    ("format", Value::String(format)) => found.push(format!("format {format}")),
                    _ => said(value, depth, found),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                said(item, depth, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_read_in_each_of_its_forms() {
        let tools = json!([{"name": "a", "description": " A. "}]);
        for value in [
            tools.clone(),
            json!({"tools": tools}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools, "nextCursor": null}}),
        ] {
            let listed = read(&value).unwrap();
            assert_eq!(
                (listed[0].name.as_str(), listed[0].description.as_str()),
                ("a", "A.")
            );
        }
    }

    #[test]
    fn what_is_no_list_is_told_apart() {
        for (value, expected) in [
            (json!({"name": "a"}), NotAList::NoList),
            (json!("tools"), NotAList::NoList),
            (json!({"tools": {}}), NotAList::NoList),
            (
                json!({"id": 1, "error": {"code": -32601, "message": "x"}}),
                NotAList::ServerError,
            ),
            (
                json!([{"name": "a"}, {"description": "b"}]),
                NotAList::NoName(2),
            ),
            (json!({"tools": []}), NotAList::Empty),
        ] {
            assert_eq!(read(&value), Err(expected), "{value}");
        }
    }

    #[test]
    fn inputs_are_followed_through_references_and_know_what_the_schema_says() {
        let tool = json!([{"name": "a", "inputSchema": {
            "properties": {
                "at": {"$ref": "#/$defs/At", "description": "When"},
                "n": {"type": "integer", "default": 3},
                "x": {},
            },
            "required": ["at"],
            "$defs": {"At": {"type": "string", "description": "not this"}},
        }, "outputSchema": {"properties": {"t": {"type": "string", "format": "date-time"}}}}]);
        let listed = read(&tool).unwrap().remove(0);
        let shown: Vec<_> = listed
            .inputs
            .iter()
            .map(|i| {
                (
                    i.name.as_str(),
                    i.description.as_str(),
                    i.has_form,
                    i.required,
                    i.has_default,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("at", "When", true, true, false),
                ("n", "", true, false, true),
                ("x", "", false, false, false)
            ]
        );
        assert_eq!(listed.outputs, ["format date-time"]);
    }
}
