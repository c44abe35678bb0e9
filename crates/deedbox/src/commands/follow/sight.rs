//! What stands at a registry's address now, and how that differs from what was accepted.

use deedbox_chain::{Block, Chains};
use deedbox_core::{ChainAddress, Sighting, Standard};
use deedbox_registry::{Inspection, inspect};
use serde_json::Value;

use super::super::{
    publishing::{Contract, judgement, kind},
    read::shown::untrusted,
};
use crate::{
    failure::Failure,
    render::{Output, moment, published::address},
};

/// What was seen at the newest block.
pub(super) struct Sight(Inspection);

impl Sight {
    /// Looks.
    ///
    /// # Errors
    /// [`Failure::Unread`].
    pub(super) async fn of(chains: &Chains, registry: Contract) -> Result<Self, Failure> {
        let Contract { chain_id, address } = registry;
        let found = inspect(chains, chain_id, Block::Latest, address).await;
        found.map(Self).map_err(Failure::Unread)
    }

    /// What it is followed as, and what is accepted with that.
    ///
    /// # Errors
    /// [`Failure::NotARegistry`] says what it is instead.
    pub(super) fn registry(&self) -> Result<(Standard, Sighting), Failure> {
        let found = &self.0;
        let followed_as = found.standard().zip(found.sighting());
        followed_as.ok_or_else(|| Failure::NotARegistry {
            registry: found.registry(),
            what: kind(found.kind).to_owned(),
        })
    }

    /// How it differs from what was accepted, one sentence each; empty when it does not.
    pub(super) fn changes_since(&self, accepted: &Sighting) -> Vec<String> {
        match self.0.sighting() {
            Some(seen) => changes(accepted, &seen),
            None => vec![format!(
                "There is no code any more; accepted was {}.",
                accepted.code_hash
            )],
        }
    }

    /// What whoever relies on it should know, one sentence each.
    pub(super) fn judgement(&self) -> Vec<String> {
        let mut says = judgement(&self.0);
        if self.0.proxy.is_some_and(|proxy| proxy.beacon.is_some()) {
            says.push(
                "What its beacon leads to can be replaced without a trace at this address: no alarm tells of it."
                    .to_owned(),
            );
        }
        says
    }

    /// For programs.
    ///
    /// # Errors
    /// None that is expected.
    pub(super) fn value(&self) -> Result<Value, Failure> {
        let mut value = serde_json::to_value(&self.0)
            .map_err(|error| Failure::io("writing the result", error.into()))?;
        value["judgement"] = self.judgement().into();
        Ok(value)
    }

    /// For people.
    pub(super) fn text(&self, output: &Output) -> String {
        let found = &self.0;
        let mut rows = vec![
            ("kind", kind(found.kind).to_owned()),
            ("registry", found.registry().to_string()),
        ];
        let said = |text: &Option<deedbox_chain::UntrustedText>| {
            let text = serde_json::to_value(text.as_ref()?).ok()?;
            Some(untrusted(&text, output))
        };
        rows.extend(said(&found.name).map(|name| ("name", name)));
        rows.extend(said(&found.version).map(|version| ("version", version)));
        let code = found.code_hash.map(|hash| ("code", format!("{hash}")));
        rows.extend(code);
        let claims: Vec<_> = found.interfaces.iter().map(|one| one.name).collect();
        if !claims.is_empty() {
            rows.push(("claims", claims.join(", ")));
        }
        rows.extend(found.count.map(|count| ("registered", count.to_string())));
        let at = &found.provenance;
        let block = format!("{} {}", at.block_number, moment(at.block_timestamp));
        rows.push(("block", block));
        let mut lines: Vec<String> = rows
            .into_iter()
            .map(|(name, value)| format!("{} {value}", output.paint.faint(&format!("{name:<10}"))))
            .collect();
        lines.extend(self.judgement());
        lines.join("\n")
    }
}

/// How what is seen differs from what was accepted, one sentence each.
pub(super) fn changes(accepted: &Sighting, seen: &Sighting) -> Vec<String> {
    let mut changes = Vec::new();
    if accepted.code_hash != seen.code_hash {
        changes.push(format!(
            "Its code is {}; accepted was {}.",
            seen.code_hash, accepted.code_hash
        ));
    }
    let nothing = |of: Option<ChainAddress>| of.map_or_else(|| "none".to_owned(), address);
    for (what, before, now) in [
        (
            "implementation",
            accepted.implementation,
            seen.implementation,
        ),
        ("beacon", accepted.beacon, seen.beacon),
    ] {
        if before != now {
            changes.push(format!(
                "Its {what} is {}; accepted was {}.",
                nothing(now),
                nothing(before)
            ));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use deedbox_core::{BlockHash, CodeHash};

    use super::*;

    #[test]
    fn each_thing_that_changed_is_said_and_nothing_else() {
        let accepted = Sighting {
            code_hash: CodeHash([1; 32]),
            implementation: Some(ChainAddress([2; 20])),
            beacon: None,
            claims: vec![],
            block_number: 1,
            block_hash: BlockHash([3; 32]),
        };
        let later = Sighting {
            block_number: 2,
            block_hash: BlockHash([4; 32]),
            ..accepted.clone()
        };
        assert_eq!(changes(&accepted, &later), Vec::<String>::new());
        let upgraded = Sighting {
            implementation: Some(ChainAddress([5; 20])),
            ..later.clone()
        };
        let said = changes(&accepted, &upgraded);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].starts_with("Its implementation is 0x0505"),
            "{said:?}"
        );
        let replaced = Sighting {
            code_hash: CodeHash([9; 32]),
            implementation: None,
            beacon: Some(ChainAddress([6; 20])),
            ..later
        };
        let said = changes(&accepted, &replaced);
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[1].contains("is none; accepted was 0x0202"), "{said:?}");
    }
}
