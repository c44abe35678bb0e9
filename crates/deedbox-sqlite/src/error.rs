//! SQLite's result codes, as the store's errors. See <https://www.sqlite.org/rescode.html>.

use deedbox_store::StoreError;

/// `SQLITE_IOERR_SHORT_READ`: a file ends before what should be in it.
const SHORT_READ: i32 = 522;

/// The database's result code in full, if the error is the database's.
fn extended(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error()?.code()?.parse().ok()
}

/// The database's primary result code, if the error is the database's.
fn code(error: &sqlx::Error) -> Option<i32> {
    Some(extended(error)? & 0xff)
}

/// Whether another connection holds the lock that was asked for: `SQLITE_BUSY`, `SQLITE_LOCKED`.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(code(error), Some(5 | 6))
}

/// What a failed statement means to the caller.
pub(crate) fn failed(error: sqlx::Error) -> StoreError {
    if let sqlx::Error::ColumnDecode { index, .. } = &error {
        // The row is of a type, or holds bytes, that this program does not write.
        let column = format!("(its column {index})");
        return StoreError::unreadable("row", column, error);
    }
    if extended(&error) == Some(SHORT_READ) {
        return StoreError::Damaged(error.into());
    }
    match code(&error) {
        Some(5 | 6) => StoreError::Busy(error.into()),
        // READONLY, CANTOPEN while running: the file went away under the program, or the volume did.
        Some(8 | 10 | 13 | 14) | None => StoreError::Unavailable(error.into()),
        // CORRUPT, NOTADB.
        Some(11 | 26) => StoreError::Damaged(error.into()),
        Some(_) => StoreError::Rejected(error.into()),
    }
}

/// The same failure once more, for the next one who waits for the same group: causes cannot be cloned, so
/// the first to be told gets the cause itself and the others its text.
pub(crate) fn again(error: &StoreError) -> StoreError {
    let cause = || {
        std::error::Error::source(error)
            .map_or_else(|| error.to_string(), ToString::to_string)
            .into()
    };
    match error {
        StoreError::Busy(_) => StoreError::Busy(cause()),
        StoreError::Rejected(_) => StoreError::Rejected(cause()),
        StoreError::Damaged(_) => StoreError::Damaged(cause()),
        StoreError::Closed => StoreError::Closed,
        StoreError::Unsuitable(why) => StoreError::Unsuitable(why.clone()),
        StoreError::Migration(_) => StoreError::Migration(cause()),
        StoreError::Newer { found, known } => StoreError::Newer {
            found: *found,
            known: *known,
        },
        StoreError::Unreadable { table, row, .. } => StoreError::Unreadable {
            table,
            row: row.clone(),
            cause: cause(),
        },
        StoreError::Index { what, passes, .. } => StoreError::Index {
            what: what.clone(),
            passes: *passes,
            cause: cause(),
        },
        StoreError::Altered { table, row, .. } => StoreError::Altered {
            table,
            row: row.clone(),
            cause: cause(),
        },
        StoreError::Unavailable(_) => StoreError::Unavailable(cause()),
    }
}
