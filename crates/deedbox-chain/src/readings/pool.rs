//! Pools: two reserves where there are two reserves, and an error with the reason everywhere else.

mod form;

use alloy_primitives::{Address, B256, U256};

use self::form::{Answers, Form};
use super::{
    Shown, all,
    answer::{Amount, Balances, BalancesNote, PoolReservesData},
    contract::{Kind, is_contract, required},
    interfaces::{Erc20, Pool, call},
};
use crate::{
    Code, ReadError,
    rpc::pinned::{Call, Pinned, Said, Wanted},
};

/// What a pool holds, by its form.
pub(super) async fn reserves(
    pool: Address,
    shown: Shown,
    at: &impl Pinned,
) -> Result<PoolReservesData, ReadError> {
    let wanted = Wanted {
        codes: vec![pool],
        calls: questions(pool),
        probing: true,
        ..Wanted::default()
    };
    let got = at.get(wanted).await?;
    let [code] = all(got.codes)?;
    is_contract(&code, "pool")?;
    let form = Form::of(&answers(all(got.calls)?)).map_err(unsupported)?;

    let (token0, token1) = form.tokens();
    let mut wanted = Wanted {
        codes: vec![token0, token1],
        ..Wanted::default()
    };
    if matches!(form, Form::V3(_)) {
        let held = |token| call(token, &Erc20::balanceOfCall { owner: pool });
        wanted.calls = vec![held(token0), held(token1)];
    }
    let got = at.get(wanted).await?;
    let codes: [_; 2] = all(got.codes)?;
    if codes.iter().any(|code| Kind::of(code) != Kind::Contract) {
        return Err(unsupported(
            "one of its tokens is no contract at this block",
        ));
    }
    let (token0, token1) = (shown.address(token0), shown.address(token1));
    Ok(match form {
        Form::V2(pair) => PoolReservesData::UniswapV2 {
            token0,
            token1,
            reserve0: Amount(pair.reserve0),
            reserve1: Amount(pair.reserve1),
            block_timestamp_last: pair.block_timestamp_last,
        },
        Form::V3(pool) => {
            let [held0, held1] = all(got.calls)?;
            PoolReservesData::UniswapV3 {
                token0,
                token1,
                sqrt_price_x96: Amount(pool.sqrt_price_x96),
                tick: pool.tick,
                liquidity: Amount(pool.liquidity),
                fee: pool.fee,
                balances: Balances {
                    token0: Amount(required(&held0, "the first token's balanceOf(address)")?),
                    token1: Amount(required(&held1, "the second token's balanceOf(address)")?),
                    note: BalancesNote::NotDepth,
                },
            }
        }
    })
}

fn unsupported(reason: &'static str) -> ReadError {
    ReadError::new(
        Code::UnsupportedPool,
        format!("not a pool whose reserves can be read: {reason}"),
    )
}

/// What every pool is asked, in the order of [`answers`].
fn questions(pool: Address) -> Vec<Call> {
    vec![
        call(pool, &Pool::token0Call {}),
        call(pool, &Pool::token1Call {}),
        call(pool, &Pool::factoryCall {}),
        call(pool, &Pool::getReservesCall {}),
        call(pool, &Pool::slot0Call {}),
        call(pool, &Pool::liquidityCall {}),
        call(pool, &Pool::feeCall {}),
        call(pool, &Pool::tickSpacingCall {}),
        call(pool, &Pool::stableCall {}),
        call(pool, &Pool::isStableCall {}),
        call(pool, &Pool::stableSwapCall {}),
        call(pool, &Pool::metadataCall {}),
        call(pool, &Pool::globalStateCall {}),
        call(pool, &Pool::extsloadCall { slot: B256::ZERO }),
        call(pool, &Pool::coinsCall { index: U256::ZERO }),
        call(pool, &Pool::getPoolIdCall {}),
    ]
}

/// The answers to [`questions`], by name.
fn answers(said: [Said; 16]) -> Answers {
    let [
        token0,
        token1,
        factory,
        get_reserves,
        slot0,
        liquidity,
        fee,
        tick_spacing,
        stable,
        is_stable,
        stable_swap,
        metadata,
        global_state,
        extsload,
        coins,
        get_pool_id,
    ] = said;
    Answers {
        token0,
        token1,
        factory,
        get_reserves,
        slot0,
        liquidity,
        fee,
        tick_spacing,
        stable: [stable, is_stable, stable_swap],
        metadata,
        global_state,
        extsload,
        coins,
        get_pool_id,
    }
}
