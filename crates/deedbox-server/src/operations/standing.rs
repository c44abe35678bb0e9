//! What was decided about the registry that an answer comes from: every answer carries it, in one place.

use deedbox_core::{
    ChainAddress, CodeHash, Reading, RegistryId, RegistryState, Sighting, Timestamp, Trust,
};
use deedbox_store::index::{Cursor, Look};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Fault, Operations};
use crate::readings::{Check, ReadingRequest};

/// What the operator of this server decided about a registry. It says nothing about a single agent or tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryStanding {
    /// The registry: `eip155:<chain>:<address>`.
    #[schemars(with = "String")]
    pub registry: RegistryId,
    /// How far it is trusted here. What comes from a blocked registry is told all the same, and is not to be relied upon.
    pub trust: TrustLevel,
    /// What the operator calls it; null where they gave it no name.
    pub label: Option<String>,
    /// Whether something else stands at its address than the operator accepted: then somebody has to look before it is relied upon. Null
    /// where that was not compared.
    pub code_changed: Option<bool>,
    /// Why it was not compared; null when it was, and where nobody follows the registry, so that nothing was accepted.
    pub code_not_compared: Option<NotCompared>,
    /// The first block that is read of it into the index here, which knows nothing of what was said before; null where nobody follows it.
    pub from_block: Option<u64>,
}

/// Why what stands at a registry's address is not compared with what was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotCompared {
    /// Nobody looked yet.
    NotLookedAt,
    /// What was seen is of a block before the one at which it was accepted: an earlier block was asked for, or the chain is shorter than it was.
    OnlyBeforeAccepted,
}

impl NotCompared {
    /// For people.
    #[must_use]
    pub const fn for_people(self) -> &'static str {
        match self {
            Self::NotLookedAt => "not looked at",
            Self::OnlyBeforeAccepted => "not compared: seen in a block before it was accepted only",
        }
    }
}

/// How far a registry is trusted. In the order in which what they have is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustLevel {
    /// The operator trusts it.
    Trusted,
    /// The operator follows it, and thinks nothing in particular of it.
    Known,
    /// Nobody decided anything about it here.
    NotFollowed,
    /// The operator warns of it.
    Blocked,
}

impl TrustLevel {
    /// What is decided.
    #[must_use]
    pub fn of(state: Option<&RegistryState>) -> Self {
        let followed = state.filter(|state| state.followed);
        followed.map_or(Self::NotFollowed, |state| state.following.trust.into())
    }

    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Known => "known",
            Self::NotFollowed => "not_followed",
            Self::Blocked => "blocked",
        }
    }
}

impl From<Trust> for TrustLevel {
    fn from(trust: Trust) -> Self {
        match trust {
            Trust::Trusted => Self::Trusted,
            Trust::Known => Self::Known,
            Trust::Blocked => Self::Blocked,
        }
    }
}

impl RegistryStanding {
    /// What is decided, how it is read, and what looks at the address say of it: the newest of them that is not older than what was accepted.
    #[must_use]
    pub fn of<'a>(
        registry: RegistryId,
        state: Option<&RegistryState>,
        cursor: Option<&Cursor>,
        looks: impl IntoIterator<Item = &'a Look>,
    ) -> Self {
        let Some(state) = state.filter(|state| state.followed) else {
            return Self {
                registry,
                trust: TrustLevel::NotFollowed,
                label: None,
                code_changed: None,
                code_not_compared: None,
                from_block: None,
            };
        };
        let following = &state.following;
        let newest = looks.into_iter().max_by_key(|look| look.block_number);
        let code_changed = newest.and_then(|look| look.differs_from(&following.seen));
        let why_not = match newest {
            None => NotCompared::NotLookedAt,
            Some(_) => NotCompared::OnlyBeforeAccepted,
        };
        // What is decided anew is read anew; until then, what is told was read as it was decided before.
        let read = cursor.filter(|cursor| cursor.upto.is_some());
        Self {
            registry,
            trust: following.trust.into(),
            label: following.label.as_ref().map(ToString::to_string),
            code_changed,
            code_not_compared: code_changed.is_none().then_some(why_not),
            from_block: Some(read.map_or(following.from_block, |cursor| cursor.from)),
        }
    }
}

