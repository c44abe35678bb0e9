//! Private keys where they must not be: on a command line.

/// Flags that other programs take a secret with. Deedbox has none of them, and says why.
const FLAGS: [&str; 9] = [
    "--private-key",
    "--private_key",
    "--privatekey",
    "--pk",
    "--secret-key",
    "--key",
    "--mnemonic",
    "--seed",
    "--password",
];

/// The one of them that commands have, for the keys of metadata.
const OF_METADATA: &str = "--key";
/// Those commands.
const OF_METADATA_COMMANDS: [[&str; 2]; 3] = [
    ["registry", "describe"],
    ["agent", "resolve"],
    ["agent", "history"],
];

/// The first argument that is such a flag, without its value.
pub(crate) fn refused_flag<'a>(
    arguments: impl IntoIterator<Item = &'a str>,
) -> Option<&'static str> {
    let arguments: Vec<&str> = arguments.into_iter().collect();
    let describes = arguments
        .windows(2)
        .any(|two| OF_METADATA_COMMANDS.iter().any(|one| two == one));
    arguments.into_iter().find_map(|argument| {
        let name = argument.split('=').next().unwrap_or_default();
        let refused = FLAGS.into_iter().find(|flag| *flag == name);
        refused.filter(|flag| !(describes && *flag == OF_METADATA))
    })
}

/// What stands in the place of what is not shown again.
const HIDDEN: &str = "⟨64 hexadecimal digits⟩";

/// Whether a text has the looks of a private key: 64 hexadecimal digits. A hash has them too, so that is said of a text only
/// where no hash belongs.
pub(crate) fn is_like_a_key(text: &str) -> bool {
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let digits = digits.unwrap_or(text.trim());
    digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The runs of exactly 64 hexadecimal digits in a text, each with what stands before and after it.
pub(super) fn found(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut at = 0;
    let pieces = text.split(|letter: char| !letter.is_ascii_hexdigit());
    pieces.filter_map(move |piece| {
        // What parts two pieces is a character of any length, so the piece itself says where it is.
        let start = at + text.get(at..)?.find(piece)?;
        at = start + piece.len();
        let around = (text.get(..start)?, piece, text.get(at..)?);
        (piece.len() == 64).then_some(around)
    })
}

/// The runs alone.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    found(text).map(|(_, run, _)| run)
}

/// Whether there is a part of a text that has the looks of a private key.
pub(crate) fn holds_key(text: &str) -> bool {
    runs(text).next().is_some()
}

/// A text without those parts of arguments that have the looks of a private key.
pub(crate) fn redacted<'a>(
    mut text: String,
    arguments: impl IntoIterator<Item = &'a str>,
) -> String {
    for run in arguments.into_iter().flat_map(runs) {
        text = text.replace(run, HIDDEN);
    }
    text
}

/// A text of the same length, in which nothing is readable that has the looks of a private key: for where columns count.
pub(crate) fn masked(text: &str) -> String {
    runs(text).fold(text.to_owned(), |masked, run| {
        masked.replace(run, &"*".repeat(run.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_takes_a_secret_is_found_without_its_value() {
        let found = |arguments: &[&str]| refused_flag(arguments.iter().copied());
        assert_eq!(
            found(&["tool", "--private-key", "0x12"]),
            Some("--private-key")
        );
        assert_eq!(found(&["tool", "--pk=0x12"]), Some("--pk"));
        assert_eq!(found(&["tool", "--prompt-key", "--key-label", "x"]), None);
    }

    #[test]
    fn a_part_that_looks_like_a_key_is_found_and_not_shown_again() {
        let key = "ab".repeat(32);
        for text in [format!("./0x{key}.json"), format!("a={key}"), key.clone()] {
            assert!(holds_key(&text));
            let shown = redacted(format!("no file {text}"), [text.as_str()]);
            assert!(shown.contains('⟨') && !shown.contains("abab"), "{shown}");
        }
        // The notation of a contract with its chain has other lengths.
        assert!(!holds_key(&format!(
            "0x00010000027a6914{}",
            "ab".repeat(20)
        )));
        assert_eq!(redacted("as it was".to_owned(), ["x"]), "as it was");
    }

    #[test]
    fn sixty_four_digits_look_like_a_key_and_an_address_does_not() {
        assert!(is_like_a_key(&"ab".repeat(32)));
        assert!(is_like_a_key(&format!("0x{}\n", "AB".repeat(32))));
        assert!(!is_like_a_key(&"ab".repeat(20)));
        assert!(!is_like_a_key(&"xy".repeat(32)));
    }
}
