//! MCP over HTTP, as clients of both eras speak it.

use serde_json::{Value, json};

use crate::house::{Door, House, stateless_message};

const TOOLS: [&str; 27] = [
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

/// Those that add a deed of the caller's.
const WRITES: [&str; 7] = [
    "create_task",
    "accept_task",
    "report_completion",
    "handoff_task",
    "remember",
    "update_memory",
    "forget",
];

/// Those that ask a chain or the web.
const OUTSIDE: [&str; 10] = [
    "list_chains",
    "get_native_balance",
    "get_erc20_balance",
    "get_token_metadata",
    "get_pool_reserves",
    "list_recent_transfers",
    "resolve_agent",
    "verify_tool",
    "check_tool_access",
    "compare_tools",
];

fn initialize(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"},
    }})
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params})
}

#[tokio::test]
async fn an_older_client_begins_with_initialize_and_gets_no_session() {
    let house = House::open().await;
    let key = &house.keys.alice;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let reply = house.rpc(key, &initialize(version)).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.header("mcp-session-id"), None);
        let result = &reply.json()["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "deedbox");
        assert!(
            result["instructions"]
                .as_str()
                .unwrap()
                .contains("accept_task")
        );
        assert!(result["capabilities"]["tools"].is_object());
    }
    // A version that does not exist yet is answered with one that does.
    let reply = house.rpc(key, &initialize("2099-01-01")).await;
    assert_eq!(reply.json()["result"]["protocolVersion"], "2025-11-25");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let reply = house.rpc(key, &initialized).await;
    assert_eq!((reply.status, reply.text()), (202, String::new()));
    let reply = house.rpc(key, &request("ping", json!({}))).await;
    assert_eq!(reply.json()["result"], json!({}));
    assert_eq!(reply.json()["id"], "a");
}

