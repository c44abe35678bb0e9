//! Commands that ask registries, against a real node and a real server of manifests: facts with where they came from, and a "no"
//! that a shell can use.

use std::fs;

use deedbox_neighbours::{
    certificate::Certificate,
    https::{Answer, HttpsServer},
};
use serde_json::{Value, json};

use crate::{
    accounts::{ACCOUNT, KEY, file, holds_key},
    publishing::{Desk, OTHER},
    registries::manifest,
};

/// A desk that trusts a server of manifests, and a tool whose manifest it serves.
pub(crate) struct Shop {
    pub(crate) desk: Desk,
    pub(crate) server: HttpsServer,
    manifest: String,
    pub(crate) tools: String,
    pub(crate) tool: String,
}

impl Shop {
    pub(crate) fn open() -> Self {
        let desk = Desk::new();
        let server =
            HttpsServer::start(&Certificate::valid().unwrap(), |_| Answer::ok("")).unwrap();
        let manifest = manifest(server.port(), "1.0.0");
        let body = manifest.clone();
        server.script(move |_| Answer::ok(&body));
        let ca = file(&desk.home, "ca.pem", server.ca_pem().unwrap());
        let settings = desk.home.path().join("deedbox.toml");
        let mut text = fs::read_to_string(&settings).unwrap();
        text.push_str(&format!(
            "[fetch]\nallow = [\"127.0.0.0/8\", \"::1/128\"]\nca_file = \"{ca}\"\n"
        ));
        fs::write(&settings, text).unwrap();
        let tools = desk.deploy(&["registry", "deploy", "tools"]);
        let uri = server.url("localhost", "/.well-known/ai-tool/weather.json");
        let published = desk.publish(&["tool", "publish", &tools, "--metadata-uri", &uri]);
        let tool = published["names"]["tool"].as_str().unwrap().to_owned();
        Self {
            desk,
            server,
            manifest,
            tools,
            tool,
        }
    }

    fn recheck(&self, envelope: &Value) -> Value {
        let id = envelope["provenance"]["evidence_id"].as_str().unwrap();
        self.desk
            .run(&["evidence", "recheck", id, "--json"], &[])
            .expect(0)
            .json()
    }
}

