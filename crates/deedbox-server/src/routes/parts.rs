//! Reading what stands beside a request's body, as strictly as the body itself.

use std::str::FromStr;

use axum::extract::Query;
use deedbox_core::Refusal;
use http::{HeaderMap, HeaderName, Uri};

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
