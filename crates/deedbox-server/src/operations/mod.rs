//! What callers may ask for, whoever they are: MCP, HTTP and the command line all come through here.
//!
//! [`Operation::read`] turns a JSON object into a typed operation, [`Operations::perform`] carries it out,
//! and what comes back serializes to the shapes that callers see.

mod chain;
mod finding;
mod identity;
mod memories;
mod spaces;
mod standing;
mod stewards;
mod tasks;

use std::sync::Arc;

use deedbox_chain::{Code, ReadError};
use deedbox_core::{
    Attribution, Command, Refusal, TaskId, World,
    conclusion::{Conclusion, Report},
    hash::RequestHash,
    task::{Record, Status, Task},
};
use deedbox_store::{Execute, Idempotency, IdempotencyKey, Kept, Store, StoreError, index::Index};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

pub use self::{
    chain::{ChainList, Envelope, Provenance, Unread},
    identity::{ActsAs, Identity},
    standing::{NotCompared, RegistryStanding, TrustLevel},
};
pub use crate::tools::Tool;
use crate::{
    finding::{Candidate, FoundAgents, FoundTools, RegistryHistory, RegistryList},
    inputs::{
        self, AcceptTask, CreateTask, FindAgents, FindTools, Forget, GetIdentity,
        GetRegistryHistory, GetTaskStatus, HandoffTask, ListChains, ListMemories, ListRegistries,
        ListUnacceptedTasks, RecallMemories, Remember, ReportCompletion, ShowMemory, UpdateMemory,
    },
    memories::{
        AuditPage, DeletionReport, ExportPage, ImportReport, MemoryPage, MemoryReceipt,
        MemoryRequest, Recalled, ShownHistory, SpaceList, SpaceReceipt, SpaceRequest, SpaceReview,
        SpaceStatus, StewardRequest,
    },
    policy::{Asked, Counts, Policy, PolicyRefused},
    readings::{Reader, ReadingRequest},
};

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
    /// `get_identity`.
    GetIdentity(GetIdentity),
    /// One of those that take a reading.
    Reading(ReadingRequest),
    /// `list_chains`.
    ListChains(ListChains),
    /// `check_conclusion`.
    CheckConclusion(Conclusion),
    /// `find_agents`.
    FindAgents(FindAgents),
    /// `find_tools`.
    FindTools(FindTools),
    /// `list_registries`.
    ListRegistries(ListRegistries),
    /// `get_registry_history`.
    GetRegistryHistory(GetRegistryHistory),
    /// One of those of memory.
    Memory(MemoryRequest),
    /// One of those of spaces.
    Space(SpaceRequest),
    /// One of those that look after a space.
    Steward(StewardRequest),
}

