//! `deedbox agent find` and `history`, `deedbox tool find` and `history`, over an index that somebody filled.

use std::{
    fs,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use deedbox_core::{
    Attribution, BlockHash, ChainAddress, CodeHash, Command, Following, ManifestHash, Principal,
    RegistryId, Sighting, Timestamp, TransactionHash, Trust, World,
};
use deedbox_id::U256;
use deedbox_sqlite::{SqliteIndex, SqliteStore};
use deedbox_store::{
    Execute, Store as _,
    index::{Batch, Checkpoint, Fact, Index as _, Origin, Place, Standard, Statement, Survey},
};
use serde_json::json;

use crate::common::Home;

/// A clock that stands.
#[derive(Debug)]
struct Still(Timestamp);

impl World for Still {
    fn now(&self) -> Timestamp {
        self.0
    }

    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(1);
    }
}

fn registry(n: u8) -> RegistryId {
    RegistryId {
        chain_id: 1,
        address: ChainAddress([n; 20]),
    }
}

fn said(block: u64, statement: Statement) -> Fact {
    let millis = 1_700_000_000_000 + i64::try_from(block).unwrap() * 3_600_000;
    Fact {
        origin: Origin {
            place: Place {
                block,
                log_index: 0,
            },
            block_hash: BlockHash([7; 32]),
            block_timestamp: Timestamp::from_millis(millis).unwrap(),
            transaction: TransactionHash([8; 32]),
        },
        statement,
    }
}

fn set(agent: u64, key: &str, value: &str) -> Statement {
    Statement::MetadataSet {
        agent: U256::from(agent),
        key: key.into(),
        value: value.into(),
    }
}

fn moved(agent: u64, to: u8) -> Statement {
    Statement::Transferred {
        agent: U256::from(agent),
        from: ChainAddress([0; 20]),
        to: ChainAddress([to; 20]),
        caller: ChainAddress([to; 20]),
        amount: U256::ONE,
    }
}

/// Somebody follows a registry, and thinks nothing in particular of it.
fn follow(id: RegistryId, standard: Standard) -> Execute {
    let seen = Sighting {
        code_hash: CodeHash([1; 32]),
        implementation: None,
        beacon: None,
        claims: vec![],
        block_number: 1,
        block_hash: BlockHash([2; 32]),
    };
    let following = Box::new(Following {
        standard,
        label: None,
        trust: Trust::Known,
        from_block: 1,
        seen,
    });
    Execute {
        command: Command::FollowRegistry { id, following },
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    }
}

/// The time of the program: its chain was seen just now.
fn seen_at() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap()).unwrap()
}

/// A home whose index knows one registry of agents and one of tools, read up to block 40, of which 20 blocks are final.
fn home() -> Home {
    let home = Home::new();
    home.json(&["actor", "add", "alice", "--kind", "agent"]);
    let path = home.database().with_file_name("deedbox-index.sqlite");
    let tool = Statement::ToolRegistered {
        tool: U256::from(7),
        creator: ChainAddress([3; 20]),
        access_predicate: None,
        metadata_uri: "https://tools.example/weather.json".into(),
        manifest_hash: ManifestHash([4; 32]),
    };
    let agents = vec![
        said(10, moved(1, 9)),
        said(11, set(1, "name", "Weather oracle")),
        said(12, set(1, "service_type", "mcp")),
        said(13, set(1, "service", "https://a.example/{id}")),
        said(21, set(1, "name", "Weather\u{202e} oracle")),
    ];
    let tools = vec![said(10, tool)];
    let now = Timestamp::from_millis(1_700_000_000_000).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let index = SqliteIndex::open(&path).await.unwrap();
        let store = SqliteStore::open(&home.database(), Arc::new(Still(now))).await;
        let store = store.unwrap();
        for (of, standard, facts) in [
            (registry(1), Standard::Erc8122, agents),
            (registry(5), Standard::Erc8257, tools),
        ] {
            store.execute(follow(of, standard)).await.unwrap().unwrap();
            index.begin(of, standard, 1).await.unwrap();
            let ttl = Duration::from_secs(60);
            let leases = index.claim(&[of], "test", now, ttl).await.unwrap();
            let upto = Checkpoint {
                block: 40,
                hash: BlockHash([9; 32]),
            };
            let batch = Batch {
                registry: of,
                after: None,
                facts,
                upto,
                upto_at: Some(now),
                final_upto: Some(20),
            };
            let applied = index.apply(&leases, vec![batch], now).await;
            applied.unwrap().unwrap();
            let survey = Survey {
                registry: of,
                looked_at: seen_at(),
                poll_millis: 12_000,
                head: 40,
                broke: None,
                short: None,
            };
            let kept = index.record_surveys(&leases, &[survey], now).await;
            kept.unwrap();
        }
        index.close().await;
        store.close().await;
    });
    home
}

