//! One signed transaction, and what its bytes say.

use std::{borrow::Cow, fmt};

use alloy_rlp::{Decodable, Header};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value, json};
use sha3::{Digest as _, Keccak256};

use super::{ChainAccount, OperationName};
use crate::{
    hash::CallHash,
    hex::{self, hex_bytes},
    json::{self, Inexact},
    limits,
    quantity::{Gas, Wei},
};

hex_bytes! {
    /// The address of an account or a contract: 20 bytes. Prints in lower case; how chains capitalise one to find slips is
    /// for those who show it to people.
    ChainAddress, NotAChainAddress, 20, 40
    /// A transaction's hash: Keccak-256 over its signed bytes.
    TransactionHash, NotATransactionHash, 32, 64
}

/// The bytes of a signed transaction, as they are sent: 1 to [`limits::RAW_TRANSACTION_BYTES`] of them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawTransaction(Vec<u8>);

/// Why a transaction cannot be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTransaction {
    /// More bytes than nodes take.
    #[error(
        "its bytes are too many: {found}, at most {} are accepted",
        limits::RAW_TRANSACTION_BYTES
    )]
    TooLarge {
        /// How many.
        found: usize,
    },
    /// The bytes are no transaction of a kind that is known here, in its one canonical form.
    #[error("its bytes do not read as a signed transaction: {0}")]
    Malformed(&'static str),
    /// It names no chain, and could be sent to another one (EIP-155).
    #[error("it is not bound to one chain")]
    AnyChain,
    /// It sends money. No operation of this program does.
    #[error("it sends money along")]
    SendsValue,
    /// The bytes say something else than the record about them.
    #[error("its bytes have another {0}")]
    Differs(&'static str),
    /// What was asked for cannot be recorded.
    #[error("its arguments cannot be recorded: {0}")]
    Arguments(Inexact),
    /// What was asked for is too large.
    #[error(
        "its arguments are too long: {found} bytes, at most {} are accepted",
        limits::PUBLICATION_ARGUMENTS_BYTES
    )]
    ManyArguments {
        /// Bytes of canonical JSON.
        found: usize,
    },
    /// Its chain's id or its nonce is above [`MAX_EXACT`](crate::json::MAX_EXACT).
    #[error("its chain's id or its nonce is too large")]
    Inexact,
}

impl RawTransaction {
    /// Takes bytes as they are.
    ///
    /// # Errors
    /// [`BadTransaction::TooLarge`] above [`limits::RAW_TRANSACTION_BYTES`], [`BadTransaction::Malformed`] when there are none.
    pub fn new(bytes: Vec<u8>) -> Result<Self, BadTransaction> {
        match bytes.len() {
            0 => Err(BadTransaction::Malformed("there are none")),
            found if found > limits::RAW_TRANSACTION_BYTES => {
                Err(BadTransaction::TooLarge { found })
            }
            _ => Ok(Self(bytes)),
        }
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Keccak-256 over the bytes: how the chain calls the transaction.
    #[must_use]
    pub fn hash(&self) -> TransactionHash {
        TransactionHash(Keccak256::digest(&self.0).into())
    }
}

impl fmt::Debug for RawTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawTransaction({} bytes, {})", self.0.len(), self.hash())
    }
}

impl Serialize for RawTransaction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for RawTransaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let bytes =
            hex::decode(&text).ok_or_else(|| de::Error::custom("must be 0x and hex digits"))?;
        Self::new(bytes).map_err(de::Error::custom)
    }
}

/// One attempt at a publication: a transaction that is signed and not sent yet.
///
/// What is said here of the bytes is what [`SignedTransaction::new`] read in them. Whose signature they carry is not
/// computed here: a chain takes them for `account` or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedTransaction {
    /// What it does.
    pub operation: OperationName,
    /// With which arguments, as the person was shown them. No secrets; numbers as in [`crate::Reading`].
    pub arguments: Map<String, Value>,
    /// The chain's id (EIP-155).
    pub chain_id: u64,
    /// Who signed.
    pub account: ChainAddress,
    /// The account's nonce.
    pub nonce: u64,
    /// Whom it calls; none when it deploys a contract.
    pub to: Option<ChainAddress>,
    /// How much gas it may use.
    pub gas_limit: Gas,
    /// What it pays for one unit of gas at most.
    pub max_fee_per_gas: Wei,
    /// What it pays of that to whoever makes the block, at most. Without EIP-1559 the same as `max_fee_per_gas`.
    pub max_priority_fee_per_gas: Wei,
    /// The transaction's hash.
    pub transaction_hash: TransactionHash,
    /// The bytes.
    pub raw_transaction: RawTransaction,
}

