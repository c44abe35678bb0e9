//! What canonical version 1 bytes look like.

use super::ChainType;
use crate::error::{Error, code};

/// Checks the frame and, where the profile of the chain type is known, what is in it.
pub(super) fn check(bytes: &[u8]) -> Result<(), Error> {
    version(bytes)?;
    let &[_, _, high, low, reference_length, ..] = bytes else {
        return Err(truncated(bytes, 6));
    };
    let (kind, reference_end) = (
        ChainType(u16::from_be_bytes([high, low])),
        5 + usize::from(reference_length),
    );
    let Some(&address_length) = bytes.get(reference_end) else {
        return Err(truncated(bytes, reference_end + 1));
    };
    if reference_length == 0 && address_length == 0 {
        let message = "found neither a chain nor an address, expected at least one of them";
        return Err(Error::new(5, code::NOTHING_NAMED, message));
    }
    profile(kind, &bytes[5..reference_end], address_length)?;
    let end = reference_end + 1 + usize::from(address_length);
    if bytes.len() < end {
        return Err(truncated(bytes, end));
    }
    if bytes.len() > end {
        let message = format!(
            "found more bytes after the address, expected the end after {end} bytes; cut them off, or correct \
             the length byte of the address (byte {reference_end} of the binary form)"
        );
        return Err(Error::new(end, code::TRAILING_BYTES, message));
    }
    Ok(())
}

fn version(bytes: &[u8]) -> Result<(), Error> {
    match bytes {
        [] | [0] => Err(truncated(bytes, 6)),
        [0, 1, ..] => Ok(()),
        [high, ..] if high & 0x80 != 0 => {
            let message = "found a version whose top bit says that version 1 rules cannot read the rest, \
                           expected version 1 (0x0001)";
            Err(Error::new(0, code::VERSION_INCOMPATIBLE, message))
        }
        [high, low, ..] => {
            let message = format!(
                "found version 0x{high:02x}{low:02x}, expected version 1 (0x0001), the only one that is published"
            );
            Err(Error::new(
                usize::from(*high == 0),
                code::VERSION_UNSUPPORTED,
                message,
            ))
        }
        [_] => Err(truncated(bytes, 6)),
    }
}

#[cold]
fn truncated(bytes: &[u8], needed: usize) -> Error {
    let message = format!(
        "found the end after {} bytes, expected at least {needed} by the length bytes so far",
        bytes.len()
    );
    Error::new(bytes.len(), code::TRUNCATED, message)
}

/// The rules of the CAIP-350 profiles that are understood. An absent part is always fine.
fn profile(kind: ChainType, reference: &[u8], address_length: u8) -> Result<(), Error> {
    match kind {
        ChainType::EIP155 => {
            if reference.len() > 32 {
                let message = format!(
                    "found an eip155 chain reference of {} bytes, expected at most 32: a chain id is a uint256",
                    reference.len()
                );
                return Err(Error::new(4, code::REFERENCE_LENGTH, message));
            }
            if reference.first() == Some(&0) {
                let message = "found a leading zero byte in an eip155 chain reference, expected the chain id in as \
                               few bytes as it needs; drop the zero and correct the length byte before it";
                return Err(Error::new(5, code::LEADING_ZERO, message));
            }
            lengths(5 + reference.len(), address_length, 20, "an eip155 address")
        }
        ChainType::SOLANA => {
            if !matches!(reference.len(), 0 | 32) {
                let message = format!(
                    "found a solana chain reference of {} bytes, expected the whole genesis hash of 32",
                    reference.len()
                );
                return Err(Error::new(4, code::REFERENCE_LENGTH, message));
            }
            lengths(5 + reference.len(), address_length, 32, "a solana address")
        }
        _ => Ok(()),
    }
}

fn lengths(at: usize, found: u8, expected: u8, name: &str) -> Result<(), Error> {
    if found == 0 || found == expected {
        return Ok(());
    }
    let message = format!("found {name} of {found} bytes, expected {expected}");
    Err(Error::new(at, code::ADDRESS_LENGTH, message))
}
