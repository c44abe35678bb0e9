use deedbox_id::{
    Base58Key, ChainType, Error, EvmChain, InteropAddress, Reach, U256, error::code,
    interop::MOST_BYTES,
};

use crate::{REGISTRY, VITALIK, bytes, check, read, refused};

const SOLANA: &str = "0x000100022045296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef02005333498d5aea4ae009585c43f7b8c30df8e70187d4a713d134f977fc8dfe0b5";
const NO_CHAIN: &str = "0x000100000014d8da6bf26964af9d7eed9e03e53415d37aa96045";
const SOLANA_CHAIN: &str =
    "0x000100022045296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef000";
const GENESIS: &str = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
const ACCOUNT: &str = "MJKqp326RZCHnAAbew9MDdui3iCKWco7fsK9sVuZTX2";

fn binary_refused(hex: &str, at: usize, code: &str) {
    let error = InteropAddress::from_bytes(&bytes(hex)).expect_err(hex);
    check(&error, hex, at, code);
}

/// 7930-fmt-03, 7930-fmt-07, 7930-fmt-08.
#[test]
fn the_four_examples_of_7930_are_read_and_built() {
    let vitalik = read(VITALIK);
    let (genesis, account) = (read::<Base58Key>(GENESIS), read::<Base58Key>(ACCOUNT));

    let first: InteropAddress = read(REGISTRY);
    assert_eq!(first.chain_type().namespace(), Some("eip155"));
    assert_eq!(first.evm_chain(), Some(EvmChain::MAINNET));
    assert_eq!(first.evm_address(), Some(vitalik));
    assert_eq!(first.reach(), Reach::AddressOnChain);
    assert_eq!(first, InteropAddress::evm(EvmChain::MAINNET, vitalik));

    let second: InteropAddress = read(SOLANA);
    assert_eq!(second.chain_type().namespace(), Some("solana"));
    assert_eq!(second.solana_chain().unwrap().to_string(), GENESIS);
    assert_eq!(second.solana_address().unwrap().to_string(), ACCOUNT);
    assert_eq!(second.evm_chain(), None);
    assert_eq!(second, InteropAddress::solana(genesis, account));

    let third: InteropAddress = read(NO_CHAIN);
    assert_eq!(third, InteropAddress::evm_address_only(vitalik));

    let fourth: InteropAddress = read(SOLANA_CHAIN);
    assert_eq!(fourth, InteropAddress::solana_chain_only(genesis));
}

/// 7930-fmt-04.
#[test]
fn a_reference_of_length_zero_names_no_chain() {
    let address: InteropAddress = read(NO_CHAIN);
    assert_eq!(address.reach(), Reach::Address);
    assert!(address.chain_reference().is_empty());
    assert_eq!(address.evm_chain(), None);
    assert_eq!(address.evm_address(), Some(read(VITALIK)));
}

/// 7930-fmt-05.
#[test]
fn an_address_of_length_zero_makes_a_chain_identifier() {
    let chain: InteropAddress = read(SOLANA_CHAIN);
    assert_eq!(chain.reach(), Reach::Chain);
    assert!(chain.address().is_empty());
    assert_eq!(chain.solana_address(), None);
    assert_eq!(chain.solana_chain(), Some(read(GENESIS)));
}

/// 7930-fmt-06.
#[test]
fn neither_chain_nor_address_is_refused() {
    refused::<InteropAddress>("0x000100000000", 12, code::NOTHING_NAMED);
    refused::<InteropAddress>("0x0001abcd0000", 12, code::NOTHING_NAMED);
    binary_refused("000100000000", 5, code::NOTHING_NAMED);
    let error = InteropAddress::new(ChainType(9), &[], &[]).unwrap_err();
    check(&error, "built", 5, code::NOTHING_NAMED);
}

/// 7930-fmt-01.
#[test]
fn missing_and_trailing_bytes_are_refused_at_their_place() {
    let whole = &REGISTRY[2..];
    for length in 0..whole.len() / 2 {
        binary_refused(&whole[..2 * length], length, code::TRUNCATED);
        refused::<InteropAddress>(&REGISTRY[..2 + 2 * length], 2 + 2 * length, code::TRUNCATED);
    }
    binary_refused(&format!("{whole}00"), 27, code::TRAILING_BYTES);
    refused::<InteropAddress>(&format!("{REGISTRY}00"), 56, code::TRAILING_BYTES);
    refused::<InteropAddress>(&format!("{SOLANA_CHAIN}00"), 78, code::TRAILING_BYTES);
}

