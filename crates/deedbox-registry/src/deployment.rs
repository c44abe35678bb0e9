//! Contracts that can be deployed, with their constructors' arguments: into the code that creates them, and back out of it.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolType, SolValue, abi::TokenSeq};

use crate::{artifact::Artifact, call::NotACall, entry::Entry};

/// A contract to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deployment {
    /// A registry of agents.
    Agents(AgentRegistry),
    /// A registry of tools. It has no owner and no settings.
    Tools,
    /// A predicate that decides who may use a tool.
    Predicate(Predicate),
}

/// A registry of agents to be created (ERC-8122).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRegistry {
    /// Who may register.
    pub admission: Admission,
    /// Who sets the registry's own metadata and, where agents are admitted, admits them. Zero: nobody, ever.
    pub registrar: Address,
    /// The registry's own metadata (ERC-8049).
    pub metadata: Vec<Entry>,
}

/// Who may register agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Anybody.
    Open,
    /// The registrar.
    Curated,
    /// The registrar, up to a number that never changes.
    FixedSupply {
        /// How many agents there will be at most.
        max_supply: U256,
    },
}

/// A predicate to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Nobody has access: how a tool is paused.
    AlwaysDeny,
    /// Accounts on a list per tool, which the tool's creator keeps.
    Allowlist {
        /// The registry whose tools it is for.
        registry: Address,
    },
    /// Accounts in a Merkle tree per tool, whose root the tool's creator sets.
    MerkleAllowlist {
        /// The registry whose tools it is for.
        registry: Address,
    },
    /// Holders of any token of an ERC-721 collection.
    Erc721Holder {
        /// The collection.
        collection: Address,
    },
    /// Holders of one token of an ERC-1155 collection.
    Erc1155Holder {
        /// The collection.
        collection: Address,
        /// The token.
        token_id: U256,
    },
    /// Holders of at least so much of an ERC-20 token.
    Erc20Balance {
        /// The token.
        token: Address,
        /// How much, in its smallest unit.
        min_balance: U256,
    },
    /// Holders of a subscription (ERC-5643) that has not expired.
    Subscription {
        /// The collection of subscriptions.
        collection: Address,
        /// The lowest tier that suffices; 0 for any.
        min_tier: u8,
    },
    /// The owner of one agent.
    AgentOwner {
        /// The registry of agents (ERC-8122).
        agents: Address,
        /// The agent.
        agent_id: U256,
    },
    /// The owner of any agent of a registry.
    AnyAgentOwner {
        /// The registry of agents (ERC-8122).
        agents: Address,
    },
    /// Whoever shows an `AccessProof` that the account signed (ERC-8257, EIP-712).
    AccessProof {
        /// Who alone may ask it: the registry whose tools it is for, or the composite in which it is a term.
        caller: Address,
    },
    /// What several others decide together. A term that malfunctions can only deny.
    Composite {
        /// Who alone may ask it, as for an access proof; zero for anybody. A term that answers one caller only must have this composite
        /// for it, and this one a caller of its own.
        caller: Address,
        /// How their answers combine.
        logic: Logic,
        /// The others. At least one, and no more than the contract says.
        terms: Vec<Term>,
    },
}

/// How requirements combine, as `RequirementLogic` of ERC-8257 numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// All of them.
    All,
    /// Any one.
    Any,
}

/// One term of a composite predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The predicate that is asked.
    pub predicate: Address,
    /// Whether the opposite of its answer counts.
    pub negated: bool,
    /// The gas that it gets, always exactly so much.
    pub gas_limit: u64,
}

impl Predicate {
    /// The contracts that it asks, which have to be there before it. Who may ask it need not be: a composite is deployed after its
    /// terms.
    #[must_use]
    pub fn asks(&self) -> Vec<Address> {
        match self {
            Self::AlwaysDeny | Self::AccessProof { .. } => Vec::new(),
            Self::Allowlist { registry: asked }
            | Self::MerkleAllowlist { registry: asked }
            | Self::Erc721Holder { collection: asked }
            | Self::Erc1155Holder {
                collection: asked, ..
            }
            | Self::Erc20Balance { token: asked, .. }
            | Self::Subscription {
                collection: asked, ..
            }
            | Self::AgentOwner { agents: asked, .. }
            | Self::AnyAgentOwner { agents: asked } => vec![*asked],
            Self::Composite { terms, .. } => terms.iter().map(|term| term.predicate).collect(),
        }
    }
}

