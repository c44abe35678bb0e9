//! In which order tools are offered, and why. Nothing is hidden, and no money is converted.

use std::{cmp::Ordering, collections::BTreeSet};

use deedbox_core::Timestamp;
use deedbox_manifest::tier::Tier;
use schemars::JsonSchema;
use serde::Serialize;

use super::asset::Denomination;

/// A tool in the order that is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Placed {
    /// The tool.
    pub tool: String,
    /// What speaks for its place, the weightiest first.
    pub because: Vec<Because>,
}

/// What speaks for a tool's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// It is what its registration says.
    Verified,
    /// It is not, or nobody could find out: it stands behind every tool that is.
    NotVerified,
    /// The account may use it.
    MayUse,
    /// The account may not use it as things stand.
    MayNotUse,
    /// It is declared free.
    DeclaredFree,
    /// Its price was compared.
    PriceCompared,
    /// Its price is in another asset, and was not compared. That does not make it dearer.
    PriceInAnotherAsset,
    /// It can be paid by none of the protocols that were named.
    PriceNotPayable,
    /// It says nothing about a price.
    PriceUnstated,
    /// Its effective tier is above `self-attested`.
    HigherTier,
}

/// What could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum NotCompared {
    /// Prices are in several assets; what one is worth in another nobody here knows.
    PricesInSeveralAssets {
        /// The assets.
        assets: Vec<String>,
    },
    /// Some tools say nothing about a price.
    PricesUnstated,
}

/// What an order is made of.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) verified: bool,
    /// None where nobody's access was asked for.
    pub(super) may_use: Option<bool>,
    pub(super) price: Price,
    pub(super) tier: Option<Tier>,
    pub(super) since: Option<Timestamp>,
}

/// What an invocation costs a caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Price {
    Free,
    Of {
        /// In the smallest unit, as a manifest writes amounts: without leading zeros.
        digits: String,
        asset: Option<Denomination>,
    },
    NotPayable,
    Unstated,
    Unknown,
}

/// A tool's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) index: usize,
    pub(super) because: Vec<Because>,
}

#[derive(Debug)]
pub(super) struct Ordered {
    pub(super) places: Vec<Place>,
    /// The asset in which prices were compared.
    pub(super) asset: Option<Denomination>,
    pub(super) not_compared: Vec<NotCompared>,
}

/// Orders tools. Prices are compared in `asked`, or else in the asset that all of them are in.
pub(super) fn order(sides: &[Side], asked: Option<Denomination>) -> Ordered {
    let assets: BTreeSet<&Denomination> =
        sides.iter().filter_map(|side| side.price.asset()).collect();
    let only = (assets.len() == 1).then(|| assets.first().copied().cloned());
    let asset = asked.or(only.flatten());
    let mut places: Vec<_> = (0..sides.len()).collect();
    places.sort_by(|a, b| match (sides.get(*a), sides.get(*b)) {
        (Some(a), Some(b)) => before(a, b, asset.as_ref()),
        _ => Ordering::Equal,
    });
    let mut not_compared = Vec::new();
    let all: BTreeSet<&Denomination> = assets.into_iter().chain(&asset).collect();
    if all.len() > 1 {
        let assets = all.into_iter().map(|one| one.as_str().to_owned()).collect();
        not_compared.push(NotCompared::PricesInSeveralAssets { assets });
    }
    if sides.iter().any(|side| side.price == Price::Unstated) {
        not_compared.push(NotCompared::PricesUnstated);
    }
    let place = |index: usize| {
        let because = sides.get(index).map(|side| because(side, asset.as_ref()));
        Place {
            index,
            because: because.unwrap_or_default(),
        }
    };
    Ordered {
        places: places.into_iter().map(place).collect(),
        asset,
        not_compared,
    }
}

/// Who comes first. What is the same in both keeps the order in which they were named.
fn before(a: &Side, b: &Side, asset: Option<&Denomination>) -> Ordering {
    let denied = |side: &Side| side.may_use == Some(false);
    let since = |side: &Side| side.since.map_or(i64::MAX, Timestamp::as_millis);
    b.verified
        .cmp(&a.verified)
        .then_with(|| denied(a).cmp(&denied(b)))
        .then_with(|| a.price.cmp_in(&b.price, asset))
        .then_with(|| b.tier.cmp(&a.tier))
        .then_with(|| since(a).cmp(&since(b)))
}

fn because(side: &Side, asset: Option<&Denomination>) -> Vec<Because> {
    if !side.verified {
        return vec![Because::NotVerified];
    }
    let access = side.may_use.map(|may| match may {
        true => Because::MayUse,
        false => Because::MayNotUse,
    });
    let price = match &side.price {
        Price::Free => Some(Because::DeclaredFree),
        Price::Of {
            asset: Some(of), ..
        } if Some(of) == asset => Some(Because::PriceCompared),
        Price::Of { .. } => Some(Because::PriceInAnotherAsset),
        Price::NotPayable => Some(Because::PriceNotPayable),
        Price::Unstated => Some(Because::PriceUnstated),
        Price::Unknown => None,
    };
    let tier = side.tier.is_some_and(|tier| tier > Tier::SelfAttested);
    let tier = tier.then_some(Because::HigherTier);
    let reasons = [access, price, tier].into_iter().flatten();
    [Because::Verified].into_iter().chain(reasons).collect()
}

