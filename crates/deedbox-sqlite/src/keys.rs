//! Looking up keys, once for every request.
//!
//! The answer must be fresh (another process may have revoked the key a moment ago), so nothing is remembered.
//! Instead, all requests that are waiting share one look-up: it begins after each of them has asked.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use deedbox_core::{KeyId, KeyRecord};
use deedbox_store::StoreError;
use tokio::sync::{mpsc, oneshot};

use crate::{
    error::{again, failed},
    readers::Readers,
    rows::{KeyRow, array},
};

/// How many look-ups share a statement at most, and how many may wait.
const GROUP: usize = 256;

type Reply = oneshot::Sender<Result<Option<KeyRecord>, StoreError>>;

/// Where keys are asked for.
#[derive(Debug)]
pub(crate) struct Keys {
    inbox: mpsc::Sender<(KeyId, Reply)>,
    /// One connection of its own: no request should wait for its key behind long reads.
    reader: Arc<Readers>,
}

impl Keys {
    /// Starts the task that looks up. It ends when this is dropped.
    pub(crate) fn start(path: &Path) -> Self {
        let (sender, mut inbox) = mpsc::channel(GROUP);
        let reader = Arc::new(Readers::new(path, 1));
        let own = Arc::clone(&reader);
        tokio::spawn(async move {
            let mut waiting = Vec::with_capacity(GROUP);
            while inbox.recv_many(&mut waiting, GROUP).await > 0 {
                answer(&own, &mut waiting).await;
            }
        });
        Self {
            inbox: sender,
            reader,
        }
    }

    /// Refuses later look-ups, and closes.
    pub(crate) async fn close(&self) {
        self.reader.close().await;
    }

    pub(crate) async fn get(&self, id: KeyId) -> Result<Option<KeyRecord>, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.inbox
            .send((id, reply))
            .await
            .map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

async fn answer(reader: &Readers, waiting: &mut Vec<(KeyId, Reply)>) {
    let ids: BTreeSet<&KeyId> = waiting.iter().map(|(id, _)| id).collect();
    let rows = look_up(reader, ids).await;
    for (id, reply) in waiting.drain(..) {
        let found = match &rows {
            // One row that cannot be read is the affair of those who asked for it.
            Ok(rows) => match rows.get(id.as_str()) {
                Some(Ok(key)) => Ok(Some(key.clone())),
                Some(Err(error)) => Err(again(error)),
                None => Ok(None),
            },
            Err(error) => Err(again(error)),
        };
        // Err: who asked has gone away.
        reply.send(found).ok();
    }
}

type Found = HashMap<String, Result<KeyRecord, StoreError>>;

async fn look_up(reader: &Readers, ids: BTreeSet<&KeyId>) -> Result<Found, StoreError> {
    let ids = array(ids);
    let mut reader = reader.get().await?;
    let rows = sqlx::query_file_as!(KeyRow, "queries/keys_wanted.sql", ids)
        .fetch_all(&mut *reader)
        .await
        .map_err(failed)?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id.clone(), row.key().map(|(key, _)| key)))
        .collect())
}
