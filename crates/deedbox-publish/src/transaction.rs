//! A transaction: from what is offered to signed bytes, and from bytes back.

use alloy_consensus::{
    SignableTransaction, Signed, TxEip1559, TxLegacy, transaction::RlpEcdsaEncodableTx,
};
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256};

use crate::{
    PublishError, Signer,
    fees::{Kind, Offer},
};

/// Everything that is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// The chain that it is bound to (EIP-155).
    pub chain_id: u64,
    /// The account's nonce.
    pub nonce: u64,
    /// Whom it calls; none creates a contract.
    pub to: Option<Address>,
    /// The call data.
    pub data: Bytes,
    /// What it offers.
    pub offer: Offer,
}

/// Signed bytes, and how the chain calls them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBytes {
    /// The bytes (EIP-2718).
    pub raw: Bytes,
    /// keccak256 over them.
    pub hash: B256,
}

impl Transaction {
    /// Has it signed, and makes sure that it is the account's signature.
    ///
    /// # Errors
    /// [`PublishError::CannotSign`], and [`PublishError::WrongSignature`] when another key was used.
    pub async fn sign(&self, signer: &dyn Signer) -> Result<SignedBytes, PublishError> {
        match self.offer.kind {
            Kind::FeeMarket => signed(self.fee_market(), signer).await,
            Kind::Legacy => signed(self.legacy(), signer).await,
        }
    }

    /// Reads signed bytes: the transaction, and whose signature it is. None when they are neither of type 2 nor a legacy
    /// transaction that is bound to a chain, or when the signature is none.
    #[must_use]
    pub fn read(raw: &[u8]) -> Option<(Self, Address)> {
        let buffer = &mut &*raw;
        let (read, signer) = if raw.first() == Some(&2) {
            let signed = Signed::<TxEip1559>::eip2718_decode(buffer).ok()?;
            let signer = signer(&signed)?;
            let tx = signed.strip_signature();
            let offer = Offer {
                kind: Kind::FeeMarket,
                gas_limit: tx.gas_limit,
                max_fee_per_gas: tx.max_fee_per_gas,
                max_priority_fee_per_gas: tx.max_priority_fee_per_gas,
            };
            let read = Self {
                chain_id: tx.chain_id,
                nonce: tx.nonce,
                to: tx.to.to().copied(),
                data: tx.input,
                offer,
            };
            (read, signer)
        } else {
            let signed = Signed::<TxLegacy>::rlp_decode(buffer).ok()?;
            let signer = signer(&signed)?;
            let tx = signed.strip_signature();
            let offer = Offer {
                kind: Kind::Legacy,
                gas_limit: tx.gas_limit,
                max_fee_per_gas: tx.gas_price,
                max_priority_fee_per_gas: tx.gas_price,
            };
            let read = Self {
                chain_id: tx.chain_id?,
                nonce: tx.nonce,
                to: tx.to.to().copied(),
                data: tx.input,
                offer,
            };
            (read, signer)
        };
        buffer.is_empty().then_some((read, signer))
    }

    fn kind(&self) -> TxKind {
        self.to.map_or(TxKind::Create, TxKind::Call)
    }

    fn fee_market(&self) -> TxEip1559 {
        TxEip1559 {
            chain_id: self.chain_id,
            nonce: self.nonce,
            gas_limit: self.offer.gas_limit,
            max_fee_per_gas: self.offer.max_fee_per_gas,
            max_priority_fee_per_gas: self.offer.max_priority_fee_per_gas,
            to: self.kind(),
            value: U256::ZERO,
            access_list: Default::default(),
            input: self.data.clone(),
        }
    }

    fn legacy(&self) -> TxLegacy {
        TxLegacy {
            chain_id: Some(self.chain_id),
            nonce: self.nonce,
            gas_price: self.offer.max_fee_per_gas,
            gas_limit: self.offer.gas_limit,
            to: self.kind(),
            value: U256::ZERO,
            input: self.data.clone(),
        }
    }
}

async fn signed<T>(transaction: T, signer: &dyn Signer) -> Result<SignedBytes, PublishError>
where
    T: SignableTransaction<Signature> + RlpEcdsaEncodableTx,
{
    let hash = transaction.signature_hash();
    let signature = signer.sign(hash).await?;
    let expected = signer.address();
    // What is high in `s` is the same signature in another form, which no chain takes (EIP-2).
    let signature = signature.normalized_s();
    if signature.recover_address_from_prehash(&hash).ok() != Some(expected) {
        return Err(PublishError::WrongSignature { expected });
    }
    let signed = transaction.into_signed(signature);
    let mut raw = Vec::new();
    signed.eip2718_encode(&mut raw);
    Ok(SignedBytes {
        raw: raw.into(),
        hash: *signed.hash(),
    })
}

fn signer<T: SignableTransaction<Signature>>(signed: &Signed<T>) -> Option<Address> {
    let hash = signed.signature_hash();
    signed.signature().recover_address_from_prehash(&hash).ok()
}
