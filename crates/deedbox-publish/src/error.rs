//! Why a change was not published, or is not known to be.

use alloy_primitives::{Address, U256};
use deedbox_chain::{
    ReadError,
    send::{AccountState, NotTaken},
};
use deedbox_core::{PublicationId, Refusal, publication::BadTransaction};
use deedbox_fetch::FetchError;
use deedbox_registry::Revert;
use deedbox_store::StoreError;

use crate::{signer::CannotSign, teller::NotAsked};

/// Why a change was not published. Each text says what to do. [`PublishError::publication`] tells whether something is under way.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// What was asked for cannot be done; nothing was signed.
    #[error("{0}")]
    Invalid(String),
    /// What stands at the address is not what it has to be.
    #[error("{0}")]
    WrongContract(String),
    /// The signer may not do this.
    #[error("{0}")]
    NotAllowed(String),
    /// The manifest breaks the standard's rules, or is not what is served, or names another creator.
    #[error("{0}")]
    Manifest(String),
    /// The manifest could not be fetched from its URL. Nothing was signed.
    #[error("the manifest could not be fetched from its URL. {0}")]
    Fetch(#[from] FetchError),
    /// A predicate without code was named, and nobody said that this is meant.
    #[error(
        "there is no code at the access predicate {0}. Until there is, nobody has access. Deploy it first (ERC-8257, rule 8257-zero-07), or say --predicate-without-code if you mean to"
    )]
    PredicateWithoutCode(Address),
    /// The chain would refuse the change. Nothing was signed.
    #[error("the chain would refuse this: {0}. Nothing was signed, and nothing was spent")]
    WouldRevert(Box<Revert>),
    /// More gas than one transaction may have.
    #[error(
        "this needs {gas} gas, and one transaction may have {} (EIP-7825). Split it up: shorter values, or fewer agents at once",
        deedbox_registry::limits::TRANSACTION_GAS
    )]
    TooMuchGas {
        /// What it needs.
        gas: u64,
    },
    /// The account cannot pay for it.
    #[error(
        "the account {account} has {balance} on chain {chain_id}, and this may cost {needed}. Nothing was signed. Send it {missing}{or_cheaper}"
    )]
    CannotPay {
        /// The account.
        account: Address,
        /// The chain's id.
        chain_id: u64,
        /// What it has, with its unit and in wei.
        balance: String,
        /// What this may cost, with its unit and in wei.
        needed: String,
        /// The difference, with its unit and in wei.
        missing: String,
        /// What else may help; empty where nothing does.
        or_cheaper: &'static str,
    },
    /// The limit that was given is below what the market asks.
    #[error(
        "at the moment this costs at least {least}, which is more than the limit of {limit}. Wait, or raise --max-fee"
    )]
    FeeAboveLimit {
        /// What it costs at least, with its unit.
        least: String,
        /// The limit, with its unit.
        limit: String,
    },
    /// The endpoint names an unusual price, and nobody has said what it may cost.
    #[error(
        "the endpoint names a price of gas with which this may cost {cost}, and nothing that is told of the last blocks, or by another endpoint, shows that this is usual. Nothing was signed. Compare with another source, and say with --max-fee what it may cost"
    )]
    FeeUnusual {
        /// What it may cost, with its unit.
        cost: String,
    },
    /// It is more than is spent without anybody having said so, however usual it is said to be.
    #[error(
        "this may cost {cost}, and without a limit no more than {ceiling} is spent on one change, and no more than 1000 gwei for a unit of gas, whatever an endpoint says that is usual. Nothing was signed. Compare with another source, and if it is what you mean to spend, say so: --max-fee {cost}"
    )]
    FeeBeyond {
        /// What it may cost, with its unit.
        cost: String,
        /// What is spent at most without a limit, with its unit.
        ceiling: String,
    },
    /// Between the question and the answer, the chain has moved away from what was shown.
    #[error("what was shown does not hold any more: {0}. Nothing was signed. Start again")]
    Outdated(String),
    /// Transactions of the account that are not ours wait to be included, or were included since it was looked at.
    #[error(
        "another wallet uses {account} at the moment: from nonce {nonce} on, {} waiting, or included just now, which this program did not send. Nothing was signed. Wait until the account has nothing waiting, or replace it in the wallet that sent it, and start again",
        are(*waiting, "transaction")
    )]
    OthersPending {
        /// The account.
        account: Address,
        /// How many.
        waiting: u64,
        /// The first one's nonce.
        nonce: u64,
    },
    /// Endpoints of the chain do not know the same transactions of the account.
    #[error(
        "the endpoints disagree about how many transactions of {account} are in the chain: {said}. Nothing was signed. One of them lags, or is not on this chain: start again a little later, or take it out of the settings"
    )]
    NoncesDisagree {
        /// The account.
        account: Address,
        /// What each says, by its id.
        said: String,
    },
    /// The account has code, so that it cannot sign transactions (EIP-3607).
    #[error("{0} is a contract. It cannot sign; use --dry-run, and let it send what is printed")]
    AccountIsContract(Address),
    /// The ledger refuses: above all, because another publication of this account is open.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// Somebody said no. Nothing was signed.
    #[error("not confirmed: it was not signed, and nothing was spent on it")]
    Declined,
    /// Nobody could be asked. Nothing was signed.
    #[error(transparent)]
    NotAsked(#[from] NotAsked),
    /// The signer did not sign.
    #[error("nothing was signed: {0}")]
    CannotSign(#[from] CannotSign),
    /// What came back as a signature is none of the account's. Nothing was recorded or sent.
    #[error(
        "the signature is not one of {expected}: it was made with another key. Nothing was recorded, and nothing was sent"
    )]
    WrongSignature {
        /// Who should have signed.
        expected: Address,
    },
    /// The signed transaction cannot be recorded. Nothing was sent.
    #[error("the transaction cannot be recorded, and was not sent: {0}")]
    Unrecordable(#[from] BadTransaction),
    /// It is signed and recorded, and no endpoint takes it.
    #[error("publication {id} is signed and recorded, and nobody took it: {why}. {advice}")]
    NotTaken {
        /// The publication. It is open.
        id: PublicationId,
        /// Why.
        why: NotTaken,
        /// What to do.
        advice: &'static str,
    },
    /// It is on its way, and not in a block within the time that was given.
    #[error(
        "publication {id} is not settled after {seconds} s: {state}. It stays open, and may still take effect: deedbox publication resume {id} goes on waiting. It is never sent twice"
    )]
    NotYet {
        /// The publication. It is open.
        id: PublicationId,
        /// How long was waited.
        seconds: u64,
        /// Where it was seen the last time.
        state: String,
    },
    /// An earlier publication of the account is open, or its block is gone from the chain. A chain takes this one only after that one.
    #[error(
        "publication {id} waits for publication {first} of the same account, which has the earlier nonce {nonce} and is not in the chain: resume {first} first (deedbox publication resume {first}), and then this one (deedbox publication resume {id}). Nothing was sent now"
    )]
    EarlierFirst {
        /// The publication. It is open.
        id: PublicationId,
        /// The one that comes first.
        first: PublicationId,
        /// Its nonce.
        nonce: u64,
    },
    /// It is settled, and not as deep in the chain as was asked for.
    #[error(
        "publication {id} is settled, in block {block_number}, which {confirmations} of {wanted} confirmations hold after {seconds} s. deedbox publication resume {id} goes on waiting"
    )]
    NotDeep {
        /// The publication. It is settled.
        id: PublicationId,
        /// The height of the block that it rests on.
        block_number: u64,
        /// How many blocks hold it, its own included.
        confirmations: u64,
        /// How many are wanted.
        wanted: u64,
        /// How long was waited.
        seconds: u64,
    },
    /// After it was recorded, something else than the chain failed: above all, the ledger.
    #[error(
        "publication {id} is signed and recorded, and may have been sent; then this went wrong: {error}. It stays open: deedbox publication resume {id}"
    )]
    Interrupted {
        /// The publication. It is open.
        id: PublicationId,
        /// What went wrong.
        #[source]
        error: Box<PublishError>,
    },
    /// The chain could not be read while a publication was under way.
    #[error(
        "publication {id} is recorded and may have been sent, and the chain cannot be read: {error}. It stays open: deedbox publication resume {id}"
    )]
    LostSight {
        /// The publication. It is open.
        id: PublicationId,
        /// Why.
        error: ReadError,
    },
    /// The chain cannot be read. Nothing was signed.
    #[error("the chain cannot be read: {0}")]
    Read(#[from] ReadError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was recorded of a publication is not what this program writes.
    #[error("publication {id} is not readable: {reason}. Run: deedbox ledger check")]
    Unreadable {
        /// Which.
        id: PublicationId,
        /// What is wrong.
        reason: String,
    },
}

