//! Reading what stands beside a request's body, as strictly as the body itself.

use std::str::FromStr;

use axum::extract::Query;
use deedbox_core::Refusal;
use http::{HeaderMap, HeaderName, Uri};

/// Names the task that a reading is for.
pub(super) const TASK: HeaderName = HeaderName::from_static("deedbox-task");
/// Whether, after a handoff, only the recipient may accept.
pub(super) const RECIPIENT_ONLY: HeaderName = HeaderName::from_static("deedbox-recipient-only");

/// Refuses options that there are not: what is misspelt must not be ignored, as in MCP's `_meta`.
pub(super) fn known_options(headers: &HeaderMap) -> Result<(), Refusal> {
    let is_unknown = |name: &&HeaderName| {
        name.as_str().starts_with("deedbox-") && **name != TASK && **name != RECIPIENT_ONLY
    };
    match headers.keys().find(is_unknown) {
        Some(name) => {
            let reason = "is no option; there are Deedbox-Recipient-Only and Deedbox-Task";
            Err(Refusal::invalid(shown(name.as_str()), reason))
        }
        None => Ok(()),
    }
}

/// A value from its text.
pub(super) fn parse<T: FromStr<Err: ToString>>(field: &str, text: &str) -> Result<T, Refusal> {
    text.parse()
        .map_err(|error: T::Err| Refusal::invalid(field, error.to_string()))
}

/// The names and values of a query string, in their order.
pub(super) fn query(uri: &Uri) -> Result<Vec<(String, String)>, Refusal> {
    Query::try_from_uri(uri)
        .map(|Query(pairs)| pairs)
        .map_err(|_| Refusal::invalid("", "the query string does not read as name=value pairs"))
}

/// A name that somebody made up, not without end.
pub(super) fn shown(name: &str) -> String {
    name.chars().take(64).collect()
}

/// A header that may be absent, and stands there once.
pub(super) fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let Some(first) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Refusal::invalid(name.as_str(), "stands twice"));
    }
    first
        .to_str()
        .map(Some)
        .map_err(|_| Refusal::invalid(name.as_str(), "must be visible ASCII"))
}
