//! What a transaction offers for its gas. Pure.

use alloy_primitives::U256;
use deedbox_chain::send::Fees;
use deedbox_core::Wei;
use deedbox_registry::limits::TRANSACTION_GAS;

/// What a transaction offers: how much gas it may use, and what it pays for one unit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// In which form.
    pub kind: Kind,
    /// How much gas it may use.
    pub gas_limit: u64,
    /// What it pays for one unit of gas at most, in wei.
    pub max_fee_per_gas: u128,
    /// What of that goes to whoever makes the block at most, in wei; all of it where there is no base fee.
    pub max_priority_fee_per_gas: u128,
}

/// In which form a transaction names its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A base fee that everybody pays, and a tip (EIP-1559).
    FeeMarket,
    /// One price (bound to its chain by EIP-155): for chains without EIP-1559.
    Legacy,
}

/// Why nothing can be offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOffer {
    /// It needs more gas than one transaction may have (EIP-7825).
    TooMuchGas {
        /// How much it needs.
        gas: u64,
    },
    /// The limit that was set is lower than what it costs at least.
    AboveLimit {
        /// What it costs at least, in wei.
        least: U256,
    },
    /// The base fee, the priority fee, or the gas price that the endpoint names is unusual as far as anybody can tell, and no limit was set.
    Unusual {
        /// What it would cost at most, in wei.
        cost: U256,
    },
    /// It is beyond what is spent on one transaction without anybody having said so, however usual it is said to be, and no limit was set.
    Beyond {
        /// What it would cost at most, in wei.
        cost: U256,
    },
}

/// How many times the median priority fee of the last blocks is offered at most.
const TIMES_MEDIAN: u128 = 10;
/// A priority fee that is too small to be thought about, in wei: 5 gwei.
const SMALL_PRIORITY_FEE: u128 = 5_000_000_000;
/// How many times what is usual a base fee, or one price, may be. In a block, a base fee rises by an eighth at most (EIP-1559): in the ten blocks since
/// the median of twenty to three and a quarter times that, and in all twenty to ten and a half times.
const TIMES_USUAL: u128 = 10;
/// A base fee that is too small to be thought about, in wei: 1 gwei. Chains that ask next to nothing let it jump.
const SMALL_BASE_FEE: u128 = 1_000_000_000;
/// What may be asked for one unit of gas, where there is nothing to compare it with, before somebody has to say what it may cost, in wei: 1,000 gwei.
const USUAL_GAS_PRICE: u128 = 1_000_000_000_000;

/// Currencies of widely known chains of which one unit is worth little enough for ten of them to be about what a tenth of the others is.
const SMALL_UNITS: [&str; 5] = ["AVAX", "CELO", "MNT", "POL", "xDAI"];

/// What one transaction may cost at most before somebody has to say what it may cost, in the smallest unit: whatever an endpoint says, and says was
/// usual, more than this is not spent on its word. A tenth of a unit, or ten of a [small one](SMALL_UNITS).
///
/// The dearest thing that is done here is a registry's deployment, of not quite four million gas. With twice the base fee that is offered, a tenth of a
/// unit suffices for it up to a base fee of 12 gwei, and for what changes an agent up to hundreds; chains that count in ETH, BTC or BNB ask less than that
/// on most days, and on the others somebody should look. Ten units suffice up to 1,250 gwei, where Polygon and Celo ask 25 to 500.
#[must_use]
pub fn ceiling_of(symbol: &str, decimals: u8) -> U256 {
    let unit = U256::from(10).saturating_pow(U256::from(decimals));
    if SMALL_UNITS.contains(&symbol) {
        unit.saturating_mul(U256::from(10))
    } else {
        unit / U256::from(10)
    }
}

impl Offer {
    /// What to offer for something that needs `gas` at `fees`: a fifth more gas, because the state may be another by then; twice the base fee,
    /// which lasts for at least five full blocks, and the tip. `most` limits the whole cost, in wei.
    ///
    /// # Errors
    /// [`NoOffer`].
    pub fn new(fees: &Fees, gas: u64, most: Option<U256>) -> Result<Self, NoOffer> {
        if gas > TRANSACTION_GAS {
            return Err(NoOffer::TooMuchGas { gas });
        }
        let gas_limit = gas.saturating_add(gas.div_ceil(5)).min(TRANSACTION_GAS);
        Self::market(fees, gas_limit, most)?.within(fees, most)
    }

