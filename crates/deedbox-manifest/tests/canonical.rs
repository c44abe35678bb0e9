//! Canonical bytes and the hash: properties, a second canonicaliser on the same documents, known hashes.

use deedbox_manifest::{Document, Hash, Limits, Value};
use proptest::{collection::vec, prelude::*};

/// A JSON value without a spelling.
#[derive(Clone, Debug)]
enum Json {
    Word(Option<bool>),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

fn text() -> impl Strategy<Value = String> {
    let c = prop_oneof![
        4 => prop::char::range(' ', '~'),
        2 => prop::char::range('\0', '\u{1f}'),
        2 => any::<char>(),
        1 => prop::sample::select(vec!['"', '\\', '/', '\u{7f}', '\u{80}', '\u{2028}', '\u{d7ff}', '\u{e000}', '\u{fb33}', '\u{ffff}', '\u{10000}', '😀']),
    ];
    vec(c, 0..20).prop_map(String::from_iter)
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("JSON has no other", |n| n.is_finite()),
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("JSON has no other", |n| n.is_finite()),
        any::<i32>().prop_map(f64::from),
        (any::<i64>(), -30..30_i32).prop_map(|(n, e)| n as f64 * 10_f64.powi(e)),
        Just(-0.0),
    ]
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<Option<bool>>().prop_map(Json::Word),
        number().prop_map(Json::Number),
        text().prop_map(Json::String),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Json::Array),
            prop::collection::btree_map(text(), inner, 0..8)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// Choices among spellings, drawn from a seed.
struct Hand(u64);

impl Hand {
    fn draw(&mut self, choices: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % choices
    }

    fn space(&mut self, out: &mut String) {
        while self.draw(3) == 0 {
            out.push([' ', '\n', '\r', '\t'][self.draw(4)]);
        }
    }

    fn string(&mut self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            let short = match c {
                '"' | '\\' | '/' => Some(c),
                '\u{8}' => Some('b'),
                '\u{c}' => Some('f'),
                '\n' => Some('n'),
                '\r' => Some('r'),
                '\t' => Some('t'),
                _ => None,
            };
            let must = matches!(c, '"' | '\\' | '\0'..='\u{1f}');
            match (short, self.draw(4)) {
                (Some(short), 0 | 1) => out.extend(['\\', short]),
                (_, 2..) if !must => out.push(c),
                (_, style) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        if style == 0 {
                            out.push_str(&format!("\\u{unit:04x}"));
                        } else {
                            out.push_str(&format!("\\u{unit:04X}"));
                        }
                    }
                }
            }
        }
        out.push('"');
    }

    fn number(&mut self, number: f64, out: &mut String) {
        out.push_str(&match self.draw(4) {
            0 => format!("{number}"),
            1 => format!("{number:e}"),
            2 => format!("{number:.30E}"),
            _ => format!("{number:e}").replace('e', "E+").replace("+-", "-"),
        });
    }

    fn write(&mut self, json: &Json, out: &mut String) {
        self.space(out);
        match json {
            Json::Word(None) => out.push_str("null"),
            Json::Word(Some(value)) => out.push_str(&value.to_string()),
            Json::Number(number) => self.number(*number, out),
            Json::String(text) => self.string(text, out),
            Json::Array(elements) => {
                out.push('[');
                for (i, element) in elements.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    self.write(element, out);
                }
                self.space(out);
                out.push(']');
            }
            Json::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                out.push('{');
                let mut separator = "";
                while !members.is_empty() {
                    let (name, value) = members.swap_remove(self.draw(members.len()));
                    out.push_str(separator);
                    separator = ",";
                    self.space(out);
                    self.string(name, out);
                    self.space(out);
                    out.push(':');
                    self.write(value, out);
                }
                self.space(out);
                out.push('}');
            }
        }
        self.space(out);
    }
}

fn spell(json: &Json, seed: u64) -> String {
    let mut out = String::new();
    Hand(seed).write(json, &mut out);
    out
}

