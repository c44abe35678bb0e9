use deedbox_id::{
    AccountId, Asset, Base58Key, ChainId, ChainType, EvmChain, InteropAddress, TokenIdentifier,
    TokenStandard, ToolReference, U256, error::code,
};

use crate::{REGISTRY, VITALIK, check, read};

const ACCOUNT: &str = "MJKqp326RZCHnAAbew9MDdui3iCKWco7fsK9sVuZTX2";

/// CAIP-350: conversions to and from CAIP-2 and CAIP-10.
#[test]
fn an_evm_account_converts_both_ways() {
    let account: AccountId = read(&format!("eip155:1:{VITALIK}"));
    let address = InteropAddress::try_from(&account).unwrap();
    assert_eq!(address.to_string(), REGISTRY);
    assert_eq!(address.to_account_id().unwrap(), account);
    let chain: ChainId = read("eip155:8453");
    let address = InteropAddress::try_from(&chain).unwrap();
    assert_eq!(address.to_string(), "0x0001000002210500");
    assert_eq!(address.to_chain_id().unwrap(), chain);
}

#[test]
fn a_solana_chain_is_shortened_and_completed_only_when_it_is_known() {
    for (chain, genesis) in [
        (
            "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
            "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
        ),
        (
            "EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
            "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
        ),
        (
            "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z",
            "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY",
        ),
    ] {
        let account: AccountId = read(&format!("solana:{chain}:{ACCOUNT}"));
        let address = InteropAddress::try_from(&account).unwrap();
        assert_eq!(
            address,
            InteropAddress::solana(read(genesis), read(ACCOUNT))
        );
        assert_eq!(address.to_account_id().unwrap(), account);
    }
    // Any chain can be shortened; an unknown one cannot be completed, and the error says what would help.
    let own = InteropAddress::solana_chain_only(read(ACCOUNT));
    let chain = own.to_chain_id().unwrap();
    assert_eq!(chain.as_str(), format!("solana:{}", &ACCOUNT[..32]));
    let error = InteropAddress::try_from(&chain).unwrap_err();
    check(&error, "own chain", 7, code::UNKNOWN_CHAIN);
    assert!(error.message().contains("genesis hash"), "{error}");
}

#[test]
fn a_chain_whose_shortened_hash_is_that_of_a_known_chain_is_not_named_after_it() {
    let mut genesis: Base58Key = read("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d");
    genesis.0[31] ^= 1;
    assert!(
        genesis
            .to_string()
            .starts_with("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp")
    );
    let error = InteropAddress::solana_chain_only(genesis)
        .to_chain_id()
        .unwrap_err();
    check(&error, "look-alike", 5, code::NOT_REPRESENTABLE);
}

#[test]
fn what_is_impossible_is_told_apart_from_what_is_not_known() {
    let wide = EvmChain::new(U256::from(10).pow(U256::from(32))).unwrap();
    let error = InteropAddress::evm(wide, read(VITALIK))
        .to_account_id()
        .unwrap_err();
    check(&error, "wide", 5, code::NOT_REPRESENTABLE);
    let other = InteropAddress::new(ChainType::STARKNET, b"SN_MAIN", &[1]).unwrap();
    check(
        &other.to_chain_id().unwrap_err(),
        "starknet",
        2,
        code::WRONG_NAMESPACE,
    );
    let chain: ChainId = read("cosmos:cosmoshub-3");
    let error = InteropAddress::try_from(&chain).unwrap_err();
    check(&error, "cosmos", 0, code::WRONG_NAMESPACE);
}

