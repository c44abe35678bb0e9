//! What each argument has to be, in sentences for whoever wrote something else.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Block, check::MAX_LIMIT};
use crate::{Code, ReadError};

/// How much of what a caller wrote is repeated, in characters.
const REPEATED: usize = 80;

/// Checks that `given` holds every argument of `names`, each of the form that it must have, and no other.
///
/// # Errors
/// [`Code::InvalidArgument`]: the first that is wrong, what it is, and what it must be.
pub(super) fn check(
    tool: &str,
    names: &[&str],
    given: &Map<String, Value>,
) -> Result<(), ReadError> {
    let all = names.join(", ");
    if let Some(unknown) = given.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(ReadError::invalid(
            &format!("{:?}", Short(unknown)),
            format_args!("is no argument of {tool}, which takes {all}"),
        ));
    }
    for name in names {
        let value = given.get(*name).ok_or_else(|| {
            ReadError::invalid(name, format_args!("is missing: {tool} needs all of {all}"))
        })?;
        if let Some(wrong) = Kind::of(name).wrong(value) {
            return Err(ReadError::invalid(name, wrong));
        }
    }
    Ok(())
}

/// The arguments, once [`check`] found them to be right.
pub(super) fn read<T: DeserializeOwned>(given: Map<String, Value>) -> Result<T, ReadError> {
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        let reason = Short(&error.to_string()).to_string();
        ReadError::new(Code::InvalidArgument, reason)
    })
}

/// What an argument is, by its name.
#[derive(Clone, Copy)]
enum Kind {
    ChainId,
    Address,
    Block,
    Height,
    Limit,
}

impl Kind {
    fn of(name: &str) -> Self {
        match name {
            "chain_id" => Self::ChainId,
            "block" | "to_block" => Self::Block,
            "from_block" => Self::Height,
            "limit" => Self::Limit,
            _ => Self::Address,
        }
    }

    /// What is wrong with `value`; none when it has the form that it must have.
    fn wrong(self, value: &Value) -> Option<String> {
        let is_right = match self {
            Self::ChainId => value.is_u64(),
            // The rest depends on the chain.
            Self::Address => value.is_string(),
            Self::Block => block(value).is_some(),
            Self::Height => matches!(block(value), Some(Block::Number(_))),
            Self::Limit => value
                .as_u64()
                .is_some_and(|limit| (1..=u64::from(MAX_LIMIT)).contains(&limit)),
        };
        let must = match self {
            Self::ChainId => "must be an integer without quotes, like 1".to_owned(),
            Self::Address => "must be a text of 0x and 40 hex digits".to_owned(),
            Self::Block => {
                "must be a text: a decimal height like \"18\", a block hash, latest, safe or finalized"
                    .to_owned()
            }
            Self::Height => "must be a text that holds a decimal height, like \"18\"".to_owned(),
            Self::Limit => format!("must be an integer from 1 to {MAX_LIMIT}, without quotes"),
        };
        let hint = match (self, value) {
            (Self::Block | Self::Height, Value::Number(number)) if number.is_u64() => {
                format!("; write \"{number}\"")
            }
            (Self::ChainId | Self::Limit, Value::String(text)) if text.parse::<u64>().is_ok() => {
                format!("; write {}", Short(text))
            }
            _ => String::new(),
        };
        (!is_right).then(|| format!("{must}, and is {}{hint}", Found(value)))
    }
}

fn block(value: &Value) -> Option<Block> {
    value.as_str()?.parse().ok()
}

/// The beginning of what a caller wrote, at any length; as `Debug` in quotes and escaped.
struct Short<'a>(&'a str);

impl Short<'_> {
    fn parts(&self) -> (&str, &'static str) {
        match self.0.char_indices().nth(REPEATED) {
            Some((at, _)) => (&self.0[..at], "…"),
            None => (self.0, ""),
        }
    }
}

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (beginning, more) = self.parts();
        write!(f, "{}{more}", beginning.escape_debug())
    }
}

impl fmt::Debug for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (beginning, more) = self.parts();
        write!(f, "{beginning:?}{more}")
    }
}