#[test]
fn a_certificate_that_does_not_fit_is_an_answer_and_no_error_of_the_log() {
    let shop = Shop::open();
    let settings = shop.desk.home.path().join("deedbox.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("ca_file"));
    fs::write(&settings, lines.collect::<Vec<_>>().join("\n")).unwrap();
    for logged in [&[][..], &["--log-filter", "info"]] {
        let verify = ["tool", "verify", &shop.tool];
        let done = shop.desk.home.run(&[&verify, logged].concat()).expect(5);
        assert!(done.out.contains("tls_unknown_issuer"), "{}", done.out);
        assert!(!done.err.contains("failed to verify"), "{}", done.err);
        assert!(!done.err.contains("rustls"), "{}", done.err);
    }
}

#[test]
fn an_agent_is_shown_with_the_view_that_each_fact_came_from() {
    let desk = Desk::new();
    let registry = desk.deploy(&["registry", "deploy", "open", "--registrar", "self"]);
    let value = desk.publish(&[
        "agent",
        "register",
        &registry,
        "name=Weather",
        "service_type=mcp",
        "service=https://weather.example/mcp/{id}",
        "service/1=https://weather.example/half",
        "terms=none",
    ]);
    let agent = value["names"]["agents"][0].as_str().unwrap().to_owned();
    let resolve = [
        "agent",
        "resolve",
        &agent,
        "--key",
        "terms",
        "--spender",
        OTHER,
    ];
    let said = desk.run(&resolve, &[]).expect(0).out;
    for line in [
        "Owner: read by ownerOf(uint256) at block ",
        "may not change it",
        "Services: read from metadata(uint256,string) at block ",
        "service_type: \"mcp\"  service: \"https://weather.example/mcp/{id}\" → \"https://weather.example/mcp/1\"",
        "BROKEN: service_type/1 is missing, and nothing takes its place",
        "terms: \"none\"",
        "! A service lacks one of its halves.",
        "evidence ",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(said.to_lowercase().contains(ACCOUNT), "{said}");

    let json = desk
        .run(&[&resolve[..], &["--json"]].concat(), &[])
        .expect(0)
        .json();
    assert_eq!(json["error"], Value::Null);
    assert_eq!(json["data"]["owner"]["state"], "found");
    let id = json["provenance"]["evidence_id"].as_str().unwrap();
    let again = desk
        .run(&["evidence", "recheck", id, "--json"], &[])
        .expect(0)
        .json();
    assert_eq!(
        (&again["outcome"], again.get("web")),
        (&json!("same"), None)
    );

    let nobody = agent.replacen("1@", "99@", 1);
    let said = desk.run(&["agent", "resolve", &nobody], &[]).expect(5).out;
    assert!(
        said.contains("none: the registry has no such agent"),
        "{said}"
    );
    for (name, says) in [
        (agent.replacen("1@", "weather@", 1), "names no number"),
        ("weather".to_owned(), "names no registry"),
    ] {
        let refused = desk
            .run(&["agent", "resolve", &name, "--json"], &[])
            .expect(2);
        assert_eq!(refused.json()["error"]["code"], "invalid_argument");
        assert!(refused.out.contains(says), "{}", refused.out);
    }
}

#[test]
fn a_tool_is_verified_kept_and_checked_again_after_the_web_has_changed() {
    let shop = Shop::open();
    let (desk, tool) = (&shop.desk, shop.tool.as_str());
    let kept = desk.home.path().join("kept.json");
    let save = ["--save", kept.to_str().unwrap()];
    let said = desk
        .run(&[&["tool", "verify", tool][..], &save].concat(), &[])
        .expect(0)
        .out;
    for line in [
        "VERIFIED: what is served is what was registered",
        "1 fetch    passed",
        "4 creator  passed",
        "predicate     none: open to everybody",
        "The manifest says",
        "counts until",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert_eq!(fs::read_to_string(&kept).unwrap(), shop.manifest);
    // It is not overwritten.
    let refused = desk
        .run(&[&["tool", "verify", tool][..], &save].concat(), &[])
        .expect(2);
    assert!(refused.err.contains("kept.json"), "{}", refused.err);

    let verify = ["tool", "verify", tool, "--purpose", "payment", "--json"];
    let verified = desk.run(&verify, &[]).expect(0).json();
    let freshness = &verified["data"]["freshness"];
    assert_eq!(freshness["fresh_until"], freshness["verified_at"]);
    assert_eq!(shop.recheck(&verified)["web"]["same"], true);

    let newer = manifest(shop.server.port(), "1.1.0");
    shop.server.script(move |_| Answer::ok(&newer));
    let said = desk.run(&["tool", "verify", tool], &[]).expect(5).out;
    assert!(
        said.contains("NOT VERIFIED, at the check \"hash\": the tool must not be used"),
        "{said}"
    );
    assert!(said.contains("do not act on it"), "{said}");
    let again = shop.recheck(&verified);
    assert_eq!(
        (&again["outcome"], &again["web"]["same"]),
        (&json!("same"), &json!(false))
    );
    assert_ne!(again["web"]["now"], again["web"]["recorded"]);

    let nobody = tool.replace("/1", "/99");
    let said = desk
        .run(&["tool", "verify", &nobody, "--save", "none.json"], &[])
        .expect(5);
    assert!(
        said.out
            .contains("no tool was ever registered under this id"),
        "{}",
        said.out
    );
    assert!(said.err.contains("nothing was saved"), "{}", said.err);
}

#[test]
fn access_is_asked_for_and_proved_with_a_key_that_stays_here() {
    let shop = Shop::open();
    let (desk, tool) = (&shop.desk, shop.tool.as_str());
    let said = desk
        .run(&["tool", "access", tool, OTHER], &[])
        .expect(0)
        .out;
    let mut lines = said.lines();
    assert!(lines.next().unwrap().contains("not followed"), "{said}");
    assert_eq!(lines.next(), Some("OPEN: everybody may use it"), "{said}");
    let prove = ["tool", "prove", tool];
    let key = [("DEEDBOX_PRIVATE_KEY", KEY)];
    let refused = desk.run(&prove, &key).expect(5).out;
    assert!(refused.contains("Nothing was signed"), "{refused}");

    let predicate = desk.deploy(&[
        "predicate",
        "deploy",
        "access-proof",
        "--caller",
        &shop.tools,
    ]);
    desk.publish(&["tool", "set-predicate", tool, &predicate]);
    let said = desk
        .run(&["tool", "access", tool, ACCOUNT], &[])
        .expect(5)
        .out;
    assert!(
        said.contains("it takes") && said.contains("signed access proof"),
        "{said}"
    );

    let proof = desk
        .run(&[&prove[..], &["--json"]].concat(), &key)
        .expect(0)
        .json();
    assert!(
        proof["account"]
            .as_str()
            .unwrap()
            .eq_ignore_ascii_case(ACCOUNT),
        "{proof}"
    );
    let data = proof["data"].as_str().unwrap();
    let access = ["tool", "access", tool, ACCOUNT, "--data", data];
    let said = desk.run(&access, &[]).expect(0).out;
    assert!(
        said.contains("\nGRANTED: the predicate says yes\n"),
        "{said}"
    );
    // Of somebody else it is none.
    let access = ["tool", "access", tool, OTHER, "--data", data, "--json"];
    let denied = desk.run(&access, &[]).expect(5).json();
    assert_ne!(denied["data"]["access"], "granted");

    let said = desk.run(&prove, &key).expect(0).out;
    assert!(
        said.contains("Whoever sees it can use it until it ends"),
        "{said}"
    );
    let long = [&prove[..], &["--expires-in", "2h"]].concat();
    let refused = desk.run(&long, &key).expect(2);
    assert!(refused.err.contains("--long-lived"), "{}", refused.err);
    let long = [&long[..], &["--long-lived", "--json"]].concat();
    let long = desk.run(&long, &key).expect(0).json();
    let access = [
        "tool",
        "access",
        tool,
        ACCOUNT,
        "--data",
        long["data"].as_str().unwrap(),
    ];
    let said = desk.run(&access, &[]).expect(0).out;
    assert!(said.contains("counts for more than an hour"), "{said}");

    let secret = ["tool", "access", tool, ACCOUNT, "--data", KEY, "--json"];
    let refused = desk.run(&secret, &[]).expect(2);
    assert_eq!(refused.json()["error"]["code"], "invalid_argument");
    assert!(!holds_key(&refused.out) && !holds_key(&refused.err));
}

#[test]
fn tools_are_set_side_by_side_with_reasons_and_what_is_recorded_is_read_again() {
    let shop = Shop::open();
    let (desk, one) = (&shop.desk, shop.tool.as_str());
    let uri = shop
        .server
        .url("localhost", "/.well-known/ai-tool/weather.json");
    let never = desk.deploy(&["predicate", "deploy", "always-deny"]);
    let shut = [
        "tool",
        "publish",
        &shop.tools,
        "--metadata-uri",
        &uri,
        "--predicate",
        &never,
    ];
    let two = desk.publish(&shut)["names"]["tool"]
        .as_str()
        .unwrap()
        .to_owned();
    let compare = ["tool", "compare", &two, one, "--account", OTHER];
    let said = desk.run(&compare, &[]).expect(0).out;
    for line in [
        &format!("1. {one}  \"") as &str,
        &format!("2. {two}  \""),
        "price       not stated, which is not \"free\"",
        "because     verified, may use, price unstated",
        "because     verified, may not use, price unstated",
        "access      denied (nothing: nobody is let in)",
        "evidence ",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let json = desk
        .run(&[&compare[..], &["--json"]].concat(), &[])
        .expect(0)
        .json();
    assert_eq!(json["data"]["order"][0]["tool"], one);
    assert_eq!(json["data"]["tools"][0]["tool"], json!(two));

    // What a block holds is read again, whatever the chain and the web have done since.
    desk.publish(&["tool", "set-predicate", &two, "open"]);
    shop.server.script(|_| Answer::new(404, &[], ""));
    let again = shop.recheck(&json);
    assert_eq!(again["outcome"], "same", "{again}");

    // None is verified any more.
    let said = desk.run(&compare, &[]).expect(5).out;
    assert!(
        said.contains("NOT VERIFIED, at the check \"fetch\": it must not be used"),
        "{said}"
    );
    desk.run(&["tool", "compare", one], &[]).expect(2);
    let refused = desk
        .run(&["tool", "compare", one, one, "--json"], &[])
        .expect(2);
    assert_eq!(refused.json()["error"]["code"], "invalid_argument");
}

#[test]
fn a_proof_for_an_endpoint_is_a_header_with_what_the_predicate_takes_in_it() {
    let shop = Shop::open();
    let (desk, tool) = (&shop.desk, shop.tool.as_str());
    let key = [("DEEDBOX_PRIVATE_KEY", KEY)];
    let prove = ["tool", "prove", tool, "--for", "https://Tool.example/"];
    let done = desk.run(&prove, &key).expect(0);
    assert!(done.out.starts_with("DeedboxAccess "), "{}", done.out);
    assert_eq!(done.out.trim_end().lines().count(), 1);
    assert!(done.err.contains("to nobody else"), "{}", done.err);
    assert!(!holds_key(&done.out) && !holds_key(&done.err));
    let read = |header: &str| {
        let token = header.trim().split_once(' ').unwrap().1;
        deedbox_registry::Credential::read(token).unwrap()
    };
    let shown = read(&done.out);
    assert_eq!(shown.proof.audience, "https://tool.example");
    assert_eq!(shown.proof.tool().unwrap().to_string(), tool);
    assert!(
        shown
            .proof
            .account
            .to_string()
            .eq_ignore_ascii_case(ACCOUNT)
    );
    assert_eq!(shown.proof.deadline - shown.proof.issued_at, 300);
    assert!(shown.data.is_empty());
    let another = read(&desk.run(&prove, &key).expect(0).out);
    assert_ne!(another.proof.nonce, shown.proof.nonce);

    let caller = [
        "predicate",
        "deploy",
        "access-proof",
        "--caller",
        &shop.tools,
    ];
    let predicate = desk.deploy(&caller);
    desk.publish(&["tool", "set-predicate", tool, &predicate]);
    let json = desk
        .run(&[&prove[..], &["--json"]].concat(), &key)
        .expect(0)
        .json();
    assert_eq!(json["has_access_proof"], true);
    let shown = read(json["authorization"].as_str().unwrap());
    let data = shown.data.to_string();
    let access = ["tool", "access", tool, ACCOUNT, "--data", &data];
    desk.run(&access, &[]).expect(0);

    for wrong in ["tool.example", "https://tool.example/shout"] {
        let refused = desk
            .run(&["tool", "prove", tool, "--for", wrong], &key)
            .expect(2);
        assert!(refused.err.contains("--for"), "{}", refused.err);
    }
    let long = [&prove[..], &["--expires-in", "2h"]].concat();
    let refused = desk.run(&long, &key).expect(2);
    assert!(refused.err.contains("no gate takes"), "{}", refused.err);
}
