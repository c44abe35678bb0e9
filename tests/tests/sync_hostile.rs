//! Registries that lie, talk without end and say what nobody can read, on a real node: what they say is kept as far as it has the form of an event,
//! the rest is counted, and honest registries beside them are read as if there were no others.

use std::{fs, sync::Arc};

use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use alloy_sol_types::SolValue as _;
use anyhow::{Context, Result, ensure};
use deedbox_core::ChainAddress;
use deedbox_neighbours::anvil::Anvil;
use deedbox_store::index::{FACT_BYTES, Fact, Index, Row, Standard, Statement};
use deedbox_tests::{
    chain::{Arguments, address, bytes, call},
    registries::{Contract, entry, number, word},
    syncing::{Ahead, Indexes, Kept, Listener, begin, catch_up, chains, dump, registry, syncer},
};
use serde_json::json;

const SAY: &str = "say(bytes32[],bytes,uint256)";
const METADATA: &str = "MetadataSet(uint256,string,string,bytes)";
const TRANSFER: &str = "Transfer(address,address,address,uint256,uint256)";
const TOOL: &str = "ToolRegistered(uint256,address,address,string,bytes32)";

/// Our registries and two of a stranger's, one of each standard.
struct Street<'a> {
    node: &'a Anvil,
    agents: Contract<'a>,
    tools: Contract<'a>,
    loud_agents: Contract<'a>,
    loud_tools: Contract<'a>,
}

impl<'a> Street<'a> {
    fn found(node: &'a Anvil) -> Result<Self> {
        let none: Vec<(String, Bytes)> = Vec::new();
        let street = Self {
            node,
            agents: Contract::deploy(node, "OpenAgentRegistry", (Address::ZERO, none))?,
            tools: Contract::deploy(node, "ToolRegistry", ())?,
            loud_agents: Contract::deploy(node, "Speaker", ())?,
            loud_tools: Contract::deploy(node, "Speaker", ())?,
        };
        street.be_honest()?;
        Ok(street)
    }

    /// An agent and a tool are registered.
    fn be_honest(&self) -> Result<()> {
        let owner = address(self.node.account(1))?;
        let entries = vec![entry("name", "Honest")];
        self.agents
            .send(1, "register(address,(string,bytes)[])", (owner, entries))?;
        let uri = "https://tools.example.com/.well-known/ai-tool/t.json".to_owned();
        let tool = (uri, B256::repeat_byte(1), self.loud_tools.address());
        self.tools
            .send(1, "registerTool(string,bytes32,address)", tool)?;
        Ok(())
    }

    /// Reads everything into a new index.
    async fn read(&self, indexes: &Indexes, name: &str) -> Result<(Arc<dyn Index>, Arc<Listener>)> {
        let index = indexes.make(name).await?;
        let followed = [
            (registry(self.agents.address()), Standard::Erc8122),
            (registry(self.tools.address()), Standard::Erc8257),
            (registry(self.loud_agents.address()), Standard::Erc8122),
            (registry(self.loud_tools.address()), Standard::Erc8257),
        ];
        begin(&index, &followed).await?;
        let world = Arc::new(Ahead::default());
        let chains = chains(&self.node.url(), &world)?;
        let (syncer, listener) = syncer(&chains, &index, &world, name, u64::MAX);
        catch_up(&syncer).await?;
        Ok((index, listener))
    }
}

fn topic(event: &str) -> B256 {
    keccak256(event)
}

fn account(number: u8) -> B256 {
    Address::repeat_byte(number).into_word()
}

/// A word in front of which an address has something that it must not have.
fn no_address() -> B256 {
    B256::repeat_byte(0xee)
}

fn say(by: Contract<'_>, topics: &[B256], data: impl Into<Vec<u8>>) -> Result<()> {
    by.send(0, SAY, (topics.to_vec(), bytes(data), number(1)))
        .map(drop)
}

fn pair(first: impl Into<Vec<u8>>, second: impl Into<Vec<u8>>) -> Vec<u8> {
    (bytes(first), bytes(second)).abi_encode_params()
}

