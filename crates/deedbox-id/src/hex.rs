//! Hex texts: `0x` and pairs of digits.

use std::fmt;

use smallvec::{Array, SmallVec};

use crate::error::{Error, code, found};

const BAD: u8 = 0xff;

const fn table(upper: bool) -> [u8; 256] {
    let mut table = [BAD; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value as usize] as usize] = value;
        if upper {
            table[b"0123456789ABCDEF"[value as usize] as usize] = value;
        }
        value += 1;
    }
    table
}

/// Which spellings of the digits above nine are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Any,
}

impl Case {
    fn table(self) -> &'static [u8; 256] {
        static LOWER: [u8; 256] = table(false);
        static ANY: [u8; 256] = table(true);
        match self {
            Self::Lower => &LOWER,
            Self::Any => &ANY,
        }
    }
}

/// Cuts the `0x` off.
pub(crate) fn digits_of(text: &str) -> Result<&[u8], Error> {
    text.as_bytes().strip_prefix(b"0x").ok_or_else(|| {
        let at = usize::from(text.starts_with('0'));
        let found = found(text, at);
        let message = format!("found {found}, expected a hex text that starts with \"0x\"");
        Error::new(at, code::HEX_PREFIX, message)
    })
}

/// Reads the pairs of digits after `0x`, at most `most` bytes of them, into `out`.
///
/// Where the text has more, the caller finds one byte too many, and knows what to say of it.
pub(crate) fn read<A: Array<Item = u8>>(
    text: &str,
    case: Case,
    most: usize,
    out: &mut SmallVec<A>,
) -> Result<(), Error> {
    let digits = digits_of(text)?;
    let digits = &digits[..digits.len().min(2 * most + 2)];
    let (pairs, rest) = digits.as_chunks::<2>();
    out.resize(pairs.len(), 0);
    let rest_is_bad = rest
        .iter()
        .any(|digit| case.table()[usize::from(*digit)] == BAD);
    if !decode(pairs, case, out) || rest_is_bad {
        return Err(bad_digit(text, case));
    }
    if rest.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        text.len(),
        code::HEX_ODD,
        "found an odd number of hex digits, expected two for each byte; a digit is missing, perhaps a zero",
    ))
}

/// Decodes pairs of digits into as many bytes, and says whether all were digits. Looks at the answer once, at
/// the end: a bad digit is rare, and a branch for each pair is not.
pub(crate) fn decode(pairs: &[[u8; 2]], case: Case, out: &mut [u8]) -> bool {
    let table = case.table();
    let mut seen = 0;
    for (byte, [high, low]) in out.iter_mut().zip(pairs) {
        let (high, low) = (table[usize::from(*high)], table[usize::from(*low)]);
        seen |= high | low;
        *byte = high << 4 | low;
    }
    seen != BAD
}

/// The error for the first character after `0x` that is no digit.
#[cold]
pub(crate) fn bad_digit(text: &str, case: Case) -> Error {
    let table = case.table();
    let is_bad = |byte: &u8| table[usize::from(*byte)] == BAD;
    let at = 2 + text
        .bytes()
        .skip(2)
        .position(|byte| is_bad(&byte))
        .unwrap_or(0);
    let found = found(text, at);
    if text.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit) {
        let lower = found.to_ascii_lowercase();
        let message = format!("found {found}, expected a lower-case hex digit; write {lower}");
        return Error::new(at, code::HEX_CASE, message);
    }
    let digits = match case {
        Case::Lower => "0-9 or a-f",
        Case::Any => "0-9, a-f or A-F",
    };
    let message = format!("found {found}, expected a hex digit ({digits})");
    Error::new(at, code::CHARACTER, message)
}

/// Writes `0x` and the bytes in lower case.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_str("0x")?;
    for chunk in bytes.chunks(32) {
        let mut buffer = [0; 64];
        let text = &mut buffer[..2 * chunk.len()];
        encode(chunk, text);
        f.write_str(str::from_utf8(text).map_err(|_| fmt::Error)?)?;
    }
    Ok(())
}

/// Writes each byte as two lower-case digits; `out` is twice as long as `bytes`.
pub(crate) fn encode(bytes: &[u8], out: &mut [u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (byte, [high, low]) in bytes.iter().zip(out.as_chunks_mut::<2>().0) {
        *high = DIGITS[usize::from(byte >> 4)];
        *low = DIGITS[usize::from(byte & 15)];
    }
}

/// Byte offset of the first upper-case digit in any hex number of a text, that is in a run of hex digits right
/// after `0x`. `None` when all are lower case, or there are none.
///
/// Other upper-case letters do not count: a base58 account is case-sensitive, and holds no `0x` because base58
/// has no zero. (ERC-8257 §2 asks for lower case in the `0x…` part of CAIP-10 and CAIP-19 texts.)
#[must_use]
pub fn first_upper_case_digit(text: &str) -> Option<usize> {
    text.match_indices("0x").find_map(|(start, _)| {
        let digits = text.as_bytes()[start + 2..]
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit());
        let at = digits.into_iter().position(u8::is_ascii_uppercase)?;
        Some(start + 2 + at)
    })
}
