//! How whoever is shown something stands to whoever wrote it, as far as labels tell.
//!
//! Labels are what both say of themselves, so this is for understanding whose words these are, and for nothing else: it
//! is computed when an answer is made, from the row's labels and the caller's, and no rule of this crate reads it.

use schemars::JsonSchema;
use serde::Serialize;

use super::{AgentLabel, Attribution, InstanceHash};
use crate::{Authorship, task::RecordAttribution, words::words};

/// What a row says of who wrote it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowLabels<'a> {
    /// What the agent called itself.
    pub agent: Option<&'a str>,
    /// Which installation it said it was.
    pub instance: Option<InstanceHash>,
}

impl<'a> From<&'a Authorship> for RowLabels<'a> {
    fn from(by: &'a Authorship) -> Self {
        Self {
            agent: by.agent_label.as_ref().map(AgentLabel::as_str),
            instance: by.instance_hash,
        }
    }
}

impl<'a> From<&'a RecordAttribution> for RowLabels<'a> {
    fn from(by: &'a RecordAttribution) -> Self {
        Self {
            agent: by.agent_label.as_deref(),
            instance: by.instance_hash,
        }
    }
}

/// How the caller stands to whoever wrote a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Relation {
    /// Both have the same agent label and the same instance hash.
    #[serde(rename = "self")]
    Itself,
    /// Both have the same agent label; both have an instance hash, and these differ.
    SameAgentOtherInstance,
    /// Both have an agent label, and these differ.
    OtherAgent,
    /// The row has a label or an instance hash, but there is too little to compare: one of the two has no agent label, or the
    /// agent labels are the same and one of the two has no instance hash.
    Unverified,
    /// The row has neither label nor instance hash.
    Unknown,
}

words! {
    Relation, NotARelation, "must be self, same_agent_other_instance, other_agent, unverified or unknown" {
        Itself = "self",
        SameAgentOtherInstance = "same_agent_other_instance",
        OtherAgent = "other_agent",
        Unverified = "unverified",
        Unknown = "unknown",
    }
}

/// Whose a row is, seen from the caller. Follows from the [`Relation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Ownership {
    /// This very installation of the agent wrote it, as it says.
    CurrentAgent,
    /// The same agent elsewhere.
    SameAgent,
    /// Another agent.
    OtherAgent,
    /// Nobody knows.
    Unknown,
}

/// What a boundary is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum BoundaryAuthority {
    /// To tell who wrote what. It permits nothing and forbids nothing.
    AttributionOnly,
}

/// Why the caller's agent label is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CurrentAgentTrust {
    /// Because it says so. Also when it says nothing.
    ClientAsserted,
    /// Because the key that it used is bound to that label.
    CredentialBound,
}

/// What a row comes with when it is shown to a caller: whose it is, as far as labels tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemoryAgentBoundary {
    /// How the caller stands to whoever wrote the row.
    pub relation: Relation,
    /// Whose the row is, seen from the caller.
    pub ownership: Ownership,
    /// Always `attribution_only`: labels never authorise.
    pub boundary_authority: BoundaryAuthority,
    /// Why the caller's own agent label is believed.
    pub current_agent_trust: CurrentAgentTrust,
}

/// The boundary between whoever wrote a row, and `caller`, who is shown it.
#[must_use]
pub fn memory_agent_boundary<'a>(
    row: impl Into<RowLabels<'a>>,
    caller: &Attribution,
) -> MemoryAgentBoundary {
    let relation = relation(row.into(), caller);
    MemoryAgentBoundary {
        relation,
        ownership: match relation {
            Relation::Itself => Ownership::CurrentAgent,
            Relation::SameAgentOtherInstance => Ownership::SameAgent,
            Relation::OtherAgent => Ownership::OtherAgent,
            Relation::Unverified | Relation::Unknown => Ownership::Unknown,
        },
        boundary_authority: BoundaryAuthority::AttributionOnly,
        current_agent_trust: caller.trust(),
    }
}

