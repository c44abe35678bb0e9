//! The registries that we ship, deployed on a real node from the artifacts that programs embed.

use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use alloy_sol_types::SolValue;
use anyhow::{Context, Result, ensure};
use deedbox_neighbours::anvil::Anvil;
use serde_json::{Value, json};

use crate::chain::{Arguments, address, call};

/// What a call returned, or the data that it reverted with.
pub type Outcome = Result<Vec<u8>, Vec<u8>>;

/// A piece of metadata, as arguments of contracts take it: key and value.
pub type Entry = (String, Bytes);

/// The most gas that a transaction may have (EIP-7825), nearly.
const PLENTY: u64 = 16_000_000;

/// A piece of metadata.
#[must_use]
pub fn entry(key: &str, value: impl AsRef<[u8]>) -> Entry {
    (key.to_owned(), value.as_ref().to_vec().into())
}

/// A contract on a node.
#[derive(Clone, Copy, Debug)]
pub struct Contract<'a> {
    node: &'a Anvil,
    address: Address,
}

/// A transaction that was included.
#[derive(Debug)]
pub struct Included {
    /// Whether it did not revert.
    pub succeeded: bool,
    /// What it logged.
    pub logs: Vec<Log>,
    /// Gas used, refunds taken off.
    pub gas_used: u64,
}

/// A log.
#[derive(Debug, PartialEq, Eq)]
pub struct Log {
    /// The hash of the event's signature, and what it indexes.
    pub topics: Vec<B256>,
    /// The rest, ABI-encoded.
    pub data: Bytes,
}

/// The log of an event with indexed words and, ABI-encoded, the rest.
#[must_use]
pub fn log(signature: &str, indexed: &[B256], rest: impl Arguments) -> Log {
    let topics = [&[keccak256(signature)], indexed].concat();
    Log {
        topics,
        data: rest.encoded().into(),
    }
}

impl<'a> Contract<'a> {
    /// Deploys one from the node's first account.
    ///
    /// # Errors
    /// When its constructor reverts.
    pub fn deploy(node: &'a Anvil, name: &str, arguments: impl Arguments) -> Result<Self> {
        let address = address(&node.deploy(name, &arguments.encoded())?)?;
        Ok(Self { node, address })
    }

    /// One that is there already.
    #[must_use]
    pub fn at(node: &'a Anvil, address: Address) -> Self {
        Self { node, address }
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> Address {
        self.address
    }

    /// Calls a function as one of the node's accounts, and keeps nothing of it.
    ///
    /// # Errors
    /// When the node does not answer.
    pub fn call(&self, from: usize, signature: &str, arguments: impl Arguments) -> Result<Outcome> {
        let request = self.transaction(from, &call(signature, arguments), PLENTY);
        Ok(
            match self.node.ask("eth_call", json!([request, "latest"]))? {
                Ok(data) => Ok(hex::decode(data.as_str().context("no data")?)?),
                Err(error) => {
                    let data = error["data"].as_str();
                    Err(hex::decode(data.with_context(|| error.to_string())?)?)
                }
            },
        )
    }

    /// What a view returns.
    ///
    /// # Errors
    /// When it reverts, or returns another type.
    pub fn read<T>(&self, signature: &str, arguments: impl Arguments) -> Result<T>
    where
        T: SolValue + From<<T::SolType as alloy_sol_types::SolType>::RustType>,
    {
        let data = self.call(0, signature, arguments)?;
        let data = data.map_err(|data| anyhow::anyhow!("{signature}: {}", hex::encode(data)))?;
        Ok(T::abi_decode(&data)?)
    }

    /// What a call that must revert reverts with.
    ///
    /// # Errors
    /// When it does not.
    pub fn fault(
        &self,
        from: usize,
        signature: &str,
        arguments: impl Arguments,
    ) -> Result<Vec<u8>> {
        let outcome = self.call(from, signature, arguments)?;
        outcome
            .err()
            .with_context(|| format!("{signature} did not revert"))
    }

    /// Sends a transaction of one of the node's accounts that must not revert.
    ///
    /// # Errors
    /// When it does.
    pub fn send(
        &self,
        from: usize,
        signature: &str,
        arguments: impl Arguments,
    ) -> Result<Vec<Log>> {
        let included = self.send_with(from, &call(signature, arguments), PLENTY)?;
        ensure!(included.succeeded, "{signature} reverted");
        Ok(included.logs)
    }

    /// Sends a transaction with so much gas.
    ///
    /// # Errors
    /// When the node does not take it; that it reverts is none.
    pub fn send_with(&self, from: usize, data: &[u8], gas: u64) -> Result<Included> {
        let receipt = self.node.include(&self.transaction(from, data, gas))?;
        let gas_used = receipt["gasUsed"].as_str().context("no gas")?;
        let logs = receipt["logs"].as_array().context("no logs")?;
        let logs = logs.iter().map(|log| {
            Ok(Log {
                topics: log["topics"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|topic| Ok(topic.as_str().context("a topic")?.parse()?))
                    .collect::<Result<_>>()?,
                data: log["data"].as_str().context("no data")?.parse()?,
            })
        });
        Ok(Included {
            succeeded: receipt["status"] == "0x1",
            logs: logs.collect::<Result<_>>()?,
            gas_used: u64::from_str_radix(gas_used.trim_start_matches("0x"), 16)?,
        })
    }

    fn transaction(&self, from: usize, data: &[u8], gas: u64) -> Value {
        json!({
            "from": self.node.account(from),
            "to": self.address.to_string(),
            "data": hex::encode_prefixed(data),
            "gas": format!("{gas:#x}"),
        })
    }
}

/// A number, as arguments of contracts take it.
#[must_use]
pub fn number(number: u64) -> U256 {
    U256::from(number)
}

/// A number, as a topic.
#[must_use]
pub fn word(number: u64) -> B256 {
    U256::from(number).into()
}
