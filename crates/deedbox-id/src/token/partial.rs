//! Shorter ways to name a token, for somebody who already has a list.

use std::{collections::BTreeSet, fmt, str::FromStr};

use super::{Alias, TokenIdentifier, id_after_dot};
use crate::{U256, error::Error};

/// Any form of ERC-8127: an alias, an alias with a number, or a full identifier.
///
/// ```
/// use deedbox_id::PartialIdentifier;
/// assert!(matches!("webdev".parse()?, PartialIdentifier::Alias(_)));
/// assert!(matches!("punk.2344".parse()?, PartialIdentifier::AliasAndId { .. }));
/// # Ok::<(), deedbox_id::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartialIdentifier {
    /// `webdev`. Digits alone are an alias too, not a number.
    Alias(Alias),
    /// `punk.2344`.
    AliasAndId {
        /// The name.
        alias: Alias,
        /// The number in a registry that is not named.
        token_id: U256,
    },
    /// `42@0x…` or `webdev.42@0x…`.
    Full(TokenIdentifier),
}

/// What a partial identifier names in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// No token.
    None,
    /// One token.
    One(&'a TokenIdentifier),
    /// Several tokens, in order, each once: ask which one is meant (ERC-8127, *Canonical Form*, wants a warning).
    Ambiguous(Vec<&'a TokenIdentifier>),
}

impl PartialIdentifier {
    /// Whether this form fits a token. A full identifier fits by id and registry, whatever its alias says.
    #[must_use]
    pub fn fits(&self, token: &TokenIdentifier) -> bool {
        match self {
            Self::Alias(alias) => token.alias() == Some(alias),
            Self::AliasAndId { alias, token_id } => {
                token.alias() == Some(alias) && token.token_id() == *token_id
            }
            Self::Full(full) => full == token,
        }
    }

    /// Looks the token up in a list. A token that is listed twice counts once.
    #[must_use]
    pub fn find<'a>(&self, tokens: impl IntoIterator<Item = &'a TokenIdentifier>) -> Found<'a> {
        let fitting: BTreeSet<_> = tokens
            .into_iter()
            .filter(|token| self.fits(token))
            .collect();
        let mut fitting: Vec<_> = fitting.into_iter().collect();
        match fitting.len() {
            0 => Found::None,
            1 => fitting.pop().map_or(Found::None, Found::One),
            _ => Found::Ambiguous(fitting),
        }
    }
}

impl fmt::Display for PartialIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alias(alias) => alias.fmt(f),
            Self::AliasAndId { alias, token_id } => write!(f, "{alias}.{token_id}"),
            Self::Full(token) => token.fmt(f),
        }
    }
}

impl FromStr for PartialIdentifier {
    type Err = Error;

    /// # Errors
    /// Those of [`TokenIdentifier`] when there is an `@`, otherwise those of [`Alias`] and
    /// [`decimal::parse`](crate::decimal::parse).
    fn from_str(text: &str) -> Result<Self, Error> {
        if text.contains('@') {
            return text.parse().map(Self::Full);
        }
        let Some((alias, id)) = text.split_once('.') else {
            return text.parse().map(Self::Alias);
        };
        let start = alias.len() + 1;
        let alias = alias.parse()?;
        let token_id = id_after_dot(id).map_err(|error| error.shifted(start))?;
        Ok(Self::AliasAndId { alias, token_id })
    }
}

impl From<TokenIdentifier> for PartialIdentifier {
    fn from(token: TokenIdentifier) -> Self {
        Self::Full(token)
    }
}
