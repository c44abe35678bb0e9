//! A process that follows registries is killed while it writes what it read, and while it takes back what it wrote: whoever takes over after it
//! ends as the chain says. Of two processes at one index, each fact is written once.

use std::{
    env,
    process::{Child, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use alloy_primitives::{Address, B256, Bytes, hex, keccak256};
use alloy_sol_types::SolValue as _;
use anyhow::{Context as _, Result, ensure};
use deedbox_neighbours::{
    branching::{Bears, BranchingChain, Emitted},
    process,
    rpc::FaultyEndpoint,
};
use deedbox_store::index::{RegistryId, Row, Standard};
use deedbox_tests::{
    Random,
    chain::{CHAIN, bytes},
    syncing::{Ahead, Indexes, Kept, begin, catch_up, chains, dump, open, registry, syncer},
};
use sqlx::Connection as _;

/// What a process of a test's own is told: where its index is, where its node, under which name it holds registries, how many seconds its clock
/// is ahead, and how many blocks it asks for at once.
const TOLD: [&str; 5] = [
    "DEEDBOX_TEST_INDEX",
    "DEEDBOX_TEST_NODE",
    "DEEDBOX_TEST_HOLDER",
    "DEEDBOX_TEST_AHEAD",
    "DEEDBOX_TEST_WIDTH",
];
/// Blocks, and what each registry says in one.
const BLOCKS: u64 = 60;
const SAID: u64 = 40;
/// How often a process is killed, reading and undoing each.
const KILLS: i64 = 3;
/// Longer than a lease, in seconds.
const LEASE: i64 = 31;

/// Started by the tests here, each time as a process of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "does nothing by itself"]
async fn a_process_that_follows() -> Result<()> {
    let Ok(told) = TOLD
        .into_iter()
        .map(env::var)
        .collect::<Result<Vec<_>, _>>()
    else {
        return Ok(());
    };
    let world = Arc::new(Ahead::default());
    world.pass(told[3].parse()?);
    let index = open(&told[0]).await?;
    let chains = chains(&told[1], &world)?;
    let (syncer, _) = syncer(&chains, &index, &world, &told[2], told[4].parse()?);
    syncer.catch_up(CHAIN).await?;
    index.close().await;
    Ok(())
}

/// A process that follows, which does not outlive the test.
struct Following(Child);

impl Following {
    fn start(place: &str, node: &str, holder: &str, ahead: i64, width: u64) -> Result<Self> {
        let mut command = process::tethered(env::current_exe()?);
        command.args(["--exact", "a_process_that_follows", "--ignored"]);
        let told = [place, node, holder, &ahead.to_string(), &width.to_string()];
        command.envs(TOLD.into_iter().zip(told));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self(process::spawn(command)?))
    }

    fn has_ended(&mut self) -> Result<bool> {
        Ok(self.0.try_wait()?.is_some())
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A stranger's look at an index: whether somebody is writing it.
enum Lock {
    Sqlite(sqlx::SqliteConnection),
    Postgres(sqlx::PgConnection),
}

impl Lock {
    async fn at(place: &str) -> Result<Self> {
        if place.starts_with("postgres") {
            return Ok(Self::Postgres(sqlx::PgConnection::connect(place).await?));
        }
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(place)
            .busy_timeout(Duration::ZERO);
        let connection = sqlx::SqliteConnection::connect_with(&options).await?;
        Ok(Self::Sqlite(connection))
    }

    async fn is_held(&mut self) -> Result<bool> {
        match self {
            Self::Sqlite(connection) => {
                let begun = sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection);
                if begun.await.is_err() {
                    return Ok(true);
                }
                sqlx::query("ROLLBACK").execute(connection).await?;
                Ok(false)
            }
            Self::Postgres(connection) => {
                let writing =
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                               AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL";
                let writing: i64 = sqlx::query_scalar(writing).fetch_one(connection).await?;
                Ok(writing > 0)
            }
        }
    }
}

/// A chain on which two registries talk, and its node.
struct World {
    chain: BranchingChain,
    node: FaultyEndpoint,
    requests: Arc<AtomicU64>,
    logs: Arc<AtomicU64>,
    followed: [(RegistryId, Standard); 2],
    said: u64,
}

impl World {
    fn new() -> Result<Self> {
        let chain = BranchingChain::new(CHAIN);
        let (requests, logs) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
        let node = FaultyEndpoint::http({
            let (chain, requests, logs) = (chain.clone(), Arc::clone(&requests), Arc::clone(&logs));
            move |request| {
                let reply = chain.reply(request, Bears::default());
                logs.fetch_add(u64::from(request.has("eth_getLogs")), Ordering::AcqRel);
                requests.fetch_add(1, Ordering::AcqRel);
                reply
            }
        })?;
        let registries = [0xa1, 0xa2].map(Address::repeat_byte);
        let followed = registries.map(|address| (registry(address), Standard::Erc8122));
        let mut world = Self {
            chain,
            node,
            requests,
            logs,
            followed,
            said: 0,
        };
        world.grow(BLOCKS);
        Ok(world)
    }

    /// No two things that are said are the same.
    fn grow(&mut self, blocks: u64) {
        for _ in 0..blocks {
            let mut logs = Vec::new();
            for _ in 0..SAID {
                self.said += 1;
                logs.extend(
                    self.followed
                        .map(|(registry, _)| named(registry, self.said)),
                );
            }
            self.chain.grow(logs);
        }
    }

    fn forget(&self) {
        self.requests.store(0, Ordering::Release);
        self.logs.store(0, Ordering::Release);
    }

    /// Follows into the index what is left, under the name `holder`, and compares with an index that is made anew.
    async fn take_over(
        &self,
        indexes: &Indexes,
        place: &str,
        holder: &str,
        ahead: i64,
    ) -> Result<()> {
        let world = Arc::new(Ahead::default());
        let index = open(place).await?;
        let chains = chains(&self.node.url(), &world)?;
        world.pass(ahead);
        let (heir, _) = syncer(&chains, &index, &world, holder, u64::MAX);
        catch_up(&heir).await.context("taking over")?;
        let fresh = indexes.make(&format!("fresh_{holder}")).await?;
        begin(&fresh, &self.followed).await?;
        let (anew, _) = syncer(&chains, &fresh, &world, "fresh", u64::MAX);
        catch_up(&anew).await?;
        for (registry, _) in self.followed {
            let rows = dump(&index, registry).await?;
            let facts = rows
                .iter()
                .filter(|row| matches!(row, Row::Fact(_)))
                .count();
            ensure!(
                u64::try_from(facts)? == self.chain.height() * SAID,
                "{facts} facts"
            );
            ensure!(rows == dump(&fresh, registry).await?, "{registry}");
        }
        index.close().await;
        fresh.close().await;
        Ok(())
    }
}

/// A piece of an agent's metadata.
fn named(registry: RegistryId, number: u64) -> Emitted {
    let topic = |topic: B256| format!("{topic:#x}");
    let agent = B256::from(alloy_primitives::U256::from(number % 500));
    let data = (bytes("name"), bytes(format!("Agent {number}"))).abi_encode_params();
    Emitted {
        address: registry.address.to_string(),
        topics: vec![
            topic(keccak256("MetadataSet(uint256,string,string,bytes)")),
            topic(agent),
            topic(keccak256("name")),
        ],
        data: hex::encode_prefixed(Bytes::from(data)),
    }
}

async fn cursors(place: &str) -> Result<Vec<Option<u64>>> {
    let index = open(place).await?;
    let cursors = index.cursors().await?;
    index.close().await;
    let upto = cursors
        .into_iter()
        .map(|cursor| cursor.upto.map(|upto| upto.block));
    Ok(upto.collect())
}

/// Lets a process follow, and kills it a little after it was found writing, once `is_time`. Whether nothing had changed by then.
async fn kill_one(
    world: &World,
    place: &str,
    (holder, ahead): (&str, i64),
    random: &mut Random,
    is_time: impl Fn(&World) -> bool,
) -> Result<bool> {
    let before = cursors(place).await?;
    world.forget();
    let mut lock = Lock::at(place).await?;
    let mut following = Following::start(place, &world.node.url(), holder, ahead, u64::MAX)?;
    let end = Instant::now() + Duration::from_secs(120);
    while !(following.has_ended()? || is_time(world) && lock.is_held().await?) {
        ensure!(Instant::now() < end, "it never wrote");
        tokio::task::yield_now().await;
    }
    // At a moment that nothing has chosen.
    tokio::time::sleep(Duration::from_micros(random.below(60_000))).await;
    drop(following);
    drop(lock);
    let after = cursors(place).await?;
    Ok(after
        .iter()
        .zip(&before)
        .all(|(after, before)| after == before || *after == Some(0)))
}

async fn killed(kept: Kept) -> Result<()> {
    let indexes = Indexes::new(kept)?;
    let mut random = Random::seeded();
    let (mut in_reading, mut in_undoing, mut ahead) = (0, 0, 0);
    for kill in 0..KILLS {
        let mut world = World::new()?;
        let place = indexes.place(&format!("killed{kill}"))?;
        let index = open(&place).await?;
        begin(&index, &world.followed).await?;
        index.close().await;
        // The first request is for the block that is final, the second for all others.
        let reading = |world: &World| world.logs.load(Ordering::Acquire) > 1;
        let holder = format!("reading{kill}");
        let whole = kill_one(&world, &place, (&holder, ahead), &mut random, reading).await?;
        in_reading += i64::from(whole);
        ahead += LEASE;
        world
            .take_over(&indexes, &place, &format!("heir{kill}"), ahead)
            .await?;
        world.chain.take_back(BLOCKS - 5);
        world.grow(BLOCKS);
        let undoing = |world: &World| {
            world.requests.load(Ordering::Acquire) > 0 && world.logs.load(Ordering::Acquire) == 0
        };
        let holder = format!("undoing{kill}");
        let whole = kill_one(&world, &place, (&holder, ahead), &mut random, undoing).await?;
        in_undoing += i64::from(whole);
        ahead += LEASE;
        world
            .take_over(&indexes, &place, &format!("last{kill}"), ahead)
            .await?;
    }
    // Whatever was begun is as if it had not been.
    ensure!(
        in_reading > 0 && in_undoing > 0,
        "{in_reading} and {in_undoing} were in the middle"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_has_what_the_chain_says_whenever_a_reader_is_killed() -> Result<()> {
    killed(Kept::InSqlite).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_has_what_the_chain_says_whenever_a_reader_is_killed() -> Result<()> {
    killed(Kept::InPostgres).await
}

async fn raced(kept: Kept) -> Result<()> {
    let indexes = Indexes::new(kept)?;
    let world = World::new()?;
    let place = indexes.place("raced")?;
    let index = open(&place).await?;
    begin(&index, &world.followed).await?;
    index.close().await;
    let start = |holder: &str, width| Following::start(&place, &world.node.url(), holder, 0, width);
    let mut both = [start("one", 2)?, start("two", 3)?];
    for following in &mut both {
        ensure!(following.0.wait()?.success(), "a reader failed");
    }
    // Each registry was somebody's, and was given back: nobody has to wait.
    world.take_over(&indexes, &place, "third", 0).await?;
    let upto = cursors(&place).await?;
    ensure!(upto == [Some(BLOCKS); 2], "{upto:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_write_each_fact_once_into_sqlite() -> Result<()> {
    raced(Kept::InSqlite).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_write_each_fact_once_into_postgresql() -> Result<()> {
    raced(Kept::InPostgres).await
}
