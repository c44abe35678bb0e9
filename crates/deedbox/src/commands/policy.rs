//! `deedbox policy …`: the rules that are in force, and what they say of a call.

use std::process::ExitCode;

use deedbox_core::{Refusal, TaskId};
use deedbox_server::{
    Tool,
    policy::{Asked, Outcome, Used},
};
use serde_json::{Map, Value, json};

use super::{Desk, config, read};
use crate::{
    cli::PolicyTest,
    failure::Failure,
    render::{Output, cell, line, table},
    settings::{Settings, policy},
};

pub(super) fn show(settings: &Settings, output: &Output) -> Result<ExitCode, Failure> {
    let value = policy::shown(&settings.policy);
    output.print(&value, |output| config::policy(&value, output))?;
    Ok(ExitCode::SUCCESS)
}

/// A call that is asked about, read.
pub(super) struct Prepared(Asked);

impl Prepared {
    /// Whether what was used before has to be counted, which only the database can.
    pub(super) const fn names_a_task(&self) -> bool {
        self.0.task.is_some()
    }
}

/// Reads the call.
///
/// # Errors
/// No such tool, or which argument is not what it should be.
pub(super) fn prepare(test: PolicyTest) -> Result<Prepared, Failure> {
    let tool = Tool::from_name(&test.tool).filter(|tool| tool.toolset().is_governed());
    let tool = tool.ok_or_else(|| {
        let known = policy::tools().collect::<Vec<_>>().join(", ");
        Failure::argument(
            "TOOL",
            format!("no policy governs a tool of this name; one governs {known}"),
        )
    })?;
    let task = test.task.map(|task| task.parse::<TaskId>()).transpose();
    let task = task.map_err(|error| Failure::argument("--task", error))?;
    if !tool.takes_a_reading() {
        if test.arguments.is_empty() && task.is_none() {
            return Ok(Prepared(Asked::of_no_chain(tool.name())));
        }
        let name = tool.name();
        let reason =
            format!("a policy looks at no arguments and no task of {name}; leave them out");
        return Err(Failure::argument("ARGUMENTS", reason));
    }
    let operation = read::read(tool, arguments(tool, &test.arguments)?)?;
    let asked = operation.asked(task).map_err(read::not_read)?;
    Ok(Prepared(
        asked.unwrap_or_else(|| Asked::of_no_chain(tool.name())),
    ))
}

/// One JSON object, or `name=value` for each argument.
fn arguments(tool: Tool, texts: &[String]) -> Result<Map<String, Value>, Failure> {
    const WHAT: &str = "ARGUMENTS";
    if let [one] = texts
        && one.trim_start().starts_with('{')
    {
        let object: Result<Map<String, Value>, _> = serde_json::from_str(one);
        return object.map_err(|error| Failure::argument(WHAT, error));
    }
    let named = |text: &String| {
        let pair = text.split_once('=');
        let pair = pair.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let reason = "must be one JSON object, or name=value for each argument";
        pair.ok_or_else(|| Failure::argument(WHAT, reason))
    };
    let pairs = texts.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    tool.arguments(pairs)
        .map_err(|twice| Failure::argument(WHAT, twice))
}

/// The same for a call that names a task: with the readings that are recorded for it.
pub(super) async fn test_for_task(
    desk: &Desk<'_>,
    prepared: &Prepared,
) -> Result<ExitCode, Failure> {
    let mut used = Used::default();
    if let Some(task) = prepared.0.task {
        if desk.ask(desk.store.status(task)).await?.is_none() {
            return Err(Refusal::TaskNotFound(task).into());
        }
        let recorded = desk.ask(desk.store.readings_for(task)).await?;
        used.for_task = u32::try_from(recorded).unwrap_or(u32::MAX);
    }
    test(prepared, used, desk.settings, desk.output)
}

pub(super) fn test(
    Prepared(asked): &Prepared,
    used: Used,
    settings: &Settings,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let explained = settings.policy.value.explain(asked, &used);
    let refusal = explained.refusal();
    let mut read = asked.chains.iter().filter(|_| asked.is_reading);
    let unknown = read.find(|id| {
        let mut chains = settings.chains.iter();
        !chains.any(|chain| chain.id == **id)
    });
    let value = json!({
        "allowed": refusal.is_none(),
        "refused_by": refusal.map(|ruling| ruling.rule),
        "chain_configured": asked.is_reading.then_some(unknown.is_none()),
        "rulings": explained.rulings,
    });
    output.print(&value, |output| {
        let row = |ruling: &deedbox_server::policy::Ruling| {
            let outcome = ruling.outcome.to_string();
            let outcome = match ruling.outcome {
                Outcome::Allowed => output.paint.good(&outcome),
                Outcome::Refused => output.paint.bad(&outcome),
                Outcome::NotApplicable => output.paint.faint(&outcome),
            };
            vec![ruling.rule.to_owned(), outcome, line(&ruling.says)]
        };
        let rows = explained.rulings.iter().map(row).collect();
        let tool = cell(&asked.tool, 64);
        let verdict = match refusal {
            None => format!("{} {tool} is allowed.", output.paint.good("Allowed:")),
            Some(ruling) => format!(
                "{} {tool} is refused by {}.",
                output.paint.bad("Refused:"),
                ruling.rule
            ),
        };
        let mut text = format!(
            "{verdict}\n\n{}",
            table(output, &["RULE", "OUTCOME", "WHY"], rows)
        );
        if let Some(id) = unknown {
            let note =
                format!("Chain {id} is not configured here, so it cannot be read in any case.");
            text.push_str(&format!("\n\n{}", output.paint.alert(&note)));
        }
        text
    })?;
    Ok(ExitCode::from(u8::from(refusal.is_some())))
}
