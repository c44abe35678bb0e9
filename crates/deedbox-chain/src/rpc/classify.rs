//! From what an endpoint answers to what it means: pure functions.

use std::time::Duration;

use deedbox_core::Timestamp;
use time::{PrimitiveDateTime, macros::format_description};

use super::{
    suggest,
    trouble::Trouble,
    wire::ErrorObject,
    words::{self, Means},
};

/// What an error object in an answer with the HTTP status `status` means.
pub(crate) fn error(status: u16, retry_after: Option<Duration>, error: &ErrorObject) -> Trouble {
    let text = error.message.to_lowercase();
    if words::reverted(error, &text) {
        return Trouble::Reverted(error.returned.clone().unwrap_or_default());
    }
    let retry_after =
        retry_after.or_else(|| Duration::try_from_secs_f64(error.backoff_seconds?).ok());
    match words::meaning(&text) {
        Some(means) => named(means, &text, retry_after),
        None => by_code(error.code, retry_after).unwrap_or_else(|| by_status(status, retry_after)),
    }
}

/// What an answer means whose body is no JSON-RPC: a page of a proxy, an error in a form of its own, nothing.
/// `None` when the HTTP status says that it should have been an answer.
pub(crate) fn page(status: u16, retry_after: Option<Duration>, body: &[u8]) -> Option<Trouble> {
    if (200..300).contains(&status) {
        return None;
    }
    let text = String::from_utf8_lossy(&body[..body.len().min(2048)]).to_lowercase();
    match words::meaning(&text) {
        // A page may hold any word; what counts is what a proxy or a gateway has to say.
        Some(
            means @ (Means::RateLimited
            | Means::BatchRefused
            | Means::TooManyBlocks
            | Means::TooManyLogs
            | Means::StateUnavailable
            | Means::Unauthorized),
        ) => Some(named(means, &text, retry_after)),
        _ => Some(by_status(status, retry_after)),
    }
}

fn named(means: Means, text: &str, retry_after: Option<Duration>) -> Trouble {
    match means {
        Means::TooManyBlocks => Trouble::TooManyBlocks {
            suggested: suggest::blocks(text),
        },
        Means::TooManyLogs => Trouble::TooManyLogs {
            suggested: suggest::range(text),
        },
        Means::BatchRefused => Trouble::BatchRefused {
            at_most: suggest::batch(text),
        },
        Means::ResponseTooLarge => Trouble::ResponseTooLarge,
        Means::NotCanonical => Trouble::NotCanonical,
        Means::StateUnavailable => Trouble::StateUnavailable,
        Means::BlockUnknown if is_below_its_height(text) => Trouble::StateUnavailable,
        Means::BlockUnknown => Trouble::BlockUnknown,
        Means::RateLimited => Trouble::RateLimited { retry_after },
        Means::Unauthorized => Trouble::Unauthorized,
        Means::ExecutionFailed => Trouble::ExecutionFailed,
        Means::CannotPay => Trouble::CannotPay,
        Means::TimedOut => Trouble::TimedOut,
        Means::MethodMissing => Trouble::MethodMissing,
        Means::BadParams => Trouble::BadParams,
    }
}

/// Whether it says that it has more blocks than the one that was asked for. Then it knows the block, and not its state: anvil after it was
/// started again with what it had kept.
fn is_below_its_height(text: &str) -> bool {
    let number = |before: &str| {
        let (_, rest) = text.split_once(before)?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<u64>().ok()
    };
    let height = number("block height is ");
    let asked = number("requested was ");
    height
        .zip(asked)
        .is_some_and(|(height, asked)| asked <= height)
}

/// The codes that mean the same wherever they are used (JSON-RPC 2.0 §5.1, EIP-1474, and what providers agree on).
fn by_code(code: i64, retry_after: Option<Duration>) -> Option<Trouble> {
    Some(match code {
        // 429 as a code; EIP-1474 "limit exceeded"; Cloudflare and OP; Ankr; QuickNode.
        429 | -32005 | -32016 | -32029 | -32090 | -32097 | -32007 => {
            Trouble::RateLimited { retry_after }
        }
        -32008 => Trouble::ResponseTooLarge,
        4444 => Trouble::StateUnavailable,
        -39001 | -32001 => Trouble::BlockUnknown,
        -32015 => Trouble::ExecutionFailed,
        -32601 | -32004 => Trouble::MethodMissing,
        -32602 => Trouble::BadParams,
        -32603 => Trouble::Internal,
        401 | 403 => Trouble::Unauthorized,
        _ => return None,
    })
}

