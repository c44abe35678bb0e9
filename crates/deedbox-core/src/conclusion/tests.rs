use serde_json::json;

use super::*;
use crate::{
    BlockHash, Evidence, Reading, evidence::Witness, hash::DeedHash, task::RecordAttribution,
};

mod hostile;
mod said;

const ALICE: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const BOB: &str = "0x00000000219ab540356cBB839Cbe05303d7705Fa";

fn evidence(tool: &str, holder: &str, block: u64, data: serde_json::Value) -> Evidence {
    let reading: Reading = serde_json::from_value(json!({
        "tool": tool,
        "arguments": {"chain_id": 1, "holder": holder, "block": block.to_string()},
        "data": data,
        "provenance": {
            "chain_id": 1,
            "block_number": block,
            "block_hash": BlockHash([7; 32]),
            "block_timestamp": "2026-11-29T19:28:54.000Z",
            "source": "rpc",
            "endpoint_id": "main",
        },
    }))
    .unwrap();
    Evidence {
        id: EvidenceId(uuid::Uuid::from_u128(
            u128::from(block) << 8 | holder.len() as u128,
        )),
        digest: reading.digest(),
        reading,
        task: None,
        recorded_at: crate::Timestamp::from_millis(0).unwrap(),
        witness: Witness::Server,
        attribution: RecordAttribution {
            basis: crate::Basis::Asserted,
            principal: "local".to_owned(),
            agent_label: None,
            instance_hash: None,
            boundary: None,
            hash: DeedHash([0; 32]),
            evidence: None,
        },
    }
}

/// 1,234.5 of a token with six decimals, at block 19000000.
fn balance() -> Evidence {
    let data = json!({"raw_amount": "1234500000", "decimals": 6});
    evidence("get_erc20_balance", ALICE, 19_000_000, data)
}

fn claim(text: &str) -> Claim {
    serde_json::from_value(json!({
        "claim": text, "tool": "get_erc20_balance", "chain_id": 1, "block": "19000000",
    }))
    .unwrap()
}

fn open(evidence: &[Evidence]) -> Loaded {
    Loaded::open(evidence.to_vec(), &mut Budget::default())
}

fn fares(text: &str, loaded: &[Evidence]) -> (Outcome, String) {
    let report = claim(text).check(&open(loaded));
    (report.outcome, report.reason)
}

#[test]
fn a_claim_is_supported_only_by_its_own_numbers() {
    use Outcome::{Mismatched, Supported, Unsupported};
    let loaded = [balance()];
    for (text, outcome) in [
        // The amount, in every way that is understood.
        ("It holds 1234.5 USDC.", Supported),
        ("It holds 1,234.5 USDC.", Supported),
        ("It holds 1,234.50 USDC", Supported),
        ("It holds 1_234.5USDC", Supported),
        ("It holds 1\u{202f}234.5 USDC", Supported),
        ("It holds 1.2345e3 USDC", Supported),
        ("It holds 1.2345 thousand USDC", Supported),
        ("It holds 1.2345k USDC", Supported),
        ("The raw amount is 1234500000.", Supported),
        (
            "The raw amount is 1,234,500,000, with 6 decimals",
            Supported,
        ),
        // Another amount.
        ("It holds 1234.6 USDC", Mismatched),
        ("It holds 1234.50001 USDC", Mismatched),
        ("It holds -1234.5 USDC", Mismatched),
        ("It holds 12345 USDC", Mismatched),
        ("It holds 1.234,5 USDC", Mismatched),
        ("It holds 1,234.5 USDC and 3 ETH", Mismatched),
        ("It holds 1234500000 USDC", Mismatched),
        ("It holds 1234.5 wei", Mismatched),
        ("It holds 6 USDC", Mismatched),
        ("It holds 1 USDC", Mismatched),
        ("It holds 19000000 USDC", Mismatched),
        ("It has 18 decimals", Mismatched),
        ("It holds １２３４ USDC", Mismatched),
        ("It holds 10^3 USDC", Mismatched),
        ("It holds 5 tokens", Mismatched),
        // What no reading says.
        ("It holds 5% of the supply", Unsupported),
        ("It holds 1234.5 USDC, 12 percent of all", Unsupported),
        ("Its 1234.5 USDC are worth $1,234.50", Unsupported),
        ("It is worth 1234.5 USD", Unsupported),
        ("It holds about 1,200 USDC", Unsupported),
        ("It holds more than 1000 USDC", Unsupported),
        // What is no amount.
        ("At block 19000000 it held 1234.5 USDC", Supported),
        ("At block 19,000,000 it held 1234.5 USDC", Supported),
        ("On chain 1 it held 1234.5 USDC", Supported),
        ("On eip155:1 it held 1234.5 USDC", Supported),
        ("On 2026-11-29 at 19:28 it held 1234.5 USDC", Supported),
        ("On 29 November 2026 it held 1234.5 USDC", Supported),
        ("On November 29, 2026 it held 1234.5 USDC", Supported),
        ("The 2nd ERC-20 token (v3) holds 1234.5", Supported),
        ("1. It holds 1234.5 USDC [2]", Supported),
        (
            "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045 holds 1234.5",
            Supported,
        ),
        (
            "0xd8dA…6045 holds 1234.5 (https://example.org/7)",
            Supported,
        ),
        // Another block, another chain.
        ("At block 19000001 it held 1234.5 USDC", Mismatched),
        ("On chain 10 it held 1234.5 USDC", Mismatched),
    ] {
        let (found, reason) = fares(text, &loaded);
        assert_eq!(found, outcome, "{text}: {reason}");
    }
}

