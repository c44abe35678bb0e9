//! The JSON-RPC message around a request, as far as it has to be looked at before the SDK reads it.

use rmcp::model::{ErrorData, JsonRpcError, NumberOrString, ProtocolVersion, RequestId};
use serde_json::{Map, Value};

/// A JSON-RPC error message.
pub(crate) type RpcError = JsonRpcError;

/// What is known of a message that has the right form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// Of requests and responses.
    pub(crate) id: Option<RequestId>,
    /// Whether `params._meta` names the protocol's version, as each request of the newer era does.
    pub(crate) names_version: bool,
}

/// An error message.
pub(crate) fn error(id: Option<RequestId>, error: ErrorData) -> RpcError {
    JsonRpcError::new(id, error)
}

/// -32022, with the versions that are spoken.
pub(crate) fn unknown_version(requested: &str) -> ErrorData {
    let requested: String = requested.chars().take(64).collect();
    let data = serde_json::json!({
        "requested": requested,
        "supported": ProtocolVersion::KNOWN_VERSIONS,
    });
    let code = rmcp::model::ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
    ErrorData::new(code, "Unsupported protocol version", Some(data))
}

/// Checks that `message` is one JSON-RPC 2.0 message with named parameters.
///
/// # Errors
/// The error message to answer with.
pub(crate) fn check(message: &Value) -> Result<Envelope, RpcError> {
    let invalid = |id: Option<RequestId>, text: &'static str| {
        error(id, ErrorData::invalid_request(text, None))
    };
    let Value::Object(message) = message else {
        let text = if message.is_array() {
            "Invalid Request: batches are not supported; send one message at a time"
        } else {
            "Invalid Request: a message is a JSON object"
        };
        return Err(invalid(None, text));
    };
    let id = match message.get("id") {
        None => None,
        Some(Value::String(text)) => Some(NumberOrString::String(text.as_str().into())),
        Some(Value::Number(number)) if number.is_i64() => {
            number.as_i64().map(NumberOrString::Number)
        }
        Some(_) => {
            return Err(invalid(
                None,
                "Invalid Request: id must be a text or a whole number",
            ));
        }
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid(id, "Invalid Request: jsonrpc must be \"2.0\""));
    }
    let has = |name: &str| message.contains_key(name);
    let is_reply = has("result") || has("error");
    if !is_reply && !message.get("method").is_some_and(Value::is_string) {
        return Err(invalid(id, "Invalid Request: method must be a text"));
    }
    let meta = object(message.get("params"))
        .and_then(|params| object(params.and_then(|params| params.get("_meta"))));
    let Ok(meta) = meta else {
        let text = "Invalid params: params and params._meta must be objects";
        return Err(error(id, ErrorData::invalid_params(text, None)));
    };
    let names_version =
        meta.is_some_and(|meta| meta.contains_key("io.modelcontextprotocol/protocolVersion"));
    Ok(Envelope { id, names_version })
}

/// An object that may be absent. Null passes for absent, as in the SDK.
fn object(value: Option<&Value>) -> Result<Option<&Map<String, Value>>, ()> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(map)) => Ok(Some(map)),
        Some(_) => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn code(message: Value) -> i32 {
        check(&message).unwrap_err().error.code.0
    }

    #[test]
    fn one_message_at_a_time_in_the_right_form() {
        assert_eq!(
            code(json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])),
            -32600
        );
        for bad in [
            json!(1),
            json!({}),
            json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": [], "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": 5}),
            json!({"jsonrpc": "2.0", "id": 1}),
        ] {
            assert_eq!(code(bad.clone()), -32600, "{bad}");
        }
        for bad in [json!([]), json!("x"), json!({"_meta": []})] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": bad});
            assert_eq!(code(message), -32602, "{bad}");
        }
    }

    #[test]
    fn a_version_in_the_body_is_seen() {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let message =
            json!({"jsonrpc": "2.0", "id": "a", "method": "m", "params": {"_meta": meta}});
        let envelope = check(&message).unwrap();
        assert!(envelope.names_version);
        assert_eq!(envelope.id, Some(NumberOrString::String("a".into())));
    }
}
