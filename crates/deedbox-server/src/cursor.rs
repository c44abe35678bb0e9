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
/// The list of unaccepted tasks.
const UNACCEPTED: &str = "unaccepted";
/// Creation time and task.
const BYTES: usize = 8 + 16;
/// How much of the hash is the checksum.
const SUM: usize = 8;

fn checksum(list: &str, body: &[u8], filter: &[u8]) -> [u8; SUM] {
    let mut sha = Sha256::new_with_prefix(format!("deedbox/cursor/{list}/v1\0"));
    sha.update([VERSION]);
    sha.update(body);
    sha.update(filter);
    let digest = sha.finalize();
    let mut sum = [0; SUM];
    sum.copy_from_slice(&digest[..SUM]);
    sum
}

/// A cursor of a list with this filter: version, `body`, checksum.
pub(crate) fn seal(list: &str, body: &[u8], filter: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(1 + body.len() + SUM);
    bytes.push(VERSION);
    bytes.extend(body);
    bytes.extend(checksum(list, body, filter));
    BASE64URL_NOPAD.encode(&bytes)
}

/// The body of a cursor that [`seal`] made of `N` bytes for the same list and filter.
pub(crate) fn unseal<const N: usize>(list: &str, text: &str, filter: &[u8]) -> Option<[u8; N]> {
    unseal_any(list, text, filter)?.try_into().ok()
}

/// The same of a body of any length.
pub(crate) fn unseal_any(list: &str, text: &str, filter: &[u8]) -> Option<Vec<u8>> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    let (version, rest) = bytes.split_first()?;
    let (body, sum) = rest.split_last_chunk::<SUM>()?;
    let whole = *version == VERSION && checksum(list, body, filter) == *sum;
    whole.then(|| body.to_vec())
}

/// Writes the cursor for the page after `place` in the list of unaccepted tasks with this filter.
#[must_use]
pub fn write(place: Place, filter: Option<&ActorId>) -> String {
    let mut body = Vec::with_capacity(BYTES);
    body.extend(place.created_at.as_millis().to_be_bytes());
    body.extend(place.id.0.as_bytes());
    seal(UNACCEPTED, &body, of_actor(filter))
}

/// An id is never empty, so no filter and a filter are never the same.
fn of_actor(filter: Option<&ActorId>) -> &[u8] {
    filter.map_or(&[], |actor| actor.as_str().as_bytes())
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
    let body: [u8; BYTES] = unseal(UNACCEPTED, text, of_actor(filter))?;
    let (millis, id) = body.split_at(8);
    let millis = i64::from_be_bytes(millis.try_into().ok()?);
    Some(Place {
        created_at: Timestamp::from_millis(millis).ok()?,
        id: TaskId(Uuid::from_slice(id).ok()?),
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
