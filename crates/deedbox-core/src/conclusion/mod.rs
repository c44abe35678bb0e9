//! Conclusions, checked against what was read.
//!
//! A conclusion is a text and the claims that it rests on, each naming the reading that is said to support it.
//! [`Claim::check`] looks for that reading and compares every number in the claim with the numbers in it;
//! [`Report::new`] adds what a reader must be told whatever the claims say. Nothing here understands a sentence. What is
//! compared is:
//!
//! * *Amounts* must equal a decimal text of the reading: as it stands (raw), or moved by the `decimals` that stand
//!   beside it or around it. Exactly, digit by digit, never as floating point. `1,234.5`, `1_234.5`, `1.5 million` and
//!   `1.5e6` are understood. A raw amount must be called so (raw, smallest unit, wei): otherwise it would be that many
//!   tokens.
//! * *Estimates, bounds, multiples and denials* ("about", "more than", "twice", "not") are never supported: a reading says
//!   exact amounts.
//! * *Whole numbers that the reading names* (`decimals`, `tick`, how many `transfers`) are compared where the claim names
//!   them too, as in "6 decimals".
//! * *Block heights and chain ids*, where the claim calls them so, must be the reading's own.
//! * *Shares* (`%`) and *money* (`$`, `USD`) are never supported: no reading says one.
//! * *Addresses* in the claim, also shortened ones, must occur in the reading. Names like `vitalik.eth` are not resolved.
//! * Hashes, possible dates and times, ordinals, version numbers, UUIDs, URLs and the numbers of lists are no amounts. They
//!   are passed over, and the report says which. A claim of nothing else is not supported.
//!
//! `supported` is given only when *every* numeric thing in a claim was understood and is said by the reading. So a number is
//! supported only if what stands beside it ([`beside`]) is known to change nothing ([`words`]): any other word or sign may be
//! a multiplier, a negation, another unit. Numbers in words, pieces of hashes and words that hold long numbers are unclear too.
//! What is unclear is unsupported, or mismatched when it is clearly another number: a true claim that is wrongly called
//! unsupported is written more plainly, a false one that is wrongly called supported is believed.
//!
//! What is not compared, even then: which token a symbol means, which of several amounts in a reading is meant, and who did
//! what.

mod beside;
mod check;
mod decimal;
mod hedges;
mod numbers;
mod report;
mod scan;
mod values;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

pub use self::report::{
    ChainBlocks, ClaimReport, Gap, GapCode, Outcome, ReadBlock, ReadValue, Report,
};
use self::values::Opened;
use crate::{
    Block, Evidence, EvidenceId, ToolName,
    evidence::ReadingKey,
    limits,
    text::{ConclusionText, Statement},
};

/// What somebody concludes from readings, and on which claims it rests: the arguments of `check_conclusion`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// The conclusion as it will be given to its reader. At most 65,536 bytes of UTF-8.
    pub conclusion: ConclusionText,
    /// The claims that it rests on, each with the reading that is said to support it: 1 to 50.
    #[serde(deserialize_with = "claims")]
    #[schemars(length(min = 1, max = 50))]
    pub evidence: Vec<Claim>,
    /// What is not known, in sentences of at most 4,096 bytes. May be empty; at most 50.
    #[serde(deserialize_with = "unknown")]
    #[schemars(length(max = 50))]
    pub unknown: Vec<Statement>,
}

/// One claim, and the reading that is said to support it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What is claimed, in one sentence with its numbers. At most 4,096 bytes of UTF-8.
    pub claim: Statement,
    /// The tool whose reading says so, like `get_erc20_balance`.
    pub tool: ToolName,
    /// The chain's id (EIP-155), an integer.
    pub chain_id: u64,
    /// The block of the reading: a decimal height or a block hash, as its provenance has them. A tag can be checked only
    /// together with `evidence_id`.
    pub block: Block,
    /// The reading itself, as its provenance names it. Absent or null: any reading of that tool, chain and block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_id: Option<EvidenceId>,
}

/// What has to be loaded before a claim can be checked. Claims that want the same share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// This piece of evidence, if there is such a one.
    Evidence(EvidenceId),
    /// These readings, the newest [`limits::CONCLUSION_READINGS`].
    Readings(ReadingKey),
    /// Nothing: what the claim names cannot be looked up.
    Nothing,
}

/// How many bytes of readings may still be opened for one conclusion, so that no conclusion keeps a server busy for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(limits::CONCLUSION_BYTES)
    }
}

impl Budget {
    /// Whether nothing more can be opened; then nothing more need be loaded.
    #[must_use]
    pub const fn is_spent(self) -> bool {
        self.0 == 0
    }
}

/// What was loaded for a claim, opened as far as the budget goes.
#[derive(Clone, Debug)]
pub struct Loaded {
    opened: Vec<Opened>,
    /// Whether the budget did not suffice.
    is_cut: bool,
    /// How many readings were loaded, and are not opened.
    left_out: usize,
}

impl Loaded {
    /// Opens `evidence`, the newest first, and takes its size from `budget`. What is begun is opened whole, so at most one
    /// reading ([`limits::READING_BYTES`]) is opened beyond it.
    #[must_use]
    pub fn open(evidence: Vec<Evidence>, budget: &mut Budget) -> Self {
        let is_cut = budget.is_spent();
        let loaded = evidence.len();
        let mut opened = Vec::new();
        for evidence in evidence {
            if budget.is_spent() {
                break;
            }
            let one = Opened::from(evidence);
            budget.0 = budget.0.saturating_sub(one.values.bytes);
            opened.push(one);
        }
        let left_out = loaded - opened.len();
        Self {
            opened,
            is_cut: is_cut || left_out > 0,
            left_out,
        }
    }
}

impl Claim {
    /// What [`Claim::check`] wants to know.
    #[must_use]
    pub fn wanted(&self) -> Wanted {
        match (self.evidence_id, self.block.fixed()) {
            (Some(id), _) => Wanted::Evidence(id),
            (None, Some(block)) => Wanted::Readings(ReadingKey {
                tool: self.tool.clone(),
                chain_id: self.chain_id,
                block,
            }),
            (None, None) => Wanted::Nothing,
        }
    }
}

fn claims<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Claim>, D::Error> {
    let claims = Vec::deserialize(deserializer)?;
    if (1..=limits::CONCLUSION_CLAIMS).contains(&claims.len()) {
        return Ok(claims);
    }
    let most = limits::CONCLUSION_CLAIMS;
    Err(de::Error::custom(format_args!(
        "must hold 1 to {most} claims"
    )))
}

fn unknown<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Statement>, D::Error> {
    let unknown = Vec::deserialize(deserializer)?;
    if unknown.len() <= limits::CONCLUSION_UNKNOWN {
        return Ok(unknown);
    }
    let most = limits::CONCLUSION_UNKNOWN;
    Err(de::Error::custom(format_args!(
        "must hold at most {most} statements"
    )))
}

#[cfg(test)]
mod tests;
