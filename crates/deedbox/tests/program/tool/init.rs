//! `deedbox tool init`, and the guide for authors.

use std::fs;

use super::{check, home_with};
use crate::common::Home;

const CREATOR: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

#[test]
fn init_writes_a_manifest_that_lacks_only_what_was_not_said() {
    let home = Home::new();
    let done = home.run(&["tool", "init"]).expect(0);
    insta::assert_snapshot!(done.out, @r#"
    Wrote tool.json. These are examples still; put in your own:
      name, description, endpoint, tags, inputs, outputs, creatorAddress (the address that will register it)
    Then:
      deedbox tool check tool.json
    "#);
    let value = home.json(&[
        "tool",
        "init",
        "said.json",
        "--name",
        "W",
        "--creator",
        CREATOR,
    ]);
    assert_eq!(
        value["missing"],
        serde_json::json!(["description", "endpoint", "tags", "inputs", "outputs"])
    );
    let checked = home
        .run(&["tool", "check", "tool.json", "--json"])
        .expect(1)
        .json();
    let findings = checked["files"][0]["findings"].as_array().unwrap();
    let pointers: Vec<_> = findings
        .iter()
        .map(|one| one["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/creatorAddress"]);

    let all = [
        "--name",
        "W \"1\"",
        "--endpoint",
        "https://w.example/run",
        "--creator",
        CREATOR,
    ];
    home.run(&[&["tool", "init", "whole.json"], &all[..]].concat())
        .expect(0);
    home.run(&["tool", "check", "--strict", "whole.json"])
        .expect(0);
    let printed = home
        .run(&[&["tool", "init", "-"], &all[..]].concat())
        .expect(0)
        .out;
    assert_eq!(
        printed,
        fs::read_to_string(home.path().join("whole.json")).unwrap()
    );
}

#[test]
fn init_overwrites_nothing_unless_it_is_told_to() {
    let home = home_with("tool.json", "mine");
    let done = home.run(&["tool", "init"]).expect(2);
    insta::assert_snapshot!(done.err, @r#"
    error: tool.json exists already
      Choose another name, or overwrite it with --force.
    "#);
    assert_eq!(
        fs::read_to_string(home.path().join("tool.json")).unwrap(),
        "mine"
    );
    home.run(&["tool", "init", "--force"]).expect(0);
    assert_ne!(
        fs::read_to_string(home.path().join("tool.json")).unwrap(),
        "mine"
    );
    assert_eq!(
        fs::read_dir(home.path()).unwrap().count(),
        1,
        "nothing else is left behind"
    );
    let done = home
        .run(&["tool", "init", "no/such/folder.json", "--json"])
        .expect(3);
    let error = done.error();
    assert_eq!(error["code"], "cannot_write");
    assert_eq!(error["cause"], "No such file or directory (os error 2)");
    let done = home.run(&["tool", "init", "tool.json/x.json"]).expect(3);
    assert!(!done.err.contains(".tmp"), "{}", done.err);
}

#[test]
fn init_refuses_an_argument_that_the_rules_would_refuse() {
    let home = Home::new();
    for (flag, value, said) in [
        ("--endpoint", "http://weather.example", "https://"),
        ("--name", "", "empty"),
        ("--creator", "0x12", "40 hex digits"),
    ] {
        let done = home.run(&["tool", "init", flag, value]).expect(2);
        assert!(
            done.err.contains(flag) && done.err.contains(said),
            "{}",
            done.err
        );
        assert!(!home.path().join("tool.json").exists());
    }
}

/// The rows of the tables of fields in the guide that have an example: the path (`/access/requirements/0/kind`), whether
/// the field is required, and the example.
fn fields_of_the_guide() -> Vec<(String, bool, serde_json::Value)> {
    let page = include_str!("../../../../../docs/manifests.md");
    let chapter = page.split("\n## All fields\n").nth(1).unwrap();
    let chapter = chapter.split("\n## ").next().unwrap();
    let mut above = "";
    let mut fields = Vec::new();
    for line in chapter.lines() {
        match line {
            _ if line.starts_with("An entry of `pricing`") => above = "/pricing/0",
            _ if line.starts_with("`access`") => above = "/access",
            _ if line.starts_with("`verifiability`") => above = "/verifiability",
            _ => {}
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, _, required, _, _, example, _] = cells[..] else {
            continue;
        };
        if !name.starts_with('`') || !example.starts_with('`') {
            continue;
        }
        let value = serde_json::from_str(example.trim_matches('`')).expect(line);
        let name = name.trim_matches('`').replace("[].", "/0/");
        let path = format!("{above}/{}", name.replace('.', "/"));
        fields.push((path, required == "yes", value));
    }
    fields
}

#[test]
fn the_examples_of_the_guide_make_one_manifest_that_nothing_is_found_in() {
    let fields = fields_of_the_guide();
    assert_eq!(fields.len(), 34);
    let mut whole = serde_json::json!({
        "pricing": [{}],
        "access": {"requirements": [{}]},
        "verifiability": {"attestation": {}, "reproducibleBuild": {}},
    });
    for (path, _, value) in &fields {
        let (above, name) = path.rsplit_once('/').unwrap();
        whole.pointer_mut(above).unwrap()[name] = value.clone();
    }
    let home = home_with("tool.json", whole.to_string());
    let done = home
        .run(&["tool", "check", "--strict", "tool.json", "--json"])
        .expect(0);
    let file = &done.json()["files"][0];
    assert_eq!(file["findings"], serde_json::json!([]));
    assert_eq!(file["effectiveTier"], "verifiable");
    assert_eq!(file["maxAge"], 3600);

    for (path, is_required, _) in &fields {
        let (above, name) = path.rsplit_once('/').unwrap();
        let mut without = whole.clone();
        let object = without.pointer_mut(above).unwrap();
        object.as_object_mut().unwrap().remove(name);
        let done = check(without.to_string());
        assert_eq!(done.code, i32::from(*is_required), "{path}\n{}", done.out);
    }
}
