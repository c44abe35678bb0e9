//! An acknowledged write survives `kill -9` of the server at any moment, on both databases.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::{deedbox::Server, postgres::Cluster};
use deedbox_tests::{Client, Random, Speaks, site::check_ledger};
use serde_json::Value;
use tokio::sync::Mutex;

const ROUNDS: u64 = 50;
const WRITERS: usize = 4;

/// What a caller was told is done: the record as it was answered, and where a status must show it.
#[derive(Clone, Debug)]
struct Acknowledged {
    task: String,
    list: &'static str,
    record: Value,
}

/// Creates, accepts, completes and hands off until the server is gone, and keeps what was acknowledged.
async fn write(mut client: Client, kept: Arc<Mutex<Vec<Acknowledged>>>, count: Arc<AtomicUsize>) {
    // Every error here is the death of the server; what is checked is what was answered before it.
    while let Ok(task) = client.create("alice").await {
        for list in ["task", "acceptances", "completions", "handoffs"] {
            let answer = match list {
                "task" => {
                    client
                        .call("get_task_status", serde_json::json!({"taskId": task}))
                        .await
                }
                "acceptances" => client.accept(&task, "alice").await,
                "completions" => {
                    client
                        .complete(&task, "alice", "reported", Some("ci/1"))
                        .await
                }
                _ => client.handoff(&task, "alice", "bob").await,
            };
            let Ok(record) = answer.and_then(deedbox_tests::Answer::ok) else {
                return;
            };
            let record = if list == "task" {
                record["task"].clone()
            } else {
                record
            };
            let task = task.clone();
            kept.lock().await.push(Acknowledged { task, list, record });
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

async fn is_there(client: &mut Client, acknowledged: &Acknowledged) -> Result<()> {
    let Acknowledged { task, list, record } = acknowledged;
    let status = client
        .status(task)
        .await
        .with_context(|| format!("lost: {acknowledged:?}"))?;
    let found = if *list == "task" {
        let found = &status["task"];
        found["id"] == record["id"] && found["attribution"] == record["attribution"]
    } else {
        status[*list]
            .as_array()
            .is_some_and(|rows| rows.contains(record))
    };
    ensure!(found, "lost: {acknowledged:?}\nfound: {status}");
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a test says how much it has tried")]
async fn kill_loop(mut server: Server, key: &str) -> Result<()> {
    let mut random = Random::seeded();
    for actor in ["alice", "bob"] {
        server.cli_json(&["actor", "add", actor, "--kind", "agent"])?;
    }
    let mut all: Vec<Acknowledged> = Vec::new();
    for round in 0..ROUNDS {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let count = Arc::new(AtomicUsize::new(0));
        let mut writing = Vec::new();
        for n in 0..WRITERS {
            let client = Client::open(server.url(), key, Speaks::ALL[n % 3]).await?;
            writing.push(tokio::spawn(write(
                client,
                Arc::clone(&kept),
                Arc::clone(&count),
            )));
        }
        // At some point among the first writes, and then at a moment that no write has chosen.
        let enough = usize::try_from(1 + random.below(40))?;
        let patience = Instant::now() + Duration::from_secs(20);
        while count.load(Ordering::Relaxed) < enough {
            ensure!(
                Instant::now() < patience,
                "round {round}: the server does not answer"
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_micros(random.below(5_000))).await;
        server.kill9()?;
        for writer in writing {
            writer.await?;
        }
        server.restart()?;
        let kept = kept.lock().await.clone();
        let mut client = Client::open(server.url(), key, Speaks::Rest).await?;
        for acknowledged in &kept {
            is_there(&mut client, acknowledged)
                .await
                .with_context(|| format!("round {round}"))?;
        }
        check_ledger(&server).with_context(|| format!("round {round}"))?;
        all.extend(kept);
    }
    println!("{} acknowledged writes survived {ROUNDS} kills", all.len());
    ensure!(
        all.len() >= 500,
        "too few writes were under way: {}",
        all.len()
    );
    // Nothing that an earlier kill left intact was lost by a later one.
    let mut client = Client::open(server.url(), key, Speaks::Rest).await?;
    for acknowledged in &all {
        is_there(&mut client, acknowledged).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_every_acknowledged_deed_across_fifty_kills() -> Result<()> {
    let server = Server::builder().quiet().start()?;
    let key = server.operator_key()?.to_owned();
    kill_loop(server, &key).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_keeps_every_acknowledged_deed_across_fifty_kills() -> Result<()> {
    let cluster = Cluster::for_tests()?;
    let server = Server::builder()
        .quiet()
        .database_url(cluster.url())
        .start()?;
    let key = server.operator_key()?.to_owned();
    kill_loop(server, &key).await
}
