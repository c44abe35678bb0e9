//! What can happen in a random history. Few names and few references, so that steps meet each other often.

use proptest::{prelude::*, sample::select};

/// Everybody who is ever named. The last two are unknown until somebody adds them.
pub(crate) const NAMES: [&str; 5] = ["alice", "bob", "carol", "dave", "erin"];
/// Those who exist from the start.
pub(crate) const KNOWN: usize = 3;
/// Stands for whoever owns the task when the step is taken; alice when nobody does.
pub(crate) const OWNER: &str = "(owner)";
/// The one evidence that is recorded.
pub(crate) const RECORDED: &str = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

/// References of every sort: none, blank, plain, the same with white space around it, and promises of evidence.
pub(crate) const REFERENCES: [Option<&str>; 10] = [
    None,
    Some(""),
    Some(" \u{2003}\n"),
    Some("ci/1"),
    Some("\tci/1 "),
    Some("ci/2"),
    Some("CI/2"),
    Some("evidence:0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b"),
    Some("evidence:0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5c"),
    Some(" evidence:nonsense"),
];

/// Who asks: an operator, or the holder of a key that is bound to one actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The actor whose key it is; none for an operator's.
    pub(crate) bound: Option<&'static str>,
    /// Whether the key may write.
    pub(crate) writes: bool,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) caller: Caller,
    pub(crate) act: Act,
    /// How far the clock moves before it, in milliseconds; backwards too.
    pub(crate) clock: i64,
}

/// What is asked. Tasks are numbers.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Create {
        task: u8,
        by: &'static str,
        recipient_only: bool,
    },
    Accept {
        task: u8,
        by: &'static str,
        note: Option<&'static str>,
    },
    Complete {
        task: u8,
        by: &'static str,
        certainty: u8,
        reference: Option<&'static str>,
    },
    Handoff {
        task: u8,
        from: &'static str,
        to: &'static str,
    },
    Add {
        name: &'static str,
    },
}

impl Step {
    /// The same step with a name in the place of [`OWNER`].
    pub(crate) fn resolved(&self, owner: impl Fn(u8) -> Option<&'static str>) -> Self {
        let mut step = self.clone();
        let (task, who) = match &mut step.act {
            Act::Complete { task, by, .. } => (*task, by),
            Act::Handoff { task, from, .. } => (*task, from),
            _ => return step,
        };
        let name = owner(task).unwrap_or("alice");
        for place in [Some(who), step.caller.bound.as_mut()]
            .into_iter()
            .flatten()
        {
            if *place == OWNER {
                *place = name;
            }
        }
        step
    }
}

impl Act {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Accept { .. } => "accept",
            Self::Complete { .. } => "complete",
            Self::Handoff { .. } => "handoff",
            Self::Add { .. } => "add",
        }
    }
}

fn name() -> impl Strategy<Value = &'static str> {
    // The known ones three times as often.
    prop_oneof![9 => select(&NAMES[..KNOWN]), 1 => select(&NAMES[KNOWN..])]
}

fn mostly_owner() -> impl Strategy<Value = &'static str> {
    prop_oneof![3 => Just(OWNER), 1 => name()]
}

fn act() -> impl Strategy<Value = Act> {
    let task = || prop_oneof![8 => Just(0_u8), 6 => Just(1), 1 => Just(2)];
    let note = || select(vec![None, Some(""), Some("on it")]);
    prop_oneof![
        3 => (task(), name(), any::<bool>())
            .prop_map(|(task, by, recipient_only)| Act::Create { task, by, recipient_only }),
        8 => (task(), name(), note()).prop_map(|(task, by, note)| Act::Accept { task, by, note }),
        14 => (task(), mostly_owner(), 0_u8..3, select(REFERENCES.to_vec()))
            .prop_map(|(task, by, certainty, reference)| Act::Complete { task, by, certainty, reference }),
        7 => (task(), mostly_owner(), name()).prop_map(|(task, from, to)| Act::Handoff { task, from, to }),
        1 => select(NAMES.to_vec()).prop_map(|name| Act::Add { name }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let own = |act: &Act| match act {
        Act::Create { by, .. } | Act::Accept { by, .. } | Act::Complete { by, .. } => Some(*by),
        Act::Handoff { from, .. } => Some(*from),
        Act::Add { .. } => None,
    };
    // Mostly operators and the actor's own key; sometimes somebody else's, sometimes one that may only read.
    let whose = prop_oneof![5 => Just(0_u8), 4 => Just(1), 2 => Just(2)];
    let clock = prop_oneof![Just(0_i64), 1_i64..2_000, -2_000_i64..0];
    (act(), whose, name(), prop::bool::weighted(0.93), clock).prop_map(
        move |(act, whose, other, writes, clock)| {
            let bound = match whose {
                0 => None,
                1 => own(&act),
                _ => Some(other),
            };
            Step {
                caller: Caller { bound, writes },
                act,
                clock,
            }
        },
    )
}

fn by_operator(act: Act) -> Step {
    let caller = Caller {
        bound: None,
        writes: true,
    };
    Step {
        caller,
        act,
        clock: 0,
    }
}

fn created() -> Step {
    by_operator(Act::Create {
        task: 0,
        by: "alice",
        recipient_only: false,
    })
}

/// Histories of one owner's claims on three references: what invariant 4 is about, many steps deep.
pub(crate) fn claims() -> impl Strategy<Value = Vec<Step>> {
    let claim = (
        0_u8..3,
        select(vec![None, Some("ci/1"), Some("ci/2"), Some("ci/3")]),
    )
        .prop_map(|(certainty, reference)| {
            by_operator(Act::Complete {
                task: 0,
                by: OWNER,
                certainty,
                reference,
            })
        });
    prop::collection::vec(claim, 1..40).prop_map(|mut steps| {
        let accepted = by_operator(Act::Accept {
            task: 0,
            by: "alice",
            note: None,
        });
        steps.splice(0..0, [created(), accepted]);
        steps
    })
}

/// Histories of up to 70 requests.
pub(crate) fn histories() -> impl Strategy<Value = Vec<Step>> {
    (any::<bool>(), prop::collection::vec(step(), 1..70)).prop_map(|(is_created, mut steps)| {
        if is_created {
            steps.insert(0, created());
        }
        steps
    })
}
