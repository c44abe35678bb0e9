//! The numbers of a reading.

use serde_json::{Map, Value};

use super::{decimal::Decimal, report::ReadValue};
use crate::Reading;

/// An amount: a decimal text, with the decimals that stand beside it or around it.
#[derive(Clone, Debug)]
pub(super) struct Amount {
    name: String,
    pub(super) raw: Decimal,
    pub(super) decimals: Option<u32>,
    /// Moved by its decimals.
    pub(super) moved: Option<Decimal>,
}

impl Amount {
    /// As a report shows it.
    pub(super) fn shown(&self) -> ReadValue {
        ReadValue {
            name: self.name.clone(),
            raw: self.raw.to_string(),
            decimals: self.decimals,
            amount: self.moved.as_ref().map(ToString::to_string),
        }
    }
}

/// A whole number that is no amount, under its name: `decimals`, `tick`, a height; or how long a list is.
#[derive(Clone, Debug)]
pub(super) struct Named {
    name: String,
    pub(super) value: Decimal,
}

impl Named {
    /// Whether one of `words` (in lower case) is part of its name, in the singular or the plural.
    pub(super) fn is_called(&self, words: &[String]) -> bool {
        let stem = |word: &str| word.trim_end_matches('s').to_owned();
        let own: Vec<String> = self.name.split('_').map(stem).collect();
        words
            .iter()
            .flat_map(|word| word.split('_'))
            .any(|word| word.len() > 2 && own.contains(&stem(word)))
    }

    /// Whether it is a block's height.
    pub(super) fn is_height(&self) -> bool {
        self.name.split('_').any(|part| part == "block")
    }
}

/// All numbers of a reading.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub(super) amounts: Vec<Amount>,
    pub(super) named: Vec<Named>,
}

impl Values {
    /// Of its data; of its arguments, only what is no amount.
    pub(super) fn of(reading: &Reading) -> Self {
        let mut values = Self::default();
        values.object(&reading.data, "", None);
        for (name, value) in &reading.arguments {
            // A range's ends are decimal texts, as the tools take them.
            let number = match value {
                Value::Number(number) => Decimal::whole(&number.to_string()),
                Value::String(text) => Decimal::whole(text),
                _ => None,
            };
            values.name(name, number);
        }
        values
    }

    fn name(&mut self, name: &str, value: Option<Decimal>) {
        let name = name.to_ascii_lowercase();
        self.named.extend(value.map(|value| Named { name, value }));
    }

    fn object(&mut self, object: &Map<String, Value>, path: &str, around: Option<u32>) {
        // A stranger's text is not a number, whatever it says.
        if object.contains_key("raw_hex") {
            return;
        }
        let decimals = match object.get("decimals") {
            Some(own) => own.as_u64().and_then(|n| u32::try_from(n).ok()),
            None => around,
        };
        for (name, value) in object {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            self.value(value, name, path, decimals);
        }
    }

    fn value(&mut self, value: &Value, name: &str, path: String, decimals: Option<u32>) {
        match value {
            Value::String(text) => {
                let decimals = decimals.filter(|_| !name.ends_with("_id"));
                if let Some(raw) = Decimal::whole(text) {
                    self.amounts.push(Amount {
                        name: path,
                        moved: decimals.and_then(|places| raw.over_ten_to(places)),
                        raw,
                        decimals,
                    });
                }
            }
            Value::Number(number) => self.name(name, Decimal::whole(&number.to_string())),
            Value::Array(items) => {
                self.name(name, u64::try_from(items.len()).ok().map(Decimal::from));
                for (i, item) in items.iter().enumerate() {
                    self.value(item, name, format!("{path}[{i}]"), decimals);
                }
            }
            Value::Object(object) => self.object(object, &path, decimals),
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// Whether the reading holds this text, which is in lower case, as an argument or in its data.
pub(super) fn holds(reading: &Reading, text: &str) -> bool {
    fn inside(value: &Value, text: &str) -> bool {
        match value {
            Value::String(own) => own.eq_ignore_ascii_case(text),
            Value::Array(items) => items.iter().any(|item| inside(item, text)),
            Value::Object(map) => map.values().any(|item| inside(item, text)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    reading
        .arguments
        .values()
        .chain(reading.data.values())
        .any(|value| inside(value, text))
}
