//! The six invariants, read off the deeds and nothing else.

use std::collections::BTreeMap;

use deedbox_core::{
    Basis, Body, ClaimProvenance, Deed, Projection, Stream, TaskState, TaskStatus, Timestamp,
    task::ContextSnapshot,
};
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::desk::Desk;

type Checked = Result<(), TestCaseError>;

/// The newest deed is the next of its stream, with a hash that verifies after a round trip through the form in
/// which databases keep it.
pub(crate) fn the_last_deed_follows(desk: &Desk) -> Checked {
    let (deed, before) = desk.deeds.split_last().unwrap();
    let head = before
        .iter()
        .rfind(|other| other.stream == deed.stream)
        .map(Deed::head);
    let mut stored = deed.to_stored();
    stored.body = serde_json::from_str(&stored.body.to_string()).unwrap();
    let read = stored.verify(head.as_ref());
    prop_assert_eq!(read.as_ref(), Ok(deed));
    Ok(())
}

/// Invariants 1 and 2: one owner at most; it appears by acceptance of a task without owner, stays with
/// completions, and leaves by its own handoff.
pub(crate) fn ownership_changes_only_by_acceptance_and_handoff(desk: &Desk) -> Checked {
    let mut owners = BTreeMap::new();
    for deed in &desk.deeds {
        let owner = owners.entry(&deed.stream).or_insert(None);
        match &deed.body {
            Body::TaskAccepted { actor_id, .. } => {
                prop_assert_eq!(&*owner, &None, "accepted although owned");
                *owner = Some(actor_id);
            }
            Body::CompletionReported { actor_id, .. } => {
                prop_assert_eq!(
                    &*owner,
                    &Some(actor_id),
                    "completed by another than the owner"
                );
            }
            Body::TaskHandedOff { from_actor_id, .. } => {
                prop_assert_eq!(&*owner, &Some(from_actor_id), "handed off by another");
                *owner = None;
            }
            _ => prop_assert_eq!(&*owner, &None),
        }
    }
    for task in desk.tasks.values() {
        prop_assert_eq!(task.owner.as_ref(), owners[&Stream::Task(task.id)]);
    }
    Ok(())
}

/// Invariants 3 and 4: each claim carries one provenance, and where it rises, the claim brings a reference that
/// is not blank and that no less certain claim before it brought.
pub(crate) fn provenance_rises_only_with_new_evidence(desk: &Desk) -> Checked {
    let mut claims: BTreeMap<&Stream, Vec<(ClaimProvenance, &str)>> = BTreeMap::new();
    for deed in &desk.deeds {
        let Body::CompletionReported {
            provenance,
            source_reference,
            ..
        } = &deed.body
        else {
            continue;
        };
        let json = deed.to_stored().body;
        prop_assert_eq!(json["provenance"].as_str(), Some(provenance.as_str()));
        let earlier = claims.entry(&deed.stream).or_default();
        let reference = source_reference
            .as_ref()
            .map_or("", |text| text.as_str().trim());
        if earlier
            .last()
            .is_some_and(|(latest, _)| latest < provenance)
        {
            prop_assert_ne!(reference, "", "rose without evidence");
            for (certainty, cited) in earlier.iter() {
                let old = certainty < provenance && *cited == reference;
                prop_assert!(
                    !old,
                    "rose to {} on {:?}, which is not new",
                    provenance,
                    reference
                );
            }
        }
        earlier.push((*provenance, reference));
    }
    Ok(())
}

