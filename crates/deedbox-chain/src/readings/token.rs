//! Tokens: EIP-20, read as strictly as it can be without shutting out the tokens that are in use.

use alloy_primitives::Address;

use super::{
    all,
    answer::{Amount, Erc20BalanceData, TokenMetadataData},
    contract::{decimals, is_contract, optional, required, text},
    interfaces::{Erc20, call},
};
use crate::{
    Code, ReadError,
    rpc::pinned::{Pinned, Wanted},
};

/// How much of a token somebody holds.
pub(super) async fn balance(
    holder: Address,
    token: Address,
    at: &impl Pinned,
) -> Result<Erc20BalanceData, ReadError> {
    let wanted = Wanted {
        codes: vec![token],
        calls: vec![
            call(token, &Erc20::balanceOfCall { owner: holder }),
            call(token, &Erc20::decimalsCall {}),
        ],
        ..Wanted::default()
    };
    let got = at.get(wanted).await?;
    let ([code], [held, places]) = (all(got.codes)?, all(got.calls)?);
    is_contract(&code, "token")?;
    Ok(Erc20BalanceData {
        raw_amount: Amount(required(&held, "balanceOf(address)")?),
        decimals: decimals(&places)?,
    })
}

/// What a token says of itself.
pub(super) async fn metadata(
    token: Address,
    at: &impl Pinned,
) -> Result<TokenMetadataData, ReadError> {
    let wanted = Wanted {
        codes: vec![token],
        calls: vec![
            call(token, &Erc20::nameCall {}),
            call(token, &Erc20::symbolCall {}),
            call(token, &Erc20::decimalsCall {}),
            call(token, &Erc20::totalSupplyCall {}),
        ],
        ..Wanted::default()
    };
    let got = at.get(wanted).await?;
    let ([code], [name, symbol, places, supply]) = (all(got.codes)?, all(got.calls)?);
    is_contract(&code, "token")?;
    let metadata = TokenMetadataData {
        name: text(&name, "name()")?,
        symbol: text(&symbol, "symbol()")?,
        decimals: decimals(&places)?,
        total_supply: optional(&supply, "totalSupply()")?.map(Amount),
    };
    let says_nothing = metadata.name.is_none()
        && metadata.symbol.is_none()
        && metadata.decimals.is_none()
        && metadata.total_supply.is_none();
    if says_nothing {
        return Err(ReadError::new(
            Code::InvalidResponse,
            "the contract does not look like a token: it answers none of name(), symbol(), decimals() and totalSupply()",
        ));
    }
    Ok(metadata)
}
