//! What a sentence says, and what it must not be taken for.

use super::*;

#[test]
fn only_what_is_said_exactly_is_supported() {
    let loaded = [balance()];
    for text in [
        "more than 1234.5",
        "It holds less than 1234.5 USDC",
        "> 1234.5",
        ">= 1234.5",
        "≥1234.5",
        "< 1234.5",
        "!= 1234.5",
        "at least 1234.5",
        "at most 1234.5",
        "up to 1234.5",
        "up to a total of 1234.5",
        "over 1234.5",
        "under 1234.5",
        "above 1234.5",
        "below 1234.5",
        "exceeds 1234.5",
        "almost 1234.5",
        "nearly 1234.5",
        "close to 1234.5",
        "between 1234.5 and 1234.5",
        "half of 1234.5",
        "twice 1234.5",
        "twice as many as 1234.5",
        "ten times 1234.5",
        "a third of 1234.5",
        "in excess of 1234.5",
        "1234.5 or more",
        "1234.5 USDC or more",
        "1234.5 USDC and above",
        "1234.5+",
        "1234.5+ USDC",
        "1234.5 plus",
        "1234.5 USDC at least",
        "about 1234.5",
        "around 1234.5",
        "roughly 1234.5",
        "~1234.5",
        "~ 1234.5",
        "≈1234.5",
        "1234.5-ish",
        "some 1234.5",
        "It does not hold 1234.5",
        "It doesn't hold 1234.5",
        "It never held 1234.5",
        "no longer holds 1234.5",
        "a maximum of 1234.5 USDC",
        "more than 6 decimals",
        "at least 1234500000 raw units",
        "not less than 1234500000 wei",
    ] {
        let (outcome, reason) = fares(text, &loaded);
        assert_eq!(outcome, Outcome::Unsupported, "{text}: {reason}");
        assert!(reason.contains("exact amounts only"), "{text}: {reason}");
    }
    for text in [
        "balance -> 1234.5",
        "a third holder has 1234.5",
        "Up to block 19000000: 1234.5 USDC",
    ] {
        assert_eq!(fares(text, &loaded).0, Outcome::Supported, "{text}");
    }
}

#[test]
fn a_raw_amount_has_to_be_called_so() {
    let loaded = [balance()];
    for (text, outcome) in [
        ("1234500000 usdc", Outcome::Mismatched),
        ("1234500000 of USDC", Outcome::Mismatched),
        ("USDC 1234500000", Outcome::Mismatched),
        ("1234500000 USDC (raw 1234500000)", Outcome::Mismatched),
        ("It holds 1234500000", Outcome::Mismatched),
        ("The raw amount is 1234.5", Outcome::Mismatched),
        ("1234500000 base units", Outcome::Supported),
        ("1234500000 in the smallest unit", Outcome::Supported),
        ("in the smallest unit, 1234500000", Outcome::Supported),
        ("1234500000 wei", Outcome::Supported),
        ("1234.5 USDC (raw 1234500000)", Outcome::Supported),
    ] {
        let (found, reason) = fares(text, &loaded);
        assert_eq!(found, outcome, "{text}: {reason}");
    }
    // Nothing is nothing, in every unit.
    let none = [evidence_at(
        19_000_000,
        json!({"raw_amount": "0", "decimals": null}),
    )];
    assert_eq!(fares("It holds 0 USDC", &none).0, Outcome::Supported);
}

#[test]
fn a_price_a_depth_an_id_and_a_height_are_no_amounts() {
    let data = json!({
        "kind": "uniswap_v3", "sqrt_price_x96": "79228162514264337593543950336", "tick": -5,
        "liquidity": "777", "fee": 3000, "decimals": 0, "balances": {"token0": "10", "token1": "20"},
        "next": "18999000", "token_id": "5", "block_timestamp_last": 1_700_000_000,
    });
    let loaded = [evidence_at(19_000_000, data)];
    for (text, outcome) in [
        ("It holds 10 and 20 tokens", Outcome::Supported),
        ("Its liquidity is 777", Outcome::Supported),
        ("It holds 777", Outcome::Mismatched),
        ("It holds 5 tokens", Outcome::Mismatched),
        ("token id 5", Outcome::Supported),
        ("It holds 18999000", Outcome::Mismatched),
        ("More from block 18999000", Outcome::Supported),
        ("At block 1700000000 it held 10", Outcome::Mismatched),
        (
            "It holds 79228162514264337593543950336",
            Outcome::Mismatched,
        ),
        (
            "sqrt_price_x96 is 79228162514264337593543950336",
            Outcome::Supported,
        ),
    ] {
        let (found, reason) = fares(text, &loaded);
        assert_eq!(found, outcome, "{text}: {reason}");
    }
}

