//! What happens on the chain of a test: a seed's hand emits logs, and writes down beside each what it says. What the index should have is
//! made from that, and not from the logs.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::{Address, B256, Bytes, LogData, U256, hex};
use alloy_sol_types::{SolEvent, SolValue};
use deedbox_core::{ChainAddress, ManifestHash, Timestamp};
use deedbox_neighbours::branching::{BranchingChain, Emitted};
use deedbox_registry::{
    abi::{OpenAgentRegistry as Agents, ToolRegistry as Tools},
    sync::{BEACON_UPGRADED, UPGRADED},
};
use deedbox_store::index::{Fact, Kept, Origin, Place, RegistryId, Standard, Statement};

pub(crate) const CHAIN: u64 = 31_337;

/// Numbers from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Hand(pub(crate) u64);

impl Hand {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A followed registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Followed {
    pub(crate) id: RegistryId,
    pub(crate) standard: Standard,
    pub(crate) from: u64,
}

pub(crate) fn address(number: u8) -> Address {
    Address::repeat_byte(number)
}

fn account(number: u8) -> ChainAddress {
    ChainAddress([number; 20])
}

pub(crate) fn registry(number: u8, standard: Standard, from: u64) -> Followed {
    Followed {
        id: RegistryId {
            chain_id: CHAIN,
            address: account(number),
        },
        standard,
        from,
    }
}

/// Contracts that tools name as their predicates.
const PREDICATES: [u8; 4] = [0xe1, 0xe2, 0xe3, 0xe4];
/// A contract that nobody follows.
const STRANGER: u8 = 0xf0;

/// The chain, and what was said on it.
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) chain: BranchingChain,
    pub(crate) followed: Vec<Followed>,
    pub(crate) hand: Hand,
    /// By the hash of the block and the log's index.
    said: BTreeMap<(String, usize), Statement>,
}

impl Life {
    pub(crate) fn new(seed: u64, followed: Vec<Followed>) -> Self {
        Self {
            chain: BranchingChain::new(CHAIN),
            followed,
            hand: Hand(seed),
            said: BTreeMap::new(),
        }
    }

    /// Adds blocks with up to four logs each.
    pub(crate) fn grow(&mut self, blocks: u64) {
        for _ in 0..blocks {
            let logs = self.hand.below(5);
            let logs: Vec<_> = (0..logs).map(|_| self.log()).collect();
            self.block(logs);
        }
    }

    /// Adds a block with these logs.
    pub(crate) fn block(&mut self, logs: Vec<(Emitted, Option<Statement>)>) {
        let (emitted, said): (Vec<_>, Vec<_>) = logs.into_iter().unzip();
        let number = self.chain.grow(emitted);
        let hash = self.chain.hash(number).unwrap();
        for (index, said) in said.into_iter().enumerate() {
            if let Some(said) = said {
                self.said.insert((hash.clone(), index), said);
            }
        }
    }

    fn log(&mut self) -> (Emitted, Option<Statement>) {
        match self.hand.below(10) {
            0 => {
                let which = self.pick(PREDICATES.len());
                upgraded(PREDICATES[which], self.byte())
            }
            1 => {
                let mut log = self.of_agents(STRANGER);
                log.1 = None;
                log
            }
            _ => {
                let which = self.pick(self.followed.len());
                let one = self.followed[which];
                let address = one.id.address.0[0];
                match one.standard {
                    Standard::Erc8122 => self.of_agents(address),
                    Standard::Erc8257 => self.of_tools(address),
                }
            }
        }
    }

    fn pick(&mut self, of: usize) -> usize {
        usize::try_from(self.hand.below(u64::try_from(of).unwrap())).unwrap()
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(1 + self.hand.below(5)).unwrap()
    }

