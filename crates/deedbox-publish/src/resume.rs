//! Going on with what was begun.

use std::time::Duration;

use alloy_primitives::B256;
use deedbox_chain::{
    ReadError,
    send::{Sending, View, Whereabouts},
};
use deedbox_core::{Command, PublicationId, publication::Settlement, text::Reason};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::{
    Confirmation, Desk, Options, PublishError, Published, Settled, Signer, Step, Teller, earlier,
    follow::follow,
    journey::{Money, Shown, attempt, preview},
    prepare::invalid,
    publication::Publication,
    replaced,
    transaction::Transaction,
};

/// Goes on with a publication, from whatever the ledger and the chain say of it. One that is settled is looked at again: when another block stands where
/// its block was, it is open again and waited for; and while its block is not as deep as [`Options::confirmations`] says, that is waited for.
///
/// Of several that are open, or whose blocks are gone, the one with the lowest nonce comes first.
///
/// Needs a signer only for [`Options::raise_fee`]: then the same change is signed once more under the same nonce for more, and recorded as another
/// attempt. A chain takes at most one of them.
///
/// # Errors
/// As [`publish`](crate::publish()).
pub async fn resume(
    desk: Desk<'_>,
    id: PublicationId,
    signer: Option<&dyn Signer>,
    options: &Options,
    teller: &mut dyn Teller,
) -> Result<Published, PublishError> {
    let mut publication = Publication::load(desk, id).await?;
    if let Some(settlement) = publication.settlement.clone() {
        if stands(desk, &publication, &settlement, options, teller).await? {
            return Ok(Published::Settled(Box::new(Settled {
                publication: id,
                settlement,
            })));
        }
        let (block_number, hash) = settlement.block();
        let reason = match settlement {
            Settlement::Included(_) => format!(
                "block {block_number} ({hash}) is not in the chain any more, or not every endpoint has its transaction there, or a receipt says something else by now"
            ),
            Settlement::Replaced(_) => format!(
                "block {block_number} ({hash}) is not in the chain any more, or its own transaction is, or not every endpoint shows that something else used its nonce"
            ),
        };
        let reason = Reason::new(reason).map_err(|bad| invalid(bad.to_string()))?;
        desk.execute(Command::UnsettlePublication { id, reason })
            .await?;
        teller.tell(&Step::Reorganised { block_number });
        publication = Publication::load(desk, id).await?;
    }
    earlier::none_is_open(desk, &publication).await?;
    let fresh = if options.raise_fee {
        raise(desk, &publication, signer, options, teller)
            .await?
            .is_some()
    } else {
        false
    };
    follow(desk, id, fresh, options, teller).await
}

