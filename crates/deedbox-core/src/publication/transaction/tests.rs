//! The transactions and their hashes were made by viem 2 with the first account of every test chain
//! (0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266); what they say is what it was asked to sign.

use super::*;

const CONTRACT: &str = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const SIGNER: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

const CALL: &str = "0x02f890827a6907843b9aca00847735940e83032171945fbdb2315678afecb367f032d93f642f64180aa380a414a5c1ff00000000000000000000000000000000000000000000000000000000000000c0c001a06e97b8aedc6803c964a67debf37b37048e2a551c309195a8bc99644081925f899f3804f4020e7c4a82695f2eae3e6d4d3262d178c16228d1de40261881f4c30f";
const CALL_HASH: &str = "0x9c0c994c213bc92a5c96480cd563059cf39a4decbd5bf593ec3edb14280ba09a";
const DEPLOY: &str = "0x02f85e827a698080847735940e8313f92b8080896080604052600a600cc001a06752e5eeb5f6506f5e5b58b8a690295e6936947744482aa1b3d187fa1f2a7793a00c1e3f2b12e69e2ddb0a6bcf735d5e2a993d54fd3463fcbe9f1b3b60a73b4663";
const DEPLOY_HASH: &str = "0x76915aa8b48cd613e403bf1e455be318aa05bf7eb8899be7ac944fd15cc89fac";
const LEGACY: &str = "0xf86682012c847735940e82ea60945fbdb2315678afecb367f032d93f642f64180aa3800082f4f6a0be8adf099a2d1148e86db7afffdb00820aba45a21d89041d5918e160c5242b829fe05bfee0805e46c5cc6a71287312331f86ed442d186b72ad2aa28481165f74";
const LEGACY_HASH: &str = "0xe91ae6fe2a216c75bd984d857d5ff04bfa693bd1d07cbe584a05fdc217e604f1";
const LEGACY_FOR_ANY_CHAIN: &str = "0xf86582012c847735940e82ea60945fbdb2315678afecb367f032d93f642f64180aa380001ca00eb71a595f867329e5d349de9d3f72ba66fb1e16477d394c060304f8fc9b029da02c3459163a408b7f48202a3f042ef9ad7d8fe50dd790e31a588539b2473bd683";
const OF_TYPE_1: &str = "0x01f869827a6982012c847735940e82ea60945fbdb2315678afecb367f032d93f642f64180aa38000c080a097ce0730e56c81b2a5ed15ce1e2f4c7ca9c98c6b6498d46d4ab957c26315d29aa037976f161f9c4ec590837b8304cd9c60e6d896cd70fa57cd04b9516df50aeb8e";
const WITH_VALUE: &str = "0x02f86d827a6907843b9aca00847735940e83032171945fbdb2315678afecb367f032d93f642f64180aa30180c080a0bac45ef6440c9417739f81ce85e1a9d5c1db2971e938dccd0bf4e4bf3275b4c0a07138cef54595cd508eae80c577634c5754930caddb85f171cac1539c572900a1";
const WITH_ACCESS_LIST: &str = "0x02f8a6827a6907843b9aca00847735940e83032171945fbdb2315678afecb367f032d93f642f64180aa38080f838f7945fbdb2315678afecb367f032d93f642f64180aa3e1a0111111111111111111111111111111111111111111111111111111111111111101a005f0ad0d991b6577c684e9f8fc6ed6878f07bad23edcc55b2ded75238a3ceafea0767dc4b44b1fd0e745186add4b7fa73dbc77dbda40924675769d7afee5ea5ca5";

/// The same as [`CALL`], with both fees a tenth higher.
const DEARER_CALL: &str = "0x02f891827a6907844190ab00848321561083032171945fbdb2315678afecb367f032d93f642f64180aa380a414a5c1ff00000000000000000000000000000000000000000000000000000000000000c0c080a0e52a8bd1344f61f439e1ffc3e75c6beeef0ea83ed8b16f7126d64a344297895ba052656227dfa162c5d85bc17e7e6fb2da319342998b7f370d9c060e4341a86ad1";

/// A call, the same call for more, and something else, all by one account.
pub(crate) fn attempts() -> [SignedTransaction; 3] {
    [CALL, DEARER_CALL, DEPLOY].map(|text| signed(bytes(text)).unwrap())
}

fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap()
}

fn signed(bytes: Vec<u8>) -> Result<SignedTransaction, BadTransaction> {
    let arguments = Map::from_iter([("owner".to_owned(), json!(SIGNER))]);
    SignedTransaction::new(
        OperationName::known("agent_register"),
        arguments,
        SIGNER.parse().unwrap(),
        RawTransaction::new(bytes)?,
    )
}

