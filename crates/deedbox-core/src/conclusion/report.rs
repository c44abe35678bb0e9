//! What comes of a check.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Claim, Conclusion,
    numbers::{Kind, mentions},
};
use crate::{BlockHash, EvidenceId, FixedBlock, ToolName, text::Statement};

/// How many characters of a claim are said back, so that an answer cannot grow with what it is about.
const ECHO_CHARS: usize = 500;
/// How many numbers without a claim are listed.
const UNCOVERED: usize = 50;

/// How a claim fares, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Outcome {
    /// There is such a reading, and it says every number in the claim.
    Supported,
    /// There is no such reading, or none says what the claim needs: a share, a price, an estimate.
    Unsupported,
    /// There is such a reading, and it says something else.
    Mismatched,
}

/// How one claim fares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClaimReport {
    /// The claim, cut after 500 characters.
    pub claim: String,
    /// How it fares.
    pub outcome: Outcome,
    /// The reading that it was compared with.
    pub evidence_id: Option<EvidenceId>,
    /// Why, in a sentence.
    pub reason: String,
    /// The tool that was claimed.
    pub tool: ToolName,
    /// The chain of the reading; without one, the chain that was claimed.
    pub chain_id: u64,
    /// The height of the reading; without one, the height that was claimed.
    pub block_number: Option<u64>,
    /// The block of the reading; without one, the block that was claimed.
    pub block_hash: Option<BlockHash>,
    /// What the reading says, when the claim says something else: its first amounts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_values: Vec<ReadValue>,
}

/// An amount that a reading says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadValue {
    /// Where in the reading's data it stands, like `transfers[3].raw_amount`.
    pub name: String,
    /// As it stands there, in the smallest unit.
    pub raw: String,
    /// How far to move the point, if the reading says so.
    pub decimals: Option<u32>,
    /// Moved; null when the reading does not say how far.
    pub amount: Option<String>,
}

impl fmt::Display for ReadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.raw)?;
        match (&self.amount, self.decimals) {
            (Some(amount), Some(decimals)) => write!(f, " ({amount} with {decimals} decimals)"),
            _ => Ok(()),
        }
    }
}

/// The blocks that one chain's readings are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChainBlocks {
    /// The chain.
    pub chain_id: u64,
    /// Its blocks, the lowest first.
    pub blocks: Vec<ReadBlock>,
}

/// A block that something was read at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct ReadBlock {
    /// Its height.
    pub block_number: u64,
    /// Its hash.
    pub block_hash: BlockHash,
}

/// What kind of thing a reader must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum GapCode {
    /// Always: no tool reads prices.
    NoPriceRead,
    /// Always: no tool finds out who controls an address.
    OwnershipNotEstablished,
    /// Always: a check asks no chain.
    BlocksNotRechecked,
    /// Readings of one chain are of different blocks.
    MixedHeights,
    /// The conclusion says numbers that no claim says.
    NumbersWithoutClaim,
}

/// What a reader of the conclusion must be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gap {
    /// What kind of thing.
    pub code: GapCode,
    /// In words for the reader.
    pub text: String,
}

/// How a conclusion fares. It says what was compared, not whether the conclusion follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// The worst that came of a claim. `supported`: every claim has its reading, and says its numbers.
    pub verdict: Outcome,
    /// How each claim fares, in their order.
    pub claims: Vec<ClaimReport>,
    /// Whether readings of one chain are of different blocks, and so need not have been true at one time.
    pub mixed_heights: bool,
    /// The blocks that were read at, by chain.
    pub blocks: Vec<ChainBlocks>,
    /// What a reader must be told.
    pub gaps: Vec<Gap>,
    /// Numbers in the conclusion that no claim says, as they are written; the first 50.
    pub uncovered_numbers: Vec<String>,
    /// What was said to be unknown.
    pub unknown: Vec<Statement>,
}

