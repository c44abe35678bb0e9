//! What a reviewer should not have to look for.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};
use deedbox_neighbours::tools;

/// Lines of a source file, its unit tests not counted.
const LONGEST: usize = 600;
const NOT_OURS: &[&str] = &[".git", ".tools", "target", "node_modules", "__pycache__"];
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// Every text file of the repository: its path from the root, and its text.
fn files() -> Result<Vec<(PathBuf, String)>> {
    let (root, mut found) = (tools::root(), Vec::new());
    collect(&root, &root, &mut found)?;
    ensure!(
        found
            .iter()
            .any(|(path, _)| path == Path::new("tests/tests/hygiene.rs")),
        "this file was not found; the others were not either"
    );
    Ok(found)
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<(PathBuf, String)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if NOT_OURS.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(root, &path, found)?;
        } else if let Ok(text) = fs::read_to_string(&path) {
            found.push((path.strip_prefix(root)?.to_owned(), text));
        }
    }
    Ok(())
}

fn sources() -> Result<Vec<(PathBuf, String)>> {
    let mut files = files()?;
    files.retain(|(path, _)| path.extension().is_some_and(|ext| ext == "rs"));
    Ok(files)
}

/// Unit tests stand at the end of a file, in a module of their own.
fn lines_without_tests(text: &str) -> usize {
    let is_start = |(line, next): &(&str, &str)| {
        line.trim() == "#[cfg(test)]" && next.trim_start().starts_with("mod ")
    };
    let pairs = text.lines().zip(text.lines().skip(1));
    pairs.take_while(|pair| !is_start(pair)).count()
}

#[test]
fn no_source_file_is_too_long_to_read() {
    let in_tests = |path: &Path| path.components().any(|part| part.as_os_str() == "tests");
    let long: Vec<_> = sources()
        .unwrap()
        .into_iter()
        .filter(|(path, _)| !in_tests(path))
        .map(|(path, text)| (lines_without_tests(&text), path))
        .filter(|(lines, _)| *lines > LONGEST)
        .collect();
    assert!(long.is_empty(), "longer than {LONGEST} lines: {long:?}");
}

#[test]
fn unit_tests_do_not_count_as_length() {
    let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\n";
    assert_eq!(lines_without_tests(text), 2);
    assert_eq!(lines_without_tests("one\ntwo\nthree\n"), 2);
}

#[test]
fn a_lint_is_silenced_only_with_expect() {
    // Put together here, so that this file does not find itself.
    let words = ["#[", "#!["].map(|start| format!("{start}{}(", "allow"));
    let found: Vec<_> = sources()
        .unwrap()
        .into_iter()
        .filter(|(_, text)| words.iter().any(|word| text.contains(word)))
        .map(|(path, _)| path)
        .collect();
    assert!(found.is_empty(), "use #[expect(…, reason = …)]: {found:?}");
}

#[test]
fn no_file_names_a_folder_of_somebodys_machine() {
    let folders = ["home", "root", "Users", "work"].map(|name| format!("/{name}/"));
    let starts_path = |text: &str, at: usize| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || "\"'`(=:".contains(c))
    };
    let mut found = Vec::new();
    for (path, text) in files().unwrap() {
        for folder in &folders {
            let hit = text
                .match_indices(folder.as_str())
                .any(|(at, _)| starts_path(&text, at));
            if hit {
                found.push((path.clone(), folder));
            }
        }
    }
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_documents_are_there_and_their_links_lead_somewhere() {
    let root = tools::root();
    let missing: Vec<_> = DOCUMENTS
        .iter()
        .filter(|name| !root.join(name).is_file())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");

    let mut broken = Vec::new();
    for (path, text) in files().unwrap() {
        if path.extension().is_none_or(|ext| ext != "md") {
            continue;
        }
        let folder = root.join(&path).parent().unwrap().to_owned();
        for link in links(&text) {
            if !folder.join(&link).exists() {
                broken.push(format!("{} → {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The relative targets of `[text](target)`, without their anchors.
fn links(text: &str) -> Vec<String> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter_map(|link| link.split('#').next())
        .filter(|link| !link.is_empty() && !link.contains("://") && !link.contains(' '))
        .map(str::to_owned)
        .collect()
}

#[test]
fn links_are_found_and_anchors_are_cut() {
    let text = "[a](docs/a.md#top), [b](https://example.org/b), [c](#here) and [d](d.md).";
    assert_eq!(links(text), ["docs/a.md", "d.md"]);
}
