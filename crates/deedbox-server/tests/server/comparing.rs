//! Tools side by side through every door: recorded with the blocks that were read, under the policy, and with strangers' texts
//! behind the fence.

use alloy_primitives::Address;
use deedbox_server::{Policy, policy::Lists};
use serde_json::{Value, json};

use crate::{
    house::DOORS,
    registries::{CHAIN, HOSTILE, Street, outside},
};

#[tokio::test]
async fn a_comparison_is_told_through_every_door_and_recorded_with_its_blocks() {
    let street = Street::new().await;
    // Both are served at one place, so the second manifest is the first one's, too.
    let tools = [
        street.tool(HOSTILE, Address::ZERO),
        street.tool(HOSTILE, Address::ZERO),
    ];
    let account = street.anvil.account(2).to_lowercase();
    let alice = &street.house.keys.alice;
    for door in DOORS {
        let deeds = street.house.deeds().await;
        let arguments =
            json!({"tools": tools, "block": "latest", "account": account, "protocols": ["x402"]});
        let said = street.ask(door, alice, "compare_tools", &arguments).await;
        let data = said.data();
        let of = |name: &str| -> Vec<Value> {
            data["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| tool[name].clone())
                .collect()
        };
        assert_eq!(of("tool"), tools);
        assert_eq!(of("verified"), [true, true]);
        assert_eq!(data["tools"][0]["access"]["access"], "open");
        assert_eq!(data["tools"][0]["cost"]["state"], "unstated");
        assert_eq!(data["tools"][0]["registered"]["state"], "not_indexed");
        assert_eq!(
            data["order"][0]["because"],
            json!(["verified", "may_use", "price_unstated"])
        );
        assert_eq!(street.house.deeds().await, deeds + 1);
        if let Some(text) = &said.text {
            let outside = outside(text);
            assert!(
                !outside.contains("0123456789abcdef0123456789abcdef"),
                "{outside}"
            );
        }

        let path = format!("/api/evidence/{}", said.evidence());
        let kept = street.house.get(&path, alice).await.json();
        assert_eq!(
            (&kept["tool"], &kept["data"]),
            (&json!("compare_tools"), data)
        );
        let at = &said.envelope["provenance"];
        let block = json!([{"chain_id": CHAIN, "block_hash": at["block_hash"]}]);
        assert_eq!(kept["arguments"]["blocks"], block);
        assert_eq!(kept["arguments"]["block"], "latest");
        assert_eq!(data["chains"][0]["block_hash"], at["block_hash"]);

        // What was recorded can be asked for again, and is at the same block.
        let again = street
            .ask(door, alice, "compare_tools", &kept["arguments"])
            .await;
        assert_eq!(again.envelope["provenance"]["block_hash"], at["block_hash"]);
    }
}

#[tokio::test]
async fn what_cannot_be_compared_and_what_a_policy_forbids_is_refused() {
    let street = Street::new().await;
    let one = street.tool("a", Address::ZERO);
    let two = one.replace("/1", "/2");
    let elsewhere = two.replace(&CHAIN.to_string(), "1");
    let deeds = street.house.deeds().await;
    for (arguments, field) in [
        (json!({"tools": [one], "block": "latest"}), "tools"),
        (json!({"tools": [one, one], "block": "latest"}), "tools"),
        (json!({"tools": [one, "x"], "block": "latest"}), "tools"),
        (json!({"tools": [one, elsewhere], "block": "7"}), "block"),
        (
            json!({"tools": [one, two], "block": "latest", "asset": "dollars"}),
            "asset",
        ),
        (
            json!({"tools": [one, two], "block": "latest", "account": null}),
            "account",
        ),
        (
            json!({"tools": [one, two], "block": "latest", "protocols": [""]}),
            "protocols",
        ),
        (
            json!({"tools": [one, two], "block": "latest", "blocks": [{"chain_id": 5, "block_hash": format!("0x{}", "11".repeat(32))}]}),
            "blocks",
        ),
    ] {
        let said = street.alice("compare_tools", &arguments).await;
        assert_eq!(said.code(), "invalid_argument", "{arguments}");
        assert!(
            said.message().starts_with(field),
            "{field}: {}",
            said.message()
        );
    }
    assert_eq!(street.house.deeds().await, deeds);

    // Each of the chains has to be allowed, the asset's included.
    let policy = Policy {
        chains: Lists {
            allow: Some([CHAIN].into()),
            deny: [].into(),
        },
        ..Policy::default()
    };
    let street = Street::under(policy).await;
    for arguments in [
        json!({"tools": [one, elsewhere], "block": "latest"}),
        json!({"tools": [one, two], "block": "latest", "asset": "eip155:1/slip44:60"}),
    ] {
        let said = street.alice("compare_tools", &arguments).await;
        assert_eq!(said.code(), "policy_refused", "{arguments}");
    }
    let arguments = json!({"tools": [one, two], "block": "latest"});
    let said = street.alice("compare_tools", &arguments).await;
    assert_eq!(
        said.data()["tools"][1]["registration"]["state"],
        "not_found"
    );
}
