//! What changed from one manifest to another, field by field.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// How deep fields are told apart; what is deeper is one value.
const DEPTH: usize = 6;
/// How many changes are looked for.
const MOST: usize = 200;

/// What changed in one field. Values are JSON on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The field's path, like `pricing[0].amount`.
    pub(super) field: String,
    /// What stood there; `None` when the field was added.
    pub(super) before: Option<String>,
    /// What stands there; `None` when it was removed.
    pub(super) after: Option<String>,
}

/// How a field changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It was not there.
    Added,
    /// It is not there any more.
    Removed,
    /// It holds something else.
    Changed,
}

impl Change {
    /// How the field changed.
    pub(super) fn how(&self) -> How {
        match (&self.before, &self.after) {
            (None, _) => How::Added,
            (_, None) => How::Removed,
            _ => How::Changed,
        }
    }
}

/// What changed from one document to another, fields in the order of their names; at most 200 of them. Members in another order, and other
/// white space, are no change, because they are none to the hash (ERC-8257 §4). `None` when one of them is no JSON.
pub(super) fn between(before: &[u8], after: &[u8]) -> Option<Vec<Change>> {
    let before: Value = serde_json::from_slice(before).ok()?;
    let after: Value = serde_json::from_slice(after).ok()?;
    let mut changes = Vec::new();
    compare("", Some(&before), Some(&after), DEPTH, &mut changes);
    Some(changes)
}

fn compare(
    field: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    depth: usize,
    changes: &mut Vec<Change>,
) {
    if before == after || changes.len() >= MOST {
        return;
    }
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) if depth > 0 => {
            let mut names: Vec<_> = old.keys().chain(new.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let inner = match field {
                    "" => name.clone(),
                    field => format!("{field}.{name}"),
                };
                compare(&inner, old.get(name), new.get(name), depth - 1, changes);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if depth > 0 => {
            for at in 0..old.len().max(new.len()) {
                let inner = format!("{field}[{at}]");
                compare(&inner, old.get(at), new.get(at), depth - 1, changes);
            }
        }
        _ => changes.push(Change {
            field: field.to_owned(),
            before: before.map(Value::to_string),
            after: after.map(Value::to_string),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(before: &str, after: &str) -> Vec<(String, How)> {
        let found = between(before.as_bytes(), after.as_bytes()).unwrap();
        let told = found.into_iter();
        told.map(|change| (change.field.clone(), change.how()))
            .collect()
    }

    #[test]
    fn each_field_is_told_by_its_path_and_how_it_changed() {
        let before = r#"{"name": "a", "tags": ["x", "y"], "pricing": [{"amount": "5", "asset": "A"}], "version": 1}"#;
        let after = r#"{"pricing": [{"asset": "A", "amount": "50"}], "tags": ["x"], "name": "a", "image": null}"#;
        assert_eq!(
            changes(before, after),
            [
                ("image".to_owned(), How::Added),
                ("pricing[0].amount".to_owned(), How::Changed),
                ("tags[1]".to_owned(), How::Removed),
                ("version".to_owned(), How::Removed),
            ]
        );
        let found = between(before.as_bytes(), after.as_bytes()).unwrap();
        assert_eq!(found[1].before.as_deref(), Some("\"5\""));
        assert_eq!(found[1].after.as_deref(), Some("\"50\""));
    }

    #[test]
    fn order_and_white_space_are_no_change() {
        assert_eq!(
            changes(r#"{"a":1,"b":[1]}"#, "{\"b\": [ 1 ],\n \"a\": 1}"),
            []
        );
        assert_eq!(between(b"{}", b"nothing"), None);
    }

    #[test]
    fn hostile_documents_end() {
        let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(100), "]".repeat(100));
        let field = "[0]".repeat(DEPTH);
        assert_eq!(changes(&deep("1"), &deep("2")), [(field, How::Changed)]);
        let wide = |n: u32| serde_json::to_string(&(0..n).collect::<Vec<_>>()).unwrap();
        assert_eq!(changes(&wide(0), &wide(10_000)).len(), MOST);
    }
}
