//! How a request is seen from outside: its id, its span, its trace, its counts.
//!
//! Field names are dotted (`request.id`, `http.route`). No header, body or credential is ever a field. Label
//! values of metrics come from fixed sets, so that no caller can make them grow.

use std::{sync::LazyLock, time::Instant};

use http::{HeaderMap, HeaderName, Method, StatusCode};
use tracing::{Span, field::Empty};
use uuid::Uuid;

use crate::tools::Tool;

/// Carries a request's id, both ways.
pub const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The routes that belong to no tool. Those of tools are counted under the paths that the tools have.
const OTHERS: [&str; 6] = [
    "/mcp",
    "/api/evidence/{id}",
    "/api/healthz",
    "/.well-known/mcp/server-card.json",
    "/openapi.json",
    "/metrics",
];

/// The parent of a request's trace (W3C Trace Context §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent<'a> {
    /// 32 lower-case hexadecimal digits, not all zero.
    pub trace_id: &'a str,
    /// 16 lower-case hexadecimal digits, not all zero.
    pub parent_id: &'a str,
}

impl<'a> TraceParent<'a> {
    /// Reads `traceparent`; `None` when there is none or it is not valid, which is how the
    /// recommendation wants invalid ones treated.
    #[must_use]
    pub fn read(headers: &'a HeaderMap) -> Option<Self> {
        let mut values = headers.get_all("traceparent").iter();
        let text = values.next()?.to_str().ok()?;
        if values.next().is_some() {
            return None;
        }
        let mut parts = text.split('-');
        let (version, trace_id, parent_id, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let hex = |part: &str, digits: usize| {
            part.len() == digits && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let set = |part: &str| part.bytes().any(|b| b != b'0');
        let known = hex(version, 2)
            && version != "ff"
            && (version != "00" || parts.next().is_none())
            && hex(trace_id, 32)
            && set(trace_id)
            && hex(parent_id, 16)
            && set(parent_id)
            && hex(flags, 2);
        known.then_some(Self {
            trace_id,
            parent_id,
        })
    }
}

/// A request's id: the caller's own if it is 1 to 128 letters, digits, `.`, `_` or `-`, and holds nothing that
/// begins like a key, which somebody may have put into the wrong header and which no log may hold; else `fresh`.
#[must_use]
pub fn request_id(headers: &HeaderMap, fresh: impl FnOnce() -> Uuid) -> String {
    let own = headers
        .get(REQUEST_ID_HEADER)
        .and_then(|value| value.to_str().ok())
        .filter(|text| (1..=128).contains(&text.len()) && !text.contains("dbx_"))
        .filter(|text| {
            text.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        });
    own.map_or_else(|| fresh().to_string(), str::to_owned)
}

/// The span in which a request is handled.
pub(crate) fn span(id: &str, method: &Method, route: &'static str, headers: &HeaderMap) -> Span {
    let span = tracing::info_span!(
        "request",
        request.id = id,
        http.method = method_label(method),
        http.route = route,
        trace.id = Empty,
        trace.parent = Empty,
        principal = Empty,
    );
    if let Some(parent) = TraceParent::read(headers) {
        span.record("trace.id", parent.trace_id);
        span.record("trace.parent", parent.parent_id);
    }
    span
}

/// The name under which a matched path is counted: itself, or `other` for what is no route.
pub(crate) fn route_label(matched: Option<&str>) -> &'static str {
    let mut routes = Tool::ALL
        .into_iter()
        .map(|tool| tool.about().path)
        .chain(OTHERS);
    matched
        .and_then(|path| routes.find(|route| *route == path))
        .unwrap_or("other")
}

fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

fn status_label(status: StatusCode) -> &'static str {
    /// `100` to `599` in one text, so that a label needs no allocation for each request.
    static TEXTS: LazyLock<String> =
        LazyLock::new(|| (100..600).map(|status: u16| status.to_string()).collect());
    let at = usize::from(status.as_u16().saturating_sub(100)) * 3;
    TEXTS.get(at..at + 3).unwrap_or("other")
}

/// Counts a request that was answered, and logs it: in full detail only what went well.
pub(crate) fn answered(route: &'static str, method: &Method, status: StatusCode, since: Instant) {
    let taken = since.elapsed();
    metrics::counter!(
        "deedbox_requests_total",
        "route" => route,
        "method" => method_label(method),
        "status" => status_label(status),
    )
    .increment(1);
    metrics::histogram!("deedbox_request_seconds", "route" => route).record(taken.as_secs_f64());
    let (status, millis) = (status.as_u16(), taken.as_secs_f64() * 1000.0);
    if status < 400 {
        tracing::debug!(http.status = status, took.ms = millis, "answered");
    } else {
        tracing::info!(http.status = status, took.ms = millis, "answered");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn only_a_valid_traceparent_is_taken() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let map = headers("traceparent", good);
        let parent = TraceParent::read(&map).unwrap();
        assert_eq!(parent.trace_id, "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(parent.parent_id, "b7ad6b7169203331");
        for bad in [
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "x",
        ] {
            assert_eq!(
                TraceParent::read(&headers("traceparent", bad)),
                None,
                "{bad}"
            );
        }
    }

    #[test]
    fn a_callers_request_id_is_taken_only_when_harmless() {
        let fresh = Uuid::nil;
        assert_eq!(
            request_id(&headers("x-request-id", "a-1_b.C"), fresh),
            "a-1_b.C"
        );
        for bad in ["", "a b", "a\"b", "dbx_0a1b_2c3d", &"a".repeat(129)] {
            let id = request_id(&headers("x-request-id", bad), fresh);
            assert_eq!(id, Uuid::nil().to_string(), "{bad:?}");
        }
    }

    #[test]
    fn labels_come_from_fixed_sets() {
        assert_eq!(status_label(StatusCode::CREATED), "201");
        assert_eq!(status_label(StatusCode::GATEWAY_TIMEOUT), "504");
        assert_eq!(status_label(StatusCode::from_u16(999).unwrap()), "other");
        assert_eq!(method_label(&Method::from_bytes(b"BREW").unwrap()), "OTHER");
        assert_eq!(route_label(Some("/api/tasks")), "/api/tasks");
        let status = "/api/tasks/{taskId}/status";
        assert_eq!(route_label(Some(status)), status);
        assert_eq!(route_label(Some("/x")), "other");
    }
}
