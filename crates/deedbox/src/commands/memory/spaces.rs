//! `deedbox space …`

use deedbox_server::{
    Tool,
    memories::{ShownSpace, SpaceList, SpaceOutcome, SpaceReceipt, SpaceStatus},
};

use super::{Arguments, Prepared};
use crate::{
    cli::{MemberCommand, SpaceCommand},
    failure::Failure,
    render::{Output, cell, moment, table},
    settings::Settings,
};

/// Columns that a name may take in a list.
const NAME_WIDTH: usize = 32;

/// # Errors
/// Which argument is not what it should be.
pub(in crate::commands) fn prepare(command: SpaceCommand) -> Result<Prepared, Failure> {
    let arguments = Arguments::default();
    match command {
        SpaceCommand::New { space, owner, name } => arguments
            .with("name", Some(name.unwrap_or_else(|| space.clone())))
            .with("space", Some(space))
            .with("owner", Some(owner))
            .prepared(Tool::CreateSpace),
        SpaceCommand::List { of, limit, cursor } => arguments
            .with("actor_id", of)
            .with("limit", limit)
            .with("cursor", cursor)
            .prepared(Tool::ListSpaces),
        SpaceCommand::Show { space } => arguments
            .with("space", Some(space))
            .prepared(Tool::ShowSpace),
        SpaceCommand::DeleteRows(args) => super::stewards::prepare_deletion(args),
        SpaceCommand::Member(MemberCommand::Add { space, actor }) => arguments
            .with("space", Some(space))
            .with("actor_id", Some(actor))
            .prepared(Tool::AddSpaceMember),
        SpaceCommand::Member(MemberCommand::Remove { space, actor }) => arguments
            .with("space", Some(space))
            .with("actor_id", Some(actor))
            .prepared(Tool::RemoveSpaceMember),
    }
}

/// What became of a space.
pub(in crate::commands) fn changed(receipt: &SpaceReceipt, settings: &Settings) -> String {
    let SpaceReceipt {
        space, actor_id, ..
    } = receipt;
    match receipt.outcome {
        SpaceOutcome::Created => format!(
            "Made space {space}, which {actor_id} owns. Let others in:\n  {}",
            settings.again(&format!("space member add {space} ACTOR"))
        ),
        SpaceOutcome::MemberAdded => format!("{actor_id} is a member of space {space}."),
        SpaceOutcome::MemberRemoved => {
            format!("{actor_id} is no member of space {space} any more. What it wrote stays.")
        }
    }
}

/// A page, with the command for the next one.
pub(in crate::commands) fn listed(
    list: &SpaceList,
    settings: &Settings,
    output: &Output,
) -> String {
    if list.spaces.is_empty() {
        let new = settings.again("space new SPACE --owner ACTOR");
        return format!("There is no space of a team. To make one:\n  {new}");
    }
    let row = |space: &ShownSpace| {
        let name = space.name.as_ref();
        vec![
            space.id.to_string(),
            name.map_or_else(|| "-".to_owned(), |name| cell(name.as_str(), NAME_WIDTH)),
            space.owner.to_string(),
            space.members.len().to_string(),
        ]
    };
    let rows = list.spaces.iter().map(row).collect();
    let mut text = table(output, &["SPACE", "NAME", "OWNER", "MEMBERS"], rows);
    if let Some(cursor) = &list.next_cursor {
        let more = settings.again(&format!("space list --cursor {cursor}"));
        text.push_str(&format!("\nMore: {more}"));
    }
    text
}

/// One space.
pub(in crate::commands) fn status(status: &SpaceStatus, output: &Output) -> String {
    let SpaceStatus { space, usage } = status;
    let members: Vec<String> = space.members.iter().map(ToString::to_string).collect();
    let mut rows = vec![output.paint.strong(space.id.as_str())];
    if let Some(name) = &space.name {
        rows.push(format!(
            "  name      {}",
            crate::render::line(name.as_str())
        ));
    }
    rows.push(format!("  owner     {}", space.owner));
    rows.push(format!("  members   {}", members.join(", ")));
    if let Some(at) = space.created_at {
        rows.push(format!("  made      {}", moment(at)));
    }
    rows.push(format!(
        "  memories  {} of {}",
        usage.memories, usage.max_memories
    ));
    rows.push(format!(
        "  bytes     {} of {}",
        usage.bytes, usage.max_bytes
    ));
    rows.join("\n")
}
