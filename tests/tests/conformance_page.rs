//! `docs/conformance.md` names tests; each of them must exist.
#![expect(clippy::unwrap_used, reason = "a test's helper may end it")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use deedbox_neighbours::tools;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" && name != "node_modules" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// What stands between single backticks and looks like the name of a test.
fn named_tests(page: &str) -> BTreeSet<&str> {
    let is_name = |text: &&str| {
        text.matches('_').count() >= 2
            && text
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    page.split('`').skip(1).step_by(2).filter(is_name).collect()
}

#[test]
fn every_test_that_the_conformance_page_names_exists() {
    let page = fs::read_to_string(tools::root().join("docs/conformance.md")).unwrap();
    let named = named_tests(&page);
    assert!(
        named.len() > 40,
        "the page names {} tests: is it read rightly?",
        named.len()
    );
    let mut files = vec![];
    for folder in ["crates", "tests"] {
        sources(&tools::root().join(folder), &mut files);
    }
    let code: String = files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let missing: Vec<_> = named
        .iter()
        .filter(|name| !code.contains(&format!("fn {name}(")))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/conformance.md names tests that do not exist: {missing:#?}"
    );
}

#[test]
fn a_name_between_backticks_is_seen_and_other_code_is_not() {
    let page = "`a_rule_is_kept`, `POST /mcp` and `task_not_found`, `-32020`, `latestAcceptance`";
    assert_eq!(
        named_tests(page),
        BTreeSet::from(["a_rule_is_kept", "task_not_found"])
    );
}

/// Rows of the standards' rules: number, level, words, what defends it.
fn rules(page: &str) -> Vec<Vec<&str>> {
    page.lines()
        .filter(|line| line.starts_with("| ") && line.contains(char::is_numeric))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .filter(|cells: &Vec<&str>| {
            let standard = cells[0].split('-').next().unwrap_or_default();
            standard.len() == 4 && standard.bytes().all(|byte| byte.is_ascii_digit())
        })
        .collect()
}

#[test]
fn every_rule_of_a_standard_stands_once_and_is_defended_or_says_why_not() {
    let page = fs::read_to_string(tools::root().join("docs/conformance.md")).unwrap();
    let rules = rules(&page);
    assert!(rules.len() > 250, "{} rules were found", rules.len());
    let mut seen = BTreeSet::new();
    for rule in rules {
        assert!(seen.insert(rule[0]), "{} stands twice", rule[0]);
        let defended = rule.last().unwrap();
        let told = ["later: ", "gap: ", "nothing to test: "];
        assert!(
            !named_tests(defended).is_empty() || told.iter().any(|why| defended.starts_with(why)),
            "{}: {defended:?} names no test and gives no reason",
            rule[0]
        );
    }
}
