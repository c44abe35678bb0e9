//! ERC-7930 interoperable addresses, version 1: an address, a chain, or an address on a chain, in bytes.
//!
//! The bytes *are* the value here: a parsed address keeps them as they came, compares by them, and hands them out
//! again unchanged. That is safe because only canonical bytes are taken: the ERC itself warns that addresses used
//! as keys need that, and leaves it to the CAIP-350 profile of each kind of chain. Two profiles are understood.
//!
//! * `eip155` (chain type 0): the chain reference is the chain id, big-endian, without leading zero bytes; the
//!   address has 20 bytes. The format would carry references of up to 255 bytes, but an EIP-155 chain id is a
//!   uint256, so more than 32 bytes are refused, with that reason.
//! * `solana` (chain type 2): a genesis hash and a public key, 32 bytes each.
//!
//! Addresses with any other chain type are carried along whole: the frame is checked, what it holds is not.

mod read;

use std::{fmt, str::FromStr};

use smallvec::SmallVec;

use crate::{
    Address, Base58Key, EvmChain, U256,
    error::{Error, code},
    hex::{self, Case},
};

/// The longest version 1 address: six bytes of frame and twice 255.
pub const MOST_BYTES: usize = 6 + 2 * 255;

/// Room for everything that two 32-byte parts need, so that the usual addresses stay out of the heap.
type Bytes = SmallVec<[u8; 72]>;

/// The kind of a chain: a CASA namespace as two bytes (ERC-7930, *ChainType*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainType(pub u16);

impl ChainType {
    /// EVM chains.
    pub const EIP155: Self = Self(0x0000);
    /// Bitcoin and its kin. Named, but its addresses are not looked into.
    pub const BIP122: Self = Self(0x0001);
    /// Solana.
    pub const SOLANA: Self = Self(0x0002);
    /// Starknet. Named, but its addresses are not looked into.
    pub const STARKNET: Self = Self(0x0003);

    /// The CAIP-2 namespace with this number, as far as CAIP-350 profiles have been published.
    #[must_use]
    pub fn namespace(self) -> Option<&'static str> {
        match self {
            Self::EIP155 => Some("eip155"),
            Self::BIP122 => Some("bip122"),
            Self::SOLANA => Some("solana"),
            Self::STARKNET => Some("starknet"),
            _ => None,
        }
    }
}

impl fmt::Display for ChainType {
    /// The namespace, or the number as `0x` and four digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace() {
            Some(name) => f.pad(name),
            None => write!(f, "{:#06x}", self.0),
        }
    }
}

/// Which of its two parts an interoperable address has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// An address on one chain.
    AddressOnChain,
    /// A chain (the ERC's *Chain Identifier*).
    Chain,
    /// An address on any chain of its kind.
    Address,
}

/// An ERC-7930 interoperable address, version 1, in canonical form.
///
/// Prints as lower-case hex with `0x`. Equality, order and hash are those of its bytes.
///
/// ```
/// use deedbox_id::{InteropAddress, EvmChain};
/// let text = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
/// let address: InteropAddress = text.parse()?;
/// assert_eq!(address.evm_chain(), Some(EvmChain::MAINNET));
/// assert_eq!(address.to_string(), text);
/// # Ok::<(), deedbox_id::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InteropAddress {
    bytes: Bytes,
}