impl SignedTransaction {
    /// Reads what the bytes say: an EIP-1559 transaction without an access list, or a legacy one that is bound to its chain
    /// (EIP-155), in canonical RLP, that sends no money.
    ///
    /// # Errors
    /// [`BadTransaction`] when they are something else, or too large, as the arguments may be too.
    pub fn new(
        operation: OperationName,
        arguments: Map<String, Value>,
        account: ChainAddress,
        raw_transaction: RawTransaction,
    ) -> Result<Self, BadTransaction> {
        check_arguments(&arguments)?;
        let said = Said::read(raw_transaction.as_bytes())?;
        json::exact([said.chain_id, said.nonce]).map_err(|_| BadTransaction::Inexact)?;
        Ok(Self {
            operation,
            arguments,
            chain_id: said.chain_id,
            account,
            nonce: said.nonce,
            to: said.to,
            gas_limit: Gas(said.gas_limit),
            max_fee_per_gas: Wei(said.max_fee_per_gas),
            max_priority_fee_per_gas: Wei(said.max_priority_fee_per_gas),
            transaction_hash: raw_transaction.hash(),
            raw_transaction,
        })
    }

    /// Whether the record says of the bytes what they say themselves.
    ///
    /// # Errors
    /// [`BadTransaction`], as [`SignedTransaction::new`]; [`BadTransaction::Differs`] names what is another.
    pub fn check(&self) -> Result<(), BadTransaction> {
        let said = Self::new(
            self.operation.clone(),
            self.arguments.clone(),
            self.account,
            self.raw_transaction.clone(),
        )?;
        let differs = [
            (self.chain_id == said.chain_id, "chain"),
            (self.nonce == said.nonce, "nonce"),
            (self.to == said.to, "recipient"),
            (self.gas_limit == said.gas_limit, "gas limit"),
            (self.max_fee_per_gas == said.max_fee_per_gas, "maximal fee"),
            (
                self.max_priority_fee_per_gas == said.max_priority_fee_per_gas,
                "maximal priority fee",
            ),
            (self.transaction_hash == said.transaction_hash, "hash"),
        ]
        .into_iter()
        .find(|(same, _)| !same);
        differs.map_or(Ok(()), |(_, what)| Err(BadTransaction::Differs(what)))
    }

    /// On which chain, and who signed.
    #[must_use]
    pub const fn signer(&self) -> ChainAccount {
        ChainAccount {
            chain_id: self.chain_id,
            account: self.account,
        }
    }

    /// What every attempt at one publication has in common beside chain, account, nonce and recipient: SHA-256 over the RFC
    /// 8785 canonical form of `{"arguments", "data", "operation"}`, where `data` is what the contract is called with, in hex.
    #[must_use]
    pub fn call(&self) -> CallHash {
        // Bytes that do not read are refused by `check`; then this is never asked for.
        let data = Said::read(self.raw_transaction.as_bytes()).map_or(&[][..], |said| said.data);
        let call = json!({
            "arguments": self.arguments,
            "data": hex::encode(data),
            "operation": self.operation,
        });
        // Infallible: texts, whole numbers and lists under text keys.
        CallHash::of(&serde_json_canonicalizer::to_vec(&call).unwrap_or_default())
    }
}

fn check_arguments(arguments: &Map<String, Value>) -> Result<(), BadTransaction> {
    json::check(arguments).map_err(BadTransaction::Arguments)?;
    match json::canonical_len(arguments) {
        found if found > limits::PUBLICATION_ARGUMENTS_BYTES => {
            Err(BadTransaction::ManyArguments { found })
        }
        _ => Ok(()),
    }
}

/// What the bytes of a transaction say.
struct Said<'a> {
    chain_id: u64,
    nonce: u64,
    to: Option<ChainAddress>,
    gas_limit: u64,
    max_fee_per_gas: u128,
    max_priority_fee_per_gas: u128,
    data: &'a [u8],
}

/// The type byte of EIP-1559.
const FEE_MARKET: u8 = 2;
/// The least first byte of a list in RLP: how a legacy transaction begins.
const LIST: u8 = 0xc0;

