//! How much of everything is accepted. What is over a limit is refused, never cut.

/// A task's title, in characters (Unicode scalar values).
pub const TITLE_CHARS: usize = 500;
/// A description, context note, claim or reason, in bytes of UTF-8.
pub const TEXT_BYTES: usize = 64 * 1024;
/// A source reference, in bytes of UTF-8.
pub const REFERENCE_BYTES: usize = 2 * 1024;
/// An authority scope, in bytes of UTF-8.
pub const AUTHORITY_SCOPE_BYTES: usize = 2 * 1024;
/// An actor's id, in characters.
pub const ACTOR_ID_CHARS: usize = 128;
/// A space's id, in characters: `personal:` and an actor's id.
pub const SPACE_ID_CHARS: usize = "personal:".len() + ACTOR_ID_CHARS;
/// An actor's display name, and a key's label, in characters.
pub const NAME_CHARS: usize = 200;
/// An agent label, in characters.
pub const AGENT_LABEL_CHARS: usize = 256;
/// The label of an installation, in characters (Unicode scalar values).
pub const INSTANCE_LABEL_CHARS: usize = 256;
/// An idempotency key, in characters of visible ASCII.
pub const IDEMPOTENCY_KEY_CHARS: usize = 255;
/// How long a repeat with the same idempotency key returns the first result, in milliseconds.
pub const IDEMPOTENCY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// Entries in one task's history: its creation, acceptances, completions and handoffs together.
/// A status answer carries them all, so this bounds what one call can return.
pub const TASK_DEEDS: u64 = 10_000;
/// All bodies of one task's history together, in bytes of canonical JSON.
pub const TASK_BYTES: u64 = 8 * 1024 * 1024;
/// A recorded reading, in bytes of canonical JSON.
pub const READING_BYTES: usize = 1024 * 1024;
/// A signed transaction, in bytes: what nodes pass on.
pub const RAW_TRANSACTION_BYTES: usize = 128 * 1024;
/// A publication's arguments, and what it created, each in bytes of canonical JSON.
pub const PUBLICATION_ARGUMENTS_BYTES: usize = 64 * 1024;
/// Attempts at one publication. Each raises both fees by a tenth at least, so the last offers nineteen times the first.
pub const PUBLICATION_ATTEMPTS: usize = 32;
/// What a settlement finds that differs or could not be compared, in statements.
pub const PUBLICATION_FINDINGS: usize = 50;
/// Interfaces that a sighting of a registry names.
pub const REGISTRY_CLAIMS: usize = 64;
/// Tools of one registry whose manifests are pinned. All of them stand in one row.
pub const REGISTRY_PINS: usize = 1_000;
/// Claims in one conclusion.
pub const CONCLUSION_CLAIMS: usize = 50;
/// Statements of what is unknown in one conclusion.
pub const CONCLUSION_UNKNOWN: usize = 50;
/// One claim of a conclusion, one statement of what is unknown, or one finding about a publication, in bytes of UTF-8.
pub const STATEMENT_BYTES: usize = 4 * 1024;
/// Readings that one claim is compared with at most, the newest.
pub const CONCLUSION_READINGS: u32 = 100;
/// Numbers in one claim of a conclusion.
pub const CLAIM_NUMBERS: usize = 32;
/// Readings that one conclusion is compared with at most, in bytes of their names and texts.
pub const CONCLUSION_BYTES: usize = 16 * 1024 * 1024;
/// What is remembered, in bytes of UTF-8.
pub const MEMORY_BYTES: usize = 256 * 1024;
/// A memory's path, in bytes of UTF-8.
pub const MEMORY_PATH_BYTES: usize = 1024;
/// A memory's tags.
pub const MEMORY_TAGS: usize = 32;
/// One tag of a memory, in characters.
pub const MEMORY_TAG_CHARS: usize = 64;
/// A memory's semantic key, in characters.
pub const MEMORY_KEY_CHARS: usize = 256;
/// Entries in one memory's history: remembered, revised, forgotten and redacted together.
pub const MEMORY_DEEDS: u64 = 10_000;
/// Living memories in one space.
pub const SPACE_MEMORIES: u64 = 2_000_000;
/// All texts of one space that are kept, those of earlier versions and of forgotten memories too, in bytes of canonical JSON.
pub const SPACE_BYTES: u64 = 8 * 1024 * 1024 * 1024;
/// Members of one team space, its owner too. All of them are read with each decision in it.
pub const SPACE_MEMBERS: usize = 1_000;
/// Tasks, pieces of evidence or publications in one page of a list when the caller does not say.
pub const PAGE_DEFAULT: u32 = 100;
/// Tasks, pieces of evidence or publications in one page of a list at most.
pub const PAGE_MAX: u32 = 1_000;
/// A request's body, in bytes: twice and more the largest text in it, because a JSON text may spell each character as `\uXXXX`.
pub const BODY_BYTES: usize = 1024 * 1024;
/// Levels of nesting in a request's JSON.
pub const JSON_DEPTH: usize = 64;
