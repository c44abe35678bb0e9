//! Whether something else used the nonce of a publication: proven by the block in which that happened, or not concluded. Asking for a change again
//! that was only said to be replaced would do it twice.

use alloy_consensus::{Transaction as _, TxEnvelope, transaction::SignerRecoverable as _};
use alloy_eips::Encodable2718 as _;
use alloy_primitives::{Address, B256, U256, keccak256};
use deedbox_chain::{
    ReadError,
    send::{Broadcast, NotTaken, Sending, Use, View},
};
use deedbox_core::{EndpointId, TransactionHash, publication::Replacement};
use serde_json::Value;

use crate::publication::Publication;

/// What the endpoints show of a nonce that has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Something else used it.
    Replaced(Replacement),
    /// That is not proven, and this is why.
    Open(String),
}

/// Looks for the block that used the publication's nonce, at or below the height `by`, and for what every endpoint has in it.
///
/// # Errors
/// [`ReadError`]: then nothing is known.
pub(crate) async fn evidence(
    sending: &Sending<'_>,
    publication: &Publication,
    by: u64,
) -> Result<Evidence, ReadError> {
    let (account, nonce) = (publication.account, publication.latest.nonce);
    let Some(passing) = sending.passing(account, nonce, by).await? else {
        return Ok(Evidence::Open(format!(
            "its nonce is not used at block {by}, as an endpoint says"
        )));
    };
    let (number, hash) = (passing.block.number, passing.block.hash);
    let views = sending.uses(account, number, hash).await;
    Ok(
        match replaced_by(&Wanted::of(publication), number, &views) {
            Ok(transaction) => Evidence::Replaced(Replacement {
                account_nonce: passing.account_nonce,
                block_number: number,
                block_hash: hash,
                transaction_hash: Some(TransactionHash(transaction.0)),
            }),
            Err(why) => Evidence::Open(why),
        },
    )
}

/// Whether what was recorded as having replaced a publication still stands there, as the endpoints say that are asked now.
///
/// # Errors
/// [`ReadError`]: then nothing is known.
pub(crate) async fn stands(
    sending: &Sending<'_>,
    publication: &Publication,
    found: &Replacement,
) -> Result<bool, ReadError> {
    let Some(recorded) = found.transaction_hash else {
        // Of an older record the block alone proves nothing.
        let evidence = evidence(sending, publication, found.block_number).await?;
        return Ok(matches!(evidence, Evidence::Replaced(_)));
    };
    let wanted = Wanted::of(publication);
    let views = sending.uses(wanted.account, found.block_number, found.block_hash);
    let mut failure = None;
    let mut is_shown = false;
    for (_, view) in views.await {
        match view {
            View::Block(said) => {
                // The state of an old block may be gone; its transactions are not.
                let is_used = said.counts.is_none_or(|counts| wanted.is_used_by(counts));
                let by = said.transactions.iter().find_map(|told| wanted.read(told));
                if !is_used || by != Some(B256::from(recorded.0)) {
                    return Ok(false);
                }
                is_shown = true;
            }
            View::OtherBlock => return Ok(false),
            View::NoBlock => {}
            View::Silent(error) => failure = Some(error),
        }
    }
    match failure.filter(|_| !is_shown) {
        Some(error) => Err(error),
        None => Ok(is_shown),
    }
}

/// Why an endpoint may not have heard of the bytes that were offered to all; none when each was given them.
pub(crate) fn unheard(offered: &[Broadcast]) -> Option<String> {
    offered.iter().find_map(|answer| match answer {
        Broadcast::Unclear(error) | Broadcast::NotTaken(NotTaken::Unsent(error)) => {
            Some(error.to_string())
        }
        Broadcast::Taken(_) | Broadcast::AlreadyKnown(_) | Broadcast::NotTaken(_) => None,
    })
}

/// What a nonce was to be used for, and by whom.
struct Wanted<'a> {
    chain_id: u64,
    account: Address,
    nonce: u64,
    ours: Vec<&'a B256>,
}

impl<'a> Wanted<'a> {
    fn of(publication: &'a Publication) -> Self {
        Self {
            chain_id: publication.latest.chain_id,
            account: publication.account,
            nonce: publication.latest.nonce,
            ours: publication.attempts.iter().map(|(_, hash)| hash).collect(),
        }
    }