impl<'a> Said<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, BadTransaction> {
        match bytes.split_first() {
            Some((&FEE_MARKET, fields)) => Self::fee_market(fields),
            Some((&first, _)) if first >= LIST => Self::legacy(bytes),
            _ => Err(BadTransaction::Malformed(
                "it is neither of type 2 (EIP-1559) nor a legacy transaction",
            )),
        }
    }

    /// EIP-1559: chain id, nonce, two fees, gas limit, to, value, data, access list, parity, r, s.
    fn fee_market(bytes: &'a [u8]) -> Result<Self, BadTransaction> {
        let mut fields = Fields::of(bytes)?;
        let said = Self {
            chain_id: fields.number()?,
            nonce: fields.number()?,
            max_priority_fee_per_gas: fields.number()?,
            max_fee_per_gas: fields.number()?,
            gas_limit: fields.number()?,
            to: fields.recipient()?,
            data: fields.data_without_value()?,
        };
        if !fields.list()?.is_empty() {
            return Err(BadTransaction::Malformed("it has an access list"));
        }
        let parity: u64 = fields.number()?;
        if parity > 1 {
            return Err(BadTransaction::Malformed("its signature has no parity"));
        }
        if said.max_priority_fee_per_gas > said.max_fee_per_gas {
            return Err(BadTransaction::Malformed(
                "its priority fee is above its whole fee",
            ));
        }
        fields.signature_and_end()?;
        said.bound()
    }

    /// A legacy transaction: nonce, gas price, gas limit, to, value, data, v, r, s; `v` is 35 or 36 and twice the chain's id.
    fn legacy(bytes: &'a [u8]) -> Result<Self, BadTransaction> {
        let mut fields = Fields::of(bytes)?;
        let nonce = fields.number()?;
        let gas_price = fields.number()?;
        let mut said = Self {
            chain_id: 0,
            nonce,
            max_priority_fee_per_gas: gas_price,
            max_fee_per_gas: gas_price,
            gas_limit: fields.number()?,
            to: fields.recipient()?,
            data: fields.data_without_value()?,
        };
        let v: u64 = fields.number()?;
        said.chain_id = v.checked_sub(35).ok_or(BadTransaction::AnyChain)? / 2;
        fields.signature_and_end()?;
        said.bound()
    }

    fn bound(self) -> Result<Self, BadTransaction> {
        if self.chain_id == 0 {
            return Err(BadTransaction::AnyChain);
        }
        Ok(self)
    }
}

/// The fields of a list in RLP that are still to be read.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Opens the list that `bytes` are, all of them.
    fn of(mut bytes: &'a [u8]) -> Result<Self, BadTransaction> {
        let fields = Header::decode_bytes(&mut bytes, true).map_err(malformed)?;
        if bytes.is_empty() {
            Ok(Self(fields))
        } else {
            Err(BadTransaction::Malformed("there are bytes behind it"))
        }
    }

    fn number<N: Decodable>(&mut self) -> Result<N, BadTransaction> {
        N::decode(&mut self.0).map_err(malformed)
    }

    fn bytes(&mut self) -> Result<&'a [u8], BadTransaction> {
        Header::decode_bytes(&mut self.0, false).map_err(malformed)
    }

    fn list(&mut self) -> Result<&'a [u8], BadTransaction> {
        Header::decode_bytes(&mut self.0, true).map_err(malformed)
    }

    fn recipient(&mut self) -> Result<Option<ChainAddress>, BadTransaction> {
        match self.bytes()? {
            [] => Ok(None),
            address => ChainAddress::try_from(address)
                .map(Some)
                .map_err(|_| BadTransaction::Malformed("its recipient has not 20 bytes")),
        }
    }

    fn data_without_value(&mut self) -> Result<&'a [u8], BadTransaction> {
        if !self.bytes()?.is_empty() {
            return Err(BadTransaction::SendsValue);
        }
        self.bytes()
    }

    /// r and s: numbers of at most 32 bytes, not zero.
    fn signature_and_end(&mut self) -> Result<(), BadTransaction> {
        for _ in 0..2 {
            let part = self.bytes()?;
            if part.len() > 32 || part.first().is_none_or(|first| *first == 0) {
                return Err(BadTransaction::Malformed("its signature is none"));
            }
        }
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(BadTransaction::Malformed("it has too many fields"))
        }
    }
}

fn malformed(error: alloy_rlp::Error) -> BadTransaction {
    use alloy_rlp::Error as Rlp;
    BadTransaction::Malformed(match error {
        Rlp::InputTooShort => "it is cut off",
        Rlp::Overflow => "a number is too large",
        Rlp::UnexpectedList | Rlp::UnexpectedString => "a field is of another kind",
        _ => "a field is not in canonical form",
    })
}

#[cfg(test)]
pub(crate) mod tests;
