//! ERC-8127 token identifiers: `[alias.]token-id@registry`.
//!
//! What identifies is the token id and the registry. The alias is a label for people, may repeat, and may be made
//! up by whoever shows it; so it takes no part in equality, order or hash, and must not decide what anybody may do.

mod alias;
mod partial;
mod registry;

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

pub use alias::Alias;
pub use partial::{Found, PartialIdentifier};
pub use registry::Registry;

use crate::{
    U256, decimal,
    error::{Error, code, found},
};

/// A fully specified token: a number in a registry, with or without an alias.
///
/// Prints in the canonical form of ERC-8127: everything in lower case, the alias when there is one. Two
/// identifiers are equal when id and registry are.
///
/// ```
/// use deedbox_id::TokenIdentifier;
/// let registry = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
/// let token: TokenIdentifier = format!("WebDev.42@{registry}").parse()?;
/// assert_eq!(token.to_string(), format!("webdev.42@{registry}"));
/// assert_eq!(token, format!("42@{registry}").parse()?);
/// # Ok::<(), deedbox_id::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TokenIdentifier {
    alias: Option<Alias>,
    token_id: U256,
    registry: Registry,
}

impl TokenIdentifier {
    /// A token without an alias.
    #[must_use]
    pub fn new(token_id: U256, registry: Registry) -> Self {
        Self {
            alias: None,
            token_id,
            registry,
        }
    }

    /// The same token with another alias, or without one.
    #[must_use]
    pub fn with_alias(mut self, alias: impl Into<Option<Alias>>) -> Self {
        self.alias = alias.into();
        self
    }

    /// The label for people. Never compare by it where anything depends on the answer.
    #[must_use]
    pub fn alias(&self) -> Option<&Alias> {
        self.alias.as_ref()
    }

    /// The token's number in its registry.
    #[must_use]
    pub fn token_id(&self) -> U256 {
        self.token_id
    }

    /// The contract that gave the number.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    fn identity(&self) -> (&Registry, &U256) {
        (&self.registry, &self.token_id)
    }
}

impl PartialEq for TokenIdentifier {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for TokenIdentifier {}

impl PartialOrd for TokenIdentifier {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TokenIdentifier {
    /// By registry, then by number.
    fn cmp(&self, other: &Self) -> Ordering {
        self.identity().cmp(&other.identity())
    }
}

impl Hash for TokenIdentifier {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl fmt::Display for TokenIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(alias) = &self.alias {
            write!(f, "{alias}.")?;
        }
        write!(f, "{}@{}", self.token_id, self.registry)
    }
}

impl FromStr for TokenIdentifier {
    type Err = Error;

    /// Reads the full form (ERC-8127, *Token Identifier Format*); [`PartialIdentifier`] reads the shorter ones.
    ///
    /// # Errors
    /// [`REGISTRY_MISSING`](code::REGISTRY_MISSING), [`TOKEN_ID_MISSING`](code::TOKEN_ID_MISSING),
    /// [`SECOND_AT`](code::SECOND_AT), [`SECOND_DOT`](code::SECOND_DOT), and those of [`Alias`],
    /// [`decimal::parse`] and [`Registry`].
    fn from_str(text: &str) -> Result<Self, Error> {
        let Some(split) = text.find('@') else {
            return Err(registry_missing(text));
        };
        let (name, registry) = (&text[..split], &text[split + 1..]);
        let (alias, token_id) = match name.split_once('.') {
            Some((alias, id)) => {
                let start = alias.len() + 1;
                let alias = Alias::from_str(alias)?;
                (
                    Some(alias),
                    id_after_dot(id).map_err(|error| error.shifted(start))?,
                )
            }
            None => (
                None,
                decimal::parse(name).map_err(|error| id_missing(name, error))?,
            ),
        };
        let registry = Registry::from_str(registry).map_err(|error| {
            if starts_with_at(registry, error.at(), '@') {
                let message = "found a second \"@\", expected one, in front of the registry";
                return Error::new(error.at(), code::SECOND_AT, message);
            }
            error
        });
        Ok(Self {
            alias,
            token_id,
            registry: registry.map_err(|error| error.shifted(split + 1))?,
        })
    }
}

/// Reads what stands between the first dot and the `@`.
fn id_after_dot(id: &str) -> Result<U256, Error> {
    decimal::parse(id).map_err(|error| {
        if starts_with_at(id, error.at(), '.') || error.at() == 0 && id.contains('.') {
            let at = id.find('.').unwrap_or(0);
            let message = "found a second \".\", expected one, between alias and token id";
            return Error::new(at, code::SECOND_DOT, message);
        }
        error
    })
}

fn starts_with_at(text: &str, at: usize, c: char) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(c))
}

#[cold]
fn registry_missing(text: &str) -> Error {
    let message = "found the end, expected \"@\" and the registry: without it this names a token only in a list \
                   that you already have";
    Error::new(text.len(), code::REGISTRY_MISSING, message)
}

/// Tells a name without a number apart from a number that is wrong.
#[cold]
fn id_missing(name: &str, error: Error) -> Error {
    if name.is_empty() || name.parse::<Alias>().is_ok() && error.code() == code::CHARACTER {
        let message = format!(
            "found {}, expected a token id before the \"@\"; an alias alone does not say which token",
            found(name, error.at())
        );
        return Error::new(error.at(), code::TOKEN_ID_MISSING, message);
    }
    error
}
