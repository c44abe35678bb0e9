//! The six operations of the protocol.

use std::collections::BTreeSet;

use deedbox_core::{
    AcceptanceId, ActorId, Attribution, Command, CompletionId, HandoffId, Refusal, TaskId, limits,
    task::{Record, Task},
};
use deedbox_store::{Idempotency, Kept, Place, StoreError, Unaccepted};

use super::{Answer, Extras, Fault, Operations, Reply, TaskPage};
use crate::{
    cursor,
    inputs::{
        AcceptTask, CreateTask, CursorText, HandoffTask, ListUnacceptedTasks, PageLimit,
        ReportCompletion,
    },
    problem,
};

impl Operations {
    pub(super) fn create(&self, input: CreateTask, extras: &Extras) -> Command {
        Command::CreateTask {
            task: TaskId(self.world.uuid()),
            title: input.title,
            description: input.description,
            injected_by: input.injected_by,
            authority_scope: input.authority_scope,
            recipient_only: extras.recipient_only,
        }
    }

    pub(super) fn accept(&self, input: AcceptTask) -> Command {
        Command::AcceptTask {
            task: input.task_id,
            id: AcceptanceId(self.world.uuid()),
            actor: input.actor_id,
            context_note: input.context_note,
        }
    }

    pub(super) fn complete(&self, input: ReportCompletion) -> Command {
        Command::ReportCompletion {
            task: input.task_id,
            id: CompletionId(self.world.uuid()),
            actor: input.actor_id,
            provenance: input.provenance,
            claim_text: input.claim_text,
            source_reference: input.source_reference,
        }
    }

    pub(super) fn hand_off(&self, input: HandoffTask) -> Command {
        Command::HandoffTask {
            task: input.task_id,
            id: HandoffId(self.world.uuid()),
            from: input.from_actor_id,
            to: input.to_actor_id,
            reason: input.reason,
        }
    }

    /// The record of what was kept; the answer is made from its deed.
    pub(super) async fn write(
        &self,
        by: &Attribution,
        command: Command,
        idempotency: Option<Idempotency>,
    ) -> Result<Answer, Fault> {
        let Kept { deed, replayed } = self.keep(by, command, idempotency).await?;
        let stream = deed.stream.clone();
        let mut record =
            Record::new(deed).map_err(|broken| StoreError::unreadable("deed", stream, broken))?;
        if let Record::Completion(claim) = &mut record
            && let Some(id) = claim.cited()
        {
            // The claim is written already: to answer with a failure now would say that it is not.
            match self.store.cited(&BTreeSet::from([id])).await {
                Ok(cited) => claim.witness(&cited),
                Err(error) => {
                    tracing::error!(error = %problem::chain(&error), "who saw the cited evidence is not known");
                }
            }
        }
        Ok(Answer {
            replayed,
            ..Answer::from(Reply::Record(record))
        })
    }

    pub(super) async fn status(&self, task: TaskId) -> Result<Reply, Fault> {
        let status = self.store.status(task).await?;
        status
            .map(|status| Reply::Status(Box::new(status)))
            .ok_or_else(|| Refusal::TaskNotFound(task).into())
    }

    pub(super) async fn unaccepted(&self, input: ListUnacceptedTasks) -> Result<Reply, Fault> {
        let ListUnacceptedTasks {
            actor_id,
            limit,
            cursor,
        } = input;
        let after = cursor
            .map(|CursorText(text)| cursor::read(&text, actor_id.as_ref()))
            .transpose()?;
        if let Some(actor) = &actor_id
            && self.store.actor(actor).await?.is_none()
        {
            return Err(Refusal::ActorNotFound(actor.clone()).into());
        }
        let limit = limit.unwrap_or_default();
        let (tasks, more) = self.page(actor_id.as_ref(), after, limit).await?;
        let next_cursor = tasks
            .last()
            .filter(|_| more)
            .map(|last| cursor::write(Place::from(last), actor_id.as_ref()));
        Ok(Reply::Tasks(TaskPage { tasks, next_cursor }))
    }

    /// One page, and whether there is more. Asks for one task beyond the page where the store's own
    /// limit leaves room for it, and asks again where it does not.
    async fn page(
        &self,
        filter: Option<&ActorId>,
        after: Option<Place>,
        limit: PageLimit,
    ) -> Result<(Vec<Task>, bool), StoreError> {
        let wanted = limit.get() as usize;
        let mut query = Unaccepted {
            injected_by: filter.cloned(),
            after,
            limit: (limit.get() + 1).min(limits::PAGE_MAX),
        };
        let mut tasks = self.store.unaccepted(&query).await?;
        if tasks.len() > wanted {
            tasks.truncate(wanted);
            return Ok((tasks, true));
        }
        if tasks.len() < wanted || query.limit > limit.get() {
            return Ok((tasks, false));
        }
        query.after = tasks.last().map(Place::from);
        query.limit = 1;
        let more = !self.store.unaccepted(&query).await?.is_empty();
        Ok((tasks, more))
    }
}
