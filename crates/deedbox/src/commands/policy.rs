//! `deedbox policy …`: the rules that are in force, and what they say of a call.

use std::process::ExitCode;

use deedbox_core::TaskId;
use deedbox_server::{
    Operation, Tool, Toolset,
    policy::{Asked, Outcome, Used},
};
use serde_json::{Map, Value, json};

use super::{config, read};
use crate::{
    cli::PolicyTest,
    failure::Failure,
    render::{Output, cell, line, table},
    settings::{Settings, policy},
};

pub(super) fn show(settings: &Settings, output: &Output) -> Result<ExitCode, Failure> {
    let value = json!({
        "value": policy::shown(&settings.policy.value),
        "source": settings.policy.source.to_string(),
    });
    output.print(&value, |output| config::policy(&value, output))?;
    Ok(ExitCode::SUCCESS)
}

/// A call that is asked about, read.
pub(super) struct Prepared(Asked);

/// Reads the call.
///
/// # Errors
/// No such tool, or which argument is not what it should be.
pub(super) fn prepare(test: PolicyTest) -> Result<Prepared, Failure> {
    let tool = Tool::from_name(&test.tool).filter(|tool| tool.toolset() == Toolset::Chain);
    let tool = tool.ok_or_else(|| {
        let known = policy::tools().collect::<Vec<_>>().join(", ");
        Failure::argument(
            "TOOL",
            format!("no policy governs a tool of this name; one governs {known}"),
        )
    })?;
    let task = test.task.map(|task| task.parse::<TaskId>()).transpose();
    let task = task.map_err(|error| Failure::argument("--task", error))?;
    // What list_chains and check_conclusion are asked makes no difference to a policy.
    if tool.name() == "list_chains" || tool.name() == "check_conclusion" {
        return Ok(Prepared(Asked::of_no_chain(tool.name())));
    }
    match read::read(tool, arguments(&test.arguments)?)? {
        Operation::Reading(request) => {
            let asked = Asked::reading(&request, task);
            asked.map(Prepared).map_err(Failure::Unread)
        }
        other => Ok(Prepared(Asked::of_no_chain(other.tool().name()))),
    }
}

/// One JSON object, or `name=value` for each argument.
fn arguments(texts: &[String]) -> Result<Map<String, Value>, Failure> {
    const WHAT: &str = "ARGUMENTS";
    if let [one] = texts
        && one.trim_start().starts_with('{')
    {
        let object: Result<Map<String, Value>, _> = serde_json::from_str(one);
        return object.map_err(|error| Failure::argument(WHAT, error));
    }
    let mut arguments = Map::new();
    for text in texts {
        let Some((name, value)) = text.split_once('=') else {
            let reason = "must be one JSON object, or name=value for each argument";
            return Err(Failure::argument(WHAT, reason));
        };
        // The two that are numbers; every other argument is a text, a height too.
        let number = ["chain_id", "limit"].contains(&name);
        let number = number.then(|| value.parse::<u64>().ok()).flatten();
        let value = number.map_or_else(|| Value::from(value), Value::from);
        if arguments.insert(name.to_owned(), value).is_some() {
            return Err(Failure::argument(WHAT, format!("{name} is given twice")));
        }
    }
    Ok(arguments)
}

pub(super) fn test(
    Prepared(asked): &Prepared,
    settings: &Settings,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let explained = settings.policy.value.explain(asked, &Used::default());
    let refusal = explained.refusal();
    let value = json!({
        "allowed": refusal.is_none(),
        "refused_by": refusal.map(|ruling| ruling.rule),
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
        format!(
            "{verdict}\n\n{}",
            table(output, &["RULE", "OUTCOME", "WHY"], rows)
        )
    })?;
    Ok(ExitCode::from(u8::from(refusal.is_some())))
}
