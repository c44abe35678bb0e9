//! A caller of `deedbox mcp`, which speaks MCP over its standard input and output, one message a line.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::deedbox::Server;
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);

/// A running `deedbox mcp`. Dropping it kills it.
#[derive(Debug)]
pub struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
}

impl Pipe {
    /// Starts `deedbox mcp` on the data of `server` with this key.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn start(server: &Server, key: &str) -> Result<Self> {
        let mut command: Command = server.command(&["mcp"])?;
        let mut child = command
            .env("DEEDBOX_KEY", key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("no output")?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            input: child.stdin.take(),
            child,
            lines,
        })
    }

    /// Writes one line.
    ///
    /// # Errors
    /// When the program has ended.
    pub fn write(&mut self, line: &str) -> Result<()> {
        let input = self.input.as_mut().context("the input was closed")?;
        writeln!(input, "{line}")?;
        Ok(input.flush()?)
    }

    /// Reads the next message.
    ///
    /// # Errors
    /// When the program ends, says nothing for half a minute, or writes something that is not JSON.
    pub fn read(&mut self) -> Result<Value> {
        let line = self
            .lines
            .recv_timeout(PATIENCE)
            .context("`deedbox mcp` said nothing")?;
        serde_json::from_str(&line).with_context(|| format!("not a message: {line:?}"))
    }

    /// Sends a request and returns the answer that has its id; what comes in between is dropped.
    ///
    /// # Errors
    /// As [`Pipe::read`].
    pub fn ask(&mut self, message: &Value) -> Result<Value> {
        self.write(&message.to_string())?;
        loop {
            let answer = self.read()?;
            if answer["id"] == message["id"] {
                return Ok(answer);
            }
            ensure!(answer["id"].is_null(), "an answer to nothing: {answer}");
        }
    }

    /// Closes the input and waits for the program to end by itself.
    ///
    /// # Errors
    /// When it writes something more, or does not end in half a minute.
    pub fn close(mut self) -> Result<ExitStatus> {
        self.input = None;
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => anyhow::bail!("one more line after the end of input: {line:?}"),
            Err(mpsc::RecvTimeoutError::Timeout) => anyhow::bail!("`deedbox mcp` did not end"),
            Err(mpsc::RecvTimeoutError::Disconnected) => Ok(self.child.wait()?),
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
