//! From one form to another, where the standards allow it.
//!
//! Two kinds of refusal are kept apart, as CAIP-350 asks: [`UNKNOWN_CHAIN`](code::UNKNOWN_CHAIN) when a fact is
//! missing that somebody else may have, and [`NOT_REPRESENTABLE`](code::NOT_REPRESENTABLE) when the target form has
//! no room for it. Nothing here turns a tool into a token identifier or back: ERC-8257 pins the CAIP-19 form for
//! tools, and ERC-8122 the ERC-8127 form for agents.

use crate::{
    AccountId, Asset, Base58Key, ChainId, ChainType, Checksum, EvmChain, InteropAddress, Registry,
    TokenIdentifier, ToolReference, decimal,
    error::{Error, code},
};

/// Solana chains whose whole genesis hash is known: mainnet, devnet and testnet.
const SOLANA_CHAINS: [&str; 3] = [
    "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
    "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
    "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY",
];
/// Characters of a genesis hash that fit a CAIP-2 text.
const CAIP2_REFERENCE: usize = 32;

/// Standards whose tokens have a CAIP-19 form that this crate converts to and from.
///
/// ERC-6909 is left out: its tokens that this project meets are agents, and those are written as ERC-8127 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenStandard {
    /// ERC-721.
    Erc721,
    /// ERC-1155.
    Erc1155,
}

impl TokenStandard {
    /// The CAIP-19 asset namespace.
    #[must_use]
    pub fn namespace(self) -> &'static str {
        match self {
            Self::Erc721 => "erc721",
            Self::Erc1155 => "erc1155",
        }
    }
}

/// How a key's text begins that was cut to what CAIP-2 holds.
fn shortened(genesis: Base58Key) -> String {
    let mut text = genesis.to_string();
    text.truncate(CAIP2_REFERENCE);
    text
}

fn not_understood(kind: ChainType) -> Error {
    let message = format!(
        "found chain type {kind}, expected eip155 or solana: the spelling of others is not known here; keep the \
         ERC-7930 form"
    );
    Error::new(2, code::WRONG_NAMESPACE, message)
}

impl InteropAddress {
    /// The CAIP-2 text of the chain that is named.
    ///
    /// A Solana chain is named by the first 32 characters of its genesis hash, so this loses something: the way
    /// back is open for known chains only.
    ///
    /// # Errors
    /// [`CHAIN_MISSING`](code::CHAIN_MISSING); [`NOT_REPRESENTABLE`](code::NOT_REPRESENTABLE) for an EVM chain id
    /// of more than 32 digits, and for a genesis hash that would get the name of a known chain; [`WRONG_NAMESPACE`](code::WRONG_NAMESPACE) for chain types other than eip155 and
    /// solana. [`Error::at`] counts the binary form's bytes.
    pub fn to_chain_id(&self) -> Result<ChainId, Error> {
        if self.chain_reference().is_empty() {
            let message =
                "found an address without a chain, expected a chain; say on which chain it is";
            return Err(Error::new(4, code::CHAIN_MISSING, message));
        }
        if let Some(chain) = self.evm_chain() {
            return ChainId::try_from(chain).map_err(|error| error.shifted(5));
        }
        let genesis = self.solana_chain();
        let genesis = genesis.ok_or_else(|| not_understood(self.chain_type()))?;
        let reference = shortened(genesis);
        if known_solana_chain(&reference).is_some_and(|known| known != genesis) {
            let message = format!(
                "found the genesis hash {genesis}, whose first 32 characters name another, well-known chain in \
                 CAIP-2; keep it in its ERC-7930 form"
            );
            return Err(Error::new(5, code::NOT_REPRESENTABLE, message));
        }
        format!("solana:{reference}").parse()
    }

    /// The CAIP-10 text of an address on a chain: an EVM address with its EIP-55 checksum, as that namespace's
    /// profile wants ([`AccountId::to_lower_case_hex`] takes it off), a Solana one in base58.
    ///
    /// # Errors
    /// Those of [`InteropAddress::to_chain_id`], and [`ADDRESS_MISSING`](code::ADDRESS_MISSING).
    pub fn to_account_id(&self) -> Result<AccountId, Error> {
        let chain = self.to_chain_id()?;
        let address = match (self.evm_address(), self.solana_address()) {
            (Some(address), _) => address.to_checksummed(Checksum::Eip55),
            (_, Some(address)) => address.to_string(),
            _ => {
                let message = "found a chain without an address, expected an address on it";
                let at = 5 + self.chain_reference().len();
                return Err(Error::new(at, code::ADDRESS_MISSING, message));
            }
        };
        format!("{chain}:{address}").parse()
    }
}

/// What a chain's CAIP-2 text stands for.
enum Named {
    Evm(EvmChain),
    Solana(Base58Key),
}

fn named(chain: &ChainId) -> Result<Named, Error> {
    match chain.namespace() {
        "eip155" => chain.evm_chain().map(Named::Evm),
        "solana" => solana_chain(chain.reference()).map(Named::Solana),
        other => {
            let message = format!(
                "found the namespace {other:?}, expected eip155 or solana: how others are written in ERC-7930 is \
                 not known here"
            );
            Err(Error::new(0, code::WRONG_NAMESPACE, message))
        }
    }
}

fn known_solana_chain(reference: &str) -> Option<Base58Key> {
    let known = SOLANA_CHAINS
        .iter()
        .find(|genesis| genesis[..CAIP2_REFERENCE] == *reference)?;
    known.parse().ok()
}

