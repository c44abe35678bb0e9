//! Random histories: whatever several actors with several keys ask for, in whatever order, the invariants hold.
//!
//! Three things are compared after every command. The rules ([`deedbox_core::decide`] and
//! [`deedbox_core::Projection`]), a second and much simpler statement of the protocol ([`model`], which calls
//! none of the first's functions), and the invariants themselves, read off the deeds ([`invariants`]).
//!
//! The seed is printed; `DEEDBOX_SEED=<number>` repeats a run. Failing cases are kept in
//! `histories/regressions.txt` and tried first from then on.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers may fail the test and print its seed"
)]

mod desk;
mod invariants;
mod model;
mod steps;

use std::{cell::RefCell, collections::BTreeMap};

use proptest::{
    prelude::*,
    test_runner::{Config, FileFailurePersistence, RngSeed, TestRunner},
};

use crate::{desk::Desk, model::Model, steps::Step};

#[expect(
    clippy::disallowed_methods,
    reason = "a run is repeated by naming its seed"
)]
fn seed() -> u64 {
    let seed = std::env::var("DEEDBOX_SEED").map_or_else(
        |_| std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0),
        |text| text.parse().unwrap(),
    );
    println!("DEEDBOX_SEED={seed}");
    seed
}

/// Carries a history out on both sides and counts the answers, so that a run shows what it has tried.
fn run(history: &[Step], answers: &mut BTreeMap<String, usize>) -> Result<(), TestCaseError> {
    let (mut desk, mut model) = (Desk::new(), Model::new());
    for step in history {
        let step = &step.resolved(|task| model.owner(task));
        let expected = model.ask(step);
        let (deeds, tasks) = (desk.deeds.len(), desk.tasks.clone());
        let found = desk.ask(step);
        *answers.entry(found.name(step)).or_default() += 1;
        prop_assert_eq!(found.answer(), expected, "the answer to {:?}", step);
        if expected.is_err() {
            prop_assert_eq!(desk.deeds.len(), deeds, "a refused call wrote: {:?}", step);
            prop_assert_eq!(&desk.tasks, &tasks);
        } else {
            prop_assert_eq!(desk.deeds.len(), deeds + 1, "{:?}", step);
            invariants::the_last_deed_follows(&desk)?;
        }
        model.same_as(&desk)?;
    }
    invariants::ownership_changes_only_by_acceptance_and_handoff(&desk)?;
    invariants::provenance_rises_only_with_new_evidence(&desk)?;
    invariants::snapshots_are_what_stood_then(&desk)?;
    invariants::bound_keys_acted_only_as_their_actor(&desk)?;
    invariants::history_can_be_rebuilt(&desk)?;
    model.same_history_as(&desk)
}

/// Runs `cases` random histories and returns how often each answer came up.
fn try_all(cases: u32, histories: impl Strategy<Value = Vec<Step>>) -> BTreeMap<String, usize> {
    let config = Config {
        cases,
        max_shrink_iters: 20_000,
        rng_seed: RngSeed::Fixed(seed()),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/histories/regressions.txt"
        )))),
        ..Config::default()
    };
    let answers = RefCell::new(BTreeMap::new());
    let outcome = TestRunner::new(config).run(&histories, |history| {
        run(&history, &mut answers.borrow_mut())
    });
    let answers = answers.into_inner();
    println!("answers: {answers:#?}");
    if let Err(error) = outcome {
        panic!("{error}");
    }
    answers
}

#[test]
fn random_histories_keep_the_six_invariants() {
    let answers = try_all(1_000, steps::histories());
    // What was never tried was not tested. These are all the answers that these steps can get.
    for answer in ANSWERS {
        let count = answers.get(answer).copied().unwrap_or_default();
        assert!(
            count >= 20,
            "{answer} came up only {count} times in this run"
        );
    }
    for answer in answers.keys() {
        assert!(
            ANSWERS.contains(&answer.as_str()),
            "an answer nobody expected: {answer}"
        );
    }
}

#[test]
fn long_histories_of_claims_keep_the_fourth_invariant() {
    let answers = try_all(700, steps::claims());
    assert!(answers["complete: ok"] > 3_000);
    assert!(answers["complete: evidence_required"] > 1_000);
}

const ANSWERS: [&str; 30] = [
    "create: ok",
    "create: invalid_input",
    "create: actor_not_found",
    "create: wrong_actor",
    "create: missing_scope",
    "accept: ok",
    "accept: already_owned",
    "accept: not_recipient",
    "accept: task_not_found",
    "accept: actor_not_found",
    "accept: wrong_actor",
    "accept: missing_scope",
    "complete: ok",
    "complete: no_current_owner",
    "complete: not_owner",
    "complete: evidence_required",
    "complete: evidence_not_found",
    "complete: task_not_found",
    "complete: actor_not_found",
    "complete: wrong_actor",
    "complete: missing_scope",
    "handoff: ok",
    "handoff: not_owner",
    "handoff: task_not_found",
    "handoff: actor_not_found",
    "handoff: wrong_actor",
    "handoff: missing_scope",
    "add: ok",
    "add: actor_exists",
    "add: operator_only",
];
