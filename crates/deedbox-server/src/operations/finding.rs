//! What the local index answers. No chain is read, so nothing is recorded as evidence.

use std::collections::BTreeMap;

use deedbox_chain::request::AddressText;
use deedbox_core::{Attribution, ChainAddress, RegistryId, RegistryState, ToolId};
use deedbox_id::{ToolReference, U256};
use deedbox_registry::{AgentId, resolve::MOST_ASKED};
use deedbox_store::index::{
    AgentEntry, Fact, FactName, Found, History, Index, Statement, Subject, manifest_since,
};
use serde_json::{Map, Value};

use super::{Fault, Operation, Operations, Reply, Tool};
use crate::{
    finding::{
        Alarm, AskedHistory, Candidate, ChainIsShort, Documents, FoundHistory, Hint, Known,
        KnownSpenders, ListedRegistry, MOST_CANDIDATES, PinStands, Pinned, RegistryList, Scoped,
        Wanted, approvals_before, hashes, named,
    },
    inputs::{FindAgents, FindTools, GetRegistryHistory, ResolveAgent, VerifyTool},
    policy::Asked,
    readings::ReadingRequest,
};

/// How many accounts that may act for an owner are taken from the index and asked about.
const SPENDERS: usize = 16;
/// How many of an owner's operators, and statements about allowances, are looked at.
const PERMISSIONS: u32 = 256;
/// In how many registries a number without a registry is looked up.
const REGISTRIES: usize = 32;

impl Operations {
    /// What is known of registries now: of those that the policy lets be told, and of what was read of those that are followed. What is read of
    /// others is there until it is forgotten, and is not told.
    async fn known(&self) -> Result<Known, Fault> {
        let states = self.store.registries().await?;
        let (cursors, looks, surveys) = match &self.index {
            Some(index) => (
                index.cursors().await?,
                index.looks().await?,
                index.surveys().await?,
            ),
            None => Default::default(),
        };
        let (decided, read) = (states.len(), cursors.len());
        let allowed = |registry| self.policy.allows_registry(registry);
        let states = states.into_iter().map(|state| (state.id, state));
        let states: BTreeMap<_, _> = states.filter(|(id, _)| allowed(*id)).collect();
        let followed = |id| states.get(&id).is_some_and(|state| state.followed);
        let cursors = cursors.into_iter().map(|cursor| (cursor.registry, cursor));
        let cursors: BTreeMap<_, _> = cursors.filter(|(id, _)| followed(*id)).collect();
        Ok(Known {
            some_hidden: states.len() < decided,
            some_left_out: cursors.len() < read,
            states,
            cursors,
            looks,
            surveys,
            now: self.world.now(),
        })
    }

    pub(super) async fn find_agents(&self, input: &FindAgents) -> Result<Reply, Fault> {
        let (scoped, known) = (input.scoped()?, self.known().await?);
        let found = match (scoped.search(&known), &self.index) {
            (Some(search), Some(index)) => {
                let numbering = numbering_of(&**index, &scoped).await?;
                let found = index.search_agents(&search).await?;
                scoped.still_counts(index.numbering().await?)?;
                (found, numbering)
            }
            _ => (nothing(), 0),
        };
        Ok(Reply::Agents(scoped.page(found, &known)))
    }

    pub(super) async fn find_tools(&self, input: &FindTools) -> Result<Reply, Fault> {
        let (scoped, known) = (input.scoped()?, self.known().await?);
        let found = match (scoped.search(&known), &self.index) {
            (Some(search), Some(index)) => {
                let numbering = numbering_of(&**index, &scoped).await?;
                let found = index.search_tools(&search).await?;
                scoped.still_counts(index.numbering().await?)?;
                (found, numbering)
            }
            _ => (nothing(), 0),
        };
        Ok(Reply::Tools(scoped.page(found, &known)))
    }