#[test]
fn a_claim_without_a_number_says_that_nothing_else_was_compared() {
    let (outcome, reason) = fares("It holds some of this token.", &[balance()]);
    assert_eq!(outcome, Outcome::Supported);
    assert!(reason.contains("states no amount"), "{reason}");
    let (_, reason) = fares("On 2026-11-29 it held some.", &[balance()]);
    assert!(reason.contains("Not compared: 2026-11-29"), "{reason}");
}

#[test]
fn a_raw_amount_is_not_that_many_tokens() {
    let (_, reason) = fares("It holds 1234500000 USDC", &[balance()]);
    assert!(
        reason.contains("with 6 decimals it is 1234.5 USDC"),
        "{reason}"
    );
}

#[test]
fn one_of_several_readings_is_enough_and_an_address_picks_it() {
    let data = json!({"raw_amount": "5000000", "decimals": 6});
    let bob = evidence("get_erc20_balance", BOB, 19_000_000, data);
    let loaded = [bob, balance()];
    assert_eq!(fares("It holds 1234.5", &loaded).0, Outcome::Supported);
    assert_eq!(fares("It holds 5", &loaded).0, Outcome::Supported);
    assert_eq!(fares("It holds 6", &loaded).0, Outcome::Mismatched);
    let of = |address: &str| fares(&format!("{} holds 5", address.to_lowercase()), &loaded).0;
    assert_eq!(of(BOB), Outcome::Supported);
    assert_eq!(of(ALICE), Outcome::Mismatched);
    let stranger = of("0x1111111111111111111111111111111111111111");
    assert_eq!(stranger, Outcome::Unsupported);
}

#[test]
fn evidence_of_another_tool_chain_or_block_is_a_mismatch() {
    let good = balance();
    let named = |change: serde_json::Value| {
        let mut claim = json!({
            "claim": "It holds 1234.5", "tool": "get_erc20_balance", "chain_id": 1,
            "block": "19000000", "evidence_id": good.id,
        });
        claim
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        let claim: Claim = serde_json::from_value(claim).unwrap();
        assert_eq!(claim.wanted(), Wanted::Evidence(claim.evidence_id.unwrap()));
        claim.check(&open(std::slice::from_ref(&good)))
    };
    assert_eq!(named(json!({})).outcome, Outcome::Supported);
    assert_eq!(
        named(json!({"block": "latest"})).outcome,
        Outcome::Supported
    );
    let hash = BlockHash([7; 32]);
    assert_eq!(named(json!({"block": hash})).outcome, Outcome::Supported);
    for (change, why) in [
        (
            json!({"tool": "get_native_balance"}),
            "by get_erc20_balance, not by get_native_balance",
        ),
        (json!({"chain_id": 10}), "of chain 1, not of chain 10"),
        (
            json!({"block": "19000001"}),
            "at block 19000000, not at block 19000001",
        ),
        (json!({"block": BlockHash([8; 32])}), "at block 0x0707"),
    ] {
        let report = named(change.clone());
        assert_eq!(report.outcome, Outcome::Mismatched, "{change}");
        assert!(report.reason.contains(why), "{}", report.reason);
    }
    let other = EvidenceId(uuid::Uuid::max());
    assert_eq!(
        named(json!({"evidence_id": other})).outcome,
        Outcome::Unsupported
    );
}

