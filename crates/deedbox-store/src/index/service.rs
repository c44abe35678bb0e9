//! The services of an agent, from its metadata: the one place that knows every spelling of their keys.
//!
//! ERC-8122 names `service_type` and `service`, and numbered pairs after them. Its own text writes `service: 1`, which ERC-8119
//! forbids; ERC-8048 writes `service/1`, others `service:1` and `service[1]`, and ERC-8048's agent profile has
//! `endpoint[mcp]`, whose type is in the key (readings ). Each spelling is another place in storage. So two
//! halves make a pair when everything after their labels is the same to the byte, and never otherwise: a half whose
//! other half is missing, or spelt another way, is reported as broken.

use std::collections::BTreeMap;

use deedbox_core::ChainAddress;
use deedbox_id::{Form, LooseKey, Oddity};
use serde::{Deserialize, Serialize};

use super::Kept;

/// How many services of an agent are listed.
pub(super) const MOST: usize = 64;

const TYPE: &str = "service_type";
const URI: &str = "service";
const ENDPOINT: &str = "endpoint";

/// How the keys of a service are spelt. In the order in which services are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spelling {
    /// `service`: the first one.
    Plain,
    /// `service/1`: what is written today.
    Slash,
    /// `service:1`.
    Colon,
    /// `service: 1`, or with a space after the slash: in the text of ERC-8122, and forbidden by ERC-8119.
    Spaced,
    /// `service[1]`.
    Bracket,
    /// `endpoint[mcp]` of ERC-8048's agent profile: the type is in the key.
    Endpoint,
}

/// One half of a service: what kind, or where.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Half {
    /// The key that it came from, as it is stored.
    pub key: String,
    /// What stands there; for the type of an endpoint, what stands in the key.
    pub value: Kept,
}

/// One service of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Service {
    /// How its keys are spelt.
    pub spelling: Spelling,
    /// What tells it from the agent's other services, like `1`; `None` for the plain pair.
    pub parameter: Option<String>,
    /// Which protocol, like `mcp` or `a2a`.
    pub service_type: Option<Half>,
    /// Its URI, with `{id}` not replaced yet.
    pub service: Option<Half>,
}

impl Service {
    /// Whether one half is missing. Nothing takes its place.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.missing().is_some()
    }

    /// The key under which the missing half would stand.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        match (&self.service_type, &self.service) {
            (Some(half), None) => half
                .key
                .strip_prefix(TYPE)
                .map(|rest| format!("{URI}{rest}")),
            (None, Some(half)) => half
                .key
                .strip_prefix(URI)
                .map(|rest| format!("{TYPE}{rest}")),
            _ => None,
        }
    }
}

/// The services of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Services {
    /// The plain pair first, then by parameter, numbers as numbers, and by spelling; endpoints last. At most [`MOST`].
    pub listed: Vec<Service>,
    /// How many there are beside.
    pub omitted: usize,
}

/// What a key says about a service, if it is a key of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Type,
    Uri,
    Endpoint,
}

fn part(key: &LooseKey) -> Option<Part> {
    let one_at_most = key.parameters().nth(1).is_none();
    match key.label() {
        TYPE if one_at_most => Some(Part::Type),
        URI if one_at_most => Some(Part::Uri),
        ENDPOINT if one_at_most && key.form() == Form::Bracket => Some(Part::Endpoint),
        _ => None,
    }
}

fn read(key: &[u8]) -> Option<(LooseKey, Part)> {
    // Most keys are no service's, and this is asked for every fact.
    let begins = [URI, ENDPOINT]
        .iter()
        .any(|label| key.starts_with(label.as_bytes()));
    let key = begins.then(|| LooseKey::from_bytes(key).ok())??;
    let part = part(&key)?;
    Some((key, part))
}

/// Whether a metadata key is one of a service, in whatever spelling.
#[must_use]
pub(super) fn is_service_key(key: &[u8]) -> bool {
    read(key).is_some()
}

fn spelling(key: &LooseKey, part: Part) -> Spelling {
    let spaced = key
        .oddities()
        .iter()
        .any(|oddity| matches!(oddity, Oddity::SpaceAfterSeparator { .. }));
    match key.form() {
        _ if part == Part::Endpoint => Spelling::Endpoint,
        _ if spaced => Spelling::Spaced,
        Form::Plain => Spelling::Plain,
        Form::Slash => Spelling::Slash,
        Form::Colon => Spelling::Colon,
        Form::Bracket => Spelling::Bracket,
    }
}

/// The order of the list: the plain pair, then numbers by their size, then other parameters; by spelling within one.
fn order(service: &Service) -> impl Ord + use<> {
    let parameter = service.parameter.clone();
    let digits = parameter
        .as_ref()
        .filter(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
        .map(|text| (text.len(), text.clone()));
    (
        service.spelling == Spelling::Endpoint,
        parameter.is_some(),
        digits.is_none(),
        digits,
        parameter,
        service.spelling,
    )
}

/// The services of an agent, from all its metadata or from what of it is known: pairs of a key and a value, in any order. What
/// is empty counts as not there (reading X-27), what is under other keys is passed over.
#[must_use]
pub fn services<'a>(metadata: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Services {
    // By what follows the label: halves with the same rest are a pair.
    let mut pairs: BTreeMap<(bool, String), Service> = BTreeMap::new();
    for (key, value) in metadata {
        let Some((key, part)) = read(key).filter(|_| !value.is_empty()) else {
            continue;
        };
        let parameter = key.parameters().next().map(str::to_owned);
        let rest = key.as_str().get(key.label().len()..).unwrap_or_default();
        let pair = (part == Part::Endpoint, rest.to_owned());
        let service = pairs.entry(pair).or_insert_with(|| Service {
            spelling: spelling(&key, part),
            parameter: parameter.clone(),
            service_type: None,
            service: None,
        });
        let half = |value: &[u8]| {
            Some(Half {
                key: key.as_str().to_owned(),
                value: Kept::new(value),
            })
        };
        match part {
            Part::Type => service.service_type = half(value),
            Part::Uri => service.service = half(value),
            Part::Endpoint => {
                service.service_type = half(parameter.unwrap_or_default().as_bytes());
                service.service = half(value);
            }
        }
    }
    let mut listed: Vec<_> = pairs.into_values().collect();
    listed.sort_by_cached_key(order);
    let omitted = listed.len().saturating_sub(MOST);
    listed.truncate(MOST);
    Services { listed, omitted }
}

/// The address under `agent_account`: 20 bytes, 32 bytes with twelve zeros in front (reading X-16), or, as some
/// write it, a text of `0x` and 40 digits. `None` for everything else, and for the zero address.
#[must_use]
pub fn agent_account(value: &[u8]) -> Option<ChainAddress> {
    let address = match value.len() {
        20 => value.try_into().ok(),
        32 => value
            .strip_prefix(&[0; 12])
            .and_then(|address| address.try_into().ok()),
        42 => std::str::from_utf8(value).ok()?.parse().ok(),
        _ => None,
    };
    address.filter(|address: &ChainAddress| address.0 != [0; 20])
}
