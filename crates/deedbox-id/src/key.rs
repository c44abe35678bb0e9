//! ERC-8119 storage keys: a label, and parameters after `/`, after `:` or in brackets.
//!
//! A contract stores values under the exact text of a key, so `service/1` and `service:1` are two keys. They are
//! equal here only when their texts are; [`StorageKey::same_label_and_parameters`] asks whether they mean
//! the same. Reading is strict ([`StorageKey`]) or tells what is odd ([`LooseKey`]), because keys that the
//! standard forbids are on chains already, one of them in the examples of ERC-8122.

mod build;
mod loose;
mod read;

use std::{
    borrow::Borrow,
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

pub use loose::{LooseKey, Oddity};
use read::{Cut, Strictness};

use crate::error::{Error, code};

/// How a key's parameters are attached to its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `name`: no parameters.
    Plain,
    /// `service/1`: one parameter.
    Slash,
    /// `service:1`: one parameter.
    Colon,
    /// `resource[chain][1]`: one or more parameters.
    Bracket,
}

/// A key in one of the forms of ERC-8119. Equality, order and hash are those of its text.
///
/// ```
/// use deedbox_id::{Form, StorageKey};
/// let slash: StorageKey = "service/1".parse()?;
/// let colon: StorageKey = "service:1".parse()?;
/// assert_ne!(slash, colon);
/// assert!(slash.same_label_and_parameters(&colon));
/// assert_eq!(colon.form(), Form::Colon);
/// assert_eq!(slash, StorageKey::slash("service", "1")?);
/// # Ok::<(), deedbox_id::Error>(())
/// ```
#[derive(Clone)]
pub struct StorageKey {
    text: Box<str>,
    cut: Cut,
}

impl StorageKey {
    /// Reads the bytes that a contract holds.
    ///
    /// # Errors
    /// [`NOT_UTF8`](code::NOT_UTF8), and those of [`StorageKey::from_str`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        read::utf8(bytes)?.parse()
    }

    /// The key as it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How the parameters are attached.
    #[must_use]
    pub fn form(&self) -> Form {
        self.cut.form
    }

    /// What kind of value is stored, for example `service`.
    #[must_use]
    pub fn label(&self) -> &str {
        self.cut.label(&self.text)
    }

    /// The parameters in order: none in plain form, one after a slash or colon, one or more in brackets.
    #[must_use]
    pub fn parameters(&self) -> Parameters<'_> {
        self.cut.parameters(&self.text)
    }

    /// Whether two keys say the same and differ in separators only. They are two places in storage all the same.
    #[must_use]
    pub fn same_label_and_parameters(&self, other: &Self) -> bool {
        self.label() == other.label() && self.parameters().eq(other.parameters())
    }
}

impl FromStr for StorageKey {
    type Err = Error;

    /// Reads a key strictly (ERC-8119, *Format Specification*). A text without a separator is a plain key,
    /// `registration-1` included; an empty parameter is read although none is built.
    ///
    /// # Errors
    /// [`LABEL_EMPTY`](code::LABEL_EMPTY); [`CHARACTER`](code::CHARACTER) in a label;
    /// [`SEPARATOR_SPACE`](code::SEPARATOR_SPACE); [`MIXED_FORM`](code::MIXED_FORM) for a `[` after a slash or
    /// colon, or the reverse; [`BRACKET_OPEN`](code::BRACKET_OPEN) and [`BRACKET_TAIL`](code::BRACKET_TAIL).
    fn from_str(text: &str) -> Result<Self, Error> {
        let cut = read::cut(text, Strictness::Strict, &mut |_| ())?;
        Ok(Self {
            text: text.into(),
            cut,
        })
    }
}

/// The parameters of a key, in order.
#[derive(Clone, Debug)]
pub struct Parameters<'a> {
    rest: Option<&'a str>,
    in_brackets: bool,
}

impl<'a> Iterator for Parameters<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.take()?;
        // A bracketed parameter holds no "]", so this pair stands between two parameters only.
        match rest.split_once("][") {
            Some((first, others)) if self.in_brackets => {
                self.rest = Some(others);
                Some(first)
            }
            _ => Some(rest),
        }
    }
}

/// What a key with a text compares, orders, hashes and prints by.
macro_rules! by_text {
    ($($name:ident)*) => {$(
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.text == other.text
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.text.cmp(&other.text)
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.text.hash(state);
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.text
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.text
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.text)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:?})"), self.text)
            }
        }
    )*};
}

by_text! { StorageKey LooseKey }
