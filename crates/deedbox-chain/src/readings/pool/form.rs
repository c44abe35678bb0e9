//! Which form a pool has, told from what it answers. A contract is not believed on one function's name alone: pools of
//! other curves answer to the same names, and what their numbers mean is something else.

use alloy_primitives::{Address, I256, U256};

use crate::{
    readings::contract::{address, answered, words},
    rpc::pinned::Said,
};

/// What a pool said to each question.
pub(super) struct Answers {
    pub(super) token0: Said,
    pub(super) token1: Said,
    pub(super) factory: Said,
    pub(super) get_reserves: Said,
    pub(super) slot0: Said,
    /// `stable()`, `isStable()` and `stableSwap()`.
    pub(super) stable: [Said; 3],
    pub(super) metadata: Said,
    pub(super) global_state: Said,
}

/// A pool whose numbers are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Uniswap V2 and its faithful copies.
    V2(Pair),
    /// Uniswap V3 and its faithful copies, as far as `slot0()` says; the rest is seen from [`Depth`].
    V3(Price),
}

/// A pair of the Uniswap V2 form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) tokens: (Address, Address),
    pub(super) reserve0: U256,
    pub(super) reserve1: U256,
    pub(super) block_timestamp_last: u32,
}

/// Where a pool of the Uniswap V3 form stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Price {
    pub(super) tokens: (Address, Address),
    pub(super) sqrt_price_x96: U256,
    pub(super) tick: i32,
}

/// What is in range there, and at which fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Depth {
    pub(super) liquidity: U256,
    pub(super) fee: u32,
}

/// Why a pool's numbers are not passed on.
pub(super) type Reason = &'static str;

/// A contract whose numbers are not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Formless {
    /// It is like one of the known forms, and why it is not of that form.
    Almost(Reason),
    /// It answers to nothing that the known forms answer to; see [`Strange`].
    Stranger,
}

impl From<Reason> for Formless {
    fn from(reason: Reason) -> Self {
        Self::Almost(reason)
    }
}

/// What a contract of no known form said to three more questions, so that people can be told what it is.
pub(super) struct Strange {
    pub(super) extsload: Said,
    pub(super) coins: Said,
    pub(super) get_pool_id: Said,
}

/// The ticks of Uniswap V3, both ways from 0 (`TickMath`).
const MAX_TICK: i32 = 887_272;
/// The price at the lowest tick, and the one above the highest (`TickMath`).
const SQRT_PRICES: std::ops::Range<U256> = U256::from_limbs([4_295_128_739, 0, 0, 0])
    ..U256::from_limbs([0x5d95_1d52_6398_8d26, 0xefd1_fc6a_5064_8849, 0xfffd_8963, 0]);

impl Form {
    /// Tells the form.
    ///
    /// The volatile pairs of Solidly and its heirs also keep a product constant, but hold their fees outside of their
    /// reserves: whoever computes with them as with a Uniswap V2 pair's is wrong by a little, and never told. They are refused like the
    /// stable ones, with a reason of their own.
    ///
    /// # Errors
    /// Why it is none that is understood.
    pub(super) fn of(said: &Answers) -> Result<Self, Formless> {
        let is_pair = is_there(&said.get_reserves);
        let is_concentrated = is_there(&said.slot0);
        if is_there(&said.global_state) {
            let algebra = "it is an Algebra pool (globalState()), whose liquidity is concentrated; it has no reserves";
            return Err(algebra.into());
        }
        if let Some(reason) = solidly(said) {
            return Err(reason.into());
        }
        match (is_pair, is_concentrated) {
            (true, true) => {
                Err("it answers both as a Uniswap V2 pair and as a Uniswap V3 pool".into())
            }
            (true, false) => Ok(Self::V2(pair(said)?)),
            (false, true) => Ok(Self::V3(price(said)?)),
            (false, false) => Err(Formless::Stranger),
        }
    }
}

fn is_there(said: &Said) -> bool {
    answered(said).is_some()
}

/// Solidly's pairs answer `getReserves()` as Uniswap's do, and say of themselves which curve they follow.
fn solidly(said: &Answers) -> Option<Reason> {
    let mut says: Vec<[U256; 1]> = said.stable.iter().filter_map(words).collect();
    if let Some([_, _, _, _, stable, _, _]) = words(&said.metadata) {
        says.push([stable]);
    }
    if says.iter().any(|[stable]| !stable.is_zero()) {
        return Some(
            "it is a stable-curve pair: equal reserves do not mean the price that they would mean in a Uniswap V2 pair",
        );
    }
    let volatile = "it is a volatile pair of the Solidly form, whose fees are held outside of its reserves; read what it holds with get_erc20_balance";
    (!says.is_empty()).then_some(volatile)
}

