//! Registries, agents, tools and accounts as people name them on a command line.

use alloy_primitives::{Address, U256};
use deedbox_id::{
    AccountId, EvmChain, InteropAddress, Registry, TokenIdentifier, ToolReference, decimal,
};
use deedbox_registry::Preset;

use crate::{
    accounts::is_like_a_key,
    cli::{AgentName, OnChain, PredicateName, RegistryName, ToolName},
    commands::read_address,
    failure::Failure,
};

/// A contract on a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) struct Contract {
    /// The chain's id (EIP-155).
    pub(in crate::commands) chain_id: u64,
    /// Its address.
    pub(in crate::commands) address: Address,
}

/// An agent or a tool: a number in a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) struct Numbered {
    /// The registry.
    pub(in crate::commands) registry: Contract,
    /// The number.
    pub(in crate::commands) id: U256,
}

/// An account's or a contract's address on a chain: alone, or in a notation that says the chain too (CAIP-10, ERC-7930), which
/// must be that one then.
///
/// # Errors
/// [`Failure::Argument`]: it is none, its checksum is wrong, or it is on another chain.
pub(crate) fn address(what: &'static str, text: &str, chain_id: u64) -> Result<Address, Failure> {
    if is_like_a_key(text) {
        let reason = "has 64 hexadecimal digits, and an address has 40. If that is a private key: it is never an argument, because it \
                      stays in the shell's history; move what it controls to another account";
        return Err(Failure::argument(what, reason));
    }
    if says_its_chain(text) {
        let on = OnChain {
            chain_id: Some(chain_id),
        };
        return contract(what, text, &on).map(|contract| contract.address);
    }
    let (address, _) = read_address(text).map_err(|error| Failure::argument(what, error))?;
    Ok(address.0.into())
}

/// The same, and not the zero address, which nobody has.
///
/// # Errors
/// [`Failure::Argument`].
pub(super) fn somebody(what: &'static str, text: &str, chain_id: u64) -> Result<Address, Failure> {
    match address(what, text, chain_id)? {
        Address::ZERO => Err(Failure::argument(
            what,
            "is the zero address, which nobody has",
        )),
        address => Ok(address),
    }
}

/// A number of at most 256 bits, in its one decimal spelling.
///
/// # Errors
/// [`Failure::Argument`].
pub(super) fn number(what: &'static str, text: &str) -> Result<U256, Failure> {
    decimal::parse(text).map_err(|error| Failure::argument(what, error))
}

/// A tool's id in its registry: a number, or the tool's own name, which must be on that chain.
///
/// # Errors
/// [`Failure::Argument`].
pub(super) fn tool_id(what: &'static str, text: &str, chain_id: u64) -> Result<U256, Failure> {
    if !text.contains('/') {
        return number(what, text);
    }
    let tool = text.parse::<ToolReference>();
    let tool = tool.map_err(|error| Failure::argument(what, error))?;
    let on = OnChain {
        chain_id: Some(chain_id),
    };
    on_chain(what, tool.chain(), tool.registry(), &on)?;
    Ok(tool.tool_id())
}

/// A registry: ERC-7930, CAIP-10, or an address or a preset's name beside `--chain-id`.
///
/// # Errors
/// [`Failure::Argument`]: none of these, or on another chain than was said.
pub(in crate::commands) fn registry(name: &RegistryName) -> Result<Contract, Failure> {
    if let Some(preset) = Preset::named(&name.registry) {
        return on_one_of(preset, name.on.chain_id);
    }
    contract("REGISTRY", &name.registry, &name.on)
}

/// A public registry, on the chain that is meant.
fn on_one_of(preset: &Preset, chain_id: Option<u64>) -> Result<Contract, Failure> {
    let chains: Vec<String> = preset.chains.iter().map(u64::to_string).collect();
    let chains = chains.join(", ");
    let Some(chain_id) = chain_id else {
        let reason = format!(
            "{} stands on several chains: add --chain-id with one of {chains}",
            preset.name
        );
        return Err(Failure::argument("REGISTRY", reason));
    };
    if !preset.chains.contains(&chain_id) {
        let reason = format!(
            "{} is not known to stand on chain {chain_id}, but on {chains}",
            preset.name
        );
        return Err(Failure::argument("--chain-id", reason));
    }
    let address = preset.address;
    Ok(Contract { chain_id, address })
}

/// A predicate, in the same notations.
///
/// # Errors
/// [`Failure::Argument`].
pub(super) fn predicate(name: &PredicateName) -> Result<Contract, Failure> {
    contract("PREDICATE", &name.predicate, &name.on)
}

