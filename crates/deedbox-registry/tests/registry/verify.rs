//! The four checks of ERC-8257 §7, against a server that serves manifests rightly and wrongly.

use deedbox_fetch::{Fetcher, Rules};
use deedbox_registry::{
    tool::Registration,
    verify::{Check, CheckName, CheckOutcome, Inconsistency, Purpose},
};

use super::house::*;

pub(crate) const PATH: &str = "/.well-known/ai-tool/oracle.json";

/// What a manifest of the account 0 says whose tool is at this server.
pub(crate) fn manifest(house: &House, server: &HttpsServer) -> Json {
    json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": "oracle",
        "description": "Returns what is asked.",
        "endpoint": server.url(HOST, "/oracle"),
        "inputs": {},
        "outputs": {},
        "creatorAddress": chain_address(house.account(0)),
    })
}

pub(crate) fn hash(manifest: &[u8]) -> B256 {
    B256::from(deedbox_manifest::check(manifest).hash.unwrap().0)
}

/// A house, its registry, and a server with a certificate.
pub(crate) struct Street {
    pub(crate) house: House,
    pub(crate) registry: Address,
    pub(crate) server: HttpsServer,
}

impl Street {
    pub(crate) fn new() -> Self {
        Self::with(&Certificate::valid().unwrap())
    }

    fn with(certificate: &Certificate) -> Self {
        let house = House::new();
        let server = HttpsServer::start(certificate, |_| Answer::new(404, &[], "nothing")).unwrap();
        let registry = house.deploy(&Deployment::Tools);
        Self {
            house,
            registry,
            server,
        }
    }

    pub(crate) fn uri(&self) -> String {
        self.server.url(HOST, PATH)
    }

    /// Serves these bytes from now on.
    pub(crate) fn serve(&self, body: &[u8]) {
        let answer = Answer::ok(body);
        self.server.script(move |_| answer.clone());
    }

    /// Serves a good manifest, changed a little, and registers it.
    pub(crate) fn publish(&self, change: impl FnOnce(&mut Json)) -> deedbox_id::ToolReference {
        let mut manifest = manifest(&self.house, &self.server);
        change(&mut manifest);
        let body = manifest.to_string();
        self.serve(body.as_bytes());
        self.house.register(
            self.registry,
            &self.uri(),
            hash(body.as_bytes()),
            Address::ZERO,
        )
    }

    pub(crate) async fn verify(&self, tool: deedbox_id::ToolReference) -> ToolVerification {
        self.verify_for(tool, Purpose::Interactive, None).await
    }

    async fn verify_for(
        &self,
        tool: deedbox_id::ToolReference,
        purpose: Purpose,
        window: Option<u64>,
    ) -> ToolVerification {
        let request = VerifyTool {
            tool,
            block: Block::Latest,
            purpose,
            window,
        };
        let found = verify_tool(
            &self.house.chains,
            &fetcher(&self.server),
            &*self.house.clock,
            &request,
        )
        .await;
        as_its_schema_says(found.unwrap())
    }
}

/// Which check failed first, and every reason against it.
pub(crate) fn failed(found: &ToolVerification) -> (CheckName, Vec<&str>) {
    assert!(!found.verified);
    assert_eq!(found.freshness.fresh_until, None);
    let failed = found.failed.expect("a check failed");
    let check = found
        .checks
        .iter()
        .find(|check| check.check == failed)
        .unwrap();
    assert_eq!(check.outcome, CheckOutcome::Failed);
    (
        failed,
        check.reasons.iter().map(|reason| &*reason.code).collect(),
    )
}

fn outcomes(checks: &[Check]) -> Vec<CheckOutcome> {
    checks.iter().map(|check| check.outcome).collect()
}

#[tokio::test]
async fn a_tool_that_is_what_it_says_passes_all_four_checks_in_order() {
    let street = Street::new();
    let tool = street.publish(|manifest| {
        manifest["tags"] = json!(["a", "b"]);
        manifest["pricing"] = json!([{
            "amount": "0",
            "asset": "eip155:1/slip44:60",
            "recipient": "eip155:1:0xabcdef0123456789abcdef0123456789abcdef01",
            "protocol": "x402",
        }]);
    });
    let found = street.verify(tool).await;
    assert!(found.verified);
    assert_eq!(found.failed, None);
    assert_eq!(outcomes(&found.checks), [CheckOutcome::Passed; 5]);
    let numbers: Vec<_> = found.checks.iter().map(|check| check.number).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3), Some(4), None]);
    let now = Timestamp::from_millis(1_800_000_000_000).unwrap();
    assert_eq!(found.freshness.verified_at, now);
    assert_eq!(found.freshness.fresh_until, Some(now.plus_millis(300_000)));
    let manifest = found.manifest.unwrap();
    assert_eq!(manifest.name.unwrap().text, "oracle");
    assert_eq!(manifest.tags.len(), 2);
    assert_eq!(manifest.pricing.unwrap()[0].amount, "0");
    assert_eq!(manifest.tier.effective, "self-attested");
    assert_eq!(manifest.not_invocable, None);
    assert_eq!(found.read_again_after, None);
    assert_eq!(street.server.asked().len(), 1);
    assert!(found.registry.code_hash.is_some());
}

