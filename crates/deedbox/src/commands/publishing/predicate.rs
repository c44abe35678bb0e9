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
    let kind = match command {
        PredicateCommand::Deploy(kind) => kind,
        PredicateCommand::Allow {
            predicate,
            tool_id,
            accounts,
            revoke,
            publishing,
        } => {
            let Contract { chain_id, address } = names::predicate(&predicate)?;
            let account = |text: &String| names::somebody(ADDRESS, text);
            let action = Action::SetAllowed {
                predicate: address,
                tool_id: names::number("--tool-id", &tool_id)?,
                accounts: accounts.iter().map(account).collect::<Result<_, _>>()?,
                allowed: !revoke,
            };
            return one(chain_id, publishing, flags, action);
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
                tool_id: names::number("--tool-id", &tool_id)?,
                root,
            };
            return one(chain_id, publishing, flags, action);
        }
    };
    let (predicate, PredicateCommon { on, publishing }) = match kind {
        PredicateKind::AlwaysDeny { common } => (Predicate::AlwaysDeny, common),
        PredicateKind::Allowlist { registry, common } => {
            let registry = names::somebody("--registry", &registry)?;
            (Predicate::Allowlist { registry }, common)
        }
        PredicateKind::MerkleAllowlist { registry, common } => {
            let registry = names::somebody("--registry", &registry)?;
            (Predicate::MerkleAllowlist { registry }, common)
        }
        PredicateKind::Erc721 { collection, common } => {
            let collection = names::somebody("--collection", &collection)?;
            (Predicate::Erc721Holder { collection }, common)
        }
        PredicateKind::Erc1155 {
            collection,
            token_id,
            common,
        } => {
            let predicate = Predicate::Erc1155Holder {
                collection: names::somebody("--collection", &collection)?,
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
                token: names::somebody("--token", &token)?,
                min_balance: names::number("--min-balance", &min_balance)?,
            };
            (predicate, common)
        }
        PredicateKind::Subscription {
            collection,
            min_tier,
            common,
        } => {
            let collection = names::somebody("--collection", &collection)?;
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
                agents: names::somebody("--registry", &registry)?,
                agent_id: names::number("--agent-id", &agent_id)?,
            };
            (predicate, common)
        }
        PredicateKind::AccessProof { caller, common } => {
            let caller = names::somebody("--caller", &caller)?;
            (Predicate::AccessProof { caller }, common)
        }
        PredicateKind::Composite {
            caller,
            logic,
            terms,
            common,
        } => {
            let caller = caller.map(|caller| names::somebody("--caller", &caller));
            let predicate = Predicate::Composite {
                caller: caller.transpose()?.unwrap_or_default(),
                logic: match logic {
                    cli::Logic::All => Logic::All,
                    cli::Logic::Any => Logic::Any,
                },
                terms: terms
                    .iter()
                    .map(|text| term(text))
                    .collect::<Result<_, _>>()?,
            };
            (predicate, common)
        }
        PredicateKind::AnyAgentOwner { registry, common } => {
            let agents = names::somebody("--registry", &registry)?;
            (Predicate::AnyAgentOwner { agents }, common)
        }
    };
    let action = Action::Deploy(Deployment::Predicate(predicate));
    one(on.chain_id, publishing, flags, action)
}

/// What a term gets, unless another amount is said: every predicate here is content with it.
const TERM_GAS: u64 = 100_000;

/// A term of a composite: `[not:]ADDRESS[,GAS]`.
fn term(text: &str) -> Result<Term, Failure> {
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
        predicate: names::somebody(TERM, predicate)?,
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
            let term = term(text).ok()?;
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
