//! `deedbox evidence recheck`

use std::{process::ExitCode, sync::Arc};

use deedbox_chain::{Code, ReadError, Request};
use deedbox_core::{Evidence, EvidenceId, Reading};
use deedbox_server::policy::{Asked, Policy, PolicyRefused, Used};
use serde_json::{Map, Value, json};

use super::{Desk, found};
use crate::{
    chains,
    failure::Failure,
    render::{Output, cell},
    settings::Environment,
};

/// How many differences are told.
const TOLD: usize = 20;
/// Columns that a value may take.
const VALUE_WIDTH: usize = 80;

/// What came of reading again.
enum Outcome {
    Same,
    Differs(Vec<Difference>),
    /// At the same block, the chain says that there is no such reading.
    Denied(ReadError),
    /// No endpoint has such a block.
    Gone(ReadError),
    Unread(ReadError),
}

/// A place at which two readings differ.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    /// Like `data.transfers[3].raw_amount`.
    at: String,
    recorded: Option<Value>,
    now: Option<Value>,
}

pub(super) async fn recheck(
    desk: &Desk<'_>,
    environment: &Environment,
    id: EvidenceId,
) -> Result<ExitCode, Failure> {
    let evidence = found(desk, id).await?;
    let (chains, policy) = chains::open(desk.settings, environment, Arc::clone(&desk.world))?;
    let hash = evidence.reading.provenance.block_hash;
    let request = Request::read(
        evidence.reading.tool.as_str(),
        evidence.reading.arguments.clone(),
    );
    let again = match request {
        Ok(request) => {
            let request = request.at(hash);
            admit(policy, &request)?;
            chains.read(&request).await
        }
        Err(error) => Err(error),
    };
    let outcome = match again {
        Ok(now) => match differences(&evidence.reading, &now) {
            none if none.is_empty() => Outcome::Same,
            some => Outcome::Differs(some),
        },
        Err(error) => without(error),
    };
    tell(desk.output, &evidence, &outcome)?;
    Ok(ExitCode::from(match outcome {
        Outcome::Same => 0,
        Outcome::Differs(_) | Outcome::Denied(_) | Outcome::Gone(_) => 1,
        Outcome::Unread(_) => 3,
    }))
}

/// What it means that there is no reading now where there was one. A block never changes, so what its contracts say of
/// themselves is an answer; what endpoints say of themselves is none.
fn without(error: ReadError) -> Outcome {
    match error.code {
        Code::NotAContract
        | Code::DelegatedAccount
        | Code::CallReverted
        | Code::InvalidResponse
        | Code::UnsupportedPool => Outcome::Denied(error),
        Code::BlockNotFound | Code::Reorged => Outcome::Gone(error),
        Code::InvalidArgument
        | Code::ChainNotConfigured
        | Code::ArchiveUnavailable
        | Code::RangeTooLarge
        | Code::RateLimited
        | Code::EndpointLagging
        | Code::EndpointUnavailable
        | Code::WrongChain
        | Code::Timeout
        | Code::Busy => Outcome::Unread(error),
    }
}

/// Asks the policy, as for every reading. Nothing is recorded for a task, so none has to be named and none is charged.
fn admit(policy: Policy, request: &Request) -> Result<(), Failure> {
    let policy = Policy {
        task_required: false,
        ..policy
    };
    let asked = Asked::reading(request, None).map_err(Failure::Unread)?;
    match policy.explain(&asked, &Used::default()).refusal() {
        None => Ok(()),
        Some(ruling) => Err(Failure::Policy(PolicyRefused {
            rule: ruling.rule,
            says: ruling.says.clone(),
            wait: None,
        })),
    }
}

fn tell(output: &Output, evidence: &Evidence, outcome: &Outcome) -> Result<(), Failure> {
    let (word, error) = match outcome {
        Outcome::Same => ("same", None),
        Outcome::Differs(_) => ("differs", None),
        Outcome::Denied(error) => ("differs", Some(error)),
        Outcome::Gone(error) => ("gone", Some(error)),
        Outcome::Unread(error) => ("unread", Some(error)),
    };
    let differences = match outcome {
        Outcome::Differs(all) => all.as_slice(),
        _ => &[],
    };
    let told: Vec<Value> = differences
        .iter()
        .take(TOLD)
        .map(|one| json!({"at": one.at, "recorded": one.recorded, "now": one.now}))
        .collect();
    let value = json!({
        "evidence_id": evidence.id,
        "outcome": word,
        "block_hash": evidence.reading.provenance.block_hash,
        "differences": told,
        "more_differences": differences.len().saturating_sub(TOLD),
        "error": error.map(|error| json!({
            "code": error.code.as_str(),
            "message": error.message,
            "retryable": error.code.retryable(),
        })),
    });
    output.print(&value, |output| text(output, evidence, outcome))
}

