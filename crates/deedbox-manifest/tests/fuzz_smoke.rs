//! The fuzz targets' bodies on what lies in `vectors`, whole and with pieces changed: a short run without a fuzzer, on
//! the stable toolchain. `cargo fuzz` goes on from here.

mod fuzzed;

use std::{fs, path::Path};

use proptest::{prelude::*, sample::Index};

/// The second reader. Its numbers may be one step off, so numbers with many digits or an exponent are left out.
fn other(source: &[u8]) -> Option<Vec<u8>> {
    let value: serde_json::Value = serde_json::from_slice(source).ok()?;
    serde_json_canonicalizer::to_vec(&value).ok()
}

fn read(source: &[u8]) {
    let digits = source
        .split(|byte| !byte.is_ascii_digit())
        .map(<[u8]>::len)
        .max();
    let is_simple = digits < Some(8)
        && !source
            .windows(2)
            .any(|pair| pair[0].is_ascii_digit() && matches!(pair[1], b'e' | b'E' | b'.'));
    if is_simple {
        fuzzed::manifest_read(source, other);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let folders = ["", "jcs/input", "manifest-cases", "real-manifests"];
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).into_iter().flatten())
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    files
        .iter()
        .filter_map(|path| fs::read(path).ok())
        .collect()
}

#[test]
fn the_targets_hold_for_every_vector() {
    let seeds = seeds();
    assert!(seeds.len() > 80, "{}", seeds.len());
    for seed in &seeds {
        read(seed);
        fuzzed::manifest_check(seed);
    }
}

fn changed(index: Index, changes: &[(Index, Vec<u8>, usize)]) -> Vec<u8> {
    let seeds = seeds();
    let mut source = seeds[index.index(seeds.len())].clone();
    for (at, piece, cut) in changes {
        let at = at.index(source.len() + 1);
        let end = (at + cut).min(source.len());
        source.splice(at..end, piece.iter().copied());
    }
    source
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let tokens = [
        "",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "\\ud83d",
        "\\ude00",
        "null",
        "-0",
        "1e400",
        "0.1",
        "{\"a\":1,\"a\":2}",
        "e\u{301}",
        "\u{feff}",
        "0xAB",
        "https://",
        "\"type\":",
        "[[[[[[[[",
        "\"$ref\":\"#\",",
        "\"pattern\":\"(a+)+$\",",
        " ",
        "\n",
    ];
    prop_oneof![
        4 => prop::sample::select(tokens.to_vec()).prop_map(|token| token.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_targets_hold_for_broken_vectors(
        index: Index,
        changes in prop::collection::vec((any::<Index>(), piece(), 0..8_usize), 1..5),
    ) {
        let source = changed(index, &changes);
        read(&source);
        fuzzed::manifest_check(&source);
    }

    #[test]
    fn the_targets_hold_for_anything(source in prop::collection::vec(piece(), 0..30)) {
        let source = source.concat();
        read(&source);
        fuzzed::manifest_check(&source);
    }
}
