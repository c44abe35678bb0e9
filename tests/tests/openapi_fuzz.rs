//! The running server against its own OpenAPI document: whatever the document allows is answered as it says,
//! and whatever it forbids is refused, never with a server error.

use anyhow::{Result, ensure};
use deedbox_neighbours::{deedbox::Server, tools};
use deedbox_tests::Random;

#[test]
fn the_server_answers_as_its_openapi_document_says() -> Result<()> {
    let server = Server::start()?;
    for actor in ["alice", "bob"] {
        server.cli_json(&["actor", "add", actor, "--kind", "agent"])?;
    }
    let seed = Random::seeded().below(u64::from(u32::MAX));
    let mut fuzzer = tools::venv_command("schemathesis")?;
    let output = fuzzer
        .args(["run", "--seed", &seed.to_string(), "--max-examples", "60"])
        .args(["--phases", "examples,coverage,fuzzing,stateful"])
        .args([
            "--checks",
            "all",
            "--no-color",
            "--generation-database",
            ":memory:",
        ])
        .args(["--request-timeout", "10", "--workers", "1"])
        .args([
            "--header",
            &format!("Authorization: Bearer {}", server.operator_key()?),
        ])
        .arg(format!("{}/openapi.json", server.url()))
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "schemathesis, seed {seed}: {}\n{said}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    ensure!(said.contains("passed"), "it tested nothing:\n{said}");
    deedbox_tests::site::check_ledger(&server)
}