#[tokio::test]
async fn how_long_it_counts_follows_from_the_purpose_and_max_age() {
    let street = Street::new();
    let tool = street.publish(|manifest| manifest["maxAge"] = json!(7200));
    for (purpose, window, seconds, shortened) in [
        (Purpose::Interactive, None, 300, false),
        (Purpose::Invocation, Some(86_400), 7200, true),
        (Purpose::Payment, Some(60), 0, false),
    ] {
        let found = street.verify_for(tool, purpose, window).await;
        assert!(found.verified);
        let until = found.freshness.verified_at.plus_millis(seconds * 1000);
        assert_eq!(found.freshness.fresh_until, Some(until), "{purpose:?}");
        assert_eq!(
            found.freshness.shortened_by_max_age, shortened,
            "{purpose:?}"
        );
    }
}

#[tokio::test]
async fn no_tool_a_removed_one_a_wrong_contract_and_no_answer_are_four_things() {
    let street = Street::new();
    let found = street.verify(tool(street.registry, U256::from(7))).await;
    assert_eq!(found.registration, Registration::NotFound);
    assert_eq!(
        (found.verified, found.checks.len(), found.failed),
        (false, 0, None)
    );

    let removed = street.publish(|_| {});
    street
        .house
        .send(0, street.registry, &Call::DeregisterTool(U256::from(1)));
    assert_eq!(
        street.verify(removed).await.registration,
        Registration::Deregistered
    );

    let nobody = street
        .verify(tool(Address::repeat_byte(5), U256::from(1)))
        .await;
    assert!(
        matches!(nobody.registration, Registration::WrongContract { .. }),
        "{:?}",
        nobody.registration
    );
    let silent = street.house.scripted(&[]);
    let wrong = street.verify(tool(silent, U256::from(1))).await;
    assert!(matches!(
        wrong.registration,
        Registration::WrongContract { .. }
    ));
    assert_eq!(street.server.connections(), 0);

    let request = VerifyTool {
        tool: "eip155:10/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/1"
            .parse()
            .unwrap(),
        block: Block::Latest,
        purpose: Purpose::Interactive,
        window: None,
    };
    let fetcher = fetcher(&street.server);
    let error = verify_tool(
        &street.house.chains,
        &fetcher,
        &*street.house.clock,
        &request,
    )
    .await;
    assert_eq!(error.unwrap_err().code, Code::ChainNotConfigured);
}

#[tokio::test]
async fn every_way_of_not_serving_it_fails_the_first_check_with_its_own_reason() {
    let street = Street::new();
    let tool = street.publish(|_| {});
    let large = vec![b' '; 1024 * 1024 + 1];
    let elsewhere = street.server.url(HOST, "/elsewhere.json");
    for (answer, code) in [
        (
            Answer::new(301, &[("location", &elsewhere)], ""),
            "redirect_refused",
        ),
        (Answer::new(308, &[], ""), "redirect_refused"),
        (Answer::new(304, &[], ""), "redirect_refused"),
        (Answer::new(404, &[], ""), "status"),
        (Answer::new(500, &[], ""), "status"),
        (Answer::new(204, &[], ""), "status"),
        (Answer::ok(&large), "too_large"),
        (
            Answer::new(200, &[("content-encoding", "br")], "x"),
            "encoding",
        ),
        (
            Answer::new(200, &[("content-encoding", "gzip")], "x"),
            "bad_gzip",
        ),
        (
            Answer::head(200, &[("content-length", "100")])
                .then("{")
                .close(),
            "truncated",
        ),
        (
            Answer::head(200, &[("content-length", "100")])
                .then("{")
                .cut(),
            "truncated",
        ),
        (
            Answer::head(200, &[("content-length", "100")])
                .then("{")
                .hang(),
            "timeout_receiving",
        ),
        (Answer::raw("").hang(), "timeout_waiting"),
        (Answer::raw("SSH-2.0-nothing\r\n\r\n").close(), "bad_answer"),
    ] {
        let before = street.server.asked().len();
        let scripted = answer.clone();
        street.server.script(move |_| scripted.clone());
        let found = street.verify(tool).await;
        assert_eq!(failed(&found), (CheckName::Fetch, vec![code]), "{answer:?}");
        let others = &outcomes(&found.checks)[1..];
        assert_eq!(others, [CheckOutcome::NotReached; 4], "{code}");
        assert_eq!(
            street.server.asked().len(),
            before + 1,
            "{code}: no second try, and none elsewhere"
        );
        assert!(found.manifest.is_none() && found.served.is_none());
    }
}

