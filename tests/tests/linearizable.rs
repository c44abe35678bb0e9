//! Histories of concurrent calls are linearizable, and the checker catches servers whose histories are not.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use deedbox_core::hash::SecretHash;
use deedbox_server::{App, Options};
use deedbox_tests::{
    Backend, Client, Random, Site, Speaks,
    history::{self, ACTORS, History},
    memory::{Clock, Fault, Memory},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const CLIENTS: usize = 12;
const CALLS: usize = 40;

async fn tasks_are_linearizable(backend: Backend) -> Result<()> {
    let random = Random::seeded();
    let site = Site::start(backend)?;
    site.add_actors(&ACTORS)?;
    for round in 0..3 {
        let task = site.client(round).await?.create(ACTORS[0]).await?;
        let mut clients = Vec::new();
        for n in 0..CLIENTS {
            clients.push(site.client(n).await?);
        }
        let history =
            history::record(&task, clients, CALLS, &random.fork(1_000 + round as u64)).await?;
        assert!(history.len() >= 400);
        history.says_enough()?;
        if !history.is_linearizable()? {
            bail!("not linearizable: see {}", history.draw()?.display());
        }
    }
    site.check_ledger()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_on_sqlite_is_linearizable() -> Result<()> {
    tasks_are_linearizable(Backend::Sqlite).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_on_postgresql_is_linearizable() -> Result<()> {
    tasks_are_linearizable(Backend::Postgres).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_on_three_replicas_is_linearizable() -> Result<()> {
    tasks_are_linearizable(Backend::Replicas).await
}

/// Records a history at the real server on a store in memory with this fault.
async fn history_with(fault: Fault, random: &Random) -> Result<History> {
    let token = "the control's operator";
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let options = Options {
        access_token: Some(SecretHash::of(token.as_bytes())),
        public_url: url.clone(),
        ..Options::default()
    };
    let store = Arc::new(Memory::new(fault, &ACTORS)?);
    let app = App::new(store, Arc::new(Clock), options)?;
    let stop = CancellationToken::new();
    let serving = tokio::spawn(deedbox_server::serve_http(
        app,
        listener,
        stop.clone(),
        deedbox_server::Patience {
            grace: Duration::from_secs(1),
            ..deedbox_server::Patience::default()
        },
    ));
    let mut clients = Vec::new();
    for n in 0..CLIENTS {
        clients.push(Client::open(&url, token, Speaks::ALL[n % 3]).await?);
    }
    let task = clients[0].create(ACTORS[0]).await?;
    let history = history::record(&task, clients, CALLS, random).await?;
    stop.cancel();
    serving.await?;
    Ok(history)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_checker_accepts_a_right_server_and_catches_each_wrong_one() -> Result<()> {
    let random = Random::seeded();
    let right = history_with(Fault::None, &random).await?;
    right.says_enough()?;
    ensure!(
        right.is_linearizable()?,
        "the right server was not accepted"
    );
    for fault in [
        Fault::ChecksThenWrites,
        Fault::ReadsStale,
        Fault::LosesWrites,
    ] {
        let history = history_with(fault, &random)
            .await
            .with_context(|| format!("{fault:?}"))?;
        ensure!(
            !history.is_linearizable()?,
            "the checker did not catch a server that {fault:?}"
        );
    }
    Ok(())
}
