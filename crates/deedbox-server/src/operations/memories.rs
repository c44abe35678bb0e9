//! Memory: what is remembered, recalled, changed and forgotten.
//!
//! Who may read where is asked of the core's [`rights`] before the store is asked for anything; who may write, the rules ask inside the
//! transaction. What was read is noted down before it is told.

use deedbox_core::{
    Attribution, Authority, Command, Memory, MemoryId, MemoryKind, MemoryStatus, Refusal, Scope,
    Space, SpaceId, Timestamp,
    memory::{About, MemoryAct, MemoryChange, MemoryCommand, MemoryText, Salt, SealedText, rights},
};
use deedbox_store::{Access, Idempotency, Memories, MemoryPlace, Recall};

use super::{Answer, Fault, Operations, Reply, Tool};
use crate::{
    inputs::{Forget, ListMemories, RecallMemories, Remember, UpdateMemory},
    memories::{Look, MemoryPage, MemoryReceipt, MemoryRequest, Recalled, RecalledMemory, cursor},
};

impl Operations {
    pub(super) async fn memory(
        &self,
        by: &Attribution,
        request: MemoryRequest,
        idempotency: Option<Idempotency>,
    ) -> Result<Answer, Fault> {
        match request {
            MemoryRequest::Remember(input) => {
                let (command, space) = self.remember(by, *input)?;
                self.write_memory(by, command, Some(space), idempotency)
                    .await
            }
            MemoryRequest::Update(input) => {
                let command = self.update(*input);
                self.write_memory(by, command, None, idempotency).await
            }
            MemoryRequest::Forget(input) => {
                self.write_memory(by, forget(input)?, None, idempotency)
                    .await
            }
            MemoryRequest::Recall(input) => self.recall(by, input).await.map(Answer::from),
            MemoryRequest::Show(input) => self
                .show_memory(by, input.memory_id)
                .await
                .map(Answer::from),
            MemoryRequest::List(input) => self.list_memories(by, *input).await.map(Answer::from),
        }
    }

    /// The command, and the space that is meant.
    fn remember(
        &self,
        by: &Attribution,
        input: Remember,
    ) -> Result<(MemoryCommand, SpaceId), Refusal> {
        let space = match (input.space, &by.principal.authority) {
            (Some(space), _) => space,
            (None, Authority::Actor(actor)) => SpaceId::personal(actor),
            (None, Authority::Operator) => {
                let reason = "an operator's key has no space of its own, and has to name one";
                return Err(Refusal::invalid("space", reason));
            }
        };
        let about = About {
            kind: input.kind.unwrap_or(MemoryKind::Note),
            todo_done: false,
            expires_at: input.expires_at,
        };
        let text = MemoryText {
            content: input.content,
            path: input.path,
            tags: input.tags,
            key: input.semantic_key,
        };
        let command = MemoryCommand::remember(
            MemoryId(self.world.uuid()),
            input.actor_id,
            space.clone(),
            about,
            SealedText::new(text, Salt::random(&*self.world)),
            input.merge_duplicates,
        );
        Ok((command, space))
    }

    fn update(&self, input: UpdateMemory) -> MemoryCommand {
        let change = MemoryChange {
            content: input.content,
            todo_done: input.todo_done,
            kind: input.kind,
            expires_at: input.expires_at,
            tags: input.tags,
            path: input.path,
        };
        MemoryCommand {
            id: input.memory_id,
            actor: input.actor_id,
            act: MemoryAct::Revise {
                change: Box::new(change),
                salt: Salt::random(&*self.world),
            },
            origin: None,
        }
    }

    /// Has the store ask the rules and keep what they decide. The answer is made from the deed that was kept.
    async fn write_memory(
        &self,
        by: &Attribution,
        command: MemoryCommand,
        space: Option<SpaceId>,
        idempotency: Option<Idempotency>,
    ) -> Result<Answer, Fault> {
        let command = Command::Memory(Box::new(command));
        let kept = self.keep(by, command, idempotency).await?;
        let receipt = MemoryReceipt::new(kept.deed, space, Look(by))?;
        Ok(Answer {
            replayed: kept.replayed,
            ..Answer::from(Reply::Memory(receipt))
        })
    }

    async fn recall(&self, by: &Attribution, input: RecallMemories) -> Result<Reply, Fault> {
        let spaces = self.readable(by, &input.spaces).await?;
        let limit = input.limit.unwrap_or_default().get();
        let budget = input.token_budget.unwrap_or_default().get();
        let question = Recall {
            spaces: spaces.clone(),
            question: input.query,
            kinds: input.kinds,
            path: input.path,
            tags: input.tags.iter().cloned().collect(),
            expired: input.include_expired,
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            token_budget: usize::try_from(budget).ok(),
        };
        let now = self.world.now();
        let found = self.store.recall(&question, now).await?;
        let shown = found.found.iter().map(|(memory, _)| memory);
        self.note_shown(by, Tool::Recall, now, shown).await?;
        let recalled = |(memory, reasons): (Memory, _)| RecalledMemory {
            memory: Look(by).whole(memory),
            why: Into::into(reasons),
        };
        Ok(Reply::Recalled(Recalled {
            memories: found.found.into_iter().map(recalled).collect(),
            over_budget: found.over_budget as u64,
            spaces,
        }))
    }

