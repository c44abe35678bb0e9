//! `deedbox evidence recheck`

use std::{process::ExitCode, sync::Arc};

use deedbox_chain::{Code, ReadError};
use deedbox_core::{Evidence, EvidenceId, Reading};
use deedbox_server::{
    ReadingRequest,
    policy::{Asked, Policy, PolicyRefused, Used},
    readings::{COMPARE_TOOLS, VERIFY_TOOL},
};
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
    let (reader, policy) = chains::reader(desk.settings, environment, Arc::clone(&desk.world))?;
    let hash = evidence.reading.provenance.block_hash;
    let request = ReadingRequest::read(
        evidence.reading.tool.as_str(),
        evidence.reading.arguments.clone(),
    );
    let again = match request {
        Ok(request) => {
            let request = request.at(hash);
            admit(policy, &request)?;
            reader.read(&request, None).await.map(|taken| taken.reading)
        }
        Err(error) => Err(error),
    };
    let web = again
        .as_ref()
        .ok()
        .and_then(|now| Web::of(&evidence.reading, now));
    let outcome = match again {
        Ok(now) => match differences(&evidence.reading, &now) {
            none if none.is_empty() => Outcome::Same,
            some => Outcome::Differs(some),
        },
        Err(error) => without(error),
    };
    tell(desk.output, &evidence, &outcome, web.as_ref())?;
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
fn admit(policy: Policy, request: &ReadingRequest) -> Result<(), Failure> {
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

fn tell(
    output: &Output,
    evidence: &Evidence,
    outcome: &Outcome,
    web: Option<&Web>,
) -> Result<(), Failure> {
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
    let value = with_web(value, web);
    output.print(&value, |output| {
        let web = web.map(|web| web.text(output)).unwrap_or_default();
        format!("{}{web}", text(output, evidence, outcome))
    })
}

/// Where a manifest was read, what became of it.
fn with_web(mut value: Value, web: Option<&Web>) -> Value {
    if let Some(web) = web {
        value["web"] = json!({
            "recorded": web.recorded,
            "now": web.now,
            "same": web.recorded == web.now,
        });
    }
    value
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

/// Of a verification, the hash of what was served: the part of it that no block holds.
struct Web {
    recorded: Value,
    now: Value,
}

impl Web {
    fn of(recorded: &Reading, now: &Reading) -> Option<Self> {
        let hash = |reading: &Reading| {
            let manifest = reading.data.get("manifest");
            manifest.map_or(Value::Null, |manifest| manifest["hash"].clone())
        };
        (recorded.tool == VERIFY_TOOL).then(|| Self {
            recorded: hash(recorded),
            now: hash(now),
        })
    }

    fn text(&self, output: &Output) -> String {
        let said = |hash: &Value| {
            hash.as_str().map_or_else(
                || "nothing that can be read".to_owned(),
                |hash| cell(hash, VALUE_WIDTH),
            )
        };
        if self.recorded == self.now {
            format!(
                "\nThe manifest that is served now has the hash that was recorded, {}.",
                said(&self.now)
            )
        } else {
            format!(
                "\n{} the web is not kept by any block, and may have changed since: recorded {}, served now {}.",
                output.paint.alert("Another manifest:"),
                said(&self.recorded),
                said(&self.now)
            )
        }
    }
}

/// What of a verification a block holds. All else in it is concluded from what was served at the time.
const OF_THE_CHAIN: [&str; 3] = ["tool", "registration", "registry"];

/// The same of each side of a comparison.
const OF_A_SIDE: [&str; 3] = ["tool", "registration", "access"];

/// What of a reading has to be the same at the same block.
fn of_the_chain(reading: &Reading) -> Map<String, Value> {
    if reading.tool == COMPARE_TOOLS {
        return sides_of_the_chain(reading);
    }
    let data = reading.data.iter();
    let kept = data
        .filter(|(name, _)| reading.tool != VERIFY_TOOL || OF_THE_CHAIN.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Of a comparison: its sides, and the blocks at which they were read.
fn sides_of_the_chain(reading: &Reading) -> Map<String, Value> {
    let pick = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        move |one: &Value| -> Value {
            let kept = names.iter().map(|name| (name.clone(), one[name].clone()));
            kept.collect::<Map<_, _>>().into()
        }
    };
    let list = |name: &str, pick: &dyn Fn(&Value) -> Value| -> Value {
        let all = reading.data.get(name).and_then(Value::as_array);
        all.into_iter().flatten().map(pick).collect()
    };
    let sides = list("tools", &pick(&OF_A_SIDE));
    let blocks = list("chains", &pick(&["chain_id", "block_hash"]));
    [("tools".to_owned(), sides), ("chains".to_owned(), blocks)]
        .into_iter()
        .collect()
}

/// Where the answers and their blocks differ. The endpoint may be another one.
fn differences(recorded: &Reading, now: &Reading) -> Vec<Difference> {
    let mut found = Vec::new();
    compare_maps(
        "data",
        &of_the_chain(recorded),
        &of_the_chain(now),
        &mut found,
    );
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
