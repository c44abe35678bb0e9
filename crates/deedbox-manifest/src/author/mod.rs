//! For whoever writes a manifest, before it is published: a manifest to [start from](Template), and repairs that need no
//! thought ([`normalise`]).
//!
//! Nothing here is for consumers. They have to reject what these functions would repair (ERC-8257 §2): a repair
//! changes what was hashed.

mod fields;
mod normalise;
mod template;

pub use normalise::{Edit, Left, Normalised, Reason, normalise};
pub use template::Template;