    /// What to offer instead of this: an eighth more of both fees at least, which every node takes for a replacement, and at least what the market
    /// asks now; with a limit, as much of that as it allows, as long as that is what the next block takes.
    ///
    /// # Errors
    /// [`NoOffer::AboveLimit`] and [`NoOffer::Unusual`].
    pub fn raised(self, fees: &Fees, most: Option<U256>) -> Result<Self, NoOffer> {
        let more = |fee: u128| {
            Wei(fee.saturating_add(fee.div_ceil(8)))
                .max(Wei(fee).raised())
                .0
        };
        let market = Self::market(fees, self.gas_limit, most)?;
        let least = Self {
            max_fee_per_gas: more(self.max_fee_per_gas),
            max_priority_fee_per_gas: more(self.max_priority_fee_per_gas),
            ..self
        };
        let raised = Self {
            max_fee_per_gas: least.max_fee_per_gas.max(market.max_fee_per_gas),
            max_priority_fee_per_gas: least
                .max_priority_fee_per_gas
                .max(market.max_priority_fee_per_gas),
            ..self
        };
        // The form stays: both prices of a legacy transaction are one.
        let raised = match self.kind {
            Kind::FeeMarket => raised,
            Kind::Legacy => Self {
                max_priority_fee_per_gas: raised.max_fee_per_gas,
                ..raised
            },
        };
        raised.at_least(least.max_fee_per_gas.max(market.now(fees)), most)
    }

    /// The same where it is no more than may be spent on an endpoint's word: at most `ceiling` in total, and no more than 1,000 gwei for one unit of gas
    /// as a tip or as the one price, which no widely known chain asks. With a limit, `most`, that counts instead.
    ///
    /// # Errors
    /// [`NoOffer::Beyond`].
    pub fn within_reason(self, most: Option<U256>, ceiling: U256) -> Result<Self, NoOffer> {
        let cost = self.max_cost();
        let is_beyond = cost > ceiling || self.max_priority_fee_per_gas > USUAL_GAS_PRICE;
        if is_beyond && most.is_none() {
            return Err(NoOffer::Beyond { cost });
        }
        Ok(self)
    }

    /// Whether the next block takes it at these fees.
    #[must_use]
    pub fn is_taken(&self, fees: &Fees) -> bool {
        fees.base_fee_per_gas
            .is_none_or(|base| base <= self.max_fee_per_gas)
    }

    /// What it costs at most, in wei.
    #[must_use]
    pub fn max_cost(&self) -> U256 {
        U256::from(self.gas_limit).saturating_mul(U256::from(self.max_fee_per_gas))
    }

    /// What the market asks. What an endpoint says of that is compared with what was paid lately, and with what the others say: the priority fee is paid
    /// as it is offered, and so is the one price of a legacy transaction; and a base fee that is offered may be asked for later.
    fn market(fees: &Fees, gas_limit: u64, most: Option<U256>) -> Result<Self, NoOffer> {
        let Some(base) = fees.base_fee_per_gas else {
            let market = Self {
                kind: Kind::Legacy,
                gas_limit,
                max_fee_per_gas: fees.gas_price,
                max_priority_fee_per_gas: fees.gas_price,
            };
            let ceiling = ceiling(fees.usual.gas_price, SMALL_PRIORITY_FEE).min(USUAL_GAS_PRICE);
            return if fees.gas_price > ceiling && most.is_none() {
                let cost = market.max_cost();
                Err(NoOffer::Unusual { cost })
            } else {
                Ok(market)
            };
        };
        let said = fees.max_priority_fee_per_gas;
        let usual = fees
            .median_priority_fee_per_gas
            .map(|median| median.saturating_mul(TIMES_MEDIAN));
        let tip = said.min(usual.unwrap_or(u128::MAX).max(SMALL_PRIORITY_FEE));
        let market = Self {
            kind: Kind::FeeMarket,
            gas_limit,
            max_fee_per_gas: base.saturating_mul(2).saturating_add(tip),
            max_priority_fee_per_gas: tip,
        };
        let is_dear = base > ceiling(fees.usual.base_fee_per_gas, SMALL_BASE_FEE);
        let is_generous = usual.is_none() && tip > SMALL_PRIORITY_FEE;
        if (is_dear || is_generous) && most.is_none() {
            let cost = market.max_cost();
            return Err(NoOffer::Unusual { cost });
        }
        Ok(market)
    }

    /// What one unit of gas costs in the next block.
    fn now(&self, fees: &Fees) -> u128 {
        match fees.base_fee_per_gas {
            Some(base) => base.saturating_add(self.max_priority_fee_per_gas),
            None => fees.gas_price,
        }
    }