fn by_status(status: u16, retry_after: Option<Duration>) -> Trouble {
    match status {
        429 => Trouble::RateLimited { retry_after },
        // "Come back later" is said in either way.
        503 if retry_after.is_some() => Trouble::RateLimited { retry_after },
        401 | 402 | 403 | 407 => Trouble::Unauthorized,
        408 | 504 | 522 | 524 => Trouble::TimedOut,
        413 => Trouble::BatchRefused { at_most: None },
        400 | 422 => Trouble::BadParams,
        300..=399 => Trouble::Malformed("a redirection, which is not followed"),
        404 | 405 | 410 | 415 => Trouble::Malformed("there is no JSON-RPC at its URL"),
        _ => Trouble::Internal,
    }
}

/// `Retry-After` (RFC 9110 §10.2.3): seconds, or a date; a date that has passed means at once. What cannot be read is as
/// if it were not there.
pub(crate) fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    // IMF-fixdate, the only form that may be sent (RFC 9110 §5.6.7).
    let format = format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    let date = PrimitiveDateTime::parse(value, format).ok()?;
    let then = Timestamp::from_datetime(date.assume_utc()).ok()?;
    let millis = then.as_millis().saturating_sub(now.as_millis());
    Some(Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: i64, message: &str) -> Trouble {
        let object = ErrorObject {
            code,
            message: message.to_owned(),
            ..ErrorObject::default()
        };
        error(200, None, &object)
    }

    #[test]
    fn state_that_is_not_kept_is_known_in_each_clients_words() {
        for (code, message) in [
            // geth, hash scheme and path scheme
            (
                -32000,
                "missing trie node 5c0ee75d9dd668839db2895c93257f6a (path ) state 0x5c0e is not available, not found",
            ),
            (-32000, "historical state 5c0ee75d is not available"),
            (-32000, "required historical state unavailable (reexec=128)"),
            (4444, "pruned history unavailable"),
            // Erigon
            (-32000, "state has been pruned for block 5000"),
            (-32000, "old data not available due to pruning"),
            // Nethermind
            (
                -32002,
                "No state available for block 0x3f9e020290502d1d41f4b5519e7d456f0935dea980ec310935206cac8239117e",
            ),
            // Besu
            (-32000, "World state unavailable"),
            // reth
            (-32000, "state at block #1000 is pruned"),
            // anvil, started again with the state of its newest block
            (
                -32602,
                "BlockOutOfRangeError: block height is 20 but requested was 5",
            ),
            // Infura
            (-32000, "project ID does not have access to archive state"),
            // PublicNode
            (
                -32602,
                "Archive requests require a personal token. Get one at: https://www.allnodes.com/publicnode",
            ),
            // Chainstack
            (
                -32002,
                "Archive, Debug and Trace requests are not available on your current plan.",
            ),
            // a public endpoint
            (
                -32601,
                "public endpoint only serves recent blocks (last 1024)",
            ),
        ] {
            assert_eq!(said(code, message), Trouble::StateUnavailable, "{message}");
        }
    }

    #[test]
    fn being_asked_too_often_is_known_in_each_providers_words() {
        for (code, message) in [
            (
                429,
                "Your app has exceeded its compute units per second capacity.",
            ), // Alchemy
            (-32005, "project ID request rate exceeded"), // Infura
            (-32005, "daily request count exceeded, request rate limited"), // Infura
            (
                -32007,
                "50/second request limit reached - reduce calls per second or upgrade",
            ), // QuickNode
            (
                -32090,
                "Too many requests, reason: call rate limit exhausted, retry in 10s",
            ), // Ankr
            (-32016, "over rate limit"),                  // Base, Cloudflare
            (-32005, "limit exceeded"),
            (-32029, "slow down"),
            (-32097, "please wait"),
            (
                -32000,
                "You've exceeded the RPS limit available on the current plan.",
            ), // Chainstack
            (-32000, "rate limit exceeded"), // Tenderly
        ] {
            let trouble = said(code, message);
            assert_eq!(
                trouble,
                Trouble::RateLimited { retry_after: None },
                "{message}"
            );
        }
    }

    #[test]
    fn a_range_that_is_refused_is_known_and_so_is_what_would_do() {
        for (code, message, suggested) in [
            // Alchemy, free and paid
            (
                -32600,
                "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block range.",
                Some(10),
            ),
            (
                -32602,
                "You can make eth_getLogs requests with up to a 2K block range",
                Some(2000),
            ),
            // QuickNode
            (
                -32614,
                "eth_getLogs is limited to a 10,000 range",
                Some(10_000),
            ),
            (
                -32602,
                "eth_getLogs and eth_newFilter are limited to a 10,000 blocks range",
                Some(10_000),
            ),
            // BSC's own, PublicNode
            (-32000, "exceed maximum block range: 5000", Some(5000)),
            // Frontier, Ankr, BlockPI, Polygon Edge, reth
            (-32000, "block range is too wide (maximum 10)", Some(10)),
            (-32600, "block range is too wide", None),
            (-32600, "block range is too large", None),
            (
                -32000,
                "requested too many blocks from 0 to 5000000, maximum is set to 1024",
                Some(1024),
            ),
            (
                -32602,
                "query exceeds max block range 100000",
                Some(100_000),
            ),
            (
                35,
                "ranges over 10000 blocks are not supported on freetier",
                Some(10_000),
            ),
        ] {
            let trouble = said(code, message);
            assert_eq!(trouble, Trouble::TooManyBlocks { suggested }, "{message}");
        }
    }

    #[test]
    fn too_many_logs_are_known_and_so_is_what_would_do() {
        for (code, message, suggested) in [
            (-32005, "query returned more than 10000 results", None),
            (
                -32005,
                "query returned more than 10000 results. Try with this block range [0x1a, 0x1f].",
                Some(6),
            ),
            (
                -32602,
                "Log response size exceeded. You can make eth_getLogs requests with up to a 10,000 block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0x79bcb3]",
                Some(0x79_bcb4),
            ),
            (
                -32000,
                "Query timeout exceeded. Consider reducing your block range. Based on your parameters and the response size limit, this block range should work: [0x5223c98, 0x5223e80]",
                Some(0x1e9),
            ),
            (
                -32602,
                "query exceeds max results 20000, retry with the range 24383075-24383096",
                Some(22),
            ),
            (-32000, "logs matched by query exceeds limit of 10000", None),
        ] {
            assert_eq!(
                said(code, message),
                Trouble::TooManyLogs { suggested },
                "{message}"
            );
        }
    }

    #[test]
    fn a_contracts_own_text_never_passes_for_the_endpoints() {
        for (code, message) in [
            (3, "execution reverted: missing trie node"),
            (-32000, "execution reverted: rate limit exceeded"),
            (3, "reverted"),
            (-32000, "Reverted 0x"),
            (
                -32000,
                "VM Exception while processing transaction: revert archive",
            ),
            (-32603, "execution reverted: block range is too wide"),
        ] {
            assert_eq!(
                said(code, message),
                Trouble::Reverted(Default::default()),
                "{message}"
            );
        }
        for message in [
            "out of gas",
            "EVM error OutOfGas",
            "invalid opcode: INVALID",
        ] {
            assert_eq!(said(-32000, message), Trouble::ExecutionFailed, "{message}");
        }
    }

    /// It would be taken for a function that is not there: decimals that are not told, or a curve that is none.
    #[test]
    fn a_nodes_own_trouble_never_passes_for_a_contracts_silence() {
        for (code, message) in [
            (3, "upstream request timeout"),
            (3, "rate limit exceeded"),
            (3, "whatever: header not found"),
            (-32000, "evm error: database error: upstream timed out"),
            (-32000, "EVM error: FatalExternalError"),
            (-32000, "gas required exceeds allowance (0)"),
            (-32000, "your plan is out of gas credits"),
            (-32000, "reverted to a backup node, try again"),
            (-32000, "revert: upstream unavailable"),
            (-32000, "invalid jump; node is resyncing"),
        ] {
            let trouble = said(code, message);
            let is_silence = matches!(trouble, Trouble::Reverted(_) | Trouble::ExecutionFailed);
            assert!(!is_silence, "{message}: {trouble:?}");
        }
    }

    #[test]
    fn the_others_are_told_apart() {
        for (code, message, trouble) in [
            (-32000, "header not found", Trouble::BlockUnknown),
            (-32001, "block not found: hash 0x00", Trouble::BlockUnknown),
            (-39001, "Unknown block", Trouble::BlockUnknown),
            (
                -32602,
                "BlockOutOfRangeError: block height is 20 but requested was 21",
                Trouble::BlockUnknown,
            ),
            (
                -32000,
                "'finalized' tag not supported on pre-merge network",
                Trouble::BlockUnknown,
            ),
            (
                -32602,
                "block range extends beyond current head block",
                Trouble::BlockUnknown,
            ),
            (
                -32000,
                "hash 0x00 is not currently canonical",
                Trouble::NotCanonical,
            ),
            (
                31,
                "Batch of more than 3 requests are not allowed on free plan",
                Trouble::BatchRefused { at_most: Some(3) },
            ),
            (
                -32600,
                "batch too large",
                Trouble::BatchRefused { at_most: None },
            ),
            (
                -32005,
                "batch limit 10 exceeded (can increase by --rpc.batch.limit)",
                Trouble::BatchRefused { at_most: Some(10) },
            ),
            (
                -32600,
                "too many RPC calls in batch request",
                Trouble::BatchRefused { at_most: None },
            ),
            (-32003, "response too large", Trouble::ResponseTooLarge),
            (
                -32601,
                "the method eth_getLogs does not exist/is not available",
                Trouble::MethodMissing,
            ),
            (
                -32602,
                "invalid argument 1: json: cannot unmarshal object into Go value",
                Trouble::BadParams,
            ),
            (
                -32000,
                "execution aborted (timeout = 5s)",
                Trouble::TimedOut,
            ),
            (
                35,
                "chain is not available on free plan, please upgrade to paid plan",
                Trouble::Unauthorized,
            ),
            (-32603, "Internal error", Trouble::Internal),
            (-32000, "something new", Trouble::Internal),
        ] {
            assert_eq!(said(code, message), trouble, "{message}");
        }
    }

    #[test]
    fn a_page_is_judged_by_its_status_and_a_gateways_words() {
        let wait = Some(Duration::from_secs(3));
        let limited = Trouble::RateLimited { retry_after: wait };
        for (status, body, trouble) in [
            (429, "<html>Error 1015</html>", Some(limited.clone())),
            (503, "", Some(limited.clone())),
            (403, "You are being rate limited", Some(limited)),
            (403, "no", Some(Trouble::Unauthorized)),
            (
                400,
                r#"{"message":"chain is not available on free plan","code":35}"#,
                Some(Trouble::Unauthorized),
            ),
            (400, "", Some(Trouble::BadParams)),
            (502, "<html>bad gateway</html>", Some(Trouble::Internal)),
            (504, "", Some(Trouble::TimedOut)),
            (
                301,
                "",
                Some(Trouble::Malformed("a redirection, which is not followed")),
            ),
            (200, "<html>please log in</html>", None),
        ] {
            assert_eq!(
                page(status, wait, body.as_bytes()),
                trouble,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn the_time_to_wait_is_seconds_or_a_date() {
        let now = Timestamp::parse("2026-11-30T02:00:00.500Z").unwrap();
        let seconds = |s: &str| retry_after(s, now).map(|d| d.as_millis());
        assert_eq!(seconds("120"), Some(120_000));
        assert_eq!(seconds("0"), Some(0));
        assert_eq!(seconds("Mon, 30 Nov 2026 02:00:10 GMT"), Some(9_500));
        assert_eq!(seconds("Mon, 30 Nov 2026 01:59:59 GMT"), Some(0));
        for bad in ["", "-1", "soon", "1.5", "99999999999", "Mon, 30 Nov 2026"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
        let infura = ErrorObject {
            code: -32005,
            message: "daily request count exceeded, request rate limited".to_owned(),
            backoff_seconds: Some(30.0),
            returned: None,
        };
        let wait = Some(Duration::from_secs(30));
        assert_eq!(
            error(429, None, &infura),
            Trouble::RateLimited { retry_after: wait }
        );
    }
}
