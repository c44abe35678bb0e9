//! What the index answers is the same whichever database keeps it: registries of a real node, read and kept verified in the background by one
//! server on SQLite, and by three on PostgreSQL, and asked over MCP.

use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};

use alloy_primitives::{Address, B256, keccak256};
use anyhow::{Context, Result, ensure};
use deedbox_neighbours::{
    anvil::Anvil,
    certificate::Certificate,
    deedbox::Server,
    https::{Answer, HttpsServer},
};
use deedbox_tests::{
    Backend, Connection, Site,
    chain::{CHAIN, address, bytes},
    mcp,
    registries::{Contract, Entry, entry, number},
};
use serde_json::{Value, json};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(120);
/// So many blocks later everything that was said is final.
const FINAL: u64 = 70;
const CREATOR: usize = 1;
const OWNER: usize = 2;
const OTHER: usize = 3;
/// What two servers need not say alike: times by their own clocks, and the names of their records.
const OWN: [&str; 6] = [
    "age_seconds",
    "looked_at",
    "verified_at",
    "fetched_at",
    "fresh_until",
    "evidence_id",
];

/// A manifest in its canonical form (RFC 8785): nothing in it is anything but ASCII, and its names are sorted.
fn manifest(name: &str, version: &str, creator: &str, port: u16) -> String {
    let fields = BTreeMap::from([
        (
            "type",
            json!("https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1"),
        ),
        ("name", json!(name)),
        ("description", json!(format!("Says what {name} will be."))),
        (
            "endpoint",
            json!(format!("https://localhost:{port}/{name}")),
        ),
        ("version", json!(version)),
        ("inputs", json!({"type": "object"})),
        ("outputs", json!({"type": "object"})),
        ("creatorAddress", json!(creator.to_lowercase())),
    ]);
    json!(fields).to_string()
}

/// A node with two registries of which something is to be told, and whoever serves manifests.
struct Town {
    node: Anvil,
    web: HttpsServer,
    agents: String,
    tools: String,
}

impl Town {
    fn found() -> Result<Self> {
        let node = Anvil::start()?;
        let web = HttpsServer::start(&Certificate::valid()?, |_| Answer::ok(""))?;
        let none: Vec<Entry> = Vec::new();
        let registrar = address(node.account(0))?;
        let agents = Contract::deploy(&node, "OpenAgentRegistry", (registrar, none))?.address();
        let tools = Contract::deploy(&node, "ToolRegistry", ())?.address();
        let town = Self {
            agents: caip10(agents),
            tools: caip10(tools),
            node,
            web,
        };
        town.speak_of_agents(agents)?;
        town.speak_of_tools(tools)?;
        town.node.mine(FINAL)?;
        Ok(town)
    }

    fn speak_of_agents(&self, at: Address) -> Result<()> {
        let agents = Contract::at(&self.node, at);
        let (owner, other) = (
            address(self.node.account(OWNER))?,
            address(self.node.account(OTHER))?,
        );
        for name in ["Weather oracle", "Weather of yesterday", "Tides"] {
            let entries = vec![
                entry("name", name),
                entry("service_type", "mcp"),
                entry("service", "https://agents.example.com/{id}"),
            ];
            agents.send(
                OWNER,
                "register(address,(string,bytes)[])",
                (owner, entries),
            )?;
        }
        let renamed = (
            number(1),
            "name".to_owned(),
            bytes("Weather \u{202e}oracle 天気"),
        );
        agents.send(OWNER, "setMetadata(uint256,string,bytes)", renamed)?;
        let given = (other, number(2), number(1));
        agents.send(OWNER, "transfer(address,uint256,uint256)", given)?;
        let odd = (number(3), "raw".to_owned(), bytes([0, 255, 1]));
        agents.send(OWNER, "setMetadata(uint256,string,bytes)", odd)?;
        Ok(())
    }

    fn speak_of_tools(&self, at: Address) -> Result<()> {
        let (tools, port) = (Contract::at(&self.node, at), self.web.port());
        let creator = self.node.account(CREATOR);
        let (weather, tides) = (
            manifest("weather", "2.0.0", creator, port),
            manifest("tides", "1.0.0", creator, port),
        );
        let uri = |name: &str| {
            self.web
                .url("localhost", &format!("/.well-known/ai-tool/{name}.json"))
        };
        let older = keccak256(manifest("weather", "1.0.0", creator, port));
        let gate = Contract::deploy(&self.node, "Speaker", ())?.address();
        let register = "registerTool(string,bytes32,address)";
        for (name, hash, gate) in [
            ("weather", older, Address::ZERO),
            ("tides", keccak256(&tides), Address::ZERO),
            // Nobody serves the manifest of this one.
            ("gone", B256::repeat_byte(7), gate),
        ] {
            tools.send(CREATOR, register, (uri(name), hash, gate))?;
        }
        let update = (number(1), uri("weather"), keccak256(&weather));
        tools.send(
            CREATOR,
            "updateToolMetadata(uint256,string,bytes32)",
            update,
        )?;
        self.web
            .script(move |request| match request.target.as_str() {
                path if path.contains("weather") => Answer::ok(&weather),
                path if path.contains("tides") => Answer::ok(&tides),
                _ => Answer::head(404, &[]),
            });
        Ok(())
    }

