//! Manifests from files and standard input.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use deedbox_manifest::Report;

use crate::{failure::Failure, render};

/// The most that a manifest may have (ERC-8257, "Manifest Parser Hardening"), and one byte more, by which a larger
/// one is known. No more than that is ever read.
const MOST: u64 = (1 << 20) + 1;

/// What was read, and where it came from.
pub(super) struct Input {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

impl Input {
    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    /// [`Failure::CannotRead`].
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let read = || {
            if is_standard(path) {
                return all(io::stdin().lock());
            }
            all(File::open(path)?)
        };
        let bytes = read().map_err(|source| Failure::CannotRead {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
        })
    }

    /// What a report cannot know, because it sees the bytes alone: of a file that is too large no more is known than
    /// that, as it was not read to its end; and an empty one may be the doing of another program.
    pub(super) fn say_more(&self, report: &mut Report) {
        let [finding] = report.findings.as_mut_slice() else {
            return;
        };
        if let Some((message, fix)) = self.emptiness() {
            (finding.message, finding.fix) = (message.to_owned(), fix.into());
        }
        if self.bytes.len() as u64 == MOST {
            finding.message = format!(
                "more than {} bytes, which is the most that is read",
                MOST - 1
            );
        }
    }

    /// What is wrong, and what to do, when there is not a byte.
    pub(super) fn emptiness(&self) -> Option<(&'static str, &'static str)> {
        if !self.bytes.is_empty() {
            return None;
        }
        Some(if is_standard(&self.path) {
            (
                "nothing came in on standard input",
                "See whether the command before the pipe failed; curl says so with -fsS.",
            )
        } else {
            (
                "the file is empty",
                "Write the manifest into it, or name another file.",
            )
        })
    }

    /// Its name, as it is shown.
    pub(super) fn name(&self) -> String {
        name(&self.path)
    }
}

/// The name of a file, as it is shown.
pub(super) fn name(path: &Path) -> String {
    if is_standard(path) {
        return "standard input".to_owned();
    }
    render::path(path)
}

pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_tells_that_it_is_too_much() {
        assert_eq!(all(io::repeat(b' ')).unwrap().len() as u64, MOST);
    }
}
