//! What the tests stand on: a running server with a few actors and keys, and ways to ask it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use deedbox_core::{
    ActorId, ActorKind, ApiKey, Attribution, Command, Principal, Scope, Scopes, Timestamp, World,
    hash::SecretHash, text::Name,
};
use deedbox_server::{App, Options, Patience, serve_http};
use deedbox_sqlite::SqliteStore;
use deedbox_store::{Execute, Store};
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const ACCESS_TOKEN: &str = "the reference's single shared token";
pub(crate) const NOBODYS_TASK: &str = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

/// The machine's clock, moved by hand, and its random source.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicI64);

impl Clock {
    pub(crate) fn advance(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap();
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl World for Clock {
    #[expect(clippy::disallowed_methods, reason = "in tests, this is the top floor")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now = i64::try_from(since.as_millis()).unwrap();
        Timestamp::from_millis(now + self.0.load(Ordering::SeqCst)).unwrap()
    }
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).unwrap();
    }
}

/// A key for everyone who asks.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) operator: String,
    pub(crate) alice: String,
    pub(crate) bob: String,
    /// Alice's, only to read.
    pub(crate) reader: String,
    /// Alice's, only to write.
    pub(crate) writer: String,
    /// Alice's, expired.
    pub(crate) expired: String,
    /// Alice's, revoked.
    pub(crate) revoked: String,
}

/// A running server.
pub(crate) struct House {
    pub(crate) url: String,
    pub(crate) app: Arc<App>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<Clock>,
    pub(crate) keys: Keys,
    pub(crate) stop: CancellationToken,
    pub(crate) served: Option<JoinHandle<()>>,
    client: Client<HttpConnector, Full<Bytes>>,
    folder: TempDir,
}

impl Drop for House {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.text()))
    }
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// The ways in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    Rest,
    /// MCP 2025-11-25 and before.
    Legacy,
    /// MCP 2026-07-28.
    Stateless,
}

pub(crate) const DOORS: [Door; 3] = [Door::Rest, Door::Legacy, Door::Stateless];

/// What an operation came to, whichever door it went through.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// 2xx when it was done, else the refusal's status.
    pub(crate) status: u16,
    pub(crate) value: Value,
}

impl Outcome {
    pub(crate) fn code(&self) -> &str {
        self.value["code"].as_str().unwrap_or_default()
    }
    pub(crate) fn error(&self) -> &str {
        self.value["error"].as_str().unwrap_or_default()
    }
    pub(crate) fn id(&self) -> String {
        assert!(self.status < 300, "{self:?}");
        self.value["id"].as_str().unwrap().to_owned()
    }
}

async fn execute(store: &dyn Store, command: Command) {
    let attribution = Attribution::of(Principal::local());
    let execute = Execute {
        command,
        attribution,
        idempotency: None,
    };
    store.execute(execute).await.unwrap().unwrap();
}

pub(crate) async fn issue(
    store: &dyn Store,
    world: &dyn World,
    actor: Option<&str>,
    scopes: Scopes,
    expires_at: Option<Timestamp>,
) -> ApiKey {
    let key = ApiKey::generate(world);
    let command = Command::IssueKey {
        id: key.id().clone(),
        secret_hash: key.hash(),
        actor: actor.map(|id| ActorId::new(id).unwrap()),
        scopes,
        label: None,
        agent_label: None,
        expires_at,
        only_first_operator: false,
    };
    execute(store, command).await;
    key
}

async fn populate(store: &dyn Store, world: &dyn World) -> Keys {
    for id in ["alice", "bob", "carol"] {
        let command = Command::AddActor {
            id: ActorId::new(id).unwrap(),
            kind: ActorKind::Agent,
            name: Name::new(id).unwrap(),
        };
        execute(store, command).await;
    }
    let key = |actor, scopes, expires| issue(store, world, actor, scopes, expires);
    let only = |scope| Scopes::from_iter([scope]);
    let revoked = key(Some("alice"), Scopes::all(), None).await;
    let id = revoked.id().clone();
    execute(store, Command::RevokeKey { id }).await;
    let text = |key: ApiKey| key.reveal().to_owned();
    Keys {
        operator: text(key(None, Scopes::all(), None).await),
        alice: text(key(Some("alice"), Scopes::all(), None).await),
        bob: text(key(Some("bob"), Scopes::all(), None).await),
        reader: text(key(Some("alice"), only(Scope::TasksRead), None).await),
        writer: text(key(Some("alice"), only(Scope::TasksWrite), None).await),
        expired: text(key(Some("alice"), Scopes::all(), Some(world.now())).await),
        revoked: text(revoked),
    }
}

