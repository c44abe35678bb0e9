//! What strangers send. Each gets its clear refusal, nothing is written, nothing is said about the inside, and
//! the server goes on.

use anyhow::{Context, Result};
use bytes::Bytes;
use deedbox_neighbours::deedbox::Server;
use deedbox_tests::{Client, Connection, Response, Speaks, mcp, site::check_ledger};
use http::Request;
use serde_json::{Value, json};

struct Here {
    server: Server,
    key: String,
    /// A task that alice owns.
    task: String,
    before: Value,
}

impl Here {
    async fn new() -> Result<Self> {
        let server = Server::start()?;
        for actor in ["alice", "bob"] {
            server.cli_json(&["actor", "add", actor, "--kind", "agent"])?;
        }
        let key = server.operator_key()?.to_owned();
        let mut client = Client::open(server.url(), &key, Speaks::Rest).await?;
        let task = client.create("alice").await?;
        client.accept(&task, "alice").await?.ok()?;
        let before = client.status(&task).await?;
        Ok(Self {
            server,
            key,
            task,
            before,
        })
    }

    async fn client(&self, speaks: Speaks) -> Result<Client> {
        Client::open(self.server.url(), &self.key, speaks).await
    }

    /// The task is as it was, there is no other, the ledger is sound, and the server is well.
    async fn nothing_happened(&self) -> Result<()> {
        let mut client = self.client(Speaks::Rest).await?;
        assert_eq!(client.status(&self.task).await?, self.before);
        let page = client
            .call("list_unaccepted_tasks", json!({}))
            .await?
            .ok()?;
        assert_eq!(page["tasks"], json!([]));
        let request = Request::get("/api/healthz").body(Bytes::new())?;
        let healthy = Connection::open(self.server.url())
            .await?
            .send(request)
            .await?;
        assert_eq!(healthy.status, 200);
        check_ledger(&self.server)
    }

    async fn raw(&self, path: &str, body: impl Into<Bytes>) -> Result<Response> {
        let request = Request::post(path)
            .header("x-api-key", &self.key)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(body.into())?;
        Connection::open(self.server.url())
            .await?
            .send(request)
            .await
    }
}

/// What no refusal may say: words of the storage and of the language.
fn says_nothing_of_the_inside(text: &str) {
    let inside = [
        "sqlx", "SELECT", "INSERT", "sqlite", "postgres", "panicked", "src/", ".rs:", "RUST_",
    ];
    for word in inside {
        assert!(!text.contains(word), "{word:?} in {text}");
    }
}

fn good(tool: &str, task: &str) -> Value {
    match tool {
        "create_task" => {
            json!({"title": "t", "description": "", "injectedBy": "alice", "authorityScope": "x"})
        }
        "accept_task" => json!({"taskId": task, "actorId": "bob", "contextNote": "x"}),
        "report_completion" => json!({"taskId": task, "actorId": "alice", "provenance": "reported",
            "claimText": "x", "sourceReference": "y"}),
        "handoff_task" => {
            json!({"taskId": task, "fromActorId": "alice", "toActorId": "bob", "reason": "x"})
        }
        "get_task_status" => json!({"taskId": task}),
        _ => json!({"actorId": "alice", "limit": 5, "cursor": "x"}),
    }
}

const TOOLS: [&str; 6] = [
    "create_task",
    "accept_task",
    "report_completion",
    "handoff_task",
    "get_task_status",
    "list_unaccepted_tasks",
];

/// Every field of every call, with every sort of wrong value, over MCP of both eras.
#[tokio::test]
async fn a_wrong_value_in_any_field_is_a_400_that_names_the_field() -> Result<()> {
    let here = Here::new().await?;
    let wrong = [
        json!(null),
        json!([]),
        json!(["observed"]),
        json!(1),
        json!(1.5),
        json!(true),
        json!({}),
        json!({"a": 1}),
        json!("\u{0}"),
    ];
    for speaks in [Speaks::Handshake, Speaks::Stateless] {
        let mut client = here.client(speaks).await?;
        for tool in TOOLS {
            let arguments = good(tool, &here.task);
            for field in arguments.as_object().context("an object")?.keys() {
                for value in &wrong {
                    let free = (field == "authorityScope" && value.is_null())
                        || (field == "limit" && *value == json!(1));
                    if free {
                        continue;
                    }
                    let mut arguments = arguments.clone();
                    arguments[field] = value.clone();
                    let answer = client.call(tool, arguments).await?;
                    let what = format!("{tool} with {field} = {value}: {}", answer.body);
                    assert_eq!(
                        (answer.status, answer.code()),
                        (400, "invalid_input"),
                        "{what}"
                    );
                    let text = answer.body["error"].as_str().unwrap_or_default();
                    assert!(text.contains(field.as_str()), "{what}");
                    says_nothing_of_the_inside(text);
                }
            }
        }
    }
    here.nothing_happened().await
}

