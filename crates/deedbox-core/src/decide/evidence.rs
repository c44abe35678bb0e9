//! The rules of evidence.

use super::Decided;
use crate::{Body, EvidenceId, Reading, Refusal, State, TaskId};

pub(super) fn record(
    state: &State,
    id: EvidenceId,
    reading: Reading,
    task: Option<TaskId>,
) -> Decided {
    may_be_recorded(state, id, &reading, task)?;
    let digest = reading.digest();
    let Reading {
        tool,
        arguments,
        data,
        provenance,
    } = reading;
    let body = Body::ReadingRecorded {
        tool,
        arguments,
        data,
        provenance,
        digest,
        task_id: task,
    };
    Ok((body, None))
}

/// Evidence is recorded once, and of a form whose digest anybody can compute again.
fn may_be_recorded(
    state: &State,
    id: EvidenceId,
    reading: &Reading,
    task: Option<TaskId>,
) -> Result<(), Refusal> {
    if state.evidence {
        return Err(Refusal::invalid(
            "id",
            format_args!("evidence {id} exists already"),
        ));
    }
    if let Some(task) = task
        && !state.named_task
    {
        return Err(Refusal::TaskNotFound(task));
    }
    reading
        .check()
        .map_err(|bad| Refusal::invalid("reading", bad))
}
