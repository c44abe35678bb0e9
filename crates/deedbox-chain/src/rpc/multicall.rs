//! Many calls in one: `aggregate3` of Multicall3, written and read by hand, because what comes back is read with limits that
//! no general decoder has: so many results and no more, each capped before it is copied.

use alloy_primitives::{Bytes, U256};

use super::pinned::{Call, HEAD, Said};

/// `aggregate3((address,bool,bytes)[])`
const SELECTOR: [u8; 4] = [0x82, 0xad, 0x56, 0xcb];
const WORD: usize = 32;
/// What one call may return, in bytes. A text of a token is shown up to 1,024.
pub(crate) const MAX_RETURNED: usize = 128 * 1024;

/// The data of a call of `aggregate3` that makes all of `calls`, each of which may fail.
pub(crate) fn pack(calls: &[Call]) -> Bytes {
    let mut out = SELECTOR.to_vec();
    out.extend(word(WORD));
    out.extend(word(calls.len()));
    let mut offset = calls.len() * WORD;
    for call in calls {
        out.extend(word(offset));
        offset += 4 * WORD + padded(call.data.len());
    }
    for call in calls {
        out.extend([0; 12]);
        out.extend(call.to.as_slice());
        out.extend(word(1));
        out.extend(word(3 * WORD));
        out.extend(word(call.data.len()));
        out.extend(&call.data);
        out.resize(out.len() + padded(call.data.len()) - call.data.len(), 0);
    }
    out.into()
}

/// Reads what `aggregate3` of `count` calls returned: for each what it said, `None` for one that failed. A call that
/// failed here may have failed for want of the gas that another one burnt, so it says nothing yet.
///
/// `None` when it is not an answer of Multicall3.
pub(crate) fn unpack(returned: &[u8], count: usize) -> Option<Vec<Option<Said>>> {
    let list = returned.get(small(returned, 0)?..)?;
    if small(list, 0)? != count {
        return None;
    }
    let items = &list[WORD..];
    (0..count)
        .map(|index| {
            let item = items.get(small(items, index)?..)?;
            let success = small(item, 0)?;
            let data = item.get(small(item, 1)?..)?;
            let length = small(data, 0)?;
            let bytes = data.get(WORD..WORD.checked_add(length)?)?;
            Some(match success {
                0 => None,
                1 if length > MAX_RETURNED => {
                    Some(Said::TooLong(Bytes::copy_from_slice(&bytes[..HEAD])))
                }
                1 => Some(Said::Returned(Bytes::copy_from_slice(bytes))),
                _ => return None,
            })
        })
        .collect()
}

const fn padded(length: usize) -> usize {
    length.div_ceil(WORD) * WORD
}

fn word(number: usize) -> [u8; WORD] {
    U256::from(number).to_be_bytes()
}

/// The word at `index` as a number that can be an offset.
fn small(data: &[u8], index: usize) -> Option<usize> {
    let start = index.checked_mul(WORD)?;
    let word = data.get(start..start.checked_add(WORD)?)?;
    U256::from_be_slice(word).try_into().ok()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;
    use alloy_sol_types::{SolCall, SolValue, sol};

    use super::*;
    use crate::rpc::pinned::Expects;

    sol! {
        struct Call3 { address target; bool allowFailure; bytes callData; }
        struct Outcome { bool success; bytes returnData; }
        function aggregate3(Call3[] calls) returns (Outcome[] results);
    }

    fn call(byte: u8, length: usize) -> Call {
        Call {
            to: Address::repeat_byte(byte),
            data: vec![byte; length].into(),
            expects: Expects::Anything,
        }
    }

    #[test]
    fn calls_are_packed_as_the_abi_has_them() {
        for calls in [
            vec![],
            vec![call(1, 0)],
            vec![call(1, 4), call(2, 32), call(3, 36)],
        ] {
            let same = calls.iter().map(|call| Call3 {
                target: call.to,
                allowFailure: true,
                callData: call.data.clone(),
            });
            let expected = aggregate3Call {
                calls: same.collect(),
            }
            .abi_encode();
            assert_eq!(pack(&calls), expected, "{calls:?}");
        }
    }

    fn outcomes(outcomes: &[(bool, usize)]) -> Vec<u8> {
        let outcomes = outcomes.iter().map(|&(success, length)| Outcome {
            success,
            returnData: vec![7; length].into(),
        });
        outcomes.collect::<Vec<_>>().abi_encode()
    }

    #[test]
    fn what_each_call_said_is_unpacked_and_a_failed_one_says_nothing() {
        let returned = outcomes(&[(true, 33), (false, 4), (true, 0), (true, MAX_RETURNED + 1)]);
        let said = unpack(&returned, 4).unwrap();
        let expected = [
            Some(Said::Returned(vec![7; 33].into())),
            None,
            Some(Said::Returned(Bytes::new())),
            Some(Said::TooLong(vec![7; HEAD].into())),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn what_is_no_answer_of_multicall_is_none() {
        let good = outcomes(&[(true, 32), (true, 32)]);
        assert!(unpack(&good, 2).is_some());
        assert_eq!(unpack(&good, 1), None);
        assert_eq!(unpack(&good, 3), None);
        assert_eq!(unpack(&[], 2), None);
        assert_eq!(unpack(&good[..good.len() - 1], 2), None);
        for index in 0..good.len() / WORD {
            let mut bad = good.clone();
            bad[index * WORD..][..WORD].fill(0xff);
            if let Some(said) = unpack(&bad, 2) {
                // Only the bytes that were returned may be anything.
                let all = said
                    .iter()
                    .all(|s| matches!(s, Some(Said::Returned(b)) if b.len() == 32));
                assert!(all, "word {index}: {said:?}");
            }
        }
    }
}
