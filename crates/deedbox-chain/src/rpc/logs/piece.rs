//! One piece of a chain, read so that it is of one branch.
//!
//! Where its blocks can be replaced, its last block is known before, seen again in the request that brings the logs, and every block that has logs is
//! compared afterwards with the one that the endpoint has at that height.

use std::collections::BTreeMap;

use super::{
    super::{
        endpoint::{Answer, Endpoint},
        heads,
        line::Turn,
        pinned::{BlockHead, Log, Pattern},
        together,
        trouble::Trouble,
        value::Malformed,
    },
    MOST_PIECES, Section, decode, is_torn, place, sections,
};
use crate::events::{EventLog, MOST_DATA, MOST_FOUND, MOST_OF_A_BLOCK};

/// In how many requests the headers of one piece are asked for at most; a narrower piece needs fewer.
const HEADER_REQUESTS: usize = 50;

/// The blocks `from` to `to`, which the endpoint has.
pub(super) struct Piece<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) pattern: &'a Pattern,
    /// The block below, where its hash is wanted.
    pub(super) below: Option<u64>,
    pub(super) from: u64,
    pub(super) to: u64,
    /// Up to which height no block can be replaced, where that is known.
    pub(super) final_height: Option<u64>,
    /// How its first request stands in line.
    pub(super) turn: Turn,
}

/// What was read, and the blocks around it.
pub(super) struct Read {
    pub(super) below: Option<BlockHead>,
    pub(super) logs: Vec<Log>,
    /// How many bytes they were.
    pub(super) length: usize,
    pub(super) upto: BlockHead,
}

