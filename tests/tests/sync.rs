//! Registries on a real node are followed into an index: after each reorganisation the index has what the node says, and what a fresh index has.

use std::{collections::BTreeSet, sync::Arc};

use alloy_primitives::{Address, B256, Bytes, U256};
use anyhow::{Context, Result, ensure};
use deedbox_neighbours::anvil::Anvil;
use deedbox_registry::sync::{UPGRADED, topics};
use deedbox_store::index::{Fact, Index, Row, Standard};
use deedbox_tests::{
    Random,
    chain::{address, bytes, call},
    registries::{Contract, entry, number},
    syncing::{Ahead, Indexes, Kept, begin, catch_up, chains, dump, registry, syncer},
};
use serde_json::{Value, json};

/// How often the chain takes back blocks.
const REORGANISATIONS: u64 = 12;
/// Whoever makes tools.
const CREATOR: usize = 1;
/// More than any call here needs.
const GAS: u64 = 3_000_000;

/// How a contract is told what to log, and how often.
const SAY: &str = "say(bytes32[],bytes,uint256)";

fn upgrade(to: u8) -> (Vec<B256>, Bytes, U256) {
    let topics = vec![UPGRADED, Address::repeat_byte(to).into_word()];
    (topics, Bytes::new(), number(1))
}

fn uri(n: u64) -> String {
    format!("https://tools.example.com/.well-known/ai-tool/t{n}.json")
}

/// Our registries, and a predicate that says that it was upgraded.
struct Town<'a> {
    node: &'a Anvil,
    agents: Contract<'a>,
    tools: Contract<'a>,
    gate: Contract<'a>,
    random: Random,
}

impl<'a> Town<'a> {
    fn found(node: &'a Anvil) -> Result<Self> {
        let own = vec![entry("name", "Agents of a town")];
        let registrar = address(node.account(0))?;
        Ok(Self {
            node,
            agents: Contract::deploy(node, "OpenAgentRegistry", (registrar, own))?,
            tools: Contract::deploy(node, "ToolRegistry", ())?,
            gate: Contract::deploy(node, "Speaker", ())?,
            random: Random::seeded(),
        })
    }

    /// Everything that is said is said once.
    fn open(&self) -> Result<()> {
        let (agents, tools, gate) = (&self.agents, &self.tools, self.gate.address());
        let (owner, other) = (self.account(2)?, self.account(3)?);
        let tool = |gate: Address| (uri(0), B256::repeat_byte(9), gate);
        let entries = vec![entry("name", "First")];
        agents.send(2, "register(address,(string,bytes)[])", (owner, entries))?;
        agents.send(
            2,
            "approve(address,uint256,uint256)",
            (other, number(1), number(1)),
        )?;
        agents.send(2, "setOperator(address,bool)", (other, true))?;
        let register = "registerTool(string,bytes32,address)";
        tools.send(CREATOR, register, tool(gate))?;
        tools.send(CREATOR, register, tool(Address::ZERO))?;
        self.gate.send(0, SAY, upgrade(1))?;
        let update = (number(1), uri(1), B256::repeat_byte(8));
        tools.send(
            CREATOR,
            "updateToolMetadata(uint256,string,bytes32)",
            update,
        )?;
        let open = (number(1), Address::ZERO);
        tools.send(CREATOR, "setAccessPredicate(uint256,address)", open)?;
        tools.send(CREATOR, "deregisterTool(uint256)", (number(2),))?;
        Ok(())
    }

    fn account(&self, index: usize) -> Result<Address> {
        address(self.node.account(index))
    }

