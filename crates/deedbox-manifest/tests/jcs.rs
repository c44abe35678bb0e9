//! The reference suite of RFC 8785: six documents and a thousand numbers (`vectors/jcs`, with their own licence).

use std::{fs, path::PathBuf};

use deedbox_manifest::{Document, Limits};

fn suite(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/vectors/jcs", path]
        .iter()
        .collect()
}

#[expect(clippy::expect_used, reason = "what cannot be read has failed")]
fn canonical(source: &[u8]) -> Vec<u8> {
    let document = Document::read(source, &Limits::MANIFEST).expect("the suite's texts are JSON");
    document.canonical()
}

#[test]
fn the_suites_documents_come_out_byte_for_byte() {
    let mut seen = 0;
    for entry in fs::read_dir(suite("input")).expect("the suite is there") {
        let path = entry.expect("a file").path();
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let input = fs::read(&path).expect("readable");
        let output = fs::read(suite(&format!("output/{stem}.json"))).expect("readable");
        let hex = fs::read_to_string(suite(&format!("outhex/{stem}.txt"))).expect("readable");
        let hex: Vec<u8> = hex
            .split_whitespace()
            .map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal"))
            .collect();

        let got = canonical(&input);
        assert_eq!(
            String::from_utf8_lossy(&got),
            String::from_utf8_lossy(&output),
            "{stem}"
        );
        assert_eq!(got, hex, "{stem}");
        assert_eq!(
            canonical(&output),
            output,
            "{stem}: canonical bytes are their own canonical form"
        );
        seen += 1;
    }
    assert_eq!(seen, 6);
}

#[test]
fn the_suites_thousand_numbers_print_as_ecmascript_prints_them_however_they_are_spelled() {
    let numbers = fs::read_to_string(suite("es6testfile1000.txt")).expect("readable");
    let mut seen = 0;
    for line in numbers.lines() {
        let (bits, text) = line.split_once(',').expect("bits, comma, text");
        let number = f64::from_bits(u64::from_str_radix(bits, 16).expect("hexadecimal"));
        // As the suite has it; with all its digits and no exponent; with an exponent; with more digits than count.
        for spelling in [
            text.to_owned(),
            format!("{number}"),
            format!("{number:E}"),
            format!("{number:.40e}"),
        ] {
            let document =
                Document::read(spelling.as_bytes(), &Limits::MANIFEST).expect("a number");
            assert_eq!(document.root().as_f64(), Some(number), "{spelling}");
            assert_eq!(
                String::from_utf8_lossy(&document.canonical()),
                text,
                "{spelling}"
            );
        }
        seen += 1;
    }
    assert_eq!(seen, 1000);
}