impl Piece<'_> {
    /// Reads it in one request where the endpoint takes batches. `known` is its last block, where that was read just now.
    pub(super) async fn read(&self, known: Option<BlockHead>) -> Result<Read, Trouble> {
        let known = match known {
            None if !self.is_final(self.to) => {
                Some(heads::at(self.endpoint, self.to, self.turn).await?)
            }
            known => known,
        };
        let read = self.in_one_request(known).await;
        let apart = match read {
            Err(Trouble::BatchRefused { .. }) => true,
            // Alone they may pass.
            Err(Trouble::ResponseTooLarge | Trouble::TooManyLogs { .. } | Trouble::TimedOut) => {
                self.from == self.to
            }
            _ => false,
        };
        if !apart {
            return read;
        }
        let upto = match known {
            Some(upto) => upto,
            None => heads::at(self.endpoint, self.to, self.turn).await?,
        };
        self.apart(upto).await
    }

    /// The logs with the headers around them. Where that is too much for one batch, or for what the endpoint takes, it is an error as if it had
    /// refused the batch.
    async fn in_one_request(&self, known: Option<BlockHead>) -> Result<Read, Trouble> {
        let mut asks: Vec<_> = self.below.map(heads::by_height).into_iter().collect();
        let section = Section::of_blocks(self.pattern, self.from, self.to);
        asks.extend([section.ask.clone(), heads::by_height(self.to)]);
        if !together::fit(self.endpoint, asks.len()) {
            return Err(Trouble::BatchRefused { at_most: None });
        }
        let answers = together::batch(self.endpoint, &asks, self.turn).await?;
        // Some refuse all that follows what is too large.
        let too_large = |answer: &Answer| matches!(answer, Err(Trouble::ResponseTooLarge));
        if answers.iter().any(too_large) {
            return Err(Trouble::ResponseTooLarge);
        }
        let mut answers = answers.into_iter();
        let mut next = || answers.next().unwrap_or(Err(Trouble::Internal));
        let below = self
            .below
            .map(|number| heads::must_be_there(number, next()));
        let logs = next();
        let upto = heads::must_be_there(self.to, next())?;
        if known.is_some_and(|known| known.hash != upto.hash) {
            return Err(Trouble::NotCanonical);
        }
        let answer = logs?;
        let logs = decode::logs(&answer, &section, MOST_DATA)?;
        Ok(Read {
            below: below.transpose()?,
            logs: in_order(logs, &upto)?,
            length: answer.get().len(),
            upto,
        })
    }

    /// The same in several requests, of which each may come to another node; `upto` was read before. One block is read in as many parts as it
    /// needs.
    async fn apart(&self, upto: BlockHead) -> Result<Read, Trouble> {
        let endpoint = self.endpoint;
        let below = match self.below {
            Some(number) => Some(heads::at(endpoint, number, Turn::Next).await?),
            None => None,
        };
        let (mut found, mut length) = (Vec::new(), 0);
        let mut patterns = vec![self.pattern.clone()];
        let mut requests = 0;
        while let Some(pattern) = patterns.pop() {
            requests += 1;
            if requests > MOST_PIECES {
                return Err(Trouble::TooManyLogs { suggested: None });
            }
            let sections = sections(
                std::slice::from_ref(&pattern),
                self.from,
                self.to,
                Some(upto.hash),
            );
            let asks: Vec<_> = sections.iter().map(|section| section.ask.clone()).collect();
            let answers = match together::apart(endpoint, &asks, Turn::Next).await {
                // What takes too long is as if it were too much.
                Err(Trouble::TimedOut) => vec![Err(Trouble::TimedOut)],
                answers => answers?,
            };
            for (section, answer) in sections.iter().zip(answers) {
                match answer {
                    Err(
                        Trouble::TooManyLogs { .. } | Trouble::ResponseTooLarge | Trouble::TimedOut,
                    ) if self.from == self.to => patterns.extend(halves(&pattern)?),
                    answer => {
                        let answer = answer?;
                        length += answer.get().len();
                        found.extend(decode::logs(&answer, section, MOST_DATA)?);
                    }
                }
            }
            if self.from == self.to && weight(&found) > MOST_OF_A_BLOCK {
                return Err(Trouble::TooManyLogs { suggested: None });
            }
        }
        if requests > 1 {
            found.sort_unstable_by_key(place);
        }
        let logs = in_order(found, &upto)?;
        // Last, when nothing else is under way.
        if heads::at(endpoint, self.to, Turn::Next).await?.hash != upto.hash {
            return Err(Trouble::NotCanonical);
        }
        Ok(Read {
            below,
            logs,
            length,
            upto,
        })
    }

    /// How many blocks like these, whose logs were `length` bytes, make an answer of the size that is wanted: of half of what is read, so that
    /// blocks may hold twice as much before an answer comes for nothing.
    pub(super) fn fitting(&self, length: usize) -> u64 {
        let wanted = self.endpoint.max_body() / 2;
        let blocks = u128::from(self.to - self.from + 1);
        let fitting = blocks * (wanted as u128) / (length.max(1) as u128);
        u64::try_from(fitting).unwrap_or(u64::MAX).max(1)
    }

    /// Whether so many logs are better read in narrower pieces, because of their size or of the headers that they need.
    pub(super) fn is_too_much(&self, logs: &[Log]) -> bool {
        let headers = HEADER_REQUESTS * together::most(self.endpoint);
        weight(logs) > MOST_FOUND || self.open_blocks(logs).len() > headers
    }

    /// Whether the block at this height cannot be replaced.
    fn is_final(&self, number: u64) -> bool {
        self.final_height.is_some_and(|height| number <= height)
    }

    /// The heights of the blocks of which more has to be known: those that can be replaced, and those whose time is not said beside their logs.
    fn open_blocks(&self, logs: &[Log]) -> Vec<u64> {
        let is_open =
            |log: &&Log| log.block_timestamp.is_none() || !self.is_final(log.block_number);
        let open = logs.iter().filter(is_open);
        let mut numbers: Vec<_> = open.map(|log| log.block_number).collect();
        numbers.dedup();
        numbers
    }

    /// Compares the blocks that have logs with those that the endpoint has now, where they can be replaced, and finds out when each was made.
    pub(super) async fn settle(
        &self,
        logs: Vec<Log>,
        upto: &BlockHead,
    ) -> Result<Vec<EventLog>, Trouble> {
        let mut numbers = self.open_blocks(&logs);
        if !numbers.is_empty() && !self.is_final(self.to) && numbers.last() != Some(&upto.number) {
            numbers.push(upto.number);
        }
        let heads = heads::ats(self.endpoint, &numbers)
            .await
            .map_err(|trouble| match trouble {
                // They were there.
                Trouble::BlockUnknown if !self.is_final(self.to) => Trouble::NotCanonical,
                trouble => trouble,
            })?;
        let mut heads: BTreeMap<_, _> = heads.into_iter().map(|head| (head.number, head)).collect();
        if heads
            .insert(upto.number, *upto)
            .is_some_and(|now| now.hash != upto.hash)
        {
            return Err(Trouble::NotCanonical);
        }
        let settled = logs
            .into_iter()
            .map(|log| match heads.get(&log.block_number) {
                Some(head) if head.hash != log.block_hash && self.is_final(log.block_number) => {
                    Err(Malformed("a log is not of the block at its height").into())
                }
                Some(head) if head.hash != log.block_hash => Err(Trouble::NotCanonical),
                head => event(log, head),
            });
        settled.collect()
    }
}