impl Operations {
    /// What was decided about the registries that a reading is of; nothing for a reading of none.
    pub(super) async fn standings(
        &self,
        request: &ReadingRequest,
        reading: &Reading,
    ) -> Result<Vec<RegistryStanding>, Fault> {
        let mut standings = Vec::new();
        let mut known: Option<(Vec<Look>, Vec<Cursor>)> = None;
        for id in request.registries()? {
            let state = self.store.registry(id).await?;
            if known.is_none()
                && state.is_some()
                && let Some(index) = &self.index
            {
                known = Some((index.looks().await?, index.cursors().await?));
            }
            let (looks, cursors) = known
                .as_ref()
                .map(|(looks, cursors)| (&looks[..], &cursors[..]))
                .unwrap_or_default();
            let now = seen(id, reading, self.world.now());
            let looks = looks.iter().filter(|look| look.registry == id);
            let cursor = cursors.iter().find(|cursor| cursor.registry == id);
            let standing = RegistryStanding::of(id, state.as_ref(), cursor, looks.chain(&now));
            standings.push(standing);
        }
        Ok(standings)
    }

    /// Keeps a check that somebody asked for in the index, if the tool is in it: a search finds it then as what it is. The answer does not depend
    /// on that.
    pub(super) async fn keep_check(&self, request: &ReadingRequest, check: Check) {
        let (Some(index), Ok(registries)) = (&self.index, request.registries()) else {
            return;
        };
        let [registry] = registries[..] else {
            return;
        };
        let Check {
            tool_id,
            found,
            served,
        } = check;
        if let Err(error) = index.record_check(registry, tool_id, found, served).await {
            tracing::warn!(
                %registry,
                error = &error as &dyn std::error::Error,
                "the check of a tool could not be kept in the index"
            );
        }
    }
}

