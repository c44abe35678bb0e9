//! Where a test runs: one server on SQLite, one on PostgreSQL, or three replicas on one PostgreSQL.

use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use deedbox_neighbours::{
    deedbox::{Builder, Server},
    postgres::Cluster,
};

use crate::{Client, Speaks};

/// What keeps the deeds, and how many servers share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// One server on its own SQLite file.
    Sqlite,
    /// One server on a PostgreSQL database.
    Postgres,
    /// Three servers on one PostgreSQL database.
    Replicas,
}

/// Running servers that are one to their callers.
#[derive(Debug)]
pub struct Site {
    servers: Vec<Server>,
    /// The operator's key.
    pub key: String,
    /// Stopped last: the servers are connected to it.
    _cluster: Option<Cluster>,
}

impl Site {
    /// Starts it, empty but for one operator key. Replicas start all at once.
    ///
    /// # Errors
    /// When PostgreSQL or `deedbox` does not start, or not exactly one of the servers showed an operator key.
    pub fn start(backend: Backend) -> Result<Self> {
        Self::start_with(backend, |builder| builder)
    }

    /// As [`Site::start`], with what `change` adds to each server.
    ///
    /// # Errors
    /// As [`Site::start`].
    pub fn start_with(backend: Backend, change: impl Fn(Builder) -> Builder) -> Result<Self> {
        let (cluster, servers) = match backend {
            Backend::Sqlite => (None, vec![change(Server::builder()).start()?]),
            Backend::Postgres | Backend::Replicas => {
                let cluster = Cluster::for_tests()?;
                let url = cluster.url();
                let count = if backend == Backend::Replicas { 3 } else { 1 };
                let builder = || change(Server::builder()).database_url(&url);
                (Some(cluster), at_once(builder, count)?)
            }
        };
        let keys: Vec<&str> = servers
            .iter()
            .filter_map(|s| s.operator_key().ok())
            .collect();
        ensure!(
            keys.len() == 1,
            "{} servers showed an operator key, not one",
            keys.len()
        );
        let key = keys[0].to_owned();
        Ok(Self {
            servers,
            key,
            _cluster: cluster,
        })
    }

    /// The servers.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The first server, to be killed and brought back.
    ///
    /// # Errors
    /// Never: a site has a server.
    pub fn first(&mut self) -> Result<&mut Server> {
        self.servers.first_mut().context("no server")
    }

    /// Adds actors by the command line.
    ///
    /// # Errors
    /// When that fails.
    pub fn add_actors(&self, ids: &[&str]) -> Result<()> {
        for id in ids {
            self.servers[0].cli_json(&["actor", "add", id, "--kind", "agent"])?;
        }
        Ok(())
    }

    /// Makes a key that acts only as `actor`.
    ///
    /// # Errors
    /// When that fails.
    pub fn key_of(&self, actor: &str) -> Result<String> {
        let made = self.servers[0].cli_json(&["key", "new", "--actor", actor])?;
        let key = made["key"].as_str().context("`key new` printed no key")?;
        Ok(key.to_owned())
    }

    /// An operator's client, the `n`th: spread over the servers and over the ways to speak.
    ///
    /// # Errors
    /// When the server is not there.
    pub async fn client(&self, n: usize) -> Result<Client> {
        self.client_with(n, &self.key).await
    }

    /// As [`Site::client`], with another key.
    ///
    /// # Errors
    /// When the server is not there.
    pub async fn client_with(&self, n: usize, key: &str) -> Result<Client> {
        let server = &self.servers[n % self.servers.len()];
        let speaks = Speaks::ALL[n / self.servers.len() % Speaks::ALL.len()];
        Client::open(server.url(), key, speaks).await
    }

    /// Runs `deedbox ledger check`.
    ///
    /// # Errors
    /// When it finds a fault, or cannot be run; with what it said.
    pub fn check_ledger(&self) -> Result<()> {
        check_ledger(&self.servers[0])
    }
}

/// Runs `deedbox ledger check` on a server's data, while it runs or not.
///
/// # Errors
/// When it finds a fault, or cannot be run; with what it said.
pub fn check_ledger(server: &Server) -> Result<()> {
    let output = server.cli(&["ledger", "check"])?;
    ensure!(
        output.status.success(),
        "deedbox ledger check: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

fn at_once(builder: impl Fn() -> Builder, count: usize) -> Result<Vec<Server>> {
    let starting: Vec<_> = (0..count)
        .map(|_| {
            let builder = builder();
            thread::spawn(move || builder.start())
        })
        .collect();
    starting
        .into_iter()
        .map(|server| server.join().map_err(|_| anyhow!("a start panicked"))?)
        .collect()
}