    /// The same with a price that keeps the cost within `most`, as long as that is what the next block takes.
    fn within(self, fees: &Fees, most: Option<U256>) -> Result<Self, NoOffer> {
        self.at_least(self.now(fees), most)
    }

    /// The same with a price that keeps the cost within `most`, and is at least `floor`.
    fn at_least(self, floor: u128, most: Option<U256>) -> Result<Self, NoOffer> {
        let Some(most) = most.filter(|most| self.max_cost() > *most) else {
            return Ok(self);
        };
        let fee = most / U256::from(self.gas_limit.max(1));
        let fee = u128::try_from(fee).unwrap_or(u128::MAX);
        if fee < floor {
            let least = U256::from(self.gas_limit).saturating_mul(U256::from(floor));
            return Err(NoOffer::AboveLimit { least });
        }
        Ok(Self {
            max_fee_per_gas: fee,
            max_priority_fee_per_gas: match self.kind {
                Kind::FeeMarket => self.max_priority_fee_per_gas,
                Kind::Legacy => fee,
            },
            ..self
        })
    }
}

/// Above what somebody has to say what it may cost.
fn ceiling(usual: Option<u128>, small: u128) -> u128 {
    usual.map_or(USUAL_GAS_PRICE, |usual| {
        usual.saturating_mul(TIMES_USUAL).max(small)
    })
}

#[cfg(test)]
mod tests {
    use deedbox_chain::send::Usual;

    use super::*;

    fn fees(base: Option<u128>, tip: u128, price: u128) -> Fees {
        Fees {
            base_fee_per_gas: base,
            max_priority_fee_per_gas: tip,
            median_priority_fee_per_gas: None,
            gas_price: price,
            usual: Usual::default(),
        }
    }

    #[test]
    fn twice_the_base_fee_and_the_tip_are_offered_for_a_fifth_more_gas() {
        let offer = Offer::new(&fees(Some(100), 3, 999), 50_001, None).unwrap();
        assert_eq!(
            (offer.kind, offer.gas_limit, offer.max_fee_per_gas),
            (Kind::FeeMarket, 60_002, 203)
        );
        assert_eq!(offer.max_priority_fee_per_gas, 3);
        assert_eq!(offer.max_cost(), U256::from(60_002_u64 * 203));
    }

    #[test]
    fn more_than_the_ceiling_is_offered_within_a_limit_only_however_usual_it_is_said_to_be() {
        let eth = ceiling_of("ETH", 18);
        assert_eq!(eth, U256::from(100_000_000_000_000_000_u64));
        assert_eq!(
            ceiling_of("POL", 18),
            U256::from(10_000_000_000_000_000_000_u64)
        );
        let gwei = 1_000_000_000_u128;
        // 120,000 gas: with a base fee of 100 gwei and a tip of 1 that is 24.12 million gwei.
        let usual = |base: u128, tip: u128| Fees {
            median_priority_fee_per_gas: Some(tip),
            usual: Usual {
                base_fee_per_gas: Some(base),
                gas_price: None,
            },
            ..fees(Some(base), tip, 0)
        };
        for (base, tip, is_taken) in [
            (100 * gwei, gwei, true),
            (416 * gwei, gwei, true),
            // 120,000 at 835 gwei is 0.1002.
            (417 * gwei, gwei, false),
            (gwei, 20_000_000 * gwei, false),
            (20_000_000 * gwei, gwei, false),
        ] {
            let offer = Offer::new(&usual(base, tip), 100_000, None).unwrap();
            let cost = offer.max_cost();
            let wanted = if is_taken {
                Ok(offer)
            } else {
                Err(NoOffer::Beyond { cost })
            };
            assert_eq!(offer.within_reason(None, eth), wanted, "{base} {tip}");
            assert_eq!(offer.within_reason(Some(cost), eth), Ok(offer));
        }
        // Little gas makes no tip reasonable: 1.2 gas at 1,001 gwei.
        let tip = Offer::new(&usual(0, 1_001 * gwei), 1, None).unwrap();
        assert!(matches!(
            tip.within_reason(None, eth),
            Err(NoOffer::Beyond { .. })
        ));
    }

    #[test]
    fn a_chain_without_base_fee_gets_one_price() {
        let offer = Offer::new(&fees(None, 0, 7), 100, None).unwrap();
        assert_eq!(offer.kind, Kind::Legacy);
        assert_eq!(
            (offer.max_fee_per_gas, offer.max_priority_fee_per_gas),
            (7, 7)
        );
    }

