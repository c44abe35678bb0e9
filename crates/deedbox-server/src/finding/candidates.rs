//! Which agents somebody may have meant who did not name one: a list, and never a guess (ERC-8127, *Canonicality*).

use deedbox_chain::UntrustedExcerpt;
use deedbox_core::{ChainAddress, RegistryId};
use deedbox_id::{Address, Alias, U256, decimal};
use deedbox_store::index::{AgentEntry, OfAgents, Search};
use schemars::JsonSchema;
use serde::Serialize;

use super::{AgentHit, Known, search::registry};
use crate::operations::TrustLevel;

/// How many candidates are told.
pub const MOST: usize = 5;
/// The longest text that is looked into.
const TEXT_BYTES: usize = 400;

/// An agent that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Candidate {
    /// Which agent: `id@registry` (ERC-8127).
    pub identifier: String,
    /// Its registry (CAIP-10).
    #[schemars(with = "String")]
    pub registry: RegistryId,
    /// What is thought of the registry.
    pub trust: TrustLevel,
    /// What the agent calls itself; null when it does not.
    pub name: Option<UntrustedExcerpt>,
}

impl Candidate {
    pub(crate) fn new(agent: &AgentEntry, known: &Known) -> Self {
        let AgentHit {
            identifier,
            registry,
            trust,
            name,
            ..
        } = AgentHit::new(agent, known);
        Self {
            identifier,
            registry,
            trust,
            name,
        }
    }
}

/// What of an agent was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// What it may be called.
    pub(crate) name: Option<String>,
    /// Its number.
    pub(crate) number: Option<U256>,
    /// Its registry.
    pub(crate) registry: Option<RegistryId>,
}

/// What a text names that names no agent: `name`, `name@registry`, `name.12`, `12`, or `12@registry` with a registry whose letters are in
/// the wrong case. `None` when there is nothing in it to look for.
pub(crate) fn named(text: &str) -> Option<Wanted> {
    let text = text.trim();
    if text.is_empty() || text.len() > TEXT_BYTES {
        return None;
    }
    // Only the last @ can stand before a registry; a name may have any character.
    let (name, place) = match text.rsplit_once('@') {
        Some((name, place)) => (name, Some(place)),
        None => (text, None),
    };
    let place = place.and_then(of_any_case);
    let number = |text: &str| decimal::parse(text).ok();
    let (name, number) = match (number(name), name.rsplit_once('.')) {
        (Some(id), _) => (None, Some(id)),
        (None, Some((alias, id))) if number(id).is_some() => (Some(alias), number(id)),
        (None, _) => (Some(name), None),
    };
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let wanted = Wanted {
        name: name.map(str::to_owned),
        number,
        registry: place,
    };
    (wanted.name.is_some() || wanted.number.is_some()).then_some(wanted)
}

/// A registry, though its letters be in the wrong case: what is found is told, not taken.
fn of_any_case(text: &str) -> Option<RegistryId> {
    let text = text.trim().to_ascii_lowercase();
    if let Ok(found) = registry("agent", &text) {
        return Some(found);
    }
    let address: Address = text.rsplit(':').next()?.parse().ok()?;
    let chain = text.strip_prefix("eip155:")?.split(':').next()?;
    Some(RegistryId {
        chain_id: chain.parse().ok()?,
        address: ChainAddress(address.0),
    })
}

impl Wanted {
    /// The search for its name.
    pub(crate) fn search(&self, known: &Known) -> Option<Search<OfAgents>> {
        Some(Search {
            text: self.name.clone()?,
            registries: self.registry.map_or_else(
                || known.cursors.keys().copied().collect(),
                |registry| vec![registry],
            ),
            trust: known.trust(),
            limit: u32::try_from(MOST).unwrap_or(1),
            ..Search::default()
        })
    }

    /// Whether an agent with the wanted number is called what was wanted, as aliases are compared.
    pub(crate) fn may_be(&self, agent: &AgentEntry) -> bool {
        let Some(wanted) = &self.name else {
            return true;
        };
        let said = agent.name().and_then(|name| name.text());
        said.is_some_and(
            |said| match (said.parse::<Alias>(), wanted.parse::<Alias>()) {
                (Ok(said), Ok(wanted)) => said.to_string() == wanted.to_string(),
                _ => said == wanted,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAIP: &str = "eip155:1:0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
    const HEX: &str = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";

    #[test]
    fn each_form_that_names_no_agent_says_what_to_look_for() {
        let registry: RegistryId = CAIP.parse().unwrap();
        let wrong_case = CAIP
            .to_uppercase()
            .replace("EIP155", "eip155")
            .replace("0X", "0x");
        for (text, name, number, place) in [
            ("neo", Some("neo"), None, None),
            (" Neo ", Some("Neo"), None, None),
            ("東京タワー", Some("東京タワー"), None, None),
            ("neo.12", Some("neo"), Some(12), None),
            ("12", None, Some(12), None),
            (&format!("neo@{CAIP}"), Some("neo"), None, Some(registry)),
            (&format!("neo@{HEX}"), Some("neo"), None, Some(registry)),
            (&format!("12@{wrong_case}"), None, Some(12), Some(registry)),
            (
                &format!("12@{}", HEX.to_uppercase()),
                None,
                Some(12),
                Some(registry),
            ),
            ("a@b@c", Some("a@b"), None, None),
        ] {
            let wanted = Wanted {
                name: name.map(str::to_owned),
                number: number.map(U256::from),
                registry: place,
            };
            assert_eq!(named(text), Some(wanted), "{text}");
        }
        for nothing in ["", " ", "@", &format!("@{CAIP}"), &"x".repeat(401)] {
            assert_eq!(named(nothing), None, "{nothing}");
        }
    }
}
