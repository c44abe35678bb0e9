//! What the six tools of the protocol take.

use deedbox_core::{
    ActorId, ClaimProvenance, TaskId,
    json::from_text,
    text::{AuthorityScope, ClaimText, ContextNote, Description, Reason, SourceReference, Title},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CursorText, PageLimit, present};

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