    pub(super) async fn list_registries(&self) -> Result<Reply, Fault> {
        let known = self.known().await?;
        let counts = match &self.index {
            Some(index) => index.counts().await?,
            None => Default::default(),
        };
        let mut registries = Vec::new();
        for state in known.followed() {
            // Of what is followed there is always something to say.
            let Some(read) = known.read(state.id) else {
                continue;
            };
            let mut alarms = Vec::new();
            if read.code_changed == Some(true) {
                alarms.push(Alarm::CodeChanged);
            }
            alarms.extend(read.chain_broke_finality.map(Alarm::ChainBrokeFinality));
            let short = read.chain_is_short.filter(ChainIsShort::is_alarm);
            alarms.extend(short.map(Alarm::ChainEndsBelowFinal));
            alarms.extend(self.pins_that_differ(state).await?);
            registries.push(ListedRegistry {
                read,
                entries: counts.get(&state.id).copied().unwrap_or(0),
                pins: state.pins.len() as u64,
                alarms,
            });
        }
        registries.sort_by_key(|one| one.read.registry.to_string());
        Ok(Reply::Registries(RegistryList {
            registries,
            hints: known.all_hints(),
        }))
    }

    /// The pinned tools of a registry whose registered manifest is another one.
    async fn pins_that_differ(&self, state: &RegistryState) -> Result<Vec<Alarm>, Fault> {
        let mut alarms = Vec::new();
        let Some(index) = &self.index else {
            return Ok(alarms);
        };
        for (tool_id, pinned) in &state.pins {
            let Some(tool) = index.tool(state.id, tool_id.0).await? else {
                continue;
            };
            if let Some(gone) = tool.deregistered {
                alarms.push(Alarm::PinnedToolGone {
                    tool_id: *tool_id,
                    block_number: gone.place.block,
                });
            } else if tool.manifest_hash != *pinned {
                alarms.push(Alarm::PinDiffers {
                    tool_id: *tool_id,
                    pinned: *pinned,
                    registered: tool.manifest_hash,
                    block_number: manifest_since(&**index, &tool).await?,
                });
            }
        }
        Ok(alarms)
    }

    pub(super) async fn registry_history(
        &self,
        input: &GetRegistryHistory,
    ) -> Result<Reply, Fault> {
        let (asked, known) = (input.asked()?, self.known().await?);
        let mut found = FoundHistory::default();
        // What was read of a registry that is not followed any more is not told: it is there until it is forgotten, and nobody knows what came since.
        let index = self.index.as_ref();
        if let Some(index) = index.filter(|_| known.cursor(asked.registry).is_some()) {
            (found.facts, found.more) = facts_of(&**index, &asked).await?;
            found.has_beginning = has_beginning(&**index, &asked).await?;
            if let Subject::Tool(_) = asked.subject {
                (found.manifests, found.documents) =
                    evolution(&**index, &asked, &found.facts).await?;
            }
        }
        let page = asked.page(&found, &known);
        Ok(Reply::History(page))
    }

    /// Why an operation's arguments are refused; of one that names no agent, with who may be meant.
    pub(super) async fn who_is_meant(
        &self,
        by: &Attribution,
        operation: &Operation,
        fault: Fault,
    ) -> Fault {
        let error = match (operation, fault) {
            (Operation::Reading(ReadingRequest::Agent(_)), Fault::Unread(error)) => error,
            (_, fault) => return fault,
        };
        let Operation::Reading(ReadingRequest::Agent(input)) = operation else {
            return error.into();
        };
        // Of an agent that was named, something else is wrong.
        let unclear = input.agent.parse::<AgentId>().is_err();
        let Some(wanted) = named(&input.agent).filter(|_| unclear) else {
            return error.into();
        };
        // It is a search, so it is counted as one, and there is none where searches are not allowed.
        let asked = Asked::of_no_chain(Tool::FindAgents.name());
        if self.admit(by, &asked).await.is_err() {
            return error.into();
        }
        match self.candidates(&wanted).await {
            Ok(candidates) if candidates.is_empty() => error.into(),
            Ok(candidates) => Fault::Unclear { error, candidates },
            Err(failed) => failed,
        }
    }

