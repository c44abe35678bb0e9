//! What to know about an answer: one list of codes, which the documentation has, too.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// What to know about an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hint {
    /// A name for programs that never changes.
    pub code: &'static str,
    /// What it means and what to do about it, for people.
    pub message: Cow<'static, str>,
}

impl Hint {
    pub(super) fn new(code: HintCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: code.as_str(),
            message: message.into(),
        }
    }
}

/// The names of hints.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal,)*) => {
        /// Which hint.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum HintCode {
            $($(#[$doc])* $name,)*
        }

        impl HintCode {
            /// All of them.
            #[cfg(test)]
            const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word on the wire.
            pub(super) const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }
    };
}

codes! {
    /// Nothing is followed.
    NothingFollowed "nothing_followed",
    /// Of registries that are followed nothing is read yet.
    NotReadYet "not_read_yet",
    /// A registry that was named is not read.
    RegistryNotRead "registry_not_read",
    /// A registry that was named is blocked.
    RegistryBlocked "registry_blocked",
    /// No registry of the chain that was named is read.
    ChainNotRead "chain_not_read",
    /// A registry holds agents where tools were asked for, or the other way round.
    OtherStandard "other_standard",
    /// A policy hides some.
    PolicyHidesRegistries "policy_hides_registries",
    /// Only verified tools are found.
    VerifiedOnly "verified_only",
    /// Nothing fits.
    NothingFits "nothing_fits",
    /// Nothing was said of an agent or a tool.
    NothingSaid "nothing_said",
    /// What a registry said before the first block that is read of it is not known.
    BeginsInTheMiddle "begins_in_the_middle",
    /// The last look at a chain is old.
    LookIsOld "look_is_old",
    /// Whoever is asked about a chain has not as many blocks as were read.
    EndpointIsBehind "endpoint_is_behind",
    /// A chain ends below what was final, and nobody knows why.
    ChainEndsBelowFinal "chain_ends_below_final",
    /// A chain went back on what was final.
    ChainBrokeFinality "chain_broke_finality",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_a_row_for_each_hint_and_for_no_other() {
        let text = include_str!("../../../../docs/agents.md");
        let table = text.split("### Hints").nth(1).unwrap();
        let table = table.split("\n## ").next().unwrap();
        let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
        let rows: Vec<_> = rows
            .filter_map(|row| Some(row.split_once('`')?.0))
            .collect();
        let codes: Vec<_> = HintCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(rows, codes);
    }
}
