//! How many commands a second the writer carries out, durably, without a server around it.
//!
//! `cargo run --release -p deedbox-sqlite --example sqlite_throughput -- FOLDER [TASKS [CLIENTS]]`
//!
//! Makes a database in FOLDER (which must be on the disk that is to be measured), then creates TASKS tasks and
//! accepts each of them, with CLIENTS callers that each wait for their answer before they ask again.
#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, Result, anyhow, ensure};
use deedbox_core::{
    AcceptanceId, ActorId, ActorKind, ApiKey, Attribution, Command, Principal, Scopes, TaskId,
    Timestamp, World,
};
use deedbox_sqlite::SqliteStore;
use deedbox_store::{Execute, Store, Unaccepted};

#[derive(Debug)]
struct Machine;

impl World for Machine {
    #[expect(
        clippy::disallowed_methods,
        reason = "a program of its own, which has the clock to pass in"
    )]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let millis = i64::try_from(since.as_millis()).unwrap_or(0);
        Timestamp::from_millis(millis).unwrap_or_else(|_| unreachable_time())
    }

    fn fill(&self, bytes: &mut [u8]) {
        // A failing random source shows as two equal ids, which the store refuses.
        getrandom::fill(bytes).ok();
    }
}

#[expect(clippy::panic, reason = "a clock after the year 9999 measures nothing")]
fn unreachable_time() -> Timestamp {
    panic!("the clock is beyond the year 9999")
}

fn execute(command: Command) -> Execute {
    Execute {
        command,
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    }
}

async fn done(store: &SqliteStore, command: Command) -> Result<()> {
    store
        .execute(execute(command))
        .await?
        .map_err(|refusal| anyhow!("{refusal}"))?;
    Ok(())
}

/// Runs `command(i)` for every `i` below `count` from `clients` callers, and prints the figures.
async fn measure<F, R>(what: &str, count: usize, clients: usize, call: F) -> Result<()>
where
    F: Fn(usize) -> R + Clone + Send + 'static,
    R: Future<Output = Result<()>> + Send,
{
    let next = Arc::new(AtomicUsize::new(0));
    let (started, used) = (Instant::now(), processor_time()?);
    let callers: Vec<_> = (0..clients)
        .map(|_| {
            let (next, call) = (Arc::clone(&next), call.clone());
            tokio::spawn(async move {
                let mut times = Vec::new();
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        return anyhow::Ok(times);
                    }
                    let asked = Instant::now();
                    call(i).await?;
                    times.push(asked.elapsed());
                }
            })
        })
        .collect();
    let mut times: Vec<Duration> = Vec::with_capacity(count);
    for caller in callers {
        times.extend(caller.await??);
    }
    let (wall, used) = (started.elapsed(), processor_time()? - used);
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    #[expect(clippy::cast_precision_loss, reason = "counts of calls are small")]
    let (rate, each) = (
        count as f64 / wall.as_secs_f64(),
        used.as_secs_f64() * 1e6 / count as f64,
    );
    println!(
        "{what}: {rate:.0}/s from {clients} callers; p50 {:?}, p99 {:?}; {each:.0} µs of processor time each",
        at(50),
        at(99)
    );
    Ok(())
}

/// What this process has used of the processors so far, user and system, from `/proc` (Linux).
fn processor_time() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().context("no fields")?;
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse::<u64>)
        .sum::<Result<_, _>>()?;
    Ok(Duration::from_millis(ticks * 10)) // USER_HZ is 100 on every Linux
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().context("give a folder to write in")?);
    let count: usize = args.next().as_deref().unwrap_or("40000").parse()?;
    let clients: usize = args.next().as_deref().unwrap_or("32").parse()?;
    let path = folder.join("throughput.sqlite");
    ensure!(
        !path.exists(),
        "there is a database from an earlier run in that folder"
    );

    let started = Instant::now();
    let store = Arc::new(SqliteStore::open(&path, Arc::new(Machine)).await?);
    println!("open, new database: {:?}", started.elapsed());
    let alice = ActorId::new("alice")?;
    let add = Command::AddActor {
        id: alice.clone(),
        kind: ActorKind::Human,
        name: "Alice".parse()?,
    };
    done(&store, add).await?;
    let key = ApiKey::generate(&Machine);
    let issue = Command::IssueKey {
        id: key.id().clone(),
        secret_hash: key.hash(),
        actor: None,
        scopes: Scopes::all(),
        label: None,
        agent_label: None,
        expires_at: None,
        only_first_operator: true,
    };
    done(&store, issue).await?;

    let tasks: Arc<Vec<TaskId>> = Arc::new((0..count).map(|_| TaskId(Machine.uuid())).collect());
    let (s, t, a) = (Arc::clone(&store), Arc::clone(&tasks), alice.clone());
    measure("create", count, clients, move |i| {
        let (s, task, injected_by) = (Arc::clone(&s), t[i], a.clone());
        async move {
            let command = Command::CreateTask {
                task,
                title: "Check the rollback plan".parse()?,
                description: "Read it, try it on staging, say how you know.".parse()?,
                injected_by,
                authority_scope: None,
                recipient_only: false,
            };
            done(&s, command).await
        }
    })
    .await?;
    let (s, t, a) = (Arc::clone(&store), Arc::clone(&tasks), alice);
    measure("accept", count, clients, move |i| {
        let (s, task, actor) = (Arc::clone(&s), t[i], a.clone());
        async move {
            let command = Command::AcceptTask {
                task,
                id: AcceptanceId(Machine.uuid()),
                actor,
                context_note: None,
            };
            done(&s, command).await
        }
    })
    .await?;
    let (s, t) = (Arc::clone(&store), Arc::clone(&tasks));
    measure("status", count, clients, move |i| {
        let (s, task) = (Arc::clone(&s), t[i]);
        async move {
            s.status(task).await?.context("no such task")?;
            Ok(())
        }
    })
    .await?;
    let (s, id) = (Arc::clone(&store), key.id().clone());
    measure("key", count, clients, move |_| {
        let (s, id) = (Arc::clone(&s), id.clone());
        async move {
            s.key(&id).await?.context("no such key")?;
            Ok(())
        }
    })
    .await?;
    let s = Arc::clone(&store);
    measure("unaccepted, of none", count, clients, move |_| {
        let s = Arc::clone(&s);
        async move {
            s.unaccepted(&Unaccepted::default()).await?;
            Ok(())
        }
    })
    .await?;
    store.close().await;
    let started = Instant::now();
    SqliteStore::open(&path, Arc::new(Machine))
        .await?
        .close()
        .await;
    println!("open and close, full database: {:?}", started.elapsed());
    Ok(())
}
