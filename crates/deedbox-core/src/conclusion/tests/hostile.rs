//! Sentences that are false of what was read, each of which could look as if it said it.

use super::*;

/// What was read, by a letter: a balance of 1,234.5 (U); one without decimals (N); nothing (Z); 1.5 of 18 decimals (E); a
/// pool (P); a supply (M); transfers (T).
fn read() -> [(char, Evidence); 7] {
    let at = |data| evidence_at(19_000_000, data);
    let transfer =
        |raw: &str, block: u64| json!({"raw_amount": raw, "block_number": block, "log_index": 5});
    let reserve = |raw: &str| json!({"raw_amount": raw, "decimals": 6});
    [
        ('U', balance()),
        ('N', at(json!({"raw_amount": "1000000", "decimals": null}))),
        ('Z', at(json!({"raw_amount": "0", "decimals": 6}))),
        (
            'E',
            at(json!({"raw_amount": "1500000000000000000", "decimals": 18})),
        ),
        (
            'P',
            at(json!({
                "reserve0": reserve("700000000"), "reserve1": reserve("900000000"),
                "block_timestamp_last": 1_700_000_000,
            })),
        ),
        (
            'M',
            at(json!({"total_supply": "5000000000000", "decimals": 6})),
        ),
        (
            'T',
            at(json!({
                "transfers": [transfer("1000", 900), transfer("1001", 901), transfer("1002", 902)],
                "truncated": false, "ambiguous": [],
            })),
        ),
    ]
}

fn of(which: char, text: &str) -> (Outcome, String) {
    let read = read();
    let one = read.iter().find(|(letter, _)| *letter == which).unwrap();
    fares(text, std::slice::from_ref(&one.1))
}

