//! Evidence: a reading that was recorded, and how claims that cite it show it.

use schemars::JsonSchema;
use serde::Serialize;

use super::{BlockHash, FixedBlock, Reading, ToolName};
use crate::{
    ActorId, Body, BrokenDeed, Deed, EvidenceId, Head, Stream, TaskId, Timestamp,
    hash::ReadingDigest, task::RecordAttribution,
};

/// Who saw what a piece of evidence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Witness {
    /// This server took the reading itself. Whoever asked for it could not choose the answer.
    Server,
}

/// A recorded reading as callers see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// The evidence; a claim cites it as `evidence:<id>`.
    #[serde(rename = "evidence_id")]
    pub id: EvidenceId,
    /// What was read.
    #[serde(flatten)]
    pub reading: Reading,
    /// What [`Reading::digest`] was when it was recorded.
    pub digest: ReadingDigest,
    /// The task that it was read for.
    #[serde(rename = "task_id")]
    pub task: Option<TaskId>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// Who saw it.
    pub witness: Witness,
    /// Who asked for it.
    pub attribution: RecordAttribution,
}

impl Evidence {
    /// The evidence that a deed records.
    ///
    /// # Errors
    /// [`BrokenDeed::Unreadable`] when the deed is of another kind.
    pub fn new(deed: Deed) -> Result<Self, BrokenDeed> {
        let attribution = RecordAttribution::from(&deed);
        let (
            Stream::Evidence(id),
            Body::ReadingRecorded {
                tool,
                arguments,
                data,
                provenance,
                digest,
                task_id,
            },
        ) = (deed.stream, deed.body)
        else {
            return Err(BrokenDeed::Unreadable("kind"));
        };
        Ok(Self {
            id,
            reading: Reading {
                tool,
                arguments,
                data,
                provenance,
            },
            digest,
            task: task_id,
            recorded_at: deed.at,
            witness: Witness::Server,
            attribution,
        })
    }
}

/// What is known of evidence without opening it: a projection of its one deed. What was asked and answered stays
/// in the deed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvidenceState {
    /// The evidence.
    #[serde(rename = "evidence_id")]
    pub id: EvidenceId,
    /// Its deed.
    #[serde(skip)]
    pub head: Head,
    /// Which tool read.
    pub tool: ToolName,
    /// On which chain.
    pub chain_id: u64,
    /// At which height.
    pub block_number: u64,
    /// In which block.
    pub block_hash: BlockHash,
    /// The reading's digest.
    pub digest: ReadingDigest,
    /// The task that it was read for.
    #[serde(rename = "task_id")]
    pub task: Option<TaskId>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
}

/// The evidence that a completion claim cites, inside the claim's `attribution`: so a reader sees at once that the
/// server saw the one thing, and that an actor only said the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitedEvidence {
    /// The evidence.
    pub evidence_id: EvidenceId,
    /// Who saw what it says.
    pub witnessed_by: Witness,
    /// Who says that it supports the claim.
    pub asserted_by: ActorId,
    /// Which tool read.
    pub tool: ToolName,
    /// On which chain (EIP-155).
    pub chain_id: u64,
    /// At which height.
    pub block_number: u64,
    /// In which block.
    pub block_hash: BlockHash,
    /// The reading's digest.
    pub digest: ReadingDigest,
    /// When it was recorded.
    pub recorded_at: Timestamp,
}

impl EvidenceState {
    /// As a claim of `actor` shows it.
    #[must_use]
    pub fn cited_by(&self, actor: &ActorId) -> CitedEvidence {
        CitedEvidence {
            evidence_id: self.id,
            witnessed_by: Witness::Server,
            asserted_by: actor.clone(),
            tool: self.tool.clone(),
            chain_id: self.chain_id,
            block_number: self.block_number,
            block_hash: self.block_hash,
            digest: self.digest,
            recorded_at: self.recorded_at,
        }
    }
}

/// Which readings: of one tool, on one chain, at one block.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadingKey {
    /// Which tool read.
    pub tool: ToolName,
    /// On which chain (EIP-155).
    pub chain_id: u64,
    /// At which block.
    pub block: FixedBlock,
}
