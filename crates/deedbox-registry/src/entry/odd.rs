//! What of one entry will surprise somebody.

use std::collections::BTreeSet;

use deedbox_chain::{
    UntrustedText,
    text::{Flag, MAX_BYTES},
};
use deedbox_id::Form;

use super::{AGENT_ACCOUNT, AGENT_KEYS, Entry, REGISTRY_KEYS, SERVICE};

/// Keys whose values are URIs.
const URIS: [&str; 5] = [
    SERVICE,
    "image",
    "banner_image",
    "featured_image",
    "external_link",
];

/// Keys of which readers show the one without a parameter.
const ONLY: [&str; 4] = ["name", "ens_name", "description", "image"];

/// Short for a standard's key, and further from it than a slip of the hand.
const SHORT: [(&str, &str); 4] = [
    ("img", "image"),
    ("pic", "image"),
    ("desc", "description"),
    ("descr", "description"),
];

/// One sentence for each thing that is odd about an entry, where these keys are the standard's.
pub(super) fn odd(entry: &Entry, standard: &[&str]) -> Vec<String> {
    let (key, mut odd) = (&entry.key, Vec::new());
    let label = key.label();
    if key.form() == Form::Colon {
        odd.push(format!(
            "{key} has a colon; ERC-8048 writes the slash form, {label}/…, and readers take the two for different keys"
        ));
    }
    if let Some(close) = near_miss(label, standard) {
        odd.push(format!("{key} is not the standard's key {close}"));
    }
    if ONLY.contains(&label) && standard.contains(&label) && key.as_str() != label {
        odd.push(format!(
            "{key} is a variation of {label} (ERC-8119), and no reader shows it instead: only services are numbered"
        ));
    }
    odd.extend(odd_text(
        &format!("the key {key:?}", key = key.as_str()),
        key.as_str(),
    ));
    let Ok(text) = std::str::from_utf8(&entry.value) else {
        if label != AGENT_ACCOUNT && standard.contains(&label) {
            odd.push(format!(
                "the value of {key} is not UTF-8, which the standard wants for this key"
            ));
        }
        return odd;
    };
    if label != AGENT_ACCOUNT {
        odd.extend(odd_text(&format!("the value of {key}"), text));
    }
    if holds_key(text) {
        odd.push(format!(
            "the value of {key} holds 64 hexadecimal digits, as a private key has them: if it is one, say no, because everybody would read it, for ever; if it is a hash, go on"
        ));
    }
    odd.extend(odd_authority(key.as_str(), text));
    if URIS.contains(&label) {
        odd.extend(odd_uri(key.as_str(), text));
    }
    odd
}

/// Whether exactly 64 hexadecimal digits stand together somewhere: a private key as people copy it. A hash looks no different.
fn holds_key(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_hexdigit())
        .any(|digits| digits.len() == 64)
}

fn odd_uri(key: &str, text: &str) -> Vec<String> {
    let mut odd = Vec::new();
    if text.starts_with("http://") {
        odd.push(format!(
            "{key} is an http URL: what it answers can be changed on the way; use https"
        ));
    }
    if text.starts_with("https://") && text.contains("/ipfs/") {
        odd.push(format!("{key} names an IPFS gateway; the standard's form is ipfs://<CID>, which no single gateway can break"));
    }
    match text.trim_start().split_once(':') {
        None if text.is_empty() => {}
        None => odd.push(format!("{key} is no URI: it has no scheme")),
        Some((scheme, rest)) if !is_followed(key, &scheme.to_ascii_lowercase(), rest) => {
            odd.push(format!(
                "{key} is neither an https nor an ipfs URI: what begins with {scheme:?} most readers do not follow, and some would run what stands in it"
            ));
        }
        Some(_) => {}
    }
    if text.trim() != text {
        odd.push(format!("{key} has white space around it"));
    }
    odd
}

