//! What a text is.

use deedbox_id::{
    AccountId, Address, Asset, Base58Key, ChainId, Checksum, Error, EvmChain, InteropAddress,
    PartialIdentifier, StorageKey, ToolReference, error::code,
};

use super::wrong::Wrong;
use crate::cli::IdKind;

/// Chain namespaces that are in use, so that `eip155:1` is taken for a chain and `service:1` for a key.
const NAMESPACES: &[&str] = &[
    "eip155", "solana", "bip122", "cosmos", "polkadot", "starknet", "hedera", "stellar", "tezos",
    "sui", "aptos", "near", "tron", "ton", "algorand", "xrpl",
];
/// Asset namespaces whose reference is a contract on an EVM chain.
const OF_CONTRACTS: &[&str] = &[
    "erc20",
    "erc721",
    "erc1155",
    "erc6909",
    ToolReference::NAMESPACE,
];
/// Chains that write addresses with an EIP-1191 checksum.
const EIP1191: [u64; 2] = [30, 31];

/// A text that was read.
#[derive(Clone, Debug)]
pub(super) enum Identifier {
    Interop(InteropAddress),
    Token(PartialIdentifier),
    Tool(ToolReference),
    Key(StorageKey),
    Chain(ChainId),
    Account(AccountId),
    Asset(Asset),
    Address(Address),
    Solana(Base58Key),
}

impl Identifier {
    /// Reads a text as a kind, down to the addresses in it.
    pub(super) fn read(kind: IdKind, text: &str) -> Result<Self, Wrong> {
        let read = match kind {
            IdKind::Interop => InteropAddress::from_hex_of_any_case(text).map(Self::Interop),
            IdKind::Token => text.parse().map(Self::Token),
            IdKind::Tool => text.parse().map(Self::Tool),
            IdKind::Key => text.parse().map(Self::Key),
            IdKind::Chain => return chain(text).map(Self::Chain),
            IdKind::Account => return account(text).map(Self::Account),
            IdKind::Asset => return asset(text).map(Self::Asset),
            IdKind::Address => address(text).map(|(address, _)| Self::Address(address)),
            IdKind::Solana => text.parse().map(Self::Solana),
        };
        read.map_err(Wrong::from)
    }

    pub(super) fn kind(&self) -> IdKind {
        match self {
            Self::Interop(_) => IdKind::Interop,
            Self::Token(_) => IdKind::Token,
            Self::Tool(_) => IdKind::Tool,
            Self::Key(_) => IdKind::Key,
            Self::Chain(_) => IdKind::Chain,
            Self::Account(_) => IdKind::Account,
            Self::Asset(_) => IdKind::Asset,
            Self::Address(_) => IdKind::Address,
            Self::Solana(_) => IdKind::Solana,
        }
    }

    /// The spelling by which it is compared.
    pub(super) fn canonical(&self) -> String {
        match self {
            Self::Interop(one) => one.to_string(),
            Self::Token(one) => one.to_string(),
            Self::Tool(one) => one.to_string(),
            Self::Key(one) => one.to_string(),
            Self::Chain(one) => one.to_string(),
            Self::Account(one) => one.to_string(),
            Self::Asset(one) => one.to_string(),
            Self::Address(one) => one.to_string(),
            Self::Solana(one) => one.to_string(),
        }
    }
}

/// An address, and the checksum that its letters carry, if they carry one.
pub(super) fn address(text: &str) -> Result<(Address, Option<Checksum>), Error> {
    let lower = text.bytes().skip(2).any(|byte| byte.is_ascii_lowercase());
    let upper = text.bytes().skip(2).any(|byte| byte.is_ascii_uppercase());
    let checksum = (lower && upper).then_some(Checksum::Eip55);
    let error = match text.parse::<Address>() {
        Ok(address) => return Ok((address, checksum)),
        Err(error) => error,
    };
    let chains = EIP1191
        .into_iter()
        .filter_map(|id| EvmChain::try_from(id).ok());
    for checksum in chains.map(Checksum::Eip1191) {
        if error.code() == code::CHECKSUM
            && let Ok(address) = Address::parse(text, checksum)
        {
            return Ok((address, Some(checksum)));
        }
    }
    Err(error)
}

fn chain(text: &str) -> Result<ChainId, Wrong> {
    let chain: ChainId = text.parse()?;
    if chain.namespace() == "eip155" {
        chain.evm_chain()?;
    }
    Ok(chain)
}

fn account(text: &str) -> Result<AccountId, Wrong> {
    let account: AccountId = text.parse()?;
    match account.chain_id().namespace() {
        "eip155" => {
            // `eip155:0:…` is an account on no chain in particular, which CAIP-10 allows.
            account.evm_chain().map(drop).or_else(|error| {
                if error.code() == code::ZERO_CHAIN {
                    Ok(())
                } else {
                    Err(error)
                }
            })?;
            account.evm_address()?;
        }
        "solana" => {
            let start = account.chain().len() + 1;
            let address = account.address().parse::<Base58Key>();
            address.map_err(|error| Wrong::from(error).shifted(start))?;
        }
        _ => {}
    }
    Ok(account)
}

