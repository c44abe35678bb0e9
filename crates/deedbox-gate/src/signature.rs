//! Whether an account signed a digest.

use alloy_primitives::{Address, B256, Bytes, Signature, b256};
use alloy_sol_types::{SolCall as _, sol};
use deedbox_chain::{
    Block, Chains, ReadError,
    look::{Call, Expects, Said, Wanted},
};

sol! {
    /// ERC-1271.
    function isValidSignature(bytes32 hash, bytes signature) external view returns (bytes4);
}

/// What a contract says yes with: the selector, and zeros up to the end of the word.
const YES: B256 = b256!("1626ba7e00000000000000000000000000000000000000000000000000000000");

/// The bytes of a key's signature: `r`, `s`, `v`.
const LENGTH: usize = 65;

/// Who signed by key. None for anything but 65 bytes with the lower `s` and 27 or 28: the form that the standard's predicate takes, too
/// (reading P-05).
fn signer(digest: &B256, signature: &[u8]) -> Option<Address> {
    let bytes: &[u8; LENGTH] = signature.try_into().ok()?;
    let odd = match bytes[64] {
        27 => false,
        28 => true,
        _ => return None,
    };
    let signature = Signature::from_bytes_and_parity(&bytes[..64], odd);
    let is_low = signature.normalize_s().is_none();
    let signer = signature.recover_address_from_prehash(digest).ok();
    signer.filter(|signer| is_low && !signer.is_zero())
}

/// Whether `account` signed: by its key, or else by what its contract says (ERC-1271). A key's signature is checked without asking anybody;
/// a contract is asked at one block.
///
/// # Errors
/// [`ReadError`]: the contract could not be asked.
pub(crate) async fn is_signed(
    chains: &Chains,
    chain_id: u64,
    account: Address,
    digest: B256,
    signature: &Bytes,
) -> Result<bool, ReadError> {
    if signer(&digest, signature) == Some(account) {
        return Ok(true);
    }
    let call = isValidSignatureCall {
        hash: digest,
        signature: signature.clone(),
    };
    let wanted = Wanted {
        codes: vec![account],
        probes: vec![Call {
            to: account,
            data: call.abi_encode().into(),
            expects: Expects::Anything,
        }],
        ..Wanted::default()
    };
    let looked = chains.look(chain_id, Block::Latest, wanted).await?;
    let has_code = looked
        .got
        .codes
        .first()
        .is_some_and(|code| !code.is_empty());
    let said = looked.got.probes.first();
    Ok(has_code && matches!(said, Some(Said::Returned(word)) if word.as_ref() == YES.as_slice()))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{U256, uint};
    use alloy_signer::SignerSync as _;
    use alloy_signer_local::PrivateKeySigner;

    use super::*;

    /// The order of secp256k1.
    const ORDER: U256 =
        uint!(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141_U256);

    #[test]
    fn a_signature_has_one_form() {
        let key = PrivateKeySigner::from_bytes(&B256::repeat_byte(7)).unwrap();
        let digest = B256::repeat_byte(1);
        let good = key.sign_hash_sync(&digest).unwrap().as_bytes();
        assert_eq!(signer(&digest, &good), Some(key.address()));
        assert_ne!(signer(&B256::ZERO, &good), Some(key.address()));

        // The other one of the two that the curve allows.
        let s = U256::from_be_slice(&good[32..64]);
        let mut high = good;
        high[32..64].copy_from_slice(&(ORDER - s).to_be_bytes::<32>());
        high[64] = 55 - good[64];
        assert_eq!(signer(&digest, &high), None);

        let mut bare = good;
        bare[64] -= 27;
        for bad in [&bare[..], &good[..64], &[], &[0; LENGTH], &[0xff; LENGTH]] {
            assert_eq!(signer(&digest, bad), None);
        }
    }
}
