//! The name that people see.

use std::{fmt, str::FromStr};

use crate::error::{Error, code, found};

/// A token's alias: 1 to 63 of a-z, 0-9 and hyphen, no hyphen at either end.
///
/// Upper case is read, and kept and printed as lower case: ERC-8127 calls aliases both lower-case and
/// case-insensitive. It states no limit; 63 is that of a DNS label, which an alias is shaped like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alias(Box<str>);

impl Alias {
    /// The most characters an alias may have.
    pub const MOST: usize = 63;

    /// The alias in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Alias {
    type Err = Error;

    /// # Errors
    /// [`MISSING_PART`](code::MISSING_PART) when empty, [`CHARACTER`](code::CHARACTER),
    /// [`ALIAS_HYPHEN`](code::ALIAS_HYPHEN), [`TOO_LONG`](code::TOO_LONG).
    fn from_str(text: &str) -> Result<Self, Error> {
        let bytes = text.as_bytes();
        let is_bad = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'-';
        if let Some(at) = bytes.iter().position(is_bad) {
            let found = found(text, at);
            let message =
                format!("found {found} in an alias, expected letters a-z, digits and hyphens");
            return Err(Error::new(at, code::CHARACTER, message));
        }
        let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
            let message = "found nothing, expected an alias; leave the dot out where there is none";
            return Err(Error::new(0, code::MISSING_PART, message));
        };
        if bytes.len() > Self::MOST {
            let message = format!(
                "found an alias of {} characters, expected at most 63",
                bytes.len()
            );
            return Err(Error::new(Self::MOST, code::TOO_LONG, message));
        }
        if *first == b'-' || *last == b'-' {
            let at = if *first == b'-' { 0 } else { bytes.len() - 1 };
            let message = "found a hyphen at an end of an alias, expected a letter or a digit";
            return Err(Error::new(at, code::ALIAS_HYPHEN, message));
        }
        let mut alias: Box<str> = text.into();
        alias.make_ascii_lowercase();
        Ok(Self(alias))
    }
}
