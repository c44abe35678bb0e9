use alloy_primitives::hex;

use super::*;

fn words(selector: &str, words: &[&str]) -> Vec<u8> {
    let mut data = hex::decode(selector).unwrap();
    for word in words {
        data.extend(hex::decode(format!("{word:0>64}")).unwrap());
    }
    data
}

#[test]
fn the_errors_of_erc_8257_are_told_by_name_from_their_pinned_selectors() {
    let address = "00000000219ab540356cbb839cbe05303d7705fa";
    let shown = "0x00000000219ab540356cBB839Cbe05303d7705Fa";
    for (selector, arguments, name, text) in [
        (
            "b73d6f8b",
            &["2a"][..],
            "ToolNotFound",
            "toolId: 42".to_owned(),
        ),
        (
            "d594d2e7",
            &["1", address],
            "NotToolCreator",
            format!("toolId: 1, caller: {shown}"),
        ),
        ("eec403f0", &[], "InvalidMetadataURI", String::new()),
        ("03d0cf2a", &[], "InvalidManifestHash", String::new()),
        (
            "4c8ce4df",
            &[address],
            "InvalidAccessPredicate",
            format!("predicate: {shown}"),
        ),
        (
            "0bf47976",
            &["7"],
            "ToolIsDeregistered",
            "toolId: 7".to_owned(),
        ),
    ] {
        let revert = Revert::name(&words(selector, arguments));
        assert_eq!(revert.custom_name(), Some(name));
        let shown = revert.to_string();
        assert!(
            shown.starts_with(&format!("{name}({text}), which means: ")),
            "{shown}"
        );
    }
}

/// No error of our contracts is shown raw, or without what it means.
#[test]
fn every_error_of_our_contracts_has_a_name_and_a_meaning() {
    let mut seen = 0;
    for item in Artifact::all().iter().flat_map(|artifact| &artifact.abi) {
        if item.kind != "error" {
            continue;
        }
        seen += 1;
        let mut data = selector(item).to_vec();
        // Zeros are every static value, and an empty `bytes` behind its offset.
        for input in &item.inputs {
            let is_bytes = input.kind == "bytes";
            let offset = if is_bytes { 32 * item.inputs.len() } else { 0 };
            data.extend(U256::from(offset).to_be_bytes::<32>());
        }
        data.extend([0; 32]);
        match Revert::name(&data) {
            Revert::Custom {
                name,
                arguments,
                meaning,
            } => {
                assert_eq!((&name, arguments.len()), (&item.name, item.inputs.len()));
                assert!(meaning.is_some(), "{name} has no meaning");
            }
            other => panic!("{}: {other:?}", item.name),
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn an_error_whose_arguments_are_cut_or_wrong_is_shown_raw() {
    for data in [
        words("b73d6f8b", &[]),
        words("b73d6f8b", &["1"])[..35].to_vec(),
        // An address with something above its 20 bytes.
        words("4c8ce4df", &["ff00000000219ab540356cbb839cbe05303d7705fa"]),
    ] {
        let revert = Revert::name(&data);
        assert!(matches!(revert, Revert::Unknown { .. }), "{revert:?}");
    }
}

#[test]
fn a_text_is_a_strangers_and_is_capped_and_quoted() {
    let mut data = words("08c379a0", &["20", "6"]);
    data.extend(b"a\x1b[2Jb");
    data.extend([0; 26]);
    let Revert::Message { text } = Revert::name(&data) else {
        panic!("no message")
    };
    assert_eq!(text.text, "a\u{1b}[2Jb");
    let shown = Revert::name(&data).to_string();
    assert!(shown.contains("\\u{1b}"), "{shown}");
    let long = words("08c379a0", &["20", "1000"]);
    let long: Vec<u8> = long.into_iter().chain([b'x'; 0x1000]).collect();
    let Revert::Message { text } = Revert::name(&long) else {
        panic!("no message")
    };
    assert!(text.truncated);
    // A length that is a lie.
    let lie = words("08c379a0", &["20", &"f".repeat(64)]);
    assert!(matches!(Revert::name(&lie), Revert::Unknown { .. }));
}

#[test]
fn a_panic_has_the_meaning_that_solidity_documents() {
    let shown = Revert::name(&words("4e487b71", &["11"])).to_string();
    assert!(
        shown.contains("0x11: a number over- or underflowed"),
        "{shown}"
    );
}

#[test]
fn what_is_nothing_or_not_known_is_told_as_that() {
    assert_eq!(Revert::name(&[]), Revert::Empty);
    for data in [vec![1], vec![1, 2, 3], vec![0xde; 5000]] {
        match Revert::name(&data) {
            Revert::Unknown { data: shown } => assert_eq!(shown, data[..data.len().min(68)]),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn errors_of_others_are_known_by_their_declarations() {
    // cast sig "OwnableUnauthorizedAccount(address)"
    let revert = Revert::name(&words("118cdaa7", &["1"]));
    assert_eq!(revert.custom_name(), Some("OwnableUnauthorizedAccount"));
}
