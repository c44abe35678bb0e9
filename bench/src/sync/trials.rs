//! Runs of readers: each a process of its own with an index of its own.

use std::{env, process::Command};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::postgres::Cluster;
use tempfile::TempDir;

use crate::{
    chain::Prepared,
    processor,
    reader::{Measured, Reader},
};

pub(crate) struct Trials<'a> {
    cluster: &'a Cluster,
    /// The process that started all others of the cluster.
    postmaster: u32,
    folder: TempDir,
    number: u32,
}

impl<'a> Trials<'a> {
    pub(crate) fn new(cluster: &'a Cluster) -> Result<Self> {
        let first_line = "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)";
        let postmaster = cluster.psql(&cluster.url(), first_line)?;
        Ok(Self {
            cluster,
            postmaster: postmaster.parse().context("no process id")?,
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
        let server = processor::of_family(self.postmaster)?;
        let out = command.output()?;
        let server = processor::of_family(self.postmaster)?.saturating_sub(server);
        ensure!(
            out.status.success(),
            "{reader:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        let mut measured: Measured = serde_json::from_slice(&out.stdout)?;
        if reader == Reader::Postgres {
            measured.server_cpu_seconds = server.as_secs_f64();
        }
        ensure!(
            measured.events == chain.events,
            "{reader:?} read {} of {} events",
            measured.events,
            chain.events
        );
        Ok(measured)
    }
}
