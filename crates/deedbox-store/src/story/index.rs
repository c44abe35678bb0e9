//! The story of an index: what every backend must do with what registries said.
//!
//! A backend's test opens an empty index and calls [`tell`]. Chapters have registries of their own and leave nothing behind.

mod chain;
mod checks;
mod copying;
mod finding;
mod history;
mod undo;

use std::{sync::Arc, time::Duration};

use deedbox_core::{ChainAddress, Timestamp};

use self::chain::{at, at_block, moved, said, set};
use crate::{
    StoreError,
    index::{
        Batch, Checkpoint, Cursor, Fact, Index, Lease, RegistryId, Row, Search, Standard,
        Superseded,
    },
};

/// Tells the whole story on an empty index. `seeds` is how many random lives with rewinds are lived.
///
/// # Panics
/// When a promise is broken.
pub async fn tell(index: Arc<dyn Index>, seeds: u64) {
    let teller = Teller { index };
    teller.an_empty_index_has_nothing().await;
    teller.a_registry_begins_once().await;
    teller.one_holder_at_a_time_has_a_registry().await;
    teller.a_holder_whose_time_is_over_writes_nothing().await;
    teller.batches_are_applied_all_or_none().await;
    teller.what_is_final_is_not_undone().await;
    for seed in 1..=seeds {
        teller
            .after_a_rewind_it_is_as_if_it_had_not_been(seed)
            .await;
    }
    teller.what_is_undone_is_not_found().await;
    teller
        .the_last_block_in_which_something_was_said_is_known_by_its_hash()
        .await;
    teller
        .history_is_newest_first_and_pages_without_gaps()
        .await;
    teller.predicates_are_told_where_they_were_named().await;
    teller.odd_bytes_and_long_values_come_back().await;
    teller.the_last_word_about_who_may_act_counts().await;
    teller.entries_are_counted_by_registry().await;
    teller.of_racing_writers_one_wins().await;
    teller.words_of_any_language_are_found().await;
    teller.labelled_searches_find_what_they_should().await;
    teller.every_filter_keeps_what_fits().await;
    teller.pages_have_everything_once_in_order().await;
    for seed in 1..=seeds.min(3) {
        teller
            .pages_lose_and_repeat_nothing_that_fits_all_the_while(seed)
            .await;
        teller
            .who_keeps_a_copy_by_the_rule_loses_nothing_and_keeps_nothing_dead(seed)
            .await;
    }
    teller
        .rows_have_another_numbering_once_some_were_thrown_away()
        .await;
    teller.what_changed_is_found_by_its_new_words_only().await;
    teller.a_check_counts_until_the_manifest_changes().await;
    teller.unchecked_tools_come_first().await;
    teller
        .the_last_look_at_a_registry_is_kept_as_long_as_it_is()
        .await;
    teller
        .only_who_holds_a_registry_says_what_its_chain_is_like()
        .await;
    teller.forgetting_a_registry_leaves_the_others().await;
    teller.an_empty_index_has_nothing().await;
}

struct Teller {
    index: Arc<dyn Index>,
}

/// The registry of a chapter.
fn registry(chapter: u8) -> RegistryId {
    RegistryId {
        chain_id: 1,
        address: ChainAddress([chapter; 20]),
    }
}

const TTL: Duration = Duration::from_secs(30);

/// The time in these stories: so many seconds after they begin.
fn second(n: i64) -> Timestamp {
    Timestamp::from_millis(1_796_000_000_000 + n * 1_000).unwrap()
}

/// A batch up to a block.
fn batch(of: RegistryId, after: Option<Checkpoint>, upto: u64, facts: Vec<Fact>) -> Batch {
    Batch {
        registry: of,
        after,
        facts,
        upto: at(upto),
        upto_at: Some(second(0)),
        final_upto: None,
    }
}

impl Teller {
    async fn begin(&self, of: RegistryId, standard: Standard) -> Lease {
        self.index.begin(of, standard, 1).await.unwrap();
        self.hold(of, "teller").await
    }

    /// A lease that outlasts the story's chapter.
    async fn hold(&self, of: RegistryId, holder: &str) -> Lease {
        let leases = self.index.claim(&[of], holder, second(0), TTL).await;
        leases.unwrap().pop().unwrap()
    }

    async fn applied(&self, lease: &Lease, batch: Batch) -> Cursor {
        let leases = std::slice::from_ref(lease);
        let cursors = self.index.apply(leases, vec![batch], second(1)).await;
        cursors.unwrap().unwrap().pop().unwrap()
    }

    async fn superseded(&self, lease: &Lease, batch: Batch, now: Timestamp) -> Superseded {
        let leases = std::slice::from_ref(lease);
        let outcome = self.index.apply(leases, vec![batch], now).await;
        outcome.unwrap().unwrap_err()
    }

