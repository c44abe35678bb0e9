use super::*;
use deedbox_manifest::Tier;

fn full() -> Json {
    json!({
        "tier": "verifiable",
        "execution": "e2ee",
        "description": "Decrypted only inside the enclave.",
        "dataRetention": "none",
        "sourceVisibility": "open-source",
        "attestation": {
            "type": "nitro",
            "endpoint": "https://enclave.example.com/.well-known/attestation",
            "enclaveHash": "0x1234",
            "maxAge": 1800,
            "transparencyLogURI": "https://rekor.example.org/api/v1/log/entries/abcdef",
        },
        "reproducibleBuild": {
            "sourceCodeURI": "https://git.example.org/tool/tree/abc123",
            "buildInstructions": "nix build .#enclave",
            "buildHash": "0x1234",
        },
    })
}

/// The full claims, changed; `null` removes.
fn changed(changes: &[(&str, Json)]) -> Report {
    let mut claims = full();
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = claims.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        if value.is_null() {
            parent.remove(name);
        } else {
            parent.insert(name.to_owned(), value.clone());
        }
    }
    with("verifiability", claims)
}

fn at(pointer: &str) -> String {
    format!("/verifiability{pointer}")
}

#[test]
fn full_claims_are_valid_and_verifiable() {
    let report = changed(&[]);
    accepted(&report);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert_eq!(report.effective_tier(), Tier::Verifiable);
}

#[test]
fn tier_and_execution_are_required_strings() {
    for name in ["/tier", "/execution"] {
        refused(&changed(&[(name, Json::Null)]), "8257-5-01", &at(name));
        refused(&changed(&[(name, json!(1))]), "8257-5-01", &at(name));
    }
    refused(
        &with("verifiability", Json::Null),
        "8257-5-01",
        "/verifiability",
    );
}

#[test]
fn the_description_follows_the_rules_of_the_top_one() {
    for bad in ["", &"a".repeat(501), "a\u{0}b", "a\u{85}b"] {
        refused(
            &changed(&[("/description", json!(bad))]),
            "8257-5-02",
            &at("/description"),
        );
    }
    accepted(&changed(&[(
        "/description",
        json!("a\nb".to_owned() + &"é".repeat(497)),
    )]));
}

#[test]
fn verifiable_without_attestation_or_build_is_inconsistent() {
    let report = changed(&[("/reproducibleBuild", Json::Null)]);
    warned(&report, "8257-5-06", &at("/tier"));
    assert_eq!(report.effective_tier(), Tier::HardwareAttested);
    let report = changed(&[("/attestation", Json::Null)]);
    warned(&report, "8257-5-06", &at("/tier"));
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
}

/// The standard's list does not name this one (reading V-07).
#[test]
fn verifiable_on_standard_servers_is_inconsistent() {
    let report = changed(&[("/execution", json!("standard"))]);
    warned(&report, "8257-V-07", &at("/tier"));
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
}

#[test]
fn hardware_attested_on_standard_servers_is_inconsistent() {
    let report = changed(&[
        ("/tier", json!("hardware-attested")),
        ("/execution", json!("standard")),
    ]);
    warned(&report, "8257-5-07", &at("/tier"));
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
}

#[test]
fn hardware_attested_without_attestation_is_inconsistent() {
    let report = changed(&[
        ("/tier", json!("hardware-attested")),
        ("/attestation", Json::Null),
    ]);
    warned(&report, "8257-5-08", &at("/tier"));
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
}

#[test]
fn self_attested_in_isolation_is_inconsistent() {
    for execution in ["tee", "e2ee"] {
        let changes = [
            ("/tier", json!("self-attested")),
            ("/execution", json!(execution)),
            ("/attestation", Json::Null),
        ];
        warned(&changed(&changes), "8257-5-09", &at("/tier"));
    }
}

#[test]
fn self_attested_with_attestation_is_inconsistent() {
    let changes = [
        ("/tier", json!("self-attested")),
        ("/execution", json!("standard")),
    ];
    let report = changed(&changes);
    warned(&report, "8257-5-10", &at("/tier"));
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
}

#[test]
fn the_effective_tier_is_the_lower_of_declared_and_supported() {
    let report = changed(&[("/tier", json!("hardware-attested"))]);
    accepted(&report);
    assert_eq!(report.declared_tier(), Some(Tier::HardwareAttested));
    assert_eq!(report.effective_tier(), Tier::HardwareAttested);
}

#[test]
fn a_tier_alone_raises_nothing() {
    let report = with(
        "verifiability",
        json!({"tier": "verifiable", "execution": "tee"}),
    );
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
    assert_eq!(of(&baseline()).effective_tier(), Tier::SelfAttested);
}

#[test]
fn an_attestation_that_cannot_be_fetched_supports_nothing() {
    let report = changed(&[("/attestation/endpoint", Json::Null)]);
    noted(&report, "8257-V-07", &at("/attestation"));
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
}