/// 7930-fmt-02, 7930-ver-01 (reading X-14).
#[test]
fn another_version_is_unsupported_by_name() {
    for (version, at) in [
        ("0100", 0),
        ("0002", 1),
        ("0000", 1),
        ("7fff", 0),
        ("0201", 0),
    ] {
        let hex = REGISTRY[2..].replacen("0001", version, 1);
        binary_refused(&hex, at, code::VERSION_UNSUPPORTED);
        refused::<InteropAddress>(&format!("0x{hex}"), 2 + 2 * at, code::VERSION_UNSUPPORTED);
    }
    let error = InteropAddress::from_bytes(&[0x12, 0x34]).unwrap_err();
    assert!(error.message().contains("0x1234"), "{error}");
}

/// 7930-ver-02.
#[test]
fn a_version_with_its_top_bit_set_is_refused_before_the_rest_is_looked_at() {
    for hex in ["8002", "8001ffff", "80", "ffff", "800100000101"] {
        binary_refused(hex, 0, code::VERSION_INCOMPATIBLE);
    }
}

/// 7930-fmt-07: eip155, and the same for a chain alone.
#[test]
fn an_eip155_chain_takes_as_few_bytes_as_it_needs() {
    for (chain, reference) in [
        (1_u64, "01"),
        (10, "0a"),
        (255, "ff"),
        (256, "0100"),
        (8453, "2105"),
        (11_155_111, "aa36a7"),
        (u64::MAX, "ffffffffffffffff"),
    ] {
        let chain = EvmChain::try_from(chain).unwrap();
        let address = InteropAddress::evm(chain, read(VITALIK));
        assert_eq!(address.chain_reference(), bytes(reference));
        assert_eq!(address.evm_chain(), Some(chain));
        let alone = InteropAddress::evm_chain_only(chain);
        assert_eq!(alone.chain_reference(), bytes(reference));
        assert_eq!(alone.reach(), Reach::Chain);
        assert_eq!(read::<InteropAddress>(&alone.to_string()), alone);
    }
}

/// 7930-sec-01.
#[test]
fn a_leading_zero_in_an_eip155_reference_is_refused() {
    refused::<InteropAddress>(
        "0x0001000002000114d8da6bf26964af9d7eed9e03e53415d37aa96045",
        12,
        code::LEADING_ZERO,
    );
    // Chain 0 would be one zero byte.
    refused::<InteropAddress>("0x00010000010000", 12, code::LEADING_ZERO);
    check(
        &EvmChain::try_from(0).unwrap_err(),
        "chain 0",
        0,
        code::ZERO_CHAIN,
    );
}

#[test]
fn an_eip155_reference_holds_a_uint256_and_no_more() {
    let most = InteropAddress::new(ChainType::EIP155, &[0xff; 32], &[]).unwrap();
    assert_eq!(most.evm_chain().unwrap().get(), U256::MAX);
    assert_eq!(most.evm_chain().unwrap().to_u64(), None);
    assert_eq!(
        InteropAddress::evm_chain_only(most.evm_chain().unwrap()),
        most
    );
    let error = InteropAddress::new(ChainType::EIP155, &[0xff; 33], &[]).unwrap_err();
    check(&error, "33 bytes", 4, code::REFERENCE_LENGTH);
}

/// 7930-fmt-08.
#[test]
fn an_address_of_the_wrong_length_for_its_chain_is_refused() {
    let new =
        |kind, reference: &[u8], address: &[u8]| InteropAddress::new(kind, reference, address);
    for length in [1, 19, 21, 32] {
        let error = new(ChainType::EIP155, &[1], &vec![7; length]).unwrap_err();
        check(&error, "eip155", 6, code::ADDRESS_LENGTH);
    }
    for length in [1, 20, 31, 33] {
        let error = new(ChainType::SOLANA, &[1; 32], &vec![7; length]).unwrap_err();
        check(&error, "solana", 37, code::ADDRESS_LENGTH);
        let error = new(ChainType::SOLANA, &vec![1; length], &[7; 32]).unwrap_err();
        check(&error, "solana", 4, code::REFERENCE_LENGTH);
    }
    // The byte that says the length is what is wrong, also when the address itself is cut off.
    binary_refused("00010000010113d8", 6, code::ADDRESS_LENGTH);
}

/// 7930-fmt-03: what is not understood is carried along.
#[test]
fn any_other_chain_type_round_trips_whole() {
    for kind in [0x0001, 0x0003, 0x1234, 0xffff] {
        for (reference, address) in [(0, 1), (1, 0), (3, 7), (255, 255)] {
            let (reference, address) = (vec![0; reference], vec![0xab; address]);
            let built = InteropAddress::new(ChainType(kind), &reference, &address).unwrap();
            assert_eq!(built.chain_type(), ChainType(kind));
            assert_eq!(built.chain_reference(), reference);
            assert_eq!(built.address(), address);
            assert_eq!(
                InteropAddress::from_bytes(&built.to_bytes()).unwrap(),
                built
            );
            assert_eq!(read::<InteropAddress>(&built.to_string()), built);
            assert!(built.as_bytes().len() <= MOST_BYTES);
        }
    }
    assert_eq!(ChainType(0x1234).namespace(), None);
    assert_eq!(ChainType(0x1234).to_string(), "0x1234");
    assert_eq!(ChainType::SOLANA.to_string(), "solana");
    let error = InteropAddress::new(ChainType(9), &[0; 256], &[1]).unwrap_err();
    check(&error, "256 bytes", 4, code::REFERENCE_LENGTH);
    let error = InteropAddress::new(ChainType(9), &[0; 3], &[0; 256]).unwrap_err();
    check(&error, "256 bytes", 8, code::ADDRESS_LENGTH);
}

