//! What is asked next, and what is to be done when a chain has other blocks than before. No I/O.

use std::collections::BTreeMap;

use deedbox_core::BlockHash;
use deedbox_store::index::{Checkpoint, Cursor, RegistryId};

/// A registry that wants to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Which.
    pub registry: RegistryId,
    /// The first block that is not read yet.
    pub next: u64,
    /// The hash of the block below it, where that was read.
    pub after: Option<BlockHash>,
    /// Whether it is asked for by itself, because together with others it was too much.
    pub is_alone: bool,
}

/// How far a chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Its newest block.
    pub latest: u64,
    /// Its newest block that cannot be replaced.
    pub finalized: Option<u64>,
}

/// One request for logs: of all these registries, which stand at the same block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whose.
    pub registries: Vec<RegistryId>,
    /// The first block.
    pub from: u64,
    /// The last block, included.
    pub to: u64,
    /// The hash that the block below `from` must have.
    pub after: Option<BlockHash>,
}

/// How many registries one request is for at most.
const MOST_TOGETHER: usize = 100;
/// A registry with fewer blocks to go than these follows the chain's head: it does not wait for those that catch up.
const NEAR: u64 = 1_000;

/// What is asked next of a chain, lowest blocks first; nothing when all is read.
///
/// Registries that stand at the same block of the same branch go on together. The lowest catch up until they stand where the next ones
/// stand, which wait for them meanwhile, except that those near the head go on as long as nobody is about to meet them. No step is wider than
/// `width` blocks, and none goes over the finalized block: so there is a block to go back to where finality begins.
#[must_use]
pub fn plan(standings: &[Standing], bounds: Bounds, width: u64) -> Vec<Step> {
    let mut groups: BTreeMap<(u64, Option<RegistryId>, Option<BlockHash>), Vec<RegistryId>> =
        BTreeMap::new();
    for standing in standings.iter().filter(|one| one.next <= bounds.latest) {
        let alone = standing.is_alone.then_some(standing.registry);
        let group = groups.entry((standing.next, alone, standing.after));
        group.or_default().push(standing.registry);
    }
    let lowest = groups.keys().next().map_or(0, |(next, ..)| *next);
    let is_near = |next: u64| bounds.latest - next < NEAR;
    let steps = groups
        .iter()
        .filter(|((next, ..), _)| *next == lowest || (is_near(*next) && !is_near(lowest)));
    let steps = steps.flat_map(|(&(from, alone, after), registries)| {
        let others = groups.keys().filter(|(_, alone, _)| alone.is_none());
        let meeting = others.map(|(next, ..)| *next).find(|next| *next > from);
        let mut to = from.saturating_add(width.max(1) - 1).min(bounds.latest);
        if let Some(finalized) = bounds.finalized.filter(|finalized| from <= *finalized) {
            to = to.min(finalized);
        }
        if let (Some(next), None) = (meeting, alone) {
            to = to.min(next - 1);
        }
        registries
            .chunks(MOST_TOGETHER)
            .map(move |registries| Step {
                registries: registries.to_vec(),
                from,
                to,
                after,
            })
    });
    steps.collect()
}

/// What is to be done about a registry, by what its chain says of the blocks that it was read up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The block that it is read up to is part of the chain.
    Stands,
    /// Whoever was asked does not have that block yet. The newest known block that it has; none when it has none.
    Behind(Option<Checkpoint>),
    /// The chain took back blocks: what was read above this one is undone; everything where there is none.
    GoBack(Option<Checkpoint>),
    /// A block that was final is not part of the chain any more. Nothing is undone.
    BrokeFinality {
        /// The block as it was read.
        kept: Checkpoint,
        /// The hash that the chain has at its height now.
        now: BlockHash,
    },
}

/// The blocks of a registry that are known by their hashes, from the newest down: those at which reading may go on, and `said`, the last one up to
/// a chain's head in which something was said. Of a chain that ends below what is final, nothing else is known.
fn known(cursor: &Cursor, said: Option<Checkpoint>) -> Vec<Checkpoint> {
    let mut known: Vec<_> = cursor.checkpoints.iter().copied().chain(said).collect();
    known.sort_unstable_by_key(|at| std::cmp::Reverse(at.block));
    known.dedup();
    known
}

/// The heights that have to be known for [`judge`].
pub fn heights(cursor: &Cursor, said: Option<Checkpoint>) -> impl Iterator<Item = u64> {
    let known = known(cursor, said).into_iter();
    known.map(|at| at.block).chain(cursor.final_upto)
}

/// Judges a registry by the hashes that a chain has at its [`heights`]; what is not among `now` is above the newest block. `said` is the last
/// block up to there in which it said something.
#[must_use]
pub fn judge(cursor: &Cursor, said: Option<Checkpoint>, now: &BTreeMap<u64, BlockHash>) -> Verdict {
    let mut is_replaced = false;
    let (mut behind, is_below_final) = (None, |at: &Checkpoint| Some(at.block) < cursor.final_upto);
    for kept in known(cursor, said) {
        match now.get(&kept.block) {
            None => {}
            Some(hash) if *hash == kept.hash => {
                // What is final is gone back to at least.
                if is_replaced && !is_below_final(&kept) {
                    return Verdict::GoBack(Some(kept));
                }
                if cursor.upto == Some(kept) {
                    return Verdict::Stands;
                }
                behind = Some(kept);
                break;
            }
            Some(hash) if cursor.is_final(kept.block) => {
                return Verdict::BrokeFinality { kept, now: *hash };
            }
            Some(_) => is_replaced = true,
        }
    }
    match (cursor.upto, is_replaced, cursor.final_upto) {
        (None, ..) => Verdict::Stands,
        (_, false, _) => Verdict::Behind(behind),
        (_, true, None) => Verdict::GoBack(None),
        // What is final ends between two blocks that were kept.
        (_, true, Some(block)) => match now.get(&block) {
            Some(hash) => Verdict::GoBack(Some(Checkpoint { block, hash: *hash })),
            None => Verdict::Behind(behind),
        },
    }
}

/// Up to where a registry that [stands](Verdict::Stands) is final: the newest block that it can go back to and that is final itself, so that
/// finality always ends at a block whose hash is known.
#[must_use]
pub fn settled(cursor: &Cursor, finalized: Option<u64>) -> Option<u64> {
    let final_ones = cursor.checkpoints.iter().map(|at| at.block);
    let newest = final_ones
        .filter(|block| finalized.is_some_and(|finalized| *block <= finalized))
        .max();
    newest.max(cursor.final_upto)
}

#[cfg(test)]
mod tests;
