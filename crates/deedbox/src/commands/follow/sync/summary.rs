//! How far each registry came.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::ExitCode,
};

use deedbox_chain::{Chains, look::BlockHead};
use deedbox_core::{RegistryId, RegistryState, Standard, Timestamp};
use deedbox_registry::sync::SyncError;
use deedbox_store::{
    StoreError,
    index::{Cursor, Index, Size},
};
use serde_json::{Value, json};

use super::{
    super::{super::Desk, known::way_out},
    screen::Told,
};
use crate::{
    failure::Failure,
    render::{Output, line, table},
};

/// How reading ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// Whether somebody stopped it before everything was read.
    pub(super) stopped: bool,
    /// Whether what was read before was dropped first.
    pub(super) anew: bool,
    /// Registries that another process holds.
    pub(super) elsewhere: BTreeSet<RegistryId>,
    /// Registries that cannot be read for now.
    pub(super) failed: BTreeSet<RegistryId>,
    /// Chains that could not be read.
    pub(super) chains: BTreeMap<u64, SyncError>,
}

/// How far a registry came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Everything that its chain has was read.
    AtHead,
    /// Some of it was.
    OnTheWay,
    /// More was read than its chain has now: the endpoint lags, or the chain went back and is shorter still.
    Ahead,
    /// Another process reads it.
    Elsewhere,
    /// It cannot be read for now.
    Failed,
    /// Its chain went back on what was final.
    Broken,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::AtHead => "at_head",
            Self::OnTheWay => "on_the_way",
            Self::Ahead => "ahead_of_chain",
            Self::Elsewhere => "elsewhere",
            Self::Failed => "failed",
            Self::Broken => "chain_broke_finality",
        }
    }

    const fn for_people(self) -> &'static str {
        match self {
            Self::AtHead => "at the head",
            Self::OnTheWay => "on the way",
            Self::Ahead => "ahead of its chain",
            Self::Elsewhere => "read elsewhere",
            Self::Failed => "failed",
            Self::Broken => "chain broke finality",
        }
    }
}

