//! Files that somebody named.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, Read as _, Write as _},
    path::Path,
};

/// A file's bytes. What is no regular file is refused, because it may never end, or never begin; so is one with more than
/// `most` bytes. Nothing is cut.
///
/// # Errors
/// As reading, and these two.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let refuse = |kind, reason: String| Err(io::Error::new(kind, reason));
    // Before it is opened: to open a pipe is to wait for somebody who writes into it.
    if !fs::metadata(path)?.is_file() {
        return refuse(
            io::ErrorKind::InvalidInput,
            "it is no regular file".to_owned(),
        );
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > most) {
        let reason = format!("it has more than {most} bytes, which is the most that is read");
        return refuse(io::ErrorKind::FileTooLarge, reason);
    }
    Ok(bytes)
}

/// Writes a file under a name that is free, readable to this user alone, whole or not at all; and its folders, if they are not there.
///
/// # Errors
/// As writing. [`AlreadyExists`](io::ErrorKind::AlreadyExists): the name is taken, and the file is as it was.
pub(crate) fn keep(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let made: Vec<&Path> = folder
        .ancestors()
        .take_while(|folder| !folder.exists())
        .collect();
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // Made for its owner alone from the first byte, and given its name when all of it is on the disk.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    // The name is on the disk only when the folder is, and so is a folder that was made on the way here.
    let above = made.iter().filter_map(|folder| folder.parent());
    for folder in above.chain([folder]) {
        synced(folder)?;
    }
    Ok(())
}

/// Has what a folder lists written to the disk.
#[cfg(unix)]
fn synced(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    File::open(folder)?.sync_all()
}

/// Other systems write names to the disk by themselves, and open no folders.
#[cfg(not(unix))]
fn synced(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"four").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"four");
        let error = read(&path, 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(read(folder.path(), 4).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_waits_for_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = read(&path, 4).unwrap_err().to_string();
        assert!(error.contains("no regular file"), "{error}");
    }
}
