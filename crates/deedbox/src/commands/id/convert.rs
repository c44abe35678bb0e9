//! From one form to another: which conversions there are, what they lose, and why others are not there.

use deedbox_id::{
    AccountId, Address, Asset, ChainId, ChainType, Checksum, Error, EvmChain, InteropAddress,
    PartialIdentifier, StorageKey, TokenIdentifier, TokenStandard, ToolReference,
};

use super::{describe::name, reading::Identifier, wrong::Wrong};
use crate::cli::{IdForm, Standard};

/// The reason when no standard defines the conversion, or one forbids it.
const NO_CONVERSION: &str = "no_conversion";
/// The reason when something has to be said that the text does not.
const NOT_SAID: &str = "not_said";

/// What the text does not say.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) chain: Option<ChainId>,
    pub(super) standard: Option<Standard>,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Converted {
    pub(super) text: String,
    /// What the new text does not say any more, or says less of.
    pub(super) loses: Option<&'static str>,
}

impl Converted {
    fn whole(text: impl ToString) -> Self {
        Self {
            text: text.to_string(),
            loses: None,
        }
    }

    fn without(mut self, lost: Option<&'static str>) -> Self {
        self.loses = self.loses.or(lost);
        self
    }
}

pub(super) fn convert(from: &Identifier, to: IdForm, said: &Said) -> Result<Converted, Wrong> {
    match to {
        IdForm::Slash | IdForm::Colon | IdForm::Bracket => key(from, to),
        IdForm::Erc8127 => token(from),
        IdForm::Tool => tool(from),
        IdForm::Caip19 => asset(from, said),
        IdForm::Erc7930 => {
            let place = Place::of(from, said)?;
            Ok(Converted::whole(&place.interop).without(place.loses))
        }
        IdForm::Caip2 => caip2(from, said),
        IdForm::Caip10 => caip10(from, said),
        IdForm::Eip55 | IdForm::Eip1191 | IdForm::Lower => address(from, to, said),
    }
}

fn no_way(message: &str) -> Wrong {
    Wrong::nowhere(NO_CONVERSION, message)
}

fn not_said(message: &str) -> Wrong {
    Wrong::nowhere(NOT_SAID, message)
}

/// The chain, contract or account that an identifier names or belongs to.
struct Place {
    interop: InteropAddress,
    loses: Option<&'static str>,
}

impl Place {
    fn of(from: &Identifier, said: &Said) -> Result<Self, Wrong> {
        let whole = |interop| {
            Ok(Self {
                interop,
                loses: None,
            })
        };
        match from {
            Identifier::Interop(interop) if interop.chain_reference().is_empty() => {
                whole(completed(interop, said)?)
            }
            Identifier::Interop(interop) => whole(interop.clone()),
            Identifier::Chain(chain) => {
                whole(InteropAddress::try_from(chain).map_err(Wrong::from)?)
            }
            Identifier::Account(account) => {
                whole(InteropAddress::try_from(account).map_err(Wrong::from)?)
            }
            Identifier::Address(address) => whole(match evm_chain(said)? {
                Some(chain) => InteropAddress::evm(chain, *address),
                None => InteropAddress::evm_address_only(*address),
            }),
            Identifier::Solana(key) => {
                let Some(chain) = &said.chain else {
                    let alone = InteropAddress::new(ChainType::SOLANA, &[], &key.0);
                    return whole(alone.map_err(|error| Wrong::derived(&error))?);
                };
                let account: AccountId = format!("{chain}:{key}").parse().map_err(derived)?;
                whole(InteropAddress::try_from(&account).map_err(derived)?)
            }
            Identifier::Token(PartialIdentifier::Full(token)) => Ok(Self {
                interop: token.registry().as_interop().clone(),
                loses: Some("the token: this names its registry"),
            }),
            Identifier::Token(_) => Err(not_said(
                "an alias does not say in which registry its token is",
            )),
            Identifier::Tool(tool) => Ok(Self {
                interop: tool.to_registry().into_interop(),
                loses: Some("the tool: this names its registry"),
            }),
            Identifier::Asset(asset) => Ok(Self {
                interop: InteropAddress::evm(
                    asset.evm_chain().map_err(Wrong::from)?,
                    asset.evm_contract().map_err(Wrong::from)?,
                ),
                loses: Some("the asset's namespace and token: this names its contract"),
            }),
            Identifier::Key(_) => Err(no_way("a storage key names no chain and no address")),
        }
    }