#[test]
fn an_unknown_tier_is_never_elevated() {
    let report = changed(&[("/tier", json!("gold"))]);
    warned(&report, "8257-5-37", &at("/tier"));
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
}

#[test]
fn an_unknown_execution_counts_as_standard() {
    let report = changed(&[("/execution", json!("serverless"))]);
    warned(&report, "8257-5-14", &at("/execution"));
    assert_eq!(report.effective_tier(), Tier::SelfAttested);
    let vendor = with(
        "verifiability",
        json!({"tier": "self-attested", "execution": "io.phala.tee-sidevm"}),
    );
    noted(&vendor, "8257-5-14", &at("/execution"));
}

#[test]
fn what_is_not_stated_is_not_inferred() {
    let report = with(
        "verifiability",
        json!({"tier": "self-attested", "execution": "standard"}),
    );
    accepted(&report);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

#[test]
fn unknown_retention_and_visibility_are_warned_about() {
    warned(
        &changed(&[("/dataRetention", json!("some"))]),
        "8257-5-15",
        &at("/dataRetention"),
    );
    warned(
        &changed(&[("/sourceVisibility", json!("public"))]),
        "8257-5-17",
        &at("/sourceVisibility"),
    );
    refused(
        &changed(&[("/dataRetention", json!(1))]),
        "8257-5-15",
        &at("/dataRetention"),
    );
}

#[test]
fn an_isolated_tool_without_attestation_is_noted() {
    let report = with(
        "verifiability",
        json!({"tier": "self-attested", "execution": "tee"}),
    );
    assert!(find(&report, Severity::Note, "8257-5-18", &at("/attestation")).is_some());
}

#[test]
fn an_attestation_on_standard_servers_is_noted() {
    let report = changed(&[("/execution", json!("standard"))]);
    assert!(find(&report, Severity::Note, "8257-5-19", &at("/attestation")).is_some());
    assert!(!report.claims.unwrap().execution_to_assume().is_isolated());
}

#[test]
fn attestation_type_is_required() {
    refused(
        &changed(&[("/attestation/type", Json::Null)]),
        "8257-5-21",
        &at("/attestation/type"),
    );
    refused(
        &changed(&[("/attestation", json!("nitro"))]),
        "8257-5-21",
        &at("/attestation"),
    );
}

#[test]
fn attestation_endpoint_is_https() {
    for bad in [
        "http://enclave.example.com/",
        "enclave.example.com",
        "https://",
    ] {
        refused(
            &changed(&[("/attestation/endpoint", json!(bad))]),
            "8257-5-22",
            &at("/attestation/endpoint"),
        );
    }
    let unusual = json!("HTTPS://Enclave.example.com:443/a");
    warned(
        &changed(&[("/attestation/endpoint", unusual)]),
        "8257-6-17",
        &at("/attestation/endpoint"),
    );
}

#[test]
fn enclave_hash_is_0x_and_pairs_of_digits() {
    for bad in ["0x", "0xabc", "ab", "0xzz"] {
        refused(
            &changed(&[("/attestation/enclaveHash", json!(bad))]),
            "8257-5-24",
            &at("/attestation/enclaveHash"),
        );
    }
}

#[test]
fn attestation_max_age_is_an_integer() {
    for bad in [json!("3600"), json!(1.5), json!(true)] {
        refused(
            &changed(&[("/attestation/maxAge", bad)]),
            "8257-5-38",
            &at("/attestation/maxAge"),
        );
    }
    accepted(&changed(&[("/attestation/maxAge", json!(3600.0))]));
    warned(
        &changed(&[("/attestation/maxAge", json!(-1))]),
        "8257-5-38",
        &at("/attestation/maxAge"),
    );
}

#[test]
fn transparency_log_is_https() {
    let pointer = "/attestation/transparencyLogURI";
    refused(
        &changed(&[(pointer, json!("http://log.example.org/1"))]),
        "8257-5-28",
        &at(pointer),
    );
}

#[test]
fn a_transparency_log_on_the_tools_own_host_is_warned_about() {
    let pointer = "/attestation/transparencyLogURI";
    warned(
        &changed(&[(pointer, json!("https://tools.example.com:8443/log"))]),
        "8257-5-29",
        &at(pointer),
    );
}

#[test]
fn source_code_uri_is_required_and_https() {
    let pointer = "/reproducibleBuild/sourceCodeURI";
    for bad in [
        Json::Null,
        json!("http://git.example.org/x"),
        json!("git@git.example.org:x"),
    ] {
        refused(&changed(&[(pointer, bad)]), "8257-5-35", &at(pointer));
    }
}

#[test]
fn build_hash_is_0x_and_pairs_of_digits() {
    for bad in ["0x", "0xabc", "ab"] {
        refused(
            &changed(&[("/reproducibleBuild/buildHash", json!(bad))]),
            "8257-5-36",
            &at("/reproducibleBuild/buildHash"),
        );
    }
}