/// The same value for the other canonicaliser. It does not read the spelling, so it shares nothing with our reader.
fn to_serde(json: &Json) -> serde_json::Value {
    match json {
        Json::Word(None) => serde_json::Value::Null,
        Json::Word(Some(value)) => (*value).into(),
        Json::Number(number) => (*number).into(),
        Json::String(text) => text.as_str().into(),
        Json::Array(elements) => elements.iter().map(to_serde).collect(),
        Json::Object(members) => members
            .iter()
            .map(|(n, v)| (n.clone(), to_serde(v)))
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn another_canonicaliser_gives_the_same_bytes(json in json(), seed: u64) {
        let source = spell(&json, seed);
        let document = Document::read(source.as_bytes(), &Limits::MANIFEST).expect("JSON");
        let theirs = serde_json_canonicalizer::to_vec(&to_serde(&json)).expect("it takes every value");
        let ours = document.canonical();
        prop_assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs), "{}", source);
        let digest = document.digest();
        prop_assert_eq!(digest.hash, Hash::of(&theirs));
        prop_assert_eq!(digest.canonical_len, theirs.len());
    }

    #[test]
    fn order_space_and_spelling_never_change_the_hash(json in json(), a: u64, b: u64) {
        let (a, b) = (spell(&json, a), spell(&json, b));
        let read = |source: &str| Document::read(source.as_bytes(), &Limits::MANIFEST).expect("JSON").digest();
        prop_assert_eq!(read(&a), read(&b), "{} {}", a, b);
    }

    #[test]
    fn canonical_bytes_are_their_own_canonical_form(json in json(), seed: u64) {
        let source = spell(&json, seed);
        let once = Document::read(source.as_bytes(), &Limits::MANIFEST).expect("JSON").canonical();
        let again = Document::read(&once, &Limits::MANIFEST).expect("canonical bytes are JSON");
        prop_assert_eq!(again.canonical(), once.clone());
        prop_assert_eq!(again.notes().filter(|n| n.kind == deedbox_manifest::NoteKind::Inexact).count(), 0);
    }

    #[test]
    fn every_value_is_canonical_by_itself_as_within_the_whole(json in json(), seed: u64) {
        let source = spell(&json, seed);
        let document = Document::read(source.as_bytes(), &Limits::MANIFEST).expect("JSON");
        let whole = document.canonical();
        let mut todo = vec![document.root()];
        while let Some(value) = todo.pop() {
            let part = value.canonical();
            prop_assert!(whole.windows(part.len()).any(|window| window == part));
            todo.extend(value.elements().into_iter().flatten());
            for member in value.members().into_iter().flatten() {
                prop_assert_eq!(value.get(member.name).map(Value::span), Some(member.value.span()));
                todo.push(member.value);
            }
        }
    }

    /// Whatever the bytes are, reading ends, and an error's place is in them.
    #[test]
    fn no_bytes_disturb_the_reader(json in json(), seed: u64, at: prop::sample::Index, byte: u8) {
        let mut source = spell(&json, seed).into_bytes();
        if !source.is_empty() {
            let at = at.index(source.len());
            source[at] = byte;
        }
        let ours = Document::read(&source, &Limits::MANIFEST);
        let theirs = serde_json::from_slice::<serde_json::Value>(&source);
        match (ours, theirs) {
            // What we read, the other reads; what it reads and we do not has a name twice.
            (Ok(document), Ok(_)) => {
                let again = document.canonical();
                let again = Document::read(&again, &Limits::MANIFEST).expect("canonical bytes are JSON");
                prop_assert_eq!(again.digest(), document.digest());
            }
            (Ok(_), Err(error)) => prop_assert!(false, "only we read it: {error}"),
            (Err(error), theirs) => {
                prop_assert!(error.at <= error.end && error.end <= source.len());
                let duplicate = matches!(error.kind, deedbox_manifest::ReadErrorKind::DuplicateName { .. });
                prop_assert_eq!(theirs.is_ok(), duplicate, "{}", error);
            }
        }
    }
}

#[test]
fn a_hash_prints_and_reads_as_lower_case_hexadecimal() {
    let empty = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
    let hash = Hash::of(b"");
    assert_eq!(hash.to_string(), empty);
    assert_eq!(empty.parse(), Ok(hash));
    assert_eq!(
        serde_json::to_value(hash).unwrap(),
        serde_json::Value::from(empty)
    );
    assert_eq!(serde_json::from_value::<Hash>(empty.into()).unwrap(), hash);
    for bad in [
        "",
        "0x",
        &empty[2..],
        &empty[..65],
        &empty.to_uppercase(),
        &format!("{empty}0"),
        &empty.replace('c', "g"),
    ] {
        assert!(bad.parse::<Hash>().is_err(), "{bad}");
    }
}

#[test]
fn hashing_takes_every_length_around_a_block() {
    for len in (0..300).chain(1200..1400).chain([4000, 100_000]) {
        let source = format!("\"{}\"", "k".repeat(len));
        let document = Document::read(source.as_bytes(), &Limits::MANIFEST).unwrap();
        let digest = document.digest();
        assert_eq!(digest.hash, Hash::of(source.as_bytes()), "{len}");
        assert_eq!(digest.canonical_len, source.len());
    }
}