impl Report {
    /// Puts together what came of the claims of `conclusion`, which are in its order.
    #[must_use]
    pub fn new(conclusion: &Conclusion, claims: Vec<ClaimReport>) -> Self {
        let verdict = claims.iter().map(|claim| claim.outcome).max();
        let blocks = blocks(&claims);
        let mixed: Vec<&ChainBlocks> = blocks.iter().filter(|one| one.blocks.len() > 1).collect();
        let uncovered_numbers = uncovered(conclusion, &claims);
        let mut gaps = vec![
            gap(
                GapCode::NoPriceRead,
                "No price was read: a share, or a total over several tokens, is one of quantity and not of value.",
            ),
            gap(
                GapCode::OwnershipNotEstablished,
                "Who controls an address was not established: a reading says what it holds, not whose it is.",
            ),
            gap(
                GapCode::BlocksNotRechecked,
                "Whether a block that was read at is still part of its chain, or final, was not looked at: deedbox evidence recheck does.",
            ),
        ];
        gaps.extend(mixed.iter().map(|one| gap(GapCode::MixedHeights, one)));
        if !uncovered_numbers.is_empty() {
            let listed = uncovered_numbers.join(", ");
            gaps.push(gap(
                GapCode::NumbersWithoutClaim,
                format_args!("The conclusion says numbers that no claim covers: {listed}."),
            ));
        }
        Self {
            verdict: verdict.unwrap_or(Outcome::Unsupported),
            mixed_heights: !mixed.is_empty(),
            claims,
            blocks,
            gaps,
            uncovered_numbers,
            unknown: conclusion.unknown.clone(),
        }
    }
}

impl fmt::Display for ChainBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = |one: &ReadBlock| {
            let at = self
                .blocks
                .iter()
                .filter(|other| other.block_number == one.block_number);
            at.count() > 1
        };
        // Two blocks at one height are told apart by their hashes.
        let name = |block: &ReadBlock| match same(block) {
            true => format!(
                "{} {:.10}…",
                block.block_number,
                block.block_hash.to_string()
            ),
            false => block.block_number.to_string(),
        };
        let heights: Vec<String> = self.blocks.iter().map(name).collect();
        write!(
            f,
            "Readings of chain {} are of different blocks ({}): what they say need not have been true at one time.",
            self.chain_id,
            heights.join(", ")
        )
    }
}

impl ClaimReport {
    /// What comes of `claim` without a reading.
    pub(super) fn without_reading(claim: &Claim, reason: String) -> Self {
        Self {
            claim: echo(claim.claim.as_str()),
            outcome: Outcome::Unsupported,
            evidence_id: None,
            reason,
            tool: claim.tool.clone(),
            chain_id: claim.chain_id,
            block_number: match claim.block.fixed() {
                Some(FixedBlock::Number(number)) => Some(number),
                _ => None,
            },
            block_hash: match claim.block.fixed() {
                Some(FixedBlock::Hash(hash)) => Some(hash),
                _ => None,
            },
            read_values: vec![],
        }
    }
}

fn gap(code: GapCode, text: impl ToString) -> Gap {
    Gap {
        code,
        text: text.to_string(),
    }
}

fn echo(text: &str) -> String {
    match text.char_indices().nth(ECHO_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The blocks of the readings that claims were compared with.
fn blocks(claims: &[ClaimReport]) -> Vec<ChainBlocks> {
    let mut by_chain: BTreeMap<u64, BTreeSet<ReadBlock>> = BTreeMap::new();
    for claim in claims {
        if let (Some(_), Some(block_number), Some(block_hash)) =
            (claim.evidence_id, claim.block_number, claim.block_hash)
        {
            by_chain
                .entry(claim.chain_id)
                .or_default()
                .insert(ReadBlock {
                    block_number,
                    block_hash,
                });
        }
    }
    by_chain
        .into_iter()
        .map(|(chain_id, blocks)| ChainBlocks {
            chain_id,
            blocks: blocks.into_iter().collect(),
        })
        .collect()
}

/// Numbers in the conclusion that no claim says. A height or a chain's id is also covered by a claim of that block or
/// chain.
fn uncovered(conclusion: &Conclusion, reports: &[ClaimReport]) -> Vec<String> {
    let claimed: BTreeSet<String> = conclusion
        .evidence
        .iter()
        .flat_map(|claim| mentions(claim.claim.as_str()).numbers)
        .map(|number| number.key())
        .collect();
    let heights: BTreeSet<String> = reports
        .iter()
        .filter_map(|report| report.block_number)
        .map(|height| height.to_string())
        .collect();
    let chains: BTreeSet<String> = reports
        .iter()
        .map(|report| report.chain_id.to_string())
        .collect();
    let mut listed = Vec::new();
    for number in mentions(conclusion.conclusion.as_str()).numbers {
        let key = number.key();
        let named = match number.kind {
            Kind::Height => heights.contains(&key),
            Kind::Chain => chains.contains(&key),
            Kind::Amount | Kind::Share | Kind::Money => false,
        };
        let written = number.short();
        if !named && !claimed.contains(&key) && !listed.contains(&written) {
            listed.push(written);
            if listed.len() == UNCOVERED {
                break;
            }
        }
    }
    listed
}
