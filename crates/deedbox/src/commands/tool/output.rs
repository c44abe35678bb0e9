//! Manifests that are written.

use std::{
    fs::{self, File, Metadata},
    io::{self, IsTerminal as _, Write as _},
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
pub(in crate::commands) enum Existing<'b> {
    Keep,
    Replace,
    /// Replaced if it still has these bytes: somebody else may have saved it since.
    ReplaceThis(&'b [u8]),
}

/// Writes a file whole or not at all: whoever reads it meanwhile sees the old content or the new one. Only a file with
/// more than one name, or of somebody else, is written where it is, so that it stays the same file.
///
/// # Errors
/// [`Failure::FileExists`] when it is to be kept; [`Failure::CannotWrite`], also for what is no regular file.
pub(in crate::commands) fn write(
    path: &Path,
    content: &[u8],
    existing: Existing<'_>,
) -> Result<(), Failure> {
    let cannot = |source| Failure::CannotWrite {
        path: path.to_owned(),
        source,
    };
    // Errors about the temporary file name it, and nobody asked for that one.
    let cannot_beside = |source: io::Error| {
        cannot(match source.raw_os_error() {
            Some(_) => source,
            None => source.kind().into(),
        })
    };
    // Through a link the file behind it is written, and the link stays.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::metadata(folder).map_err(cannot)?;
    let file = NamedTempFile::new_in(folder).map_err(cannot_beside)?;
    if existing != Existing::Keep
        && let Ok(old) = fs::symlink_metadata(&target)
    {
        replaceable(&target, &old, existing).map_err(cannot)?;
        let mut in_place = File::options().write(true).open(&target).map_err(cannot)?;
        if is_shared(&old, &file).map_err(cannot)? {
            return in_place
                .set_len(0)
                .and_then(|()| in_place.write_all(content))
                .and_then(|()| in_place.sync_all())
                .map_err(cannot);
        }
    }
    file.as_file().write_all(content).map_err(cannot)?;
    file.as_file().sync_all().map_err(cannot)?;
    set_permissions(&file, &target).map_err(cannot)?;
    let kept = match existing {
        Existing::Keep => file.persist_noclobber(&target),
        Existing::Replace | Existing::ReplaceThis(_) => file.persist(&target),
    };
    kept.map(drop).map_err(|error| {
        if existing == Existing::Keep && error.error.kind() == io::ErrorKind::AlreadyExists {
            return Failure::FileExists {
                advice: "Choose another name, or overwrite it with --force",
                path: path.to_owned(),
            };
        }
        cannot_beside(error.error)
    })
}

/// A device or a pipe is not replaced by a file of its name, nor is a file that changed since it was read.
fn replaceable(target: &Path, old: &Metadata, existing: Existing<'_>) -> io::Result<()> {
    if old.is_symlink() {
        return Err(io::Error::other("it is a link that leads nowhere"));
    }
    if !old.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    match existing {
        Existing::ReplaceThis(bytes) if fs::read(target)? != bytes => Err(io::Error::other(
            "it was changed since it was read; run the command again",
        )),
        _ => Ok(()),
    }
}

/// Whether a new file of this name would be another one to somebody: it has a second name, or another owner than
/// the files that are made here.
#[cfg(unix)]
fn is_shared(old: &Metadata, new: &NamedTempFile) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let new = new.as_file().metadata()?;
    Ok(old.nlink() > 1 || (old.uid(), old.gid()) != (new.uid(), new.gid()))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
fn is_shared(_: &Metadata, _: &NamedTempFile) -> io::Result<bool> {
    Ok(false)
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
