//! Manifests of tools, as far as the rules need to know of them: their hashes.

use crate::hex::hex_bytes;

hex_bytes! {
    /// The hash that a tool's creator registered for its manifest: Keccak-256 over the canonical bytes (ERC-8257 §4).
    ManifestHash, NotAManifestHash, 32, 64
}