    async fn candidates(&self, wanted: &Wanted) -> Result<Vec<Candidate>, Fault> {
        let known = self.known().await?;
        let Some(index) = &self.index else {
            return Ok(Vec::new());
        };
        let agents = match wanted.number {
            Some(number) => numbered(&**index, wanted, number, &known).await?,
            None => match wanted
                .search(&known)
                .filter(|one| !one.registries.is_empty())
            {
                Some(search) => index.search_agents(&search).await?.entries,
                None => Vec::new(),
            },
        };
        let told = agents.iter().take(MOST_CANDIDATES);
        Ok(told.map(|agent| Candidate::new(agent, &known)).collect())
    }

    /// The manifest that a tool is pinned to, beside what its registry says of it.
    pub(super) async fn pin(
        &self,
        input: &VerifyTool,
        said: &Map<String, Value>,
    ) -> Result<Option<Pinned>, Fault> {
        let Ok(tool) = input.tool.parse::<ToolReference>() else {
            return Ok(None);
        };
        let Some(chain_id) = tool.chain().to_u64() else {
            return Ok(None);
        };
        let registry = RegistryId {
            chain_id,
            address: ChainAddress(tool.registry().0),
        };
        let state = self.store.registry(registry).await?;
        let pinned = state.and_then(|state| state.pins.get(&ToolId(tool.tool_id())).copied());
        let registered = said.get("registration");
        let registered = registered.and_then(|said| said["manifest_hash"].as_str()?.parse().ok());
        Ok(pinned.map(|manifest_hash| Pinned {
            manifest_hash,
            stands: registered.map(|registered| PinStands::of(manifest_hash, registered)),
        }))
    }

    /// Accounts that an agent's owner has allowed something, as the index knows them, added to those that a request asks about.
    /// What they may do is asked on the chain as of any other. With a hint where some may not be known.
    pub(super) async fn with_known_spenders(
        &self,
        input: ResolveAgent,
    ) -> Result<(ResolveAgent, Option<KnownSpenders>, Option<Hint>), Fault> {
        let (Some(index), Ok(agent)) = (&self.index, input.agent.parse::<AgentId>()) else {
            return Ok((input, None, None));
        };
        let registry = RegistryId {
            chain_id: agent.chain_id,
            address: ChainAddress(agent.registry.0.0),
        };
        let cursors = index.cursors().await?;
        let cursor = cursors.into_iter().find(|one| one.registry == registry);
        let Some((from, upto)) = cursor.and_then(|cursor| Some((cursor.from, cursor.upto?))) else {
            return Ok((input, None, None));
        };
        let looks = index.looks().await?;
        let look = looks.iter().find(|look| look.registry == registry);
        let begins_in_the_middle = look.and_then(|look| look.had_code_before(from)) == Some(true);
        let entry = index.agent(registry, agent.agent_id).await?;
        let owner = entry.and_then(|entry| entry.owner);
        let facts = match owner {
            Some(owner) => {
                let id = agent.agent_id;
                index.permissions(registry, owner, id, PERMISSIONS).await?
            }
            None => Vec::new(),
        };
        let (input, told) = with_spenders(input, &facts, (from, upto.block));
        let hint = begins_in_the_middle.then(|| approvals_before(registry, from));
        Ok((input, Some(told), hint))
    }
}

/// A request that also asks about the accounts that these facts of these blocks still allow something.
fn with_spenders(
    mut input: ResolveAgent,
    facts: &[Fact],
    (from, upto): (u64, u64),
) -> (ResolveAgent, KnownSpenders) {
    let allowed = facts.iter().filter_map(|fact| match &fact.statement {
        Statement::OperatorSet {
            spender, approved, ..
        } => approved.then_some(*spender),
        Statement::Approved {
            spender, amount, ..
        } => (!amount.is_zero()).then_some(*spender),
        _ => None,
    });
    let mut known: Vec<_> = allowed.map(|spender| spender.to_string()).collect();
    known.sort_unstable();
    known.dedup();
    let named = |spender: &String| {
        let mut named = input.spenders.iter();
        named.any(|AddressText(text)| text.eq_ignore_ascii_case(spender))
    };
    known.retain(|spender| !named(spender));
    let room = MOST_ASKED
        .saturating_sub(input.spenders.len())
        .min(SPENDERS);
    let left_out = known.len().saturating_sub(room);
    known.truncate(room);
    let told = KnownSpenders {
        from_block: from,
        as_of_block: upto,
        asked: known.clone(),
        left_out: left_out as u64,
    };
    input.spenders.extend(known.into_iter().map(AddressText));
    (input, told)
}