    /// Something happens, or is tried: each makes a block.
    fn act(&mut self) -> Result<()> {
        let agents: U256 = self.agents.read("agentCount()", ())?;
        let tools: U256 = self.tools.read("toolCount()", ())?;
        let pick = |random: &mut Random, count: U256| {
            let count = count.saturating_to::<u64>().max(1);
            number(1 + random.below(count))
        };
        let (agent, tool) = (
            pick(&mut self.random, agents),
            pick(&mut self.random, tools),
        );
        let draw = self.random.below(100);
        // Agents belong to the third and the fourth account.
        let (from, to) = [(2, 3), (3, 2)][usize::from(draw % 2 == 1)];
        let other = self.account(to)?;
        let hash = B256::repeat_byte(1 + u8::try_from(draw)?);
        let gate = [Address::ZERO, self.gate.address()][usize::from(!draw.is_multiple_of(3))];
        let text =
            |n: u64| bytes(["Alpha", "", "日本語", "Beta"][usize::try_from(n % 4).unwrap_or(0)]);
        let (contract, by, data) = match self.random.below(13) {
            0 | 1 => {
                let entries = vec![
                    entry("name", format!("Agent {draw}")),
                    entry("service", "https://a.example.com"),
                ];
                let data = call("register(address,(string,bytes)[])", (other, entries));
                (self.agents, from, data)
            }
            2 => {
                let set = (
                    agent,
                    ["name", "description", "image"][usize::try_from(draw % 3)?].to_owned(),
                    text(draw),
                );
                (
                    self.agents,
                    from,
                    call("setMetadata(uint256,string,bytes)", set),
                )
            }
            3 | 4 => {
                let data = call(
                    "transfer(address,uint256,uint256)",
                    (other, agent, number(1)),
                );
                (self.agents, from, data)
            }
            5 => {
                let data = call(
                    "approve(address,uint256,uint256)",
                    (other, agent, number(draw)),
                );
                (self.agents, from, data)
            }
            6 => {
                let data = call("setOperator(address,bool)", (other, draw % 4 < 2));
                (self.agents, from, data)
            }
            7 => {
                let data = call(
                    "setContractMetadata(string,bytes)",
                    ("description".to_owned(), text(draw)),
                );
                (self.agents, 0, data)
            }
            8 | 9 => {
                let data = call(
                    "registerTool(string,bytes32,address)",
                    (uri(draw), hash, gate),
                );
                (self.tools, CREATOR, data)
            }
            10 => {
                let data = call(
                    "updateToolMetadata(uint256,string,bytes32)",
                    (tool, uri(draw), hash),
                );
                (self.tools, CREATOR, data)
            }
            11 if draw < 30 => (
                self.tools,
                CREATOR,
                call("deregisterTool(uint256)", (tool,)),
            ),
            11 => (
                self.tools,
                CREATOR,
                call("setAccessPredicate(uint256,address)", (tool, gate)),
            ),
            _ => (self.gate, 0, call(SAY, upgrade(hash[0]))),
        };
        // One that is refused makes a block all the same.
        contract.send_with(by, &data, GAS).map(drop)
    }

    /// Where each of these registries said something, as the node says when it is asked plainly.
    fn said(&self, by: Contract<'_>, standard: Standard) -> Result<BTreeSet<Said>> {
        let mut said: BTreeSet<_> = self
            .logs(by.address(), &topics(standard))?
            .into_iter()
            .collect();
        if standard == Standard::Erc8257 {
            let gate = self.gate.address().into_word();
            let first = said
                .iter()
                .find(|said| said.topics.contains(&gate))
                .cloned();
            let upgrades = self.logs(self.gate.address(), &[UPGRADED])?;
            said.extend(
                upgrades
                    .into_iter()
                    .filter(|upgrade| first.as_ref().is_some_and(|first| first < upgrade)),
            );
        }
        Ok(said)
    }

    fn logs(&self, by: Address, topics: &[B256]) -> Result<Vec<Said>> {
        let filter =
            json!([{"fromBlock": "0x0", "toBlock": "latest", "address": by, "topics": [topics]}]);
        let logs = self.node.rpc("eth_getLogs", filter)?;
        let said = logs.as_array().context("no logs")?.iter().map(|log| {
            let number = |name: &str| -> Result<u64> {
                let text = log[name].as_str().context("no number")?;
                Ok(u64::from_str_radix(text.trim_start_matches("0x"), 16)?)
            };
            let text = |name: &str| log[name].as_str().unwrap_or_default().to_owned();
            let topics = log["topics"].as_array().into_iter().flatten();
            let topics = topics.map(|topic| Ok(topic.as_str().context("a topic")?.parse()?));
            Ok(Said {
                place: (number("blockNumber")?, number("logIndex")?),
                block_hash: text("blockHash"),
                transaction: text("transactionHash"),
                topics: topics.collect::<Result<_>>()?,
            })
        });
        said.collect()
    }

    /// What contracts answer now is what entries say.
    async fn compare_entries(&self, index: &Arc<dyn Index>) -> Result<()> {
        let (agents, tools) = (
            registry(self.agents.address()),
            registry(self.tools.address()),
        );
        let count: U256 = self.agents.read("agentCount()", ())?;
        for id in 1..=count.saturating_to::<u64>() {
            let owner: Address = self.agents.read("ownerOf(uint256)", (number(id),))?;
            let name: Bytes = self
                .agents
                .read("metadata(uint256,string)", (number(id), "name".to_owned()))?;
            let known = index
                .agent(agents, number(id))
                .await?
                .context("no such agent")?;
            ensure!(
                known.owner.is_some_and(|known| known.0 == owner.0.0),
                "{id}: {known:?}"
            );
            let known = known
                .metadata
                .get("name")
                .map(deedbox_store::index::Kept::bytes)
                .unwrap_or_default();
            ensure!(known == &name[..], "{id}: {known:?}");
        }
        let gone = index.agent(agents, count + U256::from(1)).await?;
        ensure!(gone.is_none(), "{gone:?}");
        let count: U256 = self.tools.read("toolCount()", ())?;
        for id in 1..=count.saturating_to::<u64>() {
            let known = index
                .tool(tools, number(id))
                .await?
                .context("no such tool")?;
            let config = self
                .tools
                .call(0, "getToolConfig(uint256)", (number(id),))?;
            ensure!(
                config.is_err() == known.deregistered.is_some(),
                "{id}: {known:?}"
            );
            if config.is_ok() {
                let (creator, uri, hash, gate): (Address, String, B256, Address) =
                    self.tools.read("getToolConfig(uint256)", (number(id),))?;
                let predicate = known
                    .access_predicate
                    .map_or(Address::ZERO, |known| known.0.into());
                ensure!(
                    known.creator.0 == creator.0.0 && predicate == gate,
                    "{id}: {known:?}"
                );
                ensure!(
                    known.metadata_uri.text() == Some(&uri) && known.manifest_hash.0 == hash.0,
                    "{id}: {known:?}"
                );
            }
        }
        Ok(())
    }
}

