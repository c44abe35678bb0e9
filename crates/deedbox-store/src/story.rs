//! The one behavioural story that every backend must tell.
//!
//! A backend's test opens an empty store on a [`StoryWorld`] and calls [`tell`]. Each chapter is a promise;
//! a panic names the one that was broken. Nothing here knows which database it talks to.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a broken promise ends the story"
)]

use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use deedbox_core::{
    AcceptanceId, ActorId, ActorKind, ApiKey, Attribution, Authority, ClaimProvenance, Command,
    CompletionId, Deed, HandoffId, KeyId, Principal, PrincipalId, Refusal, Scopes, TaskId,
    TaskStatus, Timestamp, World,
    hash::RequestHash,
    limits,
    task::{Record, Status},
    text::{ClaimText, ContextNote, Description, Name, Reason, SourceReference, Title},
};

use crate::{Execute, Idempotency, Outcome, Place, Store, Unaccepted, ledger};

/// A world whose clock stands still until it is moved, and whose randomness is a counter.
#[derive(Debug)]
pub struct StoryWorld {
    millis: AtomicI64,
    counter: AtomicU64,
}

impl Default for StoryWorld {
    fn default() -> Self {
        Self {
            millis: AtomicI64::new(1_796_000_000_000),
            counter: AtomicU64::new(1),
        }
    }
}

impl StoryWorld {
    /// Moves the clock, backwards when `millis` is negative.
    pub fn pass(&self, millis: i64) {
        self.millis.fetch_add(millis, Ordering::SeqCst);
    }
}

impl World for StoryWorld {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::SeqCst)).unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let n = self.counter.fetch_add(1, Ordering::SeqCst);
            chunk.copy_from_slice(&RequestHash::of(&n.to_be_bytes()).0[..chunk.len()]);
        }
    }
}

/// Tells the whole story on an empty `store`, which was opened on `world`.
///
/// # Panics
/// When a promise is broken.
pub async fn tell(store: Arc<dyn Store>, world: Arc<StoryWorld>) {
    let teller = Teller { store, world };
    teller.an_empty_store_has_nothing_and_is_sound().await;
    teller.actors_are_unique().await;
    teller.keys_are_issued_and_revoked_once().await;
    teller.only_one_first_operator_key_is_made().await;
    teller.a_task_lives_its_whole_life().await;
    teller.refused_commands_write_nothing().await;
    teller.certainty_needs_new_evidence().await;
    teller.a_reserved_task_waits_for_its_recipient().await;
    teller.a_repeat_returns_the_first_result().await;
    teller.lists_are_newest_first_and_page_without_gaps().await;
    teller.texts_come_back_as_they_went_in().await;
    teller.time_never_runs_backwards_in_a_stream().await;
    teller.one_of_many_racing_accepts_wins().await;
    teller.one_of_many_racing_repeats_is_done().await;
    teller.a_snapshot_does_not_see_later_deeds().await;
    teller.the_ledger_is_sound().await;
}

struct Teller {
    store: Arc<dyn Store>,
    world: Arc<StoryWorld>,
}

fn actor(name: &str) -> ActorId {
    ActorId::new(name).unwrap()
}

fn operator() -> Attribution {
    Attribution::of(Principal::local())
}

fn bound_to(name: &str) -> Attribution {
    Attribution::of(Principal {
        id: PrincipalId::from_stored(format!("key:{name}")),
        authority: Authority::Actor(actor(name)),
        scopes: Scopes::all(),
    })
}

impl Teller {
    async fn run(&self, command: Command, attribution: Attribution) -> Outcome {
        let execute = Execute {
            command,
            attribution,
            idempotency: None,
        };
        self.store.execute(execute).await.unwrap()
    }

    async fn done(&self, command: Command) -> Deed {
        self.run(command, operator()).await.unwrap().deed
    }

    async fn refused(&self, command: Command) -> Refusal {
        self.run(command, operator()).await.unwrap_err()
    }

    async fn deeds(&self) -> u64 {
        self.store.snapshot().await.unwrap().count().await.unwrap()
    }

    async fn status(&self, task: TaskId) -> Status {
        self.store.status(task).await.unwrap().unwrap()
    }

    fn create(&self, by: &str, title: &str) -> (TaskId, Command) {
        let task = TaskId(self.world.uuid());
        let command = Command::CreateTask {
            task,
            title: Title::new(title).unwrap(),
            description: Description::new("").unwrap(),
            injected_by: actor(by),
            authority_scope: None,
            recipient_only: false,
        };
        (task, command)
    }

