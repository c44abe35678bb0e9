//! The running server against its own OpenAPI document: whatever the document allows is answered as it says,
//! and whatever it forbids is refused, never with a server error.

use std::fs;

use anyhow::{Result, ensure};
use deedbox_neighbours::{deedbox::Server, tools};
use deedbox_tests::{Client, Random, Speaks, site::check_ledger};

/// The actor whose id is the first text that the fuzzer thinks of.
const ACTOR: &str = "0";

/// A body may be over the limit before anybody has looked at what is in it: that is a rejection too.
const REJECTIONS: &str =
    "expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]";

/// Tasks in each state, so that calls get past "not found".
async fn tasks(server: &Server) -> Result<Vec<String>> {
    let mut client = Client::open(server.url(), server.operator_key()?, Speaks::Rest).await?;
    let mut tasks = Vec::new();
    for steps in 0..4 {
        let task = client.create(ACTOR).await?;
        if steps > 0 {
            client.accept(&task, ACTOR).await?.ok()?;
        }
        if steps > 1 {
            client
                .complete(&task, ACTOR, "reviewed", Some("ci/1"))
                .await?
                .ok()?;
        }
        if steps > 2 {
            client.handoff(&task, ACTOR, ACTOR).await?.ok()?;
        }
        tasks.push(format!("{task:?}"));
    }
    Ok(tasks)
}

/// All of its checks but one. The document cannot say everything that is asked of a good request: that a cursor is the
/// one that was given out, that a text holds no NUL. So a request that fits it may still be refused.
#[tokio::test]
async fn the_server_answers_as_its_openapi_document_says() -> Result<()> {
    let server = Server::start()?;
    server.cli_json(&["actor", "add", ACTOR, "--kind", "agent"])?;
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("schemathesis.toml");
    let ids = tasks(&server).await?.join(", ");
    let text = format!(
        "[parameters]\n\"path.taskId\" = [{ids}]\n[checks.negative_data_rejection]\n{REJECTIONS}\n"
    );
    fs::write(&config, text)?;

    let seed = Random::seeded().below(u64::from(u32::MAX));
    let key = server.operator_key()?;
    let mut fuzzer = tools::venv_command("schemathesis")?;
    let output = fuzzer
        .arg("--config-file")
        .arg(config)
        .args(["run", "--seed", &seed.to_string(), "--max-examples", "30"])
        .args(["--phases", "coverage,fuzzing,stateful", "--checks", "all"])
        .args(["--exclude-checks", "positive_data_acceptance"])
        .args(["--generation-database", ":memory:", "--no-color"])
        .args(["--request-timeout", "20", "--workers", "1"])
        // The document offers two headers for one credential, and the fuzzer fills in what is missing.
        .args(["--header", &format!("Authorization: Bearer {key}")])
        .args(["--header", &format!("X-API-Key: {key}")])
        .arg(format!("{}/openapi.json", server.url()))
        .current_dir(folder.path())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "schemathesis, seed {seed}: {}\n{said}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    // It reached the operations, and what it wrote is sound.
    let mut client = Client::open(server.url(), key, Speaks::Rest).await?;
    let page = client
        .call("list_unaccepted_tasks", serde_json::json!({"limit": 1000}))
        .await?
        .ok()?;
    let made = page["tasks"].as_array().map_or(0, Vec::len);
    ensure!(made > 5, "it made only {made} tasks:\n{said}");
    check_ledger(&server)
}
