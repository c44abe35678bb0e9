//! Undo: what a chain took back leaves no trace.

use std::collections::BTreeMap;

use super::{
    Teller,
    chain::{Dice, at, moved, said, set},
    registry, second,
};
use crate::index::{Batch, Entry, Fact, OfAgents, Row, Search, Standard, Subject};

/// What an index should hold of a registry: written here a second time, and simpler.
#[derive(Debug, Default)]
struct Model {
    facts: Vec<Fact>,
    upto: Option<u64>,
    is_final: Option<u64>,
}

impl Model {
    fn rows(&self) -> Vec<Row> {
        let of = registry(9);
        let mut subjects: BTreeMap<Subject, Vec<&Fact>> = BTreeMap::new();
        for fact in &self.facts {
            let subject = fact.statement.subject();
            subjects.entry(subject).or_default().push(fact);
        }
        let facts = self.facts.iter().cloned().map(Row::Fact);
        let entries = subjects.into_values();
        let entries = entries.filter_map(|facts| Entry::fold(None, of, facts));
        facts.chain(entries.map(Row::Entry)).collect()
    }
}

impl Teller {
    pub(super) async fn after_a_rewind_it_is_as_if_it_had_not_been(&self, seed: u64) {
        let (of, mut dice, mut model) = (registry(9), Dice(seed), Model::default());
        let lease = self.begin(of, Standard::Erc8122).await;
        for _ in 0..25 {
            let floor = model.is_final;
            let ceiling = model.upto;
            if dice.roll(3) > 0 || ceiling.is_none() {
                let from = ceiling.map_or(1, |upto| upto + 1);
                let upto = from + dice.roll(6);
                let facts = dice.facts(from, upto);
                let is_final = (dice.roll(4) == 0).then(|| from + dice.roll(3));
                model.facts.extend(facts.iter().cloned());
                let batch = Batch {
                    registry: of,
                    after: model.upto.map(at),
                    facts,
                    upto: at(upto),
                    upto_at: None,
                    final_upto: is_final,
                };
                let cursor = self.applied(&lease, batch).await;
                model.upto = Some(upto);
                model.is_final = floor.max(is_final.map(|block| block.min(upto)));
                assert_eq!(cursor.final_upto, model.is_final, "seed {seed}");
            } else {
                let (low, high) = (floor.unwrap_or(0), ceiling.unwrap_or(0));
                let to = Some(low + dice.roll(high - low + 1)).filter(|to| *to > 0);
                let cursor = self.index.rewind(&lease, to.map(at), second(1)).await;
                let cursor = cursor
                    .unwrap()
                    .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                model
                    .facts
                    .retain(|fact| Some(fact.origin.place.block) <= to);
                model.upto = to;
                assert_eq!(cursor.upto, to.map(at), "seed {seed}");
            }
        }
        assert_eq!(self.dump(of, 7).await, model.rows(), "seed {seed}");
        // The same chain, read at once by an index that never saw the rest.
        self.forget(of).await;
        let lease = self.begin(of, Standard::Erc8122).await;
        let facts = model.facts.clone();
        let upto = model.upto.unwrap_or(1);
        self.applied(&lease, super::batch(of, None, upto, facts))
            .await;
        assert_eq!(self.dump(of, 1_000).await, model.rows(), "seed {seed}");
        self.forget(of).await;
    }

    pub(super) async fn the_last_block_in_which_something_was_said_is_known_by_its_hash(&self) {
        let (of, other) = (registry(9), registry(10));
        let facts = |blocks: [u64; 3]| {
            blocks
                .map(|block| said(block, 0, set(1, "name", b"x")))
                .to_vec()
        };
        let lease = self.with(of, Standard::Erc8122, facts([3, 7, 20])).await;
        self.with(other, Standard::Erc8122, facts([1, 9, 10])).await;
        let last = async |upto| self.index.last_said(of, upto).await.unwrap();
        for (upto, block) in [
            (0, None),
            (2, None),
            (3, Some(3)),
            (6, Some(3)),
            (7, Some(7)),
            (19, Some(7)),
            (u64::MAX, Some(20)),
        ] {
            assert_eq!(last(upto).await, block.map(at), "up to {upto}");
        }
        let back = self.index.rewind(&lease, Some(at(7)), second(2)).await;
        back.unwrap().unwrap();
        assert_eq!(last(u64::MAX).await, Some(at(7)));
        self.forget(of).await;
        self.forget(other).await;
        assert_eq!(last(u64::MAX).await, None);
    }

    pub(super) async fn what_is_undone_is_not_found(&self) {
        let of = registry(9);
        let lease = self.begin(of, Standard::Erc8122).await;
        let first = vec![
            said(1, 0, moved(1, 0, 1)),
            said(1, 1, set(1, "name", b"Before")),
        ];
        self.applied(&lease, super::batch(of, None, 1, first)).await;
        let second_facts = vec![
            said(2, 0, set(1, "name", b"After")),
            said(2, 1, moved(2, 0, 1)),
            said(2, 2, set(2, "name", b"Newcomer")),
        ];
        self.applied(&lease, super::batch(of, Some(at(1)), 2, second_facts))
            .await;
        let found = |text: &str| {
            let search = Search::<OfAgents> {
                text: text.to_owned(),
                ..Search::default()
            };
            async move {
                self.index
                    .search_agents(&search)
                    .await
                    .unwrap()
                    .entries
                    .len()
            }
        };
        assert_eq!((found("before").await, found("after").await), (0, 1));
        assert_eq!(found("newcomer").await, 1);
        let back = self.index.rewind(&lease, Some(at(1)), second(1)).await;
        back.unwrap().unwrap();
        assert_eq!((found("before").await, found("after").await), (1, 0));
        assert_eq!(found("newcomer").await, 0);
        let agent = self.index.agent(of, super::at_block(2)).await.unwrap();
        assert_eq!(agent, None);
        self.forget(of).await;
        assert_eq!(found("before").await, 0);
    }
}