/// Invariant 5: what a handoff froze is what stood before it, at the handoff's own time, and stays so however
/// the task goes on.
pub(crate) fn snapshots_are_what_stood_then(desk: &Desk) -> Checked {
    let mut latest: BTreeMap<&Stream, (Option<&Deed>, Option<&Deed>)> = BTreeMap::new();
    for (i, deed) in desk.deeds.iter().enumerate() {
        let stood = latest.entry(&deed.stream).or_default();
        match &deed.body {
            Body::TaskAccepted { .. } => stood.0 = Some(deed),
            Body::CompletionReported { .. } => stood.1 = Some(deed),
            Body::TaskHandedOff {
                context_snapshot, ..
            } => {
                let state = desk.before[&i].as_ref().unwrap();
                same_snapshot(context_snapshot, *stood, state, deed.at)?;
            }
            _ => {}
        }
    }
    for task in desk.tasks.keys() {
        let frozen = desk.of(*task).filter_map(|deed| match &deed.body {
            Body::TaskHandedOff {
                context_snapshot, ..
            } => Some(&**context_snapshot),
            _ => None,
        });
        let status = desk.status(*task);
        let shown = status
            .handoffs
            .iter()
            .map(|handoff| &handoff.context_snapshot);
        prop_assert!(frozen.eq(shown), "a snapshot changed after its handoff");
    }
    Ok(())
}

fn same_snapshot(
    snapshot: &ContextSnapshot,
    (acceptance, completion): (Option<&Deed>, Option<&Deed>),
    state: &TaskState,
    at: Timestamp,
) -> Checked {
    let json = serde_json::to_value(snapshot).unwrap();
    // A deed's body is the record that callers see, without the two fields that it has from elsewhere.
    let record = |deed: Option<&Deed>, time: &str| {
        deed.map_or(serde_json::Value::Null, |deed| {
            let mut body = deed.to_stored().body;
            body[time] = deed.at.to_string().into();
            body
        })
    };
    let expected = serde_json::json!({
        "capturedAt": at.to_string(),
        "status": state.status.as_str(),
        "latestAcceptance": record(acceptance, "acceptedAt"),
        "latestCompletion": record(completion, "reportedAt"),
    });
    prop_assert_eq!(json, expected);
    prop_assert!(matches!(
        state.status,
        TaskStatus::Accepted | TaskStatus::Completed
    ));
    Ok(())
}

/// A deed whose actor is said to be authenticated was done with that actor's own key.
pub(crate) fn bound_keys_acted_only_as_their_actor(desk: &Desk) -> Checked {
    for deed in &desk.deeds {
        let named = match &deed.body {
            Body::TaskCreated { injected_by, .. } => injected_by,
            Body::TaskAccepted { actor_id, .. } | Body::CompletionReported { actor_id, .. } => {
                actor_id
            }
            Body::TaskHandedOff { from_actor_id, .. } => from_actor_id,
            _ => {
                prop_assert_eq!(deed.by.basis, Basis::Asserted, "only operators add actors");
                continue;
            }
        };
        let expected = match deed.by.basis {
            Basis::Authenticated => format!("key:{named}"),
            Basis::Asserted => "key:operator".to_owned(),
        };
        prop_assert_eq!(deed.by.principal.as_str(), expected);
    }
    Ok(())
}

/// Invariant 6: each stream's chain verifies from its first deed on, and folding the stored deeds gives the
/// state that was kept step by step.
pub(crate) fn history_can_be_rebuilt(desk: &Desk) -> Checked {
    for (task, kept) in &desk.tasks {
        let mut rebuilt = None;
        for deed in desk.of(*task) {
            let head = rebuilt.as_ref().map(Projection::head);
            let read = deed.to_stored().verify(head.as_ref());
            prop_assert_eq!(read.as_ref(), Ok(deed));
            rebuilt = Some(Projection::apply(rebuilt, &read.unwrap()).unwrap());
        }
        let Some(Projection::Task(rebuilt)) = rebuilt else {
            panic!("a task without deeds");
        };
        prop_assert_eq!(&*rebuilt, kept);
        let deeds: Vec<&Deed> = desk.of(*task).collect();
        let bytes: usize = deeds
            .iter()
            .map(|deed| deed.to_stored().canonical_body().len())
            .sum();
        prop_assert_eq!(kept.bytes, bytes as u64);
        prop_assert!(
            deeds.windows(2).all(|pair| pair[0].at <= pair[1].at),
            "time ran backwards"
        );
    }
    Ok(())
}
