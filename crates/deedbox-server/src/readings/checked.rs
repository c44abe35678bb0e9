//! From the arguments of a reading of a registry to what the registries' room asks for.

use alloy_primitives::hex;
use deedbox_chain::{ReadError, request::AddressText};
use deedbox_core::ReadProvenance;
use deedbox_id::{Address, Checksum, EvmChain, ToolReference, caip::Asset};
use deedbox_registry::{self as registry, AgentId, resolve::Gateway};

use super::{About, ReadingRequest};
use crate::inputs::{ChainBlock, CheckToolAccess, CompareTools, ResolveAgent, VerifyTool};

impl ReadingRequest {
    /// What a policy looks at of a reading of a registry.
    pub(super) fn about_registry(&self) -> Result<About, ReadError> {
        match self {
            Self::Chain(request) => Ok(About {
                chain_ids: vec![request.chain_id()],
                addresses: Vec::new(),
            }),
            Self::Agent(input) => {
                let checked = input.checked()?;
                let spenders = checked.known_spenders.iter();
                let spenders = spenders.map(|one| ("spenders", Address(one.0.0)));
                let registry = ("agent", Address(checked.agent.registry.0.0));
                Ok(about(
                    checked.agent.chain_id,
                    [registry].into_iter().chain(spenders),
                ))
            }
            Self::Tool(input) => {
                let tool = input.checked()?.tool;
                Ok(about(chain_id(&tool)?, [("tool", tool.registry())]))
            }
            Self::Access(input) => {
                let checked = input.checked()?;
                let account = Address(checked.account.0.0);
                let addresses = [("tool", checked.tool.registry()), ("account", account)];
                Ok(about(chain_id(&checked.tool)?, addresses))
            }
            Self::Comparison(input) => {
                let checked = input.checked()?;
                let tools = checked.tools.iter();
                let tools = tools.map(|tool| ("tools", tool.registry()));
                let account = checked.account.map(|one| ("account", Address(one.0.0)));
                let asset = checked.asset.as_ref();
                let asset = asset.and_then(|asset| Some(("asset", asset.evm_contract().ok()?)));
                Ok(About {
                    chain_ids: checked.chains()?,
                    ..about(0, tools.chain(account).chain(asset))
                })
            }
        }
    }
}

fn about(chain_id: u64, addresses: impl IntoIterator<Item = (&'static str, Address)>) -> About {
    let addresses = addresses.into_iter();
    About {
        chain_ids: vec![chain_id],
        addresses: addresses
            .map(|(name, address)| (name.to_owned(), address))
            .collect(),
    }
}

impl ResolveAgent {
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument), naming the argument.
    pub(super) fn checked(&self) -> Result<registry::ResolveAgent, ReadError> {
        let agent: AgentId = self.agent.parse()?;
        let spenders = self.spenders.iter();
        let spender = |text| address("spenders", text, agent.chain_id);
        let checked = registry::ResolveAgent {
            block: self.block,
            keys: self.keys.clone(),
            known_spenders: spenders.map(spender).map(alloy).collect::<Result<_, _>>()?,
            ipfs_gateway: self.ipfs_gateway.as_deref().map(Gateway::new).transpose()?,
            agent,
        };
        checked.check()?;
        Ok(checked)
    }

    /// The same in the one spelling that is recorded.
    pub(super) fn canonical(&self, checked: &registry::ResolveAgent) -> Self {
        let chain_id = checked.agent.chain_id;
        let spenders = checked.known_spenders.iter();
        Self {
            // It is one: it was read.
            agent: checked
                .agent
                .token()
                .map_or_else(|_| self.agent.clone(), |token| token.to_string()),
            spenders: spenders
                .map(|one| spelt(Address(one.0.0), chain_id))
                .collect(),
            ..self.clone()
        }
    }
}

impl VerifyTool {
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument), naming the argument.
    pub(super) fn checked(&self) -> Result<registry::VerifyTool, ReadError> {
        Ok(registry::VerifyTool {
            tool: tool(&self.tool)?,
            block: self.block,
            purpose: self.purpose,
            window: self.window_seconds.map(u64::from),
        })
    }

    /// The same in the one spelling that is recorded.
    pub(super) fn canonical(&self, checked: &registry::VerifyTool) -> Self {
        Self {
            tool: checked.tool.to_string(),
            ..self.clone()
        }
    }
}

