//! Measures how many tools are verified in a minute: a registry on a real node, manifests on real HTTPS servers of this machine, an index
//! in SQLite or PostgreSQL, and the verifier that a server runs in the background.
//!
//! Run it as `cargo xtask bench verify`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures is what this is for"
)]

mod web;
mod world;

use std::{fs, sync::Arc, time::Duration};

use alloy_primitives::{Address, B256, hex};
use alloy_sol_types::{SolCall as _, sol};
use anyhow::{Context, Result, ensure};
use clap::Parser;
use deedbox_chain::{
    Block, ChainConfig, Chains, EndpointConfig,
    config::{MULTICALL3, Secret},
};
use deedbox_core::{
    Attribution, ChainAddress, Command, EndpointId, Following, Principal, RegistryId, Trust, World,
};
use deedbox_fetch::{Fetcher, Rules};
use deedbox_neighbours::{
    anvil::{self, Anvil},
    postgres::Cluster,
};
use deedbox_postgres::PostgresIndex;
use deedbox_registry::{
    inspect,
    sync::{Options as SyncOptions, Syncer, Unwatched, align},
    verify::background::{Checked, Options as How, Verifier},
};
use deedbox_sqlite::{SqliteIndex, SqliteStore};
use deedbox_store::{Execute, Store, index::Index};
use serde_json::json;
use tokio::time::Instant;

use self::{
    web::{CREATOR, Web, manifest, uri},
    world::Later,
};

sol! {
    function registerTool(string metadataURI, bytes32 manifestHash, address accessPredicate) external returns (uint256);
}

/// The chain's id, as the node has it unless it is told otherwise.
const CHAIN: u64 = 31_337;
/// How much later everything is due again.
const A_DAY: i64 = 25 * 60 * 60 * 1_000;
/// Transactions in one block.
const BLOCK: u32 = 100;

/// Tools verified in a minute
#[derive(Debug, Parser)]
#[command(name = "deedbox-bench-verify")]
struct Options {
    /// Tools in the registry
    #[arg(long, default_value_t = 10_000)]
    tools: u32,
    /// Servers that their manifests are on: one request at a time for each
    #[arg(long, default_value_t = 16)]
    servers: usize,
    /// How often all are verified
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Keep the index in PostgreSQL
    #[arg(long)]
    postgres: bool,
    /// Serve manifests, and nothing else
    #[arg(long, hide = true)]
    serve: Option<usize>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    if let Some(servers) = options.serve {
        return web::serve(servers);
    }
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure(&options))
}

async fn measure(options: &Options) -> Result<()> {
    let web = Web::start(options.servers)?;
    let node = Anvil::start()?;
    eprintln!("registering {} tools", options.tools);
    let registry = registered(&node, &web, options.tools)?;
    let world = Arc::new(Later::default());
    let folder = tempfile::tempdir()?;
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::open(&folder.path().join("ledger.sqlite"), world.clone()).await?);
    let cluster = options.postgres.then(Cluster::start).transpose()?;
    let index: Arc<dyn Index> = match &cluster {
        Some(cluster) => Arc::new(PostgresIndex::open(&cluster.url(), 4).await?),
        None => Arc::new(SqliteIndex::open(&folder.path().join("index.sqlite")).await?),
    };
    println!("\n| registrations read | round | tools/min | CPU-seconds | resident, MB |");
    println!("|---|---|---|---|---|");
    for (label, multicall) in [("one by one", false), ("with multicall", true)] {
        let chains = chains(&node, multicall, world.clone())?;
        follow(&chains, &*store, registry).await?;
        align(&*index, &*store).await?;
        let how = SyncOptions::new(&*world);
        let holder = how.holder.clone();
        let lease = how.lease;
        let syncer = Syncer::new(
            Arc::clone(&chains),
            Arc::clone(&index),
            world.clone(),
            how,
            Arc::new(Unwatched),
        );
        syncer.catch_up(CHAIN).await?;
        let fetcher = Fetcher::new(Rules {
            allow: vec!["127.0.0.0/8".parse()?, "::1/128".parse()?],
            roots: vec![web.ca.clone()],
            ..Rules::default()
        })?;
        let verifier = Verifier::new(
            chains,
            Arc::new(fetcher),
            Arc::clone(&index),
            Arc::clone(&store),
            world.clone(),
            How {
                holder,
                lease,
                at_once: options.servers,
            },
        );
        for round in 1..=options.rounds {
            let (began, cpu) = (Instant::now(), cpu_seconds()?);
            let checked = all_due(&verifier).await?;
            ensure!(
                checked == u64::from(options.tools),
                "{checked} tools were verified"
            );
            let seconds = began.elapsed().as_secs_f64();
            println!(
                "| {label} | {round} | {:.0} | {:.1} | {:.0} |",
                f64::from(options.tools) / seconds * 60.0,
                cpu_seconds()? - cpu,
                resident_mb()?
            );
            world.forward(A_DAY);
        }
    }
    index.close().await;
    store.close().await;
    Ok(())
}

