use std::{fmt::Debug, str::FromStr};

use deedbox_id::{
    AccountId, Address, Alias, Asset, Base58Key, ChainId, Error, EvmChain, InteropAddress,
    LooseKey, PartialIdentifier, Registry, StorageKey, TokenIdentifier, ToolReference,
};

use crate::{REGISTRY, VITALIK, read};

fn is_a_string<T>(text: &str, bad: &str)
where
    T: FromStr<Err = Error>
        + Debug
        + PartialEq
        + serde_core::Serialize
        + serde_core::de::DeserializeOwned,
{
    let json = serde_json::to_string(text).unwrap();
    let value: T = serde_json::from_str(&json).unwrap();
    assert_eq!(value, read(text));
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    let error = serde_json::from_value::<T>(bad.into())
        .unwrap_err()
        .to_string();
    let reason = bad.parse::<T>().unwrap_err().to_string();
    assert!(error.contains(&reason), "{error}");
    assert!(
        serde_json::from_str::<T>("1")
            .unwrap_err()
            .to_string()
            .contains("a string with")
    );
}

#[test]
fn every_type_is_the_string_that_it_prints_in_serde() {
    let lower = VITALIK.to_lowercase();
    is_a_string::<Address>(&lower, "0x");
    is_a_string::<AccountId>(&format!("eip155:1:{VITALIK}"), "eip155:1");
    is_a_string::<Alias>("webdev", "-");
    is_a_string::<Asset>("eip155:1/slip44:60", "eip155:1");
    is_a_string::<Base58Key>("MJKqp326RZCHnAAbew9MDdui3iCKWco7fsK9sVuZTX2", "0");
    is_a_string::<ChainId>("eip155:1", "1");
    is_a_string::<EvmChain>("8453", "0");
    is_a_string::<InteropAddress>(REGISTRY, "0x0002");
    is_a_string::<LooseKey>("service: 1", "a b");
    is_a_string::<PartialIdentifier>("punk.2344", "a.b");
    is_a_string::<Registry>(REGISTRY, "0x00010000010100");
    is_a_string::<StorageKey>("service/1", "service: 1");
    is_a_string::<TokenIdentifier>(&format!("webdev.42@{REGISTRY}"), "webdev");
    is_a_string::<ToolReference>(&format!("eip155:8453/erc8257:{lower}/1"), "1");
}
