//! `deedbox publication …`: what was signed and what has become of it is listed and shown harmless.

use std::sync::Arc;

use deedbox_core::{
    Attribution, BlockHash, Command, Gas, OperationName, Principal, PublicationId, Settlement,
    SignedTransaction, Timestamp, Wei, World,
    publication::{Inclusion, ReadBack},
    text::{Reason, Statement},
};
use deedbox_sqlite::SqliteStore;
use deedbox_store::{Execute, Store as _};
use serde_json::{Map, Value, json};

use crate::common::Home;

/// The account of every test chain.
const ACCOUNT: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
/// Signed by it with viem for chain 31337 and nonce 7; the second offers a tenth more.
const CALL: &str = "0x02f890827a6907843b9aca00847735940e83032171945fbdb2315678afecb367f032d93f642f64180aa380a414a5c1ff00000000000000000000000000000000000000000000000000000000000000c0c001a06e97b8aedc6803c964a67debf37b37048e2a551c309195a8bc99644081925f899f3804f4020e7c4a82695f2eae3e6d4d3262d178c16228d1de40261881f4c30f";
const DEARER: &str = "0x02f891827a6907844190ab00848321561083032171945fbdb2315678afecb367f032d93f642f64180aa380a414a5c1ff00000000000000000000000000000000000000000000000000000000000000c0c080a0e52a8bd1344f61f439e1ffc3e75c6beeef0ea83ed8b16f7126d64a344297895ba052656227dfa162c5d85bc17e7e6fb2da319342998b7f370d9c060e4341a86ad1";
const UNKNOWN: &str = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

#[derive(Debug)]
struct Still;

impl World for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_796_000_000_000).unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

fn signed(raw: &str, name: &str) -> SignedTransaction {
    SignedTransaction::new(
        OperationName::known("agent_register"),
        Map::from_iter([("name".to_owned(), json!(name))]),
        ACCOUNT.parse().unwrap(),
        serde_json::from_value(json!(raw)).unwrap(),
    )
    .unwrap()
}

/// A home in whose ledger these commands were carried out.
fn home_after(commands: Vec<Command>) -> Home {
    let home = Home::new();
    home.run(&["actor", "add", "alice", "--kind", "human"])
        .expect(0);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&home.database(), Arc::new(Still))
            .await
            .unwrap();
        for command in commands {
            let execute = Execute {
                command,
                attribution: Attribution::of(Principal::local()),
                idempotency: None,
            };
            store.execute(execute).await.unwrap().unwrap();
        }
        store.close().await;
    });
    home.run(&["ledger", "check"]).expect(0);
    home
}

/// Signed twice, reverted, and open again because its block is gone.
fn a_whole_life(id: PublicationId, name: &str) -> Vec<Command> {
    let (first, second) = (signed(CALL, name), signed(DEARER, name));
    let settlement = Settlement::Included(Inclusion {
        transaction_hash: second.transaction_hash,
        block_number: 10,
        block_hash: BlockHash([7; 32]),
        block_timestamp: None,
        succeeded: false,
        gas_used: Gas(54_321),
        effective_gas_price: Wei(1_000_000_007),
        revert_reason: Some(Statement::new("RegistrarOnly(\u{202e})").unwrap()),
        read_back: ReadBack::NotChecked,
        findings: vec![],
        created: Map::new(),
    });
    let sign = |attempt| Command::SignPublication {
        id,
        attempt: Box::new(attempt),
    };
    vec![
        sign(first),
        sign(second),
        Command::SettlePublication {
            id,
            settlement: Box::new(settlement),
        },
        Command::UnsettlePublication {
            id,
            reason: Reason::new("Block 10 is gone.").unwrap(),
        },
    ]
}

#[test]
fn publications_are_listed_by_chain_account_and_whether_they_are_open() {
    let id = PublicationId(Still.uuid());
    let home = home_after(a_whole_life(id, "Weather"));
    let list = home.json(&["publication", "list"]);
    let found = &list["publications"][0];
    assert_eq!(found["publication_id"], json!(id));
    assert_eq!(
        (&found["status"], &found["nonce"]),
        (&json!("open"), &json!(7))
    );
    assert_eq!(found["account"], json!(ACCOUNT.to_lowercase()));
    assert_eq!(found["max_fee_per_gas"], json!("2200000016"));
    assert_eq!(found["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(list["next"], Value::Null);
    for (filters, count) in [
        (&["--open"][..], 1),
        (&["--chain-id", "31337"], 1),
        (&["--chain-id", "1"], 0),
        (&["--account", ACCOUNT, "--open"], 1),
        (
            &["--account", "0x5fbdb2315678afecb367f032d93f642f64180aa3"],
            0,
        ),
        (&["--limit", "1"], 1),
        (&["--after", &id.to_string()], 0),
    ] {
        let list = home.json(&[&["publication", "list"], filters].concat());
        let found = list["publications"].as_array().unwrap().len();
        assert_eq!(found, count, "{filters:?}");
    }
    let table = home.run(&["publication", "list"]).expect(0).out;
    for part in [&id.to_string(), "agent_register", "31337", ACCOUNT, "open"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    home.run(&["publication", "list", "--limit", "0"]).expect(2);
    // One digit in the other case: the checksum is wrong.
    let slip = ACCOUNT.replace("0xf39F", "0xf39f");
    home.run(&["publication", "list", "--account", &slip])
        .expect(2);
}

#[test]
fn a_publication_is_shown_with_all_that_happened_to_it() {
    let id = PublicationId(Still.uuid());
    let text = "Wea\u{202e}ther\u{1b}[2J\nforged line";
    let home = home_after(a_whole_life(id, text));
    let id = id.to_string();
    let value = home.json(&["publication", "show", &id]);
    let kinds: Vec<_> = value["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|deed| deed["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        kinds,
        [
            "publication_signed",
            "publication_signed",
            "publication_settled",
            "publication_unsettled"
        ]
    );
    assert_eq!(value["history"][0]["body"]["raw_transaction"], json!(CALL));
    assert_eq!(
        value["history"][0]["body"]["arguments"]["name"],
        json!(text)
    );
    assert_eq!(value["history"][2]["body"]["outcome"], json!("included"));
    assert_eq!(value["status"], json!("open"));
    let shown = home.run(&["publication", "show", &id]).expect(0).out;
    for part in [
        "agent_register on chain 31337",
        ACCOUNT,
        "nonce 7",
        "at most 451371803282704 wei",
        "reverted in block 10",
        "because: RegistrarOnly(",
        "paid: 54321000380247 wei",
        "Block 10 is gone.",
        &format!("deedbox publication resume {id}"),
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains(['\u{202e}', '\u{1b}']), "{shown}");
    assert!(!shown.contains("\nforged"), "{shown}");
    let missing = home
        .run(&["publication", "show", UNKNOWN, "--json"])
        .expect(1);
    assert_eq!(missing.error()["code"], "publication_not_found");
    home.run(&["publication", "show", "nonsense"]).expect(2);
}
