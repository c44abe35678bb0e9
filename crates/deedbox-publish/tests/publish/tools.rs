//! Tools, their manifests and their predicates.

use deedbox_manifest::author::Template;
use deedbox_neighbours::https::Answer;

use crate::house::*;

const PATH: &str = "/.well-known/ai-tool/my-tool.json";

/// A manifest on the house's server, created by somebody, with something in its description.
fn manifest(house: &House, creator: Address, description: &str) -> String {
    Template {
        description,
        endpoint: &house.web.url("localhost", "/my-tool"),
        creator: Some(deedbox_manifest::Address(creator.0.0)),
        ..Template::default()
    }
    .manifest()
}

fn serve(house: &House, manifest: &str) {
    let manifest = manifest.to_owned();
    house.web.script(move |request| match &*request.target {
        PATH => Answer::ok(&manifest),
        _ => Answer::new(404, &[], "nothing"),
    });
}

fn source(house: &House, local: Option<&str>) -> ManifestSource {
    ManifestSource {
        metadata_uri: house.web.url("localhost", PATH),
        local: local.map(|text| text.as_bytes().to_vec()),
    }
}

#[tokio::test]
async fn a_tool_is_published_updated_gated_and_removed_for_ever() {
    let house = House::new().await;
    let registry = house.deploy(Deployment::Tools).await;
    let first = manifest(&house, address(0), "The first.");
    serve(&house, &first);
    let publish_it = || Action::PublishTool {
        registry,
        manifest: source(&house, Some(&first)),
        access_predicate: Address::ZERO,
    };
    let mut teller = Script::yes();
    let published = house
        .publish_by(0, publish_it(), &quick(), &mut teller)
        .await
        .unwrap();
    let inclusion = included(published);
    assert_eq!(
        (inclusion.read_back, &inclusion.created["tool_id"]),
        (ReadBack::Matches, &"1".into())
    );
    let warnings = teller.previews[0].warnings.join("\n");
    assert!(
        warnings.contains("an account with one key"),
        "8257-key-01: {warnings}"
    );
    let config = house.view(
        registry,
        &Tools::getToolConfigCall {
            toolId: U256::from(1),
        },
    );
    let hash = deedbox_manifest::check(first.as_bytes()).hash.unwrap();
    assert_eq!(config.manifestHash.0, hash.0);
    assert_eq!(config.creator, address(0));

    let mut teller = Script::no();
    drop(
        house
            .publish_by(0, publish_it(), &quick(), &mut teller)
            .await,
    );
    let warnings = teller.previews[0].warnings.join("\n");
    assert!(
        warnings.contains("this very tool is registered already, as tool 1"),
        "{warnings}"
    );
    assert!(
        warnings.contains("still as tool init writes it: name, tags, inputs, outputs;"),
        "{warnings}"
    );
    serve(&house, &manifest(&house, address(0), "Another."));
    let another = Action::PublishTool {
        registry,
        manifest: source(&house, None),
        access_predicate: Address::ZERO,
    };
    let mut teller = Script::no();
    drop(house.publish_by(0, another, &quick(), &mut teller).await);
    let warnings = teller.previews[0].warnings.join("\n");
    assert!(
        warnings.contains("you registered the same URL before, as tool 1"),
        "{warnings}"
    );
    serve(&house, &first);

    let tool_id = U256::from(1);
    let update = || Action::UpdateTool {
        registry,
        tool_id,
        manifest: source(&house, None),
    };
    let refusal = house.refused(update()).await;
    assert!(refusal.contains("nothing to update"), "{refusal}");
    serve(&house, &manifest(&house, address(0), "The second."));
    house.done(update()).await;
    let refusal = house.refused_by(1, update()).await;
    assert!(
        refusal.contains("only that account may change it"),
        "{refusal}"
    );

    let deny = house
        .deploy(Deployment::Predicate(Predicate::AlwaysDeny))
        .await;
    let gate = |access_predicate| Action::SetAccessPredicate {
        registry,
        tool_id,
        access_predicate,
    };
    house.done(gate(deny)).await;
    let refusal = house.refused(gate(deny)).await;
    assert!(refusal.contains("has this predicate already"), "{refusal}");

    let remove = Action::DeregisterTool { registry, tool_id };
    let mut teller = Script::yes();
    let published = house
        .publish_by(0, remove.clone(), &quick(), &mut teller)
        .await
        .unwrap();
    assert_eq!(included(published).read_back, ReadBack::Matches);
    assert_eq!(
        teller.previews[0].confirmation,
        Confirmation::Typed("1".to_owned())
    );
    let refusal = house.refused(remove).await;
    assert!(
        refusal.contains("ToolIsDeregistered(toolId: 1)"),
        "{refusal}"
    );
    // What is removed is not there already.
    serve(&house, &manifest(&house, address(0), "The second."));
    let again = Action::PublishTool {
        registry,
        manifest: source(&house, None),
        access_predicate: Address::ZERO,
    };
    let mut teller = Script::no();
    drop(house.publish_by(0, again, &quick(), &mut teller).await);
    let warnings = teller.previews[0].warnings.join("\n");
    assert!(!warnings.contains("as tool 1"), "{warnings}");
}

