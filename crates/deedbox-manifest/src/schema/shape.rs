//! Whether a keyword's value has the shape that its draft asks for.

use std::collections::HashSet;

use super::keywords::{Draft, Shape};
use crate::json::{Kind, Value};

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// What is missing, as the end of "… must be"; `None` when the shape is right. What lies in subschemas is judged when
/// they are visited.
pub(super) fn fault(value: Value<'_>, shape: Shape, draft: Draft) -> Option<&'static str> {
    let kind = value.kind();
    let good = match shape {
        Shape::Anything => true,
        Shape::Text | Shape::Pattern | Shape::Reference => kind == Kind::String,
        Shape::Truth => matches!(kind, Kind::Bool(_)),
        Shape::Number => kind == Kind::Number,
        Shape::Positive => value.as_f64().is_some_and(|number| number > 0.0),
        Shape::Count => value
            .as_f64()
            .is_some_and(|number| number >= 0.0 && number.fract() == 0.0),
        Shape::List => kind == Kind::Array,
        Shape::Names => is_names(value, draft == Draft::Draft4),
        Shape::NamesByName => of_members(value, |names| is_names(names, false)),
        Shape::TypeNames => is_type(value),
        Shape::Anchor => value.as_str().is_some_and(|name| is_anchor(name, draft)),
        Shape::Identity => value.as_str().is_some_and(|id| is_identity(id, draft)),
        Shape::TruthByName => of_members(value, |truth| matches!(truth.kind(), Kind::Bool(_))),
        Shape::Schema => true,
        Shape::Schemas => kind == Kind::Array && !value.is_empty(),
        Shape::SchemaOrSchemas => kind != Kind::Array || !value.is_empty(),
        Shape::SchemaByName | Shape::SchemaByPattern => kind == Kind::Object,
        Shape::Dependencies => of_members(value, |member| {
            member.kind() != Kind::Array || is_names(member, draft == Draft::Draft4)
        }),
    };
    (!good).then(|| wanted(shape))
}

fn wanted(shape: Shape) -> &'static str {
    match shape {
        Shape::Anything | Shape::Schema => "anything",
        Shape::Text | Shape::Pattern | Shape::Reference => "a string",
        Shape::Truth => "true or false",
        Shape::Number => "a number",
        Shape::Positive => "a number greater than 0",
        Shape::Count => "a whole number, 0 or more",
        Shape::List => "an array",
        Shape::Names => "an array of different strings",
        Shape::NamesByName => "an object of arrays of different strings",
        Shape::TypeNames => "one of the seven type names, or an array of different ones",
        Shape::Anchor => "a name that begins with a letter",
        Shape::Identity => "a URI reference without a fragment",
        Shape::TruthByName => "an object whose values are true or false",
        Shape::Schemas => "an array with at least one schema",
        Shape::SchemaOrSchemas => "a schema or an array with at least one",
        Shape::SchemaByName | Shape::SchemaByPattern => "an object of schemas",
        Shape::Dependencies => "an object of schemas and of arrays of different strings",
    }
}

fn of_members(value: Value<'_>, good: impl Fn(Value<'_>) -> bool) -> bool {
    value
        .members()
        .is_some_and(|mut members| members.all(|member| good(member.value)))
}

fn is_names(value: Value<'_>, at_least_one: bool) -> bool {
    let mut seen = HashSet::with_capacity(value.len());
    !(at_least_one && value.is_empty())
        && value.elements().is_some_and(|mut names| {
            names.all(|name| name.as_str().is_some_and(|name| seen.insert(name)))
        })
}

fn is_type(value: Value<'_>) -> bool {
    let known = |value: Value<'_>| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value.elements() {
        None => known(value),
        Some(mut names) => names.all(known) && is_names(value, true),
    }
}

/// 2019-09 and 2020-12 differ in the characters that a name may have.
fn is_anchor(name: &str, draft: Draft) -> bool {
    let (also_first, also_later): (&[u8], &[u8]) = if draft == Draft::Draft2019 {
        (b"", b"-.:_")
    } else {
        (b"_", b"-._")
    };
    let bytes = name.as_bytes();
    bytes
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || also_first.contains(byte))
        && bytes[1..]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || also_later.contains(byte))
}

/// Up to draft 7 an `$id` may be a bare fragment, which later became `$anchor`.
fn is_identity(id: &str, draft: Draft) -> bool {
    draft <= Draft::Draft7 || id.find('#').is_none_or(|at| at + 1 == id.len())
}