fn asset(text: &str) -> Result<Asset, Wrong> {
    let asset: Asset = text.parse()?;
    if asset.chain_id().namespace() == "eip155" {
        asset.evm_chain()?;
        if OF_CONTRACTS.contains(&asset.namespace()) {
            asset.evm_contract()?;
        }
    }
    Ok(asset)
}

/// What a text looks like, valid or not.
pub(super) fn guess(text: &str) -> IdKind {
    if text.contains('@') {
        return IdKind::Token;
    }
    if text.starts_with("0x") || text.starts_with("0X") {
        let is_framed = text.starts_with("0x0001") && text.len() != 42;
        return if is_framed || text.len() > 44 {
            IdKind::Interop
        } else {
            IdKind::Address
        };
    }
    if let Some((namespace, rest)) = text.split_once(':')
        && NAMESPACES.contains(&namespace)
    {
        return of_chains(rest);
    }
    let is_dotted = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    if text.contains('.') && text.bytes().all(is_dotted) {
        return IdKind::Token;
    }
    let order = [IdKind::Solana, IdKind::Token, IdKind::Key, IdKind::Asset];
    let reads = |kind: &IdKind| Identifier::read(*kind, text).is_ok();
    order.into_iter().find(reads).unwrap_or(IdKind::Key)
}

/// Which CAIP form a text has, by what follows its namespace.
fn of_chains(rest: &str) -> IdKind {
    match rest.split_once('/') {
        Some((_, asset)) if asset.starts_with(&format!("{}:", ToolReference::NAMESPACE)) => {
            IdKind::Tool
        }
        Some(_) => IdKind::Asset,
        None if rest.contains(':') => IdKind::Account,
        None => IdKind::Chain,
    }
}

/// As what else the same text is valid, where that could be what was meant.
pub(super) fn other_readings(kind: IdKind, text: &str) -> Vec<IdKind> {
    let others: &[IdKind] = match kind {
        IdKind::Token if !text.contains('@') => &[IdKind::Key],
        IdKind::Key => &[IdKind::Token, IdKind::Chain, IdKind::Account, IdKind::Asset],
        IdKind::Address => &[IdKind::Interop],
        IdKind::Interop => &[IdKind::Address],
        // Nearly every text is a key too; saying so of these would help nobody.
        _ => &[],
    };
    let reads = |kind: &IdKind| Identifier::read(*kind, text).is_ok();
    others.iter().copied().filter(reads).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_for_what_it_looks_like() {
        let address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
        for (text, kind) in [
            (
                "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045",
                IdKind::Interop,
            ),
            (address, IdKind::Address),
            (&address[..41], IdKind::Address),
            ("webdev.42@0x00", IdKind::Token),
            ("webdev", IdKind::Token),
            ("punk.2344", IdKind::Token),
            ("punk.02344", IdKind::Token),
            ("eip155:8453", IdKind::Chain),
            ("eip155:8453:0x", IdKind::Account),
            ("eip155:8453/erc20:0x", IdKind::Asset),
            ("eip155:8453/erc8257:0x/1", IdKind::Tool),
            ("service/1", IdKind::Key),
            ("service:1", IdKind::Key),
            ("service: 1", IdKind::Key),
            ("resource[chain][1]", IdKind::Key),
            ("agent_account", IdKind::Key),
            (
                "MJKqp326RZCHnAAbew9MDdui3iCKWco7fsK9sVuZTX2",
                IdKind::Solana,
            ),
            ("", IdKind::Key),
        ] {
            assert_eq!(guess(text), kind, "{text}");
        }
    }

    #[test]
    fn a_chain_account_or_asset_is_read_down_to_its_address() {
        let mistyped = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aa96045";
        for (kind, text, at) in [
            (IdKind::Chain, "eip155:01".to_owned(), 7),
            (IdKind::Account, format!("eip155:1:{mistyped}"), 9 + 36),
            (
                IdKind::Asset,
                format!("eip155:1/erc721:{mistyped}/7"),
                16 + 36,
            ),
            (
                IdKind::Account,
                "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:0abc".to_owned(),
                40,
            ),
        ] {
            let wrong = Identifier::read(kind, &text).unwrap_err();
            assert_eq!(wrong.at, Some(at), "{text}: {wrong:?}");
        }
        assert!(Identifier::read(IdKind::Asset, "eip155:1/slip44:60").is_ok());
        let anywhere = "eip155:0:0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
        assert!(Identifier::read(IdKind::Account, anywhere).is_ok());
    }

    #[test]
    fn an_address_with_the_checksum_of_rootstock_is_no_typing_error() {
        let lower: Address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
            .parse()
            .unwrap();
        let chain = EvmChain::try_from(30).unwrap();
        let text = lower.to_checksummed(Checksum::Eip1191(chain));
        assert!(text.parse::<Address>().is_err());
        assert_eq!(
            address(&text).unwrap(),
            (lower, Some(Checksum::Eip1191(chain)))
        );
    }
}
