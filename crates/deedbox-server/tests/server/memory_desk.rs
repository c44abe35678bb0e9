//! Asking the tools of memory through every door.

use std::collections::BTreeMap;

use deedbox_core::{ActorId, AgentLabel, Attribution, Command, InstanceHash, Principal, SpaceId};
use deedbox_server::Labels;
use deedbox_store::Execute;
use serde_json::{Value, json};

use crate::{
    house::{Door, House, Reply, escape, stateless_message},
    library::query,
    stdio::Client,
};

/// A house with a space `team` that alice owns and bob is in; carol is not.
pub(crate) struct Desk {
    pub(crate) house: House,
    schemas: BTreeMap<String, Value>,
}

/// What an operation came to.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) status: u16,
    pub(crate) value: Value,
    /// What a model reads; nothing over HTTP.
    pub(crate) text: String,
}

impl Said {
    #[track_caller]
    pub(crate) fn done(self) -> Value {
        assert!(self.status < 300, "{self:?}");
        self.value
    }
    pub(crate) fn refused(&self) -> (u16, &str) {
        (self.status, self.value["code"].as_str().unwrap_or_default())
    }
}

pub(crate) fn space(id: &str) -> SpaceId {
    SpaceId::new(id).unwrap()
}

pub(crate) fn actor(id: &str) -> ActorId {
    ActorId::new(id).unwrap()
}

/// What an agent says of itself.
pub(crate) fn labels(agent: &str, instance: &str) -> Labels {
    Labels {
        agent: Some(AgentLabel::new(agent).unwrap()),
        instance: Some(InstanceHash::of(instance.as_bytes())),
        ignored: Vec::new(),
    }
}

impl Desk {
    pub(crate) async fn open() -> Self {
        Self::of(House::open().await).await
    }

    pub(crate) async fn of(house: House) -> Self {
        let schemas = house.output_schemas().await;
        let desk = Self { house, schemas };
        desk.execute(Command::CreateSpace {
            id: space("team"),
            name: "The team".parse().unwrap(),
            owner: actor("alice"),
        })
        .await;
        desk.execute(Command::AddMember {
            space: space("team"),
            actor: actor("bob"),
        })
        .await;
        desk
    }

    pub(crate) async fn execute(&self, command: Command) {
        let execute = Execute {
            command,
            attribution: Attribution::of(Principal::local()),
            idempotency: None,
        };
        self.house.store.execute(execute).await.unwrap().unwrap();
    }

    /// A key of `actor` with these scopes, which may name a space.
    pub(crate) async fn key(&self, actor: Option<&str>, scopes: &str) -> String {
        let scopes = scopes.parse().unwrap();
        let house = &self.house;
        let key = crate::house::issue(&*house.store, &*house.clock, actor, scopes, None).await;
        key.reveal().to_owned()
    }

    /// Asks through a door, and holds the answer against the tool's own schema.
    pub(crate) async fn ask(&self, door: Door, key: &str, tool: &str, arguments: Value) -> Said {
        self.ask_with(door, key, tool, arguments, json!({})).await
    }

    pub(crate) async fn ask_with(
        &self,
        door: Door,
        key: &str,
        tool: &str,
        arguments: Value,
        meta: Value,
    ) -> Said {
        let said = match door {
            Door::Rest => self.rest(key, tool, arguments, &meta).await,
            Door::Legacy | Door::Stateless => {
                let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
                let reply = if door == Door::Legacy {
                    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
                    self.house.rpc(key, &message).await
                } else {
                    self.house.stateless(key, "tools/call", params).await
                };
                of_result(&reply.json()["result"])
            }
        };
        self.keeps_to_its_schema(tool, &said);
        said
    }

    fn keeps_to_its_schema(&self, tool: &str, said: &Said) {
        if said.status >= 300 {
            return;
        }
        let validator = jsonschema::validator_for(&self.schemas[tool]).unwrap();
        let problems: Vec<_> = validator
            .iter_errors(&said.value)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(problems.is_empty(), "{tool}: {problems:?} {said:?}");
    }

    /// Through the newer era's door.
    pub(crate) async fn tell(&self, key: &str, tool: &str, arguments: Value) -> Said {
        self.ask(Door::Stateless, key, tool, arguments).await
    }

    /// Through standard input and output, as an agent that says who it is.
    pub(crate) async fn as_agent(
        &self,
        key: &str,
        labels: Labels,
        tool: &str,
        arguments: Value,
    ) -> Said {
        let mut client = Client::labelled(&self.house, key, labels);
        let params = json!({"name": tool, "arguments": arguments});
        let answer = client.ask(&stateless_message("tools/call", params)).await;
        let said = of_result(&answer["result"]);
        self.keeps_to_its_schema(tool, &said);
        said
    }