fn contract(what: &'static str, text: &str, on: &OnChain) -> Result<Contract, Failure> {
    let wrong = |error: deedbox_id::Error| Failure::argument(what, error);
    if text.starts_with("eip155:") {
        let account: AccountId = text.parse().map_err(wrong)?;
        let (chain, address) = (account.evm_chain().map_err(wrong)?, account.evm_address());
        return on_chain(what, chain, address.map_err(wrong)?, on);
    }
    if !says_its_chain(text) {
        let chain_id = on.chain_id.ok_or_else(|| {
            let reason = "an address alone does not say its chain: add --chain-id, or write eip155:CHAIN:0x…";
            Failure::argument(what, reason)
        })?;
        let address = somebody(what, text, chain_id)?;
        return Ok(Contract { chain_id, address });
    }
    let registry: Registry = text.parse().map_err(wrong)?;
    let interop: &InteropAddress = registry.as_interop();
    match interop.evm_chain().zip(interop.evm_address()) {
        Some((chain, address)) => on_chain(what, chain, address, on),
        None => Err(Failure::argument(what, "is on no EVM chain")),
    }
}

/// Whether a text is of a notation with the chain in it. The shortest ERC-7930 form of a contract has 24 bytes and a chain's
/// digits; an address has 20.
fn says_its_chain(text: &str) -> bool {
    text.starts_with("eip155:") || (text.len() > 2 + 40 && !is_like_a_key(text))
}

fn on_chain(
    what: &'static str,
    chain: EvmChain,
    address: deedbox_id::Address,
    on: &OnChain,
) -> Result<Contract, Failure> {
    let chain_id = chain
        .to_u64()
        .ok_or_else(|| Failure::argument(what, "has a chain id that no endpoint can serve"))?;
    if let Some(said) = on.chain_id.filter(|said| *said != chain_id) {
        let reason = format!("is on chain {chain_id}, and chain {said} is meant");
        return Err(Failure::argument(what, reason));
    }
    if address.is_zero() {
        return Err(Failure::argument(
            what,
            "is the zero address, where nothing stands",
        ));
    }
    Ok(Contract {
        chain_id,
        address: address.0.into(),
    })
}

/// An agent: `[alias.]id@registry`, with the registry in any notation.
///
/// # Errors
/// [`Failure::Argument`].
pub(super) fn agent(name: &AgentName) -> Result<Numbered, Failure> {
    numbered("AGENT", &name.agent, &name.on)
}

/// A tool: `eip155:…/erc8257:…/id`, or `id@registry`.
///
/// # Errors
/// [`Failure::Argument`].
pub(in crate::commands) fn tool(name: &ToolName) -> Result<Numbered, Failure> {
    if !name.tool.contains('/') {
        return numbered("TOOL", &name.tool, &name.on);
    }
    let tool: ToolReference = name
        .tool
        .parse()
        .map_err(|error: deedbox_id::Error| Failure::argument("TOOL", error))?;
    let registry = on_chain("TOOL", tool.chain(), tool.registry(), &name.on)?;
    Ok(Numbered {
        registry,
        id: tool.tool_id(),
    })
}

/// An agent's identifier in a form that says its chain. What it says is read where it is asked about.
///
/// # Errors
/// [`Failure::Argument`]: the chain that is named beside it is missing, or another one.
pub(in crate::commands) fn agent_identifier(name: &AgentName) -> Result<String, Failure> {
    match name.agent.split_once('@') {
        Some((label, registry))
            if name.on.chain_id.is_some()
                || registry.starts_with("0x") && !says_its_chain(registry) =>
        {
            let registry = contract("AGENT", registry, &name.on)?;
            Ok(format!(
                "{label}@eip155:{}:{:#x}",
                registry.chain_id, registry.address
            ))
        }
        _ => Ok(name.agent.clone()),
    }
}

/// A tool's reference.
///
/// # Errors
/// [`Failure::Argument`].
pub(in crate::commands) fn tool_reference(name: &ToolName) -> Result<ToolReference, Failure> {
    let Numbered { registry, id } = tool(name)?;
    let wrong = |error: deedbox_id::Error| Failure::argument("TOOL", error);
    let chain = EvmChain::try_from(registry.chain_id).map_err(wrong)?;
    ToolReference::new(chain, deedbox_id::Address(registry.address.0.0), id).map_err(wrong)
}

