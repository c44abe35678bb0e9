//! What is in force, and where each value came from.
//!
//! Every setting is one row of [`definition::DEFINITIONS`]. Its value is the first that is given, in the
//! order flag, environment, file, default; from wherever it comes it is the same text, read by the
//! same function ([`read`]). Nothing outside this module asks for a variable or a configuration file.

pub(crate) mod again;
pub(crate) mod chains;
pub(crate) mod database_url;
pub(crate) mod definition;
mod endpoint;
pub(crate) mod environment;
pub(crate) mod file;
pub(crate) mod policy;
pub(crate) mod publishing;
pub(crate) mod read;
pub(crate) mod show;
mod table;

use std::{collections::BTreeMap, fmt, net::SocketAddr, num::NonZeroU32, path::PathBuf};

pub(crate) use chains::ChainSetting;
pub(crate) use database_url::DatabaseUrl;
use deedbox_core::{AgentLabel, Attribution, InstanceHash, Principal};
use deedbox_server::{Labels, Toolsets};
use definition::{DEFINITIONS, Definition};
pub(crate) use environment::Environment;
use policy::PolicySetting;
use publishing::PublishSetting;
use url::Url;

use crate::{duration::Span, failure::Failure, instances};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A flag, as it is written.
    Flag(&'static str),
    /// An environment variable.
    Variable(&'static str),
    /// A line of the configuration file, counted from 1.
    File(PathBuf, usize),
    /// Nobody said.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "flag {flag}"),
            Self::Variable(name) => write!(f, "environment {name}"),
            Self::File(path, line) => write!(f, "{}, line {line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    /// The value.
    pub(crate) value: T,
    /// Where it came from.
    pub(crate) source: Source,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// A secret that does not print.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Everything that can be set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The configuration file, if there is one, and who named it.
    pub(crate) config_file: Option<Setting<PathBuf>>,
    /// Variables that look like settings and are none.
    pub(crate) unknown_variables: Vec<String>,
    /// Where the embedded database lives. None when no home directory is known.
    pub(crate) data_dir: Setting<Option<PathBuf>>,
    /// Which database.
    pub(crate) database_url: Setting<DatabaseUrl>,
    /// Connections to PostgreSQL at most.
    pub(crate) postgres_max_connections: Setting<NonZeroU32>,
    /// Where `serve` listens.
    pub(crate) listen: Setting<SocketAddr>,
    /// Where clients reach it. None: where it listens.
    pub(crate) public_url: Setting<Option<String>>,
    /// `Host` headers that are answered. None: this machine's loopback names and the public URL's host.
    pub(crate) allowed_hosts: Setting<Option<Vec<String>>>,
    /// `Origin` headers that are answered.
    pub(crate) allowed_origins: Setting<Vec<String>>,
    /// How long a request may take.
    pub(crate) request_timeout: Setting<Span>,
    /// How long a stop waits for requests in flight.
    pub(crate) shutdown_grace: Setting<Span>,
    /// Requests a second for each key; 0 for no limit.
    pub(crate) rate_limit: Setting<u32>,
    /// Requests that a key may make at once.
    pub(crate) rate_burst: Setting<NonZeroU32>,
    /// Which tools are offered.
    pub(crate) toolsets: Setting<Toolsets>,
    /// The chains that may be read, by id. Each knows where it was written.
    pub(crate) chains: Vec<ChainSetting>,
    /// Whether `serve` reads the registries that are followed.
    pub(crate) sync: Setting<bool>,
    /// How long after the last look at a chain's head the next one is.
    pub(crate) sync_poll: Setting<Span>,
    /// How long after the last look at a registry's code the next one is.
    pub(crate) sync_code: Setting<Span>,
    /// Whether `serve` keeps the tools of those registries verified. Only what it reads it verifies.
    pub(crate) verify: Setting<bool>,
    /// Manifests that are fetched at once, each from another host.
    pub(crate) verify_at_once: Setting<NonZeroU32>,
    /// What may be read of them.
    pub(crate) policy: PolicySetting,
    /// How changes of chains are waited for and checked.
    pub(crate) publishing: PublishSetting,
    /// An operator's token that is not kept in the database.
    pub(crate) access_token: Setting<Option<Secret>>,
    /// A second listener for metrics alone.
    pub(crate) metrics_listen: Setting<Option<SocketAddr>>,
    /// Where traces are exported to.
    pub(crate) otlp_endpoint: Setting<Option<Url>>,
    /// What the agent that uses this program calls itself.
    pub(crate) agent_id: Setting<Option<AgentLabel>>,
    /// Which installation of it this is. None: it has no label, as far as is known here.
    pub(crate) agent_instance_id: Setting<Option<InstanceHash>>,
    /// How log lines are written. None: text on a terminal, JSON elsewhere.
    pub(crate) log_format: Setting<Option<LogFormat>>,
    /// Which log lines are written. None: depends on the command.
    pub(crate) log_filter: Setting<Option<String>>,
}

impl Settings {
    /// What whoever uses this program says of itself.
    pub(crate) fn labels(&self) -> Labels {
        Labels {
            agent: self.agent_id.value.clone(),
            instance: self.agent_instance_id.value,
            ignored: Vec::new(),
        }
    }

    /// The origin of the deeds of somebody who has the database itself.
    pub(crate) fn attribution(&self) -> Attribution {
        self.labels().attribute(Principal::local())
    }
}

/// Flags as they were given, by the name of their setting.
pub(crate) type Flags = BTreeMap<&'static str, Vec<String>>;

/// A value as text, before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    /// One text, or several for a list.
    pub(crate) texts: Vec<String>,
    /// Where it came from.
    pub(crate) source: Source,
}

/// The strongest text that was given for each setting.
#[derive(Debug, Default)]
pub(crate) struct Given(BTreeMap<&'static str, Raw>);

impl Given {
    fn collect(
        flags: &Flags,
        environment: &Environment,
        file: &BTreeMap<&'static str, Raw>,
    ) -> Self {
        let strongest = |definition: &Definition| {
            let flag = definition.flag.and_then(|flag| {
                flags.get(definition.name).map(|texts| Raw {
                    texts: texts.clone(),
                    source: Source::Flag(flag),
                })
            });
            flag.or_else(|| environment.raw(definition))
                .or_else(|| file.get(definition.name).cloned())
        };
        Self(
            DEFINITIONS
                .iter()
                .filter_map(|definition| Some((definition.name, strongest(definition)?)))
                .collect(),
        )
    }

    /// Reads one setting. Nothing given: `default`.
    fn read<T>(
        &self,
        name: &'static str,
        default: T,
        read: impl FnOnce(&Raw) -> Result<T, String>,
    ) -> Result<Setting<T>, Failure> {
        let Some(raw) = self.0.get(name) else {
            return Ok(Setting {
                value: default,
                source: Source::Default,
            });
        };
        match read(raw) {
            Ok(value) => Ok(Setting {
                value,
                source: raw.source.clone(),
            }),
            Err(reason) => Err(Failure::Setting {
                name,
                reason,
                source_of: raw.source.clone(),
            }),
        }
    }
}

/// Finds out what is in force.
///
/// # Errors
/// The first value that cannot be used, with its source; a configuration file that cannot.
pub(crate) fn resolve(
    config_flag: Option<PathBuf>,
    flags: &Flags,
    environment: &Environment,
) -> Result<Settings, Failure> {
    let config_file = environment.config_file(config_flag);
    let file = match &config_file {
        Some(found) => file::load(found)?,
        None => file::Given::default(),
    };
    let given = Given::collect(flags, environment, &file.texts);
    let here = environment.current_dir.as_path();
    let data_dir = given.read(
        "data_dir",
        environment
            .data_home
            .as_ref()
            .map(|home| home.join("deedbox")),
        |raw| read::path(raw, here).map(Some),
    )?;
    let database_url = match &data_dir.value {
        Some(folder) => {
            let default = DatabaseUrl::Sqlite(folder.join("deedbox.sqlite"));
            given.read("database_url", default, |raw| read::database(raw, here))?
        }
        None if given.0.contains_key("database_url") => {
            let unused = DatabaseUrl::Sqlite(PathBuf::new());
            given.read("database_url", unused, |raw| read::database(raw, here))?
        }
        None => return Err(Failure::NoDataDir),
    };
    let agent_id = given.read("agent_id", None, |raw| read::agent_label(raw).map(Some))?;
    Ok(Settings {
        config_file,
        unknown_variables: environment.unknown_variables(&file.chains),
        data_dir,
        database_url,
        postgres_max_connections: given.read(
            "postgres_max_connections",
            definition::POSTGRES_MAX_CONNECTIONS,
            read::number,
        )?,
        listen: given.read("listen", definition::LISTEN, read::address)?,
        public_url: given.read("public_url", None, |raw| read::public_url(raw).map(Some))?,
        allowed_hosts: given.read("allowed_hosts", None, |raw| read::hosts(raw).map(Some))?,
        allowed_origins: given.read("allowed_origins", vec![], read::origins)?,
        request_timeout: given.read(
            "request_timeout",
            definition::REQUEST_TIMEOUT,
            read::positive_span,
        )?,
        shutdown_grace: given.read("shutdown_grace", definition::SHUTDOWN_GRACE, read::span)?,
        rate_limit: given.read("rate_limit", definition::RATE_LIMIT, read::number)?,
        rate_burst: given.read("rate_burst", definition::RATE_BURST, read::number)?,
        toolsets: given.read("toolsets", Toolsets::all(), read::toolsets)?,
        chains: chains::merged(
            file.chains,
            given.read("chains", vec![], chains::short)?.value,
        )?,
        sync: given.read("sync", definition::SYNC, read::switch)?,
        sync_poll: given.read("sync_poll", definition::SYNC_POLL, read::positive_span)?,
        sync_code: given.read("sync_code", definition::SYNC_CODE, read::positive_span)?,
        verify: given.read("verify", definition::VERIFY, read::switch)?,
        verify_at_once: given.read("verify_at_once", definition::VERIFY_AT_ONCE, read::number)?,
        policy: file.policy.unwrap_or_default(),
        publishing: file.publishing,
        access_token: given.read("access_token", None, |raw| read::token(raw).map(Some))?,
        metrics_listen: given.read("metrics_listen", None, |raw| read::address(raw).map(Some))?,
        otlp_endpoint: given.read("otlp_endpoint", None, |raw| read::http_url(raw).map(Some))?,
        agent_instance_id: instance(&given, environment, agent_id.value.as_ref())?,
        agent_id,
        log_format: given.read("log_format", None, |raw| read::log_format(raw).map(Some))?,
        log_filter: given.read("log_filter", None, |raw| read::log_filter(raw).map(Some))?,
    })
}

/// Which installation of `agent` this is: as it was given, or else as it was kept for this agent.
fn instance(
    given: &Given,
    environment: &Environment,
    agent: Option<&AgentLabel>,
) -> Result<Setting<Option<InstanceHash>>, Failure> {
    let mut instance = given.read("agent_instance_id", None, |raw| {
        read::instance_label(raw).map(Some)
    })?;
    if let (None, Some(label), Some(home)) = (instance.value, agent, &environment.state_home) {
        let folder = instances::Folder::of(home);
        if let Some(kept) = folder.find(label)? {
            instance.value = Some(kept.hash());
            instance.source = Source::File(folder.path(label), 1);
        }
    }
    Ok(instance)
}

#[cfg(test)]
mod tests;
