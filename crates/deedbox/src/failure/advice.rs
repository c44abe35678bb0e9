//! What people can do about a failure.

use deedbox_chain::{Code, ReadError};
use deedbox_publish::PublishError;
use deedbox_store::StoreError;

use super::Failure;

impl Failure {
    /// What to do about it, when there is something to do.
    pub(super) fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoKey => {
                "Make a key with `deedbox key new --actor ID` and put it into the client's configuration as DEEDBOX_KEY"
            }
            Self::KeyRefused => "`deedbox key list` shows which keys are active",
            Self::PortTaken { .. } => {
                "Stop the other program, or choose another port: deedbox serve --listen 127.0.0.1:7879"
            }
            Self::CannotListen { .. } => {
                "Choose an address of this machine with --listen; a port below 1024 needs special rights"
            }
            Self::NoDatabase { .. } => {
                "`deedbox serve` makes one; if it is elsewhere, name it with --data-dir or --database-url"
            }
            Self::NoDataDir | Self::NotAFolder { .. } => {
                "Choose a folder with --data-dir or DEEDBOX_DATA_DIR"
            }
            Self::NotWritable { .. } => {
                "Give this user the right to write there, or choose another folder with --data-dir"
            }
            Self::Store {
                cause: StoreError::Unavailable(_),
                ..
            } => {
                "Check that the database is running and that --database-url or DEEDBOX_DATABASE_URL is right"
            }
            Self::ConfigFileMissing { .. } => {
                "Correct the path, or leave it out to use the defaults"
            }
            Self::ManifestRefused { .. } => "`deedbox tool check` shows each of them",
            Self::NoSigner => {
                "Name a keystore with --keystore (`deedbox account new` makes one), put a key into DEEDBOX_PRIVATE_KEY, or have it asked for with --prompt-key. --from ADDRESS --dry-run needs none"
            }
            Self::SecretArgument { .. } => {
                "Use --keystore, DEEDBOX_PRIVATE_KEY or --prompt-key; and since the secret stands in the history now, change it"
            }
            Self::Interrupted(_) => {
                "`deedbox publication resume`, with this id, goes on, and never sends a second transaction"
            }
            Self::Publish(error) if matches!(**error, PublishError::Fetch(_)) => {
                "A server of your own, at an address or with a certificate that is not public, is allowed in [fetch] of deedbox.toml: allow, ca_file"
            }
            Self::Unread(ReadError {
                code: Code::ChainNotConfigured,
                ..
            }) => {
                "Name an endpoint of the chain: --chain ID=URL, DEEDBOX_CHAINS='ID=URL', or [chains.ID] in deedbox.toml"
            }
            Self::NoChain { advice, .. } | Self::FileExists { advice, .. } => advice,
            Self::Unattended { otherwise } => otherwise,
            Self::Telemetry(_) => "Correct otlp_endpoint, or leave it out to export nothing",
            _ => return None,
        })
    }
}
