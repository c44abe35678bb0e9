//! What must hold of whatever an endpoint answers. A failing case prints its seed.

use proptest::prelude::*;

use super::super::{
    block, classify, multicall,
    trouble::Trouble,
    wire::{self, ErrorObject},
};

/// Text that gets past the first look more often than random bytes do.
fn answer() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just(r#"{"jsonrpc":"2.0","id":1,"result":"0x1"}"#.to_owned()),
        Just(r#"{"jsonrpc":"2.0","id":2,"error":{"code":3,"message":"x"}}"#.to_owned()),
        Just(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"é"}}"#.to_owned()),
        Just(r#""id":1,"#.to_owned()),
        "[\\[\\]{},:\"a-z0-9. ]{0,12}",
        ".{0,4}",
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn words() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "(block range|limited to|maximum|up to a|more than|batch|query returned more than|with the range )",
        "[0-9,]{1,24}[kKmM]?",
        "\\[0x[0-9a-f]{0,18}, ?0x[0-9a-f]{0,18}\\]",
        "[0-9]{1,22}-[0-9]{1,22}",
        ".{0,6}",
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.join(" "))
}

proptest! {
    #[test]
    fn an_answer_is_read_whole_or_refused(body in answer(), count in 1..4_usize) {
        if let Ok(wire::Reply::Each(outcomes)) = wire::read(body.as_bytes(), 1, count) {
            prop_assert_eq!(outcomes.len(), count);
            for result in outcomes.into_iter().flatten() {
                // It may be anything, and nothing in it may break whoever looks for a block.
                let _header = block::header(&result);
            }
        }
    }

    #[test]
    fn a_suggestion_is_a_width(words in words(), code in any::<i64>(), status in any::<u16>()) {
        let object = ErrorObject { code, message: words.clone(), ..ErrorObject::default() };
        let judged = [Some(classify::error(status, None, &object)), classify::page(status, None, words.as_bytes())];
        for trouble in judged.into_iter().flatten() {
            match trouble {
                Trouble::TooManyBlocks { suggested } | Trouble::TooManyLogs { suggested } => {
                    prop_assert!(suggested.is_none_or(|n| (1..=10_000_000).contains(&n)), "{:?}", suggested);
                }
                Trouble::BatchRefused { at_most } => prop_assert!(at_most != Some(0)),
                _ => {}
            }
        }
    }

    #[test]
    fn what_multicall_returned_is_read_or_refused(
        words in prop::collection::vec(prop_oneof![0..160_u64, any::<u64>()], 0..24),
        count in 0..4_usize,
    ) {
        let mut returned = Vec::new();
        for word in words {
            returned.extend([0; 24]);
            returned.extend(word.to_be_bytes());
        }
        if let Some(said) = multicall::unpack(&returned, count) {
            prop_assert_eq!(said.len(), count);
        }
    }

    #[test]
    fn a_time_to_wait_is_read_or_ignored(value in "([0-9]{1,12}|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT|.{0,40})") {
        let now = deedbox_core::Timestamp::from_millis(1_796_000_000_000).unwrap();
        let _wait = classify::retry_after(&value, now);
    }
}
