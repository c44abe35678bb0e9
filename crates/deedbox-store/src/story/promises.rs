//! Repeats, lists, texts, clocks, races and snapshots.

use super::*;

impl Teller {
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

    pub(super) async fn a_repeat_returns_the_first_result(&self) {
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

    pub(super) async fn lists_are_newest_first_and_page_without_gaps(&self) {
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

    pub(super) async fn texts_come_back_as_they_went_in(&self) {
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

    pub(super) async fn time_never_runs_backwards_in_a_stream(&self) {
        let task = self.created("alice", "Clocks differ").await;
        self.world.pass(-60_000);
        let deed = self.done(self.accept(task, "bob")).await;
        self.world.pass(60_000);
        assert_eq!(deed.at, self.status(task).await.task.created_at);
    }

    pub(super) async fn one_of_many_racing_accepts_wins(&self) {
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

    pub(super) async fn one_of_many_racing_repeats_is_done(&self) {
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

    pub(super) async fn a_snapshot_does_not_see_later_deeds(&self) {
        let mut snapshot = self.store.snapshot().await.unwrap();
        let before = snapshot.count().await.unwrap();
        self.created("alice", "Later").await;
        assert_eq!(snapshot.count().await.unwrap(), before);
        assert_eq!(self.deeds().await, before + 1);
    }

    pub(super) async fn the_ledger_is_sound(&self) {
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