#[test]
fn what_stands_beside_a_number_makes_it_no_other_one() {
    for (which, text) in [
        ('U', "It holds 1234.5 MILLIARD"),
        ('U', "It holds 1234.5 GRAND"),
        ('U', "It holds 1234.5 (in millions)"),
        ('U', "In millions of USDC, it holds 1234.5"),
        ('U', "It holds 1234.5 or none"),
        ('U', "It holds 1234.5 at 12:30 USDC"),
        ('U', "nine-hundred and 1234.5"),
        ('U', "At block 19000000 USDC it held 1234.5"),
        ('U', "It holds 1234.5 LESS"),
        ('U', "It can hold 1234.5"),
        ('U', "It should have 1234.5"),
        ('U', "It used to have 1234.5"),
        ('U', "Each of the holders has 1234.5"),
        ('U', "1234500000 raw tokens"),
        ('U', "raw 1234500000 million"),
        ('U', "Raw honey: it holds 1234500000 tokens"),
        ('U', "1234.5…"),
        ('U', "1234.5..."),
        ('U', "1234.5 МИО"),
        ('U', "9\n1234.5"),
        ('U', "1,\n234.5"),
        ('U', "1234.5 mil\u{200b}lion"),
        ('U', "block 19000000-19000005 it held 1234.5"),
        ('U', "It holds 1234500000 usdc"),
        ('U', "It holds 1234500000 of USDC"),
        ('U', "It holds 1234500000 whole USDC"),
        ('U', "It holds 1,234,500,000 Usdc"),
        ('U', "It holds USDC 1234500000"),
        ('U', "It holds 1234500000.0 USD coins"),
        ('U', "It holds 1234500000 (USDC)"),
        ('U', "It holds 1234500000 bitcoin"),
        ('U', "It holds 1234500000 wrapped BTC"),
        ('U', "It holds 1234500000 USDC.e"),
        ('U', "It holds 1234500000 stablecoins"),
        ('U', "It holds 1.2345 billion usdc"),
        ('U', "It holds 1.2345 billion dollar tokens"),
        ('U', "It holds 1234500000 Tether"),
        ('U', "It holds 1234500000 $USDC"),
        ('U', "It holds 1234500000 dollars' worth"),
        ('U', "1234500000-USDC is held"),
        ('U', "It holds $ 1234.5"),
        ('U', "It holds 1234.5 $"),
        ('U', "It holds 1234.5€"),
        ('U', "It holds US$1234.5"),
        ('U', "It is worth 1234.5 Dollars"),
        ('U', "It is worth 1234.5 bucks"),
        ('U', "It is worth 1234.5 rupees"),
        ('U', "It is worth ₹1234.5"),
        ('U', "worth 1234.5 in dollars"),
        ('U', "It does not hold 1234.5 USDC"),
        ('U', "-1234.5"),
        ('U', "- 1234.5 USDC"),
        ('U', "−1234.5"),
        ('U', "minus 1234.5"),
        ('U', "(1234.5)"),
        ('U', "It owes 1234.5"),
        ('U', "1234.5 times 10"),
        ('U', "1234.5 × 10^6 USDC"),
        ('U', "1234.5 hundred"),
        ('U', "1234.5 M USDC"),
        ('U', "1234.5 m"),
        ('U', "1234.5 MM USDC"),
        ('U', "1234.5 Mio USDC"),
        ('U', "1234.5 Million USDC"),
        ('U', "1234.5 MILLION USDC"),
        ('U', "1234.5 millions of USDC"),
        ('U', "1234.5 billions"),
        ('U', "1234.5 k USDC"),
        ('U', "1234.5 lakh"),
        ('U', "1234.5 crore"),
        ('U', "1234.5 dozen"),
        ('U', "1234.5-million USDC"),
        ('U', "1234.5 (million) USDC"),
        ('U', "1234.5 quadrillion USDC"),
        ('U', "1234.5 Mrd USDC"),
        ('U', "1234.5万 USDC"),
        ('U', "1234.5万"),
        ('U', "1234.5億"),
        ('U', "1234.5e-3"),
        ('U', "1234.5e−3 USDC"),
        ('U', "1234.5E-6"),
        ('U', "1234.5*1000"),
        ('U', "1234.5/2"),
        ('U', "1234.5/1000 USDC"),
        ('U', "1234.5‱"),
        ('U', "1234.5 ppm"),
        ('U', "1234.5％"),
        ('U', "1234.5 pc"),
        ('U', "1234.5 to 9999999 hex 0xffffff"),
        ('U', "1234.5 and one billion more"),
        ('U', "１２３４ and 1234.5"),
        ('U', "٩٩٩٩"),
        ('U', "It holds 9९९"),
        ('U', "It holds ⅯⅩ"),
        ('U', "It holds 1234.5½"),
        ('U', "It holds 1234.5٠٠٠"),
        ('U', "It holds 1234.5０００"),
        ('U', "1234.5\u{200b}000 USDC"),
        ('U', "1234.5\u{ad}000"),
        ('U', "1234.5 000 USDC"),
        ('U', "1234.5\u{2009}000"),
        ('U', "1234.5,000"),
        ('U', "1234.5'000"),
        ('U', "9.1234.5"),
        ('U', "9 1234.5"),
        ('U', "9·1234.5"),
        ('U', "9,1234.5"),
        ('U', "9٬1234.5"),
        ('U', "x9991234.5"),
        ('U', "USDC9991234.5"),
        ('U', "It holds _9991234567"),
        ('U', "It holds a9999999 USDC"),
        ('U', "It holds USDC9999999"),
        ('U', "It holds ~999999"),
        ('U', "It holds ≈1234.5"),
        ('U', "It holds 9999999th USDC"),
        ('U', "It holds #9999999 USDC"),
        ('U', "It holds # 9999999 USDC"),
        ('U', "It holds 9:99 USDC"),
        ('U', "It holds 99:99 USDC"),
        ('U', "It holds 99/99/9999 USDC"),
        ('U', "It holds 9999-99-99 USDC"),
        ('U', "It holds 9.999.99 USDC"),
        ('U', "It holds 99.99.99 USDC"),
        ('U', "It holds 9x9 USDC"),
        ('U', "It holds 9999999x1 USDC"),
        ('U', "It holds 99a9 USDC"),
        ('U', "It holds 0xf4240 USDC"),
        ('U', "It holds 0xffffffffffff wei"),
        ('U', "It holds May 31 USDC"),
        ('U', "It holds 2000 May USDC"),
        ('U', "May 2000 USDC it holds"),
        ('U', "It may hold Mar 2024 USDC"),
        ('U', "US-9999999 USDC"),
        ('U', "It holds X-9999999 USDC"),
        ('U', "A-9999999"),
        ('U', "It holds http://9999999 USDC"),
        ('U', "holds://9999999-USDC"),
        ('U', "[9] USDC"),
        ('U', "9) USDC held"),
        ('U', "99. USDC is the amount"),
        ('U', "The balance is\n99. USDC"),
        ('U', "It holds nine million USDC"),
        ('U', "6 decimal tokens are all it holds, i.e. 6 decimals"),
        ('U', "chain holds 31337 USDC"),
        ('U', "The chain 31337 USDC"),
        ('U', "It holds in block 1000 USDC"),
        ('U', "It holds no 1000 blocks of 1000 USDC"),
        ('U', "the height of holdings is height 1000 USDC"),
        ('U', "It holds chain_id 31337 tokens"),
        ('U', "It holds 31337 id tokens"),
        ('U', "It holds 31337 chain tokens"),
        ('N', "It holds 1000000 tokens"),
        ('N', "It holds 1000000 USDC"),
        ('N', "It holds 1 million USDC"),
        ('N', "It holds 1000000 ETH"),
        ('N', "It holds 0.001 gwei"),
        ('Z', "It holds 0 USDC and nothing else anywhere"),
        ('Z', "0.00% no"),
        ('E', "It holds 1500000000000000000 eth"),
        ('E', "1.5 gwei"),
        ('E', "1.5 Gwei"),
        ('E', "1.5 kwei"),
        ('E', "1.5 szabo"),
        ('E', "1.5 finney"),
        ('E', "1500000000000000000 gwei"),
        ('E', "1500000000000000000 lamports"),
        ('E', "1500000000000000000 Ether"),
        ('E', "1500000000000000000 ethers"),
        ('E', "1500000000000000000 native coins"),
        ('E', "1500000000000000000 Ξ"),
        ('E', "Ξ1500000000000000000"),
        ('E', "ETH 1500000000000000000"),
        ('E', "It holds 18 decimals ETH"),
        ('P', "The price is 700"),
        ('P', "reserve0 is 900 and reserve1 is 700"),
        ('P', "reserves 1700000000"),
        ('P', "1700000000 last"),
        ('P', "last traded 1700000000 USDC"),
        ('P', "700 ETH reserve"),
        ('P', "0 reserves"),
        ('M', "The supply is 5000000000000 usdc"),
        ('T', "7 transfers were made"),
        ('T', "limit 7 reached"),
        ('T', "900 block"),
        ('T', "It received 1000 USDC at block 902"),
        ('T', "it received 1000 at block 1"),
        ('T', "it received 1000 at block 1000"),
        ('T', "The token was sent in block 1"),
        ('T', "It sent 1000, 1001 and 1002"),
        ('T', "5 log entries"),
        ('T', "It made 0 ambiguous transfers; 3 transfers"),
        ('T', "index 5 funds"),
        ('T', "received 5 logs of USDC"),
        ('T', "It received 902 block rewards"),
        ('T', "It got 900 number tokens"),
        ('T', "It received 7 limit orders of USDC"),
        ('T', "received 31337 id"),
        ('U', "[9] USDC, and 1234.5"),
        ('U', "It holds 1234.5 and US-9999999"),
        ('U', "a9999999 and 1234.5"),
        ('U', "It owes 1234.5 USDC"),
        ('U', "It no longer holds any of the said 1234.5 USDC"),
        ('U', "It holds 1234.5 INR bucks"),
        ('U', "He wrongly claims 1234.5"),
        ('U', "If it holds 1234.5"),
    ] {
        let (outcome, reason) = of(which, text);
        assert_ne!(outcome, Outcome::Supported, "{which} {text}: {reason}");
    }
}