#[tokio::test]
async fn a_manifest_that_consumers_would_refuse_is_refused_before_anything_is_signed() {
    let house = House::new().await;
    let registry = house.deploy(Deployment::Tools).await;
    let good = manifest(&house, address(0), "Good.");
    let with = |manifest| Action::PublishTool {
        registry,
        manifest,
        access_predicate: Address::ZERO,
    };
    let refusal = house.refused(with(source(&house, None))).await;
    assert!(refusal.contains("404"), "{refusal}");
    serve(&house, &manifest(&house, address(1), "Somebody else's."));
    let refusal = house.refused(with(source(&house, None))).await;
    assert!(
        refusal.contains(&format!("names {} as its creator", address(1))),
        "{refusal}"
    );
    serve(&house, &manifest(&house, address(0), "Another text."));
    let refusal = house.refused(with(source(&house, Some(&good)))).await;
    assert!(
        refusal.contains("is not your copy of the manifest"),
        "{refusal}"
    );
    serve(
        &house,
        &good.replace("\"version\"", "\"version\": 1, \"version\""),
    );
    let refusal = house.refused(with(source(&house, None))).await;
    assert!(refusal.contains("breaks rules"), "{refusal}");
    serve(&house, &good);
    let refusal = house
        .refused(with(ManifestSource {
            metadata_uri: house.web.url("localhost", "/manifest.json"),
            local: None,
        }))
        .await;
    assert!(refusal.contains("8257-6-12"), "{refusal}");
    let elsewhere = good.replace("https://localhost", "https://127.0.0.1");
    serve(&house, &elsewhere);
    let refusal = house.refused(with(source(&house, None))).await;
    assert!(refusal.contains("check 2 (origin)"), "{refusal}");
}

#[tokio::test]
async fn a_predicate_without_code_needs_a_word_and_odd_ones_a_warning() {
    let house = House::new().await;
    let registry = house.deploy(Deployment::Tools).await;
    let agents = house.open_registry().await;
    let good = manifest(&house, address(0), "Gated.");
    serve(&house, &good);
    let gated = |access_predicate| Action::PublishTool {
        registry,
        manifest: source(&house, None),
        access_predicate,
    };
    let nobody = Address::repeat_byte(9);
    let refusal = house.refused(gated(nobody)).await;
    assert!(refusal.contains("8257-zero-07"), "{refusal}");
    let refusal = house.refused(gated(registry)).await;
    assert!(refusal.contains("a registry is no predicate"), "{refusal}");
    // It speaks ERC-165 and does not claim to be a predicate.
    let refusal = house.refused(gated(agents)).await;
    assert!(
        refusal.contains(&format!("InvalidAccessPredicate(predicate: {agents})")),
        "{refusal}"
    );
    let meant = Options {
        predicate_without_code: true,
        ..quick()
    };
    let mut teller = Script::yes();
    let published = house
        .publish_by(0, gated(nobody), &meant, &mut teller)
        .await
        .unwrap();
    assert!(included(published).succeeded);
    let warnings = teller.previews[0].warnings.join("\n");
    assert!(
        warnings.contains("until there is, nobody has access"),
        "{warnings}"
    );
}

