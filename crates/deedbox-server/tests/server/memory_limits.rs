//! What the tools of memory refuse: each with its code and its field, through every door, and nothing is lost by it.

use deedbox_core::limits;
use serde_json::{Value, json};

use crate::{
    house::{DOORS, Door},
    memory_desk::{Desk, Said, space},
};

/// What is there before, and has to be there afterwards.
const KEPT: &str = "The echidna walks at dawn.";

struct Kept {
    desk: Desk,
    id: String,
}

impl Kept {
    async fn new() -> Self {
        let desk = Desk::open().await;
        let alice = &desk.house.keys.alice;
        let id = desk
            .remember(
                alice,
                json!({"content": KEPT, "tags": ["kept"], "path": "a/b"}),
            )
            .await;
        Self { desk, id }
    }

    /// That `arguments` are refused through every door, and that all is as it was.
    async fn refused(&self, tool: &str, arguments: &Value, expected: (u16, &str), field: &str) {
        let alice = &self.desk.house.keys.alice;
        let before = self.desk.house.deeds().await;
        for door in DOORS {
            if door == Door::Rest && !has_its_own_form(tool, arguments) {
                continue;
            }
            let said = self.desk.ask(door, alice, tool, arguments.clone()).await;
            let shown: String = arguments.to_string().chars().take(200).collect();
            assert_eq!(
                said.refused(),
                expected,
                "{door:?} {tool} {shown}: {said:?}"
            );
            let error = said.value["error"].as_str().unwrap();
            let at = error.split(": ").next().unwrap();
            if !field.is_empty() {
                assert!(at.starts_with(field), "{tool} {shown}: {error}");
            }
            assert!(error.len() < 700, "{}", error.len());
        }
        assert_eq!(self.desk.house.deeds().await, before, "{tool} {arguments}");
        assert_eq!(self.now().await, (KEPT.to_owned(), 1));
    }

    async fn now(&self) -> (String, u64) {
        let id = self.id.parse().unwrap();
        let kept = self
            .desk
            .house
            .store
            .memory(id)
            .await
            .unwrap()
            .unwrap()
            .memory;
        let content = kept.text.unwrap().content.as_str().to_owned();
        (content, kept.state.head.version)
    }
}

/// In a query everything is a text, so what is no text cannot be said there.
fn has_its_own_form(tool: &str, arguments: &Value) -> bool {
    tool != "list_memories"
        || arguments
            .as_object()
            .unwrap()
            .values()
            .all(Value::is_string)
}

const MALFORMED: (u16, &str) = (400, "invalid_input");

