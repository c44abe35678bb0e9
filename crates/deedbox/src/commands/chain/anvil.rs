//! The program behind `deedbox chain dev`: finding anvil, installing it where it is not, and running it so that it does not
//! outlive this program.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use crate::{
    failure::Failure,
    render::{foreign, path as shown},
    settings::{Environment, environment::ANVIL_VARIABLE},
};

/// What the names of all of this program's variables begin with.
const OUR_VARIABLES: &str = "DEEDBOX_";
/// What is installed where there is none.
const PACKAGE: &str = "@foundry-rs/anvil";
/// Which version of it.
const VERSION: &str = "1.7.1";
/// How long it may take to start; on an idle machine 70 ms.
const READY: Duration = Duration::from_secs(60);
/// How long it may take to end once it was asked to; it may have a chain to write.
const END: Duration = Duration::from_secs(20);
/// Ends a program when the one that started it ends, however that happens. Part of util-linux; elsewhere a killed Deedbox
/// leaves anvil running, while one that is asked to stop does not.
const SETPRIV: &str = "/usr/bin/setpriv";

/// How it is to run.
#[derive(Debug)]
pub(super) struct How<'a> {
    /// Where it listens on this machine; 0 takes a free port.
    pub(super) port: u16,
    /// The chain's id.
    pub(super) chain_id: u64,
    /// The file that its state is read from and written to.
    pub(super) state: Option<&'a Path>,
}

/// A running anvil. It is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Anvil {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub(super) url: String,
}

/// Finds the program: the one that was named, the one of the environment, the one on the path, or the one that was
/// installed into the data folder before. None: there is none of these.
///
/// # Errors
/// [`Failure::NoChain`]: the one that was named is no file.
pub(super) fn find(
    named: Option<&Path>,
    environment: &Environment,
    tools: &Path,
) -> Result<Option<PathBuf>, Failure> {
    let variable = environment.variable(ANVIL_VARIABLE).map(Path::new);
    if let Some(program) = named.or(variable) {
        if program.is_file() {
            return Ok(Some(program.to_owned()));
        }
        return Err(Failure::NoChain {
            reason: format!("there is no program at {}", shown(program)),
            advice: "Correct --anvil or DEEDBOX_ANVIL, or leave it out to have anvil found or installed",
        });
    }
    let path = environment.variable("PATH").unwrap_or_default();
    let on_path = env::split_paths(path).map(|folder| folder.join("anvil"));
    // What npm puts on a path is a script, which leaves the program running when it is killed.
    let native = |program: &PathBuf| program.is_file() && !is_script(program);
    Ok(on_path.chain([installed(tools)]).find(native))
}

fn is_script(program: &Path) -> bool {
    fs::File::open(program)
        .and_then(|mut file| {
            let mut start = [0; 2];
            std::io::Read::read_exact(&mut file, &mut start)?;
            Ok(&start == b"#!")
        })
        .unwrap_or(true)
}

/// The file that npm installs for this machine.
fn installed(tools: &Path) -> PathBuf {
    let system = if cfg!(target_os = "macos") {
        "darwin"
    } else {
        "linux"
    };
    let machine = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "amd64"
    };
    folder(tools).join(format!(
        "node_modules/{PACKAGE}-{system}-{machine}/bin/anvil"
    ))
}

/// A command without this program's own settings, among which there are keys and passwords.
fn discreet(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with(OUR_VARIABLES) {
            command.env_remove(name);
        }
    }
    command
}

fn folder(tools: &Path) -> PathBuf {
    tools.join(format!("anvil-{VERSION}"))
}

/// Installs it with npm into the data folder, whole or not at all.
///
/// # Errors
/// [`Failure::NoChain`]: there is no npm, or it fails.
pub(super) async fn install(tools: &Path) -> Result<PathBuf, Failure> {
    let refuse = |reason: String| Failure::NoChain {
        reason,
        advice: "Install Node.js with npm, or get anvil in another way (https://getfoundry.sh) and name it with --anvil or DEEDBOX_ANVIL",
    };
    fs::create_dir_all(tools).map_err(|source| Failure::CannotWrite {
        path: tools.to_owned(),
        source,
    })?;
    // Put into its place when all of it is there: an installation that was interrupted must not look like one.
    let new = tempfile::tempdir_in(tools).map_err(|source| Failure::CannotWrite {
        path: tools.to_owned(),
        source,
    })?;
    let output = discreet("npm")
        .args([
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-save",
        ])
        .args(["--loglevel=error", "--prefix"])
        .arg(new.path())
        .arg(format!("{PACKAGE}@{VERSION}"))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| {
            refuse(format!(
                "anvil was not found, and npm could not be run: {error}"
            ))
        })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(refuse(format!(
            "npm did not install anvil: {}",
            foreign(said.trim())
        )));
    }
    let place = folder(tools);
    let at = new.keep();
    if let Err(error) = fs::rename(&at, &place) {
        // Another one was as quick.
        drop(fs::remove_dir_all(&at));
        if !installed(tools).is_file() {
            return Err(Failure::CannotWrite {
                path: place,
                source: error,
            });
        }
    }
    let program = installed(tools);
    if program.is_file() {
        Ok(program)
    } else {
        Err(refuse(
            "npm has no anvil for this kind of machine".to_owned(),
        ))
    }
}

