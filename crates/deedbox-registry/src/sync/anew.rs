//! Reading a registry anew: the way out where an index and a chain contradict each other for good.

use deedbox_store::{
    StoreError,
    index::{Index, RegistryId, Standard},
};

/// Drops everything that was read of a registry, with the checks of its tools, and begins it again from block `from`. Nothing is asked of its
/// chain. May be done while somebody reads it: whoever that is finds its lease superseded, writes nothing more of what it knew, and takes the
/// registry up again when nobody else has it.
///
/// # Errors
/// [`StoreError`]. It may be dropped and not begun then; whoever [aligns](super::align) the index next begins it.
pub async fn anew(
    index: &dyn Index,
    registry: RegistryId,
    standard: Standard,
    from: u64,
) -> Result<(), StoreError> {
    tracing::info!(%registry, "it is to be read anew: what was read of it is dropped from the index");
    index.forget(registry).await?;
    index.begin(registry, standard, from).await.map(drop)
}
