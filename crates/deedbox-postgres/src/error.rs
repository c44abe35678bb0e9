//! What went wrong with the database, and what to do about it.

use std::sync::Arc;

use deedbox_store::StoreError;
use sqlx::Error;

/// A failure, and what it says about the transaction in which it happened.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection is gone, and with it the transaction, which had not been asked to commit: it may be
    /// done again on another connection.
    Lost(StoreError),
    /// Another transaction was in the way and this one was rolled back; it may be done again.
    Conflict(StoreError),
    /// Nothing was written; doing it again would fail again.
    Failed(StoreError),
    /// It was asked to commit, and whether it did is not known.
    Unknown(StoreError),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if is_gone(&error) {
            Self::Lost(store_error(error))
        } else if is_conflict(&error) {
            Self::Conflict(store_error(error))
        } else {
            Self::Failed(store_error(error))
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        let (Failure::Lost(error)
        | Failure::Conflict(error)
        | Failure::Failed(error)
        | Failure::Unknown(error)) = failure;
        error
    }
}

/// Whether the connection is of no more use.
pub(crate) fn is_gone(error: &Error) -> bool {
    match error {
        Error::Io(_) | Error::Protocol(_) | Error::Tls(_) | Error::WorkerCrashed => true,
        // The server is stopping or starting, or ended this connection: by an operator, or by a timeout.
        Error::Database(error) => error.code().is_some_and(|code| {
            code.starts_with("08")
                || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(&&*code)
        }),
        _ => false,
    }
}

fn is_conflict(error: &Error) -> bool {
    // Unique violation, serialization failure, deadlock.
    error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .is_some_and(|code| ["23505", "40001", "40P01"].contains(&&*code))
}

/// A database's error as callers of a store see it.
pub(crate) fn store_error(error: Error) -> StoreError {
    if is_gone(&error) {
        return StoreError::Unavailable(error.into());
    }
    match &error {
        Error::PoolTimedOut => StoreError::Busy(error.into()),
        Error::PoolClosed => StoreError::Closed,
        Error::ColumnDecode { index, .. } => {
            let column = format!("with column {index}");
            StoreError::unreadable("row", column, error)
        }
        Error::Database(cause) => match cause.code().as_deref() {
            // Too many connections; a lock or the statement took too long; a conflict that stayed.
            Some("53300" | "55P03" | "57014" | "40001" | "40P01") => StoreError::Busy(error.into()),
            // No such database; a standby; credentials; memory or disk; operators; the system.
            Some(code) if ["3D", "25", "28", "53", "57", "58"].contains(&&code[..2]) => {
                StoreError::Unavailable(error.into())
            }
            _ => StoreError::Rejected(error.into()),
        },
        _ => StoreError::Rejected(error.into()),
    }
}

/// One failure for each of many, of what cannot be copied.
pub(crate) fn for_all(error: StoreError) -> impl Fn() -> StoreError {
    let cause: Arc<dyn std::error::Error + Send + Sync> = match error {
        StoreError::Unavailable(cause) | StoreError::Busy(cause) | StoreError::Rejected(cause) => {
            cause.into()
        }
        other => Arc::new(other),
    };
    move || StoreError::Unavailable(Box::new(Arc::clone(&cause)))
}