impl Deployment {
    /// What its source calls the contract.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Agents(registry) => match registry.admission {
                Admission::Open => "OpenAgentRegistry",
                Admission::Curated => "CuratedAgentRegistry",
                Admission::FixedSupply { .. } => "FixedSupplyAgentRegistry",
            },
            Self::Tools => "ToolRegistry",
            Self::Predicate(predicate) => match predicate {
                Predicate::AlwaysDeny => "AlwaysDenyPredicate",
                Predicate::Allowlist { .. } => "AllowlistPredicate",
                Predicate::MerkleAllowlist { .. } => "MerkleAllowlistPredicate",
                Predicate::Erc721Holder { .. } => "Erc721HolderPredicate",
                Predicate::Erc1155Holder { .. } => "Erc1155HolderPredicate",
                Predicate::Erc20Balance { .. } => "Erc20BalancePredicate",
                Predicate::Subscription { .. } => "SubscriptionPredicate",
                Predicate::AgentOwner { .. } => "AgentOwnerPredicate",
                Predicate::AnyAgentOwner { .. } => "AnyAgentOwnerPredicate",
                Predicate::AccessProof { .. } => "AccessProofPredicate",
                Predicate::Composite { .. } => "CompositePredicate",
            },
        }
    }

    /// What was compiled of it.
    #[must_use]
    pub fn artifact(&self) -> &'static Artifact {
        #[expect(
            clippy::expect_used,
            reason = "every name above is among the artifacts; a test deploys each"
        )]
        Artifact::named(self.name()).expect("the contract is compiled in")
    }

    /// The data of the transaction that creates it: the code, and the constructor's arguments behind it.
    #[must_use]
    pub fn encode(&self) -> Bytes {
        let mut data = self.artifact().bytecode.to_vec();
        data.extend(self.arguments());
        data.into()
    }

    fn arguments(&self) -> Vec<u8> {
        match self {
            Self::Tools => Vec::new(),
            Self::Agents(registry) => {
                let entries = registry.metadata.iter();
                let entries = entries.map(|entry| (entry.key.to_string(), entry.value.clone()));
                let entries: Vec<_> = entries.collect();
                match registry.admission {
                    Admission::Open | Admission::Curated => {
                        (registry.registrar, entries).abi_encode_params()
                    }
                    Admission::FixedSupply { max_supply } => {
                        (registry.registrar, max_supply, entries).abi_encode_params()
                    }
                }
            }
            Self::Predicate(predicate) => match predicate.clone() {
                Predicate::AlwaysDeny => Vec::new(),
                Predicate::Allowlist { registry: address }
                | Predicate::MerkleAllowlist { registry: address }
                | Predicate::Erc721Holder {
                    collection: address,
                }
                | Predicate::AnyAgentOwner { agents: address }
                | Predicate::AccessProof { caller: address } => (address,).abi_encode_params(),
                Predicate::Erc1155Holder {
                    collection: address,
                    token_id: number,
                }
                | Predicate::Erc20Balance {
                    token: address,
                    min_balance: number,
                }
                | Predicate::AgentOwner {
                    agents: address,
                    agent_id: number,
                } => (address, number).abi_encode_params(),
                Predicate::Subscription {
                    collection,
                    min_tier,
                } => (collection, U256::from(min_tier)).abi_encode_params(),
                Predicate::Composite {
                    caller,
                    logic,
                    terms,
                } => {
                    let logic = U256::from(u8::from(logic == Logic::Any));
                    let term = |term: Term| (term.predicate, term.negated, term.gas_limit);
                    let terms: Vec<_> = terms.into_iter().map(term).collect();
                    (caller, logic, terms).abi_encode_params()
                }
            },
        }
    }

    /// Reads the data of a transaction that creates a contract.
    ///
    /// # Errors
    /// [`NotACall`] when it creates none of ours, or with arguments in an encoding that Solidity would not make.
    pub fn decode(data: &[u8]) -> Result<Self, NotACall> {
        let ours = |artifact: &&Artifact| data.starts_with(&artifact.bytecode);
        let artifact = Artifact::all().iter().find(ours).ok_or(NotACall)?;
        let arguments = &data[artifact.bytecode.len()..];
        let deployment = Self::read(&artifact.name, arguments)?;
        (*deployment.encode() == *data)
            .then_some(deployment)
            .ok_or(NotACall)
    }

    fn read(name: &str, arguments: &[u8]) -> Result<Self, NotACall> {
        let agents = |admission| {
            let (registrar, entries) = values::<(Address, Vec<(String, Bytes)>)>(arguments)?;
            registry(admission, registrar, entries)
        };
        let address = || Ok(values::<(Address,)>(arguments)?.0);
        let pair = || values::<(Address, U256)>(arguments);
        Ok(Self::Predicate(match name {
            "OpenAgentRegistry" => return agents(Admission::Open),
            "CuratedAgentRegistry" => return agents(Admission::Curated),
            "FixedSupplyAgentRegistry" => {
                let (registrar, max_supply, entries) =
                    values::<(Address, U256, Vec<(String, Bytes)>)>(arguments)?;
                return registry(Admission::FixedSupply { max_supply }, registrar, entries);
            }
            "ToolRegistry" => return Ok(Self::Tools),
            "AlwaysDenyPredicate" => Predicate::AlwaysDeny,
            "AllowlistPredicate" => Predicate::Allowlist {
                registry: address()?,
            },
            "MerkleAllowlistPredicate" => Predicate::MerkleAllowlist {
                registry: address()?,
            },
            "Erc721HolderPredicate" => Predicate::Erc721Holder {
                collection: address()?,
            },
            "AnyAgentOwnerPredicate" => Predicate::AnyAgentOwner { agents: address()? },
            "Erc1155HolderPredicate" => {
                pair().map(|(collection, token_id)| Predicate::Erc1155Holder {
                    collection,
                    token_id,
                })?
            }
            "Erc20BalancePredicate" => {
                pair().map(|(token, min_balance)| Predicate::Erc20Balance { token, min_balance })?
            }
            "AgentOwnerPredicate" => {
                pair().map(|(agents, agent_id)| Predicate::AgentOwner { agents, agent_id })?
            }
            "SubscriptionPredicate" => {
                let (collection, min_tier) = pair()?;
                Predicate::Subscription {
                    collection,
                    min_tier: min_tier.try_into().map_err(|_| NotACall)?,
                }
            }
            "AccessProofPredicate" => Predicate::AccessProof { caller: address()? },
            "CompositePredicate" => {
                let (caller, logic, terms) =
                    values::<(Address, U256, Vec<(Address, bool, u64)>)>(arguments)?;
                let term = |(predicate, negated, gas_limit)| Term {
                    predicate,
                    negated,
                    gas_limit,
                };
                Predicate::Composite {
                    caller,
                    // Any other number is not encoded so again, and refused by whoever called.
                    logic: if logic.is_zero() {
                        Logic::All
                    } else {
                        Logic::Any
                    },
                    terms: terms.into_iter().map(term).collect(),
                }
            }
            _ => return Err(NotACall),
        }))
    }
}

fn values<V>(arguments: &[u8]) -> Result<V, NotACall>
where
    V: SolValue + From<<V::SolType as SolType>::RustType>,
    for<'a> <V::SolType as SolType>::Token<'a>: TokenSeq<'a>,
{
    V::abi_decode_params(arguments).map_err(|_| NotACall)
}

fn registry(
    admission: Admission,
    registrar: Address,
    entries: Vec<(String, Bytes)>,
) -> Result<Deployment, NotACall> {
    let entry = |(key, value): (String, Bytes)| {
        Entry::new(key.parse().map_err(|_| NotACall)?, value).map_err(|_| NotACall)
    };
    Ok(Deployment::Agents(AgentRegistry {
        admission,
        registrar,
        metadata: entries.into_iter().map(entry).collect::<Result<_, _>>()?,
    }))
}

#[cfg(test)]
mod tests;
