//! What a call costs may not rise unseen: `contracts/gas.json` says what each cost when somebody last looked.

use std::{collections::BTreeMap, fs, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};
use deedbox_neighbours::tools;
use serde_json::Value;

use super::shown;
use crate::progress::say;

/// The tests that measure.
pub(super) const TESTS: &str = "test/gas/*";
/// How much more a call may cost before that fails, in hundredths of what is written down.
const TOLERANCE: u64 = 1;

/// What calls cost, by name.
type Costs = BTreeMap<String, u64>;

/// Compares `spent` (group to name to gas) with what is written down, or writes it down.
///
/// # Errors
/// When a call costs over 1% more, or is new, or is measured no more; with how to renew.
pub(super) fn check(spent: &Value, renew: bool) -> Result<()> {
    let now = costs(spent)?;
    ensure!(!now.is_empty(), "nothing was measured");
    let path = kept();
    if renew {
        fs::write(&path, format!("{}\n", serde_json::to_string_pretty(&now)?))?;
        say(&format!(
            "{}: {} costs written down",
            shown(&path),
            now.len()
        ));
        return Ok(());
    }
    let text = fs::read_to_string(&path).with_context(|| shown(&path))?;
    let kept: Costs = serde_json::from_str(&text)?;
    let changes = changes(&kept, &now);
    if !changes.is_empty() {
        bail!(
            "{}\nWhere that is meant, write it down with `cargo xtask contracts test --renew-gas`.",
            changes.join("\n")
        );
    }
    for (name, now) in &now {
        if kept[name] != *now {
            say(&format!("{name}: {} was {}", now, kept[name]));
        }
    }
    say(&format!("{} calls cost what they may", now.len()));
    Ok(())
}

fn kept() -> PathBuf {
    tools::contracts().join("gas.json")
}

/// Forge writes numbers as texts.
fn costs(spent: &Value) -> Result<Costs> {
    let mut costs = Costs::new();
    for (group, calls) in spent.as_object().into_iter().flatten() {
        for (name, gas) in calls.as_object().into_iter().flatten() {
            let gas = gas.as_str().and_then(|gas| gas.parse().ok());
            costs.insert(
                format!("{group}: {name}"),
                gas.with_context(|| name.clone())?,
            );
        }
    }
    Ok(costs)
}

/// What must be looked at, in words.
fn changes(kept: &Costs, now: &Costs) -> Vec<String> {
    let mut changes = Vec::new();
    for (name, now) in now {
        match kept.get(name) {
            None => changes.push(format!("{name}: {now} gas, new")),
            Some(kept) if now.saturating_sub(*kept) * 100 > kept * TOLERANCE => {
                changes.push(format!(
                    "{name}: {now} gas, over {TOLERANCE}% more than {kept}"
                ));
            }
            Some(_) => {}
        }
    }
    let gone = kept.keys().filter(|name| !now.contains_key(*name));
    changes.extend(gone.map(|name| format!("{name}: not measured any more")));
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn costs_of(call: u64) -> Costs {
        costs(&json!({"Tools": {"register": call.to_string()}})).unwrap()
    }

    #[test]
    fn one_percent_more_passes_and_a_unit_over_that_fails() {
        assert!(changes(&costs_of(10_000), &costs_of(10_100)).is_empty());
        assert_eq!(changes(&costs_of(10_000), &costs_of(10_101)).len(), 1);
        assert!(changes(&costs_of(10_000), &costs_of(1)).is_empty());
    }

    #[test]
    fn a_call_that_comes_or_goes_is_told() {
        assert_eq!(
            changes(&Costs::new(), &costs_of(7)),
            ["Tools: register: 7 gas, new"]
        );
        assert_eq!(
            changes(&costs_of(7), &Costs::new()),
            ["Tools: register: not measured any more"]
        );
    }
}
