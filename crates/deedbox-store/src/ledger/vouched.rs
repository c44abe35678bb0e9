//! What `ledger check` asks of everything, asked of one publication before anything is done with it.

use deedbox_core::{Projection, Publication, PublicationId, PublicationState, StoredDeed, Stream};

use super::{Fault, Wrong, difference, follow};
use crate::StoreError;

/// A publication that its deeds vouch for: their hashes and their chain hold, the rules lead to each of them, and `row` says what they
/// add up to. None when there is neither a row nor a deed.
///
/// `row` and `deeds` (all of its stream, by version) have to be read at one moment. Backends ask this wherever a publication is decided
/// on or gone on with, so that whoever edits a row or a deed cannot have anything else sent, or something sent again.
///
/// # Errors
/// [`StoreError::Altered`] names the first deed, or else the row, that is not as it was written.
pub fn vouched(
    id: PublicationId,
    row: Option<PublicationState>,
    deeds: Vec<StoredDeed>,
) -> Result<Option<Publication>, StoreError> {
    let stream = Stream::Publication(id).to_string();
    let mut rebuilt = None;
    let mut followed = Vec::with_capacity(deeds.len());
    for stored in deeds {
        if stored.stream != stream {
            let what = Wrong::Unreadable("it is another stream's".to_owned());
            let row = format!("{} version {}", stored.stream, stored.version);
            let table = "deed";
            return Err(Fault { table, row, what }.into());
        }
        let (projection, deed) = follow(rebuilt.take(), stored)?;
        rebuilt = Some(projection);
        followed.push(deed);
    }
    let rebuilt = match rebuilt {
        Some(Projection::Publication(state)) => Some(*state),
        // A stream of this name leads to nothing else.
        _ => None,
    };
    let what = match (row, rebuilt) {
        (None, None) => return Ok(None),
        (Some(row), Some(rebuilt)) if row == rebuilt => {
            return Ok(Some(Publication {
                state: row,
                deeds: followed,
            }));
        }
        (Some(row), Some(rebuilt)) => {
            let [row, rebuilt] =
                [row, rebuilt].map(|state| Projection::Publication(Box::new(state)));
            Wrong::Differs(difference(&row, &rebuilt))
        }
        (Some(_), None) => Wrong::Unfounded,
        (None, Some(_)) => Wrong::Missing,
    };
    let (table, row) = ("publication", stream);
    Err(Fault { table, row, what }.into())
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        let Fault { table, row, what } = fault;
        Self::Altered {
            table,
            row,
            cause: what.into(),
        }
    }
}
