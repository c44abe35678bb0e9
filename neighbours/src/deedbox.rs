//! The built `deedbox` program, started as a user would start it.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{printed::Lines, process};

/// Names the program to test. `cargo xtask test` sets it.
pub const BINARY: &str = "DEEDBOX_BIN";

const READY: Duration = Duration::from_secs(60);
const STOP: Duration = Duration::from_secs(60);
const SHOWN_LINES: usize = 200;

/// The program to test: what [`BINARY`] names, else `deedbox` in the target folder that the running test is in.
///
/// # Errors
/// When it was not built.
pub fn binary() -> Result<PathBuf> {
    let path = if let Some(path) = env::var_os(BINARY) {
        PathBuf::from(path)
    } else {
        let test = env::current_exe()?;
        let folders = test.ancestors().skip(1).take(2);
        folders
            .map(|folder| folder.join("deedbox"))
            .find(|path| path.is_file())
            .context(
                "`deedbox` is not built: run `cargo build -p deedbox`, or `cargo xtask test`",
            )?
    };
    ensure!(path.is_file(), "{BINARY}: {} is no file", path.display());
    Ok(path)
}

/// How to start a server. Every setting that a person's own machine may carry (environment, configuration in
/// the home or working directory) is kept away from it.
#[derive(Debug)]
pub struct Builder {
    data_dir: Option<PathBuf>,
    database_url: Option<String>,
    operator_key: Option<String>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    listen: String,
    quiet: bool,
}

impl Builder {
    /// Keeps its data in `path` instead of a folder of its own that goes when the server is dropped.
    #[must_use]
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(path.into());
        self
    }

    /// Keeps its data in the database that `url` names, not in SQLite.
    #[must_use]
    pub fn database_url(mut self, url: impl Into<String>) -> Self {
        self.database_url = Some(url.into());
        self
    }

    /// The operator key, for a server whose data an earlier one made: only the first run shows it.
    #[must_use]
    pub fn operator_key(mut self, key: impl Into<String>) -> Self {
        self.operator_key = Some(key.into());
        self
    }

    /// One more argument for `deedbox serve`.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// One more environment variable, for `serve` and for every command of [`Server::cli`].
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Listens on `address` instead of a free loopback port.
    #[must_use]
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.listen = address.into();
        self
    }

    /// Does not show the server's output when it is dropped, as tests want it; for benchmarks.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// Starts the server and returns when it takes requests.
    ///
    /// # Errors
    /// When the program is not built, ends, or is not ready in a minute; with what it printed.
    pub fn start(self) -> Result<Server> {
        let place = Place::new(self.data_dir, self.database_url, self.env)?;
        let mut server = Server {
            place,
            args: self.args,
            listen: self.listen,
            quiet: self.quiet,
            running: None,
            lines: Arc::default(),
            url: String::new(),
            operator_key: self.operator_key,
        };
        server.restart()?;
        Ok(server)
    }
}

/// A running `deedbox serve`. Dropping it kills it and shows what it printed, which a test runner shows
/// in turn when the test fails.
#[derive(Debug)]
pub struct Server {
    running: Option<Running>,
    lines: Arc<Lines>,
    place: Place,
    args: Vec<String>,
    listen: String,
    quiet: bool,
    url: String,
    operator_key: Option<String>,
}

