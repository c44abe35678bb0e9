//! A node with something on it to read, and what is asked of it.

use std::{num::NonZeroU32, sync::Arc};

use alloy_primitives::{Address, U256, hex};
use alloy_sol_types::{SolCall as _, SolValue as _, sol};
use anyhow::{Context, Result};
use deedbox_chain::{
    ChainConfig, Chains, EndpointConfig, Request,
    config::{MULTICALL3, Secret},
};
use deedbox_core::EndpointId;
use deedbox_neighbours::anvil::{self, Anvil};
use serde_json::{Value, json};

use crate::world::Here;

sol! {
    function mint(address to, uint256 value) external;
    function transferMany(address to, uint256 value, uint256 times) external;
    function balanceOf(address holder) external view returns (uint256);
    function decimals() external view returns (uint8);
    function name() external view returns (string);
    function symbol() external view returns (string);
    function totalSupply() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool);
    function liquidity() external view returns (uint128);
    function fee() external view returns (uint24);
}

/// The chain's id, as the node has it unless it is told otherwise.
const CHAIN: u64 = 31_337;
/// How many transfers the holder has.
const TRANSFERS: u64 = 100;

/// A reading, and the bare calls that fetch the same values: method and parameters, without the block.
pub(crate) type Question = (&'static str, Request, Vec<(&'static str, Value)>);

pub(crate) struct Node {
    anvil: Anvil,
    holder: String,
    token: String,
    other: String,
    pair: String,
    pool: String,
    last: u64,
    /// Those that transferred something.
    transactions: [Value; 2],
}

impl Node {
    pub(crate) fn start() -> Result<Self> {
        let anvil = Anvil::start()?;
        let runtime = anvil::artifact("Multicall3")?["runtime"].take();
        let multicall = hex::encode_prefixed(MULTICALL3.0);
        anvil.rpc("anvil_setCode", json!([multicall, runtime]))?;
        let token = |name: &str| {
            let arguments = (name.as_bytes().to_vec(), b"TKN".to_vec(), 6_u32);
            anvil.deploy("Token", &arguments.abi_encode_params())
        };
        let (token, other) = (token("A token")?, token("Another token")?);
        let holder = anvil.account(0).to_owned();
        let address = |text: &str| text.parse::<Address>().context("an address");
        let (a, b) = (address(&token)?, address(&other)?);
        let send = |to: &str, data: Vec<u8>| anvil.send(&holder, to, &data);
        let to = address(&holder)?;
        let value = U256::from(1_000_000_000_u64);
        let minted = send(&token, mintCall { to, value }.abi_encode())?;
        let many = transferManyCall {
            to: address(anvil.account(1))?,
            value: U256::from(7),
            times: U256::from(TRANSFERS),
        };
        let moved = send(&token, many.abi_encode())?;
        let pair = anvil.deploy("PairV2", &(a, b).abi_encode_params())?;
        let pool = anvil.deploy("PoolV3", &(a, b).abi_encode_params())?;
        // Both are called `set` in the contracts, which one `sol!` cannot have.
        let set = |selector: &str, arguments: Vec<u8>| -> Result<Vec<u8>> {
            let hash = alloy_primitives::keccak256(selector);
            Ok([&hash[..4], &arguments].concat())
        };
        let reserves = (U256::from(5_000), U256::from(6_000)).abi_encode_params();
        send(&pair, set("set(uint112,uint112)", reserves)?)?;
        let price = (U256::from(1) << 96, 0_i32, U256::from(9_000)).abi_encode_params();
        send(&pool, set("set(uint160,int24,uint128)", price)?)?;
        let last = anvil.height()?;
        Ok(Self {
            anvil,
            holder,
            token,
            other,
            pair,
            pool,
            last,
            transactions: [minted, moved].map(|mut receipt| receipt["transactionHash"].take()),
        })
    }

    pub(crate) fn url(&self) -> String {
        self.anvil.url()
    }

