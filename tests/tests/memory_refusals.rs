//! What is too much or malformed, in one table: refused over MCP, HTTP and at the command line alike, and nothing is lost by it.

use std::{
    io::Write as _,
    process::{Output, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use deedbox_neighbours::deedbox::Server;
use deedbox_tests::{Connection, client::tool_answer, mcp};
use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};

/// What is there before, and has to be there afterwards.
const KEPT: &str = "The echidna walks at dawn.";

/// Something that is refused.
struct Case {
    what: &'static str,
    /// What `remember` is given over MCP and HTTP.
    arguments: Value,
    /// With which status and code it is refused there.
    refused: (u16, &'static str),
    /// What its error has to name.
    names: &'static str,
    /// What `deedbox memory remember` is given, and what on standard input; nothing where it has no such form.
    command: Option<(Vec<&'static str>, String)>,
    /// With which code it is refused there.
    code: &'static str,
}

fn cases() -> Vec<Case> {
    const MALFORMED: (u16, &str) = (400, "invalid_input");
    let too_long = "x".repeat(262_145);
    // Three bytes each, so that it is bytes that count: one character too many.
    let too_many_bytes = "鶏".repeat(87_382);
    let note = |field: &str, value: Value| {
        let mut note = json!({"content": "c"});
        note[field] = value;
        note
    };
    let words = |more: &[&'static str], content: &str| {
        Some(([&["-", "--as", "bob"], more].concat(), content.to_owned()))
    };
    let case = |what, arguments, refused, names, command, code| Case {
        what,
        arguments,
        refused,
        names,
        command,
        code,
    };
    vec![
        case(
            "a content of 262,145 bytes",
            note("content", json!(too_long)),
            MALFORMED,
            "262144",
            words(&[], &too_long),
            "invalid_input",
        ),
        case(
            "a content of 262,146 bytes in 87,382 characters",
            note("content", json!(too_many_bytes)),
            MALFORMED,
            "262144",
            words(&[], &too_many_bytes),
            "invalid_input",
        ),
        case(
            "a control character",
            note("content", json!("bell \u{7}")),
            MALFORMED,
            "control character",
            words(&[], "bell \u{7}"),
            "invalid_input",
        ),
        case(
            "a control character in a tag",
            note("tags", json!(["a\nb"])),
            MALFORMED,
            "tags",
            words(&["--tag", "a\nb"], "c"),
            "invalid_input",
        ),
        case(
            "an expiry in the past",
            note("expires_at", json!("2020-01-01T00:00:00Z")),
            MALFORMED,
            "expires_at",
            words(&["--expires-at", "2020-01-01T00:00:00Z"], "c"),
            "invalid_input",
        ),
        case(
            "an unknown kind",
            note("kind", json!("idea")),
            MALFORMED,
            "kind",
            words(&["--kind", "idea"], "c"),
            "bad_usage",
        ),
        case(
            "a space that is not there",
            note("space", json!("nowhere")),
            (404, "space_not_found"),
            "nowhere",
            words(&["--space", "nowhere"], "c"),
            "space_not_found",
        ),
        // An operator sees every space, so the command line has no foreign one.
        case(
            "a foreign space",
            note("space", json!("personal:alice")),
            (404, "space_not_found"),
            "personal:alice",
            None,
            "",
        ),
        case(
            "a full space",
            note("space", json!("full")),
            (409, "space_full"),
            "2000000",
            words(&["--space", "full"], "c"),
            "space_full",
        ),
    ]
}

/// A server, a key of bob's, and what he remembered.
struct Desk {
    server: Server,
    key: String,
    id: String,
}

impl Desk {
    async fn open() -> Result<Self> {
        let server = Server::start()?;
        for actor in ["alice", "bob"] {
            server.cli_json(&["actor", "add", actor, "--kind", "agent"])?;
        }
        server.cli_json(&["space", "new", "full", "--owner", "bob"])?;
        let made = server.cli_json(&["key", "new", "--actor", "bob"])?;
        let mut desk = Self {
            server,
            key: made["key"].as_str().context("no key")?.to_owned(),
            id: String::new(),
        };
        let (status, receipt) = desk
            .http("/api/memories", &[], json!({"content": KEPT}))
            .await?;
        ensure!(status == 201, "{receipt}");
        receipt["id"]
            .as_str()
            .context("no id")?
            .clone_into(&mut desk.id);
        Ok(desk)
    }

    async fn http(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: Value,
    ) -> Result<(u16, Value)> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header("x-api-key", &self.key)
            .header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Bytes::from(body.to_string()))?;
        let response = Connection::open(self.server.url())
            .await?
            .send(request)
            .await?;
        Ok((response.status, response.json()?))
    }

    /// In both eras, which refuse the same with the same words.
    async fn mcp(&self, arguments: &Value) -> Result<(u16, Value)> {
        let params = json!({"name": "remember", "arguments": arguments});
        let message = mcp::stateless_message("tools/call", params.clone());
        let requests = [
            mcp::stateless_era(&self.key, &message)?,
            mcp::handshake_era(
                &self.key,
                &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}),
            )?,
        ];
        let mut answers = Vec::new();
        for request in requests {
            let response = Connection::open(self.server.url())
                .await?
                .send(request)
                .await?;
            let answer = tool_answer("remember", &mcp::answer(&response)?)?;
            answers.push((answer.status, answer.body));
        }
        let [one, other] = answers.as_slice() else {
            bail!("not two answers: {answers:?}");
        };
        ensure!(one.0 == other.0, "{answers:?}");
        ensure!(one.0 < 300 || one == other, "{answers:?}");
        answers.pop().context("no answer")
    }

    fn cli(&self, arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Result<Output> {
        let arguments = [&["memory", "remember"], arguments, &["--json"]].concat();
        let mut child = self
            .server
            .command(&arguments)?
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // Who refuses its arguments does not read what it is given.
        drop(
            child
                .stdin
                .take()
                .context("no input")?
                .write_all(input.as_bytes()),
        );
        Ok(child.wait_with_output()?)
    }

    /// How many deeds there are, which `ledger check` counts.
    fn deeds(&self) -> Result<Value> {
        Ok(self.server.cli_json(&["ledger", "check"])?["deeds"].clone())
    }

    /// What bob remembered is there as it was, and it is found.
    async fn nothing_is_lost(&self) -> Result<()> {
        let question = json!({"query": "echidna"});
        let (status, found) = self.http("/api/memories/recall", &[], question).await?;
        ensure!(status == 200, "{found}");
        let memory = &found["memories"][0]["memory"];
        assert_eq!(
            (&memory["id"], &memory["content"], &memory["version"]),
            (&json!(self.id), &json!(KEPT), &json!(1))
        );
        Ok(())
    }

    /// Says that the space `full` has so many memories.
    async fn fill(&self, memories: u64) -> Result<()> {
        let path = self.server.data_dir().join("deedbox.sqlite");
        let options = SqliteConnectOptions::new().filename(path);
        let mut stranger = SqliteConnection::connect_with(&options).await?;
        sqlx::query("UPDATE space_usage SET memories = ?1 WHERE space = 'full'")
            .bind(i64::try_from(memories)?)
            .execute(&mut stranger)
            .await?;
        Ok(stranger.close().await?)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_is_refused_through_every_door_and_nothing_is_lost() -> Result<()> {
    let desk = Desk::open().await?;
    let first = json!({"content": "One is in it.", "space": "full"});
    assert_eq!(desk.http("/api/memories", &[], first).await?.0, 201);
    let before = desk.deeds()?;
    desk.fill(2_000_000).await?;
    for case in cases() {
        let what = case.what;
        let arguments = case.arguments.clone();
        let over_http = desk.http("/api/memories", &[], arguments).await?;
        let over_mcp = desk.mcp(&case.arguments).await?;
        for (status, refusal) in [&over_http, &over_mcp] {
            let code = refusal["code"].as_str().unwrap_or_default();
            assert_eq!((*status, code), case.refused, "{what}: {refusal}");
            let error = refusal["error"].as_str().unwrap_or_default();
            assert!(error.contains(case.names), "{what}: {error}");
            assert!(error.len() < 700, "{what}: {}", error.len());
        }
        if let Some((command, input)) = &case.command {
            let output = desk.cli(command, &[], input)?;
            assert!(!output.status.success(), "{what}");
            let said = String::from_utf8_lossy(&output.stderr);
            let refusal: Value = serde_json::from_str(said.lines().last().unwrap_or_default())?;
            assert_eq!(refusal["code"], case.code, "{what}: {refusal}");
            assert!(said.len() < 1_500, "{what}: {said}");
        }
        desk.nothing_is_lost().await?;
    }
    desk.fill(1).await?;
    assert_eq!(desk.deeds()?, before, "nothing was written");
    // What is just not too much is taken.
    let most = json!({"content": "x".repeat(262_144)});
    assert_eq!(desk.mcp(&most).await?.0, 201);
    desk.nothing_is_lost().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_label_that_is_too_long_is_none_over_http_and_stops_a_program() -> Result<()> {
    let desk = Desk::open().await?;
    let (most, long) = ("x".repeat(256), "x".repeat(257));
    for (label, kept) in [(&most, json!(most)), (&long, Value::Null)] {
        let labels = [
            ("x-memory-os-agent-id", label.as_str()),
            ("x-memory-os-agent-instance-id", label.as_str()),
        ];
        let (status, receipt) = desk
            .http("/api/memories", &labels, json!({"content": "c"}))
            .await?;
        assert_eq!(status, 201, "{receipt}");
        let source = &receipt["source"];
        assert_eq!(source["agent_label"], kept);
        assert_eq!(source["instance_id_hash"].is_null(), kept.is_null());
    }
    for variable in ["DEEDBOX_AGENT_ID", "XMEMO_AGENT_INSTANCE_ID"] {
        let before = desk.deeds()?;
        let command = ["-", "--as", "bob"];
        let output = desk.cli(&command, &[(variable, long.as_str())], "c")?;
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(variable) && !said.contains(&long), "{said}");
        assert_eq!(desk.deeds()?, before);
    }
    desk.nothing_is_lost().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hash_of_an_installation_that_is_malformed_is_no_label_and_no_error() -> Result<()> {
    let desk = Desk::open().await?;
    let version = |n: u64, hash: &str| {
        json!({
            "memory_id": format!("0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5{n}"), "version": 1, "space": "elsewhere",
            "status": "live", "semantic_key": null, "outcome": "remembered", "changed": [],
            "at": "2026-01-01T00:00:00.000Z", "kind": "note", "todo_done": false, "expires_at": null,
            "source": {"actor_id": "carol", "basis": "authenticated", "agent_label": "codex", "instance_id_hash": hash},
            "reason": null, "commitment": null, "hash": format!("sha256:{}", n.to_string().repeat(64)),
            "text": {"content": format!("Imported {n}."), "path": null, "tags": [], "semantic_key": null},
        })
    };
    let upper = format!("sha256:{}", "AB".repeat(32));
    let hashes = [
        ("codex-local-install", Value::Null),
        ("sha256:abcd", Value::Null),
        ("", Value::Null),
        (
            upper.as_str(),
            json!(upper.replace('A', "a").replace('B', "b")),
        ),
    ];
    for (n, (hash, kept)) in (1..).zip(hashes) {
        let body = json!({"versions": [version(n, hash)]});
        let (status, report) = desk.http("/api/spaces/full/import", &[], body).await?;
        assert_eq!(
            (status, &report["taken"]),
            (201, &json!(1)),
            "{hash:?}: {report}"
        );
        let into = report["versions"][0]["into"]
            .as_str()
            .context("no memory")?;
        let shown = desk.server.cli_json(&["memory", "show", into])?;
        let from = &shown["versions"][0]["imported_from"]["source"];
        assert_eq!(
            (&from["agent_label"], &from["instance_id_hash"]),
            (&json!("codex"), &kept),
            "{hash:?}"
        );
        let source = &shown["versions"][0]["source"];
        assert_eq!(source["instance_id_hash"], Value::Null, "whoever imports");
    }
    desk.nothing_is_lost().await
}
