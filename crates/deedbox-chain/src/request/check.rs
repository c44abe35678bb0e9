//! Arguments that are known to be right: addresses with the chain's own checksum, ranges the right way round.

use deedbox_core::ToolName;
use deedbox_id::{Address, Checksum, EvmChain};
use serde_json::{Map, Value};

use super::{AddressText, Block, Height, Request};
use crate::ReadError;

/// The most transfers that one page is asked for.
pub(super) const MAX_LIMIT: u32 = 500;

/// A [`Request`] whose every argument can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    tool: ToolName,
    chain_id: u64,
    block: Block,
    checksum: Checksum,
    ask: Ask,
}

/// What is asked, apart from the chain and the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// `get_native_balance`
    NativeBalance {
        /// Whose.
        holder: Address,
    },
    /// `get_erc20_balance`
    Erc20Balance {
        /// Whose.
        holder: Address,
        /// Of which token.
        token: Address,
    },
    /// `get_token_metadata`
    TokenMetadata {
        /// Of which token.
        token: Address,
    },
    /// `get_pool_reserves`
    PoolReserves {
        /// Of which pool.
        pool: Address,
    },
    /// `list_recent_transfers`
    RecentTransfers {
        /// Whose, in and out.
        address: Address,
        /// The height of the first block.
        from_block: u64,
        /// How many at most, 1 to 500.
        limit: u32,
    },
}

impl Request {
    /// Checks what depends on the chain, or on two arguments at once: checksums of addresses (EIP-55, or EIP-1191 on
    /// chains that use it), `limit`, and `from_block` against `to_block` where both are heights.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Code::InvalidArgument), naming the argument. A wrong checksum is never corrected.
    pub fn check(&self) -> Result<Checked, ReadError> {
        let chain_id = self.chain_id();
        let chain = EvmChain::try_from(chain_id)
            .map_err(|_| ReadError::invalid("chain_id", "must be 1 or more: 0 is no chain"))?;
        let checksum = Checksum::of(chain);
        let read = |name: &str, text: &AddressText| {
            Address::parse(&text.0, checksum).map_err(|error| {
                let is_name = !text.0.starts_with("0x");
                let hint = if is_name {
                    "; names are not resolved here"
                } else {
                    ""
                };
                ReadError::invalid(name, format_args!("is not a good address: {error}{hint}"))
            })
        };
        let ask = match self {
            Self::NativeBalance(r) => Ask::NativeBalance {
                holder: read("holder", &r.holder)?,
            },
            Self::Erc20Balance(r) => Ask::Erc20Balance {
                holder: read("holder", &r.holder)?,
                token: read("token", &r.token)?,
            },
            Self::TokenMetadata(r) => Ask::TokenMetadata {
                token: read("token", &r.token)?,
            },
            Self::PoolReserves(r) => Ask::PoolReserves {
                pool: read("pool", &r.pool)?,
            },
            Self::RecentTransfers(r) => Ask::RecentTransfers {
                address: read("address", &r.address)?,
                from_block: first_height(r.from_block, r.to_block)?,
                limit: limit(r.limit)?,
            },
        };
        Ok(Checked {
            tool: self.tool(),
            chain_id,
            block: self.block(),
            checksum,
            ask,
        })
    }
}

fn first_height(Height(first): Height, to: Block) -> Result<u64, ReadError> {
    match to {
        Block::Number(last) if last < first => Err(reversed(first, last)),
        _ => Ok(first),
    }
}

/// The error for a range that ends before it begins.
pub(crate) fn reversed(first: u64, last: u64) -> ReadError {
    ReadError::invalid(
        "from_block",
        format_args!("is {first}, which is above to_block, {last}"),
    )
}

fn limit(limit: u32) -> Result<u32, ReadError> {
    (1..=MAX_LIMIT)
        .contains(&limit)
        .then_some(limit)
        .ok_or_else(|| ReadError::invalid("limit", format_args!("must be 1 to {MAX_LIMIT}")))
}

impl Checked {
    /// Which tool it is.
    #[must_use]
    pub const fn tool(&self) -> &ToolName {
        &self.tool
    }

    /// On which chain.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// The block of the reading; of a range, its last.
    #[must_use]
    pub const fn block(&self) -> Block {
        self.block
    }

    /// What is asked there.
    #[must_use]
    pub const fn ask(&self) -> Ask {
        self.ask
    }

    /// The checksum that is customary on the chain, with which addresses are written.
    #[must_use]
    pub const fn checksum(&self) -> Checksum {
        self.checksum
    }

