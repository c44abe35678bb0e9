//! What the five readings hold, as schemas. The readings themselves are made in `deedbox-chain`, as JSON; that they keep
//! to these schemas is tested against real ones.

use std::borrow::Cow;

use deedbox_chain::UntrustedText;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// A type that stands only for its schema.
macro_rules! schema {
    ($($(#[$doc:meta])* $name:ident($generator:pat) $body:block)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $body
            }
        }
    )*};
}

fn amount(about: &str) -> Value {
    json!({"type": "string", "pattern": "^(0|[1-9][0-9]{0,77})$", "description": about})
}

fn address(about: &str) -> Value {
    json!({"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$", "description": about})
}

fn hash(about: &str) -> Value {
    json!({"type": "string", "pattern": "^0x[0-9a-f]{64}$", "description": about})
}

fn whole(about: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": about})
}

/// The same, or null.
fn or_null(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

const NO_DECIMALS: &str = "Digits after the point, as the contract says; null when it does not.";

schema! {
    /// The data of `get_native_balance`.
    NativeAmount(_) {
        json_schema!({
            "type": "object",
            "properties": {
                "raw_amount": amount("In the smallest unit (wei)."),
                "decimals": {"type": "integer", "minimum": 0, "maximum": 255, "description": "Digits after the point of the chain's currency."},
            },
            "required": ["raw_amount", "decimals"],
            "additionalProperties": false,
        })
    }

    /// The data of `get_erc20_balance`.
    Erc20Amount(_) {
        json_schema!({
            "type": "object",
            "properties": {
                "raw_amount": amount("In the token's smallest unit."),
                "decimals": {"type": ["integer", "null"], "minimum": 0, "maximum": 255, "description": NO_DECIMALS},
            },
            "required": ["raw_amount", "decimals"],
            "additionalProperties": false,
        })
    }

    /// The data of `get_token_metadata`.
    TokenTexts(generator) {
        let text = generator.subschema_for::<Option<UntrustedText>>();
        json_schema!({
            "type": "object",
            "properties": {
                "name": text.clone(),
                "symbol": text,
                "decimals": {"type": ["integer", "null"], "minimum": 0, "maximum": 255, "description": NO_DECIMALS},
                "total_supply": or_null(amount("In the token's smallest unit; null when the contract does not say.")),
            },
            "required": ["name", "symbol", "decimals", "total_supply"],
            "additionalProperties": false,
        })
    }

    /// The data of `get_pool_reserves`.
    Reserves(_) {
        let tokens = || (address("The first token."), address("The second token."));
        let (token0, token1) = tokens();
        let v2 = json!({
            "type": "object",
            "properties": {
                "kind": {"const": "uniswap_v2"},
                "token0": token0,
                "token1": token1,
                "reserve0": amount("Of the first token, in its smallest unit."),
                "reserve1": amount("Of the second token, in its smallest unit."),
                "block_timestamp_last": whole("When the reserves last changed: Unix seconds, modulo 2^32."),
            },
            "required": ["kind", "token0", "token1", "reserve0", "reserve1", "block_timestamp_last"],
            "additionalProperties": false,
        });
        let (token0, token1) = tokens();
        let v3 = json!({
            "type": "object",
            "properties": {
                "kind": {"const": "uniswap_v3"},
                "token0": token0,
                "token1": token1,
                "sqrt_price_x96": amount("The square root of the raw price of the first token in the second, times 2^96."),
                "tick": {"type": "integer", "minimum": -887_272, "maximum": 887_272, "description": "The tick of that price."},
                "liquidity": amount("The liquidity in range at that price."),
                "fee": whole("Hundredths of a basis point."),
                "balances": {
                    "type": "object",
                    "properties": {
                        "token0": amount("What the pool holds of the first token. Not depth."),
                        "token1": amount("What the pool holds of the second token. Not depth."),
                        "note": {"type": "string", "description": "That balances are not depth."},
                    },
                    "required": ["token0", "token1", "note"],
                    "additionalProperties": false,
                },
            },
            "required": ["kind", "token0", "token1", "sqrt_price_x96", "tick", "liquidity", "fee", "balances"],
            "additionalProperties": false,
        });
        json_schema!({"oneOf": [v2, v3]})
    }

    /// The data of `list_recent_transfers`.
    Transfers(_) {
        let transfer = json!({
            "type": "object",
            "properties": {
                "kind": {"enum": ["erc20", "erc721"]},
                "block_number": whole("The block's height."),
                "block_hash": hash("The block's hash."),
                "transaction_hash": hash("The transaction."),
                "log_index": whole("Where the log stands in its block."),
                "token": address("The token's contract."),
                "from": address("Whose it was."),
                "to": address("Whose it became."),
                "direction": {"enum": ["in", "out", "self"], "description": "As seen from the address."},
                "raw_amount": amount("Of erc20: in the token's smallest unit."),
                "token_id": amount("Of erc721: which one."),
                "flags": {"type": "array", "items": {"enum": ["zero_value", "third_party_sent"]}, "description": "What others can forge: nothing moved, or somebody else sent it."},
            },
            "required": ["kind", "block_number", "block_hash", "transaction_hash", "log_index", "token", "from", "to", "direction", "flags"],
            "additionalProperties": false,
        });
        json_schema!({
            "type": "object",
            "properties": {
                "transfers": {"type": "array", "items": transfer, "description": "Newest first."},
                "truncated": {"type": "boolean", "description": "Whether there are more in the range."},
                "next": or_null(json!({"type": "string", "description": "The to_block with which to go on; null when there is no more."})),
                "ambiguous": whole("Logs that were left out because they can be read in two ways."),
            },
            "required": ["transfers", "truncated", "next", "ambiguous"],
            "additionalProperties": false,
        })
    }
}
