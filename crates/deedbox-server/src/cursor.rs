//! Cursors: the place after which the next page of a list begins, as an opaque text.
//!
//! A cursor says for which filter it was made and carries a checksum, so that one that was altered, cut,
//! invented, or taken from a list with another filter is refused rather than quietly answered with the
//! wrong page. It is no secret and no permission: it names a place, and the place need not exist any more.

use data_encoding::BASE64URL_NOPAD;
use deedbox_core::{ActorId, Refusal, TaskId, Timestamp};
use deedbox_store::Place;
use sha2::{Digest, Sha256};
use uuid::Uuid;

const VERSION: u8 = 1;
/// Version, creation time, task, checksum.
const BYTES: usize = 1 + 8 + 16 + 8;

fn checksum(body: &[u8], filter: Option<&ActorId>) -> [u8; 8] {
    let mut sha = Sha256::new_with_prefix(b"deedbox/cursor/unaccepted/v1\0");
    sha.update(body);
    // An id is never empty, so no filter and a filter never hash alike.
    sha.update(filter.map_or("", ActorId::as_str).as_bytes());
    let digest = sha.finalize();
    let mut sum = [0; 8];
    sum.copy_from_slice(&digest[..8]);
    sum
}

/// Writes the cursor for the page after `place` in the list of unaccepted tasks with this filter.
#[must_use]
pub fn write(place: Place, filter: Option<&ActorId>) -> String {
    let mut bytes = Vec::with_capacity(BYTES);
    bytes.push(VERSION);
    bytes.extend(place.created_at.as_millis().to_be_bytes());
    bytes.extend(place.id.0.as_bytes());
    let sum = checksum(&bytes, filter);
    bytes.extend(sum);
    BASE64URL_NOPAD.encode(&bytes)
}

/// Reads a cursor back.
///
/// # Errors
/// [`Refusal::InvalidInput`] when it was not written by [`write()`] for this filter.
pub fn read(text: &str, filter: Option<&ActorId>) -> Result<Place, Refusal> {
    parse(text, filter).ok_or_else(|| {
        Refusal::invalid(
            "cursor",
            "must be the nextCursor of a page of this list, fetched with the same actorId",
        )
    })
}

fn parse(text: &str, filter: Option<&ActorId>) -> Option<Place> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    let bytes: &[u8; BYTES] = bytes.as_slice().try_into().ok()?;
    let (body, sum) = bytes.split_at(BYTES - 8);
    if body[0] != VERSION || checksum(body, filter) != sum {
        return None;
    }
    let millis = i64::from_be_bytes(body[1..9].try_into().ok()?);
    Some(Place {
        created_at: Timestamp::from_millis(millis).ok()?,
        id: TaskId(Uuid::from_slice(&body[9..]).ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            created_at: Timestamp::from_millis(1_796_000_000_007).unwrap(),
            id: TaskId(Uuid::from_u128(7)),
        }
    }

    #[test]
    fn a_cursor_reads_back_only_with_its_own_filter() {
        let (alice, bob) = (ActorId::new("alice").unwrap(), ActorId::new("bob").unwrap());
        for (filter, others) in [
            (None, [Some(&alice), Some(&bob)]),
            (Some(&alice), [None, Some(&bob)]),
        ] {
            let text = write(place(), filter);
            assert_eq!(read(&text, filter), Ok(place()));
            for other in others {
                assert!(read(&text, other).is_err(), "{filter:?} {other:?}");
            }
        }
    }

    #[test]
    fn every_altered_character_is_noticed() {
        let text = write(place(), None);
        for at in 0..text.len() {
            let mut altered = text.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).unwrap();
            assert!(read(&altered, None).is_err(), "at {at}");
        }
        for bad in [
            "",
            "A",
            "é",
            "====",
            &text[1..],
            &format!("{text}A"),
            &format!("{text}="),
        ] {
            assert!(read(bad, None).is_err(), "{bad:?}");
        }
    }
}