#[test]
fn half_an_address_does_not_become_an_account() {
    let address = InteropAddress::evm_address_only(read(VITALIK));
    check(
        &address.to_account_id().unwrap_err(),
        "no chain",
        4,
        code::CHAIN_MISSING,
    );
    check(
        &address.to_chain_id().unwrap_err(),
        "no chain",
        4,
        code::CHAIN_MISSING,
    );
    let chain = InteropAddress::evm_chain_only(EvmChain::MAINNET);
    check(
        &chain.to_account_id().unwrap_err(),
        "no address",
        6,
        code::ADDRESS_MISSING,
    );
    // CAIP-10's chain 0 stands for no chain in particular, and is not guessed at.
    let account: AccountId = read(&format!("eip155:0:{VITALIK}"));
    let error = InteropAddress::try_from(&account).unwrap_err();
    check(&error, "chain 0", 7, code::ZERO_CHAIN);
}

#[test]
fn an_error_in_an_account_points_into_the_whole_text() {
    let wrong: AccountId = read("eip155:1:0x0495766cD136138Fc492Dd499B8DC87A92D6685B");
    let error = InteropAddress::try_from(&wrong).unwrap_err();
    check(&error, "checksum", 9 + 41, code::CHECKSUM);
    let wrong: AccountId = read("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:abc0");
    let error = InteropAddress::try_from(&wrong).unwrap_err();
    check(&error, "base58", 40 + 3, code::CHARACTER);
}

#[test]
fn a_token_becomes_an_asset_when_its_standard_is_said_and_back() {
    let token: TokenIdentifier = read(&format!("punk.7@{REGISTRY}"));
    for (standard, text) in [
        (
            TokenStandard::Erc721,
            format!("eip155:1/erc721:{VITALIK}/7"),
        ),
        (
            TokenStandard::Erc1155,
            format!("eip155:1/erc1155:{VITALIK}/7"),
        ),
    ] {
        let asset = token.to_asset(standard).unwrap();
        assert_eq!(asset, read(&text));
        let back = TokenIdentifier::try_from(&asset).unwrap();
        assert_eq!(back, token);
        assert_eq!(back.alias(), None);
    }
    let other: TokenIdentifier = read("7@0x0001abcd02ffff01aa");
    let error = other.to_asset(TokenStandard::Erc721).unwrap_err();
    check(&error, "other", 2, code::WRONG_NAMESPACE);
}

#[test]
fn assets_that_are_no_tokens_are_refused_as_such() {
    let kitties = "eip155:1/erc721:0x06012c8cf97BEaD5deAe237070F9587f8E7A266d";
    let token = TokenIdentifier::try_from(&read::<Asset>(&format!("{kitties}/771769"))).unwrap();
    let registry = "0x0001000001011406012c8cf97bead5deae237070f9587f8e7a266d";
    assert_eq!(token.to_string(), format!("771769@{registry}"));
    for (text, at, code) in [
        (kitties.to_owned(), kitties.len(), code::TOKEN_ID_MISSING),
        (
            format!("{kitties}/0x1"),
            kitties.len() + 1,
            code::HEX_NUMBER,
        ),
        ("eip155:1/slip44:60".to_owned(), 9, code::WRONG_NAMESPACE),
        (
            kitties.replace("erc721", "erc6909"),
            9,
            code::WRONG_NAMESPACE,
        ),
        (
            "hedera:mainnet/nft:0.0.55492/12".to_owned(),
            0,
            code::WRONG_NAMESPACE,
        ),
    ] {
        let error = TokenIdentifier::try_from(&read::<Asset>(&text)).unwrap_err();
        check(&error, &text, at, code);
    }
}

/// Reading X-30.
#[test]
fn a_tool_stays_in_its_caip_19_form() {
    let text = "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/1";
    let tool: ToolReference = read(text);
    let asset = tool.to_asset();
    assert_eq!(asset.as_str(), text);
    assert_eq!(ToolReference::try_from(&asset).unwrap(), tool);
    let error = TokenIdentifier::try_from(&asset).unwrap_err();
    check(&error, text, 12, code::WRONG_NAMESPACE);
    assert!(error.message().contains("tool reference"), "{error}");
    let registry = "0x0001000002210514265bb2dbfc0a8165c9a1941eb1372f349bad2cf1";
    assert_eq!(tool.to_registry().to_string(), registry);
}
