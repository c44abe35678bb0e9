//! Most patterns are simple, and for those one pass tells that the matcher takes them.
//!
//! Parsing `^0x[a-f0-9]{40}$` the long way takes longer than reading, checking and hashing the rest of a small
//! manifest. What is not simple goes the long way; the tests hold the two against each other.

/// Deeper groups than this go the long way.
const MOST_GROUPS: usize = 16;

/// Higher counts than this go the long way.
const MOST_REPEATS: u32 = 1000;

/// Whether a pattern is of the simple kind, and valid: literals, classes, groups, choices, counts and the escapes that
/// ECMA-262 and the matcher understand alike.
pub(super) fn is_simple(pattern: &str) -> bool {
    Scan {
        rest: pattern.as_bytes(),
    }
    .pattern()
}

struct Scan<'p> {
    rest: &'p [u8],
}

impl Scan<'_> {
    fn pattern(&mut self) -> bool {
        let mut groups = 0;
        // Whether what stands before may be repeated.
        let mut repeatable = false;
        while let Some(byte) = self.next() {
            let good = match byte {
                b'^' | b'$' | b'|' => {
                    repeatable = false;
                    true
                }
                b'(' => {
                    groups += 1;
                    repeatable = false;
                    groups <= MOST_GROUPS && self.group()
                }
                b')' => {
                    repeatable = true;
                    groups > 0 && {
                        groups -= 1;
                        true
                    }
                }
                b'*' | b'+' | b'?' | b'{' => {
                    let good = repeatable && (byte != b'{' || self.count());
                    repeatable = false;
                    self.skip(b'?');
                    good
                }
                b'[' => {
                    repeatable = true;
                    self.class()
                }
                b'\\' => {
                    let next = self.next();
                    repeatable = !matches!(next, Some(b'b' | b'B'));
                    next.is_some_and(|next| is_escape(next) || matches!(next, b'b' | b'B'))
                }
                b']' | b'}' => false,
                _ => {
                    repeatable = true;
                    is_literal(byte)
                }
            };
            if !good {
                return false;
            }
        }
        groups == 0
    }

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// Behind the bracket: `(` or `(?:`.
    fn group(&mut self) -> bool {
        !self.skip(b'?') || self.skip(b':')
    }

    /// Behind the brace: `{2}`, `{2,}` or `{2,4}`.
    fn count(&mut self) -> bool {
        let Some(least) = self.number() else {
            return false;
        };
        let most = if self.skip(b',') {
            if self.skip(b'}') {
                return true;
            }
            self.number()
        } else {
            Some(least)
        };
        most.is_some_and(|most| least <= most) && self.skip(b'}')
    }

    fn number(&mut self) -> Option<u32> {
        let digits = self
            .rest
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let number = std::str::from_utf8(number).ok()?.parse().ok()?;
        (number <= MOST_REPEATS).then_some(number)
    }

    /// Behind the bracket: letters, digits, some signs, ranges of letters or of digits, escapes.
    fn class(&mut self) -> bool {
        self.skip(b'^');
        let mut empty = true;
        loop {
            let single = match self.next() {
                Some(b']') => return !empty,
                Some(b'\\') => {
                    if !self.next().is_some_and(is_escape) {
                        return false;
                    }
                    None
                }
                Some(byte) if byte.is_ascii_alphanumeric() => Some(byte),
                // A hyphen by itself at either end; elsewhere it is a range.
                Some(b'-') if empty || self.rest.first() == Some(&b']') => None,
                Some(
                    b'_' | b'.' | b'/' | b':' | b',' | b'@' | b' ' | b'+' | b'=' | b'%' | b'#'
                    | b'*' | b'?' | b'!' | b'$' | b'(' | b')',
                ) => None,
                _ => return false,
            };
            empty = false;
            if self.rest.first() == Some(&b'-') && self.rest.get(1) != Some(&b']') {
                self.skip(b'-');
                match (single, self.next()) {
                    (Some(from), Some(to)) if to.is_ascii_alphanumeric() && from <= to => {}
                    _ => return false,
                }
            }
        }
    }
}

/// Escapes that stand for one character or a class of them, and mean the same to both.
fn is_escape(byte: u8) -> bool {
    matches!(
        byte,
        b'd' | b'w'
            | b's'
            | b'D'
            | b'W'
            | b'S'
            | b'n'
            | b'r'
            | b't'
            | b'v'
            | b'f'
            | b'.'
            | b'/'
            | b'-'
            | b'*'
            | b'+'
            | b'?'
            | b'('
            | b')'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'|'
            | b'^'
            | b'$'
            | b'\\'
    )
}

/// Characters that stand for themselves.
fn is_literal(byte: u8) -> bool {
    byte == b' ' || byte.is_ascii_graphic()
}
