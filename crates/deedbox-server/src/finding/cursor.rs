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

/// Where a search goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// By which numbering the index had its rows when the search began.
    pub(crate) numbering: i64,
    /// Up to where it was shown.
    pub(crate) place: WindowPlace,
}

/// The cursor of a page: the numbering, the newest row, and how far below the one before each row is that was shown, in LEB128. Of a window's
/// 256 rows that is a byte or two for each.
pub(crate) fn next(page: &Page, tool: &str, filter: &[u8]) -> String {
    let newest = page.place.newest;
    let mut body = [page.numbering.to_be_bytes(), newest.to_be_bytes()].concat();
    let mut above = newest;
    for row in page.place.shown.iter().rev() {
        let mut step = above.abs_diff(*row);
        above = *row;
        while step >= 0x80 {
            body.push(step.to_le_bytes()[0] | 0x80);
            step >>= 7;
        }
        body.push(step.to_le_bytes()[0]);
    }
    cursor::seal(tool, &body, filter)
}

/// Reads such a cursor.
///
/// # Errors
/// [`Refusal::InvalidInput`] when it is none of this search.
pub(crate) fn after(text: &str, tool: &str, filter: &[u8]) -> Result<Page, Refusal> {
    let body = cursor::unseal_any(tool, text, filter);
    body.and_then(|body| page(&body)).ok_or_else(foreign)
}

fn page(body: &[u8]) -> Option<Page> {
    let (numbering, body) = body.split_first_chunk()?;
    let (newest, body) = body.split_first_chunk()?;
    let (newest, mut shown) = (i64::from_be_bytes(*newest), Vec::new());
    let (mut above, mut step, mut bits) = (newest, 0_u64, 0_u32);
    for byte in body {
        step |= u64::from(byte & 0x7f).checked_shl(bits)?;
        if byte & 0x80 != 0 {
            bits += 7;
            continue;
        }
        above = above.checked_sub_unsigned(step)?;
        shown.push(above);
        (step, bits) = (0, 0);
    }
    shown.reverse();
    let place = WindowPlace { newest, shown };
    (bits == 0).then_some(Page {
        numbering: i64::from_be_bytes(*numbering),
        place,
    })
}

/// Refuses to go on by another numbering than the search began with.
///
/// # Errors
/// [`Refusal::InvalidInput`], naming the cursor.
pub(crate) fn still_counts(page: &Page, numbering: i64) -> Result<(), Refusal> {
    if page.numbering == numbering {
        return Ok(());
    }
    let reason = "is of an index, or of a registry in it, that was thrown away since; begin again without it";
    Err(Refusal::invalid("cursor", reason))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back_as_it_was_and_is_no_longer_than_a_schema_lets_it_be() {
        let dense: Vec<_> = (1..=255).collect();
        let sparse: Vec<_> = (1..=255).map(|n| n * 400_000).collect();
        for (newest, shown) in [
            (1, vec![]),
            (70, vec![70]),
            (i64::MAX, vec![1, i64::MAX]),
            (255, dense),
            (102_000_000, sparse),
        ] {
            let place = WindowPlace { newest, shown };
            let page = Page {
                numbering: -7,
                place,
            };
            let text = next(&page, "find_agents", b"filter");
            assert_eq!(after(&text, "find_agents", b"filter"), Ok(page));
            assert!(text.len() <= 2_048, "{}", text.len());
        }
    }

    #[test]
    fn a_body_that_nobody_sealed_is_no_place() {
        let whole = |rows: &[u8]| page(&[&[0; 16][..], rows].concat());
        assert!(whole(&[1, 0x80, 1]).is_some());
        assert_eq!(whole(&[0x80]), None, "cut");
        assert_eq!(whole(&[0xff; 10]), None, "more than a number has bits");
        assert_eq!(page(&[0; 15]), None);
    }
}
