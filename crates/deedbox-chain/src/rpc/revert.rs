//! What a contract returned when it refused: every client puts it somewhere else.

use alloy_primitives::{Bytes, hex};
use serde_json::{Value, value::RawValue};

/// How much of it is kept, in bytes: far more than any error has that people are to read.
const KEPT: usize = 16 * 1024;

/// The bytes, from an error's `data` or, where there are none, from its `message`.
pub(super) fn returned(message: &str, data: Option<&RawValue>) -> Option<Bytes> {
    data.and_then(of_data).or_else(|| of_words(message))
}

/// geth, Erigon, reth, anvil and Besu have a string; OpenEthereum and older Nethermind one that begins with `Reverted`; older
/// Hardhat an object with `data`, Ganache with `result`, wallets with the node's error inside.
fn of_data(data: &RawValue) -> Option<Bytes> {
    let json = data.get();
    if let Some(text) = json
        .strip_prefix('"')
        .and_then(|json| json.strip_suffix('"'))
    {
        return bytes(text.strip_prefix("Reverted ").unwrap_or(text));
    }
    let object: Value = serde_json::from_str(json).ok()?;
    let inner = object.get("originalError").unwrap_or(&object);
    let text = ["data", "result", "return"]
        .iter()
        .find_map(|key| inner.get(key)?.as_str());
    bytes(text?)
}

/// Some say it in words only, and then it is all that follows.
fn of_words(message: &str) -> Option<Bytes> {
    const BEFORE: [&str; 4] = [
        "execution reverted: 0x",
        "execution reverted 0x",
        "Reverted 0x",
        "reverted 0x",
    ];
    let digits = BEFORE
        .iter()
        .find_map(|before| message.strip_prefix(before));
    bytes(&format!("0x{}", digits?.trim_end()))
}

/// Cut after [`KEPT`] bytes.
fn bytes(text: &str) -> Option<Bytes> {
    let digits = text.strip_prefix("0x")?;
    let most = digits.len().min(2 * KEPT);
    hex::decode(digits.get(..most)?).ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_contract_returned_is_found_in_each_clients_form() {
        const ERROR: &str = "0x08c379a0ff";
        for (message, data) in [
            // geth, Erigon, reth, anvil, Besu
            ("execution reverted: no", r#""0x08c379a0ff""#),
            // OpenEthereum, Nethermind
            ("VM execution error.", r#""Reverted 0x08c379a0ff""#),
            // Hardhat
            (
                "Error: VM Exception",
                r#"{"message":"no","data":"0x08c379a0ff"}"#,
            ),
            // Ganache
            (
                "VM Exception while processing transaction: revert no",
                r#"{"hash":null,"programCounter":1,"result":"0x08c379a0ff","reason":"no"}"#,
            ),
            // wallets
            (
                "Internal JSON-RPC error.",
                r#"{"code":3,"originalError":{"code":3,"data":"0x08c379a0ff","message":"no"}}"#,
            ),
            ("Reverted 0x08c379a0ff", "null"),
            ("execution reverted: 0x08c379a0ff", "null"),
        ] {
            let data = RawValue::from_string(data.to_owned()).unwrap();
            let found = returned(message, Some(&data)).map(|bytes| bytes.to_string());
            assert_eq!(found.as_deref(), Some(ERROR), "{message} {data}");
        }
    }

    #[test]
    fn what_is_no_data_is_none() {
        for (message, data) in [
            ("execution reverted", None),
            ("execution reverted: see 0x1234", None),
            ("execution reverted: 0x1234 is no owner", None),
            ("nonce too low", Some(r#"{"data":7}"#)),
            ("nonce too low", Some(r#""0x1""#)),
            ("nonce too low", Some(r#""none""#)),
            ("nonce too low", Some("[[]]")),
        ] {
            let data = data.map(|data| RawValue::from_string(data.to_owned()).unwrap());
            assert_eq!(
                returned(message, data.as_deref()),
                None,
                "{message} {data:?}"
            );
        }
    }

    #[test]
    fn an_error_without_end_is_cut() {
        let long = format!("\"0x{}\"", "ab".repeat(3 * KEPT));
        let long = RawValue::from_string(long).unwrap();
        assert_eq!(returned("", Some(&long)), Some(vec![0xab; KEPT].into()));
    }
}
