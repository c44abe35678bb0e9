//! Labels attribute, and never authorise: every route and every tool, with every kind of label and every kind of credential.

use std::{collections::BTreeSet, fmt::Write as _};

use bytes::Bytes;
use deedbox_core::{
    ActorId, AgentLabel, ApiKey, Attribution, Command, Principal, Scopes,
    attribution::instance_id_hash,
};
use deedbox_server::{Policy, openapi_document};
use deedbox_store::Execute;
use http::{HeaderName, HeaderValue, Method};
use serde_json::{Value, json};

use crate::{
    house::{ACCESS_TOKEN, House, NOBODYS_TASK, Reply, escape},
    logs::Log,
    memory_desk::Desk,
};

const RAW: &str = "raw-label-of-an-installation-7f3a";
const OTHER_RAW: &str = "raw-label-of-another-one-91c4";

/// Headers that a request carries beside its credential, and what they are.
struct Labelled {
    what: &'static str,
    headers: Vec<(HeaderName, HeaderValue)>,
}

fn labelled(what: &'static str, headers: &[(&'static str, &[u8])]) -> Labelled {
    let header = |(name, value): &(&'static str, &[u8])| {
        let value = HeaderValue::from_bytes(value).unwrap();
        (HeaderName::from_static(name), value)
    };
    Labelled {
        what,
        headers: headers.iter().map(header).collect(),
    }
}

/// Every kind of label, beginning with none.
fn labels() -> Vec<Labelled> {
    const AGENT: &str = "x-deedbox-agent-id";
    const OTHER_AGENT: &str = "x-memory-os-agent-id";
    const INSTANCE: &str = "x-deedbox-agent-instance-id";
    const OTHER_INSTANCE: &str = "x-memory-os-agent-instance-id";
    let (codex, raw): (&[u8], _) = (b"codex", RAW.as_bytes());
    let long = format!("{RAW}{}", "x".repeat(300));
    let hash = instance_id_hash(RAW).unwrap().to_string();
    vec![
        labelled("none", &[]),
        labelled("an agent", &[(AGENT, codex)]),
        labelled("an installation", &[(OTHER_INSTANCE, raw)]),
        labelled("both", &[(AGENT, codex), (INSTANCE, raw)]),
        labelled(
            "both, in the other spelling",
            &[(OTHER_AGENT, codex), (OTHER_INSTANCE, raw)],
        ),
        labelled(
            "somebody else's",
            &[(AGENT, b"claude"), (INSTANCE, OTHER_RAW.as_bytes())],
        ),
        labelled(
            "an operator's name, forged",
            &[(AGENT, b"env:MCP_ACCESS_TOKEN"), (INSTANCE, b"local")],
        ),
        labelled(
            "a credential, forged",
            &[(AGENT, ACCESS_TOKEN.as_bytes()), (INSTANCE, raw)],
        ),
        labelled(
            "a hash, as if it were a label",
            &[(AGENT, codex), (INSTANCE, hash.as_bytes())],
        ),
        labelled("empty", &[(AGENT, b""), (INSTANCE, b" ")]),
        labelled("no UTF-8", &[(AGENT, b"\xff\xfe"), (INSTANCE, b"\xc3\x28")]),
        labelled(
            "over-long",
            &[(AGENT, long.as_bytes()), (INSTANCE, long.as_bytes())],
        ),
        labelled(
            "twice the same",
            &[
                (AGENT, codex),
                (AGENT, codex),
                (INSTANCE, raw),
                (INSTANCE, raw),
            ],
        ),
        labelled(
            "twice, differing",
            &[
                (AGENT, codex),
                (AGENT, b"claude"),
                (INSTANCE, raw),
                (INSTANCE, OTHER_RAW.as_bytes()),
            ],
        ),
        labelled(
            "two spellings, differing",
            &[
                (AGENT, codex),
                (OTHER_AGENT, b"claude"),
                (INSTANCE, raw),
                (OTHER_INSTANCE, OTHER_RAW.as_bytes()),
            ],
        ),
    ]
}

