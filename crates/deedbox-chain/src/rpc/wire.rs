//! JSON-RPC 2.0 as it goes over the wire: how requests are written and how strictly answers are read.

use std::fmt::Write as _;

use alloy_primitives::Bytes;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, value::RawValue};

use super::{revert, value::Malformed};
use crate::events::MOST_OF_A_BLOCK;

/// How much of an endpoint's own words is looked at, in bytes.
const WORDS: usize = 2048;

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

impl Ask {
    /// How large its answer may be, in bytes, although the endpoint's configuration says less. A receipt is as long as the contract that was called
    /// has made it, and there is no asking for less of it: 16,777,216 gas (EIP-7825) pay for 45,000 logs, of some 500 bytes each in JSON. The same is
    /// true of the logs of one block.
    pub(crate) fn most_bytes(&self) -> usize {
        let filter = &self.params[0];
        let is_one_block =
            || !filter["blockHash"].is_null() || filter["fromBlock"] == filter["toBlock"];
        match self.method {
            "eth_getTransactionReceipt" => 64 * 1024 * 1024,
            "eth_getLogs" if is_one_block() => MOST_OF_A_BLOCK,
            // With its transactions, which are asked for whole.
            "eth_getBlockByNumber" if self.params[1] == true => MOST_OF_A_BLOCK,
            _ => 0,
        }
    }
}

/// A JSON-RPC error object, as the endpoint wrote it: for classification, never for a caller or a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ErrorObject {
    pub(crate) code: i64,
    /// At most 2 KiB.
    pub(crate) message: String,
    /// How long to wait, in seconds, where it says so in its data.
    pub(crate) backoff_seconds: Option<f64>,
    /// What a contract returned when it refused, where it says so: at most 16 KiB.
    pub(crate) returned: Option<Bytes>,
}

/// What came back for one request.
pub(crate) type Outcome = Result<Box<RawValue>, ErrorObject>;

/// What came back for all.
#[derive(Debug)]
pub(crate) enum Reply {
    /// One outcome for each request, in their order.
    Each(Vec<Outcome>),
    /// One error for all of them together.
    Whole(ErrorObject),
}

/// The body of a request: one object for one, an array for more. Ids count up from `first`.
pub(crate) fn write(asks: &[Ask], first: u64) -> String {
    let mut body = String::new();
    for (ask, id) in asks.iter().zip(first..) {
        let separator = if body.is_empty() { "" } else { "," };
        // Writing to a string does not fail.
        let _infallible = write!(
            body,
            r#"{separator}{{"jsonrpc":"2.0","id":{id},"method":"{}","params":{}}}"#,
            ask.method, ask.params
        );
    }
    if asks.len() == 1 {
        body
    } else {
        format!("[{body}]")
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: &'a str,
    /// None for `null`, which stands for all requests, and where it was left out.
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    /// A result may be `null`, which is not the same as none.
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<WireError<'a>>,
}

#[derive(Deserialize)]
struct WireError<'a> {
    code: i64,
    message: String,
    /// Anything, of any size.
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// How long to wait, in the form that Infura has.
#[derive(Deserialize)]
struct Limit {
    rate: Rate,
}

#[derive(Deserialize)]
struct Rate {
    backoff_seconds: f64,
}

fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    value: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

impl From<WireError<'_>> for ErrorObject {
    fn from(error: WireError<'_>) -> Self {
        let short = error.data.filter(|data| data.get().len() <= WORDS);
        let limit: Option<Limit> = short.and_then(|data| serde_json::from_str(data.get()).ok());
        let mut message = error.message;
        let returned = revert::returned(&message, error.data);
        message.truncate(message.floor_char_boundary(WORDS));
        Self {
            code: error.code,
            message,
            backoff_seconds: limit.map(|limit| limit.rate.backoff_seconds),
            returned,
        }
    }
}

