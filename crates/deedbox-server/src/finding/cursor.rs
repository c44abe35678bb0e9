//! Where pages of candidates and of histories go on.

use deedbox_core::Refusal;
use deedbox_store::index::{Place, WindowPlace};
use serde::Serialize;

use crate::cursor;

/// What a cursor is bound to: the tool, and its arguments but for the page.
pub(super) fn filter(tool: &str, arguments: &impl Serialize) -> Vec<u8> {
    // Infallible: texts, whole numbers and lists in structs.
    serde_json_canonicalizer::to_vec(&(tool, arguments)).unwrap_or_default()
}

/// The cursor of the page after `place`.
pub(crate) fn next(place: WindowPlace, tool: &str, filter: &[u8]) -> String {
    let mut body = [0; 12];
    body[..8].copy_from_slice(&place.newest.to_be_bytes());
    body[8..].copy_from_slice(&place.shown.to_be_bytes());
    cursor::seal(tool, &body, filter)
}

/// Reads such a cursor.
///
/// # Errors
/// [`Refusal::InvalidInput`] when it is none of this search.
pub(crate) fn after(text: &str, tool: &str, filter: &[u8]) -> Result<WindowPlace, Refusal> {
    let body: [u8; 12] = cursor::unseal(tool, text, filter).ok_or_else(foreign)?;
    let (newest, shown) = body.split_at(8);
    let place = WindowPlace {
        newest: i64::from_be_bytes(newest.try_into().map_err(|_| foreign())?),
        shown: u32::from_be_bytes(shown.try_into().map_err(|_| foreign())?),
    };
    Ok(place)
}

/// The cursor of what was said before `place`.
pub(crate) fn at_place(place: Place, tool: &str, filter: &[u8]) -> String {
    let mut body = [0; 16];
    body[..8].copy_from_slice(&place.block.to_be_bytes());
    body[8..].copy_from_slice(&place.log_index.to_be_bytes());
    cursor::seal(tool, &body, filter)
}

/// Reads such a cursor.
///
/// # Errors
/// [`Refusal::InvalidInput`] when it is none of this history.
pub(crate) fn place(text: &str, tool: &str, filter: &[u8]) -> Result<Place, Refusal> {
    let body: [u8; 16] = cursor::unseal(tool, text, filter).ok_or_else(foreign)?;
    let (block, log) = body.split_at(8);
    Ok(Place {
        block: u64::from_be_bytes(block.try_into().map_err(|_| foreign())?),
        log_index: u64::from_be_bytes(log.try_into().map_err(|_| foreign())?),
    })
}

fn foreign() -> Refusal {
    let reason =
        "must be the next_cursor of a page that was asked for with the same other arguments";
    Refusal::invalid("cursor", reason)
}