#[tokio::test]
async fn what_is_malformed_is_refused_by_its_field() {
    let kept = Kept::new().await;
    let long = |n: usize| "x".repeat(n);
    let many = |n: usize| (0..n).map(|i| format!("s{i}")).collect::<Vec<_>>();
    let note = |field: &str, value: Value| {
        let mut note = json!({"content": "c"});
        note[field] = value;
        (field.to_owned(), note)
    };
    let notes = [
        note("content", json!("")),
        note("content", json!(long(limits::MEMORY_BYTES + 1))),
        note("content", json!("é".repeat(limits::MEMORY_BYTES / 2 + 1))),
        note("content", json!("bell \u{7}")),
        note("content", json!("nul \u{0}")),
        note("content", json!("c1 \u{9f}")),
        note("content", json!("lone return \r ")),
        note("content", Value::Null),
        note("kind", json!("idea")),
        note("kind", json!("Fact")),
        note("kind", json!({"fact": null})),
        note("kind", Value::Null),
        note("space", json!("-x")),
        note("space", json!(long(200))),
        note("path", json!("")),
        note("path", json!("a//b")),
        note("path", json!("../b")),
        note("path", json!("/a")),
        note("path", json!("a\tb")),
        note("path", json!(long(limits::MEMORY_PATH_BYTES + 1))),
        note("tags", json!(many(limits::MEMORY_TAGS + 1))),
        note("tags", json!([""])),
        note("tags", json!([long(limits::MEMORY_TAG_CHARS + 1)])),
        note("tags", json!(["a\nb"])),
        note("tags", json!("a")),
        note("semantic_key", json!("")),
        note("semantic_key", json!(long(limits::MEMORY_KEY_CHARS + 1))),
        note("semantic_key", json!("a\u{0}")),
        note("expires_at", json!("2020-01-01T00:00:00Z")),
        note("expires_at", json!("tomorrow")),
        note("merge_duplicates", json!("yes")),
        note("actor_id", json!("")),
        note("instance", json!("codex")),
    ];
    for (field, arguments) in notes {
        let field = if field == "instance" { "" } else { &field };
        kept.refused("remember", &arguments, MALFORMED, field).await;
    }
    let id = &kept.id;
    for (tool, arguments, field) in [
        ("recall", json!({"query": ""}), "query"),
        ("recall", json!({"query": "é".repeat(1_001)}), "query"),
        ("recall", json!({"query": "q", "limit": 0}), "limit"),
        ("recall", json!({"query": "q", "limit": 51}), "limit"),
        (
            "recall",
            json!({"query": "q", "token_budget": 0}),
            "token_budget",
        ),
        (
            "recall",
            json!({"query": "q", "token_budget": 200_001}),
            "token_budget",
        ),
        ("recall", json!({"query": "q", "kinds": ["idea"]}), "kinds"),
        (
            "recall",
            json!({"query": "q", "kinds": [{"fact": null}]}),
            "kinds",
        ),
        (
            "recall",
            json!({"query": "q", "spaces": many(33)}),
            "spaces",
        ),
        ("recall", json!({"query": "q", "spaces": "team"}), "spaces"),
        ("recall", json!({}), ""),
        ("list_memories", json!({"limit": 101}), "limit"),
        ("list_memories", json!({"limit": "101"}), "limit"),
        ("list_memories", json!({"cursor": "AAAA"}), "cursor"),
        ("list_memories", json!({"kind": "idea"}), "kind"),
        (
            "list_memories",
            json!({"instance_id_hash": "codex"}),
            "instance_id_hash",
        ),
        (
            "list_memories",
            json!({"instance_id_hash": format!("sha256:{}", "A".repeat(64))}),
            "instance_id_hash",
        ),
        (
            "list_memories",
            json!({"agent_label": long(257)}),
            "agent_label",
        ),
        ("list_memories", json!({"status": "forgotten"}), ""),
        ("update_memory", json!({"memory_id": id}), ""),
        (
            "update_memory",
            json!({"memory_id": id, "todo_done": true}),
            "todo_done",
        ),
        (
            "update_memory",
            json!({"memory_id": id, "content": ""}),
            "content",
        ),
        (
            "update_memory",
            json!({"memory_id": id, "content": null}),
            "content",
        ),
        (
            "update_memory",
            json!({"memory_id": id, "expires_at": "2020-01-01T00:00:00Z"}),
            "expires_at",
        ),
        (
            "update_memory",
            json!({"memory_id": id, "tags": many(33)}),
            "tags",
        ),
        (
            "update_memory",
            json!({"memory_id": "x", "content": "c"}),
            "memory_id",
        ),
        (
            "update_memory",
            json!({"memory_id": id, "semantic_key": "k"}),
            "",
        ),
        (
            "forget",
            json!({"memory_id": id.to_uppercase()}),
            "memory_id",
        ),
        (
            "forget",
            json!({"memory_id": id, "reason": "why"}),
            "reason",
        ),
        (
            "forget",
            json!({"memory_id": id, "redact": "true"}),
            "redact",
        ),
        (
            "forget",
            json!({"memory_id": id, "redact": true, "reason": long(limits::TEXT_BYTES + 1)}),
            "reason",
        ),
    ] {
        kept.refused(tool, &arguments, MALFORMED, field).await;
    }
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_by_its_code() {
    let kept = Kept::new().await;
    let bob = &kept.desk.house.keys.bob;
    let foreign = kept
        .desk
        .remember(bob, json!({"content": "Bob's own."}))
        .await;
    let in_team = kept
        .desk
        .remember(bob, json!({"content": "Bob's, for all.", "space": "team"}))
        .await;
    let nobodys = crate::house::NOBODYS_TASK;
    for (tool, arguments, expected) in [
        (
            "remember",
            json!({"content": "c", "space": "personal:bob"}),
            (404, "space_not_found"),
        ),
        (
            "remember",
            json!({"content": "c", "space": "nowhere"}),
            (404, "space_not_found"),
        ),
        (
            "remember",
            json!({"content": "c", "actor_id": "bob"}),
            (403, "wrong_actor"),
        ),
        (
            "remember",
            json!({"content": "c", "actor_id": "ghost"}),
            (403, "wrong_actor"),
        ),
        (
            "recall",
            json!({"query": "q", "spaces": ["personal:bob"]}),
            (404, "space_not_found"),
        ),
        (
            "list_memories",
            json!({"spaces": ["personal:bob"]}),
            (404, "space_not_found"),
        ),
        (
            "update_memory",
            json!({"memory_id": foreign, "content": "c"}),
            (404, "memory_not_found"),
        ),
        (
            "update_memory",
            json!({"memory_id": nobodys, "content": "c"}),
            (404, "memory_not_found"),
        ),
        (
            "forget",
            json!({"memory_id": foreign}),
            (404, "memory_not_found"),
        ),
        (
            "forget",
            json!({"memory_id": foreign, "redact": true}),
            (404, "memory_not_found"),
        ),
        (
            "forget",
            json!({"memory_id": nobodys}),
            (404, "memory_not_found"),
        ),
    ] {
        kept.refused(tool, &arguments, expected, "").await;
    }
    // Alice owns the team's space, so what bob wrote there is hers to take back; the other way round it is not.
    let forget = json!({"memory_id": in_team});
    kept.desk
        .tell(&kept.desk.house.keys.alice, "forget", forget)
        .await
        .done();
    let alices = kept
        .desk
        .remember(
            &kept.desk.house.keys.alice,
            json!({"content": "Hers.", "space": "team"}),
        )
        .await;
    let refused = kept
        .desk
        .tell(bob, "forget", json!({"memory_id": alices}))
        .await;
    assert_eq!(refused.refused(), (403, "not_memory_author"));
}

#[tokio::test]
async fn the_largest_memory_is_taken_through_every_door_and_comes_back_whole() {
    let desk = Desk::open().await;
    let alice = &desk.house.keys.alice;
    // Escaped as some clients do, each of these characters has six bytes for its three.
    let word = "鶏";
    let most = format!("{}x", word.repeat(limits::MEMORY_BYTES / word.len()));
    assert_eq!(most.len(), limits::MEMORY_BYTES);
    for (n, door) in DOORS.into_iter().enumerate() {
        let note =
            json!({"content": most, "semantic_key": format!("largest {n}"), "space": "team"});
        let said: Said = desk.ask(door, alice, "remember", note).await;
        said.done();
    }
    let escaped: String = most
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    let body = format!(r#"{{"content":"{escaped}"}}"#);
    let reply = desk.house.post("/api/memories", alice, &[], body).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    let usage = desk.house.store.space_usage(&space("team")).await.unwrap();
    assert_eq!(usage.memories, 3);
    let question = json!({"query": "largest 1", "token_budget": 200_000, "limit": 1});
    assert_eq!(desk.recalled(alice, question).await, [most]);
}
