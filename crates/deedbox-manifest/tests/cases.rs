//! The verdicts and hashes that were agreed on for hand-made manifests, and the standard's own hashes.

#![expect(clippy::unwrap_used, reason = "a test's helpers may fail the test")]

use std::path::Path;

use deedbox_manifest::{Verdict, check};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors");

fn rows(table: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(Path::new(VECTORS).join(table)).unwrap();
    let rows = text.lines().skip(1);
    rows.map(|row| row.split('\t').map(str::to_owned).collect())
        .collect()
}

#[test]
fn every_case_has_its_verdict_and_its_hash() {
    let rows = rows("manifest-cases.tsv");
    assert_eq!(rows.len(), 37);
    let mut wrong = Vec::new();
    for row in rows {
        let source =
            std::fs::read(Path::new(VECTORS).join("manifest-cases").join(&row[0])).unwrap();
        let report = check(&source);
        let verdict = match report.verdict {
            Verdict::Valid => "valid",
            Verdict::ValidWithWarnings => "valid+warning",
            Verdict::Refused => "refused",
        };
        let hash = report.hash.filter(|_| verdict != "refused");
        let hash = hash.map_or_else(|| "-".to_owned(), |hash| hash.to_string());
        if (verdict, hash.as_str()) != (&row[1], &row[2]) {
            wrong.push(format!("{row:?}: {verdict} {hash} {:#?}", report.findings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_standards_hashes_are_reproduced() {
    let rows = rows("manifest-hashes.tsv");
    assert_eq!(rows.len(), 5);
    for row in rows {
        let report = check(&std::fs::read(Path::new(VECTORS).join(&row[0])).unwrap());
        assert_eq!(report.canonical_len.to_string(), row[1], "{row:?}");
        assert_eq!(report.hash.unwrap().to_string(), row[2], "{row:?}");
    }
}

#[test]
fn the_standards_free_and_paid_tools_are_valid() {
    for name in ["spec-free.json", "spec-paid.json"] {
        let report = check(&std::fs::read(Path::new(VECTORS).join(name)).unwrap());
        assert_eq!(
            report.verdict,
            Verdict::Valid,
            "{name}: {:#?}",
            report.findings
        );
    }
}

/// Their `type` is that of a draft; the one in NFD has its other fault too.
#[test]
fn the_standards_other_samples_have_an_old_type() {
    for (name, nfd) in [
        ("nfc-old-type.json", false),
        ("nfd-old-type.json", true),
        ("bom-old-type.json", false),
    ] {
        let report = check(&std::fs::read(Path::new(VECTORS).join(name)).unwrap());
        let broken: Vec<&str> = report.findings.iter().map(|finding| finding.rule).collect();
        let expected: &[&str] = if nfd {
            &["8257-2c-06", "8257-2-03"]
        } else {
            &["8257-2-03"]
        };
        let same =
            broken.len() == expected.len() && expected.iter().all(|rule| broken.contains(rule));
        assert!(same, "{name}: {broken:?}");
    }
}
