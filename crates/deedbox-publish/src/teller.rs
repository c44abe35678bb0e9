//! What people see, and what they are asked.

use alloy_primitives::{Address, B256, Bytes, U256};
use async_trait::async_trait;
use deedbox_chain::send::Tip;
use deedbox_core::{
    EndpointId, PublicationId,
    publication::{ReadBack, Settlement},
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Whoever shows a publication to somebody. Implemented by the program.
///
/// It may be dropped between any two calls; what was recorded by then is gone on with by [`resume`](crate::resume()).
#[async_trait]
pub trait Teller: Send {
    /// Something happened. Steps come in the order in which they happen; [`Step::Waiting`] comes as often as the chain is asked, and [`Step::Included`] when it is
    /// another block, or another depth.
    fn tell(&mut self, step: &Step);

    /// Asks whether to go on, in the way that [`Preview::confirmation`] says. Nothing is signed without a yes.
    ///
    /// # Errors
    /// [`NotAsked`] when nobody could be asked.
    async fn confirm(&mut self, preview: &Preview) -> Result<bool, NotAsked>;
}

/// Why nobody was asked, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAsked(pub String);

/// Something that happened on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A check passed, in a sentence: what stands at the registry's address, that the signer owns the agent …
    Checked(String),
    /// The manifest was fetched from its URL and is what it has to be.
    ManifestServed {
        /// From where.
        metadata_uri: String,
        /// keccak256 over its canonical bytes.
        manifest_hash: B256,
        /// How many bytes were served.
        bytes: usize,
    },
    /// The change would be accepted.
    Simulated {
        /// The gas that it would use.
        gas: u64,
        /// On which state it was tried.
        on: Tip,
    },
    /// Somebody said yes, and it is signed. Nothing was sent yet.
    Signed {
        /// Its hash.
        transaction: B256,
    },
    /// It is recorded. From here on [`resume`](crate::resume()) can go on with it.
    Recorded {
        /// Under which id.
        publication: PublicationId,
    },
    /// An endpoint took it.
    Sent {
        /// Its hash.
        transaction: B256,
        /// Which endpoint.
        endpoint: EndpointId,
    },
    /// An endpoint has it already, and gives it by its hash.
    Known {
        /// Its hash.
        transaction: B256,
        /// Which endpoint.
        endpoint: EndpointId,
    },
    /// It is not clear whether an endpoint took it; the same bytes will be sent again if it is not there.
    Unclear {
        /// Why.
        reason: String,
    },
    /// No endpoint has it any more; the same bytes are sent again.
    Dropped {
        /// Its hash.
        transaction: B256,
    },
    /// Still waiting for a block.
    Waiting {
        /// How long it has been, in seconds.
        seconds: u64,
        /// The height of the newest block.
        head: u64,
        /// Whether an endpoint has it in its pool.
        pending: bool,
    },
    /// It is in a block.
    Included {
        /// Its hash.
        transaction: B256,
        /// The block's height.
        block_number: u64,
        /// How many blocks hold it by now, its own included.
        confirmations: u64,
        /// How many are wanted.
        wanted: u64,
    },
    /// The block that it was in is not part of the chain any more; it is waited for again.
    Reorganised {
        /// The height of that block.
        block_number: u64,
    },
    /// It was read back from the chain and compared with what was signed.
    ReadBack {
        /// How that came out.
        read_back: ReadBack,
        /// What differs, or could not be compared.
        findings: Vec<String>,
    },
    /// How it ended is recorded.
    Settled {
        /// Under which id.
        publication: PublicationId,
    },
}

/// Exactly what will be done, before it is signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Preview {
    /// What records call it, like `agent_register`.
    pub operation: String,
    /// What changes, one sentence each.
    pub changes: Vec<String>,
    /// What somebody should think about first, one sentence each.
    pub warnings: Vec<String>,
    /// The same as values, as it will be recorded.
    pub arguments: Map<String, Value>,
    /// The chain's id.
    pub chain_id: u64,
    /// What people call the chain.
    pub chain: String,
    /// Who signs and pays.
    pub account: Address,
    /// The account's nonce that it takes.
    pub nonce: u64,
    /// Whom it calls; none when it creates a contract.
    pub to: Option<Address>,
    /// What it pays beside the fee, in wei: always zero.
    pub value: U256,
    /// The call data, for a wallet of several owners: what it signs has to be exactly this.
    pub data: Bytes,
    /// What the simulation used.
    pub gas: u64,
    /// How much gas it may use: a fifth more, because the state may be another by then.
    pub gas_limit: u64,
    /// What it pays for one unit of gas at most, in wei.
    pub max_fee_per_gas: u128,
    /// What of that goes to whoever makes the block at most, in wei. On a chain without EIP-1559 the same.
    pub max_priority_fee_per_gas: u128,
    /// What it costs at most, in wei.
    pub max_cost: U256,
    /// The same in the chain's currency, like `0.00123 ETH`.
    pub max_cost_text: String,
    /// How to ask.
    pub confirmation: Confirmation,
}

/// How somebody has to say yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirmation {
    /// Yes or no.
    Plain,
    /// By typing this text: what is done cannot be undone. A general "yes to all" is not enough.
    Typed(String),
}

/// How a publication came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    /// Nothing was signed: that is what would have been done.
    DryRun(Box<Preview>),
    /// It is settled.
    Settled(Box<Settled>),
}

/// A publication that the chain has decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Under which id it is recorded.
    pub publication: PublicationId,
    /// What the chain says, as it is recorded: also that it was reverted, or that another transaction took its place.
    pub settlement: Settlement,
}
