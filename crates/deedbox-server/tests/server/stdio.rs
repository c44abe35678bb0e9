//! MCP over a pair of streams.

use std::{sync::Arc, time::Duration};

use deedbox_core::{ApiKey, Attribution, Command, Principal};
use deedbox_server::{Labels, StdioError, serve_streams};
use deedbox_store::Execute;
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf,
        WriteHalf,
    },
    task::JoinHandle,
};

use crate::{
    house::{House, stateless_message},
    node::{Mood, TOKEN},
    readings::with_node,
};

pub(crate) struct Client {
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: Option<WriteHalf<DuplexStream>>,
    served: JoinHandle<Result<(), StdioError>>,
}

impl Client {
    fn start(house: &House, key: &str) -> Self {
        Self::labelled(house, key, Labels::default())
    }

    /// A client that says who it is.
    pub(crate) fn labelled(house: &House, key: &str, labels: Labels) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (app, key) = (Arc::clone(&house.app), key.to_owned());
        let served = tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            serve_streams(app, &key, labels, read, write).await
        });
        let (read, write) = tokio::io::split(ours);
        Self {
            read: BufReader::new(read).lines(),
            write: Some(write),
            served,
        }
    }

    async fn line(&mut self, bytes: &[u8]) {
        let write = self.write.as_mut().unwrap();
        write.write_all(bytes).await.unwrap();
        write.write_all(b"\n").await.unwrap();
    }

    async fn answer(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(10), self.read.next_line());
        let line = line
            .await
            .expect("an answer in time")
            .unwrap()
            .expect("an answer");
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.line(message.to_string().as_bytes()).await;
        self.answer().await
    }

    async fn initialize(&mut self) {
        let answer = self
            .ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}))
            .await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        self.line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
    }

    async fn end(mut self) -> Result<(), StdioError> {
        let mut write = self.write.take().unwrap();
        write.shutdown().await.unwrap();
        drop((write, self.read));
        tokio::time::timeout(Duration::from_secs(10), self.served)
            .await
            .unwrap()
            .unwrap()
    }
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

#[tokio::test]
async fn both_eras_are_spoken_over_streams() {
    let house = House::open().await;
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    let mut old = Client::start(&house, &house.keys.alice);
    old.initialize().await;
    let made = old.ask(&call("create_task", create.clone())).await;
    assert_eq!(
        made["result"]["structuredContent"]["status"],
        "pending_acceptance"
    );
    assert!(made["result"].get("resultType").is_none());
    old.end().await.unwrap();

    let mut new = Client::start(&house, &house.keys.alice);
    let found = new
        .ask(&stateless_message("server/discover", json!({})))
        .await;
    assert!(found["result"]["supportedVersions"].is_array(), "{found}");
    let made = new
        .ask(&stateless_message(
            "tools/call",
            json!({"name": "create_task", "arguments": create}),
        ))
        .await;
    assert_eq!(made["result"]["resultType"], "complete");
    assert_eq!(
        made["result"]["structuredContent"]["attribution"]["actor"],
        "authenticated"
    );
    new.end().await.unwrap();
}

#[tokio::test]
async fn a_bad_line_is_answered_with_an_error_and_the_session_goes_on() {
    let house = House::open().await;
    let mut client = Client::start(&house, &house.keys.alice);
    let before = house.deeds().await;
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    let long = format!("\"{}\"", "x".repeat(600 * 1024));
    let lone = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":{"title":"\ud800","description":"","injectedBy":"alice"}}}"#;
    let bad: [(&[u8], i64); 9] = [
        (b"not json", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1", -32700),
        (b"\"\xff\"", -32700),
        (lone.as_bytes(), -32700),
        (deep.as_bytes(), -32700),
        (
            br#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}"#,
            -32700,
        ),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (b"{}", -32600),
        (long.as_bytes(), -32600),
    ];
    for round in 0..2 {
        for (line, code) in bad {
            client.line(line).await;
            let answer = client.answer().await;
            assert_eq!(answer["error"]["code"], code, "round {round}: {answer}");
        }
        client.line(b"").await;
        if round == 0 {
            client.initialize().await;
        }
    }
    assert_eq!(house.deeds().await, before, "nothing is written");
    let said = client.ask(&call("create_task", json!({"title": 1}))).await;
    assert_eq!(said["result"]["structuredContent"]["code"], "invalid_input");
    let pong = client
        .ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
        .await;
    assert_eq!(pong["result"], json!({}));
    client.end().await.unwrap();
}

#[tokio::test]
async fn a_notification_before_anything_else_does_not_end_the_session() {
    let house = House::open().await;
    let mut client = Client::start(&house, &house.keys.alice);
    client
        .line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    client.initialize().await;
    client.end().await.unwrap();
}

#[tokio::test]
async fn a_credential_is_checked_at_the_start_and_at_every_call() {
    let house = House::open().await;
    for key in [&house.keys.expired, &house.keys.revoked, "x"] {
        let client = Client::start(&house, key);
        assert!(matches!(
            client.served.await.unwrap(),
            Err(StdioError::NotAdmitted(_))
        ));
    }
    let mut client = Client::start(&house, &house.keys.bob);
    client.initialize().await;
    let list = call("list_unaccepted_tasks", json!({}));
    assert_eq!(client.ask(&list).await["result"]["isError"], false);
    let id = ApiKey::parse(&house.keys.bob).unwrap().id().clone();
    let revoke = Execute {
        command: Command::RevokeKey { id },
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    };
    house.store.execute(revoke).await.unwrap().unwrap();
    let said = client.ask(&list).await;
    assert_eq!(said["result"]["structuredContent"]["status"], 401, "{said}");
    assert_eq!(
        said["result"]["structuredContent"]["code"],
        "unauthenticated"
    );
    client.end().await.unwrap();
}

#[tokio::test]
async fn an_input_that_ends_at_once_is_no_error() {
    let house = House::open().await;
    Client::start(&house, &house.keys.alice)
        .end()
        .await
        .unwrap();
}

#[tokio::test]
async fn chains_are_read_over_streams_and_a_cancelled_reading_stops() {
    let (house, node) = with_node(|_| ()).await;
    let mut client = Client::start(&house, &house.keys.alice);
    client.initialize().await;
    let metadata = json!({"chain_id": 1, "token": TOKEN, "block": "latest"});
    let answer = client
        .ask(&call("get_token_metadata", metadata.clone()))
        .await;
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{answer}");
    let envelope = &result["structuredContent"];
    assert_eq!(envelope["data"]["name"]["text"], "Coin");
    assert!(envelope["provenance"]["evidence_id"].is_string());
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(text.split('\n').count(), 9, "{text}");

    node.set(Mood::Hangs);
    let message = call("get_token_metadata", metadata);
    client.line(message.to_string().as_bytes()).await;
    node.answers(1).await;
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    client.line(cancelled.to_string().as_bytes()).await;
    node.answers(0).await;
    client.end().await.unwrap();
}
