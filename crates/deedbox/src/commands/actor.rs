//! `deedbox actor …`

use std::process::ExitCode;

use deedbox_core::{Actor, ActorId, ActorKind, Command, KeyRecord, Refusal, text::Name};
use serde_json::json;

use super::{Desk, key};
use crate::{
    cli::ActorCommand,
    failure::Failure,
    render::{cell, moment, table},
};

/// Columns that a name may take.
const NAME_WIDTH: usize = 40;

/// A command with its arguments read.
pub(super) enum Prepared {
    Add {
        id: ActorId,
        kind: ActorKind,
        name: Name,
    },
    List,
    Show {
        id: ActorId,
    },
}

pub(super) fn prepare(command: ActorCommand) -> Result<Prepared, Failure> {
    let actor = |id: String| ActorId::new(id).map_err(|error| Failure::argument("ID", error));
    Ok(match command {
        ActorCommand::Add { id, kind, name } => Prepared::Add {
            name: Name::new(name.unwrap_or_else(|| id.clone()))
                .map_err(|error| Failure::argument("--name", error))?,
            id: actor(id)?,
            kind,
        },
        ActorCommand::List => Prepared::List,
        ActorCommand::Show { id } => Prepared::Show { id: actor(id)? },
    })
}

pub(super) async fn run(desk: &Desk<'_>, command: Prepared) -> Result<ExitCode, Failure> {
    match command {
        Prepared::Add { id, kind, name } => add(desk, id, kind, name).await?,
        Prepared::List => list(desk).await?,
        Prepared::Show { id } => show(desk, &id).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn add(desk: &Desk<'_>, id: ActorId, kind: ActorKind, name: Name) -> Result<(), Failure> {
    let command = Command::AddActor {
        id: id.clone(),
        kind,
        name: name.clone(),
    };
    let deed = desk.execute(command).await?;
    let actor = Actor {
        id,
        kind,
        name,
        created_at: deed.at,
    };
    desk.output.print(&actor, |_| {
        format!(
            "Added {} ({kind}). Give it a key: {}",
            actor.id,
            desk.settings
                .again(&format!("key new --actor {}", actor.id))
        )
    })
}

async fn list(desk: &Desk<'_>) -> Result<(), Failure> {
    let actors = desk.ask(desk.store.actors()).await?;
    desk.output.print(&actors, |output| {
        if actors.is_empty() {
            let add = desk.settings.again("actor add alice --kind human");
            return format!("There are no actors yet. Add one: {add}");
        }
        let rows = actors.iter().map(|actor| {
            vec![
                actor.id.to_string(),
                actor.kind.to_string(),
                cell(actor.name.as_str(), NAME_WIDTH),
                moment(actor.created_at),
            ]
        });
        table(output, &["ACTOR", "KIND", "NAME", "ADDED"], rows.collect())
    })
}

async fn show(desk: &Desk<'_>, id: &ActorId) -> Result<(), Failure> {
    let actor = desk.ask(desk.store.actor(id)).await?;
    let actor = actor.ok_or_else(|| Refusal::ActorNotFound(id.clone()))?;
    let keys = desk.ask(desk.store.keys()).await?;
    let keys: Vec<KeyRecord> = keys
        .into_iter()
        .filter(|key| key.actor.as_ref() == Some(id))
        .collect();
    let now = desk.world.now();
    let value = json!({
        "id": actor.id,
        "kind": actor.kind,
        "name": actor.name,
        "createdAt": actor.created_at,
        "keys": keys.iter().map(|record| key::shown(record, now)).collect::<Vec<_>>(),
    });
    desk.output.print(&value, |output| {
        let about = format!(
            "{}\n{} · {} · added {}\n\n",
            output
                .paint
                .strong(&cell(actor.name.as_str(), output.width)),
            actor.id,
            actor.kind,
            moment(actor.created_at)
        );
        if keys.is_empty() {
            return format!(
                "{about}No key. Make one: {}",
                desk.settings
                    .again(&format!("key new --actor {}", actor.id))
            );
        }
        format!("{about}{}", key::rows(output, &keys, now))
    })
}
