//! `deedbox tool check`: what is wrong with a manifest, and with its registration.

use std::fs;

use super::{GOOD, check, home_with};
use crate::common::Home;

#[test]
fn a_valid_manifest_is_told_so_with_its_hash_and_tier() {
    let done = check(GOOD).expect(0);
    insta::assert_snapshot!(done.out, @r#"
    Valid: tool.json
      hash            0xd00835f5862c1e17ee14b50511e94ffd4d5031c98dd054ac40b6a869e0f2377c (331 canonical bytes)
      creator         0xabcdefabcdef1234567890abcdefabcdef123456
      origin          https://weather.example
      effective tier  self-attested (none is declared)
      price           not stated, which is not the same as free
    "#);
    assert_eq!(done.err, "");
}

#[test]
fn every_finding_is_shown_in_its_place_with_its_rule_and_what_to_do() {
    let bad = GOOD
        .replace("\"Weather\"", "\"\"")
        .replace(
            "https://weather.example/run",
            "https://Weather.example:443/run",
        )
        .replace("\"0xabc", "\"0xABC");
    let done = check(&bad).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Refused: tool.json (4 faults)
      hash            0x2c928d8831b7875dea7ebe3fd3bc15f7ab05e75fc88dad72828c2007a8978c6f (328 canonical bytes; nobody should register it)
      origin          https://weather.example
      effective tier  self-attested (none is declared)
      price           not stated, which is not the same as free

    refused: name is empty
     --> tool.json:3:11 (/name)
       |
     3 |   "name": "",
       |           ^^
       8257-2-04, ERC-8257 §2
       fix: Write 1 to 128 characters.

    refused: endpoint has capital letters in its scheme or host
     --> tool.json:5:24 (/endpoint)
       |
     5 |   "endpoint": "https://Weather.example:443/run",
       |                        ^^^^^^^^^^^^^^^
       8257-2-08, ERC-8257 §2
       fix: Write the scheme and the host in lower case.

    refused: endpoint names port 443, the default of https
     --> tool.json:5:39 (/endpoint)
       |
     5 |   "endpoint": "https://Weather.example:443/run",
       |                                       ^^^^
       8257-2-08, ERC-8257 §2
       fix: Leave out :443, which https has anyway.

    refused: creatorAddress has capital letters in its hexadecimal digits
     --> tool.json:8:24 (/creatorAddress)
       |
     8 |   "creatorAddress": "0xABCdefabcdef1234567890abcdefabcdef123456"
       |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       8257-2c-11, ERC-8257 §2
       fix: Write it in lower case; that changes the hash, so register it again.
    "#);
}

#[test]
fn what_is_not_json_is_refused_with_the_place() {
    let done = check("{\n  \"name\": \"x\",\n}\n").expect(1);
    insta::assert_snapshot!(done.out, @r#"
    Refused: tool.json (1 fault)

    refused: JSON has no comma before a closing bracket
     --> tool.json:2:14
       |
     2 |   "name": "x",
       |              ^
       8257-2c-02, ERC-8257 §2
       fix: Remove the comma.
    "#);
    let done = check("").expect(1);
    assert!(done.out.starts_with("Refused: tool.json"), "{}", done.out);
}

#[test]
fn values_that_a_manifest_fills_in_are_listed() {
    let filled = GOOD.replace(
        "{\"type\": \"string\"}",
        "{\"type\": \"string\", \"default\": \"Berlin\\u202e\"}, \"unit\": {\"const\": \"K\"}",
    );
    let done = check(&filled).expect(0);
    let listed = done.out.split("Values that").nth(1).unwrap();
    insta::assert_snapshot!(listed, @r#"
    it fills in for its callers, who have to be shown them:
     line 6: place = "Berlin⟨U+202E⟩" (default; shown and confirmed)
     line 6: unit = "K" (const; shown and acknowledged)
    "#);
}

#[test]
fn strict_refuses_for_a_warning() {
    let home = home_with(
        "tool.json",
        GOOD.replace(
            "\"outputs\"",
            "\"org.example.x\": 9007199254740993, \"outputs\"",
        ),
    );
    let done = home.run(&["tool", "check", "tool.json"]).expect(0);
    assert!(
        done.out
            .starts_with("Valid, with warnings: tool.json (1 warning)"),
        "{}",
        done.out
    );
    let done = home
        .run(&["tool", "check", "--strict", "tool.json"])
        .expect(1);
    assert!(
        done.out
            .starts_with("Refused because of --strict: tool.json"),
        "{}",
        done.out
    );
    let done = home
        .run(&["tool", "check", "--strict", "tool.json", "--json"])
        .expect(1);
    let value = done.json();
    assert_eq!(value["verdict"], "refused");
    assert_eq!(value["files"][0]["verdict"], "refused");
    assert_eq!(value["files"][0]["byItself"], "valid_with_warnings");
    assert_eq!(value["files"][0]["findings"][0]["severity"], "warning");
}

#[test]
fn several_files_are_all_checked_and_one_that_cannot_be_read_ends_with_2() {
    let home = home_with("good.json", GOOD);
    fs::write(home.path().join("bad.json"), "{}").unwrap();
    let done = home
        .run(&["tool", "check", "none.json", "good.json", "bad.json"])
        .expect(2);
    assert!(done.out.contains("Valid: good.json"), "{}", done.out);
    assert!(done.out.contains("Refused: bad.json"), "{}", done.out);
    insta::assert_snapshot!(done.err, @r#"
    error: none.json cannot be read
      because: No such file or directory (os error 2)
    "#);
    let done = home
        .run(&["tool", "check", "good.json", "bad.json", "--json"])
        .expect(1);
    let value = done.json();
    assert_eq!(value["verdict"], "refused");
    assert_eq!(value["files"][0]["verdict"], "valid");
    let finding = &value["files"][1]["findings"][0];
    assert_eq!(finding["severity"], "refused");
    assert_eq!(
        (finding["line"].as_u64(), finding["column"].as_u64()),
        (Some(1), Some(2))
    );
    let done = home
        .run(&["tool", "check", "none.json", "good.json", "--json"])
        .expect(2);
    let value = done.json();
    assert_eq!(value["verdict"], "unreadable");
    let (unread, read) = (&value["files"][0], &value["files"][1]);
    let members = |one: &serde_json::Value| -> Vec<String> {
        one.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(members(unread), members(read), "one shape for every file");
    assert_eq!(unread["file"], "none.json");
    assert_eq!(unread["verdict"], "unreadable");
    assert_eq!(unread["findings"], serde_json::json!([]));
    assert_eq!(unread["error"]["code"], "cannot_read");
    assert_eq!(
        unread["error"]["cause"],
        "No such file or directory (os error 2)"
    );
    assert_eq!(read["error"], serde_json::Value::Null);
    assert_eq!(done.error(), unread["error"]);
    home.run(&["tool", "check", "."]).expect(2);
    home.run(&["tool", "check"]).expect(2);
}

#[test]
fn standard_input_is_checked_like_a_file() {
    let home = Home::new();
    let done = home.run_with(&["tool", "check", "-"], &[], GOOD).expect(0);
    assert!(
        done.out.starts_with("Valid: standard input"),
        "{}",
        done.out
    );
    let done = home.run_with(&["tool", "hash", "-"], &[], GOOD).expect(0);
    let from_input = done.out;
    let home = home_with("tool.json", GOOD);
    assert_eq!(
        home.run(&["tool", "hash", "tool.json"]).expect(0).out,
        from_input
    );
}

#[test]
fn a_manifest_is_compared_with_its_registration() {
    let home = home_with("tool.json", GOOD);
    let hash = home
        .run(&["tool", "hash", "tool.json"])
        .expect(0)
        .out
        .trim_end()
        .to_owned();
    let uri = "https://weather.example/.well-known/ai-tool/weather.json";
    let right = [
        "--metadata-uri",
        uri,
        "--hash",
        &hash,
        "--creator",
        "0xabcdefabcdef1234567890abcdefabcdef123456",
    ];
    let check = ["tool", "check", "tool.json"];
    let done = home.run(&[&check[..], &right].concat()).expect(0);
    assert_eq!(done.out.matches("passed check").count(), 3, "{}", done.out);
    for (flag, value, failed) in [
        (
            "--metadata-uri",
            "https://other.example/.well-known/ai-tool/weather.json",
            "check 2",
        ),
        ("--hash", &format!("0x{}", "1".repeat(64)), "check 3"),
        (
            "--creator",
            "0x1111111111111111111111111111111111111111",
            "check 4",
        ),
    ] {
        let done = home.run(&[&check[..], &[flag, value]].concat()).expect(1);
        assert!(
            done.out
                .starts_with("Valid by itself, but not as it is registered"),
            "{}",
            done.out
        );
        assert!(
            done.out.contains(&format!("failed {failed}")),
            "{}",
            done.out
        );
        let value = home
            .run(&[&check[..], &[flag, value, "--json"]].concat())
            .expect(1)
            .json();
        assert_eq!(value["verdict"], "refused");
        assert_eq!(value["files"][0]["verdict"], "refused");
        assert_eq!(value["files"][0]["byItself"], "valid");
        assert_eq!(value["files"][0]["registration"][0]["passed"], false);
    }
    // As Rootstock (chain 30) writes an address.
    let other = "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD";
    let done = home
        .run(&[&check[..], &["--creator", other]].concat())
        .expect(1);
    assert!(done.out.contains("failed check 4"), "{}", done.out);
    home.run(&[&check[..], &["--hash", "0x12"]].concat())
        .expect(2);
    let done = home
        .run(&[&check[..], &["--creator", "0x12"]].concat())
        .expect(2);
    assert!(done.err.contains("expected 40 hex digits"), "{}", done.err);
    home.run(&[&check[..], &["tool.json", "--hash", &hash]].concat())
        .expect(2);
}

#[test]
fn nothing_on_standard_input_is_told_so_and_reading_it_twice_is_bad_usage() {
    let home = Home::new();
    let done = home.run_with(&["tool", "check", "-"], &[], "").expect(1);
    assert!(
        done.out
            .contains("refused: nothing came in on standard input"),
        "{}",
        done.out
    );
    assert!(done.out.contains("curl says so with -fsS"), "{}", done.out);
    for command in ["hash", "canonical", "normalize"] {
        let done = home.run_with(&["tool", command, "-"], &[], "").expect(1);
        assert!(done.err.contains("nothing came in"), "{}", done.err);
    }
    let done = home
        .run_with(&["tool", "check", "-", "-"], &[], GOOD)
        .expect(2);
    assert_eq!(done.out, "");
    assert!(done.err.contains("name - once"), "{}", done.err);
    assert!(check("").expect(1).out.contains("the file is empty"));
}