    /// Whether the nonce is used between these counts.
    const fn is_used_by(&self, [before, with]: [u64; 2]) -> bool {
        before <= self.nonce && self.nonce < with
    }

    /// The hash of a transaction that uses the nonce, by signature: one of the account, or one that carries an authorisation by it (EIP-7702), which
    /// counts up its nonce, too. An endpoint can make up everything but that.
    fn read(&self, told: &Value) -> Option<B256> {
        let read: TxEnvelope = serde_json::from_value(told.clone()).ok()?;
        let is_here = read.chain_id().is_none_or(|id| id == self.chain_id);
        let signed = is_here
            && read.nonce() == self.nonce
            && read.recover_signer().ok() == Some(self.account);
        let authorised = is_here && {
            let mut list = read.authorization_list().unwrap_or_default().iter();
            list.any(|one| {
                let anywhere = one.chain_id.is_zero();
                one.nonce == self.nonce
                    && (anywhere || one.chain_id == U256::from(self.chain_id))
                    && one.recover_authority().ok() == Some(self.account)
            })
        };
        // The hash that comes with it is not computed by whoever reads it.
        (signed || authorised).then(|| keccak256(read.encoded_2718()))
    }
}

/// Which transaction in the block at this height used the nonce instead of ours, by what every endpoint shows. Otherwise why that is open.
fn replaced_by(
    wanted: &Wanted<'_>,
    number: u64,
    views: &[(EndpointId, View<Use>)],
) -> Result<B256, String> {
    let mut all = None;
    for (id, view) in views {
        let said = match view {
            View::Block(said) => said,
            View::OtherBlock => {
                return Err(format!("endpoint {id} has another block {number}"));
            }
            View::NoBlock => return Err(format!("endpoint {id} does not have block {number} yet")),
            View::Silent(error) => return Err(error.to_string()),
        };
        match said.counts {
            Some(counts) if wanted.is_used_by(counts) => {}
            Some(_) => {
                return Err(format!(
                    "its nonce was used in block {number} by one endpoint, and was not by endpoint {id}"
                ));
            }
            None => {
                return Err(format!(
                    "endpoint {id} does not keep the state of block {number}"
                ));
            }
        }
        let by = said.transactions.iter().find_map(|told| wanted.read(told));
        let is_there = |ours: &&B256| is_told(said, ours) || by == Some(**ours);
        if let Some(ours) = wanted.ours.iter().copied().find(is_there) {
            return Err(format!(
                "its transaction {ours} is in block {number}, and no endpoint gives the receipt"
            ));
        }
        let Some(by) = by else {
            return Err(format!(
                "its nonce is used in block {number}, and endpoint {id} shows no transaction there that the account signed with it"
            ));
        };
        if all.is_some_and(|all| all != by) {
            return Err(format!(
                "endpoints show different transactions with its nonce in block {number}"
            ));
        }
        all = Some(by);
    }
    all.ok_or_else(|| "no endpoint was asked".to_owned())
}

/// Whether the transaction with this hash is among those of the block.
fn is_told(said: &Use, hash: &B256) -> bool {
    let mut hashes = said.transactions.iter().map(|told| &told["hash"]);
    hashes.any(|told| {
        let told = told.as_str().and_then(|told| told.parse().ok());
        told == Some(*hash)
    })
}

#[cfg(test)]
mod tests {
    use alloy_consensus::{SignableTransaction as _, TxEip1559, TxEip7702};
    use alloy_eips::eip7702::Authorization;
    use alloy_signer::SignerSync as _;
    use alloy_signer_local::PrivateKeySigner;

    use super::*;

    const CHAIN: u64 = 5;
    const NONCE: u64 = 7;

    fn key(byte: u8) -> PrivateKeySigner {
        PrivateKeySigner::from_bytes(&B256::repeat_byte(byte)).unwrap()
    }

