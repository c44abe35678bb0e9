use std::fs;

use serde::Deserialize;
use serde_json::json;

use super::*;

/// A text of `tests/data/hostile_names.json`, which other rooms' tests use, too.
#[derive(Deserialize)]
struct Hostile {
    what: String,
    hex: String,
    /// How many times `hex`.
    #[serde(default = "once")]
    repeat: usize,
    bytes32: bool,
    flags: Vec<Flag>,
    truncated: bool,
}

fn once() -> usize {
    1
}

impl Hostile {
    fn bytes(&self) -> Vec<u8> {
        HEXLOWER
            .decode(self.hex.as_bytes())
            .unwrap()
            .repeat(self.repeat)
    }
}

fn corpus() -> Vec<Hostile> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hostile_names.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn each_hostile_name_is_capped_and_flagged() {
    let mut wrong = Vec::new();
    for name in corpus() {
        let bytes = name.bytes();
        let read = UntrustedText::read(&bytes, name.bytes32);
        let kept = &bytes[..bytes.len().min(1024)];
        assert_eq!(
            read.raw_hex,
            format!("0x{}", HEXLOWER.encode(kept)),
            "{}",
            name.what
        );
        assert!(read.text.chars().count() <= 256, "{}", name.what);
        if (&read.flags, read.truncated) != (&name.flags, name.truncated) {
            let (flags, truncated) = (read.flags, read.truncated);
            wrong.push(format!("{}: {flags:?}, truncated: {truncated}", name.what));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn text_that_is_utf8_and_short_is_kept_as_it_is() {
    for name in corpus().into_iter().filter(|name| !name.bytes32) {
        let bytes = name.bytes();
        if let Ok(text) = str::from_utf8(&bytes) {
            // NUL alone is replaced: no database's text can hold it.
            let text = text.replace('\0', "\u{fffd}");
            let kept: String = text.chars().take(256).collect();
            let limit = kept.len().min(1024);
            assert!(
                UntrustedText::read(&bytes, false)
                    .text
                    .starts_with(&kept[..kept.floor_char_boundary(limit)]),
                "{}",
                name.what
            );
        }
    }
}

#[test]
fn zeros_at_the_end_belong_to_a_bytes32_and_not_to_a_string() {
    let bytes = *b"MKR\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    assert_eq!(UntrustedText::read(&bytes, true).text, "MKR");
    let string = UntrustedText::read(&bytes, false);
    assert_eq!(
        (string.text.chars().count(), &string.flags[..]),
        (32, &[Flag::Control][..])
    );
}

/// 1,024 bytes end within the 342nd character of three bytes; a text that ends there itself is broken.
#[test]
fn what_the_cap_cuts_in_two_is_no_fault_of_the_text() {
    let text = "円".repeat(400).into_bytes();
    assert_eq!(UntrustedText::read(&text, false).flags, []);
    assert_eq!(
        UntrustedText::read(&text[..1024], false).flags,
        [Flag::InvalidUtf8]
    );
    let broken = [&text[..1023], b"\xff", b"more"].concat();
    assert_eq!(
        UntrustedText::read(&broken, false).flags,
        [Flag::InvalidUtf8]
    );
}

#[test]
fn a_long_text_is_cut_between_characters() {
    let read = UntrustedText::read("é".repeat(257).as_bytes(), false);
    assert_eq!((read.text, read.truncated), ("é".repeat(256), true));
    let read = UntrustedText::read("é".repeat(256).as_bytes(), false);
    assert_eq!((read.text, read.truncated), ("é".repeat(256), false));
}

#[test]
fn broken_bytes_are_replaced_one_by_one() {
    let read = UntrustedText::read(b"a\xff\xfeb\xe2\x82", false);
    assert_eq!(read.text, "a\u{fffd}\u{fffd}b\u{fffd}");
}

#[test]
fn it_is_written_as_it_is_documented() {
    let read = UntrustedText::read("US\u{200b}D\u{421}".as_bytes(), false);
    let expected = json!({
        "text": "US\u{200b}D\u{421}",
        "truncated": false,
        "flags": ["zero_width", "mixed_script", "confusable"],
        "raw_hex": "0x5553e2808b44d0a1",
    });
    assert_eq!(serde_json::to_value(read).unwrap(), expected);
}
