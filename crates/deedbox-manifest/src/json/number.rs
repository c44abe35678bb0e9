//! Numbers: RFC 8259's grammar, and what an IEEE 754 double makes of them (RFC 8785 §3.2.2.3).

use super::{
    NoteKind, ReadError, ReadErrorKind, Syntax, decimal::Decimal, document::Payload, reader::Reader,
};

/// Every decimal number with as many significant digits survives the way through a double and back, if it is
/// neither too large nor too small for a normal one. And no other number of so few digits becomes the same double.
const SAFE_DIGITS: usize = 15;

/// ECMAScript prints no double with more significant digits, zeros at the end not counted.
const MOST_DIGITS: usize = 17;

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
            let size = whole
                .iter()
                .fold(0, |n: u64, digit| n * 10 + u64::from(digit - b'0'));
            let is_negative = self.at - start > whole.len();
            #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
            let number = if is_negative {
                -(size as f64)
            } else {
                size as f64
            };
            return Ok(self.payload(number, !(is_negative && size == 0)));
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
        let written = Decimal::read(text);
        let number = if written.is_long() {
            written
                .nearest()
                .copysign(if text.starts_with('-') { -1.0 } else { 1.0 })
        } else {
            text.parse().unwrap_or(f64::INFINITY)
        };
        if !number.is_finite() {
            return Err(ReadError {
                at: start,
                end: self.at,
                kind: ReadErrorKind::NumberTooLarge,
            });
        }
        let judgement = judge(text, &written, number);
        if let Some(kind) = judgement.note {
            self.note(kind);
        }
        Ok(self.payload(number, judgement.is_canonical))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the two halves of 64 bits")]
    fn payload(&mut self, number: f64, is_canonical: bool) -> Payload {
        if !is_canonical {
            self.flaw = self.at;
        }
        let bits = number.to_bits();
        Payload::Number {
            high: (bits >> 32) as u32,
            low: bits as u32,
            is_canonical,
        }
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

#[derive(Debug, PartialEq)]
struct Judgement {
    note: Option<NoteKind>,
    is_canonical: bool,
}

/// Whether the double is another number than the text says, and whether it is printed otherwise.
///
/// What counts is what the canonical form will say: 0.1 is no binary fraction, but it comes back as 0.1.
fn judge(text: &str, written: &Decimal<'_>, number: f64) -> Judgement {
    if number == 0.0 {
        let note = (written.count > 0).then_some(NoteKind::Underflow);
        return Judgement {
            note,
            is_canonical: false,
        };
    }
    if number.abs() >= f64::MIN_POSITIVE && written.count <= SAFE_DIGITS {
        return Judgement {
            note: None,
            is_canonical: written.is_as_ecmascript_prints(),
        };
    }
    if written.count > MOST_DIGITS {
        return Judgement {
            note: Some(NoteKind::Inexact),
            is_canonical: false,
        };
    }
    let mut buffer = ryu_js::Buffer::new();
    let canonical = buffer.format_finite(number);
    let is_canonical = canonical == text;
    let is_exact = is_canonical || written.equals(&Decimal::read(canonical));
    let note = (!is_exact).then_some(NoteKind::Inexact);
    Judgement { note, is_canonical }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_comes_back_as_another_is_noted() {
        for (text, note) in [
            ("0.1", None),
            ("0.10", None),
            ("-0.0", None),
            ("-12.5", None),
            ("0.000001", None),
            ("0.0000001", None),
            ("1e-7", None),
            ("1.5e-7", None),
            ("1.50e-7", None),
            ("1e+20", None),
            ("1e+21", None),
            ("1e21", None),
            ("-1.2e+021", None),
            ("12e+21", None),
            ("0.1e+23", None),
            ("0.00000123456789012345", None),
            ("100.0", None),
            ("123456789012345.6", None),
            ("100000000000000000000", None),
            ("1000000000000000000000", None),
            ("120000000000000000000.0", None),
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
            let judgement = judge(text, &Decimal::read(text), number);
            assert_eq!(judgement.note, note, "{text}");
            let canonical = ryu_js::Buffer::new().format_finite(number) == text;
            assert_eq!(judgement.is_canonical, canonical, "{text}");
        }
    }
}
