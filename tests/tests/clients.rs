//! Other people's clients take a task through its whole life: the official TypeScript and Python SDKs, over
//! Streamable HTTP and over stdio, in both of the protocol's eras.

use std::process::Command;

use anyhow::{Result, ensure};
use deedbox_neighbours::{deedbox::Server, tools};

/// A server that knows alice and bob, and a key that acts only as bob.
fn server() -> Result<(Server, String)> {
    let server = Server::start()?;
    for actor in ["alice", "bob"] {
        server.cli_json(&["actor", "add", actor, "--kind", "human"])?;
    }
    let key = server.cli_json(&["key", "new", "--actor", "bob"])?;
    let key = key["key"].as_str().unwrap_or_default().to_owned();
    Ok((server, key))
}

/// Runs a client's script; it fails when anything was not as the protocol says.
fn run(mut client: Command, args: &[&str]) -> Result<()> {
    let (server, bob) = server()?;
    let program = server.command(&["mcp"])?;
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => client.env(name, value),
            None => client.env_remove(name),
        };
    }
    client
        .args(args)
        .env("DEEDBOX_MCP_URL", format!("{}/mcp", server.url()))
        .env("DEEDBOX_PROGRAM", program.get_program())
        .env("DEEDBOX_KEY", server.operator_key()?)
        .env("BOB_KEY", bob);
    let output = client.output()?;
    ensure!(
        output.status.success(),
        "{args:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(
        !complaints.contains("unknown format"),
        "a schema with a format of our own: {complaints}"
    );
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        said.contains("a whole life"),
        "{args:?} ended early: {said}"
    );
    Ok(())
}

#[test]
fn the_typescript_client_lives_a_whole_life_over_http() -> Result<()> {
    run(tools::node_command()?, &["life.mjs", "http"])
}

#[test]
fn the_typescript_client_lives_a_whole_life_over_stdio() -> Result<()> {
    run(tools::node_command()?, &["life.mjs", "stdio"])
}

#[test]
fn the_python_client_lives_a_whole_life_over_http_in_every_era() -> Result<()> {
    for era in ["legacy", "auto", "2026-07-28"] {
        run(tools::python_command()?, &["life.py", "http", era])?;
    }
    Ok(())
}

#[test]
fn the_python_client_lives_a_whole_life_over_stdio_in_every_era() -> Result<()> {
    for era in ["legacy", "auto", "2026-07-28"] {
        run(tools::python_command()?, &["life.py", "stdio", era])?;
    }
    Ok(())
}
