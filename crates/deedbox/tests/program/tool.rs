//! `deedbox tool`: manifests at the command line.

use std::{fs, path::PathBuf};

use crate::common::{Done, Home};

/// A manifest that every rule is content with.
const GOOD: &str = r#"{
  "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
  "name": "Weather",
  "description": "Returns the weather of a place.",
  "endpoint": "https://weather.example/run",
  "inputs": {"type": "object", "properties": {"place": {"type": "string"}}},
  "outputs": {"type": "object"},
  "creatorAddress": "0xabcdefabcdef1234567890abcdefabcdef123456"
}
"#;

const CREATOR: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

fn home_with(name: &str, content: impl AsRef<[u8]>) -> Home {
    let home = Home::new();
    fs::write(home.path().join(name), content).unwrap();
    home
}

fn check(content: impl AsRef<[u8]>) -> Done {
    home_with("tool.json", content).run(&["tool", "check", "tool.json"])
}

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

#[test]
fn hash_prints_the_hash_alone_and_canonical_the_exact_bytes() {
    let spaced = format!(
        "  {}",
        GOOD.replace("\"name\": \"Weather\"", "\"name\" : \"We\\u0061ther\"")
    );
    let home = home_with("tool.json", spaced);
    let hash = home.run(&["tool", "hash", "tool.json"]).expect(0).out;
    assert_eq!(hash.len(), 2 + 64 + 1);
    let canonical = home.run(&["tool", "canonical", "tool.json"]).expect(0).out;
    assert!(
        canonical.starts_with("{\"creatorAddress\":\"0xabc"),
        "{canonical}"
    );
    assert!(canonical.ends_with('}'), "no line break is added");
    fs::write(home.path().join("again.json"), &canonical).unwrap();
    assert_eq!(
        home.run(&["tool", "hash", "again.json"]).expect(0).out,
        hash
    );
    let value = home.json(&["tool", "hash", "tool.json"]);
    assert_eq!(value["hash"], hash.trim_end());
    assert_eq!(value["canonicalLength"], canonical.len());
    assert_eq!(
        home.json(&["tool", "canonical", "tool.json"])["canonical"],
        canonical
    );
}

