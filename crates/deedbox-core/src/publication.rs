//! Publications: what the operator changed on a chain, from before it was sent until it is settled.
//!
//! A publication is one transaction of one account. It can be signed several times, each time with higher fees; because
//! every attempt has the same nonce, a chain takes at most one of them.
//!
//! **The signed bytes are recorded before they are sent anywhere.** Whoever sends and then crashes, or gets no answer,
//! does not know whether the transaction is on its way. With the bytes on record there is no need to know: the same bytes
//! are sent again, which is the same transaction with the same hash, and a chain that has it already takes no second one.
//! Signing anew instead could do the same thing twice, under the next nonce. For the same reason an account signs nothing new
//! on a chain while anything of it is open there: it would be signed with the same nonce, and one of the two would be lost, or with
//! the next, and would wait for the first.
//!
//! **A nonce that is used is not signed again.** A chain can take back the block that settled a publication, and an endpoint can
//! lag behind its chain: both then name a nonce as the account's next that is used on record. Signed anew it could take the place of
//! what is recorded as done. So a new publication's nonce is above those of all that are settled; if there is one at or above it,
//! that one is looked at again first.
//!
//! **A publication is settled by what the chain says, and by nothing else.** Either one of its transactions is in a block, or
//! the account's nonce has passed it by, so that none can be any more. Nobody can give one up by saying so: signed bytes that
//! may have left the machine stay valid until their nonce is used. When the block that settled it is gone from the chain, it is
//! open again. A chain can take back more than one at once, so several of an account may then be open. They are gone on with from the
//! lowest nonce up, as a chain takes them: one is opened again although a later one is open, which waits for it, and never while
//! an earlier one is, which comes first.
//!
//! A deed never holds a private key, a password, or an endpoint's URL or headers. The signed bytes are no secret: they are
//! what is published.

mod settlement;
mod transaction;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

#[cfg(test)]
pub(crate) use self::transaction::tests::attempts;
pub use self::{
    settlement::{BadSettlement, Inclusion, ReadBack, Replacement, Settlement},
    transaction::{
        BadTransaction, ChainAddress, NotAChainAddress, NotATransactionHash, RawTransaction,
        SignedTransaction, TransactionHash,
    },
};
use crate::{
    Body, BrokenDeed, Deed, Head, Projection, PublicationId, Refusal, Timestamp, hash::CallHash,
    names::names, quantity::Wei,
};

names! {
    /// What a publication does, like `agent_register`.
    OperationName, NotAnOperationName, "^[a-z][a-z0-9_]{0,63}$", |c| c.is_ascii_lowercase(), "_"
}

/// Whether an account may sign a new publication with this nonce: nothing of it is open, and no settled one of it has this nonce or a
/// higher one. `open` is the open one with the lowest nonce; `used` the lowest of the settled ones at or above `nonce`.
///
/// The rules ask this when it is recorded. Whoever is about to sign asks it first, so that nobody says yes to what is refused.
///
/// # Errors
/// [`Refusal::PublicationOpen`] names the one to settle first, [`Refusal::NonceUsed`] the one to look at again.
pub fn may_sign(
    signer: ChainAccount,
    nonce: u64,
    open: Option<TakenNonce>,
    used: Option<TakenNonce>,
) -> Result<(), Refusal> {
    if let Some(TakenNonce {
        publication: id, ..
    }) = open
    {
        return Err(Refusal::PublicationOpen { id, signer });
    }
    match used {
        Some(used) if used.nonce >= nonce => Err(Refusal::NonceUsed {
            signer,
            nonce,
            used,
        }),
        _ => Ok(()),
    }
}

/// Where a publication stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublicationStatus {
    /// Signed, and perhaps on its way.
    Open,
    /// In the chain, and it did what it was to do.
    Succeeded,
    /// In the chain, and it was reverted: it cost gas and changed nothing.
    Reverted,
    /// Another transaction of the account has its nonce; it can never be in the chain.
    Replaced,
}

impl PublicationStatus {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Open, Self::Succeeded, Self::Reverted, Self::Replaced];

    /// The name in JSON and in databases.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Succeeded => "succeeded",
            Self::Reverted => "reverted",
            Self::Replaced => "replaced",
        }
    }
}

