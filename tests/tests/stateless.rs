//! The stateless revision 2026-07-28 over Streamable HTTP, message by message, and beside it the revisions
//! with a handshake: the same tools, the same answers, and no session in either.

use anyhow::Result;
use bytes::Bytes;
use deedbox_neighbours::deedbox::Server;
use deedbox_tests::{
    Client, Connection, Response, Speaks,
    mcp::{self, HANDSHAKE, STATELESS},
};
use http::Request;
use serde_json::{Value, json};

struct Here {
    server: Server,
    connection: Connection,
    key: String,
}

impl Here {
    async fn new() -> Result<Self> {
        let server = Server::start()?;
        for actor in ["alice", "bob"] {
            server.cli_json(&["actor", "add", actor, "--kind", "agent"])?;
        }
        let connection = Connection::open(server.url()).await?;
        let key = server.operator_key()?.to_owned();
        Ok(Self {
            server,
            connection,
            key,
        })
    }

    /// Sends a message of the stateless revision with its headers.
    async fn ask(&mut self, method: &str, params: Value) -> Result<(Response, Value)> {
        let message = mcp::stateless_message(method, params);
        let response = self
            .connection
            .send(mcp::stateless_era(&self.key, &message)?)
            .await?;
        let answer = mcp::answer(&response)?;
        assert!(
            !response.headers.contains_key("mcp-session-id"),
            "{method} made a session"
        );
        assert_eq!(answer["id"], 1);
        Ok((response, answer))
    }

    /// Sends `message` with exactly these headers besides those that every request has.
    async fn send(&mut self, headers: &[(&str, &str)], message: &Value) -> Result<Response> {
        let mut request = mcp::post(&self.key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.connection
            .send(request.body(Bytes::from(message.to_string()))?)
            .await
    }

    async fn unowned(&mut self) -> Result<usize> {
        let mut client = Client::open(self.server.url(), &self.key, Speaks::Rest).await?;
        let page = client
            .call("list_unaccepted_tasks", json!({"limit": 1000}))
            .await?
            .ok()?;
        Ok(page["tasks"].as_array().map_or(0, Vec::len))
    }
}

fn create() -> Value {
    json!({"name": "create_task",
        "arguments": {"title": "t", "description": "", "injectedBy": "alice"}})
}

#[tokio::test]
async fn discover_says_what_is_spoken_and_how_long_that_stays_true() -> Result<()> {
    let mut here = Here::new().await?;
    let (response, answer) = here.ask("server/discover", json!({})).await?;
    assert_eq!(response.status, 200);
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    let versions = result["supportedVersions"].as_array().unwrap();
    for version in [STATELESS, HANDSHAKE] {
        assert!(
            versions.contains(&version.into()),
            "{version} in {versions:?}"
        );
    }
    assert!(result["capabilities"]["tools"].is_object());
    assert!(result["ttlMs"].is_u64(), "{result}");
    assert!(["public", "private"].contains(&result["cacheScope"].as_str().unwrap()));
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "deedbox"
    );
    Ok(())
}

#[tokio::test]
async fn the_list_of_tools_is_the_same_for_everybody_and_says_how_long_it_holds() -> Result<()> {
    let mut here = Here::new().await?;
    let (first, answer) = here.ask("tools/list", json!({})).await?;
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    assert!(
        result["ttlMs"].is_u64() && result["cacheScope"].is_string(),
        "{result}"
    );
    let names: Vec<&str> = result["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let all = [
        "create_task",
        "accept_task",
        "report_completion",
        "handoff_task",
        "get_task_status",
        "list_unaccepted_tasks",
        "list_chains",
        "get_native_balance",
        "get_erc20_balance",
        "get_token_metadata",
        "get_pool_reserves",
        "list_recent_transfers",
        "check_conclusion",
        "resolve_agent",
        "find_agents",
        "list_registries",
        "get_registry_history",
        "find_tools",
        "verify_tool",
        "check_tool_access",
        "compare_tools",
        "get_identity",
        "remember",
        "recall",
        "list_memories",
        "update_memory",
        "forget",
    ];
    assert_eq!(names, all);

    let bound =
        here.server
            .cli_json(&["key", "new", "--actor", "bob", "--scopes", "tasks:read"])?;
    here.key = bound["key"].as_str().unwrap().to_owned();
    here.connection = Connection::open(here.server.url()).await?;
    let (second, _) = here.ask("tools/list", json!({})).await?;
    assert_eq!(
        first.body, second.body,
        "another key, another connection, other bytes"
    );
    here.server.kill9()?;
    here.server.restart()?;
    here.connection = Connection::open(here.server.url()).await?;
    let (third, _) = here.ask("tools/list", json!({})).await?;
    assert_eq!(first.body, third.body, "another process, other bytes");

    // A client with a handshake sees the same tools.
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let response = here
        .connection
        .send(mcp::handshake_era(&here.key, &message)?)
        .await?;
    let old = mcp::answer(&response)?;
    assert_eq!(old["result"]["tools"], result["tools"]);
    Ok(())
}

