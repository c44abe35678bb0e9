//! A few connections that only read.
//!
//! Not `sqlx`'s pool: that one starts a task and makes a trip to the connection's thread each time a connection is given back, which
//! is as much work as the query itself when the query is one look-up in memory, once for every request.

use std::{
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use deedbox_store::StoreError;
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{error::failed, open};

/// Connections are opened when they are first needed.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<SqliteConnection>>,
    turns: Semaphore,
    most: u32,
}

/// A connection, lent. Goes back when dropped.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    connection: Option<SqliteConnection>,
    readers: &'a Readers,
    _turn: SemaphorePermit<'a>,
}

impl Readers {
    /// Up to `most` connections to the file at `path`.
    pub(crate) fn new(path: &Path, most: u32) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::default(),
            turns: Semaphore::new(most as usize),
            most,
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a connection.
    pub(crate) async fn get(&self) -> Result<Reader<'_>, StoreError> {
        let turn = self.turns.acquire().await.map_err(|_| StoreError::Closed)?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open::reading(&self.path).await.map_err(failed)?,
        };
        Ok(Reader {
            connection: Some(connection),
            readers: self,
            _turn: turn,
        })
    }

    /// A connection of its own, for a long read.
    pub(crate) async fn apart(&self) -> Result<SqliteConnection, StoreError> {
        if self.turns.is_closed() {
            return Err(StoreError::Closed);
        }
        open::reading(&self.path).await.map_err(failed)
    }

    /// Refuses new reads, waits for those that run, and closes their connections.
    pub(crate) async fn close(&self) {
        // Err: closed before.
        if let Ok(turns) = self.turns.acquire_many(self.most).await {
            self.turns.close();
            drop(turns);
        }
        let idle = std::mem::take(&mut *self.idle());
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a reading connection did not close"
                );
            }
        }
    }
}

impl Deref for Reader<'_> {
    type Target = SqliteConnection;
    #[expect(clippy::expect_used, reason = "only `drop` takes the connection out")]
    fn deref(&self) -> &SqliteConnection {
        self.connection.as_ref().expect("taken only by drop")
    }
}

impl DerefMut for Reader<'_> {
    #[expect(clippy::expect_used, reason = "only `drop` takes the connection out")]
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        self.connection.as_mut().expect("taken only by drop")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        // A read that was abandoned half-way is stopped by its connection's thread before the next begins.
        self.readers.idle().extend(self.connection.take());
    }
}
