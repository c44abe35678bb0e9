//! What people can do about a failure.

use std::borrow::Cow;

use deedbox_chain::{Code, ReadError};
use deedbox_fetch::{FetchError, TlsFault};
use deedbox_publish::PublishError;
use deedbox_store::StoreError;

use super::Failure;

impl Failure {
    /// What to do about it, when there is something to do.
    pub(super) fn advice(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Publish(error) => of_publishing(error),
            Self::Interrupted { id, .. } => Some(
                format!(
                    "`deedbox publication resume {id}` goes on, and never sends a second transaction"
                )
                .into(),
            ),
            Self::AnotherAttempt { id } => Some(
                format!(
                    "`deedbox publication resume {id}` goes on with it; with --raise-fee it offers more than that one does"
                )
                .into(),
            ),
            other => other.by_its_kind().map(Cow::Borrowed),
        }
    }

    /// What does not depend on what exactly went wrong.
    fn by_its_kind(&self) -> Option<&'static str> {
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
            Self::Index {
                cause: StoreError::Unsuitable(_) | StoreError::Damaged(_) | StoreError::Index { .. },
                ..
            } => {
                "If the file is nothing that you need, delete it: what registries said is read again from their chains"
            }
            Self::Store {
                cause: StoreError::Damaged(_),
                ..
            } => {
                "Nothing was changed in the file. Restore it from a backup: docs/operating.md says how"
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
            Self::KeyArgument => {
                "If it is a key, move what it controls to another account now: it stands in the shell's history, and everybody on this machine could see it. A key is given with --keystore, DEEDBOX_PRIVATE_KEY or --prompt-key. A hash that is meant as a value of metadata goes into a file, and KEY=@FILE"
            }
            Self::Unread(ReadError {
                code: Code::ChainNotConfigured,
                ..
            }) => {
                "Name an endpoint of the chain: --chain ID=URL, DEEDBOX_CHAINS='ID=URL', or [chains.ID] in deedbox.toml"
            }
            Self::Unread(ReadError {
                code: Code::WrongChain,
                ..
            }) => {
                "Correct the URL, or the id that it stands under: --chain ID=URL, DEEDBOX_CHAINS, or [chains.ID] in deedbox.toml; `deedbox config show` says which of them counts"
            }
            Self::Unread(ReadError {
                code: Code::EndpointUnavailable,
                ..
            }) => {
                "Check that it is up, and its URL: --chain ID=URL, DEEDBOX_CHAINS, or [[chains.ID.endpoints]] in deedbox.toml, where a certificate of your own is trusted with ca_file"
            }
            Self::NoChain { advice, .. } | Self::FileExists { advice, .. } => advice,
            Self::Unattended { otherwise } => otherwise,
            Self::Telemetry(_) => "Correct otlp_endpoint, or leave it out to export nothing",
            _ => return None,
        })
    }
}

/// Of a change that was not published. Most say themselves what to do.
fn of_publishing(error: &PublishError) -> Option<Cow<'static, str>> {
    match error {
        PublishError::Fetch(
            FetchError::AddressRefused { .. }
            | FetchError::PortRefused
            | FetchError::ConnectFailed(_),
        ) => Some(
            "A server of your own is fetched from when its network stands in `allow` of [fetch] in deedbox.toml"
                .into(),
        ),
        PublishError::Fetch(FetchError::Tls(
            TlsFault::UnknownIssuer | TlsFault::BadCertificate,
        )) => Some(
            "An authority of your own is trusted when its file stands in `ca_file` of [fetch] in deedbox.toml"
                .into(),
        ),
        PublishError::NotTaken { id, .. } => {
            Some(format!("To resume it: `deedbox publication resume {id}`").into())
        }
        PublishError::CannotPay {
            account,
            chain_id: DEVELOPMENT,
            ..
        } => Some(
            format!(
                "On a development chain anybody can have some: sign with a key that `deedbox chain dev` prints, or, with the chain's own address: \
                 curl http://127.0.0.1:8545 -H 'content-type: application/json' -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"anvil_setBalance\",\"params\":[\"{account:#x}\",\"0xde0b6b3a7640000\"]}}'"
            )
            .into(),
        ),
        _ => None,
    }
}

/// The id that development nodes have.
const DEVELOPMENT: u64 = 31_337;
