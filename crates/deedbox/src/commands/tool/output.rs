//! Manifests that are written.

use std::{
    fs, io,
    io::{IsTerminal as _, Write as _},
    path::Path,
};

use tempfile::NamedTempFile;

use crate::{failure::Failure, render::foreign};

/// Prints bytes as they are, for whoever hashes or keeps them, with nothing added. On a terminal nobody does, and
/// what a terminal would obey is shown by number.
///
/// # Errors
/// When standard output cannot be written to. A reader that went away is no error.
pub(super) fn exact(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = if out.is_terminal() {
        writeln!(
            out,
            "{}",
            foreign(&String::from_utf8_lossy(bytes)).trim_end()
        )
    } else {
        out.write_all(bytes).and_then(|()| out.flush())
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("writing to standard output", error))
        }
        _ => Ok(()),
    }
}

/// What to do about a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    Keep,
    Replace,
}

/// Writes a file whole or not at all: whoever reads it meanwhile sees the old content or the new one.
///
/// # Errors
/// [`Failure::FileExists`] when it is to be kept, [`Failure::CannotWrite`].
pub(super) fn write(path: &Path, text: &str, existing: Existing) -> Result<(), Failure> {
    // Errors about the temporary file name it, and nobody asked for that one.
    let cannot = |source: io::Error| Failure::CannotWrite {
        path: path.to_owned(),
        source: match source.raw_os_error() {
            Some(_) => source,
            None => source.kind().into(),
        },
    };
    // Through a link the file behind it is written, and the link stays.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::metadata(folder).map_err(cannot)?;
    let file = NamedTempFile::new_in(folder).map_err(cannot)?;
    file.as_file().write_all(text.as_bytes()).map_err(cannot)?;
    file.as_file().sync_all().map_err(cannot)?;
    set_permissions(&file, &target).map_err(cannot)?;
    let kept = match existing {
        Existing::Replace => file.persist(&target),
        Existing::Keep => file.persist_noclobber(&target),
    };
    kept.map(drop).map_err(|error| {
        if existing == Existing::Keep && error.error.kind() == io::ErrorKind::AlreadyExists {
            return Failure::FileExists {
                path: path.to_owned(),
            };
        }
        cannot(error.error)
    })
}

/// Those of the file that is replaced; of a new one, those that the user's other files get. A temporary file has
/// none for others.
fn set_permissions(file: &NamedTempFile, target: &Path) -> io::Result<()> {
    match fs::metadata(target) {
        Ok(old) => file.as_file().set_permissions(old.permissions()),
        Err(_) => new_permissions(file),
    }
}

#[cfg(unix)]
fn new_permissions(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // What is made for publishing may be read by everybody; a umask can only be asked for by changing it.
    file.as_file()
        .set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
fn new_permissions(_: &NamedTempFile) -> io::Result<()> {
    Ok(())
}
