//! Spaces, and what those who look after memories ask for: routes and commands, and no tools for models.

use http::Method;
use schemars::{Schema, SchemaGenerator};

use super::{About, Answered, Effect, gives, takes};
use crate::{
    inputs::{
        AuditSpace, CreateSpace, DeleteRows, ExportSpace, ImportMemories, ListSpaces, ReviewSpace,
        ShowMemory, ShowSpace, SpaceMember,
    },
    memories::{
        AuditPage, DeletionReport, ExportPage, ImportReport, ShownHistory, SpaceList, SpaceReceipt,
        SpaceReview, SpaceStatus,
    },
    toolsets::Toolset,
};

/// What is no tool for models.
const fn route(
    effect: Effect,
    name: &'static str,
    title: &'static str,
    path: &'static str,
    input: fn(SchemaGenerator) -> Schema,
    output: fn(&mut SchemaGenerator) -> Schema,
) -> About {
    About {
        name,
        title,
        description: "",
        toolset: Toolset::Memory,
        answer: Answered::Plainly,
        method: match effect {
            Effect::Reads | Effect::ReadsOutside => Method::GET,
            Effect::Writes | Effect::Deletes => Method::POST,
        },
        effect,
        path,
        input,
        output,
    }
}

pub(super) static SHOW_MEMORY: About = route(
    Effect::Reads,
    "show_memory",
    "A memory with its history",
    "/api/memories/{memory_id}",
    takes::<ShowMemory>,
    gives::<ShownHistory>,
);

pub(super) static LIST_SPACES: About = route(
    Effect::Reads,
    "list_spaces",
    "Spaces",
    "/api/spaces",
    takes::<ListSpaces>,
    gives::<SpaceList>,
);

pub(super) static SHOW_SPACE: About = route(
    Effect::Reads,
    "show_space",
    "A space, who is in it and how full it is",
    "/api/spaces/{space}",
    takes::<ShowSpace>,
    gives::<SpaceStatus>,
);

pub(super) static CREATE_SPACE: About = route(
    Effect::Writes,
    "create_space",
    "Make a space for a team",
    "/api/spaces",
    takes::<CreateSpace>,
    gives::<SpaceReceipt>,
);

pub(super) static ADD_SPACE_MEMBER: About = route(
    Effect::Writes,
    "add_space_member",
    "Let an actor into a space",
    "/api/spaces/{space}/members",
    takes::<SpaceMember>,
    gives::<SpaceReceipt>,
);

pub(super) static REMOVE_SPACE_MEMBER: About = route(
    Effect::Writes,
    "remove_space_member",
    "Take an actor out of a space",
    "/api/spaces/{space}/members/remove",
    takes::<SpaceMember>,
    gives::<SpaceReceipt>,
);

pub(super) static EXPORT_SPACE: About = route(
    Effect::Reads,
    "export_space",
    "A space's memories, with their histories",
    "/api/spaces/{space}/export",
    takes::<ExportSpace>,
    gives::<ExportPage>,
);

pub(super) static IMPORT_MEMORIES: About = route(
    Effect::Writes,
    "import_memories",
    "Take exported memories into a space",
    "/api/spaces/{space}/import",
    takes::<ImportMemories>,
    gives::<ImportReport>,
);

pub(super) static DELETE_ROWS: About = route(
    Effect::Deletes,
    "delete_rows",
    "Forget or redact what one actor or agent wrote",
    "/api/spaces/{space}/delete-rows",
    takes::<DeleteRows>,
    gives::<DeletionReport>,
);

pub(super) static AUDIT_SPACE: About = route(
    Effect::Reads,
    "audit_space",
    "Who read or changed what in a space",
    "/api/spaces/{space}/audit",
    takes::<AuditSpace>,
    gives::<AuditPage>,
);

pub(super) static REVIEW_SPACE: About = route(
    Effect::Reads,
    "review_space",
    "Whom a space's memories come from",
    "/api/spaces/{space}/review",
    takes::<ReviewSpace>,
    gives::<SpaceReview>,
);
