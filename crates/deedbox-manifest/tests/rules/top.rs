use super::*;

#[test]
fn a_manifest_is_an_object() {
    for text in ["[]", "null", "\"x\"", "1"] {
        refused(&check(text.as_bytes()), "8257-2-01", "");
    }
}

#[test]
fn type_must_be_a_known_version() {
    refused(&without("type"), "8257-2-03", "/type");
    for bad in [
        "v9",
        "",
        "https://eips.ethereum.org/EIPS/eip-8257#tool-manifest-v1",
        "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v2",
    ] {
        refused(&with("type", bad), "8257-2-03", "/type");
    }
    refused(&with("type", 1), "8257-2-03", "/type");
    accepted(&with("type", deedbox_manifest::TYPE_V1));
}

#[test]
fn name_has_1_to_128_code_points() {
    refused(&without("name"), "8257-2-04", "/name");
    refused(&with("name", ""), "8257-2-04", "/name");
    refused(&with("name", "a".repeat(129)), "8257-2-04", "/name");
    refused(&with("name", Json::Null), "8257-2-04", "/name");
    accepted(&with("name", "a".repeat(128)));
}

/// 128 emoji are 256 UTF-16 units and 512 bytes.
#[test]
fn name_is_measured_in_code_points_not_units_or_bytes() {
    accepted(&with("name", "😀".repeat(128)));
    refused(&with("name", "😀".repeat(129)), "8257-2-04", "/name");
}

#[test]
fn name_has_no_control_character() {
    for bad in ["a\tb", "a\nb", "a\rb", "a\u{85}b", "a\u{0}b", "a\u{7f}b"] {
        refused(&with("name", bad), "8257-2-05", "/name");
    }
    // Format characters (Cf) are not control characters (Cc).
    accepted(&with("name", "a\u{200d}b"));
}

#[test]
fn description_has_1_to_500_code_points() {
    refused(&without("description"), "8257-2-06", "/description");
    refused(&with("description", ""), "8257-2-06", "/description");
    refused(
        &with("description", "é".repeat(501)),
        "8257-2-06",
        "/description",
    );
    accepted(&with("description", "é".repeat(500)));
}

#[test]
fn description_has_no_control_character_but_lf_cr_and_tab() {
    accepted(&with("description", "a\n\r\tb"));
    for bad in ["a\u{0}b", "a\u{b}b", "a\u{85}b", "a\u{1b}b"] {
        refused(&with("description", bad), "8257-2-07", "/description");
    }
}

#[test]
fn inputs_and_outputs_are_required_objects() {
    for name in ["inputs", "outputs"] {
        let pointer = format!("/{name}");
        refused(&without(name), "8257-2-12", &pointer);
        for bad in [Json::Null, json!([]), json!(true), json!("{}")] {
            refused(&with(name, bad), "8257-2-12", &pointer);
        }
        accepted(&with(name, json!({})));
    }
}

#[test]
fn creator_address_is_0x_and_40_lower_case_digits() {
    refused(&without("creatorAddress"), "8257-2-13", "/creatorAddress");
    let good = "0xabcdefabcdef1234567890abcdefabcdef123456";
    for bad in [
        &good[..41],
        &format!("{good}0"),
        &format!("{good}\n"),
        &good[2..],
        &good.replace('a', "g"),
        &format!("eip155:1:{good}"),
        "0x...",
        "",
    ] {
        refused(&with("creatorAddress", bad), "8257-2-13", "/creatorAddress");
    }
    refused(
        &with("creatorAddress", Json::Null),
        "8257-2-13",
        "/creatorAddress",
    );
}

#[test]
fn creator_address_is_never_zero() {
    let report = with("creatorAddress", format!("0x{}", "0".repeat(40)));
    refused(&report, "8257-7-01", "/creatorAddress");
}

/// No default is put in, not even one that may be shown.
#[test]
fn an_absent_version_stays_absent() {
    let absent = of(&baseline());
    let present = with("version", "1.0.0");
    accepted(&absent);
    accepted(&present);
    assert_ne!(absent.hash, present.hash);
    let canonical = serde_json_canonicalizer::to_vec(&baseline()).unwrap();
    assert_eq!(absent.hash, Some(deedbox_manifest::Hash::of(&canonical)));
}

#[test]
fn a_version_that_is_not_semantic_is_warned_about() {
    warned(&with("version", "1.0"), "8257-2-01", "/version");
    refused(&with("version", 1), "8257-2-01", "/version");
}

