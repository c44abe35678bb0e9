use serde_json::json;

use super::*;

fn read(tool: &str, arguments: Value) -> ReadingRequest {
    let Value::Object(arguments) = arguments else {
        unreachable!()
    };
    ReadingRequest::read(tool, arguments).unwrap()
}

const TOOL: &str = "eip155:1/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7";
const ACCOUNT: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

/// What a key needs to have something read is asked at the door, by toolset, and in the rules, by tool.
#[test]
fn the_rules_and_the_door_ask_for_the_same_scope() {
    for tool in Tool::ALL.into_iter().filter(|tool| tool.takes_a_reading()) {
        let name: ToolName = tool.name().parse().unwrap();
        assert_eq!(Some(name.scope()), tool.scope(), "{name}");
    }
}

#[test]
fn a_policy_sees_every_address_in_the_name_of_an_agent_or_a_tool_and_beside_it() {
    let registry = "0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1";
    for (request, addresses) in [
        (
            read(
                "resolve_agent",
                json!({"agent": format!("7@eip155:1:{registry}"), "block": "1", "spenders": [ACCOUNT]}),
            ),
            vec![("agent", registry), ("spenders", ACCOUNT)],
        ),
        (
            read(
                "verify_tool",
                json!({"tool": TOOL, "block": "1", "purpose": "payment"}),
            ),
            vec![("tool", registry)],
        ),
        (
            read(
                "check_tool_access",
                json!({"tool": TOOL, "account": ACCOUNT, "block": "1"}),
            ),
            vec![("tool", registry), ("account", ACCOUNT)],
        ),
    ] {
        let about = request.about().unwrap();
        let named = addresses.into_iter();
        let named = named.map(|(name, text)| (name.to_owned(), text.parse().unwrap()));
        assert_eq!(about.chain_ids, [1]);
        assert_eq!(about.addresses, named.collect::<Vec<_>>());
        // Read again, it is at that block and otherwise the same.
        let again = serde_json::to_value(request.at(BlockHash([7; 32]))).unwrap();
        assert_eq!(again["block"], format!("0x{}", "07".repeat(32)));
    }
}

#[test]
fn a_wrong_checksum_is_refused_and_never_mended() {
    let wrong = ACCOUNT.replace("d8dA", "d8da");
    let access = json!({"tool": TOOL, "account": wrong, "block": "1"});
    let refused = read("check_tool_access", access).check().unwrap_err();
    assert!(
        refused.message.starts_with("account is not a good address"),
        "{refused}"
    );
    let agent = format!("7@eip155:1:{ACCOUNT}");
    let resolve = json!({"agent": agent, "block": "1", "spenders": [wrong]});
    let refused = read("resolve_agent", resolve).check().unwrap_err();
    assert!(
        refused
            .message
            .starts_with("spenders is not a good address"),
        "{refused}"
    );
}
