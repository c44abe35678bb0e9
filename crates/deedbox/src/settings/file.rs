//! `deedbox.toml`: one key for each setting, the tables `[chains]`, `[policy]`, `[publish]` and `[fetch]`, nothing else.

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Raw, Setting, Source,
    chains::ChainSetting,
    definition, endpoint,
    policy::{self, PolicySetting},
    publishing::PublishSetting,
    table::{Item, Wrong, distance, is_bare},
};
use crate::failure::Failure;

/// What the file gives.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Texts, by the name of their setting.
    pub(super) texts: BTreeMap<&'static str, Raw>,
    /// The chains that have tables.
    pub(super) chains: Vec<ChainSetting>,
    /// What may be read.
    pub(super) policy: Option<PolicySetting>,
    /// How changes of chains are waited for and checked.
    pub(super) publishing: PublishSetting,
}

/// Reads the file.
///
/// # Errors
/// [`Failure::ConfigFileMissing`] when it cannot be read, [`Failure::ConfigFile`] when it is not TOML, holds
/// a key that is no setting, or a value of the wrong kind; the text shows the line.
pub(crate) fn load(file: &Setting<std::path::PathBuf>) -> Result<Given, Failure> {
    let text = fs::read_to_string(&file.value).map_err(|source| Failure::ConfigFileMissing {
        path: file.value.clone(),
        source_of: file.source.clone(),
        source,
    })?;
    parse(&file.value, &text)
}

pub(super) fn parse(path: &Path, text: &str) -> Result<Given, Failure> {
    let refuse = |span: Option<Range<usize>>, reason: &str| Failure::ConfigFile {
        path: path.to_owned(),
        excerpt: excerpt(text, span, reason),
    };
    let table = DeTable::parse(text).map_err(|error| refuse(error.span(), error.message()))?;
    let mut given = Given::default();
    for (key, value) in table.get_ref() {
        let source = Source::File(path.to_owned(), line(text, key.span().start));
        one(
            &mut given,
            key,
            value,
            source,
            endpoint::File { path, text },
        )
        .map_err(|wrong| refuse(Some(wrong.span), &wrong.reason))?;
    }
    Ok(given)
}

fn one(
    given: &mut Given,
    key: &Spanned<std::borrow::Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
    source: Source,
    file: endpoint::File<'_>,
) -> Result<(), Wrong> {
    let name: &str = key.get_ref();
    if name == POLICY {
        given.policy = Some(policy::read(Item(value), source, file)?);
        return Ok(());
    }
    if name == PUBLISH {
        return given.publishing.read_publish(Item(value), file);
    }
    if name == FETCH {
        return given.publishing.read_fetch(Item(value), file);
    }
    if name == CHAINS && value.get_ref().is_table() {
        given.chains = endpoint::chains(Item(value), file)?;
        return Ok(());
    }
    let definition = definition::find(name).ok_or_else(|| Wrong {
        span: key.span(),
        reason: unknown(name),
    })?;
    let texts = texts(value.get_ref(), definition.list)
        .ok_or_else(|| Item(value).wrong(kinds(definition.list)))?;
    given.texts.insert(definition.name, Raw { texts, source });
    Ok(())
}

fn texts(value: &DeValue<'_>, list: bool) -> Option<Vec<String>> {
    match value {
        DeValue::String(text) if !list => Some(vec![text.to_string()]),
        // Only plain decimal digits mean the same number to every reader.
        DeValue::Integer(number) if !list && number.radix() == 10 => {
            Some(vec![number.as_str().to_owned()])
        }
        DeValue::Array(items) if list => items
            .iter()
            .map(|item| item.get_ref().as_str().map(str::to_owned))
            .collect(),
        _ => None,
    }
}

const fn kinds(list: bool) -> &'static str {
    if list {
        "expected an array of texts, like [\"one\", \"two\"]"
    } else {
        "expected a text in quotes or a decimal number"
    }
}

fn unknown(key: &str) -> String {
    let near = definition::DEFINITIONS
        .iter()
        .map(|definition| definition.name)
        .chain([POLICY, PUBLISH, FETCH])
        .min_by_key(|name| distance(key, name))
        .filter(|name| distance(key, name) <= 3);
    match near {
        Some(near) => format!("there is no setting of this name; did you mean {near}?"),
        None => "there is no setting of this name; `deedbox config show` lists them all".to_owned(),
    }
}

/// The table of what may be read.
const POLICY: &str = "policy";
/// The table of how changes of chains are waited for.
const PUBLISH: &str = "publish";
/// The table of what may be fetched.
const FETCH: &str = "fetch";
/// The table of chains; an array of texts is their short form.
const CHAINS: &str = "chains";

/// The line of a byte, counted from 1.
pub(super) fn line(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The line with a mark under the place. The value itself is not shown: it may be a secret.
fn excerpt(text: &str, span: Option<Range<usize>>, reason: &str) -> String {
    let Some(span) = span.filter(|span| text.is_char_boundary(span.start)) else {
        return format!("  {reason}");
    };
    let number = line(text, span.start);
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let whole = text[start..].lines().next().unwrap_or_default();
    let shown = shown(whole);
    let column = text[start..span.start].chars().count();
    let mark = " ".repeat(column.min(shown.chars().count().saturating_sub(1)));
    let margin = " ".repeat(number.to_string().len());
    format!("{margin} |\n{number} | {shown}\n{margin} | {mark}^ {reason}")
}

/// What may be shown of a line: a bare key, or the bare name of a table. Everything else may be a value, also what
/// stands before a `=` (`key: "c2VjcmV0=="`, a URL's query), and a value may be a secret.
fn shown(whole: &str) -> String {
    let text = whole.trim_start();
    let indent = &whole[..whole.len() - text.len()];
    if let Some(inside) = text.strip_prefix('[') {
        let (open, inside) = match inside.strip_prefix('[') {
            Some(inside) => ("[[", inside),
            None => ("[", inside),
        };
        let close = if open == "[" { "]" } else { "]]" };
        return match inside.split_once(close) {
            Some((name, _)) if name.split('.').all(is_bare) => {
                format!("{indent}{open}{name}{close}")
            }
            _ => format!("{indent}[…]"),
        };
    }
    // With a space before the sign, which a text in Base64 does not have before those that it ends with.
    match text.split_once('=') {
        Some((key, _)) if key.ends_with(' ') && key.trim_end().split('.').all(is_bare) => {
            format!("{indent}{key}= …")
        }
        _ => "…".to_owned(),
    }
}
