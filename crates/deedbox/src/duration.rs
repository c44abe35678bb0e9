//! Spans of time as people write them: `30s`, `500ms`, `12h`, `30d`.

use std::{fmt, str::FromStr, time::Duration};

/// Longest first, so that a value prints in the largest unit that divides it.
const UNITS: [(&str, u64); 6] = [
    ("w", 7 * 24 * 60 * 60 * 1000),
    ("d", 24 * 60 * 60 * 1000),
    ("h", 60 * 60 * 1000),
    ("m", 60 * 1000),
    ("s", 1000),
    ("ms", 1),
];

/// A span of time in whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span(u64);

/// Why a text is not a [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number with a unit: ms, s, m, h, d or w, like 30s or 12h")]
pub(crate) struct NotASpan;

impl Span {
    /// A span of whole seconds.
    pub(crate) const fn seconds(seconds: u64) -> Self {
        Self(seconds * 1000)
    }

    /// The span in milliseconds.
    pub(crate) const fn as_millis(self) -> u64 {
        self.0
    }

    /// The span as the standard library has it.
    pub(crate) const fn to_duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl FromStr for Span {
    type Err = NotASpan;
    fn from_str(text: &str) -> Result<Self, NotASpan> {
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .ok_or(NotASpan)
            .map(|at| text.split_at(at));
        let (number, unit) = digits?;
        let millis = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, millis)| *millis)
            .ok_or(NotASpan)?;
        let number: u64 = number.parse().map_err(|_| NotASpan)?;
        number.checked_mul(millis).map(Self).ok_or(NotASpan)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // "7d" and "1w" are one span; people ask for days, so weeks are only read.
        let (name, millis) = UNITS[1..]
            .iter()
            .find(|(_, millis)| self.0 > 0 && self.0.is_multiple_of(*millis))
            .unwrap_or(&("s", 1000));
        write!(f, "{}{name}", self.0 / millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_reads_and_prints_in_its_unit() {
        for (text, millis, printed) in [
            ("500ms", 500, "500ms"),
            ("30s", 30_000, "30s"),
            ("90s", 90_000, "90s"),
            ("120s", 120_000, "2m"),
            ("12h", 43_200_000, "12h"),
            ("1w", 604_800_000, "7d"),
            ("0s", 0, "0s"),
        ] {
            let span: Span = text.parse().unwrap();
            assert_eq!(
                (span.as_millis(), span.to_string().as_str()),
                (millis, printed)
            );
        }
    }

    #[test]
    fn a_span_without_a_unit_or_with_a_sign_is_refused() {
        for text in [
            "",
            "30",
            "s",
            "-1s",
            "1.5h",
            "1 h",
            "1y",
            "99999999999999999w",
            "１s",
        ] {
            assert_eq!(text.parse::<Span>(), Err(NotASpan), "{text:?}");
        }
    }
}
