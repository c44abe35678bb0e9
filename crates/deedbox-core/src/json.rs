//! JSON that means the same to everybody who hashes it, and that every database keeps as it is.

mod text;

use serde_json::{Map, Value};

pub use self::text::from_text;
pub(crate) use self::text::json_text;
use crate::limits;

/// The greatest number that every reader of JSON holds exactly (RFC 8259 §6): chain ids and block heights that
/// are greater are refused, because a digest over them would not be theirs.
pub const MAX_EXACT: u64 = (1 << 53) - 1;

/// Why a value from a chain cannot be recorded. Each would make its digest depend on who computes it, or not fit a
/// database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inexact {
    /// A number with a fraction or an exponent, below zero by more than [`MAX_EXACT`], or above it.
    #[error(
        "it holds a number that is not whole, or not exact in every reader of JSON; amounts are decimal texts"
    )]
    Number,
    /// A text or a name with U+0000.
    #[error("it holds the NUL character")]
    Nul,
    /// Nested deeper than [`limits::JSON_DEPTH`].
    #[error("it is nested too deeply")]
    Depth,
}

/// Whether `map` can be recorded. Its size is another matter.
///
/// # Errors
/// [`Inexact`] names the first thing that is in the way.
pub(crate) fn check(map: &Map<String, Value>) -> Result<(), Inexact> {
    check_map(map, 1)
}

/// Whether every number is at most [`MAX_EXACT`].
///
/// # Errors
/// [`Inexact::Number`] when one is not.
pub(crate) fn exact<const N: usize>(numbers: [u64; N]) -> Result<(), Inexact> {
    if numbers.into_iter().all(|n| n <= MAX_EXACT) {
        Ok(())
    } else {
        Err(Inexact::Number)
    }
}

/// How many bytes the RFC 8785 canonical form of `map` has.
#[must_use]
pub fn canonical_len(map: &Map<String, Value>) -> usize {
    // Infallible: texts, whole numbers and lists under text keys.
    serde_json_canonicalizer::to_vec(map).map_or(usize::MAX, |bytes| bytes.len())
}

fn check_map(map: &Map<String, Value>, depth: usize) -> Result<(), Inexact> {
    map.iter().try_for_each(|(name, value)| {
        if name.contains('\0') {
            return Err(Inexact::Nul);
        }
        check_value(value, depth + 1)
    })
}

fn check_value(value: &Value, depth: usize) -> Result<(), Inexact> {
    if depth > limits::JSON_DEPTH {
        return Err(Inexact::Depth);
    }
    match value {
        Value::Null | Value::Bool(_) => Ok(()),
        Value::Number(number) => {
            let size = number
                .as_u64()
                .or_else(|| number.as_i64().map(i64::unsigned_abs));
            size.map_or(Err(Inexact::Number), |size| exact([size]))
        }
        Value::String(text) if text.contains('\0') => Err(Inexact::Nul),
        Value::String(_) => Ok(()),
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| check_value(item, depth + 1)),
        Value::Object(map) => check_map(map, depth),
    }
}
