//! Transfers of tokens from and to an address, the newest first, page by page.

mod page;

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, FixedBytes, U256};
use alloy_sol_types::SolEvent;

use self::page::{Movement, Page, Sighting};
use super::{
    Shown,
    answer::{Amount, Direction, Moved, RecentTransfersData, Transfer, TransferFlag},
    contract::word,
    incomplete,
    interfaces::{Erc20, Erc165, flag},
};
use crate::{
    ReadError,
    request::reversed,
    rpc::pinned::{Log, LogFilter, Pattern, Pinned, Said, Wanted},
};

/// The interface of ERC-721, by ERC-165.
const ERC721: FixedBytes<4> = FixedBytes([0x80, 0xac, 0x58, 0xcd]);
/// The interface that nobody has, by ERC-165: whoever claims it says yes to everything.
const NOBODYS: FixedBytes<4> = FixedBytes([0xff; 4]);

/// One page of the transfers from `first` to the block of `at`.
///
/// A page holds whole blocks, so that the next one can begin at a height: as many of the newest as have `limit` transfers between them, and
/// at least one block that has any.
pub(super) async fn recent(
    address: Address,
    first: u64,
    limit: u32,
    shown: Shown,
    at: &impl Pinned,
) -> Result<RecentTransfersData, ReadError> {
    let last = at.block().number;
    if last < first {
        return Err(reversed(first, last));
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let moved = || vec![Erc20::Transfer::SIGNATURE_HASH];
    let party = || vec![address.into_word()];
    let with = |topics| Pattern {
        topics,
        ..Pattern::default()
    };
    let outgoing = with(vec![moved(), party()]);
    let incoming = with(vec![moved(), Vec::new(), party()]);
    // Read on until the page's end is seen, so that the page is the same however the endpoint wants its ranges split.
    let enough = |logs: &[Log]| page::is_full(logs, limit);
    let filter = LogFilter {
        from: first,
        to: last,
        any_of: vec![outgoing, incoming],
    };
    let (logs, lowest) = at.logs(filter, enough).await?;

    let mut page = Page::cut(logs, first, lowest, limit)?;
    leave_out_what_is_no_nft(&mut page, at).await?;
    let senders = senders(&page, at).await?;
    let transfers = page.transfers.iter().map(|seen| {
        let sender = senders
            .get(&seen.log.transaction_hash)
            .ok_or_else(incomplete)?;
        Ok(shown.transfer(seen, address, *sender))
    });
    Ok(RecentTransfersData {
        transfers: transfers.collect::<Result<_, ReadError>>()?,
        truncated: page.next.is_some(),
        next: page.next.map(|height| height.to_string()),
        ambiguous: page.ambiguous,
    })
}

/// A log with four topics may be of an ERC-721, or of a token that indexes its amount: the log itself does not say. So its
/// contract is asked (ERC-165), at the block of the answer; what does not say that it is an ERC-721 is left out and counted.
async fn leave_out_what_is_no_nft(page: &mut Page, at: &impl Pinned) -> Result<(), ReadError> {
    let mut contracts: Vec<Address> = page
        .transfers
        .iter()
        .filter(|seen| seen.movement.is_indexed)
        .map(|seen| seen.log.address)
        .collect();
    contracts.sort_unstable();
    contracts.dedup();
    if contracts.is_empty() {
        return Ok(());
    }
    let asks = |contract: &Address| {
        [ERC721, NOBODYS].map(|interface_id| {
            flag(
                *contract,
                &Erc165::supportsInterfaceCall {
                    interfaceId: interface_id,
                },
            )
        })
    };
    let wanted = Wanted {
        calls: contracts.iter().flat_map(asks).collect(),
        ..Wanted::default()
    };
    let said = at.get(wanted).await?.calls;
    let (pairs, []) = said.as_chunks::<2>() else {
        return Err(incomplete());
    };
    if pairs.len() != contracts.len() {
        return Err(incomplete());
    }
    let answers: BTreeMap<Address, bool> = contracts
        .into_iter()
        .zip(
            pairs
                .iter()
                .map(|[nft, nobodys]| is_bool(nft, true) && is_bool(nobodys, false)),
        )
        .collect();
    page.keep(|seen| !seen.movement.is_indexed || answers.get(&seen.log.address) == Some(&true));
    Ok(())
}

fn is_bool(said: &Said, expected: bool) -> bool {
    match said {
        Said::Returned(bytes) => word(bytes, 0) == Some(U256::from(expected)),
        Said::Reverted(_) | Said::TooLong(_) => false,
    }
}

/// Who sent each transaction of the page.
async fn senders(page: &Page, at: &impl Pinned) -> Result<BTreeMap<B256, Address>, ReadError> {
    let mut hashes: Vec<B256> = page
        .transfers
        .iter()
        .map(|seen| seen.log.transaction_hash)
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    if hashes.is_empty() {
        return Ok(BTreeMap::new());
    }
    let senders = at.senders(hashes.clone()).await?;
    if senders.len() != hashes.len() {
        return Err(incomplete());
    }
    Ok(hashes.into_iter().zip(senders).collect())
}

impl Shown {
    fn transfer(self, seen: &Sighting, address: Address, sender: Address) -> Transfer {
        let Sighting { log, movement } = seen;
        let Movement {
            from,
            to,
            number,
            is_indexed,
        } = *movement;
        let moved = if is_indexed {
            Moved::Erc721 {
                token_id: Amount(number),
            }
        } else {
            Moved::Erc20 {
                raw_amount: Amount(number),
            }
        };
        let is_nothing = !is_indexed && number.is_zero();
        let flags = [
            (is_nothing, TransferFlag::ZeroValue),
            (sender != from, TransferFlag::ThirdPartySent),
        ];
        Transfer {
            block_number: log.block_number,
            block_hash: log.block_hash,
            transaction_hash: log.transaction_hash.to_string(),
            log_index: log.log_index,
            token: self.address(log.address),
            from: self.address(from),
            to: self.address(to),
            direction: match (from == address, to == address) {
                (true, true) => Direction::Own,
                (true, false) => Direction::Out,
                (false, _) => Direction::In,
            },
            moved,
            flags: flags
                .into_iter()
                .filter_map(|(is_so, flag)| is_so.then_some(flag))
                .collect(),
        }
    }
}
