//! The top-level fields (ERC-8257 §2).

use super::{
    access, creator, extensions,
    findings::{self, Findings, Place, Quoted},
    pricing,
    text::{self, wrong_kind},
    urls::{self, UrlRules},
    verifiability,
};
use crate::{
    address::Address,
    json::{Document, Kind, Value},
    pricing::Pricing,
    report::Severity,
    schema::{self, PreFilled},
    tier::Claims,
    url::{Origin, is_label},
};

/// The only schema version that there is (ERC-8257 §2, `type`).
pub const TYPE_V1: &str = "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1";

const MOST_TAGS: usize = 16;
const MOST_TAG_CHARACTERS: usize = 32;

/// Tags that are looked at. Far more than are allowed, so that an author sees every fault, and far fewer than fit.
const TAGS_LOOKED_AT: usize = 256;

/// What the rules found out beside their findings.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) creator: Option<Address>,
    pub(crate) origin: Option<Origin>,
    pub(crate) pricing: Option<Pricing>,
    pub(crate) claims: Option<Claims>,
    pub(crate) pre_filled: Vec<PreFilled>,
    pub(crate) max_age: Option<u64>,
}

/// Every rule, on a document that could be read.
pub(crate) fn check_document(document: &Document<'_>, findings: &mut Findings) -> Facts {
    findings::from_notes(document, findings);
    let root = document.root();
    if root.kind() != Kind::Object {
        let message = format_args!("a manifest is a JSON object, and this is {}", root.kind());
        findings.refuse(
            "8257-2-01",
            &Place::At(root),
            message,
            "Write an object in braces.",
        );
        return Facts::default();
    }
    schema_version(root, findings);
    if let Some(name) = text::required_string(root, "name", "8257-2-04", findings) {
        text::code_points(name, "name", 128, "8257-2-04", findings);
        text::control_characters(name, "name", &[], "8257-2-05", findings);
        text::hidden_characters(name, "name", findings);
    }
    if let Some(found) = text::required_string(root, "description", "8257-2-06", findings) {
        text::description(found, "description", ["8257-2-06", "8257-2-07"], findings);
    }
    let origin = endpoint(root, findings);
    let creator = creator::check(root, findings);
    version(root, findings);
    images(root, findings);
    tags(root, findings);
    let pricing = pricing::check(root, findings);
    access::check(root, findings);
    let claims = verifiability::check(root, findings);
    let max_age = extensions::check(root, findings);
    let pre_filled = schemas(root, &pricing, findings);
    Facts {
        creator,
        origin,
        pricing: Some(pricing),
        claims,
        pre_filled,
        max_age,
    }
}

fn schema_version(root: Value<'_>, findings: &mut Findings) {
    if root.get("type").is_none() {
        let message = format_args!("type is missing");
        let fix = format!("Add \"type\": \"{TYPE_V1}\".");
        findings.refuse("8257-2-03", &Place::Missing(root, "type"), message, fix);
    }
    let Some((value, found)) = text::optional_string(root, "type", "8257-2-03", findings) else {
        return;
    };
    if found != TYPE_V1 {
        let message = format_args!(
            "type is {}, which is no known version of the manifest",
            Quoted(found)
        );
        let fix = format!("Write {TYPE_V1}.");
        findings.refuse("8257-2-03", &Place::At(value), message, fix);
    }
}

fn endpoint(root: Value<'_>, findings: &mut Findings) -> Option<Origin> {
    const RULES: UrlRules = UrlRules {
        https: "8257-2-09",
        normalised: ("8257-2-08", Severity::Refusal),
    };
    let found = text::required_string(root, "endpoint", "8257-2-09", findings)?;
    urls::https(found, "endpoint", RULES, findings)
}

/// Absent, it may be *shown* as 1.0.0; nothing is ever inserted (rules 2-15 and 2-16).
fn version(root: Value<'_>, findings: &mut Findings) {
    let Some((value, found)) = text::optional_string(root, "version", "8257-2-01", findings) else {
        return;
    };
    if !is_semantic(found) {
        let message = format_args!("version is {}, not a semantic version", Quoted(found));
        findings.warn(
            "8257-2-01",
            &Place::At(value),
            message,
            "Write three numbers, like 1.0.0.",
        );
    }
}

