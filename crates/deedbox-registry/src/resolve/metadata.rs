//! What stands under an agent's keys (ERC-8048), value by value: one that cannot be read spoils no other.

use std::collections::BTreeMap;

use alloy_primitives::{Bytes, U256, hex};
use deedbox_chain::UntrustedText;
use deedbox_core::ChainAddress;
use deedbox_store::index::{self, Half, Spelling};
use schemars::JsonSchema;
use serde::Serialize;

use super::uri::{Gateway, Uri};
use crate::{
    entry::{AGENT_ACCOUNT, SERVICE, SERVICE_TYPE},
    view::Unreadable,
};

/// The most characters of a value that are shown. A URI is given whole beside it.
const MOST_CHARACTERS: usize = 2000;
/// The most bytes of a value that is no text that are shown.
const MOST_BYTES: usize = 1024;

/// What the contract gave for each key that was asked for.
pub(super) type Values = BTreeMap<String, Result<Bytes, Unreadable>>;

/// A key of an agent, and what stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Metadatum {
    /// The key.
    pub key: String,
    /// What stands there.
    #[serde(flatten)]
    pub value: Value,
}

/// What stands under a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "an answer has a few dozen of them at most, and most are texts"
)]
pub enum Value {
    /// Nothing. A value that was never set and an empty one read alike (reading X-27).
    Unset,
    /// A text.
    Text {
        /// Of at most 2,000 characters. A stranger's.
        text: UntrustedText,
        /// The same as a URI, where the key is one of a URI or the text begins like one.
        uri: Option<Uri>,
    },
    /// An address: 20 bytes, 32 with twelve zeros in front, or `0x` and 40 digits as text (reading X-16).
    Address {
        /// The address.
        address: ChainAddress,
        /// Which of the three.
        form: AddressForm,
    },
    /// Bytes that are no UTF-8, or no address where one should be.
    Bytes {
        /// The first 1,024 of them, with 0x.
        hex: String,
        /// How many there are.
        length: u64,
    },
    /// The value could not be had.
    Unreadable {
        /// Why.
        #[serde(flatten)]
        cause: Unreadable,
    },
}

/// How an address was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AddressForm {
    /// 20 bytes, as ERC-8048 has it.
    Bytes,
    /// A word of the ABI.
    Word,
    /// A text in hex.
    Text,
}

/// The services of an agent. They say nothing about who owns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentServices {
    /// The view that they came from.
    pub source: String,
    /// The services, the plain pair first.
    pub listed: Vec<AgentService>,
    /// How many more there are.
    pub omitted: u64,
    /// Numbered pairs were looked for up to this number.
    pub numbers_read: u32,
    /// Whether there may be more numbers: the last that was looked for was there.
    pub may_go_on: bool,
    /// Keys that could not be read. What would stand there is unknown.
    pub unreadable: Vec<Metadatum>,
}

/// A service of an agent: a pair of a kind and a URI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentService {
    /// How its keys are spelt: `plain`, `slash`, `colon`, `spaced`, `bracket`, or `endpoint` for ERC-8048's profile.
    #[schemars(with = "String")]
    pub spelling: Spelling,
    /// What tells it from the agent's other services, like `1`; null for the plain pair.
    pub parameter: Option<String>,
    /// Which protocol, like `mcp`; null when that half is missing.
    pub service_type: Option<Metadatum>,
    /// Where; null when that half is missing.
    pub service: Option<Metadatum>,
    /// The key of the half that is missing; null for a whole pair. Nothing takes its place.
    pub missing_key: Option<String>,
}

/// How values are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'r> {
    pub(super) agent_id: U256,
    pub(super) gateway: Option<&'r Gateway>,
    /// The view that the values came from.
    pub(super) source: &'static str,
}

impl Reader<'_> {
    /// What stands under a key.
    pub(super) fn read(self, key: &str, value: &Result<Bytes, Unreadable>) -> Metadatum {
        let value = match value {
            Err(cause) => Value::Unreadable {
                cause: cause.clone(),
            },
            Ok(bytes) => self.of_bytes(key, bytes),
        };
        Metadatum {
            key: key.to_owned(),
            value,
        }
    }

    fn of_bytes(self, key: &str, bytes: &[u8]) -> Value {
        if bytes.is_empty() {
            return Value::Unset;
        }
        if key == AGENT_ACCOUNT {
            return match index::agent_account(bytes) {
                Some(address) => Value::Address {
                    address,
                    form: match bytes.len() {
                        20 => AddressForm::Bytes,
                        32 => AddressForm::Word,
                        _ => AddressForm::Text,
                    },
                },
                None => as_hex(bytes),
            };
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return as_hex(bytes);
        };
        Value::Text {
            text: UntrustedText::read_long(bytes, MOST_CHARACTERS),
            uri: is_uri_key(key, text).then(|| Uri::read(text, self.agent_id, self.gateway)),
        }
    }

    /// The services among the values that were read.
    pub(super) fn services(
        self,
        values: &Values,
        numbers_read: u32,
        may_go_on: bool,
    ) -> AgentServices {
        let readable = values
            .iter()
            .filter_map(|(key, value)| Some((key.as_bytes(), value.as_ref().ok()?.as_ref())));
        let found = index::services(readable);
        let half = |half: &Half, read_as: &str| Metadatum {
            key: half.key.clone(),
            value: self.of_bytes(read_as, half.value.bytes()),
        };
        let service = |service: &index::Service| AgentService {
            spelling: service.spelling,
            parameter: service.parameter.clone(),
            // Of an endpoint it stands in the key, which is otherwise that of a URI.
            service_type: service
                .service_type
                .as_ref()
                .map(|found| half(found, SERVICE_TYPE)),
            service: service.service.as_ref().map(|found| half(found, SERVICE)),
            missing_key: service.missing().filter(|key| match values.get(key) {
                // Unknown is not missing.
                Some(value) => value.is_ok(),
                None => true,
            }),
        };
        let unreadable = values
            .iter()
            .filter(|(key, value)| value.is_err() && is_service_key(key));
        AgentServices {
            source: self.source.to_owned(),
            listed: found.listed.iter().map(service).collect(),
            omitted: found.omitted as u64,
            numbers_read,
            may_go_on,
            unreadable: unreadable
                .map(|(key, value)| self.read(key, value))
                .collect(),
        }
    }
}

