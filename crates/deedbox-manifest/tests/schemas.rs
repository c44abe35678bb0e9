//! Embedded schemas: the check of their shape beside the meta-schemas, and arguments against strangers' schemas.

#![expect(clippy::unwrap_used, reason = "a test's helpers may fail the test")]

use std::time::{Duration, Instant};

use deedbox_manifest::{
    Document, Limits, check,
    schema::{Arguments, CannotCheck},
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn arguments(schema: &Json) -> Result<Arguments, CannotCheck> {
    let source = schema.to_string();
    let document = Document::read(source.as_bytes(), &Limits::MANIFEST).unwrap();
    Arguments::new(document.root())
}

#[track_caller]
fn accepts(schema: &Json, value: &Json) -> bool {
    arguments(schema).unwrap().check(value).unwrap().is_ok()
}

#[test]
fn arguments_are_checked_against_the_schema() {
    let schema = json!({
        "type": "object",
        "properties": {"collection": {"type": "string"}, "chainId": {"type": "integer"}},
        "required": ["collection", "chainId"],
    });
    assert!(accepts(&schema, &json!({"collection": "0x", "chainId": 1})));
    let bad = arguments(&schema)
        .unwrap()
        .check(&json!({"collection": 1, "chainId": "1"}))
        .unwrap()
        .unwrap_err();
    let mut places: Vec<&str> = bad.iter().map(|bad| bad.pointer.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/chainId", "/collection"]);
}

#[test]
fn defaults_and_consts_are_never_filled_in() {
    let schema = json!({"required": ["a"], "properties": {"a": {"default": 1}, "b": {"const": 2}}});
    assert!(!accepts(&schema, &json!({})));
    assert!(!accepts(&schema, &json!({"a": 1, "b": 3})));
}

#[test]
fn local_references_are_followed() {
    let schema =
        json!({"$defs": {"x": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/x"}}});
    assert!(accepts(&schema, &json!({"a": "b"})));
    assert!(!accepts(&schema, &json!({"a": 1})));
    let tree = json!({"type": "object", "additionalProperties": {"$ref": "#"}});
    assert!(accepts(&tree, &json!({"a": {"b": {}}})));
    assert!(!accepts(&tree, &json!({"a": {"b": 1}})));
}

/// The listener sees no connection: nothing is fetched, neither when checking nor when a validator is made.
#[test]
fn remote_references_cause_no_connection() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let schema = json!({"$ref": format!("http://127.0.0.1:{port}/schema.json")});
    assert!(matches!(arguments(&schema), Err(CannotCheck::Schema(_))));
    let manifest =
        json!({"inputs": schema, "outputs": {"$schema": format!("http://127.0.0.1:{port}/meta")}});
    assert!(check(manifest.to_string().as_bytes()).is_refused());
    assert_eq!(
        listener.accept().unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock
    );
}

#[test]
fn a_catastrophic_pattern_is_run_in_linear_time() {
    let schema = json!({"pattern": "^(a+)+$"});
    let arguments = arguments(&schema).unwrap();
    let began = Instant::now();
    let text = format!("{}!", "a".repeat(100_000));
    assert!(arguments.check(&json!(text)).unwrap().is_err());
    assert!(
        arguments
            .check(&json!("a".repeat(100_000)))
            .unwrap()
            .is_ok()
    );
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_pattern_that_only_backtracking_can_run_is_not_run() {
    for pattern in [r"(a)\1", "^(?=a)b", r"(?<!a)b", "("] {
        assert!(
            matches!(
                arguments(&json!({"pattern": pattern})),
                Err(CannotCheck::Schema(_))
            ),
            "{pattern}"
        );
        assert!(
            matches!(
                arguments(&json!({"patternProperties": {pattern: {}}})),
                Err(CannotCheck::Schema(_))
            ),
            "{pattern}"
        );
    }
}

#[test]
fn a_pattern_that_would_fill_the_memory_is_not_run() {
    let schema = json!({"pattern": "^((a{0,100}b){0,100}c){0,100}$"});
    assert!(matches!(arguments(&schema), Err(CannotCheck::Schema(_))));
}

#[test]
fn a_schema_that_never_ends_is_not_used() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
    ] {
        assert!(arguments(&schema).is_err(), "{schema}");
    }
}

/// Thirty definitions, each of which asks for the next one twice, come to a thousand million checks.
#[test]
fn a_schema_that_multiplies_its_references_is_not_used() {
    let twice = |next: usize| {
        let next = format!("#/$defs/d{next}");
        json!({"allOf": [{"$ref": next}, {"$ref": next}]})
    };
    let mut definitions: serde_json::Map<_, _> =
        (0..30).map(|i| (format!("d{i}"), twice(i + 1))).collect();
    definitions.insert("d30".to_owned(), json!({"type": "integer"}));
    let schema = json!({"$defs": definitions, "$ref": "#/$defs/d0"});
    let began = Instant::now();
    let result = arguments(&schema).and_then(|arguments| arguments.check(&json!(1)).map(drop));
    assert_eq!(result, Err(CannotCheck::Effort));
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

/// The same with two ways down at each level of the arguments.
#[test]
fn a_schema_that_doubles_with_each_level_is_not_used_on_deep_arguments() {
    let down = json!({"properties": {"a": {"$ref": "#"}}});
    let schema = json!({"allOf": [down, down]});
    let arguments = arguments(&schema).unwrap();
    let deep = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({"a": inner}));
    assert!(arguments.check(&deep(5)).unwrap().is_ok());
    assert_eq!(arguments.check(&deep(50)), Err(CannotCheck::Effort));
    assert_eq!(arguments.check(&deep(100)), Err(CannotCheck::Effort));
}

#[test]
fn an_ordinary_schema_checks_large_arguments() {
    let schema = json!({
        "properties": {"lines": {"type": "array", "items": {"type": "object", "properties": {
            "name": {"type": "string", "maxLength": 100, "pattern": "^[a-z]+$"},
            "count": {"type": "integer", "minimum": 0},
        }, "required": ["name"]}}},
    });
    let lines: Vec<Json> = (0..10_000)
        .map(|count| json!({"name": "abcdefgh", "count": count}))
        .collect();
    assert!(accepts(&schema, &json!({"lines": lines})));
}

#[test]
fn the_draft_that_is_named_is_used() {
    let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]});
    assert!(accepts(&schema, &json!(["a"])));
    assert!(!accepts(&schema, &json!([1])));
}