#[tokio::test]
async fn missing_unknown_and_misspelt_fields_are_refused() -> Result<()> {
    let here = Here::new().await?;
    let optional = [
        "authorityScope",
        "contextNote",
        "sourceReference",
        "reason",
        "limit",
        "cursor",
    ];
    for speaks in Speaks::ALL {
        let mut client = here.client(speaks).await?;
        for tool in TOOLS {
            let arguments = good(tool, &here.task);
            for field in arguments.as_object().context("an object")?.keys() {
                let in_path = speaks == Speaks::Rest && field == "taskId";
                let is_optional =
                    optional.contains(&field.as_str()) || tool == "list_unaccepted_tasks";
                if in_path || is_optional {
                    continue;
                }
                let mut arguments = arguments.clone();
                arguments
                    .as_object_mut()
                    .context("an object")?
                    .remove(field);
                let answer = client.call(tool, arguments).await?;
                assert_eq!(
                    answer.status, 400,
                    "{tool} without {field}: {}",
                    answer.body
                );
            }
            for unknown in ["more", "TaskId", "actor_id", "__proto__", ""] {
                if speaks == Speaks::Rest && tool == "get_task_status" {
                    continue;
                }
                let mut arguments = arguments.clone();
                arguments[unknown] = "x".into();
                let answer = client.call(tool, arguments).await?;
                assert_eq!(
                    answer.status, 400,
                    "{tool} with {unknown:?}: {}",
                    answer.body
                );
            }
        }
        for (provenance, status) in [
            ("Observed", 400),
            ("OBSERVED", 400),
            ("", 400),
            (" observed", 400),
        ] {
            let answer = client
                .complete(&here.task, "alice", provenance, None)
                .await?;
            assert_eq!(answer.status, status, "{provenance:?}: {}", answer.body);
        }
    }
    here.nothing_happened().await
}

#[tokio::test]
async fn only_the_one_spelling_of_a_uuid_is_read() -> Result<()> {
    let here = Here::new().await?;
    let task = &here.task;
    let spellings = [
        task.to_uppercase(),
        task.replace('-', ""),
        format!("%7B{task}%7D"),
        format!("urn:uuid:{task}"),
        "1".to_owned(),
        "..%2F..%2Fetc".to_owned(),
        "%27%20OR%201=1--".to_owned(),
    ];
    for speaks in Speaks::ALL {
        let mut client = here.client(speaks).await?;
        for id in &spellings {
            for tool in ["get_task_status", "accept_task"] {
                let mut arguments = good(tool, id);
                if tool == "get_task_status" {
                    arguments = json!({"taskId": id});
                }
                let answer = client.call(tool, arguments).await?;
                assert_eq!(answer.status, 400, "{tool} {id}: {}", answer.body);
                says_nothing_of_the_inside(&answer.body.to_string());
            }
        }
    }
    here.nothing_happened().await
}

#[tokio::test]
async fn limits_refuse_and_never_cut() -> Result<()> {
    let here = Here::new().await?;
    let kib = |n: usize| "x".repeat(n * 1024);
    let over = [
        ("create_task", "title", "é".repeat(501)),
        ("create_task", "title", String::new()),
        ("create_task", "description", kib(64) + "x"),
        ("create_task", "authorityScope", kib(2) + "x"),
        ("accept_task", "contextNote", kib(64) + "x"),
        ("report_completion", "claimText", kib(64) + "x"),
        ("report_completion", "claimText", String::new()),
        ("report_completion", "sourceReference", kib(2) + "x"),
        ("handoff_task", "reason", kib(64) + "x"),
        ("handoff_task", "toActorId", "a".repeat(129)),
    ];
    for speaks in Speaks::ALL {
        let mut client = here.client(speaks).await?;
        for (tool, field, text) in &over {
            let mut arguments = good(tool, &here.task);
            arguments[*field] = text.as_str().into();
            let answer = client.call(tool, arguments).await?;
            assert_eq!(answer.status, 400, "{tool} {field}: {}", answer.body);
            assert!(
                answer.body.to_string().len() < 1_000,
                "the text comes back whole"
            );
        }
        for limit in [
            json!(0),
            json!(-1),
            json!(1_001),
            json!(u64::MAX),
            json!(1e300),
        ] {
            let answer = client
                .call("list_unaccepted_tasks", json!({"limit": limit}))
                .await?;
            assert_eq!(answer.status, 400, "limit {limit}: {}", answer.body);
        }
        for cursor in ["x", "AAAA", "eyJhIjoxfQ", "-1", &"A".repeat(500)] {
            let answer = client
                .call("list_unaccepted_tasks", json!({"cursor": cursor}))
                .await?;
            assert_eq!(answer.status, 400, "cursor {cursor}: {}", answer.body);
        }
    }
    here.nothing_happened().await
}