#[tokio::test]
async fn a_newer_client_discovers() {
    let house = House::open().await;
    let reply = house
        .stateless(&house.keys.alice, "server/discover", json!({}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let result = &reply.json()["result"];
    assert_eq!(result["resultType"], "complete");
    assert!(
        result["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
    assert_eq!(result["cacheScope"], "public");
    assert!(result["ttlMs"].as_u64().unwrap() > 0);
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "deedbox"
    );
    assert_eq!(reply.header("mcp-session-id"), None);
}

#[tokio::test]
async fn the_list_of_tools_is_the_same_for_everyone_and_both_eras() {
    let house = House::open().await;
    let mut lists = Vec::new();
    for key in [&house.keys.alice, &house.keys.operator, &house.keys.reader] {
        let old = house
            .rpc(key, &request("tools/list", json!({})))
            .await
            .json();
        let new = house.stateless(key, "tools/list", json!({})).await.json();
        assert_eq!(new["result"]["resultType"], "complete");
        assert_eq!(new["result"]["cacheScope"], "public");
        assert!(new["result"]["ttlMs"].as_u64().unwrap() > 0);
        lists.push(old["result"]["tools"].to_string());
        lists.push(new["result"]["tools"].to_string());
    }
    assert!(lists.iter().all(|list| *list == lists[0]));
    let tools: Vec<Value> = serde_json::from_str(&lists[0]).unwrap();
    assert_eq!(
        tools
            .iter()
            .map(|t| t["name"].as_str().unwrap())
            .collect::<Vec<_>>(),
        TOOLS
    );
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let reads = !WRITES.contains(&name);
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], reads, "{name}");
        // What was redacted is gone.
        assert_eq!(hints["destructiveHint"], name == "forget", "{name}");
        assert_eq!(hints["idempotentHint"], reads, "{name}");
        let outside = OUTSIDE.contains(&name);
        assert_eq!(hints["openWorldHint"], outside, "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
        for schema in ["inputSchema", "outputSchema"] {
            assert!(jsonschema::meta::is_valid(&tool[schema]), "{name} {schema}");
            assert!(
                jsonschema::validator_for(&tool[schema]).is_ok(),
                "{name} {schema}"
            );
        }
        let says = tool["description"].as_str().unwrap();
        // Each row is one statement, in any of these words.
        for statement in [
            &["for "][..],
            &[
                "no input has a default",
                "No input has a default",
                "without a default",
                "default 10",
                "default note",
                "default false",
                "default none",
                "default 300",
                "default 0x",
            ],
            &[
                "to the millisecond",
                "decimal string",
                "block height",
                "digit by digit",
            ],
            &["as of", "As of", "time of the record"],
            &["Does not"],
            &["isError"],
            &[
                "Takes milliseconds",
                "Takes about a second",
                "Takes seconds",
            ],
            &["Call "],
        ] {
            let said = statement.iter().any(|words| says.contains(words));
            assert!(said, "{name} leaves {statement:?} unsaid");
        }
        for argument in tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys()
        {
            assert!(
                says.contains(argument.as_str()),
                "{name} says nothing of {argument}"
            );
        }
        assert!(says.len() < 1_500, "{name}: {}", says.len());
    }
    let page = request("tools/list", json!({"cursor": "x"}));
    assert_eq!(
        house.rpc(&house.keys.alice, &page).await.json()["error"]["code"],
        -32602
    );
}

#[tokio::test]
async fn only_the_tools_of_the_toolsets_are_offered() {
    for (toolsets, offered, other, path, other_path) in [
        (
            "tasks",
            &TOOLS[..6],
            "list_chains",
            "/api/tasks/unaccepted",
            "/api/chains",
        ),
        (
            "chain",
            &TOOLS[6..13],
            "list_unaccepted_tasks",
            "/api/chains",
            "/api/tasks/unaccepted",
        ),
        (
            "memory",
            &TOOLS[21..],
            "list_chains",
            "/api/identity",
            "/api/chains",
        ),
    ] {
        let house = House::with(|options| options.toolsets = toolsets.parse().unwrap()).await;
        let key = &house.keys.alice;
        let listed = house
            .rpc(key, &request("tools/list", json!({})))
            .await
            .json();
        let listed = listed["result"]["tools"].as_array().unwrap().iter();
        let listed: Vec<_> = listed.map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(listed, offered);
        let call = request("tools/call", json!({"name": other, "arguments": {}}));
        assert_eq!(house.rpc(key, &call).await.json()["error"]["code"], -32602);
        assert_eq!(house.get(path, key).await.status, 200);
        assert_eq!(house.get(other_path, key).await.status, 404);
    }
}

#[tokio::test]
async fn the_input_schema_admits_what_is_read() {
    let house = House::open().await;
    let listed = house
        .stateless(&house.keys.alice, "tools/list", json!({}))
        .await
        .json();
    let task = house.task("").await;
    for (tool, good) in [
        (
            "create_task",
            json!({"title": "t", "description": "", "injectedBy": "alice", "authorityScope": null}),
        ),
        ("accept_task", json!({"taskId": task, "actorId": "alice"})),
        ("list_unaccepted_tasks", json!({"limit": 5.0})),
        ("list_unaccepted_tasks", json!({})),
    ] {
        let tools = listed["result"]["tools"].as_array().unwrap();
        let declared = tools.iter().find(|t| t["name"] == tool).unwrap();
        let validator = jsonschema::validator_for(&declared["inputSchema"]).unwrap();
        assert!(validator.is_valid(&good), "{tool} {good}");
        let said = house
            .call(Door::Legacy, &house.keys.alice, tool, &good, json!({}))
            .await;
        assert!(said.status < 300, "{tool} {said:?}");
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_refused_in_band() {
    let house = House::open().await;
    for wrong in [json!([1]), json!("x"), json!(1), json!(true)] {
        let params = json!({"name": "create_task", "arguments": wrong});
        for reply in [
            house
                .rpc(&house.keys.alice, &request("tools/call", params.clone()))
                .await,
            house
                .stateless(&house.keys.alice, "tools/call", params.clone())
                .await,
        ] {
            assert_eq!(reply.status, 200, "{}", reply.text());
            let result = &reply.json()["result"];
            assert_eq!(result["isError"], true, "{}", reply.text());
            assert_eq!(result["structuredContent"]["code"], "invalid_input");
            assert_eq!(
                result["structuredContent"]["error"],
                "arguments: must be an object"
            );
        }
    }
    let none = request("tools/call", json!({"name": "list_unaccepted_tasks"}));
    let reply = house.rpc(&house.keys.alice, &none).await.json();
    assert_eq!(reply["result"]["isError"], false, "{reply}");
}

#[tokio::test]
async fn an_unknown_tool_or_method_is_a_protocol_error() {
    let house = House::open().await;
    let key = &house.keys.alice;
    for name in [
        "nothing",
        "create_actor",
        "Create_Task",
        "",
        &"x".repeat(10_000),
    ] {
        let params = json!({"name": name, "arguments": {}});
        let old = house.rpc(key, &request("tools/call", params.clone())).await;
        assert_eq!(
            (old.status, &old.json()["error"]["code"]),
            (200, &json!(-32602))
        );
        assert!(old.text().len() < 500);
        if !name.is_empty() && name.len() < 100 {
            let new = house.stateless(key, "tools/call", params).await;
            assert_eq!(new.json()["error"]["code"], -32602, "{}", new.text());
        }
    }
    for params in [json!({}), json!({"name": 5}), json!({"name": null})] {
        let reply = house.rpc(key, &request("tools/call", params.clone())).await;
        assert_eq!(reply.json()["error"]["code"], -32602, "{params}");
    }
    let old = house.rpc(key, &request("tasks/dance", json!({}))).await;
    assert_eq!(
        (old.status, &old.json()["error"]["code"]),
        (200, &json!(-32601))
    );
    let new = house.stateless(key, "tasks/dance", json!({})).await;
    assert_eq!(
        (new.status, &new.json()["error"]["code"]),
        (404, &json!(-32601))
    );
    for method in ["resources/list", "prompts/list", "logging/setLevel"] {
        let reply = house.rpc(key, &request(method, json!({}))).await;
        assert_eq!(reply.json()["error"]["code"], -32601, "{method}");
    }
    let malformed = request("initialize", json!({"protocolVersion": 5}));
    assert_eq!(
        house.rpc(key, &malformed).await.json()["error"]["code"],
        -32602
    );
}

#[tokio::test]
async fn malformed_messages_are_json_rpc_errors_with_status_400() {
    let house = House::open().await;
    let before = house.deeds().await;
    let call = request(
        "tools/call",
        json!({"name": "create_task", "arguments":
        {"title": "t", "description": "", "injectedBy": "alice"}}),
    );
    for (body, code) in [
        (json!([call.clone()]).to_string(), -32600),
        (json!([call.clone(), call.clone()]).to_string(), -32600),
        ("[]".to_owned(), -32600),
        ("{}".to_owned(), -32600),
        ("\"x\"".to_owned(), -32600),
        (
            json!({"jsonrpc": "2.0", "method": 1, "id": 1}).to_string(),
            -32600,
        ),
        (
            json!({"jsonrpc": "2.0", "method": "ping", "id": null}).to_string(),
            -32600,
        ),
        (
            json!({"jsonrpc": "2.0", "method": "ping", "id": 1, "params": []}).to_string(),
            -32602,
        ),
        (
            json!({"jsonrpc": "2.0", "result": {}, "id": 1}).to_string(),
            -32600,
        ),
        ("{\"jsonrpc\"".to_owned(), -32700),
        (String::new(), -32700),
    ] {
        let reply = house
            .post("/mcp", &house.keys.alice, &[], body.clone())
            .await;
        assert_eq!(reply.status, 400, "{body}: {}", reply.text());
        assert_eq!(
            reply.header("content-type"),
            Some("application/json"),
            "{body}"
        );
        let message = reply.json();
        assert_eq!(
            (&message["jsonrpc"], &message["error"]["code"]),
            (&json!("2.0"), &json!(code)),
            "{body}: {message}"
        );
    }
    assert_eq!(house.deeds().await, before, "nothing is written");
    house.goes_on().await;
}

#[tokio::test]
async fn the_newer_eras_headers_must_be_there_and_agree_with_the_body() {
    let house = House::open().await;
    let before = house.deeds().await;
    let create = json!({"name": "create_task", "arguments": {"title": "t", "description": "", "injectedBy": "alice"}});
    let message = stateless_message("tools/call", create);
    let version = ("mcp-protocol-version", "2026-07-28");
    let (method, name) = (("mcp-method", "tools/call"), ("mcp-name", "create_task"));
    for headers in [
        vec![],
        vec![method, name],
        vec![version],
        vec![version, name],
        vec![version, method],
        vec![version, ("mcp-method", "tools/list"), name],
        vec![version, method, ("mcp-name", "accept_task")],
        vec![("mcp-protocol-version", "2025-11-25"), method, name],
    ] {
        let reply = house
            .post("/mcp", &house.keys.alice, &headers, message.to_string())
            .await;
        assert_eq!(
            (reply.status, &reply.json()["error"]["code"]),
            (400, &json!(-32020)),
            "{headers:?} {}",
            reply.text()
        );
        assert_eq!(reply.json()["id"], 7);
    }
    assert_eq!(house.deeds().await, before, "nothing is written");
    let reply = house
        .post(
            "/mcp",
            &house.keys.alice,
            &[version, method, name],
            message.to_string(),
        )
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(house.deeds().await, before + 1);
}

#[tokio::test]
async fn an_unknown_version_is_told_which_ones_there_are() {
    let house = House::open().await;
    // In the header alone, as an older client sends it.
    let list = request("tools/list", json!({})).to_string();
    let headers = [("mcp-protocol-version", "1999-01-01")];
    let old = house.post("/mcp", &house.keys.alice, &headers, list).await;
    // In both places, as a newer one does.
    let mut message = stateless_message("tools/list", json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let headers = [
        ("mcp-protocol-version", "2099-01-01"),
        ("mcp-method", "tools/list"),
    ];
    let new = house
        .post("/mcp", &house.keys.alice, &headers, message.to_string())
        .await;
    for (reply, requested) in [(old, "1999-01-01"), (new, "2099-01-01")] {
        let error = &reply.json()["error"];
        assert_eq!(
            (reply.status, &error["code"]),
            (400, &json!(-32022)),
            "{}",
            reply.text()
        );
        assert_eq!(error["data"]["requested"], requested);
        assert!(
            error["data"]["supported"]
                .as_array()
                .unwrap()
                .contains(&json!("2026-07-28"))
        );
    }
}

#[tokio::test]
async fn a_newer_request_without_its_metadata_is_malformed() {
    let house = House::open().await;
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
    ];
    let list = request("tools/list", json!({})).to_string();
    let reply = house.post("/mcp", &house.keys.alice, &headers, list).await;
    assert_eq!(
        (reply.status, &reply.json()["error"]["code"]),
        (400, &json!(-32602)),
        "{}",
        reply.text()
    );
}

#[tokio::test]
async fn clients_that_accept_json_in_any_words_are_served() {
    let house = House::open().await;
    let ping = request("ping", json!({})).to_string();
    for accept in [
        "application/json, text/event-stream",
        "application/json",
        "*/*",
        "text/event-stream;q=0.5, application/*;q=0.1",
    ] {
        let reply = house
            .post(
                "/mcp",
                &house.keys.alice,
                &[("accept", accept)],
                ping.clone(),
            )
            .await;
        assert_eq!(reply.status, 200, "{accept}: {}", reply.text());
    }
    for accept in ["text/event-stream", "text/html"] {
        let reply = house
            .post(
                "/mcp",
                &house.keys.alice,
                &[("accept", accept)],
                ping.clone(),
            )
            .await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (406, "not_acceptable"),
            "{accept}"
        );
    }
}

#[tokio::test]
async fn a_session_id_that_a_client_invents_means_nothing() {
    let house = House::open().await;
    let headers = [("mcp-session-id", "x"), ("last-event-id", "1")];
    let ping = request("ping", json!({})).to_string();
    let reply = house.post("/mcp", &house.keys.alice, &headers, ping).await;
    assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
}