/// Verifies until nothing is due. Every tool is in order.
async fn all_due(verifier: &Verifier) -> Result<u64> {
    let mut verified = 0;
    loop {
        let Checked {
            verified: more,
            failed,
            unreachable,
            unread,
        } = verifier.round().await?;
        ensure!(
            failed + unreachable == 0 && unread.is_empty(),
            "{failed} failed, {unreachable} unreachable, {unread:?}"
        );
        if more == 0 {
            return Ok(verified);
        }
        verified += more;
    }
}

/// A registry with so many tools, which are spread over all servers.
fn registered(node: &Anvil, web: &Web, tools: u32) -> Result<RegistryId> {
    let runtime = anvil::artifact("Multicall3")?["runtime"].take();
    let multicall = hex::encode_prefixed(MULTICALL3.0);
    node.rpc("anvil_setCode", json!([multicall, runtime]))?;
    let registry = node.deploy("ToolRegistry", &[])?;
    node.mine_at_once(false)?;
    for tool in 0..tools {
        let server = usize::try_from(tool)? % web.ports.len();
        let port = web.ports[server];
        let report = deedbox_manifest::check(manifest(port, tool).as_bytes());
        let hash = report.hash.context("the manifest has no hash")?;
        let call = registerToolCall {
            metadataURI: uri(port, tool),
            manifestHash: B256::from(hash.0),
            accessPredicate: Address::ZERO,
        };
        let data = hex::encode_prefixed(call.abi_encode());
        let transaction = json!({"from": CREATOR, "to": registry, "data": data, "gas": "0x7a120"});
        node.rpc("eth_sendTransaction", json!([transaction]))?;
        if tool % BLOCK == BLOCK - 1 {
            node.mine(1)?;
        }
    }
    while node.rpc("txpool_status", json!([]))?["pending"] != "0x0" {
        node.mine(1)?;
    }
    Ok(RegistryId {
        chain_id: CHAIN,
        address: registry.parse::<ChainAddress>()?,
    })
}

fn chains(node: &Anvil, multicall: bool, world: Arc<dyn World>) -> Result<Arc<Chains>> {
    let endpoint = EndpointConfig::new("local".parse::<EndpointId>()?, Secret::new(node.url()));
    let chain = ChainConfig {
        id: CHAIN,
        name: "Local".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: multicall.then_some(MULTICALL3),
        finality_depth: None,
        endpoints: vec![endpoint],
    };
    let chains = Chains::new(vec![chain], world)?;
    Ok(Arc::new(chains.with_deadline(Duration::from_secs(60))))
}

/// Follows the registry, unless it is followed already.
async fn follow(chains: &Chains, store: &dyn Store, id: RegistryId) -> Result<()> {
    if store.registry(id).await?.is_some() {
        return Ok(());
    }
    let address = Address::from(id.address.0);
    let found = inspect(chains, CHAIN, Block::Latest, address).await?;
    let following = Following {
        standard: found.standard().context("it is no registry")?,
        label: None,
        trust: Trust::Known,
        from_block: 0,
        seen: found.sighting().context("there is no code")?,
    };
    let following = Box::new(following);
    let execute = Execute {
        command: Command::FollowRegistry { id, following },
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    };
    store.execute(execute).await??;
    Ok(())
}

/// What this process used of all cores until now, without its children.
fn cpu_seconds() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The program's name, in brackets, may hold spaces.
    let fields = stat.rsplit_once(')').context("no such line")?.1;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks =
        |index: usize| -> Result<f64> { Ok(fields.get(index).context("a short line")?.parse()?) };
    // User and system time, in hundredths of a second.
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}

fn resident_mb() -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.context("no such line")?.trim().trim_end_matches(" kB");
    Ok(kilobytes.parse::<f64>()? / 1_024.0)
}