fn solana_chain(reference: &str) -> Result<Base58Key, Error> {
    known_solana_chain(reference).ok_or_else(|| {
        let message = format!(
            "found the Solana chain {reference:?}, which is the start of a genesis hash that is not known here (only \
             those of mainnet, devnet and testnet are); ask a node of that chain for the whole hash and build the \
             address from it"
        );
        Error::new("solana:".len(), code::UNKNOWN_CHAIN, message)
    })
}

impl TryFrom<&ChainId> for InteropAddress {
    type Error = Error;

    /// The chain alone.
    ///
    /// # Errors
    /// [`WRONG_NAMESPACE`](code::WRONG_NAMESPACE) for namespaces other than eip155 and solana;
    /// [`UNKNOWN_CHAIN`](code::UNKNOWN_CHAIN) for a Solana chain but mainnet, devnet and testnet, because CAIP-2
    /// holds only 32 characters of the hash; those of [`ChainId::evm_chain`].
    fn try_from(chain: &ChainId) -> Result<Self, Error> {
        Ok(match named(chain)? {
            Named::Evm(chain) => Self::evm_chain_only(chain),
            Named::Solana(genesis) => Self::solana_chain_only(genesis),
        })
    }
}

impl TryFrom<&AccountId> for InteropAddress {
    type Error = Error;

    /// The address on its chain.
    ///
    /// # Errors
    /// As for a [`ChainId`], and those of [`AccountId::evm_address`] and [`Base58Key`].
    fn try_from(account: &AccountId) -> Result<Self, Error> {
        Ok(match named(&account.chain_id())? {
            Named::Evm(chain) => Self::evm(chain, account.evm_address()?),
            Named::Solana(genesis) => {
                let address = account.address().parse::<Base58Key>();
                let start = account.chain().len() + 1;
                Self::solana(genesis, address.map_err(|error| error.shifted(start))?)
            }
        })
    }
}

impl TokenIdentifier {
    /// The CAIP-19 text of a token on an EVM chain. The identifier does not say by which standard the registry
    /// works, so the caller does. The alias is lost.
    ///
    /// # Errors
    /// [`WRONG_NAMESPACE`](code::WRONG_NAMESPACE) for a registry that is not on an EVM chain, and
    /// [`NOT_REPRESENTABLE`](code::NOT_REPRESENTABLE) for a chain id of more than 32 digits; [`Error::at`] counts
    /// the bytes of the registry's binary form.
    pub fn to_asset(&self, standard: TokenStandard) -> Result<Asset, Error> {
        let registry = self.registry().as_interop();
        let Some(contract) = registry.evm_address() else {
            return Err(not_understood_as_token(registry.chain_type()));
        };
        let (chain, namespace) = (registry.to_chain_id()?, standard.namespace());
        format!("{chain}/{namespace}:{contract:#}/{}", self.token_id()).parse()
    }
}

fn not_understood_as_token(kind: ChainType) -> Error {
    let message = format!(
        "found a registry of chain type {kind}, expected one on an EVM chain (eip155): only those have the \
         erc721 and erc1155 forms"
    );
    Error::new(2, code::WRONG_NAMESPACE, message)
}

impl TryFrom<&Asset> for TokenIdentifier {
    type Error = Error;

    /// The token of an ERC-721 or ERC-1155 contract on an EVM chain, without an alias.
    ///
    /// # Errors
    /// [`WRONG_NAMESPACE`](code::WRONG_NAMESPACE) for any other asset; [`TOKEN_ID_MISSING`](code::TOKEN_ID_MISSING)
    /// for an asset type; those of [`Asset::evm_chain`], [`Asset::evm_contract`] and [`decimal::parse`].
    fn try_from(asset: &Asset) -> Result<Self, Error> {
        let chain = asset.evm_chain()?;
        let start = asset.chain().len() + 1;
        match asset.namespace() {
            "erc721" | "erc1155" => {}
            ToolReference::NAMESPACE => {
                let message = "found a tool (erc8257), expected erc721 or erc1155; tools are written in this form \
                               only, read it as a tool reference";
                return Err(Error::new(start, code::WRONG_NAMESPACE, message));
            }
            other => {
                let message =
                    format!("found the asset namespace {other:?}, expected erc721 or erc1155");
                return Err(Error::new(start, code::WRONG_NAMESPACE, message));
            }
        }
        let contract = asset.evm_contract()?;
        let Some(token_id) = asset.token_id() else {
            let message =
                "found the end, expected \"/\" and a token id: this is a whole collection";
            return Err(Error::new(
                asset.as_str().len(),
                code::TOKEN_ID_MISSING,
                message,
            ));
        };
        let token_start = asset.as_str().len() - token_id.len();
        let token_id = decimal::parse(token_id).map_err(|error| error.shifted(token_start))?;
        Ok(Self::new(token_id, Registry::evm(chain, contract)))
    }
}

impl ToolReference {
    /// The registry as an interoperable address.
    #[must_use]
    pub fn to_registry(&self) -> Registry {
        Registry::evm(self.chain(), self.registry())
    }

    /// The same text as a CAIP-19 asset.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "it cannot panic")]
    pub fn to_asset(&self) -> Asset {
        #[expect(
            clippy::expect_used,
            reason = "a reference is made with a chain id that fits only"
        )]
        self.to_string()
            .parse()
            .expect("a tool reference is a CAIP-19 text")
    }
}

impl TryFrom<&Asset> for ToolReference {
    type Error = Error;

    /// # Errors
    /// Those of [`ToolReference`]'s `FromStr`.
    fn try_from(asset: &Asset) -> Result<Self, Error> {
        asset.as_str().parse()
    }
}