    #[test]
    fn more_gas_than_a_transaction_may_have_is_refused_and_the_margin_never_exceeds_it() {
        let fees = fees(Some(1), 1, 1);
        let most = Offer::new(&fees, TRANSACTION_GAS, None).unwrap();
        assert_eq!(most.gas_limit, 16_777_216);
        assert_eq!(
            Offer::new(&fees, TRANSACTION_GAS + 1, None),
            Err(NoOffer::TooMuchGas { gas: 16_777_217 })
        );
    }

    #[test]
    fn a_limit_lowers_the_price_down_to_what_the_next_block_takes_and_no_further() {
        let fees = fees(Some(100), 10, 0);
        // 120 gas at 110 is 13,200.
        for (most, price) in [
            (30_000, Some(210)),
            (20_000, Some(166)),
            (13_200, Some(110)),
            (13_199, None),
        ] {
            let offer = Offer::new(&fees, 100, Some(U256::from(most)));
            match price {
                Some(price) => {
                    let offer = offer.unwrap();
                    assert_eq!(offer.max_fee_per_gas, price, "{most}");
                    assert!(offer.max_cost() <= U256::from(most));
                }
                None => {
                    let least = U256::from(13_200);
                    assert_eq!(offer, Err(NoOffer::AboveLimit { least }));
                }
            }
        }
    }

    #[test]
    fn a_raise_is_at_least_an_eighth_and_at_least_the_market() {
        let offer = Offer::new(&fees(Some(100), 10, 0), 100, None).unwrap();
        for (base, tip, fee_after, tip_after) in
            [(100, 10, 237, 12), (500, 40, 1040, 40), (1, 0, 237, 12)]
        {
            let raised = offer.raised(&fees(Some(base), tip, 0), None).unwrap();
            assert_eq!(
                (raised.max_fee_per_gas, raised.max_priority_fee_per_gas),
                (fee_after, tip_after)
            );
            assert_eq!(raised.gas_limit, offer.gas_limit);
        }
        let free = Offer {
            max_fee_per_gas: 0,
            max_priority_fee_per_gas: 0,
            ..offer
        };
        let raised = free.raised(&fees(Some(0), 0, 0), None).unwrap();
        assert_eq!(
            (raised.max_fee_per_gas, raised.max_priority_fee_per_gas),
            (1, 1),
            "more than nothing"
        );
    }

    #[test]
    fn a_raise_within_a_limit_offers_what_the_next_block_takes_or_nothing() {
        // It offers 210, so that 237 is the least that replaces it; 120 units of gas.
        let offer = Offer::new(&fees(Some(100), 10, 0), 100, None).unwrap();
        for (base, tip, least, unlimited) in [
            // The market asks less than a replacement has to offer.
            (100, 10, 237, 237),
            // It asks more: a base fee of 500 takes no 237.
            (500, 40, 540, 1040),
        ] {
            let fees = fees(Some(base), tip, 0);
            let cost = |price: u64| U256::from(120 * price);
            for (most, price) in [
                (cost(least), least),
                (cost(unlimited), unlimited),
                // As much as the limit allows.
                (cost(least + 1), unlimited.min(least + 1)),
                (cost(unlimited + 9), unlimited),
            ] {
                let raised = offer.raised(&fees, Some(most)).unwrap();
                assert_eq!(raised.max_fee_per_gas, u128::from(price), "{base}, {most}");
                assert!(raised.is_taken(&fees) && raised.max_cost() <= most);
                assert!(raised.max_priority_fee_per_gas >= 12);
            }
            assert_eq!(
                offer.raised(&fees, Some(cost(least) - U256::from(1))),
                Err(NoOffer::AboveLimit { least: cost(least) }),
                "{base}"
            );
        }
    }

