//! Checks of manifests: they count for what they were made of.

use deedbox_core::{BlockHash, ManifestHash, Timestamp};
use deedbox_id::U256;

use super::{
    TTL, Teller, at_block,
    chain::{at, said, tool, uri},
    registry, second,
};
use crate::index::{
    ChainBrokeFinality, CheckOutcome, Checkpoint, Cursor, Earlier, Fact, Lease, Look,
    ManifestCheck, ManifestSummary, OfTools, Price, Search, ServedManifest, Size, Standard,
    Statement, Survey,
};

/// A check that found the manifest of this hash to be as registered.
fn verified(hash: u8, name: &str, checked_at: Timestamp) -> ManifestCheck {
    ManifestCheck {
        checked_at,
        metadata_uri: uri(hash),
        manifest_hash: ManifestHash([hash; 32]),
        outcome: CheckOutcome::Verified,
        served: Some(ManifestHash([hash; 32])),
        manifest: Some(ManifestSummary {
            name: name.to_owned(),
            description: "A tool".to_owned(),
            tags: vec!["swap".to_owned()],
            tier: Some("self-attested".to_owned()),
            prices: vec![Price {
                asset: "eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48".to_owned(),
                amount: U256::from(5_000_u64),
                protocol: "x402".to_owned(),
                network: None,
            }],
        }),
        max_age: Some(60),
    }
}

fn new_manifest(block: u64, n: u64, hash: u8) -> Fact {
    let statement = Statement::ToolMetadataUpdated {
        tool: at_block(n),
        metadata_uri: uri(hash),
        manifest_hash: ManifestHash([hash; 32]),
    };
    said(block, 0, statement)
}

impl Teller {
    async fn found(&self, text: &str, unverified: bool) -> Vec<U256> {
        let mut search = Search::<OfTools> {
            text: text.to_owned(),
            ..Search::default()
        };
        search.only.unverified = unverified;
        let found = self.index.search_tools(&search).await.unwrap();
        let mut ids: Vec<_> = found.entries.iter().map(|tool| tool.id).collect();
        ids.sort_unstable();
        ids
    }

    pub(super) async fn a_check_counts_until_the_manifest_changes(&self) {
        let of = registry(1);
        let facts = vec![said(1, 0, tool(1, 1)), said(1, 1, tool(2, 2))];
        let lease = self.with(of, Standard::Erc8257, facts).await;
        let (one, two) = (at_block(1), at_block(2));
        assert_eq!(self.found("", false).await, [U256::ZERO; 0]);
        assert_eq!(self.found("", true).await, [one, two]);
        let check = verified(1, "Swapper", second(5));
        let served = || {
            Some(ServedManifest {
                hash: ManifestHash([1; 32]),
                bytes: b"{}\0".to_vec(),
            })
        };
        let record = |tool, check| self.index.record_check(of, tool, check, served());
        assert!(record(one, check.clone()).await.unwrap());
        assert!(!record(at_block(3), check.clone()).await.unwrap());
        let entry = self.index.tool(of, one).await.unwrap().unwrap();
        assert_eq!(entry.check.as_deref(), Some(&check));
        let manifest = |n: u8| self.index.manifest(ManifestHash([n; 32]));
        assert_eq!(manifest(1).await.unwrap().as_deref(), Some(&b"{}\0"[..]));
        assert_eq!(manifest(2).await.unwrap(), None);
        for words in ["", "swapper", "swap", "tool"] {
            assert_eq!(self.found(words, false).await, [one], "{words}");
        }
        let dumped = self.dump(of, 10).await;
        let json = serde_json::to_string(&dumped).unwrap();
        assert!(
            !json.contains("Swapper"),
            "a check is nothing that the chain said"
        );
        // Another manifest: nothing is known of it.
        let change = super::batch(of, Some(at(1)), 2, vec![new_manifest(2, 1, 7)]);
        self.applied(&lease, change).await;
        assert_eq!(self.found("swapper", true).await, [U256::ZERO; 0]);
        let entry = self.index.tool(of, one).await.unwrap().unwrap();
        assert!(!entry.is_verified() && entry.check.is_some());
        // Taken back: what was checked is registered again.
        let back: Option<Checkpoint> = Some(at(1));
        let back = self.index.rewind(&lease, back, second(1)).await;
        back.unwrap().unwrap();
        assert_eq!(self.found("swapper", false).await, [one]);
        let failed = ManifestCheck {
            outcome: CheckOutcome::Failed {
                step: "hash".to_owned(),
                reasons: vec!["another".to_owned()],
            },
            manifest: None,
            ..check
        };
        assert!(record(one, failed).await.unwrap());
        assert_eq!(self.found("swapper", true).await, [U256::ZERO; 0]);
        self.forget(of).await;
        assert_eq!(self.index.tool(of, one).await.unwrap(), None);
    }