    /// The setting file of a server that knows this node and trusts who serves manifests.
    fn settings(&self, folder: &TempDir) -> Result<String> {
        let ca = folder.path().join("ca.pem");
        fs::write(&ca, self.web.ca_pem().context("no certificate")?)?;
        let file = folder.path().join("deedbox.toml");
        let text = format!(
            "chains = [\"{CHAIN}={}\"]\n[fetch]\nallow = [\"127.0.0.0/8\", \"::1/128\"]\nca_file = \"{}\"\n",
            self.node.url(),
            ca.display()
        );
        fs::write(&file, text)?;
        Ok(file.display().to_string())
    }

    /// Servers that follow both registries, one tool of which is held to a manifest that is not the registered one any more.
    async fn site(&self, backend: Backend, settings: &str) -> Result<Site> {
        let often = ["--sync-poll", "100ms"];
        let site = Site::start_with(backend, |builder| {
            let builder = builder.env("DEEDBOX_CONFIG", settings);
            often
                .into_iter()
                .fold(builder, deedbox_neighbours::deedbox::Builder::arg)
        })?;
        let first = &site.servers()[0];
        first.cli_json(&[
            "registry",
            "add",
            &self.agents,
            "--yes",
            "--label",
            "Agents",
        ])?;
        first.cli_json(&["registry", "add", &self.tools, "--yes", "--from-block", "1"])?;
        let hash = keccak256(manifest(
            "weather",
            "1.0.0",
            self.node.account(CREATOR),
            self.web.port(),
        ));
        let tool = format!(
            "eip155:{CHAIN}/erc8257:{}/1",
            self.tools.rsplit(':').next().unwrap_or_default()
        );
        first.cli_json(&["tool", "pin", &tool, "--hash", &hash.to_string()])?;
        let head = json!(self.node.height()?);
        for server in site.servers() {
            let mut asker = Asker::open(server, &site.key).await?;
            asker
                .until("list_registries", &json!({}), |list| {
                    let all = list["registries"].as_array();
                    all.is_some_and(|all| {
                        all.len() == 2 && all.iter().all(|one| one["read_upto_block"] == head)
                    })
                })
                .await?;
            // Two are verified, and of the third it is known that its manifest is not there.
            asker
                .until("find_tools", &json!({"unverified": true}), |page| {
                    let tools = page["tools"].as_array().into_iter().flatten();
                    let checked = tools.filter(|tool| tool["unverified"] != "not_checked");
                    checked.count() == 3
                })
                .await?;
        }
        Ok(site)
    }

    /// What is asked of every server.
    fn questions(&self) -> Vec<(&'static str, Value)> {
        let (agents, tools) = (&self.agents, &self.tools);
        let contract = tools.rsplit(':').next().unwrap_or_default();
        let tool = |id: u64| format!("eip155:{CHAIN}/erc8257:{contract}/{id}");
        let owner = self.node.account(OTHER);
        vec![
            ("list_registries", json!({})),
            ("find_agents", json!({})),
            ("find_agents", json!({"text": "weather"})),
            (
                "find_agents",
                json!({"text": "天気", "service_type": "MCP"}),
            ),
            ("find_agents", json!({"owner": owner})),
            ("find_agents", json!({"text": "zebra"})),
            ("find_agents", json!({"registries": [tools]})),
            ("find_tools", json!({})),
            ("find_tools", json!({"text": "weather"})),
            ("find_tools", json!({"unverified": true, "access": "gated"})),
            (
                "find_tools",
                json!({"unverified": true, "registries": [agents]}),
            ),
            (
                "get_registry_history",
                json!({"subject": format!("1@{agents}")}),
            ),
            (
                "get_registry_history",
                json!({"subject": format!("1@{agents}"), "key": "name"}),
            ),
            (
                "get_registry_history",
                json!({"subject": format!("3@{agents}")}),
            ),
            ("get_registry_history", json!({"subject": tool(1)})),
            ("get_registry_history", json!({"subject": tool(99)})),
            (
                "compare_tools",
                json!({"tools": [tool(1), tool(2), tool(3)], "block": "finalized"}),
            ),
        ]
    }
}

fn caip10(address: Address) -> String {
    format!("eip155:{CHAIN}:{}", address.to_string().to_lowercase())
}

/// Somebody who asks one server over MCP.
struct Asker {
    connection: Connection,
    key: String,
}

impl Asker {
    async fn open(server: &Server, key: &str) -> Result<Self> {
        Ok(Self {
            connection: Connection::open(server.url()).await?,
            key: key.to_owned(),
        })
    }

    async fn ask(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let message =
            mcp::stateless_message("tools/call", json!({"name": tool, "arguments": arguments}));
        let response = self
            .connection
            .send(mcp::stateless_era(&self.key, &message)?)
            .await?;
        let mut message = mcp::answer(&response)?;
        ensure!(
            message["result"]["isError"] != true,
            "{tool} {arguments}: {message}"
        );
        Ok(message["result"]["structuredContent"].take())
    }