/// The same without how many seconds ago it was.
fn ageless(text: &str) -> String {
    let mut words: Vec<_> = text.split(' ').map(str::to_owned).collect();
    for at in 0..words.len().saturating_sub(2) {
        if words[at + 1] == "s" && words[at + 2].starts_with("ago") {
            words[at] = "N".to_owned();
        }
    }
    words.join(" ")
}

#[test]
fn what_is_found_is_shown_with_what_is_known_of_it_and_what_to_ask_next() {
    let home = home();
    let found = home.run(&["agent", "find", "weather"]).expect(0);
    insta::assert_snapshot!(ageless(&found.out), @r#"
    1@0x000100000101140101010101010101010101010101010101010101  "Weather⟨U+202E⟩ oracle"  bidi  (registry known)
      owner     0x0909090909090909090909090909090909090909 since block 10 2023-11-15 08:13:20Z
      service   "mcp" at "https://a.example/{id}"
      changed   block 21 2023-11-15 19:13:20Z (not final yet)

    Known from events of eip155:1:0x0101010101010101010101010101010101010101 in blocks 1 to 40 (2023-11-14 22:13:20Z), its chain seen N s ago.
    These are candidates. Before anything depends on one: deedbox agent resolve 1@0x000100000101140101010101010101010101010101010101010101
    "#);
    let page = home.json(&["agent", "find", "--service", "mcp", "--limit", "1"]);
    assert_eq!(page["agents"][0]["status"], "candidate");
    assert_eq!(page["next_cursor"], json!(null));
}

#[test]
fn a_chain_that_nobody_looks_at_any_more_is_told_with_what_is_found_and_with_nothing() {
    let home = home();
    let (of, hour) = (registry(1), 3_600_000);
    let long_ago = Timestamp::from_millis(seen_at().as_millis() - hour).unwrap();
    let path = home.database().with_file_name("deedbox-index.sqlite");
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let index = SqliteIndex::open(&path).await.unwrap();
        let ttl = Duration::from_secs(60);
        let claimed = index.claim(&[of], "next", seen_at(), ttl).await.unwrap();
        let survey = Survey {
            registry: of,
            looked_at: long_ago,
            poll_millis: 12_000,
            head: 41,
            broke: None,
            short: None,
        };
        let kept = index.record_surveys(&claimed, &[survey], seen_at()).await;
        kept.unwrap();
        index.close().await;
    });
    for words in ["weather", "zebra"] {
        let found = home.run(&["agent", "find", words]).expect(0).out;
        let note = format!("Note: the chain of {of} was looked at 36");
        assert!(found.contains(&note), "{found}");
        assert!(found.contains("its chain seen 36"), "{found}");
    }
    let list = home.run(&["registry", "list"]).expect(0).out;
    let row = list.lines().find(|row| row.contains(&of.to_string()));
    assert!(row.unwrap().contains(" s ago"), "{list}");
    let list = home.json(&["registry", "list"]);
    let one = &list["registries"][0];
    assert_eq!(one["look_is_old"], true);
    assert_eq!(
        (&one["read_upto_block"], &one["head_block"]),
        (&json!(40), &json!(41))
    );
}

