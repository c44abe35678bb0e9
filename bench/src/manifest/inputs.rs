//! What is measured: honest manifests of three sizes, and inputs that mean to be slow.

use std::fmt::Write as _;

pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
}

const MIB: usize = 1024 * 1024;

/// Manifests as people write them: indented, a few schemas, prices, and in the largest ones an extension with texts or
/// with records, because every field of the standard has a limit far below a megabyte.
pub(crate) fn honest() -> Vec<Input> {
    [
        ("1 KiB", 1024, 2, note as Line),
        ("10 KiB", 10 * 1024, 40, note),
        (TEXTS, MIB, 40, note),
        (RECORDS, MIB, 40, record),
    ]
    .map(|(name, size, properties, line)| Input {
        name,
        bytes: manifest(size, properties, line),
    })
    .into()
}

pub(crate) const TEXTS: &str = "1 MiB, mostly texts";
pub(crate) const RECORDS: &str = "1 MiB, mostly records";

/// The `n`th line of the extension that fills a manifest.
type Line = fn(usize) -> String;

fn note(_: usize) -> String {
    r#""The vault’s value is what its shares would redeem for at this block, net of fees.""#
        .to_owned()
}

fn record(n: usize) -> String {
    format!(
        r#"{{ "pool": "0x{n:040x}", "weight": 0.{:03}, "share": {n}, "active": true }}"#,
        n % 1000
    )
}

/// A manifest of exactly `size` bytes.
fn manifest(size: usize, properties: usize, line: Line) -> Vec<u8> {
    let mut text = String::from(
        r#"{
  "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
  "name": "portfolio-analytics",
  "description": "Values a portfolio — tokens, vaults and NFTs — at one block.",
  "endpoint": "https://tools.example.com/portfolio",
  "inputs": {
    "type": "object",
    "properties": {"#,
    );
    for at in 0..properties {
        let comma = if at == 0 { "" } else { "," };
        // Writing to a text cannot fail.
        let _ = write!(
            text,
            "{comma}\n      \"field{at}\": {{ \"type\": \"integer\", \"description\": \"Number {at}, for the “{at}th” of them\", \"minimum\": {at}, \"maximum\": 1e{} }}",
            at % 20 + 3
        );
    }
    text.push_str(
        r#"
    }
  },
  "outputs": {},
  "pricing": [
    {
      "amount": "20000",
      "asset": "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
      "recipient": "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01",
      "protocol": "x402"
    }
  ],
  "creatorAddress": "0xabcdef0123456789abcdef0123456789abcdef01""#,
    );
    pad(&mut text, size, line);
    text.into_bytes()
}

/// Fills up to `size` bytes with an extension that holds a list, and closes the object.
fn pad(text: &mut String, size: usize, line: Line) {
    const END: &str = "\n  ]\n}";
    let start = text.len();
    text.push_str(",\n  \"com.example.list\": [\n    \"start\"");
    if text.len() + END.len() > size {
        text.truncate(start);
        text.push_str("\n}");
    } else {
        for n in 0.. {
            let line = line(n);
            if text.len() + line.len() + END.len() + 8 > size {
                break;
            }
            text.push_str(",\n    ");
            text.push_str(&line);
        }
        text.push_str(END);
    }
    text.push_str(&" ".repeat(size.saturating_sub(text.len())));
}

/// What an attacker would serve: each about a megabyte, or as large as the ceilings let it be read.
pub(crate) fn hostile() -> Vec<Input> {
    let deep = "[".repeat(MIB);
    let nests = {
        let nest = format!("{}{}", "[".repeat(60), "]".repeat(60));
        let many = vec![nest; MIB / 121];
        format!("[{}]", many.join(","))
    };
    let wide = format!("[{}]", vec!["1"; MIB / 2 - 1].join(","));
    let names = |prefix: &str| {
        let mut text = String::from("{");
        for at in 0.. {
            let comma = if at == 0 { "" } else { "," };
            let member = format!("{comma}\"{prefix}{at:05}\":0");
            if text.len() + member.len() + 1 > MIB {
                break;
            }
            text.push_str(&member);
        }
        text + "}"
    };
    let doubled = {
        let prefix = "a".repeat(500);
        let one = names(&prefix);
        // The last name once more, so that it is found at the very end.
        let last = one[1..one.len() - 1].rsplit(',').next().unwrap_or_default();
        format!("{},{last}}}", &one[..one.len() - 1 - last.len() - 1])
    };
    let digits = format!("[{}]", "9".repeat(300) + "." + &"7".repeat(MIB - 400));
    let many_digits = format!(
        "[{}]",
        vec!["1.797693134862315708145274237317e308"; MIB / 37].join(",")
    );
    // The middle between 2^53 and its neighbour, and a little more: the first nineteen digits do not decide.
    let middles = format!(
        "[{}]",
        vec!["9007199254740993.00000000000000000001"; MIB / 38].join(",")
    );
    let escapes = format!("[\"{}\"]", "\\u00e9".repeat(MIB / 6 - 2));
    let marks = format!(
        "[\"{}\"]",
        "a\u{5b0}\u{5b1}\u{5b2}\u{5b3}".repeat(MIB / 9 - 2)
    );
    let decomposed = format!("[\"{}\"]", "e\u{301}".repeat(MIB / 3 - 2));
    [
        ("deep: a megabyte of [", deep),
        ("nests of 60 arrays, side by side", nests),
        ("wide: half a million numbers", wide),
        (
            "names with a long common beginning",
            names(&"a".repeat(500)),
        ),
        ("names that differ late, one doubled", doubled),
        ("short names", names("")),
        ("one number of a megabyte", digits),
        ("numbers at the edge of a double", many_digits),
        ("numbers in the middle between two doubles", middles),
        ("a text of escapes only", escapes),
        ("a text that is not NFC", decomposed),
        ("a text of combining marks that is NFC", marks),
    ]
    .map(|(name, text)| Input {
        name,
        bytes: text.into_bytes(),
    })
    .into()
}