    fn of_agents(&mut self, registry: u8) -> (Emitted, Option<Statement>) {
        let agent = U256::from(self.hand.below(6));
        let (from, to) = (self.byte(), self.byte());
        match self.hand.below(9) {
            0 => {
                let amount = U256::from(1 + self.hand.below(8) / 7);
                transferred(registry, agent, (from, to), amount)
            }
            1 => transferred(registry, agent, (0, to), U256::from(1)),
            2 => {
                let event = Agents::Registered {
                    agentId: agent,
                    owner: address(to),
                    service_type: "mcp".to_owned(),
                    service: "https://a.example/ä".to_owned(),
                    agent_account: address(from - 1),
                };
                let statement = Statement::Registered {
                    agent,
                    owner: account(to),
                    service_type: "mcp".into(),
                    service: "https://a.example/ä".into(),
                    agent_account: (from > 1).then(|| account(from - 1)),
                };
                (emitted(registry, &event.encode_log_data()), Some(statement))
            }
            3 => {
                let event = Agents::Approval {
                    owner: address(from),
                    spender: address(to),
                    id: agent,
                    amount: U256::MAX,
                };
                let statement = Statement::Approved {
                    owner: account(from),
                    spender: account(to),
                    agent,
                    amount: U256::MAX,
                };
                (emitted(registry, &event.encode_log_data()), Some(statement))
            }
            4 => {
                let approved = self.hand.one_in(2);
                let event = Agents::OperatorSet {
                    owner: address(from),
                    spender: address(to),
                    approved,
                };
                let statement = Statement::OperatorSet {
                    owner: account(from),
                    spender: account(to),
                    approved,
                };
                (emitted(registry, &event.encode_log_data()), Some(statement))
            }
            5 => {
                let (log, _) = metadata(registry, None, b"name", b"A registry");
                let statement = Statement::ContractMetadataSet {
                    key: "name".into(),
                    value: "A registry".into(),
                };
                (log, Some(statement))
            }
            6 => {
                // Cut short: it says nothing.
                let (mut log, _) = metadata(registry, Some(agent), b"name", b"Broken");
                log.data.truncate(2 + 2 * 70);
                (log, None)
            }
            _ => {
                let values: [&[u8]; 5] =
                    [b"Alpha", b"", b"\xff\xfe", "日本語".as_bytes(), b"Beta one"];
                let keys: [&[u8]; 3] = [b"name", b"description", b"\xc3"];
                let (which_key, which_value) = (self.pick(3), self.pick(5));
                let (key, value) = (keys[which_key], values[which_value]);
                metadata(registry, Some(agent), key, value)
            }
        }
    }

    fn of_tools(&mut self, registry: u8) -> (Emitted, Option<Statement>) {
        let tool = U256::from(self.hand.below(6));
        let (creator, hash) = (self.byte(), self.byte());
        let predicate = [0, 0xe1, 0xe2, 0xe3, 0xe4][self.pick(5)];
        let named = (predicate > 0).then(|| account(predicate));
        let uri = format!("https://t.example/{hash}.json");
        match self.hand.below(6) {
            0 | 1 => {
                let event = Tools::ToolRegistered {
                    toolId: tool,
                    creator: address(creator),
                    accessPredicate: address(predicate),
                    metadataURI: uri.clone(),
                    manifestHash: B256::repeat_byte(hash),
                };
                let statement = Statement::ToolRegistered {
                    tool,
                    creator: account(creator),
                    access_predicate: named,
                    metadata_uri: uri.as_str().into(),
                    manifest_hash: ManifestHash([hash; 32]),
                };
                (emitted(registry, &event.encode_log_data()), Some(statement))
            }
            2 => {
                let event = Tools::ToolMetadataUpdated {
                    toolId: tool,
                    newURI: uri.clone(),
                    newHash: B256::repeat_byte(hash),
                };
                let statement = Statement::ToolMetadataUpdated {
                    tool,
                    metadata_uri: uri.as_str().into(),
                    manifest_hash: ManifestHash([hash; 32]),
                };
                (emitted(registry, &event.encode_log_data()), Some(statement))
            }
            3 => predicate_set(registry, tool, predicate),
            4 => {
                let event = Tools::ToolDeregistered { toolId: tool };
                let statement = Statement::ToolDeregistered { tool };
                (emitted(registry, &event.encode_log_data()), Some(statement))
            }
            _ => upgraded(registry, hash),
        }
    }

