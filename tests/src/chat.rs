//! Chats of agents: each is a process of its own that runs an official SDK's client, makes a few calls and ends.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::{deedbox::Server, tools};
use serde::Deserialize;
use serde_json::{Value, json};

/// Which SDK's client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sdk {
    /// The TypeScript one, with a handshake.
    TypeScript,
    /// The Python one, in this era: `legacy`, `auto` or `2026-07-28`.
    Python(&'static str),
}

/// An agent that holds chats.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'a> {
    /// Through which client.
    pub sdk: Sdk,
    /// Through which transport: `http` or `stdio`.
    pub how: &'static str,
    /// Its key.
    pub key: &'a str,
    /// What it calls itself, and which installation it says that it is.
    pub labels: Option<(&'a str, &'a str)>,
}

/// What a call came to.
#[derive(Clone, Debug, Deserialize)]
pub struct Said {
    /// What programs read.
    pub value: Value,
    /// What a model reads.
    pub text: String,
    /// Whether it was refused.
    pub refused: bool,
}

/// Gives a client what it needs to reach `server` over either transport.
///
/// # Errors
/// When the program is not built.
pub fn reaches(client: &mut Command, server: &Server) -> Result<()> {
    let program = server.command(&["mcp"])?;
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => client.env(name, value),
            None => client.env_remove(name),
        };
    }
    client
        .env("DEEDBOX_MCP_URL", format!("{}/mcp", server.url()))
        .env("DEEDBOX_PROGRAM", program.get_program());
    Ok(())
}

impl Agent<'_> {
    /// One chat: a new process, a new session, these calls in their order. What the client and, over stdio, the server logged
    /// comes with it.
    ///
    /// # Errors
    /// When the client fails. A refusal is not an error.
    pub fn chat(&self, server: &Server, calls: &[(&str, Value)]) -> Result<(Vec<Said>, String)> {
        let calls: Vec<Value> = calls.iter().map(|call| json!(call)).collect();
        let calls = Value::from(calls).to_string();
        let mut client = match self.sdk {
            Sdk::TypeScript => tools::node_command()?,
            Sdk::Python(_) => tools::python_command()?,
        };
        reaches(&mut client, server)?;
        match self.sdk {
            Sdk::TypeScript => client.args(["chat.mjs", self.how, &calls]),
            Sdk::Python(era) => client.args(["chat.py", self.how, &calls, era]),
        };
        client.env("DEEDBOX_KEY", self.key);
        if let Some((agent, instance)) = self.labels {
            client
                .env("CHAT_AGENT", agent)
                .env("CHAT_INSTANCE", instance);
        }
        let output = client.output()?;
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(
            output.status.success(),
            "{self:?}: {}\n{complaints}",
            output.status
        );
        let said = serde_json::from_slice(&output.stdout).context("no list of answers")?;
        Ok((said, complaints))
    }

    /// A chat with one call that is not refused: what programs and what a model reads.
    ///
    /// # Errors
    /// When the client fails, or the call is refused.
    pub fn asks(&self, server: &Server, tool: &str, arguments: Value) -> Result<(Value, String)> {
        let (mut said, _) = self.chat(server, &[(tool, arguments)])?;
        let said = said.pop().context("no answer")?;
        ensure!(!said.refused, "{tool}: {}", said.text);
        Ok((said.value, said.text))
    }
}