/// What stands there instead.
struct Found<'a>(&'a Value);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "the number {number}"),
            Value::String(text) => write!(f, "the text {:?}", Short(text)),
            Value::Array(_) => f.write_str("a list"),
            Value::Object(_) => f.write_str("an object"),
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::{JsonSchema, schema_for};
    use serde_json::json;

    use super::super::*;

    const HOLDER: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

    fn arguments(tool: &str) -> Value {
        let all = json!({
            "chain_id": 1, "holder": HOLDER, "token": HOLDER, "pool": HOLDER, "address": HOLDER,
            "block": "18", "from_block": "18", "to_block": "18", "limit": 5,
        });
        let names: &[&str] = match tool {
            "list_recent_transfers" => &["chain_id", "address", "from_block", "to_block", "limit"],
            _ => &["chain_id", "holder", "block"],
        };
        names
            .iter()
            .map(|name| ((*name).to_owned(), all[*name].clone()))
            .collect::<Map<_, _>>()
            .into()
    }

    fn refused(tool: &str, arguments: Value) -> String {
        let Value::Object(arguments) = arguments else {
            unreachable!()
        };
        Request::read(tool, arguments).unwrap_err().message
    }

    #[test]
    fn a_wrong_argument_is_told_what_it_is_and_what_it_must_be() {
        let block = "block must be a text: a decimal height like \"18\", a block hash, latest, safe or finalized, and is ";
        let transfers = "list_recent_transfers";
        let balance = "get_native_balance";
        for (tool, name, value, expected) in [
            (
                balance,
                "chain_id",
                json!("31337"),
                "chain_id must be an integer without quotes, like 1, and is the text \"31337\"; write 31337".to_owned(),
            ),
            (
                balance,
                "chain_id",
                json!(1.5),
                "chain_id must be an integer without quotes, like 1, and is the number 1.5".to_owned(),
            ),
            (
                balance,
                "holder",
                json!(["0x"]),
                "holder must be a text of 0x and 40 hex digits, and is a list".to_owned(),
            ),
            (balance, "block", json!(18), format!("{block}the number 18; write \"18\"")),
            (balance, "block", json!(null), format!("{block}null")),
            (
                balance,
                "block",
                json!("pen\n\u{202e}ding"),
                format!("{block}the text \"pen\\n\\u{{202e}}ding\""),
            ),
            (
                transfers,
                "from_block",
                json!("latest"),
                "from_block must be a text that holds a decimal height, like \"18\", and is the text \"latest\"".to_owned(),
            ),
            (
                transfers,
                "limit",
                json!(501),
                "limit must be an integer from 1 to 500, without quotes, and is the number 501".to_owned(),
            ),
            (
                balance,
                "blok",
                json!("18"),
                "\"blok\" is no argument of get_native_balance, which takes chain_id, holder, block".to_owned(),
            ),
        ] {
            let mut wrong = arguments(tool);
            wrong[name] = value;
            assert_eq!(refused(tool, wrong), expected);
        }
        let mut less = arguments(balance);
        less.as_object_mut().unwrap().remove("block");
        assert_eq!(
            refused(balance, less),
            "block is missing: get_native_balance needs all of chain_id, holder, block"
        );
    }

    /// What is said to be taken is what the schema says, and what is read.
    #[test]
    fn the_arguments_of_each_tool_are_those_of_its_schema() {
        fn names<T: JsonSchema>() -> Vec<String> {
            let schema = schema_for!(T).to_value();
            let properties = schema["properties"].as_object().unwrap();
            let required = schema["required"].as_array().unwrap();
            assert_eq!(properties.len(), required.len());
            let name = |name: &Value| name.as_str().unwrap().to_owned();
            required.iter().map(name).collect()
        }
        for (tool, names) in [
            (GET_NATIVE_BALANCE, names::<NativeBalance>()),
            (GET_ERC20_BALANCE, names::<Erc20Balance>()),
            (GET_TOKEN_METADATA, names::<TokenMetadata>()),
            (GET_POOL_RESERVES, names::<PoolReserves>()),
            (LIST_RECENT_TRANSFERS, names::<RecentTransfers>()),
        ] {
            let message = refused(tool.as_str(), json!({}));
            let expected = format!(
                "chain_id is missing: {} needs all of {}",
                tool.as_str(),
                names.join(", ")
            );
            assert_eq!(message, expected);
        }
    }

    #[test]
    fn a_name_is_not_resolved_and_says_so() {
        let mut named = arguments("get_native_balance");
        named["holder"] = json!("vitalik.eth");
        let Value::Object(named) = named else {
            unreachable!()
        };
        let request = Request::read("get_native_balance", named).unwrap();
        let message = request.check().unwrap_err().message;
        assert!(
            message.starts_with("holder is not a good address"),
            "{message}"
        );
        assert!(
            message.ends_with("; names are not resolved here"),
            "{message}"
        );
    }
}