#[test]
fn a_tag_names_no_reading() {
    let mut claim = claim("It holds 1234.5");
    claim.block = Block::Latest;
    assert_eq!(claim.wanted(), Wanted::Nothing);
    let report = claim.check(&open(&[]));
    assert_eq!(report.outcome, Outcome::Unsupported);
    assert!(
        report.reason.contains("another block every time"),
        "{}",
        report.reason
    );
}

#[test]
fn what_a_stranger_wrote_is_no_number_of_the_reading() {
    let name = json!({"text": "777", "truncated": false, "flags": [], "raw_hex": "0x373737"});
    let data = json!({"name": name, "symbol": name, "decimals": 18, "total_supply": "0"});
    let metadata = evidence("get_erc20_balance", ALICE, 19_000_000, data);
    let loaded = [metadata];
    assert_eq!(fares("Its supply is 777", &loaded).0, Outcome::Mismatched);
    assert_eq!(fares("Its supply is 0", &loaded).0, Outcome::Supported);
    assert_eq!(fares("It has 18 decimals", &loaded).0, Outcome::Supported);
}

#[test]
fn transfers_are_counted_and_their_raw_amounts_compared() {
    let transfer =
        |raw: &str, block: u64| json!({"raw_amount": raw, "block_number": block, "log_index": 3});
    let data = json!({"transfers": [transfer("100", 18_999_990), transfer("250", 19_000_000)], "truncated": false});
    let loaded = [evidence("get_erc20_balance", ALICE, 19_000_000, data)];
    assert_eq!(fares("2 transfers", &loaded).0, Outcome::Supported);
    assert_eq!(fares("3 transfers", &loaded).0, Outcome::Mismatched);
    assert_eq!(
        fares("It received a raw 250 at block 18999990", &loaded).0,
        Outcome::Supported
    );
    for text in [
        "It received 250",
        "250 USDC",
        "250 usdc",
        "250 of USDC",
        "USDC 250",
    ] {
        let (outcome, reason) = fares(text, &loaded);
        assert_eq!(outcome, Outcome::Unsupported, "{text}");
        assert!(reason.contains("says no decimals"), "{text}: {reason}");
    }
    let (outcome, reason) = fares("It received 2.5 USDC", &loaded);
    assert_eq!(outcome, Outcome::Mismatched);
    assert!(reason.contains("only raw amounts"), "{reason}");
}

fn report(text: &str, claims: &[(&str, u64)]) -> Report {
    let evidence: Vec<_> = claims
        .iter()
        .map(|(claim, block)| {
            json!({"claim": claim, "tool": "get_erc20_balance", "chain_id": 1, "block": block.to_string()})
        })
        .collect();
    let conclusion = json!({"conclusion": text, "evidence": evidence, "unknown": ["the price"]});
    let conclusion: Conclusion = serde_json::from_value(conclusion).unwrap();
    let claims = conclusion
        .evidence
        .iter()
        .zip(claims)
        .map(|(claim, (_, block))| {
            let data = json!({"raw_amount": "1234500000", "decimals": 6});
            claim.check(&open(&[evidence_at(*block, data)]))
        })
        .collect();
    Report::new(&conclusion, claims)
}

fn evidence_at(block: u64, data: serde_json::Value) -> Evidence {
    evidence("get_erc20_balance", ALICE, block, data)
}