#[test]
fn plain_sentences_are_understood() {
    for (which, text) in [
        (
            'U',
            "The account holds exactly 1,234.5 USDC at block 19000000 on chain 1.",
        ),
        ('U', "Its balance was 1234.5 (USDC)"),
        ('U', "USDC balance: 1234.5"),
        ('U', "balance=1234.5"),
        (
            'U',
            "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045 held 1234.5 usdc on 2026-11-29, at 12:30.",
        ),
        (
            'U',
            "It has 1.2345 Thousand USDC; raw 1234500000, with 6 decimals.",
        ),
        ('U', "The raw amount was 1_234_500_000 base units"),
        ('E', "It holds 1.5 ETH"),
        ('E', "It holds 1500000000 gwei"),
        ('N', "The raw amount is 1000000"),
        ('P', "The reserves are 700 and 900 tokens"),
        ('P', "reserve0 is 700 and reserve1 is 900"),
        ('M', "The total supply is 5 million USDC"),
        ('T', "3 transfers, the last of which is in block 902"),
    ] {
        let (outcome, reason) = of(which, text);
        assert_eq!(outcome, Outcome::Supported, "{which} {text}: {reason}");
    }
}

/// What a check does not find out, as the documentation says.
#[test]
fn a_symbol_is_not_compared_and_the_report_says_so() {
    let (outcome, reason) = of('E', "It holds 1.5 BTC");
    assert_eq!(outcome, Outcome::Supported, "{reason}");
    assert!(
        reason.ends_with("Not compared: whether the token is BTC"),
        "{reason}"
    );
}

#[test]
fn a_claim_of_which_nothing_was_compared_is_not_supported() {
    for text in [
        "It holds [9]",
        "It is the 7th",
        "On 2026-11-29 it held some",
    ] {
        let (outcome, reason) = of('U', text);
        assert_eq!(outcome, Outcome::Unsupported, "{text}: {reason}");
        assert!(
            reason.contains("no amount that was compared"),
            "{text}: {reason}"
        );
    }
}
