//! How a command fails: the text, the advice, the stable code and the exit code, each decided here once.
//!
//! Exit codes: 1, the rules refused (or `ledger check` found a fault); 2, bad usage or bad input; 3, the
//! program could not do it; 4, a transaction was sent, or may have been, and how it ends is not known yet.

mod advice;
mod publishing;
#[cfg(test)]
mod tests;

use std::{error::Error, fmt::Write as _, io, net::SocketAddr, path::PathBuf};

use deedbox_chain::{Code, ReadError};
use deedbox_core::{PublicationId, Refusal, RegistryId, ToolId};
use deedbox_publish::PublishError;
use deedbox_server::{
    StdioError,
    finding::{Candidate, MOST_CANDIDATES},
    policy::PolicyRefused,
};
use deedbox_store::StoreError;

use crate::{
    accounts::{Unreadable, masked},
    commands::Wrong,
    render::{Paint, Position, WIDTH, foreign, line, path as shown},
    settings::Source,
};

/// A cause that only the operator sees.
pub(crate) type Cause = Box<dyn Error + Send + Sync + 'static>;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The rules of the protocol say no.
    #[error("{0}")]
    Refused(Refusal),
    /// The operator does not allow it.
    #[error("{0}")]
    Policy(PolicyRefused),
    /// A chain could not be read, or says no.
    #[error("{0}")]
    Unread(ReadError),
    /// No agent was named, and these may be meant.
    #[error("{error}")]
    Unclear {
        /// What is wrong with what was named.
        error: ReadError,
        /// Who may be meant, best first.
        candidates: Vec<Candidate>,
    },
    /// An argument is not what it should be.
    #[error("{what}: {reason}")]
    Argument {
        /// Which, as it is written: `--expires`.
        what: &'static str,
        /// What is wrong and what is expected.
        reason: String,
    },
    /// A text is no identifier, or has no such form.
    #[error("{what}: {}", wrong.message)]
    Identifier {
        /// In which way the text fails.
        fault: Fault,
        /// What the text should be, or become.
        what: String,
        /// What was given.
        text: String,
        /// Why not, and where.
        wrong: Box<Wrong>,
    },
    /// A manifest's text cannot be read.
    #[error("{file} cannot be read as a manifest: {message} (line {}, column {})", place.line, place.column)]
    Manifest {
        /// Which file, as it is shown.
        file: String,
        /// What is wrong.
        message: String,
        /// The rule that says so.
        rule: &'static str,
        /// Where.
        place: Position,
        /// The line with a mark under the place, the rule and the advice.
        excerpt: String,
    },
    /// A manifest breaks the rules of ERC-8257. Its hash was printed all the same.
    #[error("{file} is refused for {} {}, so nobody should register it", findings.len(), if findings.len() == 1 { "reason" } else { "reasons" })]
    ManifestRefused {
        /// Which file, as it is shown.
        file: String,
        /// The findings that refuse it, as `tool check --json` prints them.
        findings: Vec<serde_json::Value>,
    },
    /// A file that was named cannot be read.
    #[error("{} cannot be read", masked(&shown(path)))]
    CannotRead {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A keystore gives no key.
    #[error("the keystore {}: {cause}", shown(path))]
    Keystore {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: Unreadable,
    },
    /// Nobody is named who signs.
    #[error("nobody is named who signs")]
    NoSigner,
    /// A command line holds a secret where none belongs.
    #[error(
        "{flag} is no flag of this command: what is typed stays in the shell's history, and everybody on this machine sees it"
    )]
    SecretArgument {
        /// Which, without its value.
        flag: &'static str,
    },
    /// A command line holds what may be a private key, where no hash belongs.
    #[error(
        "an argument holds 64 hexadecimal digits, as a private key has them, in a place where no hash belongs; it is not repeated here, and nothing was done with it"
    )]
    KeyArgument,
    /// While a higher fee was signed, another attempt of the same publication was recorded.
    #[error(
        "another attempt of publication {id} was recorded meanwhile, by somebody else or by this program a second time. What was signed now was neither recorded nor sent"
    )]
    AnotherAttempt {
        /// The publication. It is open.
        id: PublicationId,
    },
    /// A change of a chain was not published, or is not known to be.
    #[error("{0}")]
    Publish(Box<PublishError>),
    /// Somebody ended the program while a publication was under way.
    #[error(
        "stopped: publication {id} is {}",
        if *sent { "sent, and may take effect at any time" } else { "signed and recorded, and may be on its way" }
    )]
    Interrupted {
        /// Which.
        id: PublicationId,
        /// Whether it is known that it was sent.
        sent: bool,
    },
    /// There is no chain of one's own, or not any more.
    #[error("there is no chain: {reason}")]
    NoChain {
        /// Why.
        reason: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// What is to be followed is no registry that this program reads.
    #[error("{registry} cannot be followed: it is {what}")]
    NotARegistry {
        /// Which contract.
        registry: RegistryId,
        /// What it is.
        what: String,
    },
    /// The chain does not say how a tool is registered, so there is nothing to pin it to.
    #[error("{registry} has no tool {tool} that is registered")]
    NoSuchTool {
        /// The registry.
        registry: RegistryId,
        /// Its tool.
        tool: ToolId,
    },
    /// Somebody was asked, and said no.
    #[error("you said no; nothing was recorded")]
    SaidNo,
    /// A person has to be asked, and there is nobody.
    #[error("there is no terminal to ask on")]
    Unattended {
        /// What to do instead.
        otherwise: &'static str,
    },
    /// There is no list of tools to judge.
    #[error("{from} gives no list of tools")]
    NoToolList {
        /// Which server or file, as it is shown: no more of a URL than its scheme and host.
        from: String,
        /// Why.
        #[source]
        cause: Cause,
    },
    /// A file that would be written is there already.
    #[error("{} exists already", shown(path))]
    FileExists {
        /// Which.
        path: PathBuf,
        /// What to do instead.
        advice: &'static str,
    },
    /// A file cannot be written.
    #[error("{} cannot be written", shown(path))]
    CannotWrite {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A setting is not what it should be.
    #[error("{name}: {reason} (from {source_of})")]
    Setting {
        /// Which.
        name: &'static str,
        /// What is wrong and what is expected; never the value of a secret.
        reason: String,
        /// Where the value came from.
        source_of: Source,
    },
    /// The configuration file cannot be used. The text shows the line.
    #[error("{} cannot be used\n{excerpt}", shown(path))]
    ConfigFile {
        /// Which file.
        path: PathBuf,
        /// What is wrong, with the line.
        excerpt: String,
    },
    /// The configuration file that was asked for cannot be read.
    #[error(
        "the configuration file {} cannot be read (from {source_of})",
        shown(path)
    )]
    ConfigFileMissing {
        /// Which file.
        path: PathBuf,
        /// Who asked for it.
        source_of: Source,
        /// Why.
        source: io::Error,
    },
    /// `deedbox mcp` was started without a credential.
    #[error("DEEDBOX_KEY is not set, so nobody knows as whom this client acts")]
    NoKey,
    /// `deedbox mcp` was started with a credential that is refused.
    #[error("the key in DEEDBOX_KEY is not valid")]
    KeyRefused,
    /// Another program listens there already.
    #[error("{address} is taken: another program listens there")]
    PortTaken {
        /// Where.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    CannotListen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// No home directory, so no default data folder.
    #[error("there is no data folder: no home directory is known")]
    NoDataDir,
    /// The data folder's path leads to, or through, something that is no folder.
    #[error("the data folder {} is not a folder", shown(path))]
    NotAFolder {
        /// Which.
        path: PathBuf,
    },
    /// The data folder cannot be made or written to.
    #[error("the data folder {} is not writable", shown(path))]
    NotWritable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no database where one was expected.
    #[error("there is no database at {}", shown(path))]
    NoDatabase {
        /// Where.
        path: PathBuf,
    },
    /// The database cannot be opened or asked.
    #[error("{cause} ({database})")]
    Store {
        /// Which, with its password masked.
        database: String,
        /// Why.
        cause: StoreError,
    },
    /// The file of the index cannot be opened. Nothing in it is the only copy of anything.
    #[error("the index of registries, {}, cannot be used: {cause}", shown(path))]
    Index {
        /// Where it is.
        path: PathBuf,
        /// Why.
        cause: StoreError,
    },
    /// Speaking MCP over standard input and output failed.
    #[error("speaking MCP over standard input and output failed")]
    Stdio(#[source] Box<StdioError>),
    /// Export of traces cannot be set up.
    #[error("traces cannot be exported")]
    Telemetry(#[source] Cause),
    /// Standard input or output failed.
    #[error("{what} failed")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
}

/// The exit code when there is no reading: 1 when the chain says no, 3 when nobody could be asked who knows.
const fn of_reading(code: Code) -> u8 {
    match code {
        Code::InvalidArgument => 2,
        Code::BlockNotFound
        | Code::NotAContract
        | Code::DelegatedAccount
        | Code::CallReverted
        | Code::InvalidResponse
        | Code::UnsupportedPool
        | Code::Reorged
        | Code::RangeTooLarge => 1,
        Code::ChainNotConfigured
        | Code::ArchiveUnavailable
        | Code::RateLimited
        | Code::EndpointLagging
        | Code::EndpointUnavailable
        | Code::WrongChain
        | Code::Timeout
        | Code::Busy => 3,
    }
}

/// In which way a text fails that should be an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is none.
    NotValid,
    /// It has no form of the kind that was asked for.
    NoConversion,
    /// It was given as a part of one, and does not fit.
    Part,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Failure {
    /// An argument that is not what it should be.
    pub(crate) fn argument(what: &'static str, reason: impl ToString) -> Self {
        Self::Argument {
            what,
            reason: reason.to_string(),
        }
    }

    /// A failed read or write of standard input or output, or of a process's own machinery.
    pub(crate) const fn io(what: &'static str, source: io::Error) -> Self {
        Self::Io { what, source }
    }

    /// The process's exit code.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Unread(error) | Self::Unclear { error, .. } => of_reading(error.code),
            Self::Publish(error) => publishing::exit_code(error),
            Self::Interrupted { .. } | Self::AnotherAttempt { .. } => 4,
            Self::Refused(Refusal::InvalidInput { .. })
            | Self::Argument { .. }
            | Self::Setting { .. }
            | Self::ConfigFile { .. }
            | Self::ConfigFileMissing { .. }
            | Self::NoKey
            | Self::KeyRefused => 2,
            Self::Identifier {
                fault: Fault::Part, ..
            }
            | Self::CannotRead { .. }
            | Self::Keystore { .. }
            | Self::NoSigner
            | Self::SecretArgument { .. }
            | Self::KeyArgument
            | Self::Unattended { .. }
            | Self::NoToolList { .. }
            | Self::FileExists { .. } => 2,
            Self::Refused(_)
            | Self::Policy(_)
            | Self::Identifier { .. }
            | Self::Manifest { .. }
            | Self::ManifestRefused { .. }
            | Self::NotARegistry { .. }
            | Self::NoSuchTool { .. }
            | Self::SaidNo => 1,
            Self::PortTaken { .. }
            | Self::CannotListen { .. }
            | Self::NoDataDir
            | Self::NotAFolder { .. }
            | Self::NotWritable { .. }
            | Self::NoDatabase { .. }
            | Self::CannotWrite { .. }
            | Self::NoChain { .. }
            | Self::Store { .. }
            | Self::Index { .. }
            | Self::Stdio(_)
            | Self::Telemetry(_)
            | Self::Io { .. } => 3,
        }
    }

    /// A name for programs that never changes.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Unread(error) | Self::Unclear { error, .. } => error.code.as_str(),
            Self::Policy(_) => "policy_refused",
            Self::Argument { .. }
            | Self::Identifier {
                fault: Fault::Part, ..
            } => "bad_argument",
            Self::Identifier {
                fault: Fault::NotValid,
                ..
            } => "bad_identifier",
            Self::Identifier {
                fault: Fault::NoConversion,
                ..
            } => "no_conversion",
            Self::Manifest { .. } => "bad_manifest",
            Self::ManifestRefused { .. } => "manifest_refused",
            Self::CannotRead { .. } => "cannot_read",
            Self::Keystore { cause, .. } => match cause {
                Unreadable::WrongPassword => "wrong_password",
                _ => "bad_keystore",
            },
            Self::NoSigner => "no_signer",
            Self::SecretArgument { .. } | Self::KeyArgument => "secret_argument",
            Self::AnotherAttempt { .. } => "another_attempt",
            Self::Publish(error) => publishing::code(error),
            Self::Interrupted { .. } => "interrupted",
            Self::NoChain { .. } => "no_chain",
            Self::Unattended { .. } => "unattended",
            Self::NotARegistry { .. } => "not_a_registry",
            Self::NoSuchTool { .. } => "tool_not_found",
            Self::SaidNo => "declined",
            Self::NoToolList { .. } => "no_tool_list",
            Self::FileExists { .. } => "file_exists",
            Self::CannotWrite { .. } => "cannot_write",
            Self::Setting { .. } => "bad_setting",
            Self::ConfigFile { .. } | Self::ConfigFileMissing { .. } => "bad_config_file",
            Self::NoKey => "no_key",
            Self::KeyRefused => "unauthenticated",
            Self::PortTaken { .. } => "port_taken",
            Self::CannotListen { .. } => "cannot_listen",
            Self::NoDataDir => "no_data_dir",
            Self::NotAFolder { .. } => "not_a_folder",
            Self::NotWritable { .. } => "not_writable",
            Self::NoDatabase { .. } => "no_database",
            Self::Store { cause, .. } => match cause {
                StoreError::Newer { .. } => "database_newer",
                StoreError::Unavailable(_) => "database_unavailable",
                StoreError::Busy(_) => "database_busy",
                StoreError::Unreadable { .. } => "row_unreadable",
                StoreError::Altered { .. } => "ledger_altered",
                StoreError::Index { .. } => "index_unusable",
                _ => "database_error",
            },
            Self::Index { .. } => "index_unusable",
            Self::Stdio(_) => "mcp",
            Self::Telemetry(_) => "telemetry",
            Self::Io { .. } => "io",
        }
    }

    /// For people: message, causes, advice, each on its line.
    pub(crate) fn for_people(&self) -> String {
        let mut text = match self {
            Self::Identifier {
                what, text, wrong, ..
            } => {
                format!(
                    "error: {what}\n{}",
                    wrong.shown(&masked(text), WIDTH, Paint::off())
                )
            }
            Self::Manifest {
                file,
                message,
                excerpt,
                ..
            } => {
                format!(
                    "error: {file} cannot be read as a manifest: {message}\n{}",
                    excerpt.trim_end()
                )
            }
            Self::Unclear { error, candidates } => {
                let mut text = format!("error: {error}\n  These may be meant; nothing is guessed:");
                for one in candidates {
                    let name = one.name.as_ref().map(|name| line(&name.text));
                    let name = name.map_or_else(String::new, |name| format!("  \"{name}\""));
                    let trust = one.trust.as_str().replace('_', " ");
                    let _ = write!(text, "\n    {}{name}  (registry {trust})", one.identifier);
                }
                if candidates.len() >= MOST_CANDIDATES {
                    text.push_str("\n  There may be more: deedbox agent find WORDS");
                }
                text
            }
            other => format!("error: {other}"),
        };
        let mut cause = self.cause();
        while let Some(inner) = cause {
            let because = inner.to_string();
            // Some libraries print a cause inside their own text too; people need it once.
            if !text.ends_with(&because) {
                let _ = write!(text, "\n  because: {because}");
            }
            cause = inner.source();
        }
        if let Some(advice) = self.advice() {
            let _ = write!(text, "\n  {advice}.");
        }
        // What was typed, a file's name, a database's answer: nearly every part may be a stranger's text.
        foreign(&text)
    }

    /// For programs: `{"error", "code"}`, and what else a program can do something with. Causes inside the program stay
    /// out; they are for people, and change. Why a file that was named cannot be used is for whoever named it.
    pub(crate) fn for_programs(&self) -> serde_json::Value {
        let error = self
            .advice()
            .map_or_else(|| self.to_string(), |advice| format!("{self}. {advice}"));
        let mut value = serde_json::json!({"error": error, "code": self.code()});
        if let Self::Identifier { text, wrong, .. } = self {
            value["reason"] = wrong.reason.into();
            let place = wrong.to_json(text);
            value["at"] = place["at"].clone();
            value["column"] = place["column"].clone();
        }
        // What is under way can be gone on with.
        let under_way = match self {
            Self::Publish(error) => error.publication(),
            Self::Interrupted { id, .. } | Self::AnotherAttempt { id } => Some(*id),
            _ => None,
        };
        if let Some(id) = under_way {
            value["publication_id"] = id.to_string().into();
        }
        match self {
            Self::CannotRead { source, .. } | Self::CannotWrite { source, .. } => {
                value["cause"] = source.to_string().into();
            }
            Self::NoToolList { cause, .. } => value["cause"] = cause.to_string().into(),
            Self::Manifest { rule, place, .. } => {
                value["rule"] = (*rule).into();
                value["line"] = place.line.into();
                value["column"] = place.column.into();
            }
            Self::ManifestRefused { findings, .. } => value["findings"] = findings.clone().into(),
            Self::Unclear { candidates, .. } => value["candidates"] = serde_json::json!(candidates),
            _ => {}
        }
        value
    }

    /// The message of a [`StoreError`] is this failure's own, so its chain starts one deeper.
    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Store { cause, .. } | Self::Index { cause, .. } => cause.source(),
            other => other.source(),
        }
    }
}
