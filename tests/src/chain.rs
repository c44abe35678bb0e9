//! A real node, and every way to read it.

use std::{num::NonZeroU32, sync::Arc};

use alloy_primitives::{Address, U256, keccak256};
use alloy_sol_types::{SolType, SolValue, abi::token::TokenSeq};
use anyhow::{Result, bail, ensure};
use deedbox_chain::{
    ChainConfig, Chains, Code, EndpointConfig, ReadError, Request,
    config::{MULTICALL3, Secret},
};
use deedbox_core::{EndpointId, Reading};
use deedbox_neighbours::anvil::{Anvil, artifact};
use serde_json::{Map, Value, json};

use crate::memory::Clock;

/// The id of the node's chain.
pub const CHAIN: u64 = 31_337;

/// How calls reach the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All calls of an answer in one, through Multicall3.
    Multicall,
    /// In one batch of requests.
    Batch,
    /// One request after the other, and logs of two blocks at a time.
    Single,
}

impl Way {
    /// All of them. They must give the same answers.
    pub const ALL: [Self; 3] = [Self::Multicall, Self::Batch, Self::Single];
}

/// The one chain at `url`, read in one way.
///
/// # Errors
/// When the URL is none.
pub fn chains(url: &str, way: Way) -> Result<Chains> {
    with_multicall(url, way == Way::Multicall, |endpoint| {
        if way == Way::Single {
            endpoint.max_batch = NonZeroU32::MIN;
            endpoint.max_log_blocks = NonZeroU32::new(2);
        }
    })
}

/// The one chain at `url`, whose endpoint bears what `change` says.
///
/// # Errors
/// When the URL is none.
pub fn chains_with(url: &str, change: impl FnOnce(&mut EndpointConfig)) -> Result<Chains> {
    with_multicall(url, false, change)
}

fn with_multicall(
    url: &str,
    multicall: bool,
    change: impl FnOnce(&mut EndpointConfig),
) -> Result<Chains> {
    let mut endpoint = EndpointConfig::new(EndpointId::known("anvil"), Secret::new(url));
    change(&mut endpoint);
    let config = ChainConfig {
        id: CHAIN,
        name: "Anvil".to_owned(),
        native_symbol: "ETH".to_owned(),
        native_decimals: 18,
        multicall: multicall.then_some(MULTICALL3),
        finality_depth: None,
        endpoints: vec![endpoint],
    };
    Ok(Chains::new(vec![config], Arc::new(Clock))?)
}

/// Arguments of a contract's function: a tuple.
pub trait Arguments {
    /// As the ABI encodes them.
    fn encoded(&self) -> Vec<u8>;
}

impl<T: SolValue> Arguments for T
where
    for<'a> <T::SolType as SolType>::Token<'a>: TokenSeq<'a>,
{
    fn encoded(&self) -> Vec<u8> {
        self.abi_encode_params()
    }
}

/// A call's data: the selector of `signature` and its arguments, a tuple.
#[must_use]
pub fn call(signature: &str, arguments: impl Arguments) -> Vec<u8> {
    let selector = &keccak256(signature)[..4];
    [selector, &arguments.encoded()].concat()
}

/// A running node with Multicall3 where it stands on other chains.
#[derive(Debug)]
pub struct Node {
    anvil: Anvil,
    ways: [(Way, Chains); 3],
}

impl Node {
    /// Starts one.
    ///
    /// # Errors
    /// When it is not installed, or does not start.
    pub fn start() -> Result<Self> {
        Self::start_with(&[])
    }

    /// Starts one with arguments of its own.
    ///
    /// # Errors
    /// As [`Node::start`].
    pub fn start_with(args: &[&str]) -> Result<Self> {
        let anvil = Anvil::start_with(args)?;
        let [multicall, batch, single] = Way::ALL;
        let chains = |way| Ok::<_, anyhow::Error>((way, chains(&anvil.url(), way)?));
        let ways = [chains(multicall)?, chains(batch)?, chains(single)?];
        let node = Self { anvil, ways };
        let code = artifact("Multicall3")?["runtime"].take();
        node.set_code(&MULTICALL3.to_string(), code)?;
        // From now on there are blocks at which it stands there.
        node.anvil.mine(1)?;
        Ok(node)
    }

