//! A real EVM node of our own: `anvil` on a free loopback port, with compiled contracts to deploy.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::{printed::Lines, process, tools};

/// How long it may take to start: 70 ms on an idle machine.
const READY: Duration = Duration::from_secs(60);
/// How long one request may take.
const ANSWER: Duration = Duration::from_secs(60);
/// What every transaction may use: less than the most that one may have (EIP-7825).
const GAS: &str = "0xf00000";

/// The private keys of its accounts. Everybody knows them: they are those of the mnemonic with which Foundry and Hardhat begin.
const KEYS: [&str; 6] = [
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
];

/// A running node, whose every transaction makes a block. Killed when dropped.
#[derive(Debug)]
pub struct Anvil {
    child: Child,
    address: String,
    accounts: Vec<String>,
}

impl Anvil {
    /// Starts a node of the newest fork that it knows.
    ///
    /// # Errors
    /// When it is not installed, or does not start.
    pub fn start() -> Result<Self> {
        Self::start_with(&[])
    }

    /// Starts a node with arguments of its own, for example `["--hardfork", "shanghai"]`.
    ///
    /// # Errors
    /// As [`Anvil::start`].
    pub fn start_with(args: &[&str]) -> Result<Self> {
        let mut command: Command = process::tethered(tools::foundry("anvil")?);
        command
            .args(["--port", "0", "--accounts", "6"])
            .args(args)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = process::spawn(command).context("anvil could not be run")?;
        let lines = Arc::new(Lines::default());
        if let Some(stdout) = child.stdout.take() {
            lines.drain(stdout);
        }
        if let Some(stderr) = child.stderr.take() {
            lines.drain(stderr);
        }
        let mut anvil = Self {
            child,
            address: String::new(),
            accounts: Vec::new(),
        };
        const STARTED: &str = "Listening on ";
        let line = lines
            .wait(STARTED, READY)
            .with_context(|| format!("anvil does not listen; it printed:\n{}", lines.text()))?;
        line[STARTED.len()..].trim().clone_into(&mut anvil.address);
        anvil.accounts = serde_json::from_value(anvil.rpc("eth_accounts", json!([]))?)?;
        Ok(anvil)
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// One of the six accounts that it signs for, each with 10,000 of its currency. In lower case.
    ///
    /// # Panics
    /// When there is no such account.
    #[must_use]
    pub fn account(&self, index: usize) -> &str {
        &self.accounts[index]
    }

    /// The private key of the account with the same index, for who signs for himself.
    ///
    /// # Panics
    /// When there is no such account.
    #[must_use]
    pub const fn key(index: usize) -> &'static str {
        KEYS[index]
    }

    /// Whether every transaction makes a block at once, as at the beginning, or waits for [`Anvil::mine`].
    ///
    /// # Errors
    /// When it does not do so.
    pub fn mine_at_once(&self, at_once: bool) -> Result<()> {
        self.rpc("evm_setAutomine", json!([at_once])).map(drop)
    }

    /// Calls a method and returns its result.
    ///
    /// # Errors
    /// When it answers with an error, with what that is.
    pub fn rpc(&self, method: &str, params: Value) -> Result<Value> {
        match self.ask(method, params)? {
            Ok(result) => Ok(result),
            Err(error) => bail!("{method}: {error}"),
        }
    }