#[tokio::test]
async fn a_cursor_belongs_to_its_list_and_cannot_be_altered() -> Result<()> {
    let server = Server::start()?;
    server.cli_json(&["actor", "add", "alice", "--kind", "agent"])?;
    let mut client = Client::open(server.url(), server.operator_key()?, Speaks::Rest).await?;
    for _ in 0..3 {
        client.create("alice").await?;
    }
    let first = client
        .call("list_unaccepted_tasks", json!({"limit": 2}))
        .await?
        .ok()?;
    let cursor = first["nextCursor"]
        .as_str()
        .context("a second page")?
        .to_owned();
    let other = json!({"cursor": cursor, "actorId": "alice"});
    assert_eq!(
        client.call("list_unaccepted_tasks", other).await?.status,
        400,
        "another filter"
    );
    for i in 0..cursor.len() {
        let mut altered = cursor.clone();
        let swapped = if &cursor[i..=i] == "A" { "B" } else { "A" };
        altered.replace_range(i..=i, swapped);
        let answer = client
            .call("list_unaccepted_tasks", json!({"cursor": altered}))
            .await?;
        assert_eq!(answer.status, 400, "altered at {i}");
    }
    let second = client
        .call("list_unaccepted_tasks", json!({"cursor": cursor}))
        .await?
        .ok()?;
    assert_eq!(second["tasks"].as_array().map(Vec::len), Some(1));
    assert_eq!(second["nextCursor"], Value::Null);
    Ok(())
}