#[tokio::test]
async fn a_call_is_complete_and_a_refusal_is_a_result() -> Result<()> {
    let mut here = Here::new().await?;
    let (response, answer) = here.ask("tools/call", create()).await?;
    assert_eq!(
        (response.status, &answer["result"]["resultType"]),
        (200, &json!("complete"))
    );
    let task = answer["result"]["structuredContent"]["id"].clone();
    let accept = json!({"name": "accept_task", "arguments": {"taskId": task, "actorId": "nobody"}});
    let (response, answer) = here.ask("tools/call", accept).await?;
    assert_eq!(response.status, 200);
    let result = &answer["result"];
    assert_eq!(
        (&result["resultType"], &result["isError"]),
        (&json!("complete"), &json!(true))
    );
    assert_eq!(result["structuredContent"]["code"], "actor_not_found");
    Ok(())
}

#[tokio::test]
async fn headers_that_are_missing_or_say_something_else_than_the_body_are_32020() -> Result<()> {
    let mut here = Here::new().await?;
    let message = mcp::stateless_message("tools/call", create());
    let (version, method, name) = (
        ("mcp-protocol-version", STATELESS),
        ("mcp-method", "tools/call"),
        ("mcp-name", "create_task"),
    );
    let wrong: [(&str, Vec<(&str, &str)>); 7] = [
        ("no method", vec![version, name]),
        ("no name", vec![version, method]),
        ("no version", vec![method, name]),
        (
            "another method",
            vec![version, ("mcp-method", "tools/list"), name],
        ),
        (
            "another name",
            vec![version, method, ("mcp-name", "accept_task")],
        ),
        (
            "a name in another case",
            vec![version, method, ("mcp-name", "Create_Task")],
        ),
        (
            "another version",
            vec![("mcp-protocol-version", HANDSHAKE), method, name],
        ),
    ];
    for (what, headers) in wrong {
        let response = here.send(&headers, &message).await?;
        let answer = mcp::answer(&response)?;
        assert_eq!(
            (response.status, &answer["error"]["code"]),
            (400, &json!(-32020)),
            "{what}"
        );
        assert_eq!(here.unowned().await?, 0, "{what}: it was carried out");
    }
    let response = here.send(&[version, method, name], &message).await?;
    assert_eq!(response.status, 200);
    assert_eq!(here.unowned().await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_version_that_is_not_spoken_is_32022_with_those_that_are() -> Result<()> {
    let mut here = Here::new().await?;
    let mut message = mcp::stateless_message("tools/list", json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    let headers = [
        ("mcp-protocol-version", "2099-01-01"),
        ("mcp-method", "tools/list"),
    ];
    let response = here.send(&headers, &message).await?;
    let error = &mcp::answer(&response)?["error"];
    assert_eq!((response.status, &error["code"]), (400, &json!(-32022)));
    assert_eq!(error["data"]["requested"], "2099-01-01");
    let supported = error["data"]["supported"].as_array().unwrap();
    assert!(supported.contains(&STATELESS.into()) && supported.contains(&HANDSHAKE.into()));
    Ok(())
}

#[tokio::test]
async fn what_does_not_exist_is_said_so() -> Result<()> {
    let mut here = Here::new().await?;
    let (response, answer) = here.ask("tools/destroy", json!({})).await?;
    assert_eq!(
        (response.status, &answer["error"]["code"]),
        (404, &json!(-32601))
    );
    let (_, answer) = here
        .ask(
            "tools/call",
            json!({"name": "no_such_tool", "arguments": {}}),
        )
        .await?;
    assert_eq!(answer["error"]["code"], -32602);
    let (_, answer) = here
        .ask(
            "tools/call",
            json!({"name": "Create_task", "arguments": {}}),
        )
        .await?;
    assert_eq!(answer["error"]["code"], -32602, "names are exact");
    Ok(())
}

#[tokio::test]
async fn a_request_without_its_context_is_refused() -> Result<()> {
    let mut here = Here::new().await?;
    let headers = [
        ("mcp-protocol-version", STATELESS),
        ("mcp-method", "tools/list"),
    ];
    for missing in ["protocolVersion", "clientCapabilities"] {
        let mut message = mcp::stateless_message("tools/list", json!({}));
        let meta = message["params"]["_meta"].as_object_mut().unwrap();
        assert!(
            meta.remove(&format!("io.modelcontextprotocol/{missing}"))
                .is_some()
        );
        let response = here.send(&headers, &message).await?;
        let answer = mcp::answer(&response)?;
        assert_eq!(response.status, 400, "without {missing}: {answer}");
        assert!(
            answer["error"]["code"].is_i64(),
            "without {missing}: {answer}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn batches_and_other_verbs_are_refused() -> Result<()> {
    let mut here = Here::new().await?;
    let one = mcp::stateless_message("tools/call", create());
    let headers = [
        ("mcp-protocol-version", STATELESS),
        ("mcp-method", "tools/call"),
    ];
    for batch in [json!([one.clone()]), json!([one.clone(), one]), json!([])] {
        let response = here.send(&headers, &batch).await?;
        assert_eq!(response.status, 400, "{batch}");
        assert_eq!(mcp::answer(&response)?["error"]["code"], -32600);
    }
    assert_eq!(here.unowned().await?, 0);
    for verb in ["GET", "DELETE", "PUT", "PATCH", "HEAD"] {
        let request = Request::builder()
            .method(verb)
            .uri("/mcp")
            .header("authorization", format!("Bearer {}", here.key))
            .header("accept", "text/event-stream")
            .body(Bytes::new())?;
        let response = here.connection.send(request).await?;
        assert_eq!(
            (response.status, response.header("allow")),
            (405, "POST"),
            "{verb}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn the_handshake_makes_no_session_and_changes_nothing() -> Result<()> {
    let mut here = Here::new().await?;
    for version in [
        "2025-11-25",
        "2025-06-18",
        "2025-03-26",
        "2024-11-05",
        "1999-01-01",
    ] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "deedbox-tests", "version": "1"}}});
        let response = here.send(&[], &message).await?;
        let result = &mcp::answer(&response)?["result"];
        assert_eq!(response.status, 200, "{version}");
        assert!(!response.headers.contains_key("mcp-session-id"));
        let spoken = if version == "1999-01-01" {
            HANDSHAKE
        } else {
            version
        };
        assert_eq!(result["protocolVersion"], spoken);
        assert_eq!(result["serverInfo"]["name"], "deedbox");
    }
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let response = here
        .send(&[("mcp-protocol-version", HANDSHAKE)], &initialized)
        .await?;
    assert_eq!((response.status, response.body.len()), (202, 0));
    // A result of this era knows nothing of the newer one's fields.
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let response = here
        .send(&[("mcp-protocol-version", HANDSHAKE)], &ping)
        .await?;
    assert_eq!(mcp::answer(&response)?["result"], json!({}));
    Ok(())
}

/// One request is one request, however it is sent: over MCP of either era and over HTTP.
#[tokio::test]
async fn a_repeat_is_recognised_across_eras_and_doors() -> Result<()> {
    let mut here = Here::new().await?;
    let mut params = create();
    let mut message = mcp::stateless_message("tools/call", params.clone());
    message["params"]["_meta"]["deedbox/idempotencyKey"] = "once".into();
    let response = here
        .connection
        .send(mcp::stateless_era(&here.key, &message)?)
        .await?;
    let first = mcp::answer(&response)?["result"]["structuredContent"].clone();

    params["_meta"] = json!({"deedbox/idempotencyKey": "once"});
    let old = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let response = here
        .connection
        .send(mcp::handshake_era(&here.key, &old)?)
        .await?;
    assert_eq!(
        mcp::answer(&response)?["result"]["structuredContent"],
        first
    );

    let rest = |title: &str| {
        let body = json!({"title": title, "description": "", "injectedBy": "alice"});
        Request::post("/api/tasks")
            .header("x-api-key", &here.key)
            .header("content-type", "application/json")
            .header("idempotency-key", "once")
            .body(Bytes::from(body.to_string()))
    };
    let (same, other) = (rest("t")?, rest("another")?);
    let response = here.connection.send(same).await?;
    assert_eq!(response.json()?, first);
    let response = here.connection.send(other).await?;
    assert_eq!(
        (response.status, &response.json()?["code"]),
        (409, &json!("idempotency_conflict"))
    );
    assert_eq!(here.unowned().await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_task_for_recipients_only_is_made_beside_the_arguments() -> Result<()> {
    let mut here = Here::new().await?;
    let mut message = mcp::stateless_message("tools/call", create());
    message["params"]["_meta"]["deedbox/recipientOnly"] = true.into();
    let response = here
        .connection
        .send(mcp::stateless_era(&here.key, &message)?)
        .await?;
    let answer = mcp::answer(&response)?;
    let task = answer["result"]["structuredContent"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut client = Client::open(here.server.url(), &here.key, Speaks::Rest).await?;
    client.accept(&task, "alice").await?.ok()?;
    client.handoff(&task, "alice", "bob").await?.ok()?;
    let answer = client.accept(&task, "alice").await?;
    assert_eq!((answer.status, answer.code()), (403, "not_recipient"));
    assert_eq!(client.accept(&task, "bob").await?.status, 201);
    Ok(())
}
