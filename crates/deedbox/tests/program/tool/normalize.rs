//! `deedbox tool normalize`: what an author may mend without thinking.

use std::fs;

use super::{GOOD, home_with};
use crate::common::Home;

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
