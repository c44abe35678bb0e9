//! What happens before the first request.

use std::{error::Error, iter, sync::Arc};

use crate::common::{Fixture, open, plain};
use deedbox_core::World;
use deedbox_neighbours::postgres::Cluster;
use deedbox_store::{
    Store, StoreError, ledger,
    story::{self, StoryWorld},
};

/// The error and all its causes, in both forms in which one may end up in a log.
fn all_texts(error: &StoreError) -> String {
    let mut texts = String::new();
    let mut next: Option<&dyn Error> = Some(error);
    while let Some(error) = next {
        texts.push_str(&format!("{error} {error:?} "));
        next = error.source();
    }
    texts
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_replicas_starting_at_once_on_an_empty_database_all_start() {
    let cluster = Cluster::for_tests().unwrap();
    let (url, world) = (cluster.url(), Arc::new(StoryWorld::default()));
    let opening = (0..8).map(|_| {
        let (url, world) = (url.clone(), Arc::clone(&world));
        tokio::spawn(async move { open(&url, &world).await })
    });
    for result in futures::future::join_all(opening).await {
        let store = result.unwrap().unwrap();
        store.ping().await.unwrap();
        store.close().await;
    }
    let count = "SELECT count(*) = count(DISTINCT version) FROM _sqlx_migrations";
    assert_eq!(cluster.psql(&url, count).unwrap(), "t");
}

/// Takes away what the fifth migration made.
const NO_INDEX: &str = "DROP TABLE index_edition, index_registries, index_blocks, index_subjects, index_facts, index_documents, index_checks, index_manifests, index_numbering; DROP SEQUENCE IF EXISTS index_subjects_id";

/// Back to before there were memories, and labels of keys.
const NO_MEMORIES: &str = "ALTER TABLE keys DROP COLUMN agent_label; DROP TABLE memory_accesses, memory_documents, memory_texts, memories, space_usage, space_members, spaces";

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_an_older_version_keeps_its_deeds_and_takes_new_kinds() {
    for (version, back) in [
        (1, "DROP TABLE registry_decisions, publications, evidence"),
        (2, "DROP TABLE registry_decisions, publications"),
        (
            3,
            "DROP TABLE registry_decisions; DROP INDEX publications_open; CREATE UNIQUE INDEX publications_open ON publications (chain_id, account) WHERE status = 'open'",
        ),
        (4, "DROP TABLE registry_decisions"),
    ] {
        let fixture = Fixture::new().await;
        fixture.add_actor("alice").await;
        let task = fixture.created().await;
        fixture.store.close().await;
        fixture.psql(&format!(
            "{back}; {NO_INDEX}; {NO_MEMORIES}; DELETE FROM _sqlx_migrations WHERE version > {version}"
        ));
        let store = open(&fixture.url, &fixture.world).await.unwrap();
        assert!(store.status(task).await.unwrap().is_some());
        for command in [
            fixture.record("7").1,
            fixture.publish(0).1,
            story::follow(story::registry(1, 1)),
        ] {
            store.execute(plain(command)).await.unwrap().unwrap();
        }
        let mut snapshot = store.snapshot().await.unwrap();
        let sound = ledger::check(&mut *snapshot, |_| {}).await.unwrap();
        assert_eq!(sound.unwrap().deeds, 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_replicas_that_ask_for_a_first_operator_key_make_one() {
    let fixture = Fixture::new().await;
    let others = [
        Arc::new(open(&fixture.url, &fixture.world).await.unwrap()),
        Arc::new(open(&fixture.url, &fixture.world).await.unwrap()),
    ];
    let asking = iter::once(&fixture.store).chain(&others).map(|store| {
        let (store, command) = (Arc::clone(store), fixture.issue(true).1);
        tokio::spawn(async move { store.execute(plain(command)).await })
    });
    let made: Vec<_> = futures::future::join_all(asking)
        .await
        .into_iter()
        .map(|result| result.unwrap().unwrap())
        .collect();
    assert_eq!(made.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(
        made.iter()
            .filter_map(|outcome| outcome.as_ref().err())
            .all(|refusal| refusal.code() == "operator_exists")
    );
    assert_eq!(fixture.store.keys().await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_from_a_newer_program_is_not_touched() {
    let fixture = Fixture::new().await;
    fixture.store.close().await;
    fixture.psql(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'later', true, '', 0)",
    );
    let error = open(&fixture.url, &fixture.world).await.unwrap_err();
    assert!(
        matches!(error, StoreError::Newer { found: 9999, known } if known < 9999),
        "{error:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_was_changed_afterwards_is_noticed() {
    let fixture = Fixture::new().await;
    fixture.store.close().await;
    fixture.psql("UPDATE _sqlx_migrations SET checksum = 'other' WHERE version = 1");
    let error = open(&fixture.url, &fixture.world).await.unwrap_err();
    assert!(matches!(error, StoreError::Migration(_)), "{error:?}");
    // The next one to try is not kept waiting by the lock of the one that failed.
    let again = open(&fixture.url, &fixture.world).await.unwrap_err();
    assert!(matches!(again, StoreError::Migration(_)), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_another_encoding_is_refused() {
    let (cluster, world) = (
        Cluster::for_tests().unwrap(),
        Arc::new(StoryWorld::default()),
    );
    let sql = format!(
        "CREATE DATABASE latin_{} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
        std::process::id()
    );
    cluster.psql(&cluster.url(), &sql).unwrap();
    let (base, _) = cluster
        .url()
        .rsplit_once('/')
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let url = format!("{base}/latin_{}", std::process::id());
    let error = open(&url, &world).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Unsuitable(why) if why.contains("LATIN1")),
        "{error:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_error_on_the_way_in_shows_the_password() {
    const SECRET: &str = "s3cr3t%2Fpass";
    let cluster = Cluster::for_tests().unwrap();
    let world = Arc::new(StoryWorld::default());
    let url = cluster.url();
    let (_, place) = url.split_once('@').unwrap();
    let (server, _) = place.split_once('/').unwrap();
    for url in [
        format!("postgres://app:{SECRET}@{place}"),
        format!("postgres://app:{SECRET}@{server}/no_such_database"),
        format!("postgres://nobody:{SECRET}@{place}"),
        format!("postgres://app:{SECRET}@127.0.0.1:1/x"),
        format!("postgres://app:{SECRET}@no-such-host.invalid/x"),
        format!("postgres://app:{SECRET}@127.0.0.1:notaport/x"),
        format!("postgres://app:{SECRET}@[::/x"),
        format!("postgres://app:{SECRET}@{place}?sslmode=sometimes"),
        format!("postgres://app:{SECRET}@{place}?sslmode=require"),
        format!("postgres://app:{SECRET}@{place}?sslmode=verify-full&sslrootcert=/nowhere"),
        format!("mysql://app:{SECRET}@{place}"),
        SECRET.to_owned(),
    ] {
        let error = open(&url, &world).await.unwrap_err();
        let shown = all_texts(&error);
        assert!(!shown.contains("s3cr3t"), "{url}: {shown}");
        assert!(!error.to_string().contains("app"), "{url}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_does_not_show_its_password() {
    let fixture = Fixture::new().await;
    let (_, rest) = fixture.url.split_once("app:").unwrap();
    let (password, _) = rest.split_once('@').unwrap();
    assert!(password.len() > 8);
    assert!(!format!("{:?}", fixture.store).contains(password));
}

/// A server or a role may be set to acknowledge commits before they are durable; our connections are not.
#[tokio::test(flavor = "multi_thread")]
async fn every_connection_that_writes_waits_for_the_disk() {
    let fixture = Fixture::new().await;
    let (_, database) = fixture.url.rsplit_once('/').unwrap();
    fixture.psql(&format!(
        "ALTER DATABASE {database} SET synchronous_commit = off;
         CREATE TABLE seen AS SELECT current_setting('synchronous_commit') AS value LIMIT 0;
         CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
         CREATE TRIGGER see AFTER INSERT ON deeds FOR EACH STATEMENT EXECUTE FUNCTION see()"
    ));
    assert_eq!(fixture.psql("SHOW synchronous_commit"), "off");
    // Connections that are opened from now on start with `off`.
    let store = open(&fixture.url, &fixture.world).await.unwrap();
    let (_, issue) = fixture.issue(false);
    store.execute(plain(issue)).await.unwrap().unwrap();
    fixture.add_actor("alice").await;
    let (_, create) = fixture.create();
    store.execute(plain(create)).await.unwrap().unwrap();
    assert_eq!(fixture.psql("SELECT DISTINCT value FROM seen"), "on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_start_finds_what_the_first_kept() {
    let fixture = Fixture::new().await;
    fixture.add_actor("alice").await;
    let task = fixture.created().await;
    fixture.store.close().await;
    let closed = fixture.store.status(task).await.unwrap_err();
    assert!(matches!(closed, StoreError::Closed), "{closed:?}");
    let closed = fixture.ask(fixture.accept(task)).await.unwrap_err();
    assert!(matches!(closed, StoreError::Closed), "{closed:?}");
    let again = open(&fixture.url, &fixture.world).await.unwrap();
    assert_eq!(again.status(task).await.unwrap().unwrap().task.id, task);
    let sound = ledger::check(&mut *again.snapshot().await.unwrap(), |_| {}).await;
    assert_eq!(sound.unwrap().unwrap().deeds, 2);
    assert!(fixture.world.now().as_millis() > 0);
}
