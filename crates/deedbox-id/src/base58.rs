//! Base58 as Bitcoin and Solana write it, for exactly 32 bytes.
//!
//! Of our own because only this one length is needed: five digits at a time over eight limbs is a tenth of the
//! work of the general algorithm, and an error can point at the digit.

use crate::error::{Error, code, found};

const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// Digits of the largest 32 bytes.
pub(crate) const MOST: usize = 44;
/// Digits whose value always fits 32 bits.
const GROUP: usize = 5;
const GROUP_VALUE: u64 = 58_u64.pow(5);

const BAD: u8 = 0xff;
static VALUES: [u8; 256] = {
    let mut table = [BAD; 256];
    let mut value = 0;
    while value < 58 {
        table[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    table
};

/// Reads 32 bytes.
pub(crate) fn decode(text: &str) -> Result<[u8; 32], Error> {
    let digits = text.as_bytes();
    if digits.len() > MOST {
        let bad = digits[..MOST]
            .iter()
            .position(|byte| VALUES[usize::from(*byte)] == BAD);
        return Err(bad.map_or_else(|| too_long(text), |at| bad_digit(text, at)));
    }
    let mut limbs = [0_u32; 8];
    for (index, group) in digits.chunks(GROUP).enumerate() {
        let (mut carry, mut factor) = (0_u64, 1_u64);
        for (offset, byte) in group.iter().enumerate() {
            let value = VALUES[usize::from(*byte)];
            if value == BAD {
                return Err(bad_digit(text, index * GROUP + offset));
            }
            carry = carry * 58 + u64::from(value);
            factor *= 58;
        }
        for limb in limbs.iter_mut().rev() {
            carry += u64::from(*limb) * factor;
            *limb = low_half(carry);
            carry >>= 32;
        }
        if carry != 0 {
            return Err(too_long(text));
        }
    }
    let mut bytes = [0; 32];
    for (out, limb) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(limbs) {
        *out = limb.to_be_bytes();
    }
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let ones = digits.iter().take_while(|byte| **byte == b'1').count();
    if zeros == ones {
        return Ok(bytes);
    }
    let length = ones + 32 - zeros;
    let message = format!("found base58 for {length} bytes, expected 32; is a part missing?");
    Err(Error::new(text.len(), code::ADDRESS_LENGTH, message))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the upper half is carried on by the caller"
)]
const fn low_half(value: u64) -> u32 {
    value as u32
}

#[cold]
fn bad_digit(text: &str, at: usize) -> Error {
    let found = found(text, at);
    let message = format!(
        "found {found}, expected a base58 digit (letters and digits without 0, O, I and l)"
    );
    Error::new(at, code::CHARACTER, message)
}

#[cold]
fn too_long(text: &str) -> Error {
    let message =
        "found base58 for more than 32 bytes, expected a public key or a genesis hash of 32";
    Error::new(text.len().min(MOST), code::ADDRESS_LENGTH, message)
}

/// Writes 32 bytes into the end of the buffer and returns where the text starts.
pub(crate) fn encode(bytes: &[u8; 32], out: &mut [u8; MOST + 1]) -> usize {
    let mut limbs = [0_u32; 8];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *limb = u32::from_be_bytes(*chunk);
    }
    // Nine groups of five digits hold any 32 bytes, with one digit to spare.
    for group in out.as_chunks_mut::<GROUP>().0.iter_mut().rev() {
        let mut rest = 0_u64;
        for limb in &mut limbs {
            let value = rest << 32 | u64::from(*limb);
            *limb = low_half(value / GROUP_VALUE);
            rest = value % GROUP_VALUE;
        }
        for digit in group.iter_mut().rev() {
            *digit = ALPHABET[usize::try_from(rest % 58).unwrap_or(0)];
            rest /= 58;
        }
    }
    let ones = out.iter().take_while(|digit| **digit == b'1').count();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    ones - zeros
}