async fn facts(index: &Arc<dyn Index>, of: Contract<'_>) -> Result<Vec<Fact>> {
    let rows = dump(index, registry(of.address())).await?.into_iter();
    let facts = rows.filter_map(|row| match row {
        Row::Fact(fact) => Some(fact),
        Row::Entry(_) => None,
    });
    Ok(facts.collect())
}

async fn odd_things_are_said(kept: Kept) -> Result<()> {
    let node = Anvil::start()?;
    let street = Street::found(&node)?;
    let (agents, tools) = (street.loud_agents, street.loud_tools);
    let metadata = [topic(METADATA), word(7), keccak256("name")];
    let moved = |to: u8, amount: U256| {
        (
            Address::repeat_byte(9),
            amount,
            [topic(TRANSFER), account(8), account(to), word(7)],
        )
    };

    // What has the form of an event.
    say(agents, &metadata, pair(*b"\xff\xfe", vec![0xc3; 40_000]))?;
    let registered = "Registered(uint256,address,string,string,address)";
    let strings = (bytes(*b"\xff"), bytes(vec![b'x'; 20_000]), Address::ZERO);
    say(
        agents,
        &[topic(registered), word(7), account(5)],
        strings.abi_encode_params(),
    )?;
    for (to, amount) in [
        (1, U256::from(1)),
        (2, U256::ZERO),
        (3, U256::MAX),
        (4, U256::from(2)),
    ] {
        let (caller, amount, topics) = moved(to, amount);
        say(agents, &topics, (caller, amount).abi_encode_params())?;
    }
    let uri = (bytes(*b"\xfd\0"), B256::ZERO).abi_encode_params();
    let named = [topic(TOOL), word(3), account(6), registry_topic(tools)];
    for _ in 0..2 {
        say(tools, &named, uri.clone())?;
    }
    say(tools, &[topic("ToolDeregistered(uint256)"), word(99)], [])?;

    // What has an event's topic, and not its form.
    let whole = pair(*b"name", *b"value");
    let mut far = whole.clone();
    far[31] = 0xff;
    let mut long = whole.clone();
    long[64] = 0x80;
    for data in [&whole[..70], &far, &long, &[]] {
        say(agents, &metadata, data)?;
    }
    say(agents, &metadata[..1], whole.clone())?;
    say(agents, &[&metadata[..], &[word(1)]].concat(), whole.clone())?;
    say(agents, &metadata, pair(*b"name", vec![1; 70 * 1_024]))?;
    let (caller, amount, topics) = moved(1, U256::from(1));
    let dirty = [topics[0], no_address(), topics[2], topics[3]];
    say(agents, &dirty, (caller, amount).abi_encode_params())?;
    let operator = [
        topic("OperatorSet(address,address,bool)"),
        account(1),
        account(2),
    ];
    say(agents, &operator, word(2).to_vec())?;
    say(
        tools,
        &[topic(TOOL), word(3), account(6), no_address()],
        uri.clone(),
    )?;
    say(tools, &named, &uri[..32])?;

    // What is nobody's business.
    say(agents, &[], *b"nothing")?;
    say(tools, &[topic("Spoke(address)"), account(1)], [])?;
    street.be_honest()?;

    let indexes = Indexes::new(kept)?;
    let (index, listener) = street.read(&indexes, "odd").await?;
    let unreadable = listener.unreadable();
    let of = |contract: Contract<'_>| unreadable.get(&registry(contract.address())).copied();
    assert_eq!((of(agents), of(tools)), (Some(9), Some(2)));
    assert_eq!((of(street.agents), of(street.tools)), (Some(0), Some(0)));
    let loud = facts(&index, agents).await?;
    assert_eq!(loud.len(), 6);
    let Statement::MetadataSet { key, value, .. } = &loud[0].statement else {
        anyhow::bail!("{:?}", loud[0]);
    };
    assert_eq!(
        (key.bytes(), value.bytes().len(), value.length()),
        (&b"\xff\xfe"[..], FACT_BYTES, 40_000)
    );
    let agent = index.agent(registry(agents.address()), number(7)).await?;
    let owner = agent.context("no agent")?.owner;
    assert_eq!(
        owner,
        Some(ChainAddress([1; 20])),
        "only one of one moves an agent"
    );
    assert_eq!(facts(&index, tools).await?.len(), 3);
    let gone = index.tool(registry(tools.address()), number(99)).await?;
    assert!(gone.is_none(), "what was not registered is no tool");
    // Two agents (a transfer, a piece of metadata and a registration each) and two tools.
    assert_eq!(facts(&index, street.agents).await?.len(), 6);
    assert_eq!(facts(&index, street.tools).await?.len(), 2);
    index.close().await;
    Ok(())
}

