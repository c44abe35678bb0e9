//! `pricing` (ERC-8257 §3).

use super::{
    caip,
    findings::{Findings, Place, Quoted},
    text::{self, wrong_kind},
};
use crate::{
    amount::{Amount, BadAmount},
    json::{Kind, Value},
    pricing::{Price, Pricing},
};

const MOST_ENTRIES: usize = 32;

/// Reports everything that is wrong with `pricing`, and says what it comes to.
pub(super) fn check(root: Value<'_>, findings: &mut Findings) -> Pricing {
    let Some(pricing) = root.get("pricing") else {
        return Pricing::Unstated;
    };
    let fix = "Leave pricing out if there is nothing to say about a price.";
    let Some(entries) = pricing.elements() else {
        let rule = if pricing.kind() == Kind::Null {
            "8257-3-02"
        } else {
            "8257-3-01"
        };
        let message = format_args!("pricing is {}, not an array", pricing.kind());
        let fix = "Write an array of objects, each with amount, asset, recipient and protocol; or leave pricing out.";
        findings.refuse(rule, &Place::At(pricing), message, fix);
        return Pricing::Stated(Vec::new());
    };
    if pricing.is_empty() {
        let message = format_args!("pricing is empty");
        findings.refuse("8257-3-01", &Place::At(pricing), message, fix);
    }
    if pricing.len() > MOST_ENTRIES {
        let message = format_args!(
            "pricing has {} entries, and at most {MOST_ENTRIES} are allowed",
            pricing.len()
        );
        findings.refuse(
            "8257-parse-03",
            &Place::At(pricing),
            message,
            "Leave some out.",
        );
    }
    Pricing::Stated(
        entries
            .take(MOST_ENTRIES)
            .filter_map(|entry| price(entry, findings))
            .collect(),
    )
}

fn price(entry: Value<'_>, findings: &mut Findings) -> Option<Price> {
    if entry.kind() != Kind::Object {
        wrong_kind(
            entry,
            "an entry of pricing",
            "an object",
            "8257-3-03",
            findings,
        );
        return None;
    }
    let [amount, asset, recipient, protocol] = ["amount", "asset", "recipient", "protocol"]
        .map(|name| text::required_string(entry, name, "8257-3-03", findings));
    let amount = amount.and_then(|found| self::amount(found, findings));
    let asset_good = asset.is_some_and(|found| self::asset(found, findings));
    let recipient_good = recipient.is_some_and(|found| self::recipient(found, findings));
    if let (Some(asset), Some(recipient)) = (asset, recipient) {
        same_chain(asset.1, recipient, findings);
    }
    let (_, protocol) = protocol?;
    let (_, asset) = asset.filter(|_| asset_good)?;
    let (_, recipient) = recipient.filter(|_| recipient_good)?;
    Some(Price {
        amount: amount?,
        asset: asset.to_owned(),
        recipient: recipient.to_owned(),
        protocol: protocol.to_owned(),
    })
}

fn amount((value, text): (Value<'_>, &str), findings: &mut Findings) -> Option<Amount> {
    let error = match text.parse() {
        Ok(amount) => return Some(amount),
        Err(error) => error,
    };
    let rule = match error {
        BadAmount::Grammar => "8257-3-04",
        BadAmount::TooLong { .. } => "8257-3-05",
        BadAmount::TooLarge => "8257-3-06",
    };
    let fix = "Write the cost in the asset's smallest unit, in decimal digits only.";
    findings.refuse(rule, &Place::At(value), format_args!("amount {error}"), fix);
    None
}

fn asset((value, text): (Value<'_>, &str), findings: &mut Findings) -> bool {
    case(value, text, "asset", findings);
    let Some(asset) = caip::asset(text) else {
        let message = format_args!("asset is {}, not a CAIP-19 identifier", Quoted(text));
        let fix = "Write chain and asset, like eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913.";
        findings.refuse("8257-3-17", &Place::At(value), message, fix);
        return false;
    };
    let token = matches!(asset.namespace, "erc20" | "erc721" | "erc1155");
    if caip::is_eip155(asset.chain) && token && !caip::is_evm_address(asset.reference) {
        let message = format_args!(
            "asset names {} as the contract, which is not an address",
            Quoted(asset.reference)
        );
        findings.warn(
            "8257-3-11",
            &Place::At(value),
            message,
            "Write the contract's address.",
        );
    }
    chain(value, asset.chain, "asset", findings);
    true
}

fn recipient((value, text): (Value<'_>, &str), findings: &mut Findings) -> bool {
    case(value, text, "recipient", findings);
    let Some(account) = caip::account(text) else {
        let message = format_args!("recipient is {}, not a CAIP-10 account", Quoted(text));
        let fix =
            "Write chain and account, like eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01.";
        findings.refuse("8257-3-18", &Place::At(value), message, fix);
        return false;
    };
    if caip::is_eip155(account.chain) && caip::is_zero(account.reference) {
        let message = format_args!("recipient is the zero address");
        findings.refuse(
            "8257-3-08",
            &Place::At(value),
            message,
            "Write the account that is to be paid.",
        );
        return false;
    }
    if caip::is_eip155(account.chain) && !caip::is_evm_address(account.reference) {
        let message = format_args!(
            "recipient is {}, which is not an address on that chain",
            Quoted(account.reference)
        );
        findings.warn(
            "8257-3-11",
            &Place::At(value),
            message,
            "Write 0x and 40 hexadecimal digits.",
        );
    }
    chain(value, account.chain, "recipient", findings);
    true
}

/// Hexadecimal digits are in lower case wherever `0x` introduces them.
fn case(value: Value<'_>, text: &str, name: &str, findings: &mut Findings) {
    if let Some(at) = caip::capital_hex(text) {
        let message = format_args!("{name} has capital letters in its hexadecimal digits");
        let place = Place::Within(value, at..text.len());
        let fix = "Write the address in lower case; that changes the hash, so register it again.";
        findings.refuse("8257-2c-12", &place, message, fix);
    }
}

/// Two spellings of one chain would not be equal as texts, and agents compare texts.
fn chain(value: Value<'_>, chain: &str, name: &str, findings: &mut Findings) {
    if caip::is_eip155(chain) && !caip::is_eip155_number(chain) {
        let message = format_args!(
            "{name} names the chain {}, which is not how chains are numbered",
            Quoted(chain)
        );
        findings.warn(
            "8257-3-11",
            &Place::At(value),
            message,
            "Write the chain id in decimal.",
        );
    }
}

/// The chain of the asset (what is before the first slash) is that of the recipient (what is before the last
/// colon), letter by letter.
fn same_chain(asset: &str, (value, recipient): (Value<'_>, &str), findings: &mut Findings) {
    let chains = (
        asset.split_once('/').map(|(chain, _)| chain),
        recipient.rsplit_once(':').map(|(chain, _)| chain),
    );
    if let (Some(of_asset), Some(of_recipient)) = chains
        && of_asset != of_recipient
    {
        let message = format_args!(
            "recipient is on chain {}, and asset on chain {}",
            Quoted(of_recipient),
            Quoted(of_asset)
        );
        findings.refuse(
            "8257-3-07",
            &Place::At(value),
            message,
            "Name an account on the asset's chain.",
        );
    }
}
