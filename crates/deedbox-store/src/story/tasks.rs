//! A task's life, and what is refused on the way.

use super::*;

impl Teller {
    pub(super) async fn a_task_lives_its_whole_life(&self) {
        let task = self.created("alice", "Check the rollback plan").await;
        assert_eq!(
            self.status(task).await.task.status,
            TaskStatus::PendingAcceptance
        );
        self.world.pass(1);
        let deed = self
            .run(
                Command::AcceptTask {
                    task,
                    id: AcceptanceId(self.world.uuid()),
                    actor: actor("bob"),
                    context_note: Some(ContextNote::new("on it").unwrap()),
                },
                bound_to("bob"),
            )
            .await
            .unwrap()
            .deed;
        let Record::Acceptance(acceptance) = Record::new(deed).unwrap() else {
            panic!("an acceptance")
        };
        let status = self.status(task).await;
        assert_eq!(status.latest_acceptance.as_ref(), Some(&acceptance));
        assert_eq!(status.task.current_owner_actor_id, Some(actor("bob")));
        assert!(matches!(
            self.refused(self.accept(task, "bob")).await,
            Refusal::AlreadyOwned { owner, .. } if owner == actor("bob")
        ));
        self.world.pass(1);
        self.done(self.complete(task, "bob", ClaimProvenance::Reported, None))
            .await;
        assert_eq!(self.status(task).await.task.status, TaskStatus::Completed);
        self.world.pass(1);
        let deed = self
            .done(Command::HandoffTask {
                task,
                id: HandoffId(self.world.uuid()),
                from: actor("bob"),
                to: actor("carol"),
                reason: Some(Reason::new("end of shift").unwrap()),
            })
            .await;
        let Record::Handoff(handoff) = Record::new(deed).unwrap() else {
            panic!("a handoff")
        };
        let snapshot = &handoff.context_snapshot;
        assert_eq!(snapshot.captured_at, handoff.handoff_at);
        assert_eq!(snapshot.status, TaskStatus::Completed);
        assert_eq!(
            snapshot.latest_acceptance.as_ref().unwrap().id,
            acceptance.id
        );
        assert_eq!(
            snapshot
                .latest_completion
                .as_ref()
                .unwrap()
                .claim_text
                .as_str(),
            "done"
        );
        self.done(self.accept(task, "alice")).await;
        let status = self.status(task).await;
        assert_eq!(status.task.status, TaskStatus::Accepted);
        assert_eq!(status.task.current_owner_actor_id, Some(actor("alice")));
        assert_eq!((status.acceptances.len(), status.completions.len()), (2, 1));
        assert_eq!(
            status.handoffs,
            [*handoff],
            "what was acknowledged is what is kept"
        );
    }

    pub(super) async fn refused_commands_write_nothing(&self) {
        let task = self.created("alice", "Refusals").await;
        let ghost = TaskId(self.world.uuid());
        let before = self.deeds().await;
        let (_, create) = self.create("nobody", "x");
        assert_eq!(
            self.refused(create).await,
            Refusal::ActorNotFound(actor("nobody"))
        );
        let cases = [
            (self.accept(ghost, "bob"), "task_not_found"),
            (self.accept(task, "nobody"), "actor_not_found"),
            (
                self.complete(task, "bob", ClaimProvenance::Observed, None),
                "no_current_owner",
            ),
            (self.handoff(task, "bob", "carol"), "not_owner"),
        ];
        for (command, code) in cases {
            assert_eq!(self.refused(command).await.code(), code);
        }
        let stranger = self.run(self.accept(task, "alice"), bound_to("bob")).await;
        assert_eq!(stranger.unwrap_err().code(), "wrong_actor");
        assert_eq!(self.deeds().await, before);
        self.done(self.accept(task, "bob")).await;
        let cases = [
            (self.accept(task, "carol"), "already_owned"),
            (
                self.complete(task, "carol", ClaimProvenance::Observed, None),
                "not_owner",
            ),
            (self.handoff(task, "carol", "bob"), "not_owner"),
            (self.handoff(task, "bob", "nobody"), "actor_not_found"),
            (
                self.complete(
                    task,
                    "bob",
                    ClaimProvenance::Observed,
                    Some("evidence:none"),
                ),
                "evidence_not_found",
            ),
        ];
        for (command, code) in cases {
            assert_eq!(self.refused(command).await.code(), code);
        }
        assert_eq!(self.deeds().await, before + 1);
        assert_eq!(self.status(task).await.completions.len(), 0);
    }

    pub(super) async fn certainty_needs_new_evidence(&self) {
        use ClaimProvenance::{Observed, Reported, Reviewed};
        let task = self.created("alice", "Evidence").await;
        self.done(self.accept(task, "bob")).await;
        let claims = [
            (Reported, Some("run 1"), true),
            (Reviewed, None, false),
            (Reviewed, Some("  "), false),
            (Reviewed, Some("run 1"), false),
            (Reviewed, Some(" run 1 "), false),
            (Reviewed, Some("run 2"), true),
            (Observed, Some("run 1"), false),
            (Observed, Some("run 2"), false),
            (Observed, Some("run 3"), true),
            (Observed, None, true),
            (Reported, None, true),
            (Observed, Some("run 3"), true),
        ];
        for (i, (provenance, source, allowed)) in claims.into_iter().enumerate() {
            let answer = self
                .run(self.complete(task, "bob", provenance, source), operator())
                .await;
            assert_eq!(
                answer.is_ok(),
                allowed,
                "claim {i}: {provenance} citing {source:?}"
            );
            if let Err(refusal) = answer {
                assert_eq!(refusal.code(), "evidence_required");
            }
        }
    }

    pub(super) async fn a_reserved_task_waits_for_its_recipient(&self) {
        let (task, mut command) = self.create("alice", "For carol");
        if let Command::CreateTask { recipient_only, .. } = &mut command {
            *recipient_only = true;
        }
        self.done(command).await;
        self.done(self.accept(task, "bob")).await;
        self.done(self.handoff(task, "bob", "carol")).await;
        assert_eq!(
            self.refused(self.accept(task, "alice")).await.code(),
            "not_recipient"
        );
        self.done(self.accept(task, "carol")).await;
    }
}
