//! `deedbox tool hash` and `canonical`.

use std::{fs, path::PathBuf};

use super::{GOOD, home_with};
use crate::common::Home;

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