#[tokio::test]
async fn a_predicate_that_serves_another_caller_is_warned_of() {
    let house = House::new().await;
    let registry = house.deploy(Deployment::Tools).await;
    let other = house.deploy(Deployment::Tools).await;
    serve(&house, &manifest(&house, address(0), "Gated."));
    let deny = house
        .deploy(Deployment::Predicate(Predicate::AlwaysDeny))
        .await;
    let composite = |caller| Predicate::Composite {
        caller,
        logic: deedbox_registry::Logic::Any,
        terms: vec![deedbox_registry::Term {
            predicate: deny,
            negated: false,
            gas_limit: 50_000,
        }],
    };
    for (predicate, is_told) in [
        (Predicate::AccessProof { caller: other }, true),
        (Predicate::AccessProof { caller: registry }, false),
        (composite(other), true),
        (composite(registry), false),
        (composite(Address::ZERO), false),
    ] {
        let what = format!("{predicate:?}");
        let predicate = house.deploy(Deployment::Predicate(predicate)).await;
        let gated = Action::PublishTool {
            registry,
            manifest: source(&house, None),
            access_predicate: predicate,
        };
        let mut teller = Script::no();
        drop(house.publish_by(0, gated, &quick(), &mut teller).await);
        let words =
            format!("this predicate serves {other} only; this registry would always be denied");
        let warnings = teller.previews[0].warnings.join("\n");
        assert_eq!(warnings.contains(&words), is_told, "{what}: {warnings}");
    }
}

#[tokio::test]
async fn lists_of_accounts_are_kept_by_the_creator_of_the_tool() {
    let house = House::new().await;
    let registry = house.deploy(Deployment::Tools).await;
    serve(&house, &manifest(&house, address(0), "Listed."));
    let list = house
        .deploy(Deployment::Predicate(Predicate::Allowlist { registry }))
        .await;
    let tree = house
        .deploy(Deployment::Predicate(Predicate::MerkleAllowlist {
            registry,
        }))
        .await;
    house
        .done(Action::PublishTool {
            registry,
            manifest: source(&house, None),
            access_predicate: list,
        })
        .await;
    let tool_id = U256::from(1);
    let listed = |predicate, accounts: &[usize], allowed| Action::SetAllowed {
        predicate,
        tool_id,
        accounts: accounts.iter().map(|who| address(*who)).collect(),
        allowed,
    };
    let allow = |predicate| listed(predicate, &[1, 2], true);
    let refusal = house.refused(listed(list, &[1, 2], false)).await;
    assert!(
        refusal.contains("has no access already: nothing would change"),
        "{refusal}"
    );
    house.done(allow(list)).await;
    let refusal = house.refused(allow(list)).await;
    assert!(
        refusal.contains(&format!(
            "{}, {} has access already: nothing would change",
            address(1),
            address(2)
        )),
        "{refusal}"
    );
    let mut teller = Script::no();
    let some = listed(list, &[0, 1], true);
    drop(house.publish_by(0, some, &quick(), &mut teller).await);
    let warned = format!("{} has access already", address(1));
    assert_eq!(teller.previews[0].warnings, [warned]);
    let call = Tools::hasAccessCall {
        toolId: tool_id,
        account: address(2),
        data: Default::default(),
    };
    assert!(house.view(registry, &call));
    let root = || Action::SetRoot {
        predicate: tree,
        tool_id,
        root: B256::repeat_byte(7),
    };
    house.done(root()).await;
    let refusal = house.refused(root()).await;
    assert!(
        refusal.contains("already: nothing would change"),
        "{refusal}"
    );
    let refusal = house.refused(allow(tree)).await;
    assert!(
        refusal.contains("is not our AllowlistPredicate, but MerkleAllowlistPredicate"),
        "{refusal}"
    );
    let refusal = house.refused_by(1, listed(list, &[0], true)).await;
    assert!(refusal.contains("NotToolCreator(toolId: 1"), "{refusal}");
}

#[tokio::test]
async fn every_predicate_that_is_named_can_be_deployed() {
    let house = House::new().await;
    let registry = house.deploy(Deployment::Tools).await;
    let agents = house.open_registry().await;
    house.done(register(agents, "Holder")).await;
    let deny = house
        .deploy(Deployment::Predicate(Predicate::AlwaysDeny))
        .await;
    let one = U256::from(1);
    for predicate in [
        Predicate::Erc721Holder { collection: agents },
        Predicate::Erc1155Holder {
            collection: agents,
            token_id: one,
        },
        Predicate::Erc20Balance {
            token: agents,
            min_balance: one,
        },
        Predicate::Subscription {
            collection: agents,
            min_tier: 2,
        },
        Predicate::AgentOwner {
            agents,
            agent_id: one,
        },
        Predicate::AnyAgentOwner { agents },
        Predicate::AccessProof { caller: registry },
        Predicate::Composite {
            caller: registry,
            logic: deedbox_registry::Logic::Any,
            terms: vec![deedbox_registry::Term {
                predicate: deny,
                negated: false,
                gas_limit: 50_000,
            }],
        },
    ] {
        house.deploy(Deployment::Predicate(predicate)).await;
    }
}
