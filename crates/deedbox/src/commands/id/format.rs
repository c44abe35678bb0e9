//! An identifier from its parts.

use std::str::FromStr;

use deedbox_id::{
    AccountId, Alias, Base58Key, ChainId, ChainType, Error, InteropAddress, PartialIdentifier,
    Registry, StorageKey, TokenIdentifier, ToolReference, U256, decimal,
};

use super::{
    convert::{Said, convert, read_chain},
    describe::a_standard,
    reading::{self, Identifier},
    wrong::Wrong,
};
use crate::{
    cli::{Format, IdForm, IdKind, KeyForm},
    failure::{Failure, Fault},
};

pub(super) fn build(parts: &Format) -> Result<Identifier, Failure> {
    let kind = match parts.kind {
        Some(kind) => kind,
        None => kind_of(parts)?,
    };
    refuse_needless(parts, kind)?;
    match kind {
        IdKind::Key => key(parts),
        IdKind::Token => token(parts),
        IdKind::Tool => tool(parts),
        IdKind::Interop => interop(parts),
        IdKind::Chain => chain(parts, kind).map(Identifier::Chain),
        IdKind::Account => account(parts),
        IdKind::Asset => asset(parts),
        IdKind::Address => {
            let text = needed("--address", parts.address.as_deref(), kind)?;
            read("--address", text, reading::address)
                .map(|(address, _)| Identifier::Address(address))
        }
        IdKind::Solana => {
            let text = needed("--address", parts.address.as_deref(), kind)?;
            read("--address", text, Base58Key::from_str).map(Identifier::Solana)
        }
    }
}

/// What the parts make, when nobody says.
fn kind_of(parts: &Format) -> Result<IdKind, Failure> {
    let has = |part: &Option<String>| part.is_some();
    Ok(if has(&parts.key_label) {
        IdKind::Key
    } else if has(&parts.namespace) {
        IdKind::Asset
    } else if has(&parts.id) || has(&parts.alias) || has(&parts.registry) {
        IdKind::Token
    } else if has(&parts.chain) && has(&parts.address) {
        IdKind::Interop
    } else if has(&parts.chain) {
        IdKind::Chain
    } else if has(&parts.address) {
        IdKind::Address
    } else {
        let expected = "say the parts, for example --chain 8453 --registry 0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1 --id 42, or \
                        --key-label service --param 1";
        return Err(Failure::argument("id format", expected));
    })
}

/// A part that the kind has no place for is not passed over: whoever gave it means something else.
fn refuse_needless(parts: &Format, kind: IdKind) -> Result<(), Failure> {
    let taken: &[&str] = match kind {
        IdKind::Interop => &["--chain", "--address", "--registry"],
        IdKind::Token => &["--chain", "--registry", "--id", "--alias"],
        IdKind::Tool => &["--chain", "--registry", "--id"],
        IdKind::Key => &["--key-label", "--param", "--form"],
        IdKind::Chain => &["--chain"],
        IdKind::Account => &["--chain", "--address"],
        IdKind::Asset => &["--chain", "--namespace", "--address", "--registry", "--id"],
        IdKind::Address | IdKind::Solana => &["--address"],
    };
    let given = [
        ("--chain", parts.chain.is_some()),
        ("--address", parts.address.is_some()),
        ("--registry", parts.registry.is_some()),
        ("--id", parts.id.is_some()),
        ("--alias", parts.alias.is_some()),
        ("--namespace", parts.namespace.is_some()),
        ("--key-label", parts.key_label.is_some()),
    ];
    let needless = given
        .into_iter()
        .find(|(flag, is_given)| *is_given && !taken.contains(flag));
    needless.map_or(Ok(()), |(flag, _)| {
        let what = a_standard(kind);
        let why = match (flag, kind) {
            ("--chain", IdKind::Address) => {
                format!("{what} is on no chain; for the EIP-1191 checksum of a chain run deedbox id convert --to eip1191")
            }
            ("--address", IdKind::Token | IdKind::Tool) => {
                format!("{what} has no address; name the contract of its registry with --registry")
            }
            _ => format!("{what} has no place for it; leave it out, or choose another --as"),
        };
        Err(Failure::argument(flag, why))
    })
}

fn needed<'p>(flag: &'static str, part: Option<&'p str>, kind: IdKind) -> Result<&'p str, Failure> {
    part.ok_or_else(|| Failure::argument(flag, format_args!("{} needs it", a_standard(kind))))
}

