//! `docs/conformance.md` names tests; each of them must exist.
#![expect(clippy::unwrap_used, reason = "a test's helper may end it")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use deedbox_neighbours::tools;

/// Every file below `folder` whose name ends so, those of others not counted.
fn sources(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" && name != "node_modules" {
            sources(&path, ending, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == ending)
        {
            found.push(path);
        }
    }
}

/// What stands between single backticks and looks like the name of a test. Those that forge fuzzes begin with `testFuzz_`.
fn named_tests(page: &str) -> BTreeSet<&str> {
    let is_name = |text: &&str| {
        let rest = text.strip_prefix("testFuzz_").unwrap_or(text);
        text.matches('_').count() >= 2
            && rest
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
        sources(&tools::root().join(folder), "rs", &mut files);
    }
    sources(&tools::contracts().join("test"), "sol", &mut files);
    let code: String = files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let missing: Vec<_> = named
        .iter()
        .filter(|name| {
            // In Rust, and in Solidity.
            !["fn", "function"]
                .iter()
                .any(|word| code.contains(&format!("{word} {name}(")))
        })
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

/// A function of a Solidity file.
#[derive(Default)]
struct Function<'a> {
    name: &'a str,
    /// The rules that the comment above it names.
    rules: BTreeSet<String>,
    body: Vec<&'a str>,
}

fn functions(code: &str) -> Vec<Function<'_>> {
    let (mut found, mut rules) = (vec![Function::default()], BTreeSet::new());
    for line in code.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            let words = comment.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            rules.extend(words.filter(|word| is_rule(word)).map(str::to_owned));
            continue;
        }
        let rules = std::mem::take(&mut rules);
        match line.strip_prefix("function ") {
            Some(rest) => found.push(Function {
                name: rest.split('(').next().unwrap(),
                rules,
                body: vec![],
            }),
            None => found.last_mut().unwrap().body.push(line),
        }
    }
    found
}

/// The tests of a Solidity file, each with the rules that the comment above it names, and those above the functions that it calls.
fn defenders(code: &str) -> Vec<(String, BTreeSet<String>)> {
    let functions = functions(code);
    let is_test = |name: &str| name.starts_with("test") || name.starts_with("invariant");
    let tests = functions.iter().filter(|function| is_test(function.name));
    let with_called = tests.map(|test| {
        let body = test.body.join("\n");
        let called = functions
            .iter()
            .filter(|other| !is_test(other.name) && body.contains(&format!("{}(", other.name)));
        let rules = called.flat_map(|other| other.rules.iter());
        let rules = test.rules.iter().chain(rules).cloned();
        (test.name.to_owned(), rules.collect())
    });
    with_called.collect()
}

/// `8257-1-46`: a standard's number, a part, a number.
fn is_rule(word: &str) -> bool {
    let parts: Vec<_> = word.split('-').collect();
    let [standard, _, number] = parts[..] else {
        return false;
    };
    let digits =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(standard, 4) && digits(number, 2)
}

#[test]
fn what_a_contracts_test_says_it_defends_stands_on_the_page() {
    let page = fs::read_to_string(tools::root().join("docs/conformance.md")).unwrap();
    let rules = rules(&page);
    let mut files = vec![];
    sources(&tools::contracts().join("test"), "sol", &mut files);
    let mut missing = vec![];
    let mut seen = 0;
    for file in files {
        for (test, defended) in defenders(&fs::read_to_string(file).unwrap()) {
            for rule in defended {
                let row = rules.iter().find(|row| row[0] == rule);
                let named =
                    row.is_some_and(|row| named_tests(row.last().unwrap()).contains(&*test));
                seen += 1;
                if !named {
                    missing.push(format!("{rule}: `{test}`"));
                }
            }
        }
    }
    assert!(seen > 100, "{seen} were found");
    assert!(
        missing.is_empty(),
        "not in docs/conformance.md: {missing:#?}"
    );
}

#[test]
fn the_comments_above_a_solidity_test_and_above_what_it_calls_say_what_it_defends() {
    let code = "/// @dev 8257-1-46, 8122-own-02: why.\nfunction test_a_b() public {\ncompare();\n}\n\
        /// other\nfunction test_c_d() public {\n/// @dev 6909-tr-01\nfunction compare() private {";
    let rules = ["6909-tr-01", "8122-own-02", "8257-1-46"].map(str::to_owned);
    let expected = [
        ("test_a_b".to_owned(), BTreeSet::from(rules)),
        ("test_c_d".to_owned(), BTreeSet::new()),
    ];
    assert_eq!(defenders(code), expected);
}