/// Whether our table finds a fault in the shape of the keywords.
fn we_accept(schema: &Json) -> bool {
    let manifest = json!({
        "type": deedbox_manifest::TYPE_V1, "name": "t", "description": "d",
        "endpoint": "https://tools.example.com/x", "inputs": schema, "outputs": {},
        "creatorAddress": "0xabcdefabcdef1234567890abcdefabcdef123456",
    });
    // References are a matter of their own: the meta-schemas do not resolve them.
    let report = check(manifest.to_string().as_bytes());
    report
        .findings
        .iter()
        .all(|finding| finding.rule != "8257-M-21" || finding.message.contains("refers to itself"))
}

const DRAFTS: [&str; 5] = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

const KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
    "x-own",
];

/// Values that some keyword takes and another does not.
fn a_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(0)),
        Just(json!(1)),
        Just(json!(-1)),
        Just(json!(2.0)),
        Just(json!(1.5)),
        Just(json!("")),
        Just(json!("a")),
        Just(json!("string")),
        Just(json!("integer")),
        Just(json!("_a")),
        Just(json!("a:b")),
        Just(json!([])),
        Just(json!({})),
        Just(json!(["a", "b"])),
        Just(json!(["a", "a"])),
        Just(json!(["string", "null"])),
        Just(json!([1, 1])),
        Just(json!({"a": ["b"]})),
        Just(json!({"a": ["b", "b"]})),
        Just(json!({"a": true})),
        Just(json!({"a": 1})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            a_schema(inner).prop_map(Json::from),
        ]
    })
}

fn a_schema(
    value: impl Strategy<Value = Json>,
) -> impl Strategy<Value = serde_json::Map<String, Json>> {
    let member = (
        prop::sample::select(KEYWORDS).prop_map(str::to_owned),
        value,
    );
    prop::collection::vec(member, 0..3).prop_map(|members| members.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_table_agrees_with_the_meta_schemas(schema in a_schema(a_value()), draft in prop::sample::select(&DRAFTS[..])) {
        let mut schema = Json::from(schema);
        schema["$schema"] = draft.into();
        // For draft 4, 2.0 is no integer. Its canonical form is 2, and we judge what is hashed.
        prop_assume!(!(draft.contains("draft-04") && schema.to_string().contains("2.0")));
        prop_assert_eq!(we_accept(&schema), jsonschema::meta::is_valid(&schema), "{}", schema);
    }
}