impl Operation {
    /// Reads the arguments of `tool`.
    ///
    /// # Errors
    /// [`Fault::Refused`] with [`Refusal::InvalidInput`], or for a reading [`Fault::Unread`] with
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument), naming the field.
    pub fn read(tool: Tool, arguments: Map<String, Value>) -> Result<Self, Fault> {
        Ok(match tool {
            Tool::CreateTask => Self::CreateTask(inputs::read(arguments)?),
            Tool::AcceptTask => Self::AcceptTask(inputs::read(arguments)?),
            Tool::ReportCompletion => Self::ReportCompletion(inputs::read(arguments)?),
            Tool::HandoffTask => Self::HandoffTask(inputs::read(arguments)?),
            Tool::GetTaskStatus => Self::GetTaskStatus(inputs::read(arguments)?),
            Tool::ListUnacceptedTasks => Self::ListUnacceptedTasks(inputs::read(arguments)?),
            Tool::GetIdentity => Self::GetIdentity(inputs::read(arguments)?),
            Tool::ListChains => Self::ListChains(inputs::read(arguments)?),
            Tool::CheckConclusion => Self::CheckConclusion(inputs::read(arguments)?),
            Tool::FindAgents => Self::FindAgents(inputs::read(arguments)?),
            Tool::FindTools => Self::FindTools(inputs::read(arguments)?),
            Tool::ListRegistries => Self::ListRegistries(inputs::read(arguments)?),
            Tool::GetRegistryHistory => Self::GetRegistryHistory(inputs::read(arguments)?),
            Tool::Remember => Self::Memory(inputs::read::<Remember>(arguments)?.into()),
            Tool::Recall => Self::Memory(inputs::read::<RecallMemories>(arguments)?.into()),
            Tool::ListMemories => Self::Memory(inputs::read::<ListMemories>(arguments)?.into()),
            Tool::UpdateMemory => Self::Memory(inputs::read::<UpdateMemory>(arguments)?.into()),
            Tool::Forget => Self::Memory(inputs::read::<Forget>(arguments)?.into()),
            Tool::ShowMemory => Self::Memory(inputs::read::<ShowMemory>(arguments)?.into()),
            Tool::ListSpaces => Self::Space(SpaceRequest::List(inputs::read(arguments)?)),
            Tool::ShowSpace => Self::Space(SpaceRequest::Show(inputs::read(arguments)?)),
            Tool::CreateSpace => Self::Space(SpaceRequest::Create(inputs::read(arguments)?)),
            Tool::AddSpaceMember => Self::Space(SpaceRequest::AddMember(inputs::read(arguments)?)),
            Tool::RemoveSpaceMember => {
                Self::Space(SpaceRequest::RemoveMember(inputs::read(arguments)?))
            }
            Tool::ExportSpace => Self::Steward(StewardRequest::Export(inputs::read(arguments)?)),
            Tool::ImportMemories => Self::Steward(StewardRequest::Import(inputs::read(arguments)?)),
            Tool::DeleteRows => Self::Steward(StewardRequest::Delete(inputs::read(arguments)?)),
            Tool::AuditSpace => Self::Steward(StewardRequest::Audit(inputs::read(arguments)?)),
            Tool::ReviewSpace => Self::Steward(StewardRequest::Review(inputs::read(arguments)?)),
            Tool::GetNativeBalance
            | Tool::GetErc20Balance
            | Tool::GetTokenMetadata
            | Tool::GetPoolReserves
            | Tool::ListRecentTransfers
            | Tool::ResolveAgent
            | Tool::VerifyTool
            | Tool::CheckToolAccess
            | Tool::CompareTools => Self::Reading(ReadingRequest::read(tool.name(), arguments)?),
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
            Self::GetIdentity(_) => Tool::GetIdentity,
            Self::ListChains(_) => Tool::ListChains,
            Self::CheckConclusion(_) => Tool::CheckConclusion,
            Self::FindAgents(_) => Tool::FindAgents,
            Self::FindTools(_) => Tool::FindTools,
            Self::ListRegistries(_) => Tool::ListRegistries,
            Self::GetRegistryHistory(_) => Tool::GetRegistryHistory,
            Self::Reading(request) => request.tool(),
            Self::Memory(request) => request.tool(),
            Self::Space(request) => request.tool(),
            Self::Steward(request) => request.tool(),
        }
    }

    /// What a policy is asked about it, in the name of `task`; none for the tools that no policy governs.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument) for a reading whose arguments do not fit each other or the chain, and
    /// [`Refusal::InvalidInput`] for a search or a history whose do not.
    pub fn asked(&self, task: Option<TaskId>) -> Result<Option<Asked>, Fault> {
        let tool = self.tool();
        if !tool.toolset().is_governed() {
            return Ok(None);
        }
        match self {
            Self::Reading(request) => {
                let asked = Asked::reading(request, task)?;
                request.check()?;
                Ok(Some(asked))
            }
            Self::CreateTask(_)
            | Self::AcceptTask(_)
            | Self::ReportCompletion(_)
            | Self::HandoffTask(_)
            | Self::GetTaskStatus(_)
            | Self::ListUnacceptedTasks(_)
            | Self::GetIdentity(_)
            | Self::ListChains(_)
            | Self::CheckConclusion(_)
            | Self::Memory(_)
            | Self::Space(_)
            | Self::Steward(_)
            | Self::ListRegistries(_) => Ok(Some(Asked::of_no_chain(tool.name()))),
            Self::FindAgents(input) => Ok(Some(input.scoped()?.asked())),
            Self::FindTools(input) => Ok(Some(input.scoped()?.asked())),
            Self::GetRegistryHistory(input) => Ok(Some(input.asked()?.of_policy())),
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
    /// The task that a reading is for: it is counted for that task, and recorded with it. Others ignore it.
    pub task: Option<TaskId>,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// Of the four that write: the record that was made.
    Record(Record),
    /// Of `get_task_status`.
    Status(Box<Status>),
    /// Of `list_unaccepted_tasks`.
    Tasks(TaskPage),
    /// Of `get_identity`.
    Identity(Box<Identity>),
    /// Of those that take a reading: with data, and without an error.
    Reading(Envelope),
    /// Of `list_chains`.
    Chains(ChainList),
    /// Of `check_conclusion`.
    Conclusion(Report),
    /// Of `find_agents`.
    Agents(FoundAgents),
    /// Of `find_tools`.
    Tools(FoundTools),
    /// Of `list_registries`.
    Registries(RegistryList),
    /// Of `get_registry_history`.
    History(RegistryHistory),
    /// Of those that write to a memory.
    Memory(MemoryReceipt),
    /// Of `list_memories`.
    Memories(MemoryPage),
    /// Of `recall`.
    Recalled(Recalled),
    /// Of `show_memory`.
    MemoryHistory(Box<ShownHistory>),
    /// Of `list_spaces`.
    Spaces(SpaceList),
    /// Of `show_space`.
    Space(Box<SpaceStatus>),
    /// Of those that change a space.
    SpaceReceipt(SpaceReceipt),
    /// Of `export_space`.
    Export(ExportPage),
    /// Of `import_memories`.
    Import(ImportReport),
    /// Of `delete_rows`.
    Deletion(DeletionReport),
    /// Of `audit_space`.
    Audit(AuditPage),
    /// Of `review_space`.
    Review(SpaceReview),
}

impl Reply {
    /// Says of each record in it that somebody wrote how `caller`, who is shown it, stands to them.
    fn shown_to(&mut self, caller: &Attribution) {
        match self {
            Self::Record(record) => record.shown_to(caller),
            Self::Status(status) => status.shown_to(caller),
            Self::Tasks(page) => {
                for task in &mut page.tasks {
                    task.attribution.shown_to(caller);
                }
            }
            Self::Identity(_)
            | Self::Reading(_)
            | Self::Chains(_)
            | Self::Conclusion(_)
            | Self::Agents(_)
            | Self::Tools(_)
            | Self::Registries(_)
            | Self::History(_)
            // Memories are made for whom they are shown to.
            | Self::Memory(_)
            | Self::Memories(_)
            | Self::Recalled(_)
            | Self::MemoryHistory(_)
            | Self::Spaces(_)
            | Self::Space(_)
            | Self::SpaceReceipt(_)
            | Self::Export(_)
            | Self::Import(_)
            | Self::Deletion(_)
            | Self::Audit(_)
            | Self::Review(_) => {}
        }
    }
}

/// A reply, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The reply.
    pub reply: Reply,
    /// Whether an earlier request with the same idempotency key did the work.
    pub replayed: bool,
    /// Of `verify_tool`, the document that was served, for whoever keeps it. No part of the reply.
    pub served: Option<Vec<u8>>,
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self {
            reply,
            replayed: false,
            served: None,
        }
    }
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
    /// The operator does not allow it.
    #[error(transparent)]
    Policy(#[from] PolicyRefused),
    /// The chain could not be read, or says no.
    #[error(transparent)]
    Unread(#[from] ReadError),
    /// No agent was named, and these may be meant.
    #[error("{error}")]
    Unclear {
        /// What is wrong with what was named.
        error: ReadError,
        /// Who may be meant, best first; none when nobody was found.
        candidates: Vec<Candidate>,
    },
}

impl Fault {
    /// The same, as a reading says it: whatever is malformed about its arguments or beside them has one code.
    pub(crate) fn of_reading(self) -> Self {
        match self {
            Self::Refused(refusal @ Refusal::InvalidInput { .. }) => {
                ReadError::new(Code::InvalidArgument, refusal.to_string()).into()
            }
            other => other,
        }
    }
}

/// A store, with what operations need besides.
#[derive(Clone, Debug)]
pub struct Operations {
    store: Arc<dyn Store>,
    world: Arc<dyn World>,
    reader: Option<Reader>,
    index: Option<Arc<dyn Index>>,
    policy: Arc<Policy>,
    counts: Arc<Counts>,
}

impl Operations {
    /// Operations on `store`, without any chain.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, world: Arc<dyn World>) -> Self {
        Self {
            store,
            world,
            reader: None,
            index: None,
            policy: Arc::default(),
            counts: Arc::default(),
        }
    }

    /// The same, with what takes readings, as far as `policy` allows.
    #[must_use]
    pub fn with_reader(mut self, reader: Option<Reader>, policy: Policy) -> Self {
        self.reader = reader;
        self.policy = Arc::new(policy);
        self
    }

    /// The same, with what registries said.
    #[must_use]
    pub fn with_index(mut self, index: Option<Arc<dyn Index>>) -> Self {
        self.index = index;
        self
    }

    /// Carries out `operation` for `by`. That a key may read, and what the operator allows, is asked here for every
    /// operation, before it begins.
    ///
    /// # Errors
    /// [`Fault::Refused`] when the protocol says no, and then nothing was written; [`Fault::Failed`] when
    /// the database could not be asked; of a call that reads a chain also [`Fault::Policy`] when the operator does not
    /// allow it, and then no endpoint was asked, and [`Fault::Unread`] when there is no reading.
    pub async fn perform(
        &self,
        by: &Attribution,
        operation: Operation,
        extras: &Extras,
    ) -> Result<Answer, Fault> {
        let mut answer = self.answer(by, operation, extras).await?;
        answer.reply.shown_to(by);
        Ok(answer)
    }

    async fn answer(
        &self,
        by: &Attribution,
        operation: Operation,
        extras: &Extras,
    ) -> Result<Answer, Fault> {
        if let Some(scope) = operation.tool().scope() {
            by.principal.require(scope)?;
        }
        match operation.asked(extras.task) {
            Ok(Some(asked)) => self.admit(by, &asked).await?,
            Ok(None) => {}
            Err(fault) => return Err(self.who_is_meant(by, &operation, fault).await),
        }
        let idempotency = extras.idempotency.as_ref().map(|key| Idempotency {
            key: key.clone(),
            request: operation.request_hash(extras),
        });
        let reply = match operation {
            Operation::CreateTask(input) => {
                return self
                    .write(by, self.create(input, extras), idempotency)
                    .await;
            }
            Operation::AcceptTask(input) => {
                return self.write(by, self.accept(input), idempotency).await;
            }
            Operation::ReportCompletion(input) => {
                return self.write(by, self.complete(input), idempotency).await;
            }
            Operation::HandoffTask(input) => {
                return self.write(by, self.hand_off(input), idempotency).await;
            }
            Operation::GetTaskStatus(input) => self.status(input.task_id).await?,
            Operation::ListUnacceptedTasks(input) => self.unaccepted(input).await?,
            Operation::GetIdentity(_) => Reply::Identity(Box::new(Identity::from(by))),
            Operation::Reading(request) => {
                return self.take_reading(by, request, extras.task).await;
            }
            Operation::Memory(request) => return self.memory(by, request, idempotency).await,
            Operation::Space(request) => return self.space(by, request, idempotency).await,
            Operation::Steward(request) => return self.look_after(by, request).await,
            Operation::ListChains(_) => self.list_chains().await,
            Operation::CheckConclusion(conclusion) => self.check_conclusion(&conclusion).await?,
            Operation::FindAgents(input) => self.find_agents(&input).await?,
            Operation::FindTools(input) => self.find_tools(&input).await?,
            Operation::ListRegistries(_) => self.list_registries().await?,
            Operation::GetRegistryHistory(input) => self.registry_history(&input).await?,
        };
        Ok(Answer::from(reply))
    }

    /// Has the store ask the rules and keep what they decide.
    async fn keep(
        &self,
        by: &Attribution,
        command: Command,
        idempotency: Option<Idempotency>,
    ) -> Result<Kept, Fault> {
        let execute = Execute {
            command,
            attribution: by.clone(),
            idempotency,
        };
        Ok(self.store.execute(execute).await??)
    }
}
