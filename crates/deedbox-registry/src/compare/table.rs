//! The comparison itself, from what was read. Asks nobody.

use std::collections::BTreeMap;

use deedbox_chain::UntrustedText;
use deedbox_core::ReadProvenance;
use deedbox_manifest::{
    pricing::{Choice, Price},
    schema::{Consent, PreFilled, Source},
};

use super::{
    CompareTools,
    answer::{
        ComparedAccess, ComparedPrice, ComparedTool, ComparisonWarning, ConsentFact, Cost,
        PreFilledFact, Registered, ToolComparison,
    },
    asset::{Decimals, Denomination, NoDecimals},
    order::{self, Placed},
    words,
};
use crate::{ToolAccess, ToolVerification, access::Access, verify::ManifestFacts, view::account};

// Ten tools have to fit into one piece of evidence, whatever their creators wrote.

/// How much is kept of an asset, an account and a protocol, in bytes: assets and accounts fit.
const MOST_OF_A_NAME: usize = 288;
/// The same of a value that a manifest fills in, and of where it stands.
const MOST_OF_A_VALUE: usize = 128;
/// The most values that are listed of one tool.
const MOST_FILLED: usize = 16;
/// The most ways to pay; the chosen one is listed in any case.
const MOST_PRICES: usize = 8;
/// The most reasons why a check failed.
const MOST_REASONS: usize = 8;

/// What was read of one tool.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) found: ToolVerification,
    pub(super) access: Option<ToolAccess>,
    pub(super) registered: Registered,
}

impl Row {
    /// What its manifest says, if that may be gone by.
    fn trusted(&self) -> Option<&ManifestFacts> {
        self.found.manifest.as_ref().filter(|_| self.found.verified)
    }

    /// Its prices, if they may be gone by.
    fn prices(&self) -> &[Price] {
        self.trusted()
            .map_or(&[], |facts| facts.stated.pricing.entries())
    }

    /// The prices that are listed: the first ones, and the one that a caller would take.
    fn listed(&self, protocols: Option<&[String]>) -> impl Iterator<Item = (&Price, bool)> {
        let chosen = match self.choice(protocols) {
            Choice::Free(price) | Choice::Pay(price) => Some(price),
            Choice::Unstated | Choice::Unknown => None,
        };
        let all = self.prices().iter().enumerate();
        all.filter_map(move |(index, price)| {
            let is_chosen = chosen.is_some_and(|chosen| std::ptr::eq(chosen, price));
            (index < MOST_PRICES || is_chosen).then_some((price, is_chosen))
        })
    }

    /// What the listed ones are in.
    pub(super) fn denominations(
        &self,
        protocols: Option<&[String]>,
    ) -> impl Iterator<Item = Denomination> {
        let listed = self.listed(protocols);
        listed.filter_map(|(price, _)| Denomination::read(&price.asset))
    }

    fn choice(&self, protocols: Option<&[String]>) -> Choice<'_> {
        let supports =
            |protocol: &str| protocols.is_none_or(|all| all.iter().any(|one| one == protocol));
        match self.trusted() {
            Some(facts) => facts.stated.pricing.choose(supports),
            None => Choice::Unknown,
        }
    }
}

/// What was read beside the tools.
#[derive(Debug)]
pub(super) struct Read {
    /// The block of the first tool's chain.
    pub(super) provenance: ReadProvenance,
    pub(super) chains: Vec<ReadProvenance>,
    pub(super) decimals: BTreeMap<Denomination, Decimals>,
}

