//! Every rule of ERC-8257 that a manifest can break by itself: what is refused, where, and what is not.
//!
//! The names of the tests say the rule; `docs/conformance.md` lists which test defends which.

#![expect(clippy::unwrap_used, reason = "a test's helpers may fail the test")]

mod access;
mod canonical_bytes;
mod extensions;
mod limits;
mod pricing;
mod schemas;
mod top;
mod urls;
mod verifiability;

use deedbox_manifest::{Finding, Report, Severity, Verdict, check};
use serde_json::{Value as Json, json};

/// The smallest manifest that is valid.
fn baseline() -> Json {
    json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": "t",
        "description": "d",
        "endpoint": "https://tools.example.com/x",
        "inputs": {},
        "outputs": {},
        "creatorAddress": "0xabcdefabcdef1234567890abcdefabcdef123456",
    })
}

/// The report on a manifest as text.
fn of(manifest: &Json) -> Report {
    check(manifest.to_string().as_bytes())
}

/// The baseline with one top-level field set.
fn with(name: &str, value: impl Into<Json>) -> Report {
    let mut manifest = baseline();
    manifest[name] = value.into();
    of(&manifest)
}

/// The baseline without one top-level field.
fn without(name: &str) -> Report {
    let mut manifest = baseline();
    manifest.as_object_mut().unwrap().remove(name).unwrap();
    of(&manifest)
}

fn find<'r>(
    report: &'r Report,
    severity: Severity,
    rule: &str,
    pointer: &str,
) -> Option<&'r Finding> {
    report
        .of(severity)
        .find(|finding| finding.rule == rule && finding.pointer == pointer)
}

/// The manifest is refused for this rule, at this place, and for nothing else.
#[track_caller]
fn refused(report: &Report, rule: &str, pointer: &str) {
    assert_eq!(report.verdict, Verdict::Refused, "{:#?}", report.findings);
    assert!(
        find(report, Severity::Refusal, rule, pointer).is_some(),
        "no {rule} at {pointer:?}: {:#?}",
        report.findings
    );
    for finding in report.of(Severity::Refusal) {
        assert_eq!(
            (finding.rule, finding.pointer.as_str()),
            (rule, pointer),
            "{finding:#?}"
        );
    }
}

/// The manifest may be used, with a warning for this rule at this place.
#[track_caller]
fn warned(report: &Report, rule: &str, pointer: &str) {
    assert_eq!(
        report.verdict,
        Verdict::ValidWithWarnings,
        "{:#?}",
        report.findings
    );
    assert!(
        find(report, Severity::Warning, rule, pointer).is_some(),
        "no {rule} at {pointer:?}: {:#?}",
        report.findings
    );
}

/// The manifest is valid, with a note for this rule at this place.
#[track_caller]
fn noted(report: &Report, rule: &str, pointer: &str) {
    accepted(report);
    assert!(
        find(report, Severity::Note, rule, pointer).is_some(),
        "no {rule} at {pointer:?}: {:#?}",
        report.findings
    );
}

/// The manifest is valid.
#[track_caller]
fn accepted(report: &Report) {
    assert_eq!(report.verdict, Verdict::Valid, "{:#?}", report.findings);
}

#[test]
fn the_baseline_has_no_findings() {
    let report = of(&baseline());
    assert_eq!(report.verdict, Verdict::Valid);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

/// All faults are found in one go, and told in the order of the source.
#[test]
fn every_fault_is_reported_in_the_order_of_the_source() {
    let source = br#"{"name":"","endpoint":"http://x","description":7,"tags":["A","A"],"outputs":{},"inputs":[]}"#;
    let report = check(source);
    let rules: Vec<&str> = report
        .of(Severity::Refusal)
        .map(|finding| finding.rule)
        .collect();
    assert_eq!(
        rules,
        [
            "8257-2-04",
            "8257-2-09",
            "8257-2-06",
            "8257-2-21",
            "8257-2-21",
            "8257-2-24",
            "8257-2-12",
            "8257-2-03",
            "8257-2-13"
        ]
    );
    assert!(
        report
            .findings
            .is_sorted_by_key(|finding| finding.span.start)
    );
    for finding in &report.findings {
        assert!(!finding.message.is_empty() && !finding.fix.is_empty());
        assert!(finding.span.end <= source.len());
    }
}

/// The span of a finding is the piece of the source that is meant.
#[test]
fn a_finding_points_at_the_bytes_that_are_wrong() {
    let mut manifest = baseline();
    manifest["endpoint"] = "https://Tools.example.com:443/x".into();
    let source = manifest.to_string();
    let report = check(source.as_bytes());
    let places: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| &source[finding.span.clone()])
        .collect();
    assert_eq!(places, ["Tools.example.com", ":443"]);
}

/// A thousand faults of one kind neither hide another fault nor grow the report.
#[test]
fn many_faults_of_one_kind_are_counted_and_hide_no_other() {
    let mut manifest = baseline();
    manifest["com.example.list"] = (0..1000).map(|_| "e\u{301}").collect::<Vec<_>>().into();
    manifest["name"] = "".into();
    let report = of(&manifest);
    let listed = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "8257-2c-06")
        .count();
    assert_eq!(listed, Report::MOST_OF_A_RULE);
    assert_eq!(report.omitted.len(), 1);
    assert_eq!(report.omitted[0].count, 1000 - Report::MOST_OF_A_RULE);
    assert!(find(&report, Severity::Refusal, "8257-2-04", "/name").is_some());
}

/// One very long name over many faults does not multiply into a report of gigabytes.
#[test]
fn long_names_do_not_make_the_report_explode() {
    let name = "n".repeat(400_000);
    let schema: Json = (0..1000)
        .map(|i| (format!("p{i}"), json!({"default": 1, "type": 5})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let mut manifest = baseline();
    manifest["inputs"] = json!({"properties": {&name: {"properties": schema}}});
    let report = of(&manifest);
    let pointers: usize = report
        .findings
        .iter()
        .map(|finding| finding.pointer.len())
        .sum();
    let filled: usize = report
        .pre_filled
        .iter()
        .map(|value| value.pointer.len() + value.value.len())
        .sum();
    assert!(
        pointers + filled < 4_000_000,
        "{pointers} and {filled} bytes"
    );
    assert_eq!(report.pre_filled.len(), 1000);
}

/// What the manifest's author wrote cannot steer a terminal or a log through a message.
#[test]
fn messages_escape_what_they_quote() {
    let report = with("type", "\u{1b}[31m\u{202e}\n".repeat(50));
    let finding = find(&report, Severity::Refusal, "8257-2-03", "/type").unwrap();
    assert!(
        finding
            .message
            .chars()
            .all(|c| !c.is_control() && c != '\u{202e}')
    );
    assert!(finding.message.len() < 600);
}

/// What programs read instead of the text for people.
#[test]
fn a_report_is_json_too() {
    let report = serde_json::to_value(with("name", "")).unwrap();
    assert_eq!(report["verdict"], "refused");
    assert_eq!(report["findings"][0]["rule"], "8257-2-04");
    assert_eq!(report["findings"][0]["severity"], "refusal");
    assert_eq!(report["origin"], "https://tools.example.com");
    assert_eq!(
        report["creator"],
        "0xabcdefabcdef1234567890abcdefabcdef123456"
    );
    assert_eq!(report["pricing"], Json::Null);
    assert_eq!(
        (&report["declaredTier"], &report["effectiveTier"]),
        (&Json::Null, &json!("self-attested"))
    );
    assert!(report["hash"].as_str().unwrap().starts_with("0x"));
}
