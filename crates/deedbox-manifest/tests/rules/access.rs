use super::*;

fn requirement() -> Json {
    json!({"kind": "0xabcd1234", "data": "0x", "label": "Hold one"})
}

fn with_requirement(name: &str, value: impl Into<Json>) -> Report {
    let mut requirement = requirement();
    requirement[name] = value.into();
    with(
        "access",
        json!({"logic": "AND", "requirements": [requirement]}),
    )
}

#[test]
fn requirements_are_there_and_not_empty() {
    refused(
        &with("access", json!({"logic": "AND"})),
        "8257-4-01",
        "/access/requirements",
    );
    for bad in [Json::Null, json!([]), json!({})] {
        refused(
            &with("access", json!({"logic": "AND", "requirements": bad})),
            "8257-4-01",
            "/access/requirements",
        );
    }
    refused(&with("access", Json::Null), "8257-4-01", "/access");
    refused(
        &with("access", json!({"logic": "AND", "requirements": [1]})),
        "8257-4-01",
        "/access/requirements/0",
    );
}

#[test]
fn logic_is_and_or_or() {
    for good in ["AND", "OR"] {
        accepted(&with(
            "access",
            json!({"logic": good, "requirements": [requirement()]}),
        ));
    }
    for bad in ["and", "XOR", ""] {
        refused(
            &with(
                "access",
                json!({"logic": bad, "requirements": [requirement()]}),
            ),
            "8257-4-02",
            "/access/logic",
        );
    }
    refused(
        &with("access", json!({"requirements": [requirement()]})),
        "8257-4-02",
        "/access/logic",
    );
}

#[test]
fn kind_is_0x_and_8_digits() {
    for bad in ["0xabcd123", "0xabcd12345", "abcd1234", "0xabcd123g", ""] {
        refused(
            &with_requirement("kind", bad),
            "8257-4-03",
            "/access/requirements/0/kind",
        );
    }
}

#[test]
fn data_is_0x_and_pairs_of_digits() {
    for bad in ["0xabc", "ab", "", "0xzz", "0x "] {
        refused(
            &with_requirement("data", bad),
            "8257-4-04",
            "/access/requirements/0/data",
        );
    }
    accepted(&with_requirement("data", "0x"));
    accepted(&with_requirement("data", "0x00ff"));
}

#[test]
fn label_has_at_most_256_bytes() {
    accepted(&with_requirement("label", "é".repeat(128)));
    refused(
        &with_requirement("label", format!("{}a", "é".repeat(128))),
        "8257-4-05",
        "/access/requirements/0/label",
    );
    accepted(&with_requirement("label", ""));
}

/// The standard does not say that a label is required; nothing is misread without one.
#[test]
fn a_missing_label_is_warned_about() {
    let bare = json!({"kind": "0xabcd1234", "data": "0x"});
    warned(
        &with("access", json!({"logic": "OR", "requirements": [bare]})),
        "8257-M-16",
        "/access/requirements/0/label",
    );
}

#[test]
fn a_link_is_an_https_url() {
    for bad in [
        "http://x.example",
        "data:text/plain,x",
        "javascript:alert(1)",
        "file:///x",
        "0x1234",
        "x.example",
        "",
    ] {
        refused(
            &with_requirement("links", json!({"buy": bad})),
            "8257-4-06",
            "/access/requirements/0/links/buy",
        );
    }
    accepted(&with_requirement(
        "links",
        json!({"buy": "https://opensea.io/assets/0x35221D6E", "docs": "https://x.example/"}),
    ));
    accepted(&with_requirement("links", json!({})));
}

#[test]
fn a_link_has_at_most_2048_bytes() {
    let url = |len: usize| format!("https://x.example/{}", "a".repeat(len - 18));
    accepted(&with_requirement("links", json!({"buy": url(2048)})));
    refused(
        &with_requirement("links", json!({"buy": url(2049)})),
        "8257-4-07",
        "/access/requirements/0/links/buy",
    );
}

#[test]
fn the_name_of_a_link_has_at_most_2048_bytes() {
    let name = |len: usize| "n".repeat(len);
    accepted(&with_requirement(
        "links",
        json!({name(2048): "https://x.example/"}),
    ));
    let pointer = format!("/access/requirements/0/links/{}", name(2049));
    refused(
        &with_requirement("links", json!({name(2049): "https://x.example/"})),
        "8257-4-08",
        &pointer,
    );
}

#[test]
fn links_map_strings_to_strings() {
    for bad in [json!(1), json!({}), Json::Null] {
        refused(
            &with_requirement("links", json!({"buy": bad})),
            "8257-4-11",
            "/access/requirements/0/links/buy",
        );
    }
    refused(
        &with_requirement("links", json!([])),
        "8257-4-11",
        "/access/requirements/0/links",
    );
}

#[test]
fn data_that_does_not_fit_a_known_kind_is_noted() {
    let word = |tail: &str| format!("0x{}{tail}", "0".repeat(64 - tail.len()));
    let mut requirement = requirement();
    requirement["kind"] = "0xbdf8c428".into();
    let mut report = |data: String| {
        requirement["data"] = data.into();
        with(
            "access",
            json!({"logic": "AND", "requirements": [requirement]}),
        )
    };
    assert!(
        report(word("35221d6e9dc3e4a277f40b40f7492be3b236d380"))
            .findings
            .is_empty()
    );
    noted(
        &report("0x".into()),
        "8257-1p-09",
        "/access/requirements/0/data",
    );
    noted(
        &report(word(&format!("1{}", "0".repeat(40)))),
        "8257-1p-09",
        "/access/requirements/0/data",
    );
}