fn registry_topic(of: Contract<'_>) -> B256 {
    of.address().into_word()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_can_read_is_counted_and_the_rest_kept_in_sqlite() -> Result<()> {
    odd_things_are_said(Kept::InSqlite).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_can_read_is_counted_and_the_rest_kept_in_postgresql() -> Result<()> {
    odd_things_are_said(Kept::InPostgres).await
}

/// Sends transactions that all get into one block.
fn in_one_block(street: &Street<'_>, calls: &[Vec<u8>]) -> Result<()> {
    street.node.mine_at_once(false)?;
    for data in calls {
        let transaction = json!([{
            "from": street.node.account(0),
            "to": street.loud_agents.address(),
            "data": hex::encode_prefixed(data),
            "gas": "0xe00000",
        }]);
        street.node.rpc("eth_sendTransaction", transaction)?;
    }
    street.node.mine(1)?;
    street.node.mine_at_once(true)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_in_one_block_is_read_whole() -> Result<()> {
    let node = Anvil::start()?;
    let street = Street::found(&node)?;
    let topics = vec![topic(METADATA), word(7), keccak256("name")];
    let storm = (topics, bytes(pair(*b"name", *b"storm")), number(3_500));
    let storm = call(SAY, storm);
    in_one_block(&street, &[storm.clone(), storm])?;
    street.be_honest()?;
    let indexes = Indexes::new(Kept::InSqlite)?;
    let (index, _) = street.read(&indexes, "storm").await?;
    let said = facts(&index, street.loud_agents).await?;
    assert_eq!(said.len(), 7_000);
    let blocks = said.iter().map(|fact| fact.origin.place.block);
    assert_eq!(blocks.clone().min(), blocks.max(), "all of one block");
    assert_eq!(facts(&index, street.tools).await?.len(), 2);
    index.close().await;
    Ok(())
}

/// How much memory this process has had at most, in MiB.
fn peak() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    Ok(kibibytes.context("no VmHWM")?.trim().parse::<u64>()? / 1_024)
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_talks_without_end_does_not_fill_the_memory() -> Result<()> {
    let node = Anvil::start()?;
    let street = Street::found(&node)?;
    let topics = vec![topic(METADATA), word(7), keccak256("name")];
    let value = pair(*b"name", vec![0; 60 * 1_024]);
    let flood = (topics, bytes(value), number(25)).encoded();
    let flood = [&keccak256(SAY)[..4], &flood].concat();
    for _ in 0..24 {
        let included = street.loud_agents.send_with(0, &flood, 16_000_000)?;
        ensure!(included.succeeded, "the flood reverted");
        drop(included);
    }
    street.be_honest()?;
    let indexes = Indexes::new(Kept::InSqlite)?;
    let before = peak()?;
    let (index, listener) = street.read(&indexes, "flood").await?;
    let grown = peak()? - before;
    let chatty = registry(street.loud_agents.address());
    assert_eq!(listener.unreadable().get(&chatty), Some(&0));
    let cursors = index.cursors().await?;
    ensure!(
        cursors.iter().all(|cursor| cursor.next() > 24),
        "{cursors:?}"
    );
    assert_eq!(facts(&index, street.tools).await?.len(), 2);
    // 36 MiB were said, which are 72 MiB as a node writes them, and as many as facts.
    println!("{grown} MiB more for 36 MiB");
    ensure!(grown < 100, "{grown} MiB");
    index.close().await;
    Ok(())
}