#[test]
fn tools_that_are_not_verified_are_shown_on_request_and_marked() {
    let home = home();
    let none = home.run(&["tool", "find", "weather"]).expect(0);
    insta::assert_snapshot!(ageless(&none.out), @r#"
    Known from events of eip155:1:0x0505050505050505050505050505050505050505 in blocks 1 to 40 (2023-11-14 22:13:20Z), its chain seen N s ago.
    Note: nothing fits: all words have to be there, and everything else that is asked for; ask for less, or look at list_registries for what is read.
    Note: only tools whose manifest was verified are found; with unverified, those that were not are found too, and marked.
    "#);
    let found = home.run(&["tool", "find", "--unverified"]).expect(0);
    insta::assert_snapshot!(ageless(&found.out), @r#"
    eip155:1/erc8257:0x0505050505050505050505050505050505050505/7  (registry known)
      manifest  NOT VERIFIED: its manifest was not checked yet
      access    open
      creator   0x0303030303030303030303030303030303030303
      at        "https://tools.example/weather.json"
      changed   block 10 2023-11-15 08:13:20Z

    Known from events of eip155:1:0x0505050505050505050505050505050505050505 in blocks 1 to 40 (2023-11-14 22:13:20Z), its chain seen N s ago.
    These are candidates. Before anything depends on one: deedbox tool verify eip155:1/erc8257:0x0505050505050505050505050505050505050505/7
    "#);
}

#[test]
fn history_is_shown_newest_first() {
    let home = home();
    let agent = format!("1@{}", registry(1));
    let names = home
        .run(&["agent", "history", &agent, "--key", "name"])
        .expect(0);
    insta::assert_snapshot!(ageless(&names.out), @r#"
    1@0x000100000101140101010101010101010101010101010101010101

    metadata
      key       "name"
      value     "Weather⟨U+202E⟩ oracle"  bidi
      said      block 21 2023-11-15 19:13:20Z (not final yet), transaction 0x0808080808080808080808080808080808080808080808080808080808080808

    metadata
      key       "name"
      value     "Weather oracle"
      said      block 11 2023-11-15 09:13:20Z, transaction 0x0808080808080808080808080808080808080808080808080808080808080808

    Known from events of eip155:1:0x0101010101010101010101010101010101010101 in blocks 1 to 40 (2023-11-14 22:13:20Z), its chain seen N s ago.
    "#);
    let tool = format!("eip155:1/erc8257:0x{}/7", "05".repeat(20));
    let page = home.json(&["tool", "history", &tool]);
    assert_eq!(page["records"][0]["what"], "tool_registered");
}

#[test]
fn a_registry_of_the_other_standard_is_told_with_the_command_that_fits() {
    let home = home();
    let (agents, tools) = (registry(1).to_string(), registry(5).to_string());
    let tool_in_agents = format!("eip155:1/erc8257:0x{}/1", "01".repeat(20));
    for (arguments, command) in [
        (
            &["agent", "find", "--registry", &tools][..],
            "deedbox tool find",
        ),
        (
            &["tool", "find", "--unverified", "--registry", &agents],
            "deedbox agent find",
        ),
        (
            &["agent", "history", &format!("7@{tools}")],
            "deedbox tool history",
        ),
        (
            &["tool", "history", &tool_in_agents],
            "deedbox agent history",
        ),
    ] {
        let told = home.run(arguments).expect(0).out;
        assert!(told.contains(command), "{arguments:?}: {told}");
        let hints = home.json(arguments)["hints"].take();
        let codes = hints.as_array().unwrap().iter();
        let codes: Vec<_> = codes.map(|hint| hint["code"].as_str().unwrap()).collect();
        assert_eq!(codes, ["other_standard"], "{arguments:?}");
    }
    // Beside one of the right standard, it is told, and the other one is searched.
    let both = [
        "agent",
        "find",
        "--registry",
        &agents,
        "--registry",
        &tools,
        "--json",
    ];
    let page = home.run(&both).expect(0).json();
    assert_eq!(page["agents"].as_array().unwrap().len(), 1);
    assert_eq!(page["hints"][0]["code"], "other_standard");
}

#[test]
fn who_names_no_agent_is_told_who_may_be_meant() {
    let home = home();
    let chain = ["--chain", "1=http://127.0.0.1:9"];
    let resolve = |named: &str, more: &[&str]| {
        let arguments = [&["agent", "resolve", named][..], &chain, more].concat();
        home.run(&arguments).expect(2)
    };
    insta::assert_snapshot!(resolve("weather", &[]).err, @r#"
    error: agent names no registry, and which agent is meant only a list can tell: give [alias.]id@registry, like 12@eip155:1:0x… or 12@0x0001…
      These may be meant; nothing is guessed:
        1@0x000100000101140101010101010101010101010101010101010101  "Weather⟨U+202E⟩ oracle"  (registry known)
    "#);
    let told = resolve("1", &["--json"]);
    let candidates = &told.error()["candidates"];
    assert!(
        candidates[0]["identifier"]
            .as_str()
            .unwrap()
            .starts_with("1@0x0001")
    );
    assert_eq!(told.json()["error"]["candidates"], *candidates);
    let nobody = resolve("zebra", &["--json"]);
    assert!(nobody.error().get("candidates").is_none());
}

#[test]
fn arguments_are_looked_at_before_a_database_is() {
    let home = Home::new();
    for arguments in [
        &["agent", "find", "--owner", "0x12"][..],
        &["agent", "find", "--limit", "101"],
        &["agent", "find", "--cursor", "AAAA"],
        &["tool", "find", "--updated-since", "yesterday"],
        &["tool", "find", "--at-most", "5"],
        &["tool", "history", "7"],
    ] {
        home.run(arguments).expect(2);
        assert!(!home.database().exists(), "{arguments:?}");
    }
}

#[test]
fn the_first_command_that_meets_a_damaged_index_is_answered_and_does_not_blame_the_ledger() {
    for command in [
        &["agent", "find", "weather"][..],
        &["tool", "find", "--unverified"],
        &["registry", "list"],
    ] {
        let home = home();
        let index = home.database().with_file_name("deedbox-index.sqlite");
        let mut bytes = fs::read(&index).unwrap();
        // All but the first page, in which its tables stand: only reading shows it.
        bytes[4_096..].fill(0xee);
        fs::write(&index, &bytes).unwrap();
        let said = home.run(command).expect(0);
        assert!(said.err.contains("set aside"), "{command:?} {}", said.err);
        assert!(!said.err.contains("not available"), "{}", said.err);
        let again = home.run(command).expect(0);
        assert!(!again.err.contains("set aside"), "{}", again.err);
        assert_eq!(home.json(&["ledger", "check"])["sound"], true);
    }
}

#[test]
fn an_index_that_cannot_be_mended_is_named_with_its_file_and_the_ledger_is_not() {
    let home = home();
    let index = home.database().with_file_name("deedbox-index.sqlite");
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    let said = home.run(&["agent", "find", "weather"]).expect(3);
    let file = index.display().to_string();
    assert!(said.err.contains(&file), "{}", said.err);
    assert!(said.err.contains("index of registries"), "{}", said.err);
}

#[test]
fn a_history_in_a_registry_that_is_not_followed_says_so_and_nothing_else() {
    let home = home();
    let agent = format!("1@{}", registry(9));
    let said = home.run(&["agent", "history", &agent]).expect(0);
    insta::assert_snapshot!(said.out, @"
    1@0x000100000101140909090909090909090909090909090909090909
    Note: nothing is known of it, because its registry is not followed here: whatever was said there, no block of it is read; an operator follows it with: deedbox registry add eip155:1:0x0909090909090909090909090909090909090909.
    ");
}
