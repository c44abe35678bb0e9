//! Why a text is no identifier, or has no such form.

use deedbox_id::Error;
use serde_json::{Value, json};

use crate::render::{Paint, line, pointed, wrapped};

/// Why, and where if there is a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Offset in bytes in the text that was given.
    pub(crate) at: Option<usize>,
    /// One of [`deedbox_id::error::code`], or of [`super::convert`].
    pub(crate) reason: &'static str,
    /// What was found, what was expected and what to do.
    pub(crate) message: String,
    /// The command that does what the message says is to do. It is never broken into lines.
    pub(crate) run: Option<String>,
}

impl Wrong {
    /// Something that has no place in the text.
    pub(super) fn nowhere(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            at: None,
            reason,
            message: message.into(),
            run: None,
        }
    }

    /// The library's error about something that was derived from the text, so that its place means nothing here.
    pub(super) fn derived(error: &Error) -> Self {
        Self::nowhere(error.code(), error.message())
    }

    /// The same in a text in which the part stands `by` bytes later.
    pub(super) fn shifted(mut self, by: usize) -> Self {
        self.at = self.at.map(|at| at + by);
        self
    }

    /// For people: the text, a caret, and what is wrong beside it, or below where there is no room.
    pub(crate) fn shown(&self, text: &str, width: usize, paint: Paint) -> String {
        let mut shown = self.place_and_message(text, width, paint);
        if let Some(command) = &self.run {
            shown.push_str(&format!("\n    {}", line(command)));
        }
        shown
    }

    fn place_and_message(&self, text: &str, width: usize, paint: Paint) -> String {
        let below = || {
            let lines = wrapped(&self.message, width.saturating_sub(2));
            lines
                .iter()
                .map(|line| format!("  {line}"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let Some(at) = self.at else {
            return below();
        };
        let pointed = pointed(text, at, width, paint);
        let taken = pointed
            .lines()
            .last()
            .map_or(0, |caret| caret.chars().count());
        if taken + 1 + self.message.chars().count() <= width {
            format!("{pointed} {}", line(&self.message))
        } else {
            format!("{pointed}\n{}", below())
        }
    }

    /// For programs. `column` counts characters, from 1.
    pub(crate) fn to_json(&self, text: &str) -> Value {
        let column = self
            .at
            .map(|at| text[..floor(text, at)].chars().count() + 1);
        json!({
            "reason": self.reason,
            "message": self.message,
            "at": self.at,
            "column": column,
            "run": self.run,
        })
    }
}

/// The last boundary between characters at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Self {
            at: Some(error.at()),
            reason: error.code(),
            message: error.message().to_owned(),
            run: None,
        }
    }
}