    /// Begins a registry whose facts, one for each block, are these.
    async fn with(&self, of: RegistryId, standard: Standard, facts: Vec<Fact>) -> Lease {
        let lease = self.begin(of, standard).await;
        let upto = facts.last().map_or(1, |fact| fact.origin.place.block);
        self.applied(&lease, batch(of, None, upto, facts)).await;
        lease
    }

    async fn cursor(&self, of: RegistryId) -> Option<Cursor> {
        let cursors = self.index.cursors().await.unwrap().into_iter();
        cursors.into_iter().find(|cursor| cursor.registry == of)
    }

    /// Everything of a registry, in pages of different sizes.
    async fn dump(&self, of: RegistryId, page: u32) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        loop {
            let after = rows.last().map(Row::place);
            let more = self.index.dump(of, after, page).await.unwrap();
            assert!(more.len() <= page as usize);
            if more.is_empty() {
                return rows;
            }
            assert!(more.is_sorted_by_key(Row::place));
            rows.extend(more);
        }
    }

    async fn forget(&self, of: RegistryId) {
        self.index.forget(of).await.unwrap();
        assert_eq!(self.cursor(of).await, None);
        assert_eq!(self.dump(of, 10).await, []);
    }

    async fn an_empty_index_has_nothing(&self) {
        let of = registry(1);
        assert_eq!(self.index.cursors().await.unwrap(), []);
        assert_eq!(
            self.index.claim(&[of], "a", second(0), TTL).await.unwrap(),
            []
        );
        assert_eq!(self.dump(of, 10).await, []);
        let everything = Search::default();
        let found = self.index.search_agents(&everything).await.unwrap();
        assert_eq!((found.entries.len(), found.next), (0, None));
        self.index.forget(of).await.unwrap();
    }

    async fn a_registry_begins_once(&self) {
        let (a, b) = (registry(1), registry(2));
        let first = self.index.begin(b, Standard::Erc8257, 7).await.unwrap();
        assert_eq!(first, Cursor::new(b, Standard::Erc8257, 7));
        let again = self.index.begin(b, Standard::Erc8257, 99).await.unwrap();
        assert_eq!(again, first, "the first word counts");
        self.index.begin(a, Standard::Erc8122, 0).await.unwrap();
        let cursors = self.index.cursors().await.unwrap();
        let registries: Vec<_> = cursors.iter().map(|cursor| cursor.registry).collect();
        assert_eq!(registries, [a, b]);
        self.forget(a).await;
        self.forget(b).await;
    }

    async fn one_holder_at_a_time_has_a_registry(&self) {
        let (a, b) = (registry(1), registry(2));
        for of in [a, b] {
            self.index.begin(of, Standard::Erc8122, 1).await.unwrap();
        }
        let claim = |holder: &'static str, now: i64| {
            let index = Arc::clone(&self.index);
            async move {
                let leases = index.claim(&[a, b], holder, second(now), TTL).await;
                let leases = leases.unwrap().into_iter();
                leases
                    .map(|lease| (lease.registry, lease.epoch))
                    .collect::<Vec<_>>()
            }
        };
        let lease = self.hold(a, "one").await;
        assert_eq!((lease.epoch, lease.until), (1, second(30)));
        assert_eq!(claim("two", 1).await, [(b, 1)], "what is free");
        assert_eq!(claim("one", 20).await, [(a, 1)], "prolonged");
        assert_eq!(claim("two", 40).await, [(b, 1)], "held until 50 now");
        assert_eq!(claim("two", 50).await, [(a, 2), (b, 1)], "taken over");
        self.index
            .release(std::slice::from_ref(&lease))
            .await
            .unwrap();
        assert_eq!(
            claim("three", 51).await,
            [],
            "the old holder gave nothing back"
        );
        let of_two = Lease {
            holder: "two".to_owned(),
            epoch: 2,
            ..lease
        };
        self.index.release(&[of_two]).await.unwrap();
        assert_eq!(claim("three", 51).await, [(a, 3)]);
        self.forget(a).await;
        self.forget(b).await;
    }

    async fn a_holder_whose_time_is_over_writes_nothing(&self) {
        let of = registry(1);
        self.index.begin(of, Standard::Erc8122, 1).await.unwrap();
        let old = self.hold(of, "old").await;
        let facts = || vec![said(1, 0, moved(1, 0, 1))];
        let lease = Superseded::Lease(of);
        let late = self
            .superseded(&old, batch(of, None, 1, facts()), second(30))
            .await;
        assert_eq!(late, lease, "its time is over, though nobody else has it");
        let leases = self.index.claim(&[of], "new", second(30), TTL).await;
        let new = leases.unwrap().pop().unwrap();
        // By its own clock, which stands still, the old holder has time left.
        let stale = self
            .superseded(&old, batch(of, None, 1, facts()), second(5))
            .await;
        assert_eq!(stale, lease);
        let back = self.index.rewind(&old, None, second(5)).await.unwrap();
        assert_eq!(back, Err(lease));
        let other = self
            .index
            .apply(&[], vec![batch(of, None, 1, facts())], second(31));
        assert_eq!(other.await.unwrap(), Err(lease), "without any lease");
        self.applied(&new, batch(of, None, 1, facts())).await;
        self.forget(of).await;
        let gone = self
            .superseded(&new, batch(of, None, 1, facts()), second(31))
            .await;
        assert_eq!(gone, lease);
    }

    async fn batches_are_applied_all_or_none(&self) {
        let (a, b) = (registry(1), registry(2));
        let leases = [
            self.begin(a, Standard::Erc8122).await,
            self.begin(b, Standard::Erc8122).await,
        ];
        let facts = |block| {
            vec![
                said(block, 0, moved(1, 0, 1)),
                said(block, 3, set(1, "name", b"A")),
            ]
        };
        let apply = |batches| self.index.apply(&leases, batches, second(1));
        let first = |of| batch(of, None, 5, facts(5));
        let wrong = vec![first(a), batch(b, Some(at(3)), 5, facts(5))];
        assert_eq!(apply(wrong).await.unwrap(), Err(Superseded::Cursor(b)));
        assert_eq!(self.dump(a, 10).await, [], "nothing of the good one either");
        let cursors = apply(vec![first(b), first(a)]).await.unwrap().unwrap();
        let registries: Vec<_> = cursors.iter().map(|cursor| cursor.registry).collect();
        assert_eq!(registries, [b, a], "in the order of the batches");
        assert_eq!(self.cursor(a).await.as_ref(), Some(&cursors[1]));
        assert_eq!(cursors[0].checkpoints, [at(5)]);
        assert_eq!(
            apply(vec![first(a)]).await.unwrap(),
            Err(Superseded::Cursor(a)),
            "twice"
        );
        let other_branch = Checkpoint {
            hash: at(6).hash,
            ..at(5)
        };
        let branch = batch(a, Some(other_branch), 6, vec![]);
        assert_eq!(
            apply(vec![branch]).await.unwrap(),
            Err(Superseded::Cursor(a))
        );
        for bad in [facts(5), facts(8), facts(6).into_iter().rev().collect()] {
            let outcome = apply(vec![batch(a, Some(at(5)), 7, bad)]).await;
            assert!(
                matches!(outcome, Err(StoreError::Rejected(_))),
                "{outcome:?}"
            );
        }
        assert_eq!(self.dump(a, 10).await.len(), 3);
        self.forget(a).await;
        self.forget(b).await;
    }

    async fn what_is_final_is_not_undone(&self) {
        let of = registry(1);
        let lease = self.begin(of, Standard::Erc8122).await;
        let facts = (1..=10).map(|block| said(block, 0, set(1, "name", &[b'a'; 3])));
        let mut whole = batch(of, None, 10, facts.collect());
        whole.final_upto = Some(6);
        self.applied(&lease, whole).await;
        let rewind = |to: Option<u64>| self.index.rewind(&lease, to.map(at), second(1));
        let below = Err(Superseded::BelowFinal(of));
        assert_eq!(rewind(Some(5)).await.unwrap(), below);
        assert_eq!(rewind(None).await.unwrap(), below);
        assert_eq!(rewind(Some(11)).await.unwrap(), Err(Superseded::Cursor(of)));
        let mut only_final = batch(of, Some(at(10)), 10, vec![]);
        only_final.final_upto = Some(7);
        let cursor = self.applied(&lease, only_final).await;
        assert_eq!(cursor.final_upto, Some(7), "finality is news by itself");
        assert_eq!(rewind(Some(6)).await.unwrap(), below);
        let cursor = rewind(Some(7)).await.unwrap().unwrap();
        assert_eq!((cursor.upto, cursor.next()), (Some(at(7)), 8));
        assert_eq!(self.dump(of, 3).await.len(), 7 + 1);
        let agent = self.index.agent(of, at_block(1)).await.unwrap().unwrap();
        assert_eq!(agent.updated.place.block, 7);
        self.forget(of).await;
    }

    async fn of_racing_writers_one_wins(&self) {
        let of = registry(1);
        let lease = self.begin(of, Standard::Erc8122).await;
        let racers = (0..8).map(|n| {
            let (index, lease) = (Arc::clone(&self.index), lease.clone());
            async move {
                let facts = vec![said(1, n, moved(n, 0, 1))];
                index
                    .apply(&[lease], vec![batch(of, None, 1, facts)], second(1))
                    .await
                    .unwrap()
            }
        });
        let outcomes = futures::future::join_all(racers).await;
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
        assert_eq!(self.dump(of, 10).await.len(), 2);
        self.forget(of).await;
    }
}