    /// What the index should have of a registry, up to the newest block.
    pub(crate) fn facts(&self, of: Followed) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut predicates = BTreeSet::new();
        for number in of.from..=self.chain.height() {
            let hash = self.chain.hash(number).unwrap();
            for (index, log) in self.chain.logs(number).iter().enumerate() {
                let Some(said) = self.said.get(&(hash.clone(), index)) else {
                    continue;
                };
                let by: ChainAddress = log.address.parse().unwrap();
                let counts =
                    by == of.id.address || (is_of_proxies(said) && predicates.contains(&by));
                if !counts {
                    continue;
                }
                if let Statement::ToolRegistered {
                    access_predicate, ..
                }
                | Statement::AccessPredicateUpdated {
                    access_predicate, ..
                } = said
                {
                    predicates.extend(*access_predicate);
                }
                let log_index = u64::try_from(index).unwrap();
                let seconds = i64::try_from(BranchingChain::timestamp(number)).unwrap();
                facts.push(Fact {
                    origin: Origin {
                        place: Place {
                            block: number,
                            log_index,
                        },
                        block_hash: hash.parse().unwrap(),
                        block_timestamp: Timestamp::from_millis(seconds * 1_000).unwrap(),
                        transaction: BranchingChain::transaction(number, log_index)
                            .parse()
                            .unwrap(),
                    },
                    statement: said.clone(),
                });
            }
        }
        facts
    }
}

pub(crate) fn emitted(by: u8, data: &LogData) -> Emitted {
    Emitted {
        address: format!("{:#x}", address(by)),
        topics: data
            .topics()
            .iter()
            .map(|topic| format!("{topic:#x}"))
            .collect(),
        data: hex::encode_prefixed(&data.data),
    }
}

pub(crate) fn transferred(
    registry: u8,
    agent: U256,
    (from, to): (u8, u8),
    amount: U256,
) -> (Emitted, Option<Statement>) {
    let event = Agents::Transfer {
        caller: address(9),
        sender: address(from),
        receiver: address(to),
        id: agent,
        amount,
    };
    let statement = Statement::Transferred {
        agent,
        from: account(from),
        to: account(to),
        caller: account(9),
        amount,
    };
    (emitted(registry, &event.encode_log_data()), Some(statement))
}

/// An agent's metadata, or a registry's own. The bytes need not be text, so the event is put together by hand.
pub(crate) fn metadata(
    registry: u8,
    agent: Option<U256>,
    key: &[u8],
    value: &[u8],
) -> (Emitted, Option<Statement>) {
    let hash = alloy_primitives::keccak256(key);
    let bytes = |bytes: &[u8]| Bytes::copy_from_slice(bytes);
    let data = (bytes(key), bytes(value)).abi_encode_params();
    let (topics, statement) = match agent {
        Some(agent) => (
            vec![Agents::MetadataSet::SIGNATURE_HASH, agent.into(), hash],
            Some(Statement::MetadataSet {
                agent,
                key: Kept::new(key),
                value: Kept::new(value),
            }),
        ),
        None => (
            vec![Agents::ContractMetadataUpdated::SIGNATURE_HASH, hash],
            None,
        ),
    };
    let data = LogData::new_unchecked(topics, data.into());
    (emitted(registry, &data), statement)
}

pub(crate) fn predicate_set(
    registry: u8,
    tool: U256,
    predicate: u8,
) -> (Emitted, Option<Statement>) {
    let event = Tools::AccessPredicateUpdated {
        toolId: tool,
        newPredicate: address(predicate),
    };
    let statement = Statement::AccessPredicateUpdated {
        tool,
        access_predicate: (predicate > 0).then(|| account(predicate)),
    };
    (emitted(registry, &event.encode_log_data()), Some(statement))
}

/// A proxy asks another beacon for its code.
pub(crate) fn beacon_upgraded(contract: u8, beacon: u8) -> (Emitted, Option<Statement>) {
    let topics = vec![BEACON_UPGRADED, address(beacon).into_word()];
    let data = LogData::new_unchecked(topics, Bytes::new());
    let statement = Statement::BeaconUpgraded {
        contract: account(contract),
        beacon: account(beacon),
    };
    (emitted(contract, &data), Some(statement))
}

fn is_of_proxies(said: &Statement) -> bool {
    matches!(
        said,
        Statement::Upgraded { .. } | Statement::BeaconUpgraded { .. }
    )
}

pub(crate) fn upgraded(contract: u8, implementation: u8) -> (Emitted, Option<Statement>) {
    let topics = vec![UPGRADED, address(implementation).into_word()];
    let data = LogData::new_unchecked(topics, Bytes::new());
    let statement = Statement::Upgraded {
        contract: account(contract),
        implementation: account(implementation),
    };
    (emitted(contract, &data), Some(statement))
}
