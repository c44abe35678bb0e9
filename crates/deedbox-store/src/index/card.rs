//! What a search looks at of an entry before it shows it.
//!
//! A search ranks hundreds of entries and shows ten. To read and to take apart whole entries for that would be most of its work, so a
//! database keeps, beside each entry, a small card with what ranks it; the entry itself is read when it is shown.

use deedbox_core::{ChainAddress, Timestamp};
use deedbox_id::U256;
use serde::{Deserialize, Serialize};

use super::{Entry, RegistryId, ToolEntry, document::Texts, number, text::long_runs};

/// What ranks an entry, and what tells whether it fits where words alone do not. A pure function [makes](Entry::card) it of the entry.
/// It is written as JSON and has short names there, because there is one for each agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    #[serde(rename = "r")]
    pub(super) registry: RegistryId,
    #[serde(rename = "i", with = "number")]
    pub(super) id: U256,
    /// Of an agent its owner, of a tool its creator.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<ChainAddress>,
    /// The last change, in milliseconds since 1970 by the time of the block.
    #[serde(rename = "u")]
    pub(super) updated: i64,
    #[serde(rename = "g", default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) gone: bool,
    /// Of a tool: whether its manifest was found to be as registered.
    #[serde(rename = "v", default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) verified: bool,
    /// Of a verified tool: what it costs.
    #[serde(rename = "p", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) prices: Vec<Amount>,
    #[serde(rename = "n", default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    /// Tags, types of services, and other names.
    #[serde(rename = "l", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) labels: Vec<String>,
    /// What long pieces of scripts without spaces are looked for in: all such of its texts, apart by spaces.
    #[serde(rename = "t", default, skip_serializing_if = "String::is_empty")]
    pub(super) runs: String,
}

/// So much of an asset (CAIP-19), in its smallest unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Amount(pub(super) String, #[serde(with = "number")] pub(super) U256);

impl Card {
    /// Whether it changed at this time or later.
    pub(super) fn changed_since(&self, since: Timestamp) -> bool {
        self.updated >= since.as_millis()
    }
}

impl ToolEntry {
    fn amounts(&self) -> Vec<Amount> {
        let prices = self.verified_manifest().map(|manifest| &manifest.prices);
        let prices = prices.into_iter().flatten();
        prices
            .map(|price| Amount(price.asset.clone(), price.amount))
            .collect()
    }
}

impl Entry {
    /// What searches rank it by.
    #[must_use]
    pub fn card(&self) -> Card {
        self.card_of(self.texts())
    }

    pub(super) fn card_of(&self, texts: Texts) -> Card {
        let (id, owner) = match self {
            Self::Agent(agent) => (agent.id, agent.owner),
            Self::Tool(tool) => (tool.id, Some(tool.creator)),
        };
        let (verified, prices) = match self {
            Self::Agent(_) => (false, Vec::new()),
            Self::Tool(tool) => (tool.is_verified(), tool.amounts()),
        };
        let mut runs = String::new();
        for text in texts.all() {
            long_runs(text, &mut runs);
        }
        Card {
            registry: self.registry(),
            id,
            owner,
            updated: self.updated().block_timestamp.as_millis(),
            gone: self.is_gone(),
            verified,
            prices,
            name: texts.name,
            labels: texts.labels,
            runs,
        }
    }
}