#[test]
fn a_reader_is_always_told_that_no_price_and_no_owner_was_read() {
    let report = report("It holds 1,234.5 USDC.", &[("It holds 1234.5 USDC", 5)]);
    assert_eq!(report.verdict, Outcome::Supported);
    let codes: Vec<GapCode> = report.gaps.iter().map(|gap| gap.code).collect();
    assert_eq!(
        codes,
        [
            GapCode::NoPriceRead,
            GapCode::OwnershipNotEstablished,
            GapCode::BlocksNotRechecked
        ]
    );
    assert_eq!(report.unknown.len(), 1);
    assert!(
        report.uncovered_numbers.is_empty(),
        "{:?}",
        report.uncovered_numbers
    );
}

#[test]
fn readings_of_two_blocks_are_mixed_heights() {
    let report = report("Same.", &[("1234.5 then", 5), ("1234.5 later", 6)]);
    assert!(report.mixed_heights);
    assert_eq!(report.blocks[0].blocks.len(), 2);
    let gap = report
        .gaps
        .iter()
        .find(|gap| gap.code == GapCode::MixedHeights)
        .unwrap();
    assert!(gap.text.contains("(5, 6)"), "{}", gap.text);
}

#[test]
fn numbers_that_no_claim_covers_are_listed() {
    let text = "It holds 1234.50 USDC at block 5 on chain 1, 12% of 10,287.5, on 2026-11-29.";
    let report = report(text, &[("It holds 1,234.5 USDC", 5)]);
    assert_eq!(report.uncovered_numbers, ["12", "10,287.5"]);
    assert_eq!(
        report.verdict,
        Outcome::Supported,
        "the claims are; the gap says the rest"
    );
    assert!(
        report
            .gaps
            .iter()
            .any(|gap| gap.code == GapCode::NumbersWithoutClaim)
    );
}

#[test]
fn the_worst_claim_is_the_verdict_and_an_echo_is_cut() {
    let long = format!("It holds 7 {}", "x".repeat(4_000));
    let report = report("So.", &[("It holds 1234.5", 5), (&long, 5)]);
    assert_eq!(report.verdict, Outcome::Mismatched);
    assert_eq!(report.claims[1].claim.chars().count(), 501);
    assert_eq!(
        report.claims[1].read_values[0].amount.as_deref(),
        Some("1234.5")
    );
}

#[test]
fn a_conclusion_has_1_to_50_claims() {
    let claim = json!({"claim": "x", "tool": "t", "chain_id": 1, "block": "1"});
    let of = |n: usize| {
        let conclusion =
            json!({"conclusion": "x", "evidence": vec![claim.clone(); n], "unknown": []});
        serde_json::from_value::<Conclusion>(conclusion)
    };
    assert!(of(1).is_ok() && of(50).is_ok());
    for n in [0, 51] {
        assert!(of(n).unwrap_err().to_string().contains("1 to 50 claims"));
    }
    let both = json!({"conclusion": "x", "evidence": [claim], "unknown": [], "price": 1});
    assert!(serde_json::from_value::<Conclusion>(both).is_err());
}

proptest::proptest! {
    /// Whatever is written, a check ends, and says back no more than it should.
    #[test]
    fn any_text_is_read(text in "\\PC{1,200}", digits in "[-0-9a-fxT:.,_' e%$#^…·]{1,60}") {
        for text in [text, digits] {
            let report = claim(&text).check(&open(&[balance()]));
            proptest::prop_assert!(report.reason.len() < 4_000);
        }
    }

    /// A number that is written is found, and no other number is taken for it.
    #[test]
    fn an_amount_is_supported_exactly_when_it_is_the_read_one(
        raw in proptest::num::u64::ANY, other in proptest::num::u64::ANY, decimals in 1u32..19,
    ) {
        let data = json!({"raw_amount": raw.to_string(), "decimals": decimals});
        let loaded = [evidence_at(19_000_000, data)];
        let power = 10u64.pow(decimals);
        let said = |n: u64| format!("It holds {}.{:0width$} XYZ", n / power, n % power, width = decimals as usize);
        proptest::prop_assert_eq!(fares(&said(raw), &loaded).0, Outcome::Supported);
        if other != raw && u128::from(raw) * u128::from(power) != u128::from(other) {
            proptest::prop_assert_eq!(fares(&said(other), &loaded).0, Outcome::Mismatched);
        }
    }
}