#[test]
fn a_shortened_address_and_a_name_are_not_everybody() {
    let loaded = [balance()];
    for (text, outcome) in [
        ("0xd8dA…6045 holds 1234.5", Outcome::Supported),
        ("0xd8dA...6045 holds 1234.5", Outcome::Supported),
        ("0xd8dA… holds 1234.5", Outcome::Supported),
        ("0xD8DA6BF2 holds 1234.5", Outcome::Supported),
        ("at block 0x0707…0707 it holds 1234.5", Outcome::Supported),
        ("0x7099…79c8 holds 1234.5", Outcome::Unsupported),
        ("0xd8dA…6046 holds 1234.5", Outcome::Unsupported),
        ("0x7099 holds 1234.5", Outcome::Unsupported),
        ("vitalik.eth holds 1234.5", Outcome::Unsupported),
        ("Vitalik.ETH holds 1234.5", Outcome::Unsupported),
        ("It holds 1234.5 USDC, and no ETH.", Outcome::Supported),
    ] {
        let (found, reason) = fares(text, &loaded);
        assert_eq!(found, outcome, "{text}: {reason}");
    }
    let mut named = claim("0x7099…79c8 holds 1234.5");
    named.evidence_id = Some(loaded[0].id);
    let report = named.check(&open(&loaded));
    assert_eq!(report.outcome, Outcome::Mismatched);
    assert!(
        report.reason.contains("nothing of 0x7099…79c8"),
        "{}",
        report.reason
    );
}

#[test]
fn no_number_hides_in_what_is_passed_over() {
    let loaded = [balance()];
    for (text, listed) in [
        ("1234.5 with v1.2.3", "v1.2.3"),
        ("In 2026 it held 1234.5", "2026"),
        ("The 1st holds 1234.5", "1st"),
        ("An ERC-20 token: 1234.5", "ERC-20"),
        ("It holds 1234.5 [1]", "[1]"),
        ("Holder #7 has 1234.5", "#7"),
        ("1234.5, see https://x.y/1?a=2", "https://x.y/1?a=2"),
        ("1234.5 and x402", "x402"),
    ] {
        let (outcome, reason) = fares(text, &loaded);
        assert_eq!(outcome, Outcome::Supported, "{text}: {reason}");
        let tail = format!(". Not compared: {listed}");
        assert!(reason.ends_with(&tail), "{text}: {reason}");
    }
    for text in [
        "It holds 9999(https://x.y) and 1234.5",
        "1234.5 (https://x.y)9999",
        "9999,https://x.y, 1234.5",
        "USDC-9999, 1234.5",
        "ERC-20,000 and 1234.5",
        "In 2026 USDC and 1234.5",
        "1,234.5.6 and 1234.5",
        "1,000,23 1234.5",
    ] {
        assert_eq!(fares(text, &loaded).0, Outcome::Mismatched, "{text}");
    }
}

#[test]
fn a_long_text_is_read_in_one_go() {
    // Each of these made a reader start again at every mark; at this length it would not end before the test is given up.
    for piece in [
        "=a:", "1,000,", "1,000.1.", "a-", "0x1.", "1_", "1.1.", "(a:/", "1e1", "…",
    ] {
        let text = piece.repeat(1024 * 1024 / piece.len());
        std::hint::black_box(numbers::mentions(&text));
    }
}

#[test]
fn a_claim_is_one_sentence() {
    let of = |n: usize| fares(&"1234.5, ".repeat(n), &[balance()]);
    assert_eq!(of(limits::CLAIM_NUMBERS).0, Outcome::Supported);
    let (outcome, reason) = of(limits::CLAIM_NUMBERS + 1);
    assert_eq!(outcome, Outcome::Unsupported);
    assert!(reason.contains("one sentence"), "{reason}");
}

#[test]
fn what_is_too_much_to_compare_is_said() {
    let mut budget = Budget(1);
    let loaded = Loaded::open(
        vec![balance(), evidence_at(19_000_000, json!({}))],
        &mut budget,
    );
    assert!(budget.is_spent());
    assert_eq!(
        claim("It holds 1234.5").check(&loaded).outcome,
        Outcome::Supported
    );
    let report = claim("It holds 7").check(&loaded);
    assert!(
        report.reason.contains("1 older readings"),
        "{}",
        report.reason
    );
    let report = claim("It holds 1234.5").check(&Loaded::open(vec![], &mut budget));
    assert_eq!(report.outcome, Outcome::Unsupported);
    assert!(report.reason.contains("too large"), "{}", report.reason);
}

#[test]
fn a_mismatch_says_what_was_read() {
    let (_, reason) = fares("It holds 7", &[balance()]);
    assert!(
        reason.ends_with("It says raw_amount 1234500000 (1234.5 with 6 decimals)"),
        "{reason}"
    );
}

#[test]
fn what_a_stranger_wrote_is_no_address_of_the_reading() {
    let name = json!({"text": BOB, "truncated": false, "flags": [], "raw_hex": BOB.to_lowercase()});
    let data = json!({"name": name, "decimals": 6, "total_supply": "5000000"});
    let loaded = [evidence_at(19_000_000, data)];
    let of = |address: &str| fares(&format!("{address}: 5"), &loaded).0;
    assert_eq!(of(ALICE), Outcome::Supported);
    assert_eq!(of(BOB), Outcome::Unsupported);
}

#[test]
fn two_blocks_at_one_height_are_told_apart() {
    let blocks = [1, 2].map(|byte| ReadBlock {
        block_number: 18,
        block_hash: BlockHash([byte; 32]),
    });
    let one = ChainBlocks {
        chain_id: 1,
        blocks: blocks.to_vec(),
    };
    assert!(
        one.to_string().contains("(18 0x01010101…, 18 0x02020202…)"),
        "{one}"
    );
}