impl fmt::Display for PublicationStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is not a [`PublicationStatus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be open, succeeded, reverted or replaced")]
pub struct NotAPublicationStatus;

impl FromStr for PublicationStatus {
    type Err = NotAPublicationStatus;
    fn from_str(text: &str) -> Result<Self, NotAPublicationStatus> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or(NotAPublicationStatus)
    }
}

/// An account of one chain: whose transactions are numbered by one sequence of nonces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainAccount {
    /// The chain's id (EIP-155).
    pub chain_id: u64,
    /// The account.
    pub account: ChainAddress,
}

/// A nonce, and which publication on record has it: no other of the same account on the same chain ever does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TakenNonce {
    /// The account's nonce.
    pub nonce: u64,
    /// Which one has it.
    pub publication: PublicationId,
}

/// What is known of a publication without opening it: a projection of its deeds. Signed bytes, arguments and receipts stay
/// in the deeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublicationState {
    /// The publication.
    #[serde(rename = "publication_id")]
    pub id: PublicationId,
    /// Its last deed.
    #[serde(skip)]
    pub head: Head,
    /// What it does.
    pub operation: OperationName,
    /// On which chain, and who signs.
    #[serde(flatten)]
    pub signer: ChainAccount,
    /// The account's nonce, the same in every attempt.
    pub nonce: u64,
    /// Whom it calls; none when it deploys a contract.
    pub to: Option<ChainAddress>,
    /// What every attempt has in common beside these; see [`SignedTransaction::call`].
    #[serde(skip)]
    pub call: CallHash,
    /// Where it stands.
    pub status: PublicationStatus,
    /// What the latest attempt pays for one unit of gas at most.
    pub max_fee_per_gas: Wei,
    /// What the latest attempt pays of that to whoever makes the block, at most.
    pub max_priority_fee_per_gas: Wei,
    /// The hashes of all attempts, the oldest first. Never empty.
    pub attempts: Vec<TransactionHash>,
    /// When it was signed for the first time.
    pub signed_at: Timestamp,
}

impl Serialize for ChainAccount {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut object = serializer.serialize_struct("ChainAccount", 2)?;
        object.serialize_field("chain_id", &self.chain_id)?;
        object.serialize_field("account", &self.account)?;
        object.end()
    }
}

impl PublicationState {
    /// The state after the first attempt.
    pub(crate) fn new(id: PublicationId, head: Head, attempt: &SignedTransaction) -> Self {
        Self {
            id,
            head,
            operation: attempt.operation.clone(),
            signer: attempt.signer(),
            nonce: attempt.nonce,
            to: attempt.to,
            call: attempt.call(),
            status: PublicationStatus::Open,
            max_fee_per_gas: attempt.max_fee_per_gas,
            max_priority_fee_per_gas: attempt.max_priority_fee_per_gas,
            attempts: vec![attempt.transaction_hash],
            signed_at: head.at,
        }
    }

    /// Changes the state as a later deed says.
    pub(crate) fn follow(&mut self, body: &Body) -> Result<(), BrokenDeed> {
        match body {
            Body::PublicationSigned(attempt) => {
                self.max_fee_per_gas = attempt.max_fee_per_gas;
                self.max_priority_fee_per_gas = attempt.max_priority_fee_per_gas;
                self.attempts.push(attempt.transaction_hash);
            }
            Body::PublicationSettled(settlement) => self.status = settlement.status(),
            Body::PublicationUnsettled { .. } => self.status = PublicationStatus::Open,
            _ => return Err(BrokenDeed::Misapplied),
        }
        Ok(())
    }

    /// The nonce that it has.
    #[must_use]
    pub const fn taken_nonce(&self) -> TakenNonce {
        TakenNonce {
            nonce: self.nonce,
            publication: self.id,
        }
    }

    /// Whether it is not settled.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status == PublicationStatus::Open
    }
}

/// A publication with its whole history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// Where it stands.
    pub state: PublicationState,
    /// Every deed, the oldest first. The first is a `publication_signed`.
    pub deeds: Vec<Deed>,
}

impl Publication {
    /// The publication that these deeds of one stream add up to; none when there is no deed.
    ///
    /// # Errors
    /// [`BrokenDeed`] when they are not the deeds of one publication, in order.
    pub fn from_deeds(deeds: Vec<Deed>) -> Result<Option<Self>, BrokenDeed> {
        let mut state = None;
        for deed in &deeds {
            state = Some(Projection::apply(state, deed)?);
        }
        match state {
            None => Ok(None),
            Some(Projection::Publication(state)) => Ok(Some(Self {
                state: *state,
                deeds,
            })),
            Some(_) => Err(BrokenDeed::Misapplied),
        }
    }

    /// What was signed, the oldest attempt first.
    pub fn attempts(&self) -> impl DoubleEndedIterator<Item = &SignedTransaction> {
        self.deeds.iter().filter_map(|deed| match &deed.body {
            Body::PublicationSigned(attempt) => Some(&**attempt),
            _ => None,
        })
    }

    /// How it was settled; none while it is open.
    #[must_use]
    pub fn settlement(&self) -> Option<&Settlement> {
        match &self.deeds.last()?.body {
            Body::PublicationSettled(settlement) => Some(settlement),
            _ => None,
        }
    }
}
