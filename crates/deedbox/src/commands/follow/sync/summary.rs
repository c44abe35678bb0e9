//! How far each registry came.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::ExitCode,
};

use deedbox_chain::{Chains, look::BlockHead};
use deedbox_core::{RegistryId, RegistryState};
use deedbox_registry::sync::SyncError;
use deedbox_server::operations::RegistryStanding;
use deedbox_store::{
    StoreError,
    index::{ChainStanding, Index, Survey},
};
use serde_json::{Value, json};

use super::{
    super::super::Desk,
    one::{Known, One, State},
    screen::Told,
};
use crate::{
    failure::Failure,
    render::{Output, table},
};

/// How reading ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// Whether somebody stopped it before everything was read.
    pub(super) stopped: bool,
    /// Whether what was read before was dropped first.
    pub(super) anew: bool,
    /// How many facts were dropped of each registry.
    pub(super) dropped: BTreeMap<RegistryId, u64>,
    /// Registries that another process holds.
    pub(super) elsewhere: BTreeSet<RegistryId>,
    /// Registries that cannot be read for now.
    pub(super) failed: BTreeSet<RegistryId>,
    /// Chains that could not be read.
    pub(super) chains: BTreeMap<u64, SyncError>,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Came {
    stopped: bool,
    anew: bool,
    all: Vec<One>,
}

impl Came {
    /// Puts together what is known.
    ///
    /// # Errors
    /// [`StoreError`] of the index.
    pub(super) async fn gather(
        chains: &Chains,
        index: &dyn Index,
        shown: &[RegistryState],
        told: &Told,
        ended: Ended,
    ) -> Result<Self, StoreError> {
        let (heads, silent) = heads(chains, shown).await;
        let cursors = index.cursors().await?;
        let looks = index.looks().await?;
        let surveys = index.surveys().await?;
        let mut all = Vec::with_capacity(shown.len());
        for registry in shown {
            let id = registry.id;
            let cursor = cursors.iter().find(|cursor| cursor.registry == id);
            let progress = told.progress.get(&id);
            let head = heads.get(&id.chain_id).copied();
            let survey = surveys.iter().find(|survey| survey.registry == id);
            let standing = survey.map_or(ChainStanding::GoesOn, Survey::standing);
            let is_elsewhere = ended.elsewhere.contains(&id);
            let broken = match standing {
                ChainStanding::BrokeFinality(broke) => Some(broke.to_string()),
                _ => None,
            };
            let of_registry = told.failures.get(&id).cloned();
            let of_chain = ended.chains.get(&id.chain_id).map(ToString::to_string);
            let of_chain = of_chain.or_else(|| told.chains.get(&id.chain_id).cloned());
            // Whoever finds it read elsewhere asked its chain only here.
            let unasked = silent.get(&id.chain_id).filter(|_| is_elsewhere).cloned();
            let error = broken.or(of_registry).or(of_chain).or(unasked);
            let asked = progress.map(|progress| progress.head);
            let known = Known {
                standing,
                cursor,
                head,
                asked,
                is_elsewhere,
                is_failed: error.is_some() || ended.failed.contains(&id),
            };
            let looks = looks.iter().filter(|look| look.registry == id);
            let standing = RegistryStanding::of(id, Some(registry), cursor, looks);
            all.push(One {
                state: known.state(),
                cursor: cursor.cloned(),
                survey: survey.cloned(),
                size: index.size(id).await?,
                head,
                read: progress.map_or(0, |progress| progress.facts),
                dropped: ended.dropped.get(&id).copied().unwrap_or(0),
                went_back: told.went_back.get(&id).copied().unwrap_or(0),
                error,
                code_changed: standing.code_changed,
                code_not_compared: standing.code_not_compared,
                registry: registry.clone(),
            });
        }
        Ok(Self {
            stopped: ended.stopped,
            anew: ended.anew,
            all,
        })
    }

    /// Prints it, and says with which exit code it ends.
    pub(super) fn tell(&self, desk: &Desk<'_>) -> Result<ExitCode, Failure> {
        let now = desk.world.now();
        let age = |head: BlockHead| {
            let millis = now.as_millis().saturating_sub(head.timestamp.as_millis());
            u64::try_from(millis / 1_000).unwrap_or(0)
        };
        let all: Vec<Value> = self.all.iter().map(|one| one.value(age)).collect();
        let value = json!({"stopped": self.stopped, "anew": self.anew, "registries": all});
        desk.output
            .print(&value, |output| self.text(output, age, desk))?;
        Ok(ExitCode::from(self.code()))
    }

    fn code(&self) -> u8 {
        let any = |is: fn(&One) -> bool| self.all.iter().any(is);
        let is_alarm = |one: &One| {
            matches!(one.state, State::Broken | State::Short) || one.code_changed == Some(true)
        };
        if any(is_alarm) {
            1
        } else if self.stopped
            || any(|one| matches!(one.state, State::Failed | State::Ahead) || one.is_left_behind())
        {
            3
        } else {
            0
        }
    }

    fn text(&self, output: &Output, age: impl Fn(BlockHead) -> u64, desk: &Desk<'_>) -> String {
        if self.all.is_empty() {
            return "No registry is followed. To begin: deedbox registry add REGISTRY; deedbox registry presets lists public ones."
                .to_owned();
        }
        let header = [
            "REGISTRY", "STATE", "FROM", "UP TO", "FINAL", "HEAD", "FACTS", "HOLDS",
        ];
        let rows = self.all.iter().map(|one| one.row(&age)).collect();
        let mut lines = vec![table(output, &header, rows)];
        for one in &self.all {
            lines.extend(one.remarks(output, desk));
        }
        if self.stopped {
            lines.push(
                "Stopped before everything was read; the next run goes on from here.".to_owned(),
            );
        }
        lines.join("\n")
    }
}

/// The newest blocks of these registries' chains; and why there is none, of those that cannot be asked.
async fn heads(
    chains: &Chains,
    shown: &[RegistryState],
) -> (BTreeMap<u64, BlockHead>, BTreeMap<u64, String>) {
    let (mut heads, mut silent) = (BTreeMap::new(), BTreeMap::new());
    let ids: BTreeSet<u64> = shown.iter().map(|one| one.id.chain_id).collect();
    for id in ids {
        let found = match chains.events(id) {
            Ok(events) => events.heads().await,
            Err(error) => Err(error),
        };
        match found {
            Ok(found) => {
                heads.insert(id, found.latest);
            }
            Err(error) => {
                silent.insert(id, error.to_string());
            }
        }
    }
    (heads, silent)
}
