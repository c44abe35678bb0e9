//! What holds of every input: reading never panics, and what is read prints as the one spelling that reads back.
#![expect(clippy::unwrap_used, reason = "a test's helper may end it")]

use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

use deedbox_id::{
    AccountId, Address, Alias, Asset, Base58Key, ChainId, ChainType, Checksum, Error, EvmChain,
    InteropAddress, LooseKey, PartialIdentifier, Registry, StorageKey, TokenIdentifier,
    ToolReference, U256, decimal,
};
use proptest::prelude::*;

/// Reads; what is read prints as something that reads back the same, and prints the same again.
fn settles<T: FromStr<Err = Error> + Display + Debug + Eq>(text: &str) -> Option<String> {
    match text.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            let again: T = printed.parse().unwrap();
            assert_eq!(again, value, "{text:?}");
            assert_eq!(again.to_string(), printed, "{text:?}");
            Some(printed)
        }
        Err(error) => {
            assert!(error.at() <= text.len(), "{text:?}: {error}");
            assert!(text.is_char_boundary(error.at()), "{text:?}: {error}");
            None
        }
    }
}

fn all(text: &str) {
    settles::<AccountId>(text);
    settles::<Address>(text);
    settles::<Alias>(text);
    settles::<Asset>(text);
    settles::<Base58Key>(text);
    settles::<ChainId>(text);
    settles::<EvmChain>(text);
    settles::<InteropAddress>(text);
    settles::<LooseKey>(text);
    settles::<PartialIdentifier>(text);
    settles::<Registry>(text);
    settles::<StorageKey>(text);
    settles::<TokenIdentifier>(text);
    settles::<ToolReference>(text);
}

fn parts() -> impl Strategy<Value = (u16, Vec<u8>, Vec<u8>)> {
    let short = || proptest::collection::vec(any::<u8>(), 0..40);
    let exact = |length| proptest::collection::vec(any::<u8>(), length);
    prop_oneof![
        (any::<u16>(), short(), short()),
        (
            Just(0),
            proptest::collection::vec(any::<u8>(), 0..34),
            exact(20)
        ),
        (Just(2), exact(32), exact(32)),
        (any::<u16>(), exact(255), exact(255)),
    ]
}

fn number() -> impl Strategy<Value = U256> {
    (any::<[u8; 32]>(), 0_usize..256).prop_map(|(bytes, by)| U256::from_be_bytes(bytes) >> by)
}

fn address() -> impl Strategy<Value = Address> {
    any::<[u8; 20]>().prop_map(Address)
}

