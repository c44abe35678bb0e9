//! Whether the server can do its work: whether its database answers.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use deedbox_store::Store;
use tokio::sync::Mutex;

use crate::problem::chain;

/// How long a check's result is given to others. The route is open to everyone, so it must not let
/// everyone make the database work.
const FRESH: Duration = Duration::from_secs(1);
/// How long the database may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the database, at most once in [`FRESH`].
#[derive(Debug)]
pub(crate) struct Health {
    store: Arc<dyn Store>,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Health {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            last: Mutex::new(None),
        }
    }

    /// Whether the database answered just now. Those who ask at the same time wait for one answer.
    pub(crate) async fn is_well(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, well)) = *last
            && at.elapsed() < FRESH
        {
            return well;
        }
        let well = match tokio::time::timeout(PATIENCE, self.store.ping()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::error!(error = %chain(&error), "health check failed");
                false
            }
            Err(_) => {
                tracing::error!("health check timed out");
                false
            }
        };
        *last = Some((Instant::now(), well));
        well
    }
}
