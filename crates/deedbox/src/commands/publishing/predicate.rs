//! Commands about predicates: from the command to the action that it asks for.

use deedbox_publish::Action;
use deedbox_registry::{
    Deployment, Predicate,
    deployment::{Logic, Term},
};

use super::{
    Change,
    change::{ADDRESS, one},
    names::{self, Contract},
};
use crate::{
    cli::{self, PredicateCommand, PredicateCommon, PredicateKind},
    failure::Failure,
    settings::Flags,
};

/// Reads a command about predicates.
///
/// # Errors
/// [`Failure::Argument`].
pub(in crate::commands) fn predicate(
    command: PredicateCommand,
    flags: &mut Flags,
) -> Result<Box<Change>, Failure> {
    match command {
        PredicateCommand::Deploy(kind) => {
            let (predicate, PredicateCommon { on, publishing }) = of_kind(kind)?;
            let action = Action::Deploy(Deployment::Predicate(predicate));
            one(on.chain_id, publishing, flags, action)
        }
        PredicateCommand::Allow {
            predicate,
            tool_id,
            accounts,
            revoke,
            publishing,
        } => {
            let Contract { chain_id, address } = names::predicate(&predicate)?;
            let account = |text: &String| names::somebody(ADDRESS, text, chain_id);
            let action = Action::SetAllowed {
                predicate: address,
                tool_id: names::tool_id(TOOL_ID, &tool_id, chain_id)?,
                accounts: accounts.iter().map(account).collect::<Result<_, _>>()?,
                allowed: !revoke,
            };
            one(chain_id, publishing, flags, action)
        }
        PredicateCommand::SetRoot {
            predicate,
            tool_id,
            root,
            publishing,
        } => {
            let Contract { chain_id, address } = names::predicate(&predicate)?;
            let root = root
                .parse()
                .map_err(|_| Failure::argument("ROOT", "must be 0x and 64 hexadecimal digits"))?;
            let action = Action::SetRoot {
                predicate: address,
                tool_id: names::tool_id(TOOL_ID, &tool_id, chain_id)?,
                root,
            };
            one(chain_id, publishing, flags, action)
        }
    }
}

const TOOL_ID: &str = "--tool-id";

/// The predicate that a command names, and what all of them have in common.
fn of_kind(kind: PredicateKind) -> Result<(Predicate, PredicateCommon), Failure> {
    let chain_id = kind.common().on.chain_id;
    let on = |what, text: &str| names::somebody(what, text, chain_id);
    Ok(match kind {
        PredicateKind::AlwaysDeny { common } => (Predicate::AlwaysDeny, common),
        PredicateKind::Allowlist { registry, common } => {
            let registry = on("--registry", &registry)?;
            (Predicate::Allowlist { registry }, common)
        }
        PredicateKind::MerkleAllowlist { registry, common } => {
            let registry = on("--registry", &registry)?;
            (Predicate::MerkleAllowlist { registry }, common)
        }
        PredicateKind::Erc721 { collection, common } => {
            let collection = on("--collection", &collection)?;
            (Predicate::Erc721Holder { collection }, common)
        }
        PredicateKind::Erc1155 {
            collection,
            token_id,
            common,
        } => {
            let predicate = Predicate::Erc1155Holder {
                collection: on("--collection", &collection)?,
                token_id: names::number("--token-id", &token_id)?,
            };
            (predicate, common)
        }
        PredicateKind::Erc20 {
            token,
            min_balance,
            common,
        } => {
            let predicate = Predicate::Erc20Balance {
                token: on("--token", &token)?,
                min_balance: names::number("--min-balance", &min_balance)?,
            };
            (predicate, common)
        }
        PredicateKind::Subscription {
            collection,
            min_tier,
            common,
        } => {
            let collection = on("--collection", &collection)?;
            let predicate = Predicate::Subscription {
                collection,
                min_tier,
            };
            (predicate, common)
        }
        PredicateKind::AgentOwner {
            registry,
            agent_id,
            common,
        } => {
            let predicate = Predicate::AgentOwner {
                agents: on("--registry", &registry)?,
                agent_id: names::number("--agent-id", &agent_id)?,
            };
            (predicate, common)
        }
        PredicateKind::AccessProof { caller, common } => {
            let caller = on("--caller", &caller)?;
            (Predicate::AccessProof { caller }, common)
        }
        PredicateKind::Composite {
            caller,
            logic,
            terms,
            common,
        } => {
            let caller = caller.map(|caller| on("--caller", &caller));
            let predicate = Predicate::Composite {
                caller: caller.transpose()?.unwrap_or_default(),
                logic: match logic {
                    cli::Logic::All => Logic::All,
                    cli::Logic::Any => Logic::Any,
                },
                terms: terms
                    .iter()
                    .map(|text| term(text, chain_id))
                    .collect::<Result<_, _>>()?,
            };
            (predicate, common)
        }
        PredicateKind::AnyAgentOwner { registry, common } => {
            let agents = on("--registry", &registry)?;
            (Predicate::AnyAgentOwner { agents }, common)
        }
    })
}

/// What a term gets, unless another amount is said: every predicate here is content with it.
const TERM_GAS: u64 = 100_000;

/// A term of a composite: `[not:]ADDRESS[,GAS]`.
fn term(text: &str, chain_id: u64) -> Result<Term, Failure> {
    const TERM: &str = "--term";
    let (negated, rest) = match text.strip_prefix("not:") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (predicate, gas) = match rest.split_once(',') {
        Some((predicate, gas)) => (predicate, Some(gas)),
        None => (rest, None),
    };
    let gas_limit = gas
        .map_or(Ok(TERM_GAS), str::parse)
        .map_err(|_| Failure::argument(TERM, "the gas behind the comma must be a whole number"))?;
    Ok(Term {
        predicate: names::somebody(TERM, predicate, chain_id)?,
        negated,
        gas_limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_an_address_that_may_be_negated_and_given_gas() {
        let address = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
        let read = |text: &str| {
            let term = term(text, 1).ok()?;
            Some((
                format!("{:#x}", term.predicate),
                term.negated,
                term.gas_limit,
            ))
        };
        let expected = |negated, gas| Some((address.to_owned(), negated, gas));
        assert_eq!(read(address), expected(false, 100_000));
        assert_eq!(
            read(&format!("not:{address},60000")),
            expected(true, 60_000)
        );
        for wrong in [
            "",
            "not:",
            &format!("{address},"),
            &format!("{address},x"),
            "not:not:0x",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
