//! Manifests that were written to harm whoever looks at them.

use std::path::PathBuf;

use super::{GOOD, check, home_with};
use crate::common::Home;

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
