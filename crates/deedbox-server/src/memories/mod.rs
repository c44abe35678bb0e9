//! What callers see of memories.
//!
//! A memory is shown with whom it came from, and with the boundary between them and the caller. Who wrote it says which words are to be
//! read as somebody else's: those that are not known to be the caller's own are [untrusted](ShownMemory::untrusted), and stand behind
//! the [fence](crate::fence) where a model reads them.

mod archive;
pub(crate) mod cursor;
mod history;
mod receipt;
mod request;
mod shown;
mod space;
mod stewards;
mod told;

pub use self::{
    archive::{ExportedVersion, Imported},
    history::{MemoryVersion, ShownHistory, VersionText},
    receipt::MemoryReceipt,
    request::{MemoryRequest, SpaceRequest, StewardRequest},
    shown::{MemoryChange, MemoryPage, MemorySource, Recalled, RecalledMemory, ShownMemory, Why},
    space::{ShownSpace, ShownUsage, SpaceList, SpaceOutcome, SpaceReceipt, SpaceStatus},
    stewards::{
        AuditEntry, AuditPage, DeletedRow, DeletionReport, ExportPage, ImportReport,
        ImportedVersion, ReviewedSource, SpaceReview,
    },
    told::Wrote,
};
pub(crate) use self::{
    archive::{Target, command},
    shown::Look,
    stewards::Review,
    told::Told,
};
