//! The index of registries: its story, and what only PostgreSQL has to promise of it.
#![expect(clippy::unwrap_used, reason = "what cannot be set up has failed")]

use std::{sync::Arc, time::Duration};

use deedbox_core::{BlockHash, ChainAddress, Timestamp, TransactionHash};
use deedbox_id::U256;
use deedbox_neighbours::postgres::Cluster;
use deedbox_postgres::PostgresIndex;
use deedbox_store::{
    StoreError,
    index::{
        Batch, Checkpoint, Cursor, Fact, Index, Kept, Lease, Origin, Place, RegistryId, Search,
        Standard, Statement, Superseded,
    },
    story,
};
use futures::future::join_all;

const TTL: Duration = Duration::from_secs(30);

async fn fresh() -> (PostgresIndex, Cluster) {
    let cluster = Cluster::for_tests().unwrap();
    let index = PostgresIndex::open(&cluster.url(), 4).await.unwrap();
    (index, cluster)
}

fn registry(n: u8) -> RegistryId {
    RegistryId {
        chain_id: 1,
        address: ChainAddress([n; 20]),
    }
}

fn second(n: i64) -> Timestamp {
    Timestamp::from_millis(1_796_000_000_000 + n * 1_000).unwrap()
}

fn at(block: u64) -> Checkpoint {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&block.to_be_bytes());
    Checkpoint {
        block,
        hash: BlockHash(hash),
    }
}

/// What the block says: that the agent of its own number has this name.
fn named(block: u64, name: &str) -> Fact {
    Fact {
        origin: Origin {
            place: Place {
                block,
                log_index: 0,
            },
            block_hash: at(block).hash,
            block_timestamp: second(0),
            transaction: TransactionHash([7; 32]),
        },
        statement: Statement::MetadataSet {
            agent: U256::from(block),
            key: "name".into(),
            value: Kept::from(name),
        },
    }
}

/// The next block of a registry.
fn next(of: RegistryId, block: u64, name: &str) -> Batch {
    Batch {
        registry: of,
        after: block.checked_sub(1).filter(|block| *block > 0).map(at),
        facts: vec![named(block, name)],
        upto: at(block),
        upto_at: None,
        final_upto: None,
    }
}

async fn apply(
    index: &PostgresIndex,
    lease: &Lease,
    batch: Batch,
) -> Result<Vec<Cursor>, Superseded> {
    let leases = std::slice::from_ref(lease);
    index.apply(leases, vec![batch], second(1)).await.unwrap()
}

