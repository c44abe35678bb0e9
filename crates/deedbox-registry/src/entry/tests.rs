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
fn a_key_that_is_almost_the_standards_is_told_with_the_one_that_is_meant() {
    for (typed, meant) in [
        ("nmae", "name"),
        ("Name", "name"),
        ("nam", "name"),
        ("serviceType", "service_type"),
        ("servicetype", "service_type"),
        ("service-type/1", "service_type"),
        ("services", "service"),
        ("Service", "service"),
        ("agentAccount", "agent_account"),
        ("agent-account", "agent_account"),
        ("agent_acount", "agent_account"),
        ("desciption", "description"),
        ("descripton/2", "description"),
        ("ensName", "ens_name"),
        ("imgae", "image"),
        ("img", "image"),
        ("desc", "description"),
    ] {
        let typed = typed.parse().unwrap();
        let told = told(&[Entry::text(typed, "x:y").unwrap()]);
        let wanted = format!("is not the standard's key {meant}");
        assert!(told.lines().any(|line| line.ends_with(&wanted)), "{told}");
    }
    for other in [
        "icon",
        "tags",
        "my_own_key",
        "symbol",
        "banner_image",
        "price",
        "x",
    ] {
        assert_eq!(told(&[entry(other, "ipfs://y")]), "", "{other}");
    }
    let of_registry = advice(
        &[entry("externalLink", "https://a.example")],
        &REGISTRY_KEYS,
    );
    assert!(
        of_registry[0].ends_with("the standard's key external_link"),
        "{of_registry:?}"
    );
}

#[test]
fn a_url_that_names_somebody_before_its_host_is_told_under_every_key() {
    for key in ["service_type/1", "service/1", "image", "my_own_key"] {
        for (url, is_told) in [
            ("https://user:pass@a.example/mcp", true),
            ("wss://bank.example@evil.example", true),
            ("https://a.example/@user?x=a@b#@", false),
            ("mailto:me@a.example", false),
        ] {
            let told = told(&[entry(key, url)]);
            assert_eq!(
                told.contains("something before an @"),
                is_told,
                "{key} {url}: {told}"
            );
        }
    }
}

#[test]
fn a_url_whose_host_is_not_what_it_looks_like_is_told() {
    for (url, words) in [
        (
            "https://api.example.com%40evil.example/",
            "a percent sign in its host",
        ),
        (
            "https://evil.example%2f.api.example.com/x",
            "a percent sign in its host",
        ),
        // An apple in Cyrillic letters.
        (
            "https://xn--80ak6aa92e.com/mcp",
            "xn--80ak6aa92e.com, which is shown as \"\u{430}\u{440}\u{440}\u{4cf}\u{435}.com\"",
        ),
        ("https://A.XN--80AK6AA92E.com:8443", "which is shown as"),
    ] {
        let told = told(&[entry("service", url), entry("service_type", "mcp")]);
        assert!(told.contains(words), "{url}: {told}");
    }
    let fine = "https://api.example.com/a%40b?q=%2f#xn--80ak6aa92e.com";
    assert_eq!(
        told(&[entry("service", fine), entry("service_type", "mcp")]),
        ""
    );
}

#[test]
fn a_uri_that_readers_do_not_follow_is_told() {
    for (key, uri, is_told) in [
        ("image", "javascript:alert(1)", true),
        ("image", "data:text/html,<script>", true),
        ("image", "data:image/png;base64,AAAA", false),
        ("service", "data:image/png;base64,AAAA", true),
        ("service", "JavaScript:alert(1)", true),
        ("service", "file:///etc/passwd", true),
        ("service", "wss://a.example/mcp", false),
        ("service", "HTTPS://a.example/mcp", false),
        ("image", "ipfs://bafy", false),
        ("my_own_key", "javascript:alert(1)", false),
    ] {
        let told = told(&[entry(key, uri), entry("service_type", "mcp")]);
        let wanted = format!("{key} is neither an https nor an ipfs URI");
        assert_eq!(told.contains(&wanted), is_told, "{key} {uri}: {told}");
    }
}

#[test]
fn what_only_services_have_is_told_of_other_keys() {
    for (key, is_told) in [
        ("name/1", true),
        ("description/1", true),
        ("name", false),
        ("my_own_key/1", false),
    ] {
        let told = told(&[entry(key, "x")]);
        assert_eq!(
            told.contains("only services are numbered"),
            is_told,
            "{told}"
        );
    }
}

#[test]
fn a_text_that_looks_like_another_is_told_however_far_behind_it_stands() {
    let far = format!("{}p\u{430}ypal", "word ".repeat(2_000));
    for (text, words) in [
        (
            "p\u{430}ypal",
            "letters of scripts that are not written together, letters that look like others",
        ),
        (&*far, "letters that look like others"),
        (
            "abc\u{202e}def",
            "characters that turn the direction of writing",
        ),
        ("abc\u{200b}def", "characters that nobody can see"),
        ("abc\u{7}", "control characters"),
    ] {
        let told = told(&[entry("description", text)]);
        assert!(told.contains(words), "{told}");
    }
    for fine in [
        "Two\nlines\twith a tab",
        "天気予報 Weather",
        "Прогноз погоды",
    ] {
        assert_eq!(told(&[entry("description", fine)]), "", "{fine}");
    }
    // The 20 bytes of an address are no text, even where they are UTF-8.
    let account = Entry::new(AGENT_ACCOUNT.parse().unwrap(), vec![7; 20]).unwrap();
    assert_eq!(told(&[account]), "");
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
