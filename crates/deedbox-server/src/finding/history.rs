//! What was said of an agent or a tool, and what changed from one manifest to the next.

use std::collections::BTreeMap;

use deedbox_chain::UntrustedExcerpt;
use deedbox_core::{ChainAddress, ManifestHash, Refusal, RegistryId, Standard, TransactionHash};
use deedbox_id::ToolReference;
use deedbox_registry::AgentId;
use deedbox_store::index::{Fact, FactName, Kept, Statement, Subject};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    FromIndex, Hint, HintCode, Known, When,
    changes::{self, Change, How},
    cursor,
    hits::{agent_identifier, excerpt, tool_identifier},
};
use crate::{inputs::GetRegistryHistory, operations::Tool, policy::Asked as OfPolicy};

/// The most characters of a value.
const VALUE: usize = 1_000;
/// The most characters of a key, a URI, or what a field of a manifest holds.
const SHORT: usize = 200;
/// How many bytes of a value that is no text are told.
const HEX_BYTES: usize = 256;
/// How many changes between two manifests are told.
const CHANGES: usize = 40;

/// What was said of an agent or a tool, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryHistory {
    /// Of whom: an agent's identifier (ERC-8127), or a tool's reference (ERC-8257).
    pub subject: String,
    /// What was said, newest first. Empty, too, where nothing can be known: `hints` then has `registry_not_read` (it is not followed) or
    /// `not_read_yet`, and `nothing_said` where it is known that nothing was.
    pub records: Vec<Record>,
    /// Where it came from.
    pub provenance: FromIndex,
    /// What to give as `cursor` for what was said before; null when there is nothing more.
    pub next_cursor: Option<String>,
    /// What to know about this page, like why it is empty.
    pub hints: Vec<Hint>,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Record {
    /// What.
    #[serde(flatten)]
    pub said: Told,
    /// When.
    pub when: When,
    /// The transaction that said it.
    pub transaction: TransactionHash,
}

/// What was said: one event of a registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Told {
    /// An agent was given to somebody: from the zero address, made; to it, burned.
    Owner {
        /// Whose it was.
        from: ChainAddress,
        /// Whose it became.
        to: ChainAddress,
    },
    /// A transfer of another amount than one, which moves no agent (ERC-8122).
    OddTransfer {
        /// How many, in decimal.
        amount: String,
    },
    /// An agent was registered. A hint: what counts are the owner and the metadata.
    AgentRegistered {
        /// Its first owner.
        owner: ChainAddress,
    },
    /// Metadata was set (ERC-8048).
    Metadata {
        /// The key.
        key: UntrustedExcerpt,
        /// The value; null when it was removed, or is no text.
        value: Option<UntrustedExcerpt>,
        /// The first 256 bytes of a value that is no text, in hex with 0x; null otherwise.
        hex: Option<String>,
        /// How many bytes the value has; 0 removes what was there.
        bytes: u64,
    },
    /// Somebody may transfer so many of an agent, and with one or more write its metadata (ERC-6909).
    Allowance {
        /// Who allows it.
        owner: ChainAddress,
        /// Who may.
        spender: ChainAddress,
        /// How many, in decimal.
        amount: String,
    },
    /// A tool was registered (ERC-8257).
    ToolRegistered {
        /// Who registered it.
        creator: ChainAddress,
        /// Who decides on access; null: everybody may use it.
        access_predicate: Option<ChainAddress>,
        /// Its first manifest.
        #[serde(flatten)]
        manifest: ManifestSaid,
    },
    /// A tool got another manifest.
    Manifest {
        /// Which.
        #[serde(flatten)]
        manifest: ManifestSaid,
    },
    /// Somebody else decides on access to a tool.
    AccessPredicate {
        /// Who; null: everybody may use it.
        access_predicate: Option<ChainAddress>,
    },
    /// A tool was deregistered, for ever.
    Deregistered,
    /// Something about somebody else.
    Other,
}

/// A manifest that was registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ManifestSaid {
    /// Where it is.
    pub metadata_uri: UntrustedExcerpt,
    /// Its hash.
    pub manifest_hash: ManifestHash,
    /// What changed from the manifest before, at most 40 fields; null for the first one, and where one of the two documents is not kept
    /// here.
    pub changes: Option<Vec<ManifestChange>>,
    /// How many more fields changed; 0 when `changes` has all of them.
    pub more_changes: u64,
}

/// What changed in one field of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ManifestChange {
    /// Which field, like `pricing[0].amount`.
    pub field: UntrustedExcerpt,
    /// How.
    pub how: How,
    /// What stood there, as JSON; null when it was added.
    pub before: Option<UntrustedExcerpt>,
    /// What stands there, as JSON; null when it was removed.
    pub after: Option<UntrustedExcerpt>,
}

/// A history whose arguments were read.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) registry: RegistryId,
    pub(crate) subject: Subject,
    pub(crate) name: Option<FactName>,
    pub(crate) before: Option<deedbox_store::index::Place>,
    pub(crate) limit: u32,
    filter: Vec<u8>,
}

