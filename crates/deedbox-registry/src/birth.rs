//! Where the history of a contract begins.

use alloy_primitives::Address;
use deedbox_chain::{Block, Chains, ReadError, look::Wanted};

/// The first block with code at an address that has code at block `upto`, by bisection: one reading of a block's state for every
/// doubling of the chain's height. A contract that was destroyed and made again may be given a later block than its first.
///
/// # Errors
/// [`ReadError`]: then nothing is known. [`ArchiveUnavailable`](deedbox_chain::Code::ArchiveUnavailable) from endpoints that keep the
/// state of the newest blocks only.
pub async fn deployed_at(
    chains: &Chains,
    chain_id: u64,
    address: Address,
    upto: u64,
) -> Result<u64, ReadError> {
    let mut search = Search::below(upto);
    while let Some(number) = search.asks() {
        search.hears(had_code(chains, chain_id, address, number).await?);
    }
    Ok(search.found())
}

/// Whether an address had code at block `number`.
///
/// # Errors
/// As [`deployed_at`].
pub async fn had_code(
    chains: &Chains,
    chain_id: u64,
    address: Address,
    number: u64,
) -> Result<bool, ReadError> {
    let wanted = Wanted {
        codes: vec![address],
        ..Wanted::default()
    };
    let looked = chains.look(chain_id, Block::Number(number), wanted).await?;
    let code = looked.got.codes.first();
    Ok(code.is_some_and(|code| !code.is_empty()))
}

/// The search itself, which asks nobody: between the first block that may be it, and one that has code.
#[derive(Clone, Copy, Debug)]
struct Search {
    from: u64,
    has_code: u64,
}

impl Search {
    const fn below(has_code: u64) -> Self {
        Self { from: 0, has_code }
    }

    const fn middle(self) -> u64 {
        self.from + (self.has_code - self.from) / 2
    }

    /// Which block to look at next; none when it is found.
    fn asks(self) -> Option<u64> {
        (self.from < self.has_code).then(|| self.middle())
    }

    /// What was seen there.
    const fn hears(&mut self, code: bool) {
        if code {
            self.has_code = self.middle();
        } else {
            self.from = self.middle() + 1;
        }
    }

    const fn found(self) -> u64 {
        self.has_code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_with_code_is_found_with_one_question_for_each_doubling() {
        for (born, upto, most) in [
            (0, 0, 0),
            (0, 1, 1),
            (1, 1, 1),
            (0, 1_000, 10),
            (7, 1_000, 10),
            (999, 1_000, 10),
            (1_000, 1_000, 10),
            (12_345_678, 23_000_000, 25),
            (u64::MAX, u64::MAX, 64),
        ] {
            let mut search = Search::below(upto);
            let mut asked = 0;
            while let Some(number) = search.asks() {
                search.hears(number >= born);
                asked += 1;
            }
            assert_eq!(search.found(), born, "up to {upto}");
            assert!(asked <= most, "{asked} questions for {born} up to {upto}");
        }
    }
}