#[test]
fn image_has_at_most_2048_bytes_after_normalisation() {
    images_are_bounded("image", "8257-2-17");
}

#[test]
fn featured_image_has_at_most_2048_bytes_after_normalisation() {
    images_are_bounded("featuredImage", "8257-2-18");
}

fn images_are_bounded(name: &str, rule: &str) {
    let pointer = format!("/{name}");
    let url = |len: usize| format!("https://x.example/{}", "a".repeat(len - 18));
    accepted(&with(name, url(2048)));
    refused(&with(name, url(2049)), rule, &pointer);
    // Bytes, not characters.
    refused(
        &with(name, format!("ipfs://{}", "é".repeat(1021))),
        rule,
        &pointer,
    );
    // 2,052 bytes as written, 2,048 once :443 is left out.
    let written = url(2048).replace("x.example/", "x.example:443/");
    assert_eq!(written.len(), 2052);
    warned(&with(name, written), "8257-6-17", &pointer);
    refused(&with(name, 5), rule, &pointer);
}

#[test]
fn an_image_that_nobody_may_show_is_warned_about() {
    for bad in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "vbscript:x",
        "file:///etc/passwd",
        "data:text/html,x",
        " java\tscript:alert(1)",
    ] {
        warned(&with("image", bad), "8257-rend-07", "/image");
    }
    for bad in ["http://x.example/a.png", "blob:https://x.example/1"] {
        warned(&with("image", bad), "8257-rend-08", "/image");
    }
    for unusual in ["ipfs://bafybeigdyrzt", "data:image/png;base64,AAAA"] {
        noted(&with("image", unusual), "8257-M-15", "/image");
    }
    warned(&with("image", "icon.png"), "8257-M-15", "/image");
}

#[test]
fn a_tag_is_lower_case_letters_digits_and_inner_hyphens() {
    for bad in ["-a", "a-", "A", "a_", "", "a b", "é", "a\n", "a.b"] {
        refused(&with("tags", json!([bad])), "8257-2-21", "/tags/0");
    }
    accepted(&with("tags", json!(["a", "0", "a-b", "a--b", "erc-8257"])));
    refused(&with("tags", json!([1])), "8257-2-21", "/tags/0");
    refused(&with("tags", Json::Null), "8257-2-21", "/tags");
}

#[test]
fn a_tag_has_at_most_32_characters() {
    accepted(&with("tags", json!(["a".repeat(32)])));
    refused(
        &with("tags", json!(["a".repeat(33)])),
        "8257-2-22",
        "/tags/0",
    );
}

#[test]
fn there_are_at_most_16_tags() {
    let tags = |n: usize| (0..n).map(|i| format!("t{i}")).collect::<Vec<_>>();
    accepted(&with("tags", tags(16)));
    accepted(&with("tags", tags(0)));
    refused(&with("tags", tags(17)), "8257-2-23", "/tags");
}

#[test]
fn no_tag_is_there_twice() {
    refused(
        &with("tags", json!(["nft", "a", "nft"])),
        "8257-2-24",
        "/tags/2",
    );
}

#[test]
fn text_that_hides_something_is_warned_about() {
    for hidden in [
        "\u{202e}",
        "\u{200b}",
        "\u{2066}",
        "\u{ad}",
        "\u{e0041}",
        "\u{feff}",
    ] {
        let text = format!("Weather{hidden}");
        warned(&with("name", text.as_str()), "8257-rend-01", "/name");
        warned(&with("description", text), "8257-rend-01", "/description");
    }
    // Emoji and scripts are written with these.
    for needed in ["\u{200c}", "\u{200d}", "\u{fe0f}"] {
        let report = with("name", format!("👩{needed}"));
        assert!(report.findings.iter().all(|f| f.rule != "8257-rend-01"));
    }
}

#[test]
fn what_is_missing_or_of_the_wrong_kind_is_told_with_what_to_write() {
    let fix = |report: &Report, pointer: &str| {
        let found = report.findings.iter().find(|f| f.pointer == pointer);
        found.map(|f| f.fix.to_string()).unwrap_or_default()
    };
    assert!(fix(&without("type"), "/type").contains(deedbox_manifest::TYPE_V1));
    let pricing = with("pricing", json!({"amount": "1"}));
    assert!(fix(&pricing, "/pricing").contains("amount, asset, recipient and protocol"));
    assert_eq!(fix(&with("name", 1), "/name"), "Write a string.");
}