/// Well-formed arguments of a tool, so that it is the credential that decides, and nothing in them.
fn arguments(tool: &str) -> Value {
    let holder = "0x1111111111111111111111111111111111111111";
    let registry = "0x2222222222222222222222222222222222222222";
    let some_tool = format!("eip155:1/erc8257:{registry}/7");
    let block = "7";
    match tool {
        // The last of them is an actor that bob's key is not for, and alice's is.
        "create_task" => json!({"title": "t", "description": "", "injectedBy": "alice"}),
        "accept_task" => json!({"taskId": NOBODYS_TASK, "actorId": "alice"}),
        "report_completion" => {
            json!({"taskId": NOBODYS_TASK, "actorId": "alice", "provenance": "reported", "claimText": "c"})
        }
        "handoff_task" => {
            json!({"taskId": NOBODYS_TASK, "fromActorId": "alice", "toActorId": "bob"})
        }
        "get_task_status" => json!({"taskId": NOBODYS_TASK}),
        "list_unaccepted_tasks" => json!({"limit": 1}),
        "list_chains" | "list_registries" | "get_identity" | "find_agents" | "find_tools" => {
            json!({})
        }
        "get_native_balance" => json!({"chain_id": 1, "holder": holder, "block": block}),
        "get_erc20_balance" => {
            json!({"chain_id": 1, "holder": holder, "token": registry, "block": block})
        }
        "get_token_metadata" => json!({"chain_id": 1, "token": registry, "block": block}),
        "get_pool_reserves" => json!({"chain_id": 1, "pool": registry, "block": block}),
        "list_recent_transfers" => {
            json!({"chain_id": 1, "address": holder, "from_block": "1", "to_block": "2", "limit": 1})
        }
        "check_conclusion" => json!({"conclusion": "7", "evidence": [NOBODYS_TASK], "unknown": []}),
        "resolve_agent" => json!({"agent": format!("7@eip155:1:{registry}"), "block": block}),
        "get_registry_history" => json!({"subject": some_tool}),
        "verify_tool" => json!({"tool": some_tool, "block": block, "purpose": "view"}),
        "check_tool_access" => json!({"tool": some_tool, "account": holder, "block": block}),
        // Taken up by the one before: others go through all that is there.
        "remember" => json!({"content": "c", "space": "personal:alice", "merge_duplicates": true}),
        "recall" => json!({"query": "c", "spaces": ["personal:alice"]}),
        "list_memories" => json!({"limit": 1}),
        "update_memory" => json!({"memory_id": NOBODYS_TASK, "content": "c"}),
        "forget" | "show_memory" => json!({"memory_id": NOBODYS_TASK}),
        "list_spaces" => json!({}),
        // A personal space is neither made nor given members, and nobody's rows are deleted.
        "create_space" => json!({"space": "personal:alice", "name": "n", "owner": "alice"}),
        "add_space_member" | "remove_space_member" => {
            json!({"space": "personal:alice", "actor_id": "bob"})
        }
        "show_space" | "export_space" | "audit_space" | "review_space" => {
            json!({"space": "personal:alice"})
        }
        "import_memories" => json!({"space": "personal:alice", "versions": []}),
        "delete_rows" => json!({"space": "personal:alice", "actor_id": "carol"}),
        "compare_tools" => {
            json!({"tools": [some_tool, format!("eip155:1/erc8257:{registry}/8")], "block": block})
        }
        other => panic!("say with which arguments {other} is tried"),
    }
}

/// What can be asked: a route, or a tool through `/mcp`.
#[derive(Clone)]
struct Question {
    what: String,
    method: Method,
    path: String,
    body: Option<Value>,
}

