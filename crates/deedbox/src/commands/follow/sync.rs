//! `deedbox registry sync`: what registries said, read until the head of their chains.

mod one;
mod screen;
mod summary;

use std::{
    collections::{BTreeMap, BTreeSet},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use deedbox_chain::Chains;
use deedbox_core::{Refusal, RegistryId, RegistryState};
use deedbox_registry::sync::{Options, Syncer, align, anew};
use deedbox_store::{StoreError, index::Index};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::{
    screen::Screen,
    summary::{Came, Ended},
};
use super::super::{
    Desk,
    publishing::{Contract, read_registry},
};
use crate::{
    chains,
    cli::{OnChain, RegistryName, Sync},
    database,
    failure::Failure,
    render::counted,
    serve::stop::Signals,
    settings::{Environment, Flags},
};

/// Which registries are read, and for how long.
pub(in crate::commands) struct Wanted {
    /// None: all that are followed.
    registries: BTreeSet<RegistryId>,
    chain_id: Option<u64>,
    follow: bool,
    anew: bool,
}

impl Wanted {
    fn takes(&self, id: RegistryId) -> bool {
        (self.registries.is_empty() || self.registries.contains(&id))
            && self.chain_id.is_none_or(|chain| chain == id.chain_id)
    }

    /// Whether it is about all that are followed, also those that are followed later.
    fn is_all(&self) -> bool {
        self.registries.is_empty() && self.chain_id.is_none()
    }
}

pub(super) fn prepare(sync: Sync, flags: &mut Flags) -> Result<Wanted, Failure> {
    sync.chains.add_to(flags);
    let read = |registry: String| {
        let on = OnChain {
            chain_id: sync.chain_id,
        };
        read_registry(&RegistryName { registry, on }).map(Contract::id)
    };
    Ok(Wanted {
        registries: sync
            .registries
            .into_iter()
            .map(read)
            .collect::<Result<_, _>>()?,
        chain_id: sync.chain_id,
        follow: sync.follow,
        anew: sync.anew,
    })
}

pub(super) async fn run(
    desk: &Desk<'_>,
    environment: &Environment,
    wanted: Wanted,
) -> Result<ExitCode, Failure> {
    let (chains, _) = chains::open(desk.settings, environment, Arc::clone(&desk.world))?;
    let index = database::open_index(desk.settings).await?;
    let decided = desk.ask(align(&*index, &*desk.store)).await?;
    let followed = |id| decided.iter().any(|state| state.id == id && state.followed);
    if let Some(id) = wanted.registries.iter().find(|id| !followed(**id)) {
        return Err(Refusal::RegistryNotFollowed(*id).into());
    }
    let chosen = decided
        .iter()
        .filter(|state| state.followed && wanted.takes(state.id));
    let chosen: Vec<RegistryState> = chosen.cloned().collect();
    let screen = Arc::new(Screen::new(desk.output));
    let mut dropped = BTreeMap::new();
    if wanted.anew {
        answer(&chains, &chosen).await?;
        dropped = desk.ask(drop_read(&*index, &chosen, &screen)).await?;
    }
    let options = Options {
        poll: desk.settings.sync_poll.value.to_duration(),
        ..Options::new(&*desk.world)
    };
    let syncer = Syncer::new(
        Arc::clone(&chains),
        Arc::clone(&index),
        Arc::clone(&desk.world),
        options,
        screen.clone(),
    );
    let syncer = match wanted.is_all() {
        true => syncer,
        false => syncer.only(chosen.iter().map(|state| state.id).collect()),
    };
    let stop = on_signal()?;
    let mut ended = Ended::default();
    let every = desk.settings.sync_code.value.to_duration();
    // Whoever asks once wants to know now.
    let first = if wanted.follow { every } else { Duration::ZERO };
    desk.ask(syncer.look(&chosen, first)).await?;
    if wanted.follow {
        let syncer = syncer.of_ledger(Arc::clone(&desk.store), every);
        syncer.follow(&stop).await;
    } else {
        let before = desk.ask(index.numbering()).await?;
        ended = catch_up(&syncer, &chosen, &stop).await;
        // On the way it was found to be damaged, and an empty one was begun: somebody has to begin its registries again.
        if desk.ask(index.numbering()).await? != before {
            desk.ask(align(&*index, &*desk.store)).await?;
            ended = catch_up(&syncer, &chosen, &stop).await;
        }
        ended.stopped |= stop.is_cancelled();
    }
    let ended = Ended {
        anew: wanted.anew,
        dropped,
        ..ended
    };
    screen.end();
    // Whoever followed all of them followed those, too, that came later.
    let decided = desk.ask(desk.store.registries()).await?;
    let shown = decided
        .iter()
        .filter(|state| state.followed && wanted.takes(state.id));
    let shown: Vec<_> = shown.cloned().collect();
    let summary = Came::gather(&chains, &*index, &shown, &screen.told(), ended).await;
    let summary = desk.ask(async { summary }).await;
    index.close().await;
    summary?.tell(desk)
}

/// Whether the chains answer: what cannot be read again is not dropped.
///
/// # Errors
/// [`Failure::Unread`] of the first one that does not.
async fn answer(chains: &Chains, chosen: &[RegistryState]) -> Result<(), Failure> {
    let ids: BTreeSet<u64> = chosen.iter().map(|state| state.id.chain_id).collect();
    for chain_id in ids {
        let events = chains.events(chain_id).map_err(Failure::Unread)?;
        events.heads().await.map_err(Failure::Unread)?;
    }
    Ok(())
}

/// Drops what was read of registries, and says so: it is read again by whoever comes first. Returns how many facts there were of each.
async fn drop_read(
    index: &dyn Index,
    chosen: &[RegistryState],
    screen: &Screen,
) -> Result<BTreeMap<RegistryId, u64>, StoreError> {
    let mut dropped = BTreeMap::new();
    for state in chosen {
        let (id, following) = (state.id, &state.following);
        let facts = index.size(id).await?.facts;
        anew(index, id, following.standard, following.from_block).await?;
        dropped.insert(id, facts);
        screen.say(&format!(
            "{id}: what was read of it is dropped ({}, and the checks of its tools); it is read again from block {} on",
            counted(facts, "fact"),
            following.from_block
        ));
    }
    Ok(dropped)
}

/// Reads all chains at once. What fails is kept.
async fn catch_up(syncer: &Syncer, chosen: &[RegistryState], stop: &CancellationToken) -> Ended {
    let mut ended = Ended::default();
    let ids: BTreeSet<u64> = chosen.iter().map(|state| state.id.chain_id).collect();
    let mut chains = JoinSet::new();
    for chain_id in ids {
        let (syncer, stop) = (syncer.clone(), stop.clone());
        chains.spawn(async move { (chain_id, syncer.catch_up_until(chain_id, &stop).await) });
    }
    while let Some(done) = chains.join_next().await {
        match done {
            Ok((_, Ok(caught_up))) => {
                ended.elsewhere.extend(caught_up.elsewhere);
                ended.failed.extend(caught_up.failed);
            }
            Ok((chain_id, Err(error))) => {
                ended.chains.insert(chain_id, error);
            }
            // It panicked, and said so on standard error.
            Err(_) => ended.stopped = true,
        }
    }
    ended
}

/// A token that the first signal cancels; the second one ends the process at once. What was read is in the index.
fn on_signal() -> Result<CancellationToken, Failure> {
    let mut signals = Signals::new()?;
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        cancel.cancel();
        signals.next().await;
        std::process::exit(3);
    });
    Ok(stop)
}