impl Server {
    /// A server with an empty database of its own on a free loopback port, unless told otherwise.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            data_dir: None,
            database_url: None,
            operator_key: None,
            args: Vec::new(),
            env: Vec::new(),
            listen: "127.0.0.1:0".to_owned(),
            quiet: false,
        }
    }

    /// Starts a server with an empty SQLite database.
    ///
    /// # Errors
    /// As [`Builder::start`].
    pub fn start() -> Result<Self> {
        Self::builder().start()
    }

    /// `http://127.0.0.1:PORT`, without a slash at its end. A restart may change the port.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The operator key that the first run showed.
    ///
    /// # Errors
    /// When this server did not show one, since its database had been set up before.
    pub fn operator_key(&self) -> Result<&str> {
        self.operator_key
            .as_deref()
            .context("this server showed no operator key: its database was set up before")
    }

    /// The folder that it keeps its data in; with a database URL, only its other files.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        &self.place.data_dir
    }

    /// The process id, for as long as it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.child.id())
    }

    /// Everything that the present run, or the last one, has printed so far.
    #[must_use]
    pub fn transcript(&self) -> String {
        self.lines.text()
    }

    /// `deedbox ARGS` with this server's settings and data, ready to be run; for `deedbox mcp` and the like.
    ///
    /// # Errors
    /// When the program is not built.
    pub fn command(&self, args: &[&str]) -> Result<Command> {
        let mut command = Command::new(binary()?);
        self.place.apply(&mut command);
        command.args(args);
        Ok(command)
    }

    /// Runs `deedbox ARGS` with this server's settings and data, to its end.
    ///
    /// # Errors
    /// When it cannot be run. That it failed is in the output's status.
    pub fn cli(&self, args: &[&str]) -> Result<Output> {
        let mut command = self.command(args)?;
        command.stdin(Stdio::null());
        command.output().context("`deedbox` could not be run")
    }

    /// Runs `deedbox ARGS --json` and returns what it printed.
    ///
    /// # Errors
    /// When it fails, or prints something other than one JSON value.
    pub fn cli_json(&self, args: &[&str]) -> Result<serde_json::Value> {
        let output = self.cli(&[args, &["--json"]].concat())?;
        ensure!(
            output.status.success(),
            "deedbox {}: {}\n{}{}",
            args.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Kills the server at once, as a crash of its machine's kernel would end it. [`Server::restart`] brings it back.
    ///
    /// # Errors
    /// When it does not run, or had ended by itself before.
    pub fn kill9(&mut self) -> Result<()> {
        let mut running = self.take_running()?;
        if let Some(status) = running.child.try_wait()? {
            bail!(
                "deedbox had ended by itself: {status}\n{}",
                running.lines.text()
            );
        }
        running.child.kill()?;
        running.child.wait()?;
        Ok(())
    }

    /// Asks the server to stop (SIGTERM) and waits for its end.
    ///
    /// # Errors
    /// When it does not run, or does not end in a minute; then it is killed.
    pub fn terminate(&mut self) -> Result<ExitStatus> {
        self.signal_term()?;
        self.wait(STOP)
    }

    /// Asks the server to stop (SIGTERM) and returns at once.
    ///
    /// # Errors
    /// When it does not run.
    pub fn signal_term(&self) -> Result<()> {
        let pid = self.pid().context("deedbox does not run")?;
        let pid = Pid::from_raw(i32::try_from(pid)?).context("no process id")?;
        Ok(kill_process(pid, Signal::TERM)?)
    }

    /// Waits for the server's end.
    ///
    /// # Errors
    /// When it does not run, or does not end within `limit`; then it is killed.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        let mut running = self.take_running()?;
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = running.child.try_wait()? {
                running.lines.wait_for_end(Duration::from_secs(5));
                return Ok(status);
            }
            if Instant::now() > end {
                bail!("deedbox did not end in {limit:?}\n{}", running.lines.text());
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Starts the server again with the same settings and data; kills it first when it still runs.
    ///
    /// # Errors
    /// As [`Builder::start`].
    pub fn restart(&mut self) -> Result<()> {
        self.running = None;
        let mut command = process::tethered(binary()?);
        self.place.apply(&mut command);
        command
            .args(["serve", "--listen", &self.listen])
            .args(&self.args);
        let running = Running::start(command)?;
        self.lines = Arc::clone(&running.lines);
        let ready = running.wait_for("Listening on ");
        self.running = Some(running);
        self.url = ready?.trim_end_matches('/').to_owned();
        if self.operator_key.is_none() {
            self.operator_key = self.find_operator_key();
        }
        Ok(())
    }

    /// The key's line stands before the one that says ready, so there is nothing to wait for.
    fn find_operator_key(&self) -> Option<String> {
        let line = self.lines.wait("Operator key", Duration::ZERO)?;
        line.split_whitespace()
            .find(|word| word.starts_with("dbx_"))
            .map(str::to_owned)
    }

    fn take_running(&mut self) -> Result<Running> {
        self.running.take().context("deedbox does not run")
    }
}

impl Drop for Server {
    #[expect(
        clippy::print_stderr,
        reason = "a failed test's reader needs what the server said"
    )]
    fn drop(&mut self) {
        self.running = None;
        if !self.quiet {
            let text = self.lines.text();
            let lines: Vec<&str> = text.lines().collect();
            let from = lines.len().saturating_sub(SHOWN_LINES);
            eprintln!("--- deedbox at {} printed:", self.url);
            eprintln!("{}\n---", lines[from..].join("\n"));
        }
    }
}