    /// Newly configured, as a server is at its start.
    pub(crate) fn chains(&self, multicall: bool, max_concurrent: u32) -> Result<Arc<Chains>> {
        let mut endpoint =
            EndpointConfig::new("local".parse::<EndpointId>()?, Secret::new(self.url()));
        endpoint.max_concurrent = NonZeroU32::new(max_concurrent).context("zero")?;
        let chain = ChainConfig {
            id: CHAIN,
            name: "Local".to_owned(),
            native_symbol: "ETH".to_owned(),
            native_decimals: 18,
            multicall: multicall.then_some(MULTICALL3),
            finality_depth: None,
            endpoints: vec![endpoint],
        };
        Ok(Arc::new(Chains::new(vec![chain], Arc::new(Here))?))
    }

    pub(crate) fn questions(&self) -> Result<Vec<Question>> {
        let holder: Address = self.holder.parse()?;
        let call = |to: &str, data: Vec<u8>| {
            let call = json!({"to": to, "data": hex::encode_prefixed(data)});
            ("eth_call", call)
        };
        let balance = |token: &str| call(token, balanceOfCall { holder }.abi_encode());
        let of_pool = |token: &str| -> Result<_> {
            let holder = self.pool.parse()?;
            Ok(call(token, balanceOfCall { holder }.abi_encode()))
        };
        let (token, pair, pool) = (&self.token, &self.pair, &self.pool);
        let read = |tool: &str, mut arguments: Value| -> Result<Request> {
            arguments["chain_id"] = CHAIN.into();
            if tool != "list_recent_transfers" {
                arguments["block"] = "latest".into();
            }
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            Ok(Request::read(tool, arguments)?)
        };
        let range = json!({"address": self.holder, "from_block": "0", "to_block": self.last.to_string(), "limit": 200});
        let transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
        let padded = format!("0x{:0>64}", &self.holder[2..]);
        let logs = |topics: Value| {
            let to = format!("{:#x}", self.last);
            let filter = json!({"fromBlock": "0x0", "toBlock": to, "topics": topics});
            ("eth_getLogs", filter)
        };
        let sender = |hash: &Value| ("eth_getTransactionByHash", hash.clone());
        Ok(vec![
            (
                "native balance",
                read("get_native_balance", json!({"holder": self.holder}))?,
                vec![("eth_getBalance", self.holder.as_str().into())],
            ),
            (
                "ERC-20 balance",
                read(
                    "get_erc20_balance",
                    json!({"holder": self.holder, "token": token}),
                )?,
                vec![balance(token), call(token, decimalsCall {}.abi_encode())],
            ),
            (
                "token metadata",
                read("get_token_metadata", json!({"token": token}))?,
                vec![
                    call(token, nameCall {}.abi_encode()),
                    call(token, symbolCall {}.abi_encode()),
                    call(token, decimalsCall {}.abi_encode()),
                    call(token, totalSupplyCall {}.abi_encode()),
                ],
            ),
            (
                "V2 reserves",
                read("get_pool_reserves", json!({"pool": pair}))?,
                vec![
                    call(pair, getReservesCall {}.abi_encode()),
                    call(pair, token0Call {}.abi_encode()),
                    call(pair, token1Call {}.abi_encode()),
                ],
            ),
            (
                "V3 price and balances",
                read("get_pool_reserves", json!({"pool": pool}))?,
                vec![
                    call(pool, slot0Call {}.abi_encode()),
                    call(pool, liquidityCall {}.abi_encode()),
                    call(pool, feeCall {}.abi_encode()),
                    call(pool, token0Call {}.abi_encode()),
                    call(pool, token1Call {}.abi_encode()),
                    of_pool(token)?,
                    of_pool(&self.other)?,
                ],
            ),
            (
                "101 transfers",
                read("list_recent_transfers", range)?,
                [
                    vec![
                        logs(json!([transfer, padded])),
                        logs(json!([transfer, null, padded])),
                    ],
                    // Who sent them is part of the answer.
                    self.transactions.iter().map(sender).collect(),
                ]
                .concat(),
            ),
        ])
    }
}
