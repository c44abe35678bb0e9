//! What a new predicate has to say of itself. Its code does not show with what it was created: immutable values are left out of that comparison.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolValue};
use deedbox_registry::{
    Logic, Predicate, Term,
    abi::{
        AccessProofPredicate as AccessProof, AgentOwnerPredicate as AgentOwner,
        AllowlistPredicate as Allowlist, AnyAgentOwnerPredicate as AnyAgentOwner,
        CompositePredicate as Composite, Erc20BalancePredicate as Erc20,
        Erc721HolderPredicate as Erc721, Erc1155HolderPredicate as Erc1155,
        MerkleAllowlistPredicate as Merkle, SubscriptionPredicate as Subscription,
    },
};

use super::{Fact, Must};

/// Everything that `predicate` was created with, as `contract` has to tell it.
pub(super) fn facts(contract: Address, predicate: &Predicate) -> Vec<Fact> {
    let at = At(contract);
    match predicate {
        Predicate::AlwaysDeny => Vec::new(),
        Predicate::Allowlist { registry } => {
            vec![at.account("registry", &Allowlist::registryCall {}, *registry)]
        }
        Predicate::MerkleAllowlist { registry } => {
            vec![at.account("registry", &Merkle::registryCall {}, *registry)]
        }
        Predicate::Erc721Holder { collection } => {
            vec![at.account("collection", &Erc721::collectionCall {}, *collection)]
        }
        Predicate::Erc1155Holder {
            collection,
            token_id,
        } => vec![
            at.account("collection", &Erc1155::collectionCall {}, *collection),
            at.number("tokenId", &Erc1155::tokenIdCall {}, *token_id),
        ],
        Predicate::Erc20Balance { token, min_balance } => vec![
            at.account("token", &Erc20::tokenCall {}, *token),
            at.number("minBalance", &Erc20::minBalanceCall {}, *min_balance),
        ],
        Predicate::Subscription {
            collection,
            min_tier,
        } => vec![
            at.account("collection", &Subscription::collectionCall {}, *collection),
            at.number(
                "minTier",
                &Subscription::minTierCall {},
                U256::from(*min_tier),
            ),
        ],
        Predicate::AgentOwner { agents, agent_id } => vec![
            at.account("agents", &AgentOwner::agentsCall {}, *agents),
            at.number("agentId", &AgentOwner::agentIdCall {}, *agent_id),
        ],
        Predicate::AnyAgentOwner { agents } => {
            vec![at.account("agents", &AnyAgentOwner::agentsCall {}, *agents)]
        }
        Predicate::AccessProof { caller } => {
            vec![at.account("caller", &AccessProof::callerCall {}, *caller)]
        }
        Predicate::Composite {
            caller,
            logic,
            terms,
        } => {
            let any = U256::from(u8::from(*logic == Logic::Any));
            let count = U256::from(terms.len());
            let mut facts = vec![
                at.account("caller", &Composite::callerCall {}, *caller),
                at.number("logic", &Composite::logicCall {}, any),
                at.number("termCount", &Composite::termCountCall {}, count),
            ];
            facts.extend(
                terms
                    .iter()
                    .enumerate()
                    .map(|(index, term)| at.term(index, term)),
            );
            facts
        }
    }
}

/// The new contract.
struct At(Address);

impl At {
    fn account(&self, what: &str, call: &impl SolCall, wanted: Address) -> Fact {
        Fact::new(what, self.0, call, Must::Account(wanted))
    }

    fn number(&self, what: &str, call: &impl SolCall, wanted: U256) -> Fact {
        Fact::new(what, self.0, call, Must::Number(wanted))
    }

    fn term(&self, index: usize, term: &Term) -> Fact {
        let call = Composite::termCall {
            index: U256::from(index),
        };
        let encoded = (term.predicate, term.negated, term.gas_limit).abi_encode();
        let what = format!("term {index}");
        Fact::new(what, self.0, &call, Must::Encoded(encoded.into()))
    }
}
