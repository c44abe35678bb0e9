//! Invariant 4: provenance never becomes more certain without new evidence.

use super::*;

/// What a claim gets when the latest one stands at `latest`, for each kind of reference.
#[test]
fn provenance_never_rises_without_new_evidence() {
    let needs = "409 evidence_required";
    // latest, claimed, answer without a new reference, answer with one.
    let rows = [
        ("reported", "reported", "ok", "ok"),
        ("reported", "reviewed", needs, "ok"),
        ("reported", "observed", needs, "ok"),
        ("reviewed", "reported", "ok", "ok"),
        ("reviewed", "reviewed", "ok", "ok"),
        ("reviewed", "observed", needs, "ok"),
        ("observed", "reported", "ok", "ok"),
        ("observed", "reviewed", "ok", "ok"),
        ("observed", "observed", "ok", "ok"),
    ];
    let started = [create("alice", false), accept("alice")];
    for (latest, claimed, without, with) in rows {
        for cited in [None, Some(""), Some("ci/1")] {
            let stands =
                after(&[&started[..], &[complete("alice", latest, cited)]].concat()).unwrap();
            let mut tries = vec![
                (None, without),
                (Some(""), without),
                (Some(" \t\u{2003}\n"), without),
                (Some("ci/2"), with),
                (Some(EVIDENCE), with),
            ];
            if cited == Some("ci/1") {
                // White space around a reference does not make it another one.
                tries.extend([(Some("ci/1"), without), (Some(" ci/1\n"), without)]);
            } else {
                tries.push((Some("ci/1"), with));
            }
            for (reference, expected) in tries {
                let command = complete("alice", claimed, reference);
                let found = answer(Some(&stands), command, &operator());
                assert_eq!(
                    found, expected,
                    "{latest} {cited:?} then {claimed} {reference:?}"
                );
            }
        }
    }
}

#[test]
fn a_first_claim_is_free_whatever_it_claims() {
    let started = after(&[create("alice", false), accept("alice")]);
    for provenance in ["reported", "reviewed", "observed"] {
        for reference in [None, Some(""), Some("ci/1")] {
            let command = complete("alice", provenance, reference);
            assert_eq!(answer(started.as_ref(), command, &operator()), "ok");
        }
    }
}

#[test]
fn each_step_up_needs_evidence_that_no_weaker_claim_cited() {
    let needs = "409 evidence_required";
    let start = vec![create("alice", false), accept("alice")];
    let claim = |p: &str, r: &str| complete("alice", p, Some(r));
    // The claims so far, the next one, the answer.
    let rows: [(&str, Vec<Command>, Command, &str); 10] = [
        (
            "the reviewed claim's reference is not new for observed",
            vec![claim("reported", "r1"), claim("reviewed", "r2")],
            claim("observed", "r2"),
            needs,
        ),
        (
            "nor is the reported claim's, two steps back",
            vec![claim("reported", "r1"), claim("reviewed", "r2")],
            claim("observed", "r1"),
            needs,
        ),
        (
            "a third one is",
            vec![claim("reported", "r1"), claim("reviewed", "r2")],
            claim("observed", "r3"),
            "ok",
        ),
        (
            "a downgrade does not make an old reference new",
            vec![
                claim("reported", "r1"),
                claim("reviewed", "r2"),
                claim("reported", "r3"),
            ],
            claim("reviewed", "r1"),
            needs,
        ),
        (
            "a reference of an equal claim may be cited again",
            vec![claim("reviewed", "r2"), claim("reported", "r3")],
            claim("reviewed", "r2"),
            "ok",
        ),
        (
            "a reference of a stronger claim may be cited again",
            vec![claim("observed", "r2"), claim("reported", "r3")],
            claim("reviewed", "r2"),
            "ok",
        ),
        (
            "unless a weaker claim cited it as well",
            vec![claim("observed", "r2"), claim("reported", "r2")],
            claim("reviewed", "r2"),
            needs,
        ),
        (
            "also when the weaker claim came first",
            vec![
                claim("reported", "r2"),
                claim("reported", "r2"),
                complete("alice", "reported", None),
            ],
            claim("observed", "r2"),
            needs,
        ),
        (
            "citing it again for an equal claim does not make an old reference new",
            vec![
                claim("reported", "r1"),
                claim("reviewed", "r2"),
                claim("reviewed", "r1"),
                claim("reported", "r3"),
            ],
            claim("reviewed", "r1"),
            needs,
        ),
        (
            "an unchanged certainty is free with any reference",
            vec![claim("reported", "r1")],
            claim("reported", "r1"),
            "ok",
        ),
    ];
    for (rule, claims, next, expected) in rows {
        let stands = after(&[start.clone(), claims].concat());
        assert_eq!(
            answer(stands.as_ref(), next, &operator()),
            expected,
            "{rule}"
        );
    }
}

#[test]
fn certainty_is_a_matter_of_the_task_not_of_its_owner() {
    let steps = [
        create("alice", false),
        accept("alice"),
        complete("alice", "reported", Some("r1")),
        handoff("alice", "bob"),
        accept("bob"),
    ];
    let stands = after(&steps);
    for (reference, expected) in [
        (None, "409 evidence_required"),
        (Some("r1"), "409 evidence_required"),
        (Some("r2"), "ok"),
    ] {
        let command = complete("bob", "observed", reference);
        assert_eq!(
            answer(stands.as_ref(), command, &operator()),
            expected,
            "{reference:?}"
        );
    }
}

#[test]
fn evidence_that_is_cited_must_be_recorded() {
    let started = after(&[create("alice", false), accept("alice")]);
    let missing = "evidence:0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5c";
    for (reference, expected) in [
        (EVIDENCE, "ok"),
        (missing, "404 evidence_not_found"),
        // A reader does not see the zero-width space.
        (&format!("\u{200b}{missing}"), "404 evidence_not_found"),
        (" evidence:nonsense ", "404 evidence_not_found"),
        ("evidence:", "404 evidence_not_found"),
        ("see evidence: none", "ok"),
    ] {
        let command = complete("alice", "reported", Some(reference));
        assert_eq!(
            answer(started.as_ref(), command, &operator()),
            expected,
            "{reference}"
        );
    }
}

#[test]
fn evidence_is_the_same_however_its_citation_is_spelled() {
    let id = EVIDENCE.strip_prefix("evidence:").unwrap();
    let spellings = [
        "evidence:",
        "Evidence:",
        " EVIDENCE:",
        "\u{200b}eViDence:",
        "evidence\u{200b}:",
        "evidence\u{ff1a}",
        "evidence\u{2236} ",
    ]
    .map(|scheme| format!("{scheme}{id}"));
    for first in &spellings {
        let stands = after(&[
            create("alice", false),
            accept("alice"),
            complete("alice", "reported", Some(first)),
        ]);
        for second in &spellings {
            let command = complete("alice", "observed", Some(second));
            let found = answer(stands.as_ref(), command, &operator());
            assert_eq!(found, "409 evidence_required", "{first:?}, {second:?}");
        }
    }
}
