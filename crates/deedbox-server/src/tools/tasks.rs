//! The six tools of the protocol.

use deedbox_core::task::{Acceptance, Completion, Handoff, Status, Task};
use http::Method;

use super::{About, Answered, Effect, gives, takes};
use crate::{
    inputs::{
        AcceptTask, CreateTask, GetTaskStatus, HandoffTask, ListUnacceptedTasks, ReportCompletion,
    },
    operations::TaskPage,
    toolsets::Toolset,
};

pub(super) static CREATE_TASK: About = About {
    name: "create_task",
    title: "Create a task",
    description: "\
Creates a task and returns it, with its new id and status pending_acceptance; for work that somebody shall take on. \
Inputs: title (1 to 500 characters), description (text, may be empty, at most 64 KiB), injectedBy (id of the creating \
actor: your own), authorityScope (optional text or null: under whose authority). No input has a default; \
unknown ones are refused. createdAt is RFC 3339 in UTC, to the millisecond, and is the time of the record; the rest is as of \
that moment. Does not assign an owner or start work (accept_task does), does not look for a similar \
task (list_unaccepted_tasks), and creates no actor (an operator does). \
Fails with isError and {status, error, code}: 400 malformed, 403 not your actor or no write scope, 404 unknown actor; nothing is written then. \
Takes milliseconds. Call once per task: each call makes another one, unless _meta \"deedbox/idempotencyKey\" repeats within 24 hours.",
    toolset: Toolset::Tasks,
    effect: Effect::Writes,
    answer: Answered::Plainly,
    method: Method::POST,
    path: "/api/tasks",
    input: takes::<CreateTask>,
    output: gives::<Task>,
};

pub(super) static ACCEPT_TASK: About = About {
    name: "accept_task",
    title: "Accept a task",
    description: "\
Makes an actor the owner of a task that nobody owns, and returns the acceptance; for taking on work. \
Inputs: taskId (UUID in lower case), actorId (id of the accepting actor: your own), contextNote (optional text, at most 64 KiB: what you \
want known). No input has a default; unknown ones are refused. acceptedAt is RFC 3339 in UTC, to the millisecond, and is the time of the record. \
Does not return the task's text or history (get_task_status does), does not report work (report_completion), and cannot take a \
task from its owner (the owner must call handoff_task). \
Fails with isError and {status, error, code}: 400 malformed, 403 not your actor, no write scope, or reserved for a handoff's recipient, 404 unknown task or actor, \
409 owned already, even by you; nothing is written then. Takes milliseconds. Call once; of several who race, one wins and the others get 409.",
    toolset: Toolset::Tasks,
    effect: Effect::Writes,
    answer: Answered::Plainly,
    method: Method::POST,
    path: "/api/tasks/{taskId}/accept",
    input: takes::<AcceptTask>,
    output: gives::<Acceptance>,
};

pub(super) static REPORT_COMPLETION: About = About {
    name: "report_completion",
    title: "Report completion, and how it is known",
    description: "\
Records the owner's claim that a task is done, with how it is known, and returns the claim; for saying \"done\" honestly. \
Inputs: taskId (UUID in lower case), actorId (the owner: your own), provenance (observed: you saw it happen; reviewed: you looked at the result; reported: \
somebody told you), claimText (1 byte to 64 KiB), sourceReference (optional text, at most 2 KiB: link, commit, or evidence:<id>). No input has a default; unknown ones are refused. \
reportedAt is RFC 3339 in UTC, to the millisecond, and is the time of the record. \
Does not check the claim or fetch the reference, does not end ownership (handoff_task does), and deletes no earlier claim (get_task_status lists all). \
A claim more certain than the latest one needs a sourceReference that no weaker claim on the task has cited. \
Fails with isError and {status, error, code}: 400 malformed, 403 not the owner, not your actor or no write scope, 404 unknown task, actor or evidence, \
409 nobody owns it or new evidence is needed; nothing is written then. Takes milliseconds. Call again only when you know more or something changed.",
    toolset: Toolset::Tasks,
    effect: Effect::Writes,
    answer: Answered::Plainly,
    method: Method::POST,
    path: "/api/tasks/{taskId}/complete",
    input: takes::<ReportCompletion>,
    output: gives::<Completion>,
};

