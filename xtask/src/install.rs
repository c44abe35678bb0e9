//! What the tests need from others: fetched once, kept in `.tools/`, fetched again when the list of it changes.

mod deny;
mod node;
mod postgres;
mod python;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use deedbox_neighbours::tools;

use crate::{
    command::{command, read, run},
    progress::say,
};

pub(crate) use self::{
    deny::deny,
    node::{benchmark_packages, contract_packages, npm_packages},
    postgres::postgres,
    python::{python_packages, slither},
};

/// Remembers which list of packages was installed last: a copy of that list.
struct Stamp {
    kept: PathBuf,
    wanted: String,
}

impl Stamp {
    fn of(name: &str, list: &Path) -> Result<Self> {
        let wanted = fs::read_to_string(list)
            .with_context(|| format!("{} could not be read", list.display()))?;
        let kept = tools::tools().join("installed").join(name);
        Ok(Self { kept, wanted })
    }

    fn is_current(&self) -> bool {
        fs::read_to_string(&self.kept).is_ok_and(|kept| kept == self.wanted)
    }

    /// An installation that is cut off must not look like a finished one.
    fn forget(&self) -> Result<()> {
        if self.kept.exists() {
            fs::remove_file(&self.kept)?;
        }
        Ok(())
    }

    fn keep(&self) -> Result<()> {
        if let Some(folder) = self.kept.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(fs::write(&self.kept, &self.wanted)?)
    }
}

/// Installs Debian packages, where that is possible without asking anybody: as root, or with a `sudo` that asks no password.
/// Returns whether it could.
fn apt_get(packages: &[&str]) -> Result<bool> {
    if tools::on_path("apt-get").is_none() {
        return Ok(false);
    }
    let words: &[&str] = if read(command("id").arg("-u"))?.trim() == "0" {
        &["apt-get"]
    } else if read(command("sudo").args(["-n", "true"])).is_ok() {
        &["sudo", "-n", "apt-get"]
    } else {
        return Ok(false);
    };
    let apt = || {
        let mut apt = command(words[0]);
        apt.args(&words[1..])
            .env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    say(&format!(
        "installing the Debian packages {}",
        packages.join(", ")
    ));
    crate::command::retry(|| {
        run(apt().args(["-q", "update"]))?;
        run(apt()
            .args(["-q", "-y", "install", "--no-install-recommends"])
            .args(packages))
    })?;
    Ok(true)
}
