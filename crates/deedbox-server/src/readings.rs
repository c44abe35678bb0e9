//! Every reading that can be asked for: those of chains, and those of the registries on them. The server, the command line
//! and whoever reads again what was recorded ask for one in the same way.

mod checked;

use std::sync::Arc;

use deedbox_chain::{Block, Chains, Code, ReadError, Request, request::AddressText};
use deedbox_core::{BlockHash, ChainAddress, ReadProvenance, Reading, RegistryId, ToolName, World};
use deedbox_fetch::Fetcher;
use deedbox_id::{Address, U256};
use deedbox_registry::{check_tool_access, compare_tools, resolve_agent, verify_tool};
use deedbox_store::index::{Index, ManifestCheck, ServedManifest};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    inputs::{self, CheckToolAccess, CompareTools, ResolveAgent, VerifyTool},
    operations::Tool,
};

/// `resolve_agent`
pub const RESOLVE_AGENT: ToolName = ToolName::known("resolve_agent");
/// `verify_tool`
pub const VERIFY_TOOL: ToolName = ToolName::known("verify_tool");
/// `check_tool_access`
pub const CHECK_TOOL_ACCESS: ToolName = ToolName::known("check_tool_access");
/// `compare_tools`
pub const COMPARE_TOOLS: ToolName = ToolName::known("compare_tools");

/// A reading that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ReadingRequest {
    /// One of the five that read a chain.
    Chain(Request),
    /// `resolve_agent`.
    Agent(ResolveAgent),
    /// `verify_tool`.
    Tool(VerifyTool),
    /// `check_tool_access`.
    Access(CheckToolAccess),
    /// `compare_tools`.
    Comparison(CompareTools),
}

/// What a policy looks at of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The ids (EIP-155) of the chains that are read; one at least.
    pub chain_ids: Vec<u64>,
    /// Every address in the arguments, with the argument's name.
    pub addresses: Vec<(String, Address)>,
}

impl ReadingRequest {
    /// Reads the arguments of `tool`.
    ///
    /// # Errors
    /// [`InvalidArgument`](Code::InvalidArgument), naming the argument; also for a tool that takes no reading.
    pub fn read(tool: &str, arguments: Map<String, Value>) -> Result<Self, ReadError> {
        let bad = |refusal: deedbox_core::Refusal| {
            ReadError::new(Code::InvalidArgument, refusal.to_string())
        };
        Ok(match tool {
            "resolve_agent" => Self::Agent(inputs::read(arguments).map_err(bad)?),
            "verify_tool" => Self::Tool(inputs::read(arguments).map_err(bad)?),
            "check_tool_access" => Self::Access(inputs::read(arguments).map_err(bad)?),
            "compare_tools" => Self::Comparison(inputs::read(arguments).map_err(bad)?),
            _ => Self::Chain(Request::read(tool, arguments)?),
        })
    }

    /// Which tool it is.
    #[must_use]
    pub const fn tool(&self) -> Tool {
        match self {
            Self::Chain(Request::NativeBalance(_)) => Tool::GetNativeBalance,
            Self::Chain(Request::Erc20Balance(_)) => Tool::GetErc20Balance,
            Self::Chain(Request::TokenMetadata(_)) => Tool::GetTokenMetadata,
            Self::Chain(Request::PoolReserves(_)) => Tool::GetPoolReserves,
            Self::Chain(Request::RecentTransfers(_)) => Tool::ListRecentTransfers,
            Self::Agent(_) => Tool::ResolveAgent,
            Self::Tool(_) => Tool::VerifyTool,
            Self::Access(_) => Tool::CheckToolAccess,
            Self::Comparison(_) => Tool::CompareTools,
        }
    }

    /// The same, at another block: how a reading is taken again where it was taken before.
    #[must_use]
    pub fn at(self, at: BlockHash) -> Self {
        let block = Block::Hash(at);
        match self {
            Self::Chain(request) => Self::Chain(request.at(at)),
            Self::Agent(input) => Self::Agent(ResolveAgent { block, ..input }),
            Self::Tool(input) => Self::Tool(VerifyTool { block, ..input }),
            Self::Access(input) => Self::Access(CheckToolAccess { block, ..input }),
            // The blocks that were recorded stay: there is one for each chain.
            Self::Comparison(input) => Self::Comparison(CompareTools { block, ..input }),
        }
    }

    /// The chain, and every address in it. Whether an address of a reading of a chain carries the right checksum is found out by
    /// [`check`](Self::check); which address it is does not depend on that.
    ///
    /// # Errors
    /// [`InvalidArgument`](Code::InvalidArgument) for a text that is no address, and no name of an agent or a tool.
    pub fn about(&self) -> Result<About, ReadError> {
        let Self::Chain(request) = self else {
            return self.about_registry();
        };
        let read = |(name, AddressText(text)): (&str, &AddressText)| {
            let address = text.to_ascii_lowercase().parse::<Address>();
            let address = address.map_err(|error| ReadError::invalid(name, error))?;
            Ok((name.to_owned(), address))
        };
        let addresses = request.addresses().into_iter().map(read);
        Ok(About {
            chain_ids: vec![request.chain_id()],
            addresses: addresses.collect::<Result<_, _>>()?,
        })
    }

    /// The registries that a reading is of, each once, in the order in which they are named; none for one of a chain.
    ///
    /// # Errors
    /// As [`about`](Self::about).
    pub fn registries(&self) -> Result<Vec<RegistryId>, ReadError> {
        let tools = match self {
            Self::Chain(_) => Vec::new(),
            Self::Agent(input) => {
                let agent = input.checked()?.agent;
                return Ok(vec![RegistryId {
                    chain_id: agent.chain_id,
                    address: ChainAddress(agent.registry.0.0),
                }]);
            }
            Self::Tool(input) => vec![input.checked()?.tool],
            Self::Access(input) => vec![input.checked()?.tool],
            Self::Comparison(input) => input.checked()?.tools,
        };
        let mut registries = Vec::new();
        for tool in tools {
            let id = RegistryId {
                chain_id: checked::chain_id(&tool)?,
                address: ChainAddress(tool.registry().0),
            };
            if !registries.contains(&id) {
                registries.push(id);
            }
        }
        Ok(registries)
    }

