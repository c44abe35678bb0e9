//! `check_conclusion`: loads what each claim names, and asks the core.

use deedbox_core::{
    conclusion::{Conclusion, Report, Wanted},
    limits,
};

use crate::{Store, StoreError};

/// Checks every claim of `conclusion` against what is recorded in `store`.
///
/// The readings of one claim are let go before those of the next are loaded: together they could be large.
///
/// # Errors
/// [`StoreError`] when the database could not be asked.
pub async fn check(store: &dyn Store, conclusion: &Conclusion) -> Result<Report, StoreError> {
    let mut claims = Vec::with_capacity(conclusion.evidence.len());
    for claim in &conclusion.evidence {
        let loaded = match claim.wanted() {
            Wanted::Evidence(id) => store.evidence(id).await?.into_iter().collect(),
            Wanted::Readings(of) => store.readings(&of, limits::CONCLUSION_READINGS).await?,
            Wanted::Nothing => vec![],
        };
        claims.push(claim.check(&loaded));
    }
    Ok(Report::new(conclusion, claims))
}
