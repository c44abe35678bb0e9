//! The tables `[chains.ID]` and `[[chains.ID.endpoints]]`.

use std::{collections::BTreeSet, num::NonZeroU32, path::Path};

use deedbox_chain::{EndpointConfig, config};
use deedbox_id::Address;
use url::Url;

use super::{
    Secret, Source,
    chains::{
        ChainSetting, EndpointSetting, Given, NOT_A_CHAIN, Native, beside, chain_id, default_id,
    },
    file::line,
    table::{Item, Table, Wrong},
};
use crate::{commands::read_address, duration::Span};

const CHAIN: [&str; 5] = ["name", "native", "multicall", "finality_depth", "endpoints"];
const ENDPOINT: [&str; 13] = [
    "id",
    "url",
    "url_env",
    "headers",
    "header_env",
    "ca_file",
    "max_concurrent",
    "max_waiting",
    "max_batch",
    "max_log_blocks",
    "timeout",
    "max_body",
    "attempts",
];
/// The most requests in flight, or calls in a batch, or attempts.
const MOST: NonZeroU32 = NonZeroU32::MIN.saturating_add(9_999);
/// The most that one answer may be allowed to have, in bytes.
const MOST_BODY: usize = 1 << 30;

/// The file that is read.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl File<'_> {
    pub(super) fn source(self, at: usize) -> Source {
        Source::File(self.path.to_owned(), line(self.text, at))
    }
}

/// Reads the table of all chains.
///
/// # Errors
/// What is wrong, at its place.
pub(super) fn chains(item: Item<'_, '_>, file: File<'_>) -> Result<Vec<ChainSetting>, Wrong> {
    let mut chains = Vec::new();
    for (key, span, item) in Table::open(item)?.entries() {
        let Some(id) = chain_id(key) else {
            let reason = NOT_A_CHAIN.to_owned();
            return Err(Wrong { span, reason });
        };
        let source = file.source(span.start);
        chains.push(chain(id, item, source, file).map_err(|wrong| Wrong {
            // A table without a header of its own has no place but its key's.
            span: if wrong.span.is_empty() {
                span
            } else {
                wrong.span
            },
            ..wrong
        })?);
    }
    Ok(chains)
}

fn chain(
    id: u64,
    item: Item<'_, '_>,
    source: Source,
    file: File<'_>,
) -> Result<ChainSetting, Wrong> {
    let table = Table::of(item, &CHAIN)?;
    let mut chain = ChainSetting::new(id, source);
    if let Some(item) = table.get("name") {
        chain.name = short_text(item, 64)?.to_owned();
    }
    if let Some(item) = table.get("native") {
        chain.native = Some(native(item, chain.native)?);
    }
    if let Some(item) = table.get("multicall") {
        chain.multicall = multicall(item)?;
    }
    if let Some(item) = table.get("finality_depth") {
        chain.finality_depth = Some(item.number(NonZeroU32::MIN, NonZeroU32::MAX)?);
    }
    // They may be given in short form instead.
    let Some(endpoints) = table.get("endpoints") else {
        return Ok(chain);
    };
    let list: Vec<Item<'_, '_>> = endpoints.list(|item| Ok(Item(item.0)))?;
    if list.is_empty() {
        return Err(endpoints.wrong("expected at least one endpoint"));
    }
    let mut ids = BTreeSet::new();
    for (index, item) in list.into_iter().enumerate() {
        let endpoint = endpoint(index, item, file)?;
        if !ids.insert(endpoint.limits.id.clone()) {
            return Err(item.wrong("another endpoint of this chain has this id"));
        }
        chain.endpoints.push(endpoint);
    }
    Ok(chain)
}

/// A currency; what is not said of it is that of a known chain.
fn native(item: Item<'_, '_>, known: Option<Native>) -> Result<Native, Wrong> {
    let table = Table::of(item, &["symbol", "decimals"])?;
    let symbol = match table.get("symbol") {
        Some(item) => Some(short_text(item, 16)?.to_owned()),
        None => known.as_ref().map(|known| known.symbol.clone()),
    };
    let decimals = match table.get("decimals") {
        Some(item) => Some(item.number(0, u8::MAX)?),
        None => known.map(|known| known.decimals),
    };
    match (symbol, decimals) {
        (Some(symbol), Some(decimals)) => Ok(Native { symbol, decimals }),
        _ => Err(item.wrong("expected both symbol and decimals: this chain is not a known one")),
    }
}

fn short_text<'t>(item: Item<'t, '_>, most: usize) -> Result<&'t str, Wrong> {
    let text = item.text()?;
    if text.chars().count() <= most && !text.chars().any(char::is_control) {
        Ok(text)
    } else {
        Err(item.wrong(format!(
            "expected at most {most} characters, none of them a control character"
        )))
    }
}

