//! `[policy]`: what may be read.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU32,
};

use deedbox_core::evidence::MAX_EXACT;
use deedbox_id::Address;
use deedbox_server::{
    Tool,
    policy::{Lists, Policy},
};
use serde_json::{Map, Value, json};

use super::{
    Source,
    endpoint::File,
    table::{Item, Table, Wrong, unknown},
};
use crate::commands::read_address;

/// The most that a limit may be.
const MOST: u32 = 1_000_000;

/// What may be read, and where each rule was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PolicySetting {
    /// The rules.
    pub(crate) value: Policy,
    /// Where the table stands.
    pub(crate) source: Source,
    /// Where each rule stands that is in it, by its name. The others have their defaults.
    stated: BTreeMap<String, Source>,
}

impl Default for PolicySetting {
    fn default() -> Self {
        Self {
            value: Policy::default(),
            source: Source::Default,
            stated: BTreeMap::new(),
        }
    }
}

/// The rules that are lists.
const LISTS: [&str; 3] = ["tools", "chains", "addresses"];
const ALLOW_DENY: [&str; 2] = ["allow", "deny"];

/// Reads the table. What is not said in it keeps its default.
///
/// # Errors
/// What is wrong, at its place.
pub(super) fn read(
    item: Item<'_, '_>,
    source: Source,
    file: File<'_>,
) -> Result<PolicySetting, Wrong> {
    let table = Table::of(
        item,
        &[
            "tools",
            "chains",
            "addresses",
            "calls_per_minute",
            "calls_per_task",
            "task_required",
        ],
    )?;
    let mut policy = Policy::default();
    if let Some(item) = table.get("tools") {
        policy.tools = lists(item, tool)?;
    }
    if let Some(item) = table.get("chains") {
        policy.chains = lists(item, |item| item.number(1, MAX_EXACT))?;
    }
    if let Some(item) = table.get("addresses") {
        policy.addresses = lists(item, address)?;
    }
    if let Some(item) = table.get("calls_per_minute") {
        policy.calls_per_minute = NonZeroU32::new(item.number(0, MOST)?);
    }
    if let Some(item) = table.get("calls_per_task") {
        policy.calls_per_task = NonZeroU32::new(item.number(0, MOST)?);
    }
    if let Some(item) = table.get("task_required") {
        policy.task_required = item.truth()?;
    }
    let mut stated = BTreeMap::new();
    for (name, span, item) in table.entries() {
        if LISTS.contains(&name) {
            for (list, span, _) in Table::of(item, &ALLOW_DENY)?.entries() {
                stated.insert(format!("{name}.{list}"), file.source(span.start));
            }
        } else {
            stated.insert(name.to_owned(), file.source(span.start));
        }
    }
    Ok(PolicySetting {
        value: policy,
        source,
        stated,
    })
}

fn lists<T: Ord>(
    item: Item<'_, '_>,
    read: impl Fn(Item<'_, '_>) -> Result<T, Wrong>,
) -> Result<Lists<T>, Wrong> {
    let table = Table::of(item, &ALLOW_DENY)?;
    let list = |key: &str| -> Result<Option<BTreeSet<T>>, Wrong> {
        table.get(key).map(|item| item.list(&read)).transpose()
    };
    Ok(Lists {
        allow: list("allow")?,
        deny: list("deny")?.unwrap_or_default(),
    })
}

/// A tool that a policy governs. A name that is none would forbid nothing, and nobody would notice.
fn tool(item: Item<'_, '_>) -> Result<String, Wrong> {
    let name = item.text()?;
    if tools().any(|known| known == name) {
        Ok(name.to_owned())
    } else {
        let known: Vec<&str> = tools().collect();
        Err(item.wrong(unknown("tool", name, &known)))
    }
}

/// The tools that a policy governs, by name.
pub(crate) fn tools() -> impl Iterator<Item = &'static str> {
    let all = Tool::ALL.into_iter();
    let governed = all.filter(|tool| tool.toolset().is_governed());
    governed.map(Tool::name)
}

/// An address: without a checksum, or with the one of Ethereum or of Rootstock.
fn address(item: Item<'_, '_>) -> Result<Address, Wrong> {
    read_address(item.text()?)
        .map(|(address, _)| address)
        .map_err(|error| item.wrong(format!("is no address: {error}")))
}

/// What is in force: `{"value", "source", "sources"}`. `value` is as it is written in the file, and `sources` has the place of each
/// rule of it.
pub(crate) fn shown(
    PolicySetting {
        value: policy,
        source,
        stated,
    }: &PolicySetting,
) -> Value {
    fn lists<T: Ord, V: Into<Value>>(lists: &Lists<T>, show: impl Fn(&T) -> V) -> Value {
        let all = |set: &BTreeSet<T>| {
            set.iter()
                .map(|one| show(one).into())
                .collect::<Vec<Value>>()
        };
        json!({"allow": lists.allow.as_ref().map(all), "deny": all(&lists.deny)})
    }
    let of_lists = LISTS.iter();
    let of_lists = of_lists.flat_map(|name| ALLOW_DENY.map(|list| format!("{name}.{list}")));
    let others = ["calls_per_minute", "calls_per_task", "task_required"].map(str::to_owned);
    let sources: Map<String, Value> = of_lists
        .chain(others)
        .map(|rule| {
            let from = stated.get(&rule).unwrap_or(&Source::Default).to_string();
            (rule, from.into())
        })
        .collect();
    json!({
        "value": {
            "tools": lists(&policy.tools, String::clone),
            "chains": lists(&policy.chains, |id| *id),
            "addresses": lists(&policy.addresses, ToString::to_string),
            "calls_per_minute": policy.calls_per_minute.map_or(0, NonZeroU32::get),
            "calls_per_task": policy.calls_per_task.map_or(0, NonZeroU32::get),
            "task_required": policy.task_required,
        },
        "source": source.to_string(),
        "sources": sources,
    })
}
