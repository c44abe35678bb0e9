//! MCP's envelope, by hand: nothing of an SDK stands between a test and what goes over the wire.

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http::{Request, request::Builder};
use serde_json::{Value, json};

use crate::Response;

/// The newest revision with a handshake.
pub const HANDSHAKE: &str = "2025-11-25";
/// The stateless revision.
pub const STATELESS: &str = "2026-07-28";

/// `POST /mcp` with what every client sends.
#[must_use]
pub fn post(key: &str) -> Builder {
    Request::post("/mcp")
        .header("authorization", format!("Bearer {key}"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

/// A request of the revisions with a handshake. It is sent without one: no session is needed.
///
/// # Errors
/// Never, for a key that fits into a header.
pub fn handshake_era(key: &str, message: &Value) -> Result<Request<Bytes>> {
    let request = post(key).header("mcp-protocol-version", HANDSHAKE);
    Ok(request.body(Bytes::from(message.to_string()))?)
}

/// What every request of the stateless revision carries in its `_meta`.
#[must_use]
pub fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "deedbox-tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A message of the stateless revision, with its `_meta`.
#[must_use]
pub fn stateless_message(method: &str, mut params: Value) -> Value {
    params["_meta"] = meta();
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// A request of the stateless revision, with the headers that must repeat what its body says.
///
/// # Errors
/// Never, for a key and a name that fit into headers.
pub fn stateless_era(key: &str, message: &Value) -> Result<Request<Bytes>> {
    let mut request = post(key)
        .header("mcp-protocol-version", STATELESS)
        .header("mcp-method", message["method"].as_str().unwrap_or_default());
    if let Some(name) = message["params"]["name"].as_str() {
        request = request.header("mcp-name", name);
    }
    Ok(request.body(Bytes::from(message.to_string()))?)
}

/// The JSON-RPC message that answers request `1`, whether it came as JSON or at the end of an event stream.
///
/// # Errors
/// When there is none.
pub fn answer(response: &Response) -> Result<Value> {
    if !response
        .header("content-type")
        .starts_with("text/event-stream")
    {
        return response.json();
    }
    let text = std::str::from_utf8(&response.body)?;
    let mut last = None;
    for line in text.lines() {
        if let Some(data) = line.strip_prefix("data:")
            && !data.trim().is_empty()
        {
            last = Some(serde_json::from_str(data).context("an event that is not JSON")?);
        }
    }
    match last {
        Some(message) => Ok(message),
        None => bail!("an event stream without an answer: {text:?}"),
    }
}