/// The logs as they came, which must be in order, up to the block `upto`.
fn in_order(logs: Vec<Log>, upto: &BlockHead) -> Result<Vec<Log>, Trouble> {
    for pair in logs.windows(2) {
        if place(&pair[0]) >= place(&pair[1]) {
            return Err(Malformed("logs are not in order, or one is there twice").into());
        }
        if is_torn(pair) {
            return Err(Malformed("the logs of one block have different hashes").into());
        }
    }
    let last = logs.last().filter(|last| last.block_number == upto.number);
    if last.is_some_and(|last| last.block_hash != upto.hash) {
        return Err(Trouble::NotCanonical);
    }
    Ok(logs)
}

/// Two patterns that match together what this one matches, and nothing both; an error where there is nothing to divide.
fn halves(pattern: &Pattern) -> Result<[Pattern; 2], Trouble> {
    let mut other = pattern.clone();
    let mut one = pattern.clone();
    let topics = one.topics.iter_mut().zip(&mut other.topics);
    if let Some((topics, others)) = topics.into_iter().find(|(topics, _)| topics.len() > 1) {
        *others = topics.split_off(topics.len() / 2);
    } else if one.addresses.len() > 1 {
        other.addresses = one.addresses.split_off(one.addresses.len() / 2);
    } else {
        return Err(Trouble::TooManyLogs { suggested: None });
    }
    Ok([one, other])
}

/// `head` is of the log's block, where that was read.
fn event(log: Log, head: Option<&BlockHead>) -> Result<EventLog, Trouble> {
    let block_timestamp = match (head, log.block_timestamp) {
        (Some(head), Some(said)) if head.timestamp != said => {
            return Err(Malformed("a log has another time than its block").into());
        }
        (Some(head), _) => head.timestamp,
        (None, said) => said.ok_or(Trouble::Internal)?,
    };
    Ok(EventLog {
        address: log.address,
        topics: log.topics,
        data: log.data,
        data_length: log.data_length,
        block_number: log.block_number,
        block_hash: log.block_hash,
        block_timestamp,
        transaction_hash: log.transaction_hash,
        log_index: log.log_index,
    })
}

/// How much these logs take, in bytes.
fn weight(logs: &[Log]) -> usize {
    let of = |log: &Log| size_of::<Log>() + log.data.len() + 32 * log.topics.len();
    logs.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, B256, Bytes};
    use deedbox_core::BlockHash;

    use super::*;

    fn log(log_index: u64, data: Bytes) -> Log {
        Log {
            address: Address::ZERO,
            topics: vec![B256::ZERO; 4],
            data_length: 0,
            data,
            block_number: 7,
            block_hash: BlockHash([7; 32]),
            block_timestamp: None,
            transaction_hash: B256::ZERO,
            log_index,
        }
    }

    #[test]
    fn what_is_found_at_once_is_bounded_by_data_and_by_number() {
        let long = Bytes::from(vec![0; MOST_DATA]);
        let long = |count: u64| (0..count).map(|n| log(n, long.clone())).collect::<Vec<_>>();
        assert!(weight(&long(200)) < MOST_FOUND && weight(&long(256)) > MOST_FOUND);
        let short = |count: u64| (0..count).map(|n| log(n, Bytes::new())).collect::<Vec<_>>();
        assert!(weight(&short(40_000)) < MOST_FOUND && weight(&short(60_000)) > MOST_FOUND);
    }

    #[test]
    fn halves_match_together_what_the_whole_matches() {
        let topics = [1, 2, 3].map(B256::repeat_byte);
        let addresses = [1, 2].map(Address::repeat_byte);
        let whole = Pattern {
            addresses: addresses.to_vec(),
            topics: vec![topics.to_vec()],
        };
        let (mut parts, mut single) = (vec![whole], Vec::new());
        while let Some(part) = parts.pop() {
            match halves(&part) {
                Ok(halves) => parts.extend(halves),
                Err(_) => single.push((part.addresses, part.topics)),
            }
        }
        let mut expected = Vec::new();
        for address in addresses {
            expected.extend(topics.map(|topic| (vec![address], vec![vec![topic]])));
        }
        single.sort();
        assert_eq!(single, expected);
    }
}