    /// Without what was lost when all of the address was kept.
    fn is_part(&self) -> bool {
        self.loses.is_some()
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the shape that map_err wants"
)]
fn derived(error: Error) -> Wrong {
    Wrong::derived(&error)
}

fn evm_chain(said: &Said) -> Result<Option<EvmChain>, Wrong> {
    let chain = said.chain.as_ref().map(ChainId::evm_chain).transpose();
    chain.map_err(|error| {
        let message = format!("--chain: {}", error.message());
        Wrong::nowhere(error.code(), message)
    })
}

/// An address on any chain of its kind, put on the chain that is said.
fn completed(interop: &InteropAddress, said: &Said) -> Result<InteropAddress, Wrong> {
    if said.chain.is_none() {
        return Ok(interop.clone());
    }
    let alone = match (interop.evm_address(), interop.solana_address()) {
        (Some(address), _) => Identifier::Address(address),
        (_, Some(key)) => Identifier::Solana(key),
        _ => return Ok(interop.clone()),
    };
    Ok(Place::of(&alone, said)?.interop)
}

/// What of the said things contradicts the text, or decides nothing about the form: which flag, and why.
pub(super) fn needless(
    from: &Identifier,
    to: IdForm,
    said: &Said,
) -> Option<(&'static str, String)> {
    if let Some(said) = &said.chain {
        let needs_chain = matches!(
            to,
            IdForm::Erc7930 | IdForm::Caip2 | IdForm::Caip10 | IdForm::Eip1191
        );
        let reason = match from.chain() {
            Some(own) if own != said.as_str() => {
                format!("the text names its chain itself, {own}, and this is another one")
            }
            _ if !needs_chain => format!("{} does not depend on the chain; leave it out", name(to)),
            None if matches!(from, Identifier::Key(_) | Identifier::Token(_)) => {
                "the text is on no chain that could be said; leave it out".to_owned()
            }
            _ => String::new(),
        };
        if !reason.is_empty() {
            return Some(("--chain", reason));
        }
    }
    let standard = name(said.standard?);
    let reason = match from {
        _ if to != IdForm::Caip19 => {
            format!("only caip19 depends on it, not {}; leave it out", name(to))
        }
        Identifier::Asset(asset) if asset.namespace() != standard => format!(
            "the text says by which standard its contract works itself, {}",
            asset.namespace()
        ),
        Identifier::Tool(_) => {
            "the text is a tool, whose standard is ERC-8257; leave it out".to_owned()
        }
        _ => return None,
    };
    Some(("--standard", reason))
}

fn caip2(from: &Identifier, said: &Said) -> Result<Converted, Wrong> {
    const LOST: &str = "everything but the chain";
    let lost = Some(LOST);
    match from {
        Identifier::Chain(chain) => Ok(Converted::whole(chain)),
        Identifier::Account(account) => Ok(Converted::whole(account.chain_id()).without(lost)),
        Identifier::Asset(asset) => Ok(Converted::whole(asset.chain_id()).without(lost)),
        Identifier::Address(_) | Identifier::Solana(_) => match &said.chain {
            Some(chain) => Ok(Converted::whole(chain).without(lost)),
            None => Err(not_said(
                "an address does not say on which chain it is; say it with --chain",
            )),
        },
        _ => {
            let place = Place::of(from, said)?;
            let chain = place.interop.to_chain_id().map_err(derived)?;
            let is_all = place.interop.address().is_empty() && !place.is_part();
            Ok(Converted::whole(chain)
                .without(shortened(&place.interop))
                .without((!is_all).then_some(LOST)))
        }
    }
}

