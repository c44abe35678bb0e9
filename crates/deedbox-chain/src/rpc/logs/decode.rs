//! Logs as an endpoint writes them: what was not asked for is an error, not left out.

use alloy_primitives::{B256, Bytes, hex};
use deedbox_core::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    super::{
        block,
        pinned::Log,
        value::{self, Malformed},
    },
    Section,
};

/// Nothing of it needs an escape, so nothing is copied.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireLog<'a> {
    address: &'a str,
    #[serde(borrow)]
    topics: Vec<&'a str>,
    data: &'a str,
    block_number: &'a str,
    block_hash: &'a str,
    /// Not every node has it, and there is no specification of it yet.
    #[serde(borrow, default)]
    block_timestamp: Option<&'a RawValue>,
    transaction_hash: &'a str,
    log_index: &'a str,
    #[serde(default)]
    removed: bool,
}

/// Reads the answer to `section`, in the order in which it is. Of each log's data at most `keep` bytes are kept.
pub(super) fn logs(
    answer: &RawValue,
    section: &Section<'_>,
    keep: usize,
) -> Result<Vec<Log>, Malformed> {
    let wire: Vec<WireLog<'_>> = serde_json::from_str(answer.get())
        .map_err(|_| Malformed("a log lacks a field, or is not in a block"))?;
    let mut logs = Vec::with_capacity(wire.len());
    for log in wire {
        if log.removed {
            return Err(Malformed("a log is marked as removed"));
        }
        let log = read(&log, keep)?;
        if !(section.from..=section.to).contains(&log.block_number) {
            return Err(Malformed("a log is outside of the range"));
        }
        if !section.pattern.matches(&log) {
            return Err(Malformed("a log does not match what was asked for"));
        }
        logs.push(log);
    }
    Ok(logs)
}

fn read(log: &WireLog<'_>, keep: usize) -> Result<Log, Malformed> {
    let number = |text: &str| {
        value::number_of(text).ok_or(Malformed("a log's height or index is not a quantity"))
    };
    if log.topics.len() > 4 {
        return Err(Malformed("a log has more than four topics"));
    }
    let topics = log.topics.iter().map(|topic| value::word(topic));
    let (data, data_length) =
        data(log.data, keep).ok_or(Malformed("bytes are not 0x and pairs of hex digits"))?;
    Ok(Log {
        address: value::address(log.address)?,
        topics: topics.collect::<Result<Vec<B256>, _>>()?,
        data,
        data_length,
        block_number: number(log.block_number)?,
        block_hash: value::block_hash(log.block_hash)?,
        block_timestamp: log.block_timestamp.and_then(timestamp),
        transaction_hash: value::word(log.transaction_hash)?,
        log_index: number(log.log_index)?,
    })
}

/// The first `keep` bytes, and how many there are.
fn data(text: &str, keep: usize) -> Option<(Bytes, u64)> {
    let digits = text.strip_prefix("0x")?.len();
    let kept = text.get(..2 + digits.min(keep.saturating_mul(2)))?;
    let rest = text.get(kept.len()..)?;
    let is_hex = rest.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex || !digits.is_multiple_of(2) {
        return None;
    }
    let length = u64::try_from(digits / 2).ok()?;
    Some((hex::decode(kept).ok()?.into(), length))
}

/// What cannot be read is as if it were not there, and so is the zero that some nodes wrote for a time: the block's header says it anyway.
fn timestamp(value: &RawValue) -> Option<Timestamp> {
    let seconds = value::number(value).ok().filter(|seconds| *seconds > 0)?;
    block::timestamp(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_data_the_beginning_is_kept_and_its_length_is_said() {
        for (text, expected) in [
            ("0x", Some((vec![], 0))),
            ("0x01ff", Some((vec![1, 255], 2))),
            ("0x01ff02", Some((vec![1, 255], 3))),
            ("0x01ff02FE", Some((vec![1, 255], 4))),
            ("0x01f", None),
            ("0x01ff0", None),
            ("0x01ff0g", None),
            ("0x01ffé", None),
            ("0x0éff", None),
            ("0x0x01", None),
            ("01ff", None),
            ("", None),
        ] {
            let read = data(text, 2);
            assert_eq!(
                read.map(|(data, length)| (data.to_vec(), length)),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_time_that_is_no_quantity_is_as_if_it_were_not_there() {
        for (json, expected) in [
            (r#""0x6553f100""#, Some(1_700_000_000_000)),
            (r#""0x0""#, None),
            ("null", None),
            ("1700000000", None),
            (r#""1700000000""#, None),
            (r#""0x1fffffffffffff""#, None),
        ] {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            let read = timestamp(&raw).map(Timestamp::as_millis);
            assert_eq!(read, expected, "{json}");
        }
    }
}
