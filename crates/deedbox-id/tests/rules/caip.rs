use deedbox_id::{AccountId, Asset, ChainId, error::code, hex};

use crate::{VITALIK, check, read, refused};

/// The examples of CAIP-2.
#[test]
fn every_example_of_caip_2_is_read() {
    for (text, namespace, reference) in [
        ("eip155:1", "eip155", "1"),
        (
            "bip122:000000000019d6689c085ae165831e93",
            "bip122",
            "000000000019d6689c085ae165831e93",
        ),
        (
            "bip122:12a765e31ffd4059bada1e25190f6e98",
            "bip122",
            "12a765e31ffd4059bada1e25190f6e98",
        ),
        ("cosmos:cosmoshub-2", "cosmos", "cosmoshub-2"),
        (
            "cosmos:Binance-Chain-Tigris",
            "cosmos",
            "Binance-Chain-Tigris",
        ),
        ("cosmos:iov-mainnet", "cosmos", "iov-mainnet"),
        ("starknet:SN_GOERLI", "starknet", "SN_GOERLI"),
        ("lip9:9ee11e9df416b18b", "lip9", "9ee11e9df416b18b"),
        (
            "chainstd:8c3444cf8970a9e41a706fab93e7a6c4",
            "chainstd",
            "8c3444cf8970a9e41a706fab93e7a6c4",
        ),
    ] {
        let chain: ChainId = read(text);
        assert_eq!(
            (chain.namespace(), chain.reference()),
            (namespace, reference)
        );
        assert_eq!(chain.to_string(), text);
    }
}

#[test]
fn a_chain_has_the_characters_and_lengths_of_caip_2() {
    for (text, at, code) in [
        ("", 0, code::MISSING_PART),
        ("eip155", 6, code::MISSING_PART),
        ("eip155:", 7, code::TOO_SHORT),
        (":1", 0, code::TOO_SHORT),
        ("ab:1", 2, code::TOO_SHORT),
        ("ninechars:1", 8, code::TOO_LONG),
        ("Eip155:1", 0, code::CHARACTER),
        ("eip_155:1", 3, code::CHARACTER),
        ("eip155:1:2", 8, code::CHARACTER),
        ("eip155:1/x", 8, code::CHARACTER),
        ("eip155: 1", 7, code::CHARACTER),
        ("eip155:1.0", 8, code::CHARACTER),
        ("eip155:é", 7, code::CHARACTER),
        ("abc:123456789012345678901234567890123", 36, code::TOO_LONG),
    ] {
        refused::<ChainId>(text, at, code);
    }
}

/// The examples of CAIP-10 and of the eip155 and solana profiles.
#[test]
fn every_example_of_caip_10_is_read() {
    for (chain, address) in [
        ("eip155:1", "0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb"),
        ("eip155:0", "0x839395e20bbB182fa440d08F850E6c7A8f6F0780"),
        (
            "bip122:000000000019d6689c085ae165831e93",
            "128Lkh3S7CkDTBZ8W7BbpsN3YYizJMp8p6",
        ),
        (
            "cosmos:cosmoshub-3",
            "cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0",
        ),
        (
            "polkadot:b0a8d493285c2df73290dfb7e61f870f",
            "5hmuyxw9xdgbpptgypokw4thfyoe3ryenebr381z9iaegmfy",
        ),
        (
            "starknet:SN_GOERLI",
            "0x02dd1b492765c064eac4039e3841aa5f382773b598097a40073bd8b48170ab57",
        ),
        (
            "chainstd:8c3444cf8970a9e41a706fab93e7a6c4",
            "6d9b0b4b9994e8a6afbd3dc3ed983cd51c755afb27cd1dc7825ef59c134a39f7",
        ),
        ("hedera:mainnet", "0.0.1234567890-zbhlt"),
        (
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
            "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
        ),
    ] {
        let text = format!("{chain}:{address}");
        let account: AccountId = read(&text);
        assert_eq!((account.chain(), account.address()), (chain, address));
        assert_eq!(account.chain_id(), read::<ChainId>(chain));
        assert_eq!(account.to_string(), text);
    }
}

#[test]
fn an_account_has_the_characters_and_lengths_of_caip_10() {
    for (text, at, code) in [
        ("eip155:1", 8, code::MISSING_PART),
        ("eip155:1:", 9, code::TOO_SHORT),
        ("eip155:1:a:b", 10, code::CHARACTER),
        ("eip155:1:a/b", 10, code::CHARACTER),
        ("eip155:1:a_b", 10, code::CHARACTER),
        (
            "0xab16a96d359ec26a11e2c2b3d8f8b8942d5bfcdb@eip155:1",
            8,
            code::TOO_LONG,
        ),
    ] {
        refused::<AccountId>(text, at, code);
    }
    read::<AccountId>(&format!("eip155:1:{}", "a".repeat(128)));
    refused::<AccountId>(
        &format!("eip155:1:{}", "a".repeat(129)),
        9 + 128,
        code::TOO_LONG,
    );
}

