//! How much a reader spends on a document before it stops.

/// Ceilings that hold while reading. What exceeds one is refused; nothing is ever cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the source. ERC-8257 ("Manifest Parser Hardening") says 1,048,576.
    pub bytes: usize,
    /// How deep arrays and objects may stand in each other; a lone `[]` has depth 1. The standard counts
    /// levels of a *schema* only, so this one is our own: 64 is far above what 16 levels of schema need.
    /// More than [`Limits::DEEPEST`] counts as that.
    pub depth: usize,
    /// JSON values in the whole document, an object's names not counted. Our own: 65,536, which bounds memory to about
    /// 6 MB. A manifest that uses all of ERC-8257's limits at once has about 7,000, and a megabyte of JSON as dense as
    /// schemas usually are about 40,000.
    pub nodes: usize,
}

impl Limits {
    /// The ceilings for a manifest.
    pub const MANIFEST: Self = Self {
        bytes: 1 << 20,
        depth: 64,
        nodes: 1 << 16,
    };

    /// No value of [`depth`](Self::depth) goes beyond this one, so that what walks a document may recurse.
    pub const DEEPEST: usize = 128;
}

impl Default for Limits {
    fn default() -> Self {
        Self::MANIFEST
    }
}
