//! What the tools about chains take that read none; what the readings take stands in the chain's room.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The arguments of `list_chains`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListChains {}