    fn paying(by: &PrivateKeySigner, chain_id: u64, nonce: u64) -> TxEnvelope {
        let transaction = TxEip1559 {
            chain_id,
            nonce,
            ..TxEip1559::default()
        };
        let signature = by.sign_hash_sync(&transaction.signature_hash()).unwrap();
        transaction.into_signed(signature).into()
    }

    /// Sent by somebody else, with an authorisation by `by`.
    fn delegating(by: &PrivateKeySigner, chain_id: u64, nonce: u64) -> TxEnvelope {
        let one = Authorization {
            chain_id: U256::from(chain_id),
            address: Address::repeat_byte(9),
            nonce,
        };
        let signature = by.sign_hash_sync(&one.signature_hash()).unwrap();
        let transaction = TxEip7702 {
            chain_id: CHAIN,
            authorization_list: vec![one.into_signed(signature)],
            ..TxEip7702::default()
        };
        let signature = key(2)
            .sign_hash_sync(&transaction.signature_hash())
            .unwrap();
        transaction.into_signed(signature).into()
    }

    fn told(transaction: &TxEnvelope, from: &PrivateKeySigner) -> Value {
        let mut told = serde_json::to_value(transaction).unwrap();
        told["from"] = serde_json::json!(from.address());
        told
    }

    fn wanted(ours: Vec<&B256>) -> Wanted<'_> {
        Wanted {
            chain_id: CHAIN,
            account: key(1).address(),
            nonce: NONCE,
            ours,
        }
    }

    #[test]
    fn only_what_the_account_signed_for_the_nonce_on_this_chain_uses_it() {
        let (own, other) = (key(1), key(2));
        for (transaction, uses) in [
            (paying(&own, CHAIN, NONCE), true),
            (paying(&own, CHAIN, NONCE + 1), false),
            (paying(&own, CHAIN + 1, NONCE), false),
            // However it is told whose it is.
            (paying(&other, CHAIN, NONCE), false),
            (delegating(&own, CHAIN, NONCE), true),
            (delegating(&own, 0, NONCE), true),
            (delegating(&own, CHAIN + 1, NONCE), false),
            (delegating(&own, CHAIN, NONCE - 1), false),
            (delegating(&other, CHAIN, NONCE), false),
        ] {
            let mut told = told(&transaction, &own);
            let hash = keccak256(transaction.encoded_2718());
            let read = wanted(vec![]).read(&told);
            assert_eq!(read, uses.then_some(hash), "{told}");
            // The hash that it comes with proves nothing.
            told["hash"] = serde_json::json!(B256::ZERO);
            assert_ne!(wanted(vec![]).read(&told), Some(B256::ZERO));
        }
        assert_eq!(
            wanted(vec![]).read(&serde_json::json!({"type": "0x7e"})),
            None
        );
    }

    #[test]
    fn a_replacement_is_what_every_endpoint_shows_in_the_block() {
        let own = key(1);
        let (by, another) = (paying(&own, CHAIN, NONCE), delegating(&own, CHAIN, NONCE));
        let hash = keccak256(by.encoded_2718());
        let shown = |counts, transaction: &TxEnvelope| {
            View::Block(Use {
                counts,
                transactions: vec![told(transaction, &own)],
            })
        };
        let good = || shown(Some([7, 8]), &by);
        let judged = |wanted: &Wanted<'_>, views: Vec<View<Use>>| {
            let ids = ["one", "two"].iter().map(|id| id.parse().unwrap());
            replaced_by(wanted, 40, &ids.zip(views).collect::<Vec<_>>())
        };
        assert_eq!(judged(&wanted(vec![]), vec![good(), good()]), Ok(hash));
        assert!(judged(&wanted(vec![]), vec![]).is_err());
        // It is one of ours, after all.
        assert!(judged(&wanted(vec![&hash]), vec![good(), good()]).is_err());
        for second in [
            shown(Some([7, 7]), &by),
            shown(Some([8, 9]), &by),
            shown(None, &by),
            shown(Some([7, 8]), &another),
            shown(Some([7, 8]), &paying(&key(2), CHAIN, NONCE)),
            View::OtherBlock,
            View::NoBlock,
        ] {
            let why = format!("{second:?}");
            assert!(
                judged(&wanted(vec![]), vec![good(), second]).is_err(),
                "{why}"
            );
        }
    }
}
