//! What people see while registries are read: bars on a terminal, lines elsewhere, nothing when programs read the result. All of it goes to standard
//! error.

use std::{
    collections::BTreeMap,
    io::{self, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use deedbox_core::RegistryId;
use deedbox_registry::sync::{News, Progress, Watch};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::render::{Output, counted, line};

/// Without a terminal, how long is waited between two lines about one registry's progress.
const QUIET: Duration = Duration::from_secs(5);

/// Shows progress, and remembers what the summary needs.
#[derive(Debug)]
pub(super) struct Screen {
    how: How,
    state: Mutex<State>,
}

#[derive(Debug)]
enum How {
    Bars(MultiProgress),
    Lines,
    Silent,
}

#[derive(Debug, Default)]
struct State {
    bars: BTreeMap<RegistryId, ProgressBar>,
    said: BTreeMap<RegistryId, Instant>,
    told: Told,
}

/// What was told, as far as it stands at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// The last progress of each registry.
    pub(super) progress: BTreeMap<RegistryId, Progress>,
    /// Why a registry could not be read, the last time that it could not.
    pub(super) failures: BTreeMap<RegistryId, String>,
    /// How often each chain took back blocks of a registry.
    pub(super) went_back: BTreeMap<RegistryId, u64>,
    /// Why a chain could not be read, the last time that it could not.
    pub(super) chains: BTreeMap<u64, String>,
}

impl Screen {
    pub(super) fn new(output: &Output) -> Self {
        let how = match (output.json, io::stderr().is_terminal()) {
            (true, _) => How::Silent,
            (false, true) => How::Bars(MultiProgress::new()),
            (false, false) => How::Lines,
        };
        Self {
            how,
            state: Mutex::default(),
        }
    }

    /// Takes the bars away.
    pub(super) fn end(&self) {
        let state = &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for bar in state.bars.values() {
            bar.finish_and_clear();
        }
        state.bars.clear();
    }

    /// What was told until now.
    pub(super) fn told(&self) -> Told {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.told.clone()
    }

    /// There is nowhere to complain that standard error is gone.
    pub(super) fn say(&self, text: &str) {
        match &self.how {
            How::Bars(bars) => drop(bars.println(line(text))),
            How::Lines => drop(writeln!(io::stderr(), "{}", line(text))),
            How::Silent => {}
        }
    }

    fn progress(&self, state: &mut State, progress: Progress) {
        let registry = progress.registry;
        state.told.failures.remove(&registry);
        state.told.chains.remove(&registry.chain_id);
        match &self.how {
            How::Bars(bars) => {
                let bar = state
                    .bars
                    .entry(registry)
                    .or_insert_with(|| bars.add(bar(registry)));
                bar.set_length(
                    progress
                        .head
                        .saturating_sub(progress.from)
                        .saturating_add(1),
                );
                let done = progress.upto.saturating_add(1);
                bar.set_position(done.saturating_sub(progress.from));
                bar.set_message(rest(&progress));
            }
            How::Lines => {
                let now = Instant::now();
                let is_there = progress.upto >= progress.head;
                let said = state.said.get(&registry);
                if is_there || said.is_none_or(|said| now.duration_since(*said) >= QUIET) {
                    state.said.insert(registry, now);
                    let (upto, head) = (progress.upto, progress.head);
                    self.say(&format!(
                        "{registry}: block {upto} of {head}, {}",
                        rest(&progress)
                    ));
                }
            }
            How::Silent => {}
        }
        state.told.progress.insert(registry, progress);
    }
}

fn bar(registry: RegistryId) -> ProgressBar {
    let bar = ProgressBar::new(0);
    let form = "{prefix} [{bar:30}] {percent}% {msg}";
    if let Ok(style) = ProgressStyle::with_template(form) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.with_prefix(registry.to_string())
}

/// How much was read, and how long the rest takes.
fn rest(progress: &Progress) -> String {
    let facts = counted(progress.facts, "fact");
    match progress.remaining.filter(|left| !left.is_zero()) {
        Some(left) => format!(
            "{facts}, {:.0}/s, about {} left",
            progress.facts_per_second,
            span(left)
        ),
        None => facts,
    }
}

/// To the second, in the two largest units.
fn span(span: Duration) -> String {
    let seconds = span.as_secs().max(1);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

impl Watch for Screen {
    fn tell(&self, news: News) {
        let state = &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match news {
            News::Progress(progress) => self.progress(state, progress),
            News::Took(_) | News::CodeAccepted(_) => {}
            News::KeptFinality(registry) => self.say(&format!(
                "{registry}: the chain has the final block again that it had gone back on"
            )),
            News::Lost(registry) => {
                self.say(&format!(
                    "{registry}: another process reads it now, or nobody follows it any more"
                ));
            }
            News::WentBack { registry, from, to } => {
                *state.told.went_back.entry(registry).or_default() += 1;
                let to = to.map_or_else(|| "the beginning".to_owned(), |to| format!("block {to}"));
                self.say(&format!(
                    "{registry}: the chain took back blocks; what was read from {to} to block {from} is undone and read anew"
                ));
            }
            News::BrokeFinality(broke) => {
                // The index has it, also for whoever finds it read elsewhere.
                self.say(&broke.to_string());
            }
            // Told at the end, of what stands then.
            News::EndsBelowFinal { .. } | News::LongAgain(_) => {}
            News::CodeChanged(look) => {
                let registry = look.registry;
                self.say(&format!(
                    "{registry}: something else stands there than was accepted"
                ));
            }
            News::NotLookedAt { registry, error } => {
                self.say(&format!(
                    "{registry}: its code could not be looked at: {error}"
                ));
            }
            News::RegistryFailed {
                registry, error, ..
            } => {
                self.say(&format!("{registry}: it cannot be read for now: {error}"));
                state.told.failures.insert(registry, error.to_string());
            }
            News::NotConfigured { chain_id, error } => {
                self.say(&format!("chain {chain_id} cannot be read: {error}"));
                state.told.chains.insert(chain_id, error.to_string());
            }
            News::ChainFailed {
                chain_id, error, ..
            } => {
                self.say(&format!("chain {chain_id} cannot be read for now: {error}"));
                state.told.chains.insert(chain_id, error.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_in_the_two_largest_units() {
        for (seconds, text) in [
            (0, "1 s"),
            (59, "59 s"),
            (61, "1 min 1 s"),
            (3_600, "1 h 0 min"),
            (90_061, "25 h 1 min"),
        ] {
            assert_eq!(span(Duration::from_secs(seconds)), text);
        }
    }
}