impl InteropAddress {
    /// Reads the binary form, all of it.
    ///
    /// # Errors
    /// [`VERSION_INCOMPATIBLE`](code::VERSION_INCOMPATIBLE) when the version's top bit is set, before anything
    /// else is looked at; [`VERSION_UNSUPPORTED`](code::VERSION_UNSUPPORTED) for any other version but 1;
    /// [`TRUNCATED`](code::TRUNCATED), [`TRAILING_BYTES`](code::TRAILING_BYTES) and
    /// [`NOTHING_NAMED`](code::NOTHING_NAMED) for a broken frame; [`REFERENCE_LENGTH`](code::REFERENCE_LENGTH),
    /// [`LEADING_ZERO`](code::LEADING_ZERO) and [`ADDRESS_LENGTH`](code::ADDRESS_LENGTH) for what the profile of
    /// the chain type refuses. [`Error::at`] counts bytes of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        read::check(bytes)?;
        Ok(Self {
            bytes: Bytes::from_slice(bytes),
        })
    }

    /// Reads hex in either case. For what people paste; where the standard pins the spelling, as ERC-8127 does,
    /// use [`FromStr`], which takes lower case only.
    ///
    /// # Errors
    /// Those of [`InteropAddress::from_bytes`], and [`HEX_PREFIX`](code::HEX_PREFIX),
    /// [`CHARACTER`](code::CHARACTER) and [`HEX_ODD`](code::HEX_ODD). [`Error::at`] counts bytes of the text.
    pub fn from_hex_of_any_case(text: &str) -> Result<Self, Error> {
        Self::read(text, Case::Any)
    }

    fn read(text: &str, case: Case) -> Result<Self, Error> {
        let mut bytes = Bytes::new();
        hex::read(text, case, MOST_BYTES, &mut bytes)?;
        read::check(&bytes).map_err(|error| {
            let at = error.at();
            error.shifted(2 + at)
        })?;
        Ok(Self { bytes })
    }

    /// Puts an address together. An empty `reference` names no chain, an empty `address` a chain alone.
    ///
    /// # Errors
    /// As for [`InteropAddress::from_bytes`], with [`Error::at`] counting bytes of what would have been built;
    /// also when a part is longer than the 255 bytes that its length byte can say.
    pub fn new(kind: ChainType, reference: &[u8], address: &[u8]) -> Result<Self, Error> {
        let length = |part: &[u8], at, code, name| {
            u8::try_from(part.len()).map_err(|_| {
                let message = format!(
                    "found {} bytes of {name}, the format holds at most 255",
                    part.len()
                );
                Error::new(at, code, message)
            })
        };
        let reference_length = length(reference, 4, code::REFERENCE_LENGTH, "chain reference")?;
        let address_length = length(
            address,
            5 + reference.len(),
            code::ADDRESS_LENGTH,
            "address",
        )?;
        let built = Self::frame(
            kind,
            (reference_length, reference),
            (address_length, address),
        );
        read::check(&built.bytes)?;
        Ok(built)
    }

    fn frame(kind: ChainType, reference: (u8, &[u8]), address: (u8, &[u8])) -> Self {
        let mut bytes = Bytes::new();
        bytes.extend_from_slice(&[0, 1]);
        bytes.extend_from_slice(&kind.0.to_be_bytes());
        for (length, part) in [reference, address] {
            bytes.push(length);
            bytes.extend_from_slice(part);
        }
        Self { bytes }
    }

    /// An address on an EVM chain.
    #[must_use]
    pub fn evm(chain: EvmChain, address: Address) -> Self {
        let (length, id) = minimal(chain);
        let start = 32 - usize::from(length);
        Self::frame(ChainType::EIP155, (length, &id[start..]), (20, &address.0))
    }

    /// An EVM chain.
    #[must_use]
    pub fn evm_chain_only(chain: EvmChain) -> Self {
        let (length, id) = minimal(chain);
        let start = 32 - usize::from(length);
        Self::frame(ChainType::EIP155, (length, &id[start..]), (0, &[]))
    }

    /// An address on whatever EVM chain.
    #[must_use]
    pub fn evm_address_only(address: Address) -> Self {
        Self::frame(ChainType::EIP155, (0, &[]), (20, &address.0))
    }

    /// An account on the Solana chain with a genesis hash.
    #[must_use]
    pub fn solana(genesis: Base58Key, account: Base58Key) -> Self {
        Self::frame(ChainType::SOLANA, (32, &genesis.0), (32, &account.0))
    }

    /// The Solana chain with a genesis hash.
    #[must_use]
    pub fn solana_chain_only(genesis: Base58Key) -> Self {
        Self::frame(ChainType::SOLANA, (32, &genesis.0), (0, &[]))
    }

    /// The binary form.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The binary form, owned.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes.to_vec()
    }

    /// The kind of chain.
    #[must_use]
    pub fn chain_type(&self) -> ChainType {
        ChainType(u16::from_be_bytes([self.bytes[2], self.bytes[3]]))
    }

    fn reference_end(&self) -> usize {
        5 + usize::from(self.bytes[4])
    }

    /// The chain reference in the encoding of its profile; empty when no chain is named.
    #[must_use]
    pub fn chain_reference(&self) -> &[u8] {
        &self.bytes[5..self.reference_end()]
    }

    /// The address in the encoding of its profile; empty for a chain alone.
    #[must_use]
    pub fn address(&self) -> &[u8] {
        &self.bytes[self.reference_end() + 1..]
    }

    /// Which of the two parts are there.
    #[must_use]
    pub fn reach(&self) -> Reach {
        match (self.chain_reference(), self.address()) {
            ([], _) => Reach::Address,
            (_, []) => Reach::Chain,
            _ => Reach::AddressOnChain,
        }
    }

    /// The EVM chain, if one is named.
    #[must_use]
    pub fn evm_chain(&self) -> Option<EvmChain> {
        let reference = self.part_of(ChainType::EIP155, self.chain_reference())?;
        EvmChain::new(U256::try_from_be_slice(reference)?).ok()
    }

    /// The EVM address, if there is one.
    #[must_use]
    pub fn evm_address(&self) -> Option<Address> {
        let address = self.part_of(ChainType::EIP155, self.address())?;
        address.try_into().ok().map(Address)
    }

    /// The genesis hash of the Solana chain, if one is named.
    #[must_use]
    pub fn solana_chain(&self) -> Option<Base58Key> {
        let reference = self.part_of(ChainType::SOLANA, self.chain_reference())?;
        reference.try_into().ok().map(Base58Key)
    }

    /// The Solana account, if there is one.
    #[must_use]
    pub fn solana_address(&self) -> Option<Base58Key> {
        let address = self.part_of(ChainType::SOLANA, self.address())?;
        address.try_into().ok().map(Base58Key)
    }

    fn part_of<'a>(&self, kind: ChainType, part: &'a [u8]) -> Option<&'a [u8]> {
        (self.chain_type() == kind && !part.is_empty()).then_some(part)
    }
}

/// A chain id as 32 bytes, and how many of the last ones say it.
fn minimal(chain: EvmChain) -> (u8, [u8; 32]) {
    let id: [u8; 32] = chain.get().to_be_bytes();
    let zeros = id.iter().take_while(|byte| **byte == 0).count();
    // At most 32, so that it always fits.
    (u8::try_from(32 - zeros).unwrap_or(32), id)
}

impl TryFrom<&[u8]> for InteropAddress {
    type Error = Error;
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }
}

impl AsRef<[u8]> for InteropAddress {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Display for InteropAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(f, &self.bytes)
    }
}

impl fmt::Debug for InteropAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InteropAddress({self})")
    }
}

impl FromStr for InteropAddress {
    type Err = Error;

    /// Reads `0x` and lower-case hex.
    ///
    /// # Errors
    /// Those of [`InteropAddress::from_hex_of_any_case`], and [`HEX_CASE`](code::HEX_CASE).
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::read(text, Case::Lower)
    }
}
