//! ABI data of strangers, word by word: nothing is copied before its length is known to be there, and to be no more than is wanted.

use alloy_primitives::{Address, U256};

/// The word at an index.
pub(crate) fn word(data: &[u8], index: usize) -> Option<&[u8; 32]> {
    let start = index.checked_mul(32)?;
    data.get(start..)?.first_chunk()
}

/// The word at an index as a number that can be an offset or a length.
pub(crate) fn small(data: &[u8], index: usize) -> Option<usize> {
    U256::from_be_bytes(*word(data, index)?).try_into().ok()
}

/// The address in the word at an index: the twelve bytes before it have to be zero.
pub(crate) fn address(data: &[u8], index: usize) -> Option<Address> {
    let (zeros, address) = word(data, index)?.split_at(12);
    (zeros == [0; 12]).then(|| Address::from_slice(address))
}

/// The `bool` in the word at an index: 0 or 1, and nothing else.
pub(crate) fn flag(data: &[u8], index: usize) -> Option<bool> {
    match U256::from_be_bytes(*word(data, index)?).try_into() {
        Ok(0_u8) => Some(false),
        Ok(1_u8) => Some(true),
        Ok(_) | Err(_) => None,
    }
}

/// What the offset in the word at an index leads to.
pub(crate) fn tail(data: &[u8], index: usize) -> Option<&[u8]> {
    data.get(small(data, index)?..)
}

/// A `string` or `bytes` whose offset is in the word at an index.
pub(crate) fn bytes(data: &[u8], index: usize) -> Option<&[u8]> {
    let tail = tail(data, index)?;
    let length = small(tail, 0)?;
    tail.get(32..32_usize.checked_add(length)?)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Bytes;
    use alloy_sol_types::SolValue as _;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_a_canonical_word_is_an_address_or_a_flag() {
        let mut data = [0; 64];
        data[63] = 1;
        assert_eq!(flag(&data, 0), Some(false));
        assert_eq!(flag(&data, 1), Some(true));
        assert_eq!(address(&data, 1), Some(Address::with_last_byte(1)));
        data[32] = 1;
        assert_eq!(flag(&data, 1), None);
        assert_eq!(address(&data, 1), None);
        data[31] = 2;
        assert_eq!(flag(&data, 0), None);
        assert_eq!(flag(&data, 2), None);
    }

    proptest! {
        #[test]
        fn what_solidity_encodes_is_read(value in prop::collection::vec(any::<u8>(), 0..100), other in any::<u64>()) {
            let data = (U256::from(other), Bytes::from(value.clone())).abi_encode_params();
            prop_assert_eq!(bytes(&data, 1), Some(&*value));
        }

        #[test]
        fn no_bytes_are_beyond_reading(data in prop::collection::vec(any::<u8>(), 0..200), index in any::<usize>()) {
            let _any = (bytes(&data, index), tail(&data, index), small(&data, index), address(&data, index), flag(&data, index));
        }
    }
}