#[test]
fn the_hash_of_a_refused_manifest_is_printed_with_a_complaint_and_exit_code_1() {
    let home = home_with("tool.json", GOOD.replace("\"0xabc", "\"0xABC"));
    for command in ["hash", "canonical"] {
        let done = home.run(&["tool", command, "tool.json"]).expect(1);
        assert!(!done.out.is_empty());
        insta::allow_duplicates! {
            insta::assert_snapshot!(done.err, @r#"
            error: tool.json is refused for 1 reason, so nobody should register it
              `deedbox tool check` shows each of them.
            "#);
        }
        let done = home
            .run(&["tool", command, "tool.json", "--json"])
            .expect(1);
        let error = done.error();
        assert_eq!(error["code"], "manifest_refused");
        let finding = &error["findings"][0];
        assert_eq!(finding["rule"], "8257-2c-11");
        assert_eq!(
            (&finding["line"], &finding["column"]),
            (&8.into(), &24.into())
        );
        let done = home
            .run(&["tool", command, "none.json", "--json"])
            .expect(2);
        let error = done.error();
        assert_eq!(error["cause"], "No such file or directory (os error 2)");
    }
    let home = home_with("tool.json", "{\"a\": 1, \"a\": 2}");
    let error = home
        .run(&["tool", "hash", "tool.json", "--json"])
        .expect(1)
        .error();
    assert_eq!(
        (&error["code"], &error["rule"]),
        (&"bad_manifest".into(), &"8257-2c-17".into())
    );
    assert_eq!((&error["line"], &error["column"]), (&1.into(), &10.into()));
    let done = home.run(&["tool", "hash", "tool.json"]).expect(1);
    assert_eq!(done.out, "");
    insta::assert_snapshot!(done.err, @r#"
    error: tool.json cannot be read as a manifest: the name "a" is here a second time (first at byte 1)
       |
     1 | {"a": 1, "a": 2}
       |          ^^^
      8257-2c-17, ERC-8257 §2
      fix: Keep one of the two members.
    "#);
}

#[test]
fn a_hostile_manifest_controls_no_terminal() {
    let name = "\\u001b[2J\u{202e}\u{9b}31m\u{200b}";
    let hostile = GOOD
        .replace("Weather", name)
        .replace("\"place\"", "\"\u{1b}]0;owned\u{7}\"");
    for content in [
        hostile.into_bytes(),
        GOOD.replace("Weather", name).into_bytes(),
        [
            &b"{\"\x1b[2J"[..],
            &[0xff, 0xfe, 0xc3, 0x28],
            "\u{202e}\": 1}".as_bytes(),
        ]
        .concat(),
        b"\0\0{}".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
        b"\x1b[2J".to_vec(),
    ] {
        let home = home_with("tool.json", &content);
        for command in [&["check"][..], &["hash"], &["check", "--json"]] {
            let done = home.run(&[&["tool"], command, &["tool.json"]].concat());
            assert_eq!(done.code, 1, "{}{}", done.out, done.err);
            let raw = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{200b}".contains(c));
            assert!(
                !done.out.contains(raw) && !done.err.contains(raw),
                "{:?}{:?}",
                done.out,
                done.err
            );
        }
    }
}

#[test]
fn a_line_of_a_megabyte_is_cut_around_the_caret() {
    let padding = "\"x\": \"".to_owned() + &"é".repeat(400_000) + "\", ";
    let long = GOOD
        .replace('\n', " ")
        .replace("\"inputs\"", &format!("{padding}\"inputs\""))
        .replace("\"0xabc", "\"0xABC");
    let done = check(&long).expect(1);
    assert!(done.out.len() < 4000, "{} bytes", done.out.len());
    assert!(
        done.out.contains("\"creatorAddress\": \"0xABC"),
        "{}",
        done.out
    );
}

#[test]
fn a_file_over_a_mebibyte_is_refused_without_being_read_whole() {
    let done = check(" ".repeat(3 << 20)).expect(1);
    assert!(done.out.contains("more than 1048576 bytes"), "{}", done.out);
    // One that never ends.
    if PathBuf::from("/dev/zero").exists() {
        Home::new().run(&["tool", "check", "/dev/zero"]).expect(1);
    }
}

#[test]
fn the_vectors_of_the_standard_have_their_hashes() {
    let vectors = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../deedbox-manifest/tests/vectors"
    ));
    let table = fs::read_to_string(vectors.join("manifest-cases.tsv")).unwrap();
    let mut count = 0;
    for row in table.lines().skip(1) {
        let mut columns = row.split('\t');
        let (file, verdict, hash) = (
            columns.next().unwrap(),
            columns.next().unwrap(),
            columns.next().unwrap(),
        );
        let path = vectors.join("manifest-cases").join(file);
        let code = i32::from(verdict == "refused");
        let done = Home::new()
            .run(&["tool", "check", path.to_str().unwrap(), "--json"])
            .expect(code);
        let value = done.json();
        if hash != "-" {
            assert_eq!(value["files"][0]["hash"], hash, "{file}");
        }
        let has_warning = value["files"][0]["verdict"] == "valid_with_warnings";
        assert_eq!(has_warning, verdict == "valid+warning", "{file}: {value}");
        count += 1;
    }
    assert!(count >= 37, "{count}");
}

/// As [`GOOD`], with everything in it that an author may mend without thinking.
fn odd() -> String {
    let odd = GOOD
        .replace("Weather\"", "Cafe\u{301}\"")
        .replace(
            "https://weather.example/run",
            "HTTPS://Weather.example:443/Run",
        )
        .replace("0xabc", "0xABC");
    format!("\u{feff}{odd}")
}

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

