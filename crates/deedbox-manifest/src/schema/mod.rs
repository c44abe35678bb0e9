//! The JSON Schemas in a manifest: `inputs` and `outputs`.
//!
//! They are written by strangers, and three things in them are dangerous. A *reference* to another server turns
//! whoever resolves it into that server's client: nothing is ever fetched here, and what would have to be is named. A
//! *pattern* can keep a backtracking matcher busy for ever: patterns run in a linear-time matcher or not at all. A
//! *value* (`default`, `const`, a choice of one) ends up in the arguments of a caller who did not choose it: each is
//! listed, with what has to happen before it may be sent.
//!
//! The shape of the keywords is checked by a table and not by validating against the meta-schema, because that
//! is what keeps a check as fast as reading; the tests compare the two.

#[cfg(feature = "schema")]
mod arguments;
#[cfg(feature = "schema")]
mod effort;
mod graph;
mod keywords;
mod pattern;
mod pre_filled;
mod reference;
mod shape;
mod simple_pattern;
mod walk;

#[cfg(feature = "schema")]
pub use arguments::{Arguments, BadArgument, CannotCheck};
pub use keywords::Draft;
pub use pattern::{MOST_BYTES as MOST_PATTERN_BYTES, Unrunnable, check_pattern};
pub use pre_filled::{Consent, PreFilled, Source, only_reads};

use crate::{json::Value, rules::Findings};
use walk::{Role, Walk};

/// The most levels of subschemas (ERC-8257, "Manifest Parser Hardening"); the schema itself is the first.
pub const MOST_LEVELS: usize = 16;

/// The most schemas in `inputs` and `outputs` together, each subschema and both roots counted.
pub const MOST_NODES: usize = 1024;

/// Checks both schemas. `confirm` says whether a pre-filled default needs the user's confirmation.
pub(crate) fn check_both(
    inputs: Option<Value<'_>>,
    outputs: Option<Value<'_>>,
    confirm: bool,
    findings: &mut Findings,
) -> Vec<PreFilled> {
    let mut nodes = 0;
    let mut pre_filled = Vec::new();
    for (schema, role) in [(inputs, Role::Inputs), (outputs, Role::Outputs)] {
        let Some(schema) = schema else {
            continue;
        };
        let walk = Walk::new(schema, role, nodes, findings).run();
        nodes = walk.nodes;
        pre_filled.extend(walk.pre_filled);
    }
    for value in &mut pre_filled {
        value.consent = value.source.consent(confirm);
    }
    pre_filled
}