    async fn created(&self, by: &str, title: &str) -> TaskId {
        let (task, command) = self.create(by, title);
        self.done(command).await;
        task
    }

    fn accept(&self, task: TaskId, by: &str) -> Command {
        let id = AcceptanceId(self.world.uuid());
        Command::AcceptTask {
            task,
            id,
            actor: actor(by),
            context_note: None,
        }
    }

    fn complete(
        &self,
        task: TaskId,
        by: &str,
        provenance: ClaimProvenance,
        source: Option<&str>,
    ) -> Command {
        Command::ReportCompletion {
            task,
            id: CompletionId(self.world.uuid()),
            actor: actor(by),
            provenance,
            claim_text: ClaimText::new("done").unwrap(),
            source_reference: source.map(|text| SourceReference::new(text).unwrap()),
        }
    }

    fn handoff(&self, task: TaskId, from: &str, to: &str) -> Command {
        let id = HandoffId(self.world.uuid());
        Command::HandoffTask {
            task,
            id,
            from: actor(from),
            to: actor(to),
            reason: None,
        }
    }

    async fn an_empty_store_has_nothing_and_is_sound(&self) {
        self.store.ping().await.unwrap();
        assert!(
            self.store
                .status(TaskId(self.world.uuid()))
                .await
                .unwrap()
                .is_none()
        );
        assert!(
            self.store
                .unaccepted(&Unaccepted::default())
                .await
                .unwrap()
                .is_empty()
        );
        assert!(self.store.actors().await.unwrap().is_empty());
        assert!(self.store.actor(&actor("alice")).await.unwrap().is_none());
        assert!(self.store.keys().await.unwrap().is_empty());
        self.the_ledger_is_sound().await;
    }

    async fn actors_are_unique(&self) {
        for name in ["bob", "alice", "carol", "Zoe"] {
            let add = Command::AddActor {
                id: actor(name),
                kind: ActorKind::Agent,
                name: Name::new(format!("{name} «☂»")).unwrap(),
            };
            self.done(add.clone()).await;
            assert_eq!(self.refused(add).await, Refusal::ActorExists(actor(name)));
        }
        let ids: Vec<String> = self
            .store
            .actors()
            .await
            .unwrap()
            .iter()
            .map(|actor| actor.id.to_string())
            .collect();
        assert_eq!(
            ids,
            ["Zoe", "alice", "bob", "carol"],
            "by id, in byte order"
        );
        let alice = self.store.actor(&actor("alice")).await.unwrap().unwrap();
        assert_eq!(
            (alice.name.as_str(), alice.created_at),
            ("alice «☂»", self.world.now())
        );
    }

    fn issue(&self, holder: Option<&str>, only_first_operator: bool) -> (ApiKey, Command) {
        let key = ApiKey::generate(&*self.world);
        let command = Command::IssueKey {
            id: key.id().clone(),
            secret_hash: key.hash(),
            actor: holder.map(actor),
            scopes: Scopes::all(),
            label: Some(Name::new("ci").unwrap()),
            expires_at: Some(self.world.now().plus_millis(1_000)),
            only_first_operator,
        };
        (key, command)
    }

    async fn keys_are_issued_and_revoked_once(&self) {
        let (_, nobody) = self.issue(Some("nobody"), false);
        assert_eq!(
            self.refused(nobody).await,
            Refusal::ActorNotFound(actor("nobody"))
        );
        let (key, command) = self.issue(Some("alice"), false);
        self.done(command).await;
        let record = self.store.key(key.id()).await.unwrap().unwrap();
        assert_eq!(
            record.admit(&key, self.world.now()).unwrap().authority,
            Authority::Actor(actor("alice"))
        );
        assert_eq!(record.expires_at, Some(self.world.now().plus_millis(1_000)));
        assert_eq!(record.label.as_ref().map(Name::as_str), Some("ci"));
        self.world.pass(5);
        let (second, command) = self.issue(Some("bob"), false);
        self.done(command).await;
        let listed: Vec<KeyId> = self
            .store
            .keys()
            .await
            .unwrap()
            .into_iter()
            .map(|key| key.id)
            .collect();
        assert_eq!(
            listed,
            [key.id().clone(), second.id().clone()],
            "oldest first"
        );
        let revoke = Command::RevokeKey {
            id: key.id().clone(),
        };
        self.done(revoke.clone()).await;
        let revoked = self.store.key(key.id()).await.unwrap().unwrap();
        assert_eq!(revoked.revoked_at, Some(self.world.now()));
        assert!(revoked.admit(&key, self.world.now()).is_err());
        assert_eq!(
            self.refused(revoke).await,
            Refusal::KeyRevoked(key.id().clone())
        );
        let unknown = ApiKey::generate(&*self.world).id().clone();
        assert!(self.store.key(&unknown).await.unwrap().is_none());
        assert_eq!(
            self.refused(Command::RevokeKey {
                id: unknown.clone()
            })
            .await,
            Refusal::KeyNotFound(unknown)
        );
    }

