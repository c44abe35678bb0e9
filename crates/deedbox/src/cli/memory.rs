//! `deedbox memory …`

use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use deedbox_core::MemoryKind;

use super::examples;

/// `deedbox memory …`
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Note something down for later
    ///
    /// Under a --semantic-key that exists in the space, it revises what is there, with the history kept.
    #[command(after_help = examples::MEMORY_REMEMBER)]
    Remember(RememberArgs),
    /// Find what helps with a question, best first
    #[command(after_help = examples::MEMORY_RECALL)]
    Recall(RecallArgs),
    /// List memories, the one remembered last first
    #[command(after_help = examples::MEMORY_LIST)]
    List(ListArgs),
    /// Show a memory with its whole history
    #[command(after_help = examples::MEMORY_SHOW)]
    Show {
        /// The memory's id
        memory: String,
    },
    /// Correct a memory, or mark a to-do done; earlier versions stay in its history
    #[command(after_help = examples::MEMORY_UPDATE)]
    Update(UpdateArgs),
    /// Take a memory out of recall, and with --redact delete its words for good
    #[command(after_help = examples::MEMORY_FORGET)]
    Forget {
        /// The memory's id
        memory: String,
        /// Delete the words of all its versions; this cannot be undone
        #[arg(long)]
        redact: bool,
        /// Why it is redacted; stays on record for ever
        #[arg(long, value_name = "TEXT", requires = "redact")]
        reason: Option<String>,
        #[command(flatten)]
        actor: AsActor,
    },
    #[command(flatten)]
    Steward(StewardCommand),
}

/// As whom something is written.
#[derive(Args, Debug)]
pub(crate) struct AsActor {
    /// As whom; nobody is named without it
    #[arg(long = "as", value_name = "ACTOR")]
    pub(crate) actor: Option<String>,
}

/// In which spaces something is looked for.
#[derive(Args, Debug)]
pub(crate) struct Spaces {
    /// In this space (repeat it)
    #[arg(long = "space", value_name = "SPACE", required_unless_present = "of")]
    pub(crate) spaces: Vec<String>,
    /// In the personal space of this actor
    #[arg(long = "of", value_name = "ACTOR")]
    pub(crate) of: Option<String>,
}

/// `deedbox memory remember`
#[derive(Args, Debug)]
pub(crate) struct RememberArgs {
    /// What is remembered; - reads it from standard input
    pub(crate) content: String,
    /// As whom
    #[arg(long = "as", value_name = "ACTOR", required_unless_present = "space")]
    pub(crate) actor: Option<String>,
    /// In which space [default: the personal one of --as]
    #[arg(long, value_name = "SPACE")]
    pub(crate) space: Option<String>,
    /// What kind of thing it is [default: note]
    #[arg(long, value_parser = kinds())]
    pub(crate) kind: Option<MemoryKind>,
    /// Where it belongs, like projects/deedbox
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// A word to file it under (repeat it)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// What it is about: under the same key, it is said anew
    #[arg(long = "semantic-key", value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// From when on it is not recalled any more, like 2027-01-31T00:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<String>,
    /// Have a memory with the same content take it up instead of there being two
    #[arg(long)]
    pub(crate) merge: bool,
}

/// `deedbox memory recall`
#[derive(Args, Debug)]
pub(crate) struct RecallArgs {
    /// A question, or words, in any language
    #[arg(value_name = "WORDS", required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) spaces: Spaces,
    /// Only this kind (repeat it)
    #[arg(long = "kind", value_parser = kinds())]
    pub(crate) kinds: Vec<MemoryKind>,
    /// Only at this path, or below it
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Only with this tag (repeat it)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// How many at most, 1 to 50 [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// How many tokens they may have together, 1 to 200000 [default: 2000]
    #[arg(long, value_name = "N")]
    pub(crate) token_budget: Option<u32>,
    /// Also what has expired
    #[arg(long)]
    pub(crate) expired: bool,
}

/// `deedbox memory list`
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) spaces: Spaces,
    /// Only this kind
    #[arg(long, value_parser = kinds())]
    pub(crate) kind: Option<MemoryKind>,
    /// Only at this path, or below it
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Only with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only with this key
    #[arg(long = "semantic-key", value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Only what this actor remembered
    #[arg(long, value_name = "ACTOR")]
    pub(crate) by: Option<String>,
    /// Only what an agent with this label wrote first or last
    #[arg(long, value_name = "LABEL")]
    pub(crate) by_label: Option<String>,
    /// Only what this installation wrote first or last
    #[arg(long, value_name = "HASH")]
    pub(crate) by_instance: Option<String>,
    /// Also what has expired
    #[arg(long)]
    pub(crate) expired: bool,
    /// How many at most, 1 to 100 [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Where the page before ended, as it printed it
    #[arg(long)]
    pub(crate) cursor: Option<String>,
}

