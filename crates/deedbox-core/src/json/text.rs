//! Values that stand in JSON as a text in their one spelling.

use std::{fmt, marker::PhantomData, str::FromStr};

use serde::{Deserializer, de};

/// Reads a value from its one spelling as a text.
///
/// # Errors
/// What the value's own reading says; also when there is no text.
pub fn from_text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_str(Text(PhantomData))
}

struct Text<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> de::Visitor<'_> for Text<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// Has a type that reads itself from a text be read so from JSON and, where a schema is given, be described by it.
macro_rules! json_text {
    ($name:ident) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::json::from_text(deserializer)
            }
        }
    };
    ($name:ident, $schema:expr) => {
        $crate::json::json_text!($name);

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
}

pub(crate) use json_text;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{ActorId, TaskId, text::Title};

    fn complaint<T: serde::de::DeserializeOwned + std::fmt::Debug>(value: Value) -> String {
        serde_json::from_value::<T>(value).unwrap_err().to_string()
    }

    #[test]
    fn nothing_but_a_text_is_read_and_its_own_complaint_is_told() {
        for no_text in [json!(null), json!(7), json!(["a"]), json!({"a": 1})] {
            for said in [
                complaint::<TaskId>(no_text.clone()),
                complaint::<ActorId>(no_text.clone()),
                complaint::<Title>(no_text),
            ] {
                assert!(said.ends_with("expected a string"), "{said}");
            }
        }
        assert_eq!(complaint::<Title>(json!("")), "must not be empty");
        assert_eq!(
            serde_json::from_str::<Title>(r#""\u0061\nb""#).unwrap(),
            Title::new("a\nb").unwrap()
        );
    }
}
