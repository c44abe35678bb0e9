//! Every setting: its name, and the places it may come from.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    num::NonZeroU32,
};

use crate::duration::Span;

/// Where `serve` listens unless told otherwise.
pub(crate) const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7878);
/// How long a request may take.
pub(crate) const REQUEST_TIMEOUT: Span = Span::seconds(30);
/// How long a stop waits for requests in flight. Container runtimes kill ten seconds after asking.
pub(crate) const SHUTDOWN_GRACE: Span = Span::seconds(9);
/// Requests a second for each key.
pub(crate) const RATE_LIMIT: u32 = 1000;
/// Requests that a key may make at once.
pub(crate) const RATE_BURST: NonZeroU32 = NonZeroU32::MIN.saturating_add(1999);
/// Connections to PostgreSQL at most, for each process.
pub(crate) const POSTGRES_MAX_CONNECTIONS: NonZeroU32 = NonZeroU32::MIN.saturating_add(11);

/// Whether `serve` reads the registries that are followed.
pub(crate) const SYNC: bool = true;
/// How long after the last look at a chain's head the next one is.
pub(crate) const SYNC_POLL: Span = Span::seconds(12);
/// How long after the last look at a registry's code the next one is.
pub(crate) const SYNC_CODE: Span = Span::seconds(10 * 60);
/// Whether `serve` keeps the tools of those registries verified.
pub(crate) const VERIFY: bool = true;
/// Manifests that are fetched at once, each from another host.
pub(crate) const VERIFY_AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(15);

/// What the agent calls itself, strongest first.
pub(crate) const AGENT_VARIABLES: [&str; 2] = ["DEEDBOX_AGENT_ID", "XMEMO_AGENT_ID"];
/// The label of its installation, strongest first.
pub(crate) const INSTANCE_VARIABLES: [&str; 2] =
    ["DEEDBOX_AGENT_INSTANCE_ID", "XMEMO_AGENT_INSTANCE_ID"];

/// One setting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition {
    /// Its name: the key in `deedbox.toml`, and the name in `config show`.
    pub(crate) name: &'static str,
    /// The flag, if there is one. Secrets have none: a command line is visible to every user of the machine.
    pub(crate) flag: Option<&'static str>,
    /// The variables, strongest first.
    pub(crate) variables: &'static [&'static str],
    /// Whether it holds several values: an array in the file, commas elsewhere.
    pub(crate) list: bool,
}

const fn one(
    name: &'static str,
    flag: &'static str,
    variables: &'static [&'static str],
) -> Definition {
    Definition {
        name,
        flag: Some(flag),
        variables,
        list: false,
    }
}

const fn list(
    name: &'static str,
    flag: &'static str,
    variables: &'static [&'static str],
) -> Definition {
    Definition {
        list: true,
        ..one(name, flag, variables)
    }
}

/// Every setting, in the order in which people are shown them.
pub(crate) const DEFINITIONS: [Definition; 25] = [
    one("data_dir", "--data-dir", &["DEEDBOX_DATA_DIR"]),
    one(
        "database_url",
        "--database-url",
        &["DEEDBOX_DATABASE_URL", "DATABASE_URL"],
    ),
    one(
        "postgres_max_connections",
        "--postgres-max-connections",
        &["DEEDBOX_POSTGRES_MAX_CONNECTIONS"],
    ),
    one("listen", "--listen", &["DEEDBOX_LISTEN"]),
    one("public_url", "--public-url", &["DEEDBOX_PUBLIC_URL"]),
    list(
        "allowed_hosts",
        "--allowed-hosts",
        &["DEEDBOX_ALLOWED_HOSTS"],
    ),
    list(
        "allowed_origins",
        "--allowed-origins",
        &["DEEDBOX_ALLOWED_ORIGINS"],
    ),
    one(
        "request_timeout",
        "--request-timeout",
        &["DEEDBOX_REQUEST_TIMEOUT"],
    ),
    one(
        "shutdown_grace",
        "--shutdown-grace",
        &["DEEDBOX_SHUTDOWN_GRACE"],
    ),
    one("rate_limit", "--rate-limit", &["DEEDBOX_RATE_LIMIT"]),
    one("rate_burst", "--rate-burst", &["DEEDBOX_RATE_BURST"]),
    list("toolsets", "--toolsets", &["DEEDBOX_TOOLSETS"]),
    list("chains", "--chain", &["DEEDBOX_CHAINS"]),
    one("sync", "--sync", &["DEEDBOX_SYNC"]),
    one("sync_poll", "--sync-poll", &["DEEDBOX_SYNC_POLL"]),
    one("sync_code", "--sync-code", &["DEEDBOX_SYNC_CODE"]),
    one("verify", "--verify", &["DEEDBOX_VERIFY"]),
    one(
        "verify_at_once",
        "--verify-at-once",
        &["DEEDBOX_VERIFY_AT_ONCE"],
    ),
    Definition {
        name: "access_token",
        flag: None,
        variables: &["DEEDBOX_ACCESS_TOKEN", "MCP_ACCESS_TOKEN"],
        list: false,
    },
    one(
        "metrics_listen",
        "--metrics-listen",
        &["DEEDBOX_METRICS_LISTEN"],
    ),
    one(
        "otlp_endpoint",
        "--otlp-endpoint",
        &["DEEDBOX_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    ),
    one("agent_id", "--as-agent", &AGENT_VARIABLES),
    Definition {
        name: "agent_instance_id",
        flag: None,
        variables: &INSTANCE_VARIABLES,
        list: false,
    },
    one("log_format", "--log-format", &["DEEDBOX_LOG_FORMAT"]),
    one("log_filter", "--log-filter", &["DEEDBOX_LOG_FILTER"]),
];

/// The setting of this name.
pub(crate) fn find(name: &str) -> Option<&'static Definition> {
    DEFINITIONS
        .iter()
        .find(|definition| definition.name == name)
}
