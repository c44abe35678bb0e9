//! The whole way of a change, from what somebody wants to what the chain then says.

use alloy_primitives::{Address, U256};
use deedbox_chain::{
    Chains,
    send::{AccountState, Draft, Fees, Sending, Simulated, Simulation, Tip},
};
use deedbox_core::{
    Attribution, ChainAccount, ChainAddress, Command, OperationName, PublicationId, Refusal, World,
    publication::{RawTransaction, SignedTransaction, may_sign},
};
use deedbox_fetch::Fetcher;
use deedbox_registry::Revert;
use deedbox_store::{Execute, Store};
use serde_json::{Map, Value};

use crate::{
    Action, Confirmation, Options, Preview, PublishError, Published, Signer, Step, Teller,
    error::in_currency,
    fees::{self, NoOffer, Offer},
    follow::follow,
    prepare::{Bench, prepare},
    transaction::{SignedBytes, Transaction},
};

/// What publishing needs of its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    /// The chains.
    pub chains: &'a Chains,
    /// Where deeds are kept.
    pub store: &'a dyn Store,
    /// The clock and the random source.
    pub world: &'a dyn World,
    /// What fetches manifests.
    pub fetcher: &'a Fetcher,
    /// Who is at the desk: an operator.
    pub attribution: &'a Attribution,
}

/// Publishes one change: checks it, simulates it, shows it, and with a yes signs, records, sends, waits, reads back and records.
///
/// With [`Options::dry_run`] it stops before the question; then `signer` need not be able to sign, nor be able to pay.
///
/// # Errors
/// [`PublishError`]; when [`PublishError::publication`] names one, it is open and can be [resumed](crate::resume()). After every other error
/// nothing was sent.
pub async fn publish(
    desk: Desk<'_>,
    chain_id: u64,
    action: Action,
    signer: &dyn Signer,
    options: &Options,
    teller: &mut dyn Teller,
) -> Result<Published, PublishError> {
    let from = signer.address();
    if !options.dry_run {
        desk.must_have_nothing_open(chain_id, from).await?;
    }
    let bench = Bench {
        desk,
        chain_id,
        from,
        options,
    };
    let mut prepared = prepare(&bench, &action, teller).await?;
    let sending = desk.chains.sending(chain_id)?;
    let draft = Draft {
        from,
        to: prepared.change.to(),
        data: prepared.change.data(),
    };
    let (gas, on) = simulate(&sending, &draft).await?;
    teller.tell(&Step::Simulated { gas, on });
    let account = sending.account(from).await?;
    let fees = sending.fees().await?;
    let money = Money::of(desk, chain_id)?;
    let offer = Offer::new(&fees, gas, options.max_fee)
        .and_then(|offer| offer.within_reason(options.max_fee, money.ceiling()))
        .map_err(|no| money.tell(no, options))?;
    if !options.dry_run {
        desk.may_sign(chain_id, from, account.nonce).await?;
        may_send(from, &account)?;
        money.suffices(from, &account, &offer)?;
    } else if !account.is_agreed() {
        let disagree = PublishError::nonces_disagree(from, &account);
        prepared.warnings.push(disagree.to_string());
    }
    let transaction = Transaction {
        chain_id,
        nonce: account.nonce,
        to: prepared.change.to(),
        data: prepared.change.data(),
        offer,
    };
    let shown = Shown {
        changes: prepared.change.sentences(),
        warnings: prepared.warnings,
        arguments: prepared.change.arguments(),
        confirmation: prepared.confirmation,
    };
    let preview = preview(desk, action.operation(), from, shown, &transaction, gas)?;
    if options.dry_run {
        return Ok(Published::DryRun(Box::new(preview)));
    }
    if !teller.confirm(&preview).await? {
        return Err(PublishError::Declined);
    }
    // Somebody may have taken an hour to say yes.
    let now = sending.account(from).await?;
    must_agree(from, &now)?;
    if now.pending_nonce != account.nonce {
        desk.was_not_us(chain_id, from, account.nonce).await?;
        return Err(PublishError::OthersPending {
            account: from,
            waiting: now.pending_nonce.saturating_sub(account.nonce),
            nonce: account.nonce,
        });
    }
    let (gas, _) = simulate(&sending, &draft).await?;
    money.suffices(from, &now, &offer)?;
    money.still_holds(&offer, gas, &sending.fees().await?)?;
    let signed = transaction.sign(signer).await?;
    teller.tell(&Step::Signed {
        transaction: signed.hash,
    });
    let operation = OperationName::known(action.operation());
    let attempt = attempt(operation, preview.arguments, from, &signed)?;
    let id = PublicationId(desk.world.uuid());
    desk.record(id, attempt).await?;
    teller.tell(&Step::Recorded { publication: id });
    follow(desk, id, true, options, teller).await
}