/// What the index has of a history.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The page, newest first.
    pub(crate) facts: Vec<Fact>,
    /// Whether there is more before it.
    pub(crate) more: bool,
    /// All facts that registered a manifest, newest first, as far as they are needed.
    pub(crate) manifests: Vec<Fact>,
    /// What those manifests were.
    pub(crate) documents: Documents,
    /// Whether it is known in which block it was registered.
    pub(crate) has_beginning: bool,
}

/// Manifests that were served once, by their hashes.
pub(crate) type Documents = BTreeMap<ManifestHash, Vec<u8>>;

impl GetRegistryHistory {
    /// # Errors
    /// [`Refusal::InvalidInput`], naming the argument.
    pub(crate) fn asked(&self) -> Result<Asked, Refusal> {
        let (registry, subject) = subject(&self.subject)?;
        let key = self.key.as_deref();
        if key.is_some() && !matches!(subject, Subject::Agent(_)) {
            return Err(Refusal::invalid("key", "only agents have metadata"));
        }
        let same = Self {
            limit: None,
            cursor: None,
            ..self.clone()
        };
        let tool = Tool::GetRegistryHistory.name();
        let filter = cursor::filter(tool, &same);
        let before = self.cursor.as_ref();
        let before = before.map(|text| cursor::place(&text.0, tool, &filter));
        Ok(Asked {
            registry,
            subject,
            name: key.map(|key| FactName::metadata(&key.into())),
            before: before.transpose()?,
            limit: self.limit.unwrap_or_default().get(),
            filter,
        })
    }
}

fn subject(text: &str) -> Result<(RegistryId, Subject), Refusal> {
    let bad = |reason: String| Refusal::invalid("subject", reason);
    if text.contains('@') {
        let agent = text.parse::<AgentId>();
        let agent = agent.map_err(|error| bad(error.message))?;
        let registry = RegistryId {
            chain_id: agent.chain_id,
            address: ChainAddress(agent.registry.0.0),
        };
        return Ok((registry, Subject::Agent(agent.agent_id)));
    }
    let tool: ToolReference = text.parse().map_err(|error: deedbox_id::Error| {
        bad(format!(
            "{error}; give an agent, like 12@eip155:1:0x…, or a tool, like eip155:1/erc8257:0x…/7"
        ))
    })?;
    let chain_id = tool.chain().to_u64();
    let registry = RegistryId {
        chain_id: chain_id
            .ok_or_else(|| bad("has a chain id that is not below 2^64".to_owned()))?,
        address: ChainAddress(tool.registry().0),
    };
    Ok((registry, Subject::Tool(tool.tool_id())))
}

impl Asked {
    /// What a policy is asked about it.
    pub(crate) fn of_policy(&self) -> OfPolicy {
        let address = deedbox_id::Address(self.registry.address.0);
        OfPolicy::of_the_index(
            Tool::GetRegistryHistory.name(),
            [self.registry.chain_id],
            [("subject".to_owned(), address)],
        )
    }

    /// The page of what was found.
    pub(crate) fn page(&self, found: &Found, known: &Known) -> RegistryHistory {
        let Found {
            facts,
            more,
            manifests,
            documents,
            ..
        } = found;
        let read = known.cursor(self.registry);
        let record = |fact: &Fact| {
            let before = before(fact, manifests);
            Record {
                said: Told::of(&fact.statement, before, documents),
                when: When::of(&fact.origin, read),
                transaction: fact.origin.transaction,
            }
        };
        let last = facts.last().filter(|_| *more);
        let tool = Tool::GetRegistryHistory.name();
        RegistryHistory {
            subject: match self.subject {
                Subject::Tool(id) => tool_identifier(self.registry, id),
                Subject::Agent(id) => agent_identifier(self.registry, id),
                _ => self.registry.to_string(),
            },
            records: facts.iter().map(record).collect(),
            provenance: known.provenance([self.registry], &[]),
            next_cursor: last.map(|fact| cursor::at_place(fact.origin.place, tool, &self.filter)),
            hints: self.hints(found, known),
        }
    }

    fn hints(&self, found: &Found, known: &Known) -> Vec<Hint> {
        let of = known.standard(self.registry);
        let message = match (self.subject, of) {
            (Subject::Agent(_), Some(Standard::Erc8257)) => Some(
                "its registry holds tools (ERC-8257) and no agents; give one as eip155:<chain>/erc8257:<registry>/<id>, on a command line to deedbox tool history",
            ),
            (Subject::Tool(_), Some(Standard::Erc8122)) => Some(
                "its registry holds agents (ERC-8122) and no tools; give one as <id>@eip155:<chain>:<registry>, on a command line to deedbox agent history",
            ),
            _ => None,
        };
        if let Some(message) = message {
            return vec![Hint::new(HintCode::OtherStandard, message)];
        }
        let of = self.registry;
        if !known.follows(of) {
            let message = format!(
                "nothing is known of it, because its registry is not followed here: whatever was said there, no block of it is read; an operator follows it with: deedbox registry add {of}"
            );
            return vec![Hint::new(HintCode::RegistryNotRead, message)];
        }
        let read = known.cursor(of).and_then(|cursor| cursor.upto);
        let mut hints = Vec::new();
        if read.is_none() {
            let message = "nothing is known of it yet: its registry is followed, and no block of it is read so far; deedbox serve reads in the background, and an operator can wait for it with: deedbox registry sync";
            hints.push(Hint::new(HintCode::NotReadYet, message));
        } else if found.facts.is_empty() {
            let message = "nothing like that was said in the blocks that are read; provenance says which those are";
            hints.push(Hint::new(HintCode::NothingSaid, message));
        }
        // Of what was registered in a block that is read, everything is known; and what is on other pages is no matter of this one.
        if !found.more && !found.has_beginning {
            let provenance = known.provenance([of], &[]);
            hints.extend(known.begins_in_the_middle(&provenance));
        }
        hints.extend(known.warnings(&[of]));
        hints
    }
}

