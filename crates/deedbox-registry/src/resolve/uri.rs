//! URIs in metadata (ERC-8122, *URI Format and Substitutions*).

use alloy_primitives::U256;
use cid::Cid;
use deedbox_chain::{ReadError, UntrustedText};
use schemars::JsonSchema;
use serde::Serialize;

/// The most bytes of a URI that is given as one: what ERC-8257 allows for a URL.
const MOST_BYTES: usize = 2048;

/// What a value is as a URI. It is a stranger's, and nothing was fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Uri {
    /// The whole URI, every `{id}` replaced by the agent's number in decimal; null when the value is none.
    pub resolved: Option<UntrustedText>,
    /// Whether there was an `{id}` to replace.
    pub id_replaced: bool,
    /// What an `ipfs://` URI names.
    pub ipfs: Option<Ipfs>,
    /// What is wrong with it.
    pub fault: Option<UriFault>,
}

/// What an `ipfs://` URI names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ipfs {
    /// The content identifier, which can be read. Whoever chooses the content chooses its letters.
    pub cid: UntrustedText,
    /// What follows it, with its slash; empty for nothing.
    pub path: UntrustedText,
    /// The same at the gateway of the request, if there is one. What a gateway answers is not compared with the identifier.
    pub gateway_url: Option<UntrustedText>,
}

/// What is wrong with a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UriFault {
    /// It has no scheme, or characters that no URI has (RFC 3986).
    NotAUri,
    /// It has more than 2,048 bytes.
    TooLong,
    /// It is an `ipfs://` URI without a content identifier that can be read.
    BadCid,
}

/// Where IPFS is asked over HTTP: `https://host[/path]`, without a slash at its end. An operator's, and so not judged further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateway(String);

impl Gateway {
    /// Takes the address of a gateway.
    ///
    /// # Errors
    /// [`InvalidArgument`](deedbox_chain::Code::InvalidArgument) when it is no plain HTTP URL.
    pub fn new(text: &str) -> Result<Self, ReadError> {
        let host = ["https://", "http://"]
            .iter()
            .find_map(|scheme| text.strip_prefix(scheme));
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !b"?#@\\\"<>".contains(&byte));
        let text = text.trim_end_matches('/');
        match host.filter(|host| plain && !host.trim_matches('/').is_empty()) {
            Some(_) if text.len() <= MOST_BYTES => Ok(Self(text.to_owned())),
            _ => Err(ReadError::invalid(
                "ipfs_gateway",
                "must be an address like https://gateway.example, without ? or #",
            )),
        }
    }
}

impl Uri {
    /// Reads a value of metadata.
    pub(super) fn read(value: &str, agent_id: U256, gateway: Option<&Gateway>) -> Self {
        let resolved = value.replace("{id}", &agent_id.to_string());
        let mut uri = Self {
            resolved: None,
            id_replaced: resolved != value,
            ipfs: None,
            fault: None,
        };
        uri.fault = if resolved.len() > MOST_BYTES {
            Some(UriFault::TooLong)
        } else if !is_uri(&resolved) {
            Some(UriFault::NotAUri)
        } else {
            None
        };
        if uri.fault.is_some() {
            return uri;
        }
        if scheme(&resolved).is_some_and(|scheme| scheme.eq_ignore_ascii_case("ipfs")) {
            uri.ipfs = ipfs(&resolved, gateway);
            uri.fault = uri.ipfs.is_none().then_some(UriFault::BadCid);
        }
        uri.resolved = Some(whole(&resolved));
        uri
    }
}

fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let rest = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let good = scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(rest);
    good.then_some(scheme)
}

/// Whether it has a scheme, and no character that RFC 3986 has no place for.
fn is_uri(text: &str) -> bool {
    let no_place = b"\"<>\\^`{|}";
    scheme(text).is_some()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !no_place.contains(&byte))
}

