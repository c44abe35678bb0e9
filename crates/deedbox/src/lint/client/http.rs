//! Streamable HTTP, as far as one request and its answer go.

use std::time::Duration;

use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
    redirect::Policy,
};
use serde_json::Value;
use url::Url;

use super::{Era, HANDSHAKE, MOST_BYTES, NoList, PATIENCE, STATELESS, request};

const CONNECT: Duration = Duration::from_secs(10);
const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";

/// A server at a URL.
pub(super) struct Http {
    client: Client,
    url: Url,
    /// The session that the server made, if it made one.
    session: Option<HeaderValue>,
    next: u64,
}

impl Http {
    pub(super) fn new(url: &Url, token: Option<&str>) -> Result<Self, NoList> {
        let mut headers = HeaderMap::new();
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, both);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(token) = token {
            let value = HeaderValue::from_str(&format!("Bearer {token}"));
            let mut value = value.map_err(|_| NoList::BadToken)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let client = Client::builder()
            .default_headers(headers)
            .user_agent(concat!("deedbox/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(PATIENCE)
            // A credential goes to the server that was named, and to no other.
            .redirect(Policy::none())
            .build()
            .map_err(unreachable)?;
        Ok(Self {
            client,
            url: url.clone(),
            session: None,
            next: 1,
        })
    }

    pub(super) async fn ask(
        &mut self,
        era: Era,
        method: &str,
        params: Value,
    ) -> Result<Value, NoList> {
        let id = self.next;
        self.next = id.saturating_add(1);
        let version = match era {
            Era::Stateless => STATELESS,
            Era::Handshake => HANDSHAKE,
        };
        let mut post = self.client.post(self.url.clone()).header(VERSION, version);
        if era == Era::Stateless {
            post = post.header(METHOD, method);
        }
        if let Some(session) = &self.session {
            post = post.header(SESSION, session);
        }
        let body = request(id, method, params).to_string();
        let response = post.body(body).send().await.map_err(unreachable)?;
        let status = response.status();
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(NoList::Credential(status.as_u16(), elsewhere(&self.url)));
        }
        if let Some(session) = response.headers().get(SESSION) {
            self.session = Some(session.clone());
        }
        let answer = answer(response, id).await;
        answer.map_err(|error| match error {
            NoList::NotAMessage if !status.is_success() => {
                NoList::Status(status.as_u16(), elsewhere(&self.url))
            }
            error => error,
        })
    }

    /// Sends a message that has no answer.
    pub(super) async fn notify(&self, message: &Value) -> Result<(), NoList> {
        let mut post = self
            .client
            .post(self.url.clone())
            .header(VERSION, HANDSHAKE);
        if let Some(session) = &self.session {
            post = post.header(SESSION, session);
        }
        let sent = post.body(message.to_string()).send().await;
        sent.map(drop).map_err(unreachable)
    }

    /// Ends the session, if there is one. A server that does not listen any more is no failure.
    pub(super) async fn close(self) {
        if let Some(session) = &self.session {
            let delete = self.client.delete(self.url.clone());
            let delete = delete.header(SESSION, session).header(VERSION, HANDSHAKE);
            drop(delete.send().await);
        }
    }
}

/// What may be wrong with a URL that names a host and no path.
fn elsewhere(url: &Url) -> &'static str {
    if url.path() == "/" {
        "; many servers speak MCP at the path /mcp, and this URL has none"
    } else {
        ""
    }
}

/// Without the URL: it may hold a key.
fn unreachable(error: reqwest::Error) -> NoList {
    if error.is_timeout() {
        return NoList::Timeout;
    }
    NoList::Connect(Box::new(error.without_url()))
}

/// Reads the message with this id, from a JSON body or from events as they come.
async fn answer(mut response: Response, id: u64) -> Result<Value, NoList> {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let events = kind.to_ascii_lowercase().starts_with("text/event-stream");
    let mut body = Vec::new();
    let mut read = 0;
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(NoList::TooLarge);
        }
        body.extend_from_slice(&chunk);
        // The stream may stay open after the answer.
        while let Some(end) = events.then(|| event_end(&body, read)).flatten() {
            if let Some(message) = event(&body[read..end]).filter(|message| message["id"] == id) {
                return Ok(message);
            }
            read = end;
        }
    }
    let message = if events {
        event(&body[read..])
    } else {
        serde_json::from_slice(&body).ok()
    };
    // An error to a request that could not be read has no id.
    let belongs = |message: &Value| {
        message["id"] == id || (message["id"].is_null() && message["error"].is_object())
    };
    message.filter(belongs).ok_or(NoList::NotAMessage)
}

/// Where the event that starts at `from` ends: behind its empty line.
fn event_end(body: &[u8], from: usize) -> Option<usize> {
    let rest = &body[from..];
    let ends = [&b"\n\n"[..], b"\r\n\r\n", b"\r\r"]
        .into_iter()
        .filter_map(|end| {
            let at = rest.windows(end.len()).position(|window| window == end)?;
            Some(from + at + end.len())
        });
    ends.min()
}

/// The JSON of an event's data (HTML Living Standard §9.2.6).
fn event(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    let lines = text.split(['\n', '\r']);
    let data: Vec<&str> = lines
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|data| data.strip_prefix(' ').unwrap_or(data))
        .collect();
    serde_json::from_str(&data.join("\n")).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_read_with_each_line_end_and_over_several_lines() {
        for text in [
            "data: {\"id\": 1}\n\nrest",
            ": hello\r\nevent: message\r\ndata:{\"id\":\r\ndata: 1}\r\n\r\nrest",
            "id: 7\rdata: {\"id\": 1}\r\rrest",
        ] {
            let end = event_end(text.as_bytes(), 0).unwrap();
            assert_eq!(&text[end..], "rest");
            assert_eq!(
                event(&text.as_bytes()[..end]),
                Some(json!({"id": 1})),
                "{text:?}"
            );
        }
        assert_eq!(event_end(b"data: {}\n", 0), None);
    }
}
