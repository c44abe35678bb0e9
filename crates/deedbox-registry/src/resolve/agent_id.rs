//! Which agent: a registry on a chain, and a number in it.

use std::str::FromStr;

use alloy_primitives::{Address, U256};
use deedbox_chain::ReadError;
use deedbox_id::{
    AccountId, Alias, EvmChain, PartialIdentifier, Registry, TokenIdentifier, decimal,
};

/// An agent's identity (ERC-8122, *Agent ID Format*). The alias takes no part in it.
#[derive(Clone, Debug)]
pub struct AgentId {
    /// The chain's id (EIP-155).
    pub chain_id: u64,
    /// The registry's contract.
    pub registry: Address,
    /// The agent's number in it.
    pub agent_id: U256,
    /// What the identifier called it. A label for people, which anybody may make up.
    pub alias: Option<Alias>,
}

impl PartialEq for AgentId {
    fn eq(&self, other: &Self) -> bool {
        let identity = |id: &Self| (id.chain_id, id.registry, id.agent_id);
        identity(self) == identity(other)
    }
}

impl Eq for AgentId {}

impl AgentId {
    /// An agent without an alias.
    #[must_use]
    pub fn new(chain_id: u64, registry: Address, agent_id: U256) -> Self {
        Self {
            chain_id,
            registry,
            agent_id,
            alias: None,
        }
    }

    /// The agent with a number (decimal) in a registry: an ERC-7930 address in lower-case hex, or a CAIP-10 account.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument).
    pub fn in_registry(registry: &str, agent_id: &str) -> Result<Self, ReadError> {
        let number =
            decimal::parse(agent_id).map_err(|error| ReadError::invalid("agent_id", error))?;
        Self::of(TokenIdentifier::new(number, read_registry(registry)?))
    }

    fn of(token: TokenIdentifier) -> Result<Self, ReadError> {
        let place = token.registry().as_interop();
        let chain = place.evm_chain().and_then(EvmChain::to_u64);
        let (Some(chain_id), Some(registry)) = (chain, place.evm_address()) else {
            return Err(ReadError::invalid(
                "registry",
                "must be a contract on an EVM chain whose id is below 2^64",
            ));
        };
        Ok(Self {
            chain_id,
            registry: Address::from(registry.0),
            agent_id: token.token_id(),
            alias: token.alias().cloned(),
        })
    }

    /// The full identifier (ERC-8127), with its alias.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument) for chain 0, which is none.
    pub fn token(&self) -> Result<TokenIdentifier, ReadError> {
        let token = TokenIdentifier::new(self.agent_id, self.place()?);
        Ok(token.with_alias(self.alias.clone()))
    }

    /// The registry's place.
    pub(super) fn place(&self) -> Result<Registry, ReadError> {
        let chain = EvmChain::new(U256::from(self.chain_id))
            .map_err(|error| ReadError::invalid("chain_id", error))?;
        let contract = deedbox_id::Address(self.registry.0.0);
        Ok(Registry::evm(chain, contract))
    }
}

fn read_registry(text: &str) -> Result<Registry, ReadError> {
    let bad = |error: deedbox_id::Error| ReadError::invalid("registry", error);
    if text.starts_with("0x") {
        return text.parse().map_err(bad);
    }
    let account: AccountId = text.parse().map_err(bad)?;
    let chain = account.evm_chain().map_err(bad)?;
    Ok(Registry::evm(chain, account.evm_address().map_err(bad)?))
}

impl FromStr for AgentId {
    type Err = ReadError;

    /// Reads `[alias.]id@registry` (ERC-8127). The registry may also be a CAIP-10 account.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument), also for a form that names no registry or no number: which agent that
    /// means only a list can tell, and nothing is guessed.
    fn from_str(text: &str) -> Result<Self, ReadError> {
        let bad = |error: deedbox_id::Error| ReadError::invalid("agent", error);
        let Some((name, registry)) = text.split_once('@') else {
            let _shorter: PartialIdentifier = text.parse().map_err(bad)?;
            return Err(incomplete("no registry"));
        };
        let is_number = name.starts_with(|c: char| c.is_ascii_digit());
        if !name.contains('.') && !is_number && name.parse::<Alias>().is_ok() {
            return Err(incomplete("no number"));
        }
        let token: TokenIdentifier = if registry.starts_with("0x") {
            text.parse().map_err(bad)?
        } else {
            let registry = read_registry(registry)?;
            format!("{name}@{registry}").parse().map_err(bad)?
        };
        Self::of(token)
    }
}

fn incomplete(what: &str) -> ReadError {
    let form = format_args!(
        "names {what}, and which agent is meant only a list can tell: give [alias.]id@registry, like 12@eip155:1:0x… or 12@0x0001…"
    );
    ReadError::invalid("agent", form)
}

#[cfg(test)]
mod tests {
    use deedbox_chain::Code;

    use super::*;

    const HEX: &str = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
    const CAIP: &str = "eip155:1:0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
    const CHECKSUMMED: &str = "eip155:1:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

    #[test]
    fn every_full_form_names_the_same_agent() {
        let registry = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
            .parse()
            .unwrap();
        let agent = AgentId::new(1, registry, U256::from(12345));
        for text in [
            format!("12345@{HEX}"),
            format!("Neo.12345@{HEX}"),
            format!("12345@{CAIP}"),
            format!("neo.12345@{CHECKSUMMED}"),
        ] {
            assert_eq!(text.parse::<AgentId>().unwrap(), agent, "{text}");
        }
        for registry in [HEX, CAIP, CHECKSUMMED] {
            assert_eq!(AgentId::in_registry(registry, "12345").unwrap(), agent);
        }
        let named: AgentId = format!("Neo.12345@{HEX}").parse().unwrap();
        assert_eq!(named.alias.unwrap().to_string(), "neo");
    }

    #[test]
    fn what_names_no_agent_is_refused_by_the_argument() {
        for text in [
            "neo",
            "12345",
            "neo.12345",
            &format!("neo@{HEX}"),
            &format!("007@{HEX}"),
            &format!("1@{}", &HEX[..40]),
            "1@eip155:1",
            "1@solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
            "1@eip155:1:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046",
            // A chain id that is no u64.
            "1@eip155:99999999999999999999:0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
        ] {
            let refused = text.parse::<AgentId>().unwrap_err();
            assert_eq!(refused.code, Code::InvalidArgument, "{text}");
        }
    }
}
