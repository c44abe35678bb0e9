//! `check_conclusion`: loads what each claim names, and asks the core.

use std::collections::BTreeMap;

use deedbox_core::{
    conclusion::{Budget, Claim, Conclusion, Loaded, Report, Wanted},
    limits,
};

use crate::{Store, StoreError};

/// Checks every claim of `conclusion` against what is recorded in `store`.
///
/// What several claims want is loaded once, and let go before anything else is loaded: together it could be large.
/// Nothing is loaded any more once [`limits::CONCLUSION_BYTES`] are opened; the claims that are left are unsupported.
///
/// # Errors
/// [`StoreError`] when the database could not be asked.
pub async fn check(store: &dyn Store, conclusion: &Conclusion) -> Result<Report, StoreError> {
    let mut wanted: BTreeMap<Wanted, Vec<(usize, &Claim)>> = BTreeMap::new();
    for (place, claim) in conclusion.evidence.iter().enumerate() {
        wanted
            .entry(claim.wanted())
            .or_default()
            .push((place, claim));
    }
    let mut budget = Budget::default();
    let mut reports = BTreeMap::new();
    for (wanted, claims) in wanted {
        let found = match wanted {
            _ if budget.is_spent() => vec![],
            Wanted::Evidence(id) => store.evidence(id).await?.into_iter().collect(),
            Wanted::Readings(of) => store.readings(&of, limits::CONCLUSION_READINGS).await?,
            Wanted::Nothing => vec![],
        };
        let loaded = Loaded::open(found, &mut budget);
        for (place, claim) in claims {
            reports.insert(place, claim.check(&loaded));
        }
    }
    Ok(Report::new(conclusion, reports.into_values().collect()))
}