async fn claimed(index: &PostgresIndex, of: RegistryId, holder: &str) -> Option<Lease> {
    let leases = index.claim(&[of], holder, second(0), TTL).await;
    leases.unwrap().pop()
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_tells_the_story_of_an_index() {
    let (index, _cluster) = fresh().await;
    story::index::tell(Arc::new(index), 40).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_replicas_that_claim_at_once_one_gets_the_registry() {
    let (one, cluster) = fresh().await;
    let other = PostgresIndex::open(&cluster.url(), 4).await.unwrap();
    for round in 1..=50 {
        let of = registry(round);
        one.begin(of, Standard::Erc8122, 1).await.unwrap();
        let claims = (0..8).map(|n| {
            let index = if n % 2 == 0 { &one } else { &other };
            async move { claimed(index, of, &format!("holder {n}")).await }
        });
        let won = join_all(claims).await.into_iter().flatten().count();
        assert_eq!(won, 1, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_that_claim_many_registries_in_different_orders_do_not_hold_each_other_up() {
    let (one, cluster) = fresh().await;
    let other = PostgresIndex::open(&cluster.url(), 4).await.unwrap();
    let registries: Vec<_> = (1..=20).map(registry).collect();
    for of in &registries {
        one.begin(*of, Standard::Erc8122, 1).await.unwrap();
    }
    let backwards: Vec<_> = registries.iter().rev().copied().collect();
    for round in 0..25 {
        let now = second(round * 100);
        let (ours, theirs) = tokio::join!(
            one.claim(&registries, "one", now, TTL),
            other.claim(&backwards, "other", now, TTL),
        );
        let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
        assert_eq!(ours.len() + theirs.len(), 20, "round {round}");
    }
}

/// A writer's lock lasts until its commit, and whoever waited for it sees what it did.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_waits_for_whoever_is_writing_and_then_sees_that_it_came_too_late() {
    let (index, cluster) = fresh().await;
    let (index, of) = (Arc::new(index), registry(1));
    index.begin(of, Standard::Erc8122, 1).await.unwrap();
    let pool = sqlx::PgPool::connect(&cluster.url()).await.unwrap();
    let mut writer = pool.begin().await.unwrap();
    sqlx::query("UPDATE index_registries SET holder = 'early', epoch = 1, until = '2100-01-01'")
        .execute(&mut *writer)
        .await
        .unwrap();
    let late = Arc::clone(&index);
    let late = tokio::spawn(async move { claimed(&late, of, "late").await });
    while waiting(&cluster) == 0 {
        assert!(!late.is_finished(), "it did not wait");
    }
    writer.commit().await.unwrap();
    assert_eq!(late.await.unwrap(), None);
}

/// How many wait for a lock.
fn waiting(cluster: &Cluster) -> u32 {
    let sql = "SELECT count(*) FROM pg_stat_activity
               WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let count = cluster.psql(&cluster.url(), sql).unwrap();
    count.parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_replicas_that_write_one_registry_at_once_one_wins_and_the_others_wrote_nothing() {
    let (one, cluster) = fresh().await;
    let other = PostgresIndex::open(&cluster.url(), 4).await.unwrap();
    let of = registry(1);
    one.begin(of, Standard::Erc8122, 1).await.unwrap();
    let lease = claimed(&one, of, "holder").await.unwrap();
    for block in 1..=25 {
        let writes = (0..6).map(|n| {
            let index = if n % 2 == 0 { &one } else { &other };
            let (lease, name) = (lease.clone(), format!("name{n}"));
            async move { apply(index, &lease, next(of, block, &name)).await }
        });
        let outcomes = join_all(writes).await;
        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!(won, 1, "block {block}");
    }
    assert_eq!(one.dump(of, None, 100).await.unwrap().len(), 50);
}

/// Rows so far apart that each is looked for in another round.
#[tokio::test(flavor = "multi_thread")]
async fn a_word_is_found_however_far_apart_its_rows_are() {
    let (index, cluster) = fresh().await;
    let of = registry(1);
    index.begin(of, Standard::Erc8122, 1).await.unwrap();
    let lease = claimed(&index, of, "holder").await.unwrap();
    let rows = [
        1, 2, 1_023, 1_024, 8_191, 60_000, 524_288, 3_000_000, 70_000_000,
    ];
    for (row, block) in rows.into_iter().zip(1..) {
        cluster
            .psql(
                &cluster.url(),
                &format!("SELECT setval('index_subjects_id', {row}, false)"),
            )
            .unwrap();
        apply(&index, &lease, next(of, block, "Rare Bird"))
            .await
            .unwrap();
    }
    let mut search = Search {
        text: "bird".to_owned(),
        limit: 4,
        ..Search::default()
    };
    let mut found = Vec::new();
    loop {
        let page = index.search_agents(&search).await.unwrap();
        found.extend(page.entries.into_iter().map(|agent| agent.id));
        search.after = page.next;
        if search.after.is_none() {
            break;
        }
    }
    found.sort_unstable();
    let all: Vec<_> = (1..=9_u64).map(U256::from).collect();
    assert_eq!(found, all);
    let ids = "SELECT string_agg(id::text, ' ' ORDER BY id) FROM index_documents";
    assert_eq!(
        cluster.psql(&cluster.url(), ids).unwrap(),
        rows.map(|row| row.to_string()).join(" ")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_of_an_older_edition_is_emptied_and_one_of_a_newer_edition_is_left_alone() {
    let (index, cluster) = fresh().await;
    let (url, of) = (cluster.url(), registry(1));
    index.begin(of, Standard::Erc8122, 1).await.unwrap();
    let lease = claimed(&index, of, "holder").await.unwrap();
    apply(&index, &lease, next(of, 1, "Name")).await.unwrap();
    let again = PostgresIndex::open(&url, 2).await.unwrap();
    assert_eq!(
        again.cursors().await.unwrap().len(),
        1,
        "the same edition keeps it"
    );
    cluster
        .psql(&url, "UPDATE index_edition SET edition = edition - 1")
        .unwrap();
    let again = PostgresIndex::open(&url, 2).await.unwrap();
    assert_eq!(again.cursors().await.unwrap(), []);
    assert_eq!(
        apply(&index, &lease, next(of, 2, "Name")).await,
        Err(Superseded::Lease(of)),
        "the older program's lease went with the rest"
    );
    again.begin(of, Standard::Erc8122, 1).await.unwrap();
    cluster
        .psql(&url, "UPDATE index_edition SET edition = edition + 1")
        .unwrap();
    for refused in [
        PostgresIndex::open(&url, 2).await.map(drop),
        index.claim(&[of], "holder", second(0), TTL).await.map(drop),
        index.begin(of, Standard::Erc8122, 1).await.map(drop),
    ] {
        assert!(
            matches!(refused, Err(StoreError::Unsuitable(_))),
            "{refused:?}"
        );
    }
    assert_eq!(
        index.cursors().await.unwrap().len(),
        1,
        "nothing was emptied"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_index_says_so() {
    let (index, _cluster) = fresh().await;
    index.close().await;
    let begun = index.begin(registry(1), Standard::Erc8122, 1).await;
    assert!(matches!(begun, Err(StoreError::Closed)), "{begun:?}");
    assert!(matches!(index.cursors().await, Err(StoreError::Closed)));
}
