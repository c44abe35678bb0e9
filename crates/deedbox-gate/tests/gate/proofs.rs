//! What is shown: for here, for now, signed, once.

use futures::future::join_all;

use super::house::*;

#[tokio::test]
async fn whoever_shows_nothing_is_told_what_to_prove_and_how() {
    let house = House::new();
    let tool = house.tool(Address::ZERO);
    let app = house.app(&tool);
    let (head, body) = ask_with(&app, &[]).await;
    assert_eq!(head.status(), 401);
    let header = |name: &str| head.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/problem+json");
    let challenge = header("www-authenticate");
    let expected = format!(
        r#"DeedboxAccess realm="{AUDIENCE}", tool="{tool}", longest_seconds="300", error="proof_missing""#
    );
    assert_eq!(challenge, expected);
    assert_eq!(body["code"], "proof_missing");
    assert_eq!(body["status"], 401);
    assert!(
        body["what_to_do"]
            .as_str()
            .unwrap()
            .contains("deedbox tool prove")
    );

    // A wallet signs what stands there, when the gaps are filled.
    let mut typed = body["challenge"]["typed_data"].clone();
    let proof = house.proof(&tool, account(1));
    let message = &mut typed["message"];
    message["account"] = json!(proof.account);
    message["issuedAt"] = json!(proof.issued_at.to_string());
    message["deadline"] = json!(proof.deadline.to_string());
    message["nonce"] = json!(proof.nonce);
    assert_eq!(typed, proof.typed_data());

    for other in ["Bearer abc", "Basic", "DeedboxAccess"] {
        assert_eq!(
            ask(&app, other).await,
            refused(401, "proof_missing"),
            "{other}"
        );
    }
    assert_eq!(
        ask(&app, "DeedboxAccess !").await,
        refused(401, "proof_malformed")
    );
    let good = house.shows(&tool, 1);
    let (head, body) = ask_with(&app, &[&good, &good]).await;
    assert_eq!(
        (head.status().as_u16(), &body["code"]),
        (401, &json!("proof_ambiguous"))
    );
    assert_eq!(
        ask(&app, &good.replace("DeedboxAccess", "deedboxaccess ")).await,
        let_in(account(1))
    );
}

#[tokio::test]
async fn a_proof_lets_one_of_fifty_requests_in() {
    let house = House::new();
    let (tool, _) = house.listed(&[account(1)]);
    let app = house.app(&tool);
    let shown = house.shows(&tool, 1);
    let all = join_all((0..50).map(|_| ask(&app, &shown))).await;
    let entered = all.iter().filter(|one| **one == let_in(account(1))).count();
    let used = all
        .iter()
        .filter(|one| **one == refused(401, "proof_used"))
        .count();
    assert_eq!((entered, used), (1, 49), "{all:?}");
    assert_eq!(house.questions(), 1, "asked once for all of them");
    assert_eq!(ask(&app, &shown).await, refused(401, "proof_used"));
}

#[tokio::test]
async fn a_proof_counts_here_and_now_only() {
    let house = House::new();
    let (tool, _) = house.listed(&[account(1)]);
    let other = house.tool(Address::ZERO);
    let app = house.app(&tool);
    let me = account(1);
    let with = |change: fn(&mut EndpointProof)| {
        let mut proof = house.proof(&tool, me);
        change(&mut proof);
        signed(proof, 1, Bytes::new())
    };
    let (before, latest) = (house.questions(), house.now());
    for (shown, code) in [
        (house.shows(&other, 1), "wrong_tool"),
        (with(|proof| proof.chain_id = 1), "wrong_tool"),
        (
            with(|proof| proof.registry = Address::repeat_byte(9)),
            "wrong_tool",
        ),
        (
            with(|proof| proof.audience = "https://tool.example.net".to_owned()),
            "wrong_audience",
        ),
        (with(|proof| proof.deadline += 1), "proof_too_long"),
        (
            with(|proof| proof.issued_at = proof.deadline + 1),
            "proof_too_long",
        ),
        (
            with(|proof| {
                proof.issued_at += 6;
                proof.deadline += 6;
            }),
            "proof_not_yet_valid",
        ),
        (
            with(|proof| {
                proof.issued_at -= 10;
                proof.deadline = proof.issued_at + 9;
            }),
            "proof_expired",
        ),
        // Used, perhaps, before this gate was made.
        (with(|proof| proof.issued_at -= 1), "proof_too_long"),
        (
            with(|proof| {
                proof.issued_at -= 1;
                proof.deadline -= 1;
            }),
            "proof_too_old",
        ),
    ] {
        assert_eq!(ask(&app, &shown).await, refused(401, code), "{latest}");
    }
    // Only the last of them was signed as it should be, and for here and now.
    assert_eq!(house.questions(), before + 1);

    let shown = house.shows(&tool, 1);
    house.pass(300);
    assert_eq!(
        ask(&app, &shown).await,
        let_in(me),
        "the last second counts"
    );
    let shown = house.shows(&tool, 1);
    house.pass(301);
    assert_eq!(ask(&app, &shown).await, refused(401, "proof_expired"));
}

#[tokio::test]
async fn only_the_account_itself_can_sign() {
    let house = House::new();
    let (tool, _) = house.listed(&[account(1)]);
    let app = house.app(&tool);
    // Somebody else's key for an account that has access.
    let forged = signed(house.proof(&tool, account(1)), 2, Bytes::new());
    assert_eq!(ask(&app, &forged).await, refused(401, "wrong_signature"));
    // A signature of another proof.
    let credential = Credential {
        signature: signature(1, house.proof(&tool, account(1)).digest()),
        proof: house.proof(&tool, account(1)),
        data: Bytes::new(),
    };
    assert_eq!(
        ask(&app, &credential.authorization()).await,
        refused(401, "wrong_signature")
    );
    // What was refused was not used.
    let good = Credential {
        signature: signature(1, credential.proof.digest()),
        ..credential
    };
    assert_eq!(ask(&app, &good.authorization()).await, let_in(account(1)));
    // The standard's proof for the predicate is none for the endpoint: whoever saw it on its way to the chain could show it.
    let proof = house.proof(&tool, account(1));
    let of_predicate = AccessProof {
        chain_id: CHAIN,
        predicate: house.registry,
        tool_id: tool.tool_id(),
        account: account(1),
        deadline: proof.deadline,
    };
    let credential = Credential {
        signature: signature(1, of_predicate.digest()),
        proof,
        data: Bytes::new(),
    };
    assert_eq!(
        ask(&app, &credential.authorization()).await,
        refused(401, "wrong_signature")
    );
}

#[tokio::test]
async fn a_contract_account_signs_as_its_contract_says() {
    let house = House::new();
    let wallet = house.fixture("SignedFor", &account(3).abi_encode());
    let (tool, _) = house.listed(&[wallet]);
    let app = house.app(&tool);
    let by = |key| signed(house.proof(&tool, wallet), key, Bytes::new());
    assert_eq!(ask(&app, &by(3)).await, let_in(wallet));
    assert_eq!(ask(&app, &by(4)).await, refused(401, "wrong_signature"));
    let shown = by(3);
    let all = join_all((0..10).map(|_| ask(&app, &shown))).await;
    assert_eq!(all.iter().filter(|one| **one == let_in(wallet)).count(), 1);
    // Whoever cannot be asked has not signed, and has not refused.
    house.is_down(true);
    assert_eq!(ask(&app, &by(3)).await, refused(503, "access_unknown"));
}