    /// Calls a method and returns its result, or the error object that it answers with: a revert has its data there.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn ask(&self, method: &str, params: Value) -> Result<Result<Value, Value>> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut answer = self.post(&request.to_string())?;
        Ok(match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(answer["result"].take()),
        })
    }

    fn post(&self, body: &str) -> Result<Value> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(ANSWER))?;
        write!(
            stream,
            "POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("no HTTP answer")?;
        ensure!(head.starts_with("HTTP/1.1 200"), "anvil answered {head}");
        serde_json::from_str(body).context("anvil answered no JSON")
    }

    /// Deploys a contract that was compiled ([`artifact`]) from the first account, and returns its address in lower case. `arguments` are
    /// those of its constructor, ABI-encoded.
    ///
    /// # Errors
    /// When there is no such contract, or its constructor reverts.
    pub fn deploy(&self, contract: &str, arguments: &[u8]) -> Result<String> {
        let code = artifact(contract)?["bytecode"]
            .as_str()
            .context("no bytecode")?
            .to_owned();
        let receipt = self.create(&format!("{code}{}", &hex(arguments)[2..]))?;
        let address = receipt["contractAddress"].as_str();
        Ok(address.context("no address")?.to_lowercase())
    }

    /// Deploys what `code` makes (hex; a contract's bytecode and its constructor's arguments) from the first account, and returns
    /// the receipt.
    ///
    /// # Errors
    /// When its constructor reverts.
    pub fn create(&self, code: &str) -> Result<Value> {
        self.transact(json!({"from": self.account(0), "data": code, "gas": GAS}))
    }

    /// Sends a transaction that calls a contract, and returns its receipt.
    ///
    /// # Errors
    /// When it reverts.
    pub fn send(&self, from: &str, to: &str, data: &[u8]) -> Result<Value> {
        self.transact(json!({"from": from, "to": to, "data": hex(data), "gas": GAS}))
    }

    fn transact(&self, transaction: Value) -> Result<Value> {
        let receipt = self.include(&transaction)?;
        ensure!(
            receipt["status"] == "0x1",
            "the transaction failed: {receipt}"
        );
        Ok(receipt)
    }

    /// Sends a transaction of one of its accounts, and returns its receipt, also when it reverted. It must say how much gas it may use.
    ///
    /// # Errors
    /// When it is not accepted.
    pub fn include(&self, transaction: &Value) -> Result<Value> {
        let hash = self.rpc("eth_sendTransaction", json!([transaction]))?;
        self.receipt(&hash)
    }

    /// The transaction is accepted before its block is made.
    fn receipt(&self, hash: &Value) -> Result<Value> {
        let end = Instant::now() + ANSWER;
        loop {
            let receipt = self.rpc("eth_getTransactionReceipt", json!([hash]))?;
            if !receipt.is_null() {
                return Ok(receipt);
            }
            ensure!(Instant::now() < end, "transaction {hash} is in no block");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// The height of its newest block.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn height(&self) -> Result<u64> {
        let height = self.rpc("eth_blockNumber", json!([]))?;
        let digits = height.as_str().and_then(|height| height.strip_prefix("0x"));
        Ok(u64::from_str_radix(digits.context("no height")?, 16)?)
    }

    /// Makes empty blocks.
    ///
    /// # Errors
    /// When it does not.
    pub fn mine(&self, blocks: u64) -> Result<()> {
        self.rpc("anvil_mine", json!([format!("{blocks:#x}")]))
            .map(drop)
    }

    /// Replaces its newest blocks by as many empty ones.
    ///
    /// # Errors
    /// When it has not so many.
    pub fn reorg(&self, depth: u64) -> Result<()> {
        self.rpc("anvil_reorg", json!([depth, []])).map(drop)
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What was compiled of a contract: `{"abi", "bytecode", …}`, codes in hex. One of `contracts/fixtures`, else one that we ship.
///
/// # Errors
/// When there is no such contract.
pub fn artifact(contract: &str) -> Result<Value> {
    let path = tools::contracts().join("fixtures/artifacts.json");
    let mut all: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    let artifact = all[contract].take();
    if !artifact.is_null() {
        return Ok(artifact);
    }
    let path = tools::registry_artifacts().join(format!("{contract}.json"));
    let text =
        fs::read_to_string(path).with_context(|| format!("there is no contract {contract}"))?;
    Ok(serde_json::from_str(&text)?)
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
    "0x".chars().chain(digits).collect()
}
