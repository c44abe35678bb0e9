//! Which strings of a manifest have a normal form of their own, and what it is.

use super::Reason;
use crate::{
    json::Value,
    url::{FaultKind, HttpsUrl},
};

/// A normal form beyond the one that every string has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `0x` and hexadecimal digits.
    Hex,
    /// A CAIP-10 account or a CAIP-19 asset, with such a number in it.
    Caip,
    /// A URL under rules G1–G3.
    Url,
}

/// Every value that has such a form, as ERC-8257 lists them (§2 "Hex-field casing", §6 "URL Normalization"). What is
/// no string is left out.
pub(super) fn with_a_form(root: Value<'_>) -> Vec<(Value<'_>, Form)> {
    const TOP: &[(&str, Form)] = &[
        ("creatorAddress", Form::Hex),
        ("endpoint", Form::Url),
        ("image", Form::Url),
        ("featuredImage", Form::Url),
    ];
    const PRICE: &[(&str, Form)] = &[("asset", Form::Caip), ("recipient", Form::Caip)];
    const REQUIREMENT: &[(&str, Form)] = &[("kind", Form::Hex), ("data", Form::Hex)];
    const ATTESTATION: &[(&str, Form)] = &[
        ("enclaveHash", Form::Hex),
        ("endpoint", Form::Url),
        ("transparencyLogURI", Form::Url),
    ];
    const BUILD: &[(&str, Form)] = &[("buildHash", Form::Hex), ("sourceCodeURI", Form::Url)];

    let within = |outer: &str, inner: &str| root.get(outer).and_then(|value| value.get(inner));
    let mut objects = vec![(root, TOP)];
    objects.extend(elements(root.get("pricing")).map(|price| (price, PRICE)));
    objects.extend(within("verifiability", "attestation").map(|value| (value, ATTESTATION)));
    objects.extend(within("verifiability", "reproducibleBuild").map(|value| (value, BUILD)));
    objects.extend(elements(within("access", "requirements")).map(|value| (value, REQUIREMENT)));
    let named = objects.into_iter().flat_map(|(object, names)| {
        let field = move |&(name, form): &(&str, Form)| object.get(name).map(|value| (value, form));
        names.iter().filter_map(field)
    });
    let links = elements(within("access", "requirements"))
        .filter_map(|requirement| requirement.get("links")?.members())
        .flatten()
        .map(|link| (link.value, Form::Url));
    let is_string = |(value, _): &(Value<'_>, Form)| value.as_str().is_some();
    named.chain(links).filter(is_string).collect()
}

fn elements(array: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    array.and_then(Value::elements).into_iter().flatten()
}

impl Form {
    /// The text in this form, and why it is another one; nothing if it is in this form, or if it is so far
    /// from it that only its author knows what was meant.
    pub(super) fn apply(self, text: &str) -> Option<(String, Vec<Reason>)> {
        match self {
            Self::Hex => changed(text, lower_hex(text)?),
            Self::Caip => {
                let parts = text.split_inclusive(['/', ':']);
                let lower = parts.map(|part| {
                    let bare = part.strip_suffix(['/', ':']).unwrap_or(part);
                    lower_hex(bare).map_or(part.to_owned(), |hex| hex + &part[bare.len()..])
                });
                changed(text, lower.collect())
            }
            Self::Url => url(text),
        }
    }
}

fn changed(before: &str, after: String) -> Option<(String, Vec<Reason>)> {
    const REASON: Reason = Reason {
        rule: "8257-2c-10",
        text: "wrote hexadecimal digits in lower case",
    };
    (after != before).then(|| (after, vec![REASON]))
}

/// `0x` and hexadecimal digits; `None` if it is something else.
fn lower_hex(text: &str) -> Option<String> {
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| text.to_ascii_lowercase())
}

fn url(text: &str) -> Option<(String, Vec<Reason>)> {
    let mut reasons = Vec::new();
    let mut ascii = text.to_owned();
    let url = HttpsUrl::read(text);
    if let Some(fault) = url
        .faults()
        .iter()
        .find(|f| f.kind == FaultKind::UnicodeHost)
    {
        // The one place where a parser that converts silently is what is wanted.
        let parsed = ::url::Url::parse(text).ok()?;
        ascii.replace_range(fault.at.clone(), parsed.host_str()?);
        reasons.push(Reason {
            rule: "8257-6-10",
            text: "wrote the host as an A-label",
        });
    }
    let url = HttpsUrl::read(&ascii);
    let normalised = url.normalised()?;
    for fault in url.faults() {
        let (rule, text) = match fault.kind {
            FaultKind::Capitals => ("8257-6-08", "wrote scheme and host in lower case"),
            FaultKind::DefaultPort => ("8257-6-09", "left out port 443"),
            _ => continue,
        };
        reasons.push(Reason { rule, text });
    }
    reasons.dedup();
    (normalised != text).then_some((normalised, reasons))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(form: Form, before: &str, after: &str, rules: &[&str]) {
        let got = form.apply(before);
        let got = got.map(|(text, reasons)| (text, reasons.iter().map(|r| r.rule).collect()));
        assert_eq!(got, Some((after.to_owned(), rules.to_vec())), "{before}");
        assert_eq!(form.apply(after), None, "{after} is in its form");
    }

    #[test]
    fn hexadecimal_digits_become_lower_case_and_nothing_else_does() {
        becomes(Form::Hex, "0xAbCd", "0xabcd", &["8257-2c-10"]);
        becomes(Form::Hex, "0X12", "0x12", &["8257-2c-10"]);
        for text in [
            "0xabcd", "0x", "ABCD", "0xABCG", "", "0xAB/", " 0xAB", "0xAB
",
        ] {
            assert_eq!(Form::Hex.apply(text), None, "{text}");
        }
    }

    #[test]
    fn only_what_0x_introduces_in_a_caip_identifier_is_touched() {
        becomes(
            Form::Caip,
            "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            &["8257-2c-10"],
        );
        becomes(
            Form::Caip,
            "eip155:1/erc721:0xABCD/771769",
            "eip155:1/erc721:0xabcd/771769",
            &["8257-2c-10"],
        );
        for text in [
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
            "cosmos:Binance-Chain-Tigris/slip44:714",
            "eip155:1/slip44:60",
        ] {
            assert_eq!(Form::Caip.apply(text), None, "{text}");
        }
    }

    #[test]
    fn urls_are_normalised_by_rules_g1_to_g3_and_no_further() {
        becomes(
            Form::Url,
            "HTTPS://Ex.COM/A",
            "https://ex.com/A",
            &["8257-6-08"],
        );
        becomes(
            Form::Url,
            "https://ex.com:443",
            "https://ex.com",
            &["8257-6-09"],
        );
        becomes(
            Form::Url,
            "HTTPS://EX.com:443/a?B#C",
            "https://ex.com/a?B#C",
            &["8257-6-08", "8257-6-09"],
        );
        becomes(
            Form::Url,
            "https://B\u{fc}cher.example:443/B\u{fc}",
            "https://xn--bcher-kva.example/B\u{fc}",
            &["8257-6-10", "8257-6-09"],
        );
        for text in [
            "https://ex.com",
            "https://ex.com:8443/%7e/../a?",
            "http://EX.com/",
            "ipfs://Qm",
            "https://",
            "https://e x.com:443/",
            "not a URL",
        ] {
            assert_eq!(Form::Url.apply(text), None, "{text}");
        }
    }
}
