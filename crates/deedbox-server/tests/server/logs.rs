//! What operators see: logs and counts, in which no secret stands.

use std::{
    io,
    sync::{Arc, Mutex, atomic::Ordering},
};

use bytes::Bytes;
use http::Method;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    house::{ACCESS_TOKEN, DOORS, Door, House, NOBODYS_TASK, escape},
    node::{ENDPOINT_WORDS, Mood, SECRET, TOKEN},
    readings::{ask, with_node},
    sick::{UNAVAILABLE, sick_house},
};

/// Everything that is logged on this thread, at every level.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Log {
    pub(crate) fn start(level: tracing::Level) -> (Self, DefaultGuard) {
        let log = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_max_level(level)
            .with_writer(log.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
    fn lines(&self) -> Vec<Value> {
        self.text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

#[tokio::test]
async fn no_credential_is_ever_logged() {
    let (log, _guard) = Log::start(tracing::Level::TRACE);
    let house = House::open().await;
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    let keys = house.keys.clone();
    let all = [
        keys.operator,
        keys.alice,
        keys.bob,
        keys.reader,
        keys.writer,
        keys.expired,
        keys.revoked,
        ACCESS_TOKEN.to_owned(),
    ];
    for key in &all {
        for header in ["authorization", "x-api-key"] {
            let value = if header == "x-api-key" {
                key.clone()
            } else {
                format!("Bearer {key}")
            };
            let request = house
                .request(Method::GET, "/api/tasks/unaccepted")
                .header(header, value);
            house.send(request.body(Bytes::new()).unwrap()).await;
        }
        house
            .get(
                &format!("/api/tasks/unaccepted?access_token={}", escape(key)),
                key,
            )
            .await;
        house
            .rpc(
                key,
                &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
            )
            .await;
        house.post("/mcp", key, &[], "broken").await;
    }
    for door in DOORS {
        house
            .call(door, &all[1], "create_task", &create, json!({}))
            .await
            .id();
    }
    let text = log.text();
    assert!(
        text.contains("credential refused") && text.contains("answered"),
        "nothing was logged"
    );
    for key in &all {
        let secret = if key == ACCESS_TOKEN { key } else { &key[21..] };
        assert!(!text.contains(secret), "a secret stands in the log");
    }
}

#[tokio::test]
async fn a_failure_is_logged_once_with_its_cause_under_the_requests_id() {
    let (house, how) = sick_house().await;
    let (log, _guard) = Log::start(tracing::Level::INFO);
    how.store(UNAVAILABLE, Ordering::SeqCst);
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"}).to_string();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
        {"name": "create_task", "arguments": {"title": "t", "description": "", "injectedBy": "alice"}}});
    for (id, path, body) in [
        ("rest-1", "/api/tasks", create),
        ("mcp-1", "/mcp", call.to_string()),
    ] {
        let headers = [
            ("x-request-id", id),
            (
                "traceparent",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            ),
        ];
        house.post(path, &house.keys.alice, &headers, body).await;
        let lines = log.lines();
        let errors: Vec<_> = lines
            .iter()
            .filter(|line| line["level"] == "ERROR" && line["span"]["request.id"] == id)
            .collect();
        assert_eq!(errors.len(), 1, "{id}: {lines:?}");
        let said = errors[0]["fields"]["error"].as_str().unwrap();
        assert!(said.contains("disk on fire"), "{said}");
        assert_eq!(
            errors[0]["span"]["trace.id"],
            "0af7651916cd43dd8448eb211c80319c"
        );
        assert!(
            errors[0]["span"]["principal"]
                .as_str()
                .unwrap()
                .starts_with("key:")
        );
    }
    let errors = log
        .lines()
        .iter()
        .filter(|line| line["level"] == "ERROR")
        .count();
    assert_eq!(errors, 2);
}

#[tokio::test]
async fn requests_calls_and_refusals_are_counted_under_fixed_names() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let house = House::with(|options| options.metrics = Some(handle)).await;
    house.task("ac").await;
    house
        .get(
            &format!("/api/tasks/{}/status", crate::house::NOBODYS_TASK),
            &house.keys.alice,
        )
        .await;
    house
        .get("/some/path/that/nobody/serves", &house.keys.alice)
        .await;
    let brew = Method::from_bytes(b"BREW").unwrap();
    let request = house
        .request(brew, "/api/tasks")
        .header("x-api-key", &house.keys.alice);
    house.send(request.body(Bytes::new()).unwrap()).await;
    let arguments = json!({"taskId": 1});
    house
        .call(
            Door::Legacy,
            &house.keys.alice,
            "get_task_status",
            &arguments,
            json!({}),
        )
        .await;
    let text = house.get("/metrics", &house.keys.operator).await.text();
    for line in [
        r#"deedbox_requests_total{route="/api/tasks",method="POST",status="201"} 1"#,
        r#"deedbox_requests_total{route="/api/tasks/{taskId}/status",method="GET",status="404"} 1"#,
        r#"deedbox_requests_total{route="other",method="GET",status="404"} 1"#,
        r#"deedbox_requests_total{route="/api/tasks",method="OTHER",status="405"} 1"#,
        r#"deedbox_tool_calls_total{tool="accept_task",outcome="done"} 1"#,
        r#"deedbox_tool_calls_total{tool="get_task_status",outcome="refused"} 2"#,
        r#"deedbox_refusals_total{code="task_not_found"} 1"#,
        r#"deedbox_refusals_total{code="invalid_input"} 1"#,
        r#"deedbox_request_seconds_count{route="/api/tasks"}"#,
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("nobody"), "a path became a label");
}

#[tokio::test]
async fn nothing_of_an_endpoint_but_its_name_is_logged_or_counted() {
    let (log, _guard) = Log::start(tracing::Level::TRACE);
    let recorder = PrometheusBuilder::new().build_recorder();
    let metrics = recorder.handle();
    let _local = metrics::set_default_local_recorder(&recorder);
    let (house, node) = with_node(|_| ()).await;
    node.call_the_token("a name that somebody wrote");
    let metadata = json!({"chain_id": 1, "token": TOKEN, "block": "latest"});
    let mut codes = Vec::new();
    for mood in [Mood::Well, Mood::Fails, Mood::Busy] {
        node.set(mood);
        let said = ask(
            &house,
            Door::Rest,
            &house.keys.alice,
            "get_token_metadata",
            &metadata,
            None,
        )
        .await;
        codes.push(said.code().to_owned());
    }
    assert_eq!(codes, ["", "endpoint_unavailable", "endpoint_rate_limited"]);
    let evidence = format!("/api/evidence/{NOBODYS_TASK}");
    assert_eq!(house.get(&evidence, &house.keys.alice).await.status, 404);
    let (logged, counted) = (log.text(), metrics.render());
    assert!(logged.contains("evidence_not_found"), "{logged}");
    assert!(counted.contains("evidence_not_found"), "{counted}");
    assert!(logged.contains("endpoint_unavailable"), "{logged}");
    assert!(counted.contains("tool=\"get_token_metadata\""), "{counted}");
    assert!(counted.contains("endpoint_unavailable"), "{counted}");
    for secret in [SECRET, ENDPOINT_WORDS, "somebody wrote"] {
        assert!(!logged.contains(secret), "{secret}");
        assert!(!counted.contains(secret), "{secret}");
    }
    assert!(!counted.contains(TOKEN), "no address is a label");
}