/// CAIP-2 holds half of what names a Solana chain.
fn shortened(interop: &InteropAddress) -> Option<&'static str> {
    interop
        .solana_chain()
        .map(|_| "the second half of the genesis hash, which CAIP-2 has no room for")
}

fn caip10(from: &Identifier, said: &Said) -> Result<Converted, Wrong> {
    match from {
        Identifier::Account(account) => return Ok(Converted::whole(checksummed_account(account))),
        Identifier::Address(_) | Identifier::Solana(_) if said.chain.is_none() => {
            return Err(not_said(
                "an address does not say on which chain it is; say it with --chain",
            ));
        }
        Identifier::Solana(key) => {
            let chain = said
                .chain
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            let account: AccountId = format!("{chain}:{key}").parse().map_err(derived)?;
            return Ok(Converted::whole(account));
        }
        _ => {}
    }
    let place = Place::of(from, said)?;
    let account = place.interop.to_account_id().map_err(derived)?;
    Ok(Converted::whole(account)
        .without(place.loses)
        .without(shortened(&place.interop)))
}

/// As the profile of eip155 wants it on every chain: an EVM address with its EIP-55 checksum.
fn checksummed_account(account: &AccountId) -> String {
    account.evm_address().map_or_else(
        |_| account.to_string(),
        |address| format!("{}:{address:#}", account.chain()),
    )
}

fn checksummed_asset(asset: &Asset) -> String {
    let (text, reference) = (asset.as_str(), asset.reference());
    let start = asset.chain().len() + 1 + asset.namespace().len() + 1;
    let (before, after) = (&text[..start], &text[start + reference.len()..]);
    asset.evm_contract().map_or_else(
        |_| text.to_owned(),
        |address| format!("{before}{address:#}{after}"),
    )
}

/// For people, with the checksum that is customary on its chain.
pub(super) fn of_chain(chain: &ChainId, address: Address) -> String {
    let checksum = chain.evm_chain().map_or(Checksum::Eip55, Checksum::of);
    address.to_checksummed(checksum)
}

fn asset(from: &Identifier, said: &Said) -> Result<Converted, Wrong> {
    match from {
        Identifier::Asset(asset) => Ok(Converted::whole(checksummed_asset(asset))),
        Identifier::Tool(tool) => Ok(Converted::whole(tool.to_asset())),
        Identifier::Token(PartialIdentifier::Full(token)) => {
            let Some(standard) = said.standard else {
                return Err(not_said(
                    "the identifier does not say by which standard its contract works; say it with --standard erc721 \
                     or --standard erc1155",
                ));
            };
            let standard = match standard {
                Standard::Erc721 => TokenStandard::Erc721,
                Standard::Erc1155 => TokenStandard::Erc1155,
            };
            let asset = token.to_asset(standard).map_err(derived)?;
            Ok(Converted::whole(asset).without(token.alias().map(|_| "the alias")))
        }
        Identifier::Token(_) => Err(not_said(
            "an alias does not say in which registry its token is",
        )),
        _ => Err(no_way(
            "this names no token, tool or other asset, and CAIP-19 is for those",
        )),
    }
}

fn token(from: &Identifier) -> Result<Converted, Wrong> {
    match from {
        Identifier::Token(token) => Ok(Converted::whole(token)),
        Identifier::Asset(asset) => {
            let token = TokenIdentifier::try_from(asset).map_err(Wrong::from)?;
            Ok(Converted::whole(token).without(Some("by which standard the contract works")))
        }
        Identifier::Tool(_) => Err(no_way(
            "tools are written in the CAIP-19 form only (ERC-8257 §1); ERC-8127 is for tokens and agents",
        )),
        _ => Err(no_way(
            "this names no token; ERC-8127 needs a registry and a token id",
        )),
    }
}