/// `deedbox memory update`
#[derive(Args, Debug)]
pub(crate) struct UpdateArgs {
    /// The memory's id
    pub(crate) memory: String,
    #[command(flatten)]
    pub(crate) actor: AsActor,
    /// What is remembered instead; - reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub(crate) content: Option<String>,
    /// Mark a to-do done
    #[arg(long)]
    pub(crate) done: bool,
    /// And not done any more
    #[arg(long, conflicts_with = "done")]
    pub(crate) not_done: bool,
    /// What kind of thing it is
    #[arg(long, value_parser = kinds())]
    pub(crate) kind: Option<MemoryKind>,
    /// From when on it is not recalled any more; never
    #[arg(long, value_name = "TIME|never")]
    pub(crate) expires_at: Option<String>,
    /// All its tags from now on (repeat it)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Take all its tags away
    #[arg(long, conflicts_with = "tags")]
    pub(crate) no_tags: bool,
    /// Where it belongs
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Take its path away
    #[arg(long, conflicts_with = "path")]
    pub(crate) no_path: bool,
}

fn kinds() -> impl TypedValueParser<Value = MemoryKind> {
    PossibleValuesParser::new(MemoryKind::ALL.map(MemoryKind::as_str))
        .try_map(|word| word.parse::<MemoryKind>())
}

/// What those who look after a space ask for.
#[derive(Debug, Subcommand)]
pub(crate) enum StewardCommand {
    /// Write a space's memories, with their histories, to a file
    ///
    /// JSON lines: the first says what this is, each of the others is one version of a memory with who wrote it, and the last is SHA-256
    /// over all before it. Forgotten and redacted memories are in it, too, as far as their words are kept.
    #[command(after_help = examples::MEMORY_EXPORT)]
    Export {
        /// Where to; must not be there
        file: std::path::PathBuf,
        /// Which space
        #[arg(long)]
        space: String,
        /// Go on with an export to this file that broke off
        #[arg(long)]
        resume: bool,
    },
    /// Take the memories of an exported file into a space
    ///
    /// What is there already is recognised, so the same file can be imported again. Who wrote it first stands beside what is imported, as
    /// data; on record as its author is whoever imports. What was forgotten or changed here since is left as it is.
    #[command(after_help = examples::MEMORY_IMPORT)]
    Import {
        /// An exported file
        file: std::path::PathBuf,
        /// Into which space
        #[arg(long)]
        space: String,
        /// Say only what would come
        #[arg(long)]
        dry_run: bool,
    },
    /// Show who read what in a space, the latest first; or who changed what
    #[command(after_help = examples::MEMORY_AUDIT)]
    Audit {
        /// Which space
        #[arg(long)]
        space: String,
        /// Who changed what, memory by memory
        #[arg(long)]
        changes: bool,
        /// Only this memory
        #[arg(long, value_name = "ID")]
        memory: Option<String>,
        /// How many readings or memories at most, 1 to 1000 [default: 100]
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// Where the page before ended, as it printed it
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Count what is in a space by whom it comes from
    #[command(after_help = examples::MEMORY_REVIEW)]
    Review {
        /// Which space
        #[arg(long)]
        space: String,
    },
}

/// `deedbox space delete-rows`
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("whose").required(true).args(["actor", "agent_label"]))]
pub(crate) struct DeleteRowsArgs {
    /// The space's id
    pub(crate) space: String,
    /// Memories of which this actor wrote words
    #[arg(long, value_name = "ACTOR")]
    pub(crate) actor: Option<String>,
    /// Memories of which an agent with this label wrote words
    #[arg(long, value_name = "LABEL")]
    pub(crate) agent_label: Option<String>,
    /// Delete the words of all their versions; this cannot be undone
    #[arg(long)]
    pub(crate) redact: bool,
    /// Why they are redacted; stays on record for ever
    #[arg(long, value_name = "TEXT", requires = "redact")]
    pub(crate) reason: Option<String>,
    /// Say only what would go
    #[arg(long)]
    pub(crate) dry_run: bool,
}
