//! From the arguments of a reading of a registry to what the registries' room asks for.

use alloy_primitives::hex;
use deedbox_chain::{ReadError, request::AddressText};
use deedbox_id::{Address, Checksum, EvmChain, ToolReference};
use deedbox_registry::{self as registry, AgentId, resolve::Gateway};

use super::{About, ReadingRequest};
use crate::inputs::{CheckToolAccess, ResolveAgent, VerifyTool};

impl ReadingRequest {
    /// What a policy looks at of a reading of a registry.
    pub(super) fn about_registry(&self) -> Result<About, ReadError> {
        match self {
            Self::Chain(request) => Ok(About {
                chain_id: request.chain_id(),
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
        }
    }
}

fn about(chain_id: u64, addresses: impl IntoIterator<Item = (&'static str, Address)>) -> About {
    let addresses = addresses.into_iter();
    About {
        chain_id,
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

/// What was written is not repeated: it may be a secret.
fn bad_data() -> ReadError {
    ReadError::invalid("data", "must be 0x and an even number of hex digits")
}

fn tool(text: &str) -> Result<ToolReference, ReadError> {
    let form = "give eip155:<chain>/erc8257:<registry>/<id>";
    let read = text.parse();
    read.map_err(|error: deedbox_id::Error| {
        ReadError::invalid("tool", format_args!("{error}; {form}"))
    })
}

fn chain_id(tool: &ToolReference) -> Result<u64, ReadError> {
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
