//! Patterns, and whether a matcher with linear time can run them (ERC-8257, "Manifest Parser Hardening").
//!
//! The usual engines of JSON Schema backtrack, and a pattern of ten characters can keep them busy for years. The one
//! used here never does; the price is that look-around and back-references do not exist. Here patterns are only
//! parsed, by the parser of that matcher and after the same translation from ECMA-262 that the validator of
//! arguments makes, so that both always agree.

use std::fmt;

use super::simple_pattern::is_simple;

/// Why a pattern is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrunnable {
    /// No regular expression of ECMA-262 (with the `u` flag).
    #[error("is not a regular expression of ECMA-262")]
    NotARegex,
    /// It needs a matcher that goes back: look-around or a back-reference.
    #[error("needs a matcher that backtracks")]
    NeedsBacktracking,
    /// It has more than [`MOST_BYTES`] bytes, or the patterns before it had used up what is spent on all of them.
    #[error("is too long")]
    TooLong,
}

/// The longest pattern that is run, in bytes. Our own limit: parsing a pattern takes far longer than reading it.
pub const MOST_BYTES: usize = 2048;

/// The most bytes of patterns in one manifest that are parsed the long way. Our own.
pub(super) const MOST_BYTES_TOGETHER: usize = 4 * 1024;

/// Says whether the linear-time matcher can run `pattern`.
///
/// # Errors
/// [`Unrunnable`] says why not. Such a pattern is not the manifest's fault alone, but arguments cannot be checked
/// against it here.
pub fn check_pattern(pattern: &str) -> Result<(), Unrunnable> {
    check_within(pattern, &mut { MOST_BYTES_TOGETHER })
}

/// The same, out of what may still be spent.
pub(super) fn check_within(pattern: &str, left: &mut usize) -> Result<(), Unrunnable> {
    if pattern.len() > MOST_BYTES {
        return Err(Unrunnable::TooLong);
    }
    if is_simple(pattern) {
        return Ok(());
    }
    if looks_around(pattern) {
        return Err(Unrunnable::NeedsBacktracking);
    }
    *left = left.checked_sub(cost(pattern)).ok_or(Unrunnable::TooLong)?;
    parse(pattern)
}

fn parse(pattern: &str) -> Result<(), Unrunnable> {
    if !jsonschema_regex::is_valid_ecma_regex(pattern) {
        return Err(Unrunnable::NotARegex);
    }
    let Ok(translated) = jsonschema_regex::to_rust_regex(pattern) else {
        return Err(Unrunnable::NeedsBacktracking);
    };
    match regex_syntax::parse(&translated) {
        Ok(_) => Ok(()),
        Err(_) => Err(Unrunnable::NeedsBacktracking),
    }
}

/// Whether there is a group for looking around, which is the usual reason why a pattern cannot be run. A `(` behind a
/// backslash or in a class is a character.
fn looks_around(pattern: &str) -> bool {
    const LOOKS: [&[u8]; 4] = [b"?=", b"?!", b"?<=", b"?<!"];
    let mut rest = pattern.as_bytes();
    let mut in_class = false;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\\' => rest = rest.get(1..).unwrap_or_default(),
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class && LOOKS.iter().any(|look| rest.starts_with(look)) => return true,
            _ => {}
        }
    }
    false
}

/// What looking at a pattern costs, in bytes that are parsed. The translation begins anew for each `\c`.
fn cost(pattern: &str) -> usize {
    pattern
        .len()
        .saturating_mul(1 + pattern.matches("\\c").count())
}

impl Unrunnable {
    /// What to do about it: one sentence.
    #[must_use]
    pub fn fix(self) -> &'static str {
        match self {
            Self::NotARegex => "Write a regular expression of ECMA-262.",
            Self::NeedsBacktracking => "Write it without look-around and back-references.",
            Self::TooLong => "Use a shorter pattern, or fewer.",
        }
    }
}

/// For messages that have already said which pattern.
impl Unrunnable {
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::NotARegex => "8257-M-21",
            Self::NeedsBacktracking | Self::TooLong => "8257-parse-11",
        }
    }
}

/// A pattern as the end of a path; kept apart so that the walk needs no formatting of its own.
pub(super) struct Described<'p>(pub(super) &'p str, pub(super) Unrunnable);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the pattern {} {}", crate::rules::Quoted(self.0), self.1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ordinary_patterns_run() {
        for pattern in [
            "^0x[a-fA-F0-9]{40}$",
            r"^\d+$",
            r"^[^\s/]+\/[^\s/]+$",
            "(a+)+$",
            "^(foo|bar)?$",
            r"\p{L}+",
            r"^[\w.-]+@[\w-]+\.[a-z]{2,}$",
            "",
            r"\u0041",
            r"\cA",
        ] {
            assert_eq!(check_pattern(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn what_only_a_backtracking_matcher_can_run_is_not_run() {
        for pattern in [
            r"(a)\1",
            "^(?=a)b",
            "(?!a)b",
            "(?<=a)b",
            "(?<!a)b",
            r"(?<x>a)\k<x>",
        ] {
            assert_eq!(
                check_pattern(pattern),
                Err(Unrunnable::NeedsBacktracking),
                "{pattern}"
            );
        }
    }

    #[test]
    fn what_is_no_pattern_is_named_so() {
        for pattern in ["(", "[a", "a**", "(?<x", "a{2,1}", "([)(?=a)"] {
            assert_eq!(
                check_pattern(pattern),
                Err(Unrunnable::NotARegex),
                "{pattern}"
            );
        }
    }

    #[test]
    fn ordinary_patterns_are_simple() {
        for pattern in [
            "",
            "^0x[a-fA-F0-9]{40}$",
            r"^\d+(\.\d{1,18})?$",
            "^(foo|bar)?$",
            "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
            r"^[\w.-]+@[\w-]+\.[a-z]{2,}$",
            "^https://",
        ] {
            assert!(is_simple(pattern), "{pattern}");
        }
    }

    const PARTS: &[&str] = &[
        "a", "b", "z", "A", "0", "9", "-", "_", ".", "^", "$", "|", "(", "(?:", "(?", ")", "[",
        "[^", "]", "{", "}", "{2}", "{2,}", "{1,3}", "{3,1}", "{,2}", "*", "+", "?", ",", ":", "/",
        "@", " ", "&", "&&", "~", "#", "!", "=", "<", ">", "%", "\"", "'", ";", "`", "[a-z]",
        "[^0-9_]", "[-a]", "[a-]", "[z-a]", "\\", "\\d", "\\w", "\\s", "\\b", "\\B", "\\D", "\\W",
        "\\S", "\\n", "\\r", "\\t", "\\v", "\\f", "\\.", "\\/", "\\-", "\\*", "\\(", "\\]", "\\{",
        "\\^", "\\$",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// What the short way takes, the long way takes, and so does the matcher.
        #[test]
        fn a_simple_pattern_runs(parts in prop::collection::vec(prop::sample::select(PARTS), 0..10)) {
            let pattern = parts.concat();
            if is_simple(&pattern) {
                prop_assert_eq!(parse(&pattern), Ok(()), "{}", pattern);
            }
        }
    }

    #[test]
    fn long_patterns_are_not_even_parsed() {
        assert_eq!(
            check_pattern(&"a".repeat(MOST_BYTES + 1)),
            Err(Unrunnable::TooLong)
        );
        assert_eq!(check_pattern(&r"\ca".repeat(600)), Err(Unrunnable::TooLong));
    }
}
