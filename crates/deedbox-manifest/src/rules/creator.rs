//! `creatorAddress` (ERC-8257 §2 and §7).

use super::{
    findings::{Findings, Place},
    text::{self, HexLength, HexRules},
};
use crate::{address::Address, json::Value};

/// The address that the manifest names, if it is one in the form that the standard asks for. The zero
/// address is reported and returned: it matches nobody, and is not "anybody".
pub(super) fn check(root: Value<'_>, findings: &mut Findings) -> Option<Address> {
    const RULES: HexRules = HexRules {
        grammar: "8257-2-13",
        case: "8257-2c-11",
    };
    let found = text::required_string(root, "creatorAddress", RULES.grammar, findings)?;
    text::hex(
        found,
        "creatorAddress",
        HexLength::Exactly(20),
        RULES,
        findings,
    );
    let address: Address = found.1.parse().ok()?;
    if address == Address::ZERO {
        findings.refuse(
            "8257-7-01",
            &Place::At(found.0),
            format_args!("creatorAddress is the zero address, which can register nothing"),
            "Write the address of the account that registers the tool.",
        );
    }
    (address.to_string() == found.1).then_some(address)
}