/// Compares what was read.
pub(super) fn compare(request: &CompareTools, read: Read, rows: Vec<Row>) -> ToolComparison {
    let protocols = request.protocols.as_deref();
    let asked = request.asset.as_ref().map(Denomination::of);
    let sides: Vec<_> = rows.iter().map(|row| of_order(row, protocols)).collect();
    let ordered = order::order(&sides, asked);
    let tools = rows.into_iter();
    let tools: Vec<_> = tools
        .map(|row| side(row, protocols, &read.decimals))
        .collect();
    let named = |index: usize| tools.get(index).map(|one| one.tool.clone());
    let placed = |place: order::Place| Placed {
        tool: named(place.index).unwrap_or_default(),
        because: place.because,
    };
    ToolComparison {
        provenance: read.provenance,
        chains: read.chains,
        account: request.account.map(account),
        asset: ordered.asset.map(|asset| asset.as_str().to_owned()),
        order: ordered.places.into_iter().map(placed).collect(),
        tools,
        not_compared: ordered.not_compared,
    }
}

fn of_order(row: &Row, protocols: Option<&[String]>) -> order::Side {
    let price = match row.choice(protocols) {
        Choice::Unstated => order::Price::Unstated,
        Choice::Unknown if row.found.verified => order::Price::NotPayable,
        Choice::Unknown => order::Price::Unknown,
        Choice::Free(_) => order::Price::Free,
        Choice::Pay(price) => order::Price::Of {
            digits: price.amount.to_string(),
            asset: Denomination::read(&price.asset),
        },
    };
    let access = row.access.as_ref().map(|one| one.access);
    order::Side {
        verified: row.found.verified,
        may_use: access.map(|access| matches!(access, Access::Open | Access::Granted)),
        price,
        tier: row.trusted().map(|facts| facts.stated.tier),
        since: match row.registered {
            Registered::At { at, .. } => Some(at),
            Registered::NotIndexed | Registered::IndexUnavailable => None,
        },
    }
}

fn side(
    row: Row,
    protocols: Option<&[String]>,
    decimals: &BTreeMap<Denomination, Decimals>,
) -> ComparedTool {
    let cost = cost(&row, protocols, decimals);
    let warnings = warnings(&row, &cost);
    let trusted = row.trusted();
    let filled = trusted.map_or(&[][..], |facts| &facts.stated.pre_filled);
    let pre_filled = filled
        .iter()
        .take(MOST_FILLED)
        .map(PreFilledFact::of)
        .collect();
    let tier = trusted.map(|facts| facts.tier.clone());
    let (max_age, description) = (
        trusted.and_then(|facts| facts.max_age),
        trusted.and_then(|facts| facts.description.clone()),
    );
    let Row {
        found,
        access,
        registered,
    } = row;
    let failed = found.failed;
    let checks = found.checks.into_iter();
    let reasons = checks.filter(|check| Some(check.check) == failed);
    ComparedTool {
        tool: found.tool,
        verified: found.verified,
        failed,
        reasons: reasons
            .flat_map(|check| check.reasons)
            .take(MOST_REASONS)
            .collect(),
        registration: found.registration,
        registered,
        name: found.manifest.and_then(|facts| facts.name),
        description,
        tier,
        cost,
        access: access.map(ComparedAccess::of),
        pre_filled,
        freshness: found.freshness,
        max_age,
        warnings,
    }
}

fn cost(
    row: &Row,
    protocols: Option<&[String]>,
    decimals: &BTreeMap<Denomination, Decimals>,
) -> Cost {
    let choice = row.choice(protocols);
    let prices = row.listed(protocols);
    let prices = prices.map(|(price, is_chosen)| compared(price, is_chosen, protocols, decimals));
    let prices = prices.collect();
    match choice {
        Choice::Unstated => Cost::Unstated,
        Choice::Unknown if row.found.verified => Cost::NoSupportedProtocol { prices },
        Choice::Unknown => Cost::Unknown,
        Choice::Free(_) => Cost::DeclaredFree { prices },
        Choice::Pay(_) => Cost::Priced { prices },
    }
}

