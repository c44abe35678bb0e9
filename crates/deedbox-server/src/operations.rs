//! The six operations, whoever asks for them: MCP, HTTP and the command line all come through here.
//!
//! [`Operation::read`] turns a JSON object into a typed operation, [`Operations::perform`] carries it out,
//! and what comes back serializes to the protocol's shapes.

use std::sync::Arc;

use deedbox_core::{
    AcceptanceId, ActorId, Attribution, Command, CompletionId, HandoffId, Refusal, Scope, TaskId,
    World,
    hash::RequestHash,
    limits,
    task::{Record, Status, Task},
};
use deedbox_store::{
    Execute, Idempotency, IdempotencyKey, Kept, Place, Store, StoreError, Unaccepted,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    cursor,
    inputs::{
        self, AcceptTask, CreateTask, CursorText, GetTaskStatus, HandoffTask, ListUnacceptedTasks,
        PageLimit, ReportCompletion,
    },
};

/// An operation's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// `create_task`.
    CreateTask,
    /// `accept_task`.
    AcceptTask,
    /// `report_completion`.
    ReportCompletion,
    /// `handoff_task`.
    HandoffTask,
    /// `get_task_status`.
    GetTaskStatus,
    /// `list_unaccepted_tasks`.
    ListUnacceptedTasks,
}

impl Tool {
    /// Every operation, in the order in which they are listed to callers.
    pub const ALL: [Self; 6] = [
        Self::CreateTask,
        Self::AcceptTask,
        Self::ReportCompletion,
        Self::HandoffTask,
        Self::GetTaskStatus,
        Self::ListUnacceptedTasks,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreateTask => "create_task",
            Self::AcceptTask => "accept_task",
            Self::ReportCompletion => "report_completion",
            Self::HandoffTask => "handoff_task",
            Self::GetTaskStatus => "get_task_status",
            Self::ListUnacceptedTasks => "list_unaccepted_tasks",
        }
    }

    /// The operation with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Whether it only reads.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self, Self::GetTaskStatus | Self::ListUnacceptedTasks)
    }
}

/// An operation with its input, well-formed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Operation {
    /// `create_task`.
    CreateTask(CreateTask),
    /// `accept_task`.
    AcceptTask(AcceptTask),
    /// `report_completion`.
    ReportCompletion(ReportCompletion),
    /// `handoff_task`.
    HandoffTask(HandoffTask),
    /// `get_task_status`.
    GetTaskStatus(GetTaskStatus),
    /// `list_unaccepted_tasks`.
    ListUnacceptedTasks(ListUnacceptedTasks),
}

impl Operation {
    /// Reads the arguments of `tool`.
    ///
    /// # Errors
    /// [`Refusal::InvalidInput`], naming the field.
    pub fn read(tool: Tool, arguments: Map<String, Value>) -> Result<Self, Refusal> {
        Ok(match tool {
            Tool::CreateTask => Self::CreateTask(inputs::read(arguments)?),
            Tool::AcceptTask => Self::AcceptTask(inputs::read(arguments)?),
            Tool::ReportCompletion => Self::ReportCompletion(inputs::read(arguments)?),
            Tool::HandoffTask => Self::HandoffTask(inputs::read(arguments)?),
            Tool::GetTaskStatus => Self::GetTaskStatus(inputs::read(arguments)?),
            Tool::ListUnacceptedTasks => Self::ListUnacceptedTasks(inputs::read(arguments)?),
        })
    }

    /// Which operation it is.
    #[must_use]
    pub const fn tool(&self) -> Tool {
        match self {
            Self::CreateTask(_) => Tool::CreateTask,
            Self::AcceptTask(_) => Tool::AcceptTask,
            Self::ReportCompletion(_) => Tool::ReportCompletion,
            Self::HandoffTask(_) => Tool::HandoffTask,
            Self::GetTaskStatus(_) => Tool::GetTaskStatus,
            Self::ListUnacceptedTasks(_) => Tool::ListUnacceptedTasks,
        }
    }

    /// The hash by which a repeat under one idempotency key is recognised: SHA-256 over the RFC 8785
    /// form of `[name, arguments]`, with `{"recipientOnly": true}` as a third element when that is asked
    /// for. What was sent over MCP and then over HTTP is the same request.
    fn request_hash(&self, extras: &Extras) -> RequestHash {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Beside {
            recipient_only: bool,
        }
        let name = self.tool().name();
        let canonical = if extras.recipient_only && matches!(self, Self::CreateTask(_)) {
            let beside = Beside {
                recipient_only: true,
            };
            serde_json_canonicalizer::to_vec(&(name, self, beside))
        } else {
            serde_json_canonicalizer::to_vec(&(name, self))
        };
        // Infallible: inputs are texts and whole numbers in structs.
        RequestHash::of(&canonical.unwrap_or_default())
    }
}

