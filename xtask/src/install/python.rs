//! Python packages, each list in a virtual environment of its own.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::tools;

use super::{Stamp, apt_get};
use crate::command::{command, read, retry, run};

/// Installs exactly what `tests/clients/py/requirements.txt` lists.
///
/// # Errors
/// When there is no Python 3.10 with `venv`, or pip fails three times.
pub(crate) fn python_packages() -> Result<()> {
    let list = tools::py_clients().join("requirements.txt");
    install("python", &list, &tools::venv()).context("the client tests need Python")
}

/// The analyser of contracts, of exactly the packages that `contracts/requirements.txt` lists.
///
/// # Errors
/// As [`python_packages`].
pub(crate) fn slither() -> Result<Command> {
    let (list, venv) = (
        tools::contracts().join("requirements.txt"),
        tools::slither_venv(),
    );
    install("slither", &list, &venv).context("the analyser of contracts needs Python")?;
    Ok(Command::new(venv.join("bin/slither")))
}

fn install(name: &str, list: &Path, venv: &Path) -> Result<()> {
    let stamp = Stamp::of(name, list)?;
    // A virtual environment names the Python that made it; a renewed one may be gone.
    let works = || read(command(venv.join("bin/python")).args(["-c", ""])).is_ok();
    if stamp.is_current() && works() {
        return Ok(());
    }
    stamp.forget()?;
    if make_venv(venv).is_err() {
        apt_get(&["python3", "python3-venv"])?;
        make_venv(venv).context("Python 3.10 or newer is needed, with its module venv")?;
    }
    retry(|| {
        run(command(venv.join("bin/python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
            ])
            .arg("-r")
            .arg(list))
    })?;
    stamp.keep()
}

fn make_venv(venv: &Path) -> Result<()> {
    if venv.exists() {
        fs::remove_dir_all(venv)?;
    }
    let version = "import sys; print(sys.version_info >= (3, 10))";
    let new_enough = read(command("python3").args(["-c", version]))?;
    ensure!(new_enough.trim() == "True", "python3 is older than 3.10");
    read(command("python3").args(["-m", "venv"]).arg(venv)).map(drop)
}
