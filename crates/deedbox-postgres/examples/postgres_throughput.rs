//! How many commands a second 32 callers get done, beside what `pgbench -N -c 32` does on the same server.
//!
//! `cargo run --release -p deedbox-postgres --example postgres_throughput [seconds]`
//!
//! The server is a throwaway one with its default durability: every commit waits for the disk.
#![expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use deedbox_core::{
    AcceptanceId, ActorId, ActorKind, ApiKey, Attribution, Command, Principal, Scopes, TaskId,
    Timestamp, World,
    text::{Description, Name, Title},
};
use deedbox_neighbours::postgres::Cluster;
use deedbox_postgres::{PostgresOptions, PostgresStore};
use deedbox_store::{Execute, Store};

const CALLERS: usize = 32;

/// The real clock, and identifiers that are merely unique.
#[derive(Debug, Default)]
struct Clock(AtomicU64);

impl World for Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the world that the time comes from"
    )]
    fn now(&self) -> Timestamp {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let millis = now.map_or(0, |since| since.as_millis());
        Timestamp::from_millis(i64::try_from(millis).unwrap_or(0)).unwrap_or_else(|_| self.now())
    }
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let n = self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
            chunk.copy_from_slice(&n.to_be_bytes()[..chunk.len()]);
        }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let seconds = std::env::args()
        .nth(1)
        .map_or(Ok(10), |text| text.parse())?;
    let cluster = Cluster::start()?;
    let world = Arc::new(Clock::default());
    let (options, clock) = (PostgresOptions::default(), Arc::clone(&world) as _);
    let store = Arc::new(PostgresStore::open(&cluster.url(), options, clock).await?);
    let key = set_up(&store, &world).await?;

    let bench = cluster.fresh_database("bench")?;
    pgbench(&cluster, &bench, &["-i", "-q", "-s", "50"])?;
    let before = tps(&cluster, &bench, seconds)?;

    let tasks: Arc<Vec<TaskId>> = Arc::new((0..400_000).map(|_| TaskId(world.uuid())).collect());
    let created = run(&store, &world, &tasks, seconds, create, None).await?;
    let accepted = run(&store, &world, &tasks, seconds, accept, None).await?;
    let tasks = Arc::new((0..400_000).map(|_| TaskId(world.uuid())).collect());
    run(&store, &world, &tasks, seconds, create, None).await?;
    let with_key = run(&store, &world, &tasks, seconds, accept, Some(key)).await?;
    let after = tps(&cluster, &bench, seconds)?;

    let pgbench = f64::midpoint(before, after);
    println!("pgbench -N -c 32 -j 2:            {before:.0}/s before, {after:.0}/s after");
    println!("creates, {CALLERS} callers:              {created:.0}/s");
    println!(
        "accepts, {CALLERS} callers:              {accepted:.0}/s = {:.2} of pgbench",
        accepted / pgbench
    );
    println!(
        "key look-up + accept, {CALLERS} callers: {with_key:.0}/s = {:.2} of pgbench",
        with_key / pgbench
    );
    store.close().await;
    Ok(())
}

async fn set_up(store: &PostgresStore, world: &Clock) -> Result<ApiKey> {
    let alice = Command::AddActor {
        id: ActorId::new("alice")?,
        kind: ActorKind::Agent,
        name: Name::new("Alice")?,
    };
    store.execute(plain(alice)).await??;
    let key = ApiKey::generate(world);
    let issue = Command::IssueKey {
        id: key.id().clone(),
        secret_hash: key.hash(),
        actor: Some(ActorId::new("alice")?),
        scopes: Scopes::all(),
        label: None,
        agent_label: None,
        expires_at: None,
        only_first_operator: false,
    };
    store.execute(plain(issue)).await??;
    Ok(key)
}

fn plain(command: Command) -> Execute {
    Execute {
        command,
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    }
}

fn create(task: TaskId, _: &Clock) -> Result<Command> {
    Ok(Command::CreateTask {
        task,
        title: Title::new("Write the quarterly report")?,
        description: Description::new("All three regions, with sources.")?,
        injected_by: ActorId::new("alice")?,
        authority_scope: None,
        recipient_only: false,
    })
}

fn accept(task: TaskId, world: &Clock) -> Result<Command> {
    Ok(Command::AcceptTask {
        task,
        id: AcceptanceId(world.uuid()),
        actor: ActorId::new("alice")?,
        context_note: None,
    })
}

/// Commands a second, from callers that each wait for their answer before they ask again.
async fn run(
    store: &Arc<PostgresStore>,
    world: &Arc<Clock>,
    tasks: &Arc<Vec<TaskId>>,
    seconds: u64,
    command: fn(TaskId, &Clock) -> Result<Command>,
    key: Option<ApiKey>,
) -> Result<f64> {
    let next = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    // Accepting ends before creating did, so that there is always a task to accept.
    let creates = command as usize == create as fn(TaskId, &Clock) -> Result<Command> as usize;
    let time = Duration::from_secs(seconds).mul_f64(if creates { 1.2 } else { 1.0 });
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..CALLERS {
        let (store, world, tasks) = (Arc::clone(store), Arc::clone(world), Arc::clone(tasks));
        let (next, key) = (Arc::clone(&next), key.clone());
        callers.spawn(async move {
            let mut done = 0_u32;
            while start.elapsed() < time {
                if let Some(key) = &key {
                    store.key(key.id()).await?.context("the key is gone")?;
                }
                let task = tasks[next.fetch_add(1, Ordering::Relaxed)];
                // The last few may not have been created in time.
                if store.execute(plain(command(task, &world)?)).await?.is_err() {
                    break;
                }
                done += 1;
            }
            anyhow::Ok(done)
        });
    }
    let mut done = 0;
    while let Some(result) = callers.join_next().await {
        done += result??;
    }
    Ok(f64::from(done) / start.elapsed().as_secs_f64())
}

fn pgbench(cluster: &Cluster, url: &str, arguments: &[&str]) -> Result<String> {
    let output = cluster
        .program("pgbench")
        .args(arguments)
        .arg(url)
        .output()?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn tps(cluster: &Cluster, url: &str, seconds: u64) -> Result<f64> {
    let seconds = seconds.to_string();
    let text = pgbench(
        cluster,
        url,
        &["-n", "-N", "-c", "32", "-j", "2", "-T", &seconds],
    )?;
    let tps = text
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next());
    Ok(tps.context("pgbench printed no tps")?.parse()?)
}
