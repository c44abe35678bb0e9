//! A node, and what transactions and calls to it cost.

use alloy_primitives::{Address, Bytes, hex};
use alloy_sol_types::SolCall;
use anyhow::{Context, Result, ensure};
use deedbox_neighbours::anvil::{self, Anvil};
use serde_json::{Value, json};

/// More than any transaction here needs.
const GAS: &str = "0xf00000";

/// Metadata, as ERC-8122 has it: key and value.
pub(crate) type Entry = (String, Bytes);

pub(crate) struct Node {
    anvil: Anvil,
}

impl Node {
    pub(crate) fn start() -> Result<Self> {
        let anvil = Anvil::start()?;
        Ok(Self { anvil })
    }

    pub(crate) fn account(&self, index: usize) -> Result<Address> {
        Ok(self.anvil.account(index).parse()?)
    }

    /// Deploys a contract from the first account: its address, and the gas on the receipt.
    pub(crate) fn deploy(&self, contract: &str, arguments: &[u8]) -> Result<(Address, u64)> {
        let artifact = anvil::artifact(contract)?;
        let code = artifact["bytecode"].as_str().context("no bytecode")?;
        let receipt = self
            .anvil
            .create(&format!("{code}{}", hex::encode(arguments)))?;
        let address = receipt["contractAddress"].as_str();
        Ok((
            address.context("no address")?.parse()?,
            quantity(&receipt["gasUsed"])?,
        ))
    }

    /// Sends a transaction: the gas on its receipt, with what every transaction costs, and its calldata.
    pub(crate) fn send(&self, from: Address, to: Address, call: &impl SolCall) -> Result<u64> {
        let from = from.to_string().to_lowercase();
        let receipt = self
            .anvil
            .send(&from, &to.to_string(), &call.abi_encode())?;
        quantity(&receipt["gasUsed"])
    }

    /// What a call costs without what every transaction costs and without its calldata, and what it returns. The node traces it, and
    /// says what a transaction with it would have used; nothing was touched before.
    pub(crate) fn view<C: SolCall>(&self, to: Address, call: &C) -> Result<(u64, C::Return)> {
        let data = call.abi_encode();
        let request = json!({
            "from": self.anvil.account(0), "to": to.to_string(),
            "data": hex::encode_prefixed(&data), "gas": GAS,
        });
        let options = json!({"disableStack": true, "disableStorage": true, "enableMemory": false});
        let trace = self
            .anvil
            .rpc("debug_traceCall", json!([request, "latest", options]))?;
        ensure!(
            trace["failed"] == false,
            "the call failed: {}",
            trace["returnValue"]
        );
        let returned = trace["returnValue"].as_str().context("no return value")?;
        let gas = trace["gas"].as_u64().context("no gas")?;
        let spent = gas
            .checked_sub(intrinsic(&data))
            .context("less than a transaction costs")?;
        Ok((spent, C::abi_decode_returns(&hex::decode(returned)?)?))
    }
}

/// What a transaction costs before it does anything: 21,000, and 4 or 16 for each byte of calldata (EIP-2028).
fn intrinsic(data: &[u8]) -> u64 {
    let bytes = data.iter().map(|byte| if *byte == 0 { 4 } else { 16 });
    21_000 + bytes.sum::<u64>()
}

fn quantity(value: &Value) -> Result<u64> {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
    Ok(u64::from_str_radix(digits.context("no quantity")?, 16)?)
}
