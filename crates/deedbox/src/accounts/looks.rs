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

/// The first argument that is such a flag, without its value.
pub(crate) fn refused_flag<'a>(
    arguments: impl IntoIterator<Item = &'a str>,
) -> Option<&'static str> {
    arguments.into_iter().find_map(|argument| {
        let name = argument.split('=').next().unwrap_or_default();
        FLAGS.into_iter().find(|flag| *flag == name)
    })
}

/// Whether a text has the looks of a private key: 64 hexadecimal digits. A hash has them too, so that is said of a text only
/// where no hash belongs.
pub(crate) fn is_like_a_key(text: &str) -> bool {
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
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
    fn sixty_four_digits_look_like_a_key_and_an_address_does_not() {
        assert!(is_like_a_key(&"ab".repeat(32)));
        assert!(is_like_a_key(&format!("0x{}\n", "AB".repeat(32))));
        assert!(!is_like_a_key(&"ab".repeat(20)));
        assert!(!is_like_a_key(&"xy".repeat(32)));
    }
}
