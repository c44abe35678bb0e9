//! Reading JSON as strictly as the protocol asks, which is more strictly than serde_json does.
//!
//! Refused as a whole: invalid UTF-8, lone surrogates (also in parts that nobody would look at), a name that
//! stands twice in one object (readers disagree on which one counts), more than
//! [`limits::JSON_DEPTH`] levels, and numbers that no double can hold.

use std::fmt;

use deedbox_core::limits;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a text is not acceptable JSON. Says where, and quotes nothing but names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadJson(String);

/// Reads `bytes` whole.
///
/// # Errors
/// [`BadJson`], see the module's text.
pub fn parse(bytes: &[u8]) -> Result<Value, BadJson> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| BadJson(format!("not valid UTF-8 at byte {}", error.valid_up_to())))?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Strict { level: 0 }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| BadJson(describe(&error)))
}

/// The reason, and where. serde_json speaks of columns, which readers of a registrar's answers could take
/// for a database's.
fn describe(error: &serde_json::Error) -> String {
    let (line, at) = (error.line(), error.column());
    let said = error.to_string();
    let reason = said
        .strip_suffix(&format!(" at line {line} column {at}"))
        .unwrap_or(&said);
    format!("not valid JSON (line {line}, byte {at}): {reason}")
}

/// Reads a value that stands inside `level` others.
#[derive(Clone, Copy)]
struct Strict {
    level: usize,
}

impl Strict {
    fn inside<E: de::Error>(self) -> Result<Self, E> {
        if self.level == limits::JSON_DEPTH {
            return Err(E::custom(format_args!(
                "more than {} levels",
                limits::JSON_DEPTH
            )));
        }
        Ok(Self {
            level: self.level + 1,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut object = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            if object.contains_key(&name) {
                let shown: String = name.chars().take(64).collect();
                return Err(de::Error::custom(format_args!(
                    "the name {shown:?} stands twice"
                )));
            }
            object.insert(name, entries.next_value_seed(inside)?);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_formed_json_reads_as_serde_json_reads_it() {
        for text in [
            "null",
            " [1, -2, 3.5, 18446744073709551615, \"\\u00e9\\ud83d\\ude00\", {\"a\": {}, \"b\": []}] ",
            "{\"\": true, \"é\": false}",
        ] {
            assert_eq!(
                parse(text.as_bytes()),
                Ok(serde_json::from_str(text).unwrap())
            );
        }
    }

    #[test]
    fn surrogates_stand_in_pairs_everywhere() {
        for text in [
            r#""\ud800""#,
            r#"{"a": ["\udc00"]}"#,
            r#"{"\ud800": 1}"#,
            r#""\ud800\u0041""#,
            r#""\udc00\ud800""#,
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn invalid_utf8_is_refused_and_its_place_named() {
        for bytes in [
            &b"\"\xff\""[..],
            b"\"\xc0\xaf\"",
            b"\"\xed\xa0\x80\"",
            b"{\"a\xf5\": 1}",
        ] {
            assert!(parse(bytes).unwrap_err().to_string().contains("UTF-8"));
        }
    }

    #[test]
    fn a_name_stands_once() {
        assert!(parse(br#"{"a": 1, "b": {"a": 2}}"#).is_ok());
        let error = parse(br#"{"b": {"a": 1, "\u0061": 2}}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "not valid JSON (line 1, byte 23): the name \"a\" stands twice"
        );
    }

    #[test]
    fn levels_are_counted_to_the_limit() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse(nested(limits::JSON_DEPTH).as_bytes()).is_ok());
        for deep in [limits::JSON_DEPTH + 1, 100_000] {
            assert!(parse(nested(deep).as_bytes()).is_err());
        }
        let objects = format!("{}1{}", "{\"a\":".repeat(65), "}".repeat(65));
        assert!(parse(objects.as_bytes()).is_err());
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in [
            "",
            "{",
            "{}{}",
            "nul",
            "01",
            "1e999",
            "'a'",
            "[1,]",
            "\u{feff}{}",
            "NaN",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
