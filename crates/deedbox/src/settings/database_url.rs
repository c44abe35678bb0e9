//! Which database, from a URL.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use url::Url;

/// A database. `Display` hides the password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum DatabaseUrl {
    /// The embedded one, in this file.
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(Url),
}

/// Why a text is no database's URL. Says nothing of what stands behind the scheme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotADatabase {
    /// It has a scheme, of a database that is not supported.
    #[error(
        "Deedbox keeps its deeds in SQLite (sqlite:///path/to/file) or PostgreSQL (postgres://…), and cannot use {0}:"
    )]
    OtherScheme(String),
    /// It has none.
    #[error("must be a URL: sqlite:///path/to/file or postgres://user@host/database")]
    NoScheme,
    /// It does not parse.
    #[error("is not a valid URL for PostgreSQL: {0}")]
    Malformed(String),
    /// A database that would be gone when the program ends.
    #[error("an in-memory database would lose every deed; name a file")]
    InMemory,
    /// Options behind the path.
    #[error("options behind `?` are not understood for SQLite; name only the file")]
    Options,
}

impl DatabaseUrl {
    /// Reads a URL. A relative SQLite path starts at `base`.
    ///
    /// # Errors
    /// [`NotADatabase`] says what is expected.
    pub(crate) fn read(text: &str, base: &Path) -> Result<Self, NotADatabase> {
        let (scheme, rest) = text.split_once(':').ok_or(NotADatabase::NoScheme)?;
        match scheme.to_ascii_lowercase().as_str() {
            "sqlite" => sqlite(rest, base),
            "postgres" | "postgresql" => {
                let url = Url::parse(text).map_err(|e| NotADatabase::Malformed(e.to_string()))?;
                // Without `//` all of it is a path, and a password in a path would be shown.
                if url.cannot_be_a_base() || !url.has_host() {
                    return Err(NotADatabase::NoScheme);
                }
                Ok(Self::Postgres(url))
            }
            other
                if other
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c)) =>
            {
                Err(NotADatabase::OtherScheme(other.to_owned()))
            }
            _ => Err(NotADatabase::NoScheme),
        }
    }
}

fn sqlite(rest: &str, base: &Path) -> Result<DatabaseUrl, NotADatabase> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.contains('?') {
        return Err(NotADatabase::Options);
    }
    if path.contains(":memory:") {
        return Err(NotADatabase::InMemory);
    }
    if path.is_empty() || path.ends_with('/') {
        return Err(NotADatabase::NoScheme);
    }
    Ok(DatabaseUrl::Sqlite(base.join(path)))
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite://{}", path.display()),
            Self::Postgres(url) => f.write_str(&masked(url)),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Parameters of a URL's query that hold no secret.
const SHOWN: [&str; 8] = [
    "application_name",
    "dbname",
    "host",
    "port",
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "user",
];

/// A URL without its secrets: its password, and the values in its query that are not known to be none.
pub(crate) fn masked(url: &Url) -> String {
    let mut url = url.clone();
    if url.password().is_some() {
        // Fails only for URLs that cannot have a password, and this one has one.
        let _ = url.set_password(Some("***"));
    }
    let names: Vec<String> = url
        .query_pairs()
        .map(|(name, _)| name.into_owned())
        .collect();
    let hidden = url.query_pairs().map(|(name, value)| {
        let shown = SHOWN.contains(&&*name);
        let value = if shown { value } else { "***".into() };
        (name.into_owned(), value.into_owned())
    });
    let hidden: Vec<(String, String)> = hidden.collect();
    if !names.is_empty() {
        url.query_pairs_mut().clear().extend_pairs(hidden);
    }
    url.to_string()
}