/// Every route of the document.
fn routes() -> Vec<Question> {
    let document = openapi_document();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap();
            let mut given = match name {
                "evidence" => json!({"id": NOBODYS_TASK}),
                "health" | "metrics" | "openapi" | "server_card" => json!({}),
                tool => arguments(tool),
            };
            let (mut path, mut query) = (path.clone(), String::new());
            let given_map = given.as_object_mut().unwrap();
            let parameters = operation["parameters"].as_array();
            for parameter in parameters.into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                if !matches!(parameter["in"].as_str(), Some("path" | "query")) {
                    continue;
                }
                let Some(value) = given_map.remove(name) else {
                    continue;
                };
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                if parameter["in"] == "path" {
                    path = path.replace(&format!("{{{name}}}"), &escape(&value));
                } else {
                    write!(query, "&{name}={}", escape(&value)).unwrap();
                }
            }
            if !query.is_empty() {
                path = format!("{path}?{}", &query[1..]);
            }
            all.push(Question {
                what: format!("{method} {path}"),
                method: method.to_uppercase().parse().unwrap(),
                path,
                body: (method == "post").then_some(given),
            });
        }
    }
    let nowhere = Question {
        what: "a path that is not there".to_owned(),
        method: Method::GET,
        path: "/api/nothing".to_owned(),
        body: None,
    };
    all.push(nowhere);
    all
}

/// Every tool of the list, and the list itself.
async fn tools(house: &House) -> Vec<Question> {
    let message = |method: &str, params: Value| Question {
        what: format!("{method} {}", params["name"]),
        method: Method::POST,
        path: "/mcp".to_owned(),
        body: Some(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})),
    };
    let list = message("tools/list", json!({}));
    let listed = house
        .rpc(&house.keys.alice, list.body.as_ref().unwrap())
        .await
        .json();
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    let calls = tools.map(|tool| {
        let name = tool["name"].as_str().unwrap();
        message(
            "tools/call",
            json!({"name": name, "arguments": arguments(name)}),
        )
    });
    calls.chain([list.clone()]).collect()
}

async fn ask(house: &House, question: &Question, key: Option<&str>, labels: &Labelled) -> Reply {
    let mut request = house.request(question.method.clone(), &question.path);
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    for (name, value) in &labels.headers {
        request = request.header(name, value);
    }
    let body = match &question.body {
        Some(body) => {
            request = request.header("content-type", "application/json");
            Bytes::from(body.to_string())
        }
        None => Bytes::new(),
    };
    house.send(request.body(body).unwrap()).await
}

/// What an answer says about whether it was permitted: its status and the refusal's code; of a tool, those of its result, too.
fn outcome(reply: &Reply) -> (u16, String, String) {
    let value: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let code = |value: &Value| {
        let found = [&value["code"], &value["error"]["code"]];
        let found = found.into_iter().find(|code| !code.is_null());
        found.map(Value::to_string).unwrap_or_default()
    };
    let result = &value["result"];
    let inside = &result["structuredContent"];
    let of_tool = format!(
        "{} {} {}",
        result["isError"],
        inside["status"],
        code(inside)
    );
    (reply.status, code(&value), of_tool)
}

