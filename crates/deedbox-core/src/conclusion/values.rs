//! What a reading says, arranged so that a number or an address is found without going through all of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{decimal::Decimal, report::ReadValue};
use crate::{Evidence, Reading};

/// How many of a reading's amounts are shown beside a claim that says something else.
const SHOWN: usize = 5;

/// A piece of evidence, opened for comparing claims with it.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    pub(super) evidence: Evidence,
    pub(super) values: Values,
}

impl From<Evidence> for Opened {
    fn from(evidence: Evidence) -> Self {
        let values = Values::of(&evidence.reading);
        Self { evidence, values }
    }
}

/// What a raw amount is, moved by its decimals; `None` when the reading does not say how far.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moved {
    pub(super) amount: Decimal,
    pub(super) decimals: u32,
}

/// All that a reading says.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// Amounts in the smallest unit.
    raw: BTreeMap<Decimal, Option<Moved>>,
    /// The same amounts, moved. Zero needs no decimals.
    moved: BTreeSet<Decimal>,
    /// Numbered names under which amounts stand, like `reserve0`, each with the amounts there, raw and moved.
    numbered: BTreeMap<String, BTreeSet<Decimal>>,
    /// Whole numbers that are no amounts, with the names that they stand under: `decimals`, `tick`, a height; or how
    /// long a list is.
    named: BTreeMap<Decimal, BTreeSet<String>>,
    /// Where a range of blocks was said to begin and end.
    ends: BTreeSet<Decimal>,
    /// Texts that begin with 0x, in lower case.
    hex: BTreeSet<String>,
    /// The first amounts.
    pub(super) shown: Vec<ReadValue>,
    /// How much has been gone through: the names and texts, and something for each value.
    pub(super) bytes: usize,
}

impl Values {
    /// Of its data; of its arguments, only what is no amount.
    fn of(reading: &Reading) -> Self {
        let mut values = Self::default();
        values.object(&reading.data, "", None);
        // What was asked is no fact, but for whom it is about, and where a range begins and ends.
        for (name, value) in &reading.arguments {
            if let Value::String(text) = value {
                values.text(text);
                let ends = matches!(name.as_str(), "from_block" | "to_block");
                values.ends.extend(Decimal::whole(text).filter(|_| ends));
            }
        }
        values.text(&reading.provenance.block_hash.to_string());
        values
    }

    /// Whether an amount is this many whole tokens.
    pub(super) fn has_moved(&self, value: &Decimal) -> bool {
        self.moved.contains(value)
    }

    /// Whether an amount is this many of the smallest unit, and then, what it is moved.
    pub(super) fn raw(&self, value: &Decimal) -> Option<Option<&Moved>> {
        self.raw.get(value).map(Option::as_ref)
    }

    /// Whether this amount stands under the first of `words` that is such a name as `reserve0`, if one is.
    pub(super) fn is_under(&self, value: &Decimal, words: &[String]) -> bool {
        let under = words.iter().find_map(|word| self.numbered.get(word));
        under.is_none_or(|amounts| amounts.contains(value))
    }

    /// Whether no amount says its decimals.
    pub(super) fn is_without_decimals(&self) -> bool {
        !self.raw.is_empty() && self.raw.values().all(Option::is_none)
    }

    /// Whether the reading has this number under a name all of whose parts are among `words` (in lower case).
    pub(super) fn is_named(&self, value: &Decimal, words: &[String]) -> bool {
        let stem = |word: &str| word.trim_end_matches('s').to_owned();
        let said: BTreeSet<String> = words
            .iter()
            .flat_map(|word| word.split('_'))
            .map(stem)
            .collect();
        let called = |name: &String| name.split('_').all(|part| said.contains(&stem(part)));
        self.named
            .get(value)
            .is_some_and(|names| names.iter().any(called))
    }

    /// Whether the reading has this number as a block's height; `is_in_range`: or as an end of the range that was read.
    pub(super) fn is_height(&self, value: &Decimal, is_in_range: bool) -> bool {
        let names = self.named.get(value);
        let is_block =
            names.is_some_and(|names| names.contains("block_number") || names.contains("next"));
        is_block || (is_in_range && self.ends.contains(value))
    }

    /// Whether the reading holds this address or hash, which is in lower case: an argument, in its data, or its block.
    /// What a stranger wrote does not count.
    pub(super) fn holds(&self, hex: &str) -> bool {
        self.hex.contains(hex)
    }

    /// Whether the reading holds an address or a hash that begins and ends so.
    pub(super) fn holds_short(&self, begin: &str, end: &str) -> bool {
        self.hex
            .range(begin.to_owned()..)
            .take_while(|hex| hex.starts_with(begin))
            .any(|hex| hex.ends_with(end))
    }

    fn name(&mut self, name: &str, value: Option<Decimal>) {
        if let Some(value) = value {
            let names = self.named.entry(value).or_default();
            names.insert(name.to_ascii_lowercase());
        }
    }

    fn text(&mut self, text: &str) {
        if text.starts_with("0x") {
            self.hex.insert(text.to_ascii_lowercase());
        }
    }

    fn object(&mut self, object: &Map<String, Value>, path: &str, around: Option<u32>) {
        // A stranger's text is neither a number nor an address, whatever it says.
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
            self.bytes += name.len();
            self.value(value, name, &path, decimals);
        }
    }

    fn value(&mut self, value: &Value, name: &str, path: &str, decimals: Option<u32>) {
        self.bytes += 8;
        match value {
            Value::String(text) => {
                self.bytes += text.len();
                self.text(text);
                match Decimal::whole(text) {
                    // Too large for a JSON number, and still in no token's unit.
                    number if is_no_amount(name) => self.name(name, number),
                    Some(raw) => self.amount(path, raw, decimals),
                    None => {}
                }
            }
            Value::Number(number) => self.name(name, Decimal::whole(&number.to_string())),
            Value::Array(items) => {
                self.name(name, u64::try_from(items.len()).ok().map(Decimal::from));
                for (i, item) in items.iter().enumerate() {
                    self.value(item, name, &format!("{path}[{i}]"), decimals);
                }
            }
            Value::Object(object) => self.object(object, path, decimals),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn amount(&mut self, path: &str, raw: Decimal, decimals: Option<u32>) {
        let moved = decimals.and_then(|decimals| {
            let amount = raw.over_ten_to(decimals)?;
            Some(Moved { amount, decimals })
        });
        if self.shown.len() < SHOWN {
            self.shown.push(ReadValue {
                name: path.to_owned(),
                raw: raw.to_string(),
                decimals,
                amount: moved.as_ref().map(|moved| moved.amount.to_string()),
            });
        }
        for name in path
            .split('.')
            .filter(|name| name.ends_with(|c: char| c.is_ascii_digit()))
        {
            let amounts = self.numbered.entry(name.to_ascii_lowercase()).or_default();
            amounts.insert(raw.clone());
            amounts.extend(moved.as_ref().map(|moved| moved.amount.clone()));
        }
        self.moved
            .extend(moved.as_ref().map(|moved| moved.amount.clone()));
        if raw == Decimal::from(0) {
            self.moved.insert(raw.clone());
        }
        self.raw.insert(raw, moved);
    }
}

/// Names of decimal texts that count no token: prices, ids, depths, heights.
fn is_no_amount(name: &str) -> bool {
    matches!(name, "sqrt_price_x96" | "liquidity" | "next") || name.ends_with("_id")
}
