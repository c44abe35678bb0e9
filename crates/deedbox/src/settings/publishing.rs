//! `[publish]` and `[fetch]`: how changes of a chain are waited for, and what may be fetched to check them.

use std::path::PathBuf;

use deedbox_publish::Options;
use ipnet::IpNet;
use serde_json::{Value, json};

use super::{
    Setting, Source,
    chains::beside,
    endpoint::File,
    table::{Item, Table, Wrong},
};
use crate::duration::Span;

/// How many blocks have to hold a change, its own included, unless told otherwise.
pub(crate) const CONFIRMATIONS: u64 = Options::CONFIRMATIONS;
/// How long a transaction is waited for.
pub(crate) const WAIT: Span = Span::seconds(Options::WAIT.as_secs());
/// The most blocks that may be waited for.
pub(crate) const MOST_CONFIRMATIONS: u64 = 100_000;

/// How a change is waited for, and what is fetched to check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishSetting {
    /// How many blocks have to hold a change, its own included.
    pub(crate) confirmations: Setting<u64>,
    /// How long a transaction is waited for at most.
    pub(crate) wait: Setting<Span>,
    /// Special networks that may be fetched from after all.
    pub(crate) fetch_allow: Setting<Vec<IpNet>>,
    /// A file of certificates (PEM) that are trusted besides the public ones when something is fetched.
    pub(crate) fetch_ca_file: Setting<Option<PathBuf>>,
}

const fn unsaid<T>(value: T) -> Setting<T> {
    Setting {
        value,
        source: Source::Default,
    }
}

impl Default for PublishSetting {
    fn default() -> Self {
        Self {
            confirmations: unsaid(CONFIRMATIONS),
            wait: unsaid(WAIT),
            fetch_allow: unsaid(Vec::new()),
            fetch_ca_file: unsaid(None),
        }
    }
}

impl PublishSetting {
    /// Reads `[publish]`.
    ///
    /// # Errors
    /// What is wrong, at its place.
    pub(super) fn read_publish(&mut self, item: Item<'_, '_>, file: File<'_>) -> Result<(), Wrong> {
        for (name, span, item) in Table::of(item, &["confirmations", "wait"])?.entries() {
            let source = file.source(span.start);
            if name == "confirmations" {
                let value = item.number(1, MOST_CONFIRMATIONS)?;
                self.confirmations = Setting { value, source };
            } else {
                let value = item.parsed()?;
                self.wait = Setting { value, source };
            }
        }
        Ok(())
    }

    /// Reads `[fetch]`.
    ///
    /// # Errors
    /// What is wrong, at its place.
    pub(super) fn read_fetch(&mut self, item: Item<'_, '_>, file: File<'_>) -> Result<(), Wrong> {
        for (name, span, item) in Table::of(item, &["allow", "ca_file"])?.entries() {
            let source = file.source(span.start);
            if name == "allow" {
                let value = item.list(network)?;
                self.fetch_allow = Setting { value, source };
            } else {
                let value = Some(beside(file.path, item.text()?));
                self.fetch_ca_file = Setting { value, source };
            }
        }
        Ok(())
    }

    /// `[{"name", "value", "source"}]`.
    pub(crate) fn shown(&self) -> Value {
        let row = |name: &str, value: Value, source: &Source| json!({"name": name, "value": value, "source": source.to_string()});
        let allow: Vec<String> = self
            .fetch_allow
            .value
            .iter()
            .map(ToString::to_string)
            .collect();
        let ca_file = self.fetch_ca_file.value.as_ref();
        json!([
            row(
                "publish.confirmations",
                self.confirmations.value.into(),
                &self.confirmations.source
            ),
            row(
                "publish.wait",
                self.wait.value.to_string().into(),
                &self.wait.source
            ),
            row("fetch.allow", allow.into(), &self.fetch_allow.source),
            row(
                "fetch.ca_file",
                ca_file.map(|path| path.display().to_string()).into(),
                &self.fetch_ca_file.source
            ),
        ])
    }
}

/// One network, as `10.0.0.0/8`. A single address is written with its length, so that nobody allows a whole network by
/// leaving something out.
fn network(item: Item<'_, '_>) -> Result<IpNet, Wrong> {
    let wrong = || item.wrong("expected a network, like \"127.0.0.0/8\" or \"::1/128\"");
    let network: IpNet = item.text()?.parse().map_err(|_| wrong())?;
    if network.addr() == network.network() {
        Ok(network)
    } else {
        Err(item.wrong(format!(
            "bits stand behind the network's length; did you mean {}?",
            network.trunc()
        )))
    }
}