/// A house, and every kind of credential.
async fn house() -> (House, Vec<(&'static str, Option<String>)>) {
    let house = House::with(|options| {
        options.policy = Policy {
            calls_per_minute: None,
            ..Policy::default()
        };
    })
    .await;
    let bound = bound_key(&house, Some("bob"), "codex").await;
    let bound_operator = bound_key(&house, None, "codex").await;
    let keys = house.keys.clone();
    let some = |key: &String| Some(key.clone());
    let all = vec![
        ("none", None),
        ("no key", Some("nonsense".to_owned())),
        (
            "an unknown key",
            Some(ApiKey::generate(&*house.clock).reveal().to_owned()),
        ),
        ("the access token", Some(ACCESS_TOKEN.to_owned())),
        ("an operator's", some(&keys.operator)),
        ("alice's", some(&keys.alice)),
        ("alice's, to read", some(&keys.reader)),
        ("alice's, to write", some(&keys.writer)),
        ("expired", some(&keys.expired)),
        ("revoked", some(&keys.revoked)),
        ("bob's, bound to codex", Some(bound)),
        ("an operator's, bound to codex", Some(bound_operator)),
    ];
    (house, all)
}

/// A key that bears witness to an agent label.
async fn bound_key(house: &House, actor: Option<&str>, label: &str) -> String {
    let key = ApiKey::generate(&*house.clock);
    let command = Command::IssueKey {
        id: key.id().clone(),
        secret_hash: key.hash(),
        actor: actor.map(|id| ActorId::new(id).unwrap()),
        scopes: Scopes::all(),
        label: None,
        agent_label: Some(AgentLabel::new(label).unwrap()),
        expires_at: None,
        only_first_operator: false,
    };
    let execute = Execute {
        command,
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    };
    house.store.execute(execute).await.unwrap().unwrap();
    key.reveal().to_owned()
}

/// Asks each question with each credential and each kind of label, and says what came of it.
///
/// # Panics
/// With labels, a request came to something else than without.
async fn compared(
    house: &House,
    questions: &[Question],
    credentials: &[(&'static str, Option<String>)],
) -> BTreeSet<(u16, String, String)> {
    let labels = labels();
    let [none, others @ ..] = labels.as_slice() else {
        panic!("no labels");
    };
    let mut outcomes = BTreeSet::new();
    let mut asked = 0;
    for question in questions {
        for (whose, key) in credentials {
            let without = outcome(&ask(house, question, key.as_deref(), none).await);
            for some in others {
                let with = outcome(&ask(house, question, key.as_deref(), some).await);
                let what = question.what.as_str();
                assert_eq!(
                    with, without,
                    "{what}, credential: {whose}, labels: {}",
                    some.what
                );
                asked += 1;
            }
            outcomes.insert(without);
        }
    }
    println!("{asked} requests with labels, {} outcomes", outcomes.len());
    assert_eq!(asked, questions.len() * credentials.len() * others.len());
    outcomes
}

#[tokio::test]
async fn no_label_changes_what_any_credential_may_do_on_any_route() {
    let (house, credentials) = house().await;
    let outcomes = compared(&house, &routes(), &credentials).await;
    // The questions tell credentials apart, or the comparison would be of nothing.
    for (status, code) in [
        (200, ""),
        (201, ""),
        (401, "unauthenticated"),
        (403, "missing_scope"),
        (403, "wrong_actor"),
        (403, "operator_only"),
        (404, "task_not_found"),
        (404, "chain_not_configured"),
    ] {
        let is = |one: &(u16, String, String)| one.0 == status && one.1.contains(code);
        assert!(outcomes.iter().any(is), "{status} {code}: {outcomes:?}");
    }
}

#[tokio::test]
async fn no_label_changes_what_any_credential_may_do_with_any_tool() {
    let (house, credentials) = house().await;
    let outcomes = compared(&house, &tools(&house).await, &credentials).await;
    for code in [
        "missing_scope",
        "wrong_actor",
        "task_not_found",
        "chain_not_configured",
    ] {
        let is = |one: &(u16, String, String)| one.2.contains(code);
        assert!(outcomes.iter().any(is), "{code}: {outcomes:?}");
    }
    assert!(outcomes.iter().any(|one| one.0 == 401), "{outcomes:?}");
}

/// What only the author of a memory may do with it, and only the owner of its space with that: over HTTP and MCP.
fn of_authors_and_owners(memory: &str) -> Vec<Question> {
    let question = |method: Method, path: String, body: Option<Value>| Question {
        what: format!("{method} {path}"),
        method,
        path,
        body,
    };
    let post = |path: String, body: Value| question(Method::POST, path, Some(body));
    let tool = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let mut question = post("/mcp".to_owned(), call);
        question.what = name.to_owned();
        question
    };
    let (own, team) = (format!("/api/memories/{memory}"), "/api/spaces/team");
    let mut all = vec![
        post(format!("{own}/update"), json!({"content": "Mine."})),
        post(format!("{own}/forget"), json!({})),
        post(format!("{own}/forget"), json!({"redact": true})),
        tool(
            "update_memory",
            json!({"memory_id": memory, "content": "Mine."}),
        ),
        tool("forget", json!({"memory_id": memory})),
        tool("forget", json!({"memory_id": memory, "redact": true})),
        post(format!("{team}/import"), json!({"versions": []})),
        post(
            format!("{team}/delete-rows"),
            json!({"agent_label": "codex", "redact": true}),
        ),
        post(format!("{team}/delete-rows"), json!({"actor_id": "alice"})),
        post(format!("{team}/members"), json!({"actor_id": "carol"})),
        post(format!("{team}/members/remove"), json!({"actor_id": "bob"})),
    ];
    for what in ["export", "audit", "audit?of=changes", "review"] {
        all.push(question(Method::GET, format!("{team}/{what}"), None));
    }
    all
}

#[tokio::test]
async fn no_label_makes_anybody_the_author_of_a_memory_or_the_owner_of_a_space() {
    let (house, _) = house().await;
    let bound = bound_key(&house, Some("bob"), "codex").await;
    let desk = Desk::of(house).await;
    let (alice, bob) = (&desk.house.keys.alice, &desk.house.keys.bob);
    let note = json!({"content": "Hers.", "space": "team"});
    let receipt = desk.as_agent(
        alice,
        crate::memory_desk::labels("codex", RAW),
        "remember",
        note,
    );
    let receipt = receipt.await.done();
    let memory = receipt["id"].as_str().unwrap();
    let carol = desk.key(
        Some("carol"),
        "memory:read memory:write memory:delete memory:export",
    );
    let carol = carol.await;
    let reader = desk.key(Some("alice"), "memory:read").await;
    let before = desk.house.deeds().await;
    for (whose, key, refusals) in [
        // All of them send, among others, the very labels that the author sent.
        (
            "a member's",
            bob,
            &["not_memory_author", "not_space_owner"][..],
        ),
        (
            "a member's, bound to the author's label",
            &bound,
            &["not_memory_author", "not_space_owner"][..],
        ),
        (
            "a stranger's",
            &carol,
            &["memory_not_found", "space_not_found"][..],
        ),
        ("the author's own, to read", &reader, &["missing_scope"][..]),
    ] {
        let credentials = [(whose, Some(key.clone()))];
        let outcomes = compared(&desk.house, &of_authors_and_owners(memory), &credentials).await;
        let codes: BTreeSet<_> = outcomes
            .iter()
            .map(|(_, code, of_tool)| {
                let code = if code.is_empty() {
                    of_tool.rsplit(' ').next().unwrap()
                } else {
                    code
                };
                code.trim_matches('"').to_owned()
            })
            .collect();
        assert_eq!(
            codes,
            refusals.iter().map(|code| (*code).to_owned()).collect(),
            "{whose}"
        );
    }
    assert_eq!(desk.house.deeds().await, before, "nothing was written");
    assert_eq!(
        desk.recalled(alice, json!({"query": "hers"})).await,
        ["Hers."]
    );
}

#[tokio::test]
async fn the_label_of_an_installation_is_never_stored_logged_or_returned() {
    let (log, _guard) = Log::start(tracing::Level::TRACE);
    let (house, credentials) = house().await;
    let mut questions = routes();
    questions.extend(tools(&house).await);
    let mut answers = String::new();
    for question in &questions {
        for (_, key) in credentials
            .iter()
            .filter(|(whose, _)| !whose.contains("key"))
        {
            for some in labels().iter().filter(|some| {
                some.what.contains("both")
                    || some.what.contains("over-long")
                    || some.what.contains("differing")
            }) {
                let reply = ask(&house, question, key.as_deref(), some).await;
                write!(answers, "{:?} {}", reply.headers, reply.text()).unwrap();
            }
        }
    }
    let hash = instance_id_hash(RAW).unwrap();
    let logged = log.text();
    let stored = house.files();
    let holds = |bytes: &[u8]| stored.windows(bytes.len()).any(|window| window == bytes);
    for raw in [RAW, OTHER_RAW] {
        assert!(!logged.contains(raw), "logged");
        assert!(!answers.contains(raw), "returned");
        assert!(!holds(raw.as_bytes()), "stored");
    }
    // What is looked for would be found: so are the hash, and the agent's label.
    assert!(holds(hash.as_bytes()) && holds(b"codex"));
    assert!(answers.contains(&hash.to_string()) && answers.contains("codex"));
    assert!(logged.contains("label ignored"), "nothing was logged");
}

/// A house, and who asks it with which labels.
struct Caller<'a> {
    house: &'a House,
    key: &'a str,
    headers: Vec<(&'a str, &'a str)>,
}

impl Caller<'_> {
    async fn post(&self, path: &str, body: Value) -> Value {
        let reply = self
            .house
            .post(path, self.key, &self.headers, body.to_string())
            .await;
        assert!(reply.status < 300, "{}", reply.text());
        reply.json()
    }

    async fn get(&self, path: &str) -> Value {
        let mut request = self.house.request(Method::GET, path);
        request = request.header("x-api-key", self.key);
        for (name, value) in &self.headers {
            request = request.header(*name, *value);
        }
        let reply = self.house.send(request.body(Bytes::new()).unwrap()).await;
        assert!(reply.status < 300, "{}", reply.text());
        reply.json()
    }

    async fn tool(&self, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let reply = self.post("/mcp", call).await;
        reply["result"]["structuredContent"].clone()
    }
}

