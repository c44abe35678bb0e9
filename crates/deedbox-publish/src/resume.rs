//! Going on with what was begun.

use alloy_primitives::B256;
use deedbox_chain::{Code, send::Whereabouts};
use deedbox_core::{Command, PublicationId, publication::Settlement, text::Reason};

use crate::{
    Confirmation, Desk, Options, PublishError, Published, Settled, Signer, Step, Teller,
    follow::{Publication, follow},
    journey::{Money, attempt, preview},
    prepare::{Prepared, invalid},
    transaction::Transaction,
};

/// Goes on with a publication, from whatever the ledger and the chain say of it. One that is settled is looked at again: when its block is not in the
/// chain any more, it is open again and waited for.
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
        if is_still_there(desk, &publication, &settlement).await? {
            return Ok(Published::Settled(Box::new(Settled {
                publication: id,
                settlement,
            })));
        }
        let (block_number, hash) = settlement.block();
        let reason = format!("block {block_number} ({hash}) is not in the chain any more");
        let reason = Reason::new(reason).map_err(|bad| invalid(bad.to_string()))?;
        desk.execute(Command::UnsettlePublication { id, reason })
            .await?;
        teller.tell(&Step::Reorganised { block_number });
        publication = Publication::load(desk, id).await?;
    }
    if !options.raise_fee {
        return follow(desk, publication, false, options, teller).await;
    }
    let raised = raise(desk, &publication, signer, options, teller).await?;
    let publication = Publication::load(desk, id).await?;
    follow(desk, publication, raised.is_some(), options, teller).await
}

/// Whether the block that settled it is still in the chain. One that no endpoint has is not: it was the newest then.
async fn is_still_there(
    desk: Desk<'_>,
    publication: &Publication,
    settlement: &Settlement,
) -> Result<bool, PublishError> {
    let sending = desk.chains.sending(publication.latest.chain_id)?;
    let (number, hash) = settlement.block();
    match sending.is_canonical(number, hash).await {
        Ok(is_there) => Ok(is_there),
        Err(error) if error.code == Code::BlockNotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
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
    if account.nonce > publication.latest.nonce {
        // Nothing that is signed for this nonce can be included any more.
        return Ok(None);
    }
    let money = Money::of(desk, publication.latest.chain_id)?;
    let offer = publication
        .latest
        .offer
        .raised(&sending.fees().await?, options.max_fee);
    let offer = offer.map_err(|no| money.tell(no, options))?;
    money.suffices(expected, &account, &offer)?;
    let transaction = Transaction {
        offer,
        ..publication.latest.clone()
    };
    let prepared = Prepared {
        change: publication.change.clone(),
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
        &prepared,
        &transaction,
        offer.gas_limit,
    )?;
    if !teller.confirm(&shown).await? {
        return Err(PublishError::Declined);
    }
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