fn chain() -> impl Strategy<Value = EvmChain> {
    (1..=u64::MAX, 0_u32..64).prop_map(|(id, by)| EvmChain::try_from((id >> by).max(1)).unwrap())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_within_it(text in any::<String>()) {
        all(&text);
    }

    /// Texts that get further than random ones: pieces of identifiers in any order.
    #[test]
    fn any_mixture_of_pieces_is_read_or_refused_within_it(
        pieces in proptest::collection::vec(prop_oneof![
            Just("0x"), Just("0001"), Just("0000"), Just("0101"), Just("14"), Just("00"), Just("2105"),
            Just("d8da6bf26964af9d7eed9e03e53415d37aa96045"), Just("d8dA6BF26964aF9D7eEd9e03E53415D37aA96045"),
            Just("eip155:"), Just("solana:"), Just("1"), Just("8453"), Just("/"), Just("erc8257:"),
            Just("erc721:"), Just(":"), Just("["), Just("]"), Just("]["), Just(" "), Just("webdev"),
            Just("."), Just("@"), Just("-"), Just("é"), Just("42"), Just("%"), Just("_"), Just("A"),
        ], 0..14),
    ) {
        all(&pieces.concat());
    }

    #[test]
    fn any_bytes_are_an_address_that_prints_or_are_refused_within_them(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..80),
        known in any::<bool>(),
    ) {
        if known && bytes.len() > 4 {
            bytes[..4].copy_from_slice(&[0, 1, 0, 0]);
        }
        match InteropAddress::from_bytes(&bytes) {
            Ok(address) => {
                prop_assert_eq!(address.as_bytes(), &bytes[..]);
                prop_assert_eq!(address.to_string().parse::<InteropAddress>().unwrap(), address);
            }
            Err(error) => prop_assert!(error.at() <= bytes.len()),
        }
        if let Ok(text) = str::from_utf8(&bytes) {
            prop_assert_eq!(StorageKey::from_bytes(&bytes), text.parse());
            prop_assert_eq!(LooseKey::from_bytes(&bytes), text.parse());
        } else {
            prop_assert!(StorageKey::from_bytes(&bytes).is_err());
            prop_assert!(LooseKey::from_bytes(&bytes).is_err());
        }
    }

    #[test]
    fn interoperable_addresses_are_built_read_and_printed_alike((kind, reference, address) in parts()) {
        let Ok(built) = InteropAddress::new(ChainType(kind), &reference, &address) else {
            return Ok(());
        };
        prop_assert_eq!(built.chain_type(), ChainType(kind));
        prop_assert_eq!(built.chain_reference(), &reference[..]);
        prop_assert_eq!(built.address(), &address[..]);
        let upper = built.to_string().to_uppercase().replacen("0X", "0x", 1);
        prop_assert_eq!(&InteropAddress::from_hex_of_any_case(&upper).unwrap(), &built);
        prop_assert_eq!(InteropAddress::from_bytes(&built.to_bytes()).unwrap(), built);
    }

    /// No change of one byte leaves an address the same: each has one encoding.
    #[test]
    fn another_byte_is_another_address_or_none(
        chain in chain(), address in address(), at in 0_usize..27, change in 1..=255_u8,
    ) {
        let built = InteropAddress::evm(chain, address);
        let mut bytes = built.to_bytes();
        let at = at % bytes.len();
        bytes[at] ^= change;
        if let Ok(other) = InteropAddress::from_bytes(&bytes) {
            prop_assert_ne!(
                (other.chain_type(), other.evm_chain(), other.evm_address()),
                (built.chain_type(), built.evm_chain(), built.evm_address())
            );
        }
    }

    #[test]
    fn numbers_print_and_read_alike(value in number()) {
        prop_assert_eq!(decimal::parse(&value.to_string()).unwrap(), value);
    }

    #[test]
    fn keys_of_32_bytes_print_and_read_alike(bytes in any::<[u8; 32]>(), zeros in 0_usize..=32) {
        let mut bytes = bytes;
        bytes[..zeros].fill(0);
        prop_assert_eq!(Base58Key(bytes).to_string().parse::<Base58Key>().unwrap(), Base58Key(bytes));
    }

    #[test]
    fn addresses_print_and_read_alike_in_every_spelling(address in address(), chain in chain()) {
        prop_assert_eq!(address.to_string().parse::<Address>().unwrap(), address);
        for checksum in [Checksum::Eip55, Checksum::Eip1191(chain)] {
            prop_assert_eq!(Address::parse(&address.to_checksummed(checksum), checksum).unwrap(), address);
        }
    }

    #[test]
    fn token_identifiers_print_and_read_alike(
        alias in proptest::option::of("[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"),
        id in number(), chain in chain(), address in address(),
    ) {
        let token = TokenIdentifier::new(id, Registry::evm(chain, address));
        let token = token.with_alias(alias.as_deref().map(|alias| alias.parse::<Alias>().unwrap()));
        let read: TokenIdentifier = token.to_string().parse().unwrap();
        prop_assert_eq!(&read, &token);
        prop_assert_eq!(read.alias(), token.alias());
        prop_assert_eq!(token.to_string(), token.to_string().to_lowercase());
        prop_assert_eq!(read.to_string().parse::<PartialIdentifier>().unwrap(), token.into());
    }

    #[test]
    fn tool_references_print_and_read_alike(chain in chain(), registry in address(), id in number()) {
        let tool = ToolReference::new(chain, registry, id).unwrap();
        prop_assert_eq!(tool.to_string().parse::<ToolReference>().unwrap(), tool);
        prop_assert_eq!(ToolReference::try_from(&tool.to_asset()).unwrap(), tool);
        prop_assert_eq!(tool.to_asset().evm_contract().unwrap(), registry);
    }

    #[test]
    fn accounts_convert_to_interoperable_addresses_and_back(chain in chain(), address in address()) {
        let interop = InteropAddress::evm(chain, address);
        let account = interop.to_account_id().unwrap();
        prop_assert_eq!(&InteropAddress::try_from(&account).unwrap(), &interop);
        prop_assert_eq!(InteropAddress::try_from(&account.to_lower_case_hex()).unwrap(), interop);
    }

    #[test]
    fn storage_keys_are_what_was_put_into_them(
        label in "[!-.0-9;-Z\\\\-~]{1,12}",
        parameters in proptest::collection::vec("[^\\]]{1,8}", 1..4),
    ) {
        let texts = || parameters.iter().map(String::as_str);
        let key = StorageKey::bracket(&label, texts()).unwrap();
        prop_assert_eq!(key.label(), &label);
        prop_assert!(key.parameters().eq(texts()));
        prop_assert_eq!(&key.as_str().parse::<StorageKey>().unwrap(), &key);
        if let Ok(slash) = StorageKey::slash(&label, &parameters[0]) {
            let colon = StorageKey::colon(&label, &parameters[0]).unwrap();
            prop_assert_ne!(&slash, &colon);
            prop_assert!(slash.same_label_and_parameters(&colon));
            prop_assert_eq!(slash.same_label_and_parameters(&key), parameters.len() == 1);
        }
    }

    /// Strict reading takes nothing that loose reading calls odd, but for empty parameters.
    #[test]
    fn loose_reading_agrees_with_strict_reading(text in "[a/:\\[\\] é]{0,9}") {
        match (text.parse::<StorageKey>(), text.parse::<LooseKey>()) {
            (Ok(strict), Ok(loose)) => {
                prop_assert!(loose.same_label_and_parameters(&strict));
                let from = LooseKey::from(strict);
                prop_assert_eq!(from.oddities(), loose.oddities());
            }
            (Err(_), Ok(loose)) => prop_assert!(!loose.oddities().is_empty()),
            (Ok(_), Err(error)) => prop_assert!(false, "{}", error),
            (Err(strict), Err(loose)) => prop_assert!(loose.at() >= strict.at() || loose == strict),
        }
    }
}
