//! Numbers: RFC 8259's grammar, and what an IEEE 754 double makes of them (RFC 8785 §3.2.2.3).

use super::{NoteKind, ReadError, ReadErrorKind, Syntax, document::Payload, reader::Reader};

/// Every decimal number with as many significant digits survives the way through a double and back, if it is
/// neither too large nor too small for a normal one.
const SAFE_DIGITS: usize = 15;

impl<'s> Reader<'s> {
    /// Reads the number that begins here. Takes time in proportion to its length, whatever its value.
    pub(super) fn number(&mut self, start: usize) -> Result<Payload, ReadError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.digits()?;
        if whole.len() > 1 && whole[0] == b'0' {
            return Err(ReadError {
                at: self.at - whole.len(),
                end: self.at,
                kind: ReadErrorKind::Syntax(Syntax::LeadingZero),
            });
        }
        if whole.len() <= SAFE_DIGITS && !matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            let number = whole
                .iter()
                .fold(0, |n: u64, digit| n * 10 + u64::from(digit - b'0'));
            #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
            let number = number as f64;
            let negative = self.at - start > whole.len();
            return Ok(payload(if negative { -number } else { number }));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        self.double(start)
    }

    /// What the text from `start` to here is as a double.
    fn double(&mut self, start: usize) -> Result<Payload, ReadError> {
        let text = &self.source[start..self.at];
        let number: f64 = text.parse().unwrap_or(f64::INFINITY);
        if !number.is_finite() {
            return Err(ReadError {
                at: start,
                end: self.at,
                kind: ReadErrorKind::NumberTooLarge,
            });
        }
        if let Some(kind) = judge(text, number) {
            self.note(kind);
        }
        Ok(payload(number))
    }

    fn digits(&mut self) -> Result<&'s [u8], ReadError> {
        let rest = &self.bytes[self.at..];
        let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if len == 0 {
            return Err(self.unexpected(Syntax::Digit));
        }
        self.at += len;
        Ok(&rest[..len])
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves of 64 bits")]
const fn payload(number: f64) -> Payload {
    let bits = number.to_bits();
    Payload::Number {
        high: (bits >> 32) as u32,
        low: bits as u32,
    }
}

/// Whether the double is another number than the text says.
///
/// What counts is what the canonical form will say: 0.1 is no binary fraction, but it comes back as 0.1.
fn judge(text: &str, number: f64) -> Option<NoteKind> {
    let written = Decimal::read(text);
    if number == 0.0 {
        return (written.digits().next().is_some()).then_some(NoteKind::Underflow);
    }
    let is_normal = number.abs() >= f64::MIN_POSITIVE;
    if is_normal && written.digits().nth(SAFE_DIGITS).is_none() {
        return None;
    }
    let mut buffer = ryu_js::Buffer::new();
    let canonical = Decimal::read(buffer.format_finite(number));
    (!written.equals(&canonical)).then_some(NoteKind::Inexact)
}

/// A number's absolute value in decimal: the digits without zeros at either end, the first of them worth `10^exponent`.
struct Decimal<'t> {
    digits: &'t [u8],
    exponent: i64,
}

impl<'t> Decimal<'t> {
    /// Of a text that is a number in JSON or in ECMAScript.
    fn read(text: &'t str) -> Self {
        let text = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let point = mantissa.find('.').unwrap_or(mantissa.len());
        let first = mantissa.find(|c| matches!(c, '1'..='9'));
        let last = mantissa.rfind(|c| matches!(c, '1'..='9'));
        let (Some(first), Some(last)) = (first, last) else {
            return Self {
                digits: &[],
                exponent: 0,
            };
        };
        let worth = if first < point {
            signed(point - first) - 1
        } else {
            -signed(first - point)
        };
        Self {
            digits: &mantissa.as_bytes()[first..=last],
            exponent: whole(exponent).saturating_add(worth),
        }
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.digits.iter().copied().filter(|&byte| byte != b'.')
    }

    fn equals(&self, other: &Decimal<'_>) -> bool {
        self.exponent == other.exponent && self.digits().eq(other.digits())
    }
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// An exponent; beyond the range of `i64` the end of the range.
fn whole(text: &str) -> i64 {
    let digits = text.trim_start_matches(['+', '-']).bytes();
    let size = digits.fold(0_i64, |n, digit| {
        n.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    if text.starts_with('-') { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_comes_back_as_another_is_noted() {
        for (text, note) in [
            ("0.1", None),
            ("1.0", None),
            ("-1E2", None),
            ("100000000000000000000000", None),
            ("0.000000000000000000000000000001", None),
            ("9007199254740992", None),
            ("9007199254740993", Some(NoteKind::Inexact)),
            ("-9007199254740993", Some(NoteKind::Inexact)),
            ("9007199254740994", None),
            ("0.10000000000000000001", Some(NoteKind::Inexact)),
            ("0.1000000000000000000000", None),
            ("12345678901234567890", Some(NoteKind::Inexact)),
            ("12345678901234567000", None),
            ("1.7976931348623157e308", None),
            ("1.7976931348623158e308", Some(NoteKind::Inexact)),
            ("5e-324", None),
            ("4.9e-324", Some(NoteKind::Inexact)),
            ("1e-323", None),
            ("1.1e-323", Some(NoteKind::Inexact)),
            ("1e-400", Some(NoteKind::Underflow)),
            ("0e99999999999999999999999999", None),
            ("-0.0e-99999999999999999999999999", None),
            ("1e-99999999999999999999999999", Some(NoteKind::Underflow)),
        ] {
            let number = text.parse().expect("a number");
            assert_eq!(judge(text, number), note, "{text}");
        }
    }
}
