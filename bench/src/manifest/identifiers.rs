//! Reading identifiers.

use std::{fmt::Debug, hint::black_box, str::FromStr};

use deedbox_id::{
    AccountId, Address, Asset, ChainId, InteropAddress, StorageKey, TokenIdentifier, ToolReference,
};

use super::timing::{allocations, time};

pub(crate) fn measure() {
    println!("\n### Identifiers\n");
    println!("| what | text | ns | allocations |");
    println!("|---|---|---|---|");
    one::<Address>(
        "EIP-55 address",
        "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
    );
    one::<Address>(
        "lower-case address",
        "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
    );
    one::<InteropAddress>(
        "ERC-7930, EVM",
        "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045",
    );
    one::<InteropAddress>(
        "ERC-7930, Solana",
        "0x000100022045296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef02005333498d5aea4ae009585c43f7b8c30df8e70187d4a713d134f977fc8dfe0b5",
    );
    one::<TokenIdentifier>(
        "ERC-8127",
        "webdev.42@0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045",
    );
    one::<StorageKey>("ERC-8119, slash", "service/1");
    one::<StorageKey>("ERC-8119, brackets", "resource[chain][1][token][42]");
    one::<ChainId>("CAIP-2", "eip155:8453");
    one::<AccountId>(
        "CAIP-10",
        "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01",
    );
    one::<Asset>(
        "CAIP-19",
        "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    );
    one::<ToolReference>(
        "tool reference",
        "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/42",
    );
}

fn one<T: FromStr>(what: &str, text: &str)
where
    T::Err: Debug,
{
    let read = |text: &str| drop(black_box(text.parse::<T>()));
    println!(
        "| {what} | `{text}` | {:.0} | {} |",
        time(|| read(black_box(text))),
        allocations(|| read(text)),
    );
}
