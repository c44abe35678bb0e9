//! Several tools side by side, for choosing one: each verified now, with its price, its tier and one's access to it, at one block for each
//! chain. What is concluded from what was read is concluded in `table`, which asks nobody.

mod answer;
mod asset;
mod order;
mod table;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::{Address, Bytes};
use deedbox_chain::{
    Block, Chains, ReadError,
    look::{Call, Expects, Wanted},
};
use deedbox_core::{BlockHash, ChainAddress, ReadProvenance, RegistryId, World};
use deedbox_fetch::Fetcher;
use deedbox_id::{ToolReference, caip::Asset};
use deedbox_store::index::Index;
use futures::future::{join_all, try_join_all};

pub use self::{
    answer::{
        ComparedAccess, ComparedPrice, ComparedTool, ComparisonWarning, ConsentFact, Cost,
        PreFilledFact, Registered, ToolComparison,
    },
    asset::{Decimals, DecimalsSource, NoDecimals},
    order::{Because, NotCompared, Placed},
};
use self::{
    asset::Denomination,
    table::{Read, Row},
};
use crate::{
    CheckToolAccess, VerifyTool, check_tool_access,
    tool::{Place, Registration},
    verify::{Purpose, verify_tool},
};

/// How many tools are compared: at least, and at most.
pub const TOOLS: std::ops::RangeInclusive<usize> = 2..=10;
/// How many protocols a caller may name, and of how many characters each.
const MOST_PROTOCOLS: usize = 16;
const MOST_CHARACTERS: usize = 64;

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct CompareTools {
    /// The tools: two to ten, each once.
    pub tools: Vec<ToolReference>,
    /// At which block of each chain. Blocks of several chains cannot be named by one height or hash.
    pub block: Block,
    /// At exactly these blocks instead, for these chains.
    pub blocks: BTreeMap<u64, BlockHash>,
    /// Whose access; none for nobody's.
    pub account: Option<Address>,
    /// In which asset prices are ordered; none for the one that all of them are in, if they are.
    pub asset: Option<Asset>,
    /// Which payment protocols the caller can pay by; none when that is not said.
    pub protocols: Option<Vec<String>>,
}

impl CompareTools {
    /// Checks what can be known before anybody is asked.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument), naming the argument.
    pub fn check(&self) -> Result<(), ReadError> {
        let invalid = |argument, reason: &str| Err(ReadError::invalid(argument, reason));
        if !TOOLS.contains(&self.tools.len()) {
            return invalid("tools", "must name 2 to 10 tools");
        }
        let each: BTreeSet<_> = self.tools.iter().map(ToString::to_string).collect();
        if each.len() < self.tools.len() {
            return invalid("tools", "name a tool twice");
        }
        let chains = self.chains()?;
        if let Some(other) = self.blocks.keys().find(|id| !chains.contains(id)) {
            let reason = format!("name a block of chain {other}, of which nothing is read");
            return Err(ReadError::invalid("blocks", reason));
        }
        let open = chains.iter().filter(|id| !self.blocks.contains_key(id));
        let is_named = matches!(self.block, Block::Latest | Block::Safe | Block::Finalized);
        if open.count() > 1 && !is_named {
            return invalid(
                "block",
                "must be latest, safe or finalized where several chains are read",
            );
        }
        let protocols = self.protocols.as_deref().unwrap_or_default();
        let bad = |one: &String| one.is_empty() || one.chars().count() > MOST_CHARACTERS;
        if protocols.len() > MOST_PROTOCOLS || protocols.iter().any(bad) {
            return invalid(
                "protocols",
                "must be at most 16, each of 1 to 64 characters",
            );
        }
        Ok(())
    }

    /// The chains that are read, the first tool's first: those of the tools, and the asset's. A manifest can name other chains, and those
    /// are not read: nobody allowed that.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument) for a chain that no endpoint can be configured for.
    pub fn chains(&self) -> Result<Vec<u64>, ReadError> {
        let tools = self.tools.iter().map(|tool| Ok(Place::of(tool)?.chain_id));
        let asset = self.asset.as_ref().map(Denomination::of);
        let asset = asset.and_then(|asset| Some(Ok(asset.chain_id()?)));
        let mut chains = Vec::new();
        for id in tools.chain(asset) {
            let id = id?;
            if !chains.contains(&id) {
                chains.push(id);
            }
        }
        Ok(chains)
    }
}

/// Compares tools. Each is verified as [`verify_tool`] does, and the account's access is asked for as [`check_tool_access`] does, without evidence. `index` says when
/// a tool was registered, which no view of a registry does; without one nobody knows.
///
/// # Errors
/// [`ReadError`] when one of the chains could not be read: a comparison without one of its sides is none. That a tool is not there, not
/// verified or not open to the account is an answer.
pub async fn compare_tools(
    chains: &Chains,
    fetcher: &Fetcher,
    world: &dyn World,
    index: Option<&dyn Index>,
    request: &CompareTools,
) -> Result<ToolComparison, ReadError> {
    request.check()?;
    let pins = pin(chains, request).await?;
    let at = |tool: &ToolReference| {
        let pinned = tool
            .chain()
            .to_u64()
            .and_then(|id| pins.iter().find(|pin| pin.chain_id == id));
        pinned.map_or(request.block, |pin| Block::Hash(pin.block_hash))
    };
    let sides = request.tools.iter().map(|tool| {
        let side = side(chains, fetcher, world, index, request, tool, at(tool));
        Box::pin(side)
    });
    let rows = try_join_all(sides).await?;
    let decimals = decimals(chains, &pins, &rows, request).await?;
    // The first tool's: chains are in the order of the tools.
    let Some(provenance) = pins.first().cloned() else {
        return Err(ReadError::invalid("tools", "must name 2 to 10 tools"));
    };
    let read = Read {
        provenance,
        chains: pins,
        decimals,
    };
    Ok(table::compare(request, read, rows))
}

