//! Commands that change a chain. Each becomes an [`Action`], and every action goes the same way: checked, simulated, shown,
//! confirmed, signed here, recorded, sent, waited for, read back.

mod amount;
mod change;
mod describe;
mod entries;
mod names;
mod predicate;
mod present;
mod resume;
mod shown;
mod teller;
mod tools;

use std::{process::ExitCode, sync::Arc};

use alloy_primitives::{Address, U256};
use deedbox_core::Attribution;
use deedbox_fetch::Fetcher;
use deedbox_publish::{Action, Options, PublishError, Signer as _};

pub(super) use change::{Registry, agent, registry};
pub(super) use describe::{describe, judgement, kind};
pub(crate) use names::address;
pub(super) use names::{Contract, Numbered, registry as read_registry, tool as read_tool};
pub(super) use names::{agent_identifier, tool_reference};
pub(super) use predicate::predicate;
pub(super) use present::config;
pub(super) use resume::{Resume, resume};
pub(super) use shown::{Outcome, contract, created_address};
pub(super) use teller::Shown;
pub(super) use tools::tool;

use super::{Desk, account};
use crate::{
    accounts::Signing,
    chains,
    cli::{Publishing, Sending, SignerFlags},
    database,
    duration::Span,
    failure::Failure,
    settings::{Environment, Flags, Settings, publishing::MOST_CONFIRMATIONS},
};

/// Changes of one chain, with their arguments read.
pub(super) struct Change {
    chain_id: u64,
    how: How,
    /// What is asked for, once it is known who signs. One transaction each, in this order.
    actions: Box<dyn FnOnce(Address) -> Vec<Action>>,
    /// Whether several transactions are what was asked for, and so a list is the answer.
    several: bool,
}

/// How it is to be done.
pub(super) struct How {
    signer: SignerFlags,
    dry_run: bool,
    yes: bool,
    yes_for_ever: bool,
    predicate_without_code: bool,
    /// Whether it shuts a tool off, and so the predicate has to be one that does.
    pauses: bool,
    max_fee: Option<String>,
    confirmations: Option<u64>,
    wait: Option<Span>,
}

impl How {
    /// Reads what commands have in common, and takes the flags of settings out of it.
    ///
    /// # Errors
    /// [`Failure::Argument`].
    fn of(publishing: Publishing, flags: &mut Flags) -> Result<Self, Failure> {
        let Publishing {
            signer,
            dry_run,
            sending,
        } = publishing;
        Self::sending(sending, signer, dry_run, flags)
    }

    fn sending(
        sending: Sending,
        signer: SignerFlags,
        dry_run: bool,
        flags: &mut Flags,
    ) -> Result<Self, Failure> {
        sending.chains.add_to(flags);
        let wait = sending.wait.as_deref().map(span).transpose()?;
        if let Some(wanted) = sending.confirmations
            && !(1..=MOST_CONFIRMATIONS).contains(&wanted)
        {
            let reason = format!("must be a number from 1 to {MOST_CONFIRMATIONS}");
            return Err(Failure::argument("--confirmations", reason));
        }
        Ok(Self {
            signer,
            dry_run,
            yes: sending.yes,
            yes_for_ever: false,
            predicate_without_code: false,
            pauses: false,
            max_fee: sending.max_fee,
            confirmations: sending.confirmations,
            wait,
        })
    }

    /// The options, with what only the settings know.
    ///
    /// # Errors
    /// [`Failure::Argument`]: `--max-fee` is no amount of the chain's currency.
    fn options(&self, settings: &Settings, chain_id: u64) -> Result<Options, Failure> {
        let publishing = &settings.publishing;
        Ok(Options {
            dry_run: self.dry_run,
            max_fee: self.max_fee(settings, chain_id)?,
            confirmations: self.confirmations.unwrap_or(publishing.confirmations.value),
            wait: self.wait.unwrap_or(publishing.wait.value).to_duration(),
            predicate_without_code: self.predicate_without_code,
            ..Options::default()
        })
    }