/// An address, or `false` where there is none.
fn multicall(item: Item<'_, '_>) -> Result<Option<Address>, Wrong> {
    if item.truth().is_ok_and(|there| !there) {
        return Ok(None);
    }
    let expected = "expected the address of Multicall3, or false where there is none";
    let text = item.text().map_err(|_| item.wrong(expected))?;
    let address =
        read_address(text).map_err(|error| item.wrong(format!("is no address: {error}")))?;
    Ok(Some(address.0))
}

fn endpoint(index: usize, item: Item<'_, '_>, file: File<'_>) -> Result<EndpointSetting, Wrong> {
    let table = Table::of(item, &ENDPOINT)?;
    let source = file.source(item.0.span().start);
    let id = match table.get("id") {
        Some(item) => item.parsed()?,
        None => default_id(&source, index),
    };
    let mut limits = EndpointConfig::new(id, config::Secret::new(""));
    let given = |key: &str| table.get(key);
    if let Some(item) = given("max_concurrent") {
        limits.max_concurrent = item.number(NonZeroU32::MIN, MOST)?;
    }
    if let Some(item) = given("max_waiting") {
        limits.max_waiting = item.number(0, 1_000_000)?;
    }
    if let Some(item) = given("max_batch") {
        limits.max_batch = item.number(NonZeroU32::MIN, MOST)?;
    }
    if let Some(item) = given("max_log_blocks") {
        limits.max_log_blocks = Some(item.number(NonZeroU32::MIN, NonZeroU32::MAX)?);
    }
    if let Some(item) = given("timeout") {
        limits.timeout = timeout(item)?.to_duration();
    }
    if let Some(item) = given("max_body") {
        limits.max_body = item.number(1024, MOST_BODY)?;
    }
    if let Some(item) = given("attempts") {
        limits.attempts = item.number(NonZeroU32::MIN, MOST)?;
    }
    Ok(EndpointSetting {
        limits,
        url: place(&table)?,
        headers: headers(&table)?,
        ca_file: given("ca_file")
            .map(|item| Ok(beside(file.path, item.text()?)))
            .transpose()?,
        source,
    })
}

fn timeout(item: Item<'_, '_>) -> Result<Span, Wrong> {
    let span: Span = item.parsed()?;
    if span.as_millis() > 0 {
        Ok(span)
    } else {
        Err(item.wrong("must be longer than nothing"))
    }
}

fn place(table: &Table<'_, '_>) -> Result<Given, Wrong> {
    match (table.get("url"), table.get("url_env")) {
        (Some(item), None) => {
            let text = item.text()?;
            url(text).map_err(|reason| item.wrong(reason))?;
            Ok(Given::Here(Secret(text.to_owned())))
        }
        (None, Some(item)) => Ok(Given::Variable(variable(item)?)),
        (Some(_), Some(item)) => Err(item.wrong("either url or url_env, not both")),
        (None, None) => Err(table.wrong("has neither url nor url_env")),
    }
}

/// The name of a variable (POSIX.1-2024 §8.1). It is shown; a secret in its place is not.
fn variable(item: Item<'_, '_>) -> Result<String, Wrong> {
    let name = item.text()?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.bytes().all(fits) && !name.starts_with(|first: char| first.is_ascii_digit()) {
        Ok(name.to_owned())
    } else {
        Err(item.wrong(
            "expected the name of an environment variable: letters, digits and _, and not the secret itself",
        ))
    }
}

fn headers(table: &Table<'_, '_>) -> Result<Vec<(String, Given)>, Wrong> {
    let mut headers: Vec<(String, Given)> = Vec::new();
    for (key, of) in [("headers", false), ("header_env", true)] {
        let Some(item) = table.get(key) else { continue };
        for (name, span, item) in Table::open(item)?.entries() {
            let reason = if !header_name(name) {
                "is no name of a header"
            } else if headers
                .iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(name))
            {
                "this header is given twice"
            } else {
                let given = if of {
                    Given::Variable(variable(item)?)
                } else {
                    let text = item.text()?;
                    header_value(text).map_err(|reason| item.wrong(reason))?;
                    Given::Here(Secret(text.to_owned()))
                };
                headers.push((name.to_owned(), given));
                continue;
            };
            let reason = reason.to_owned();
            return Err(Wrong { span, reason });
        }
    }
    Ok(headers)
}

/// A token (RFC 9110 §5.6.2).
fn header_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(fits)
}

/// Whether a header can carry a text.
///
/// # Errors
/// What is expected.
pub(super) fn header_value(text: &str) -> Result<(), &'static str> {
    if text
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic())
    {
        Ok(())
    } else {
        Err("must be visible ASCII characters, or no header can carry it")
    }
}

/// Whether a text is the URL of an endpoint.
///
/// # Errors
/// What is expected.
pub(super) fn url(text: &str) -> Result<(), &'static str> {
    let problem = "must be a URL that starts with https:// or http://";
    let url = Url::parse(text).map_err(|_| problem)?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(())
    } else {
        Err(problem)
    }
}
