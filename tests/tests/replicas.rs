//! Three servers on one PostgreSQL database are one server.

use anyhow::Result;
use deedbox_tests::{Backend, Client, Site, Speaks};
use serde_json::{Value, json};

/// Three at once on an empty database: migrations do not collide, and one operator key comes of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_replicas_that_start_at_once_make_one_operator_key() -> Result<()> {
    for _ in 0..5 {
        let site = Site::start(Backend::Replicas)?;
        let keys = site.servers()[1].cli_json(&["key", "list"])?;
        let keys = keys
            .as_array()
            .or_else(|| keys["keys"].as_array())
            .cloned()
            .unwrap_or_default();
        assert_eq!(keys.len(), 1, "{keys:?}");
        // The one key opens every replica.
        for server in site.servers() {
            let mut client = Client::open(server.url(), &site.key, Speaks::Rest).await?;
            let page = client
                .call("list_unaccepted_tasks", json!({}))
                .await?
                .ok()?;
            assert_eq!(page, json!({"tasks": [], "nextCursor": null}));
        }
        site.check_ledger()?;
    }
    Ok(())
}

/// What one replica has acknowledged, every other knows at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_replica_acknowledged_every_other_shows() -> Result<()> {
    let site = Site::start(Backend::Replicas)?;
    site.add_actors(&["alice", "bob"])?;
    let mut clients = Vec::new();
    for server in site.servers() {
        clients.push(Client::open(server.url(), &site.key, Speaks::Stateless).await?);
    }
    for _ in 0..30 {
        let task = clients[0].create("alice").await?;
        assert_eq!(clients[1].accept(&task, "alice").await?.status, 201);
        assert_eq!(
            clients[2].accept(&task, "bob").await?.code(),
            "already_owned"
        );
        assert_eq!(
            clients[2]
                .complete(&task, "alice", "reported", None)
                .await?
                .status,
            201
        );
        assert_eq!(clients[0].handoff(&task, "alice", "bob").await?.status, 201);
        assert_eq!(clients[1].accept(&task, "bob").await?.status, 201);
        let mut seen: Vec<Value> = Vec::new();
        for client in &mut clients {
            seen.push(client.status(&task).await?);
        }
        assert_eq!(seen[0]["acceptances"].as_array().map(Vec::len), Some(2));
        assert!(seen.iter().all(|status| *status == seen[0]), "{seen:#?}");
    }
    Ok(())
}

/// A key that is revoked through one replica is refused by all from then on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_key_is_refused_by_every_replica() -> Result<()> {
    let site = Site::start(Backend::Replicas)?;
    site.add_actors(&["alice"])?;
    let made = site.servers()[0].cli_json(&["key", "new", "--actor", "alice"])?;
    let (key, id) = (made["key"].as_str().unwrap(), made["id"].as_str().unwrap());
    for server in site.servers() {
        let mut client = Client::open(server.url(), key, Speaks::Rest).await?;
        assert_eq!(
            client
                .call("list_unaccepted_tasks", json!({}))
                .await?
                .status,
            200
        );
    }
    site.servers()[1].cli_json(&["key", "revoke", id])?;
    for server in site.servers() {
        let mut client = Client::open(server.url(), key, Speaks::Rest).await?;
        let answer = client.call("list_unaccepted_tasks", json!({})).await?;
        assert_eq!((answer.status, answer.code()), (401, "unauthenticated"));
    }
    Ok(())
}