fn pair(said: &Answers) -> Result<Pair, Reason> {
    let another = "its getReserves() has another form than Uniswap V2's (uint112, uint112, uint32)";
    let [reserve0, reserve1, last] = words(&said.get_reserves).ok_or(another)?;
    if reserve0.bit_len() > 112 || reserve1.bit_len() > 112 {
        return Err(another);
    }
    let block_timestamp_last = u32::try_from(last).map_err(|_| another)?;
    made_by_a_factory(said)?;
    Ok(Pair {
        tokens: tokens(said)?,
        reserve0,
        reserve1,
        block_timestamp_last,
    })
}

/// What is said of a pool that is not quite Uniswap V3's.
const ANOTHER_V3: Reason = "its slot0() has another form than Uniswap V3's";

fn price(said: &Answers) -> Result<Price, Reason> {
    let [
        sqrt_price_x96,
        tick,
        index,
        cardinality,
        next,
        fee_protocol,
        unlocked,
    ] = words(&said.slot0).ok_or(ANOTHER_V3)?;
    if sqrt_price_x96.is_zero() {
        return Err("it is a Uniswap V3 pool that was not initialised, and has no price yet");
    }
    // A copy keeps its protocol's fee as uint32 where Uniswap has uint8.
    let fits = [
        (index, 16),
        (cardinality, 16),
        (next, 16),
        (fee_protocol, 32),
        (unlocked, 1),
    ];
    if fits.iter().any(|(word, bits)| word.bit_len() > *bits)
        || !SQRT_PRICES.contains(&sqrt_price_x96)
    {
        return Err(ANOTHER_V3);
    }
    let tick = signed(tick).filter(|tick| tick.unsigned_abs() <= MAX_TICK.unsigned_abs());
    made_by_a_factory(said)?;
    Ok(Price {
        tokens: tokens(said)?,
        sqrt_price_x96,
        tick: tick.ok_or(ANOTHER_V3)?,
    })
}

impl Depth {
    /// Reads the answers to `liquidity()`, `fee()` and `tickSpacing()`.
    ///
    /// # Errors
    /// Why they are not those of the form.
    pub(super) fn of(liquidity: &Said, fee: &Said, tick_spacing: &Said) -> Result<Self, Reason> {
        let [liquidity] = words(liquidity).ok_or(ANOTHER_V3)?;
        let [fee] = words(fee).ok_or(ANOTHER_V3)?;
        let [spacing] = words(tick_spacing).ok_or(ANOTHER_V3)?;
        let spacing = signed(spacing).filter(|spacing| *spacing > 0);
        if liquidity.bit_len() > 128 || fee.bit_len() > 24 || spacing.is_none() {
            return Err(ANOTHER_V3);
        }
        let fee = u32::try_from(fee).map_err(|_| ANOTHER_V3)?;
        Ok(Self { liquidity, fee })
    }
}

/// An `int24`, which the ABI sign-extends to a word.
fn signed(word: U256) -> Option<i32> {
    let number = i32::try_from(I256::from_raw(word)).ok()?;
    (-(1 << 23)..1 << 23).contains(&number).then_some(number)
}

fn party(said: &Said) -> Option<Address> {
    let [word] = words(said)?;
    address(word).filter(|address| !address.is_zero())
}

fn made_by_a_factory(said: &Answers) -> Result<(), Reason> {
    party(&said.factory)
        .map(drop)
        .ok_or("it names no factory, as Uniswap's pools and their copies do")
}

fn tokens(said: &Answers) -> Result<(Address, Address), Reason> {
    let both = party(&said.token0).zip(party(&said.token1));
    let (token0, token1) = both.ok_or("it does not name two tokens")?;
    if token0 == token1 {
        return Err("both of its tokens are the same");
    }
    Ok((token0, token1))
}

impl Strange {
    /// What is said of such a contract.
    pub(super) fn reason(&self) -> Reason {
        if is_there(&self.get_pool_id) {
            return "it looks like a Balancer pool, whose tokens stand in a vault";
        }
        if is_there(&self.coins) {
            return "it looks like a Curve pool, whose price does not follow from its balances alone";
        }
        if words::<1>(&self.extsload).is_some() {
            return "it looks like Uniswap V4's manager, which holds the tokens of all pools together";
        }
        "it answers neither getReserves() nor slot0()"
    }
}