fn read<T>(
    flag: &str,
    text: &str,
    read: impl FnOnce(&str) -> Result<T, Error>,
) -> Result<T, Failure> {
    read(text).map_err(|error| refused(flag, text, error.into()))
}

fn refused(flag: &str, text: &str, wrong: Wrong) -> Failure {
    Failure::Identifier {
        fault: Fault::Part,
        what: format!("{flag} cannot be used"),
        text: text.to_owned(),
        wrong: Box::new(wrong),
    }
}

fn key(parts: &Format) -> Result<Identifier, Failure> {
    let label = needed("--key-label", parts.key_label.as_deref(), IdKind::Key)?;
    let parameters: Vec<&str> = parts.parameters.iter().map(String::as_str).collect();
    // The label first, so that an error in a parameter is known to be about one.
    read("--key-label", label, StorageKey::plain)?;
    let built = match (parts.form, parameters.as_slice()) {
        (None, []) => StorageKey::plain(label),
        (None | Some(KeyForm::Slash), [one]) => StorageKey::slash(label, one),
        (Some(KeyForm::Colon), [one]) => StorageKey::colon(label, one),
        (None | Some(KeyForm::Bracket), several) => {
            StorageKey::bracket(label, several.iter().copied())
        }
        (Some(KeyForm::Slash | KeyForm::Colon), _) => {
            return Err(Failure::argument(
                "--form",
                "slash and colon take exactly one --param; bracket takes several",
            ));
        }
    };
    let first_wrong = |error: Error| {
        let alone = |one: &&&str| StorageKey::bracket(label, [**one]).is_err();
        let text = parameters
            .iter()
            .find(alone)
            .or(parameters.first())
            .copied()
            .unwrap_or_default();
        refused("--param", text, error.into())
    };
    built.map(Identifier::Key).map_err(first_wrong)
}

fn chain(parts: &Format, kind: IdKind) -> Result<ChainId, Failure> {
    let text = needed("--chain", parts.chain.as_deref(), kind)?;
    read("--chain", text, read_chain)
}

fn id(parts: &Format, kind: IdKind) -> Result<U256, Failure> {
    read(
        "--id",
        needed("--id", parts.id.as_deref(), kind)?,
        decimal::parse,
    )
}

fn token(parts: &Format) -> Result<Identifier, Failure> {
    let alias = parts.alias.as_deref();
    let alias = alias
        .map(|text| read("--alias", text, Alias::from_str))
        .transpose()?;
    if parts.registry.is_none()
        && parts.chain.is_none()
        && let Some(alias) = alias
    {
        let token_id = parts
            .id
            .as_ref()
            .map(|_| id(parts, IdKind::Token))
            .transpose()?;
        return Ok(Identifier::Token(match token_id {
            Some(token_id) => PartialIdentifier::AliasAndId { alias, token_id },
            None => PartialIdentifier::Alias(alias),
        }));
    }
    let registry = registry(parts, IdKind::Token)?;
    let token = TokenIdentifier::new(id(parts, IdKind::Token)?, registry).with_alias(alias);
    Ok(Identifier::Token(PartialIdentifier::Full(token)))
}

fn registry(parts: &Format, kind: IdKind) -> Result<Registry, Failure> {
    let text = needed("--registry", parts.registry.as_deref(), kind)?;
    if text.len() > 42 && (parts.chain.is_none() || text.starts_with("0x")) {
        let registry = read("--registry", text, |text| {
            InteropAddress::from_hex_of_any_case(text).and_then(Registry::try_from)
        })?;
        return agreeing(parts, registry, kind);
    }
    let chain = chain(parts, kind)?;
    if chain.namespace() == "eip155" {
        let (contract, _) = read("--registry", text, reading::address)?;
        let chain = read("--chain", chain.as_str(), |_| chain.evm_chain())?;
        return Ok(Registry::evm(chain, contract));
    }
    let on_chain = on_chain("--registry", text, &chain)?;
    read("--registry", text, |_| Registry::try_from(on_chain))
}

