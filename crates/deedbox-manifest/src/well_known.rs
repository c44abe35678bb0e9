//! The address that a manifest is registered under (ERC-8257 §6): `<origin>/.well-known/ai-tool/<slug>.json`.
//!
//! This half of check 2 of §7 needs nothing but the `metadataURI` itself, so it can be run *before* anything is
//! fetched: a URL that breaks a rule is then never requested (reading M-05).

use std::{fmt, ops::Range};

use crate::url::{FaultKind, Gravity, HttpsUrl, MAX_BYTES, MAX_SLUG, Origin, WELL_KNOWN, is_label};

/// A `metadataURI` that is where a manifest has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WellKnown {
    /// Whose manifest it can be: that of an `endpoint` with the same origin, and no other.
    pub origin: Origin,
    /// The name of the tool on this origin.
    pub slug: String,
    /// Whether the text was in canonical form already (rules G1, G2). What is written on chain should be.
    pub normalised: bool,
}

/// Why a `metadataURI` is not where a manifest has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriFault {
    /// What it is.
    pub kind: UriFaultKind,
    /// Where, in bytes of the `metadataURI`.
    pub at: Range<usize>,
}

/// What can be wrong with a `metadataURI`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UriFaultKind {
    /// It has more than 2,048 bytes; this is how many. No registry takes it (ERC-8257 §1).
    TooLong(usize),
    /// It is no URL that every reader takes for the same.
    Url(FaultKind),
    /// It has a `?` or a `#`, with or without something behind it (rule W2).
    QueryOrFragment,
    /// Its path is not `/.well-known/ai-tool/<slug>.json` (rule W1).
    Path,
    /// A percent sign stands where the slug should be (rule W3).
    EncodedSlug,
    /// The slug does not match `[a-z0-9]([a-z0-9-]*[a-z0-9])?`.
    Slug,
    /// The slug has more than 64 characters; this is how many.
    SlugTooLong(usize),
}

impl UriFault {
    /// The rule that is broken, as the conformance table names it.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        match self.kind {
            UriFaultKind::TooLong(_) => "8257-1-04",
            UriFaultKind::Url(FaultKind::NotHttps) => "8257-6-15",
            UriFaultKind::Url(FaultKind::UnicodeHost) => "8257-6-11",
            UriFaultKind::Url(_) => "8257-M-13",
            UriFaultKind::QueryOrFragment => "8257-6-13",
            UriFaultKind::Path => "8257-6-12",
            UriFaultKind::EncodedSlug => "8257-6-14",
            UriFaultKind::Slug => "8257-6-02",
            UriFaultKind::SlugTooLong(_) => "8257-6-03",
        }
    }

    /// What to do about it: one sentence.
    #[must_use]
    pub fn fix(&self) -> &'static str {
        match self.kind {
            UriFaultKind::TooLong(_) => "Use an address of at most 2,048 bytes.",
            UriFaultKind::Url(kind) => kind.fix(),
            UriFaultKind::QueryOrFragment => "Remove the ? or # and what follows it.",
            UriFaultKind::Path => {
                "Serve the manifest at /.well-known/ai-tool/<slug>.json on the endpoint's origin, and register that URL."
            }
            UriFaultKind::EncodedSlug | UriFaultKind::Slug => {
                "Use lower-case letters, digits and hyphens for the slug, with no hyphen at either end."
            }
            UriFaultKind::SlugTooLong(_) => "Use a slug of at most 64 characters.",
        }
    }
}

impl fmt::Display for UriFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            UriFaultKind::TooLong(found) => {
                write!(
                    f,
                    "metadataURI has {found} bytes, and at most {MAX_BYTES} are allowed"
                )
            }
            UriFaultKind::Url(kind) => write!(f, "metadataURI {kind}"),
            UriFaultKind::QueryOrFragment => f.write_str("metadataURI has a ? or a # in it"),
            UriFaultKind::Path => {
                f.write_str("the path of metadataURI is not /.well-known/ai-tool/<slug>.json")
            }
            UriFaultKind::EncodedSlug => f.write_str("the slug of metadataURI is percent-encoded"),
            UriFaultKind::Slug => {
                f.write_str("the slug of metadataURI has characters that slugs have not")
            }
            UriFaultKind::SlugTooLong(found) => {
                write!(
                    f,
                    "the slug of metadataURI has {found} characters, and at most {MAX_SLUG} are allowed"
                )
            }
        }
    }
}

impl std::error::Error for UriFault {}

impl WellKnown {
    /// Judges a `metadataURI` by itself.
    ///
    /// Capitals in scheme or host and a written-out port 443 are no fault, because ERC-8257 §6 compares
    /// after normalisation; [`normalised`](Self::normalised) tells. Whatever the standard does not name
    /// but software rewrites silently (user names, dot steps, a trailing dot …) is refused here, since this URL
    /// has exactly one right spelling (reading M-13).
    ///
    /// # Errors
    /// Every [`UriFault`], in the order of the text.
    pub fn read(uri: &str) -> Result<Self, Vec<UriFault>> {
        let mut faults = Vec::new();
        let mut fault = |kind, at| faults.push(UriFault { kind, at });
        if uri.len() > MAX_BYTES {
            fault(UriFaultKind::TooLong(uri.len()), 0..uri.len());
        }
        let url = HttpsUrl::read(uri);
        let mut normalised = true;
        for found in url.faults() {
            match found.kind.gravity() {
                Gravity::NotNormalised => normalised = false,
                Gravity::Odd | Gravity::Broken => {
                    fault(UriFaultKind::Url(found.kind), found.at.clone());
                }
            }
        }
        if let Some(at) = uri.find(['?', '#']) {
            fault(UriFaultKind::QueryOrFragment, at..uri.len());
        }
        let (slug, at) = match slug(url.path_text()) {
            Some(slug) => (slug, slug.as_ptr().addr() - uri.as_ptr().addr()),
            None if url
                .faults()
                .iter()
                .any(|fault| fault.kind == FaultKind::NotHttps) =>
            {
                ("", 0)
            }
            None => {
                let path = url.path_text();
                let at = path.as_ptr().addr().saturating_sub(uri.as_ptr().addr());
                fault(UriFaultKind::Path, at..at + path.len());
                ("", 0)
            }
        };
        if !slug.is_empty() {
            let place = at..at + slug.len();
            if slug.contains('%') {
                fault(UriFaultKind::EncodedSlug, place);
            } else if !is_label(slug) {
                fault(UriFaultKind::Slug, place);
            } else if slug.len() > MAX_SLUG {
                fault(UriFaultKind::SlugTooLong(slug.len()), place);
            }
        }
        faults.sort_by_key(|fault| (fault.at.start, fault.at.end));
        match url.origin() {
            Some(origin) if faults.is_empty() => Ok(Self {
                origin,
                slug: slug.to_owned(),
                normalised,
            }),
            _ => Err(faults),
        }
    }
}

impl fmt::Display for WellKnown {
    /// The one canonical spelling: what has to be written on chain.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{WELL_KNOWN}{}.json", self.origin, self.slug)
    }
}

/// What stands between `/.well-known/ai-tool/` and `.json`, unless that is nothing or more than one step.
fn slug(path: &str) -> Option<&str> {
    path.strip_prefix(WELL_KNOWN)?
        .strip_suffix(".json")
        .filter(|slug| !slug.is_empty() && !slug.contains('/'))
}
