//! The rules of publications; why they are as they are stands in [`crate::publication`].

use super::Decided;
use crate::{
    Body, PublicationId, PublicationState, Refusal, Settlement, SignedTransaction, State, Wei,
    limits, publication::may_sign, text::Reason,
};

/// The first attempt, when the account has nothing open and its nonce is unused; or another one, that does the same for more. A later one
/// keeps the nonce, and may be what brings a publication back that went with a block below others that are settled, or open.
pub(super) fn sign(state: &State, attempt: Box<SignedTransaction>) -> Decided {
    attempt
        .check()
        .map_err(|bad| Refusal::invalid("attempt", bad))?;
    let head = match &state.publication {
        None => {
            let (open, used) = (state.open_publication, state.used_nonce);
            may_sign(attempt.signer(), attempt.nonce, open, used)?;
            None
        }
        Some(publication) => {
            open(publication)?;
            does_the_same(publication, &attempt)?;
            offers_more(publication, &attempt)?;
            Some(publication.head)
        }
    };
    Ok((Body::PublicationSigned(attempt), head))
}

/// By one of its own transactions, or because the account's nonce has passed it by.
pub(super) fn settle(state: &State, id: PublicationId, settlement: Box<Settlement>) -> Decided {
    let publication = known(state, id)?;
    open(publication)?;
    settlement
        .check()
        .map_err(|bad| Refusal::invalid("settlement", bad))?;
    match &*settlement {
        Settlement::Included(found) if !publication.attempts.contains(&found.transaction_hash) => {
            let what = "transaction hash";
            return Err(Refusal::PublicationDiffers { id, what });
        }
        Settlement::Replaced(found) if found.account_nonce <= publication.nonce => {
            let (nonce, found) = (publication.nonce, found.account_nonce);
            return Err(Refusal::invalid(
                "settlement.account_nonce",
                format_args!(
                    "an account whose nonce is {found} can still send the transaction with nonce {nonce}; what was signed cannot be given up before another transaction has taken its nonce"
                ),
            ));
        }
        Settlement::Included(_) | Settlement::Replaced(_) => {}
    }
    let head = publication.head;
    Ok((Body::PublicationSettled(settlement), Some(head)))
}

/// Back to where it was before the block that settled it. That a later one of its account is open is no reason not to: a chain that took
/// back the blocks of both wants this one first.
pub(super) fn unsettle(state: &State, id: PublicationId, reason: Reason) -> Decided {
    let publication = known(state, id)?;
    if publication.is_open() {
        let signer = publication.signer;
        return Err(Refusal::PublicationOpen { id, signer });
    }
    if let Some(earlier) = state.open_publication
        && earlier.nonce < publication.nonce
    {
        let (id, signer) = (earlier.publication, publication.signer);
        return Err(Refusal::PublicationOpen { id, signer });
    }
    let head = publication.head;
    Ok((Body::PublicationUnsettled { reason }, Some(head)))
}

fn known(state: &State, id: PublicationId) -> Result<&PublicationState, Refusal> {
    state
        .publication
        .as_ref()
        .ok_or(Refusal::PublicationNotFound(id))
}

fn open(publication: &PublicationState) -> Result<(), Refusal> {
    if publication.is_open() {
        return Ok(());
    }
    let (id, status) = (publication.id, publication.status);
    Err(Refusal::PublicationSettled { id, status })
}

fn does_the_same(
    publication: &PublicationState,
    attempt: &SignedTransaction,
) -> Result<(), Refusal> {
    let signer = publication.signer;
    let differs = [
        (signer.chain_id == attempt.chain_id, "chain"),
        (signer.account == attempt.account, "account"),
        (publication.nonce == attempt.nonce, "nonce"),
        (publication.to == attempt.to, "recipient"),
        (publication.call == attempt.call(), "call"),
    ]
    .into_iter()
    .find(|(same, _)| !same);
    match differs {
        None => Ok(()),
        Some((_, what)) => Err(Refusal::PublicationDiffers {
            id: publication.id,
            what,
        }),
    }
}

fn offers_more(publication: &PublicationState, attempt: &SignedTransaction) -> Result<(), Refusal> {
    let attempts = publication.attempts.len();
    if attempts >= limits::PUBLICATION_ATTEMPTS {
        return Err(Refusal::invalid(
            "attempt",
            format_args!("there are {attempts} already, and no more are taken"),
        ));
    }
    raised(
        "attempt.max_fee_per_gas",
        publication.max_fee_per_gas,
        attempt.max_fee_per_gas,
    )?;
    raised(
        "attempt.max_priority_fee_per_gas",
        publication.max_priority_fee_per_gas,
        attempt.max_priority_fee_per_gas,
    )
}

fn raised(field: &'static str, before: Wei, offered: Wei) -> Result<(), Refusal> {
    let least = before.raised();
    if offered >= least && offered > before {
        return Ok(());
    }
    Err(Refusal::invalid(
        field,
        format_args!(
            "{offered} wei are too few: to take the place of an attempt that offers {before} it has to be {least} at least, a tenth more"
        ),
    ))
}