impl Desk<'_> {
    /// An account signs the next thing only when the one before is settled: asked before anything else, and once more by the ledger when it
    /// is recorded, in the same transaction.
    async fn must_have_nothing_open(
        &self,
        chain_id: u64,
        from: Address,
    ) -> Result<(), PublishError> {
        let signer = ChainAccount {
            chain_id,
            account: ChainAddress(from.0.0),
        };
        match self.store.open_publication(signer).await? {
            None => Ok(()),
            Some(open) => Err(Refusal::PublicationOpen {
                id: open.id,
                signer,
            }
            .into()),
        }
    }

    /// Whether the ledger will take a new publication with this nonce, by the rule that it asks once more when it is recorded. Asked before
    /// anybody is asked to say yes.
    async fn may_sign(&self, chain_id: u64, from: Address, nonce: u64) -> Result<(), PublishError> {
        let signer = ChainAccount {
            chain_id,
            account: ChainAddress(from.0.0),
        };
        let open = self.store.open_publication(signer).await?;
        let used = self.store.used_nonce(signer, nonce).await?;
        may_sign(signer, nonce, open.map(|open| open.taken_nonce()), used)?;
        Ok(())
    }

    /// That nothing of this ledger took the nonce, or waits, since it was looked at: another one of these programs may be at the same account. What did is
    /// told by its id, and not as somebody else's.
    async fn was_not_us(
        &self,
        chain_id: u64,
        from: Address,
        nonce: u64,
    ) -> Result<(), PublishError> {
        self.must_have_nothing_open(chain_id, from).await?;
        let signer = ChainAccount {
            chain_id,
            account: ChainAddress(from.0.0),
        };
        match self.store.used_nonce(signer, nonce).await? {
            None => Ok(()),
            Some(used) => Err(PublishError::Outdated(format!(
                "publication {} of this ledger took the account's nonce {} meanwhile, and is settled",
                used.publication, used.nonce
            ))),
        }
    }

    /// Records an attempt. Only what is recorded is ever sent.
    pub(crate) async fn record(
        &self,
        id: PublicationId,
        attempt: SignedTransaction,
    ) -> Result<(), PublishError> {
        let attempt = Box::new(attempt);
        self.execute(Command::SignPublication { id, attempt }).await
    }

    /// Carries out a command of the ledger.
    pub(crate) async fn execute(&self, command: Command) -> Result<(), PublishError> {
        let execute = Execute {
            command,
            attribution: self.attribution.clone(),
            idempotency: None,
        };
        self.store.execute(execute).await??;
        Ok(())
    }
}

/// Tries it, and tells a refusal by its name: which gas it needs, and on which state.
async fn simulate(sending: &Sending<'_>, draft: &Draft) -> Result<(u64, Tip), PublishError> {
    let Simulated { on, outcome } = sending.simulate(draft).await?;
    match outcome {
        Simulation::Succeeds { gas } => Ok((gas, on)),
        Simulation::Reverts { data } => {
            Err(PublishError::WouldRevert(Box::new(Revert::name(&data))))
        }
        Simulation::CannotPay => Err(PublishError::Invalid(format!(
            "the account {} has nothing to pay with on this chain",
            draft.from
        ))),
    }
}

/// Whether the account can send the next transaction at all.
fn may_send(from: Address, account: &AccountState) -> Result<(), PublishError> {
    if account.has_code {
        return Err(PublishError::AccountIsContract(from));
    }
    must_agree(from, account)?;
    let waiting = account.pending_nonce.saturating_sub(account.nonce);
    if waiting > 0 {
        return Err(PublishError::OthersPending {
            account: from,
            waiting,
            nonce: account.nonce,
        });
    }
    Ok(())
}

/// A nonce that not every endpoint takes for the next one is signed for by nobody: it may be used already, or never come.
fn must_agree(from: Address, account: &AccountState) -> Result<(), PublishError> {
    if account.is_agreed() {
        return Ok(());
    }
    Err(PublishError::nonces_disagree(from, account))
}

/// How amounts of a chain are told.
pub(crate) struct Money<'a> {
    chain_id: u64,
    symbol: &'a str,
    decimals: u8,
}

impl<'a> Money<'a> {
    pub(crate) fn of(desk: Desk<'a>, chain_id: u64) -> Result<Self, PublishError> {
        let chain = desk.chains.describe(chain_id)?;
        Ok(Self {
            chain_id,
            symbol: chain.native_symbol,
            decimals: chain.native_decimals,
        })
    }

