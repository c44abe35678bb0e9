//! What those who look after a space do over HTTP: taking it out and in, deleting, and seeing who did what.

use serde_json::{Value, json};

use crate::memory_desk::{Desk, labels, space};

fn outcomes(report: &Value) -> Vec<&str> {
    let versions = report["versions"].as_array().unwrap().iter();
    versions
        .map(|one| one["outcome"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn what_was_exported_is_imported_once_and_says_where_it_was_written_first() {
    let desk = Desk::open().await;
    let (alice, bob) = (&desk.house.keys.alice, &desk.house.keys.bob);
    desk.execute(deedbox_core::Command::CreateSpace {
        id: space("copy"),
        name: "Copy".parse().unwrap(),
        owner: crate::memory_desk::actor("bob"),
    })
    .await;
    let keyed = json!({"content": "We deploy on Tuesdays.", "kind": "decision", "space": "team", "semantic_key": "deploy"});
    desk.as_agent(alice, labels("codex", "here"), "remember", keyed)
        .await
        .done();
    let keyed = json!({"content": "We deploy on Thursdays.", "kind": "decision", "space": "team", "semantic_key": "deploy"});
    desk.tell(alice, "remember", keyed).await.done();
    let todo = desk
        .remember(
            bob,
            json!({"content": "Feed the numbat.", "kind": "todo", "space": "team"}),
        )
        .await;
    desk.tell(
        bob,
        "update_memory",
        json!({"memory_id": todo, "todo_done": true}),
    )
    .await
    .done();
    let gone = desk
        .remember(
            bob,
            json!({"content": "Nonsense about yaks.", "space": "team"}),
        )
        .await;
    desk.tell(bob, "forget", json!({"memory_id": gone}))
        .await
        .done();

    let refused = desk.get(bob, "/api/spaces/team/export").await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (403, "not_space_owner")
    );
    let versions = desk.exported(alice, "team").await;
    assert_eq!(versions.len(), 6);
    assert!(
        versions
            .iter()
            .all(|one| one["source"].get("principal").is_none())
    );

    let deeds = desk.house.deeds().await;
    let dry = desk.imported(bob, "copy", &versions, true).await;
    assert_eq!(
        (dry["taken"].as_u64(), dry["left_out"].as_u64()),
        (Some(4), Some(2))
    );
    assert_eq!(desk.house.deeds().await, deeds, "a dry run writes nothing");
    let report = desk.imported(bob, "copy", &versions, false).await;
    assert_eq!(outcomes(&report), outcomes(&dry), "and says what comes");
    assert_eq!(
        outcomes(&report)
            .iter()
            .filter(|one| **one == "not_live")
            .count(),
        2
    );
    let again = desk.imported(bob, "copy", &versions, false).await;
    assert_eq!(
        (again["taken"].as_u64(), again["there_already"].as_u64()),
        (Some(0), Some(4))
    );
    let at_home = desk.imported(alice, "team", &versions, false).await;
    assert_eq!(at_home["taken"], 0, "{at_home}");

    let listed = desk.as_agent(
        bob,
        labels("claude", "x"),
        "list_memories",
        json!({"spaces": ["copy"]}),
    );
    let listed = listed.await.done();
    let memories = listed["memories"].as_array().unwrap();
    assert_eq!(memories.len(), 2);
    for memory in memories {
        assert_eq!(memory["source"]["actor_id"], "bob", "whoever imports");
        assert_eq!(
            memory["source"]["agent_label"],
            Value::Null,
            "and nobody's label"
        );
        assert_eq!(memory["untrusted"], true);
    }
    let deploy = memories
        .iter()
        .find(|one| one["semantic_key"] == "deploy")
        .unwrap();
    assert_eq!(deploy["content"], "We deploy on Thursdays.");
    let path = format!("/api/memories/{}", deploy["id"].as_str().unwrap());
    let history = desk.get(bob, &path).await.json();
    let from = &history["versions"][0]["imported_from"];
    assert_eq!(
        (&from["space"], &from["source"]["actor_id"]),
        (&json!("team"), &json!("alice"))
    );
    assert_eq!(from["source"]["agent_label"], "codex");
    let numbat = memories.iter().find(|one| one["kind"] == "todo").unwrap();
    assert_eq!(numbat["todo_done"], true);

    // What was changed or forgotten here stays so.
    desk.tell(
        bob,
        "update_memory",
        json!({"memory_id": deploy["id"], "content": "We do not deploy."}),
    )
    .await
    .done();
    desk.tell(bob, "forget", json!({"memory_id": numbat["id"]}))
        .await
        .done();
    let later = json!({"content": "We deploy on Mondays.", "kind": "decision", "space": "team", "semantic_key": "deploy"});
    desk.tell(alice, "remember", later).await.done();
    desk.tell(
        bob,
        "update_memory",
        json!({"memory_id": todo, "todo_done": false}),
    )
    .await
    .done();
    let versions = desk.exported(alice, "team").await;
    let report = desk.imported(bob, "copy", &versions, false).await;
    assert_eq!(report["taken"], 0, "{report}");
    let mut left = outcomes(&report);
    left.sort_unstable();
    left.dedup();
    assert_eq!(
        left,
        ["changed_here", "gone_here", "not_live", "there_already"]
    );
    desk.ledger_is_whole().await;
}

#[tokio::test]
async fn an_import_takes_only_what_is_well_formed_and_is_the_owners() {
    let desk = Desk::open().await;
    let (alice, bob) = (&desk.house.keys.alice, &desk.house.keys.bob);
    desk.remember(alice, json!({"content": "Hers.", "space": "team"}))
        .await;
    let versions = desk.exported(alice, "team").await;
    let path = "/api/spaces/team/import";
    let by_bob = desk.post(bob, path, json!({"versions": versions})).await;
    assert_eq!(
        (by_bob.status, by_bob.code().as_str()),
        (403, "not_space_owner")
    );
    let reader = desk.key(Some("alice"), "memory:read memory:export").await;
    assert_eq!(
        desk.post(&reader, path, json!({"versions": versions}))
            .await
            .status,
        403
    );
    for (field, bad) in [
        ("version", json!("1")),
        ("version", json!(0)),
        // Not exact in JSON: the deed would not be readable any more.
        ("version", json!(9_007_199_254_740_992_u64)),
        ("version", json!(u64::MAX)),
        ("outcome", json!("invented")),
        ("hash", json!("x")),
        (
            "text",
            json!({"content": "", "path": null, "tags": [], "semantic_key": null}),
        ),
        (
            "text",
            json!({"content": "x", "path": null, "tags": (0..33).map(|n| n.to_string()).collect::<Vec<_>>(), "semantic_key": null}),
        ),
        ("more", json!(1)),
    ] {
        let mut version = versions[0].clone();
        version[field] = bad;
        let reply = desk.post(alice, path, json!({"versions": [version]})).await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (400, "invalid_input"),
            "{field}"
        );
    }
    // A hash of an installation in another case is the same hash, and what is none is no label.
    let mut version = versions[0].clone();
    version["memory_id"] = json!("0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b");
    version["hash"] = json!(format!("sha256:{}", "ab".repeat(32)));
    version["source"]["agent_label"] = json!("codex");
    version["source"]["instance_id_hash"] = json!("codex-local-install");
    let report = desk
        .imported(alice, "team", &[version.clone()], false)
        .await;
    assert_eq!(outcomes(&report), ["remembered"]);
    let shown = desk
        .get(alice, "/api/memories/0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b")
        .await
        .json();
    let from = &shown["versions"][0]["imported_from"]["source"];
    assert_eq!(
        (&from["agent_label"], &from["instance_id_hash"]),
        (&json!("codex"), &Value::Null)
    );
    // An id that belongs to a key is refused by the rules, and the rest is taken.
    version["memory_id"] = json!("1bb9cbef-5bb9-8a2b-8f87-f8b04c9a34db");
    version["hash"] = json!(format!("sha256:{}", "cd".repeat(32)));
    let report = desk.imported(alice, "team", &[version], false).await;
    assert_eq!(
        (outcomes(&report), &report["versions"][0]["code"]),
        (vec!["refused"], &json!("invalid_input"))
    );
    desk.ledger_is_whole().await;
}

#[tokio::test]
async fn one_authors_rows_are_deleted_and_the_ledger_is_whole_without_their_words() {
    let desk = Desk::open().await;
    let (alice, bob) = (&desk.house.keys.alice, &desk.house.keys.bob);
    let by_codex = json!({"content": "Secret of the platypus.", "space": "team"});
    let by_codex = desk
        .as_agent(bob, labels("codex", "x"), "remember", by_codex)
        .await
        .done();
    let two = desk
        .remember(
            bob,
            json!({"content": "The platypus again.", "kind": "fact", "space": "team"}),
        )
        .await;
    let forgotten = desk
        .remember(
            bob,
            json!({"content": "A platypus, forgotten.", "space": "team"}),
        )
        .await;
    desk.tell(bob, "forget", json!({"memory_id": forgotten}))
        .await
        .done();
    let hers = desk
        .remember(
            alice,
            json!({"content": "Hers stays.", "kind": "todo", "space": "team"}),
        )
        .await;
    // To mark something done is to write no words.
    desk.tell(
        bob,
        "update_memory",
        json!({"memory_id": hers, "todo_done": true}),
    )
    .await
    .done();
    let path = "/api/spaces/team/delete-rows";
    for bad in [
        json!({}),
        json!({"actor_id": "bob", "agent_label": "codex"}),
        json!({"actor_id": "bob", "reason": "why"}),
    ] {
        assert_eq!(desk.post(alice, path, bad).await.status, 400);
    }
    let refused = desk.post(bob, path, json!({"actor_id": "bob"})).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (403, "not_space_owner")
    );
    let misspelled = desk.post(alice, path, json!({"actor_id": "bbo"})).await;
    assert_eq!(
        (misspelled.status, misspelled.code().as_str()),
        (404, "actor_not_found"),
        "nothing to delete would look like done"
    );
    let ids = |report: &Value| {
        let rows = report["rows"].as_array().unwrap().iter();
        let mut ids: Vec<_> = rows
            .map(|row| row["memory_id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort_unstable();
        ids
    };
    let deeds = desk.house.deeds().await;
    let label = json!({"agent_label": "codex", "dry_run": true});
    let by_label = desk.post(alice, path, label).await.json();
    assert_eq!(ids(&by_label), [by_codex["id"].as_str().unwrap()]);
    let dry = json!({"actor_id": "bob", "redact": true, "dry_run": true});
    let dry = desk.post(alice, path, dry).await.json();
    assert_eq!(desk.house.deeds().await, deeds);
    let all = json!({"actor_id": "bob", "redact": true, "reason": "on request"});
    let report = desk.post(alice, path, all.clone()).await;
    assert!(
        !report.text().contains("platypus"),
        "no words: {}",
        report.text()
    );
    let report = report.json();
    assert_eq!(ids(&report), ids(&dry));
    assert_eq!(
        (
            report["rows"].as_array().unwrap().len(),
            report["looked_at"].as_u64()
        ),
        (3, Some(4))
    );
    assert!(ids(&report).contains(&two) && !ids(&report).contains(&hers));
    assert!(
        report["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["outcome"] == "redacted" && row["others_wrote"] == false)
    );
    let again = desk.post(alice, path, all).await.json();
    assert_eq!(again["rows"], json!([]));
    assert!(
        !desk
            .exported(alice, "team")
            .await
            .iter()
            .any(|one| one.to_string().contains("platypus"))
    );
    assert_eq!(
        desk.recalled(alice, json!({"query": "stays"})).await,
        ["Hers stays."]
    );
    desk.ledger_is_whole().await;
}

#[tokio::test]
async fn an_owner_sees_who_read_and_changed_what_by_which_key_and_whom_it_comes_from() {
    let desk = Desk::open().await;
    let (alice, bob) = (&desk.house.keys.alice, &desk.house.keys.bob);
    let note = json!({"content": "The cassowary kicks.", "space": "team"});
    let note = desk
        .as_agent(bob, labels("codex", "x"), "remember", note)
        .await
        .done();
    let other = desk
        .remember(
            alice,
            json!({"content": "The cassowary runs.", "space": "team"}),
        )
        .await;
    desk.tell(bob, "recall", json!({"query": "cassowary"}))
        .await
        .done();
    let change = json!({"memory_id": note["id"], "content": "The cassowary kicks hard."});
    desk.tell(alice, "update_memory", change).await.done();
    desk.tell(alice, "forget", json!({"memory_id": other}))
        .await
        .done();

    for path in ["audit", "audit?of=changes", "review", "export"] {
        let path = format!("/api/spaces/team/{path}");
        assert_eq!(desk.get(bob, &path).await.code(), "not_space_owner");
        let without = desk
            .key(Some("alice"), "memory:read memory:write memory:delete")
            .await;
        assert_eq!(desk.get(&without, &path).await.code(), "missing_scope");
        let carol = desk.key(Some("carol"), "memory:export").await;
        assert_eq!(desk.get(&carol, &path).await.code(), "space_not_found");
    }
    let exporter = desk.key(Some("alice"), "memory:export").await;
    let reads = desk.get(&exporter, "/api/spaces/team/audit").await.json();
    let reads = reads["entries"].as_array().unwrap();
    assert_eq!(reads.len(), 2, "one for each memory that was shown");
    for read in reads {
        assert_eq!(
            (&read["operation"], &read["source"]["actor_id"]),
            (&json!("recall"), &json!("bob"))
        );
        assert!(
            read["source"]["principal"]
                .as_str()
                .unwrap()
                .starts_with("key:")
        );
    }
    let first = desk
        .get(alice, "/api/spaces/team/audit?limit=1")
        .await
        .json();
    let next = first["next_cursor"].as_str().unwrap();
    let rest = desk
        .get(
            alice,
            &format!("/api/spaces/team/audit?limit=1&cursor={next}"),
        )
        .await
        .json();
    assert_ne!(
        first["entries"][0]["memory_id"],
        rest["entries"][0]["memory_id"]
    );
    assert_eq!(
        desk.get(alice, "/api/spaces/team/audit?cursor=x")
            .await
            .status,
        400
    );

    let id = note["id"].as_str().unwrap();
    let changes = desk
        .get(
            alice,
            &format!("/api/spaces/team/audit?of=changes&memory_id={id}"),
        )
        .await
        .json();
    let said: Vec<_> = changes["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["operation"].as_str().unwrap(),
                one["source"]["actor_id"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(said, [("remembered", "bob"), ("revised", "alice")]);
    let all = desk
        .get(alice, "/api/spaces/team/audit?of=changes")
        .await
        .json();
    assert_eq!(all["entries"].as_array().unwrap().len(), 4);
    assert!(
        !all.to_string().contains("cassowary"),
        "an audit has no words"
    );
    let elsewhere = desk
        .get(
            alice,
            &format!("/api/spaces/personal:alice/audit?of=changes&memory_id={id}"),
        )
        .await;
    assert_eq!(
        (elsewhere.status, elsewhere.code().as_str()),
        (404, "memory_not_found")
    );

    let review = desk.get(&exporter, "/api/spaces/team/review").await.json();
    assert_eq!(
        (&review["live"], &review["forgotten"]),
        (&json!(1), &json!(1))
    );
    let sources = review["sources"].as_array().unwrap();
    let of = |actor: &str| sources.iter().find(|one| one["actor_id"] == actor).unwrap();
    let counts = |source: &Value| {
        ["remembered", "live", "changed_last"].map(|name| source[name].as_u64().unwrap())
    };
    assert_eq!(
        (counts(of("bob")), &of("bob")["agent_label"]),
        ([1, 1, 0], &json!("codex"))
    );
    assert_eq!(counts(of("alice")), [1, 0, 2]);
    assert_eq!(
        sources[0]["actor_id"], "alice",
        "who wrote last stands first"
    );
}
