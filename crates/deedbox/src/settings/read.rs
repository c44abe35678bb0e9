//! Reading one value from its text. Each says what it expected; none repeats a secret.

use std::{
    net::SocketAddr,
    num::NonZeroU32,
    path::{Path, PathBuf},
    str::FromStr,
};

use deedbox_core::{AgentLabel, InstanceHash, attribution::instance_id_hash};
use deedbox_server::{
    Toolsets,
    guard::{BadEntry, Guard},
    toolsets::NotToolsets,
};
use tracing_subscriber::EnvFilter;
use url::Url;

use super::{DatabaseUrl, LogFormat, Raw, Secret, Source};
use crate::duration::Span;

/// Items between commas, without surrounding white space and empty ones.
pub(super) fn split_list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

fn text(raw: &Raw) -> Result<&str, String> {
    match raw.texts.as_slice() {
        [one] if !one.is_empty() => Ok(one),
        [_] => Err("must not be empty".to_owned()),
        _ => Err("must be given once".to_owned()),
    }
}

/// A path; a relative one starts at the file that it stands in, or else at the current folder.
pub(super) fn path(raw: &Raw, current_dir: &Path) -> Result<PathBuf, String> {
    Ok(base(raw, current_dir).join(text(raw)?))
}

fn base<'a>(raw: &'a Raw, current_dir: &'a Path) -> &'a Path {
    match &raw.source {
        Source::File(file, _) => file.parent().unwrap_or(current_dir),
        _ => current_dir,
    }
}

pub(super) fn database(raw: &Raw, current_dir: &Path) -> Result<DatabaseUrl, String> {
    DatabaseUrl::read(text(raw)?, base(raw, current_dir)).map_err(|error| {
        // Another program's variable of this common name must not be a riddle.
        if raw.source == Source::Variable("DATABASE_URL") {
            format!(
                "{error}. If this variable belongs to another program, set DEEDBOX_DATABASE_URL, which is stronger"
            )
        } else {
            error.to_string()
        }
    })
}

pub(super) fn number<T: FromStr + Number>(raw: &Raw) -> Result<T, String> {
    text(raw)?
        .parse()
        .map_err(|_| format!("must be a whole number from {} to {}", T::LEAST, u32::MAX))
}

/// A number that a setting may hold.
pub(super) trait Number {
    /// The least that it can be.
    const LEAST: u32;
}

impl Number for u32 {
    const LEAST: u32 = 0;
}

impl Number for NonZeroU32 {
    const LEAST: u32 = 1;
}

pub(super) fn address(raw: &Raw) -> Result<SocketAddr, String> {
    let text = text(raw)?;
    let numeric = text
        .strip_prefix("localhost:")
        .map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    numeric.parse().map_err(|_| {
        "must be an IP address and a port, like 127.0.0.1:7878 or [::1]:7878 (port 0 takes a free one)"
            .to_owned()
    })
}

pub(super) fn span(raw: &Raw) -> Result<Span, String> {
    let text = text(raw)?;
    if let Ok(seconds) = text.parse::<u32>() {
        return Ok(Span::seconds(seconds.into()));
    }
    text.parse()
        .map_err(|error| format!("{error}; without a unit it means seconds"))
}

pub(super) fn positive_span(raw: &Raw) -> Result<Span, String> {
    span(raw).and_then(|span| {
        if span.as_millis() > 0 {
            Ok(span)
        } else {
            Err("must be longer than nothing".to_owned())
        }
    })
}

/// `on` or `off`.
pub(super) fn switch(raw: &Raw) -> Result<bool, String> {
    match text(raw)? {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be on or off".to_owned()),
    }
}

pub(super) fn http_url(raw: &Raw) -> Result<Url, String> {
    let problem = || "must be a URL that starts with http:// or https://".to_owned();
    let url = Url::parse(text(raw)?).map_err(|_| problem())?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(url)
    } else {
        Err(problem())
    }
}

/// Where clients reach the server: scheme, host and port, without a slash at the end.
pub(super) fn public_url(raw: &Raw) -> Result<String, String> {
    let text = http_url(raw).and_then(|_| text(raw))?.trim_end_matches('/');
    Guard::with_own(text, &[], &[])
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

/// Hosts as a `Host` header has them.
pub(super) fn hosts(raw: &Raw) -> Result<Vec<String>, String> {
    items(raw, |items| Guard::new(items, &[]))
}

/// Origins as an `Origin` header has them.
pub(super) fn origins(raw: &Raw) -> Result<Vec<String>, String> {
    items(raw, |items| Guard::new(&[], items))
}

fn items(
    raw: &Raw,
    check: impl FnOnce(&[String]) -> Result<Guard, BadEntry>,
) -> Result<Vec<String>, String> {
    if raw.texts.is_empty() {
        return Err("must name at least one".to_owned());
    }
    check(&raw.texts)
        .map(|_| raw.texts.clone())
        .map_err(|error| error.to_string())
}

pub(super) fn toolsets(raw: &Raw) -> Result<Toolsets, String> {
    raw.texts
        .join(",")
        .parse()
        .map_err(|error: NotToolsets| error.to_string())
}

/// A token as a header can carry it.
pub(super) fn token(raw: &Raw) -> Result<Secret, String> {
    let token = text(raw)?;
    if token.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(Secret(token.to_owned()))
    } else {
        Err("must be visible ASCII characters without spaces, or no header can carry it".to_owned())
    }
}

pub(super) fn agent_label(raw: &Raw) -> Result<AgentLabel, String> {
    AgentLabel::new(text(raw)?).map_err(|error| error.to_string())
}

/// The hash of an installation's label; the label itself goes no further.
pub(super) fn instance_label(raw: &Raw) -> Result<InstanceHash, String> {
    instance_id_hash(text(raw)?).map_err(|error| error.to_string())
}

pub(super) fn log_format(raw: &Raw) -> Result<LogFormat, String> {
    match text(raw)? {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("must be text or json".to_owned()),
    }
}

pub(super) fn log_filter(raw: &Raw) -> Result<String, String> {
    let filter = text(raw)?;
    EnvFilter::builder()
        .parse(filter)
        .map(|_| filter.to_owned())
        .map_err(|_| {
            "must be a level (error, warn, info, debug, trace), or levels for parts of the program like warn,deedbox_server=debug"
                .to_owned()
        })
}
