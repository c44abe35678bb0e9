//! What stands on a development chain, and how to talk to it.

use std::{fs, io, path::Path};

use alloy_primitives::Address;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::PrivateKey,
    failure::Failure,
    render::{Output, line, table},
};

/// Where it is kept beside the chain's state.
const FILE: &str = "deedbox-chain.json";

/// The keys of anvil's accounts, from the mnemonic that every development node uses. Public knowledge: whatever is sent to
/// these accounts on a real chain is gone within seconds.
const KEYS: [&str; 5] = [
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
];

/// Everything that is printed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Summary {
    /// Where the chain answers.
    pub(super) rpc_url: String,
    /// Its id.
    pub(super) chain_id: u64,
    /// Accounts with 10,000 of its currency.
    pub(super) accounts: Vec<Account>,
    /// Registries, by what they are called in `registry deploy`.
    pub(super) registries: Vec<Contract>,
    /// Predicates, by what they are called in `predicate deploy`.
    pub(super) predicates: Vec<Contract>,
    /// Agents.
    pub(super) agents: Vec<Agent>,
    /// Tools.
    pub(super) tools: Vec<Tool>,
    /// Lines for `deedbox.toml`.
    pub(super) settings: String,
    /// Lines for a shell, one after another: commands to try.
    pub(super) commands: Vec<String>,
}

/// An account whose key everybody knows.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Account {
    pub(super) address: String,
    /// Not a secret.
    pub(super) well_known_private_key: String,
}

/// A contract in each notation.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Contract {
    pub(super) kind: String,
    pub(super) address: String,
    pub(super) caip10: String,
    pub(super) erc7930: String,
}

/// An agent that is registered.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Agent {
    pub(super) agent: String,
    pub(super) name: String,
    pub(super) owner: String,
    pub(super) registry: String,
}

/// A tool that is registered.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Tool {
    pub(super) tool: String,
    pub(super) metadata_uri: String,
    /// Who may use it.
    pub(super) access: String,
    /// The file in which its manifest stands.
    pub(super) manifest: String,
}

/// The keys, with the accounts that they sign for.
pub(super) fn accounts() -> Vec<(PrivateKey, Address)> {
    let keys = KEYS.iter().filter_map(|key| PrivateKey::parse(key).ok());
    keys.map(|key| {
        let address = Address::from(key.address().0);
        (key, address)
    })
    .collect()
}

impl Summary {
    /// Of a chain with nothing on it.
    pub(super) fn bare(url: &str, chain_id: u64) -> Self {
        let accounts = accounts().into_iter().zip(KEYS);
        let accounts = accounts.map(|((_, address), key)| Account {
            address: address.to_string(),
            well_known_private_key: key.to_owned(),
        });
        Self {
            rpc_url: String::new(),
            chain_id,
            accounts: accounts.collect(),
            registries: Vec::new(),
            predicates: Vec::new(),
            agents: Vec::new(),
            tools: Vec::new(),
            settings: String::new(),
            commands: Vec::new(),
        }
        .at(url)
    }

    /// The same chain where it answers now.
    pub(super) fn at(mut self, url: &str) -> Self {
        url.clone_into(&mut self.rpc_url);
        let id = self.chain_id;
        self.settings = format!(
            "[chains.{id}]\nname = \"development\"\nnative = {{ symbol = \"ETH\", decimals = 18 }}\nmulticall = false\n\n[[chains.{id}.endpoints]]\nid = \"dev\"\nurl = \"{url}\"\n"
        );
        let mut commands = vec![
            // A ledger of its own: the next chain of this id never had the transactions that this one's ledger knows.
            format!("export DEEDBOX_CHAINS='{id}={url}' DEEDBOX_DATA_DIR=./dev"),
            format!("export DEEDBOX_PRIVATE_KEY={}", KEYS[1]),
        ];
        if let Some(account) = self.accounts.get(1) {
            commands.push(format!(
                "deedbox read native-balance --chain-id {id} --holder {} --block latest",
                account.address
            ));
        }
        if let Some(registry) = self.registries.first() {
            commands.push(format!("deedbox registry describe {}", registry.caip10));
            commands.push(format!(
                "deedbox agent register {} name=Mine service_type=mcp service=https://mine.example/mcp",
                registry.caip10
            ));
            commands.push(format!("deedbox registry add {}", registry.caip10));
            commands.push("deedbox registry sync".to_owned());
            commands.push("deedbox agent find mine".to_owned());
        } else {
            commands.push(format!(
                "deedbox registry deploy open --chain-id {id} --registrar self --set name=Mine"
            ));
        }
        self.commands = commands;
        self
    }

