//! A task's history, drawn from top to bottom.

use deedbox_core::{
    Basis, CompletionId, TaskStatus, Timestamp,
    task::{Acceptance, Completion, Handoff, RecordAttribution, Status, Task},
    text::{AuthorityScope, ContextNote, Reason, SourceReference},
};

use super::{Output, Paint, cell, line, moment, safe};

/// Lines of one text at most; the rest is there with `--json`.
const MOST_LINES: usize = 12;

enum Event<'a> {
    Created(&'a Task),
    Accepted(&'a Acceptance),
    Completed(&'a Completion),
    HandedOff(&'a Handoff),
}

/// Draws a task and everything that happened to it, oldest first.
pub(crate) fn timeline(status: &Status, output: &Output) -> String {
    let paint = output.paint;
    let task = &status.task;
    let title = cell(task.title.as_str(), output.width);
    let owner = task.current_owner_actor_id.as_ref().map_or_else(
        || "nobody owns it".to_owned(),
        |owner| format!("owned by {owner}"),
    );
    let mut drawn = vec![
        paint.strong(&title),
        format!("{} · {} · {owner}", task.id, stand(task.status, paint)),
        String::new(),
    ];
    let events = in_order(status);
    let last = events.len() - 1;
    for (i, event) in events.iter().enumerate() {
        let headline = headline(event, paint);
        draw(&headline, &details(event), i == last, output, &mut drawn);
    }
    drawn.join("\n")
}

/// A status in its colour.
pub(crate) fn stand(status: TaskStatus, paint: Paint) -> String {
    let text = status.as_str();
    match status {
        TaskStatus::Completed => paint.good(text),
        TaskStatus::PendingAcceptance | TaskStatus::Transitioned => paint.alert(text),
        TaskStatus::Accepted => text.to_owned(),
    }
}

/// All events, oldest first. Times are in milliseconds, so several may share one; then what could have
/// come first did: a task without owner must be accepted, and a handoff's snapshot names the claim before it.
fn in_order(status: &Status) -> Vec<Event<'_>> {
    let mut events = vec![Event::Created(&status.task)];
    let mut acceptances = status.acceptances.iter().peekable();
    let mut completions = status.completions.iter().peekable();
    let mut handoffs = status.handoffs.iter().peekable();
    let (mut owned, mut claim) = (false, None);
    loop {
        let completion = completions.peek().copied();
        let handoff = handoffs.peek().copied();
        if !owned && let Some(acceptance) = acceptances.next() {
            owned = true;
            events.push(Event::Accepted(acceptance));
        } else if let Some(handoff) = handoff
            && (completion.is_none() || known_claim(handoff) == claim)
        {
            owned = false;
            handoffs.next();
            events.push(Event::HandedOff(handoff));
        } else if let Some(completion) = completion {
            claim = Some(completion.id);
            completions.next();
            events.push(Event::Completed(completion));
        } else {
            // Nothing else can be left in a history that was decided; what is, is shown at the end.
            events.extend(acceptances.map(Event::Accepted));
            return events;
        }
    }
}

/// The claim that a handoff froze: the last one before it.
fn known_claim(handoff: &Handoff) -> Option<CompletionId> {
    let latest = handoff.context_snapshot.latest_completion.as_ref();
    latest.map(|completion| completion.id)
}

/// What happened, when, and who did it.
pub(super) struct Headline<'a> {
    pub(super) mark: String,
    pub(super) at: Timestamp,
    pub(super) what: String,
    pub(super) by: &'a RecordAttribution,
}

/// Draws one thing that happened, and below it what is known of it: texts under labels that may be empty.
pub(super) fn draw(
    Headline { mark, at, what, by }: &Headline<'_>,
    details: &[(&str, &str)],
    last: bool,
    output: &Output,
    drawn: &mut Vec<String>,
) {
    let paint = output.paint;
    let rail = if last { " " } else { "│" };
    drawn.push(format!(
        "{mark} {}  {what}  {}",
        paint.faint(&moment(*at)),
        paint.faint(&known(by)),
    ));
    let width = output.width.saturating_sub(4).max(20);
    for (label, text) in details {
        let text = if label.is_empty() {
            (*text).to_owned()
        } else {
            format!("{label}: {text}")
        };
        let lines = safe::lines(&text, width);
        let more = lines.len().saturating_sub(MOST_LINES);
        for line in lines.iter().take(MOST_LINES) {
            drawn.push(format!("{rail}   {line}").trim_end().to_owned());
        }
        if more > 0 {
            let note = format!("… {more} more lines; --json shows them");
            drawn.push(format!("{rail}   {}", paint.faint(&note)));
        }
    }
    if !last {
        drawn.push(rail.to_owned());
    }
}

fn headline<'a>(event: &Event<'a>, paint: Paint) -> Headline<'a> {
    let (mark, at, what, by) = match event {
        Event::Created(task) => (
            "○".to_owned(),
            task.created_at,
            format!("created by {}", task.injected_by),
            &task.attribution,
        ),
        Event::Accepted(one) => (
            "●".to_owned(),
            one.accepted_at,
            format!("accepted by {}", one.actor_id),
            &one.attribution,
        ),
        Event::Completed(one) => (
            paint.good("✓"),
            one.reported_at,
            format!(
                "reported complete by {}, {}",
                one.actor_id,
                paint.strong(one.provenance.as_str())
            ),
            &one.attribution,
        ),
        Event::HandedOff(one) => (
            paint.alert("⇢"),
            one.handoff_at,
            format!("handed off by {} to {}", one.from_actor_id, one.to_actor_id),
            &one.attribution,
        ),
    };
    Headline { mark, at, what, by }
}