    #[test]
    fn a_priority_fee_that_one_endpoint_recommends_is_not_believed_without_bound() {
        const GWEI: u128 = 1_000_000_000;
        for (said, median, offered) in [
            (2 * GWEI, Some(GWEI), Some(2 * GWEI)),
            (900 * GWEI, Some(GWEI), Some(10 * GWEI)),
            (300 * GWEI, Some(30 * GWEI), Some(300 * GWEI)),
            // Where next to nothing is paid, what is small is not made smaller.
            (2 * GWEI, Some(0), Some(2 * GWEI)),
            (900 * GWEI, Some(1), Some(5 * GWEI)),
            // Nothing to compare with.
            (5 * GWEI, None, Some(5 * GWEI)),
            (5 * GWEI + 1, None, None),
        ] {
            let fees = Fees {
                median_priority_fee_per_gas: median,
                ..fees(Some(GWEI), said, 0)
            };
            let offer = Offer::new(&fees, 100, None);
            let found = offer.ok().map(|offer| offer.max_priority_fee_per_gas);
            assert_eq!(found, offered, "{said} {median:?}");
        }
        // The whole price of a chain without a base fee is paid, so that it is compared, too.
        assert!(Offer::new(&fees(None, 0, 1_000 * GWEI), 100, None).is_ok());
        let dear = fees(None, 0, 1_001 * GWEI);
        let cost = U256::from(120 * 1_001 * GWEI);
        assert_eq!(Offer::new(&dear, 100, None), Err(NoOffer::Unusual { cost }));
        assert!(Offer::new(&dear, 100, Some(cost)).is_ok());
        let dear = fees(Some(GWEI), 50 * GWEI, 0);
        let cost = U256::from(120 * 52 * GWEI);
        assert_eq!(Offer::new(&dear, 100, None), Err(NoOffer::Unusual { cost }));
        // Somebody who says what it may cost need not compare.
        let offer = Offer::new(&dear, 100, Some(cost)).unwrap();
        assert_eq!(offer.max_priority_fee_per_gas, 50 * GWEI);
    }

    #[test]
    fn a_base_fee_that_nothing_shows_to_be_usual_is_offered_within_a_limit_only() {
        const GWEI: u128 = 1_000_000_000;
        for (base, usual, is_offered) in [
            (30 * GWEI, Some(20 * GWEI), true),
            // As high as it can rise in the twenty blocks that are looked at.
            (200 * GWEI, Some(20 * GWEI), true),
            (200 * GWEI + 1, Some(20 * GWEI), false),
            (2_000_000 * GWEI, Some(20 * GWEI), false),
            // Where next to nothing is asked, a jump is nothing to think about.
            (GWEI, Some(7), true),
            (GWEI + 1, Some(7), false),
            // Nothing to compare with.
            (1_000 * GWEI, None, true),
            (1_000 * GWEI + 1, None, false),
            (u128::MAX, Some(1), false),
            (u128::MAX, None, false),
        ] {
            let mut fees = fees(Some(base), 1, 0);
            fees.usual.base_fee_per_gas = usual;
            let offer = Offer::new(&fees, 100, None);
            if is_offered {
                assert_eq!(offer.unwrap().max_fee_per_gas, 2 * base + 1);
                continue;
            }
            let cost = U256::from(120) * U256::from(base.saturating_mul(2).saturating_add(1));
            assert_eq!(offer, Err(NoOffer::Unusual { cost }), "{base} {usual:?}");
            // Somebody who says what it may cost need not compare; and a raise is an offer, too.
            assert!(Offer::new(&fees, 100, Some(U256::MAX)).is_ok());
            let before = Offer::new(&super::tests::fees(Some(1), 1, 0), 100, None).unwrap();
            assert!(before.raised(&fees, None).is_err());
        }
    }

    #[test]
    fn one_price_is_compared_with_what_other_endpoints_name() {
        const GWEI: u128 = 1_000_000_000;
        for (price, others, is_offered) in [
            (100 * GWEI, Some(10 * GWEI), true),
            (100 * GWEI + 1, Some(10 * GWEI), false),
            (5 * GWEI, Some(1), true),
            (5 * GWEI + 1, Some(1), false),
            // However many say it.
            (1_001 * GWEI, Some(1_001 * GWEI), false),
        ] {
            let mut fees = fees(None, 0, price);
            fees.usual.gas_price = others;
            let offer = Offer::new(&fees, 100, None);
            assert_eq!(offer.is_ok(), is_offered, "{price} {others:?}");
            assert!(Offer::new(&fees, 100, Some(U256::MAX)).is_ok());
        }
    }

    #[test]
    fn a_base_fee_above_the_offer_takes_it_no_more() {
        let offer = Offer::new(&fees(Some(100), 10, 0), 100, None).unwrap();
        for (base, is_taken) in [(Some(210), true), (Some(211), false), (None, true)] {
            assert_eq!(offer.is_taken(&fees(base, 10, 7)), is_taken, "{base:?}");
        }
    }

    #[test]
    fn both_prices_of_a_raised_legacy_transaction_stay_one() {
        let offer = Offer::new(&fees(None, 0, 8), 100, None).unwrap();
        let raised = offer.raised(&fees(None, 0, 20), None).unwrap();
        assert_eq!(
            (
                raised.kind,
                raised.max_fee_per_gas,
                raised.max_priority_fee_per_gas
            ),
            (Kind::Legacy, 20, 20)
        );
    }
}