    /// That of a chain that was kept. None: nothing was put on it.
    ///
    /// # Errors
    /// [`Failure::NoChain`]: it is another chain's; [`Failure::CannotRead`].
    pub(super) fn read(folder: &Path, chain_id: u64) -> Result<Option<Self>, Failure> {
        let path = folder.join(FILE);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|source| Failure::CannotRead {
                path: path.clone(),
                source,
            })?,
        };
        let summary: Self = serde_json::from_slice(&text).map_err(|error| Failure::CannotRead {
            path,
            source: error.into(),
        })?;
        if summary.chain_id != chain_id {
            return Err(Failure::NoChain {
                reason: format!(
                    "the chain in that folder has the id {}, not {chain_id}",
                    summary.chain_id
                ),
                advice: "Say that id with --chain-id, or choose another folder with --state-dir",
            });
        }
        Ok(Some(summary))
    }

    /// Keeps it beside the chain.
    ///
    /// # Errors
    /// [`Failure::CannotWrite`].
    pub(super) fn keep(&self, folder: &Path) -> Result<(), Failure> {
        let path = folder.join(FILE);
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        text.and_then(|text| fs::write(&path, text))
            .map_err(|source| Failure::CannotWrite { path, source })
    }

    /// Prints it.
    ///
    /// # Errors
    /// When standard output cannot be written to.
    pub(super) fn print(&self, output: &Output) -> Result<(), Failure> {
        output.print(self, |output| self.text(output))
    }

    fn text(&self, output: &Output) -> String {
        let strong = |text: &str| output.paint.strong(text);
        let mut parts = vec![format!(
            "{} {} (chain {})",
            strong("Chain"),
            self.rpc_url,
            self.chain_id
        )];
        let accounts = self.accounts.iter().map(|account| {
            vec![
                account.address.clone(),
                account.well_known_private_key.clone(),
            ]
        });
        parts.push(format!(
            "{}\n{}",
            table(output, &["ACCOUNT", "PRIVATE KEY"], accounts.collect()),
            output.paint.alert(
                "Everybody knows these keys: what is sent to these accounts on a real chain is gone."
            )
        ));
        for (title, contracts) in [
            ("REGISTRY", &self.registries),
            ("PREDICATE", &self.predicates),
        ] {
            if contracts.is_empty() {
                continue;
            }
            let rows = contracts.iter().flat_map(|contract| {
                [
                    vec![contract.kind.clone(), contract.caip10.clone()],
                    vec![String::new(), contract.erc7930.clone()],
                ]
            });
            parts.push(table(output, &[title, "ADDRESS"], rows.collect()));
        }
        if !self.agents.is_empty() {
            let rows = self.agents.iter();
            let rows = rows.map(|agent| vec![line(&agent.name), agent.agent.clone()]);
            parts.push(table(output, &["AGENT", "ID"], rows.collect()));
        }
        if !self.tools.is_empty() {
            let rows = self
                .tools
                .iter()
                .map(|tool| vec![tool.tool.clone(), tool.access.clone(), line(&tool.manifest)]);
            parts.push(format!(
                "{}\nNobody serves these manifests: {} is a name for examples. What is registered is the hash of the files.",
                table(output, &["TOOL", "ACCESS", "MANIFEST"], rows.collect()),
                super::samples::HOST,
            ));
        }
        parts.push(format!(
            "{}\n{}",
            strong("For deedbox.toml"),
            self.settings.trim_end()
        ));
        parts.push(
            "Or say it once: these lines in deedbox.toml, and a key in a keystore, with `deedbox account import dev`, then --keystore dev.\nA chain that is kept with --state-dir goes on where it ended; without, each is another chain, and wants a data folder of its own.\nCtrl-C ends it."
                .to_owned(),
        );
        parts.push(format!(
            "{}\n{}",
            strong("To try, in another window"),
            self.commands.join("\n")
        ));
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_well_known_keys_are_those_of_the_well_known_accounts() {
        let known: Vec<_> = accounts()
            .into_iter()
            .map(|(_, address)| address.to_string())
            .collect();
        assert_eq!(
            known,
            [
                "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
                "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
                "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
            ]
        );
    }
}
