//! Reading keys as they are found, with what is odd about them.

use std::str::FromStr;

use super::{
    Error, Form, Parameters, StorageKey,
    read::{self, Cut, Strictness},
};

/// What a key should not have, or that nobody should write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Oddity {
    /// `service: 1`. Forbidden by ERC-8119; written so in examples of ERC-8122 and ERC-8049.
    SpaceAfterSeparator {
        /// Byte offset of the first space.
        at: usize,
    },
    /// `key/param[extra]`. The bracket is read as part of the one parameter.
    MixedForm {
        /// Byte offset of the bracket.
        at: usize,
    },
    /// `key/` or `key[]`. Strict reading takes it too; [`StorageKey`]'s builders do not make it.
    EmptyParameter {
        /// Byte offset of where the parameter would stand.
        at: usize,
    },
}

/// A key whose label and parameters can be told although it may not follow ERC-8119.
///
/// Its text is the place in storage, oddities and all; label and parameters are what its writer seems to
/// have meant: `service: 1` has the parameter `1`.
///
/// ```
/// use deedbox_id::{LooseKey, Oddity};
/// let key: LooseKey = "service: 1".parse()?;
/// assert_eq!(key.oddities(), [Oddity::SpaceAfterSeparator { at: 8 }]);
/// assert!(key.same_label_and_parameters(&"service/1".parse()?));
/// assert_eq!(key.as_str(), "service: 1");
/// # Ok::<(), deedbox_id::Error>(())
/// ```
#[derive(Clone)]
pub struct LooseKey {
    pub(super) text: Box<str>,
    cut: Cut,
    oddities: Vec<Oddity>,
}

impl LooseKey {
    /// Reads the bytes that a contract holds.
    ///
    /// # Errors
    /// [`NOT_UTF8`](super::code::NOT_UTF8), and those of [`LooseKey::from_str`].
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

    /// What kind of value is stored.
    #[must_use]
    pub fn label(&self) -> &str {
        self.cut.label(&self.text)
    }

    /// The parameters in order, without spaces after the separator.
    #[must_use]
    pub fn parameters(&self) -> Parameters<'_> {
        self.cut.parameters(&self.text)
    }

    /// What is odd, in the order of the text. Empty for a key that is as it should be.
    #[must_use]
    pub fn oddities(&self) -> &[Oddity] {
        &self.oddities
    }

    /// The same text, if it is a key by the strict rules.
    ///
    /// # Errors
    /// Those of [`StorageKey::from_str`].
    pub fn strict(&self) -> Result<StorageKey, Error> {
        self.text.parse()
    }

    /// Whether a well-formed key says the same as this one seems to.
    #[must_use]
    pub fn same_label_and_parameters(&self, key: &StorageKey) -> bool {
        self.label() == key.label() && self.parameters().eq(key.parameters())
    }
}

impl FromStr for LooseKey {
    type Err = Error;

    /// Reads a key and collects what is odd.
    ///
    /// # Errors
    /// Those of [`StorageKey::from_str`] except for spaces after the separator and a bracket in the parameter of
    /// a slash or colon.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut oddities = Vec::new();
        let cut = read::cut(text, Strictness::Loose, &mut |oddity| oddities.push(oddity))?;
        oddities.sort_by_key(|oddity| match oddity {
            Oddity::SpaceAfterSeparator { at }
            | Oddity::MixedForm { at }
            | Oddity::EmptyParameter { at } => *at,
        });
        Ok(Self {
            text: text.into(),
            cut,
            oddities,
        })
    }
}

impl From<StorageKey> for LooseKey {
    fn from(key: StorageKey) -> Self {
        let mut oddities = Vec::new();
        let mut at = key.label().len() + 1;
        for parameter in key.parameters() {
            if parameter.is_empty() {
                oddities.push(Oddity::EmptyParameter { at });
            }
            at += parameter.len() + 2;
        }
        Self {
            text: key.text,
            cut: key.cut,
            oddities,
        }
    }
}
