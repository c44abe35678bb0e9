//! Folders in which filled indexes stay, to be searched again by later runs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use deedbox_store::index::EDITION;
use serde::{Deserialize, Serialize};

use crate::agents::{FACTS, World};

/// What says what a folder holds, once it is filled.
const RECORD: &str = "prepared.json";

/// What was filled in. An index of another edition is emptied by whoever opens it, so the edition is part of it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    seed: u64,
    agents: u64,
    facts_of_each: u64,
    edition: u32,
}

/// One database's folder.
#[derive(Debug)]
pub(crate) struct Prepared {
    folder: PathBuf,
    record: Record,
    is_filled: bool,
}

impl Prepared {
    /// Takes a folder: a new or empty one, or one that holds this very world.
    pub(crate) fn take(folder: &Path, world: &World) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let record = Record {
            seed: world.seed(),
            agents: world.agents(),
            facts_of_each: FACTS,
            edition: EDITION,
        };
        let is_filled = match fs::read(folder.join(RECORD)) {
            Ok(found) => {
                let found: Record = serde_json::from_slice(&found)?;
                ensure!(
                    found == record,
                    "{} holds {found:?}, and what is wanted is {record:?}: remove it, or name another folder",
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

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn is_filled(&self) -> bool {
        self.is_filled
    }

    /// Says that everything is there, and on the disk.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let record = serde_json::to_string_pretty(&self.record)?;
        fs::write(self.folder.join(RECORD), record + "\n")?;
        self.is_filled = true;
        Ok(())
    }
}
