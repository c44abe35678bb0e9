//! References to tools: `eip155:<chain>/erc8257:<registry>/<id>`.

use std::{fmt, str::FromStr};

use crate::{
    Address, EvmChain, U256,
    caip::{AssetCut, ChainId},
    decimal,
    error::{Error, code},
};

/// A tool in a registry on a chain (ERC-8257 §1, *Tool IDs*).
///
/// Prints the recommended form, which has the syntax of CAIP-19, with the registry in lower case. A checksummed
/// registry is read and normalised. A tool id alone is no reference: two registries may give the same number.
///
/// ```
/// use deedbox_id::ToolReference;
/// let tool: ToolReference =
///     "eip155:8453/erc8257:0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1/1".parse()?;
/// assert_eq!(
///     tool.to_string(),
///     "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/1",
/// );
/// # Ok::<(), deedbox_id::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolReference {
    chain: EvmChain,
    registry: Address,
    tool_id: U256,
}

impl ToolReference {
    /// The asset namespace of tools; proposed by ERC-8257 and not registered yet.
    pub const NAMESPACE: &str = "erc8257";

    /// Puts a reference together.
    ///
    /// # Errors
    /// [`NOT_REPRESENTABLE`](code::NOT_REPRESENTABLE) for a chain id of more than 32 digits, which the form
    /// cannot hold.
    pub fn new(chain: EvmChain, registry: Address, tool_id: U256) -> Result<Self, Error> {
        ChainId::try_from(chain)?;
        Ok(Self {
            chain,
            registry,
            tool_id,
        })
    }

    /// The chain of the registry.
    #[must_use]
    pub fn chain(&self) -> EvmChain {
        self.chain
    }

    /// The registry's contract.
    #[must_use]
    pub fn registry(&self) -> Address {
        self.registry
    }

    /// The tool's number in the registry.
    #[must_use]
    pub fn tool_id(&self) -> U256 {
        self.tool_id
    }

    pub(crate) fn from_cut(text: &str, cut: AssetCut) -> Result<Self, Error> {
        let chain = cut.evm_chain(text)?;
        if cut.namespace(text) != Self::NAMESPACE {
            let message = format!(
                "found the asset namespace {:?}, expected \"erc8257\", that of tools",
                cut.namespace(text)
            );
            return Err(Error::new(
                cut.chain_end + 1,
                code::WRONG_NAMESPACE,
                message,
            ));
        }
        let registry = cut.evm_contract(text)?;
        let Some(tool_id) = cut.token_id(text) else {
            let message = "found the end, expected \"/\" and the tool's id in decimal";
            return Err(Error::new(text.len(), code::MISSING_PART, message));
        };
        let tool_id =
            decimal::parse(tool_id).map_err(|error| error.shifted(cut.reference_end + 1))?;
        Ok(Self {
            chain,
            registry,
            tool_id,
        })
    }
}

impl fmt::Display for ToolReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            chain,
            registry,
            tool_id,
        } = self;
        write!(f, "eip155:{chain}/{}:{registry}/{tool_id}", Self::NAMESPACE)
    }
}

impl FromStr for ToolReference {
    type Err = Error;

    /// # Errors
    /// Those of [`Asset`](crate::Asset), [`EvmChain`], [`Address`] and [`decimal::parse`], each at its place;
    /// [`WRONG_NAMESPACE`](code::WRONG_NAMESPACE) for another chain or asset namespace;
    /// [`MISSING_PART`](code::MISSING_PART) without a tool id.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_cut(text, AssetCut::of(text)?)
    }
}