/// Whether a text is a version as semver.org 2.0.0 has them.
fn is_semantic(text: &str) -> bool {
    let (rest, build) = text
        .split_once('+')
        .map_or((text, None), |(a, b)| (a, Some(b)));
    let (core, pre) = rest
        .split_once('-')
        .map_or((rest, None), |(a, b)| (a, Some(b)));
    let number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits && (part == "0" || !part.starts_with('0'))
    };
    let word = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let numeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    core.split('.').count() == 3
        && core.split('.').all(number)
        && pre.is_none_or(|pre| {
            pre.split('.')
                .all(|part| word(part) && (!numeric(part) || number(part)))
        })
        && build.is_none_or(|build| build.split('.').all(word))
}

fn images(root: Value<'_>, findings: &mut Findings) {
    for (name, rule) in [("image", "8257-2-17"), ("featuredImage", "8257-2-18")] {
        if let Some(found) = text::optional_string(root, name, rule, findings) {
            urls::image(found, name, rule, findings);
        }
    }
}

fn tags(root: Value<'_>, findings: &mut Findings) {
    let Some(tags) = root.get("tags") else {
        return;
    };
    let Some(elements) = tags.elements() else {
        wrong_kind(tags, "tags", "an array", "8257-2-21", findings);
        return;
    };
    if tags.len() > MOST_TAGS {
        let message = format_args!(
            "there are {} tags, and at most {MOST_TAGS} are allowed",
            tags.len()
        );
        findings.refuse("8257-2-23", &Place::At(tags), message, "Leave some out.");
    }
    let mut seen = std::collections::HashSet::new();
    for element in elements.take(TAGS_LOOKED_AT) {
        let Some((value, tag)) = text::string(element, "a tag", "8257-2-21", findings) else {
            continue;
        };
        if !is_label(tag) {
            let message = format_args!("the tag {} has characters that tags have not", Quoted(tag));
            findings.refuse(
                "8257-2-21",
                &Place::At(value),
                message,
                "Use lower-case letters, digits and hyphens, with no hyphen at either end.",
            );
        }
        if tag.chars().count() > MOST_TAG_CHARACTERS {
            let message = format_args!(
                "the tag {} has more than {MOST_TAG_CHARACTERS} characters",
                Quoted(tag)
            );
            findings.refuse("8257-2-22", &Place::At(value), message, "Shorten it.");
        }
        if !seen.insert(tag) {
            let message = format_args!("the tag {} is there already", Quoted(tag));
            findings.refuse(
                "8257-2-24",
                &Place::At(value),
                message,
                "Leave the second one out.",
            );
        }
    }
}

/// Both schemas together, because they share one limit.
fn schemas(root: Value<'_>, pricing: &Pricing, findings: &mut Findings) -> Vec<PreFilled> {
    let [inputs, outputs] = ["inputs", "outputs"].map(|name| {
        let Some(value) = root.get(name) else {
            let message = format_args!("{name} is missing");
            let fix = format!("Add {name}, a JSON Schema; {{}} stands for none.");
            findings.refuse("8257-2-12", &Place::Missing(root, name), message, fix);
            return None;
        };
        if value.kind() != Kind::Object {
            wrong_kind(value, name, "an object", "8257-2-12", findings);
            return None;
        }
        Some(value)
    });
    let reads_only = root
        .get("description")
        .and_then(Value::as_str)
        .is_some_and(schema::only_reads);
    schema::check_both(
        inputs,
        outputs,
        pricing.is_stated() || !reads_only,
        findings,
    )
}

#[cfg(test)]
mod tests {
    use super::is_semantic;

    #[test]
    fn a_version_is_what_semver_says() {
        for good in [
            "0.0.0",
            "1.0.0",
            "10.20.30",
            "1.0.0-alpha.1",
            "1.0.0+build.7",
            "1.2.3-rc-1+x",
        ] {
            assert!(is_semantic(good), "{good}");
        }
        for bad in [
            "", "1", "1.0", "v1.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", "1.0.0.0", "1.0.0 ",
        ] {
            assert!(!is_semantic(bad), "{bad}");
        }
    }
}
