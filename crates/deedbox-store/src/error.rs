//! What can go wrong with a database. None of these texts carries SQL, a path or a credential; the
//! cause, for the operator's log only, is behind `source`.

type Cause = Box<dyn std::error::Error + Send + Sync + 'static>;

/// A failure of storage, as opposed to a refusal.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached, or went away.
    #[error("the database is not available")]
    Unavailable(#[source] Cause),
    /// The database is busy for longer than this program waits.
    #[error("the database is busy; try again")]
    Busy(#[source] Cause),
    /// The database has been migrated by a newer program.
    #[error(
        "the database is newer than this program: it has migration {found}, this program knows up to {known}. Use the newer program, or restore a backup from before the upgrade"
    )]
    Newer {
        /// The newest migration in the database.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// A migration failed, or one that was applied reads differently now.
    #[error("the database could not be brought up to date")]
    Migration(#[source] Cause),
    /// The database's version or settings are not ones that this program can keep its promises on.
    #[error("the database cannot be used: {0}")]
    Unsuitable(String),
    /// The file of the database is damaged, or is no database at all.
    #[error("the database's file is damaged, or is no database")]
    Damaged(#[source] Cause),
    /// A row is not what this program writes. `deedbox ledger check` says more.
    #[error("a stored row is not readable: {table} {row}. Run: deedbox ledger check")]
    Unreadable {
        /// Which kind of row.
        table: &'static str,
        /// Its key.
        row: String,
        /// What is wrong with it.
        #[source]
        cause: Cause,
    },
    /// A stream's deeds do not follow from each other, or a row does not say what they add up to: somebody changed it past this
    /// program. What was to be done with it was not done.
    #[error("the ledger was changed outside of Deedbox: {table} {row}. Run: deedbox ledger check")]
    Altered {
        /// Which kind of row.
        table: &'static str,
        /// Its key.
        row: String,
        /// What is wrong with it.
        #[source]
        cause: Cause,
    },
    /// The index of registries failed. Nothing of what it holds is the only copy, and nothing is the matter with the ledger.
    #[error(
        "the index of registries {what}; it can be read again, and the ledger is not concerned"
    )]
    Index {
        /// What is the matter with it.
        what: String,
        /// Whether it may pass by itself.
        passes: bool,
        /// What is wrong with it.
        #[source]
        cause: Cause,
    },
    /// The database refused a write that the rules allow: a fault of this program, or a changed schema.
    #[error("the database refused a write")]
    Rejected(#[source] Cause),
    /// The store is closing.
    #[error("the server is shutting down")]
    Closed,
}

impl StoreError {
    /// A row that is not what this program writes.
    pub fn unreadable(table: &'static str, row: impl ToString, cause: impl Into<Cause>) -> Self {
        Self::Unreadable {
            table,
            row: row.to_string(),
            cause: cause.into(),
        }
    }

    /// The same failure, of the index: it is told as the index's, and with what mends it.
    #[must_use]
    pub fn of_index(self) -> Self {
        let (what, passes, cause) = match self {
            Self::Unavailable(cause) => ("is not available".to_owned(), true, cause),
            Self::Busy(cause) => ("is busy, so try again".to_owned(), true, cause),
            Self::Damaged(cause) => (
                "has a damaged file, which may be deleted".to_owned(),
                false,
                cause,
            ),
            Self::Unsuitable(why) => ("cannot be used".to_owned(), false, why.into()),
            Self::Unreadable { table, row, cause } => (
                format!(
                    "has a row that is not readable ({table} {row}): deedbox registry sync --anew drops what it holds"
                ),
                false,
                cause,
            ),
            other => return other,
        };
        Self::Index {
            what,
            passes,
            cause,
        }
    }
}