impl Price {
    /// What it is in, if it is anything.
    const fn asset(&self) -> Option<&Denomination> {
        match self {
            Self::Of { asset, .. } => asset.as_ref(),
            Self::Free | Self::NotPayable | Self::Unstated | Self::Unknown => None,
        }
    }

    /// Free, then what is in the asset by its amount, then what is in others, and what is not said last.
    fn cmp_in(&self, other: &Self, asset: Option<&Denomination>) -> Ordering {
        let rank = |price: &Self| match price {
            Self::Free => 0,
            Self::Of {
                asset: Some(of), ..
            } if Some(of) == asset => 1,
            Self::Of { .. } => 2,
            Self::NotPayable => 3,
            Self::Unstated => 4,
            Self::Unknown => 5,
        };
        let ranks = (rank(self), rank(other));
        ranks.0.cmp(&ranks.1).then_with(|| match (self, other) {
            // One spelling for each number: by length, then by text.
            (Self::Of { digits: a, .. }, Self::Of { digits: b, .. }) if ranks.0 == 1 => {
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
            _ => Ordering::Equal,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USDC: &str = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
    const ETHER: &str = "eip155:8453/slip44:60";

    fn side(price: Price) -> Side {
        Side {
            verified: true,
            may_use: None,
            price,
            tier: Some(Tier::SelfAttested),
            since: None,
        }
    }

    fn costs(digits: &str, asset: &str) -> Side {
        side(Price::Of {
            digits: digits.to_owned(),
            asset: Denomination::read(asset),
        })
    }

    fn indexes(ordered: &Ordered) -> Vec<usize> {
        ordered.places.iter().map(|place| place.index).collect()
    }

    #[test]
    fn amounts_of_one_asset_are_numbers_and_free_is_below_all() {
        let sides = [
            costs("100000", USDC),
            costs("99999", USDC),
            side(Price::Unstated),
            side(Price::Free),
        ];
        let ordered = order(&sides, None);
        assert_eq!(indexes(&ordered), [3, 1, 0, 2]);
        assert_eq!(ordered.asset, Denomination::read(USDC));
        assert_eq!(ordered.not_compared, [NotCompared::PricesUnstated]);
        let reasons: Vec<_> = ordered
            .places
            .iter()
            .map(|place| place.because[1])
            .collect();
        assert_eq!(
            reasons,
            [
                Because::DeclaredFree,
                Because::PriceCompared,
                Because::PriceCompared,
                Because::PriceUnstated
            ]
        );
    }

    #[test]
    fn other_assets_are_said_and_not_converted() {
        let sides = [
            costs("1", ETHER),
            costs("70000", USDC),
            costs("50000", USDC),
        ];
        let none = order(&sides, None);
        assert_eq!(indexes(&none), [0, 1, 2], "as they were named");
        assert_eq!(none.asset, None);
        let assets = vec![USDC.to_owned(), ETHER.to_owned()];
        assert_eq!(
            none.not_compared,
            [NotCompared::PricesInSeveralAssets { assets }]
        );

        let in_usdc = order(&sides, Denomination::read(USDC));
        assert_eq!(indexes(&in_usdc), [2, 1, 0]);
        assert_eq!(
            in_usdc.places[2].because,
            [Because::Verified, Because::PriceInAnotherAsset]
        );
        assert_eq!(in_usdc.not_compared.len(), 1);
    }

    #[test]
    fn nothing_makes_up_for_not_being_verified_or_let_in() {
        let unverified = Side {
            verified: false,
            may_use: Some(true),
            ..side(Price::Unknown)
        };
        let shut = Side {
            may_use: Some(false),
            ..side(Price::Free)
        };
        let dear = Side {
            may_use: Some(true),
            ..costs("9", USDC)
        };
        let sides = [unverified, shut, dear];
        let ordered = order(&sides, None);
        assert_eq!(indexes(&ordered), [2, 1, 0]);
        assert_eq!(ordered.places[2].because, [Because::NotVerified]);
        assert_eq!(ordered.places.len(), sides.len(), "none is hidden");
    }

    #[test]
    fn tier_and_age_decide_between_equals() {
        let at = |millis| Timestamp::from_millis(millis).ok();
        let free = || side(Price::Free);
        let sides = [
            free(),
            Side {
                since: at(2000),
                ..free()
            },
            Side {
                since: at(1000),
                ..free()
            },
            Side {
                tier: Some(Tier::Verifiable),
                ..free()
            },
        ];
        assert_eq!(indexes(&order(&sides, None)), [3, 2, 1, 0]);
    }

    /// Neither a cycle nor a loss, whatever stands beside whatever.
    #[test]
    fn every_set_of_sides_has_one_order_with_all_of_them() {
        let prices = [
            Price::Free,
            Price::Unstated,
            Price::NotPayable,
            costs("7", USDC).price,
            costs("10", USDC).price,
            costs("7", ETHER).price,
            Price::Of {
                digits: "3".to_owned(),
                asset: None,
            },
        ];
        let mut sides = Vec::new();
        for price in prices {
            for (verified, may_use) in [(true, None), (true, Some(false)), (false, Some(true))] {
                sides.push(Side {
                    verified,
                    may_use,
                    ..side(price.clone())
                });
            }
        }
        let first = order(&sides, Denomination::read(USDC));
        let again: Vec<_> = first
            .places
            .iter()
            .map(|place| sides[place.index].clone())
            .collect();
        let again = order(&again, Denomination::read(USDC));
        assert_eq!(indexes(&again), (0..sides.len()).collect::<Vec<_>>());
    }
}