fn text(output: &Output, evidence: &Evidence, outcome: &Outcome) -> String {
    let at = &evidence.reading.provenance;
    let block = format!(
        "chain {} at block {} {}",
        at.chain_id, at.block_number, at.block_hash
    );
    match outcome {
        Outcome::Same => format!(
            "{} {} says the same on {block}.",
            output.paint.good("Same:"),
            evidence.reading.tool
        ),
        Outcome::Gone(error) => format!(
            "{} {block} is not on the endpoints that are configured now: it was replaced, or never there. {}",
            output.paint.bad("Gone:"),
            cell(&error.message, 200)
        ),
        Outcome::Denied(error) => format!(
            "{} {} gives no such reading on {block} ({}): {}",
            output.paint.bad("Differs:"),
            evidence.reading.tool,
            error.code.as_str(),
            cell(&error.message, 200)
        ),
        Outcome::Unread(error) => format!(
            "{} {block} could not be read again ({}): {}",
            output.paint.bad("Not read:"),
            error.code.as_str(),
            cell(&error.message, 200)
        ),
        Outcome::Differs(all) => {
            let value = |value: &Option<Value>| match value {
                None => "nothing".to_owned(),
                Some(value) => cell(&value.to_string(), VALUE_WIDTH),
            };
            let lines = all.iter().take(TOLD).map(|one| {
                let (recorded, now) = (value(&one.recorded), value(&one.now));
                format!(
                    "\n  {}: recorded {recorded}, now {now}",
                    cell(&one.at, VALUE_WIDTH)
                )
            });
            let more = match all.len().saturating_sub(TOLD) {
                0 => String::new(),
                more => format!("\n  and {more} more"),
            };
            format!(
                "{} {} says something else on {block}:{}{more}",
                output.paint.bad("Differs:"),
                evidence.reading.tool,
                lines.collect::<String>()
            )
        }
    }
}

/// Where the answers and their blocks differ. The endpoint may be another one.
fn differences(recorded: &Reading, now: &Reading) -> Vec<Difference> {
    let mut found = Vec::new();
    compare_maps("data", &recorded.data, &now.data, &mut found);
    let block = |reading: &Reading| {
        let at = &reading.provenance;
        json!({
            "chain_id": at.chain_id,
            "block_number": at.block_number,
            "block_hash": at.block_hash,
            "block_timestamp": at.block_timestamp,
        })
    };
    compare("provenance", &block(recorded), &block(now), &mut found);
    found
}

fn compare_maps(
    at: &str,
    recorded: &Map<String, Value>,
    now: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let added = now.keys().filter(|name| !recorded.contains_key(*name));
    for name in recorded.keys().chain(added) {
        pair(
            format!("{at}.{name}"),
            recorded.get(name),
            now.get(name),
            found,
        );
    }
}

fn pair(at: String, recorded: Option<&Value>, now: Option<&Value>, found: &mut Vec<Difference>) {
    match (recorded, now) {
        (Some(recorded), Some(now)) => compare(&at, recorded, now, found),
        (recorded, now) => found.push(Difference {
            at,
            recorded: recorded.cloned(),
            now: now.cloned(),
        }),
    }
}

fn compare(at: &str, recorded: &Value, now: &Value, found: &mut Vec<Difference>) {
    match (recorded, now) {
        (Value::Object(recorded), Value::Object(now)) => compare_maps(at, recorded, now, found),
        (Value::Array(recorded), Value::Array(now)) => {
            for i in 0..recorded.len().max(now.len()) {
                pair(format!("{at}[{i}]"), recorded.get(i), now.get(i), found);
            }
        }
        (recorded, now) if recorded != now => found.push(Difference {
            at: at.to_owned(),
            recorded: Some(recorded.clone()),
            now: Some(now.clone()),
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_that_differs_is_named() {
        let recorded = json!({"a": "1", "list": [{"raw": "1"}, {"raw": "2"}], "gone": null});
        let now = json!({"a": "1", "list": [{"raw": "1"}, {"raw": "3"}, 4], "new": true});
        let mut found = Vec::new();
        compare("data", &recorded, &now, &mut found);
        let places: Vec<&str> = found.iter().map(|one| one.at.as_str()).collect();
        assert_eq!(
            places,
            ["data.gone", "data.list[1].raw", "data.list[2]", "data.new"]
        );
        let mut none = Vec::new();
        compare("data", &now, &now, &mut none);
        assert_eq!(none, []);
    }
}