/// The manifest that a statement registers.
fn registers(statement: &Statement) -> Option<ManifestHash> {
    match statement {
        Statement::ToolRegistered { manifest_hash, .. }
        | Statement::ToolMetadataUpdated { manifest_hash, .. } => Some(*manifest_hash),
        _ => None,
    }
}

/// The manifest that was registered before this fact.
fn before(fact: &Fact, manifests: &[Fact]) -> Option<ManifestHash> {
    let mut older = manifests.iter();
    let older = older.find(|one| one.origin.place < fact.origin.place)?;
    registers(&older.statement)
}

impl ManifestSaid {
    fn new(
        uri: &Kept,
        hash: ManifestHash,
        before: Option<ManifestHash>,
        documents: &Documents,
    ) -> Self {
        let both = before.and_then(|before| Some((documents.get(&before)?, documents.get(&hash)?)));
        let changes = both.and_then(|(before, after)| changes::between(before, after));
        Self {
            metadata_uri: excerpt(uri, SHORT),
            manifest_hash: hash,
            more_changes: changes
                .as_ref()
                .map_or(0, |all| all.len().saturating_sub(CHANGES) as u64),
            changes: changes.map(|all| all.iter().take(CHANGES).map(ManifestChange::of).collect()),
        }
    }
}

impl ManifestChange {
    fn of(change: &Change) -> Self {
        let shown = |text: &str| UntrustedExcerpt::read(text.as_bytes(), false, SHORT);
        Self {
            field: shown(&change.field),
            how: change.how(),
            before: change.before.as_deref().map(shown),
            after: change.after.as_deref().map(shown),
        }
    }
}

impl Told {
    fn of(statement: &Statement, before: Option<ManifestHash>, documents: &Documents) -> Self {
        match statement {
            Statement::Registered { owner, .. } => Self::AgentRegistered { owner: *owner },
            Statement::Transferred {
                from, to, amount, ..
            } if *amount == deedbox_id::U256::ONE => Self::Owner {
                from: *from,
                to: *to,
            },
            Statement::Transferred { amount, .. } => Self::OddTransfer {
                amount: amount.to_string(),
            },
            Statement::MetadataSet { key, value, .. } => {
                let is_text = value.text().is_some() && !value.bytes().contains(&0);
                let bytes = &value.bytes()[..value.bytes().len().min(HEX_BYTES)];
                Self::Metadata {
                    key: excerpt(key, SHORT),
                    value: (is_text && !value.is_empty()).then(|| excerpt(value, VALUE)),
                    hex: (!is_text).then(|| alloy_primitives::hex::encode_prefixed(bytes)),
                    bytes: value.length(),
                }
            }
            Statement::Approved {
                owner,
                spender,
                amount,
                ..
            } => Self::Allowance {
                owner: *owner,
                spender: *spender,
                amount: amount.to_string(),
            },
            Statement::ToolRegistered {
                creator,
                access_predicate,
                metadata_uri,
                manifest_hash,
                ..
            } => Self::ToolRegistered {
                creator: *creator,
                access_predicate: *access_predicate,
                manifest: ManifestSaid::new(metadata_uri, *manifest_hash, None, documents),
            },
            Statement::ToolMetadataUpdated {
                metadata_uri,
                manifest_hash,
                ..
            } => Self::Manifest {
                manifest: ManifestSaid::new(metadata_uri, *manifest_hash, before, documents),
            },
            Statement::AccessPredicateUpdated {
                access_predicate, ..
            } => Self::AccessPredicate {
                access_predicate: *access_predicate,
            },
            Statement::ToolDeregistered { .. } => Self::Deregistered,
            Statement::OperatorSet { .. }
            | Statement::ContractMetadataSet { .. }
            | Statement::Upgraded { .. }
            | Statement::BeaconUpgraded { .. } => Self::Other,
        }
    }
}

/// The manifests whose documents a page needs: those of its facts, and those before them.
pub(crate) fn hashes(facts: &[Fact], manifests: &[Fact]) -> Vec<ManifestHash> {
    let of_page = facts.iter().filter_map(|fact| {
        let hash = registers(&fact.statement)?;
        Some([Some(hash), before(fact, manifests)])
    });
    let mut hashes: Vec<_> = of_page.flatten().flatten().collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}