fn numbered(what: &'static str, text: &str, on: &OnChain) -> Result<Numbered, Failure> {
    let Some((label, registry)) = text.split_once('@') else {
        let reason = "must be a number, @ and the registry: 12@0x0001…, 12@eip155:1:0x…, or 12@0x… with --chain-id";
        return Err(Failure::argument(what, reason));
    };
    let registry = contract(what, registry, on)?;
    // Read by the standard's own rules, also where the registry was written in another way.
    let chain =
        EvmChain::try_from(registry.chain_id).map_err(|error| Failure::argument(what, error))?;
    let canonical = Registry::evm(chain, deedbox_id::Address(registry.address.0.0));
    let token: TokenIdentifier = format!("{label}@{canonical}")
        .parse()
        .map_err(|error: deedbox_id::Error| Failure::argument(what, error))?;
    Ok(Numbered {
        registry,
        id: token.token_id(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
    const INTEROP: &str = "0x00010000027a69145fbdb2315678afecb367f032d93f642f64180aa3";

    fn on(chain_id: Option<u64>) -> OnChain {
        OnChain { chain_id }
    }

    #[test]
    fn a_registry_is_the_same_in_each_of_its_notations() {
        let caip = format!("eip155:31337:{ADDRESS}");
        let checksummed = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
        for (text, chain_id) in [
            (INTEROP, None),
            (INTEROP, Some(31337)),
            (&caip, None),
            (ADDRESS, Some(31337)),
            (checksummed, Some(31337)),
        ] {
            let read = contract("REGISTRY", text, &on(chain_id)).unwrap();
            assert_eq!(
                (read.chain_id, format!("{:#x}", read.address).as_str()),
                (31337, ADDRESS)
            );
            let agent = numbered("AGENT", &format!("12@{text}"), &on(chain_id)).unwrap();
            assert_eq!((agent.registry, agent.id), (read, U256::from(12)));
        }
        let tool = ToolName {
            tool: format!("eip155:31337/erc8257:{ADDRESS}/7"),
            on: on(None),
        };
        assert_eq!(self::tool(&tool).unwrap().id, U256::from(7));
    }

    #[test]
    fn an_account_is_the_same_in_each_of_its_notations_on_the_chain_that_is_meant() {
        let caip = format!("eip155:31337:{ADDRESS}");
        for text in [ADDRESS, INTEROP, &caip] {
            let read = somebody("--registry", text, 31337).unwrap();
            assert_eq!(format!("{read:#x}"), ADDRESS);
        }
        for text in [INTEROP, &caip] {
            let error = somebody("--registry", text, 1).unwrap_err().to_string();
            assert!(
                error.contains("is on chain 31337, and chain 1 is meant"),
                "{error}"
            );
        }
        let tool = format!("eip155:31337/erc8257:{ADDRESS}/7");
        for text in ["7", &tool] {
            assert_eq!(tool_id("--tool-id", text, 31337).unwrap(), U256::from(7));
        }
        assert!(tool_id("--tool-id", &tool, 1).is_err());
    }

    #[test]
    fn what_does_not_say_its_chain_or_says_two_is_refused() {
        let refused = |text: &str, chain_id| {
            contract("REGISTRY", text, &on(chain_id))
                .unwrap_err()
                .to_string()
        };
        assert!(refused(ADDRESS, None).contains("--chain-id"));
        assert!(refused(INTEROP, Some(1)).contains("is on chain 31337"));
        assert!(refused(&ADDRESS[..41], Some(1)).contains("40 hex digits"));
        assert!(refused(&format!("eip155:1:0x{}", "0".repeat(40)), None).contains("zero address"));
        for text in ["12", "x@y", "012@0x", &format!("-1@{INTEROP}")] {
            assert!(numbered("AGENT", text, &on(None)).is_err(), "{text}");
        }
    }

    #[test]
    fn a_preset_is_on_the_chains_that_it_stands_on_and_on_no_other() {
        let named = |chain_id| {
            registry(&RegistryName {
                registry: "public-tools".to_owned(),
                on: on(chain_id),
            })
        };
        let base = named(Some(8453)).unwrap();
        let address = "0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1";
        assert_eq!(
            (base.chain_id, format!("{:#x}", base.address).as_str()),
            (8453, address)
        );
        let unsaid = named(None).unwrap_err().to_string();
        assert!(
            unsaid.contains("--chain-id with one of 1, 8453"),
            "{unsaid}"
        );
        let elsewhere = named(Some(10)).unwrap_err().to_string();
        assert!(
            elsewhere.contains("on chain 10, but on 1, 8453"),
            "{elsewhere}"
        );
    }

    #[test]
    fn what_may_be_a_private_key_is_not_repeated() {
        let key = format!("0x{}", "ac".repeat(32));
        for error in [
            address("--owner", &key, 1).unwrap_err(),
            contract("REGISTRY", &key, &on(Some(1))).unwrap_err(),
        ] {
            let text = error.for_people();
            assert!(
                text.contains("private key") && !text.contains("acac"),
                "{text}"
            );
        }
    }
}
