//! Keystores by name, in a folder of this program's own.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use deedbox_id::Address;

use super::keystore::{Keystore, MOST_BYTES, Unreadable};
use crate::{failure::Failure, files, render::line};

/// What the files' names end with.
const ENDING: &str = ".json";
/// The longest name.
const LONGEST: usize = 64;
/// How many names an error lists.
const MOST_NAMED: usize = 10;

/// The folder, which need not be there.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

/// A keystore in the folder.
#[derive(Debug)]
pub(crate) struct Kept {
    /// What it is called.
    pub(crate) name: String,
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// Whose key it holds. `Ok(None)`: the file does not say.
    pub(crate) account: Result<Option<Address>, Unreadable>,
}

impl Folder {
    /// The folder below the data folder.
    pub(crate) fn of(data_dir: &Path) -> Self {
        Self(data_dir.join("keystores"))
    }

    /// Where a keystore of this name lies.
    ///
    /// # Errors
    /// [`Failure::Argument`]: it is no name.
    pub(crate) fn path(&self, what: &'static str, name: &str) -> Result<PathBuf, Failure> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_name = (1..=LONGEST).contains(&name.len())
            && name.chars().all(fits)
            && !name.starts_with('.')
            && !name.starts_with('-');
        if is_name {
            return Ok(self.0.join(format!("{name}{ENDING}")));
        }
        let reason = format!(
            "a keystore's name has 1 to {LONGEST} letters, digits and . _ -, and starts with a letter, a digit or _"
        );
        Err(Failure::argument(what, reason))
    }

    /// Writes a keystore under a name that is free, readable to this user alone, whole or not at all.
    ///
    /// # Errors
    /// [`Failure::FileExists`], [`Failure::CannotWrite`], [`Failure::Argument`].
    pub(crate) fn keep(
        &self,
        what: &'static str,
        name: &str,
        keystore: &Keystore,
    ) -> Result<PathBuf, Failure> {
        let path = self.path(what, name)?;
        let refuse = |source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => taken(path.clone()),
            _ => Failure::CannotWrite {
                path: path.clone(),
                source,
            },
        };
        let text = keystore
            .to_json()
            .map_err(|error| refuse(io::Error::other(error)))?;
        files::keep(&path, text.as_bytes()).map_err(refuse)?;
        Ok(path)
    }

    /// Every keystore, by name.
    ///
    /// # Errors
    /// [`Failure::CannotRead`]: the folder is there and cannot be read.
    pub(crate) fn list(&self) -> Result<Vec<Kept>, Failure> {
        let failed = |source| Failure::CannotRead {
            path: self.0.clone(),
            source,
        };
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut all = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(name) = name.and_then(|name| name.strip_suffix(ENDING)) else {
                continue;
            };
            let account = match read(&path) {
                Ok(keystore) => keystore.and_then(|keystore| keystore.address()),
                Err(error) => Err(Unreadable::Malformed(error.to_string())),
            };
            all.push(Kept {
                name: name.to_owned(),
                path: path.clone(),
                account,
            });
        }
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }

    /// Which keystores there are, in words.
    fn names(&self) -> Result<String, Failure> {
        let names: Vec<String> = self.list()?.iter().map(|kept| line(&kept.name)).collect();
        let more = names.len().saturating_sub(MOST_NAMED);
        let named = names.get(..MOST_NAMED).unwrap_or(&names).join(", ");
        Ok(match (names.is_empty(), more) {
            (true, _) => "there is none yet, and `deedbox account new` makes one".to_owned(),
            (_, 0) => format!("there are: {named}"),
            (_, more) => {
                format!("there are {named} and {more} more, which `deedbox account list` shows")
            }
        })
    }

    /// Opens the keystore that a text names: a file, if it has a folder in it or ends with `.json`, else a name in this
    /// folder. A file that happens to be in the current folder is never taken for a name.
    ///
    /// # Errors
    /// [`Failure::Argument`], [`Failure::CannotRead`], [`Failure::Keystore`].
    pub(crate) fn open(
        &self,
        what: &'static str,
        text: &str,
    ) -> Result<(PathBuf, Keystore), Failure> {
        let as_file = Path::new(text);
        let path = if as_file.components().count() > 1 || text.ends_with(ENDING) {
            as_file.to_owned()
        } else {
            let path = self.path(what, text)?;
            if !path.exists() {
                let there_are = self.names()?;
                let reason = format!(
                    "there is no keystore called {text}; {there_are}. A file is named with its folder, like ./{text}"
                );
                return Err(Failure::argument(what, reason));
            }
            path
        };
        let keystore = read(&path).map_err(|source| Failure::CannotRead {
            path: path.clone(),
            source,
        })?;
        let keystore = keystore.map_err(|cause| Failure::Keystore {
            path: path.clone(),
            cause,
        })?;
        Ok((path, keystore))
    }
}

/// A keystore of that name is there, and is never overwritten.
pub(crate) const fn taken(path: PathBuf) -> Failure {
    Failure::FileExists {
        path,
        advice: "Choose another name: a keystore is never overwritten",
    }
}

/// Reads a file.
fn read(path: &Path) -> io::Result<Result<Keystore, Unreadable>> {
    Ok(Keystore::parse(&files::read(path, MOST_BYTES)?))
}

/// Whether others than its owner may read a file.
#[cfg(unix)]
pub(super) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o044 != 0)
}

/// Whether others than its owner may read a file, which only Unix tells in this way.
#[cfg(not(unix))]
pub(super) fn is_open_to_others(_: &Path) -> bool {
    false
}
