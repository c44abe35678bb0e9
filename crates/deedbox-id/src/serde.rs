//! Every type as the string that it prints.

use std::{fmt, marker::PhantomData, str::FromStr};

use serde_core::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    AccountId, Address, Alias, Asset, Base58Key, ChainId, Error, EvmChain, InteropAddress,
    LooseKey, PartialIdentifier, Registry, StorageKey, TokenIdentifier, ToolReference,
};

struct Text<T>(PhantomData<T>, &'static str);

impl<T: FromStr<Err = Error>> de::Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

macro_rules! as_text {
    ($($type:ty: $name:literal),* $(,)?) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text(PhantomData, concat!("a string with ", $name)))
            }
        }
    )*};
}

as_text! {
    AccountId: "a CAIP-10 account",
    Address: "an EVM address",
    Alias: "a token's alias",
    Asset: "a CAIP-19 asset",
    Base58Key: "32 bytes in base58",
    ChainId: "a CAIP-2 chain",
    EvmChain: "an EVM chain id in decimal",
    InteropAddress: "an ERC-7930 address in hex",
    LooseKey: "an ERC-8119 storage key",
    PartialIdentifier: "an ERC-8127 identifier, full or partial",
    Registry: "the ERC-7930 address of a registry in hex",
    StorageKey: "an ERC-8119 storage key",
    TokenIdentifier: "an ERC-8127 token identifier",
    ToolReference: "an ERC-8257 tool reference",
}
