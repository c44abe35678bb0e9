//! The Python packages of the client tests, in a virtual environment.

use std::fs;

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
    let (stamp, venv) = (Stamp::of("python", &list)?, tools::venv());
    // A virtual environment names the Python that made it; a renewed one may be gone.
    let works = || read(command(venv.join("bin/python")).args(["-c", ""])).is_ok();
    if stamp.is_current() && works() {
        return Ok(());
    }
    stamp.forget()?;
    if make_venv().is_err() {
        apt_get(&["python3", "python3-venv"])?;
        make_venv().context("the client tests need Python 3.10 or newer, with its module venv")?;
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
            .arg(&list))
    })?;
    stamp.keep()
}

fn make_venv() -> Result<()> {
    let venv = tools::venv();
    if venv.exists() {
        fs::remove_dir_all(&venv)?;
    }
    let version = "import sys; print(sys.version_info >= (3, 10))";
    let new_enough = read(command("python3").args(["-c", version]))?;
    ensure!(new_enough.trim() == "True", "python3 is older than 3.10");
    read(command("python3").args(["-m", "venv"]).arg(venv)).map(drop)
}
