//! Contracts that are at the same address on several chains, and that many use.

use alloy_primitives::{Address, address};
use deedbox_core::Standard;
use serde::Serialize;

/// A public registry, by a name that is easier to type than its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Preset {
    /// What it is called here.
    pub name: &'static str,
    /// What it holds.
    pub standard: Standard,
    /// Its address, the same on every one of its chains.
    pub address: Address,
    /// On which chains it stands, by their ids (EIP-155).
    pub chains: &'static [u64],
    /// Predicates that its tools share: what each asks for, and its address.
    pub predicates: &'static [(&'static str, Address)],
}

/// Those that are known here. To be listed is no recommendation: what stands at the address is looked at before it is followed.
pub const PRESETS: [Preset; 1] = [Preset {
    name: "public-tools",
    standard: Standard::Erc8257,
    address: address!("265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1"),
    chains: &[1, 8453, 360, 2741, 143, 4663],
    predicates: &[
        (
            "owner of an ERC-721 token",
            address!("c8721c9A776958FfFfEb602DA1b708bf1D318379"),
        ),
        (
            "owner of an ERC-1155 token",
            address!("77373Dc3c1AE9A1e937eF3e5E08F4807D47c7c11"),
        ),
        (
            "subscription (ERC-5643)",
            address!("CBe0cd9B1d99d95Baa9c58f2767246C52e461f25"),
        ),
        (
            "trait of a token",
            address!("10abF07CfA34Bf22372C57f27e8bd9C2DCF93fA1"),
        ),
        (
            "balance of an ERC-20 token",
            address!("1a834FC48B5f6e119c62C12a98b32137bCFA77cD"),
        ),
    ],
}];

impl Preset {
    /// The preset of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}
