//! Every rule of ERC-8257 §2–§6 about a manifest that could be read.
//!
//! Each file has the rules of one part of the document. None of them stops at the first fault: a field that
//! is wrong is reported, and the next one is looked at.

mod access;
mod caip;
mod creator;
mod extensions;
mod findings;
mod names;
mod pricing;
mod text;
mod top;
mod urls;
mod verifiability;

pub(crate) use findings::{Findings, Place, Quoted};
pub use top::TYPE_V1;
pub(crate) use top::check_document;
