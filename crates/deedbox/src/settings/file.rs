//! `deedbox.toml`: one key for each setting, nothing else.

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use toml::de::{DeTable, DeValue};

use super::{Raw, Setting, Source, definition};
use crate::failure::Failure;

/// Reads the file into the texts it gives.
///
/// # Errors
/// [`Failure::ConfigFileMissing`] when it cannot be read, [`Failure::ConfigFile`] when it is not TOML, holds
/// a key that is no setting, or a value of the wrong kind; the text shows the line.
pub(crate) fn load(
    file: &Setting<std::path::PathBuf>,
) -> Result<BTreeMap<&'static str, Raw>, Failure> {
    let text = fs::read_to_string(&file.value).map_err(|source| Failure::ConfigFileMissing {
        path: file.value.clone(),
        source_of: file.source.clone(),
        source,
    })?;
    parse(&file.value, &text)
}

pub(super) fn parse(path: &Path, text: &str) -> Result<BTreeMap<&'static str, Raw>, Failure> {
    let refuse = |span: Option<Range<usize>>, reason: &str| Failure::ConfigFile {
        path: path.to_owned(),
        excerpt: excerpt(text, span, reason),
    };
    let table = DeTable::parse(text).map_err(|error| refuse(error.span(), error.message()))?;
    let mut given = BTreeMap::new();
    for (key, value) in table.get_ref() {
        let Some(definition) = definition::find(key.get_ref()) else {
            return Err(refuse(Some(key.span()), &unknown(key.get_ref())));
        };
        let texts = texts(value.get_ref(), definition.list)
            .ok_or_else(|| refuse(Some(value.span()), kinds(definition.list)))?;
        given.insert(
            definition.name,
            Raw {
                texts,
                source: Source::File(path.to_owned(), line(text, key.span().start)),
            },
        );
    }
    Ok(given)
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
        .min_by_key(|name| distance(key, name))
        .filter(|name| distance(key, name) <= 3);
    match near {
        Some(near) => format!("there is no setting of this name; did you mean {near}?"),
        None => "there is no setting of this name; `deedbox config show` lists them all".to_owned(),
    }
}

/// How many characters have to be changed, added or removed to make one name of the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

fn line(text: &str, at: usize) -> usize {
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
    let shown = whole
        .split_once('=')
        .map_or(whole, |(key, _)| &whole[..=key.len()]);
    let shown = if shown.len() < whole.len() {
        format!("{shown} …")
    } else {
        shown.to_owned()
    };
    let column = text[start..span.start].chars().count();
    let mark = " ".repeat(column.min(shown.chars().count().saturating_sub(1)));
    let margin = " ".repeat(number.to_string().len());
    format!("{margin} |\n{number} | {shown}\n{margin} | {mark}^ {reason}")
}