/// What stood at the registry's address when a reading was taken: every reading of a registry holds its code's hash and where it leads.
fn seen(registry: RegistryId, reading: &Reading, looked_at: Timestamp) -> Option<Look> {
    let told = reading.data.get("registry")?;
    let address = |name: &str| -> Option<ChainAddress> {
        told.get("proxy")?.get(name)?.as_str()?.parse().ok()
    };
    let at = &reading.provenance;
    let code_hash: Option<CodeHash> = match told.get("code_hash")? {
        Value::Null => None,
        text => Some(text.as_str()?.parse().ok()?),
    };
    let seen = code_hash.map(|code_hash| Sighting {
        code_hash,
        implementation: address("implementation"),
        beacon: address("beacon"),
        claims: Vec::new(),
        block_number: at.block_number,
        block_hash: at.block_hash,
    });
    Some(Look {
        registry,
        looked_at,
        block_number: at.block_number,
        block_hash: at.block_hash,
        seen,
        earlier: None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use deedbox_core::{
        BlockHash, Following, Head, ReadProvenance, Standard, ToolName, evidence::Source,
        hash::DeedHash, text::Name,
    };
    use serde_json::json;

    use super::*;

    const CODE: &str = "0x0101010101010101010101010101010101010101010101010101010101010101";

    fn id() -> RegistryId {
        RegistryId {
            chain_id: 1,
            address: ChainAddress([7; 20]),
        }
    }

    fn at() -> Timestamp {
        Timestamp::from_millis(0).unwrap()
    }

    /// What was accepted at block 10.
    fn state(trust: Trust, followed: bool) -> RegistryState {
        RegistryState {
            id: id(),
            head: Head {
                version: 1,
                hash: DeedHash([0; 32]),
                at: at(),
            },
            followed,
            following: Following {
                standard: Standard::Erc8122,
                label: Some(Name::new("Ours").unwrap()),
                trust,
                from_block: 1,
                seen: Sighting {
                    code_hash: CODE.parse().unwrap(),
                    implementation: None,
                    beacon: None,
                    claims: vec![],
                    block_number: 10,
                    block_hash: BlockHash([3; 32]),
                },
            },
            followed_at: at(),
            pins: BTreeMap::new(),
        }
    }

    /// What a reading at a block tells of the registry.
    fn look(block_number: u64, registry: Value) -> Option<Look> {
        let reading = Reading {
            tool: ToolName::known("resolve_agent"),
            arguments: serde_json::Map::new(),
            data: [("registry".to_owned(), registry)].into_iter().collect(),
            provenance: ReadProvenance {
                chain_id: 1,
                block_number,
                block_hash: BlockHash([4; 32]),
                block_timestamp: at(),
                source: Source::Rpc,
                endpoint_id: "node".parse().unwrap(),
            },
        };
        seen(id(), &reading, at())
    }

    #[test]
    fn what_was_decided_is_said_and_of_what_nobody_follows_that_nobody_does() {
        for (trust, level) in [
            (Trust::Trusted, TrustLevel::Trusted),
            (Trust::Known, TrustLevel::Known),
            (Trust::Blocked, TrustLevel::Blocked),
        ] {
            let said = RegistryStanding::of(id(), Some(&state(trust, true)), None, []);
            assert_eq!((said.trust, said.label.as_deref()), (level, Some("Ours")));
            assert_eq!(said.code_changed, None, "nobody looked");
            assert_eq!(said.code_not_compared, Some(NotCompared::NotLookedAt));
            assert_eq!(said.from_block, Some(1));
        }
        for unknown in [None, Some(&state(Trust::Trusted, false))] {
            let said = RegistryStanding::of(id(), unknown, None, []);
            assert_eq!((said.trust, said.label), (TrustLevel::NotFollowed, None));
            assert_eq!((said.from_block, said.code_not_compared), (None, None));
        }
    }

    #[test]
    fn what_was_read_before_it_was_decided_anew_is_told_as_it_was_read() {
        let state = state(Trust::Known, true);
        let from =
            |cursor: &Cursor| RegistryStanding::of(id(), Some(&state), Some(cursor), []).from_block;
        let mut cursor = Cursor::new(id(), Standard::Erc8122, 70);
        assert_eq!(from(&cursor), Some(1), "nothing is read yet");
        cursor.upto = Some(deedbox_store::index::Checkpoint {
            block: 90,
            hash: BlockHash([9; 32]),
        });
        assert_eq!(from(&cursor), Some(70));
    }

    #[test]
    fn the_newest_look_says_whether_code_changed_and_an_older_block_than_the_accepted_says_nothing()
    {
        let state = state(Trust::Known, true);
        let changed = |looks: &[Option<Look>]| {
            let said = RegistryStanding::of(id(), Some(&state), None, looks.iter().flatten());
            let unknown = said.code_changed.is_none();
            let why = unknown.then_some(NotCompared::OnlyBeforeAccepted);
            assert_eq!(said.code_not_compared, why);
            said.code_changed
        };
        let same = || json!({"code_hash": CODE, "proxy": null});
        let proxy = json!({
            "code_hash": CODE,
            "proxy": {"implementation": "0x7070707070707070707070707070707070707070", "beacon": null, "admin": null},
        });
        let gone = json!({"code_hash": null, "proxy": null});
        assert_eq!(changed(&[look(10, same())]), Some(false));
        assert_eq!(changed(&[look(11, proxy.clone())]), Some(true));
        assert_eq!(
            changed(&[look(11, gone)]),
            Some(true),
            "there is no code any more"
        );
        assert_eq!(changed(&[look(9, proxy.clone())]), None);
        assert_eq!(
            changed(&[look(9, same()), look(12, proxy.clone())]),
            Some(true)
        );
        assert_eq!(changed(&[look(13, same()), look(12, proxy)]), Some(false));
        assert!(look(11, json!({"code_hash": 5})).is_none(), "no such form");
    }
}
