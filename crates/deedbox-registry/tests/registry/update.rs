//! Updates that land between reading a registration and fetching its manifest (reading V-01).

use std::sync::atomic::{AtomicUsize, Ordering};

use deedbox_registry::{
    tool::Registration,
    verify::{CheckName, Purpose},
};

use super::{
    house::*,
    verify::{PATH, Street, failed, hash, manifest},
};

#[tokio::test]
async fn another_hash_is_read_again_once_and_then_it_is_one() {
    let street = Street::new();
    let tool = street.publish(|_| {});
    street.serve(
        manifest(&street.house, &street.server)
            .to_string()
            .replace("oracle\"", "other\"")
            .as_bytes(),
    );
    let found = street.verify(tool).await;
    assert_eq!(failed(&found), (CheckName::Hash, vec!["hash_mismatch"]));
    let before = found.read_again_after.unwrap();
    assert!(!before.other_uri);
    assert_eq!(
        street.server.asked().len(),
        1,
        "the body is not fetched again"
    );

    // Of a block that is over there is nothing newer to read.
    let request = VerifyTool {
        tool,
        block: Block::Number(found.provenance.block_number),
        purpose: Purpose::Interactive,
        window: None,
    };
    let fetcher = fetcher(&street.server);
    let found = verify_tool(
        &street.house.chains,
        &fetcher,
        &*street.house.clock,
        &request,
    )
    .await
    .unwrap();
    assert_eq!(found.read_again_after, None);
}

/// The update lands while the manifest is being fetched, as many times as it is fetched.
fn updates_when_asked(
    street: &Street,
    uri: &str,
    body: &str,
    then: impl Fn(usize) -> String + Send + Sync + 'static,
) {
    let (anvil, registry) = (street.house.anvil.clone(), street.registry);
    let (uri, body) = (uri.to_owned(), body.to_owned());
    let asked = AtomicUsize::new(0);
    street.server.script(move |_| {
        let number = asked.fetch_add(1, Ordering::AcqRel);
        let call = Call::UpdateToolMetadata {
            tool_id: U256::from(1),
            metadata_uri: uri.clone(),
            manifest_hash: hash(then(number).as_bytes()),
        };
        let from = anvil.account(0);
        anvil
            .send(from, &registry.to_string(), &call.encode())
            .unwrap();
        Answer::ok(&body)
    });
}

#[tokio::test]
async fn an_update_that_lands_in_between_is_verified_with_the_same_body() {
    let street = Street::new();
    let tool = street.publish(|_| {});
    let newer = manifest(&street.house, &street.server)
        .to_string()
        .replace("oracle\"", "newer\"");
    let same = newer.clone();
    updates_when_asked(&street, &street.uri(), &newer, move |_| same.clone());
    let found = street.verify(tool).await;
    assert!(found.verified, "{:?}", found.checks);
    assert_eq!(street.server.asked().len(), 1);
    let before = found.read_again_after.unwrap();
    assert!(!before.other_uri);
    assert!(before.provenance.block_number < found.provenance.block_number);
}

#[tokio::test]
async fn an_update_to_another_uri_is_one_complete_new_run_and_never_a_third() {
    let street = Street::new();
    let tool = street.publish(|_| {});
    let other = street.server.url(HOST, "/.well-known/ai-tool/other.json");
    let newer = manifest(&street.house, &street.server)
        .to_string()
        .replace("oracle\"", "newer\"");
    let same = newer.clone();
    updates_when_asked(&street, &other, &newer, move |_| same.clone());
    let found = street.verify(tool).await;
    assert!(found.verified, "{:?}", found.checks);
    assert!(found.read_again_after.unwrap().other_uri);
    let targets: Vec<_> = street
        .server
        .asked()
        .iter()
        .map(|request| request.target.clone())
        .collect();
    assert_eq!(targets, [PATH, "/.well-known/ai-tool/other.json"]);
}

/// Whoever updates each time that somebody asks is never caught up with, and not run after either.
#[tokio::test]
async fn a_registration_that_changes_all_the_time_is_unverified_after_the_second_run() {
    let street = Street::new();
    let tool = street.publish(|_| {});
    let other = street.server.url(HOST, "/.well-known/ai-tool/other.json");
    let base = manifest(&street.house, &street.server).to_string();
    let served = base.replace("Returns", "Says");
    updates_when_asked(&street, &other, &served, move |number| {
        base.replace("Returns", &format!("Number {number}, returns"))
    });
    let found = street.verify(tool).await;
    assert_eq!(failed(&found), (CheckName::Hash, vec!["hash_mismatch"]));
    assert_eq!(street.server.asked().len(), 2);
}

#[tokio::test]
async fn an_update_that_removes_the_tool_is_seen() {
    let street = Street::new();
    let tool = street.publish(|_| {});
    let (anvil, registry) = (street.house.anvil.clone(), street.registry);
    street.server.script(move |_| {
        let call = Call::DeregisterTool(U256::from(1));
        anvil
            .send(anvil.account(0), &registry.to_string(), &call.encode())
            .unwrap();
        Answer::ok("{}")
    });
    // `{}` breaks other rules, too: then the hash is not all that is wrong, and nothing is read again.
    let found = street.verify(tool).await;
    assert!(!found.verified);
    assert_eq!(found.read_again_after, None);
    let (anvil, registry) = (street.house.anvil.clone(), street.registry);
    let tool = street.publish(|_| {});
    let other = manifest(&street.house, &street.server)
        .to_string()
        .replace("oracle\"", "other\"");
    street.server.script(move |_| {
        let call = Call::DeregisterTool(U256::from(2));
        anvil
            .send(anvil.account(0), &registry.to_string(), &call.encode())
            .unwrap();
        Answer::ok(&other)
    });
    let found = street.verify(tool).await;
    assert_eq!(found.registration, Registration::Deregistered);
    assert_eq!((found.verified, found.checks.len()), (false, 0));
    assert!(found.read_again_after.is_some());
}
