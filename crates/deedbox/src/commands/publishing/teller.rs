//! What people see while something is published, and what they are asked.
//!
//! All of it goes to standard error: standard output is for the result alone, so that `$(…)` and a pipe get nothing else.

use std::{
    future,
    io::{self, BufRead as _, IsTerminal as _, Write as _},
};

use async_trait::async_trait;
use deedbox_chain::send::Tip;
use deedbox_core::PublicationId;
use deedbox_publish::{Confirmation, NotAsked, Preview, Step, Teller};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::watch;

use super::shown;
use crate::{
    accounts::ask,
    render::{Output, Paint, line},
    serve::stop::Signals,
    settings::Environment,
};

/// Without a terminal, how many seconds go by between two lines that say that something is waited for.
const QUIET: u64 = 15;
/// How often the sign of life moves.
const TICK: std::time::Duration = std::time::Duration::from_millis(120);

/// Shows the steps, and asks.
pub(in crate::commands) struct Shown {
    paint: Paint,
    width: usize,
    yes: bool,
    yes_for_ever: bool,
    /// On a terminal, while something is waited for.
    bar: Option<ProgressBar>,
    terminal: bool,
    /// After how many seconds of waiting something was said last.
    said: u64,
    silent: bool,
    /// What is recorded, from when on a signal must not end it without a word.
    recorded: watch::Sender<Option<PublicationId>>,
}

impl Shown {
    /// Of a command with these answers given beforehand.
    pub(in crate::commands) fn new(
        output: &Output,
        yes: bool,
        yes_for_ever: bool,
        environment: &Environment,
    ) -> Self {
        let terminal = io::stderr().is_terminal();
        Self {
            paint: Paint::when(terminal, environment),
            width: output.width,
            yes,
            yes_for_ever,
            bar: None,
            terminal,
            said: 0,
            silent: false,
            recorded: watch::Sender::new(None),
        }
    }

    /// One that says yes, and nothing else: for changes that nobody is asked about.
    pub(in crate::commands) fn silent(paint: Paint) -> Self {
        Self {
            paint,
            width: 100,
            yes: true,
            yes_for_ever: false,
            bar: None,
            terminal: false,
            said: 0,
            silent: true,
            recorded: watch::Sender::new(None),
        }
    }

    /// Waits until somebody wants to stop what is recorded. Nobody listens before that: a question is ended by a signal as
    /// every program is.
    pub(super) fn interrupted(&self) -> impl Future<Output = PublicationId> + use<> {
        let mut recorded = self.recorded.subscribe();
        async move {
            let id = recorded.wait_for(Option::is_some).await;
            let id = id.ok().and_then(|id| *id);
            match (id, Signals::new()) {
                (Some(id), Ok(mut signals)) => {
                    signals.next().await;
                    id
                }
                _ => future::pending().await,
            }
        }
    }

    /// Of a publication that is recorded already.
    pub(super) fn goes_on_with(&self, id: PublicationId) {
        self.recorded.send_replace(Some(id));
    }

    /// Takes the sign of life away.
    pub(in crate::commands) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Says how far a command came that asked for several changes.
    pub(in crate::commands) fn stopped(&mut self, done: usize, asked: usize) {
        self.alert(&format!(
            "{done} of {asked} changes stand on the chain; the next one failed, and nothing after it was tried"
        ));
    }

    fn say(&mut self, mark: &str, text: &str) {
        self.end();
        self.said = 0;
        self.write(&format!("{mark} {}", line(text)));
    }

    fn done(&mut self, text: &str) {
        let mark = self.paint.good("✓");
        self.say(&mark, text);
    }

    fn alert(&mut self, text: &str) {
        let mark = self.paint.alert("!");
        self.say(&mark, text);
    }

    /// There is nowhere to complain that standard error is gone.
    fn write(&self, text: &str) {
        if !self.silent {
            drop(writeln!(io::stderr(), "{text}"));
        }
    }

