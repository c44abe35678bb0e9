//! Thirty-eight manifests as they are found in public: hashes that others computed, and what is wrong with each.

#![expect(clippy::unwrap_used, reason = "a test's helpers may fail the test")]

use std::{collections::BTreeSet, path::Path};

use deedbox_manifest::{Report, Severity, Verdict, check};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/real-manifests");

fn report(number: usize) -> Report {
    check(&std::fs::read(Path::new(FOLDER).join(format!("{number:03}.json"))).unwrap())
}

#[test]
fn hashes_are_those_that_others_computed() {
    let table = std::fs::read_to_string(Path::new(FOLDER).join("hashes.tsv")).unwrap();
    let mut lines = table.lines();
    let column = lines
        .next()
        .unwrap()
        .split('\t')
        .position(|name| name == "raw_jcs_keccak")
        .unwrap();
    let mut count = 0;
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        let number = row[0].trim_end_matches(".json").parse().unwrap();
        assert_eq!(
            report(number).hash.unwrap().to_string(),
            row[column],
            "{}",
            row[0]
        );
        count += 1;
    }
    assert_eq!(count, 38);
}

/// What refuses each of them. The list was checked against their texts by hand.
fn broken(number: usize) -> &'static [&'static str] {
    match number {
        // The type of an earlier draft.
        2 | 16 | 18 | 32..=35 => &["8257-2-03"],
        // `0x...` as creator, and verifiability without execution.
        3 => &["8257-2-13", "8257-5-01"],
        // A checksummed creator.
        6 => &["8257-2c-11"],
        // The zero address as creator, as the tool's example has it.
        7..=10 | 38 => &["8257-7-01"],
        // An endpoint on localhost over http.
        11 => &["8257-2-09", "8257-7-01"],
        // A description of more than 500 characters, and `pricing: []`.
        13 => &["8257-2-06", "8257-3-01"],
        // Another schema altogether.
        15 => &[
            "8257-2-03",
            "8257-2-12",
            "8257-2-13",
            "8257-4-01",
            "8257-4-02",
        ],
        // NFD.
        17 => &["8257-2-03", "8257-2c-06"],
        30 => &["8257-2c-06"],
        // Nineteen tags.
        20 | 23 => &["8257-2-23"],
        // A checksummed recipient.
        22 => &["8257-2c-12"],
        // The same, and 117 tags, one of them with a dot.
        24 => &["8257-2-21", "8257-2-23", "8257-2c-12"],
        // `pricing: null`.
        25 => &["8257-3-02"],
        _ => &[],
    }
}

/// What warns about each: words that the standard does not define.
fn doubtful(number: usize) -> &'static [&'static str] {
    match number {
        3 => &["8257-5-17"],
        13 | 26 | 38 => &["8257-5-14"],
        _ => &[],
    }
}

#[test]
fn each_is_refused_for_what_is_wrong_with_it_and_for_nothing_else() {
    for number in 1..=38 {
        let report = report(number);
        let rules = |severity| -> BTreeSet<&str> {
            report.of(severity).map(|finding| finding.rule).collect()
        };
        let expected =
            |rules: &[&'static str]| -> BTreeSet<&str> { rules.iter().copied().collect() };
        let refusals = expected(broken(number));
        let warnings = expected(doubtful(number));
        assert_eq!(rules(Severity::Refusal), refusals, "{number:03}.json");
        assert_eq!(rules(Severity::Warning), warnings, "{number:03}.json");
        let verdict = match (refusals.is_empty(), warnings.is_empty()) {
            (false, _) => Verdict::Refused,
            (true, false) => Verdict::ValidWithWarnings,
            (true, true) => Verdict::Valid,
        };
        assert_eq!(report.verdict, verdict, "{number:03}.json");
    }
}
