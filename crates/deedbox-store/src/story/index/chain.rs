//! A chain for these stories: what is said in its blocks, by a hand that a seed guides.

use deedbox_core::{BlockHash, ChainAddress, ManifestHash, Timestamp, TransactionHash};
use deedbox_id::U256;

use crate::index::{Checkpoint, Fact, Kept, Origin, Place, Statement};

/// A block by its height.
pub(super) fn at(block: u64) -> Checkpoint {
    Checkpoint {
        block,
        hash: hash(block, 0),
    }
}

fn hash(block: u64, branch: u64) -> BlockHash {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&block.to_be_bytes());
    bytes[8..16].copy_from_slice(&branch.to_be_bytes());
    BlockHash(bytes)
}

/// An id.
pub(super) fn at_block(n: u64) -> U256 {
    U256::from(n)
}

/// When a block was made: an hour after the one before it.
pub(super) fn time(block: u64) -> Timestamp {
    let block = i64::try_from(block).unwrap();
    Timestamp::from_millis(1_700_000_000_000 + block * 3_600_000).unwrap()
}

/// Something that was said.
pub(super) fn said(block: u64, log_index: u64, statement: Statement) -> Fact {
    Fact {
        origin: Origin {
            place: Place { block, log_index },
            block_hash: hash(block, 0),
            block_timestamp: time(block),
            transaction: TransactionHash(hash(block, log_index + 1).0),
        },
        statement,
    }
}

/// An agent's new owner.
pub(super) fn moved(agent: u64, from: u8, to: u8) -> Statement {
    Statement::Transferred {
        agent: U256::from(agent),
        from: ChainAddress([from; 20]),
        to: ChainAddress([to; 20]),
        caller: ChainAddress([from; 20]),
        amount: U256::ONE,
    }
}

/// An agent's metadata.
pub(super) fn set(agent: u64, key: &str, value: &[u8]) -> Statement {
    Statement::MetadataSet {
        agent: U256::from(agent),
        key: key.into(),
        value: Kept::new(value),
    }
}

/// A new tool, whose manifest has this hash.
pub(super) fn tool(tool: u64, hash: u8) -> Statement {
    Statement::ToolRegistered {
        tool: U256::from(tool),
        creator: ChainAddress([3; 20]),
        access_predicate: None,
        metadata_uri: uri(hash),
        manifest_hash: ManifestHash([hash; 32]),
    }
}

/// Where the manifest with this hash is.
pub(super) fn uri(hash: u8) -> Kept {
    format!("https://tools.example/.well-known/ai-tool/{hash}.json")
        .as_str()
        .into()
}

/// Randomness that a seed repeats (SplitMix64).
#[derive(Debug)]
pub(super) struct Dice(pub u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }

    fn account(&mut self) -> ChainAddress {
        ChainAddress([u8::try_from(self.roll(4)).unwrap(); 20])
    }

    fn predicate(&mut self) -> Option<ChainAddress> {
        Some(self.account()).filter(|account| account.0 != [0; 20])
    }

    fn value(&mut self) -> Kept {
        match self.roll(6) {
            0 => Kept::default(),
            1 => Kept::new(vec![b'v'; 40_000]),
            2 => Kept::new(*b"\xff\0\xfe"),
            3 => "東京タワー".into(),
            n => format!("value {n} {}", self.roll(100)).as_str().into(),
        }
    }

    fn key(&mut self) -> Kept {
        let keys = [
            "name",
            "description",
            "service",
            "service_type",
            "service/1",
            "service: 1",
            "service[1]",
            "endpoint[mcp]",
            "agent_account",
            "other",
            "a\0b",
        ];
        match self.roll(20) {
            0 => Kept::new(vec![b'k'; 400]),
            1 => Kept::new(*b"\xff\xff"),
            n => keys[usize::try_from(n).unwrap() % keys.len()].into(),
        }
    }

    /// Anything that a registry can say, of one of a few subjects.
    pub(super) fn statement(&mut self) -> Statement {
        let id = U256::from(self.roll(4));
        match self.roll(12) {
            0 | 1 => Statement::Transferred {
                agent: id,
                from: self.account(),
                to: self.account(),
                caller: self.account(),
                amount: U256::from(u64::from(self.roll(5) > 0)),
            },
            2 => Statement::Registered {
                agent: id,
                owner: self.account(),
                service_type: self.value(),
                service: self.value(),
                agent_account: self.predicate(),
            },
            3 => Statement::Approved {
                owner: self.account(),
                spender: self.account(),
                agent: id,
                amount: U256::MAX,
            },
            4 => Statement::OperatorSet {
                owner: self.account(),
                spender: self.account(),
                approved: self.roll(2) == 0,
            },
            5 => Statement::ContractMetadataSet {
                key: self.key(),
                value: self.value(),
            },
            6 => tool(self.roll(3), u8::try_from(self.roll(9)).unwrap()),
            7 => Statement::ToolMetadataUpdated {
                tool: id,
                metadata_uri: self.value(),
                manifest_hash: ManifestHash([u8::try_from(self.roll(9)).unwrap(); 32]),
            },
            8 => match self.roll(3) {
                0 => Statement::ToolDeregistered { tool: id },
                1 => Statement::Upgraded {
                    contract: self.account(),
                    implementation: self.account(),
                },
                _ => Statement::AccessPredicateUpdated {
                    tool: id,
                    access_predicate: self.predicate(),
                },
            },
            _ => Statement::MetadataSet {
                agent: id,
                key: self.key(),
                value: self.value(),
            },
        }
    }

    /// What is said in the blocks from `from` to `upto`, in most of them nothing.
    pub(super) fn facts(&mut self, from: u64, upto: u64) -> Vec<Fact> {
        let mut facts = Vec::new();
        for block in from..=upto {
            let count = self.roll(6).saturating_sub(2);
            let mut log = 0;
            for _ in 0..count {
                log += 1 + self.roll(3);
                facts.push(said(block, log, self.statement()));
            }
        }
        facts
    }
}
