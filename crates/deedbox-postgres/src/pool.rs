//! Connections for what does not go by a lane: readings, snapshots, and commands that go alone.

use std::{
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use deedbox_store::StoreError;
use futures::future::BoxFuture;
use sqlx::{
    Connection, PgConnection, PgPool, Postgres, pool::PoolConnection, postgres::PgPoolOptions,
};
use tokio::{sync::Mutex, time::timeout};

use crate::{
    connect::{Connector, set_up},
    error::{is_gone, store_error},
};

/// How long to wait for a connection to become free.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait before asking why there is none: because all are in use, or because the server is gone.
const DOUBT: Duration = Duration::from_millis(300);
/// How long the answer to that is good for.
const CERTAINTY: Duration = Duration::from_secs(1);
/// A connection that was idle for longer is asked whether it still works.
const IDLE: Duration = Duration::from_secs(2);
const PING: Duration = Duration::from_secs(2);
/// After one connection turned out to be dead, for how long those that are older are asked as well.
const SUSPICION: Duration = Duration::from_secs(10);
/// How many dead connections are discarded on behalf of one request.
pub(crate) const LOST: u32 = 3;

/// A pool that tells a busy server from one that is gone.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pool: PgPool,
    connector: Connector,
    answered: Arc<Mutex<Option<Instant>>>,
    /// When a connection was last found dead.
    lost: Arc<std::sync::Mutex<Option<Instant>>>,
}

impl Pool {
    pub(crate) fn new(connector: Connector, connections: u32) -> Self {
        let lost = Arc::<std::sync::Mutex<Option<Instant>>>::default();
        let known_lost = Arc::clone(&lost);
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(PATIENCE)
            // Not for each use: it would cost as much as the reading itself. See `before_acquire`.
            .test_before_acquire(false)
            .before_acquire(move |connection, about| {
                let suspect = elapsed(&known_lost)
                    .is_some_and(|since| since < SUSPICION && about.age > since);
                Box::pin(async move {
                    if about.idle_for < IDLE && !suspect {
                        return Ok(true);
                    }
                    Ok(matches!(timeout(PING, connection.ping()).await, Ok(Ok(()))))
                })
            })
            .after_connect(|connection, _| Box::pin(set_up(connection)))
            .connect_lazy_with(connector.options());
        Self {
            pool,
            connector,
            answered: Arc::default(),
            lost,
        }
    }

    pub(crate) async fn acquire(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        let mut acquire = std::pin::pin!(self.pool.acquire());
        if let Ok(result) = timeout(DOUBT, &mut acquire).await {
            return result.map_err(store_error);
        }
        // Both are driven: a place in the pool that was given to an `acquire` which nobody polls would be
        // lost to everyone else for as long as the question takes.
        tokio::select! {
            biased;
            result = &mut acquire => return result.map_err(store_error),
            asked = self.ask() => asked?,
        }
        acquire.await.map_err(store_error)
    }

    /// Whether the server takes connections; asked by one for all.
    async fn ask(&self) -> Result<(), StoreError> {
        let mut answered = self.answered.lock().await;
        if answered.is_some_and(|at| at.elapsed() < CERTAINTY) {
            return Ok(());
        }
        let connection = self.connector.connect().await.map_err(store_error)?;
        *answered = Some(Instant::now());
        drop(connection.close().await);
        Ok(())
    }

    /// Asks something that changes nothing, again on another connection when one was dead.
    pub(crate) async fn read<T>(
        &self,
        ask: impl for<'c> Fn(&'c mut PgConnection) -> BoxFuture<'c, Result<T, sqlx::Error>>
        + Send
        + Sync,
    ) -> Result<T, StoreError> {
        let mut lost = 0;
        loop {
            let mut connection = self.acquire().await?;
            match ask(&mut connection).await {
                Err(error) if is_gone(&error) && lost < LOST => lost += 1,
                result => return result.map_err(store_error),
            }
            self.discard(connection);
        }
    }

    /// Closes a connection that is dead or in an unknown state.
    pub(crate) fn discard(&self, connection: PoolConnection<Postgres>) {
        drop(connection.detach());
        self.suspect();
    }

    /// Notes that a connection was dead: others may have died with it.
    pub(crate) fn suspect(&self) {
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Closes every connection. One that somebody is still reading with is not waited for longer than a
    /// request would be.
    pub(crate) async fn close(&self) {
        drop(timeout(PATIENCE, self.pool.close()).await);
    }
}

fn elapsed(since: &std::sync::Mutex<Option<Instant>>) -> Option<Duration> {
    let since = *since.lock().unwrap_or_else(PoisonError::into_inner);
    since.map(|at| at.elapsed())
}