    /// The arguments as a reading keeps them: addresses with their checksums, numbers as numbers, blocks as they were
    /// given.
    #[must_use]
    pub fn arguments(&self) -> Map<String, Value> {
        let shown = |address: Address| Value::from(address.to_checksummed(self.checksum));
        let block = self.block.to_string();
        let mut arguments = Map::new();
        let mut put = |name: &str, value: Value| arguments.insert(name.to_owned(), value);
        put("chain_id", self.chain_id.into());
        match self.ask {
            Ask::NativeBalance { holder } => {
                put("holder", shown(holder));
                put("block", block.into());
            }
            Ask::Erc20Balance { holder, token } => {
                put("holder", shown(holder));
                put("token", shown(token));
                put("block", block.into());
            }
            Ask::TokenMetadata { token } => {
                put("token", shown(token));
                put("block", block.into());
            }
            Ask::PoolReserves { pool } => {
                put("pool", shown(pool));
                put("block", block.into());
            }
            Ask::RecentTransfers {
                address,
                from_block,
                limit,
            } => {
                put("address", shown(address));
                put("from_block", from_block.to_string().into());
                put("to_block", block.into());
                put("limit", limit.into());
            }
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Code;

    const VITALIK: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

    fn check(tool: &str, arguments: Value) -> Result<Checked, ReadError> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        Request::read(tool, arguments)?.check()
    }

    fn refused(tool: &str, arguments: Value) -> String {
        let error = check(tool, arguments).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
        error.message
    }

    #[test]
    fn arguments_are_kept_with_checksums_and_blocks_as_given() {
        let lower = VITALIK.to_lowercase();
        let checked = check(
            "get_erc20_balance",
            json!({"chain_id": 1, "holder": lower, "token": VITALIK, "block": "latest"}),
        )
        .unwrap();
        let kept = json!({"chain_id": 1, "holder": VITALIK, "token": VITALIK, "block": "latest"});
        assert_eq!(Value::Object(checked.arguments()), kept);

        let checked = check(
            "list_recent_transfers",
            json!({"chain_id": 1, "address": lower, "from_block": "7", "to_block": "7", "limit": 500}),
        )
        .unwrap();
        let kept = json!({"chain_id": 1, "address": VITALIK, "from_block": "7", "to_block": "7", "limit": 500});
        assert_eq!(Value::Object(checked.arguments()), kept);
    }

    #[test]
    fn a_wrong_checksum_is_refused_with_the_name_of_its_argument() {
        let wrong = VITALIK.replace("aA96045", "aa96045");
        let message = refused(
            "get_erc20_balance",
            json!({"chain_id": 1, "holder": VITALIK, "token": wrong, "block": "latest"}),
        );
        assert!(
            message.starts_with("token ") && message.contains("EIP-55"),
            "{message}"
        );
    }

    /// The examples of EIP-1191 itself.
    #[test]
    fn rootstock_has_its_own_checksum() {
        let of = |chain: u64, address: &str| {
            let block = "latest";
            check(
                "get_native_balance",
                json!({"chain_id": chain, "holder": address, "block": block}),
            )
        };
        let on_30 = "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD";
        let on_1 = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        assert_eq!(of(30, on_30).unwrap().arguments()["holder"], on_30);
        assert_eq!(
            of(30, &on_1.to_lowercase()).unwrap().arguments()["holder"],
            on_30
        );
        assert_eq!(of(1, on_1).unwrap().arguments()["holder"], on_1);
        of(30, on_1).unwrap_err();
        of(1, on_30).unwrap_err();
    }

    #[test]
    fn ranges_and_limits_are_checked() {
        let of = |from: &str, to: &str, limit: i64| json!({"chain_id": 1, "address": VITALIK, "from_block": from, "to_block": to, "limit": limit});
        let list = "list_recent_transfers";
        for good in [of("0", "0", 1), of("9", "latest", 500), of("9", "10", 1)] {
            check(list, good).unwrap();
        }
        for (bad, names) in [
            (of("10", "9", 1), "from_block"),
            (of("latest", "latest", 1), "from_block"),
            (of("0", "9", 0), "limit"),
            (of("0", "9", 501), "limit"),
            (of("0", "9", -1), "limit"),
            (of("0", "09", 1), "to_block"),
        ] {
            let message = refused(list, bad);
            assert!(message.starts_with(names), "{message}");
        }
    }

    #[test]
    fn every_argument_is_required_and_no_other_is_taken() {
        let good = json!({"chain_id": 1, "holder": VITALIK, "block": "latest"});
        for name in ["chain_id", "holder", "block"] {
            let mut arguments = good.clone();
            arguments.as_object_mut().unwrap().remove(name);
            let message = refused("get_native_balance", arguments);
            assert!(message.contains(name), "{message}");
        }
        for (name, value) in [
            ("chain_id", json!("1")),
            ("chain_id", json!(0)),
            ("chain_id", json!(1.5)),
            ("holder", json!(7)),
            ("holder", json!("vitalik.eth")),
            ("block", json!(19_000_000)),
            ("block", json!("pending")),
            ("block", json!("0x12")),
            ("blok", json!("latest")),
        ] {
            let mut arguments = good.clone();
            arguments[name] = value;
            let message = refused("get_native_balance", arguments);
            assert!(message.contains(name), "{name}: {message}");
        }
    }

    #[test]
    fn a_refusal_repeats_no_long_text() {
        let long = "x".repeat(100_000);
        let mut arguments = json!({"chain_id": 1, "holder": long, "block": "latest"});
        assert!(refused("get_native_balance", arguments.clone()).len() < 2000);
        arguments[&long] = json!(1);
        assert!(refused("get_native_balance", arguments).len() < 2000);
    }
}
