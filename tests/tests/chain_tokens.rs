//! Balances and metadata of tokens, read from a real node in every way there is.

use alloy_primitives::{B256, FixedBytes, U256};
use anyhow::{Context, Result};
use deedbox_chain::Code;
use deedbox_tests::{
    Node,
    chain::{address, bytes, call, checksummed},
};
use serde_json::{Map, Value, json};

const BALANCE: &str = "get_erc20_balance";
const METADATA: &str = "get_token_metadata";

fn of(node: &Node, token: &str) -> Value {
    json!({"holder": node.account(0), "token": token, "block": "latest"})
}

fn about(token: &str) -> Value {
    json!({"token": token, "block": "latest"})
}

async fn balance(node: &Node, token: &str) -> Result<Value> {
    Ok(Value::Object(node.data(BALANCE, of(node, token)).await?))
}

async fn metadata(node: &Node, token: &str) -> Result<Map<String, Value>> {
    node.data(METADATA, about(token)).await
}

/// What the node answers to a bare `eth_call`.
fn bare(node: &Node, to: &str, data: &[u8]) -> Result<U256> {
    let data = alloy_primitives::hex::encode_prefixed(data);
    let result = node
        .anvil()
        .rpc("eth_call", json!([{"to": to, "data": data}, "latest"]));
    Ok(result?.as_str().context("no text")?.parse()?)
}

fn held(node: &Node, token: &str, holder: &str) -> Result<U256> {
    bare(
        node,
        token,
        &call("balanceOf(address)", (address(holder)?,)),
    )
}

/// A contract that says `answers`, as (signature, mode, length, data).
fn scripted(node: &Node, answers: &[(&str, u8, u64, &[u8])]) -> Result<String> {
    let contract = node.deploy("Scripted", ())?;
    for (signature, mode, length, data) in answers {
        let selector = FixedBytes::<4>::try_from(call(signature, ()).as_slice())?;
        let arguments = (
            selector,
            U256::from(*mode),
            U256::from(*length),
            bytes(*data),
        );
        node.send(
            0,
            &contract,
            "script(bytes4,uint8,uint256,bytes)",
            arguments,
        )?;
    }
    Ok(contract)
}

const REVERT: u8 = 0;
const RETURN: u8 = 1;
const PAD: u8 = 2;
const BURN: u8 = 3;

fn word(number: u64) -> [u8; 32] {
    U256::from(number).to_be_bytes()
}

const BALANCE_OF: &str = "balanceOf(address)";
const SEVEN_WORD: [u8; 32] = {
    let mut word = [0; 32];
    word[31] = 7;
    word
};
const SEVEN: (&str, u8, u64, &[u8]) = (BALANCE_OF, RETURN, 0, &SEVEN_WORD);