impl PublishError {
    /// That endpoints disagree about an account's nonce, and what each says.
    pub(crate) fn nonces_disagree(account: Address, state: &AccountState) -> Self {
        let said = state.nonces.iter();
        let said = said.map(|said| format!("{} says {}", said.endpoint, said.latest));
        Self::NoncesDisagree {
            account,
            said: said.collect::<Vec<_>>().join(", "),
        }
    }

    /// The publication that is signed and recorded, and to be [resumed](crate::resume()); none when nothing was signed.
    #[must_use]
    pub const fn publication(&self) -> Option<PublicationId> {
        match self {
            Self::NotTaken { id, .. }
            | Self::NotYet { id, .. }
            | Self::EarlierFirst { id, .. }
            | Self::NotDeep { id, .. }
            | Self::LostSight { id, .. }
            | Self::Interrupted { id, .. } => Some(*id),
            _ => None,
        }
    }

    /// The same while this publication is open: so that nobody takes it for one after which nothing was signed.
    pub(crate) fn while_open(self, id: PublicationId) -> Self {
        if self.publication().is_some() {
            return self;
        }
        Self::Interrupted {
            id,
            error: Box::new(self),
        }
    }
}

/// So many of something, for people: `1 transaction`, `2 transactions`.
pub(crate) fn counted(count: u64, one: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {one}{ending}")
}

