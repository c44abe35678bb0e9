//! What a registry says about a tool (ERC-8257 §1): `getToolConfig`, and nothing that a manifest says.

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use deedbox_chain::{
    Block, Chains, ReadError, UntrustedText,
    look::{Expects, Said, Wanted},
};
use deedbox_core::{ChainAddress, ManifestHash, ReadProvenance};
use deedbox_id::ToolReference;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    abi::ToolRegistry as Tools,
    inspect::{self, Kind, Proxy, SLOTS, probe},
    limits::METADATA_URI_BYTES,
    view::{self, Unreadable, account},
    words,
};

/// What a registry says about a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Registration {
    /// The tool is registered.
    Registered {
        /// With this.
        #[serde(flatten)]
        config: ToolConfig,
    },
    /// No tool was ever registered under this id (`ToolNotFound`).
    NotFound,
    /// The tool was removed for ever by its creator (`ToolIsDeregistered`).
    Deregistered,
    /// The contract answers otherwise than a registry of tools does: the address is wrong, or the contract is.
    WrongContract {
        /// What stands at the address.
        contract: Kind,
        /// What it answered.
        #[serde(flatten)]
        cause: Unreadable,
    },
}

/// What is registered of a tool: `ToolConfig` of ERC-8257 §1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolConfig {
    /// Who registered it.
    pub creator: ChainAddress,
    /// Where its manifest is, as the creator wrote it. A stranger's text, of at most 2,048 characters.
    pub metadata_uri: UntrustedText,
    /// keccak256 over the manifest's canonical bytes.
    pub manifest_hash: ManifestHash,
    /// The contract that decides on access; null for everybody.
    pub access_predicate: Option<ChainAddress>,
    /// The URI whole, as it is registered.
    #[serde(skip)]
    pub uri_bytes: Bytes,
}

impl ToolConfig {
    /// The URI whole; none when it is no UTF-8.
    #[must_use]
    pub fn uri(&self) -> Option<&str> {
        std::str::from_utf8(&self.uri_bytes).ok()
    }
}

/// What is known of the registry itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryCode {
    /// keccak256 over its code; null where there is none. To be compared with one that was pinned.
    #[schemars(with = "Option<String>")]
    pub code_hash: Option<B256>,
    /// What makes it a proxy (ERC-1967): whoever controls that can replace what the registry says.
    pub proxy: Option<Proxy>,
}

/// A tool as it was seen at one block.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) provenance: ReadProvenance,
    pub(crate) registration: Registration,
    pub(crate) registry: RegistryCode,
}

/// Where a tool is: chain, registry and id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) chain_id: u64,
    pub(crate) registry: Address,
    pub(crate) tool_id: U256,
}

impl Place {
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument) for a chain that no endpoint can be configured for.
    pub(crate) fn of(tool: &ToolReference) -> Result<Self, ReadError> {
        let chain_id = tool.chain().to_u64();
        Ok(Self {
            chain_id: chain_id.ok_or_else(|| {
                ReadError::invalid("tool", "has a chain id that is not below 2^64")
            })?,
            registry: Address::from(tool.registry().0),
            tool_id: tool.tool_id(),
        })
    }

    /// Reads what the registry says. One round trip; two more to find out what answers instead of one.
    pub(crate) async fn see(self, chains: &Chains, block: Block) -> Result<Seen, ReadError> {
        let call = Tools::getToolConfigCall {
            toolId: self.tool_id,
        };
        let wanted = Wanted {
            codes: vec![self.registry],
            storage: SLOTS.iter().map(|slot| (self.registry, *slot)).collect(),
            probes: vec![probe(self.registry, &call, Expects::Anything)],
            ..Wanted::default()
        };
        let looked = chains.look(self.chain_id, block, wanted).await?;
        let code = looked.got.codes.first().filter(|code| !code.is_empty());
        let registration = match config(looked.got.probes.first()) {
            Ok(config) => Registration::Registered { config },
            Err(cause) if cause.is_error("ToolNotFound") => Registration::NotFound,
            Err(cause) if cause.is_error("ToolIsDeregistered") => Registration::Deregistered,
            Err(cause) => {
                let at = Block::Hash(looked.provenance.block_hash);
                let found = inspect::inspect(chains, self.chain_id, at, self.registry).await?;
                Registration::WrongContract {
                    contract: found.kind,
                    cause,
                }
            }
        };
        Ok(Seen {
            registration,
            registry: RegistryCode {
                code_hash: code.map(keccak256),
                proxy: Proxy::of(&looked.got.storage),
            },
            provenance: looked.provenance,
        })
    }
}

