//! Metadata: what stands under a key (ERC-8048, ERC-8049), and what is odd about it before it is written.

use alloy_primitives::{Address, Bytes};
use deedbox_id::{Form, StorageKey};
use serde_json::{Value, json};

/// The key of an agent's account. Its value is an address, 20 bytes (reading X-16); every other standard key's is text.
pub const AGENT_ACCOUNT: &str = "agent_account";
/// The key of the kind of a service: `mcp`, `a2a` …
pub const SERVICE_TYPE: &str = "service_type";
/// The key of a service's URI.
pub const SERVICE: &str = "service";
/// Keys that ERC-8122 recommends for an agent.
pub const AGENT_KEYS: [&str; 7] = [
    "name",
    "ens_name",
    "image",
    "description",
    SERVICE_TYPE,
    SERVICE,
    AGENT_ACCOUNT,
];
/// Keys that ERC-8122 recommends for a registry itself, and those that it names beside them.
pub const REGISTRY_KEYS: [&str; 7] = [
    "name",
    "description",
    "image",
    "symbol",
    "banner_image",
    "featured_image",
    "external_link",
];

/// One metadata entry, as `MetadataEntry` of ERC-8122 has it. An empty value removes what stands under the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key, in a form of ERC-8119.
    pub key: StorageKey,
    /// The value: UTF-8, except for keys of another type.
    pub value: Bytes,
}

/// Why a value cannot stand under its key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEntry {
    /// `agent_account` is no address of 20 bytes.
    #[error("{AGENT_ACCOUNT} is an address: 20 bytes, not {0}")]
    AccountLength(usize),
}

impl Entry {
    /// Takes a value of any bytes.
    ///
    /// # Errors
    /// [`BadEntry`] when the value is not of the type that ERC-8122 gives its key.
    pub fn new(key: StorageKey, value: impl Into<Bytes>) -> Result<Self, BadEntry> {
        let value = value.into();
        let is_account = key.as_str() == AGENT_ACCOUNT;
        if is_account && !matches!(value.len(), 0 | 20) {
            return Err(BadEntry::AccountLength(value.len()));
        }
        Ok(Self { key, value })
    }

    /// Takes the text that a person typed. Under `agent_account` it must be an address (`0x…`), which is stored as its 20 bytes.
    ///
    /// # Errors
    /// [`BadEntry`] for an `agent_account` that is no address; a checksum, where there is one, must be right.
    pub fn text(key: StorageKey, text: &str) -> Result<Self, BadEntry> {
        if key.as_str() != AGENT_ACCOUNT || text.is_empty() {
            return Self::new(key, text.as_bytes().to_vec());
        }
        let address = deedbox_id::Address::parse(text, deedbox_id::Checksum::Eip55)
            .map_err(|_| BadEntry::AccountLength(text.len()))?;
        Self::new(key, address.0.to_vec())
    }

    /// The value as an address, where it has 20 bytes.
    #[must_use]
    pub fn as_address(&self) -> Option<Address> {
        <[u8; 20]>::try_from(self.value.as_ref())
            .ok()
            .map(Address::from)
    }

    /// For records and programs: `{"key", "text"}`, or `{"key", "hex"}` for what is no text (or has a NUL in it).
    #[must_use]
    pub fn to_json(&self) -> Value {
        let key = self.key.as_str();
        match std::str::from_utf8(&self.value) {
            Ok(text) if key != AGENT_ACCOUNT && !text.contains('\0') => {
                json!({"key": key, "text": text})
            }
            _ => json!({"key": key, "hex": self.value.to_string()}),
        }
    }
}

/// What of these entries will surprise somebody, one sentence each. Nothing here is forbidden.
#[must_use]
pub fn advice(entries: &[Entry], standard: &[&str]) -> Vec<String> {
    let mut advice: Vec<_> = entries
        .iter()
        .flat_map(|entry| odd(entry, standard))
        .collect();
    for (index, entry) in entries.iter().enumerate() {
        if entries[..index].iter().any(|other| other.key == entry.key) {
            advice.push(format!(
                "{} is given twice; the last value stays",
                entry.key
            ));
        }
    }
    advice.extend(halves(entries));
    advice
}

/// `service` without `service_type` or the reverse, in every numbered pair: readers join no halves.
fn halves(entries: &[Entry]) -> Vec<String> {
    let pair = |key: &StorageKey| {
        let other = match key.label() {
            SERVICE => SERVICE_TYPE,
            SERVICE_TYPE => SERVICE,
            _ => return None,
        };
        let rest = &key.as_str()[key.label().len()..];
        Some(format!("{other}{rest}"))
    };
    let alone = |entry: &Entry| {
        let other = pair(&entry.key)?;
        let is_there = entries.iter().any(|entry| entry.key.as_str() == other);
        (!is_there && !entry.value.is_empty()).then(|| {
            format!(
                "{} is set without {other}; if the agent has none yet, readers report the pair as broken",
                entry.key
            )
        })
    };
    entries.iter().filter_map(alone).collect()
}

/// Whether a key is another one with a slip in it: capitals, a separator, two letters swapped, or one too many, too few or wrong.
fn is_slip(given: &str, meant: &str) -> bool {
    let letters = |text: &str| -> Vec<char> {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let (given, meant) = (letters(given), letters(meant));
    let same = |pair: &(&char, &char)| pair.0 == pair.1;
    let start = given.iter().zip(&meant).take_while(same).count();
    let (given, meant) = (&given[start..], &meant[start..]);
    let end = given.iter().rev().zip(meant.iter().rev());
    let end = end.take_while(same).count();
    match (&given[..given.len() - end], &meant[..meant.len() - end]) {
        ([] | [_], [] | [_]) => true,
        ([one, two], [first, second]) => one == second && two == first,
        _ => false,
    }
}

fn odd(entry: &Entry, standard: &[&str]) -> Vec<String> {
    let (key, mut odd) = (&entry.key, Vec::new());
    let (label, form) = (key.label(), key.form());
    if form == Form::Colon {
        odd.push(format!(
            "{key} has a colon; ERC-8048 writes the slash form, {label}/…, and readers take the two for different keys"
        ));
    }
    if !standard.contains(&label)
        && let Some(meant) = standard.iter().find(|name| is_slip(label, name))
    {
        odd.push(format!(
            "{key} is not the standard's key {meant}, which readers look for"
        ));
    }
    let Ok(text) = std::str::from_utf8(&entry.value) else {
        if label != AGENT_ACCOUNT && standard.contains(&label) {
            odd.push(format!(
                "the value of {key} is not UTF-8, which the standard wants for this key"
            ));
        }
        return odd;
    };
    let is_uri = [
        SERVICE,
        "image",
        "banner_image",
        "featured_image",
        "external_link",
    ]
    .contains(&label);
    if is_uri && text.starts_with("http://") {
        odd.push(format!(
            "{key} is an http URL: what it answers can be changed on the way; use https"
        ));
    }
    if is_uri && text.starts_with("https://") && text.contains("/ipfs/") {
        odd.push(format!("{key} names an IPFS gateway; the standard's form is ipfs://<CID>, which no single gateway can break"));
    }
    if is_uri && !text.is_empty() && !text.contains(':') {
        odd.push(format!("{key} is no URI: it has no scheme"));
    }
    if text.trim() != text && is_uri {
        odd.push(format!("{key} has white space around it"));
    }
    odd
}

#[cfg(test)]
mod tests;