/// The same with its verb: `1 transaction is`, `2 transactions are`.
pub(crate) fn are(count: u64, one: &str) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(count, one))
}

/// An amount of a chain's native currency, for people: `0.00123 ETH`.
#[must_use]
pub fn in_currency(wei: U256, symbol: &str, decimals: u8) -> String {
    let digits = wei.to_string();
    let decimals = usize::from(decimals);
    let padded = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = padded.split_at(padded.len() - decimals);
    match fraction.trim_end_matches('0') {
        "" => format!("{whole} {symbol}"),
        fraction => format!("{whole}.{fraction} {symbol}"),
    }
}

#[cfg(test)]
mod tests {
    use deedbox_chain::Code;

    use super::*;

    #[test]
    fn one_is_told_as_one_and_more_as_more() {
        let told = |waiting| {
            PublishError::OthersPending {
                account: Address::ZERO,
                waiting,
                nonce: 3,
            }
            .to_string()
        };
        assert!(told(1).contains("from nonce 3 on, 1 transaction is waiting"));
        assert!(told(2).contains("from nonce 3 on, 2 transactions are waiting"));
        assert_eq!(counted(0, "agent"), "0 agents");
    }

    #[test]
    fn whatever_goes_wrong_after_recording_names_the_publication_and_how_to_go_on() {
        let id = "01937a3c-0000-7000-8000-000000000007"
            .parse::<PublicationId>()
            .unwrap();
        let lost = PublishError::LostSight {
            id,
            error: ReadError::new(Code::Timeout, "x"),
        };
        for error in [
            PublishError::Refused(Refusal::PublicationNotFound(id)),
            PublishError::Read(ReadError::new(Code::Timeout, "x")),
            lost,
        ] {
            assert!(
                error.publication().is_none() || matches!(error, PublishError::LostSight { .. })
            );
            let error = error.while_open(id);
            assert_eq!(error.publication(), Some(id));
            let text = error.to_string();
            assert!(
                text.contains(&format!("deedbox publication resume {id}")),
                "{text}"
            );
            assert!(
                !text.to_lowercase().contains("nothing was signed"),
                "{text}"
            );
        }
    }
}