/// Reads the body of an answer to `count` requests whose ids count up from `first`.
///
/// A batch may be answered in any order, each request exactly once. An error with the id `null`, or with
/// none, is an error for all.
pub(crate) fn read(body: &[u8], first: u64, count: usize) -> Result<Reply, Malformed> {
    let start = body.iter().copied().find(|b| !b.is_ascii_whitespace());
    match start {
        Some(b'[') if count > 1 => each(body, first, count),
        Some(b'{') => one(body, first, count),
        _ => Err(Malformed("the answer is no JSON-RPC")),
    }
}

fn one(body: &[u8], first: u64, count: usize) -> Result<Reply, Malformed> {
    let envelope: Envelope<'_> =
        serde_json::from_slice(body).map_err(|_| Malformed("the answer is no JSON-RPC 2.0"))?;
    let nobody = envelope.id.is_none();
    let (id, outcome) = open(envelope)?;
    match outcome {
        Err(error) if nobody || count > 1 => Ok(Reply::Whole(error)),
        outcome if count == 1 && id == Some(first) => Ok(Reply::Each(vec![outcome])),
        _ => Err(Malformed("the answer is to another request")),
    }
}

fn each(body: &[u8], first: u64, count: usize) -> Result<Reply, Malformed> {
    let mut envelopes: Vec<Envelope<'_>> =
        serde_json::from_slice(body).map_err(|_| Malformed("the answer is no JSON-RPC 2.0"))?;
    // Some refuse a whole batch with an array that holds one error.
    if let Some(only) = envelopes.pop_if(|only| only.id.is_none()) {
        return match open(only)?.1 {
            Err(error) if envelopes.is_empty() => Ok(Reply::Whole(error)),
            _ => Err(Malformed("the answer is to another request")),
        };
    }
    let mut outcomes: Vec<Option<Outcome>> = (0..count).map(|_| None).collect();
    for envelope in envelopes {
        let (id, outcome) = open(envelope)?;
        let slot = id
            .and_then(|id| usize::try_from(id.checked_sub(first)?).ok())
            .and_then(|index| outcomes.get_mut(index))
            .ok_or(Malformed("the answer is to another request"))?;
        if slot.replace(outcome).is_some() {
            return Err(Malformed("one request is answered twice"));
        }
    }
    outcomes
        .into_iter()
        .collect::<Option<_>>()
        .map(Reply::Each)
        .ok_or(Malformed("not every request is answered"))
}

