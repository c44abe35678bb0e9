//! `deedbox mcp`: the same protocol, one message a line, in both eras.

use anyhow::Result;
use deedbox_neighbours::deedbox::Server;
use deedbox_tests::{
    client::tool_answer,
    mcp::{HANDSHAKE, STATELESS, stateless_message},
    stdio::Pipe,
};
use serde_json::{Value, json};

fn start() -> Result<(Server, Pipe)> {
    let server = Server::start()?;
    server.cli_json(&["actor", "add", "alice", "--kind", "agent"])?;
    let pipe = Pipe::start(&server, server.operator_key()?)?;
    Ok((server, pipe))
}

fn create() -> Value {
    json!({"name": "create_task",
        "arguments": {"title": "t", "description": "", "injectedBy": "alice"}})
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": HANDSHAKE, "capabilities": {},
        "clientInfo": {"name": "deedbox-tests", "version": "1"}}})
}

#[test]
fn the_stateless_revision_needs_no_beginning() -> Result<()> {
    let (server, mut pipe) = start()?;
    let answer = pipe.ask(&stateless_message("server/discover", json!({})))?;
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&STATELESS.into()) && versions.contains(&HANDSHAKE.into()));
    let answer = pipe.ask(&stateless_message("tools/list", json!({})))?;
    let result = &answer["result"];
    assert_eq!(result["tools"].as_array().map(Vec::len), Some(27));
    assert_eq!(result["resultType"], "complete");
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string());
    let answer = pipe.ask(&stateless_message("tools/call", create()))?;
    assert_eq!(answer["result"]["resultType"], "complete");
    let task = tool_answer("create_task", &answer)?.ok()?;
    // What was written through the pipe is in the server's own ledger.
    let shown = server.cli_json(&["task", "status", task["id"].as_str().unwrap()])?;
    assert_eq!(shown["task"]["attribution"], task["attribution"]);
    assert!(pipe.close()?.success());
    Ok(())
}

#[test]
fn the_first_message_may_be_a_call() -> Result<()> {
    let (_server, mut pipe) = start()?;
    let answer = pipe.ask(&stateless_message("tools/call", create()))?;
    assert_eq!(tool_answer("create_task", &answer)?.status, 201);
    Ok(())
}

#[test]
fn the_handshake_leads_to_the_same_tools_and_answers() -> Result<()> {
    let (_server, mut pipe) = start()?;
    let answer = pipe.ask(&initialize())?;
    assert_eq!(answer["result"]["protocolVersion"], HANDSHAKE);
    pipe.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
    let list = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list"});
    let answer = pipe.ask(&list)?;
    assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(27));
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": create()});
    assert_eq!(tool_answer("create_task", &pipe.ask(&call)?)?.status, 201);
    assert!(pipe.close()?.success());
    Ok(())
}

#[test]
fn wrong_requests_are_answered_and_the_pipe_goes_on() -> Result<()> {
    let (_server, mut pipe) = start()?;
    pipe.ask(&stateless_message("server/discover", json!({})))?;
    let answer = pipe.ask(&stateless_message("tools/destroy", json!({})))?;
    assert_eq!(answer["error"]["code"], -32601);
    let unknown = json!({"name": "no_such_tool", "arguments": {}});
    let answer = pipe.ask(&stateless_message("tools/call", unknown))?;
    assert_eq!(answer["error"]["code"], -32602);
    let mut other = stateless_message("tools/list", json!({}));
    other["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    let answer = pipe.ask(&other)?;
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"]["requested"], "2099-01-01");
    for (line, code) in [
        ("{", -32700),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","id":2}"#,
            -32700,
        ),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    ] {
        pipe.write(line)?;
        assert_eq!(pipe.read()?["error"]["code"], code, "{line}");
    }
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(1 << 20)
    );
    pipe.write(&long)?;
    assert!(
        pipe.read()?["error"]["code"].is_i64(),
        "a line of a mebibyte"
    );
    let answer = pipe.ask(&stateless_message("tools/call", create()))?;
    assert_eq!(
        tool_answer("create_task", &answer)?.status,
        201,
        "after all that"
    );
    Ok(())
}

#[test]
fn a_key_that_is_revoked_ends_what_a_running_pipe_may_do() -> Result<()> {
    let (server, _) = start()?;
    let made = server.cli_json(&["key", "new", "--actor", "alice"])?;
    let mut pipe = Pipe::start(&server, made["key"].as_str().unwrap())?;
    let answer = pipe.ask(&stateless_message("tools/call", create()))?;
    assert_eq!(tool_answer("create_task", &answer)?.status, 201);
    server.cli_json(&["key", "revoke", made["id"].as_str().unwrap()])?;
    let answer = pipe.ask(&stateless_message("tools/call", create()))?;
    let refusal = tool_answer("create_task", &answer)?;
    assert_eq!((refusal.status, refusal.code()), (401, "unauthenticated"));
    Ok(())
}

#[test]
fn a_wrong_key_does_not_begin() -> Result<()> {
    let (server, _) = start()?;
    let pipe = Pipe::start(&server, "dbx_wrong")?;
    assert!(!pipe.close()?.success());
    Ok(())
}