/// None when there is no content identifier that can be read.
fn ipfs(uri: &str, gateway: Option<&Gateway>) -> Option<Ipfs> {
    let rest = uri.split_once("://")?.1;
    // Written by some, and understood by most.
    let rest = rest.strip_prefix("ipfs/").unwrap_or(rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (text, path) = rest.split_at(end);
    // The crate takes "/ipfs/<cid>" in front of it, too; there is no slash in here.
    let _readable = Cid::try_from(text).ok()?;
    let goes_up = path.split(['/', '?', '#']).any(|step| {
        matches!(
            step.to_ascii_lowercase().replace("%2e", ".").as_str(),
            "." | ".."
        )
    });
    let gateway = gateway.filter(|_| !goes_up);
    Some(Ipfs {
        cid: whole(text),
        path: whole(path),
        gateway_url: gateway.map(|Gateway(at)| whole(&format!("{at}/ipfs/{text}{path}"))),
    })
}

/// A text that is no longer than two URIs, so that nothing of it is cut.
fn whole(text: &str) -> UntrustedText {
    UntrustedText::read_long(text.as_bytes(), 3 * MOST_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const V0: &str = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
    const V1: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

    fn read(value: &str) -> Uri {
        let gateway = Gateway::new("https://gateway.example/").unwrap();
        Uri::read(value, U256::from(12345), Some(&gateway))
    }

    #[test]
    fn every_id_is_replaced_by_the_decimal_number() {
        let uri = read("https://api.example.com/agents/{id}?me={id}");
        let resolved = "https://api.example.com/agents/12345?me=12345";
        assert_eq!(uri.resolved, Some(whole(resolved)));
        assert!(uri.id_replaced);
        assert!(!read("https://example.com/ID").id_replaced);
    }

    #[test]
    fn an_ipfs_uri_stays_one_and_its_identifier_is_checked() {
        for (cid, path) in [
            (V0, ""),
            (V1, "/a/b.json"),
            (V1, "?format=car"),
            (
                "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
                "/",
            ),
        ] {
            let text = format!("ipfs://{cid}{path}");
            let uri = read(&text);
            assert_eq!(uri.resolved, Some(whole(&text)));
            let ipfs = uri.ipfs.unwrap();
            assert_eq!((ipfs.cid, ipfs.path), (whole(cid), whole(path)));
            let at = format!("https://gateway.example/ipfs/{cid}{path}");
            assert_eq!(ipfs.gateway_url, Some(whole(&at)));
        }
        assert_eq!(
            Uri::read(&format!("ipfs://{V0}"), U256::ZERO, None)
                .ipfs
                .unwrap()
                .gateway_url,
            None
        );
        for bad in [
            "ipfs://",
            "ipfs://nothing",
            "ipfs:QmYw",
            &format!("ipfs://{}", &V0[1..]),
        ] {
            let uri = read(bad);
            assert_eq!(
                (uri.fault, uri.ipfs),
                (Some(UriFault::BadCid), None),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_path_that_climbs_out_of_its_content_gets_no_gateway() {
        for path in ["/../x", "/a/%2E%2e/../b", "/."] {
            let ipfs = read(&format!("ipfs://{V0}{path}")).ipfs.unwrap();
            assert_eq!(ipfs.gateway_url, None, "{path}");
        }
    }

    #[test]
    fn what_is_no_uri_is_said_to_be_none() {
        for bad in [
            "",
            "example.com/a",
            "a b:c",
            "https://a b",
            "https://é",
            "1a:b",
            "x:{y}",
            "a:\u{202e}",
        ] {
            let uri = read(bad);
            assert_eq!(
                (uri.resolved, uri.fault),
                (None, Some(UriFault::NotAUri)),
                "{bad}"
            );
        }
        let long = format!("data:,{}", "a".repeat(2043));
        assert_eq!(read(&long).fault, Some(UriFault::TooLong));
        assert_eq!(read(&long[..2048]).fault, None);
    }

    #[test]
    fn a_gateway_is_a_plain_http_address() {
        for good in [
            "https://g.example",
            "http://127.0.0.1:8080/",
            "https://g.example/x/",
        ] {
            assert!(Gateway::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "g.example",
            "https://",
            "https:///",
            "https://g?a",
            "https://g#a",
            "ftp://g",
            "https://u@g",
        ] {
            assert!(Gateway::new(bad).is_err(), "{bad}");
        }
    }
}
