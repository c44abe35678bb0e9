use super::*;

fn read(pairs: &[(&str, &str)]) -> Services {
    services(
        pairs
            .iter()
            .map(|(key, value)| (key.as_bytes(), value.as_bytes())),
    )
}

/// Spelling, type, URI and what is missing of each service.
fn told(pairs: &[(&str, &str)]) -> Vec<String> {
    let half = |half: Option<Half>| {
        half.map_or_else(
            || "-".to_owned(),
            |half| format!("{}={}", half.key, half.value.lossy()),
        )
    };
    let listed = read(pairs).listed.into_iter();
    listed
        .map(|service| {
            let missing = service.missing().unwrap_or_default();
            let (kind, uri) = (half(service.service_type), half(service.service));
            format!("{:?} {kind} {uri} {missing}", service.spelling)
                .trim()
                .to_owned()
        })
        .collect()
}

#[test]
fn every_spelling_is_read_and_named() {
    assert_eq!(
        told(&[
            ("endpoint[mcp]", "https://e"),
            ("service_type: 4", "a2a"),
            ("service: 4", "https://4"),
            ("service_type[3]", "a2a"),
            ("service[3]", "https://3"),
            ("service_type:2", "a2a"),
            ("service:2", "https://2"),
            ("service_type/1", "a2a"),
            ("service/1", "https://1"),
            ("service_type", "mcp"),
            ("service", "https://0"),
        ]),
        [
            "Plain service_type=mcp service=https://0",
            "Slash service_type/1=a2a service/1=https://1",
            "Colon service_type:2=a2a service:2=https://2",
            "Bracket service_type[3]=a2a service[3]=https://3",
            "Spaced service_type: 4=a2a service: 4=https://4",
            "Endpoint endpoint[mcp]=mcp endpoint[mcp]=https://e",
        ]
    );
}

#[test]
fn halves_of_other_spellings_are_not_joined() {
    assert_eq!(
        told(&[
            ("service_type/1", "mcp"),
            ("service:1", "https://colon"),
            ("service: 1", "https://spaced"),
            ("service:  1", "https://two-spaces"),
            ("service[1]", "https://bracket"),
            ("service/01", "https://other"),
            ("service", "https://plain"),
        ]),
        [
            "Plain - service=https://plain service_type",
            "Slash service_type/1=mcp - service/1",
            "Colon - service:1=https://colon service_type:1",
            "Spaced - service:  1=https://two-spaces service_type:  1",
            "Spaced - service: 1=https://spaced service_type: 1",
            "Bracket - service[1]=https://bracket service_type[1]",
            "Slash - service/01=https://other service_type/01",
        ]
    );
}

#[test]
fn one_parameter_in_two_spellings_is_two_services() {
    let pairs = [
        ("service_type/1", "mcp"),
        ("service/1", "https://a"),
        ("service_type:1", "a2a"),
        ("service:1", "https://b"),
    ];
    assert_eq!(told(&pairs).len(), 2);
    assert!(
        read(&pairs)
            .listed
            .iter()
            .all(|service| !service.is_broken())
    );
}

#[test]
fn what_is_empty_is_missing() {
    assert_eq!(
        told(&[("service", "https://a"), ("service_type", "")]).len(),
        1
    );
    assert!(read(&[("service", "https://a"), ("service_type", "")]).listed[0].is_broken());
    assert!(told(&[("service", ""), ("service_type", "")]).is_empty());
}

#[test]
fn other_keys_are_no_services() {
    for key in [
        "services",
        "service_types/1",
        "Service",
        "endpoint",
        "endpoint/mcp",
        "endpoint[a][b]",
        "service[a][b]",
        "service[1",
        "service]1[",
        "my service",
        "service_type_2",
        "",
    ] {
        assert!(read(&[(key, "x")]).listed.is_empty(), "{key}");
    }
    let odd: [(&[u8], &[u8]); 1] = [(b"service/\xff", b"x")];
    assert!(services(odd).listed.is_empty());
}

#[test]
fn numbers_are_listed_as_numbers_and_no_more_than_64() {
    let pairs: Vec<_> = (0..100)
        .rev()
        .flat_map(|n| [format!("service/{n}"), format!("service_type/{n}")])
        .collect();
    let pairs: Vec<_> = pairs.iter().map(|key| (key.as_str(), "x")).collect();
    let services = read(&pairs);
    assert_eq!((services.listed.len(), services.omitted), (64, 36));
    let parameters: Vec<_> = services
        .listed
        .iter()
        .map(|s| s.parameter.clone())
        .collect();
    let numbers: Vec<_> = (0..64).map(|n| Some(n.to_string())).collect();
    assert_eq!(parameters, numbers);
}

#[test]
fn a_value_that_is_no_text_is_there_all_the_same() {
    let pairs: [(&[u8], &[u8]); 2] = [(b"service", b"\xff"), (b"service_type", b"mcp")];
    let service = &services(pairs).listed[0];
    assert!(!service.is_broken());
    assert_eq!(service.service.as_ref().unwrap().value.text(), None);
}

#[test]
fn an_agents_account_is_read_in_the_forms_in_use() {
    let word = [&[0; 12][..], &[0xab; 20]].concat();
    let text = format!("0x{}", "Ab".repeat(20));
    for good in [&[0xab; 20][..], &word, text.as_bytes()] {
        assert_eq!(agent_account(good), Some(account(0xab)));
    }
    for bad in [
        &[0; 20][..],
        &[0xab; 32],
        &[0xab; 21],
        b"",
        &text.as_bytes()[..41],
    ] {
        assert_eq!(agent_account(bad), None);
    }
}