#[test]
fn the_record_says_what_the_bytes_say() {
    let to: Option<ChainAddress> = Some(CONTRACT.parse().unwrap());
    let (tip, fee) = (Wei(1_000_000_000), Wei(2_000_000_014));
    for (text, hash, nonce, to, gas, tip, fee) in [
        (CALL, CALL_HASH, 7, to, 205_169, tip, fee),
        (DEPLOY, DEPLOY_HASH, 0, None, 1_308_971, Wei(0), fee),
        (LEGACY, LEGACY_HASH, 300, to, 60_000, fee, fee),
    ] {
        let found = signed(bytes(text)).unwrap();
        assert_eq!(found.transaction_hash.to_string(), hash);
        assert_eq!((found.chain_id, found.nonce, found.to), (31_337, nonce, to));
        assert_eq!(found.gas_limit, Gas(gas));
        assert_eq!(
            (found.max_priority_fee_per_gas, found.max_fee_per_gas),
            (tip, fee)
        );
        assert_eq!(found.check(), Ok(()));
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!(json["raw_transaction"], text);
        assert_eq!(json["gas_limit"], gas.to_string());
        assert_eq!(
            serde_json::from_value::<SignedTransaction>(json).unwrap(),
            found
        );
    }
}

#[test]
fn what_could_do_something_else_is_not_taken() {
    let malformed = |what| Err(BadTransaction::Malformed(what));
    for (text, answer) in [
        (LEGACY_FOR_ANY_CHAIN, Err(BadTransaction::AnyChain)),
        (WITH_VALUE, Err(BadTransaction::SendsValue)),
        (WITH_ACCESS_LIST, malformed("it has an access list")),
        (
            OF_TYPE_1,
            malformed("it is neither of type 2 (EIP-1559) nor a legacy transaction"),
        ),
        ("0x", malformed("there are none")),
        ("0x02", malformed("it is cut off")),
    ] {
        assert_eq!(signed(bytes(text)).map(drop), answer, "{text}");
    }
}

#[test]
fn no_cut_and_no_byte_more_makes_a_transaction() {
    for text in [CALL, DEPLOY, LEGACY] {
        let whole = bytes(text);
        for end in 0..whole.len() {
            assert!(
                signed(whole[..end].to_vec()).is_err(),
                "{end} bytes of {text}"
            );
        }
        let longer = [&whole[..], &[0]].concat();
        let answer = Err(BadTransaction::Malformed("there are bytes behind it"));
        assert_eq!(signed(longer).map(drop), answer);
    }
}

#[test]
fn a_record_that_says_something_else_is_found() {
    type Change = fn(&mut SignedTransaction);
    let changes: [(Change, &str); 7] = [
        (|t| t.chain_id = 1, "chain"),
        (|t| t.nonce += 1, "nonce"),
        (|t| t.to = None, "recipient"),
        (|t| t.gas_limit = Gas(1), "gas limit"),
        (|t| t.max_fee_per_gas = Wei(1), "maximal fee"),
        (
            |t| t.max_priority_fee_per_gas = Wei(1),
            "maximal priority fee",
        ),
        (|t| t.transaction_hash = TransactionHash([0; 32]), "hash"),
    ];
    for (change, what) in changes {
        let mut record = signed(bytes(CALL)).unwrap();
        change(&mut record);
        assert_eq!(record.check(), Err(BadTransaction::Differs(what)));
    }
}

#[test]
fn what_is_too_large_or_inexact_is_not_taken() {
    let large = RawTransaction::new(vec![2; limits::RAW_TRANSACTION_BYTES + 1]);
    assert!(matches!(large, Err(BadTransaction::TooLarge { .. })));
    let with = |name: &str, value: Value| {
        let mut record = signed(bytes(CALL)).unwrap();
        record.arguments.insert(name.to_owned(), value);
        record.check()
    };
    let text = "x".repeat(limits::PUBLICATION_ARGUMENTS_BYTES);
    assert!(matches!(
        with("uri", json!(text)),
        Err(BadTransaction::ManyArguments { .. })
    ));
    assert_eq!(
        with("share", json!(0.5)),
        Err(BadTransaction::Arguments(Inexact::Number))
    );
    assert_eq!(
        with("n\0", json!(1)),
        Err(BadTransaction::Arguments(Inexact::Nul))
    );
    assert_eq!(with("id", json!("1")), Ok(()));
}

#[test]
fn the_call_is_the_operation_its_arguments_and_the_data() {
    let call = signed(bytes(CALL)).unwrap();
    // Computed independently: Python's hashlib over the JSON text that the method's documentation describes.
    assert_eq!(
        call.call().to_string(),
        "sha256:2e4393cb1f5c23c5b682abc98c6ca8aba104ca13047aabea3b6cce9dfc5732d3"
    );
    let mut renamed = call.clone();
    renamed.operation = OperationName::known("agent_transfer");
    let mut other = call.clone();
    other.arguments.clear();
    let deploys = signed(bytes(DEPLOY)).unwrap();
    for another in [renamed, other, deploys] {
        assert_ne!(another.call(), call.call());
    }
}
