//! What the local index answers, for somebody who has the database itself: the same operations that agents have.

mod more;
mod shown;

use std::{process::ExitCode, sync::Arc};

use deedbox_server::{Extras, Operation, Operations, Tool};
use serde_json::{Map, Value, json};

pub(super) use self::{
    more::Line,
    shown::{agents, history, registries, tools},
};
use super::{
    Desk, answer,
    publishing::{agent_identifier, tool_reference},
    read::{no_key, read},
};
use crate::{
    cli::{AccessKind, AgentLook, Page, Scope, ToolFinding},
    database,
    failure::Failure,
};

/// A question with its arguments read.
pub(super) struct Prepared(Operation);

/// `deedbox agent find` and `history`
///
/// # Errors
/// Which argument is not what it should be.
pub(super) fn agent(look: AgentLook) -> Result<Prepared, Failure> {
    match look {
        AgentLook::Find(find) => {
            let mut arguments = scoped(find.words, find.scope);
            add(&mut arguments, "owner", find.owner);
            add(&mut arguments, "service_type", find.service);
            prepared(Tool::FindAgents, arguments)
        }
        AgentLook::History { agent, key, page } => {
            key.iter().try_for_each(|key| no_key(key))?;
            let mut arguments = paged(page);
            add(&mut arguments, "subject", Some(agent_identifier(&agent)?));
            add(&mut arguments, "key", key);
            prepared(Tool::GetRegistryHistory, arguments)
        }
    }
}

/// `deedbox tool find` and `history`
///
/// # Errors
/// Which argument is not what it should be.
pub(super) fn tool(look: ToolFinding) -> Result<Prepared, Failure> {
    match look {
        ToolFinding::Find(find) => {
            let mut arguments = scoped(find.words, find.scope);
            add(&mut arguments, "creator", find.creator);
            add(&mut arguments, "tier", find.tier);
            add(
                &mut arguments,
                "access",
                find.access.map(AccessKind::as_str),
            );
            add(&mut arguments, "asset", find.asset);
            add(&mut arguments, "at_most", find.at_most);
            arguments.insert("unverified".to_owned(), find.unverified.into());
            prepared(Tool::FindTools, arguments)
        }
        ToolFinding::History { tool, page } => {
            let mut arguments = paged(page);
            let tool = tool_reference(&tool)?.to_string();
            add(&mut arguments, "subject", Some(tool));
            prepared(Tool::GetRegistryHistory, arguments)
        }
    }
}

fn scoped(words: Vec<String>, scope: Scope) -> Map<String, Value> {
    let mut arguments = paged(scope.page);
    let text = (!words.is_empty()).then(|| words.join(" "));
    add(&mut arguments, "text", text);
    add(&mut arguments, "chain_id", scope.chain_id);
    add(&mut arguments, "updated_since", scope.updated_since);
    arguments.insert("registries".to_owned(), json!(scope.registries));
    arguments.insert("gone".to_owned(), scope.gone.into());
    arguments.insert("blocked".to_owned(), scope.blocked.into());
    arguments
}

fn paged(page: Page) -> Map<String, Value> {
    let mut arguments = Map::new();
    add(&mut arguments, "limit", page.limit);
    add(&mut arguments, "cursor", page.cursor);
    arguments
}

fn add(arguments: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    arguments.extend(value.map(|value| (name.to_owned(), value.into())));
}

/// A question that is known to be right before a database is opened.
fn prepared(tool: Tool, arguments: Map<String, Value>) -> Result<Prepared, Failure> {
    let operation = read(tool, arguments)?;
    operation.asked(None).map_err(super::read::not_read)?;
    Ok(Prepared(operation))
}

pub(super) async fn run(desk: &Desk<'_>, question: Prepared) -> Result<ExitCode, Failure> {
    let Prepared(operation) = question;
    let index = database::open_index(desk.settings).await?;
    let policy = desk.settings.policy.value.clone();
    let operations = Operations::new(Arc::clone(&desk.store), Arc::clone(&desk.world))
        .with_reader(None, policy)
        .with_index(Some(Arc::clone(&index)));
    let by = desk.settings.attribution();
    let extras = Extras::default();
    let done = operations.perform(&by, operation.clone(), &extras).await;
    index.close().await;
    let answer = done.map_err(|fault| desk.failed(fault))?;
    answer::tell(desk, &operation, &answer)
}