    /// Checks whatever depends on the chain, or on two arguments at once.
    ///
    /// # Errors
    /// [`InvalidArgument`](Code::InvalidArgument), naming the argument.
    pub fn check(&self) -> Result<(), ReadError> {
        match self {
            Self::Chain(request) => request.check().map(drop),
            Self::Agent(input) => input.checked().map(drop),
            Self::Tool(input) => input.checked().map(drop),
            Self::Access(input) => input.checked().map(drop),
            Self::Comparison(input) => input.checked().map(drop),
        }
    }
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The reading, as it is recorded.
    pub reading: Reading,
    /// Of `verify_tool`, the document that was served, byte by byte. It is not recorded: its hash is.
    pub served: Option<Vec<u8>>,
    /// Of `verify_tool` at the head of a chain, what an index keeps of it, if it has that tool.
    pub check: Option<Box<Check>>,
}

/// A check of a tool's manifest, for an index.
#[derive(Clone, Debug)]
pub struct Check {
    /// The tool's id in its registry.
    pub tool_id: U256,
    /// What was found.
    pub found: ManifestCheck,
    /// What was served.
    pub served: Option<ServedManifest>,
}

/// Takes readings: of chains, and for manifests of the web.
#[derive(Clone, Debug)]
pub struct Reader {
    chains: Arc<Chains>,
    fetcher: Arc<Fetcher>,
    world: Arc<dyn World>,
}

impl Reader {
    /// One that asks these. Connects to nothing.
    #[must_use]
    pub fn new(chains: Arc<Chains>, fetcher: Arc<Fetcher>, world: Arc<dyn World>) -> Self {
        Self {
            chains,
            fetcher,
            world,
        }
    }

    /// The chains that it asks.
    #[must_use]
    pub fn chains(&self) -> &Arc<Chains> {
        &self.chains
    }

    /// What fetches manifests for it.
    #[must_use]
    pub fn fetcher(&self) -> &Arc<Fetcher> {
        &self.fetcher
    }

    /// Takes a reading. Asks no policy, and records nothing. `index` adds to a comparison when its tools were registered, and to nothing
    /// else.
    ///
    /// # Errors
    /// [`ReadError`]: there is no reading. What a registry says of an agent, a tool or an account, "no" included, is one.
    pub async fn read(
        &self,
        request: &ReadingRequest,
        index: Option<&dyn Index>,
    ) -> Result<Taken, ReadError> {
        let chains = &*self.chains;
        match request {
            ReadingRequest::Chain(request) => Ok(Taken {
                reading: chains.read(request).await?,
                served: None,
                check: None,
            }),
            ReadingRequest::Agent(input) => {
                let checked = input.checked()?;
                let found = Box::pin(resolve_agent(chains, &checked)).await?;
                let arguments = input.canonical(&checked);
                taken(RESOLVE_AGENT, &arguments, found.provenance.clone(), &found)
            }
            ReadingRequest::Tool(input) => {
                let checked = input.checked()?;
                let world = &*self.world;
                let verified = Box::pin(verify_tool(chains, &self.fetcher, world, &checked));
                let found = verified.await?;
                let arguments = input.canonical(&checked);
                let provenance = found.provenance.clone();
                let mut taken = taken(VERIFY_TOOL, &arguments, provenance, &found)?;
                // What was registered long ago is no news.
                if is_moving(input.block) {
                    let tool_id = checked.tool.tool_id();
                    let record = found.record();
                    taken.check = record.map(|(found, served)| {
                        Box::new(Check {
                            tool_id,
                            found,
                            served,
                        })
                    });
                }
                taken.served = found.served;
                Ok(taken)
            }
            ReadingRequest::Access(input) => {
                let checked = input.checked()?;
                let found = Box::pin(check_tool_access(chains, &checked)).await?;
                let arguments = input.canonical(&checked);
                let provenance = found.provenance.clone();
                taken(CHECK_TOOL_ACCESS, &arguments, provenance, &found)
            }
            ReadingRequest::Comparison(input) => {
                let checked = input.checked()?;
                let world = &*self.world;
                let compared = compare_tools(chains, &self.fetcher, world, index, &checked);
                let found = Box::pin(compared).await?;
                let arguments = input.canonical(&checked, &found.chains);
                let provenance = found.provenance.clone();
                taken(COMPARE_TOOLS, &arguments, provenance, &found)
            }
        }
    }
}

fn taken(
    tool: ToolName,
    arguments: &impl Serialize,
    provenance: ReadProvenance,
    found: &impl Serialize,
) -> Result<Taken, ReadError> {
    Ok(Taken {
        reading: Reading {
            tool,
            arguments: object(arguments)?,
            data: object(found)?,
            provenance,
        },
        served: None,
        check: None,
    })
}

/// Whether a block is named by where the chain is, and not by height or hash.
const fn is_moving(block: Block) -> bool {
    matches!(block, Block::Latest | Block::Safe | Block::Finalized)
}

fn object(value: &impl Serialize) -> Result<Map<String, Value>, ReadError> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => Ok(map),
        // Unreachable: each of them is a struct of texts, numbers and lists.
        _ => Err(ReadError::new(
            Code::InvalidResponse,
            "what was read cannot be written as JSON, so it is not told",
        )),
    }
}

#[cfg(test)]
mod tests;
