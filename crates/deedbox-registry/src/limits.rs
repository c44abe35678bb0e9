//! What can be known to be too much before anything is sent.

/// The most gas that one transaction may have (EIP-7825).
pub const TRANSACTION_GAS: u64 = 16_777_216;
/// The most bytes of a `metadataURI` (ERC-8257 §1).
pub const METADATA_URI_BYTES: usize = 2048;
/// The most bytes of code and arguments that create a contract (EIP-3860).
pub const INIT_CODE_BYTES: usize = 49_152;
/// The most bytes of call data that nodes pass on in one transaction (128 KiB, its envelope included; 1 KiB is left for that).
pub const CALL_DATA_BYTES: usize = 127 * 1024;

/// What writing `bytes` new bytes of a value costs at least, in gas: a new storage slot for each 32 of them, and the call data that
/// brings them (EIP-2028, EIP-2929). Above about 23 KB it is more than one transaction may have.
#[must_use]
pub fn least_gas(bytes: usize) -> u64 {
    const NEW_SLOT: u64 = 22_100;
    let slots = u64::try_from(bytes / 32).unwrap_or(u64::MAX);
    slots.saturating_mul(NEW_SLOT)
}
