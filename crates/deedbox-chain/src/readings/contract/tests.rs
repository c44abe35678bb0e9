use proptest::prelude::*;

use super::*;
use crate::text::Flag;

fn returned(parts: &[&[u8]]) -> Said {
    Said::Returned(parts.concat().into())
}

fn number(number: u64) -> [u8; 32] {
    U256::from(number).to_be_bytes()
}

#[test]
fn only_code_of_23_bytes_that_begins_as_eip_7702_says_is_a_delegation() {
    let code = |bytes: &[u8]| Kind::of(&Bytes::copy_from_slice(bytes));
    let mut delegation = [7; 23];
    delegation[..3].copy_from_slice(&[0xef, 0x01, 0x00]);
    assert_eq!(code(&delegation), Kind::Delegated);
    assert_eq!(code(&delegation[..22]), Kind::Contract);
    assert_eq!(code(&[&delegation[..], &[0]].concat()), Kind::Contract);
    delegation[2] = 1;
    assert_eq!(code(&delegation), Kind::Contract);
    assert_eq!(code(&[]), Kind::NoCode);
    assert_eq!(code(&[0]), Kind::Contract);
}

#[test]
fn silence_is_null_only_where_the_standard_lets_a_contract_be_silent() {
    for silence in [Said::Reverted(Bytes::new()), returned(&[])] {
        assert_eq!(optional(&silence, "f()"), Ok(None));
        assert_eq!(decimals(&silence), Ok(None));
        assert_eq!(text(&silence, "f()"), Ok(None));
        required(&silence, "f()").unwrap_err();
    }
    assert_eq!(
        required(&Said::Reverted(Bytes::new()), "f()")
            .unwrap_err()
            .code,
        Code::CallReverted
    );
    let short = returned(&[&[0; 31]]);
    for error in [
        required(&short, "f()").map(drop),
        optional(&short, "f()").map(drop),
        decimals(&short).map(drop),
        text(&short, "f()").map(drop),
    ] {
        assert_eq!(error.unwrap_err().code, Code::InvalidResponse);
    }
}

#[test]
fn a_zero_that_was_said_is_a_zero() {
    let zero = returned(&[&number(0)]);
    assert_eq!(required(&zero, "f()"), Ok(U256::ZERO));
    assert_eq!(decimals(&zero), Ok(Some(0)));
}

#[test]
fn a_string_of_which_only_the_beginning_is_known_is_cut_and_not_refused() {
    let long = [&number(32)[..], &number(1 << 40), &[b'A'; 4000]].concat();
    let read = text(&Said::TooLong(long.clone().into()), "f()")
        .unwrap()
        .unwrap();
    assert_eq!((read.text, read.truncated), ("A".repeat(256), true));
    // The same as a whole answer is a lie about its length.
    text(&returned(&[&long]), "f()").unwrap_err();
    // What is known must be more than what is shown, or the text would seem to end there.
    text(
        &Said::TooLong(long[..64 + MAX_BYTES].to_vec().into()),
        "f()",
    )
    .unwrap_err();
    text(
        &Said::TooLong(long[..65 + MAX_BYTES].to_vec().into()),
        "f()",
    )
    .unwrap();
}

#[test]
fn a_string_may_stand_anywhere_in_its_answer_and_end_without_padding() {
    let far = returned(&[&number(64), &number(9), &number(3), b"abc"]);
    assert_eq!(text(&far, "f()").unwrap().unwrap().text, "abc");
    let empty = returned(&[&number(32), &number(0)]);
    assert_eq!(text(&empty, "f()").unwrap().unwrap().text, "");
    let bytes32 = text(&returned(&[&number(0)]), "f()").unwrap().unwrap();
    assert_eq!(
        (&*bytes32.text, &bytes32.flags[..]),
        ("", &[Flag::Bytes32][..])
    );
}

proptest! {
    #[test]
    fn any_answer_is_read_or_refused(
        head in prop::collection::vec(prop_oneof![Just(number(32)), Just([0xff; 32]), (0_u64..2000).prop_map(number), any::<[u8; 32]>()], 0..4),
        tail in prop::collection::vec(any::<u8>(), 0..1500),
        is_whole: bool,
    ) {
        let bytes = Bytes::from([head.concat(), tail].concat());
        let said = if is_whole { Said::Returned(bytes) } else { Said::TooLong(bytes) };
        for answer in [optional(&said, "f()").map(drop), required(&said, "f()").map(drop), decimals(&said).map(drop)] {
            if let Err(error) = answer {
                prop_assert_eq!(error.code, Code::InvalidResponse);
            }
        }
        match text(&said, "f()") {
            Ok(Some(read)) => prop_assert!(read.text.chars().count() <= 256 && read.raw_hex.len() <= 2 + 2 * MAX_BYTES),
            Ok(None) => prop_assert_eq!(answered(&said), None),
            Err(error) => prop_assert_eq!(error.code, Code::InvalidResponse),
        }
    }

    /// Whoever encodes as the ABI says is read as they wrote.
    #[test]
    fn a_well_formed_string_is_read_whole(written in ".{0,200}") {
        let encoded = alloy_sol_types::SolValue::abi_encode(&written);
        let read = text(&Said::Returned(encoded.into()), "f()").unwrap().unwrap();
        prop_assert_eq!(read.text, written.replace('\0', "\u{fffd}"));
        prop_assert_eq!(read.raw_hex, alloy_primitives::hex::encode_prefixed(&written));
        prop_assert!(!read.truncated && !read.flags.contains(&Flag::InvalidUtf8) && !read.flags.contains(&Flag::Bytes32));
    }
}
