//! History: the facts of a subject, as they were said.

use deedbox_core::ChainAddress;

use super::{
    Teller, at_block,
    chain::{at, moved, said, set, tool},
    registry, second,
};
use crate::index::{
    ENTRY_BYTES, FACT_BYTES, Fact, FactName, History, Kept, Place, Standard, Statement, Subject,
};

impl Teller {
    async fn pages(&self, mut query: History) -> Vec<Fact> {
        let mut all: Vec<Fact> = Vec::new();
        loop {
            query.before = all.last().map(|fact| fact.origin.place);
            let page = self.index.history(&query).await.unwrap();
            assert!(page.len() <= query.limit as usize);
            if page.is_empty() {
                return all;
            }
            all.extend(page);
        }
    }

    pub(super) async fn history_is_newest_first_and_pages_without_gaps(&self) {
        let of = registry(1);
        let mut facts = Vec::new();
        for n in 0..30_u64 {
            let (block, key) = (1 + n / 4, ["name", "image"][usize::from(n % 3 == 0)]);
            facts.push(said(block, 2 * n, set(1, key, n.to_string().as_bytes())));
            facts.push(said(block, 2 * n + 1, moved(2, 0, 1)));
        }
        facts.push(said(
            9,
            0,
            Statement::OperatorSet {
                owner: ChainAddress([1; 20]),
                spender: ChainAddress([2; 20]),
                approved: true,
            },
        ));
        self.with(of, Standard::Erc8122, facts.clone()).await;
        let query = |subject, name, limit| History {
            registry: of,
            subject,
            name,
            before: None,
            limit,
        };
        let agent = Subject::Agent(at_block(1));
        let accounts = Subject::Accounts(ChainAddress([1; 20]), ChainAddress([2; 20]));
        let name = FactName::metadata(&"name".into());
        for (subject, only, count) in [
            (agent, None, 30),
            (agent, Some(name), 20),
            (agent, Some(FactName::owner()), 0),
            (Subject::Agent(at_block(2)), Some(FactName::owner()), 30),
            (accounts, None, 1),
            (Subject::Agent(at_block(3)), None, 0),
            (Subject::Registry, None, 0),
        ] {
            let fits = |fact: &&Fact| {
                fact.statement.subject() == subject
                    && only
                        .as_ref()
                        .is_none_or(|name| fact.statement.name() == *name)
            };
            let wanted: Vec<_> = facts.iter().filter(fits).rev().cloned().collect();
            assert_eq!(wanted.len(), count);
            for limit in [1, 7, 100] {
                let found = self.pages(query(subject, only.clone(), limit)).await;
                assert_eq!(found, wanted, "{subject:?} {only:?} {limit}");
            }
        }
        let before = History {
            before: Some(Place {
                block: u64::MAX,
                log_index: u64::MAX,
            }),
            ..query(agent, None, 1)
        };
        assert_eq!(self.index.history(&before).await.unwrap().len(), 1);
        self.forget(of).await;
    }

    pub(super) async fn odd_bytes_and_long_values_come_back(&self) {
        let of = registry(1);
        let values = [
            Kept::new(*b"\xff\0\xfe"),
            Kept::new(vec![0; 3]),
            Kept::new("\u{202e}\u{0}é".repeat(20_000)),
            Kept::new(vec![0xe2; 40_000]),
            "\"'\\;--".into(),
            Kept::default(),
        ];
        let facts = (1..).zip(&values).map(|(n, value)| {
            let statement = Statement::MetadataSet {
                agent: at_block(u64::MAX),
                key: Kept::new(vec![0xff; 300]),
                value: value.clone(),
            };
            said(n, n, statement)
        });
        let named = (7..).zip(&values).map(|(n, value)| {
            let statement = Statement::MetadataSet {
                agent: at_block(n),
                key: "name".into(),
                value: value.clone(),
            };
            said(n, n, statement)
        });
        let facts: Vec<_> = facts.chain(named).collect();
        self.with(of, Standard::Erc8122, facts.clone()).await;
        let kept: Vec<_> = self.dump(of, 4).await;
        for (fact, row) in facts.iter().zip(&kept) {
            assert_eq!(*row, crate::index::Row::Fact(fact.clone()));
        }
        for (n, value) in (7..).zip(&values) {
            let agent = self.index.agent(of, at_block(n)).await.unwrap().unwrap();
            let name = agent.name().cloned().unwrap_or_default();
            assert_eq!(name, value.clone().at_most(ENTRY_BYTES));
        }
        let longest = &values[2];
        assert_eq!(longest.bytes().len(), FACT_BYTES);
        assert_eq!(longest.length(), 6 * 20_000);
        self.forget(of).await;
    }

