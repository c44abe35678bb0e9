//! The MCP conformance suite against `/mcp`, with a strict list of the failures that are expected: a failure that
//! is not listed fails this test, and so does a listed scenario that passes.

use std::{collections::BTreeMap, fs};

use anyhow::{Result, ensure};
use deedbox_neighbours::{deedbox::Server, tools};
use deedbox_tests::proxy::Proxy;

const LIST: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/conformance/expected-failures.yml"
);

/// The listed scenarios with their reasons: each line is `  - name # reason`.
fn listed() -> Result<BTreeMap<String, String>> {
    let mut listed = BTreeMap::new();
    for line in fs::read_to_string(LIST)?.lines() {
        if let Some(entry) = line.trim().strip_prefix("- ") {
            let (name, reason) = entry.split_once('#').unwrap_or((entry, ""));
            listed.insert(name.trim().to_owned(), reason.trim().to_owned());
        }
    }
    Ok(listed)
}

#[test]
fn every_expected_failure_has_its_reason() -> Result<()> {
    for (name, reason) in listed()? {
        ensure!(
            reason.len() > 10,
            "{name} is expected to fail, and nobody says why"
        );
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_conformance_suite_fails_only_where_it_is_listed() -> Result<()> {
    let server = Server::start()?;
    // The suite cannot send a credential.
    let proxy = Proxy::start(server.url(), server.operator_key()?).await?;
    let results = tempfile::tempdir()?;
    let mut suite = tools::conformance_command()?;
    suite
        .args(["server", "--suite", "all", "--expected-failures", LIST])
        .args(["--url", &format!("{}/mcp", proxy.url())])
        .arg("--output-dir")
        .arg(results.path());
    let output = tokio::task::spawn_blocking(move || suite.output()).await??;
    let said = format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    ensure!(output.status.success(), "{said}");
    // It did run: every scenario has left its checks, and some of them are not on the list.
    let scenarios = fs::read_dir(results.path())?.count();
    let expected = listed()?.len();
    println!("{scenarios} scenarios, {expected} of them expected to fail");
    ensure!(
        scenarios > expected && scenarios >= 30,
        "only {scenarios} scenarios: {said}"
    );
    Ok(())
}