impl Anvil {
    /// Starts it, and returns when it listens.
    ///
    /// # Errors
    /// [`Failure::NoChain`] with what it said.
    pub(super) async fn start(program: &Path, how: &How<'_>) -> Result<Self, Failure> {
        let mut command = if Path::new(SETPRIV).is_file() {
            let mut command = discreet(SETPRIV);
            command.args(["--pdeathsig", "KILL", "--"]).arg(program);
            command
        } else {
            discreet(program)
        };
        command
            .args(["--host", "127.0.0.1", "--port", &how.port.to_string()])
            .args(["--chain-id", &how.chain_id.to_string()])
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(state) = how.state {
            command.arg("--state").arg(state);
        }
        let refuse = |reason: String| Failure::NoChain {
            reason,
            advice: "Another program may listen on the port: --port 0 takes a free one",
        };
        let mut child = command
            .spawn()
            .map_err(|error| refuse(format!("{} could not be run: {error}", shown(program))))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let complaints = tokio::spawn(async move {
            let mut text = String::new();
            if let Some(err) = err {
                let mut lines = BufReader::new(err).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    if text.len() < 4096 {
                        text.push_str(&line);
                        text.push('\n');
                    }
                }
            }
            text
        });
        let listens = match out {
            Some(out) => timeout(READY, listening(out)).await.ok().flatten(),
            None => None,
        };
        match listens {
            Some((address, rest)) => {
                // What it goes on to say is read, so that it never waits for a reader.
                tokio::spawn(drain(rest));
                let url = format!("http://{address}");
                Ok(Self { child, url })
            }
            None => {
                drop(child.start_kill());
                let said = timeout(Duration::from_secs(2), complaints).await;
                let said = said.ok().and_then(Result::ok).unwrap_or_default();
                Err(refuse(format!(
                    "anvil did not start to listen. {}",
                    foreign(said.trim())
                )))
            }
        }
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// [`Failure::NoChain`]: it did not end well.
    pub(super) async fn ended(&mut self) -> Result<(), Failure> {
        let status = self.child.wait().await;
        let how = match status {
            Ok(status) if status.success() || was_interrupted(status) => return Ok(()),
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        Err(Failure::NoChain {
            reason: format!("anvil ended by itself ({how}), and the chain with it"),
            advice: "Start it again; with --state-dir it goes on from what was written last",
        })
    }

    /// Asks it to end, so that it writes what it keeps, and waits until it has.
    pub(super) async fn stop(mut self) {
        #[cfg(unix)]
        if let Some(pid) = self.child.id().and_then(|pid| i32::try_from(pid).ok())
            && let Some(pid) = rustix::process::Pid::from_raw(pid)
        {
            let asked = rustix::process::kill_process(pid, rustix::process::Signal::INT);
            if let Err(error) = asked {
                tracing::debug!(%error, "anvil had ended already");
            }
        }
        if timeout(END, self.child.wait()).await.is_err() {
            drop(self.child.kill().await);
        }
    }
}

/// Whether Ctrl-C ended it, or a request to end.
#[cfg(unix)]
fn was_interrupted(status: ExitStatus) -> bool {
    use rustix::process::Signal;
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    signal.is_some_and(|signal| {
        [Signal::INT, Signal::TERM]
            .map(Signal::as_raw)
            .contains(&signal)
    })
}

/// Whether Ctrl-C ended it, which only Unix tells.
#[cfg(not(unix))]
const fn was_interrupted(_: ExitStatus) -> bool {
    false
}

type Output = tokio::io::Lines<BufReader<ChildStdout>>;

/// The address that it listens on, as it prints it.
async fn listening(out: ChildStdout) -> Option<(String, Output)> {
    let mut lines = BufReader::new(out).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(address) = line.strip_prefix("Listening on ") {
            return Some((address.trim().to_owned(), lines));
        }
    }
    None
}

async fn drain(mut lines: Output) {
    while let Ok(Some(_)) = lines.next_line().await {}
}
