//! How long a copy of a manifest may be relied upon (ERC-8257, "Manifest Freshness").

/// The window to use, in seconds: the consumer's own, shortened by the manifest's `maxAge` where there is one. A creator
/// can shorten it, never lengthen it.
#[must_use]
pub fn window(own: u64, max_age: Option<u64>) -> u64 {
    max_age.map_or(own, |max_age| own.min(max_age))
}
