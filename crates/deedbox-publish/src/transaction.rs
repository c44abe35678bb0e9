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
    /// transaction that is bound to a chain, when they say anything that [`sign`](Self::sign) does not (a value, an access list, a priority fee above the
    /// whole fee), or when the signature is none. What the ledger reads in the same bytes is the same: `deedbox-core` reads them without
    /// cryptography and without alloy, and a test here holds the two together.
    #[must_use]
    pub fn read(raw: &[u8]) -> Option<(Self, Address)> {
        let buffer = &mut &*raw;
        let (read, signer) = if raw.first() == Some(&2) {
            let signed = Signed::<TxEip1559>::eip2718_decode(buffer).ok()?;
            let signer = signer(&signed)?;
            let tx = signed.tx();
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
                data: tx.input.clone(),
                offer,
            };
            (read.fee_market() == *tx).then_some((read, signer))?
        } else {
            let signed = Signed::<TxLegacy>::rlp_decode(buffer).ok()?;
            let signer = signer(&signed)?;
            let tx = signed.tx();
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
                data: tx.input.clone(),
                offer,
            };
            (read.legacy() == *tx).then_some((read, signer))?
        };
        let Offer {
            max_fee_per_gas,
            max_priority_fee_per_gas,
            ..
        } = read.offer;
        let is_ours = read.chain_id != 0 && max_priority_fee_per_gas <= max_fee_per_gas;
        (buffer.is_empty() && is_ours).then_some((read, signer))
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

#[cfg(test)]
mod tests {
    use alloy_consensus::TxEip1559;
    use deedbox_core::{
        ChainAddress,
        hash::CallHash,
        publication::{BadTransaction, RawTransaction, SignedTransaction},
    };

    use super::*;

    fn transaction(kind: Kind) -> Transaction {
        Transaction {
            chain_id: 31_337,
            nonce: 7,
            to: Some(Address::repeat_byte(0x11)),
            data: Bytes::from_static(&[1, 2, 3]),
            offer: Offer {
                kind,
                gas_limit: 21_000,
                max_fee_per_gas: 9,
                max_priority_fee_per_gas: if kind == Kind::Legacy { 9 } else { 2 },
            },
        }
    }

    /// Its bytes with a signature of somebody: whose, does not matter here.
    fn raw<T: SignableTransaction<Signature> + RlpEcdsaEncodableTx>(tx: T) -> Vec<u8> {
        let mut raw = Vec::new();
        tx.into_signed(Signature::test_signature())
            .eip2718_encode(&mut raw);
        raw
    }

    #[test]
    fn what_is_read_is_all_that_the_bytes_say() {
        let market = transaction(Kind::FeeMarket);
        let legacy = transaction(Kind::Legacy);
        assert_eq!(
            Transaction::read(&raw(market.fee_market())).unwrap().0,
            market
        );
        assert_eq!(Transaction::read(&raw(legacy.legacy())).unwrap().0, legacy);
        let paying = TxEip1559 {
            value: U256::from(1),
            ..market.fee_market()
        };
        let listing = TxEip1559 {
            access_list: vec![Default::default()].into(),
            ..market.fee_market()
        };
        assert_eq!(Transaction::read(&raw(paying)), None);
        assert_eq!(Transaction::read(&raw(listing)), None);
        let paying = TxLegacy {
            value: U256::from(1),
            ..legacy.legacy()
        };
        let unbound = TxLegacy {
            chain_id: None,
            ..legacy.legacy()
        };
        assert_eq!(Transaction::read(&raw(paying)), None);
        assert_eq!(Transaction::read(&raw(unbound)), None);
        let mut behind = raw(market.fee_market());
        behind.push(0);
        assert_eq!(Transaction::read(&behind), None);
    }

    /// What the ledger reads in the same bytes.
    fn recorded(raw: &[u8]) -> Result<SignedTransaction, BadTransaction> {
        SignedTransaction::new(
            "agent_set".parse().unwrap(),
            serde_json::Map::new(),
            ChainAddress([7; 20]),
            RawTransaction::new(raw.to_vec())?,
        )
    }

    /// There are two readers of such bytes: the ledger's, which knows no cryptography, and this one.
    #[test]
    fn the_ledger_reads_the_same_in_the_same_bytes() {
        let creates = |kind| Transaction {
            to: None,
            // Long enough for a length of its own.
            data: vec![0x60; 60].into(),
            ..transaction(kind)
        };
        let samples = [
            raw(transaction(Kind::FeeMarket).fee_market()),
            raw(creates(Kind::FeeMarket).fee_market()),
            raw(transaction(Kind::Legacy).legacy()),
            raw(creates(Kind::Legacy).legacy()),
        ];
        let (mut both, mut neither) = (0, 0);
        for sample in &samples {
            // Parity or v, r and s, with their lengths: 31337 makes v three bytes and one.
            let signature = sample.len() - if sample[0] == 2 { 67 } else { 70 };
            // Each byte with one of its bits the other way, and with another one: every check of a signature takes its time.
            let flips = (0..sample.len()).flat_map(|at| {
                [at % 8, (at * 5 + 3) % 8].map(|bit| {
                    let mut changed = sample.clone();
                    changed[at] ^= 1 << bit;
                    (changed, at >= signature)
                })
            });
            let cuts = (0..sample.len()).map(|at| (sample[..at].to_vec(), false));
            let longer = [sample.clone(), [&sample[..], &[0]].concat()].map(|raw| (raw, false));
            for (raw, in_signature) in flips.chain(cuts).chain(longer) {
                match (recorded(&raw), Transaction::read(&raw)) {
                    (Ok(ledger), Some((here, _))) => {
                        let offer = here.offer;
                        assert_eq!((ledger.chain_id, ledger.nonce), (here.chain_id, here.nonce));
                        assert_eq!(ledger.to.map(|to| to.0), here.to.map(|to| to.0.0));
                        assert_eq!(ledger.gas_limit.0, offer.gas_limit);
                        assert_eq!(ledger.max_fee_per_gas.0, offer.max_fee_per_gas);
                        assert_eq!(
                            ledger.max_priority_fee_per_gas.0,
                            offer.max_priority_fee_per_gas
                        );
                        // The call data are in this, with nothing else that differs.
                        let call = format!(
                            r#"{{"arguments":{{}},"data":"{}","operation":"agent_set"}}"#,
                            here.data
                        );
                        assert_eq!(ledger.call(), CallHash::of(call.as_bytes()));
                        both += 1;
                    }
                    (Err(_), None) => neither += 1,
                    // Whether a signature is one of somebody is computed here alone, and a v that names another chain is part of it.
                    (Ok(_), None) if in_signature => {}
                    // Above 2^53 - 1 nothing is recorded, whatever a chain may take.
                    (Err(BadTransaction::Inexact), Some(_)) => {}
                    (ledger, here) => {
                        panic!("{}: {ledger:?}, {here:?}", Bytes::from(raw))
                    }
                }
            }
        }
        assert!(both > 200 && neither > 200, "{both} {neither}");
    }
}