impl House {
    pub(crate) async fn open() -> Self {
        Self::with(|_| ()).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Options)) -> Self {
        Self::over(change, |store| store).await
    }

    /// A server over what `wrap` makes of the store.
    pub(crate) async fn over(
        change: impl FnOnce(&mut Options),
        wrap: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Clock::default());
        let world: Arc<dyn World> = Arc::<Clock>::clone(&clock);
        let path = folder.path().join("deedbox.sqlite");
        let store = SqliteStore::open(&path, Arc::clone(&world)).await.unwrap();
        let store: Arc<dyn Store> = Arc::new(store);
        let keys = populate(&*store, &*world).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut options = Options {
            public_url: url.clone(),
            access_token: Some(SecretHash::of(ACCESS_TOKEN.as_bytes())),
            ..Options::default()
        };
        change(&mut options);
        let app = App::new(wrap(Arc::clone(&store)), world, options).unwrap();
        let stop = CancellationToken::new();
        let patience = Patience {
            head: Duration::from_secs(2),
            untaken: Duration::from_secs(2),
            grace: Duration::from_secs(5),
        };
        let served = serve_http(Arc::clone(&app), listener, stop.clone(), patience);
        Self {
            url,
            app,
            store,
            clock,
            keys,
            stop,
            served: Some(tokio::spawn(served)),
            client: Client::builder(TokioExecutor::new()).build_http(),
            folder,
        }
    }

    /// A key with these scopes.
    pub(crate) async fn key(&self, actor: Option<&str>, scopes: &[Scope]) -> String {
        let scopes = Scopes::from_iter(scopes.iter().copied());
        let key = issue(&*self.store, &*self.clock, actor, scopes, None).await;
        key.reveal().to_owned()
    }

    /// Everything that lies in the database's folder.
    pub(crate) fn files(&self) -> Vec<u8> {
        let all = std::fs::read_dir(self.folder.path()).unwrap();
        let paths = all.map(|entry| entry.unwrap().path());
        paths
            .flat_map(|path| std::fs::read(path).unwrap())
            .collect()
    }

    /// How many deeds there are. Two equal counts: nothing was written between them.
    pub(crate) async fn deeds(&self) -> u64 {
        self.store.snapshot().await.unwrap().count().await.unwrap()
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
    }

    pub(crate) async fn send(&self, request: Request<Bytes>) -> Reply {
        let response = self.client.request(request.map(Full::new)).await.unwrap();
        let (parts, body) = response.into_parts();
        Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    pub(crate) async fn get(&self, path: &str, key: &str) -> Reply {
        let request = self.request(Method::GET, path);
        let request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        self.send(request.body(Bytes::new()).unwrap()).await
    }

    /// Posts JSON, with these headers besides.
    pub(crate) async fn post(
        &self,
        path: &str,
        key: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Reply {
        let mut request = self
            .request(Method::POST, path)
            .header(header::AUTHORIZATION, format!("Bearer {key}"))
            .header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(body.into()).unwrap()).await
    }

    /// Sends a message to `/mcp`.
    pub(crate) async fn rpc(&self, key: &str, message: &Value) -> Reply {
        self.post("/mcp", key, &[], message.to_string()).await
    }

    /// Sends a request of the newer era to `/mcp`, with its headers.
    pub(crate) async fn stateless(&self, key: &str, method: &str, params: Value) -> Reply {
        let message = stateless_message(method, params);
        let name = message["params"]["name"].as_str().unwrap_or_default();
        let mut headers = vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        if !name.is_empty() {
            headers.push(("mcp-name", name));
        }
        self.post("/mcp", key, &headers, message.to_string()).await
    }

    /// Carries out an operation through `door`. For MCP, also checks what holds for every result of a tool.
    pub(crate) async fn call(
        &self,
        door: Door,
        key: &str,
        tool: &str,
        arguments: &Value,
        meta: Value,
    ) -> Outcome {
        let params = |meta| json!({"name": tool, "arguments": arguments, "_meta": meta});
        let reply = match door {
            Door::Rest => return self.rest(key, tool, arguments, &meta).await,
            Door::Legacy => {
                let message = json!({
                    "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params(meta),
                });
                self.rpc(key, &message).await
            }
            Door::Stateless => self.stateless(key, "tools/call", params(meta)).await,
        };
        assert_eq!(reply.status, 200, "{}", reply.text());
        let message = reply.json();
        assert!(message["error"].is_null(), "{message}");
        let result = &message["result"];
        match door {
            Door::Stateless => assert_eq!(result["resultType"], "complete"),
            _ => assert!(result.get("resultType").is_none(), "{result}"),
        }
        let value = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), value);
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        let status = match result["isError"].as_bool() {
            Some(true) => value["status"].as_u64().unwrap(),
            _ => 200,
        };
        Outcome {
            status: u16::try_from(status).unwrap(),
            value,
        }
    }

    async fn rest(&self, key: &str, tool: &str, arguments: &Value, meta: &Value) -> Outcome {
        let mut arguments = arguments.as_object().cloned().unwrap_or_default();
        let id = match arguments.remove("taskId") {
            Some(Value::String(id)) => id,
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let id = escape(&id);
        let mut headers = Vec::new();
        if let Some(key) = meta["deedbox/idempotencyKey"].as_str() {
            headers.push(("idempotency-key", key));
        }
        if meta["deedbox/recipientOnly"] == true {
            headers.push(("deedbox-recipient-only", "true"));
        }
        let reply = match tool {
            "get_task_status" => self.get(&format!("/api/tasks/{id}/status"), key).await,
            "list_unaccepted_tasks" => {
                let query = query(&arguments);
                self.get(&format!("/api/tasks/unaccepted?{query}"), key)
                    .await
            }
            _ => {
                let path = match tool {
                    "create_task" => "/api/tasks".to_owned(),
                    "accept_task" => format!("/api/tasks/{id}/accept"),
                    "report_completion" => format!("/api/tasks/{id}/complete"),
                    "handoff_task" => format!("/api/tasks/{id}/handoff"),
                    other => panic!("no such tool: {other}"),
                };
                let body = Value::Object(arguments).to_string();
                self.post(&path, key, &headers, body).await
            }
        };
        if reply.status >= 400 {
            let keys: Vec<_> = reply.json().as_object().unwrap().keys().cloned().collect();
            assert_eq!(keys, ["code", "error"], "{}", reply.text());
        }
        Outcome {
            status: reply.status,
            value: reply.json(),
        }
    }

    /// A task that alice created, in the state that `steps` bring it to: `a` alice accepts, `b` bob
    /// accepts, `c` alice claims (reported), `h` alice hands to bob.
    pub(crate) async fn task(&self, steps: &str) -> String {
        let ask = |tool, arguments| async move {
            let operator = &self.keys.operator;
            self.call(Door::Rest, operator, tool, &arguments, json!({}))
                .await
        };
        let create = json!({"title": "t", "description": "d", "injectedBy": "alice"});
        let id = ask("create_task", create).await.id();
        for step in steps.chars() {
            let (tool, arguments) = match step {
                'a' => ("accept_task", json!({"taskId": id, "actorId": "alice"})),
                'b' => ("accept_task", json!({"taskId": id, "actorId": "bob"})),
                'c' => (
                    "report_completion",
                    json!({"taskId": id, "actorId": "alice", "provenance": "reported", "claimText": "done"}),
                ),
                'h' => (
                    "handoff_task",
                    json!({"taskId": id, "fromActorId": "alice", "toActorId": "bob"}),
                ),
                other => panic!("no such step: {other}"),
            };
            ask(tool, arguments).await.id();
        }
        id
    }

    /// That the server still does its work.
    pub(crate) async fn goes_on(&self) {
        let health = self.get("/api/healthz", "").await;
        assert_eq!(health.status, StatusCode::OK, "{}", health.text());
        self.task("ach").await;
    }

    /// The declared output schemas, by tool.
    pub(crate) async fn output_schemas(&self) -> BTreeMap<String, Value> {
        let listed = self
            .stateless(&self.keys.alice, "tools/list", json!({}))
            .await;
        let listed = listed.json();
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| {
                let name = tool["name"].as_str().unwrap().to_owned();
                (name, tool["outputSchema"].clone())
            })
            .collect()
    }
}

/// A request of the newer era, which names its version and what the client can do.
pub(crate) fn stateless_message(method: &str, mut params: Value) -> Value {
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "0"});
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

fn query(arguments: &Map<String, Value>) -> String {
    let pairs = arguments.iter().map(|(name, value)| {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        format!("{}={}", escape(name), escape(&value))
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// Percent-encodes everything but letters, digits, `-`, `_` and `.`.
pub(crate) fn escape(text: &str) -> String {
    let byte = |b: u8| match b {
        b'-' | b'_' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(b).to_string(),
        _ => format!("%{b:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Words that only somebody who knows the database can say.
pub(crate) fn assert_no_leak(text: &str) {
    let lower = text.to_lowercase();
    for word in [
        "select ",
        "insert ",
        "update ",
        "sqlite",
        "sqlx",
        "sql ",
        "constraint",
        "column",
        "panicked",
        "src/",
        ".rs:",
        "stack",
        "secret_hash",
        "/tmp/",
    ] {
        assert!(!lower.contains(word), "{word:?} in {text}");
    }
}
