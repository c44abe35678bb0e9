//! JSON Schemas (draft 2020-12) of what goes in and out, made from the types that are read and written.

use std::{collections::BTreeMap, sync::LazyLock};

use schemars::{Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value, json};

use crate::{problem::Problem, tools::Tool};

/// A generator for what callers send: without references, which some clients do not follow, and which the OpenAPI
/// document would have to keep elsewhere.
pub(crate) fn inputs() -> SchemaGenerator {
    settings("#/$defs")
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
}

/// A generator for what callers get, with definitions under `path` (a fragment like `#/$defs`).
pub(crate) fn outputs(path: &str) -> SchemaGenerator {
    settings(path).for_serialize().into_generator()
}

fn settings(path: &str) -> SchemaSettings {
    SchemaSettings::draft2020_12()
        .with(|settings| {
            // The dialect is MCP's and OpenAPI 3.1's default; some clients stumble over a `$schema` they do not know.
            settings.meta_schema = None;
            settings.definitions_path = path.trim_start_matches('#').to_owned().into();
        })
        .with_transform(RecursiveTransform(without_widths))
        .with_transform(RecursiveTransform(without_links))
}

/// Links between comments lead nowhere outside of this program's own documentation.
fn without_links(schema: &mut Schema) {
    let map = schema.as_object_mut();
    if let Some(Value::String(text)) = map.and_then(|map| map.get_mut("description")) {
        *text = text.replace("[`", "`").replace("`]", "`");
    }
}

/// `uint16` and the like say how wide an integer is here. No vocabulary knows them, and clients that look
/// formats up complain.
fn without_widths(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| format.starts_with("uint")) {
        schema.remove("format");
    }
}

/// The schema of a tool's arguments.
pub(crate) fn input(tool: Tool) -> Map<String, Value> {
    let schema = (tool.about().input)(inputs());
    let mut map = object(schema.to_value());
    // The type's own name and comment; the tool has a better description.
    map.remove("title");
    map.remove("description");
    // Some clients stumble over an object that says nothing of its properties.
    map.entry("properties").or_insert_with(|| json!({}));
    map
}

/// In which form a tool takes an argument, as far as texts have to be told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// As a text, or as what nobody writes as one.
    #[default]
    Text,
    /// As a whole number.
    Number,
    /// As a boolean.
    Flag,
    /// As a list of texts.
    List,
}

impl Form {
    /// What a text means in this form; of a list, one of its elements.
    pub(crate) fn value(self, text: String) -> Value {
        let plain =
            || text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        let read = match self {
            Self::Number => plain()
                .then(|| text.parse::<u64>().ok())
                .flatten()
                .map(Value::from),
            Self::Flag => text.parse::<bool>().ok().map(Value::from),
            Self::Text | Self::List => None,
        };
        read.unwrap_or(Value::String(text))
    }
}

/// In which form a tool takes its argument `name`.
pub(crate) fn form(tool: Tool, name: &str) -> Form {
    static FORMS: LazyLock<BTreeMap<Tool, BTreeMap<String, Form>>> = LazyLock::new(|| {
        let of_tool = |tool: Tool| {
            let properties = input(tool).remove("properties").map(object);
            let properties = properties.into_iter().flatten();
            let forms = properties.map(|(name, schema)| {
                let form = match schema["type"].as_str() {
                    Some("integer") => Form::Number,
                    Some("boolean") => Form::Flag,
                    Some("array") => Form::List,
                    _ => Form::Text,
                };
                (name, form)
            });
            (tool, forms.collect())
        };
        Tool::ALL.into_iter().map(of_tool).collect()
    });
    let form = FORMS.get(&tool).and_then(|forms| forms.get(name));
    form.copied().unwrap_or_default()
}

/// A reference to the schema of a tool's result, registered in `generator`.
pub(crate) fn value(tool: Tool, generator: &mut SchemaGenerator) -> Value {
    (tool.about().output)(generator).to_value()
}

/// The schema of a tool's structured content: its result, or a problem; an envelope admits both by itself. `type`
/// stands at the root too, because clients of older revisions demand it there.
pub(crate) fn output(tool: Tool) -> Map<String, Value> {
    let mut generator = outputs("#/$defs");
    let mut forms = vec![value(tool, &mut generator)];
    if !tool.takes_a_reading() {
        forms.push(generator.subschema_for::<Problem>().to_value());
    }
    object(json!({
        "type": "object",
        "anyOf": forms,
        "$defs": generator.take_definitions(true),
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => Map::from_iter([("const".to_owned(), other)]), // unreachable: each of these types is a struct
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_closed_and_name_their_limits() {
        for tool in Tool::ALL {
            let schema = Value::Object(input(tool));
            assert_eq!(schema["type"], "object", "{}", tool.name());
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name());
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(
                    property["description"].is_string(),
                    "{} {name}",
                    tool.name()
                );
            }
        }
        let create = Value::Object(input(Tool::CreateTask));
        assert_eq!(create["properties"]["title"]["maxLength"], 500);
        assert_eq!(
            create["required"],
            json!(["title", "description", "injectedBy"])
        );
        assert_eq!(
            create["properties"]["authorityScope"]["type"],
            json!(["string", "null"])
        );
        let complete = Value::Object(input(Tool::ReportCompletion));
        let provenance = complete["properties"]["provenance"].to_string();
        for name in ["observed", "reviewed", "reported"] {
            assert!(provenance.contains(&format!("{name:?}")), "{provenance}");
        }
    }

    #[test]
    fn no_format_is_of_our_own_making() {
        for tool in Tool::ALL {
            for schema in [input(tool), output(tool)] {
                let text = Value::Object(schema).to_string();
                assert!(
                    !text.contains("\"format\":\"uint"),
                    "{}: {text}",
                    tool.name()
                );
            }
        }
    }

    #[test]
    fn outputs_admit_the_value_and_the_problem() {
        for tool in Tool::ALL {
            let schema = Value::Object(output(tool));
            assert_eq!(schema["type"], "object");
            if tool.takes_a_reading() {
                let unread = &schema["$defs"]["Unread"]["required"];
                assert_eq!(*unread, json!(["code", "message", "retryable"]));
            } else {
                assert_eq!(schema["anyOf"].as_array().map(Vec::len), Some(2));
                let problem = &schema["$defs"]["Problem"]["required"];
                assert_eq!(*problem, json!(["status", "error", "code"]));
            }
        }
    }
}
