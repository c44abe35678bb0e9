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

/// Whether these logs are more than one page: then nothing below them belongs to it.
pub(super) fn is_full(logs: &[Log], limit: usize) -> bool {
    let heights = || {
        let transfers = logs.iter().filter(|log| Movement::of(log).is_some());
        transfers.map(|log| log.block_number)
    };
    // A page has one block at least, however many transfers that holds.
    heights().count() > limit && heights().min() < heights().max()
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

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;
    use deedbox_core::BlockHash;

    use super::*;

    /// A transfer from 1 to 2, with so many more topics and bytes of data.
    fn log(block_number: u64, log_index: u64, indexed: usize, data: usize) -> Log {
        let number = |n: u8| B256::left_padding_from(&[n]);
        let topics = [number(0), number(1), number(2)];
        Log {
            address: Address::ZERO,
            topics: topics
                .into_iter()
                .chain(std::iter::repeat_n(number(3), indexed))
                .collect(),
            data: vec![0; data].into(),
            data_length: data.try_into().unwrap(),
            block_number,
            block_hash: BlockHash([0; 32]),
            block_timestamp: None,
            transaction_hash: B256::ZERO,
            log_index,
        }
    }

    fn plain(block_number: u64, log_index: u64) -> Log {
        log(block_number, log_index, 0, 32)
    }

    /// Places of the transfers, how many logs were left out, and where to go on.
    type Cut = (Vec<(u64, u64)>, u64, Option<u64>);

    fn cut(logs: &[Log], lowest: u64, limit: usize) -> Cut {
        let page = Page::cut(logs.to_vec(), 1, lowest, limit).unwrap();
        let places = page
            .transfers
            .iter()
            .map(|seen| (seen.log.block_number, seen.log.log_index));
        (places.collect(), page.ambiguous, page.next)
    }

    #[test]
    fn only_two_forms_are_transfers() {
        let forms = [
            (0, 32),
            (1, 0),
            (0, 0),
            (0, 31),
            (0, 33),
            (0, 64),
            (1, 32),
            (2, 0),
        ];
        let read = forms.map(|(indexed, data)| {
            Movement::of(&log(1, 0, indexed, data)).map(|seen| seen.is_indexed)
        });
        assert_eq!(
            read,
            [Some(false), Some(true), None, None, None, None, None, None]
        );
        let mut dirty = plain(1, 0);
        dirty.topics[2].0[11] = 1;
        assert_eq!(Movement::of(&dirty), None, "a word that is no address");
        dirty.topics.truncate(2);
        assert_eq!(Movement::of(&dirty), None);
    }

    #[test]
    fn a_page_ends_before_the_block_that_does_not_fit() {
        let logs = [plain(9, 4), plain(7, 1), plain(7, 0), plain(3, 2)];
        assert_eq!(
            cut(&logs, 1, 4),
            (vec![(9, 4), (7, 1), (7, 0), (3, 2)], 0, None)
        );
        assert_eq!(cut(&logs, 1, 3), (vec![(9, 4), (7, 1), (7, 0)], 0, Some(3)));
        assert_eq!(cut(&logs, 1, 2), (vec![(9, 4)], 0, Some(7)));
        assert_eq!(cut(&logs[1..], 1, 1), (vec![(7, 1), (7, 0)], 0, Some(3)));
    }

    #[test]
    fn what_lies_below_the_search_is_left_to_the_next_page() {
        let logs = [plain(9, 4), plain(4, 0), plain(2, 0)];
        assert_eq!(cut(&logs, 5, 10), (vec![(9, 4)], 0, Some(4)));
    }

    #[test]
    fn what_is_left_out_is_counted_on_the_page_of_its_block() {
        let logs = [
            log(9, 5, 0, 64),
            plain(9, 4),
            log(8, 0, 0, 0),
            plain(7, 0),
            log(7, 1, 0, 0),
        ];
        assert_eq!(cut(&logs, 1, 1), (vec![(9, 4)], 2, Some(7)));
        assert_eq!(cut(&logs, 1, 2), (vec![(9, 4), (7, 0)], 3, None));
    }

    #[test]
    fn a_page_is_full_when_its_end_was_seen() {
        let logs = [plain(7, 0), plain(7, 1), plain(7, 2)];
        assert!(!is_full(&logs, 2), "there may be no other block");
        assert!(!is_full(&logs, 3));
        let logs = [&[plain(3, 0)], &logs[..]].concat();
        assert!(is_full(&logs, 2));
        assert!(is_full(&logs, 3));
        assert!(!is_full(&logs, 4));
        let odd = [log(3, 0, 0, 0), plain(7, 0), plain(7, 1)];
        assert!(!is_full(&odd, 1), "what is left out fills no page");
    }

    #[test]
    fn a_block_is_listed_whole_or_not_at_all() {
        let most = u64::try_from(MOST_IN_A_BLOCK).unwrap();
        let mut logs: Vec<_> = (0..most).map(|index| plain(7, index)).collect();
        assert_eq!(cut(&logs, 1, 1).0.len(), MOST_IN_A_BLOCK);
        logs.push(plain(7, most));
        let error = Page::cut(logs.clone(), 1, 1, 500).unwrap_err();
        assert_eq!(error.code, Code::RangeTooLarge);
        // Where others come first, there is a page of these.
        logs.push(plain(9, 0));
        assert_eq!(cut(&logs, 1, 500), (vec![(9, 0)], 0, Some(7)));
    }
}
