//! One registry, as it is told how far it came.

use deedbox_chain::look::BlockHead;
use deedbox_core::{RegistryState, Standard, Timestamp};
use deedbox_server::{finding::ChainIsShort, operations::NotCompared};
use deedbox_store::index::{ChainStanding, Cursor, ShortChain, Size, Survey};
use serde_json::{Value, json};

use super::super::{
    super::Desk,
    known::{self, way_out},
};
use crate::render::{Output, counted, line};

/// How far a registry came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Everything that its chain has was read.
    AtHead,
    /// Some of it was.
    OnTheWay,
    /// More was read than its chain has now: the endpoint is behind, as far as that is known.
    Ahead,
    /// Its chain ends below what was final, and none of its blocks is known.
    Short,
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
            Self::Short => "chain_ends_below_final",
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
            Self::Short => "chain ends below final",
            Self::Elsewhere => "read elsewhere",
            Self::Failed => "failed",
            Self::Broken => "chain broke finality",
        }
    }
}

/// By what it is judged how far a registry came.
#[derive(Debug)]
pub(super) struct Known<'a> {
    /// How its chain stood when whoever reads it looked last.
    pub(super) standing: ChainStanding,
    pub(super) cursor: Option<&'a Cursor>,
    /// The chain's newest block, as it is said now.
    pub(super) head: Option<BlockHead>,
    /// The height of the newest block when it was read here.
    pub(super) asked: Option<u64>,
    pub(super) is_elsewhere: bool,
    pub(super) is_failed: bool,
}

impl Known<'_> {
    /// What is the matter with the chain comes before who reads it.
    pub(super) fn state(&self) -> State {
        match (self.standing, self.cursor) {
            (ChainStanding::BrokeFinality(_), _) => State::Broken,
            (ChainStanding::EndsBelowFinal(_), _) => State::Short,
            (ChainStanding::GoesOn, Some(cursor)) if ends_below_final(cursor, self.head) => {
                State::Short
            }
            (_, Some(cursor)) if is_ahead(cursor, self.head) => State::Ahead,
            _ if self.is_elsewhere => State::Elsewhere,
            _ if self.is_failed => State::Failed,
            (_, Some(cursor)) if is_there(cursor, self.asked, self.head) => State::AtHead,
            _ => State::OnTheWay,
        }
    }
}

/// One registry.
#[derive(Debug)]
pub(super) struct One {
    pub(super) registry: RegistryState,
    pub(super) state: State,
    pub(super) cursor: Option<Cursor>,
    pub(super) survey: Option<Survey>,
    pub(super) size: Size,
    pub(super) head: Option<BlockHead>,
    pub(super) read: u64,
    pub(super) dropped: u64,
    pub(super) went_back: u64,
    pub(super) error: Option<String>,
    pub(super) code_changed: Option<bool>,
    pub(super) code_not_compared: Option<NotCompared>,
}

/// Whether the newest block is below what is final of a registry.
fn ends_below_final(cursor: &Cursor, head: Option<BlockHead>) -> bool {
    head.is_some_and(|head| cursor.final_upto > Some(head.number))
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
    pub(super) fn is_left_behind(&self) -> bool {
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

    pub(super) fn value(&self, age: impl Fn(BlockHead) -> u64) -> Value {
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
            "looked_at": self.survey.as_ref().map(|survey| survey.looked_at),
            "final": cursor.and_then(|cursor| cursor.final_upto),
            "chain_is_short": self.short(),
            "head": self.head.map(|head| json!({
                "block": head.number,
                "hash": head.hash,
                "timestamp": head.timestamp,
                "age_seconds": age(head),
            })),
            "facts": self.size.facts,
            "facts_read": self.read,
            "facts_dropped": self.dropped,
            self.holds(): self.size.entries,
            "reorganisations": self.went_back,
            "code_changed": self.code_changed,
            "code_not_compared": self.code_not_compared,
        })
    }

    pub(super) fn row(&self, age: &impl Fn(BlockHead) -> u64) -> Vec<String> {
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
            counted(self.size.entries, self.holds().trim_end_matches('s')),
        ]
    }

    /// The chain, where it is shorter than what is read: as whoever reads the registry saw it, or else by its newest block, which tells nothing more.
    fn short(&self) -> Option<ChainIsShort> {
        let seen = self.survey.as_ref().and_then(|survey| survey.short);
        let cursor = self.cursor.as_ref()?;
        let here = self.head.filter(|_| is_ahead(cursor, self.head));
        let here = here.map(|head| ShortChain {
            head: head.number,
            read_upto: cursor.next().saturating_sub(1),
            final_upto: cursor.final_upto,
            recognised: None,
        });
        seen.or(here).map(ChainIsShort::from)
    }

    /// What is to be said of one that another process holds: who reads it, and whether that is going well.
    fn elsewhere(&self, output: &Output, now: Timestamp) -> Option<String> {
        let id = self.registry.id;
        if self.state != State::Elsewhere {
            return None;
        }
        let Some(survey) = self.survey.as_ref().filter(|_| self.is_left_behind()) else {
            let said = match self.is_left_behind() {
                true => {
                    "another process holds it, and has not looked at its chain yet. Ask again in a moment; one that died lets go within 30 seconds."
                }
                false => {
                    "another process reads it, most likely a server of this database. Nothing is missing: both write the same index."
                }
            };
            return Some(format!("{id}: {said}"));
        };
        let age = survey.age(now).as_secs();
        let why = match (self.head, survey.is_old(now)) {
            (None, _) => format!(
                "its chain does not answer here, so nobody can say whether all of it is read. Another process holds it, and looked {age} s ago last."
            ),
            (Some(_), true) => format!(
                "another process holds it, and has not read all of it: it looked {age} s ago last, so most likely its endpoint does not answer it."
            ),
            (Some(_), false) => "another process holds it, and has not read all of it yet. Ask again in a moment; one that died lets go within 30 seconds.".to_owned(),
        };
        Some(output.paint.alert(&format!("{id}: {why}")))
    }

    pub(super) fn remarks(&self, output: &Output, desk: &Desk<'_>) -> Vec<String> {
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
        match (self.state, self.short()) {
            (State::Short, Some(chain)) => {
                let said = known::unknown(chain);
                remarks.push(output.paint.bad(&format!("{id}: {said}")));
                remarks.push(way_out(&id.to_string(), desk.settings));
            }
            (State::Ahead, Some(chain)) => {
                let said = known::lags(chain);
                remarks.push(output.paint.bad(&format!("{id}: {said}")));
            }
            _ => {}
        }
        remarks.extend(self.elsewhere(output, desk.world.now()));
        if self.code_changed == Some(true) {
            let show = desk.settings.again(&format!("registry show {id}"));
            remarks.push(output.paint.bad(&format!(
                "{id}: something else stands there than was accepted. To see what: {show}"
            )));
        }
        remarks
    }
}
