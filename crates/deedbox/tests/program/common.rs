//! The built program, run in a home of its own.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take before a test gives up on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A home directory that is deleted with the test.
pub(crate) struct Home {
    folder: TempDir,
}

/// What a command did.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|e| panic!("{e}: {}\n{}", self.out, self.err))
    }

    /// The error: the last line of standard error, as JSON. Log lines may stand before it.
    pub(crate) fn error(&self) -> Value {
        let last = self.err.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {}", self.err))
    }

    /// Itself, if it ended with this code.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "out: {}\nerr: {}", self.out, self.err);
        self
    }
}

impl Home {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where the embedded database is unless told otherwise.
    pub(crate) fn database(&self) -> PathBuf {
        self.path().join(".local/share/deedbox/deedbox.sqlite")
    }

    /// The program with these arguments, and nothing of the surroundings of whoever runs the test.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deedbox"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path())
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        self.run_with(arguments, &[], "")
    }

    pub(crate) fn run_with(
        &self,
        arguments: &[&str],
        variables: &[(&str, &str)],
        input: &str,
    ) -> Done {
        let mut child = self
            .command(arguments)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input may have ended already.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        Done {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a command that must succeed, with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.run(&[arguments, &["--json"]].concat())
            .expect(0)
            .json()
    }

    /// Starts `serve` on a free port and waits until it is ready.
    pub(crate) fn serve(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Serving {
        let anywhere: &[&str] = if arguments.contains(&"--listen") {
            &["serve"]
        } else {
            &["serve", "--listen", "127.0.0.1:0"]
        };
        let arguments = [anywhere, arguments].concat();
        let mut child = self
            .command(&arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = lines(child.stdout.take().unwrap());
        let err = lines(child.stderr.take().unwrap());
        let mut serving = Serving {
            child,
            out,
            err,
            greeting: String::new(),
            log: String::new(),
            address: String::new(),
        };
        serving.await_ready();
        serving
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    receive
}

/// A running server; it is killed when the test ends.
pub(crate) struct Serving {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
    pub(crate) greeting: String,
    pub(crate) log: String,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
}

impl Serving {
    fn await_ready(&mut self) {
        loop {
            let Ok(line) = self.out.recv_timeout(PATIENCE) else {
                let log: Vec<String> = self.err.try_iter().collect();
                panic!("not ready: {}\n{}", self.greeting, log.join("\n"));
            };
            self.greeting.push_str(&line);
            self.greeting.push('\n');
            if let Some(address) = line.strip_prefix("Listening on http://") {
                address.clone_into(&mut self.address);
                return;
            }
        }
    }

    /// The operator key that was shown, if one was.
    pub(crate) fn key(&self) -> Option<&str> {
        self.greeting
            .lines()
            .find_map(|line| line.strip_prefix("Operator key (shown once): "))
    }

    /// Waits for a log line that holds `text`.
    pub(crate) fn await_log(&mut self, text: &str) {
        while !self.log.contains(text) {
            match self.err.recv_timeout(PATIENCE) {
                Ok(line) => self.log.push_str(&(line + "\n")),
                Err(error) => panic!("no {text:?} in the log ({error}): {}", self.log),
            }
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &pid])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Waits for the end, and returns how it ended. The log is complete then.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.log.extend(self.err.iter().map(|line| line + "\n"));
                return status;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "it does not end: {}",
                self.log
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// One HTTP request on a connection of its own. Returns the status and the body.
    pub(crate) fn request(&self, head: &str, key: Option<&str>, body: &str) -> (u16, String) {
        http(&self.address, head, key, body)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A request's head, up to the empty line.
pub(crate) fn head(
    address: &str,
    line: &str,
    key: Option<&str>,
    length: usize,
    more: &str,
) -> String {
    let authorization = key.map_or_else(String::new, |key| {
        format!("Authorization: Bearer {key}\r\n")
    });
    format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\n{authorization}Content-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n{more}\r\n"
    )
}

/// One HTTP request on a connection of its own. Returns the status and the body.
pub(crate) fn http(address: &str, line: &str, key: Option<&str>, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = head(address, line, key, body.len(), "");
    stream
        .write_all(format!("{head}{body}").as_bytes())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_owned())
}

/// Ids, keys, times and folders replaced, so that a text can be compared.
pub(crate) fn redacted(text: &str, home: &Home) -> String {
    let mut shown = text.replace(&home.path().display().to_string(), "HOME");
    for (from, to) in [
        (uuid_at as fn(&str) -> Option<usize>, "TASK"),
        (moment_at, "MOMENT"),
        (key_at, "KEY"),
    ] {
        let mut rest = shown.as_str();
        let mut done = String::new();
        while let Some(first) = rest.chars().next() {
            if let Some(length) = from(rest) {
                done.push_str(to);
                rest = &rest[length..];
            } else {
                done.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        shown = done;
    }
    shown
}

fn shaped(text: &str, shape: &str) -> Option<usize> {
    let fits = text.len() >= shape.len()
        && text
            .bytes()
            .zip(shape.bytes())
            .all(|(byte, want)| match want {
                b'x' => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
                b'9' => byte.is_ascii_digit(),
                other => byte == other,
            });
    fits.then_some(shape.len())
}

fn uuid_at(text: &str) -> Option<usize> {
    shaped(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
}

fn moment_at(text: &str) -> Option<usize> {
    shaped(text, "9999-99-99 99:99:99Z")
}

fn key_at(text: &str) -> Option<usize> {
    let length = 4 + 16 + 1 + 59;
    (text.starts_with("dbx_") && text.len() >= length).then_some(length)
}