/// What may ride beside an operation's arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// `create_task`: whether, after a handoff, only the recipient may accept. Others ignore it.
    pub recipient_only: bool,
    /// How a repeat of this request is recognised. Reads ignore it.
    pub idempotency: Option<IdempotencyKey>,
}

/// One page of tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskPage {
    /// The tasks, newest first.
    pub tasks: Vec<Task>,
    /// What to give as `cursor` for the next page; null when this is the last.
    pub next_cursor: Option<String>,
}

/// What an operation answers; serializes to the protocol's shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every reply is a record, and none is kept for longer than it takes to write it"
)]
pub enum Reply {
    /// Of the four that write: the record that was made.
    Record(Record),
    /// Of `get_task_status`.
    Status(Box<Status>),
    /// Of `list_unaccepted_tasks`.
    Tasks(TaskPage),
}

/// A reply, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The reply.
    pub reply: Reply,
    /// Whether an earlier request with the same idempotency key did the work.
    pub replayed: bool,
}

/// Why there is no [`Answer`].
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The protocol says no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database could not be asked.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// A store, with what operations need besides.
#[derive(Clone, Debug)]
pub struct Operations {
    store: Arc<dyn Store>,
    world: Arc<dyn World>,
}

impl Operations {
    /// Operations on `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, world: Arc<dyn World>) -> Self {
        Self { store, world }
    }

    /// Carries out `operation` for `by`.
    ///
    /// # Errors
    /// [`Fault::Refused`] when the protocol says no, and then nothing was written; [`Fault::Failed`] when
    /// the database could not be asked.
    pub async fn perform(
        &self,
        by: &Attribution,
        operation: Operation,
        extras: &Extras,
    ) -> Result<Answer, Fault> {
        let request = extras
            .idempotency
            .as_ref()
            .map(|key| (key, operation.request_hash(extras)));
        let command = match operation {
            Operation::GetTaskStatus(input) => {
                by.principal.require(Scope::TasksRead)?;
                return self.status(input.task_id).await.map(read);
            }
            Operation::ListUnacceptedTasks(input) => {
                by.principal.require(Scope::TasksRead)?;
                return self.unaccepted(input).await.map(read);
            }
            Operation::CreateTask(input) => self.create(input, extras),
            Operation::AcceptTask(input) => self.accept(input),
            Operation::ReportCompletion(input) => self.complete(input),
            Operation::HandoffTask(input) => self.hand_off(input),
        };
        let execute = Execute {
            command,
            attribution: by.clone(),
            idempotency: request.map(|(key, request)| Idempotency {
                key: key.clone(),
                request,
            }),
        };
        let Kept { deed, replayed } = self.store.execute(execute).await??;
        let stream = deed.stream.clone();
        let record =
            Record::new(deed).map_err(|broken| StoreError::unreadable("deed", stream, broken))?;
        Ok(Answer {
            reply: Reply::Record(record),
            replayed,
        })
    }

    fn create(&self, input: CreateTask, extras: &Extras) -> Command {
        Command::CreateTask {
            task: TaskId(self.world.uuid()),
            title: input.title,
            description: input.description,
            injected_by: input.injected_by,
            authority_scope: input.authority_scope,
            recipient_only: extras.recipient_only,
        }
    }

    fn accept(&self, input: AcceptTask) -> Command {
        Command::AcceptTask {
            task: input.task_id,
            id: AcceptanceId(self.world.uuid()),
            actor: input.actor_id,
            context_note: input.context_note,
        }
    }

    fn complete(&self, input: ReportCompletion) -> Command {
        Command::ReportCompletion {
            task: input.task_id,
            id: CompletionId(self.world.uuid()),
            actor: input.actor_id,
            provenance: input.provenance,
            claim_text: input.claim_text,
            source_reference: input.source_reference,
        }
    }

    fn hand_off(&self, input: HandoffTask) -> Command {
        Command::HandoffTask {
            task: input.task_id,
            id: HandoffId(self.world.uuid()),
            from: input.from_actor_id,
            to: input.to_actor_id,
            reason: input.reason,
        }
    }

    async fn status(&self, task: TaskId) -> Result<Reply, Fault> {
        let status = self.store.status(task).await?;
        status
            .map(|status| Reply::Status(Box::new(status)))
            .ok_or_else(|| Refusal::TaskNotFound(task).into())
    }

    async fn unaccepted(&self, input: ListUnacceptedTasks) -> Result<Reply, Fault> {
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

fn read(reply: Reply) -> Answer {
    Answer {
        reply,
        replayed: false,
    }
}