/// Reads what one registry says about many of its tools, all at one block and in as few requests as the endpoint allows. None for a tool
/// about which it says something that has to be [looked at](Place::see) for itself.
pub(crate) async fn see_many(
    chains: &Chains,
    chain_id: u64,
    registry: Address,
    tool_ids: &[U256],
    block: Block,
) -> Result<Vec<Option<Seen>>, ReadError> {
    let calls = tool_ids.iter().map(|tool_id| {
        let call = Tools::getToolConfigCall { toolId: *tool_id };
        probe(registry, &call, Expects::Anything)
    });
    let wanted = Wanted {
        codes: vec![registry],
        storage: SLOTS.iter().map(|slot| (registry, *slot)).collect(),
        calls: calls.collect(),
        ..Wanted::default()
    };
    let looked = chains.look(chain_id, block, wanted).await?;
    let code = looked.got.codes.first().filter(|code| !code.is_empty());
    let of_registry = RegistryCode {
        code_hash: code.map(keccak256),
        proxy: Proxy::of(&looked.got.storage),
    };
    let said = looked.got.calls.iter().map(|said| {
        let registration = match config(Some(said)) {
            Ok(config) => Registration::Registered { config },
            Err(cause) if cause.is_error("ToolNotFound") => Registration::NotFound,
            Err(cause) if cause.is_error("ToolIsDeregistered") => Registration::Deregistered,
            Err(_) => return None,
        };
        Some(Seen {
            provenance: looked.provenance.clone(),
            registration,
            registry: of_registry,
        })
    });
    Ok(said.collect())
}

/// Reads the tuple, strictly. A tool without a creator is none: nobody sends from the zero address.
fn config(said: Option<&Said>) -> Result<ToolConfig, Unreadable> {
    view::value(said, |data| {
        let tuple = words::tail(data, 0)?;
        let creator = words::address(tuple, 0).filter(|creator| !creator.is_zero())?;
        let uri = words::bytes(tuple, 1)?;
        let predicate = words::address(tuple, 3)?;
        Some(ToolConfig {
            creator: account(creator),
            metadata_uri: UntrustedText::read_long(uri, METADATA_URI_BYTES),
            manifest_hash: ManifestHash(*words::word(tuple, 2)?),
            access_predicate: (!predicate.is_zero()).then(|| account(predicate)),
            uri_bytes: Bytes::copy_from_slice(uri),
        })
    })
}

#[cfg(test)]
mod tests {
    use alloy_sol_types::SolCall as _;

    use super::*;

    fn encoded(creator: Address) -> Vec<u8> {
        let config = crate::abi::ToolConfig {
            creator,
            metadataURI: "https://example.com/.well-known/ai-tool/a.json".to_owned(),
            manifestHash: B256::repeat_byte(7),
            accessPredicate: Address::repeat_byte(3),
        };
        Tools::getToolConfigCall::abi_encode_returns(&config)
    }

    fn read(data: Vec<u8>) -> Result<ToolConfig, Unreadable> {
        config(Some(&Said::Returned(Bytes::from(data))))
    }

    #[test]
    fn a_config_is_read_as_solidity_writes_it() {
        let config = read(encoded(Address::repeat_byte(1))).unwrap();
        assert_eq!(config.creator, ChainAddress([1; 20]));
        assert_eq!(config.access_predicate, Some(ChainAddress([3; 20])));
        assert_eq!(config.manifest_hash, ManifestHash([7; 32]));
        assert_eq!(config.uri(), Some(&*config.metadata_uri.text));
    }

    #[test]
    fn what_is_no_config_is_malformed_and_no_empty_one() {
        let good = encoded(Address::repeat_byte(1));
        assert_eq!(read(encoded(Address::ZERO)), Err(Unreadable::Malformed));
        assert_eq!(read(Vec::new()), Err(Unreadable::NothingReturned));
        assert_eq!(read(vec![0; 160]), Err(Unreadable::Malformed));
        for cut in 1..good.len() {
            // The last bytes only fill up the word.
            let is_whole = good.len() - cut <= 18;
            let read = read(good[..cut].to_vec());
            assert_eq!(read.is_ok(), is_whole, "{cut} of {}", good.len());
        }
    }
}
