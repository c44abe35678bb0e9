//! What a manifest says about its price, and which entry a payer takes (ERC-8257 §3).

use serde::{Serialize, Serializer};

use crate::amount::Amount;

/// One way to pay for an invocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Price {
    /// Cost per invocation, in the asset's smallest unit.
    pub amount: Amount,
    /// What is paid with: a CAIP-19 asset.
    pub asset: String,
    /// Who is paid: a CAIP-10 account on the same chain.
    pub recipient: String,
    /// How it is paid. Opaque to the standard.
    pub protocol: String,
}

/// What a manifest says about its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pricing {
    /// Nothing. That is not the same as "free": an endpoint that then asks for money has to be
    /// confirmed by the user (reading V-09).
    Unstated,
    /// The entries that are whole, in the creator's order of preference. It is empty when `pricing` is
    /// there but no entry of it could be read: the price is unknown.
    Stated(Vec<Price>),
}

/// What a payer finds when it looks for an entry that it can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<'p> {
    /// The manifest says nothing about a price.
    Unstated,
    /// There is a price, but none in a protocol that the payer supports. Never "free".
    Unknown,
    /// The creator asserts that nothing is to be paid, through this entry's protocol. No approval may be
    /// asked for; the protocol may still have to be spoken.
    Free(&'p Price),
    /// This is to be paid.
    Pay(&'p Price),
}

impl Pricing {
    /// Whether an invocation may cost something, as far as pre-filled arguments are concerned: any pricing
    /// at all, a zero amount included (reading V-11).
    #[must_use]
    pub fn is_stated(&self) -> bool {
        *self != Self::Unstated
    }

    /// The entries, in the creator's order.
    #[must_use]
    pub fn entries(&self) -> &[Price] {
        match self {
            Self::Unstated => &[],
            Self::Stated(entries) => entries,
        }
    }

    /// The first entry, in the creator's order, whose protocol `supports` says yes to.
    #[must_use]
    pub fn choose(&self, supports: impl Fn(&str) -> bool) -> Choice<'_> {
        match self {
            Self::Unstated => Choice::Unstated,
            Self::Stated(entries) => match entries.iter().find(|price| supports(&price.protocol)) {
                None => Choice::Unknown,
                Some(price) if price.amount.is_zero() => Choice::Free(price),
                Some(price) => Choice::Pay(price),
            },
        }
    }
}

/// As JSON: `null` when nothing is stated, otherwise the entries.
impl Serialize for Pricing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unstated => serializer.serialize_none(),
            Self::Stated(entries) => entries.serialize(serializer),
        }
    }
}
