//! The pure functions of the index: subjects, folding, services, searches.

mod cursors;
mod folding;
mod searching;
mod service_keys;
mod subjects;

use deedbox_core::{BlockHash, ChainAddress, ManifestHash, Timestamp, TransactionHash};
use deedbox_id::U256;

use super::*;

pub(super) fn registry(n: u8) -> RegistryId {
    RegistryId {
        chain_id: 1,
        address: ChainAddress([n; 20]),
    }
}

pub(super) fn account(n: u8) -> ChainAddress {
    ChainAddress([n; 20])
}

pub(super) fn id(n: u64) -> U256 {
    U256::from(n)
}

/// One block every twelve seconds since 2026-01-01.
pub(super) fn origin(block: u64, log_index: u64) -> Origin {
    let millis = 1_767_225_600_000 + i64::try_from(block).unwrap() * 12_000;
    Origin {
        place: Place { block, log_index },
        block_hash: BlockHash([7; 32]),
        block_timestamp: Timestamp::from_millis(millis).unwrap(),
        transaction: TransactionHash([9; 32]),
    }
}

pub(super) fn said(block: u64, statement: Statement) -> Fact {
    Fact {
        origin: origin(block, 0),
        statement,
    }
}

pub(super) fn moved(agent: u64, from: u8, to: u8, amount: u64) -> Statement {
    Statement::Transferred {
        agent: id(agent),
        from: account(from),
        to: account(to),
        caller: account(from),
        amount: id(amount),
    }
}

pub(super) fn set(agent: u64, key: &str, value: &[u8]) -> Statement {
    Statement::MetadataSet {
        agent: id(agent),
        key: key.into(),
        value: Kept::new(value),
    }
}

pub(super) fn tool(n: u64, predicate: Option<ChainAddress>) -> Statement {
    Statement::ToolRegistered {
        tool: id(n),
        creator: account(1),
        access_predicate: predicate,
        metadata_uri: "https://a.example/.well-known/ai-tool/x.json".into(),
        manifest_hash: ManifestHash([1; 32]),
    }
}

pub(super) fn folded(facts: &[Fact]) -> Option<Entry> {
    Entry::fold(None, registry(1), facts)
}

pub(super) fn agent(facts: &[Fact]) -> AgentEntry {
    match folded(facts) {
        Some(Entry::Agent(agent)) => agent,
        other => panic!("{other:?}"),
    }
}
