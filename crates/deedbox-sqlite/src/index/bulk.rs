//! Statements that insert many rows at once: a statement costs a trip to the connection's thread and back, a row in it next to nothing.

use std::sync::LazyLock;

use deedbox_store::StoreError;
use sqlx::{AssertSqlSafe, Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments};

use crate::error::failed;

/// How many rows go into one statement: as many of the first as there are, then of the second, and so on. Few sizes, because each is a
/// statement that is prepared once.
const SIZES: [usize; 3] = [64, 8, 1];

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
    /// Of documents.
    DOCUMENTS: "documents_keep.sql";
}

type Insert<'q> = Query<'q, Sqlite, SqliteArguments>;

impl Bulk {
    /// Inserts rows; `bind` binds the columns of one.
    pub(super) async fn insert<T>(
        &'static self,
        connection: &mut SqliteConnection,
        mut rows: &[T],
        bind: impl for<'q> Fn(Insert<'q>, &T) -> Insert<'q>,
    ) -> Result<(), StoreError> {
        for (size, statement) in SIZES.into_iter().zip(self.0.iter()) {
            while let Some((now, later)) = rows.split_at_checked(size) {
                let insert = sqlx::query(AssertSqlSafe(statement.as_str()));
                now.iter()
                    .fold(insert, &bind)
                    .execute(&mut *connection)
                    .await
                    .map_err(failed)?;
                rows = later;
            }
        }
        Ok(())
    }
}
