//! What slither finds in the contracts is mended, or answered.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::answers::Answers;
use crate::progress::say;

/// The answers: the detector, the contract or its function, and the reason. An answer for a contract holds for all that is in it.
const ANSWERS: &str = "slither-answers.txt";

/// Fails when slither found something that no answer names, and when an answer is not needed.
///
/// # Errors
/// Then, with all of them, and when slither itself failed.
pub(super) fn check(output: &Value) -> Result<()> {
    ensure!(
        output["success"] == true,
        "slither failed: {}",
        output["error"]
    );
    let findings = findings(output);
    Answers::read(ANSWERS)?.judge(&findings, fits, "slither found")?;
    say(&format!(
        "{} findings, each with its answer",
        findings.len()
    ));
    Ok(())
}

/// `detector | contract.function(arguments)`: nothing that changes when a line is added elsewhere.
fn findings(output: &Value) -> BTreeSet<String> {
    let found = output["results"]["detectors"].as_array();
    found.into_iter().flatten().map(finding).collect()
}

fn finding(finding: &Value) -> String {
    let elements = finding["elements"].as_array();
    let place = elements.into_iter().flatten().find_map(place);
    let words = finding["description"].as_str().unwrap_or_default();
    let place = place.unwrap_or_else(|| words.lines().next().unwrap_or_default().to_owned());
    format!(
        "{} | {place}",
        finding["check"].as_str().unwrap_or_default()
    )
}

/// Where an element stands: in a contract's function, in a contract, or in a file.
fn place(element: &Value) -> Option<String> {
    let fields = &element["type_specific_fields"];
    let name = element["name"].as_str()?;
    match element["type"].as_str()? {
        "contract" => Some(name.to_owned()),
        "function" => {
            let signature = fields["signature"].as_str().unwrap_or(name);
            Some(format!("{}.{signature}", place(&fields["parent"])?))
        }
        // Found by comparing files; which is named first changes with every file that is added.
        "pragma" => Some("all sources".to_owned()),
        _ => place(&fields["parent"]),
    }
}

/// Whether `answer` is for `finding` itself, or for the contract that it is in.
fn fits(finding: &str, answer: &str) -> bool {
    let rest = finding.strip_prefix(answer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_finding_is_named_by_its_place_without_line_numbers() {
        let contract = json!({"type": "contract", "name": "Registry"});
        let function = json!({"type": "function", "name": "f", "type_specific_fields": {
            "signature": "f(uint256)", "parent": contract}});
        let node =
            json!({"type": "node", "name": "x = 1", "type_specific_fields": {"parent": function}});
        let output = json!({"results": {"detectors": [
            {"check": "timestamp", "elements": [node], "description": "Registry.f (src/R.sol#7)"},
            {"check": "naming", "elements": [contract], "description": ""},
        ]}});
        let expected = ["naming | Registry", "timestamp | Registry.f(uint256)"];
        assert_eq!(
            findings(&output),
            BTreeSet::from(expected.map(str::to_owned))
        );
    }

    #[test]
    fn an_answer_holds_for_a_function_or_for_all_of_a_contract() {
        let finding = "assembly | Packed.read(bytes)";
        assert!(fits(finding, finding));
        assert!(fits(finding, "assembly | Packed"));
        assert!(!fits(finding, "assembly | Pack"));
        assert!(!fits(finding, "timestamp | Packed"));
    }
}