fn open(envelope: Envelope<'_>) -> Result<(Option<u64>, Outcome), Malformed> {
    if envelope.jsonrpc != "2.0" {
        return Err(Malformed("the answer is no JSON-RPC 2.0"));
    }
    let id = envelope.id.and_then(|id| id.get().parse().ok());
    match (envelope.result, envelope.error) {
        (Some(result), None) => Ok((id, Ok(result.to_owned()))),
        (None, Some(error)) => Ok((id, Err(error.into()))),
        _ => Err(Malformed(
            "an answer holds not exactly one of result and error",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn results(reply: Result<Reply, Malformed>) -> Vec<Result<String, i64>> {
        let Ok(Reply::Each(outcomes)) = reply else {
            panic!("{reply:?}");
        };
        let plain = |outcome: Outcome| outcome.map(|v| v.get().to_owned()).map_err(|e| e.code);
        outcomes.into_iter().map(plain).collect()
    }

    #[test]
    fn one_request_is_an_object_and_more_are_an_array() {
        let ask = |method| Ask {
            method,
            params: json!(["0x1"]),
        };
        assert_eq!(
            write(&[ask("a")], 7),
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":["0x1"]}"#
        );
        let two: Value = serde_json::from_str(&write(&[ask("a"), ask("b")], 7)).unwrap();
        assert_eq!((&two[0]["id"], &two[1]["id"]), (&json!(7), &json!(8)));
    }

    #[test]
    fn a_batch_is_answered_in_any_order() {
        let body = br#" [{"jsonrpc":"2.0","id":9,"error":{"code":3,"message":"no"}},
            {"jsonrpc":"2.0","id":8,"result":null}]"#;
        assert_eq!(results(read(body, 8, 2)), [Ok("null".to_owned()), Err(3)]);
    }

    #[test]
    fn one_error_may_stand_for_all() {
        for (body, count) in [
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}"#,
                1,
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}"#,
                2,
            ),
            (
                r#"{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}"#,
                2,
            ),
            (
                r#"[{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}]"#,
                2,
            ),
        ] {
            let reply = read(body.as_bytes(), 5, count);
            assert!(
                matches!(&reply, Ok(Reply::Whole(e)) if e.code == -1),
                "{body}: {reply:?}"
            );
        }
    }

    #[test]
    fn what_is_no_answer_to_what_was_asked_is_malformed() {
        let ok = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"0x1"}}"#);
        let (one, two) = (ok(5), ok(6));
        for (body, count) in [
            (String::new(), 1),
            ("<html><body>502</body></html>".to_owned(), 1),
            ("null".to_owned(), 1),
            ("\"0x1\"".to_owned(), 1),
            (two.clone(), 1),
            (one[..one.len() - 1].to_owned(), 1),
            (format!("{one}{one}"), 1),
            (format!("[{one}]"), 1),
            (one.clone(), 2),
            (format!("[{one}]"), 2),
            (format!("[{one},{one}]"), 2),
            (format!("[{one},{two},{}]", ok(7)), 2),
            (format!("[{one},{}]", ok(4)), 2),
            (format!("[{one},{two}"), 2),
            ("[]".to_owned(), 2),
            (r#"{"jsonrpc":"1.0","id":5,"result":"0x1"}"#.to_owned(), 1),
            (r#"{"id":5,"result":"0x1"}"#.to_owned(), 1),
            (r#"{"jsonrpc":"2.0","id":"5","result":"0x1"}"#.to_owned(), 1),
            (r#"{"jsonrpc":"2.0","id":5}"#.to_owned(), 1),
            (
                r#"{"jsonrpc":"2.0","id":5,"result":1,"result":2}"#.to_owned(),
                1,
            ),
            (
                r#"{"jsonrpc":"2.0","id":5,"result":null,"error":{"code":1,"message":""}}"#
                    .to_owned(),
                1,
            ),
            (r#"{"jsonrpc":"2.0","id":5,"error":null}"#.to_owned(), 1),
            (r#"{"jsonrpc":"2.0","id":5,"error":"no"}"#.to_owned(), 1),
        ] {
            let reply = read(body.as_bytes(), 5, count);
            assert!(reply.is_err(), "{body}: {reply:?}");
        }
    }

    #[test]
    fn of_an_errors_data_only_the_time_to_wait_is_read() {
        let filler = "x".repeat(WORDS);
        for (data, expected) in [
            (
                r#"{"rate":{"backoff_seconds":1.5,"x":[]},"y":{}}"#,
                Some(1.5),
            ),
            (r#"{"rate":{"backoff_seconds":"1"}}"#, None),
            (r#"{"rate":null}"#, None),
            (r#""0x08c379a0""#, None),
            ("null", None),
            (
                &format!(r#"{{"rate":{{"backoff_seconds":1}},"x":"{filler}"}}"#),
                None,
            ),
        ] {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":5,"error":{{"code":1,"message":"","data":{data}}}}}"#
            );
            let Ok(Reply::Each(outcomes)) = read(body.as_bytes(), 5, 1) else {
                panic!("{body}")
            };
            let error = outcomes[0].as_ref().unwrap_err();
            assert_eq!(error.backoff_seconds, expected, "{body}");
        }
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":5,"error":{{"code":1,"message":"{}"}}}}"#,
            "é".repeat(WORDS)
        );
        let Ok(Reply::Each(outcomes)) = read(body.as_bytes(), 5, 1) else {
            panic!()
        };
        assert_eq!(
            outcomes[0].as_ref().unwrap_err().message,
            "é".repeat(WORDS / 2)
        );
    }
}
