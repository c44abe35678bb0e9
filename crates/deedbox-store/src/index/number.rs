//! Ids of 256 bits as decimal texts: no reader of JSON rounds a text.

use deedbox_id::{U256, decimal};
use serde::{Deserialize, Deserializer, Serializer, de};

pub(crate) fn serialize<S: Serializer>(id: &U256, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<U256, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    decimal::parse(&text).map_err(de::Error::custom)
}
