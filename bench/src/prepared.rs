//! Folders in which filled databases stay, to be measured again by later runs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::Value;

/// What says what a folder holds, once it is filled.
const RECORD: &str = "prepared.json";

/// One database's folder.
#[derive(Debug)]
pub struct Prepared {
    folder: PathBuf,
    /// What was filled in, as JSON.
    record: Value,
    is_filled: bool,
}

impl Prepared {
    /// Takes a folder: a new or empty one, or one that holds what `record` describes, word for word.
    ///
    /// # Errors
    /// When it holds something else, was not filled to its end, or cannot be read or made.
    pub fn take(folder: &Path, record: &impl Serialize) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let record = serde_json::to_value(record)?;
        let is_filled = match fs::read(folder.join(RECORD)) {
            Ok(found) => {
                let found: Value = serde_json::from_slice(&found)?;
                ensure!(
                    found == record,
                    "{} holds {found}, and what is wanted is {record}: remove it, or name another folder",
                    folder.display()
                );
                true
            }
            Err(_) => {
                ensure!(
                    fs::read_dir(folder)?.next().is_none(),
                    "{} was not filled to its end, or is something else: remove it, or name another folder",
                    folder.display()
                );
                false
            }
        };
        let folder = folder.canonicalize()?;
        Ok(Self {
            folder,
            record,
            is_filled,
        })
    }

    /// The folder, as an absolute path.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether an earlier run filled it.
    #[must_use]
    pub const fn is_filled(&self) -> bool {
        self.is_filled
    }

    /// Says that everything is there, and on the disk.
    ///
    /// # Errors
    /// When that cannot be written down.
    pub fn finish(&mut self) -> Result<()> {
        let record = serde_json::to_string_pretty(&self.record)?;
        fs::write(self.folder.join(RECORD), record + "\n")?;
        self.is_filled = true;
        Ok(())
    }
}
