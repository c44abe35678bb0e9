//! A server that is a command: one message a line.

use std::{process::Stdio as Pipes, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::{MOST_BYTES, NoList, request};
use crate::settings::environment::LINT_VARIABLE;

/// How long a server may take to end when its input does.
const GRACE: Duration = Duration::from_secs(2);

/// A server that was started. It is killed when this is dropped.
pub(super) struct Stdio {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What was read of a line whose end has not come yet: reading may be broken off at any time.
    line: Vec<u8>,
    next: u64,
}

impl Stdio {
    /// Starts a program. What it writes to standard error is shown as it comes.
    pub(super) fn start(command: &[String]) -> Result<Self, NoList> {
        let missing = || NoList::Start(std::io::ErrorKind::NotFound.into());
        let (program, arguments) = command.split_first().ok_or_else(missing)?;
        let mut child = Command::new(program)
            .args(arguments)
            // It is meant for servers that are reached by URL.
            .env_remove(LINT_VARIABLE)
            .stdin(Pipes::piped())
            .stdout(Pipes::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(NoList::Start)?;
        let input = child.stdin.take().ok_or(NoList::Ended)?;
        let output = child.stdout.take().ok_or(NoList::Ended)?;
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
            line: Vec::new(),
            next: 1,
        })
    }

    pub(super) async fn send(&mut self, message: &Value) -> Result<(), NoList> {
        let line = format!("{message}\n");
        let written = async {
            self.input.write_all(line.as_bytes()).await?;
            self.input.flush().await
        };
        written.await.map_err(|_| NoList::Ended)
    }

    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, NoList> {
        let id = self.next;
        self.next = id.saturating_add(1);
        self.send(&request(id, method, params)).await?;
        loop {
            let line = self.line().await?;
            // A line of something else than the protocol is passed over, as are notifications and late answers.
            let message: Option<Value> = serde_json::from_slice(&line).ok();
            if let Some(message) = message.filter(|message| message["id"] == id) {
                return Ok(message);
            }
        }
    }

    async fn line(&mut self) -> Result<Vec<u8>, NoList> {
        loop {
            let available = self.output.fill_buf().await.map_err(|_| NoList::Ended)?;
            if available.is_empty() {
                return Err(NoList::Ended);
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            if self.line.len() + taken > MOST_BYTES {
                return Err(NoList::TooLarge);
            }
            self.line.extend_from_slice(&available[..taken]);
            self.output.consume(taken);
            if newline.is_some() {
                return Ok(std::mem::take(&mut self.line));
            }
        }
    }

    /// Closes its input and gives it a moment to end by itself.
    pub(super) async fn close(self) {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        if timeout(GRACE, child.wait()).await.is_err() {
            drop(child.kill().await);
        }
    }
}