    fn max_fee(&self, settings: &Settings, chain_id: u64) -> Result<Option<U256>, Failure> {
        let Some(text) = &self.max_fee else {
            return Ok(None);
        };
        let chain = settings.chains.iter().find(|chain| chain.id == chain_id);
        // Of a chain that is not configured nothing is read, so nothing is signed either.
        let decimals = chain
            .and_then(|chain| chain.native.as_ref())
            .map_or(18, |native| native.decimals);
        let amount = amount::of_currency(text, decimals);
        amount
            .map(Some)
            .map_err(|reason| Failure::argument("--max-fee", reason))
    }
}

/// A span of time; without a unit it is seconds, as in the settings.
fn span(text: &str) -> Result<Span, Failure> {
    let seconds = text
        .parse::<u32>()
        .map(|seconds| Span::seconds(seconds.into()));
    seconds
        .or_else(|_| text.parse())
        .map_err(|error| Failure::argument("--wait", error))
}

/// Publishes the changes one after another; what goes wrong with one ends it. What was done before that stands on the chain,
/// so it is printed too, whatever becomes of the rest.
pub(super) async fn publish(
    desk: &Desk<'_>,
    environment: &Environment,
    change: Change,
) -> Result<ExitCode, Failure> {
    let Change {
        chain_id,
        how,
        actions,
        several,
    } = change;
    let folder = account::folder(desk.settings)?;
    let signer = Signing::of(&how.signer, how.dry_run, chain_id, &folder, environment)?;
    let options = how.options(desk.settings, chain_id)?;
    let surroundings = Surroundings::open(desk, environment)?;
    let mut teller = Shown::new(desk.output, how.yes, how.yes_for_ever, environment);
    let actions = actions(signer.address());
    let asked = actions.len();
    let mut outcomes = Vec::new();
    let mut failure = None;
    let mut stop = teller.stop();
    for mut action in actions {
        teller.begins();
        let chains = &surroundings.chains;
        present::fill_in(chains, chain_id, &mut action).await?;
        if how.pauses {
            present::check_pause(chains, chain_id, &action, &mut teller).await?;
        }
        let to = action.to();
        let one = tokio::select! {
            stopped = stop.wanted() => Err(stopped),
            one = deedbox_publish::publish(
                surroundings.desk(desk),
                chain_id,
                action,
                &signer,
                &options,
                &mut teller,
            ) => one.map_err(|error| failed(desk.settings, error)),
        };
        teller.end();
        match one {
            Ok(published) => {
                let one = Outcome {
                    chain_id,
                    to,
                    published,
                };
                let stop = shown::code(&one) != 0;
                outcomes.push(one);
                if stop {
                    break;
                }
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    let Some(failure) = failure else {
        return shown::print(desk, &outcomes, several);
    };
    if !outcomes.is_empty() {
        shown::print(desk, &outcomes, several)?;
        let done = outcomes.iter().filter_map(shown::publication);
        teller.stopped(&done.collect::<Vec<_>>(), asked);
    }
    Err(failure)
}

/// What publishing needs beside the database.
pub(super) struct Surroundings {
    chains: Arc<deedbox_chain::Chains>,
    fetcher: Fetcher,
    attribution: Attribution,
}

impl Surroundings {
    /// Makes it ready; connects to nothing.
    ///
    /// # Errors
    /// What is wrong with the settings.
    pub(super) fn open(desk: &Desk<'_>, environment: &Environment) -> Result<Self, Failure> {
        let (chains, _) = chains::open(desk.settings, environment, Arc::clone(&desk.world))?;
        Ok(Self {
            chains,
            fetcher: chains::fetcher(desk.settings)?,
            attribution: desk.settings.attribution(),
        })
    }

    /// The desk of the publishing room.
    pub(super) fn desk<'a>(&'a self, desk: &'a Desk<'_>) -> deedbox_publish::Desk<'a> {
        deedbox_publish::Desk {
            chains: &self.chains,
            store: desk.store.as_ref(),
            world: desk.world.as_ref(),
            fetcher: &self.fetcher,
            attribution: &self.attribution,
        }
    }
}

/// A failed publication as this program says it.
pub(super) fn failed(settings: &Settings, error: PublishError) -> Failure {
    match error {
        PublishError::Refused(refusal) => Failure::Refused(refusal),
        PublishError::Read(error) => Failure::Unread(error),
        PublishError::Store(cause) => database::failed(settings)(cause),
        other => Failure::Publish(Box::new(other)),
    }
}
