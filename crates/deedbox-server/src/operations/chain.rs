//! Readings, of chains and of the registries on them. The operator's policy is asked before any endpoint is, and what was read is recorded before anybody
//! hears of it: no number leaves without evidence.

use std::borrow::Cow;

use deedbox_chain::{ChainStatus, Code, ReadError};
use deedbox_core::{
    Attribution, Authority, Command, EvidenceId, ReadProvenance, Reading, Refusal, Scope, TaskId,
    conclusion::Conclusion, evidence::Evidence, task::Task,
};
use deedbox_store::Execute;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Answer, Fault, Operations, RegistryStanding, Reply};
use crate::{
    finding::{Candidate, KnownSpenders, Pinned},
    policy::Asked,
    problem::{Problem, Retry},
    readings::ReadingRequest,
};

/// How a reading answers, whatever happens: `data` and `provenance`, or `error`; what there is not is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Envelope<T = Map<String, Value>> {
    /// What was read.
    pub data: Option<T>,
    /// Where it came from.
    pub provenance: Option<Provenance>,
    /// Why nothing was read.
    pub error: Option<Unread>,
}

/// Where a reading came from, and where it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Provenance {
    /// The chain, the block and the endpoint.
    #[serde(flatten)]
    pub read: ReadProvenance,
    /// The evidence that the reading was recorded as; a claim cites it as `evidence:<id>`.
    pub evidence_id: EvidenceId,
    /// What this server knows beside what was read.
    #[serde(flatten)]
    pub beside: Beside,
}

/// What a server knows beside what was read. No part of the evidence: it is nothing that a chain said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Beside {
    /// Of a reading of registries: what the operator of this server decided about each, in the order in which they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registries: Vec<RegistryStanding>,
    /// Of `resolve_agent`, the accounts that were asked about because the local index knows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_spenders: Option<KnownSpenders>,
    /// Of `verify_tool`, the manifest that an operator pinned the tool to, when one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<Pinned>,
}

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unread {
    /// A name for programs that never changes.
    pub code: &'static str,
    /// What is wrong and what to do about it, for people.
    pub message: Cow<'static, str>,
    /// Whether the same request may well succeed later.
    pub retryable: bool,
    /// Of `resolve_agent`, when no agent was named: who may be meant, at most five, best first. Nothing is guessed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
}

impl Envelope {
    /// The envelope of a reading that was not taken.
    #[must_use]
    pub fn without(problem: &Problem) -> Self {
        Self {
            data: None,
            provenance: None,
            error: Some(problem.into()),
        }
    }
}

impl Unread {
    /// What a reading says of a fault, through every door. For calls that do not become a [`Problem`], the command
    /// line's: nothing is logged.
    #[must_use]
    pub fn of(fault: &Fault) -> Self {
        Self::from(&Problem::from(fault))
    }
}

impl From<&Problem> for Unread {
    fn from(problem: &Problem) -> Self {
        Self {
            code: problem.code,
            message: problem.error.clone(),
            retryable: problem.retry != Retry::No,
            candidates: problem.candidates.clone(),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Envelope<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Reading_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let data = generator.subschema_for::<T>();
        let provenance = generator.subschema_for::<Provenance>();
        let unread = generator.subschema_for::<Unread>();
        let form = |data: Value, provenance: Value, error: Value| {
            json_schema!({
                "properties": {"data": data, "provenance": provenance, "error": error},
                "required": ["data", "provenance", "error"],
                "additionalProperties": false,
            })
        };
        let null = || serde_json::json!({"type": "null"});
        json_schema!({
            "type": "object",
            "oneOf": [
                form(data.to_value(), provenance.to_value(), null()),
                form(null(), null(), unread.to_value()),
            ],
        })
    }
}

/// The chains that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChainList {
    /// By id; none when none is configured.
    pub chains: Vec<ChainStatus>,
}

impl Operations {
    /// Takes a reading and records it.
    pub(super) async fn take_reading(
        &self,
        by: &Attribution,
        request: ReadingRequest,
        task: Option<TaskId>,
    ) -> Result<Answer, Fault> {
        let not_here = || {
            let message = "no chain is configured here; an operator can do that";
            ReadError::new(Code::ChainNotConfigured, message)
        };
        let reader = self.reader.as_ref().ok_or_else(not_here)?;
        let (request, known_spenders) = match request {
            ReadingRequest::Agent(input) => {
                let (input, known) = self.with_known_spenders(input).await?;
                (ReadingRequest::Agent(input), known)
            }
            request => (request, None),
        };
        let taken = reader.read(&request, self.index.as_deref()).await?;
        if let Some(check) = taken.check {
            self.keep_check(&request, *check).await;
        }
        let registries = self.standings(&request, &taken.reading).await?;
        let pin = match &request {
            ReadingRequest::Tool(input) => self.pin(input, &taken.reading.data).await?,
            _ => None,
        };
        let beside = Beside {
            registries,
            known_spenders,
            pin,
        };
        let envelope = self.record(by, taken.reading, beside, task).await?;
        Ok(Answer {
            served: taken.served,
            ..Answer::from(Reply::Reading(envelope))
        })
    }

