//! Encrypted connections, with the certificate checked.
#![expect(clippy::unwrap_used, reason = "what cannot be set up has failed")]

use std::{fs, path::Path, sync::Arc};

use crate::common::open;
use deedbox_neighbours::postgres::Cluster;
use deedbox_store::{Store, StoreError, story::StoryWorld};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Has the server write a file into its data folder, as its own user and readable to nobody else.
fn put(cluster: &Cluster, name: &str, text: &str) {
    let sql = format!(
        "COPY (SELECT unnest(string_to_array($file${}$file$, E'\\n')))
         TO PROGRAM 'umask 077; cat > {name}'",
        text.trim()
    );
    cluster.psql(&cluster.url(), &sql).unwrap();
}

fn root(folder: &Path, name: &str, authority: &CertifiedIssuer<'_, KeyPair>) -> String {
    let path = folder.join(name);
    fs::write(&path, authority.pem()).unwrap();
    path.display().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_url_decides_whether_the_connection_is_encrypted_and_whom_it_trusts() {
    let (folder, world) = (
        tempfile::tempdir().unwrap(),
        Arc::new(StoryWorld::default()),
    );
    let (ours, theirs) = (authority(), authority());
    let key = KeyPair::generate().unwrap();
    let names = vec!["127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names)
        .unwrap()
        .signed_by(&key, &ours)
        .unwrap();
    let cluster = Cluster::start_without_fsync().unwrap();
    let url = cluster.url();

    let error = open(&format!("{url}?sslmode=require"), &world)
        .await
        .unwrap_err();
    assert!(
        matches!(error, StoreError::Unavailable(_)),
        "no TLS on the server yet: {error:?}"
    );

    put(&cluster, "server.crt", &certificate.pem());
    put(&cluster, "server.key", &key.serialize_pem());
    cluster.psql(&url, "ALTER SYSTEM SET ssl = on").unwrap();
    cluster.psql(&url, "SELECT pg_reload_conf()").unwrap();

    let (good, bad) = (
        root(folder.path(), "ours.pem", &ours),
        root(folder.path(), "theirs.pem", &theirs),
    );
    for (parameters, encrypted) in [
        ("sslmode=disable".to_owned(), "f"),
        ("sslmode=require".to_owned(), "t"),
        (format!("sslmode=verify-full&sslrootcert={good}"), "t"),
    ] {
        let store = open(&format!("{url}?{parameters}"), &world).await.unwrap();
        store.ping().await.unwrap();
        let ssl = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                   WHERE application_name = 'deedbox'";
        assert_eq!(cluster.psql(&url, ssl).unwrap(), encrypted, "{parameters}");
        store.close().await;
        let gone = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'deedbox'";
        while cluster.psql(&url, gone).unwrap() != "0" {}
    }

    let stranger = format!("{url}?sslmode=verify-full&sslrootcert={bad}");
    let error = open(&stranger, &world).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    let elsewhere = url.replace("127.0.0.1", "localhost");
    let misnamed = format!("{elsewhere}?sslmode=verify-full&sslrootcert={good}");
    let error = open(&misnamed, &world).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
}