    async fn only_one_first_operator_key_is_made(&self) {
        let asked: Vec<_> = (0..6).map(|_| self.issue(None, true).1).collect();
        let answers =
            futures::future::join_all(asked.into_iter().map(|ask| self.run(ask, operator()))).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        assert!(
            answers
                .into_iter()
                .filter_map(Result::err)
                .all(|no| no == Refusal::OperatorExists)
        );
        self.done(self.issue(None, false).1).await;
    }

    async fn a_task_lives_its_whole_life(&self) {
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

    async fn refused_commands_write_nothing(&self) {
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

    async fn certainty_needs_new_evidence(&self) {
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

    async fn a_reserved_task_waits_for_its_recipient(&self) {
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

    fn repeat(&self, key: &str, says: &str, principal: &str) -> Execute {
        let (_, command) = self.create("alice", says);
        let mut attribution = operator();
        attribution.principal.id = PrincipalId::from_stored(principal.to_owned());
        let idempotency = Some(Idempotency {
            key: key.parse().unwrap(),
            request: RequestHash::of(says.as_bytes()),
        });
        Execute {
            command,
            attribution,
            idempotency,
        }
    }

    async fn a_repeat_returns_the_first_result(&self) {
        let ask = |says, principal| self.store.execute(self.repeat("k-1", says, principal));
        let first = ask("one", "key:a").await.unwrap().unwrap();
        assert!(!first.replayed);
        let before = self.deeds().await;
        let again = ask("one", "key:a").await.unwrap().unwrap();
        assert!(again.replayed);
        assert_eq!(again.deed, first.deed);
        assert_eq!(
            ask("two", "key:a").await.unwrap().unwrap_err(),
            Refusal::IdempotencyConflict
        );
        assert_eq!(self.deeds().await, before);
        let other = ask("two", "key:b").await.unwrap().unwrap();
        assert!(!other.replayed, "another credential's keys are its own");
        self.world.pass(limits::IDEMPOTENCY_MILLIS + 1);
        let late = ask("two", "key:a").await.unwrap().unwrap();
        assert!(!late.replayed, "after 24 hours a key is free again");
        assert!(ask("two", "key:a").await.unwrap().unwrap().replayed);
        let forgotten = self
            .store
            .forget_idempotency(self.world.now())
            .await
            .unwrap();
        assert_eq!(forgotten, 1, "only key:b's record is older than now");
        self.world.pass(1);
    }

    async fn lists_are_newest_first_and_page_without_gaps(&self) {
        let mut newest_first = vec![];
        for i in 0..7 {
            newest_first.insert(0, self.created("Zoe", &format!("Task {i}")).await);
            if i % 2 == 0 {
                self.world.pass(1); // so that some share their millisecond
            }
        }
        let owned = newest_first.remove(2);
        self.done(self.accept(owned, "bob")).await;
        let mine = Unaccepted {
            injected_by: Some(actor("Zoe")),
            after: None,
            limit: 4,
        };
        let first = self.store.unaccepted(&mine).await.unwrap();
        let after = Some(Place::from(first.last().unwrap()));
        let second = self
            .store
            .unaccepted(&Unaccepted {
                after,
                ..mine.clone()
            })
            .await
            .unwrap();
        let ids: Vec<TaskId> = first.iter().chain(&second).map(|task| task.id).collect();
        assert_eq!(ids.len(), 6);
        assert!(ids.iter().all(|id| newest_first.contains(id)));
        let order: Vec<_> = first
            .iter()
            .chain(&second)
            .map(|t| (t.created_at, t.id))
            .collect();
        assert!(
            order.windows(2).all(|pair| pair[0] > pair[1]),
            "newest first, then by id: {order:?}"
        );
        let all = self
            .store
            .unaccepted(&Unaccepted {
                limit: 1_000,
                ..Unaccepted::default()
            })
            .await
            .unwrap();
        assert!(all.iter().all(|task| task.current_owner_actor_id.is_none()));
        assert!(all.len() > ids.len(), "without a filter, everybody's");
        self.done(self.handoff(owned, "bob", "carol")).await;
        let mine = self
            .store
            .unaccepted(&Unaccepted { limit: 10, ..mine })
            .await
            .unwrap();
        assert_eq!(
            mine.len(),
            7,
            "a task that was handed off is nobody's again"
        );
        assert_eq!(
            mine.iter()
                .filter(|t| t.status == TaskStatus::Transitioned)
                .count(),
            1
        );
    }

    async fn texts_come_back_as_they_went_in(&self) {
        let odd = "'; DROP TABLE deeds; -- \" \\ \u{1} \u{7f} \u{202e} \u{10FFFF} é e\u{301} \u{fffd} \r\n\t";
        let title: String = odd.chars().cycle().take(limits::TITLE_CHARS).collect();
        let long = "𝄞".repeat(limits::TEXT_BYTES / 4);
        let task = TaskId(self.world.uuid());
        self.done(Command::CreateTask {
            task,
            title: Title::new(title.as_str()).unwrap(),
            description: Description::new(long.as_str()).unwrap(),
            injected_by: actor("alice"),
            authority_scope: Some(odd.parse().unwrap()),
            recipient_only: false,
        })
        .await;
        self.done(self.accept(task, "bob")).await;
        self.done(self.complete(task, "bob", ClaimProvenance::Reported, Some(odd)))
            .await;
        self.done(self.handoff(task, "bob", "carol")).await;
        let status = self.status(task).await;
        assert_eq!(status.task.title.as_str(), title);
        assert_eq!(status.task.description.as_str(), long);
        assert_eq!(status.task.authority_scope.as_ref().unwrap().as_str(), odd);
        let frozen = status.handoffs[0]
            .context_snapshot
            .latest_completion
            .as_ref()
            .unwrap();
        assert_eq!(frozen.source_reference.as_ref().unwrap().as_str(), odd);
    }

    async fn time_never_runs_backwards_in_a_stream(&self) {
        let task = self.created("alice", "Clocks differ").await;
        self.world.pass(-60_000);
        let deed = self.done(self.accept(task, "bob")).await;
        self.world.pass(60_000);
        assert_eq!(deed.at, self.status(task).await.task.created_at);
    }

    async fn one_of_many_racing_accepts_wins(&self) {
        for _ in 0..20 {
            let task = self.created("alice", "Race").await;
            let accepts = (0..8).map(|i| {
                let name = ["alice", "bob", "carol", "Zoe"][i % 4];
                self.run(self.accept(task, name), operator())
            });
            let answers = futures::future::join_all(accepts).await;
            assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
            assert!(
                answers
                    .iter()
                    .filter_map(|a| a.as_ref().err())
                    .all(|no| no.status() == 409)
            );
            assert_eq!(self.status(task).await.acceptances.len(), 1);
        }
    }

    async fn one_of_many_racing_repeats_is_done(&self) {
        for round in 0..10 {
            let before = self.deeds().await;
            let asks = (0..8).map(|_| {
                let repeat = self.repeat(&format!("race-{round}"), "the same", "key:a");
                self.store.execute(repeat)
            });
            let answers: Vec<_> = futures::future::join_all(asks)
                .await
                .into_iter()
                .map(|answer| answer.unwrap().unwrap())
                .collect();
            assert_eq!(answers.iter().filter(|kept| !kept.replayed).count(), 1);
            assert!(answers.iter().all(|kept| kept.deed == answers[0].deed));
            assert_eq!(self.deeds().await, before + 1);
        }
    }

    async fn a_snapshot_does_not_see_later_deeds(&self) {
        let mut snapshot = self.store.snapshot().await.unwrap();
        let before = snapshot.count().await.unwrap();
        self.created("alice", "Later").await;
        assert_eq!(snapshot.count().await.unwrap(), before);
        assert_eq!(self.deeds().await, before + 1);
    }

    async fn the_ledger_is_sound(&self) {
        let mut snapshot = self.store.snapshot().await.unwrap();
        let deeds = snapshot.count().await.unwrap();
        let mut seen = 0;
        let sound = ledger::check(&mut *snapshot, |done| seen = done)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((sound.deeds, seen), (deeds, deeds));
    }
}
