//! What is in force, for people and for programs, with secrets masked.

use deedbox_core::AgentLabel;
use serde_json::{Map, Value, json};

use super::{
    Environment, LogFormat, Setting, Settings, Source, database_url::masked, policy, read,
};

/// One setting as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its value, masked. Null: not set.
    pub(crate) value: Value,
    /// Where it came from.
    pub(crate) source: Source,
}

fn shown<T>(name: &'static str, setting: &Setting<T>, value: impl Into<Value>) -> Shown {
    Shown {
        name,
        value: value.into(),
        source: setting.source.clone(),
    }
}

const fn switch(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

impl Settings {
    /// Every setting but the chains and the policy, in the order of their definitions.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let text = |value: &dyn std::fmt::Display| value.to_string();
        vec![
            shown(
                "data_dir",
                &self.data_dir,
                self.data_dir
                    .value
                    .as_ref()
                    .map(|p| p.display().to_string()),
            ),
            shown(
                "database_url",
                &self.database_url,
                text(&self.database_url.value),
            ),
            shown(
                "postgres_max_connections",
                &self.postgres_max_connections,
                self.postgres_max_connections.value.get(),
            ),
            shown("listen", &self.listen, text(&self.listen.value)),
            shown(
                "public_url",
                &self.public_url,
                self.public_url.value.clone(),
            ),
            shown(
                "allowed_hosts",
                &self.allowed_hosts,
                self.allowed_hosts.value.clone(),
            ),
            shown(
                "allowed_origins",
                &self.allowed_origins,
                self.allowed_origins.value.clone(),
            ),
            shown(
                "request_timeout",
                &self.request_timeout,
                text(&self.request_timeout.value),
            ),
            shown(
                "shutdown_grace",
                &self.shutdown_grace,
                text(&self.shutdown_grace.value),
            ),
            shown("rate_limit", &self.rate_limit, self.rate_limit.value),
            shown("rate_burst", &self.rate_burst, self.rate_burst.value.get()),
            shown(
                "toolsets",
                &self.toolsets,
                read::split_list(&self.toolsets.value.to_string()),
            ),
            shown("sync", &self.sync, switch(self.sync.value)),
            shown("sync_poll", &self.sync_poll, text(&self.sync_poll.value)),
            shown("sync_code", &self.sync_code, text(&self.sync_code.value)),
            shown("verify", &self.verify, switch(self.verify.value)),
            shown(
                "verify_at_once",
                &self.verify_at_once,
                self.verify_at_once.value.get(),
            ),
            shown(
                "access_token",
                &self.access_token,
                self.access_token.value.as_ref().map(|_| "***"),
            ),
            shown(
                "metrics_listen",
                &self.metrics_listen,
                self.metrics_listen.value.map(|address| address.to_string()),
            ),
            shown(
                "otlp_endpoint",
                &self.otlp_endpoint,
                self.otlp_endpoint.value.as_ref().map(masked),
            ),
            shown(
                "agent_id",
                &self.agent_id,
                self.agent_id.value.as_ref().map(AgentLabel::as_str),
            ),
            shown(
                "agent_instance_id",
                &self.agent_instance_id,
                self.agent_instance_id.value.map(|hash| hash.to_string()),
            ),
            shown(
                "log_format",
                &self.log_format,
                self.log_format.value.map(|format| match format {
                    LogFormat::Text => "text",
                    LogFormat::Json => "json",
                }),
            ),
            shown(
                "log_filter",
                &self.log_filter,
                self.log_filter.value.clone(),
            ),
        ]
    }

    /// `{"configFile", "settings": {name: {"value", "source"}}, "chains": […], "policy": {"value", "source"},
    /// "publishing": [{"name", "value", "source"}], "unknownVariables"}`.
    pub(crate) fn to_json(&self, environment: &Environment) -> Value {
        let settings: Map<String, Value> = self
            .shown()
            .into_iter()
            .map(|one| {
                let shown = json!({"value": one.value, "source": one.source.to_string()});
                (one.name.to_owned(), shown)
            })
            .collect();
        let file = self.config_file.as_ref();
        json!({
            "configFile": file.map(|file| file.value.display().to_string()),
            "settings": settings,
            "chains": self.chains.iter().map(|chain| chain.shown(environment)).collect::<Vec<_>>(),
            "policy": policy::shown(&self.policy),
            "publishing": self.publishing.shown(),
            "unknownVariables": self.unknown_variables,
        })
    }
}
