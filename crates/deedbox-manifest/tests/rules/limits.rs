use super::*;

/// The baseline with an extension that brings it to exactly `len` bytes.
fn of_size(len: usize) -> String {
    let mut manifest = baseline();
    manifest["com.example.pad"] = "".into();
    let empty = manifest.to_string().len();
    manifest["com.example.pad"] = "x".repeat(len - empty).into();
    manifest.to_string()
}

#[test]
fn a_manifest_has_at_most_1_mib() {
    accepted(&check(of_size(1_048_576).as_bytes()));
    refused(&check(of_size(1_048_577).as_bytes()), "8257-parse-01", "");
}

/// What is too large is not read up to the limit and judged by that part.
#[test]
fn an_oversize_manifest_is_never_judged_by_its_beginning() {
    let mut source = baseline().to_string();
    source.push_str(&" ".repeat(2 << 20));
    let report = check(source.as_bytes());
    refused(&report, "8257-parse-01", "");
    assert_eq!(report.hash, None);
}

#[test]
fn pricing_has_at_most_32_entries() {
    let entry = json!({
        "amount": "1", "asset": "eip155:1/slip44:60", "protocol": "x402",
        "recipient": "eip155:1:0xabcdef0123456789abcdef0123456789abcdef01",
    });
    accepted(&with("pricing", vec![entry.clone(); 32]));
    refused(
        &with("pricing", vec![entry; 33]),
        "8257-parse-03",
        "/pricing",
    );
}

#[test]
fn access_has_at_most_256_requirements() {
    let requirement = json!({"kind": "0xabcd1234", "data": "0x", "label": ""});
    let access = |n: usize| {
        with(
            "access",
            json!({"logic": "OR", "requirements": vec![requirement.clone(); n]}),
        )
    };
    accepted(&access(256));
    refused(&access(257), "8257-parse-04", "/access/requirements");
}

/// The decoded payload is measured, not its hexadecimal text.
#[test]
fn data_stands_for_at_most_4096_bytes() {
    let access = |bytes: usize| {
        let data = format!("0x{}", "00".repeat(bytes));
        with(
            "access",
            json!({"logic": "OR", "requirements": [{"kind": "0xabcd1234", "data": data, "label": ""}]}),
        )
    };
    accepted(&access(4096));
    refused(
        &access(4097),
        "8257-parse-05",
        "/access/requirements/0/data",
    );
}

/// Each limit stands by itself.
#[test]
fn a_small_manifest_is_refused_for_too_many_prices() {
    let report = with("pricing", vec![json!({}); 33]);
    assert!(find(&report, Severity::Refusal, "8257-parse-03", "/pricing").is_some());
}

/// A nesting of schemas, `levels` deep.
fn nested(levels: usize) -> Json {
    (1..levels).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}))
}

#[test]
fn a_schema_has_at_most_16_levels() {
    for name in ["inputs", "outputs"] {
        accepted(&with(name, nested(16)));
        let pointer = format!("/{name}{}", "/properties/a".repeat(16));
        refused(&with(name, nested(17)), "8257-parse-07", &pointer);
    }
}

/// Levels are those of schemas: what lies in `default` or `enum` is no schema.
#[test]
fn depth_counts_subschemas_only() {
    let deep = (0..30).fold(json!(1), |inner, _| json!([inner]));
    accepted(&with("inputs", json!({"examples": [deep]})));
}

#[test]
fn every_kind_of_subschema_counts_as_a_level() {
    for (keyword, wrap) in [
        ("allOf", true),
        ("anyOf", true),
        ("oneOf", true),
        ("prefixItems", true),
        ("not", false),
        ("items", false),
        ("additionalProperties", false),
        ("if", false),
        ("contains", false),
        ("propertyNames", false),
    ] {
        let build = |levels: usize| {
            (1..levels).fold(json!({}), |inner, _| {
                if wrap {
                    json!({keyword: [inner]})
                } else {
                    json!({keyword: inner})
                }
            })
        };
        accepted(&with("outputs", build(16)));
        let report = with("outputs", build(17));
        assert!(
            report
                .of(Severity::Refusal)
                .any(|finding| finding.rule == "8257-parse-07"),
            "{keyword}"
        );
    }
}

/// A schema with this many nodes, itself included.
fn wide(nodes: usize) -> Json {
    let properties: serde_json::Map<_, _> =
        (1..nodes).map(|i| (format!("p{i}"), json!({}))).collect();
    json!({"properties": properties})
}

#[test]
fn both_schemas_together_have_at_most_1024_nodes() {
    let both = |inputs: Json, outputs: Json| {
        let mut manifest = baseline();
        manifest["inputs"] = inputs;
        manifest["outputs"] = outputs;
        of(&manifest)
    };
    accepted(&both(wide(1023), json!({})));
    accepted(&both(wide(600), wide(424)));
    refused(&both(wide(1024), json!({})), "8257-parse-08", "/outputs");
    let report = both(wide(600), wide(425));
    assert!(
        report
            .of(Severity::Refusal)
            .all(|finding| finding.rule == "8257-parse-08")
    );
    assert!(report.is_refused());
}

#[test]
fn nesting_and_values_of_json_are_bounded_too() {
    let deep = |levels: usize| {
        with(
            "com.example.x",
            (0..levels).fold(json!(1), |inner, _| json!([inner])),
        )
    };
    accepted(&deep(63));
    refused(&deep(64), "8257-M-20", "");
    let wide = |values: usize| with("com.example.x", vec![0; values]);
    accepted(&wide(60_000));
    refused(&wide(70_000), "8257-M-20", "");
}

/// Before 2020-12 an array of schemas was ordinary in `items`, and who reads the manifest may know an older draft.
#[test]
fn schemas_in_an_array_of_items_count_without_a_named_draft() {
    let many = json!({"items": vec![json!({}); 1100]});
    refused(&with("inputs", many), "8257-parse-08", "/inputs/items/1023");
    let deep = (0..17).fold(json!({}), |inner, _| json!({"items": [inner]}));
    let report = with("inputs", deep);
    assert!(report.findings.iter().any(|f| f.rule == "8257-parse-07"));
    let hidden = json!({"items": [{"const": "0xa"}, {"$ref": "http://169.254.169.254/"}]});
    let report = with("inputs", hidden);
    assert_eq!(report.pre_filled.len(), 1);
    assert!(report.findings.iter().any(|f| f.rule == "8257-ref-01"));
}

/// Values stand in each other; told whole, a megabyte of them would be fifty.
#[test]
fn pre_filled_values_are_told_up_to_a_megabyte_together() {
    let large = Json::from("x".repeat(200_000));
    let nested = (0..14).fold(large, |inner, _| json!({"default": inner}));
    let report = with("inputs", nested);
    let told: usize = report.pre_filled.iter().map(|one| one.value.len()).sum();
    assert!(told <= 1 << 20, "{told}");
    assert!(report.pre_filled.iter().all(|one| !one.span.is_empty()));
}