    pub(crate) fn text(&self, wei: U256) -> String {
        in_currency(wei, self.symbol, self.decimals)
    }

    /// What one change may cost at most where no limit is set, in wei.
    pub(crate) fn ceiling(&self) -> U256 {
        fees::ceiling_of(self.symbol, self.decimals)
    }

    pub(crate) fn tell(&self, no: NoOffer, options: &Options) -> PublishError {
        match no {
            NoOffer::TooMuchGas { gas } => PublishError::TooMuchGas { gas },
            NoOffer::Unusual { cost } => PublishError::FeeUnusual {
                cost: self.text(cost),
            },
            NoOffer::Beyond { cost } => PublishError::FeeBeyond {
                cost: self.text(cost),
                ceiling: self.text(self.ceiling()),
            },
            NoOffer::AboveLimit { least } => PublishError::FeeAboveLimit {
                least: self.text(least),
                limit: self.text(options.max_fee.unwrap_or_default()),
            },
        }
    }

    /// Whether what was shown still does, now that it needs so much gas and gas costs so much.
    pub(crate) fn still_holds(
        &self,
        offer: &Offer,
        gas: u64,
        fees: &Fees,
    ) -> Result<(), PublishError> {
        if gas > offer.gas_limit {
            return Err(PublishError::Outdated(format!(
                "it needs {gas} gas by now, and {} were to be its limit",
                offer.gas_limit
            )));
        }
        if !offer.is_taken(fees) {
            // As the preview tells it.
            let price = |wei: u128| in_currency(U256::from(wei), "gwei", 9);
            return Err(PublishError::Outdated(format!(
                "the base fee has risen to {} for a unit of gas, and {} were to be offered",
                price(fees.base_fee_per_gas.unwrap_or_default()),
                price(offer.max_fee_per_gas)
            )));
        }
        Ok(())
    }

    pub(crate) fn suffices(
        &self,
        account: Address,
        state: &AccountState,
        offer: &Offer,
    ) -> Result<(), PublishError> {
        let (balance, needed) = (state.balance, offer.max_cost());
        let missing = needed.saturating_sub(balance);
        if missing.is_zero() {
            return Ok(());
        }
        // What is offered is less than twice what the next block asks, so that half of it is never enough.
        let or_cheaper = if missing < balance {
            ", or name with --max-fee what it may cost at most: a price that the next block takes may be as low as half of that"
        } else {
            ""
        };
        Err(PublishError::CannotPay {
            account,
            chain_id: self.chain_id,
            balance: self.to_the_wei(balance),
            needed: self.to_the_wei(needed),
            missing: self.to_the_wei(missing),
            or_cheaper,
        })
    }

    /// The same amount once more, as programs and other wallets name it.
    fn to_the_wei(&self, wei: U256) -> String {
        format!("{} ({wei} wei)", self.text(wei))
    }
}

/// What people are told of a change before they are asked.
pub(crate) struct Shown {
    pub(crate) changes: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) confirmation: Confirmation,
}

pub(crate) fn preview(
    desk: Desk<'_>,
    operation: &str,
    account: Address,
    shown: Shown,
    transaction: &Transaction,
    gas: u64,
) -> Result<Preview, PublishError> {
    let money = Money::of(desk, transaction.chain_id)?;
    let offer = &transaction.offer;
    Ok(Preview {
        operation: operation.to_owned(),
        changes: shown.changes,
        warnings: shown.warnings,
        arguments: shown.arguments,
        chain_id: transaction.chain_id,
        chain: desk.chains.describe(transaction.chain_id)?.name.to_owned(),
        account,
        nonce: transaction.nonce,
        to: transaction.to,
        value: U256::ZERO,
        data: transaction.data.clone(),
        gas,
        gas_limit: offer.gas_limit,
        max_fee_per_gas: offer.max_fee_per_gas,
        max_priority_fee_per_gas: offer.max_priority_fee_per_gas,
        max_cost: offer.max_cost(),
        max_cost_text: money.text(offer.max_cost()),
        confirmation: shown.confirmation,
    })
}

/// What the ledger keeps of a signed transaction.
pub(crate) fn attempt(
    operation: OperationName,
    arguments: Map<String, Value>,
    account: Address,
    signed: &SignedBytes,
) -> Result<SignedTransaction, PublishError> {
    let raw = RawTransaction::new(signed.raw.to_vec())?;
    let account = ChainAddress(account.0.0);
    Ok(SignedTransaction::new(operation, arguments, account, raw)?)
}
