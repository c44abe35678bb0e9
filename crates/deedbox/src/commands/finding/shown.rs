//! What the index answered, for people.

use deedbox_server::{
    Operation,
    finding::{
        AgentHit, FoundAgents, FoundTools, FromIndex, Hint, ListedRegistry, PinStands, ReadUpTo,
        Record, RegistryHistory, RegistryList, Told, ToolHit, Unverified, When,
    },
    operations::{NotCompared, TrustLevel},
};
use serde_json::Value;

use super::more::again;
use crate::{
    commands::read::shown::untrusted,
    render::{Output, line, moment, table},
    settings::Settings,
};

/// Names of a record's rows, and their values.
type Rows = Vec<(&'static str, String)>;

/// Agents that fit.
pub(in crate::commands) fn agents(
    page: &FoundAgents,
    question: &Operation,
    settings: &Settings,
    output: &Output,
) -> String {
    let shown = page.agents.iter().map(|agent| of_agent(agent, output));
    let text = together(shown.collect(), &page.provenance, &page.hints, output);
    let next = page.agents.first().map(|agent| &agent.identifier);
    let ask = next.map(|id| settings.again(&format!("agent resolve {id}")));
    ended(text, ask, page.next_cursor.as_deref(), question, settings)
}

/// Tools that fit.
pub(in crate::commands) fn tools(
    page: &FoundTools,
    question: &Operation,
    settings: &Settings,
    output: &Output,
) -> String {
    let shown = page.tools.iter().map(|tool| of_tool(tool, output));
    let text = together(shown.collect(), &page.provenance, &page.hints, output);
    let next = page.tools.first().map(|tool| &tool.identifier);
    let ask = next.map(|id| settings.again(&format!("tool verify {id}")));
    ended(text, ask, page.next_cursor.as_deref(), question, settings)
}

/// What was said of an agent or a tool.
pub(in crate::commands) fn history(
    page: &RegistryHistory,
    question: &Operation,
    settings: &Settings,
    output: &Output,
) -> String {
    let mut shown = vec![output.paint.strong(&page.subject)];
    shown.extend(page.records.iter().map(|record| of_record(record, output)));
    let text = together(shown, &page.provenance, &page.hints, output);
    ended(text, None, page.next_cursor.as_deref(), question, settings)
}

/// The registries that are followed. The command line lists them from the ledger; this is for whoever asks as agents do.
pub(in crate::commands) fn registries(list: &RegistryList, output: &Output) -> String {
    let row = |one: &ListedRegistry| {
        let upto = one.read.read_upto_block;
        vec![
            one.read.registry.to_string(),
            one.read.trust.as_str().to_owned(),
            upto.map_or_else(|| "-".to_owned(), |block| block.to_string()),
            one.entries.to_string(),
        ]
    };
    let rows = list.registries.iter().map(row).collect();
    let mut text = table(
        output,
        &["REGISTRY", "TRUST", "READ UP TO", "ENTRIES"],
        rows,
    );
    hints(&list.hints, output, &mut text);
    text
}

fn of_agent(agent: &AgentHit, output: &Output) -> String {
    let services = agent.services.iter().map(|service| {
        let half = |half: &Option<_>| {
            half.as_ref()
                .map_or_else(|| "?".to_owned(), |text| said(text, output))
        };
        let row = format!(
            "{} at {}",
            half(&service.service_type),
            half(&service.service)
        );
        ("service", row)
    });
    let owner = agent.owner.as_ref().map_or_else(
        || "none is known".to_owned(),
        |owner| match &owner.since {
            Some(since) => format!("{} since {}", owner.address, when(since)),
            None => owner.address.to_string(),
        },
    );
    let mut rows: Rows = Vec::new();
    rows.extend(
        agent
            .description
            .as_ref()
            .map(|text| ("says", said(text, output))),
    );
    rows.push(("owner", owner));
    rows.extend(services);
    if agent.more_services > 0 {
        rows.push(("", format!("and {} more services", agent.more_services)));
    }
    rows.push(("changed", when(&agent.updated)));
    let name = agent.name.as_ref().map(|name| said(name, output));
    let mark = agent.gone.then_some("gone");
    entry(
        &agent.identifier,
        name,
        agent.trust.as_str(),
        mark,
        rows,
        output,
    )
}

fn of_tool(tool: &ToolHit, output: &Output) -> String {
    let verified = match (tool.unverified, tool.verified_at) {
        (None, Some(at)) => format!("verified {}", moment(at)),
        (Some(why), at) => {
            let why = match why {
                Unverified::NotChecked => "its manifest was not checked yet",
                Unverified::Failed => "a check failed",
                Unverified::Unreachable => "its manifest could not be fetched",
            };
            let at = at.map_or_else(String::new, |at| format!(", {}", moment(at)));
            output.paint.bad(&format!("NOT VERIFIED: {why}{at}"))
        }
        (None, None) => "verified".to_owned(),
    };
    let mut rows: Rows = vec![("manifest", verified)];
    if tool.pin == Some(PinStands::Differs) {
        let alarm = "another manifest is registered than the tool is pinned to";
        rows.push(("pin", output.paint.bad(alarm)));
    }
    rows.extend(
        tool.description
            .as_ref()
            .map(|text| ("says", said(text, output))),
    );
    rows.extend(tool.tier.iter().map(|tier| ("tier", line(tier))));
    for price in &tool.prices {
        let asset = said(&price.asset, output);
        rows.push((
            "price",
            format!("{} of {asset} (smallest unit)", price.amount),
        ));
    }
    rows.push((
        "access",
        tool.access_predicate.map_or_else(
            || "open".to_owned(),
            |predicate| format!("predicate {predicate} decides"),
        ),
    ));
    rows.push(("creator", tool.creator.to_string()));
    rows.push(("at", said(&tool.metadata_uri, output)));
    rows.push(("changed", when(&tool.updated)));
    let name = tool.name.as_ref().map(|name| said(name, output));
    let mark = tool.gone.then_some("gone");
    entry(
        &tool.identifier,
        name,
        tool.trust.as_str(),
        mark,
        rows,
        output,
    )
}

fn entry(
    identifier: &str,
    name: Option<String>,
    trust: &str,
    mark: Option<&str>,
    rows: Rows,
    output: &Output,
) -> String {
    let mut head = output.paint.strong(&line(identifier));
    if let Some(name) = name {
        head = format!("{head}  {name}");
    }
    let mut marks = vec![format!("registry {}", trust.replace('_', " "))];
    marks.extend(mark.map(str::to_owned));
    let head = format!("{head}  ({})", marks.join(", "));
    format!("{head}\n{}", listed(rows, output))
}

fn listed(rows: Rows, output: &Output) -> String {
    let row = |(name, value): (&str, String)| {
        format!("  {} {value}", output.paint.faint(&format!("{name:<9}")))
    };
    let rows: Vec<_> = rows.into_iter().map(row).collect();
    rows.join("\n")
}

fn of_record(record: &Record, output: &Output) -> String {
    let (what, mut rows) = told(&record.said, output);
    rows.push((
        "said",
        format!("{}, transaction {}", when(&record.when), record.transaction),
    ));
    format!("{}\n{}", output.paint.strong(&what), listed(rows, output))
}

/// What was said, in words.
fn told(said_of: &Told, output: &Output) -> (String, Rows) {
    let access = |predicate: &Option<_>| match predicate {
        Some(predicate) => format!("predicate {predicate} decides"),
        None => "open".to_owned(),
    };
    match said_of {
        Told::Owner { from, to } => (
            "owner".to_owned(),
            vec![("from", from.to_string()), ("to", to.to_string())],
        ),
        Told::OddTransfer { amount } => (
            "a transfer that moves no agent".to_owned(),
            vec![("amount", amount.clone())],
        ),
        Told::AgentRegistered { owner } => {
            ("registered".to_owned(), vec![("owner", owner.to_string())])
        }
        Told::Metadata {
            key,
            value,
            hex,
            bytes,
        } => {
            let value = match (value, hex) {
                (Some(text), _) => said(text, output),
                (None, Some(hex)) => format!("{hex} ({bytes} bytes)"),
                (None, None) => "removed".to_owned(),
            };
            let key = said(key, output);
            ("metadata".to_owned(), vec![("key", key), ("value", value)])
        }
        Told::Allowance {
            owner,
            spender,
            amount,
        } => (
            "allowance".to_owned(),
            vec![
                ("owner", owner.to_string()),
                ("spender", spender.to_string()),
                ("amount", amount.clone()),
            ],
        ),
        Told::ToolRegistered {
            creator,
            access_predicate,
            manifest,
        } => {
            let mut rows = vec![
                ("creator", creator.to_string()),
                ("access", access(access_predicate)),
            ];
            rows.extend(of_manifest(manifest, output));
            ("registered".to_owned(), rows)
        }
        Told::Manifest { manifest } => ("manifest".to_owned(), of_manifest(manifest, output)),
        Told::AccessPredicate { access_predicate } => (
            "access".to_owned(),
            vec![("access", access(access_predicate))],
        ),
        Told::Deregistered => ("deregistered".to_owned(), Vec::new()),
        Told::Other => ("something about somebody else".to_owned(), Vec::new()),
    }
}

fn of_manifest(manifest: &deedbox_server::finding::ManifestSaid, output: &Output) -> Rows {
    use deedbox_server::finding::How;
    let mut rows = vec![
        ("hash", manifest.manifest_hash.to_string()),
        ("at", said(&manifest.metadata_uri, output)),
    ];
    for change in manifest.changes.iter().flatten() {
        let value = |text: &Option<_>| {
            text.as_ref()
                .map_or_else(String::new, |text| said(text, output))
        };
        let field = said(&change.field, output);
        let (before, after) = (value(&change.before), value(&change.after));
        rows.push(match change.how {
            How::Added => ("added", format!("{field}: {after}")),
            How::Removed => ("removed", format!("{field}: was {before}")),
            How::Changed => ("changed", format!("{field}: {before} became {after}")),
        });
    }
    if manifest.more_changes > 0 {
        rows.push(("", format!("and {} more fields", manifest.more_changes)));
    }
    rows
}

fn when(at: &When) -> String {
    let open = if at.is_final { "" } else { " (not final yet)" };
    format!("block {} {}{open}", at.block_number, moment(at.at))
}

fn said(text: &deedbox_chain::UntrustedExcerpt, output: &Output) -> String {
    // Infallible: texts, a boolean and words.
    let value = serde_json::to_value(text).unwrap_or(Value::Null);
    untrusted(&value, output)
}

fn together(shown: Vec<String>, from: &FromIndex, notes: &[Hint], output: &Output) -> String {
    let read = &from.registries;
    let mut text = shown.join("\n\n");
    if !read.is_empty() && !text.is_empty() {
        text.push_str("\n\n");
    }
    let mut rows: Vec<_> = read.iter().map(|one| known(one, output)).collect();
    if from.more_registries > 0 {
        rows.push(format!("And of {} more registries.", from.more_registries));
    }
    text.push_str(&rows.join("\n"));
    hints(notes, output, &mut text);
    text
}

/// From which blocks of a registry something is known, and what is the matter with it.
fn known(one: &ReadUpTo, output: &Output) -> String {
    let id = one.registry;
    let mut said = match (one.read_upto_block, one.read_upto_at) {
        (Some(upto), Some(at)) => format!(
            "Known from events of {id} in blocks {} to {upto} ({})",
            one.from_block,
            moment(at)
        ),
        (Some(upto), None) => format!(
            "Known from events of {id} in blocks {} to {upto}",
            one.from_block
        ),
        (None, _) => format!("Nothing is read of {id} yet"),
    };
    said.push_str(&match one.age_seconds {
        Some(age) => format!(", its chain seen {age} s ago."),
        None => ".".to_owned(),
    });
    let mut alarms = Vec::new();
    if one.trust == TrustLevel::Blocked {
        alarms.push("It is blocked: do not rely on it.".to_owned());
    }
    if one.code_changed == Some(true) {
        alarms.push(
            "Something else stands at its address than was accepted: registry show.".to_owned(),
        );
    }
    if let Some(why @ NotCompared::OnlyBeforeAccepted) = one.code_not_compared {
        alarms.push(format!("Its code is {}.", why.for_people()));
    }
    if let Some(broke) = one.chain_broke_finality {
        alarms.push(format!(
            "Its chain went back on block {}, which was final: registry show.",
            broke.block_number
        ));
    }
    for alarm in alarms {
        said.push_str(&format!(" {}", output.paint.bad(&alarm)));
    }
    said
}

fn hints(notes: &[Hint], output: &Output, text: &mut String) {
    for hint in notes {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&output.paint.alert(&format!("Note: {}.", hint.message)));
    }
}

fn ended(
    mut text: String,
    ask: Option<String>,
    cursor: Option<&str>,
    question: &Operation,
    settings: &Settings,
) -> String {
    if let Some(ask) = ask {
        text.push_str(&format!(
            "\nThese are candidates. Before anything depends on one: {ask}"
        ));
    }
    if let Some(cursor) = cursor {
        let more = settings.again(&again(question, cursor));
        text.push_str(&format!("\nThere are more: {more}"));
    }
    text
}
