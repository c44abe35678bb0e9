//! Where lists of memories go on.

use deedbox_core::{MemoryId, Refusal, Timestamp};
use deedbox_store::MemoryPlace;
use uuid::Uuid;

use crate::{cursor, inputs::ListMemories};

/// The list of memories.
const MEMORIES: &str = "memories";

/// What a cursor is bound to: the arguments but for the page.
fn filter(list: &ListMemories) -> Vec<u8> {
    let same = ListMemories {
        limit: None,
        cursor: None,
        ..list.clone()
    };
    // Infallible: texts and lists in a struct.
    serde_json_canonicalizer::to_vec(&same).unwrap_or_default()
}

/// The cursor of the page after `place`.
pub(crate) fn next(place: MemoryPlace, list: &ListMemories) -> String {
    let mut body = Vec::with_capacity(24);
    body.extend(place.created_at.as_millis().to_be_bytes());
    body.extend(place.id.0.as_bytes());
    cursor::seal(MEMORIES, &body, &filter(list))
}

/// The place after which a page begins; none for the first.
///
/// # Errors
/// [`Refusal::InvalidInput`] when the cursor is none of this list.
pub(crate) fn after(list: &ListMemories) -> Result<Option<MemoryPlace>, Refusal> {
    let Some(text) = &list.cursor else {
        return Ok(None);
    };
    let place = cursor::unseal::<24>(MEMORIES, &text.0, &filter(list)).and_then(|body| {
        let (millis, id) = body.split_at(8);
        let millis = i64::from_be_bytes(millis.try_into().ok()?);
        Some(MemoryPlace {
            created_at: Timestamp::from_millis(millis).ok()?,
            id: MemoryId(Uuid::from_slice(id).ok()?),
        })
    });
    place.map(Some).ok_or_else(|| {
        let reason =
            "must be the next_cursor of a page that was asked for with the same other arguments";
        Refusal::invalid("cursor", reason)
    })
}
