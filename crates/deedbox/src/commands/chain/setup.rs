//! Putting registries, agents and tools on a chain that was just started, by the same way that every other change goes.

use std::{fs, path::Path, sync::Arc, time::Duration};

use alloy_primitives::Address;
use deedbox_chain::{ChainConfig, Chains, EndpointConfig, config::Secret};
use deedbox_core::{Attribution, EndpointId, Principal, Settlement, World};
use deedbox_fetch::{Fetcher, Rules};
use deedbox_id::{EvmChain, Registry, TokenIdentifier, ToolReference};
use deedbox_publish::{Action, Desk, Options, Published, Settled, publish};
use deedbox_registry::NewAgent;
use deedbox_sqlite::SqliteStore;
use serde_json::{Value, json};

use super::{
    samples,
    summary::{self, Agent, Contract, Summary, Tool},
};
use crate::{
    accounts::Signing,
    commands::publishing::{Shown, contract, created_address},
    failure::Failure,
    render::Paint,
    world::SystemWorld,
};

/// How often the chain is asked whether it has a transaction: it makes a block for each at once.
const POLL: Duration = Duration::from_millis(20);
/// How often a receipt is asked for.
const ATTEMPTS: u32 = 500;

/// Everything, in an order that never changes, so that every address is the same each time.
///
/// # Errors
/// What went wrong, as publishing says it.
pub(super) async fn all(url: &str, chain_id: u64, folder: &Path) -> Result<Summary, Failure> {
    let world: Arc<dyn World> = Arc::new(SystemWorld);
    let accounts = summary::accounts();
    let [(key, mine), (_, theirs), ..] = accounts.as_slice() else {
        return Err(failed("there are no accounts"));
    };
    let site = Site {
        chain_id,
        url: url.to_owned(),
        chains: Chains::new(vec![config(url, chain_id)], Arc::clone(&world))
            .map_err(|error| failed(error.to_string()))?,
        // A ledger of the chain's own: what is tried here is none of the user's deeds.
        store: SqliteStore::open(&folder.join("deedbox.sqlite"), Arc::clone(&world))
            .await
            .map_err(|error| failed(error.to_string()))?,
        world,
        fetcher: Fetcher::new(Rules::default()).map_err(|error| failed(error.to_string()))?,
        attribution: Attribution::of(Principal::local()),
        signer: Signing::with(key.clone()),
    };
    let done = site.build(*mine, *theirs, folder).await;
    deedbox_store::Store::close(&site.store).await;
    done
}

fn failed(reason: impl Into<String>) -> Failure {
    Failure::NoChain {
        reason: reason.into(),
        advice: "--bare starts the chain without anything on it",
    }
}

fn config(url: &str, chain_id: u64) -> ChainConfig {
    ChainConfig {
        id: chain_id,
        name: "development".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: None,
        finality_depth: None,
        endpoints: vec![EndpointConfig::new(
            EndpointId::known("dev"),
            Secret::new(url),
        )],
    }
}

/// What it takes to put something there.
struct Site {
    chain_id: u64,
    url: String,
    chains: Chains,
    store: SqliteStore,
    world: Arc<dyn World>,
    fetcher: Fetcher,
    attribution: Attribution,
    signer: Signing,
}

impl Site {
    async fn build(
        &self,
        mine: Address,
        theirs: Address,
        folder: &Path,
    ) -> Result<Summary, Failure> {
        let mut summary = Summary::bare(&self.url, self.chain_id);
        let mut registries = Vec::new();
        for (kind, deployment) in samples::registries(mine)? {
            let address = self.deploy(Action::Deploy(deployment)).await?;
            summary.registries.push(self.named(kind, address));
            registries.push(address);
        }
        let [open, curated, fixed, tools] = registries.as_slice() else {
            return Err(failed("a registry is missing"));
        };
        let agents = samples::open_agents(mine, theirs)?;
        self.register(&mut summary, *open, agents).await?;
        let [admitted, first] = samples::admitted_agents(mine)?;
        self.register(&mut summary, *curated, vec![admitted])
            .await?;
        self.register(&mut summary, *fixed, vec![first]).await?;
        // After the agents: one of the predicates is about the first of them.
        let mut predicates = Vec::new();
        for (kind, deployment) in samples::predicates(*open, *tools) {
            let address = self.deploy(Action::Deploy(deployment)).await?;
            summary.predicates.push(self.named(kind, address));
            predicates.push((kind, address));
        }
        self.tools(&mut summary, *tools, mine, &predicates, folder)
            .await?;
        Ok(summary.at(&self.url))
    }

