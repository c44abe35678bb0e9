//! The lane of keys: every request starts with one, and those that arrive together are looked up together.

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use deedbox_core::{Head, KeyId, KeyRecord};
use deedbox_store::StoreError;
use tokio::{sync::oneshot, time::timeout};

use crate::{
    connect::timed_out,
    error::{for_all, is_gone, store_error},
    lane::{Line, Work},
    rows::KeyRow,
};

/// How long a look-up may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A key's id and whom to tell.
#[derive(Debug)]
pub(crate) struct Lookup {
    pub(crate) id: KeyId,
    pub(crate) reply: oneshot::Sender<Result<Option<KeyRecord>, StoreError>>,
}

/// Looks up keys.
#[derive(Debug)]
pub(crate) struct Lookups;

#[async_trait]
impl Work for Lookups {
    type Job = Lookup;
    const TOGETHER: usize = 256;

    async fn work(&self, line: &mut Line, jobs: Vec<Lookup>) {
        let mut ids: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        match rows(line, &ids).await {
            Ok(found) => {
                for job in jobs {
                    let row = found.get(job.id.as_str()).cloned();
                    let read = row.map(<(KeyRecord, Head)>::try_from).transpose();
                    drop(
                        job.reply
                            .send(read.map(|key| key.map(|(record, _)| record))),
                    );
                }
            }
            Err(error) => {
                let error = for_all(store_error(error));
                for job in jobs {
                    drop(job.reply.send(Err(error())));
                }
            }
        }
    }
}

async fn rows(line: &mut Line, ids: &[&str]) -> Result<HashMap<String, KeyRow>, sqlx::Error> {
    let mut tried = 0;
    loop {
        let connection = line.get().await?;
        let ask = sqlx::query_as!(
            KeyRow,
            "SELECT * FROM keys WHERE id = ANY($1)",
            ids as &[&str]
        );
        let result = timeout(PATIENCE, ask.fetch_all(connection))
            .await
            .unwrap_or_else(|_| Err(timed_out("no answer from the server about a key")));
        match result {
            Ok(rows) => return Ok(rows.into_iter().map(|row| (row.id.clone(), row)).collect()),
            Err(error) if is_gone(&error) => {
                line.hang_up();
                // The first may have been dead since the server was restarted.
                if tried > 0 {
                    return Err(error);
                }
                tried += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
