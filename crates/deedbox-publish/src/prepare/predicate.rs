//! Whether a predicate will decide anything.

use alloy_primitives::Address;
use deedbox_chain::{Block, look::Wanted};
use deedbox_core::BlockHash;
use deedbox_registry::{Inspection, Predicate, inspect, inspect::Kind};

use super::{Bench, Findings, invalid};
use crate::PublishError;

/// Looks at the contract that is to decide on access, and judges it.
pub(super) async fn check(
    bench: &Bench<'_>,
    registry: Address,
    predicate: Address,
    findings: &mut Findings,
) -> Result<(), PublishError> {
    if predicate.is_zero() {
        return Ok(());
    }
    if predicate == registry {
        return Err(invalid(
            "a registry is no predicate: asked about access it would ask itself, and deny everybody",
        ));
    }
    let found = inspect(bench.desk.chains, bench.chain_id, Block::Latest, predicate).await?;
    let without_code = bench.options.predicate_without_code;
    judge(&found, registry, without_code, findings)
}

/// Whether it is one, and what to think about first (ERC-8257, rules 8257-zero-07, -val-12, -upg-01), when this registry asks it. Pure.
pub(super) fn judge(
    found: &Inspection,
    registry: Address,
    without_code: bool,
    findings: &mut Findings,
) -> Result<(), PublishError> {
    let address = found.address;
    match found.kind {
        Kind::NoCode if !without_code => return Err(PublishError::PredicateWithoutCode(address)),
        Kind::NoCode => findings.warn(format!(
            "there is no code at the predicate {address}: until there is, nobody has access; and whoever can deploy there decides what it does"
        )),
        Kind::DelegatedAccount => {
            return Err(PublishError::WrongContract(format!(
                "the predicate {address} is somebody's account, who can change what it answers at any time"
            )));
        }
        Kind::AccessPredicate => findings.pass(match (found.known_as, &found.name) {
            (Some(name), _) => format!("the predicate is {name}, byte by byte as this program deploys it"),
            (None, Some(name)) => format!("the predicate says that it is one, and calls itself {:?}", name.text),
            (None, None) => "the predicate says that it is one".to_owned(),
        }),
        Kind::OlderDraftAccessPredicate => findings.warn(format!(
            "the predicate {address} follows an older draft of ERC-8257: the registry asks for functions that it does not have, and access is denied"
        )),
        _ => findings.warn(format!(
            "the predicate {address} does not advertise IAccessPredicate (ERC-165), as it should; try whether it grants what it has to grant"
        )),
    }
    if found.claims_everything {
        findings.warn(format!(
            "the predicate {address} says yes to every interface, even to one that no contract may claim; it may say yes to everybody, too"
        ));
    }
    if let Some(served) = found.serves.filter(|served| *served != registry)
        && !found.claims_everything
    {
        findings.warn(format!(
            "this predicate serves {served} only; this registry would always be denied, and so would everybody. Deploy one whose caller is {registry}"
        ));
    }
    if found.proxy.is_some() {
        findings.warn(format!(
            "the predicate {address} is a proxy (ERC-1967): whoever controls it can let in whom they like, without a trace in the registry"
        ));
    }
    Ok(())
}

/// Whether the contracts that a new predicate will ask are there: of an address without code it would learn nothing, ever, and its
/// constructor refuses it without a name.
pub(super) async fn check_what_it_asks(
    bench: &Bench<'_>,
    predicate: &Predicate,
) -> Result<(), PublishError> {
    let asked = predicate.asks();
    if asked.is_empty() {
        return Ok(());
    }
    let wanted = Wanted {
        codes: asked.clone(),
        ..Wanted::default()
    };
    let chain_id = bench.chain_id;
    let looked = bench
        .desk
        .chains
        .look(chain_id, Block::Latest, wanted)
        .await?;
    let mut codes = asked.iter().zip(&looked.got.codes);
    if let Some((address, _)) = codes.find(|(_, code)| code.is_empty()) {
        return Err(PublishError::WrongContract(format!(
            "there is no code at {address} on chain {chain_id}, so a predicate that asks it would never get an answer. Nothing was signed. Is that the contract, and the chain?"
        )));
    }
    Ok(())
}

/// Whether a predicate is the one of ours that keeps such a list, and at which block that was seen.
pub(super) async fn check_list(
    bench: &Bench<'_>,
    predicate: Address,
    wanted: &str,
    findings: &mut Findings,
) -> Result<BlockHash, PublishError> {
    let found = inspect(bench.desk.chains, bench.chain_id, Block::Latest, predicate).await?;
    if found.known_as != Some(wanted) {
        let what = found.known_as.unwrap_or("something else");
        return Err(PublishError::WrongContract(format!(
            "{predicate} is not our {wanted}, but {what}"
        )));
    }
    findings.pass(format!("{predicate} is {wanted}"));
    Ok(found.provenance.block_hash)
}