fn compared(
    price: &Price,
    is_chosen: bool,
    protocols: Option<&[String]>,
    decimals: &BTreeMap<Denomination, Decimals>,
) -> ComparedPrice {
    let shown = |text: &str| capped(text, MOST_OF_A_NAME);
    let unknown = |why| Decimals::Unknown { why };
    let decimals = match Denomination::read(&price.asset) {
        None => unknown(NoDecimals::NotAnAsset),
        Some(asset) => {
            let known = decimals.get(&asset).copied();
            known.unwrap_or(unknown(NoDecimals::ChainNotRead))
        }
    };
    ComparedPrice {
        amount: price.amount.to_string(),
        in_units: decimals.in_units(price.amount.as_str()),
        decimals,
        is_free: price.amount.is_zero(),
        asset: shown(&price.asset),
        recipient: shown(&price.recipient),
        protocol: shown(&price.protocol),
        protocol_is_supported: protocols.map(|all| all.contains(&price.protocol)),
        is_chosen,
    }
}

/// A stranger's text, of which no more is kept than `most` bytes.
fn capped(text: &str, most: usize) -> UntrustedText {
    let kept = text
        .get(..text.floor_char_boundary(most))
        .unwrap_or_default();
    let mut shown = UntrustedText::read_long(kept.as_bytes(), most);
    shown.truncated |= kept.len() < text.len();
    shown
}

fn warnings(row: &Row, cost: &Cost) -> Vec<ComparisonWarning> {
    use ComparisonWarning as W;
    let facts = row.trusted();
    let filled = facts.map_or(&[][..], |facts| &facts.stated.pre_filled);
    let prices = match cost {
        Cost::Unknown | Cost::Unstated => &[][..],
        Cost::DeclaredFree { prices }
        | Cost::Priced { prices }
        | Cost::NoSupportedProtocol { prices } => prices,
    };
    let unknown = |price: &ComparedPrice| price.in_units.is_none() && !price.is_free;
    let all = [
        (!row.found.verified, W::NotVerified),
        (*cost == Cost::Unstated, W::PriceUnstated),
        (
            matches!(cost, Cost::NoSupportedProtocol { .. }),
            W::NoSupportedProtocol,
        ),
        (prices.iter().any(unknown), W::DecimalsUnknown),
        (
            facts.is_some_and(|facts| !facts.tier.inconsistencies.is_empty()),
            W::TierContradicted,
        ),
        (
            facts.is_some_and(|facts| facts.not_invocable.is_some()),
            W::NotInvocable,
        ),
        (
            filled.iter().any(|one| one.consent != Consent::Show),
            W::FillsInArguments,
        ),
        (filled.len() > MOST_FILLED, W::MoreFilledIn),
        (row.prices().len() > prices.len(), W::MorePrices),
        (
            facts.is_some_and(|facts| facts.max_age == Some(0)),
            W::VerifyEachTime,
        ),
        (row.found.registry.proxy.is_some(), W::RegistryIsProxy),
    ];
    let so = all.into_iter().filter(|(is_so, _)| *is_so);
    so.map(|(_, warning)| warning).collect()
}

impl ComparedAccess {
    fn of(found: ToolAccess) -> Self {
        let requirements = found.predicate.map(|predicate| predicate.requirements);
        Self {
            access: found.access,
            takes: requirements.as_ref().map(words::of).unwrap_or_default(),
            warnings: found.warnings,
        }
    }
}

impl PreFilledFact {
    fn of(filled: &PreFilled) -> Self {
        let shown = |text: &str| capped(text, MOST_OF_A_VALUE);
        Self {
            pointer: shown(&filled.pointer),
            argument: filled.argument.as_deref().map(shown),
            keyword: match filled.source {
                Source::OnlyChoice => "enum".to_owned(),
                source @ (Source::Default | Source::Const) => source.keyword().to_owned(),
            },
            value: shown(&filled.value),
            consent: match filled.consent {
                Consent::Show => ConsentFact::Show,
                Consent::Confirm => ConsentFact::Confirm,
                Consent::Acknowledge => ConsentFact::Acknowledge,
            },
        }
    }
}