    /// The node itself.
    #[must_use]
    pub fn anvil(&self) -> &Anvil {
        &self.anvil
    }

    /// One of its accounts.
    ///
    /// # Panics
    /// When there is no such account.
    #[must_use]
    pub fn account(&self, index: usize) -> &str {
        self.anvil.account(index)
    }

    /// Deploys a contract of `contracts/fixtures`; `arguments` are a tuple.
    ///
    /// # Errors
    /// When it cannot be deployed.
    pub fn deploy(&self, contract: &str, arguments: impl Arguments) -> Result<String> {
        self.anvil.deploy(contract, &arguments.encoded())
    }

    /// Deploys a token with ordinary texts, 6 decimals and `amount` of it minted to the first account.
    ///
    /// # Errors
    /// When it cannot be deployed.
    pub fn token(&self, amount: u64) -> Result<String> {
        let texts = (b"Test Dollar".to_vec(), b"TUSD".to_vec());
        let token = self.deploy("Token", (bytes(texts.0), bytes(texts.1), U256::from(6)))?;
        let holder = address(self.account(0))?;
        self.send(
            0,
            &token,
            "mint(address,uint256)",
            (holder, U256::from(amount)),
        )?;
        Ok(token)
    }

    /// Sends a transaction of one of its accounts, which makes a block.
    ///
    /// # Errors
    /// When it reverts.
    pub fn send(
        &self,
        from: usize,
        to: &str,
        signature: &str,
        arguments: impl Arguments,
    ) -> Result<Value> {
        let from = self.account(from);
        self.anvil.send(from, to, &call(signature, arguments))
    }

    /// Puts code at an address.
    ///
    /// # Errors
    /// When the node does not.
    pub fn set_code(&self, address: &str, code: Value) -> Result<()> {
        self.anvil
            .rpc("anvil_setCode", json!([address, code]))
            .map(drop)
    }

    /// Takes a reading in every way.
    ///
    /// # Errors
    /// When two ways do not say the same; with what they said.
    pub async fn read(&self, tool: &str, arguments: Value) -> Result<Result<Reading, ReadError>> {
        let Value::Object(mut arguments) = arguments else {
            bail!("arguments are an object: {arguments}");
        };
        arguments.insert("chain_id".to_owned(), CHAIN.into());
        let mut answers = Vec::new();
        for (way, chains) in &self.ways {
            let answer = match Request::read(tool, arguments.clone()) {
                Ok(request) => chains.read(&request).await,
                Err(error) => Err(error),
            };
            answers.push((way, answer));
        }
        let (_, first) = answers.swap_remove(0);
        for (way, answer) in answers {
            let is_same = match (&first, &answer) {
                (Err(first), Err(answer)) => first.code == answer.code,
                (first, answer) => first == answer,
            };
            ensure!(is_same, "{first:?}, but {way:?} says {answer:?}");
        }
        Ok(first)
    }

    /// The data of a reading that must succeed.
    ///
    /// # Errors
    /// When it does not.
    pub async fn data(&self, tool: &str, arguments: Value) -> Result<Map<String, Value>> {
        Ok(self.read(tool, arguments).await??.data)
    }

    /// The code of a reading that must fail.
    ///
    /// # Errors
    /// When it does not; with what was read.
    pub async fn fault(&self, tool: &str, arguments: Value) -> Result<(Code, String)> {
        match self.read(tool, arguments).await? {
            Ok(reading) => bail!("was read: {:?}", reading.data),
            Err(ReadError { code, message }) => Ok((code, message)),
        }
    }
}

/// An address, as arguments of contracts take it.
///
/// # Errors
/// When it is none.
pub fn address(text: &str) -> Result<Address> {
    Ok(text.parse()?)
}

/// Bytes, as arguments of contracts take them.
#[must_use]
pub fn bytes(bytes: impl Into<Vec<u8>>) -> alloy_primitives::Bytes {
    bytes.into().into()
}

/// An address as answers write it: with its EIP-55 checksum.
///
/// # Errors
/// When it is none.
pub fn checksummed(text: &str) -> Result<String> {
    Ok(address(text)?.to_checksum(None))
}