#[tokio::test]
async fn a_certificate_that_deserves_no_trust_fails_the_first_check() {
    for (certificate, code) in [
        (Certificate::expired(), "tls_expired"),
        (Certificate::premature(), "tls_not_yet_valid"),
        (Certificate::of_another(), "tls_wrong_name"),
    ] {
        let street = Street::with(&certificate.unwrap());
        let tool = street.publish(|_| {});
        let found = street.verify(tool).await;
        assert_eq!(failed(&found), (CheckName::Fetch, vec![code]));
    }
}

#[tokio::test]
async fn an_address_that_is_none_of_the_internet_is_not_connected_to() {
    let street = Street::new();
    let tool = street.publish(|_| {});
    // The same without the loopback address allowed: another port than 443 is refused before anything.
    let fetcher = Fetcher::new(Rules::default()).unwrap();
    let request = VerifyTool {
        tool,
        block: Block::Latest,
        purpose: Purpose::Interactive,
        window: None,
    };
    let found = verify_tool(
        &street.house.chains,
        &fetcher,
        &*street.house.clock,
        &request,
    )
    .await
    .unwrap();
    assert_eq!(failed(&found), (CheckName::Fetch, vec!["port_refused"]));
    let at = street.house.register(
        street.registry,
        &format!("https://169.254.169.254{PATH}"),
        B256::repeat_byte(1),
        Address::ZERO,
    );
    let request = VerifyTool {
        tool: at,
        ..request
    };
    let found = verify_tool(
        &street.house.chains,
        &fetcher,
        &*street.house.clock,
        &request,
    )
    .await
    .unwrap();
    assert_eq!(failed(&found), (CheckName::Fetch, vec!["address_refused"]));
    assert_eq!(street.server.connections(), 0);
}

#[tokio::test]
async fn a_uri_that_is_in_the_wrong_place_is_never_asked_for() {
    let street = Street::new();
    street.serve(
        manifest(&street.house, &street.server)
            .to_string()
            .as_bytes(),
    );
    for uri in [
        street.server.url(HOST, "/manifest.json"),
        format!("{}?", street.uri()),
        format!("{}#a", street.uri()),
        street.uri().replace("https", "http"),
        street.server.url(HOST, "/.well-known/ai-tool/Oracle.json"),
        "ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG".to_owned(),
    ] {
        let tool =
            street
                .house
                .register(street.registry, &uri, B256::repeat_byte(1), Address::ZERO);
        let found = street.verify(tool).await;
        assert_eq!(failed(&found).0, CheckName::Origin, "{uri}");
        assert_eq!(found.checks[0].outcome, CheckOutcome::NotReached, "{uri}");
    }
    assert_eq!(street.server.connections(), 0);
}

#[tokio::test]
async fn each_later_check_fails_with_its_number_and_its_reason() {
    let street = Street::new();
    let elsewhere =
        street.publish(|manifest| manifest["endpoint"] = json!("https://example.com/oracle"));
    let found = street.verify(elsewhere).await;
    assert_eq!(failed(&found), (CheckName::Origin, vec!["origin_mismatch"]));

    // With a byte-order mark its hash is never compared.
    let body = manifest(&street.house, &street.server).to_string();
    let marked = [b"\xef\xbb\xbf", body.as_bytes()].concat();
    let tool = street.house.register(
        street.registry,
        &street.uri(),
        hash(body.as_bytes()),
        Address::ZERO,
    );
    street.serve(&marked);
    assert_eq!(
        failed(&street.verify(tool).await),
        (CheckName::Hash, vec!["8257-2c-09"])
    );

    let squatted = street.publish(|manifest| {
        manifest["creatorAddress"] = json!(chain_address(street.house.account(1)));
    });
    let found = street.verify(squatted).await;
    assert_eq!(
        failed(&found),
        (CheckName::Creator, vec!["creator_mismatch"])
    );

    // The hash is right, and the manifest breaks a rule of its own.
    let typeless = street.publish(|manifest| manifest["type"] = json!("v9"));
    let found = street.verify(typeless).await;
    assert_eq!(failed(&found), (CheckName::Schema, vec!["8257-2-03"]));
    assert_eq!(outcomes(&found.checks)[..4], [CheckOutcome::Passed; 4]);
    assert!(found.manifest.is_some(), "for whoever repairs it");

    // Two faults: the earlier check is the one to report.
    let both = street.publish(|manifest| {
        manifest["endpoint"] = json!("https://example.com/oracle");
        manifest["type"] = json!("v9");
    });
    assert_eq!(street.verify(both).await.failed, Some(CheckName::Origin));
}

