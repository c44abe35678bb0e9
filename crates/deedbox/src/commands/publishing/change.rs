//! From a command to the action that it asks for.

use alloy_primitives::{Address, U256};
use deedbox_publish::Action;
use deedbox_registry::{Admission, AgentRegistry, Deployment, NewAgent};

use super::{
    Change, How,
    describe::Describe,
    entries,
    entries::Batch,
    names,
    names::{Contract, Numbered},
};
use crate::{
    cli::{self, AgentChange, Approve, ContractCommand, Deploy, Publishing, RegistrarCommand},
    failure::Failure,
    settings::Flags,
};

const ENTRY: &str = "KEY=VALUE";
pub(super) const ADDRESS: &str = "ADDRESS";
/// A command about registries.
pub(in crate::commands) enum Registry {
    /// It changes something.
    Change(Box<Change>),
    /// It looks.
    Describe(Describe),
}

/// One action that does not depend on who signs.
pub(super) fn one(
    chain_id: u64,
    publishing: Publishing,
    flags: &mut Flags,
    action: Action,
) -> Result<Box<Change>, Failure> {
    by_signer(chain_id, publishing, flags, |_| action)
}

/// One action that depends on who signs.
fn by_signer(
    chain_id: u64,
    publishing: Publishing,
    flags: &mut Flags,
    action: impl FnOnce(Address) -> Action + 'static,
) -> Result<Box<Change>, Failure> {
    Ok(Box::new(Change {
        chain_id,
        how: How::of(publishing, flags)?,
        actions: Box::new(|signer| vec![action(signer)]),
        several: false,
    }))
}

/// Somebody who may be the account that signs.
#[derive(Clone, Copy)]
enum Who {
    Signer,
    Somebody(Address),
}

impl Who {
    fn is(self, signer: Address) -> Address {
        match self {
            Self::Signer => signer,
            Self::Somebody(address) => address,
        }
    }
}

/// Reads a command about registries.
///
/// # Errors
/// [`Failure::Argument`], [`Failure::CannotRead`].
pub(in crate::commands) fn registry(
    command: ContractCommand,
    flags: &mut Flags,
) -> Result<Registry, Failure> {
    let change = match command {
        ContractCommand::Describe {
            registry,
            block,
            keys,
            chains,
        } => {
            chains.add_to(flags);
            let registry = names::registry(&registry)?;
            return Describe::of(registry, &block, &keys).map(Registry::Describe);
        }
        ContractCommand::Deploy(deploy) => self::deploy(deploy, flags)?,
        ContractCommand::Set {
            registry,
            entries,
            publishing,
        } => {
            let Contract { chain_id, address } = names::registry(&registry)?;
            let entries = entries::entries(ENTRY, &entries)?;
            let action = move |entry| Action::SetRegistryMetadata {
                registry: address,
                entry,
            };
            Box::new(Change {
                chain_id,
                how: How::of(publishing, flags)?,
                actions: Box::new(move |_| entries.into_iter().map(action).collect()),
                several: true,
            })
        }
        ContractCommand::Registrar(command) => registrar(command, flags)?,
    };
    Ok(Registry::Change(change))
}

fn deploy(deploy: Deploy, flags: &mut Flags) -> Result<Box<Change>, Failure> {
    let (registry, admission) = match deploy {
        Deploy::Tools { on, publishing } => {
            let action = Action::Deploy(Deployment::Tools);
            return one(on.chain_id, publishing, flags, action);
        }
        Deploy::Open(registry) => (registry, Admission::Open),
        Deploy::Curated(registry) => (registry, Admission::Curated),
        Deploy::FixedSupply {
            max_supply,
            registry,
        } => {
            let max_supply = names::number("--max-supply", &max_supply)?;
            (registry, Admission::FixedSupply { max_supply })
        }
    };
    let cli::AgentRegistry {
        on,
        registrar,
        entries,
        publishing,
    } = registry;
    let registrar = match registrar.as_str() {
        "self" => Who::Signer,
        "nobody" if admission != Admission::Open => {
            let reason = "somebody has to admit agents: name them, or say self. Only an open registry works without a registrar";
            return Err(Failure::argument("--registrar", reason));
        }
        "nobody" => Who::Somebody(Address::ZERO),
        text => Who::Somebody(names::somebody("--registrar", text, on.chain_id)?),
    };
    let metadata = entries::of_new("--set", &entries)?;
    by_signer(on.chain_id, publishing, flags, move |signer| {
        Action::Deploy(Deployment::Agents(AgentRegistry {
            admission,
            registrar: registrar.is(signer),
            metadata,
        }))
    })
}

