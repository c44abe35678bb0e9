//! What callers see of memories.
//!
//! A memory is shown with whom it came from, and with the boundary between them and the caller. Who wrote it says which words are to be
//! read as somebody else's: those that are not known to be the caller's own are [untrusted](ShownMemory::untrusted), and stand behind
//! the [fence](crate::fence) where a model reads them.

pub(crate) mod cursor;
mod receipt;
mod request;
mod shown;

pub(crate) use self::shown::Look;
pub use self::{
    receipt::{MemoryReceipt, Wrote},
    request::MemoryRequest,
    shown::{MemoryChange, MemoryPage, MemorySource, Recalled, RecalledMemory, ShownMemory, Why},
};