/// Whether the actor's own key was used, or a credential that may name any actor; and who saw the evidence of a claim.
fn known(attribution: &RecordAttribution) -> String {
    let basis = match attribution.basis {
        Basis::Authenticated => "authenticated",
        Basis::Asserted => "asserted",
    };
    let label = labelled(attribution);
    let evidence = attribution.evidence.as_ref();
    let seen = evidence.map_or_else(String::new, |seen| {
        let (tool, chain, block) = (&seen.tool, seen.chain_id, seen.block_number);
        format!("; evidence seen by the server: {tool} on chain {chain} at block {block}")
    });
    format!("({basis} by {}{label}{seen})", line(&attribution.principal))
}

/// What the writer called itself, and what the caller is to that.
pub(crate) fn labelled(attribution: &RecordAttribution) -> String {
    let Some(label) = &attribution.agent_label else {
        return String::new();
    };
    let boundary = attribution.boundary.as_ref();
    let relation = boundary.map_or_else(String::new, |boundary| format!(": {}", boundary.relation));
    format!(", as {}{relation}", cell(label, 40))
}

fn details<'a>(event: &Event<'a>) -> Vec<(&'static str, &'a str)> {
    let all = match event {
        Event::Created(task) => vec![
            ("", Some(task.description.as_str())),
            (
                "authority",
                task.authority_scope.as_ref().map(AuthorityScope::as_str),
            ),
        ],
        Event::Accepted(one) => vec![("", one.context_note.as_ref().map(ContextNote::as_str))],
        Event::Completed(one) => vec![
            ("", Some(one.claim_text.as_str())),
            (
                "source",
                one.source_reference.as_ref().map(SourceReference::as_str),
            ),
        ],
        Event::HandedOff(one) => vec![("", one.reason.as_ref().map(Reason::as_str))],
    };
    all.into_iter()
        .filter_map(|(label, text)| Some((label, text.filter(|text| !text.trim().is_empty())?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use deedbox_core::{
        AcceptanceId, ActorId, Attribution, ClaimProvenance, Command, HandoffId, Principal,
        Projection, State, TaskId, World, decide,
        text::{ClaimText, Description, Title},
    };

    use super::*;
    use crate::world::SystemWorld;

    fn actor(id: &str) -> ActorId {
        ActorId::new(id).unwrap()
    }

    /// A history of these steps, decided by the rules, all within one millisecond.
    fn within_one_millisecond(steps: &[&str]) -> Status {
        let (world, now) = (SystemWorld, Timestamp::from_millis(1_000).unwrap());
        let task = TaskId(world.uuid());
        let by = Attribution::of(Principal::local());
        let mut state = State {
            actors: BTreeSet::from([actor("alice"), actor("codex")]),
            ..State::default()
        };
        let mut deeds = vec![];
        for step in steps {
            let (what, who) = step.split_once(' ').unwrap();
            let who = actor(who);
            let command = match what {
                "create" => Command::CreateTask {
                    task,
                    title: Title::new("T").unwrap(),
                    description: Description::new("").unwrap(),
                    injected_by: who,
                    authority_scope: None,
                    recipient_only: false,
                },
                "accept" => Command::AcceptTask {
                    task,
                    id: AcceptanceId(world.uuid()),
                    actor: who,
                    context_note: None,
                },
                "complete" => Command::ReportCompletion {
                    task,
                    id: CompletionId(world.uuid()),
                    actor: who,
                    provenance: ClaimProvenance::Reported,
                    claim_text: ClaimText::new("Done").unwrap(),
                    source_reference: None,
                },
                _ => Command::HandoffTask {
                    task,
                    id: HandoffId(world.uuid()),
                    from: who,
                    to: actor("alice"),
                    reason: None,
                },
            };
            for deed in decide(&state, command, &by, now).unwrap() {
                let before = state
                    .task
                    .take()
                    .map(|task| Projection::Task(Box::new(task)));
                let Ok(Projection::Task(after)) = Projection::apply(before, &deed) else {
                    panic!("not a task");
                };
                state.task = Some(*after);
                deeds.push(deed);
            }
        }
        Status::from_deeds(deeds).unwrap().unwrap()
    }

    #[test]
    fn what_happened_within_one_millisecond_is_drawn_in_the_order_in_which_it_happened() {
        let steps = [
            "create alice",
            "accept codex",
            "complete codex",
            "complete codex",
            "handoff codex",
            "accept codex",
            "handoff codex",
            "accept codex",
            "complete codex",
            "handoff codex",
            "accept alice",
            "complete alice",
        ];
        for until in 1..=steps.len() {
            let status = within_one_millisecond(&steps[..until]);
            let drawn: Vec<String> = in_order(&status)
                .iter()
                .map(|event| match event {
                    Event::Created(task) => format!("create {}", task.injected_by),
                    Event::Accepted(one) => format!("accept {}", one.actor_id),
                    Event::Completed(one) => format!("complete {}", one.actor_id),
                    Event::HandedOff(one) => format!("handoff {}", one.from_actor_id),
                })
                .collect();
            assert_eq!(drawn, steps[..until]);
        }
    }
}