#[tokio::test]
async fn what_somebody_wrote_is_shown_with_how_the_caller_stands_to_them() {
    let house = House::open().await;
    let codex = [
        ("x-deedbox-agent-id", "codex"),
        ("x-deedbox-agent-instance-id", "one"),
    ];
    let by = |key, headers: &[(&'static str, &'static str)]| Caller {
        house: &house,
        key,
        headers: headers.to_vec(),
    };
    let (alice, bob) = (&house.keys.alice, &house.keys.bob);
    let writer = by(alice, &codex);
    let task = writer
        .post(
            "/api/tasks",
            json!({"title": "t", "description": "", "injectedBy": "alice"}),
        )
        .await;
    let own = json!({
        "relation": "self",
        "ownership": "current_agent",
        "boundary_authority": "attribution_only",
        "current_agent_trust": "client_asserted",
    });
    assert_eq!(task["attribution"]["memory_agent_boundary"], own);
    assert_eq!(task["attribution"]["agentLabel"], "codex");
    let hash = instance_id_hash("one").unwrap().to_string();
    assert_eq!(task["attribution"]["instanceHash"], hash);
    let id = task["id"].as_str().unwrap();
    writer
        .post(
            &format!("/api/tasks/{id}/accept"),
            json!({"actorId": "alice"}),
        )
        .await;
    let claim = json!({"actorId": "alice", "provenance": "observed", "claimText": "c"});
    writer
        .post(&format!("/api/tasks/{id}/complete"), claim)
        .await;
    writer
        .post(
            &format!("/api/tasks/{id}/handoff"),
            json!({"fromActorId": "alice", "toActorId": "bob"}),
        )
        .await;
    // Without labels: a row that carries no identity.
    by(bob, &[])
        .post(
            &format!("/api/tasks/{id}/accept"),
            json!({"actorId": "bob"}),
        )
        .await;

    let other_instance = [codex[0], ("x-memory-os-agent-instance-id", "two")];
    for (headers, relation, ownership) in [
        (&codex[..], "self", "current_agent"),
        (&other_instance, "same_agent_other_instance", "same_agent"),
        (
            &[("x-memory-os-agent-id", "claude")],
            "other_agent",
            "other_agent",
        ),
        (&[("x-deedbox-agent-id", "codex")], "unverified", "unknown"),
        (&[], "unverified", "unknown"),
    ] {
        let reader = by(bob, headers);
        let status = reader.get(&format!("/api/tasks/{id}/status")).await;
        let over_mcp = reader.tool("get_task_status", json!({"taskId": id})).await;
        assert_eq!(status, over_mcp);
        let relation_of = |row: &Value| {
            let boundary = row["attribution"]["memory_agent_boundary"].clone();
            assert_eq!(boundary["boundary_authority"], "attribution_only", "{row}");
            (boundary["relation"].clone(), boundary["ownership"].clone())
        };
        let expected = (json!(relation), json!(ownership));
        for row in [
            "/task",
            "/acceptances/0",
            "/completions/0",
            "/latestCompletion",
            "/handoffs/0",
        ] {
            assert_eq!(
                relation_of(status.pointer(row).unwrap()),
                expected,
                "{row} {headers:?}"
            );
        }
        for row in ["/acceptances/1", "/latestAcceptance"] {
            let unknown = (json!("unknown"), json!("unknown"));
            assert_eq!(relation_of(status.pointer(row).unwrap()), unknown, "{row}");
        }
        let listed = reader.get("/api/tasks/unaccepted").await;
        assert!(listed["tasks"].as_array().unwrap().is_empty());
    }
    by(alice, &codex)
        .post(
            "/api/tasks",
            json!({"title": "u", "description": "", "injectedBy": "alice"}),
        )
        .await;
    let listed = by(bob, &[("x-deedbox-agent-id", "claude")])
        .get("/api/tasks/unaccepted")
        .await;
    let boundary = &listed["tasks"][0]["attribution"]["memory_agent_boundary"];
    assert_eq!(boundary["relation"], "other_agent");
}

