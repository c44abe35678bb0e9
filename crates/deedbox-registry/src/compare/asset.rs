//! What an amount of money is in (CAIP-19), and how many decimals that has.

use alloy_primitives::Address;
use deedbox_chain::look::Said;
use deedbox_id::caip::Asset;
use schemars::JsonSchema;
use serde::Serialize;

use crate::view;

/// `decimals()` of EIP-20.
pub(super) const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];
/// The most decimals that an amount is written with: those of the largest one.
const MOST_PLACES: u8 = 77;

/// An asset in the one spelling by which two are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Denomination(Asset);

impl Denomination {
    pub(super) fn of(asset: &Asset) -> Self {
        Self(asset.to_lower_case_hex())
    }

    /// The asset; none for a text that is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        text.parse().ok().map(|asset| Self::of(&asset))
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Its chain; none for one that is no EVM chain, or that no endpoint can be configured for.
    pub(super) fn chain_id(&self) -> Option<u64> {
        self.0.evm_chain().ok()?.to_u64()
    }

    /// The contract of an ERC-20 token on that chain.
    pub(super) fn token_on(&self, chain_id: u64) -> Option<Address> {
        let is_there = self.0.namespace() == "erc20" && self.chain_id() == Some(chain_id);
        let token = is_there.then(|| self.0.evm_contract().ok()).flatten();
        token.map(|token| Address::from(token.0))
    }

    /// What is known of its decimals without a contract. `native` says those of a chain's currency; none for chains that are not read.
    pub(super) fn without_asking(&self, native: impl Fn(u64) -> Option<u8>) -> Option<Decimals> {
        let unknown = |why| Some(Decimals::Unknown { why });
        let Some(id) = self.chain_id() else {
            return unknown(NoDecimals::ChainNotRead);
        };
        let Some(decimals) = native(id) else {
            return unknown(NoDecimals::ChainNotRead);
        };
        match self.0.namespace() {
            "slip44" => Some(Decimals::Known {
                decimals,
                source: DecimalsSource::Configuration,
            }),
            "erc20" if self.token_on(id).is_some() => None,
            _ => unknown(NoDecimals::NotMoney),
        }
    }
}

/// How many decimals an asset has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Decimals {
    /// So many.
    Known {
        /// How many, 0 to 255.
        decimals: u8,
        /// Who says so.
        source: DecimalsSource,
    },
    /// Nobody says. The amount in the smallest unit is all that is known.
    Unknown {
        /// Why.
        why: NoDecimals,
    },
}

/// Who says how many decimals an asset has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecimalsSource {
    /// The token's own contract, at the chain's block.
    Contract,
    /// The configuration of the chain, for its currency: no chain says that itself.
    Configuration,
}

/// Why an asset's decimals are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoDecimals {
    /// Its chain is none of those that are read here: a manifest alone makes nobody read one.
    ChainNotRead,
    /// There is no contract at the token's address.
    NoContract,
    /// The contract has no `decimals()`, or says no `uint8`.
    NotSaid,
    /// It is no token and no chain's currency, as far as its name tells.
    NotMoney,
    /// The asset is no CAIP-19 text.
    NotAnAsset,
}

impl Decimals {
    /// What a token's contract said.
    pub(super) fn said(has_no_code: bool, said: &Said) -> Self {
        if has_no_code {
            return Self::Unknown {
                why: NoDecimals::NoContract,
            };
        }
        let number = view::number(Some(said)).ok();
        match number.and_then(|number| u8::try_from(number).ok()) {
            Some(decimals) => Self::Known {
                decimals,
                source: DecimalsSource::Contract,
            },
            None => Self::Unknown {
                why: NoDecimals::NotSaid,
            },
        }
    }

    /// An amount of the smallest unit in whole units, without zeros at its end. None where the decimals are not known, or more than the
    /// largest amount has digits.
    pub(super) fn in_units(self, digits: &str) -> Option<String> {
        let Self::Known { decimals, .. } = self else {
            return None;
        };
        if decimals > MOST_PLACES {
            return None;
        }
        let places = usize::from(decimals);
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        let fraction = fraction.trim_end_matches('0');
        Some(if fraction.is_empty() {
            whole.to_owned()
        } else {
            format!("{whole}.{fraction}")
        })
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Bytes, U256};

    use super::*;

    #[test]
    fn an_amount_is_written_in_whole_units() {
        let known = |decimals| Decimals::Known {
            decimals,
            source: DecimalsSource::Contract,
        };
        for (decimals, digits, expected) in [
            (6, "50000", "0.05"),
            (6, "1000000", "1"),
            (6, "0", "0"),
            (18, "1", "0.000000000000000001"),
            (18, "1500000000000000000", "1.5"),
            (0, "7", "7"),
            (2, "12345", "123.45"),
        ] {
            let written = known(decimals).in_units(digits);
            assert_eq!(
                written.as_deref(),
                Some(expected),
                "{digits} / 10^{decimals}"
            );
        }
        let largest = U256::MAX.to_string();
        assert!(known(77).in_units(&largest).unwrap().starts_with("1.15792"));
        assert_eq!(known(78).in_units("1"), None);
        let unknown = Decimals::Unknown {
            why: NoDecimals::NotSaid,
        };
        assert_eq!(unknown.in_units("1"), None);
    }

    #[test]
    fn decimals_that_are_not_said_are_not_zero() {
        let word = |number: u64| Said::Returned(U256::from(number).to_be_bytes_vec().into());
        let why = |said: &Said, no_code| match Decimals::said(no_code, said) {
            Decimals::Unknown { why } => Some(why),
            Decimals::Known { .. } => None,
        };
        assert_eq!(why(&word(6), false), None);
        assert_eq!(why(&word(256), false), Some(NoDecimals::NotSaid));
        assert_eq!(
            why(&Said::Returned(Bytes::new()), false),
            Some(NoDecimals::NotSaid)
        );
        assert_eq!(
            why(&Said::Reverted(Bytes::new()), false),
            Some(NoDecimals::NotSaid)
        );
        assert_eq!(why(&word(0), true), Some(NoDecimals::NoContract));
    }

    #[test]
    fn an_asset_has_one_spelling_and_only_chains_that_are_read_are_asked() {
        let token = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
        let asset = Denomination::read(token).unwrap();
        assert_eq!(
            Some(asset.clone()),
            Denomination::read(&token.to_lowercase())
        );
        assert_eq!(asset.as_str(), token.to_lowercase());
        assert!(asset.token_on(8453).is_some() && asset.token_on(1).is_none());
        let on_base = |id| (id == 8453).then_some(18);
        assert_eq!(asset.without_asking(on_base), None);
        let of = |text: &str| Denomination::read(text).unwrap().without_asking(on_base);
        let unknown = |why| Some(Decimals::Unknown { why });
        assert_eq!(
            of("eip155:8453/slip44:60"),
            Some(Decimals::Known {
                decimals: 18,
                source: DecimalsSource::Configuration
            })
        );
        assert_eq!(of("eip155:1/slip44:60"), unknown(NoDecimals::ChainNotRead));
        assert_eq!(
            of(&token.replace("8453", "1")),
            unknown(NoDecimals::ChainNotRead)
        );
        let solana = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
        assert_eq!(of(solana), unknown(NoDecimals::ChainNotRead));
        assert_eq!(
            of(&token.replace("erc20", "erc721")),
            unknown(NoDecimals::NotMoney)
        );
        assert_eq!(Denomination::read("dollars"), None);
    }
}
