//! What memory's tools take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The arguments of `get_identity`: none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetIdentity {}
