//! What a log is, and which logs make a page.

use alloy_primitives::{Address, U256};

use crate::{
    Code, ReadError,
    readings::contract::{address, word},
    rpc::pinned::Log,
};

/// The most transfers of one block that are listed. More than anybody asks for, because a block is never split.
pub(super) const MOST_IN_A_BLOCK: usize = 1000;

/// What a log says that has the form of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Movement {
    pub(super) from: Address,
    pub(super) to: Address,
    /// An amount, or which token.
    pub(super) number: U256,
    /// Whether the number stands among the topics: so it is with ERC-721, and with tokens that index their amounts.
    pub(super) is_indexed: bool,
}

impl Movement {
    /// Reads a log that is called `Transfer`: three topics and 32 bytes of data, or four topics and no data. `None` for
    /// anything else.
    pub(super) fn of(log: &Log) -> Option<Self> {
        let party = |index: usize| {
            log.topics
                .get(index)
                .and_then(|topic| address((*topic).into()))
        };
        let (from, to) = (party(1)?, party(2)?);
        let (number, is_indexed) = match (log.topics.as_slice(), log.data.len()) {
            ([_, _, _], 32) => (word(&log.data, 0)?, false),
            ([_, _, _, number], 0) => ((*number).into(), true),
            _ => return None,
        };
        Some(Self {
            from,
            to,
            number,
            is_indexed,
        })
    }
}

/// A transfer, and the log that says so.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    pub(super) log: Log,
    pub(super) movement: Movement,
}

impl Sighting {
    fn of(log: &Log) -> Option<Self> {
        let movement = Movement::of(log)?;
        Some(Self {
            log: log.clone(),
            movement,
        })
    }
}

/// Transfers of whole blocks, the newest first.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) transfers: Vec<Sighting>,
    /// How many logs of these blocks were left out.
    pub(super) ambiguous: u64,
    /// The height at which the next page begins; none when there is none.
    pub(super) next: Option<u64>,
}

impl Page {
    /// Cuts a page out of logs that are complete from `lowest` up; those below it are left alone. `first` is where the
    /// whole list ends.
    ///
    /// # Errors
    /// [`RangeTooLarge`](Code::RangeTooLarge) when one block has more than [`MOST_IN_A_BLOCK`] transfers.
    pub(super) fn cut(
        mut logs: Vec<Log>,
        first: u64,
        lowest: u64,
        limit: usize,
    ) -> Result<Self, ReadError> {
        logs.retain(|log| log.block_number >= lowest);
        logs.sort_unstable_by_key(|log| std::cmp::Reverse((log.block_number, log.log_index)));
        // A transfer to oneself was found by both searches.
        logs.dedup_by_key(|log| (log.block_number, log.log_index));
        let mut page = Self {
            transfers: Vec::new(),
            ambiguous: 0,
            next: (lowest > first).then(|| lowest - 1),
        };
        for block in logs.chunk_by(|a, b| a.block_number == b.block_number) {
            let transfers: Vec<Sighting> = block.iter().filter_map(Sighting::of).collect();
            let odd = block.len() - transfers.len();
            let height = block[0].block_number;
            if page.transfers.is_empty() && transfers.len() > MOST_IN_A_BLOCK {
                return Err(too_many(height, transfers.len()));
            }
            let fits = page.transfers.len() + transfers.len() <= limit;
            if !fits && !page.transfers.is_empty() {
                page.next = Some(height);
                break;
            }
            page.transfers.extend(transfers);
            page.ambiguous += u64::try_from(odd).unwrap_or(u64::MAX);
        }
        Ok(page)
    }

    /// Leaves out what is not `wanted`, and counts it.
    pub(super) fn keep(&mut self, wanted: impl Fn(&Sighting) -> bool) {
        let before = self.transfers.len();
        self.transfers.retain(wanted);
        let gone = before - self.transfers.len();
        self.ambiguous += u64::try_from(gone).unwrap_or(u64::MAX);
    }
}

fn too_many(height: u64, count: usize) -> ReadError {
    let message = format!(
        "block {height} alone holds {count} transfers of this address, more than the {MOST_IN_A_BLOCK} that are listed; \
         list what is below and above it by from_block and to_block"
    );
    ReadError::new(Code::RangeTooLarge, message)
}