    async fn list_memories(&self, by: &Attribution, input: ListMemories) -> Result<Reply, Fault> {
        let after = cursor::after(&input)?;
        let spaces = self.readable(by, &input.spaces).await?;
        let now = self.world.now();
        let limit = input.limit.unwrap_or_default().get();
        let asked = input.clone();
        let query = Memories {
            kind: input.kind,
            path: input.path,
            tag: input.tag,
            key: input.semantic_key,
            agent_label: input.agent_label,
            instance: input.instance_id_hash,
            author: input.actor_id,
            expired: (!input.include_expired).then_some((false, now)),
            after,
            // One more says whether there is another page.
            limit: limit + 1,
            ..Memories::of(spaces.clone())
        };
        let mut memories = self.store.memories(&query).await?;
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = memories.len() > wanted;
        memories.truncate(wanted);
        self.note_shown(by, Tool::ListMemories, now, &memories)
            .await?;
        let last = memories.last().filter(|_| more);
        let next_cursor = last.map(|last| cursor::next(MemoryPlace::from(&last.state), &asked));
        let shown = memories
            .into_iter()
            .map(|memory| Look(by).beginning(memory));
        Ok(Reply::Memories(MemoryPage {
            memories: shown.collect(),
            next_cursor,
            spaces,
        }))
    }

    /// One memory with its history. One that was forgotten is there only for whoever may delete it.
    async fn show_memory(&self, by: &Attribution, id: MemoryId) -> Result<Reply, Fault> {
        let not_found = || Refusal::MemoryNotFound(id);
        let history = self.store.memory(id).await?.ok_or_else(not_found)?;
        let state = &history.memory.state;
        let space = self.store.space(&state.space).await?;
        let space = space
            .filter(|space| rights::sees(&by.principal, space))
            .ok_or_else(not_found)?;
        rights::may(&by.principal, Scope::MemoryRead, &space)?;
        if state.status != MemoryStatus::Live {
            rights::may_change(&by.principal, &space, state).map_err(|_| not_found())?;
        }
        self.note_shown(by, Tool::ShowMemory, self.world.now(), [&history.memory])
            .await?;
        Ok(Reply::MemoryHistory(Box::new(Look(by).history(history)?)))
    }

    /// The spaces that a reading goes over: those that are named, each once, or else all that the credential may read.
    async fn readable(&self, by: &Attribution, named: &[SpaceId]) -> Result<Vec<SpaceId>, Fault> {
        let principal = &by.principal;
        let mut there: Vec<Space> = Vec::new();
        match &principal.authority {
            Authority::Actor(actor) => there = self.store.spaces(actor).await?,
            Authority::Operator => {
                for id in named {
                    there.extend(self.store.space(id).await?);
                }
            }
        }
        if named.is_empty() {
            return Ok(rights::readable(principal, &there, None)?);
        }
        let mut spaces = Vec::with_capacity(named.len());
        for id in named {
            if !spaces.contains(id) {
                spaces.extend(rights::readable(principal, &there, Some(id))?);
            }
        }
        Ok(spaces)
    }

    /// Notes down who is about to be shown what.
    ///
    /// # Errors
    /// When that cannot be kept; then nothing is to be shown.
    pub(super) async fn note_shown<'a>(
        &self,
        by: &Attribution,
        tool: Tool,
        at: Timestamp,
        shown: impl IntoIterator<Item = &'a Memory>,
    ) -> Result<(), Fault> {
        let place = |memory: &Memory| (memory.state.space.clone(), memory.state.id);
        let shown: Vec<_> = shown.into_iter().map(place).collect();
        if shown.is_empty() {
            return Ok(());
        }
        let access = Access {
            at,
            principal: by.principal.id.clone(),
            actor: match &by.principal.authority {
                Authority::Actor(actor) => Some(actor.clone()),
                Authority::Operator => None,
            },
            agent_label: by.agent_label.clone(),
            instance: by.instance,
            operation: tool.name().to_owned(),
            shown,
        };
        Ok(self.store.record_access(access).await?)
    }
}

fn forget(input: Forget) -> Result<MemoryCommand, Refusal> {
    let act = match (input.redact, input.reason) {
        (true, reason) => MemoryAct::Redact { reason },
        (false, None) => MemoryAct::Forget,
        (false, Some(_)) => {
            let reason = "is kept of a redaction only; leave it out, or give redact";
            return Err(Refusal::invalid("reason", reason));
        }
    };
    Ok(MemoryCommand {
        id: input.memory_id,
        actor: input.actor_id,
        act,
        origin: None,
    })
}
