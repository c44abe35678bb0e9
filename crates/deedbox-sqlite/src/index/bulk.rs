//! Statements that insert many rows at once: a statement costs a trip to the connection's thread and back, a row in it next to nothing.
//!
//! They fail without going back to where they began: whoever inserts in bulk gives up the whole transaction then, so SQLite need not keep what
//! each page was before each statement.

use std::sync::LazyLock;

use deedbox_store::StoreError;
use sqlx::{AssertSqlSafe, Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments};

use crate::error::failed;

/// How many rows go into one statement: as many of the first as there are, then of the second, and so on. Few sizes, because each is a
/// statement that is prepared once.
const SIZES: [usize; 4] = [256, 32, 4, 1];

/// An insertion of one row, as it stands in a file, and the same for many rows.
pub(super) struct Bulk(LazyLock<[String; SIZES.len()], fn() -> [String; SIZES.len()]>);

/// The insertion of so many rows, from that of one.
fn repeated(one: &str) -> [String; SIZES.len()] {
    let values = one
        .rsplit_once("VALUES")
        .map_or("", |(_, values)| values.trim());
    SIZES.map(|size| {
        let more = format!(", {values}").repeat(size - 1);
        format!("{}{more}", one.trim_end())
    })
}

macro_rules! bulk {
    ($($(#[$doc:meta])* $name:ident: $file:literal;)*) => {$(
        $(#[$doc])*
        pub(super) static $name: Bulk = Bulk(LazyLock::new(|| {
            repeated(include_str!(concat!("../../queries-index/", $file)))
        }));
    )*};
}

bulk! {
    /// Of facts.
    FACTS: "facts_append.sql";
    /// Of blocks.
    BLOCKS: "blocks_append.sql";
    /// Of subjects.
    SUBJECTS: "subjects_keep.sql";
}

type Insert<'q> = Query<'q, Sqlite, SqliteArguments>;

impl Bulk {
    /// Inserts rows; `bind` binds the columns of one. Rows are made while those before them are inserted, by the connection's thread.
    pub(super) async fn insert<T>(
        &'static self,
        connection: &mut SqliteConnection,
        mut rows: impl ExactSizeIterator<Item = Result<T, StoreError>> + Send,
        bind: impl Fn(Insert<'static>, T) -> Insert<'static> + Sync,
    ) -> Result<(), StoreError> {
        let mut next = self.next(&mut rows, &bind)?;
        while let Some(insert) = next {
            let inserted = insert.execute(&mut *connection);
            let (inserted, following) =
                tokio::join!(biased; inserted, async { self.next(&mut rows, &bind) });
            inserted.map_err(failed)?;
            next = following?;
        }
        Ok(())
    }

    /// The insertion of as many of these rows as go into one statement; none when there are none.
    fn next<T>(
        &'static self,
        rows: &mut impl ExactSizeIterator<Item = Result<T, StoreError>>,
        bind: impl Fn(Insert<'static>, T) -> Insert<'static>,
    ) -> Result<Option<Insert<'static>>, StoreError> {
        let left = rows.len();
        let mut sizes = SIZES.into_iter().zip(self.0.iter());
        let Some((size, statement)) = sizes.find(|(size, _)| *size <= left) else {
            return Ok(None);
        };
        let insert = sqlx::query(AssertSqlSafe(statement.as_str()));
        let mut rows = rows.take(size);
        rows.try_fold(insert, |insert, row| Ok(bind(insert, row?)))
            .map(Some)
    }
}