    pub(super) async fn unchecked_tools_come_first(&self) {
        let of = registry(1);
        let mut facts: Vec<_> = (1..=5).map(|n| said(n, 0, tool(n, 1))).collect();
        facts.push(said(
            6,
            0,
            Statement::ToolDeregistered { tool: at_block(5) },
        ));
        let lease = self.with(of, Standard::Erc8257, facts).await;
        for (n, checked) in [(1, 20), (2, 10), (3, 15), (5, 1)] {
            let check = verified(1, "T", second(checked));
            let recorded = self.index.record_check(of, at_block(n), check, None).await;
            assert!(recorded.unwrap());
        }
        // With so small a `maxAge`, each is due five minutes after it was checked.
        let due = |before: i64, limit: u32| async move {
            let tools = self.index.unchecked(of, second(300 + before), limit).await;
            let tools = tools.unwrap();
            let ids = tools.iter().map(|tool| tool.id.to::<u64>());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(
            due(100, 10).await,
            [4, 2, 3, 1],
            "never first, then what is due longest"
        );
        assert_eq!(due(100, 2).await, [4, 2]);
        assert_eq!(due(15, 10).await, [4, 2], "at 15 is not before 15");
        let change = super::batch(of, Some(at(6)), 7, vec![new_manifest(7, 1, 9)]);
        self.applied(&lease, change).await;
        assert_eq!(
            due(15, 10).await,
            [1, 4, 2],
            "what is registered now was never checked"
        );
        let other = self.index.unchecked(registry(2), second(900), 10).await;
        assert_eq!(other.unwrap(), [], "of another registry there are none");
        self.forget(of).await;
        assert_eq!(due(100, 10).await, [0; 0]);
    }

    pub(super) async fn the_last_look_at_a_registry_is_kept_as_long_as_it_is(&self) {
        let (of, unknown) = (registry(1), registry(2));
        let facts = vec![said(1, 0, tool(1, 1)), said(2, 0, tool(2, 1))];
        self.with(of, Standard::Erc8257, facts).await;
        let look = |registry, block_number| Look {
            registry,
            looked_at: second(1),
            block_number,
            block_hash: BlockHash([1; 32]),
            seen: None,
            earlier: Some(Earlier {
                from: 5,
                had_code: true,
            }),
        };
        assert!(!self.index.record_look(&look(unknown, 1)).await.unwrap());
        for block in [3, 9] {
            assert!(self.index.record_look(&look(of, block)).await.unwrap());
        }
        assert_eq!(self.index.looks().await.unwrap(), [look(of, 9)]);
        let size = |registry| self.index.size(registry);
        let (facts, entries) = (2, 2);
        assert_eq!(size(of).await.unwrap(), Size { facts, entries });
        assert_eq!(size(unknown).await.unwrap(), Size::default());
        self.forget(of).await;
        assert_eq!(self.index.looks().await.unwrap(), []);
        assert_eq!(size(of).await.unwrap(), Size::default());
    }

    pub(super) async fn only_who_holds_a_registry_says_what_its_chain_is_like(&self) {
        let [a, b, unknown] = [1, 2, 3].map(registry);
        let first = self.begin(a, Standard::Erc8122).await;
        let other = self.begin(b, Standard::Erc8122).await;
        let broke = ChainBrokeFinality {
            registry: a,
            kept: at(15),
            now: BlockHash([1; 32]),
        };
        let survey = |registry, head, broke| Survey {
            registry,
            looked_at: second(1),
            poll_millis: 12_000,
            head,
            broke,
            short: None,
        };
        let keep = async |leases: &[&Lease], surveys: Vec<Survey>, now: i64| {
            let leases: Vec<_> = leases.iter().map(|lease| (*lease).clone()).collect();
            let kept = self.index.record_surveys(&leases, &surveys, second(now));
            kept.await.unwrap();
            self.index.surveys().await.unwrap()
        };
        assert_eq!(self.index.surveys().await.unwrap(), []);
        let both = vec![survey(b, 5, None), survey(a, 5, Some(broke))];
        let sorted = [survey(a, 5, Some(broke)), survey(b, 5, None)];
        assert_eq!(keep(&[&first, &other], both, 1).await, sorted);
        let cursor = self.cursor(a).await.unwrap();
        assert_eq!(
            cursor,
            Cursor::new(a, Standard::Erc8122, 1),
            "as it was read"
        );
        // Without a lease, after its time, and of what is not in the index, nothing is kept.
        let all = || [a, b, unknown].map(|of| survey(of, 9, None)).to_vec();
        let kept = [survey(a, 5, Some(broke)), survey(b, 9, None)];
        assert_eq!(keep(&[&other], all(), 2).await, kept);
        assert_eq!(keep(&[&first, &other], all(), 30).await, kept);
        assert_eq!(keep(&[], all(), 2).await, kept);
        let leases = self.index.claim(&[a], "heir", second(30), TTL).await;
        let heir = leases.unwrap().pop().unwrap();
        let stale = vec![survey(a, 7, None)];
        assert_eq!(
            keep(&[&first], stale, 5).await,
            kept,
            "by a clock that stands"
        );
        let mended = [survey(a, 11, None), survey(b, 9, None)];
        assert_eq!(keep(&[&heir], mended[..1].to_vec(), 31).await, mended);
        self.forget(a).await;
        assert_eq!(self.index.surveys().await.unwrap(), mended[1..]);
        self.forget(b).await;
        assert_eq!(self.index.surveys().await.unwrap(), []);
    }

    pub(super) async fn forgetting_a_registry_leaves_the_others(&self) {
        let (a, b) = (registry(1), registry(2));
        for of in [a, b] {
            self.with(of, Standard::Erc8257, vec![said(1, 0, tool(1, 1))])
                .await;
            let check = verified(1, "Twin", second(1));
            let recorded = self.index.record_check(of, at_block(1), check, None).await;
            assert!(recorded.unwrap());
        }
        let before = self.dump(b, 10).await;
        assert_eq!(self.found("twin", false).await.len(), 2);
        self.forget(a).await;
        assert_eq!(self.dump(b, 10).await, before);
        assert_eq!(self.found("twin", false).await.len(), 1);
        assert!(
            self.index
                .tool(b, at_block(1))
                .await
                .unwrap()
                .unwrap()
                .is_verified()
        );
        self.forget(b).await;
    }
}
