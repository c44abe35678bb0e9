//! Results on standard output: one JSON value for programs, text for people.

mod paint;
pub(crate) mod published;
mod safe;
mod snippet;
mod table;
mod timeline;

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

pub(crate) use paint::Paint;
pub(crate) use safe::{cell, foreign, json, line, lines as wrapped, moment, path};
pub(crate) use snippet::{Lines, Mark, Position, pointed};
pub(crate) use table::table;
pub(crate) use timeline::{labelled, timeline};

use crate::{failure::Failure, settings::Environment};

/// Columns of a line that goes to no terminal.
pub(crate) const WIDTH: usize = 100;

/// Where results go, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// Whether programs read it.
    pub(crate) json: bool,
    /// With colours or without.
    pub(crate) paint: Paint,
    /// Columns of the terminal.
    pub(crate) width: usize,
}

impl Output {
    /// Standard output as it is.
    pub(crate) fn of_process(json: bool, environment: &Environment) -> Self {
        let terminal = io::stdout().is_terminal();
        let width = terminal_size::terminal_size().filter(|_| terminal);
        Self {
            json,
            paint: Paint::when(terminal, environment),
            width: width.map_or(WIDTH, |(width, _)| usize::from(width.0).max(40)),
        }
    }

    /// Prints a result: as JSON, or as the text that `text` makes of it.
    ///
    /// # Errors
    /// When standard output cannot be written to. A reader that went away is no error.
    pub(crate) fn print<T: Serialize + ?Sized>(
        &self,
        value: &T,
        text: impl FnOnce(&Self) -> String,
    ) -> Result<(), Failure> {
        if !self.json {
            return self.write(&text(self));
        }
        let failed = |error: serde_json::Error| Failure::io("writing the result", error.into());
        self.write(&json(&serde_json::to_string(value).map_err(failed)?))
    }

    /// Prints a text as it is.
    ///
    /// # Errors
    /// As [`Output::print`].
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let written = write!(out, "{text}{end}").and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::io("writing to standard output", error))
            }
            _ => Ok(()),
        }
    }
}
