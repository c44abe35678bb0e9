//! Registrations that stand on public chains and were made to hurt whoever reads them, replayed. Every name is ours here, so none of
//! their hosts is asked; addresses stay as they are.

use deedbox_registry::verify::{CheckName, CheckOutcome};

use super::{
    house::*,
    verify::{Street, failed, hash, manifest},
};

/// `chain_id tool_id status manifest_status metadata_uri endpoint name`, as they were found.
const FOUND: &str = include_str!("../data/hostile_registrations.tsv");

/// What of one of them is replayed.
struct Hostile {
    metadata_uri: String,
    /// Of its manifest, where one was served.
    endpoint: Option<String>,
}

/// All of them, on the server of `street`.
fn replayed(street: &Street) -> Vec<Hostile> {
    let rows = FOUND.lines().skip(1).map(|row| {
        let columns: Vec<&str> = row.split('\t').collect();
        Hostile {
            metadata_uri: ours(columns[4], street),
            endpoint: (!columns[5].is_empty()).then(|| ours(columns[5], street)),
        }
    });
    rows.collect()
}

/// The same URL with our name in place of its host's. An address in any form stays.
fn ours(url: &str, street: &Street) -> String {
    let (scheme, rest) = url.split_once("://").unwrap();
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    if host
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return url.to_owned();
    }
    let here = street.server.url(HOST, rest);
    let here = here.strip_prefix("https").unwrap();
    format!("{scheme}{here}")
}

/// By the text of the standard, and not by this program: `https`, and `/.well-known/ai-tool/<slug>.json` and nothing after it.
fn is_in_its_place(uri: &str) -> bool {
    let path = uri
        .strip_prefix("https://")
        .and_then(|rest| rest.split_once("/.well-known/ai-tool/"))
        .and_then(|(host, name)| (!host.contains('/')).then_some(name));
    let slug = path.and_then(|name| name.strip_suffix(".json"));
    slug.is_some_and(|slug| {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !slug.is_empty() && slug.bytes().all(plain)
    })
}

#[tokio::test]
async fn a_hostile_registration_is_refused_where_it_stands_and_only_its_place_is_ever_asked() {
    let street = Street::new();
    let hostile = replayed(&street);
    assert_eq!(hostile.len(), 75);
    let (mut asked, mut refused) = (0, 0);
    for Hostile { metadata_uri, .. } in hostile {
        let body = manifest(&street.house, &street.server).to_string();
        let tool = street.house.register(
            street.registry,
            &metadata_uri,
            hash(body.as_bytes()),
            Address::ZERO,
        );
        let before = street.server.asked().len();
        let found = street.verify(tool).await;
        if is_in_its_place(&metadata_uri) {
            // Nothing is there, as with nearly all of them.
            assert_eq!(
                failed(&found),
                (CheckName::Fetch, vec!["status"]),
                "{metadata_uri}"
            );
            assert_eq!(street.server.asked().len(), before + 1, "{metadata_uri}");
            asked += 1;
        } else {
            assert_eq!(failed(&found).0, CheckName::Origin, "{metadata_uri}");
            assert_eq!(found.checks[0].outcome, CheckOutcome::NotReached);
            assert_eq!(street.server.asked().len(), before, "{metadata_uri}");
            refused += 1;
        }
    }
    // Counted by hand in the list.
    assert_eq!((asked, refused), (22, 53));
}

/// By RFC 3986 alone: characters that a URI may have, and two hexadecimal digits after each percent sign.
fn is_written_as_a_uri(text: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let escapes = text.split('%').skip(1);
    let mut escapes = escapes.map(|rest| rest.as_bytes().get(..2));
    let is_escape =
        |digits: Option<&[u8]>| digits.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    text.bytes().all(plain) && escapes.all(is_escape)
}

#[tokio::test]
async fn an_endpoint_made_of_commands_is_marked_as_not_to_be_called_and_is_not() {
    let street = Street::new();
    let (mut odd, mut plain) = (0, 0);
    for Hostile { endpoint, .. } in replayed(&street) {
        let Some(endpoint) = endpoint else { continue };
        let tool = street.publish(|manifest| manifest["endpoint"] = json!(endpoint));
        let before = street.server.asked().len();
        let found = street.verify(tool).await;
        // Its manifest was asked for, and it was not.
        assert_eq!(street.server.asked().len(), before + 1, "{endpoint}");
        let mark = found.manifest.unwrap().not_invocable;
        if endpoint.starts_with("https://") && is_written_as_a_uri(&endpoint) {
            assert_eq!(mark, None, "{endpoint}");
            plain += 1;
        } else {
            assert!(mark.is_some(), "{endpoint}");
            odd += 1;
        }
    }
    // Counted by hand in the list.
    assert_eq!((odd, plain), (5, 7));
}
