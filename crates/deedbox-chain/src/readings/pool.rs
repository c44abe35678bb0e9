//! Pools: two reserves where there are two reserves, and an error with the reason everywhere else.

mod form;

use alloy_primitives::{Address, B256, U256};

use self::form::{Answers, Depth, Form, Formless, Price, Reason, Strange};
use super::{
    Shown, all,
    answer::{Amount, Balances, BalancesNote, PoolReservesData},
    contract::{Kind, is_contract, required},
    interfaces::{Erc20, Pool, call},
};
use crate::{
    Code, ReadError,
    rpc::pinned::{Pinned, Said, Wanted},
};

/// What a pool holds, by its form.
///
/// Whether its tokens are contracts is not looked at for a pair: a pool names what it wants, and whoever wants to know what
/// a token is reads the token.
pub(super) async fn reserves(
    pool: Address,
    shown: Shown,
    at: &impl Pinned,
) -> Result<PoolReservesData, ReadError> {
    let got = at.get(questions(pool)).await?;
    let [code] = all(got.codes)?;
    is_contract(&code, "pool")?;
    match Form::of(&answers(all(got.calls)?, all(got.probes)?)) {
        Ok(Form::V2(pair)) => {
            let (token0, token1) = pair.tokens;
            Ok(PoolReservesData::UniswapV2 {
                token0: shown.address(token0),
                token1: shown.address(token1),
                reserve0: Amount(pair.reserve0),
                reserve1: Amount(pair.reserve1),
                block_timestamp_last: pair.block_timestamp_last,
            })
        }
        Ok(Form::V3(price)) => with_balances(pool, price, shown, at).await,
        Err(Formless::Almost(reason)) => Err(unsupported(reason)),
        Err(Formless::Stranger) => {
            let more = Wanted {
                probes: vec![
                    call(pool, &Pool::extsloadCall { slot: B256::ZERO }),
                    call(pool, &Pool::coinsCall { index: U256::ZERO }),
                    call(pool, &Pool::getPoolIdCall {}),
                ],
                ..Wanted::default()
            };
            let [extsload, coins, get_pool_id] = all(at.get(more).await?.probes)?;
            let strange = Strange {
                extsload,
                coins,
                get_pool_id,
            };
            Err(unsupported(strange.reason()))
        }
    }
}

/// A pool of the Uniswap V3 form, with what it holds of its tokens.
async fn with_balances(
    pool: Address,
    price: Price,
    shown: Shown,
    at: &impl Pinned,
) -> Result<PoolReservesData, ReadError> {
    let (token0, token1) = price.tokens;
    let held = |token| call(token, &Erc20::balanceOfCall { owner: pool });
    let wanted = Wanted {
        codes: vec![token0, token1],
        calls: vec![
            call(pool, &Pool::liquidityCall {}),
            call(pool, &Pool::feeCall {}),
            call(pool, &Pool::tickSpacingCall {}),
        ],
        // Not in one execution with what the pool says: it could move tokens to itself before its balance is asked.
        probes: vec![held(token0), held(token1)],
        ..Wanted::default()
    };
    let got = at.get(wanted).await?;
    let codes: [_; 2] = all(got.codes)?;
    let [liquidity, fee, tick_spacing] = all(got.calls)?;
    let [held0, held1] = all(got.probes)?;
    let depth = Depth::of(&liquidity, &fee, &tick_spacing).map_err(unsupported)?;
    if codes.iter().any(|code| Kind::of(code) != Kind::Contract) {
        return Err(unsupported(
            "one of its tokens is no contract at this block, so that nothing can be held of it",
        ));
    }
    Ok(PoolReservesData::UniswapV3 {
        token0: shown.address(token0),
        token1: shown.address(token1),
        sqrt_price_x96: Amount(price.sqrt_price_x96),
        tick: price.tick,
        liquidity: Amount(depth.liquidity),
        fee: depth.fee,
        balances: Balances {
            token0: Amount(required(&held0, "the first token's balanceOf(address)")?),
            token1: Amount(required(&held1, "the second token's balanceOf(address)")?),
            note: BalancesNote::NotDepth,
        },
    })
}

fn unsupported(reason: Reason) -> ReadError {
    ReadError::new(
        Code::UnsupportedPool,
        format!("not a pool whose reserves can be read: {reason}"),
    )
}

/// What every pool is asked, in the order of [`answers`]: what all known forms have in common, and what tells them apart.
fn questions(pool: Address) -> Wanted {
    Wanted {
        codes: vec![pool],
        calls: vec![
            call(pool, &Pool::token0Call {}),
            call(pool, &Pool::token1Call {}),
            call(pool, &Pool::factoryCall {}),
        ],
        probes: vec![
            call(pool, &Pool::getReservesCall {}),
            call(pool, &Pool::slot0Call {}),
            call(pool, &Pool::stableCall {}),
            call(pool, &Pool::isStableCall {}),
            call(pool, &Pool::stableSwapCall {}),
            call(pool, &Pool::metadataCall {}),
            call(pool, &Pool::globalStateCall {}),
        ],
        ..Wanted::default()
    }
}

fn answers(said: [Said; 3], probed: [Said; 7]) -> Answers {
    let [token0, token1, factory] = said;
    let [
        get_reserves,
        slot0,
        stable,
        is_stable,
        stable_swap,
        metadata,
        global_state,
    ] = probed;
    Answers {
        token0,
        token1,
        factory,
        get_reserves,
        slot0,
        stable: [stable, is_stable, stable_swap],
        metadata,
        global_state,
    }
}