/// Bodies that are not JSON as the protocol wants it, to both doors.
#[tokio::test]
async fn broken_bodies_are_refused_whole() -> Result<()> {
    let here = Here::new().await?;
    let task = |title: &str| {
        format!(r#"{{"title":{title},"description":"","injectedBy":"alice"}}"#).into_bytes()
    };
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let mut invalid_utf8 = task("\"_\"");
    let at = invalid_utf8
        .iter()
        .position(|byte| *byte == b'_')
        .context("the mark")?;
    invalid_utf8[at] = 0xff;
    let bodies = [
        ("empty", vec![]),
        ("not JSON", b"title=t".to_vec()),
        ("cut off", b"{\"title\":\"t\"".to_vec()),
        (
            "something after it",
            [task("\"t\""), b"{}".to_vec()].concat(),
        ),
        (
            "a doubled name",
            br#"{"title":"a","title":"b","description":"","injectedBy":"alice"}"#.to_vec(),
        ),
        ("invalid UTF-8", invalid_utf8),
        ("a lone surrogate", task(r#""\ud800""#)),
        ("a lone surrogate's second half", task(r#""\udc00x""#)),
        ("65 levels", task(&deep(65))),
        ("100,000 levels", task(&deep(100_000))),
        ("a list", b"[]".to_vec()),
        ("a text", b"\"x\"".to_vec()),
        ("null", b"null".to_vec()),
        ("NaN", task("NaN")),
        ("a number without end", task(&"9".repeat(100_000))),
    ];
    for (what, body) in bodies {
        let response = here.raw("/api/tasks", body.clone()).await?;
        assert_eq!(response.status, 400, "{what}: {:?}", response.body);
        let problem = response.json()?;
        assert_eq!(problem["code"], "invalid_input", "{what}");
        says_nothing_of_the_inside(&problem.to_string());

        let params = [
            br#"{"name":"create_task","arguments":"#.as_slice(),
            &body,
            b"}",
        ]
        .concat();
        let start = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#.as_slice();
        let response = here.raw("/mcp", [start, &params, b"}"].concat()).await?;
        let answer = mcp::answer(&response)?;
        says_nothing_of_the_inside(&answer.to_string());
        let in_band = answer["result"]["isError"] == true
            && answer["result"]["structuredContent"]["status"] == 400;
        let as_error = response.status == 400 && answer["error"]["code"].is_i64();
        assert!(in_band || as_error, "{what}: {} {answer}", response.status);
    }
    here.nothing_happened().await
}

#[tokio::test]
async fn large_bodies_are_413_whichever_door() -> Result<()> {
    let here = Here::new().await?;
    let mut answered = 0;
    for mebibytes in [1, 10] {
        let text = "x".repeat(mebibytes << 20);
        for path in ["/api/tasks", "/mcp"] {
            // The server may close before it has read everything; then there is no answer to look at.
            if let Ok(response) = here.raw(path, format!("{{\"title\":\"{text}\"}}")).await {
                assert_eq!(response.status, 413, "{path} {mebibytes} MiB");
                assert_eq!(response.json()?["code"], "body_too_large");
                answered += 1;
            }
        }
        here.nothing_happened().await?;
    }
    assert!(answered > 0, "nobody was ever told why");
    Ok(())
}

#[tokio::test]
async fn without_a_valid_key_there_is_only_a_401() -> Result<()> {
    let here = Here::new().await?;
    let expiring = here
        .server
        .cli_json(&["key", "new", "--actor", "alice", "--expires", "1s"])?;
    let revoked = here.server.cli_json(&["key", "new", "--actor", "alice"])?;
    here.server
        .cli_json(&["key", "revoke", revoked["id"].as_str().context("an id")?])?;
    let text = |value: &Value| value["key"].as_str().unwrap_or_default().to_owned();
    let mut altered = here.key.clone();
    altered.replace_range(30..31, if &altered[30..31] == "0" { "1" } else { "0" });
    // The key itself says when it ends: wait for that, not for a time that should do.
    let mut client = Client::open(here.server.url(), &text(&expiring), Speaks::Rest).await?;
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while client
        .call("list_unaccepted_tasks", json!({}))
        .await?
        .status
        == 200
    {
        assert!(std::time::Instant::now() < end, "it never expired");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let credentials = [
        None,
        Some(("authorization", String::new())),
        Some(("authorization", format!("Basic {}", here.key))),
        Some(("authorization", format!("Bearer {altered}"))),
        Some(("authorization", "Bearer dbx_0123456789abcdef_x".to_owned())),
        Some(("x-api-key", "' OR 1=1 --".to_owned())),
        Some(("x-api-key", text(&expiring))),
        Some(("x-api-key", text(&revoked))),
    ];
    for credential in credentials {
        for (method, path) in [
            ("POST", "/api/tasks"),
            ("POST", "/mcp"),
            ("GET", "/api/tasks/unaccepted"),
            ("GET", "/metrics"),
            ("GET", "/openapi.json"),
            ("GET", "/no/such/path"),
        ] {
            let mut request = Request::builder().method(method).uri(path);
            if let Some((name, value)) = &credential {
                request = request.header(*name, value);
            }
            let request = request
                .header("content-type", "application/json")
                .body("{}".into())?;
            let response = Connection::open(here.server.url())
                .await?
                .send(request)
                .await?;
            let what = format!("{method} {path} with {credential:?}");
            assert_eq!(response.status, 401, "{what}: {:?}", response.body);
            assert!(
                response.header("www-authenticate").starts_with("Bearer"),
                "{what}"
            );
            assert_eq!(response.json()?["code"], "unauthenticated", "{what}");
        }
    }
    // In a query string it is not read, and two that differ are one too many.
    let path = format!("/api/tasks/unaccepted?key={0}&access_token={0}", here.key);
    let request = Request::get(path).body(Bytes::new())?;
    assert_eq!(
        Connection::open(here.server.url())
            .await?
            .send(request)
            .await?
            .status,
        401
    );
    let request = Request::get("/api/tasks/unaccepted")
        .header("authorization", format!("Bearer {}", here.key))
        .header("x-api-key", altered)
        .body(Bytes::new())?;
    assert_eq!(
        Connection::open(here.server.url())
            .await?
            .send(request)
            .await?
            .status,
        400
    );
    here.nothing_happened().await
}

#[tokio::test]
async fn pages_and_names_from_elsewhere_are_kept_out() -> Result<()> {
    let here = Here::new().await?;
    let own = here.server.url().trim_start_matches("http://").to_owned();
    let port = own.rsplit(':').next().context("a port")?;
    let outside = [
        ("origin", "https://evil.example".to_owned()),
        ("origin", "null".to_owned()),
        ("origin", format!("http://evil.example:{port}")),
        ("host", "evil.example".to_owned()),
        ("host", format!("evil.example:{port}")),
        ("host", format!("127.0.0.1.evil.example:{port}")),
    ];
    for (header, value) in outside {
        for path in ["/api/tasks", "/mcp", "/api/healthz"] {
            let request = Request::post(path)
                .header("x-api-key", &here.key)
                .header("content-type", "application/json")
                .header("accept", "application/json, text/event-stream")
                .header(header, &value)
                .body(Bytes::from(good("create_task", "").to_string()))?;
            let response = Connection::open(here.server.url())
                .await?
                .send(request)
                .await?;
            let expected = if header == "origin" { 403 } else { 421 };
            assert_eq!(response.status, expected, "{path} {header}: {value}");
        }
    }
    here.nothing_happened().await
}