/// Whether readers follow such a URI: http is spoken of elsewhere, an image may be a data URL (ERC-8122), and a service may talk over web sockets.
fn is_followed(key: &str, scheme: &str, rest: &str) -> bool {
    let label = key.split(['/', ':']).next().unwrap_or_default();
    match scheme {
        "https" | "http" | "ipfs" => true,
        "data" => label == "image" && rest.to_ascii_lowercase().starts_with("image/"),
        "wss" => label == SERVICE,
        _ => false,
    }
}

/// The standard's key that a label is almost: another case or other separators, or a slip of the hand. Two of these are believed of longer
/// words only: between short ones there is no more than that.
fn near_miss<'k>(label: &str, standard: &[&'k str]) -> Option<&'k str> {
    if AGENT_KEYS.contains(&label) || REGISTRY_KEYS.contains(&label) {
        return None;
    }
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let typed = plain(label);
    let short = SHORT.iter().find(|(short, _)| *short == typed);
    if let Some((_, meant)) = short.filter(|(_, meant)| standard.contains(meant)) {
        return Some(meant);
    }
    let slips = |key: &str| {
        let wanted = plain(key);
        let most = if wanted.len() < 6 { 1 } else { 2 };
        let slips = strsim::osa_distance(&typed, &wanted);
        (slips <= most).then_some(slips)
    };
    let near = standard.iter().filter_map(|key| Some((slips(key)?, *key)));
    near.min().map(|(_, key)| key)
}

/// What of a URL's authority is taken for another host than it names (RFC 3986 §3.2).
fn odd_authority(key: &str, text: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once("://") else {
        return Vec::new();
    };
    // Browsers take a backslash for a slash.
    let authority = rest.split(['/', '?', '#', '\\']).next();
    let authority = authority.unwrap_or_default().to_lowercase();
    let mut odd = Vec::new();
    if authority.contains('@') {
        odd.push(format!(
            "{key} is a URL with something before an @: what stands there is not the host, and if it is a password, everybody reads it"
        ));
    }
    if authority.contains('%') {
        odd.push(format!(
            "{key} is a URL with a percent sign in its host: what it stands for (%40 for @, %2f for /) makes it look like another host than it is"
        ));
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    if host.split('.').any(|label| label.starts_with("xn--")) {
        let shown = match idna::domain_to_unicode(host) {
            (shown, Ok(())) => format!("which is shown as {shown:?}"),
            (_, Err(_)) => "which is no name that can be shown".to_owned(),
        };
        odd.push(format!(
            "{key} is a URL of the host {host}, {shown}: it may be taken for another one"
        ));
    }
    odd
}

/// What makes `text` look like another one, in a sentence about `what`; none where nothing does. All of it is looked at, however long it is.
#[must_use]
pub fn odd_text(what: &str, text: &str) -> Option<String> {
    let mut flags = BTreeSet::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.floor_char_boundary(MAX_BYTES));
        flags.extend(UntrustedText::read(piece.as_bytes(), false).flags);
        rest = more;
    }
    // A description may have lines.
    let is_layout = |c: char| matches!(c, '\n' | '\r' | '\t');
    if !text
        .chars()
        .any(|c| (c.is_control() && !is_layout(c)) || matches!(c, '\u{2028}' | '\u{2029}'))
    {
        flags.remove(&Flag::Control);
    }
    let words = flags.into_iter().filter_map(|flag| match flag {
        Flag::Control => Some("control characters"),
        Flag::Bidi => Some("characters that turn the direction of writing"),
        Flag::ZeroWidth => Some("characters that nobody can see"),
        Flag::MixedScript => Some("letters of scripts that are not written together"),
        Flag::Confusable => Some("letters that look like others"),
        Flag::Bytes32 | Flag::InvalidUtf8 => None,
    });
    let words: Vec<_> = words.collect();
    (!words.is_empty()).then(|| {
        format!(
            "{what} holds {}: it may be taken for another text",
            words.join(", ")
        )
    })
}