/// 7930-fmt-09.
#[test]
fn an_interoperable_address_prints_as_lower_case_hex() {
    let mixed = format!("0x{}", REGISTRY[2..].to_uppercase());
    let address = InteropAddress::from_hex_of_any_case(&mixed).unwrap();
    assert_eq!(address.to_string(), REGISTRY);
    assert_eq!(
        format!("{address:?}"),
        format!("InteropAddress({REGISTRY})")
    );
    refused::<InteropAddress>(&mixed, 16, code::HEX_CASE);
    let error = mixed.parse::<InteropAddress>().unwrap_err();
    assert!(error.message().contains("'d'"), "{error}");
}

#[test]
fn hex_that_is_none_is_refused_at_its_place() {
    let any = |text: &str| -> Error { InteropAddress::from_hex_of_any_case(text).unwrap_err() };
    for (text, at, code) in [
        ("", 0, code::HEX_PREFIX),
        ("0", 1, code::HEX_PREFIX),
        ("0X0001", 1, code::HEX_PREFIX),
        ("1x0001", 0, code::HEX_PREFIX),
        ("é", 0, code::HEX_PREFIX),
        ("0é", 1, code::HEX_PREFIX),
        ("0x", 2, code::TRUNCATED),
        ("0x000", 5, code::HEX_ODD),
        ("0x0001g", 6, code::CHARACTER),
        ("0x00 1", 4, code::CHARACTER),
        ("0x000é", 5, code::CHARACTER),
        ("0x0001000001 ", 12, code::CHARACTER),
    ] {
        refused::<InteropAddress>(text, at, code);
        check(&any(text), text, at, code);
    }
    // However long, it is read up to the place where it is wrong.
    let long = format!("{REGISTRY}{}", "00".repeat(100_000));
    refused::<InteropAddress>(&long, 56, code::TRAILING_BYTES);
    let long = format!("0x00011234ff{}", "00".repeat(100_000));
    refused::<InteropAddress>(&long, 2 + 2 * 261, code::TRAILING_BYTES);
}

/// CAIP-350, namespace solana.
#[test]
fn base58_reads_the_published_keys_and_refuses_everything_else() {
    for (text, hex) in [
        (
            GENESIS,
            "45296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef0",
        ),
        (
            ACCOUNT,
            "05333498d5aea4ae009585c43f7b8c30df8e70187d4a713d134f977fc8dfe0b5",
        ),
        (
            "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
            "5f90554bb3d8c2fc82b6ee59c49aaa143e77f7d49a83e956ce1dbef17a43f805",
        ),
        (
            "DYw8jCTfwHNRJhhmFcbXvVDTqWMEVFBX6ZKUmG5CNSKK",
            "ba7a74f374ab05b70d114a78112ef0d3f0695a819572c79710b5372000d81ae2",
        ),
        (&"1".repeat(32), &"00".repeat(32)),
    ] {
        let key: Base58Key = read(text);
        assert_eq!(key.0.to_vec(), bytes(hex));
        assert_eq!(key.to_string(), text);
    }
    assert_eq!(
        read::<Base58Key>(&Base58Key([0xff; 32]).to_string()).0,
        [0xff; 32]
    );
    refused::<Base58Key>("", 0, code::ADDRESS_LENGTH);
    refused::<Base58Key>("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", 32, code::ADDRESS_LENGTH);
    refused::<Base58Key>(&"1".repeat(33), 33, code::ADDRESS_LENGTH);
    refused::<Base58Key>(&"z".repeat(44), 44, code::ADDRESS_LENGTH);
    refused::<Base58Key>(&"z".repeat(45), 44, code::ADDRESS_LENGTH);
    for (text, at) in [
        ("5eykt0", 5),
        ("O", 0),
        ("aI", 1),
        ("abcdefghijkl", 11),
        ("é", 0),
    ] {
        refused::<Base58Key>(text, at, code::CHARACTER);
    }
    refused::<Base58Key>(
        &format!("{GENESIS}{}", "0".repeat(100)),
        44,
        code::ADDRESS_LENGTH,
    );
}