#[tokio::test(flavor = "multi_thread")]
async fn a_native_balance_is_what_the_node_says() {
    let node = Node::start().unwrap();
    let holder = node.account(1).to_owned();
    let at = |block: &str| json!({"holder": holder, "block": block});
    let data = node.data("get_native_balance", at("latest")).await.unwrap();
    assert_eq!(
        Value::Object(data),
        json!({"raw_amount": "10000000000000000000000", "decimals": 18})
    );

    let empty = json!({"holder": format!("0x{:040x}", 0x1234), "block": "latest"});
    let data = node.data("get_native_balance", empty).await.unwrap();
    assert_eq!(data["raw_amount"], "0");

    let before = node.anvil().height().unwrap();
    node.anvil().mine(1).unwrap();
    node.anvil()
        .rpc("anvil_setBalance", json!([holder, "0x5"]))
        .unwrap();
    node.anvil().mine(1).unwrap();
    let now = node.data("get_native_balance", at("latest")).await.unwrap();
    assert_eq!(now["raw_amount"], "5");
    let then = node
        .data("get_native_balance", at(&before.to_string()))
        .await
        .unwrap();
    assert_eq!(then["raw_amount"], "10000000000000000000000");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_balance_is_what_a_bare_call_says_and_belongs_to_its_block() {
    let node = Node::start().unwrap();
    let token = node.token(1_000_000).unwrap();
    let before = node.anvil().height().unwrap();
    let to = address(node.account(1)).unwrap();
    node.send(
        0,
        &token,
        "transfer(address,uint256)",
        (to, U256::from(250_001)),
    )
    .unwrap();

    assert_eq!(
        held(&node, &token, node.account(0)).unwrap(),
        U256::from(749_999)
    );
    let reading = node
        .read(BALANCE, of(&node, &token))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        Value::Object(reading.data),
        json!({"raw_amount": "749999", "decimals": 6})
    );
    let block = node
        .anvil()
        .rpc("eth_getBlockByNumber", json!(["latest", false]))
        .unwrap();
    assert_eq!(
        reading.provenance.block_hash.to_string(),
        block["hash"].as_str().unwrap()
    );
    assert_eq!(reading.provenance.block_number, before + 1);
    let seconds: U256 = block["timestamp"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        U256::from(reading.provenance.block_timestamp.as_millis()),
        seconds * U256::from(1000)
    );
    let arguments = json!({
        "chain_id": 31_337,
        "holder": checksummed(node.account(0)).unwrap(),
        "token": checksummed(&token).unwrap(),
        "block": "latest",
    });
    assert_eq!(Value::Object(reading.arguments), arguments);

    for block in [
        before.to_string(),
        block["parentHash"].as_str().unwrap().to_owned(),
    ] {
        let then = json!({"holder": node.account(0), "token": token, "block": block});
        let reading = node.read(BALANCE, then).await.unwrap().unwrap();
        assert_eq!(reading.data["raw_amount"], "1000000");
        assert_eq!(reading.provenance.block_number, before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_amount_of_256_bits_comes_through_whole() {
    let node = Node::start().unwrap();
    let token = node
        .deploy("BareToken", (address(node.account(0)).unwrap(), U256::MAX))
        .unwrap();
    let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    assert_eq!(
        balance(&node, &token).await.unwrap(),
        json!({"raw_amount": most, "decimals": null})
    );
    // Silence about decimals is no answer to the four questions about a token.
    let (code, _) = node.fault(METADATA, about(&token)).await.unwrap();
    assert_eq!(code, Code::InvalidResponse);
}

#[tokio::test(flavor = "multi_thread")]
async fn decimals_pass_up_to_255_and_are_refused_above() {
    let node = Node::start().unwrap();
    let holder = address(node.account(0)).unwrap();
    let with = |decimals: U256| {
        node.deploy("WideDecimals", (decimals, holder, U256::from(7)))
            .unwrap()
    };
    for decimals in [0, 18, 77, 255] {
        let token = with(U256::from(decimals));
        assert_eq!(
            balance(&node, &token).await.unwrap(),
            json!({"raw_amount": "7", "decimals": decimals})
        );
        assert_eq!(metadata(&node, &token).await.unwrap()["decimals"], decimals);
    }
    for decimals in [U256::from(256), U256::MAX] {
        let token = with(decimals);
        let fault = node.fault(BALANCE, of(&node, &token)).await.unwrap();
        assert_eq!(fault.0, Code::InvalidResponse, "{fault:?}");
        let fault = node.fault(METADATA, about(&token)).await.unwrap();
        assert_eq!(fault.0, Code::InvalidResponse, "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_code_is_never_a_zero() {
    let node = Node::start().unwrap();
    for token in [
        node.account(3).to_owned(),
        format!("0x{}", "11".repeat(20)),
        format!("0x{:040x}", 4),
    ] {
        for (tool, arguments) in [
            (BALANCE, of(&node, &token)),
            (METADATA, about(&token)),
            (
                "get_pool_reserves",
                json!({"pool": token, "block": "latest"}),
            ),
        ] {
            let (code, _) = node.fault(tool, arguments).await.unwrap();
            assert_eq!(code, Code::NotAContract, "{tool} at {token}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delegated_account_is_said_to_be_one() {
    let node = Node::start().unwrap();
    let token = node.token(5).unwrap();
    let account = node.account(2).to_owned();
    node.set_code(&account, json!(format!("0xef0100{}", &token[2..])))
        .unwrap();
    node.anvil().mine(1).unwrap();
    for (tool, arguments) in [
        (BALANCE, of(&node, &account)),
        (METADATA, about(&account)),
        (
            "get_pool_reserves",
            json!({"pool": account, "block": "latest"}),
        ),
    ] {
        let (code, _) = node.fault(tool, arguments).await.unwrap();
        assert_eq!(code, Code::DelegatedAccount, "{tool}");
    }
    // As a holder it is like any other.
    let arguments = json!({"holder": account, "token": token, "block": "latest"});
    assert_eq!(
        node.data(BALANCE, arguments).await.unwrap()["raw_amount"],
        "0"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_balance_that_was_not_said_is_an_error() {
    let node = Node::start().unwrap();
    let places = ("decimals()", RETURN, 0, &word(6)[..]);
    for (said, expected) in [
        ((BALANCE_OF, REVERT, 0, &[][..]), Code::CallReverted),
        ((BALANCE_OF, BURN, 0, &[]), Code::CallReverted),
        ((BALANCE_OF, RETURN, 0, &[]), Code::InvalidResponse),
        ((BALANCE_OF, RETURN, 0, &[0; 31]), Code::InvalidResponse),
    ] {
        let token = scripted(&node, &[said, places]).unwrap();
        let (code, message) = node.fault(BALANCE, of(&node, &token)).await.unwrap();
        assert_eq!(code, expected, "{said:?}: {message}");
    }
}

/// What follows the first word is not read by contracts that call it, and not by us.
#[tokio::test(flavor = "multi_thread")]
async fn a_longer_answer_is_read_as_contracts_read_it() {
    let node = Node::start().unwrap();
    let places = ("decimals()", RETURN, 0, &word(6)[..]);
    let seven = word(7);
    for length in [33, 64, 100_000, 1_000_000] {
        let token = scripted(&node, &[(BALANCE_OF, PAD, length, &seven), places]).unwrap();
        assert_eq!(
            balance(&node, &token).await.unwrap(),
            json!({"raw_amount": "7", "decimals": 6}),
            "{length}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_hostile_view_leaves_the_others_readable() {
    let node = Node::start().unwrap();
    for decimals in [
        ("decimals()", REVERT, 0, &[][..]),
        ("decimals()", BURN, 0, &[]),
        ("decimals()", RETURN, 0, &[]),
    ] {
        let token = scripted(&node, &[SEVEN, decimals]).unwrap();
        assert_eq!(
            balance(&node, &token).await.unwrap(),
            json!({"raw_amount": "7", "decimals": null}),
            "{decimals:?}"
        );
    }
    let token = scripted(&node, &[SEVEN, ("decimals()", RETURN, 0, &[6])]).unwrap();
    let (code, _) = node.fault(BALANCE, of(&node, &token)).await.unwrap();
    assert_eq!(code, Code::InvalidResponse);

    let name = string(b"Bomb");
    let token = scripted(
        &node,
        &[
            ("name()", RETURN, 0, &name),
            ("symbol()", BURN, 0, &[]),
            ("decimals()", REVERT, 0, &[]),
            ("totalSupply()", RETURN, 0, &SEVEN_WORD),
        ],
    )
    .unwrap();
    let data = metadata(&node, &token).await.unwrap();
    assert_eq!(data["name"]["text"], "Bomb");
    assert_eq!(
        (&data["symbol"], &data["decimals"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(data["total_supply"], "7");
}

/// A `string` as the ABI encodes it.
fn string(content: &[u8]) -> Vec<u8> {
    let mut encoded = [word(32), U256::from(content.len()).to_be_bytes()].concat();
    encoded.extend(content);
    encoded.resize(encoded.len().next_multiple_of(32), 0);
    encoded
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_is_what_the_token_says() {
    let node = Node::start().unwrap();
    let token = node.token(1_000_000).unwrap();
    let text = |text: &str| {
        let raw = alloy_primitives::hex::encode_prefixed(text);
        json!({"text": text, "truncated": false, "flags": [], "raw_hex": raw})
    };
    let expected = json!({
        "name": text("Test Dollar"),
        "symbol": text("TUSD"),
        "decimals": 6,
        "total_supply": "1000000",
    });
    assert_eq!(
        Value::Object(metadata(&node, &token).await.unwrap()),
        expected
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_32_bytes_are_read() {
    let node = Node::start().unwrap();
    let name = |text: &[u8]| B256::right_padding_from(text);
    let token = node
        .deploy(
            "Bytes32Token",
            (name(b"Maker"), name("USD\u{421}".as_bytes())),
        )
        .unwrap();
    let data = metadata(&node, &token).await.unwrap();
    assert_eq!(data["name"]["text"], "Maker");
    assert_eq!(data["name"]["flags"], json!(["bytes32"]));
    assert_eq!(
        data["symbol"]["flags"],
        json!(["bytes32", "mixed_script", "confusable"])
    );
    assert_eq!(
        (&data["decimals"], &data["total_supply"]),
        (&Value::Null, &json!("1"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_name_arrives_capped_and_flagged() {
    let node = Node::start().unwrap();
    let named = |name: &[u8]| {
        let arguments = (bytes(name), bytes(*b""), U256::from(0));
        node.deploy("Token", arguments).unwrap()
    };
    for (name, text, flags) in [
        (
            &b"\xff\x00\x1b[2J"[..],
            "\u{fffd}\u{fffd}\u{1b}[2J",
            json!(["invalid_utf8", "control"]),
        ),
        (
            "\u{202e}CDSU\u{200b}".as_bytes(),
            "\u{202e}CDSU\u{200b}",
            json!(["bidi", "zero_width"]),
        ),
        (
            "T\u{435}ther".as_bytes(),
            "T\u{435}ther",
            json!(["mixed_script", "confusable"]),
        ),
    ] {
        let data = metadata(&node, &named(name)).await.unwrap();
        let raw = alloy_primitives::hex::encode_prefixed(name);
        let expected = json!({"text": text, "truncated": false, "flags": flags, "raw_hex": raw});
        assert_eq!(data["name"], expected);
        // It has a symbol, and that is empty: not the same as none.
        assert_eq!(
            data["symbol"],
            json!({"text": "", "truncated": false, "flags": [], "raw_hex": "0x"})
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_of_a_megabyte_is_cut() {
    let node = Node::start().unwrap();
    let megabyte = [&word(32)[..], &word(1 << 20), b"Long"].concat();
    let token = scripted(&node, &[("name()", PAD, 64 + (1 << 20), &megabyte)]).unwrap();
    let name = metadata(&node, &token).await.unwrap()["name"].take();
    assert_eq!(name["text"], format!("Long{}", "\u{fffd}".repeat(252)));
    assert_eq!(name["truncated"], true);
    assert_eq!(name["flags"], json!(["control"]));
    assert_eq!(name["raw_hex"].as_str().unwrap().len(), 2 + 2 * 1024);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_lies_about_its_place_or_length_is_an_error() {
    let node = Node::start().unwrap();
    let max = [0xff; 32];
    for lie in [
        [word(32), word(33), word(0)].concat(),
        [word(32), max, word(0)].concat(),
        [max, word(1), word(0)].concat(),
        [word(96), word(1), word(0)].concat(),
        [word(65), word(1), word(0)].concat(),
        [word(32), word(u64::MAX), word(0)].concat(),
        word(32)[..20].to_vec(),
        [word(32).to_vec(), vec![0]].concat(),
    ] {
        let token = scripted(
            &node,
            &[
                ("name()", RETURN, 0, &lie),
                ("decimals()", RETURN, 0, &word(6)),
            ],
        )
        .unwrap();
        let (code, _) = node.fault(METADATA, about(&token)).await.unwrap();
        assert_eq!(code, Code::InvalidResponse, "{lie:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_that_is_no_token_has_no_metadata() {
    let node = Node::start().unwrap();
    let answers_nothing = node.deploy("ManagerV4", ()).unwrap();
    let returns_nothing = scripted(
        &node,
        &["name()", "symbol()", "decimals()", "totalSupply()"]
            .map(|signature| (signature, RETURN, 0, &[][..])),
    )
    .unwrap();
    for contract in [answers_nothing, returns_nothing] {
        let (code, message) = node.fault(METADATA, about(&contract)).await.unwrap();
        assert_eq!(code, Code::InvalidResponse);
        assert!(message.contains("does not look like a token"), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_says_at_each_block_what_it_said_then() {
    let node = Node::start().unwrap();
    let code = |decimals: u64, held: u64| {
        let arguments = (U256::from(decimals), U256::from(held));
        address(&node.deploy("Implementation", arguments).unwrap()).unwrap()
    };
    let (old, new) = (code(6, 1_000_000), code(18, 1_000_000_000));
    let proxy = node.deploy("Proxy", (old,)).unwrap();
    let before = node.anvil().height().unwrap();
    node.send(0, &proxy, "upgradeTo(address)", (new,)).unwrap();
    assert_eq!(
        balance(&node, &proxy).await.unwrap(),
        json!({"raw_amount": "1000000000", "decimals": 18})
    );
    let then = json!({"holder": node.account(0), "token": proxy, "block": before.to_string()});
    let then = node.data(BALANCE, then).await.unwrap();
    assert_eq!(
        Value::Object(then),
        json!({"raw_amount": "1000000", "decimals": 6})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_balance_is_read_and_not_added_up_from_transfers() {
    let node = Node::start().unwrap();
    let (holder, other) = (
        address(node.account(0)).unwrap(),
        address(node.account(1)).unwrap(),
    );
    let rebasing = node
        .deploy("RebasingToken", (holder, U256::from(1000)))
        .unwrap();
    assert_eq!(
        balance(&node, &rebasing).await.unwrap()["raw_amount"],
        "1000"
    );
    node.send(0, &rebasing, "rebase(uint256)", (U256::from(150),))
        .unwrap();
    assert_eq!(
        balance(&node, &rebasing).await.unwrap()["raw_amount"],
        "1500"
    );

    let collector = address(node.account(2)).unwrap();
    let fee = node
        .deploy("FeeToken", (collector, U256::from(10_000)))
        .unwrap();
    node.send(
        0,
        &fee,
        "transfer(address,uint256)",
        (other, U256::from(1000)),
    )
    .unwrap();
    for (account, amount) in [(0, "9000"), (1, "990"), (2, "10")] {
        let arguments = json!({"holder": node.account(account), "token": fee, "block": "latest"});
        assert_eq!(
            node.data(BALANCE, arguments).await.unwrap()["raw_amount"],
            amount
        );
        assert_eq!(
            held(&node, &fee, node.account(account))
                .unwrap()
                .to_string(),
            amount
        );
    }
}

/// Before Cancun, a contract that destroys itself is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_destroyed_contract_is_none_and_was_one_before() {
    let node = Node::start_with(&["--hardfork", "shanghai"]).unwrap();
    let token = node.deploy("Mortal", ()).unwrap();
    let before = node.anvil().height().unwrap();
    node.send(0, &token, "end()", ()).unwrap();
    let (code, _) = node.fault(BALANCE, of(&node, &token)).await.unwrap();
    assert_eq!(code, Code::NotAContract);
    let then =
        |block: u64| json!({"holder": node.account(0), "token": token, "block": block.to_string()});
    let data = node.data(BALANCE, then(before)).await.unwrap();
    assert_eq!(
        Value::Object(data),
        json!({"raw_amount": "7", "decimals": 9})
    );
    let (code, _) = node.fault(BALANCE, then(before - 1)).await.unwrap();
    assert_eq!(code, Code::NotAContract);
}
