use super::*;

fn entry(key: &str, value: &str) -> Entry {
    Entry::text(key.parse().unwrap(), value).unwrap()
}

fn told(entries: &[Entry]) -> String {
    advice(entries, &AGENT_KEYS).join("\n")
}

#[test]
fn an_account_is_twenty_bytes_or_nothing() {
    let key = || AGENT_ACCOUNT.parse().unwrap();
    let address = "0x00000000219ab540356cBB839Cbe05303d7705Fa";
    let account = Entry::text(key(), address).unwrap();
    assert_eq!(account.value.len(), 20);
    assert_eq!(account.as_address().unwrap().to_string(), address);
    assert!(Entry::text(key(), "").unwrap().value.is_empty());
    for wrong in [
        "0x00",
        "somebody",
        "0x00000000219ab540356cBB839Cbe05303d7705fA",
    ] {
        assert!(Entry::text(key(), wrong).is_err(), "{wrong}");
    }
    assert_eq!(
        Entry::new(key(), vec![0; 32]),
        Err(BadEntry::AccountLength(32))
    );
}

#[test]
fn what_is_fine_gets_no_advice() {
    let fine = [
        entry("name", "Agent 名"),
        entry("service_type", "mcp"),
        entry("service", "https://example.com/{id}"),
        entry("service_type/1", "a2a"),
        entry("service/1", "https://example.com/a2a"),
        entry("image", "ipfs://bafkrei"),
        entry(
            "agent_account",
            "0x00000000219ab540356cBB839Cbe05303d7705Fa",
        ),
        entry("my_own_key", "anything"),
    ];
    assert_eq!(told(&fine), "");
}

#[test]
fn a_key_with_a_slip_in_it_is_told_with_the_one_that_was_meant() {
    for (given, meant) in [
        ("nmae", "name"),
        ("Name", "name"),
        ("names", "name"),
        ("nme", "name"),
        ("servicetype", "service_type"),
        ("agent-account", "agent_account"),
        ("descripton", "description"),
        ("imoge", "image"),
    ] {
        let words = format!("{given} is not the standard's key {meant}");
        let told = told(&[entry(given, "ipfs://x")]);
        assert!(told.contains(&words), "{given}: {told}");
    }
    for other in ["terms", "game_id", "mane", "x", "version"] {
        let told = told(&[entry(other, "ipfs://x")]);
        assert!(!told.contains("not the standard's key"), "{other}: {told}");
    }
}

#[test]
fn what_will_surprise_somebody_is_told() {
    for (entries, words) in [
        (
            vec![entry("service", "https://a.example")],
            "service is set without service_type;",
        ),
        (
            vec![entry("service_type/2", "mcp")],
            "service_type/2 is set without service/2;",
        ),
        (
            vec![entry("service:1", "https://a.example")],
            "service:1 has a colon",
        ),
        (
            vec![entry("Service_Type", "mcp")],
            "is not the standard's key service_type",
        ),
        (
            vec![entry("image", "http://a.example/i.png")],
            "image is an http URL",
        ),
        (
            vec![entry("image", "https://ipfs.io/ipfs/bafy")],
            "image names an IPFS gateway",
        ),
        (vec![entry("image", "picture.png")], "image is no URI"),
        (
            vec![entry("name", "A"), entry("name", "B")],
            "name is given twice",
        ),
        (
            vec![Entry::new("name".parse().unwrap(), vec![0xff]).unwrap()],
            "the value of name is not UTF-8",
        ),
    ] {
        assert!(
            told(&entries).contains(words),
            "{entries:?}: {}",
            told(&entries)
        );
    }
}

#[test]
fn removing_one_half_of_a_pair_is_not_called_a_half() {
    assert_eq!(told(&[entry("service", "")]), "");
}

#[test]
fn a_value_that_is_no_text_is_recorded_in_hex() {
    let bytes = Entry::new("image".parse().unwrap(), vec![0xff, 0]).unwrap();
    assert_eq!(bytes.to_json(), json!({"key": "image", "hex": "0xff00"}));
    let nul = Entry::new("name".parse().unwrap(), vec![0]).unwrap();
    assert_eq!(nul.to_json(), json!({"key": "name", "hex": "0x00"}));
    assert_eq!(
        entry("name", "a").to_json(),
        json!({"key": "name", "text": "a"})
    );
}