    fn waiting(&mut self, seconds: u64, head: u64, pending: bool) {
        let whereabouts = if pending {
            "an endpoint has it"
        } else {
            "no endpoint says that it has it"
        };
        let text = format!("waiting for a block, {seconds} s; {whereabouts}; newest block {head}");
        if self.terminal && !self.silent {
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::new_spinner();
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                    bar.set_style(style);
                }
                bar.enable_steady_tick(TICK);
                bar
            });
            bar.set_message(text);
        } else if seconds >= self.said.saturating_add(QUIET) {
            self.said = seconds;
            self.write(&format!("… {text}"));
        }
    }

    /// Asks a person, and returns the line that they typed.
    fn ask(&self, question: &str, otherwise: &str) -> Result<String, NotAsked> {
        if !ask::is_attended() {
            return Err(NotAsked(format!(
                "nobody was asked, because there is no terminal. {otherwise}"
            )));
        }
        let failed = |error: io::Error| NotAsked(format!("asking failed: {error}"));
        let mut err = io::stderr();
        write!(err, "{question} ")
            .and_then(|()| err.flush())
            .map_err(failed)?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).map_err(failed)?;
        Ok(answer.trim().to_owned())
    }
}

#[async_trait]
impl Teller for Shown {
    fn tell(&mut self, step: &Step) {
        match step {
            Step::Checked(what) => self.done(what),
            Step::ManifestServed {
                metadata_uri,
                manifest_hash,
                bytes,
            } => self.done(&format!(
                "manifest fetched from {metadata_uri}: {bytes} bytes, canonical hash {manifest_hash}"
            )),
            Step::Simulated { gas, on } => {
                let state = match on {
                    Tip::Pending => "at the pending block",
                    Tip::Latest => "at the newest block, because the endpoint offers no pending one",
                };
                self.done(&format!("simulated {state}: it would use {gas} gas"));
            }
            Step::Signed { transaction } => self.done(&format!("signed here: {transaction}")),
            Step::Recorded { publication } => {
                self.done(&format!("recorded as publication {publication}"));
                self.goes_on_with(*publication);
            }
            Step::Sent {
                transaction,
                endpoint,
            } => self.done(&format!("sent, and accepted by {endpoint}: {transaction}")),
            Step::Known {
                transaction,
                endpoint,
            } => self.done(&format!("{endpoint} has it already: {transaction}")),
            Step::Unclear { reason } => self.alert(&format!(
                "not clear whether it was taken ({reason}); the same bytes are sent again if it is not there"
            )),
            Step::Dropped { .. } => self.alert("no endpoint has it any more; the same bytes are sent again"),
            Step::Waiting {
                seconds,
                head,
                pending,
            } => self.waiting(*seconds, *head, *pending),
            Step::Included {
                block_number,
                confirmations,
                wanted,
                ..
            } => self.done(&format!(
                "in block {block_number}, with {confirmations} of {wanted} confirmations"
            )),
            Step::Reorganised { block_number } => self.alert(&format!(
                "block {block_number} is not part of the chain any more; it is waited for again"
            )),
            Step::ReadBack { read_back, findings } => {
                if findings.is_empty() {
                    self.done(&format!("read back from the chain: {}", shown::read_back(*read_back)));
                } else {
                    self.alert(&format!("read back from the chain: {}", shown::read_back(*read_back)));
                    for finding in findings {
                        self.say(" ", finding);
                    }
                }
            }
            Step::Settled { publication } => self.done(&format!("publication {publication} is settled")),
        }
    }

    async fn confirm(&mut self, preview: &Preview) -> Result<bool, NotAsked> {
        self.end();
        self.write(&format!(
            "\n{}",
            shown::preview(preview, self.paint, self.width)
        ));
        match &preview.confirmation {
            Confirmation::Plain if self.yes => Ok(true),
            Confirmation::Plain => {
                let otherwise = "Look at it with --dry-run, and then say --yes";
                let answer = self.ask("Sign and send? [y/N]", otherwise)?;
                Ok(matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
            }
            Confirmation::Typed(_) if self.yes_for_ever => Ok(true),
            Confirmation::Typed(text) => {
                let otherwise = "It cannot be undone, so --yes is not enough: look at it with --dry-run, and then say --yes-for-ever";
                let question = format!("This cannot be undone. Type {} to go on:", line(text));
                Ok(self.ask(&question, otherwise)? == *text)
            }
        }
    }
}