/// Where something was said. Ordered as the chain is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    place: (u64, u64),
    block_hash: String,
    transaction: String,
    topics: Vec<B256>,
}

fn facts(rows: &[Row]) -> impl Iterator<Item = &Fact> {
    rows.iter().filter_map(|row| match row {
        Row::Fact(fact) => Some(fact),
        Row::Entry(_) => None,
    })
}

/// Where facts are from, in the form of [`Said`].
fn places(rows: &[Row]) -> Vec<((u64, u64), String, String)> {
    let places = facts(rows).map(|fact| {
        let origin = fact.origin;
        (
            (origin.place.block, origin.place.log_index),
            origin.block_hash.to_string(),
            origin.transaction.to_string(),
        )
    });
    places.collect()
}

async fn a_dozen_reorganisations(kept: Kept) -> Result<()> {
    let node = Anvil::start()?;
    let mut town = Town::found(&node)?;
    town.open()?;
    let indexes = Indexes::new(kept)?;
    let followed = [
        (registry(town.agents.address()), Standard::Erc8122),
        (registry(town.tools.address()), Standard::Erc8257),
    ];
    let world = Arc::new(Ahead::default());
    let index = indexes.make("followed").await?;
    begin(&index, &followed).await?;
    let mut names = BTreeSet::new();
    for round in 0..REORGANISATIONS {
        let snapshot = node.rpc("evm_snapshot", json!([]))?;
        let acts = 4 + town.random.below(6);
        for _ in 0..acts {
            town.act()?;
        }
        let width = *town.random.pick(&[1, 4, u64::MAX]);
        // As after a start of the program.
        let (before, _) = syncer(
            &chains(&node.url(), &world)?,
            &index,
            &world,
            "before",
            width,
        );
        catch_up(&before).await?;
        let height = node.height()?;
        match round % 2 {
            0 => ensure!(node.rpc("evm_revert", json!([snapshot]))? == Value::Bool(true)),
            _ => node.reorg(1 + town.random.below(acts - 1))?,
        }
        while node.height()? <= height {
            town.act()?;
        }
        let (after, listener) = syncer(
            &chains(&node.url(), &world)?,
            &index,
            &world,
            "after",
            width,
        );
        catch_up(&after).await?;
        assert_eq!(listener.went_back(), 2, "round {round}: both registries");
        let fresh = indexes.make(&format!("fresh{round}")).await?;
        begin(&fresh, &followed).await?;
        let (anew, _) = syncer(
            &chains(&node.url(), &world)?,
            &fresh,
            &world,
            "fresh",
            u64::MAX,
        );
        catch_up(&anew).await?;
        for ((id, standard), by) in followed.into_iter().zip([town.agents, town.tools]) {
            let rows = dump(&index, id).await?;
            assert_eq!(rows, dump(&fresh, id).await?, "round {round}: {id}");
            let said = town.said(by, standard)?.into_iter();
            let said: Vec<_> = said
                .map(|said| (said.place, said.block_hash, said.transaction))
                .collect();
            assert_eq!(places(&rows), said, "round {round}: {id}");
            names.extend(facts(&rows).map(|fact| json!(fact.statement)["said"].to_string()));
        }
        town.compare_entries(&index).await?;
        fresh.close().await;
    }
    index.close().await;
    assert_eq!(
        names.len(),
        11,
        "all that registries say was said: {names:?}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_each_of_a_dozen_reorganisations_a_sqlite_index_is_as_a_fresh_one() -> Result<()> {
    a_dozen_reorganisations(Kept::InSqlite).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_each_of_a_dozen_reorganisations_a_postgresql_index_is_as_a_fresh_one() -> Result<()>
{
    a_dozen_reorganisations(Kept::InPostgres).await
}
