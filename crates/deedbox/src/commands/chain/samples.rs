//! What stands on a chain that was just started: registries of each kind, agents and tools that look like real ones.

use alloy_primitives::{Address, U256};
use deedbox_registry::{Admission, AgentRegistry, Call, Deployment, Entry, NewAgent, Predicate};
use serde_json::json;

use crate::failure::Failure;

/// Where the sample tools say that they are. Reserved for examples (RFC 2606): nobody answers there.
pub(super) const HOST: &str = "https://tools.example";

/// What is deployed before there is anything to refer to, by the name that it is shown under.
///
/// # Errors
/// Never: every entry here is one.
pub(super) fn registries(registrar: Address) -> Result<Vec<(&'static str, Deployment)>, Failure> {
    let agents = |admission, name: &str, description: &str| {
        Ok::<_, Failure>(Deployment::Agents(AgentRegistry {
            admission,
            registrar,
            metadata: metadata(&[("name", name), ("description", description)])?,
        }))
    };
    Ok(vec![
        (
            "open",
            agents(
                Admission::Open,
                "Open agents",
                "Everybody registers here. On a development chain.",
            )?,
        ),
        (
            "curated",
            agents(
                Admission::Curated,
                "White hats",
                "Agents that the registrar has admitted. On a development chain.",
            )?,
        ),
        (
            "fixed-supply",
            agents(
                Admission::FixedSupply {
                    max_supply: U256::from(100),
                },
                "The first hundred",
                "A hundred agents and no more. On a development chain.",
            )?,
        ),
        ("tools", Deployment::Tools),
    ])
}

/// Predicates that need nothing but the registries. Those for tokens need a token.
pub(super) fn predicates(open: Address, tools: Address) -> Vec<(&'static str, Deployment)> {
    [
        ("always-deny", Predicate::AlwaysDeny),
        ("allowlist", Predicate::Allowlist { registry: tools }),
        (
            "merkle-allowlist",
            Predicate::MerkleAllowlist { registry: tools },
        ),
        ("any-agent-owner", Predicate::AnyAgentOwner { agents: open }),
        (
            "agent-owner",
            Predicate::AgentOwner {
                agents: open,
                agent_id: U256::ONE,
            },
        ),
    ]
    .map(|(name, predicate)| (name, Deployment::Predicate(predicate)))
    .into()
}

/// Agents of the open registry. The first two are the deployer's, the third is somebody else's.
///
/// # Errors
/// Never: every entry here is one.
pub(super) fn open_agents(mine: Address, theirs: Address) -> Result<Vec<NewAgent>, Failure> {
    let account = theirs.to_string();
    Ok(vec![
        NewAgent {
            owner: mine,
            metadata: metadata(&[
                ("name", "Weather"),
                (
                    "description",
                    "Forecasts for a week, for every place that has a name.",
                ),
                (
                    "image",
                    "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
                ),
                ("service_type", "mcp"),
                ("service", "https://weather.example/mcp"),
                ("service_type/1", "a2a"),
                (
                    "service/1",
                    "https://weather.example/.well-known/agent-card.json",
                ),
                ("agent_account", &account),
            ])?,
        },
        NewAgent {
            owner: mine,
            metadata: metadata(&[
                ("name", "イールド最適化"),
                (
                    "description",
                    "複数のプロトコルの利回りを比較し、根拠となるブロックと一緒に示します。",
                ),
                ("service_type", "a2a"),
                (
                    "service",
                    "https://yield.example/.well-known/agent-card.json",
                ),
                ("service_type/1", "mcp"),
                ("service/1", "https://yield.example/mcp"),
                ("service_type/2", "web"),
                ("service/2", "https://yield.example/agents/{id}"),
            ])?,
        },
        NewAgent {
            owner: theirs,
            metadata: metadata(&[
                ("name", "Ledger reader"),
                ("description", "Reads balances and quotes the block."),
                ("service_type", "mcp"),
                ("service", "https://ledger.example/mcp"),
            ])?,
        },
    ])
}

/// The agent of the curated registry and the one of the registry with a fixed supply.
///
/// # Errors
/// Never: every entry here is one.
pub(super) fn admitted_agents(owner: Address) -> Result<[NewAgent; 2], Failure> {
    let agent = |name: &str, description: &str, service: &str| {
        Ok::<_, Failure>(NewAgent {
            owner,
            metadata: metadata(&[
                ("name", name),
                ("description", description),
                ("service_type", "mcp"),
                ("service", service),
            ])?,
        })
    };
    Ok([
        agent(
            "Night watch",
            "Watches contracts for calls that empty them, and tells their owners.",
            "https://watch.example/mcp",
        )?,
        agent(
            "Number one",
            "The first of a hundred.",
            "https://one.example/mcp",
        )?,
    ])
}

