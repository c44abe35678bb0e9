//! Names and addresses.

use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

use deedbox_id::{
    AccountId, Address, Alias, Asset, Base58Key, ChainId, Error, EvmChain, InteropAddress,
    LooseKey, PartialIdentifier, Registry, StorageKey, TokenIdentifier, TokenStandard,
    ToolReference,
};

/// Reads a text; what is read must print as something that reads back equal and prints the same again.
fn settle<T: FromStr<Err = Error> + Display + Debug + Eq>(text: &str) -> Option<T> {
    match text.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            match printed.parse::<T>() {
                Ok(again) => {
                    assert_eq!(again, value);
                    assert_eq!(again.to_string(), printed);
                }
                Err(error) => panic!("{printed:?} was printed and is not read: {error}"),
            }
            Some(value)
        }
        Err(error) => {
            points_into(&error, text);
            None
        }
    }
}

fn points_into(error: &Error, text: &str) {
    assert!(text.is_char_boundary(error.at()), "{text:?}: {error}");
    assert!(!error.to_string().is_empty());
}

/// ERC-7930, from bytes and from text.
pub fn interop_address(data: &[u8]) {
    match InteropAddress::from_bytes(data) {
        Ok(address) => {
            assert_eq!(address.as_bytes(), data);
            let (kind, reference) = (address.chain_type(), address.chain_reference());
            let built = InteropAddress::new(kind, reference, address.address());
            assert_eq!(built.as_ref(), Ok(&address));
            assert_eq!(address.to_string().parse().as_ref(), Ok(&address));
            converts(&address);
        }
        Err(error) => assert!(error.at() <= data.len(), "{error}"),
    }
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    settle::<Base58Key>(text);
    match InteropAddress::from_hex_of_any_case(text) {
        Ok(address) => {
            assert_eq!(address.to_string(), text.to_ascii_lowercase());
            if settle::<InteropAddress>(text).is_some() {
                assert_eq!(address.to_string(), text);
            }
        }
        Err(error) => {
            points_into(&error, text);
            assert!(settle::<InteropAddress>(text).is_none());
        }
    }
}

/// What CAIP-2 and CAIP-10 hold of an address must lead back to it, if it leads anywhere.
fn converts(address: &InteropAddress) {
    if let Ok(account) = address.to_account_id()
        && let Ok(back) = InteropAddress::try_from(&account)
    {
        assert_eq!(&back, address);
    }
    if let Ok(chain) = address.to_chain_id()
        && let Ok(back) = InteropAddress::try_from(&chain)
    {
        assert_eq!(back.chain_reference(), address.chain_reference());
    }
}

/// ERC-8127, every form.
pub fn token_identifier(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    settle::<Alias>(text);
    settle::<Registry>(text);
    let partial = settle::<PartialIdentifier>(text);
    let Some(token) = settle::<TokenIdentifier>(text) else {
        assert!(!matches!(partial, Some(PartialIdentifier::Full(_))));
        return;
    };
    assert_eq!(partial, Some(PartialIdentifier::Full(token.clone())));
    let printed = token.to_string();
    assert_eq!(printed, text.to_ascii_lowercase());
    assert_eq!(token.clone().with_alias(None), token);
    if let Ok(asset) = token.to_asset(TokenStandard::Erc721) {
        assert_eq!(TokenIdentifier::try_from(&asset), Ok(token));
    }
}

/// ERC-8119, strict and loose.
pub fn storage_key(data: &[u8]) {
    let strict = StorageKey::from_bytes(data);
    let loose = LooseKey::from_bytes(data);
    let Ok(text) = str::from_utf8(data) else {
        assert!(strict.is_err() && loose.is_err());
        return;
    };
    settle::<StorageKey>(text);
    settle::<LooseKey>(text);
    match (strict, loose) {
        (Ok(strict), Ok(loose)) => {
            assert_eq!(strict.as_str(), text);
            assert!(loose.same_label_and_parameters(&strict));
            assert_eq!(LooseKey::from(strict.clone()).oddities(), loose.oddities());
            if let Ok(built) = StorageKey::bracket(strict.label(), strict.parameters()) {
                assert!(built.same_label_and_parameters(&strict));
            }
        }
        (Err(error), Ok(loose)) => {
            points_into(&error, text);
            assert!(!loose.oddities().is_empty());
        }
        (Err(error), Err(_)) => points_into(&error, text),
        (Ok(key), Err(error)) => panic!("{key} is read strictly and not loosely: {error}"),
    }
}

/// CAIP-2, CAIP-10, CAIP-19, tool references, and the addresses in them.
pub fn caip(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    settle::<Address>(text);
    settle::<EvmChain>(text);
    if let Some(chain) = settle::<ChainId>(text)
        && let Ok(number) = chain.evm_chain()
    {
        assert_eq!(ChainId::try_from(number), Ok(chain));
    }
    if let Some(account) = settle::<AccountId>(text) {
        if let Ok(address) = InteropAddress::try_from(&account) {
            converts(&address);
        }
        let lower = account.to_lower_case_hex();
        assert_eq!(lower.to_lower_case_hex(), lower);
        settle::<AccountId>(lower.as_str());
    }
    let tool = settle::<ToolReference>(text);
    let Some(asset) = settle::<Asset>(text) else {
        assert_eq!(tool, None);
        return;
    };
    assert_eq!(ToolReference::try_from(&asset).ok(), tool);
    if let Some(tool) = tool {
        assert_eq!(tool.to_asset(), asset.to_lower_case_hex());
    }
    settle::<Asset>(asset.to_type().as_str());
    settle::<Asset>(asset.to_lower_case_hex().as_str());
    if let Ok(token) = TokenIdentifier::try_from(&asset) {
        assert!(tool.is_none());
        let back = token.to_asset(TokenStandard::Erc1155);
        assert!(back.is_ok_and(|back| TokenIdentifier::try_from(&back) == Ok(token)));
    }
}