    pub(super) async fn predicates_are_told_where_they_were_named(&self) {
        let (of, other) = (registry(1), registry(2));
        let account = |n: u8| ChainAddress([n; 20]);
        let names = |tool: u64, predicate: Option<u8>| Statement::AccessPredicateUpdated {
            tool: at_block(tool),
            access_predicate: predicate.map(account),
        };
        let gated = |n: u64, predicate: u8| match tool(n, 1) {
            Statement::ToolRegistered {
                tool,
                creator,
                metadata_uri,
                manifest_hash,
                ..
            } => Statement::ToolRegistered {
                tool,
                creator,
                access_predicate: Some(account(predicate)),
                metadata_uri,
                manifest_hash,
            },
            other => other,
        };
        let agent = Statement::Registered {
            agent: at_block(1),
            owner: account(1),
            service_type: "access_predicate".into(),
            service: Kept::default(),
            agent_account: Some(account(0xe9)),
        };
        let facts = vec![
            said(1, 0, tool(1, 1)),
            said(1, 1, agent),
            said(2, 4, names(1, Some(0xe2))),
            said(10, 0, gated(2, 0xe1)),
            said(10, 1, names(1, None)),
            said(11, 0, gated(3, 0xe2)),
            said(11, 3, names(3, Some(0xe3))),
            said(12, 0, names(3, Some(0xe1))),
        ];
        let lease = self.with(of, Standard::Erc8257, facts).await;
        self.with(
            other,
            Standard::Erc8257,
            vec![said(1, 0, names(1, Some(0xe7)))],
        )
        .await;
        let place = |block, log_index| Place { block, log_index };
        let all = [
            (place(2, 4), account(0xe2)),
            (place(10, 0), account(0xe1)),
            (place(11, 0), account(0xe2)),
            (place(11, 3), account(0xe3)),
            (place(12, 0), account(0xe1)),
        ];
        let predicates = |after, limit| self.index.predicates(of, after, limit);
        assert_eq!(predicates(None, 10).await.unwrap(), all);
        assert_eq!(predicates(None, 2).await.unwrap(), all[..2]);
        let rest = predicates(Some(place(11, 0)), 10).await.unwrap();
        assert_eq!(rest, all[3..], "what follows in the same block, too");
        assert_eq!(predicates(Some(place(12, 0)), 10).await.unwrap(), []);
        let back = self.index.rewind(&lease, Some(at(10)), second(1));
        back.await.unwrap().unwrap();
        let left = predicates(None, 10).await.unwrap();
        assert_eq!(left, all[..2], "without what is undone");
        self.forget(of).await;
        assert_eq!(predicates(None, 10).await.unwrap(), []);
        self.forget(other).await;
    }

    pub(super) async fn the_last_word_about_who_may_act_counts(&self) {
        let of = registry(1);
        let account = |n: u8| ChainAddress([n; 20]);
        let allowed = |agent: u64, owner: u8, spender: u8, amount: u64| Statement::Approved {
            owner: account(owner),
            spender: account(spender),
            agent: at_block(agent),
            amount: at_block(amount),
        };
        let operator = |owner: u8, spender: u8, approved: bool| Statement::OperatorSet {
            owner: account(owner),
            spender: account(spender),
            approved,
        };
        let statements = [
            moved(1, 0, 1),
            allowed(1, 1, 0xff, 1),
            operator(1, 0xff, true),
            operator(1, 3, true),
            allowed(1, 1, 3, 1),
            // Of another owner, and of another agent.
            operator(2, 4, true),
            allowed(1, 2, 4, 1),
            allowed(2, 1, 5, 1),
            operator(1, 3, false),
            allowed(1, 1, 0, 7),
            allowed(1, 1, 3, 2),
        ];
        let facts = (1..).zip(statements).map(|(n, what)| said(n, 0, what));
        self.with(of, Standard::Erc8122, facts.collect()).await;
        let permissions = |limit| self.index.permissions(of, account(1), at_block(1), limit);
        let blocks = |facts: Vec<Fact>| -> Vec<u64> {
            let places = facts.into_iter().map(|fact| fact.origin.place.block);
            places.collect()
        };
        assert_eq!(blocks(permissions(9).await.unwrap()), [11, 10, 9, 3, 2]);
        assert_eq!(blocks(permissions(2).await.unwrap()), [11, 10, 9, 3]);
        assert_eq!(blocks(permissions(1).await.unwrap()), [11, 9]);
        let nobody = self.index.permissions(of, account(9), at_block(1), 9);
        assert_eq!(nobody.await.unwrap(), []);
        let elsewhere = self
            .index
            .permissions(registry(2), account(1), at_block(1), 9);
        assert_eq!(elsewhere.await.unwrap(), []);
        self.forget(of).await;
    }

    pub(super) async fn entries_are_counted_by_registry(&self) {
        let (a, b) = (registry(1), registry(2));
        let burned = said(4, 0, moved(1, 1, 0));
        let mut facts: Vec<_> = (1..=3).map(|n| said(n, 0, moved(n, 0, 1))).collect();
        facts.push(burned);
        facts.push(said(5, 0, set(1, "name", b"again")));
        self.with(a, Standard::Erc8122, facts).await;
        let tools = vec![said(1, 0, super::chain::tool(1, 1))];
        self.with(b, Standard::Erc8257, tools).await;
        let counts = self.index.counts().await.unwrap();
        assert_eq!(counts, [(a, 3), (b, 1)].into());
        self.forget(a).await;
        self.forget(b).await;
        assert_eq!(self.index.counts().await.unwrap(), [].into());
    }
}