fn metadata(entries: &[(&str, &str)]) -> Result<Vec<Entry>, Failure> {
    let entry = |(key, text): &(&str, &str)| {
        let key = key
            .parse()
            .map_err(|error: deedbox_id::Error| Failure::argument("sample", error))?;
        Entry::text(key, text).map_err(|error| Failure::argument("sample", error))
    };
    entries.iter().map(entry).collect()
}

/// A sample tool: its slug, who may use it, and its manifest.
pub(super) struct Tool {
    pub(super) slug: &'static str,
    /// The name of a predicate of [`predicates`]; none for everybody.
    pub(super) predicate: Option<&'static str>,
    pub(super) manifest: Vec<u8>,
}

impl Tool {
    /// Where it would be served.
    pub(super) fn metadata_uri(&self) -> String {
        format!("{HOST}/.well-known/ai-tool/{}.json", self.slug)
    }

    /// The call that registers it. None: the manifest cannot be read, which a test rules out.
    pub(super) fn register(&self, access_predicate: Address) -> Option<Call> {
        let hash = deedbox_manifest::check(&self.manifest).hash?;
        Some(Call::RegisterTool {
            metadata_uri: self.metadata_uri(),
            manifest_hash: hash.0.into(),
            access_predicate,
        })
    }
}

/// The sample tools: one for everybody, one for owners of agents, one that is shut off.
pub(super) fn tools(creator: Address) -> Vec<Tool> {
    let manifest = |slug: &str, name: &str, description: &str, tags: &[&str], what: &str| {
        let value = json!({
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": name,
            "description": description,
            "endpoint": format!("{HOST}/{slug}"),
            "version": "1.0.0",
            "tags": tags,
            "inputs": {
                "type": "object",
                "properties": {"query": {"type": "string", "description": what, "maxLength": 200}},
                "required": ["query"],
            },
            "outputs": {
                "type": "object",
                "properties": {"answer": {"type": "string", "description": "What was found"}},
                "required": ["answer"],
            },
            "creatorAddress": format!("{creator:#x}"),
        });
        let mut text = serde_json::to_vec_pretty(&value).unwrap_or_default();
        text.push(b'\n');
        text
    };
    vec![
        Tool {
            slug: "weather",
            predicate: None,
            manifest: manifest(
                "weather",
                "Weather",
                "Says what the weather will be in a place, for the next seven days.",
                &["weather", "forecast"],
                "The place",
            ),
        },
        Tool {
            slug: "yield",
            predicate: Some("any-agent-owner"),
            manifest: manifest(
                "yield",
                "利回り比較",
                "Compares the yields of several protocols at one block. For owners of agents.",
                &["defi", "yield"],
                "The token",
            ),
        },
        Tool {
            slug: "retired",
            predicate: Some("always-deny"),
            manifest: manifest(
                "retired",
                "Old converter",
                "Converted units. Its author has shut it off.",
                &["units"],
                "The amount and both units",
            ),
        },
    ]
}

#[cfg(test)]
mod tests {
    use deedbox_manifest::Verdict;
    use deedbox_registry::entry::{AGENT_KEYS, REGISTRY_KEYS, advice};

    use super::*;

    #[test]
    fn the_sample_manifests_are_valid_as_they_are_registered() {
        let creator = Address::repeat_byte(0xab);
        for tool in tools(creator) {
            let report = deedbox_manifest::check(&tool.manifest);
            assert_eq!(report.verdict, Verdict::Valid, "{:?}", report.findings);
        }
    }

    #[test]
    fn there_is_nothing_odd_about_the_sample_agents() {
        let (mine, theirs) = (Address::repeat_byte(1), Address::repeat_byte(2));
        let open = open_agents(mine, theirs).unwrap();
        for agent in open.into_iter().chain(admitted_agents(mine).unwrap()) {
            assert_eq!(advice(&agent.metadata, &AGENT_KEYS), Vec::<String>::new());
        }
        for (_, deployment) in registries(mine).unwrap() {
            if let Deployment::Agents(registry) = deployment {
                assert_eq!(
                    advice(&registry.metadata, &REGISTRY_KEYS),
                    Vec::<String>::new()
                );
            }
        }
    }
}