/// A registry that names its chain itself, which `--chain` may repeat.
fn agreeing(parts: &Format, registry: Registry, kind: IdKind) -> Result<Registry, Failure> {
    if parts.chain.is_none() {
        return Ok(registry);
    }
    let said = chain(parts, kind)?;
    let own = Identifier::Interop(registry.as_interop().clone()).chain();
    if own.as_deref() == Some(said.as_str()) {
        return Ok(registry);
    }
    let own = own.unwrap_or_default();
    let why = format!("the registry names its chain already, {own}; leave it out");
    Err(Failure::argument("--chain", why))
}

/// An address on a chain that need not be an EVM one.
fn on_chain(flag: &str, text: &str, chain: &ChainId) -> Result<InteropAddress, Failure> {
    let whole = format!("{chain}:{text}");
    let start = chain.as_str().len() + 1;
    let wrong = |wrong: Wrong| match wrong.at {
        Some(at) if at >= start => refused(
            flag,
            text,
            Wrong {
                at: Some(at - start),
                ..wrong
            },
        ),
        _ => refused("--chain", chain.as_str(), wrong),
    };
    let account = Identifier::read(IdKind::Account, &whole).map_err(wrong)?;
    let Identifier::Account(account) = account else {
        return Err(Failure::argument("--chain", "names no chain"));
    };
    InteropAddress::try_from(&account).map_err(|error| wrong(error.into()))
}

fn tool(parts: &Format) -> Result<Identifier, Failure> {
    let kind = IdKind::Tool;
    let registry = registry(parts, kind)?.into_interop();
    let tool_id = id(parts, kind)?;
    let (Some(chain), Some(contract)) = (registry.evm_chain(), registry.evm_address()) else {
        return Err(Failure::argument(
            "--registry",
            "a tool's registry is a contract on an EVM chain",
        ));
    };
    read("--chain", &chain.to_string(), |_| {
        ToolReference::new(chain, contract, tool_id)
    })
    .map(Identifier::Tool)
}

fn interop(parts: &Format) -> Result<Identifier, Failure> {
    let address = parts.address.as_deref().map(|text| ("--address", text));
    let address = address.or(parts.registry.as_deref().map(|text| ("--registry", text)));
    let built = match (&parts.chain, address) {
        (Some(_), Some((flag, text))) => on_chain(flag, text, &chain(parts, IdKind::Interop)?)?,
        (Some(text), None) => {
            let chain = chain(parts, IdKind::Interop)?;
            read("--chain", text, |_| InteropAddress::try_from(&chain))?
        }
        (None, Some((flag, text))) if text.starts_with("0x") => {
            InteropAddress::evm_address_only(read(flag, text, reading::address)?.0)
        }
        (None, Some((flag, text))) => {
            let key = read(flag, text, Base58Key::from_str)?;
            read(flag, text, |_| {
                InteropAddress::new(ChainType::SOLANA, &[], &key.0)
            })?
        }
        (None, None) => {
            return Err(Failure::argument(
                "--as interop",
                "needs --chain, --address or both",
            ));
        }
    };
    Ok(Identifier::Interop(built))
}

fn account(parts: &Format) -> Result<Identifier, Failure> {
    let kind = IdKind::Account;
    let chain = chain(parts, kind)?;
    let text = needed("--address", parts.address.as_deref(), kind)?;
    if chain.namespace() == "eip155" {
        let interop = Identifier::Interop(on_chain("--address", text, &chain)?);
        let converted = convert(&interop, IdForm::Caip10, &Said::default());
        let account = converted
            .map_err(|wrong| refused("--address", text, wrong))?
            .text;
        let account = read("--address", &account, AccountId::from_str)?;
        return Ok(Identifier::Account(account.to_lower_case_hex()));
    }
    let whole = format!("{chain}:{text}");
    Identifier::read(kind, &whole).map_err(|wrong| refused("--address", &whole, wrong))
}

fn asset(parts: &Format) -> Result<Identifier, Failure> {
    let kind = IdKind::Asset;
    let chain = chain(parts, kind)?;
    let namespace = needed("--namespace", parts.namespace.as_deref(), kind)?;
    let address = parts.address.as_deref().or(parts.registry.as_deref());
    let reference = needed("--address", address, kind)?;
    let whole = match &parts.id {
        Some(id) => format!("{chain}/{namespace}:{reference}/{id}"),
        None => format!("{chain}/{namespace}:{reference}"),
    };
    Identifier::read(kind, &whole).map_err(|wrong| refused("the parts together", &whole, wrong))
}