#[tokio::test]
async fn what_a_manifest_claims_is_told_with_its_contradictions_and_does_not_fail_it() {
    let street = Street::new();
    let tool = street.publish(|manifest| {
        manifest["verifiability"] = json!({"tier": "verifiable", "execution": "tee",
            "attestation": {"type": "tdx", "endpoint": "https://example.com/report"}});
    });
    let found = street.verify(tool).await;
    assert!(found.verified, "{:?}", found.checks);
    let tier = found.manifest.unwrap().tier;
    assert_eq!(tier.declared.as_deref(), Some("verifiable"));
    assert_eq!(tier.effective, "hardware-attested");
    assert_eq!(
        tier.inconsistencies,
        [Inconsistency::VerifiableWithoutProof]
    );
}

/// That nobody here would connect to an endpoint is none of the four checks (reading V-13).
#[tokio::test]
async fn an_endpoint_that_the_egress_rules_refuse_is_flagged_and_not_unverified() {
    let street = Street::new();
    let long = street.server.url(HOST, &format!("/{}", "a".repeat(3000)));
    let tool = street.publish(|manifest| manifest["endpoint"] = json!(long));
    let found = street.verify(tool).await;
    assert!(found.verified, "{:?}", found.checks);
    assert!(found.manifest.unwrap().not_invocable.is_some());
    let metadata = "https://169.254.169.254/latest";
    let tool = street.publish(|manifest| manifest["endpoint"] = json!(metadata));
    let found = street.verify(tool).await;
    assert_eq!(failed(&found), (CheckName::Origin, vec!["origin_mismatch"]));
    let why = found.manifest.unwrap().not_invocable.unwrap();
    assert!(why.text.contains("Link Local"), "{why:?}");
}

#[tokio::test]
async fn a_registry_that_can_be_replaced_is_told() {
    let street = Street::new();
    let tool = street.publish(|_| {});
    street.house.make_proxy(street.registry);
    let found = street.verify(tool).await;
    assert!(found.verified);
    let leads = found.registry.proxy.unwrap().implementation;
    assert_eq!(leads, Some(Address::repeat_byte(0x77)));
}

/// What the index keeps: a failed check beside an unreachable place, and of a verified manifest what is searched.
#[tokio::test]
async fn what_was_found_is_kept_for_the_index_as_it_was_found() {
    use deedbox_store::index::CheckOutcome as Kept;
    let street = Street::new();
    let tool = street.publish(|manifest| {
        manifest["tags"] = json!(["nft"]);
        manifest["pricing"] = json!([{
            "amount": "20000",
            "asset": "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            "recipient": "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01",
            "protocol": "x402",
        }]);
    });
    let (check, served) = street.verify(tool).await.record().unwrap();
    assert_eq!(check.outcome, Kept::Verified);
    assert_eq!(check.metadata_uri.bytes(), street.uri().as_bytes());
    assert_eq!(served.unwrap().hash, check.manifest_hash);
    let manifest = check.manifest.unwrap();
    assert_eq!(
        (&*manifest.name, &*manifest.tags),
        ("oracle", &["nft".to_owned()][..])
    );
    assert_eq!(manifest.prices[0].network.as_deref(), Some("eip155:8453"));
    assert_eq!(manifest.prices[0].amount, U256::from(20_000));

    street.server.script(|_| Answer::new(500, &[], ""));
    let (check, served) = street.verify(tool).await.record().unwrap();
    assert!(matches!(check.outcome, Kept::Unreachable { .. }));
    assert!(served.is_none() && check.manifest.is_none());
    street.serve(b"{}");
    let (check, _) = street.verify(tool).await.record().unwrap();
    assert!(matches!(check.outcome, Kept::Failed { .. }));
    assert!(
        check.manifest.is_none(),
        "what is not verified is not found"
    );
    let nothing = street
        .verify(
            deedbox_id::ToolReference::new(tool.chain(), tool.registry(), U256::from(9)).unwrap(),
        )
        .await;
    assert!(nothing.record().is_none());
}