/// By which numbering a search's pages are found. It is asked before the first page, and compared after each later one: so no page is of another
/// one than it says, whenever rows are thrown away.
async fn numbering_of<F>(index: &dyn Index, scoped: &Scoped<F>) -> Result<i64, Fault> {
    match scoped.numbering() {
        Some(numbering) => Ok(numbering),
        None => Ok(index.numbering().await?),
    }
}

fn nothing<E>() -> Found<E> {
    Found {
        entries: Vec::new(),
        ranked: 0,
        next: None,
    }
}

/// A page of facts, and whether there are more.
async fn facts_of(index: &dyn Index, asked: &AskedHistory) -> Result<(Vec<Fact>, bool), Fault> {
    let history = History {
        registry: asked.registry,
        subject: asked.subject,
        name: asked.name.clone(),
        before: asked.before,
        limit: asked.limit + 1,
    };
    let mut facts = index.history(&history).await?;
    let limit = usize::try_from(asked.limit).unwrap_or(usize::MAX);
    let more = facts.len() > limit;
    facts.truncate(limit);
    Ok((facts, more))
}

/// Whether it is known in which block an agent or a tool was registered: then nothing was said of it before the blocks that are read.
async fn has_beginning(index: &dyn Index, asked: &AskedHistory) -> Result<bool, Fault> {
    let registry = asked.registry;
    Ok(match asked.subject {
        Subject::Agent(id) => {
            let agent = index.agent(registry, id).await?;
            agent.is_some_and(|agent| agent.registered.is_some())
        }
        // A tool is one only when its registration was read.
        Subject::Tool(id) => index.tool(registry, id).await?.is_some(),
        _ => false,
    })
}

/// The facts that registered a tool's manifests, newest first: those of a page and the one before them; and the documents of those, as far as
/// they are kept.
async fn evolution(
    index: &dyn Index,
    asked: &AskedHistory,
    page: &[Fact],
) -> Result<(Vec<Fact>, Documents), Fault> {
    let mut manifests = Vec::new();
    for name in [FactName::manifest(), FactName::registered()] {
        let history = History {
            registry: asked.registry,
            subject: asked.subject,
            name: Some(name),
            before: asked.before,
            limit: asked.limit + 1,
        };
        manifests.extend(index.history(&history).await?);
    }
    manifests.sort_unstable_by_key(|fact| std::cmp::Reverse(fact.origin.place));
    let mut documents = Documents::new();
    for hash in hashes(page, &manifests) {
        if let Some(bytes) = index.manifest(hash).await? {
            documents.insert(hash, bytes);
        }
    }
    Ok((manifests, documents))
}

/// The agents with a number, in the wanted registry or in those that are read.
async fn numbered(
    index: &dyn Index,
    wanted: &Wanted,
    number: U256,
    known: &Known,
) -> Result<Vec<AgentEntry>, Fault> {
    let read = known.cursors.keys().copied();
    let fits = |registry: &RegistryId| wanted.registry.is_none_or(|wanted| wanted == *registry);
    let mut agents = Vec::new();
    for registry in read.filter(fits).take(REGISTRIES) {
        let agent = index.agent(registry, number).await?;
        agents.extend(agent.filter(|agent| wanted.may_be(agent)));
    }
    agents.sort_by_key(|agent| known.trust_in(agent.registry));
    Ok(agents)
}
