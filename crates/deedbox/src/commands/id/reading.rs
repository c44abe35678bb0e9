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

/// The reason when there is no text.
const EMPTY: &str = "empty";
/// The reason when there is white space around the text.
const WHITE_SPACE: &str = "white_space";

/// A text that was read. Accounts and assets on EVM chains have their addresses in lower case.
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
        Self::read_on(kind, text, None)
    }

    /// The same where it is said on which chain it is; that decides about an address's checksum.
    ///
    /// White space around the text is no part of any identifier but a key, so that it is named as what is wrong.
    pub(super) fn read_on(
        kind: IdKind,
        text: &str,
        chain: Option<&ChainId>,
    ) -> Result<Self, Wrong> {
        Self::read_as(kind, text, chain).map_err(|wrong| surrounded(text).unwrap_or(wrong))
    }

    fn read_as(kind: IdKind, text: &str, said: Option<&ChainId>) -> Result<Self, Wrong> {
        let read = match kind {
            IdKind::Interop => InteropAddress::from_hex_of_any_case(text).map(Self::Interop),
            IdKind::Token => return token(text).map(Self::Token),
            IdKind::Tool => return tool(text).map(Self::Tool),
            IdKind::Key => text.parse().map(Self::Key),
            IdKind::Chain => return chain(text).map(Self::Chain),
            IdKind::Account => return account(text).map(Self::Account),
            IdKind::Asset => return asset(text).map(Self::Asset),
            IdKind::Address => {
                let said = said.and_then(|chain| chain.evm_chain().ok());
                return address_on(text, said).map(|(address, _)| Self::Address(address));
            }
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

    /// The chain that it names, if it names one.
    pub(super) fn chain(&self) -> Option<String> {
        let of_interop = |one: &InteropAddress| {
            if one.chain_reference().is_empty() {
                return None;
            }
            Some(match (one.to_chain_id(), one.evm_chain()) {
                (Ok(chain), _) => chain.to_string(),
                (_, Some(chain)) => format!("eip155:{chain}"),
                _ => format!("one of type {}", one.chain_type()),
            })
        };
        match self {
            Self::Interop(one) => of_interop(one),
            Self::Token(PartialIdentifier::Full(one)) => of_interop(one.registry().as_interop()),
            Self::Tool(one) => Some(format!("eip155:{}", one.chain())),
            Self::Chain(one) => Some(one.to_string()),
            Self::Account(one) => Some(one.chain().to_owned()),
            Self::Asset(one) => Some(one.chain().to_owned()),
            Self::Token(_) | Self::Key(_) | Self::Address(_) | Self::Solana(_) => None,
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

/// Whether a chain writes addresses with an EIP-1191 checksum.
pub(super) fn has_eip1191(chain: &ChainId) -> bool {
    let id = chain.evm_chain().ok().and_then(EvmChain::to_u64);
    id.is_some_and(|id| EIP1191.contains(&id))
}

/// What is wrong with a text that is empty, or has white space around it.
fn surrounded(text: &str) -> Option<Wrong> {
    if text.is_empty() {
        let message = "found nothing, expected an identifier; the text is empty";
        return Some(Wrong::nowhere(EMPTY, message));
    }
    let trimmed = text.trim();
    if trimmed.is_empty() {
        let message = "found white space alone, expected an identifier";
        return Some(Wrong::nowhere(EMPTY, message));
    }
    let (at, side) = if text.starts_with(char::is_whitespace) {
        (0, "in front of")
    } else {
        (text.trim_end().len(), "after")
    };
    (trimmed.len() < text.len()).then(|| Wrong {
        at: Some(at),
        reason: WHITE_SPACE,
        message: format!("found white space {side} the text, expected none; leave it out"),
        run: None,
    })
}

/// An address, and the checksum that its letters carry, if they carry one: EIP-55, or EIP-1191 on a chain that has it.
pub(crate) fn address(text: &str) -> Result<Checked, Error> {
    let first = match eip55(text) {
        Err(error) if error.code() == code::CHECKSUM => error,
        read => return read,
    };
    eip1191(text).ok_or(first)
}

/// The same on a chain, if one is said: then no other chain's checksum will do.
pub(super) fn address_on(text: &str, chain: Option<EvmChain>) -> Result<Checked, Wrong> {
    let Some(chain) = chain else {
        return Ok(address(text)?);
    };
    let first = match eip55(text) {
        Err(error) if error.code() == code::CHECKSUM => error,
        read => return Ok(read?),
    };
    let own = Checksum::Eip1191(chain);
    if let Ok(address) = Address::parse(text, own) {
        return Ok((address, Some(own)));
    }
    let mut wrong = Wrong::from(first);
    if let Some((_, Some(Checksum::Eip1191(other)))) = eip1191(text) {
        wrong.message = format!(
            "found the EIP-1191 checksum of chain {other}, expected EIP-55, or EIP-1191 of chain {chain}; see which \
             chain is meant"
        );
    }
    Err(wrong)
}

/// An address, with the checksum that its letters carry.
pub(crate) type Checked = (Address, Option<Checksum>);

fn eip55(text: &str) -> Result<Checked, Error> {
    let lower = text.bytes().skip(2).any(|byte| byte.is_ascii_lowercase());
    let upper = text.bytes().skip(2).any(|byte| byte.is_ascii_uppercase());
    let checksum = (lower && upper).then_some(Checksum::Eip55);
    Ok((text.parse()?, checksum))
}

fn eip1191(text: &str) -> Option<Checked> {
    let chains = EIP1191
        .into_iter()
        .filter_map(|id| EvmChain::try_from(id).ok());
    chains.map(Checksum::Eip1191).find_map(|checksum| {
        let address = Address::parse(text, checksum).ok()?;
        Some((address, Some(checksum)))
    })
}

/// The address of an account or asset on an EVM chain. Which checksums it may carry depends on the chain.
fn part_on(chain: Option<EvmChain>, text: &str, start: usize) -> Result<Checked, Wrong> {
    let read = match chain {
        Some(chain) if matches!(Checksum::of(chain), Checksum::Eip1191(_)) => address_on(text, Some(chain)),
        _ => eip55(text).map_err(|error| {
            let of_another = (error.code() == code::CHECKSUM).then(|| eip1191(text)).flatten();
            let mut wrong = Wrong::from(error);
            if let Some((_, Some(Checksum::Eip1191(other)))) = of_another {
                wrong.message = format!(
                    "found the EIP-1191 checksum of chain {other}, expected EIP-55; see which chain is meant"
                );
            }
            wrong
        }),
    };
    read.map_err(|wrong| wrong.shifted(start))
}

fn tool(text: &str) -> Result<ToolReference, Wrong> {
    match text.parse::<ToolReference>() {
        // It may be the checksum of its own chain, which is read where assets are.
        Err(error) if error.code() == code::CHECKSUM => Ok(ToolReference::try_from(&asset(text)?)?),
        read => Ok(read?),
    }
}

fn token(text: &str) -> Result<PartialIdentifier, Wrong> {
    text.parse().map_err(|error: Error| {
        let mut wrong = Wrong::from(error);
        if let Some((before, registry)) = text.split_once('@')
            && wrong.at > Some(before.len())
            && let Some(command) = plain_registry(before, registry)
        {
            wrong.at = Some(before.len() + 1);
            wrong.message = "found a plain EVM address, expected an ERC-7930 one: a registry also names its chain; put \
                             it in for CHAIN here"
                .to_owned();
            wrong.run = Some(command);
        }
        wrong
    })
}

/// What puts together the identifier that was meant, when its registry is a contract's address alone. The chain has to
/// be filled in.
fn plain_registry(before: &str, registry: &str) -> Option<String> {
    // It begins like an ERC-7930 address, which is more likely to have been cut off.
    if registry.starts_with("0x0001") {
        return None;
    }
    address(registry).ok()?;
    let (alias, id) = match before.split_once('.') {
        Some((alias, id)) => (format!(" --alias {alias}"), id),
        None => (String::new(), before),
    };
    Some(format!(
        "deedbox id format --chain CHAIN --registry {registry} --id {id}{alias}"
    ))
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
            let start = account.chain().len() + 1;
            // `eip155:0:…` is an account on no chain in particular, which CAIP-10 allows.
            let chain = account.evm_chain().map(Some).or_else(|error| {
                if error.code() == code::ZERO_CHAIN {
                    Ok(None)
                } else {
                    Err(error)
                }
            })?;
            part_on(chain, account.address(), start)?;
            return Ok(account.to_lower_case_hex());
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
        let chain = asset.evm_chain()?;
        let start = asset.chain().len() + 1 + asset.namespace().len() + 1;
        let contract = part_on(Some(chain), asset.reference(), start);
        if OF_CONTRACTS.contains(&asset.namespace()) || contract.is_ok() {
            contract?;
            return Ok(asset.to_lower_case_hex());
        }
    }
    Ok(asset)
}

/// By which of its characters a text was taken for what it looks like.
pub(super) fn looks(text: &str, kind: IdKind) -> &'static str {
    match kind {
        IdKind::Token if text.contains('@') => "the @",
        IdKind::Token if text.contains('.') => "the dot",
        IdKind::Interop => "the 0x and its length",
        IdKind::Address => "the 0x",
        IdKind::Chain | IdKind::Account | IdKind::Asset | IdKind::Tool => "how it begins",
        _ => "its characters",
    }
}

/// What a text looks like, valid or not.
pub(super) fn guess(text: &str) -> IdKind {
    let text = text.trim();
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
