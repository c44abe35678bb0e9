//! The label of an installation, of which only the hash goes anywhere.

use crate::{hash::InstanceHash, limits};

/// Why a text is not the label of an installation. Says nothing of the text itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnInstanceLabel {
    /// Nothing, or nothing but white space.
    #[error("must not be empty")]
    Empty,
    /// More than [`limits::INSTANCE_LABEL_CHARS`] Unicode scalar values between the white space.
    #[error("must be at most {} characters", limits::INSTANCE_LABEL_CHARS)]
    TooLong,
}

/// The hash by which an installation is known: SHA-256 over the UTF-8 bytes of its label, without surrounding Unicode white space.
/// As text, `sha256:` and 64 lower-case hexadecimal digits. This is all that is ever stored, logged or shown of a label.
///
/// ```
/// # use deedbox_core::attribution::instance_id_hash;
/// let hash = instance_id_hash(" codex-local-install\n")?;
/// assert_eq!(
///     hash.to_string(),
///     "sha256:09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34"
/// );
/// # Ok::<(), deedbox_core::attribution::NotAnInstanceLabel>(())
/// ```
///
/// # Errors
/// [`NotAnInstanceLabel`] when nothing is left of it, or more than [`limits::INSTANCE_LABEL_CHARS`] characters (Unicode scalar values).
pub fn instance_id_hash(label: &str) -> Result<InstanceHash, NotAnInstanceLabel> {
    let label = label.trim();
    if label.is_empty() {
        return Err(NotAnInstanceLabel::Empty);
    }
    if label.chars().count() > limits::INSTANCE_LABEL_CHARS {
        return Err(NotAnInstanceLabel::TooLong);
    }
    Ok(InstanceHash::of(label.as_bytes()))
}

/// A hash that somebody offers as made already, as imports and fields of an API do: `sha256:` and 64 hexadecimal digits of either case.
/// Anything else is no label, and no error either.
#[must_use]
pub fn offered_instance_id_hash(text: &str) -> Option<InstanceHash> {
    let digits = text.strip_prefix("sha256:")?;
    format!("sha256:{}", digits.to_ascii_lowercase())
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with Python's hashlib, not with what is tested here.
    const VECTORS: [(&str, &str); 6] = [
        (
            "codex-local-install",
            "09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34",
        ),
        (
            " \t\r\ncodex-local-install\n",
            "09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34",
        ),
        (
            "\u{3000}\u{a0}\u{2003}codex-local-install\u{2029}\u{85}",
            "09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34",
        ),
        (
            "インスタンス",
            "54a70dcc8ee2262cdbf7f7394936207f042df948b73dab1bbd65cb89dc2c1ac7",
        ),
        // What is offered as a label is hashed, also when it looks like a hash.
        (
            "sha256:09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34",
            "a5627b8d94883d191639da1ae3e4795a354f9a43cbc447b967e049b35bbc585b",
        ),
        // A space that no one sees is not white space (U+200B, general category Cf).
        (
            "\u{200b}",
            "f4e48e664a603543865edc77bbc76dd1dd53dc9d0c30f651bbad7c8231091348",
        ),
    ];

    #[test]
    fn a_label_has_the_hash_of_the_vectors() {
        for (label, digits) in VECTORS {
            let hash = instance_id_hash(label).unwrap().to_string();
            assert_eq!(hash, format!("sha256:{digits}"), "{label:?}");
        }
    }

    #[test]
    fn an_empty_label_is_refused() {
        for empty in ["", " ", "\t\r\n", "\u{3000}\u{85}"] {
            assert_eq!(instance_id_hash(empty), Err(NotAnInstanceLabel::Empty));
        }
    }

    #[test]
    fn a_label_has_at_most_256_scalar_values_between_its_white_space() {
        let most = "é".repeat(256);
        let hash = "sha256:57ed0ef12199207a92e3484cdf02cc0d3822dd0671fdecc234f39b4f50932c07";
        assert_eq!(instance_id_hash(&most).unwrap().to_string(), hash);
        let spaced = format!("  {most}  ");
        assert_eq!(instance_id_hash(&spaced).unwrap().to_string(), hash);
        let more = format!("{most}e");
        assert_eq!(instance_id_hash(&more), Err(NotAnInstanceLabel::TooLong));
    }

    #[test]
    fn a_hash_is_taken_in_either_case_and_kept_in_lower_case() {
        let lower = "09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34";
        let mixed = lower.replace('b', "B");
        for digits in [lower, &lower.to_uppercase(), &mixed] {
            let hash = offered_instance_id_hash(&format!("sha256:{digits}")).unwrap();
            assert_eq!(hash.to_string(), format!("sha256:{lower}"));
            assert_eq!(Ok(hash), instance_id_hash("codex-local-install"));
        }
    }

    #[test]
    fn what_is_no_hash_is_no_label() {
        let digits = "09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34";
        for text in [
            "",
            "sha256:",
            digits,
            "codex-local-install",
            &format!("SHA256:{digits}"),
            &format!("sha256:{}", &digits[1..]),
            &format!("sha256:{digits}0"),
            &format!(" sha256:{digits}"),
            &format!("sha256:{digits}\n"),
            &format!("sha256:{}é", &digits[2..]),
            &format!("sha256:{}g", &digits[1..]),
        ] {
            assert_eq!(offered_instance_id_hash(text), None, "{text:?}");
        }
    }
}