    /// Asks until the answer is what is waited for.
    async fn until(
        &mut self,
        tool: &str,
        arguments: &Value,
        is_it: impl Fn(&Value) -> bool,
    ) -> Result<()> {
        let started = Instant::now();
        loop {
            let said = self.ask(tool, arguments).await?;
            if is_it(&said) {
                return Ok(());
            }
            ensure!(started.elapsed() < PATIENCE, "{tool}: {said:#}");
            // A policy lets one key ask two times a second.
            tokio::time::sleep(Duration::from_millis(600)).await;
        }
    }

    /// All pages of a list, each of one entry.
    async fn page_by_page(
        &mut self,
        tool: &str,
        arguments: &Value,
        of: &str,
    ) -> Result<Vec<Value>> {
        let (mut arguments, mut all) = (arguments.clone(), Vec::new());
        arguments["limit"] = json!(1);
        loop {
            let mut page = self.ask(tool, &arguments).await?;
            let entries = page[of]
                .as_array_mut()
                .with_context(|| format!("{tool}: no {of}"))?;
            ensure!(entries.len() == 1, "{tool}: not one entry");
            all.append(entries);
            match page["next_cursor"].take() {
                Value::Null => return Ok(all),
                cursor => arguments["cursor"] = cursor,
            }
        }
    }
}

/// The same without what is a server's own.
fn alike(mut value: Value) -> Value {
    strip(&mut value);
    value
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !OWN.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(all) => all.iter_mut().for_each(strip),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_on_postgresql_find_compare_and_remember_what_a_server_on_sqlite_does()
-> Result<()> {
    let (town, folder) = (Town::found()?, tempfile::tempdir()?);
    let settings = town.settings(&folder)?;
    let one = town.site(Backend::Sqlite, &settings).await?;
    let several = town.site(Backend::Replicas, &settings).await?;
    let mut sqlite = Asker::open(&one.servers()[0], &one.key).await?;
    let mut expected = Vec::new();
    for (tool, arguments) in town.questions() {
        expected.push(alike(sqlite.ask(tool, &arguments).await?));
    }
    is_right(&town, &expected)?;
    let found = sqlite
        .page_by_page("find_agents", &json!({"text": "weather"}), "agents")
        .await?;
    assert_eq!(found.len(), 2);
    for server in several.servers() {
        let mut asker = Asker::open(server, &several.key).await?;
        for ((tool, arguments), expected) in town.questions().into_iter().zip(&expected) {
            let said = alike(asker.ask(tool, &arguments).await?);
            assert_eq!(said, *expected, "{tool} {arguments}");
        }
        let pages = asker
            .page_by_page("find_agents", &json!({"text": "weather"}), "agents")
            .await?;
        assert_eq!(alike(json!(pages)), alike(json!(found)));
    }
    one.check_ledger()?;
    several.check_ledger()
}

/// What is compared is not two empty answers.
fn is_right(town: &Town, said: &[Value]) -> Result<()> {
    let questions = town.questions();
    let of = |tool: &str, nth: usize| -> Result<&Value> {
        let mut all = questions
            .iter()
            .zip(said)
            .filter(|((name, _), _)| *name == tool);
        Ok(all.nth(nth).context("no such question")?.1)
    };
    let count = |value: &Value, of: &str| value[of].as_array().map(Vec::len);
    let list = &of("list_registries", 0)?["registries"];
    let [agents, tools] = [&town.agents, &town.tools].map(|id| {
        let mut all = list.as_array().into_iter().flatten();
        all.find(|one| one["registry"] == **id)
    });
    let (agents, tools) = (agents.context("no agents")?, tools.context("no tools")?);
    assert_eq!(
        (&agents["entries"], &agents["label"]),
        (&json!(3), &json!("Agents"))
    );
    assert_eq!((&tools["entries"], &tools["pins"]), (&json!(3), &json!(1)));
    assert_eq!(tools["alarms"][0]["code"], "pin_differs");
    assert_eq!(agents["code_changed"], false);
    for (nth, agents) in [3, 2, 1, 1, 0, 0].into_iter().enumerate() {
        assert_eq!(
            count(of("find_agents", nth)?, "agents"),
            Some(agents),
            "{nth}"
        );
    }
    for (nth, tools) in [2, 1, 1, 0].into_iter().enumerate() {
        assert_eq!(count(of("find_tools", nth)?, "tools"), Some(tools), "{nth}");
    }
    assert_eq!(of("find_tools", 1)?["tools"][0]["pin"], "differs");
    assert_eq!(
        of("find_tools", 2)?["tools"][0]["unverified"],
        "unreachable"
    );
    for (nth, records) in [6, 2, 6, 2, 0].into_iter().enumerate() {
        let said = of("get_registry_history", nth)?;
        assert_eq!(count(said, "records"), Some(records), "{nth}: {said:#}");
    }
    let compared = &of("compare_tools", 0)?["data"]["tools"];
    let verified: Vec<_> = compared
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| &tool["verified"])
        .collect();
    assert_eq!(verified, [&json!(true), &json!(true), &json!(false)]);
    Ok(())
}