/// One registry.
#[derive(Debug)]
struct One {
    registry: RegistryState,
    state: State,
    cursor: Option<Cursor>,
    looked_at: Option<Timestamp>,
    size: Size,
    head: Option<BlockHead>,
    read: u64,
    went_back: u64,
    error: Option<String>,
    code_changed: Option<bool>,
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
        let mut heads = BTreeMap::new();
        let ids: BTreeSet<u64> = shown.iter().map(|one| one.id.chain_id).collect();
        for id in ids {
            // One that cannot be asked has no head here; why is told beside it.
            if let Ok(events) = chains.events(id)
                && let Ok(found) = events.heads().await
            {
                heads.insert(id, found.latest);
            }
        }
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
            let broke = survey.and_then(|survey| survey.broke);
            let broken = broke.map(|broke| broke.to_string());
            let error = broken.or_else(|| told.failures.get(&id).cloned());
            let of_chain = ended.chains.get(&id.chain_id).map(ToString::to_string);
            let of_chain = of_chain.or_else(|| told.chains.get(&id.chain_id).cloned());
            let error = error.or(of_chain);
            let asked = progress.map(|progress| progress.head);
            let state = match cursor {
                _ if broke.is_some() => State::Broken,
                _ if ended.elsewhere.contains(&id) => State::Elsewhere,
                _ if error.is_some() || ended.failed.contains(&id) => State::Failed,
                Some(cursor) if is_ahead(cursor, head) => State::Ahead,
                Some(cursor) if is_there(cursor, asked, head) => State::AtHead,
                _ => State::OnTheWay,
            };
            let looked = looks.iter().find(|look| look.registry == id);
            all.push(One {
                state,
                cursor: cursor.cloned(),
                looked_at: survey.map(|survey| survey.looked_at),
                size: index.size(id).await?,
                head,
                read: progress.map_or(0, |progress| progress.facts),
                went_back: told.went_back.get(&id).copied().unwrap_or(0),
                error,
                code_changed: looked.and_then(|look| look.differs_from(&registry.following.seen)),
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
        if any(|one| one.state == State::Broken || one.code_changed == Some(true)) {
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

/// Whether a registry is read up to the newest block that was known while it was read.
fn is_there(cursor: &Cursor, asked: Option<u64>, head: Option<BlockHead>) -> bool {
    let newest = asked.or_else(|| head.map(|head| head.number));
    newest.is_some_and(|newest| cursor.next() > newest)
}

/// Whether a registry is read beyond the newest block.
fn is_ahead(cursor: &Cursor, head: Option<BlockHead>) -> bool {
    head.is_some_and(|head| cursor.next() > head.number.saturating_add(1))
}

impl One {
    /// Whether another process holds it, and has not read everything of it.
    fn is_left_behind(&self) -> bool {
        let there = self.cursor.as_ref();
        let there = there.is_some_and(|cursor| is_there(cursor, None, self.head));
        self.state == State::Elsewhere && !there
    }

    fn holds(&self) -> &'static str {
        match self.registry.following.standard {
            Standard::Erc8122 => "agents",
            Standard::Erc8257 => "tools",
        }
    }

    fn value(&self, age: impl Fn(BlockHead) -> u64) -> Value {
        let following = &self.registry.following;
        let cursor = self.cursor.as_ref();
        json!({
            "registry": self.registry.id,
            "standard": following.standard,
            "trust": following.trust,
            "label": following.label,
            "state": self.state.as_str(),
            "error": self.error,
            "from": following.from_block,
            "upto": cursor.and_then(|cursor| cursor.upto),
            "upto_at": cursor.and_then(|cursor| cursor.upto_at),
            "looked_at": self.looked_at,
            "final": cursor.and_then(|cursor| cursor.final_upto),
            "head": self.head.map(|head| json!({
                "block": head.number,
                "hash": head.hash,
                "timestamp": head.timestamp,
                "age_seconds": age(head),
            })),
            "facts": self.size.facts,
            "facts_read": self.read,
            self.holds(): self.size.entries,
            "reorganisations": self.went_back,
            "code_changed": self.code_changed,
        })
    }

    fn row(&self, age: &impl Fn(BlockHead) -> u64) -> Vec<String> {
        let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let cursor = self.cursor.as_ref();
        let upto = cursor.and_then(|cursor| cursor.upto);
        let head = self
            .head
            .map(|head| format!("{}, {} s old", head.number, age(head)));
        vec![
            self.registry.id.to_string(),
            self.state.for_people().to_owned(),
            self.registry.following.from_block.to_string(),
            number(upto.map(|upto| upto.block)),
            number(cursor.and_then(|cursor| cursor.final_upto)),
            head.unwrap_or_else(|| "-".to_owned()),
            self.size.facts.to_string(),
            format!("{} {}", self.size.entries, self.holds()),
        ]
    }

    fn remarks(&self, output: &Output, desk: &Desk<'_>) -> Vec<String> {
        let id = self.registry.id;
        let mut remarks = Vec::new();
        if let Some(error) = &self.error {
            let about = format!("{id}: ");
            let error = error.strip_prefix(&about).unwrap_or(error);
            remarks.push(output.paint.bad(&line(&format!("{about}{error}"))));
        }
        if self.state == State::Broken {
            remarks.push(way_out(&id.to_string(), desk.settings));
        }
        if self.state == State::Ahead {
            remarks.push(output.paint.bad(&format!(
                "{id}: more is read than its chain has now. Either the endpoint lags, or the chain went back: then what is not in it any more is undone when the chain is as long again."
            )));
        }
        if self.is_left_behind() {
            remarks.push(output.paint.alert(&format!(
                "{id}: another process holds it, and has not read all of it yet. Ask again in a moment; one that died lets go within 30 seconds."
            )));
        } else if self.state == State::Elsewhere {
            remarks.push(format!(
                "{id}: another process reads it, most likely a server of this database. Nothing is missing: both write the same index."
            ));
        }
        if self.code_changed == Some(true) {
            let show = desk.settings.again(&format!("registry show {id}"));
            remarks.push(output.paint.bad(&format!(
                "{id}: something else stands there than was accepted. To see what: {show}"
            )));
        }
        remarks
    }
}
