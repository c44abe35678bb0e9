//! Who signs. The key itself stays with the program that holds it.

use alloy_primitives::{Address, B256, Signature};
use async_trait::async_trait;

/// An account that can sign. Its address is known from the beginning; the key is asked for only when something is to be signed.
#[async_trait]
pub trait Signer: Send + Sync {
    /// The account.
    fn address(&self) -> Address;

    /// Signs a transaction's hash, exactly as it is. Called only after the change was confirmed.
    ///
    /// # Errors
    /// [`CannotSign`]: then nothing was signed.
    async fn sign(&self, hash: B256) -> Result<Signature, CannotSign>;
}

/// Why nothing was signed. Its text holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotSign(pub String);
