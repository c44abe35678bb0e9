//! Checking a caller's arguments against `inputs`, as safely as the manifest is a stranger's.

use std::fmt;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value as Json;

use super::{
    effort::Effort,
    keywords::Draft,
    walk::{Role, Walk},
};
use crate::{json::Value, report::Severity, rules::Findings};

/// The most memory that one pattern may take once it is compiled, in bytes.
const PATTERN_MEMORY: usize = 1 << 20;

/// Why arguments cannot be checked against a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotCheck {
    /// The schema breaks a limit or a rule of JSON Schema; the text says which.
    #[error("{0}")]
    Schema(String),
    /// Checking these arguments could take unreasonably long: the schema refers to itself without looking deeper
    /// into the arguments, or multiplies its references.
    #[error("the schema could take unreasonably long to check these arguments")]
    Effort,
}

/// A place where arguments are not what the schema asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadArgument {
    /// Where in the arguments, as a JSON pointer; empty for all of them.
    pub pointer: String,
    /// Which keyword of the schema is not met, as a JSON pointer into the schema.
    pub schema: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for BadArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() {
            "the arguments"
        } else {
            &self.pointer
        };
        write!(f, "{place}: {}", self.message)
    }
}

/// A schema that is ready to check arguments.
///
/// Nothing is ever fetched, patterns run in linear time, and what checking could cost is bounded before it begins.
/// Defaults are not filled in: what a caller sends is what the caller chose.
#[derive(Debug)]
pub struct Arguments {
    validator: Validator,
    effort: Effort,
}

impl Arguments {
    /// Takes `inputs` (or `outputs`) of a manifest.
    ///
    /// # Errors
    /// [`CannotCheck::Schema`] for a schema that is too large, is no JSON Schema, refers to what is not in it, or has a
    /// pattern that only a backtracking matcher could run.
    pub fn new(schema: Value<'_>) -> Result<Self, CannotCheck> {
        let mut findings = Findings::new();
        let graph = Walk::new(schema, Role::Outputs, 0, &mut findings)
            .run()
            .graph;
        let (_, findings, _) = findings.finish();
        if let Some(finding) = findings
            .into_iter()
            .find(|finding| finding.severity > Severity::Note)
        {
            return Err(CannotCheck::Schema(format!(
                "{} at {}",
                finding.message, finding.pointer
            )));
        }
        let effort = Effort::of(graph).ok_or(CannotCheck::Effort)?;
        let draft = schema
            .get("$schema")
            .and_then(Value::as_str)
            .and_then(Draft::named);
        let patterns = PatternOptions::regex()
            .size_limit(PATTERN_MEMORY)
            .dfa_size_limit(PATTERN_MEMORY);
        let validator = jsonschema::options()
            .with_draft(match draft {
                Some(Draft::Draft4) => jsonschema::Draft::Draft4,
                Some(Draft::Draft6) => jsonschema::Draft::Draft6,
                Some(Draft::Draft7) => jsonschema::Draft::Draft7,
                Some(Draft::Draft2019) => jsonschema::Draft::Draft201909,
                Some(Draft::Draft2020) | None => jsonschema::Draft::Draft202012,
            })
            .with_pattern_options(patterns)
            .build(&schema.to_serde())
            .map_err(|error| CannotCheck::Schema(error.to_string()))?;
        Ok(Self { validator, effort })
    }

    /// Checks arguments.
    ///
    /// # Errors
    /// `Ok(Err(_))` has every place where they are not what the schema asks for.
    /// [`CannotCheck::Effort`] when it could take unreasonably long to find out.
    pub fn check(&self, arguments: &Json) -> Result<Result<(), Vec<BadArgument>>, CannotCheck> {
        if !self.effort.allows(arguments) {
            return Err(CannotCheck::Effort);
        }
        let bad: Vec<BadArgument> = self
            .validator
            .iter_errors(arguments)
            .map(|error| BadArgument {
                pointer: error.instance_path().to_string(),
                schema: error.schema_path().to_string(),
                message: error.to_string(),
            })
            .collect();
        Ok(if bad.is_empty() { Ok(()) } else { Err(bad) })
    }
}
