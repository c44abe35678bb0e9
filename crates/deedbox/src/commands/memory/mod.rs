//! `deedbox memory …` and `deedbox space …`: the same operations that agents have, for somebody who has the database itself.

mod file;
pub(super) mod shown;
pub(super) mod spaces;
pub(super) mod stewards;

use std::{process::ExitCode, sync::Arc};

use deedbox_core::{ActorId, MemoryKind, SpaceId};
use deedbox_server::{Extras, Operation, Operations, Tool};
use serde_json::{Map, Value, json};

use super::{Desk, answer, read::read, task::given};
use crate::{
    cli::{AsActor, ListArgs, MemoryCommand, RecallArgs, RememberArgs, Spaces, UpdateArgs},
    failure::Failure,
};

/// A command with its arguments read.
pub(super) enum Prepared {
    /// One operation.
    Once(Operation),
    /// Several, one after the other.
    Long(stewards::Long),
}

/// The arguments of a tool, as they are put together.
#[derive(Clone, Default)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// With this one, if it is given.
    fn with(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        self.0
            .extend(value.map(|value| (name.to_owned(), value.into())));
        self
    }

    /// With this list, if there is anything in it.
    fn list(self, name: &str, values: Vec<String>) -> Self {
        let is_given = !values.is_empty();
        self.with(name, is_given.then_some(values))
    }

    fn prepared(self, tool: Tool) -> Result<Prepared, Failure> {
        read(tool, self.0).map(Prepared::Once)
    }
}

/// # Errors
/// Which argument is not what it should be.
pub(super) fn prepare(command: MemoryCommand) -> Result<Prepared, Failure> {
    match command {
        MemoryCommand::Remember(remember) => self::remember(remember),
        MemoryCommand::Recall(recall) => self::recall(recall),
        MemoryCommand::List(list) => self::list(list),
        MemoryCommand::Show { memory } => Arguments::default()
            .with("memory_id", Some(memory))
            .prepared(Tool::ShowMemory),
        MemoryCommand::Steward(command) => stewards::prepare(command),
        MemoryCommand::Update(update) => self::update(update),
        MemoryCommand::Forget {
            memory,
            redact,
            reason,
            actor: AsActor { actor },
        } => Arguments::default()
            .with("memory_id", Some(memory))
            .with("redact", Some(redact))
            .with("reason", reason)
            .with("actor_id", actor)
            .prepared(Tool::Forget),
    }
}

fn remember(args: RememberArgs) -> Result<Prepared, Failure> {
    let space = match (args.space, &args.actor) {
        (None, Some(actor)) => Some(personal("--as", actor)?),
        (space, _) => space,
    };
    Arguments::default()
        .with("content", Some(given("CONTENT", args.content)?))
        .with("space", space)
        .with("actor_id", args.actor)
        .with("kind", args.kind.map(MemoryKind::as_str))
        .with("path", args.path)
        .list("tags", args.tags)
        .with("semantic_key", args.key)
        .with("expires_at", args.expires_at)
        .with("merge_duplicates", Some(args.merge))
        .prepared(Tool::Remember)
}

fn recall(args: RecallArgs) -> Result<Prepared, Failure> {
    let kinds = args.kinds.iter().map(ToString::to_string).collect();
    Arguments::default()
        .with("query", Some(args.words.join(" ")))
        .list("spaces", spaces(args.spaces)?)
        .list("kinds", kinds)
        .with("path", args.path)
        .list("tags", args.tags)
        .with("limit", args.limit)
        .with("token_budget", args.token_budget)
        .with("include_expired", Some(args.expired))
        .prepared(Tool::Recall)
}

fn list(args: ListArgs) -> Result<Prepared, Failure> {
    Arguments::default()
        .list("spaces", spaces(args.spaces)?)
        .with("kind", args.kind.map(MemoryKind::as_str))
        .with("path", args.path)
        .with("tag", args.tag)
        .with("semantic_key", args.key)
        .with("actor_id", args.by)
        .with("agent_label", args.by_label)
        .with("instance_id_hash", args.by_instance)
        .with("include_expired", Some(args.expired))
        .with("limit", args.limit)
        .with("cursor", args.cursor)
        .prepared(Tool::ListMemories)
}

fn update(args: UpdateArgs) -> Result<Prepared, Failure> {
    let content = args.content.map(|text| given("--content", text));
    let expires = args.expires_at.map(|end| match end.as_str() {
        "never" => Value::Null,
        _ => end.into(),
    });
    let path = match args.no_path {
        true => Some(Value::Null),
        false => args.path.map(Value::from),
    };
    let tags = (args.no_tags || !args.tags.is_empty()).then(|| json!(args.tags));
    let done = (args.done || args.not_done).then_some(args.done);
    Arguments::default()
        .with("memory_id", Some(args.memory))
        .with("actor_id", args.actor.actor)
        .with("content", content.transpose()?)
        .with("todo_done", done)
        .with("kind", args.kind.map(MemoryKind::as_str))
        .with("expires_at", expires)
        .with("tags", tags)
        .with("path", path)
        .prepared(Tool::UpdateMemory)
}

fn spaces(named: Spaces) -> Result<Vec<String>, Failure> {
    let Spaces { mut spaces, of } = named;
    if let Some(actor) = of {
        spaces.push(personal("--of", &actor)?);
    }
    Ok(spaces)
}

/// The id of an actor's personal space.
fn personal(flag: &'static str, actor: &str) -> Result<String, Failure> {
    let actor = ActorId::new(actor).map_err(|error| Failure::argument(flag, error))?;
    Ok(SpaceId::personal(&actor).to_string())
}

pub(super) async fn run(desk: &Desk<'_>, command: Prepared) -> Result<ExitCode, Failure> {
    let operation = match command {
        Prepared::Once(operation) => operation,
        Prepared::Long(long) => return stewards::run(desk, long).await,
    };
    let operations = Operations::new(Arc::clone(&desk.store), Arc::clone(&desk.world));
    let by = desk.settings.attribution();
    let done = operations
        .perform(&by, operation.clone(), &Extras::default())
        .await;
    let answer = done.map_err(|fault| desk.failed(fault))?;
    answer::tell(desk, &operation, &answer)
}
