use deedbox_id::{EvmChain, ToolReference, U256, error::code};

use crate::{check, read, refused};

const LOWER: &str = "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/1";

/// 8257-1id-03; the ERC's own example.
#[test]
fn a_tool_reference_prints_the_recommended_form() {
    let registry = format!("0x{}", "aa".repeat(20));
    let chain = EvmChain::try_from(8453).unwrap();
    let tool = ToolReference::new(chain, read(&registry), U256::ONE).unwrap();
    let text = format!("eip155:8453/erc8257:{registry}/1");
    assert_eq!(tool.to_string(), text);
    assert_eq!(read::<ToolReference>(&text), tool);
    assert_eq!(
        (tool.chain(), tool.registry(), tool.tool_id()),
        (chain, read(&registry), U256::ONE)
    );
}

/// 8257-1id-01.
#[test]
fn one_id_in_two_registries_or_on_two_chains_is_two_tools() {
    let one: ToolReference = read(LOWER);
    assert_ne!(one, read(&LOWER.replace("0x26", "0x27")));
    assert_ne!(one, read(&LOWER.replace("8453", "1")));
}

/// 8257-1id-02.
#[test]
fn a_bare_tool_id_is_no_reference() {
    refused::<ToolReference>("1", 1, code::MISSING_PART);
    refused::<ToolReference>(
        "0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/1",
        8,
        code::TOO_LONG,
    );
    refused::<ToolReference>("eip155:8453/1", 13, code::MISSING_PART);
}

/// 8257-1id-04.
#[test]
fn a_checksummed_registry_is_normalised_and_a_hex_tool_id_refused() {
    let checksummed = LOWER.replace(
        "0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1",
        "0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1",
    );
    let tool: ToolReference = read(&checksummed);
    assert_eq!(tool.to_string(), LOWER);
    assert_eq!(tool, read(LOWER));
    let wrong = checksummed.replace("cf1/", "Cf1/");
    refused::<ToolReference>(&wrong, 59, code::CHECKSUM);
    for (id, at, code) in [
        ("0x1", 0, code::HEX_NUMBER),
        ("01", 0, code::LEADING_ZERO),
        ("1a", 1, code::CHARACTER),
        ("-1", 0, code::CHARACTER),
        ("", 0, code::TOO_SHORT),
    ] {
        let text = format!("{}{id}", &LOWER[..63]);
        refused::<ToolReference>(&text, 63 + at, code);
    }
}

#[test]
fn other_chains_assets_and_shapes_are_no_tools() {
    for (text, at, code) in [
        (LOWER.replace("eip155", "solana"), 0, code::WRONG_NAMESPACE),
        (LOWER.replace("8453", "08453"), 7, code::LEADING_ZERO),
        (LOWER.replace("8453", "0"), 7, code::ZERO_CHAIN),
        (
            LOWER.replace("erc8257", "erc721"),
            12,
            code::WRONG_NAMESPACE,
        ),
        (LOWER[..62].to_owned(), 62, code::MISSING_PART),
        (LOWER.replace("cf1/", "cf/"), 20 + 41, code::ADDRESS_LENGTH),
        (LOWER.replace("0x26", "26"), 20, code::HEX_PREFIX),
        (format!("{LOWER}/2"), 64, code::CHARACTER),
        (format!(" {LOWER}"), 0, code::CHARACTER),
        (format!("{LOWER}\n"), 64, code::CHARACTER),
    ] {
        refused::<ToolReference>(&text, at, code);
    }
    // CAIP-2 has room for 32 digits, and all 32 may be used.
    let most = EvmChain::new(U256::from(10_u128.pow(32) - 1)).unwrap();
    let tool = ToolReference::new(most, read(&LOWER[20..62]), U256::MAX).unwrap();
    assert_eq!(read::<ToolReference>(&tool.to_string()), tool);
    let over = EvmChain::new(U256::from(10_u128.pow(32))).unwrap();
    let error = ToolReference::new(over, read(&LOWER[20..62]), U256::ONE).unwrap_err();
    check(&error, "over", 0, code::NOT_REPRESENTABLE);
}
