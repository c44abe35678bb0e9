//! Numbers in decimal, in the one spelling that each has.
//!
//! Two spellings of one token id would be two keys to everyone who compares texts, so `007` is refused
//! although the standards do not say so: they say "decimal string" and forget the zeros.

use crate::{
    U256,
    error::{Error, code, found},
};

/// Decimal digits that always fit 64 bits.
const CHUNK: usize = 19;
/// What a chunk before another one counts for: ten to the power of its digits.
const FACTOR: u64 = 10_u64.pow(19);
/// Decimal digits of 2^256-1.
const MOST: usize = 78;

/// Reads a number of at most 256 bits: digits only, no sign, no leading zero (`0` itself is fine).
///
/// # Errors
/// [`MISSING_PART`](code::MISSING_PART) when there is nothing, [`HEX_NUMBER`](code::HEX_NUMBER),
/// [`CHARACTER`](code::CHARACTER), [`LEADING_ZERO`](code::LEADING_ZERO), and
/// [`NUMBER_TOO_LARGE`](code::NUMBER_TOO_LARGE) over 2^256-1.
pub fn parse(text: &str) -> Result<U256, Error> {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes[0] == b'0' && bytes.len() > 1 || bytes.len() > MOST {
        return Err(refused(text));
    }
    // The first chunk is the short one, so that all the others have one factor.
    let (first, rest) = bytes.split_at((bytes.len() - 1) % CHUNK + 1);
    let mut limbs = [small(first).ok_or_else(|| refused(text))?, 0, 0, 0];
    for (index, chunk) in rest.chunks(CHUNK).enumerate() {
        let mut carry = small(chunk).ok_or_else(|| refused(text))?;
        for limb in &mut limbs {
            (*limb, carry) = limb.carrying_mul_add(FACTOR, carry, 0);
        }
        if carry != 0 {
            return Err(too_large(first.len() + index * CHUNK));
        }
    }
    Ok(U256::from_limbs(limbs))
}

/// The value of at most [`CHUNK`] digits.
fn small(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + u64::from(digit))
    })
}

fn too_large(at: usize) -> Error {
    let message = "found a number over 2^256-1, the largest uint256";
    Error::new(at, code::NUMBER_TOO_LARGE, message)
}

/// Finds the reason that comes first in the text.
#[cold]
fn refused(text: &str) -> Error {
    if text.is_empty() {
        let message = "found nothing, expected a decimal number";
        return Error::new(0, code::MISSING_PART, message);
    }
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if text.starts_with("0x") || text.starts_with("0X") {
        let message = "found a hex number, expected decimal digits; write the number in decimal";
        return Error::new(0, code::HEX_NUMBER, message);
    }
    if is_digits(text) && text.starts_with('0') {
        let rest = text.trim_start_matches('0');
        let right = if rest.is_empty() { "0" } else { rest };
        let message = format!(
            "found a leading zero, expected a number in its one spelling; write {}",
            shortened(right)
        );
        return Error::new(0, code::LEADING_ZERO, message);
    }
    match text.bytes().position(|byte| !byte.is_ascii_digit()) {
        Some(at) => {
            let found = found(text, at);
            let message = format!("found {found}, expected a decimal digit");
            Error::new(at, code::CHARACTER, message)
        }
        None => too_large(MOST),
    }
}

/// Keeps a stranger's number from filling a log.
fn shortened(digits: &str) -> String {
    if digits.len() <= MOST {
        return digits.to_owned();
    }
    format!("{}… ({} digits)", &digits[..20], digits.len())
}