fn relation(row: RowLabels<'_>, caller: &Attribution) -> Relation {
    let own = caller.agent_label.as_ref().map(AgentLabel::as_str);
    let (agent, instance) = match (row.agent, row.instance) {
        (None, None) => return Relation::Unknown,
        // A hash alone names no agent: two may have the same.
        (None, Some(_)) => return Relation::Unverified,
        (Some(agent), instance) => (agent, instance),
    };
    match (own, instance, caller.instance) {
        (None, ..) => Relation::Unverified,
        (Some(own), ..) if own != agent => Relation::OtherAgent,
        (Some(_), Some(theirs), Some(ours)) if theirs == ours => Relation::Itself,
        (Some(_), Some(_), Some(_)) => Relation::SameAgentOtherInstance,
        (Some(_), ..) => Relation::Unverified,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Principal, PrincipalId, deed::Basis};

    fn label(text: &str) -> Option<AgentLabel> {
        (!text.is_empty()).then(|| AgentLabel::new(text).unwrap())
    }

    fn instance(number: u8) -> Option<InstanceHash> {
        (number > 0).then_some(InstanceHash([number; 32]))
    }

    fn row(agent: &str, number: u8) -> Authorship {
        Authorship {
            principal: PrincipalId::LOCAL,
            basis: Basis::Asserted,
            agent_label: label(agent),
            instance_hash: instance(number),
        }
    }

    fn caller(agent: &str, number: u8, bound: &str) -> Attribution {
        let mut principal = Principal::local();
        principal.agent_label = label(bound);
        let mut caller = Attribution::of(principal);
        caller.agent_label = label(agent);
        caller.instance = instance(number);
        caller
    }

    /// Every pair of a row and a caller, each with label `a` or `b` or none, and instance 1 or 2 or none.
    #[test]
    fn every_pair_of_labels_has_the_relation_of_the_table() {
        #[rustfmt::skip]
        let table = [
            // The row,   what the caller says: none   1      2      a      a 1    a 2    b      b 1    b 2
            (("", 0),  ["unknown",    "unknown",    "unknown",    "unknown",    "unknown",  "unknown",  "unknown",    "unknown",  "unknown"]),
            (("", 1),  ["unverified", "unverified", "unverified", "unverified", "unverified", "unverified", "unverified", "unverified", "unverified"]),
            (("a", 0), ["unverified", "unverified", "unverified", "unverified", "unverified", "unverified", "other_agent", "other_agent", "other_agent"]),
            (("a", 1), ["unverified", "unverified", "unverified", "unverified", "self", "same_agent_other_instance", "other_agent", "other_agent", "other_agent"]),
            (("b", 2), ["unverified", "unverified", "unverified", "other_agent", "other_agent", "other_agent", "unverified", "same_agent_other_instance", "self"]),
        ];
        let callers = ["", "a", "b"].map(|agent| [0, 1, 2].map(|number| (agent, number)));
        let mut met = Vec::new();
        for ((agent, number), expected) in table {
            for ((own, ours), expected) in callers.iter().flatten().zip(expected) {
                let found =
                    memory_agent_boundary(&row(agent, number), &caller(own, *ours, "")).relation;
                let which = format!("row {agent:?} {number}, caller {own:?} {ours}");
                assert_eq!(found.as_str(), expected, "{which}");
                met.push(found);
            }
        }
        assert_eq!(met.len(), 45);
        for relation in Relation::ALL {
            assert!(met.contains(&relation), "{relation} is never met");
        }
    }

    #[test]
    fn ownership_follows_from_the_relation() {
        for (row, own, ownership) in [
            (row("a", 1), caller("a", 1, ""), "current_agent"),
            (row("a", 1), caller("a", 2, ""), "same_agent"),
            (row("a", 1), caller("b", 1, ""), "other_agent"),
            (row("a", 1), caller("", 0, ""), "unknown"),
            (row("", 0), caller("a", 1, ""), "unknown"),
        ] {
            let said = serde_json::to_value(memory_agent_boundary(&row, &own)).unwrap();
            assert_eq!(said["ownership"], ownership, "{said}");
            assert_eq!(said["boundary_authority"], "attribution_only");
            let relation = said["relation"].as_str().unwrap();
            assert!(relation.parse::<Relation>().is_ok(), "{relation}");
        }
    }

    #[test]
    fn a_caller_is_believed_by_its_key_only_when_the_key_is_bound_to_the_label_that_it_sends() {
        for (own, bound, trust) in [
            ("a", "a", "credential_bound"),
            ("a", "", "client_asserted"),
            ("b", "a", "client_asserted"),
            ("A", "a", "client_asserted"),
            // A key bears witness to a label, and gives none.
            ("", "a", "client_asserted"),
            ("", "", "client_asserted"),
        ] {
            let boundary = memory_agent_boundary(&row("a", 1), &caller(own, 1, bound));
            let said = serde_json::to_value(boundary).unwrap();
            assert_eq!(said["current_agent_trust"], trust, "{own:?} {bound:?}");
        }
    }

    #[test]
    fn a_key_that_is_bound_to_a_label_changes_no_relation() {
        for own in ["", "a", "b"] {
            let one = memory_agent_boundary(&row("a", 1), &caller(own, 1, ""));
            let other = memory_agent_boundary(&row("a", 1), &caller(own, 1, "a"));
            assert_eq!(one.relation, other.relation);
        }
    }

    #[test]
    fn a_boundary_reads_as_the_specification_writes_it() {
        let boundary = memory_agent_boundary(&row("a", 1), &caller("a", 1, ""));
        let expected = json!({
            "relation": "self",
            "ownership": "current_agent",
            "boundary_authority": "attribution_only",
            "current_agent_trust": "client_asserted",
        });
        assert_eq!(serde_json::to_value(boundary).unwrap(), expected);
    }
}
