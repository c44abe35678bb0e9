//! What somebody does who only wants the numbers: one call after the other, over one connection.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

pub(crate) struct Bare {
    client: reqwest::Client,
    url: String,
}

impl Bare {
    pub(crate) fn new(url: String) -> Result<Self> {
        let client = reqwest::Client::builder().no_proxy().build()?;
        Ok(Self { client, url })
    }

    /// The values alone, at whatever block is the newest at each call.
    pub(crate) async fn ask(&self, calls: &[(&'static str, Value)]) -> Result<()> {
        for (method, first) in calls {
            let params = match *method {
                "eth_getLogs" | "eth_getTransactionByHash" => json!([first]),
                _ => json!([first, "latest"]),
            };
            self.one(method, params).await?;
        }
        Ok(())
    }

    /// The values, and number, hash and time of the newest block, which a reading tells too.
    pub(crate) async fn ask_with_block(&self, calls: &[(&'static str, Value)]) -> Result<()> {
        self.one("eth_getBlockByNumber", json!(["latest", false]))
            .await?;
        self.ask(calls).await
    }

    async fn one(&self, method: &str, params: Value) -> Result<()> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = self.client.post(&self.url).body(request.to_string());
        let answer = request
            .header("content-type", "application/json")
            .send()
            .await?;
        let answer: Value = serde_json::from_slice(&answer.bytes().await?)?;
        ensure!(answer.get("result").is_some(), "{method}: {answer}");
        Ok(())
    }
}