fn tool(from: &Identifier) -> Result<Converted, Wrong> {
    match from {
        Identifier::Tool(tool) => Ok(Converted::whole(tool)),
        Identifier::Asset(asset) => Ok(Converted::whole(
            ToolReference::try_from(asset).map_err(Wrong::from)?,
        )),
        Identifier::Token(_) => Err(no_way(
            "a token or agent is no tool; if its registry is one of tools, build the reference: deedbox id format --as \
             tool",
        )),
        _ => Err(no_way(
            "this names no tool; a reference needs a chain, a registry and a tool id",
        )),
    }
}

fn address(from: &Identifier, to: IdForm, said: &Said) -> Result<Converted, Wrong> {
    if to == IdForm::Lower {
        match from {
            Identifier::Account(account) => {
                return Ok(Converted::whole(account.to_lower_case_hex()));
            }
            Identifier::Asset(asset) => return Ok(Converted::whole(asset.to_lower_case_hex())),
            _ => {}
        }
    }
    let place = Place::of(from, said)?;
    let Some(address) = place.interop.evm_address() else {
        return Err(no_way(
            "this names no address on an EVM chain, and only those have this form",
        ));
    };
    let is_all = matches!(from, Identifier::Address(_));
    let lost = (!is_all).then_some("everything but the address, the chain too");
    Ok(Converted::whole(spelled(address, to, place.interop.evm_chain())?).without(lost))
}

fn spelled(address: Address, to: IdForm, chain: Option<EvmChain>) -> Result<String, Wrong> {
    match (to, chain) {
        (IdForm::Lower, _) => Ok(address.to_string()),
        (IdForm::Eip1191, Some(chain)) => Ok(address.to_checksummed(Checksum::Eip1191(chain))),
        (IdForm::Eip1191, None) => Err(not_said(
            "this checksum depends on the chain; say it with --chain",
        )),
        _ => Ok(address.to_checksummed(Checksum::Eip55)),
    }
}

fn key(from: &Identifier, to: IdForm) -> Result<Converted, Wrong> {
    const ANOTHER: &str =
        "its place: this is another key, and a contract stores another value under it";
    let Identifier::Key(key) = from else {
        return Err(no_way(
            "this is no storage key; with --as key it is read as one",
        ));
    };
    let parameters: Vec<&str> = key.parameters().collect();
    let built = match (to, parameters.as_slice()) {
        (_, []) => return Err(no_way("a key without parameters has one form")),
        (IdForm::Bracket, several) => StorageKey::bracket(key.label(), several.iter().copied()),
        (_, [_, _, ..]) => {
            return Err(no_way(
                "the slash and colon forms hold one parameter, and this key has several",
            ));
        }
        (IdForm::Colon, [one]) => StorageKey::colon(key.label(), one),
        (_, [one]) => StorageKey::slash(key.label(), one),
    };
    let built = built.map_err(derived)?;
    let lost = (built != *key).then_some(ANOTHER);
    Ok(Converted::whole(built).without(lost))
}

/// Every form with its name on the command line, in the order in which people are shown them.
pub(super) const FORMS: [IdForm; 12] = [
    IdForm::Erc7930,
    IdForm::Erc8127,
    IdForm::Tool,
    IdForm::Caip2,
    IdForm::Caip10,
    IdForm::Caip19,
    IdForm::Eip55,
    IdForm::Eip1191,
    IdForm::Lower,
    IdForm::Slash,
    IdForm::Colon,
    IdForm::Bracket,
];

/// Reads a chain: an EVM chain id, or CAIP-2.
pub(super) fn read_chain(text: &str) -> Result<ChainId, Error> {
    if text.contains(':') {
        return text.parse();
    }
    text.parse::<EvmChain>().and_then(ChainId::try_from)
}

/// The EVM contract of an asset, where its namespace has one.
pub(super) fn contract(asset: &Asset) -> Option<Address> {
    asset.evm_contract().ok()
}