    async fn rest(&self, key: &str, tool: &str, mut arguments: Value, meta: &Value) -> Said {
        let id = arguments.as_object_mut().unwrap().remove("memory_id");
        let id = escape(id.as_ref().and_then(Value::as_str).unwrap_or_default());
        let path = match tool {
            "remember" | "list_memories" => "/api/memories".to_owned(),
            "recall" => "/api/memories/recall".to_owned(),
            "update_memory" => format!("/api/memories/{id}/update"),
            "forget" => format!("/api/memories/{id}/forget"),
            other => panic!("{other}"),
        };
        let reply = if tool == "list_memories" {
            let path = format!("{path}?{}", query(&arguments));
            self.house.get(&path, key).await
        } else {
            let mut headers = Vec::new();
            if let Some(key) = meta["deedbox/idempotencyKey"].as_str() {
                headers.push(("idempotency-key", key));
            }
            let body = arguments.to_string();
            self.house.post(&path, key, &headers, body).await
        };
        Said {
            status: reply.status,
            value: reply.json(),
            text: String::new(),
        }
    }

    /// Has `key` remember something, and says under which id.
    pub(crate) async fn remember(&self, key: &str, arguments: Value) -> String {
        let receipt = self.tell(key, "remember", arguments).await.done();
        receipt["id"].as_str().unwrap().to_owned()
    }

    /// What `key` recalls, as contents.
    pub(crate) async fn recalled(&self, key: &str, arguments: Value) -> Vec<String> {
        let found = self.tell(key, "recall", arguments).await.done();
        let found = found["memories"].as_array().unwrap();
        let content = |one: &Value| one["memory"]["content"].as_str().unwrap().to_owned();
        found.iter().map(content).collect()
    }
}

/// What those who look after a space ask for, over HTTP.
impl Desk {
    pub(crate) async fn get(&self, key: &str, path: &str) -> Reply {
        let reply = self.house.get(path, key).await;
        self.in_the_document("get", path, &reply);
        reply
    }

    pub(crate) async fn post(&self, key: &str, path: &str, body: Value) -> Reply {
        let reply = self.house.post(path, key, &[], body.to_string()).await;
        self.in_the_document("post", path, &reply);
        reply
    }

    /// Holds an answer against what the document says of its route and status.
    fn in_the_document(&self, method: &str, path: &str, reply: &Reply) {
        let path = path.split('?').next().unwrap();
        let document = deedbox_server::openapi_document();
        let fits = |template: &&String| {
            let (one, other) = (template.split('/'), path.split('/'));
            one.clone().count() == other.clone().count()
                && one
                    .zip(other)
                    .all(|(one, other)| one.starts_with('{') || one == other)
        };
        let templates = document["paths"].as_object().unwrap();
        // Of two that fit, the one without a parameter.
        let template = templates
            .keys()
            .filter(fits)
            .min_by_key(|path| path.matches('{').count());
        let template = template.unwrap_or_else(|| panic!("{path} is in no document"));
        crate::seen::keeps_to(&document, template, method, reply.status, &reply.json());
    }

    /// A whole export of a space.
    pub(crate) async fn exported(&self, key: &str, of: &str) -> Vec<Value> {
        let (mut versions, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self
                .get(key, &format!("/api/spaces/{of}/export?limit=2{cursor}"))
                .await;
            assert_eq!(page.status, 200, "{}", page.text());
            let page = page.json();
            versions.extend(page["versions"].as_array().unwrap().iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return versions,
            }
        }
    }

    pub(crate) async fn imported(
        &self,
        key: &str,
        into: &str,
        versions: &[Value],
        dry_run: bool,
    ) -> Value {
        let body = json!({"versions": versions, "dry_run": dry_run});
        let reply = self
            .post(key, &format!("/api/spaces/{into}/import"), body)
            .await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()
    }

    pub(crate) async fn ledger_is_whole(&self) {
        let mut snapshot = self.house.store.snapshot().await.unwrap();
        let checked = deedbox_store::ledger::check(&mut *snapshot, |_| ()).await;
        checked.unwrap().unwrap();
    }
}

fn of_result(result: &Value) -> Said {
    let value = result["structuredContent"].clone();
    let status = match result["isError"].as_bool() {
        Some(true) => value["status"].as_u64().unwrap(),
        _ => 200,
    };
    Said {
        status: u16::try_from(status).unwrap(),
        text: result["content"][0]["text"].as_str().unwrap().to_owned(),
        value,
    }
}
