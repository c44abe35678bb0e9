//! What each operation takes. The schemas that callers see and the reading of what they send come from the
//! same types, so the two cannot drift apart; the limits are those of the core's texts and identifiers.
//!
//! serde is laxer than the protocol in three places, and each is closed here: a struct would also be read
//! from an array, an enum also from `{"observed": null}`, and an `Option` also from `null`.

use std::{borrow::Cow, str::FromStr};

use deedbox_core::{
    ActorId, ClaimProvenance, Refusal, TaskId,
    json::from_text,
    limits,
    text::{AuthorityScope, ClaimText, ContextNote, Description, Reason, SourceReference, Title},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

/// The arguments of `create_task`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateTask {
    /// What the task is called: 1 to 500 characters.
    pub title: Title,
    /// What is to be done; may be empty. At most 65,536 bytes of UTF-8.
    pub description: Description,
    /// Id of the actor that creates the task. With an actor's key: that actor.
    pub injected_by: ActorId,
    /// Under whose authority, in free words; null or absent when nobody said. At most 2,048 bytes of UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority_scope: Option<AuthorityScope>,
}

/// The arguments of `accept_task`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptTask {
    /// Id of the task, a UUID in lower case.
    pub task_id: TaskId,
    /// Id of the actor that accepts and becomes the owner. With an actor's key: that actor.
    pub actor_id: ActorId,
    /// What the new owner wants known. At most 65,536 bytes of UTF-8.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "ContextNote")]
    pub context_note: Option<ContextNote>,
}

/// The arguments of `report_completion`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportCompletion {
    /// Id of the task, a UUID in lower case.
    pub task_id: TaskId,
    /// Id of the actor that claims; must own the task. With an actor's key: that actor.
    pub actor_id: ActorId,
    /// How the claimant knows: `observed` (saw it happen), `reviewed` (looked at the result) or `reported` (was told).
    #[serde(deserialize_with = "from_text")]
    pub provenance: ClaimProvenance,
    /// What is claimed. 1 to 65,536 bytes of UTF-8.
    pub claim_text: ClaimText,
    /// Where the evidence is: a link, a commit, or `evidence:<id>`. At most 2,048 bytes of UTF-8.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "SourceReference")]
    pub source_reference: Option<SourceReference>,
}

/// The arguments of `handoff_task`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HandoffTask {
    /// Id of the task, a UUID in lower case.
    pub task_id: TaskId,
    /// Id of the actor that gives the task away; must own it. With an actor's key: that actor.
    pub from_actor_id: ActorId,
    /// Id of the actor that it is meant for.
    pub to_actor_id: ActorId,
    /// Why. At most 65,536 bytes of UTF-8.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Reason")]
    pub reason: Option<Reason>,
}

/// The arguments of `get_task_status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetTaskStatus {
    /// Id of the task, a UUID in lower case.
    pub task_id: TaskId,
}

/// The arguments of `list_unaccepted_tasks`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListUnacceptedTasks {
    /// Only tasks that this actor created.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "ActorId")]
    pub actor_id: Option<ActorId>,
    /// How many tasks at most: 1 to 1,000. 100 when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "PageLimit")]
    pub limit: Option<PageLimit>,
    /// The nextCursor of the page before, with the same actorId; absent for the first page.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "CursorText")]
    pub cursor: Option<CursorText>,
}

/// The arguments of `list_chains`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListChains {}

/// How many tasks a page may hold: 1 to [`limits::PAGE_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PageLimit(u32);

/// Why something is not a [`PageLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from 1 to {}", limits::PAGE_MAX)]
pub struct NotAPageLimit;

impl PageLimit {
    /// Takes a number as it is.
    ///
    /// # Errors
    /// [`NotAPageLimit`] when it is 0 or above [`limits::PAGE_MAX`].
    pub fn new(limit: u32) -> Result<Self, NotAPageLimit> {
        (1..=limits::PAGE_MAX)
            .contains(&limit)
            .then_some(Self(limit))
            .ok_or(NotAPageLimit)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl Default for PageLimit {
    fn default() -> Self {
        Self(limits::PAGE_DEFAULT)
    }
}

impl FromStr for PageLimit {
    type Err = NotAPageLimit;
    fn from_str(text: &str) -> Result<Self, NotAPageLimit> {
        // `u32::from_str` would also take a plus sign and leading zeros: two spellings of one number.
        let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        plain
            .then(|| text.parse().ok())
            .flatten()
            .ok_or(NotAPageLimit)
            .and_then(Self::new)
    }
}

impl<'de> Deserialize<'de> for PageLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)
            .map_err(|_| de::Error::custom(NotAPageLimit))?;
        // To JSON Schema 5.0 is an integer, and some clients write whole numbers so.
        let whole = number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be whole and within the range of a page's limit"
            )]
            (float.fract() == 0.0 && (1.0..=f64::from(limits::PAGE_MAX)).contains(&float))
                .then_some(float as u64)
        });
        whole
            .and_then(|n| u32::try_from(n).ok())
            .ok_or(NotAPageLimit)
            .and_then(Self::new)
            .map_err(de::Error::custom)
    }
}

impl JsonSchema for PageLimit {
    fn schema_name() -> Cow<'static, str> {
        "PageLimit".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer",
            "minimum": 1,
            "maximum": limits::PAGE_MAX,
            "default": limits::PAGE_DEFAULT,
        })
    }
}

/// A cursor as a caller hands it back. Whether it is one of ours is found out where its filter is known;
/// see [`crate::cursor`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CursorText(pub String);

impl JsonSchema for CursorText {
    fn schema_name() -> Cow<'static, str> {
        "CursorText".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$"})
    }
}

/// Reads a field that may be absent but, unlike an `Option`, not null.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
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
            assert_eq!(bad.parse::<PageLimit>(), Err(NotAPageLimit), "{bad:?}");
        }
        assert_eq!("1000".parse::<PageLimit>().map(PageLimit::get), Ok(1000));
    }

    #[test]
    fn an_error_does_not_echo_without_end() {
        let said = refused::<GetTaskStatus>(serde_json::json!({"x".repeat(100_000): 1}));
        assert!(said.len() < 1_000, "{}", said.len());
    }
}