/// The examples of CAIP-19 and of ERC-8257.
#[test]
fn every_example_of_caip_19_is_read() {
    for (chain, namespace, reference, token) in [
        ("eip155:1", "slip44", "60", None),
        (
            "bip122:000000000019d6689c085ae165831e93",
            "slip44",
            "0",
            None,
        ),
        ("cosmos:Binance-Chain-Tigris", "slip44", "714", None),
        ("lip9:9ee11e9df416b18b", "slip44", "134", None),
        (
            "eip155:1",
            "erc20",
            "0x6b175474e89094c44da98b954eedeac495271d0f",
            None,
        ),
        (
            "eip155:8453",
            "erc20",
            "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            None,
        ),
        (
            "eip155:1",
            "erc721",
            "0x06012c8cf97BEaD5deAe237070F9587f8E7A266d",
            None,
        ),
        (
            "eip155:1",
            "erc721",
            "0x06012c8cf97BEaD5deAe237070F9587f8E7A266d",
            Some("771769"),
        ),
        ("hedera:mainnet", "nft", "0.0.55492", Some("12")),
    ] {
        let tail = token.map(|token| format!("/{token}")).unwrap_or_default();
        let text = format!("{chain}/{namespace}:{reference}{tail}");
        let asset: Asset = read(&text);
        assert_eq!(asset.chain_id(), read::<ChainId>(chain));
        assert_eq!(
            (asset.namespace(), asset.reference()),
            (namespace, reference)
        );
        assert_eq!(asset.token_id(), token);
        assert_eq!(asset.to_string(), text);
        assert_eq!(asset.to_type().token_id(), None);
        assert_eq!(read::<Asset>(asset.to_type().as_str()), asset.to_type());
    }
}

#[test]
fn an_asset_has_the_characters_and_lengths_of_caip_19() {
    for (text, at, code) in [
        ("eip155:1", 8, code::MISSING_PART),
        ("eip155:1/", 9, code::MISSING_PART),
        ("eip155:1/ab:c", 11, code::TOO_SHORT),
        ("eip155:1/ninechars:c", 17, code::TOO_LONG),
        ("eip155:1/ERC20:c", 9, code::CHARACTER),
        ("eip155:1/erc20", 14, code::MISSING_PART),
        ("eip155:1/erc20:", 15, code::TOO_SHORT),
        ("eip155:1/erc20:a_b", 16, code::CHARACTER),
        ("eip155:1/erc20:a/", 17, code::TOO_SHORT),
        ("eip155:1/erc20:a/1/2", 18, code::CHARACTER),
        ("eip155:1:erc20", 8, code::CHARACTER),
    ] {
        refused::<Asset>(text, at, code);
    }
    read::<Asset>(&format!(
        "eip155:1/erc721:{}/{}",
        "a".repeat(128),
        "1".repeat(78)
    ));
    refused::<Asset>(
        &format!("eip155:1/erc721:a/{}", "1".repeat(79)),
        18 + 78,
        code::TOO_LONG,
    );
}

#[test]
fn an_evm_chain_is_read_from_eip155_texts_only() {
    assert_eq!(
        read::<ChainId>("eip155:8453").evm_chain().unwrap().to_u64(),
        Some(8453)
    );
    for (text, at, code) in [
        ("solana:1", 0, code::WRONG_NAMESPACE),
        ("eip155:01", 7, code::LEADING_ZERO),
        ("eip155:0x1", 7, code::HEX_NUMBER),
        ("eip155:1a", 8, code::CHARACTER),
        ("eip155:0", 7, code::ZERO_CHAIN),
    ] {
        check(
            &read::<ChainId>(text).evm_chain().unwrap_err(),
            text,
            at,
            code,
        );
    }
}

#[test]
fn an_evm_address_is_read_with_its_checksum_checked() {
    let account: AccountId = read(&format!("eip155:1:{VITALIK}"));
    assert_eq!(account.evm_address().unwrap(), read(VITALIK));
    let wrong: AccountId = read("eip155:137:0x0495766cD136138Fc492Dd499B8DC87A92D6685B");
    check(
        &wrong.evm_address().unwrap_err(),
        "wrong",
        11 + 41,
        code::CHECKSUM,
    );
    let solana: AccountId = read("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:abc");
    check(
        &solana.evm_address().unwrap_err(),
        "solana",
        0,
        code::WRONG_NAMESPACE,
    );
    let native: Asset = read("eip155:1/slip44:60");
    check(
        &native.evm_contract().unwrap_err(),
        "slip44",
        16,
        code::HEX_PREFIX,
    );
    let nft: Asset = read(&format!("eip155:1/erc721:{VITALIK}/7"));
    assert_eq!(nft.evm_contract().unwrap(), read(VITALIK));
}

/// ERC-8257 §2, hex-field casing (reading M-25).
#[test]
fn upper_case_hex_is_found_and_lowered_only_where_it_is_hex() {
    let account: AccountId = read(&format!("eip155:1:{VITALIK}"));
    assert_eq!(account.first_upper_case_hex_digit(), Some(9 + 5));
    let lower = account.to_lower_case_hex();
    assert_eq!(
        lower.as_str(),
        format!("eip155:1:{}", VITALIK.to_lowercase())
    );
    assert_eq!(lower.first_upper_case_hex_digit(), None);

    let solana: AccountId = read(
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
    );
    assert_eq!(solana.first_upper_case_hex_digit(), None);
    assert_eq!(solana.to_lower_case_hex(), solana);

    let nft: Asset = read(&format!("eip155:1/erc721:{VITALIK}/AB"));
    let lower = format!("eip155:1/erc721:{}/AB", VITALIK.to_lowercase());
    assert_eq!(nft.to_lower_case_hex().as_str(), lower);
    for (text, at) in [
        ("0xab", None),
        ("0xaB", Some(3)),
        ("AB", None),
        ("0x0x0A", Some(5)),
        ("0xg0xF", Some(5)),
    ] {
        assert_eq!(hex::first_upper_case_digit(text), at, "{text:?}");
    }
}
