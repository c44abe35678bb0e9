//! What a server does of its own accord: it reads the registries that are followed, looks whether their code is what was accepted, and keeps
//! their tools verified.

mod told;
mod verify;

use std::{sync::Arc, time::Duration};

use deedbox_core::World;
use deedbox_registry::{
    sync::{Options, Syncer},
    verify::background::{self, Verifier},
};
use deedbox_server::Reader;
use deedbox_store::{Store, index::Index};
use tokio::{task::JoinSet, time};
use tokio_util::sync::CancellationToken;

use self::told::Told;
use crate::settings::Settings;

/// How long a stop waits for what is being written, and for leases to be given back. Whoever is killed in between loses nothing: another
/// replica waits until the lease is over.
const GRACE: Duration = Duration::from_secs(5);

/// What runs beside a server's requests.
pub(super) struct Following {
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Following {
    /// Starts what the settings want. A server that offers no tools of registries has no index, and follows nothing.
    pub(super) fn start(
        settings: &Settings,
        reader: Option<Reader>,
        index: Option<Arc<dyn Index>>,
        store: &Arc<dyn Store>,
        world: &Arc<dyn World>,
    ) -> Self {
        let mut following = Self {
            stop: CancellationToken::new(),
            tasks: JoinSet::new(),
        };
        let (Some(reader), Some(index), true) = (reader, index, settings.sync.value) else {
            return following;
        };
        let options = Options {
            poll: settings.sync_poll.value.to_duration(),
            ..Options::new(&**world)
        };
        if settings.verify.value {
            let at_once = usize::try_from(settings.verify_at_once.value.get());
            let how = background::Options {
                holder: options.holder.clone(),
                lease: options.lease,
                at_once: at_once.unwrap_or(usize::MAX),
            };
            let verifier = Verifier::new(
                Arc::clone(reader.chains()),
                Arc::clone(reader.fetcher()),
                Arc::clone(&index),
                Arc::clone(store),
                Arc::clone(world),
                how,
            );
            let (stop, pause) = (following.stop.clone(), options.poll);
            let work = async move { verify::keep(&verifier, pause, &stop).await };
            following.tasks.spawn(work);
        }
        let syncer = Syncer::new(
            Arc::clone(reader.chains()),
            index,
            Arc::clone(world),
            options,
            Arc::new(Told::default()),
        );
        let syncer = syncer.of_ledger(Arc::clone(store), settings.sync_code.value.to_duration());
        let stop = following.stop.clone();
        let work = async move { syncer.follow(&stop).await };
        following.tasks.spawn(work);
        following
    }

    /// Ends all of it. Nobody reads or writes the index afterwards.
    pub(super) async fn end(mut self) {
        self.stop.cancel();
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if time::timeout(GRACE, ended).await.is_err() {
            tracing::warn!("reading registries did not end in time; it is broken off");
        }
        self.tasks.shutdown().await;
    }
}