/// Where a program runs: its data, and the variables that say so.
#[derive(Debug)]
struct Place {
    data_dir: PathBuf,
    database_url: Option<String>,
    env: Vec<(String, String)>,
    /// Home and working directory, empty at first.
    home: TempDir,
}

impl Place {
    fn new(
        data_dir: Option<PathBuf>,
        database_url: Option<String>,
        env: Vec<(String, String)>,
    ) -> Result<Self> {
        let home = tempfile::Builder::new().prefix("deedbox-test-").tempdir()?;
        Ok(Self {
            data_dir: data_dir.unwrap_or_else(|| home.path().join("data")),
            database_url,
            env,
            home,
        })
    }

    fn apply(&self, command: &mut Command) {
        without_settings(command);
        let home = self.home.path();
        command
            .current_dir(home)
            .env("HOME", home)
            .env("DEEDBOX_DATA_DIR", &self.data_dir);
        if let Some(url) = &self.database_url {
            command.env("DEEDBOX_DATABASE_URL", url);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
    }
}

/// Takes away every variable of this environment that `deedbox` would read as a setting.
pub fn without_settings(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let ours = ["DEEDBOX_", "OTEL_", "XDG_", "MCP_"]
            .iter()
            .any(|prefix| text.starts_with(prefix));
        if ours || text == "DATABASE_URL" || text == "RUST_LOG" {
            command.env_remove(&name);
        }
    }
    command.env("NO_COLOR", "1");
}

#[derive(Debug)]
struct Running {
    child: Child,
    lines: Arc<Lines>,
}

impl Running {
    fn start(mut command: Command) -> Result<Self> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = process::spawn(command).context("`deedbox serve` could not be run")?;
        let lines = Arc::new(Lines::default());
        if let Some(stdout) = child.stdout.take() {
            lines.drain(stdout);
        }
        if let Some(stderr) = child.stderr.take() {
            lines.drain(stderr);
        }
        Ok(Self { child, lines })
    }

    /// The rest of the first line that starts with `start`.
    fn wait_for(&self, start: &str) -> Result<String> {
        let line = self.lines.wait(start, READY);
        let line = line.ok_or_else(|| {
            let text = self.lines.text();
            anyhow!("`deedbox serve` never printed {start:?}; it printed:\n{text}")
        })?;
        Ok(line[start.len()..].trim().to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn place() -> Place {
        Place::new(None, None, vec![("SETTING".to_owned(), "1".to_owned())]).unwrap()
    }

    #[test]
    fn a_settings_variable_of_this_machine_is_kept_away() {
        let mut command = Command::new("true");
        place().apply(&mut command);
        let given: Vec<_> = command
            .get_envs()
            .filter(|(_, value)| value.is_some())
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect();
        for name in ["HOME", "DEEDBOX_DATA_DIR", "SETTING"] {
            assert!(
                given.iter().any(|given| given == name),
                "{name} in {given:?}"
            );
        }
        assert!(!given.iter().any(|name| name == "DEEDBOX_DATABASE_URL"));
    }

    #[test]
    fn a_program_that_ends_before_it_is_ready_is_an_error_with_what_it_said() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo the port is taken >&2; exit 3"]);
        let running = Running::start(command).unwrap();
        let error = running.wait_for("Listening on ").unwrap_err().to_string();
        assert!(error.contains("the port is taken"), "{error}");
    }

    #[test]
    fn a_full_pipe_does_not_stop_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let done = folder.path().join("done");
        let mut command = Command::new("sh");
        command.args(["-c", "seq 1 200000; touch \"$0\"; echo Ready now"]);
        command.arg(&done);
        let running = Running::start(command).unwrap();
        assert_eq!(running.wait_for("Ready ").unwrap(), "now");
        assert!(fs::exists(done).unwrap());
    }
}
