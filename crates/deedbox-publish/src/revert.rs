//! Whether a transaction did nothing, as a receipt says that was reverted, and why. One word of one endpoint is no proof of that: whoever believed it
//! would ask for the same again, and have it twice.

use alloy_sol_types::SolValue;
use deedbox_chain::{
    Block, ReadError,
    look::{Got, Said, Wanted},
    send::{Draft, Receipt, Sending},
};
use deedbox_core::publication::ReadBack;
use deedbox_registry::Revert;

use crate::{Desk, change::Change, expect::Trace, follow::at, publication::Publication, settle};

/// How many of what was registered in the block are held against a registration, at most.
const CANDIDATES: u64 = 16;

/// What was found out about a transaction that was reverted.
#[derive(Debug)]
pub(crate) struct Reverted {
    /// Why, in a sentence.
    pub(crate) reason: String,
    /// [`ReadBack::Matches`] when the state says that it took effect all the same.
    pub(crate) read_back: ReadBack,
    /// What speaks against it, or could not be looked at. None: it changed nothing.
    pub(crate) findings: Vec<String>,
}

/// Looks for what speaks against a receipt of a revert: logs in the receipt itself, the state of its block, and the same call once more. What cannot
/// be read any more, or when it is `late`, is a finding.
///
/// # Errors
/// [`ReadError`], as [`settle::inclusion`].
pub(crate) async fn examine(
    desk: Desk<'_>,
    sending: &Sending<'_>,
    publication: &Publication,
    receipt: &Receipt,
    late: bool,
) -> Result<Reverted, ReadError> {
    let mut findings = Vec::new();
    if !receipt.logs.is_empty() {
        findings.push(format!(
            "the endpoint contradicts itself: its receipt says that the transaction was reverted, and tells of {} log(s), of which none is left of one that was",
            receipt.logs.len()
        ));
    }
    let mut read_back = ReadBack::NotChecked;
    match took_effect(desk, publication, receipt).await {
        Ok(Some(true)) => {
            read_back = ReadBack::Matches;
            findings.push(
                "receipt and state disagree: the receipt says that the transaction was reverted, and at its block the chain says what it was to make it say, which it did not say before".to_owned(),
            );
        }
        Ok(Some(false)) => {}
        Ok(None) => findings.push(
            "whether it changed nothing was not looked at: this program does not make such calls (any more)".to_owned(),
        ),
        Err(error) if settle::is_final(&error, late) => {
            findings.push(format!("whether it changed nothing could not be read: {error}"));
        }
        Err(error) => return Err(error),
    }
    let reason = match replayed(sending, publication, receipt).await {
        Ok(Replay::Refused(reason)) => reason,
        Ok(Replay::Accepted) => {
            findings.push(
                "receipt and replay disagree: the receipt says that the transaction was reverted, and the same call is accepted before and after its block".to_owned(),
            );
            "not known: the same call is accepted before and after that block".to_owned()
        }
        Err(error) if settle::is_final(&error, late) => format!("not known: {error}"),
        Err(error) => return Err(error),
    };
    Ok(Reverted {
        reason,
        read_back,
        findings,
    })
}

/// Whether the state of the receipt's block says what the change was to make it say, and the state before did not. None where the change is not
/// known.
async fn took_effect(
    desk: Desk<'_>,
    publication: &Publication,
    receipt: &Receipt,
) -> Result<Option<bool>, ReadError> {
    let Some(change) = &publication.change else {
        return Ok(None);
    };
    let (from, chain_id) = (publication.account, publication.latest.chain_id);
    let look = |block: Block, wanted: Wanted| async move {
        let looked = desk.chains.look(chain_id, block, wanted).await?;
        Ok::<_, ReadError>(looked.got)
    };
    let before = Block::Number(receipt.block_number.saturating_sub(1));
    match Trace::of(change, from, publication.latest.nonce, receipt) {
        Trace::State(expected) => {
            let after = look(at(receipt), expected.wanted()).await?;
            let is_new =
                expected.holds(&after) && !expected.holds(&look(before, expected.wanted()).await?);
            Ok(Some(is_new))
        }
        Trace::Registration(count) => {
            let wanted = Wanted {
                calls: vec![count],
                ..Wanted::default()
            };
            let after = counted(&look(at(receipt), wanted.clone()).await?);
            let before = counted(&look(before, wanted).await?);
            // A registry that does not count is asked nothing more; the replay is left.
            let (Some(before), Some(after)) = (before, after) else {
                return Ok(Some(false));
            };
            for first in (before + 1..=after).take(usize::try_from(CANDIDATES).unwrap_or(0)) {
                if is_registered(change, publication, first, receipt, look).await? {
                    return Ok(Some(true));
                }
            }
            Ok(Some(false))
        }
    }
}

/// Whether what the change registers is there, from this id on.
async fn is_registered<F: Future<Output = Result<Got, ReadError>>>(
    change: &Change,
    publication: &Publication,
    first: u64,
    receipt: &Receipt,
    look: impl Fn(Block, Wanted) -> F,
) -> Result<bool, ReadError> {
    let expected = Trace::registered(change, publication.account, first);
    let got = look(at(receipt), expected.wanted()).await?;
    Ok(expected.holds(&got))
}

fn counted(got: &Got) -> Option<u64> {
    match got.calls.first() {
        Some(Said::Returned(data)) => u64::abi_decode(data).ok(),
        _ => None,
    }
}

/// What the same call came to, made once more.
enum Replay {
    Refused(String),
    Accepted,
}

/// Why it was reverted: by making the same call once more, on the states around its block. A chain keeps no reason.
async fn replayed(
    sending: &Sending<'_>,
    publication: &Publication,
    receipt: &Receipt,
) -> Result<Replay, ReadError> {
    if receipt.gas_used >= publication.latest.offer.gas_limit {
        let reason = "it used up all the gas that it was given".to_owned();
        return Ok(Replay::Refused(reason));
    }
    let draft = Draft {
        from: publication.account,
        to: publication.latest.to,
        data: publication.latest.data.clone(),
    };
    let returned = sending.why_reverted(&draft, receipt.block_number).await?;
    Ok(returned.map_or(Replay::Accepted, |data| {
        Replay::Refused(Revert::name(&data).to_string())
    }))
}