/// Settles one block for each chain.
async fn pin(chains: &Chains, request: &CompareTools) -> Result<Vec<ReadProvenance>, ReadError> {
    let ids = request.chains()?;
    let look = ids.into_iter().map(|id| async move {
        let named = request.blocks.get(&id).copied().map(Block::Hash);
        let block = named.unwrap_or(request.block);
        let looked = chains.look(id, block, Wanted::default()).await?;
        Ok(looked.provenance)
    });
    try_join_all(look).await
}

/// Reads one tool.
async fn side(
    chains: &Chains,
    fetcher: &Fetcher,
    world: &dyn World,
    index: Option<&dyn Index>,
    request: &CompareTools,
    tool: &ToolReference,
    block: Block,
) -> Result<Row, ReadError> {
    let verify = VerifyTool {
        tool: *tool,
        block,
        purpose: Purpose::Interactive,
        window: None,
    };
    let found = Box::pin(verify_tool(chains, fetcher, world, &verify)).await?;
    let is_registered = matches!(found.registration, Registration::Registered { .. });
    let access = match request.account.filter(|_| is_registered) {
        Some(account) => {
            let check = CheckToolAccess {
                tool: *tool,
                account,
                data: Bytes::new(),
                data_is_public: false,
                block,
            };
            Some(Box::pin(check_tool_access(chains, &check)).await?)
        }
        None => None,
    };
    let registered = registered(index, tool, found.provenance.block_number).await;
    Ok(Row {
        found,
        access,
        registered,
    })
}

/// When the tool was registered, as the index has it.
async fn registered(index: Option<&dyn Index>, tool: &ToolReference, upto: u64) -> Registered {
    let (Some(index), Ok(place)) = (index, Place::of(tool)) else {
        return Registered::NotIndexed;
    };
    let registry = RegistryId {
        chain_id: place.chain_id,
        address: ChainAddress(place.registry.0.0),
    };
    match index.tool(registry, place.tool_id).await {
        Err(_) => Registered::IndexUnavailable,
        Ok(entry) => match entry.map(|entry| entry.registered) {
            // Of a block that is not there yet, at the block that was asked about.
            Some(origin) if origin.place.block <= upto => Registered::At {
                block_number: origin.place.block,
                at: origin.block_timestamp,
            },
            _ => Registered::NotIndexed,
        },
    }
}

/// Reads the decimals of the assets that prices are in, as far as their chains are read anyway: one round trip for each chain.
async fn decimals(
    chains: &Chains,
    pins: &[ReadProvenance],
    rows: &[Row],
    request: &CompareTools,
) -> Result<BTreeMap<Denomination, Decimals>, ReadError> {
    let protocols = request.protocols.as_deref();
    let all = rows.iter().flat_map(|row| row.denominations(protocols));
    let all: BTreeSet<Denomination> = all.collect();
    let mut known = BTreeMap::new();
    for one in &all {
        if let Some(decimals) = one.without_asking(|id| {
            let is_read = pins.iter().any(|pin| pin.chain_id == id);
            let described = is_read.then(|| chains.describe(id).ok()).flatten();
            described.map(|chain| chain.native_decimals)
        }) {
            known.insert(one.clone(), decimals);
        }
    }
    let looks = pins.iter().map(|pin| {
        let tokens = all.iter().filter_map(|one| {
            let token = one.token_on(pin.chain_id)?;
            (!known.contains_key(one)).then_some((one, token))
        });
        read_decimals(chains, pin, tokens.collect())
    });
    for read in join_all(looks).await {
        known.extend(read?);
    }
    Ok(known)
}

async fn read_decimals(
    chains: &Chains,
    pin: &ReadProvenance,
    tokens: Vec<(&Denomination, Address)>,
) -> Result<Vec<(Denomination, Decimals)>, ReadError> {
    if tokens.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = Wanted {
        codes: tokens.iter().map(|(_, token)| *token).collect(),
        probes: tokens
            .iter()
            .map(|(_, token)| Call {
                to: *token,
                data: Bytes::from_static(&asset::DECIMALS),
                expects: Expects::Anything,
            })
            .collect(),
        ..Wanted::default()
    };
    let block = Block::Hash(pin.block_hash);
    let looked = chains.look(pin.chain_id, block, wanted).await?;
    let said = looked.got.codes.iter().zip(&looked.got.probes);
    let read = said.map(|(code, said)| Decimals::said(code.is_empty(), said));
    let tokens = tokens.into_iter().map(|(one, _)| one.clone());
    Ok(tokens.zip(read).collect())
}