#[tokio::test]
async fn get_identity_tells_what_is_seen_of_a_caller_and_why_a_label_was_not_taken() {
    let house = House::open().await;
    let bound = bound_key(&house, Some("bob"), "codex").await;
    let long = format!("{RAW}{}", "x".repeat(300));
    let caller = |key, headers| Caller {
        house: &house,
        key,
        headers,
    };
    let hash = instance_id_hash(RAW).unwrap().to_string();
    let labels = vec![
        ("x-memory-os-agent-id", "codex"),
        ("x-deedbox-agent-instance-id", RAW),
    ];
    let seen = caller(&bound, labels.clone()).get("/api/identity").await;
    assert_eq!(
        seen,
        caller(&bound, labels).tool("get_identity", json!({})).await
    );
    let key = ApiKey::parse(&bound).unwrap();
    let expected = json!({
        "principal": format!("key:{}", key.id()),
        "acts_as": "actor",
        "actor": "bob",
        "scopes": Scopes::all().to_texts(),
        "agent_label": "codex",
        "instance_id_hash": hash,
        "current_agent_trust": "credential_bound",
        "key_agent_label": "codex",
        "ignored_labels": [],
        "labels_authorise": false,
    });
    assert_eq!(seen, expected);
    // Another label than the key's: the request goes on, and is believed as far as anybody's.
    let other = caller(&bound, vec![("x-deedbox-agent-id", "claude")])
        .get("/api/identity")
        .await;
    assert_eq!(other["agent_label"], "claude");
    assert_eq!(other["current_agent_trust"], "client_asserted");
    // A key gives no label.
    let none = caller(&bound, vec![]).get("/api/identity").await;
    assert_eq!(
        (&none["agent_label"], &none["key_agent_label"]),
        (&Value::Null, &json!("codex"))
    );
    assert_eq!(none["current_agent_trust"], "client_asserted");
    // A key without any scope for memory is told, too; and an operator's names nobody.
    let operator = caller(
        &house.keys.reader,
        vec![
            ("x-deedbox-agent-id", &long),
            ("x-deedbox-agent-instance-id", &long),
        ],
    )
    .get("/api/identity")
    .await;
    assert_eq!(operator["scopes"], json!(["tasks:read"]));
    let ignored = json!([
        {"carried_in": "x-deedbox-agent-id", "reason": "must be 1 to 256 characters without control characters"},
        {"carried_in": "x-deedbox-agent-instance-id", "reason": "must be at most 256 characters"},
    ]);
    assert_eq!(operator["ignored_labels"], ignored);
    assert!(!operator.to_string().contains(RAW));
    let operator = caller(ACCESS_TOKEN, vec![]).get("/api/identity").await;
    assert_eq!(
        (&operator["acts_as"], &operator["actor"]),
        (&json!("operator"), &Value::Null)
    );
}
