//! The whole way of a change, from what somebody wants to what the chain then says.

use alloy_primitives::{Address, U256};
use deedbox_chain::{
    Chains,
    send::{AccountState, Draft, Sending, Simulation},
};
use deedbox_core::{
    Attribution, ChainAccount, ChainAddress, Command, OperationName, PublicationId, Refusal, World,
    publication::{RawTransaction, SignedTransaction},
};
use deedbox_fetch::Fetcher;
use deedbox_registry::Revert;
use deedbox_store::{Execute, Store};
use serde_json::{Map, Value};

use crate::{
    Action, Options, Preview, PublishError, Published, Signer, Step, Teller,
    error::in_currency,
    fees::{NoOffer, Offer},
    follow::{Publication, follow},
    prepare::{Bench, Prepared, prepare},
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
    let prepared = prepare(&bench, &action, teller).await?;
    let sending = desk.chains.sending(chain_id)?;
    let gas = simulate(&sending, from, &prepared, teller).await?;
    let account = sending.account(from).await?;
    let fees = sending.fees().await?;
    let money = Money::of(desk, chain_id)?;
    let offer = Offer::new(&fees, gas, options.max_fee).map_err(|no| money.tell(no, options))?;
    if !options.dry_run {
        may_send(from, &account)?;
        money.suffices(from, &account, &offer)?;
    }
    let transaction = Transaction {
        chain_id,
        nonce: account.nonce,
        to: prepared.change.to(),
        data: prepared.change.data(),
        offer,
    };
    let preview = preview(desk, action.operation(), from, &prepared, &transaction, gas)?;
    if options.dry_run {
        return Ok(Published::DryRun(Box::new(preview)));
    }
    if !teller.confirm(&preview).await? {
        return Err(PublishError::Declined);
    }
    // Somebody may have taken an hour to say yes.
    let now = sending.account(from).await?;
    if now.pending_nonce != account.nonce {
        return Err(PublishError::OthersPending {
            account: from,
            waiting: now.pending_nonce.saturating_sub(account.nonce),
            nonce: account.nonce,
        });
    }
    let signed = transaction.sign(signer).await?;
    teller.tell(&Step::Signed {
        transaction: signed.hash,
    });
    let operation = OperationName::known(action.operation());
    let attempt = attempt(operation, preview.arguments, from, &signed)?;
    let id = PublicationId(desk.world.uuid());
    desk.record(id, attempt).await?;
    teller.tell(&Step::Recorded { publication: id });
    let publication = Publication::load(desk, id).await?;
    follow(desk, publication, true, options, teller).await
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

/// Tries it on the pending state, and tells a refusal by its name.
async fn simulate(
    sending: &Sending<'_>,
    from: Address,
    prepared: &Prepared,
    teller: &mut dyn Teller,
) -> Result<u64, PublishError> {
    let draft = Draft {
        from,
        to: prepared.change.to(),
        data: prepared.change.data(),
    };
    match sending.simulate(&draft).await?.outcome {
        Simulation::Succeeds { gas, .. } => {
            teller.tell(&Step::Simulated { gas });
            Ok(gas)
        }
        Simulation::Reverts { data } => {
            Err(PublishError::WouldRevert(Box::new(Revert::name(&data))))
        }
        Simulation::CannotPay => Err(PublishError::Invalid(format!(
            "the account {from} has nothing to pay with on this chain"
        ))),
    }
}

/// Whether the account can send the next transaction at all.
fn may_send(from: Address, account: &AccountState) -> Result<(), PublishError> {
    if account.has_code {
        return Err(PublishError::AccountIsContract(from));
    }
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

/// How amounts of a chain are told.
pub(crate) struct Money<'a> {
    symbol: &'a str,
    decimals: u8,
}

impl<'a> Money<'a> {
    pub(crate) fn of(desk: Desk<'a>, chain_id: u64) -> Result<Self, PublishError> {
        let chain = desk.chains.describe(chain_id)?;
        Ok(Self {
            symbol: chain.native_symbol,
            decimals: chain.native_decimals,
        })
    }

    pub(crate) fn text(&self, wei: U256) -> String {
        in_currency(wei, self.symbol, self.decimals)
    }

    pub(crate) fn tell(&self, no: NoOffer, options: &Options) -> PublishError {
        match no {
            NoOffer::TooMuchGas { gas } => PublishError::TooMuchGas { gas },
            NoOffer::AboveLimit { least } => PublishError::FeeAboveLimit {
                least: self.text(least),
                limit: self.text(options.max_fee.unwrap_or_default()),
            },
        }
    }

    pub(crate) fn suffices(
        &self,
        account: Address,
        state: &AccountState,
        offer: &Offer,
    ) -> Result<(), PublishError> {
        if state.balance >= offer.max_cost() {
            return Ok(());
        }
        Err(PublishError::CannotPay {
            account,
            balance: self.text(state.balance),
            needed: self.text(offer.max_cost()),
        })
    }
}

pub(crate) fn preview(
    desk: Desk<'_>,
    operation: &str,
    account: Address,
    prepared: &Prepared,
    transaction: &Transaction,
    gas: u64,
) -> Result<Preview, PublishError> {
    let money = Money::of(desk, transaction.chain_id)?;
    let offer = &transaction.offer;
    Ok(Preview {
        operation: operation.to_owned(),
        changes: prepared.change.sentences(),
        warnings: prepared.warnings.clone(),
        arguments: prepared.change.arguments(),
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
        confirmation: prepared.confirmation.clone(),
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
