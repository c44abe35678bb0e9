//! `deedbox instance …` and `deedbox whoami`: who says that they are whom.

use std::{path::Path, process::ExitCode};

use deedbox_core::AgentLabel;
use deedbox_server::{
    labels::{AGENT_HEADERS, INSTANCE_HEADERS},
    operations::{ActsAs, Identity},
};
use serde_json::{Value, json};

use crate::{
    cli::InstanceCommand,
    failure::Failure,
    instances::{Folder, InstanceLabel},
    render::{Output, line, path as shown_path},
    settings::{
        Environment, Settings, again::quoted, definition::AGENT_VARIABLES,
        definition::INSTANCE_VARIABLES,
    },
    world::SystemWorld,
};

/// Makes or shows a label. Needs no database.
pub(super) fn instance(
    command: InstanceCommand,
    settings: &Settings,
    environment: &Environment,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let home = environment.state_home.as_deref();
    let folder = home.map(Folder::of).ok_or(Failure::NoDataDir)?;
    match command {
        InstanceCommand::New { agent } => {
            let agent = named(agent, settings)?;
            let label = folder.make(&agent, &SystemWorld)?;
            let path = folder.path(&agent);
            tell(&agent, &label, &path, Told::Made, output)?;
        }
        InstanceCommand::Show { agent, reveal } => {
            let agent = named(agent, settings)?;
            let label = folder.find(&agent)?.ok_or_else(|| {
                let make = format!("instance new --agent {}", quoted(&line(agent.as_str())));
                let reason = format!(
                    "this user has no label for an installation of {}; {} makes one",
                    line(agent.as_str()),
                    settings.again(&make)
                );
                Failure::argument("--agent", reason)
            })?;
            let told = if reveal { Told::Revealed } else { Told::Hash };
            tell(&agent, &label, &folder.path(&agent), told, output)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Which agent is meant.
fn named(agent: Option<String>, settings: &Settings) -> Result<AgentLabel, Failure> {
    let Some(text) = agent else {
        let reason = "say what the agent calls itself";
        let known = settings.agent_id.value.clone();
        return known.ok_or_else(|| Failure::argument("--agent", reason));
    };
    AgentLabel::new(&text).map_err(|error| Failure::argument("--agent", error))
}

/// How much is told of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Made,
    Revealed,
    Hash,
}

fn tell(
    agent: &AgentLabel,
    label: &InstanceLabel,
    path: &Path,
    told: Told,
    output: &Output,
) -> Result<(), Failure> {
    let mut value = json!({
        "agent": agent,
        "instance_id_hash": label.hash(),
        "path": path.display().to_string(),
    });
    if told != Told::Hash {
        value["environment"] = pairs([AGENT_VARIABLES[0], INSTANCE_VARIABLES[0]], agent, label);
        value["headers"] = pairs([AGENT_HEADERS[0], INSTANCE_HEADERS[0]], agent, label);
    }
    output.print(&value, |output| {
        let begins = match told {
            Told::Made => "Made a label for this user's installation of",
            Told::Revealed | Told::Hash => "The label of this user's installation of",
        };
        let mut text = format!(
            "{begins} {}.\n{}\n{}",
            output.paint.strong(&line(agent.as_str())),
            label.hash(),
            shown_path(path),
        );
        if told != Told::Hash {
            text.push_str(&configured(agent, label));
        }
        text
    })
}

fn pairs(names: [&str; 2], agent: &AgentLabel, label: &InstanceLabel) -> Value {
    let [of_agent, of_instance] = names;
    json!({of_agent: agent, of_instance: label.reveal()})
}

/// The lines that a client's configuration takes.
fn configured(agent: &AgentLabel, label: &InstanceLabel) -> String {
    let agent = line(agent.as_str());
    let label = label.reveal();
    format!(
        "\n\nFor a client over stdio, in its environment:\n  {}={}\n  {}={}\
         \n\nFor a client over HTTP, as headers:\n  {}: {agent}\n  {}: {label}\
         \n\nDo not commit these lines: who knows the label can say that they are this installation.\
         \nIt permits nothing. This program uses it by itself with --as-agent {}.",
        AGENT_VARIABLES[0],
        quoted(&agent),
        INSTANCE_VARIABLES[0],
        quoted(label),
        AGENT_HEADERS[0],
        INSTANCE_HEADERS[0],
        quoted(&agent),
    )
}

/// Says what the ledger will say of who uses this program here. Needs no database.
pub(super) fn whoami(settings: &Settings, output: &Output) -> Result<ExitCode, Failure> {
    let identity = Identity::from(&settings.attribution());
    output.print(&identity, |_| about(&identity))?;
    Ok(ExitCode::SUCCESS)
}

/// An identity for people.
pub(super) fn about(identity: &Identity) -> String {
    let acts_as = match (&identity.acts_as, &identity.actor) {
        (ActsAs::Actor, Some(actor)) => format!("acts as {actor} only"),
        _ => "may name any actor; deeds then say that it was asserted".to_owned(),
    };
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
    let label = identity.agent_label.as_deref().map(line);
    let instance = identity.instance_id_hash.map(|hash| hash.to_string());
    format!(
        "{}: {acts_as}\nscopes       {}\nagent label  {}\ninstance     {}\n\
         Labels attribute, and never authorise: without them the same is permitted.",
        line(&identity.principal),
        identity.scopes.join(" "),
        or_none(label),
        or_none(instance),
    )
}