impl CheckToolAccess {
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument), naming the argument; also for `data` that looks like a secret.
    pub(super) fn checked(&self) -> Result<registry::CheckToolAccess, ReadError> {
        let tool = tool(&self.tool)?;
        let account = alloy(address("account", &self.account, chain_id(&tool)?))?;
        let data = self.data.as_deref().unwrap_or("0x");
        let digits = data.strip_prefix("0x");
        let data = digits.and_then(|digits| hex::decode(digits).ok());
        let checked = registry::CheckToolAccess {
            tool,
            account,
            data: data.ok_or_else(bad_data)?.into(),
            data_is_public: self.data_is_public,
            block: self.block,
        };
        checked.check()?;
        Ok(checked)
    }

    /// The same in the one spelling that is recorded.
    pub(super) fn canonical(&self, checked: &registry::CheckToolAccess) -> Self {
        let account = Address(checked.account.0.0);
        let chain_id = chain_id(&checked.tool);
        Self {
            tool: checked.tool.to_string(),
            account: chain_id.map_or_else(|_| self.account.clone(), |id| spelt(account, id)),
            data: self.data.as_ref().map(|_| checked.data.to_string()),
            ..self.clone()
        }
    }
}

impl CompareTools {
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument), naming the argument.
    pub(super) fn checked(&self) -> Result<registry::CompareTools, ReadError> {
        let tools = self.tools.iter().map(|text| named("tools", text));
        let tools: Vec<_> = tools.collect::<Result<_, _>>()?;
        // Its checksum is that of the first tool's chain; it is the same account on all.
        let account = match (&self.account, tools.first()) {
            (Some(text), Some(first)) => Some(alloy(address("account", text, chain_id(first)?))?),
            _ => None,
        };
        let asset = self.asset.as_deref().map(str::parse::<Asset>).transpose();
        let blocks = self.blocks.iter().map(|one| (one.chain_id, one.block_hash));
        let checked = registry::CompareTools {
            tools,
            block: self.block,
            blocks: blocks.collect(),
            account,
            asset: asset.map_err(|error| ReadError::invalid("asset", error))?,
            protocols: self.protocols.clone(),
        };
        if checked.blocks.len() < self.blocks.len() {
            return Err(ReadError::invalid("blocks", "name a chain twice"));
        }
        checked.check()?;
        Ok(checked)
    }

    /// The same in the one spelling that is recorded, with the blocks that were read.
    pub(super) fn canonical(
        &self,
        checked: &registry::CompareTools,
        read: &[ReadProvenance],
    ) -> Self {
        let first = checked.tools.first().map(chain_id);
        let spelt = |account: alloy_primitives::Address| match first {
            Some(Ok(id)) => Some(spelt(Address(account.0.0), id)),
            _ => self.account.clone(),
        };
        let blocks = read.iter().map(|at| ChainBlock {
            chain_id: at.chain_id,
            block_hash: at.block_hash,
        });
        Self {
            tools: checked.tools.iter().map(ToString::to_string).collect(),
            blocks: blocks.collect(),
            account: checked.account.and_then(spelt),
            asset: checked
                .asset
                .as_ref()
                .map(|asset| asset.to_lower_case_hex().to_string()),
            ..self.clone()
        }
    }
}

/// What was written is not repeated: it may be a secret.
fn bad_data() -> ReadError {
    ReadError::invalid("data", "must be 0x and an even number of hex digits")
}

fn tool(text: &str) -> Result<ToolReference, ReadError> {
    named("tool", text)
}

/// The tool that an argument names.
fn named(argument: &str, text: &str) -> Result<ToolReference, ReadError> {
    let form = "give eip155:<chain>/erc8257:<registry>/<id>";
    let read = text.parse();
    read.map_err(|error: deedbox_id::Error| {
        ReadError::invalid(argument, format_args!("{error}; {form}"))
    })
}

pub(super) fn chain_id(tool: &ToolReference) -> Result<u64, ReadError> {
    let chain_id = tool.chain().to_u64();
    chain_id.ok_or_else(|| ReadError::invalid("tool", "has a chain id that is not below 2^64"))
}

fn address(
    name: &str,
    AddressText(text): &AddressText,
    chain_id: u64,
) -> Result<Address, ReadError> {
    let chain = EvmChain::try_from(chain_id).map_err(|error| ReadError::invalid(name, error))?;
    let address = Address::parse(text, Checksum::of(chain));
    address
        .map_err(|error| ReadError::invalid(name, format_args!("is not a good address: {error}")))
}

fn alloy(address: Result<Address, ReadError>) -> Result<alloy_primitives::Address, ReadError> {
    address.map(|address| address.0.into())
}

/// An address with the checksum of its chain.
fn spelt(address: Address, chain_id: u64) -> AddressText {
    AddressText(match EvmChain::try_from(chain_id) {
        Ok(chain) => address.to_checksummed(Checksum::of(chain)),
        Err(_) => address.to_string(),
    })
}
