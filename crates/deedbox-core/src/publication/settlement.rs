//! What a chain says has become of a publication.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{PublicationStatus, TransactionHash};
use crate::{
    BlockHash, Timestamp,
    json::{self, Inexact},
    limits,
    quantity::{Gas, Wei},
    text::Statement,
};

/// How a publication ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Settlement {
    /// One of its transactions is in the chain.
    Included(Inclusion),
    /// None of them is or can be: another transaction of the account has their nonce.
    Replaced(Replacement),
}

/// What a receipt says of a transaction, and what was seen of its effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inclusion {
    /// Which of the attempts.
    pub transaction_hash: TransactionHash,
    /// The height of its block.
    pub block_number: u64,
    /// Its block.
    pub block_hash: BlockHash,
    /// The block's own time, if it was read.
    pub block_timestamp: Option<Timestamp>,
    /// Whether it took effect. If not, it was reverted, and has cost its gas all the same.
    pub succeeded: bool,
    /// How much gas it used.
    pub gas_used: Gas,
    /// What it paid for one unit of gas.
    pub effective_gas_price: Wei,
    /// Why it was reverted, as far as that is known.
    pub revert_reason: Option<Statement>,
    /// Whether the chain says now what the publication was to make it say.
    pub read_back: ReadBack,
    /// What differs, or what could not be compared: [`limits::PUBLICATION_FINDINGS`] at most.
    pub findings: Vec<Statement>,
    /// What is new in the chain, by its name: ids of agents, of a tool, the address of a contract.
    pub created: Map<String, Value>,
}

/// That the account's nonce was used by something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// How many transactions of the account were in the chain with this block: more than the publication's nonce.
    pub account_nonce: u64,
    /// The block's height.
    pub block_number: u64,
    /// The block: the one in which the nonce was used, where [`transaction_hash`](Self::transaction_hash) is told.
    pub block_hash: BlockHash,
    /// The transaction in that block that used the nonce: one of the account, or one that carries an authorisation by it (EIP-7702). None in
    /// older records, of which the block is only one by which the nonce was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_hash: Option<TransactionHash>,
}

/// Whether what was read back from the chain is what was to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBack {
    /// It is.
    Matches,
    /// Something is not; the findings say what.
    Differs,
    /// Nobody looked, or could.
    NotChecked,
}

impl ReadBack {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::Differs => "differs",
            Self::NotChecked => "not_checked",
        }
    }
}

/// Why a settlement cannot be recorded, whatever it settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSettlement {
    /// A height or a nonce above [`MAX_EXACT`](crate::json::MAX_EXACT), or what was created is no JSON that can be kept.
    #[error("it cannot be recorded: {0}")]
    Inexact(#[from] Inexact),
    /// More findings than are kept.
    #[error(
        "it has {found} findings, at most {} are kept",
        limits::PUBLICATION_FINDINGS
    )]
    ManyFindings {
        /// How many.
        found: usize,
    },
    /// What was created takes too much room.
    #[error(
        "what it created is too long: {found} bytes, at most {} are accepted",
        limits::PUBLICATION_ARGUMENTS_BYTES
    )]
    ManyCreated {
        /// Bytes of canonical JSON.
        found: usize,
    },
    /// It says that the transaction took effect, and that it did not.
    #[error(
        "a transaction that was reverted creates nothing, and one that was not has no reason for it"
    )]
    Contradictory,
}

impl Settlement {
    /// Where the publication stands then.
    #[must_use]
    pub const fn status(&self) -> PublicationStatus {
        match self {
            Self::Included(inclusion) if inclusion.succeeded => PublicationStatus::Succeeded,
            Self::Included(_) => PublicationStatus::Reverted,
            Self::Replaced(_) => PublicationStatus::Replaced,
        }
    }

    /// The block that it rests on: its height and its hash.
    #[must_use]
    pub const fn block(&self) -> (u64, BlockHash) {
        match self {
            Self::Included(found) => (found.block_number, found.block_hash),
            Self::Replaced(found) => (found.block_number, found.block_hash),
        }
    }

    /// Whether it can be recorded, whatever it settles.
    ///
    /// # Errors
    /// [`BadSettlement`] names the first thing that is in the way.
    pub fn check(&self) -> Result<(), BadSettlement> {
        let found = match self {
            Self::Replaced(found) => {
                return Ok(json::exact([found.account_nonce, found.block_number])?);
            }
            Self::Included(found) => found,
        };
        json::exact([found.block_number])?;
        json::check(&found.created)?;
        let (findings, created) = (found.findings.len(), json::canonical_len(&found.created));
        if findings > limits::PUBLICATION_FINDINGS {
            return Err(BadSettlement::ManyFindings { found: findings });
        }
        if created > limits::PUBLICATION_ARGUMENTS_BYTES {
            return Err(BadSettlement::ManyCreated { found: created });
        }
        let contradictory = if found.succeeded {
            found.revert_reason.is_some()
        } else {
            !found.created.is_empty()
        };
        if contradictory {
            return Err(BadSettlement::Contradictory);
        }
        Ok(())
    }
}