    async fn publish(&self, action: Action) -> Result<Box<Settled>, Failure> {
        let desk = Desk {
            chains: &self.chains,
            store: &self.store,
            world: self.world.as_ref(),
            fetcher: &self.fetcher,
            attribution: &self.attribution,
        };
        let options = Options {
            poll: POLL,
            ..Options::default()
        };
        let mut teller = Shown::silent(Paint::off());
        let published = publish(
            desk,
            self.chain_id,
            action,
            &self.signer,
            &options,
            &mut teller,
        );
        match published.await {
            Ok(Published::Settled(settled)) => Ok(settled),
            Ok(Published::DryRun(_)) => Err(failed("nothing was signed")),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    async fn deploy(&self, action: Action) -> Result<Address, Failure> {
        let settled = self.publish(action).await?;
        let created = match &settled.settlement {
            Settlement::Included(found) if found.succeeded => created_address(found),
            _ => None,
        };
        created.ok_or_else(|| failed("a contract was not created"))
    }

    async fn register(
        &self,
        summary: &mut Summary,
        registry: Address,
        agents: Vec<NewAgent>,
    ) -> Result<(), Failure> {
        let told: Vec<(String, String)> = agents
            .iter()
            .map(|agent| (name(agent), agent.owner.to_string()))
            .collect();
        let action = Action::RegisterAgents { registry, agents };
        let settled = self.publish(action).await?;
        let Settlement::Included(found) = &settled.settlement else {
            return Err(failed("agents were not registered"));
        };
        let ids = found.created.get("agent_ids").and_then(Value::as_array);
        let chain = self.chain()?;
        let caip10 = self.named("", registry).caip10;
        for (id, (name, owner)) in ids.into_iter().flatten().zip(told) {
            let id = id.as_str().and_then(|id| id.parse().ok());
            let id = id.ok_or_else(|| failed("an agent has no id"))?;
            let at = Registry::evm(chain, deedbox_id::Address(registry.0.0));
            summary.agents.push(Agent {
                agent: TokenIdentifier::new(id, at).to_string(),
                name,
                owner,
                registry: caip10.clone(),
            });
        }
        Ok(())
    }

    /// Tools are registered by the node's own account: publishing one fetches its manifest from where it is served, and these
    /// are served nowhere.
    async fn tools(
        &self,
        summary: &mut Summary,
        registry: Address,
        creator: Address,
        predicates: &[(&str, Address)],
        folder: &Path,
    ) -> Result<(), Failure> {
        let manifests = folder.join("manifests");
        let write = |path: &Path, bytes: &[u8]| {
            fs::create_dir_all(&manifests)
                .and_then(|()| fs::write(path, bytes))
                .map_err(|source| Failure::CannotWrite {
                    path: path.to_owned(),
                    source,
                })
        };
        for (index, tool) in samples::tools(creator).into_iter().enumerate() {
            let file = manifests.join(format!("{}.json", tool.slug));
            write(&file, &tool.manifest)?;
            let predicate = predicates
                .iter()
                .find(|(kind, _)| tool.predicate == Some(*kind));
            let address = predicate.map_or(Address::ZERO, |(_, address)| *address);
            let call = tool
                .register(address)
                .ok_or_else(|| failed("a manifest is none"))?;
            self.send(creator, registry, &call.encode().to_string())
                .await?;
            // Ids are given in the order of registration, from 1.
            let id = deedbox_id::U256::from(index.saturating_add(1));
            let at = deedbox_id::Address(registry.0.0);
            let reference = ToolReference::new(self.chain()?, at, id)
                .map_err(|error| failed(error.to_string()))?;
            summary.tools.push(Tool {
                tool: reference.to_string(),
                metadata_uri: tool.metadata_uri(),
                access: tool.predicate.unwrap_or("everybody").to_owned(),
                manifest: file.display().to_string(),
            });
        }
        Ok(())
    }

    fn chain(&self) -> Result<EvmChain, Failure> {
        EvmChain::try_from(self.chain_id).map_err(|error| failed(error.to_string()))
    }

    fn named(&self, kind: &str, address: Address) -> Contract {
        let names = contract(self.chain_id, address);
        let text = |key: &str| names[key].as_str().unwrap_or_default().to_owned();
        Contract {
            kind: kind.to_owned(),
            address: text("address"),
            caip10: text("caip10"),
            erc7930: text("erc7930"),
        }
    }

    /// Has the node itself sign and send a call, and waits until it took effect.
    async fn send(&self, from: Address, to: Address, data: &str) -> Result<(), Failure> {
        let transaction = json!({"from": from, "to": to, "data": data});
        let hash = self
            .ask("eth_sendTransaction", json!([transaction]))
            .await?;
        for _ in 0..ATTEMPTS {
            let receipt = self.ask("eth_getTransactionReceipt", json!([hash])).await?;
            match receipt["status"].as_str() {
                Some("0x1") => return Ok(()),
                Some(_) => return Err(failed("a tool was not registered")),
                None => tokio::time::sleep(POLL).await,
            }
        }
        Err(failed("a tool's registration is in no block"))
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, Failure> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let trouble = |error: reqwest::Error| failed(format!("{method}: {}", error.without_url()));
        let answer = reqwest::Client::new()
            .post(&self.url)
            .header("content-type", "application/json")
            .body(request.to_string())
            .send()
            .await
            .map_err(trouble)?;
        let text = answer.bytes().await.map_err(trouble)?;
        let mut answer: Value =
            serde_json::from_slice(&text).map_err(|error| failed(format!("{method}: {error}")))?;
        match answer.get("error") {
            Some(error) => Err(failed(format!("{method}: {error}"))),
            None => Ok(answer["result"].take()),
        }
    }
}

fn name(agent: &NewAgent) -> String {
    let named = agent
        .metadata
        .iter()
        .find(|entry| entry.key.as_str() == "name");
    named.map_or_else(String::new, |entry| {
        String::from_utf8_lossy(&entry.value).into_owned()
    })
}