/// Whether the block that settled it is still in the chain, and as deep as is asked for, which is waited for. That it is gone is believed only when
/// another block stands at its height: an endpoint that has none there lags.
async fn stands(
    desk: Desk<'_>,
    publication: &Publication,
    settlement: &Settlement,
    options: &Options,
    teller: &mut dyn Teller,
) -> Result<bool, PublishError> {
    let sending = desk.chains.sending(publication.latest.chain_id)?;
    let (block_number, hash) = settlement.block();
    let wanted = options.confirmations.max(1);
    let started = Instant::now();
    let mut seen = None;
    loop {
        let late = started.elapsed() >= options.wait;
        let looked = async {
            let head = sending.head().await?;
            let is_there = sending.is_canonical(block_number, hash).await?
                && is_shown(&sending, publication, settlement).await?
                && !contradicts(settlement, &publication.whereabouts(&sending).await?);
            Ok::<_, ReadError>((head.number.saturating_sub(block_number) + 1, is_there))
        };
        match looked.await {
            Ok((_, false)) => return Ok(false),
            Ok((confirmations, true)) if confirmations >= wanted => return Ok(true),
            Ok((confirmations, true)) => {
                if seen != Some(confirmations)
                    && let Settlement::Included(found) = settlement
                {
                    teller.tell(&Step::Included {
                        transaction: B256::from(found.transaction_hash.0),
                        block_number,
                        confirmations,
                        wanted,
                    });
                }
                seen = Some(confirmations);
            }
            // An endpoint that does not answer for a moment is no reason to give up.
            Err(error) if seen.is_some() && !late && error.code.retryable() => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(confirmations) = seen.filter(|_| late) {
            return Err(PublishError::NotDeep {
                id: publication.id,
                block_number,
                confirmations,
                wanted,
                seconds: started.elapsed().as_secs(),
            });
        }
        sleep(options.poll.max(Duration::from_millis(1))).await;
    }
}

/// Whether what it rests on is still there, as all endpoints say that have its block: they are others, perhaps, than those that were asked when it was
/// settled.
async fn is_shown(
    sending: &Sending<'_>,
    publication: &Publication,
    settlement: &Settlement,
) -> Result<bool, ReadError> {
    let found = match settlement {
        Settlement::Included(found) => found,
        Settlement::Replaced(found) => return replaced::stands(sending, publication, found).await,
    };
    let held = sending.held(found.block_number, found.block_hash).await;
    let transaction = B256::from(found.transaction_hash.0);
    Ok(held.iter().all(|(_, view)| match view {
        View::Block(hashes) => hashes.contains(&transaction),
        View::OtherBlock => false,
        // Of whoever lags or is silent nothing is known.
        View::NoBlock | View::Silent(_) => true,
    }))
}

/// Whether what the endpoints say of its transactions now is something else than what settled it: that one is in the chain although its place was taken;
/// another one, or in another block; or that it took effect, or did not.
fn contradicts(settlement: &Settlement, attempts: &[Whereabouts]) -> bool {
    attempts.iter().any(|attempt| match (settlement, attempt) {
        (_, Whereabouts::Disputed(_)) => true,
        (Settlement::Replaced(_), Whereabouts::Included(_)) => true,
        (Settlement::Included(found), Whereabouts::Included(receipt)) => {
            found.transaction_hash.0 != receipt.transaction.0
                || found.block_hash != receipt.block_hash
                || found.succeeded != receipt.succeeded
        }
        // An index may be behind; the block has it.
        (_, Whereabouts::Unknown { .. } | Whereabouts::Pending) => false,
    })
}

/// Signs the same change for more, unless it is in a block already.
async fn raise(
    desk: Desk<'_>,
    publication: &Publication,
    signer: Option<&dyn Signer>,
    options: &Options,
    teller: &mut dyn Teller,
) -> Result<Option<B256>, PublishError> {
    let signer = signer.ok_or_else(|| {
        invalid("raising the fee needs the account's key: it is signed once more")
    })?;
    let expected = publication.account;
    if signer.address() != expected {
        return Err(PublishError::WrongSignature { expected });
    }
    let sending = desk.chains.sending(publication.latest.chain_id)?;
    let attempts = publication.whereabouts(&sending).await?;
    if attempts
        .iter()
        .any(|attempt| matches!(attempt, Whereabouts::Included(_)))
    {
        return Ok(None);
    }
    let account = sending.account(expected).await?;
    earlier::none_is_gone(desk, &sending, publication, account.nonce).await?;
    if account.nonce > publication.latest.nonce {
        // Nothing that is signed for this nonce can be included any more.
        return Ok(None);
    }
    let money = Money::of(desk, publication.latest.chain_id)?;
    let offer = publication
        .latest
        .offer
        .raised(&sending.fees().await?, options.max_fee);
    let offer = offer
        .and_then(|offer| offer.within_reason(options.max_fee, money.ceiling()))
        .map_err(|no| money.tell(no, options))?;
    money.suffices(expected, &account, &offer)?;
    let transaction = Transaction {
        offer,
        ..publication.latest.clone()
    };
    let arguments = publication.arguments.clone();
    let shown = Shown {
        changes: match &publication.change {
            Some(change) => change.sentences(),
            None => vec![format!(
                "what was shown when it was signed first: {}",
                Value::Object(arguments.clone())
            )],
        },
        arguments,
        warnings: vec![format!(
            "this is publication {} once more, for a higher fee and under the same nonce: the chain takes one of the two at most",
            publication.id
        )],
        confirmation: Confirmation::Plain,
    };
    let operation = publication.operation.as_str();
    let shown = preview(
        desk,
        operation,
        expected,
        shown,
        &transaction,
        offer.gas_limit,
    )?;
    if !teller.confirm(&shown).await? {
        return Err(PublishError::Declined);
    }
    // Somebody may have taken an hour to say yes.
    money.still_holds(&offer, offer.gas_limit, &sending.fees().await?)?;
    let signed = transaction.sign(signer).await?;
    teller.tell(&Step::Signed {
        transaction: signed.hash,
    });
    let (operation, arguments) = (publication.operation.clone(), publication.arguments.clone());
    let attempt = attempt(operation, arguments, expected, &signed)?;
    desk.record(publication.id, attempt).await?;
    teller.tell(&Step::Recorded {
        publication: publication.id,
    });
    Ok(Some(signed.hash))
}
