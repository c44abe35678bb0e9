//! What each operation takes. The schemas that callers see and the reading of what they send come from the
//! same types, so the two cannot drift apart; the limits are those of the core's texts and identifiers.
//!
//! serde is laxer than the protocol in three places, and each is closed here: a struct would also be read
//! from an array, an enum also from `{"observed": null}`, and an `Option` also from `null`.

mod chain;
mod finding;
mod memory;
mod page;
mod registries;
mod spaces;
mod stewards;
mod tasks;

use deedbox_core::Refusal;
use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer as _},
};
use serde_json::{Map, Value};

pub use self::{
    chain::ListChains,
    finding::{FindAgents, FindTools, GetRegistryHistory, ListRegistries, MOST_REGISTRIES},
    memory::{
        Forget, GetIdentity, ListMemories, MOST_SPACES, QUERY_CHARS, RecallLimit, RecallMemories,
        Remember, TokenBudget, UpdateMemory,
    },
    page::{CursorText, HitLimit, Limit, NotAPageLimit, PageLimit},
    registries::{ChainBlock, CheckToolAccess, CompareTools, ResolveAgent, VerifyTool},
    spaces::{CreateSpace, ListSpaces, ShowMemory, ShowSpace, SpaceMember},
    stewards::{
        AuditSpace, Audited, DeleteRows, ExportSpace, ImportMemories, MOST_IMPORTED, ReviewSpace,
    },
    tasks::{
        AcceptTask, CreateTask, GetTaskStatus, HandoffTask, ListUnacceptedTasks, ReportCompletion,
    },
};

/// Reads a field that may be absent but, unlike an `Option`, not null.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Reads a word from a text, and from nothing else that serde takes for one.
pub(crate) fn word<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    T::deserialize(text.into_deserializer())
}

/// How much of an error's text is told: it can quote what the caller sent, which may be long.
const REASON_CHARS: usize = 300;

/// Reads an operation's input from a JSON object.
///
/// # Errors
/// [`Refusal::InvalidInput`], naming the field.
pub fn read<T: de::DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { String::new() } else { path };
        Refusal::invalid(clip(field), clip(error.into_inner().to_string()))
    })
}

/// A reason, not longer than what is told of it.
pub(crate) fn clip(text: String) -> String {
    match text.char_indices().nth(REASON_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    const TASK: &str = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

    fn refused<T: de::DeserializeOwned + fmt::Debug>(value: Value) -> String {
        let Value::Object(map) = value else {
            panic!("not an object")
        };
        read::<T>(map).unwrap_err().to_string()
    }

    #[test]
    fn an_error_names_its_field() {
        let mut input = serde_json::json!({"title": "t", "description": "", "injectedBy": "alice"});
        input["title"] = serde_json::json!(["t"]);
        assert_eq!(
            refused::<CreateTask>(input),
            "title: invalid type: sequence, expected a string"
        );
        assert_eq!(
            refused::<GetTaskStatus>(serde_json::json!({"taskId": TASK.to_uppercase()})),
            "taskId: must be a UUID in lower case with hyphens, like 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b"
        );
    }

    #[test]
    fn provenance_is_a_text_and_not_an_enum_in_serde_clothes() {
        for bad in [
            serde_json::json!({"observed": null}),
            serde_json::json!(["observed"]),
            serde_json::json!("Observed"),
            serde_json::json!(null),
        ] {
            let said = refused::<ReportCompletion>(serde_json::json!({
                "taskId": TASK, "actorId": "a", "provenance": bad, "claimText": "c"
            }));
            assert!(said.starts_with("provenance: "), "{said}");
        }
    }

    #[test]
    fn null_is_absent_only_for_the_authority_scope() {
        let said = refused::<AcceptTask>(
            serde_json::json!({"taskId": TASK, "actorId": "a", "contextNote": null}),
        );
        assert!(said.starts_with("contextNote: "), "{said}");
        let Value::Object(create) = serde_json::json!(
            {"title": "t", "description": "", "injectedBy": "a", "authorityScope": null}
        ) else {
            unreachable!()
        };
        assert_eq!(read::<CreateTask>(create).unwrap().authority_scope, None);
    }

    #[test]
    fn a_limit_is_a_whole_number_in_its_range() {
        for bad in [
            serde_json::json!(0),
            serde_json::json!(-1),
            serde_json::json!(1.5),
            serde_json::json!(1001),
            serde_json::json!(1e300),
            serde_json::json!("5"),
            serde_json::json!(true),
            serde_json::json!(null),
        ] {
            let said = refused::<ListUnacceptedTasks>(serde_json::json!({"limit": bad}));
            assert_eq!(
                said, "limit: must be a whole number from 1 to 1000",
                "{bad}"
            );
        }
        for bad in [
            "",
            "0",
            "+1",
            "01",
            "1001",
            "1.0",
            "99999999999999999999",
            "é",
        ] {
            assert_eq!(
                bad.parse::<PageLimit>(),
                Err(NotAPageLimit { most: 1000 }),
                "{bad:?}"
            );
        }
        assert_eq!("1000".parse::<PageLimit>().map(PageLimit::get), Ok(1000));
    }

    #[test]
    fn an_error_does_not_echo_without_end() {
        let said = refused::<GetTaskStatus>(serde_json::json!({"x".repeat(100_000): 1}));
        assert!(said.len() < 1_000, "{}", said.len());
    }
}
