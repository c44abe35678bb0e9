//! What the text of a URL says about where a fetch would go, before anything is resolved.

use deedbox_manifest::url::{FaultKind, Gravity, HttpsUrl, MAX_BYTES};
use url::Url;

use crate::FetchError;

/// Takes the URL apart. Rules G1 and G2 of ERC-8257 §6 are applied, not demanded; beyond that nothing is changed, and what other
/// software would change or read differently is refused (reading M-13), so that one text means one place.
///
/// # Errors
/// [`FetchError::UrlTooLong`], [`FetchError::NotHttps`], [`FetchError::BadUrl`] with the first fault.
pub(crate) fn read(text: &str) -> Result<Url, FetchError> {
    if text.len() > MAX_BYTES {
        return Err(FetchError::UrlTooLong(text.len()));
    }
    let read = HttpsUrl::read(text);
    let mut faults = read.faults().iter().map(|fault| fault.kind);
    match faults.find(|kind| kind.gravity() != Gravity::NotNormalised) {
        Some(FaultKind::NotHttps) => return Err(FetchError::NotHttps),
        Some(kind) => return Err(FetchError::BadUrl(kind)),
        None => {}
    }
    read.normalised()
        .and_then(|text| Url::parse(&text).ok())
        .filter(|url| url.scheme() == "https")
        // Ours and the usual parser disagree about it.
        .ok_or(FetchError::BadUrl(FaultKind::DisputedHost))
}