    async fn record(
        &self,
        by: &Attribution,
        reading: Reading,
        beside: Beside,
        task: Option<TaskId>,
    ) -> Result<Envelope, Fault> {
        let id = EvidenceId(self.world.uuid());
        let envelope = Envelope {
            data: Some(reading.data.clone()),
            provenance: Some(Provenance {
                read: reading.provenance.clone(),
                evidence_id: id,
                beside,
            }),
            error: None,
        };
        let execute = Execute {
            command: Command::RecordReading {
                id,
                reading: Box::new(reading),
                task,
            },
            attribution: by.clone(),
            idempotency: None,
        };
        match self.store.execute(execute).await? {
            Ok(_) => Ok(envelope),
            // What was asked is in order; it is the answer that cannot be kept.
            Err(Refusal::InvalidInput { reason, .. }) => {
                let message =
                    format!("what was read cannot be recorded, so it is not told: {reason}");
                Err(ReadError::new(Code::InvalidResponse, message).into())
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// What can be read.
    pub(super) async fn list_chains(&self) -> Reply {
        let chains = match &self.reader {
            Some(reader) => {
                let list = reader.chains().list(|id| self.policy.allows_chain(id));
                list.await
            }
            None => Vec::new(),
        };
        Reply::Chains(ChainList { chains })
    }

    /// Compares a conclusion with what was recorded.
    pub(super) async fn check_conclusion(&self, conclusion: &Conclusion) -> Result<Reply, Fault> {
        let report = deedbox_store::conclusion::check(&*self.store, conclusion).await?;
        Ok(Reply::Conclusion(report))
    }

    /// One piece of evidence.
    ///
    /// # Errors
    /// As [`perform`](Self::perform); [`Refusal::EvidenceNotFound`] when there is none with this id.
    pub async fn evidence(&self, by: &Attribution, id: EvidenceId) -> Result<Evidence, Fault> {
        // One of the two, before anybody learns what there is.
        let may = |scope| by.principal.require(scope);
        may(Scope::RegistriesRead).or_else(|_| may(Scope::ChainRead))?;
        let found = self.store.evidence(id).await?;
        let mut found = found.ok_or_else(|| Refusal::no_evidence(id))?;
        may(found.reading.tool.scope())?;
        found.attribution.shown_to(by);
        Ok(found)
    }

    /// Asks the policy, and counts the call. The database is asked about a task only
    /// by a call that everything else allows, and that is counted by then: made-up tasks are not free.
    pub(super) async fn admit(&self, by: &Attribution, asked: &Asked) -> Result<(), Fault> {
        let (policy, now) = (&self.policy, self.world.now());
        self.counts.call(policy, asked, &by.principal.id, now)?;
        let Some(task) = asked.task else {
            return Ok(());
        };
        let status = self.store.status(task).await?;
        let status = status.ok_or(Refusal::TaskNotFound(task))?;
        may_read_for(by, &status.task)?;
        let mut recorded = None;
        loop {
            if let Some(charged) = self.counts.charge(policy, asked, task, recorded, now) {
                return Ok(charged?);
            }
            let readings = self.store.readings_for(task).await?;
            recorded = Some(u32::try_from(readings).unwrap_or(u32::MAX));
        }
    }
}

/// A reading uses up what a task has, and stands among its evidence: that is for whoever owns the task, while nobody does
/// for its creator, and for operators.
fn may_read_for(by: &Attribution, task: &Task) -> Result<(), Refusal> {
    let owner = task.current_owner_actor_id.as_ref();
    match &by.principal.authority {
        Authority::Actor(actor) if actor != owner.unwrap_or(&task.injected_by) => {
            Err(Refusal::NotOwner {
                task: task.id,
                actor: actor.clone(),
                owner: owner.cloned(),
            })
        }
        Authority::Actor(_) | Authority::Operator => Ok(()),
    }
}