fn as_hex(bytes: &[u8]) -> Value {
    Value::Bytes {
        hex: hex::encode_prefixed(&bytes[..bytes.len().min(MOST_BYTES)]),
        length: bytes.len() as u64,
    }
}

/// Whether a key belongs to a service.
pub(super) fn is_service_key(key: &str) -> bool {
    key.starts_with("service") || key.starts_with("endpoint")
}

fn is_uri_key(key: &str, text: &str) -> bool {
    let is_kind = key.starts_with("service_type") || key.starts_with("endpoint_type");
    let is_uri = key == "image" || is_service_key(key) && !is_kind;
    is_uri
        || ["https://", "http://", "ipfs://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Revert;

    const READER: Reader<'_> = Reader {
        agent_id: U256::from_limbs([7, 0, 0, 0]),
        gateway: None,
        source: "metadata(uint256,string)",
    };

    fn read(key: &str, value: &[u8]) -> Value {
        READER.read(key, &Ok(Bytes::copy_from_slice(value))).value
    }

    #[test]
    fn an_agent_account_is_read_in_each_of_its_three_forms() {
        let account = [0xab; 20];
        let word = [&[0; 12][..], &account].concat();
        let text = format!("0x{}", "ab".repeat(20));
        for (bytes, form) in [
            (&account[..], AddressForm::Bytes),
            (&word, AddressForm::Word),
            (text.as_bytes(), AddressForm::Text),
        ] {
            let address = ChainAddress(account);
            assert_eq!(read(AGENT_ACCOUNT, bytes), Value::Address { address, form });
        }
        for bad in [&account[1..], &[1; 32], b"nobody"] {
            assert!(
                matches!(read(AGENT_ACCOUNT, bad), Value::Bytes { .. }),
                "{bad:?}"
            );
        }
        assert_eq!(read(AGENT_ACCOUNT, &[]), Value::Unset);
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_in_hex_and_capped() {
        let Value::Bytes { hex, length } = read("name", &[0xff; 5000]) else {
            panic!("it is no text")
        };
        assert_eq!((hex.len(), length), (2 + 2 * MOST_BYTES, 5000));
    }

    #[test]
    fn the_number_is_put_into_every_uri_and_into_nothing_else() {
        for (key, value, is_uri) in [
            ("service", "https://a.example/{id}", true),
            ("service/2", "https://a.example/{id}", true),
            ("image", "ipfs://x/{id}", true),
            ("endpoint[mcp]", "https://a.example/{id}", true),
            ("docs", "https://a.example/{id}", true),
            ("service_type", "mcp", false),
            ("description", "I am {id}", false),
        ] {
            let Value::Text { text, uri } = read(key, value.as_bytes()) else {
                panic!("{key}")
            };
            assert_eq!(text.text, value);
            assert_eq!(uri.is_some_and(|uri| uri.id_replaced), is_uri, "{key}");
        }
    }

    #[test]
    fn the_type_of_an_endpoint_is_taken_from_its_key_and_is_no_uri() {
        let value = Ok(Bytes::from_static(b"https://a.example/{id}"));
        let values = Values::from([("endpoint[mcp]".to_owned(), value)]);
        let services = READER.services(&values, 1, false);
        let service = &services.listed[0];
        let of = |half: &Option<Metadatum>| match &half.as_ref().unwrap().value {
            Value::Text { text, uri } => (text.text.clone(), uri.clone()),
            other => panic!("{other:?}"),
        };
        assert_eq!(of(&service.service_type), ("mcp".to_owned(), None));
        let uri = of(&service.service).1.unwrap();
        assert_eq!(uri.resolved.unwrap().text, "https://a.example/7");
        assert_eq!(service.missing_key, None);
    }

    #[test]
    fn a_half_that_could_not_be_read_is_unknown_and_not_missing() {
        let refused = || {
            Err(Unreadable::Reverted {
                revert: Revert::Empty,
            })
        };
        let text = |text: &'static str| Ok(Bytes::from_static(text.as_bytes()));
        let values = Values::from([
            ("service".to_owned(), text("https://a.example")),
            ("service_type".to_owned(), refused()),
            ("service/1".to_owned(), text("https://b.example")),
            ("service_type/1".to_owned(), Ok(Bytes::new())),
            ("service_type:1".to_owned(), text("a2a")),
            ("name".to_owned(), refused()),
        ]);
        let services = READER.services(&values, 1, true);
        let missing: Vec<_> = services
            .listed
            .iter()
            .map(|service| service.missing_key.as_deref())
            .collect();
        assert_eq!(missing, [None, Some("service_type/1"), Some("service:1")]);
        assert_eq!(services.unreadable.len(), 1);
        assert_eq!(services.unreadable[0].key, "service_type");
    }
}