pub(super) static HANDOFF_TASK: About = About {
    name: "handoff_task",
    title: "Hand a task off",
    description: "\
Gives a task away and returns the handoff, with a frozen snapshot of the task as it stood; for passing on work. \
Inputs: taskId (UUID in lower case), fromActorId (the owner: your own), toActorId (id of the actor it is meant for), reason (optional text, at most 64 KiB). \
No input has a default; unknown ones are refused. handoffAt and capturedAt are RFC 3339 in UTC, to the millisecond, and are the time of the record. \
Does not make the recipient the owner: the task is owned by nobody until accept_task, which is open to anybody unless the task was created for recipients only. \
Does not notify anyone, and does not return the whole history (get_task_status does). \
Fails with isError and {status, error, code}: 400 malformed, 403 not the owner, not your actor or no write scope, 404 unknown task or actor; nothing is written then. \
Takes milliseconds. Call once; a second call is a 403, because you own it no more.",
    toolset: Toolset::Tasks,
    effect: Effect::Writes,
    answer: Answered::Plainly,
    method: Method::POST,
    path: "/api/tasks/{taskId}/handoff",
    input: takes::<HandoffTask>,
    output: gives::<Handoff>,
};

pub(super) static GET_TASK_STATUS: About = About {
    name: "get_task_status",
    title: "Status and history of a task",
    description: "\
Returns a task with its whole history: acceptances, completion claims and handoffs, oldest first, and the latest of the first two; for finding out \
who owns it and how \"done\" is known. Input: taskId (UUID in lower case), without a default; unknown inputs are refused. \
Times are RFC 3339 in UTC, to the millisecond. Everything is as of one moment, that of the call; each record carries its own time. \
Does not search or list tasks (list_unaccepted_tasks does), does not judge whether a claim is true, and changes nothing. \
attribution.actor says whether the actor used its own key (authenticated) or an operator named it (asserted). \
Fails with isError and {status, error, code}: 400 malformed, 403 no read scope, 404 unknown task. \
Takes milliseconds, and up to a second for a history of megabytes. Call when you need to know; to wait for a change, not more than every few seconds.",
    toolset: Toolset::Tasks,
    effect: Effect::Reads,
    answer: Answered::Plainly,
    method: Method::GET,
    path: "/api/tasks/{taskId}/status",
    input: takes::<GetTaskStatus>,
    output: gives::<Status>,
};

pub(super) static LIST_UNACCEPTED_TASKS: About = About {
    name: "list_unaccepted_tasks",
    title: "Tasks that nobody owns",
    description: "\
Returns one page of the tasks that nobody owns (never accepted, or handed off and not accepted since), newest first, and nextCursor; for finding work. \
Inputs, all optional: actorId (only tasks that this actor created; default: of all), limit (whole number, 1 to 1000, default 100), \
cursor (the nextCursor of the page before, with the same actorId; default: the first page). Unknown inputs are refused. \
Times are RFC 3339 in UTC, to the millisecond. Each page is as of its own call: a task accepted meanwhile drops out, so accept_task may still answer 409. \
Does not list owned or completed tasks, does not search texts, and does not return histories (get_task_status does). nextCursor is null on the last page. \
Fails with isError and {status, error, code}: 400 malformed, limit out of range or foreign cursor, 403 no read scope, 404 unknown actor. \
Takes milliseconds. Call when you look for work; to wait for some, not more than every few seconds.",
    toolset: Toolset::Tasks,
    effect: Effect::Reads,
    answer: Answered::Plainly,
    method: Method::GET,
    path: "/api/tasks/unaccepted",
    input: takes::<ListUnacceptedTasks>,
    output: gives::<TaskPage>,
};
