//! Runs of readers: each a process of its own with an index of its own.

use std::{env, process::Command};

use anyhow::{Result, ensure};
use deedbox_neighbours::postgres::Cluster;
use tempfile::TempDir;

use crate::{
    chain::Prepared,
    reader::{Measured, Reader},
};

pub(crate) struct Trials<'a> {
    cluster: &'a Cluster,
    folder: TempDir,
    number: u32,
}

impl<'a> Trials<'a> {
    pub(crate) fn new(cluster: &'a Cluster) -> Result<Self> {
        Ok(Self {
            cluster,
            folder: tempfile::tempdir()?,
            number: 0,
        })
    }

    /// Lets a reader read all of the chain.
    pub(crate) fn run(&mut self, reader: Reader, chain: &Prepared) -> Result<Measured> {
        self.number += 1;
        let name = format!("sync{}", self.number);
        let index = match reader {
            Reader::Bare => String::new(),
            Reader::Sqlite => self.folder.path().join(name).display().to_string(),
            Reader::Postgres => self.cluster.fresh_database(&name)?,
        };
        let mut command = Command::new(env::current_exe()?);
        command
            .args(["read", "--reader", reader.name(), "--index", &index])
            .args(chain.registries.to_args());
        let out = command.output()?;
        ensure!(
            out.status.success(),
            "{reader:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        let measured: Measured = serde_json::from_slice(&out.stdout)?;
        ensure!(
            measured.events == chain.events,
            "{reader:?} read {} of {} events",
            measured.events,
            chain.events
        );
        Ok(measured)
    }
}
