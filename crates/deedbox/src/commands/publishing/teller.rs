//! What people see while something is published, and what they are asked.
//!
//! All of it goes to standard error: standard output is for the result alone, so that `$(…)` and a pipe get nothing else.

use std::{
    future,
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    thread,
};

use async_trait::async_trait;
use deedbox_chain::send::Tip;
use deedbox_core::PublicationId;
use deedbox_publish::{Confirmation, NotAsked, Preview, PublishError, Step, Teller};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::{oneshot, watch};

use super::shown;
use crate::{
    accounts::ask,
    failure::Failure,
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
    /// How far it is, because from some point on a signal must not end it without a word.
    stage: watch::Sender<Stage>,
}

/// How far a change has come, as far as it matters to whoever wants to stop it.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Nothing is signed.
    Nothing,
    /// It is signed, and being recorded at this moment.
    Signed,
    /// It is recorded, and may have been sent.
    Recorded(PublicationId),
    /// An endpoint took it.
    Sent(PublicationId),
}

/// Listens for signals from when on something is recorded. Before that nobody does: the first question is ended by a signal as
/// every program is.
pub(super) struct Stop {
    stage: watch::Receiver<Stage>,
    signals: Option<Signals>,
}

impl Stop {
    /// Waits until somebody wants to stop what is done, and says why it stopped: while nothing is signed, as if they had said no
    /// to what comes next. May be dropped and called again.
    pub(super) async fn wanted(&mut self) -> Failure {
        let signals = match &mut self.signals {
            Some(signals) => signals,
            none => {
                let recorded = |stage: &Stage| matches!(stage, Stage::Recorded(_) | Stage::Sent(_));
                let is_recorded = self.stage.wait_for(recorded).await.is_ok();
                match Signals::new() {
                    Ok(signals) if is_recorded => none.insert(signals),
                    _ => future::pending().await,
                }
            }
        };
        signals.next().await;
        // What is being recorded has no name yet by which somebody could go on with it.
        let recorded = |stage: &Stage| !matches!(stage, Stage::Signed);
        match self.stage.wait_for(recorded).await.map(|stage| *stage) {
            Ok(Stage::Recorded(id)) => Failure::Interrupted { id, sent: false },
            Ok(Stage::Sent(id)) => Failure::Interrupted { id, sent: true },
            Ok(Stage::Nothing | Stage::Signed) | Err(_) => {
                Failure::Publish(Box::new(PublishError::Declined))
            }
        }
    }
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
            stage: watch::Sender::new(Stage::Nothing),
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
            stage: watch::Sender::new(Stage::Nothing),
        }
    }

    /// What waits for a signal.
    pub(super) fn stop(&self) -> Stop {
        Stop {
            stage: self.stage.subscribe(),
            signals: None,
        }
    }

    /// Of a publication that is recorded already.
    pub(super) fn goes_on_with(&self, id: PublicationId) {
        self.stage.send_replace(Stage::Recorded(id));
    }

    /// Of a publication that an endpoint has now.
    fn is_out(&self) {
        let stage = *self.stage.borrow();
        if let Stage::Recorded(id) = stage {
            self.stage.send_replace(Stage::Sent(id));
        }
    }

    /// Of the next change, of which nothing is signed.
    pub(super) fn begins(&self) {
        self.stage.send_replace(Stage::Nothing);
    }

    /// Takes the sign of life away.
    pub(in crate::commands) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Says how far a command came that asked for several changes.
    pub(in crate::commands) fn stopped(&mut self, done: &[PublicationId], asked: usize) {
        if done.is_empty() {
            return;
        }
        let noun = if done.len() == 1 {
            "publication"
        } else {
            "publications"
        };
        let ids: Vec<String> = done.iter().map(ToString::to_string).collect();
        self.alert(&format!(
            "{} of {asked} done: {noun} {}. The next was not, and nothing after it was tried",
            done.len(),
            ids.join(", ")
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
    async fn ask(&self, question: &str, otherwise: &str) -> Result<String, NotAsked> {
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
        // On a thread of its own, which ends with the program: while somebody thinks, signals are heard.
        let (tell, told) = oneshot::channel();
        thread::spawn(move || {
            let mut answer = String::new();
            let read = io::stdin().lock().read_line(&mut answer);
            // Err: nobody waits for it any more.
            drop(tell.send(read.map(|_| answer)));
        });
        let answer = told.await.unwrap_or_else(|_| Ok(String::new()));
        Ok(answer.map_err(failed)?.trim().to_owned())
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
            Step::Signed { transaction } => {
                self.stage.send_replace(Stage::Signed);
                self.done(&format!("signed here: {transaction}"));
            }
            Step::Recorded { publication } => {
                self.done(&format!("recorded as publication {publication}"));
                self.goes_on_with(*publication);
            }
            Step::Sent {
                transaction,
                endpoint,
            } => {
                self.is_out();
                self.done(&format!("sent, and accepted by {endpoint}: {transaction}"));
            }
            Step::Known {
                transaction,
                endpoint,
            } => {
                self.is_out();
                self.done(&format!("{endpoint} has it already: {transaction}"));
            }
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
                let answer = self.ask("Sign and send? [y/N]", otherwise).await?;
                Ok(matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
            }
            Confirmation::Typed(_) if self.yes_for_ever => Ok(true),
            Confirmation::Typed(text) => {
                let otherwise = "It cannot be undone, so --yes is not enough: look at it with --dry-run, and then say --yes-for-ever";
                let question = format!("This cannot be undone. Type {} to go on:", line(text));
                Ok(self.ask(&question, otherwise).await? == *text)
            }
        }
    }
}