#[test]
fn normalize_prints_the_manifest_and_says_on_standard_error_what_changed_and_why() {
    let home = home_with("tool.json", odd());
    let done = home.run(&["tool", "normalize", "tool.json"]).expect(0);
    insta::assert_snapshot!(done.err, @r#"
    tool.json:1:1: removed the byte-order mark (8257-2c-08)
      - ⟨U+FEFF⟩
      +
    tool.json:3:11 (/name): composed (NFC) (8257-2c-05)
      - "Cafe⟨U+0301⟩"
      + "Caf⟨U+00E9⟩"
    tool.json:5:15 (/endpoint): wrote scheme and host in lower case (8257-6-08); left out port 443 (8257-6-09)
      - "HTTPS://Weather.example:443/Run"
      + "https://weather.example/Run"
    tool.json:8:21 (/creatorAddress): wrote hexadecimal digits in lower case (8257-2c-10)
      - "0xABCdefabcdef1234567890abcdefabcdef123456"
      + "0xabcdefabcdef1234567890abcdefabcdef123456"
    The hash was 0xc91d3ba955c9d0db008c27d989576d77957c783c022a8dc66ad35fdda35b82fd
          and is 0xeba12e2f5756cc82545a900d159fb9f067bdcc81a36895d7e14d4844b9c38066
    "#);
    let expected = GOOD
        .replace("Weather\"", "Caf\u{e9}\"")
        .replace("example/run", "example/Run");
    assert_eq!(done.out, expected, "every other byte is as it was");
    assert_eq!(
        fs::read_to_string(home.path().join("tool.json")).unwrap(),
        odd()
    );
    let diff = home
        .run(&["tool", "normalize", "--diff", "tool.json"])
        .expect(0);
    assert_eq!((diff.out, diff.err.as_str()), (done.err, ""));
    let value = home.json(&["tool", "normalize", "tool.json"]);
    assert_eq!(value["text"], expected);
    assert_eq!(value["edits"].as_array().unwrap().len(), 4);
    assert_eq!(value["edits"][1]["line"], 3);
    assert_ne!(value["hashBefore"], value["hashAfter"]);
}

#[test]
fn normalize_check_ends_with_1_until_write_has_changed_the_file() {
    let home = home_with("tool.json", odd());
    let done = home
        .run(&["tool", "normalize", "--check", "tool.json"])
        .expect(1);
    assert!(done.out.contains("tool.json:3:11 (/name)"), "{}", done.out);
    let done = home
        .run(&["tool", "normalize", "--write", "tool.json"])
        .expect(0);
    assert!(done.out.ends_with("\nWrote tool.json.\n"), "{}", done.out);
    let again = home
        .run(&["tool", "normalize", "--write", "tool.json"])
        .expect(0);
    assert!(!again.out.contains("Wrote"), "{}", again.out);
    let done = home
        .run(&["tool", "normalize", "--check", "tool.json"])
        .expect(0);
    assert_eq!(done.out, "tool.json: nothing to change\n");
    home.run(&["tool", "check", "--strict", "tool.json"])
        .expect(0);
    assert_eq!(
        fs::read_dir(home.path()).unwrap().count(),
        1,
        "nothing else is left behind"
    );
    home.run(&["tool", "normalize", "--check", "--write", "tool.json"])
        .expect(2);
    home.run_with(&["tool", "normalize", "--write", "-"], &[], GOOD)
        .expect(2);
}

#[cfg(unix)]
#[test]
fn normalize_write_keeps_permissions_and_the_link_that_leads_to_the_file() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = home_with("tool.json", odd());
    let file = home.path().join("tool.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("tool.json", home.path().join("link.json")).unwrap();
    home.run(&["tool", "normalize", "--write", "link.json"])
        .expect(0);
    assert!(
        fs::symlink_metadata(home.path().join("link.json"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert!(!fs::read_to_string(&file).unwrap().contains("0xABC"));
}

#[test]
fn normalize_refuses_what_is_not_json_and_shows_the_place() {
    let home = home_with("tool.json", "\u{feff}{\"a\": 01}");
    for mode in [&[][..], &["--write"], &["--check"], &["--diff"]] {
        let done = home
            .run(&[&["tool", "normalize", "tool.json"], mode].concat())
            .expect(1);
        assert_eq!(done.out, "");
        assert!(done.err.contains("no zeros at the front"), "{}", done.err);
        let json = [&["tool", "normalize", "tool.json", "--json"], mode].concat();
        assert_eq!(home.run(&json).expect(1).error()["code"], "bad_manifest");
    }
}

/// A device would be gone, and whoever reads a pipe would wait for ever.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_never_replaced() {
    use std::os::unix::{fs::symlink, net::UnixListener};
    let home = Home::new();
    let _socket = UnixListener::bind(home.path().join("socket")).unwrap();
    fs::create_dir(home.path().join("folder")).unwrap();
    symlink("nowhere", home.path().join("link")).unwrap();
    for (name, said) in [
        ("socket", "no regular file"),
        ("folder", "no regular file"),
        ("link", "leads nowhere"),
    ] {
        let done = home.run(&["tool", "init", name, "--force"]).expect(3);
        assert!(done.err.contains(said), "{name}: {}", done.err);
        let is_file = fs::symlink_metadata(home.path().join(name)).unwrap();
        assert!(!is_file.is_file(), "{name} was replaced");
    }
}

#[cfg(unix)]
#[test]
fn a_file_with_two_names_stays_one_file() {
    let home = home_with("tool.json", GOOD.replace("0xab", "0xAB"));
    let [one, other] = ["tool.json", "other.json"].map(|name| home.path().join(name));
    fs::hard_link(&one, &other).unwrap();
    home.run(&["tool", "normalize", "--write", "tool.json"])
        .expect(0);
    assert_eq!(fs::read_to_string(&one).unwrap(), GOOD);
    assert_eq!(fs::read_to_string(&other).unwrap(), GOOD);
}

/// The rows of the tables of fields in the guide that have an example: the path (`/access/requirements/0/kind`), whether
/// the field is required, and the example.
fn fields_of_the_guide() -> Vec<(String, bool, serde_json::Value)> {
    let page = include_str!("../../../../docs/manifests.md");
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
