//! Flags of the settings that a server has.

use clap::Args;

use crate::settings::Flags;

/// The server's settings as flags. Read together with the environment and the file, so all are texts here.
#[derive(Args, Debug, Default)]
pub(crate) struct ServerFlags {
    /// Address and port to listen on [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDRESS", help_heading = "Listening")]
    listen: Option<String>,
    /// Where clients reach this server, if that is another place than where it listens
    #[arg(long, value_name = "URL", help_heading = "Listening")]
    public_url: Option<String>,
    /// Host headers to answer, separated by commas [default: loopback names and the public URL's host]
    #[arg(
        long,
        value_name = "HOSTS",
        value_delimiter = ',',
        help_heading = "Listening"
    )]
    allowed_hosts: Option<Vec<String>>,
    /// Origin headers to answer, separated by commas [default: none but this server's own]
    #[arg(
        long,
        value_name = "ORIGINS",
        value_delimiter = ',',
        help_heading = "Listening"
    )]
    allowed_origins: Option<Vec<String>>,
    /// Which tools to offer, separated by commas [default: all]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        help_heading = "Listening"
    )]
    toolsets: Option<Vec<String>>,
    /// How long a request may take [default: 30s]
    #[arg(long, value_name = "SPAN", help_heading = "Limits")]
    request_timeout: Option<String>,
    /// How long a stop waits for requests in flight [default: 9s]
    #[arg(long, value_name = "SPAN", help_heading = "Limits")]
    shutdown_grace: Option<String>,
    /// Requests a second for each key; 0 for no limit [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    rate_limit: Option<String>,
    /// Requests that a key may make at once [default: 2000]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    rate_burst: Option<String>,
    /// Connections to PostgreSQL at most; fewer than 5 count as 5 [default: 12]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    postgres_max_connections: Option<String>,
    /// Whether to read the registries that are followed, in the background: on or off [default: on]
    #[arg(long, value_name = "SWITCH", help_heading = "Registries")]
    sync: Option<String>,
    /// How long after the last look at a chain's head the next one is [default: 12s]
    #[arg(long, value_name = "SPAN", help_heading = "Registries")]
    sync_poll: Option<String>,
    /// How long after the last look at a registry's code the next one is [default: 10m]
    #[arg(long, value_name = "SPAN", help_heading = "Registries")]
    sync_code: Option<String>,
    /// Whether to keep the tools of those registries verified: on or off [default: on]
    #[arg(long, value_name = "SWITCH", help_heading = "Registries")]
    verify: Option<String>,
    /// Manifests to fetch at once, each from another host [default: 16]
    #[arg(long, value_name = "N", help_heading = "Registries")]
    verify_at_once: Option<String>,
    /// A second listener for /metrics alone, open to whoever reaches it
    #[arg(long, value_name = "ADDRESS", help_heading = "Being seen")]
    metrics_listen: Option<String>,
    /// Where to export traces to, over OTLP/HTTP, like http://localhost:4318
    #[arg(long, value_name = "URL", help_heading = "Being seen")]
    otlp_endpoint: Option<String>,
    #[command(flatten)]
    chains: ChainFlags,
}

/// Chains in their short form.
#[derive(Args, Debug, Default)]
pub(crate) struct ChainFlags {
    /// A chain to read, and where: 31337=http://127.0.0.1:8545. Repeat it for more chains, or for more endpoints of one.
    /// Everybody on this machine sees flags: a URL with a key in it belongs in deedbox.toml or DEEDBOX_CHAINS
    #[arg(long, value_name = "ID=URL", help_heading = "Chains")]
    chain: Vec<String>,
}

impl ChainFlags {
    /// The flags that were given.
    pub(crate) fn add_to(self, flags: &mut Flags) {
        if !self.chain.is_empty() {
            flags.insert("chains", self.chain);
        }
    }
}

impl ServerFlags {
    /// The flags that were given.
    pub(crate) fn add_to(self, flags: &mut Flags) {
        self.chains.add_to(flags);
        let one = |text: Option<String>| text.map(|text| vec![text]);
        let given = [
            ("listen", one(self.listen)),
            ("public_url", one(self.public_url)),
            ("allowed_hosts", self.allowed_hosts),
            ("allowed_origins", self.allowed_origins),
            ("toolsets", self.toolsets),
            ("request_timeout", one(self.request_timeout)),
            ("shutdown_grace", one(self.shutdown_grace)),
            ("rate_limit", one(self.rate_limit)),
            ("rate_burst", one(self.rate_burst)),
            (
                "postgres_max_connections",
                one(self.postgres_max_connections),
            ),
            ("sync", one(self.sync)),
            ("sync_poll", one(self.sync_poll)),
            ("sync_code", one(self.sync_code)),
            ("verify", one(self.verify)),
            ("verify_at_once", one(self.verify_at_once)),
            ("metrics_listen", one(self.metrics_listen)),
            ("otlp_endpoint", one(self.otlp_endpoint)),
        ];
        flags.extend(
            given
                .into_iter()
                .filter_map(|(name, texts)| Some((name, texts?))),
        );
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use crate::{cli::Cli, settings::definition::DEFINITIONS};

    #[test]
    fn config_show_takes_every_flag_that_a_setting_has_and_no_other() {
        let mut command = Cli::command();
        command.build();
        let show = command
            .find_subcommand("config")
            .and_then(|config| config.find_subcommand("show"))
            .unwrap();
        let mut taken: Vec<String> = show
            .get_arguments()
            .filter_map(|argument| argument.get_long())
            .map(|long| format!("--{long}"))
            .filter(|flag| !["--json", "--config", "--help", "--version"].contains(&flag.as_str()))
            .collect();
        let mut defined: Vec<&str> = DEFINITIONS.iter().filter_map(|one| one.flag).collect();
        taken.sort_unstable();
        defined.sort_unstable();
        assert_eq!(taken, defined);
    }
}