fn registrar(command: RegistrarCommand, flags: &mut Flags) -> Result<Box<Change>, Failure> {
    match command {
        RegistrarCommand::Nominate {
            registry,
            nominee,
            publishing,
        } => {
            let Contract { chain_id, address } = names::registry(&registry)?;
            let nominee = match nominee.as_str() {
                "nobody" => Address::ZERO,
                text => names::somebody(ADDRESS, text, chain_id)?,
            };
            let action = Action::NominateRegistrar {
                registry: address,
                nominee,
            };
            one(chain_id, publishing, flags, action)
        }
        RegistrarCommand::Accept {
            registry,
            publishing,
        } => {
            let Contract { chain_id, address } = names::registry(&registry)?;
            let action = Action::AcceptRegistrar { registry: address };
            one(chain_id, publishing, flags, action)
        }
        RegistrarCommand::Renounce {
            registry,
            forever,
            publishing,
        } => {
            let Contract { chain_id, address } = names::registry(&registry)?;
            let action = Action::RenounceRegistrar { registry: address };
            let mut change = one(chain_id, publishing, flags, action)?;
            change.how.yes_for_ever = forever.yes_for_ever;
            Ok(change)
        }
    }
}

/// Reads a command about agents.
///
/// # Errors
/// [`Failure::Argument`], [`Failure::CannotRead`].
pub(in crate::commands) fn agent(
    command: AgentChange,
    flags: &mut Flags,
) -> Result<Box<Change>, Failure> {
    match command {
        AgentChange::Register(register) => {
            let Contract { chain_id, address } = names::registry(&register.registry)?;
            let metadata = entries::of_new(ENTRY, &register.entries)?;
            let owner = match &register.owner {
                None => Who::Signer,
                Some(text) => Who::Somebody(names::somebody("--owner", text, chain_id)?),
            };
            by_signer(chain_id, register.publishing, flags, move |signer| {
                Action::RegisterAgent {
                    registry: address,
                    agent: NewAgent {
                        owner: owner.is(signer),
                        metadata,
                    },
                }
            })
        }
        AgentChange::RegisterBatch {
            registry,
            file,
            publishing,
        } => {
            let Contract { chain_id, address } = names::registry(&registry)?;
            let batch = Batch::read(&file, chain_id)?;
            by_signer(chain_id, publishing, flags, move |signer| {
                Action::RegisterAgents {
                    registry: address,
                    agents: batch.owned_by(signer),
                }
            })
        }
        AgentChange::Set {
            agent,
            entries,
            publishing,
        } => {
            let Numbered { registry, id } = names::agent(&agent)?;
            let action = Action::SetAgentMetadata {
                registry: registry.address,
                agent_id: id,
                metadata: entries::entries(ENTRY, &entries)?,
            };
            one(registry.chain_id, publishing, flags, action)
        }
        AgentChange::Transfer {
            agent,
            to,
            publishing,
        } => {
            let Numbered { registry, id } = names::agent(&agent)?;
            let action = Action::TransferAgent {
                registry: registry.address,
                agent_id: id,
                receiver: names::somebody(ADDRESS, &to, registry.chain_id)?,
            };
            one(registry.chain_id, publishing, flags, action)
        }
        AgentChange::Approve(approve) => self::approve(approve, flags),
    }
}

fn approve(approve: Approve, flags: &mut Flags) -> Result<Box<Change>, Failure> {
    match approve {
        Approve::Spender {
            agent,
            spender,
            revoke,
            publishing,
        } => {
            let Numbered { registry, id } = names::agent(&agent)?;
            // One transfer is all that an agent's owner can mean: after it the agent is somebody else's.
            let amount = if revoke { U256::ZERO } else { U256::ONE };
            let action = Action::ApproveSpender {
                registry: registry.address,
                agent_id: id,
                spender: names::somebody(ADDRESS, &spender, registry.chain_id)?,
                amount,
            };
            one(registry.chain_id, publishing, flags, action)
        }
        Approve::Operator {
            registry,
            operator,
            revoke,
            publishing,
        } => {
            let Contract { chain_id, address } = names::registry(&registry)?;
            let action = Action::SetOperator {
                registry: address,
                operator: names::somebody(ADDRESS, &operator, chain_id)?,
                approved: !revoke,
            };
            one(chain_id, publishing, flags, action)
        }
    }
}
