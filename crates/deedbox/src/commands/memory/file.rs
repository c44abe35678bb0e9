//! A space's memories in a file: JSON lines, of which the first says what this is, and the last is SHA-256 over all before it.
//!
//! An export is written to a file beside its own, which has no first line yet, because nobody knows how many lines there will be. What
//! stands there is whole but for the last memory, so an export that broke off goes on from the one before.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use deedbox_core::{MemoryId, SpaceId, Timestamp};
use deedbox_server::memories::ExportedVersion;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// What the file says that it is.
const FORMAT: &str = "deedbox.memories.v1";
/// The most that a line may have, in bytes: the largest memory, however it is spelt, and what is said of it.
const LINE_BYTES: u64 = 2 * deedbox_core::limits::BODY_BYTES as u64;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) format: String,
    pub(super) space: SpaceId,
    pub(super) exported_at: Timestamp,
    /// How many lines there are between this one and the last.
    pub(super) versions: u64,
}

/// The last line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    /// SHA-256 over all lines before it, each with its line feed, as 64 lower-case hex digits.
    sha256: String,
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

/// A file that only its owner reads, because others' words are in it.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true);
    options
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Where an export that is under way stands.
pub(super) fn part(file: &Path) -> PathBuf {
    beside(file, ".part")
}

/// An export that is under way.
pub(super) struct Export {
    file: PathBuf,
    out: BufWriter<File>,
    versions: u64,
    /// The last memory that is whole in it.
    pub(super) last: Option<MemoryId>,
}

impl Export {
    /// Begins one.
    ///
    /// # Errors
    /// When there is a file already, or one that was begun.
    pub(super) fn begin(file: &Path) -> io::Result<Self> {
        if file.try_exists()? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(Self {
            out: BufWriter::new(private().create_new(true).open(part(file))?),
            file: file.to_owned(),
            versions: 0,
            last: None,
        })
    }

    /// Goes on with one that was begun, after the last memory that is whole in it for sure: the one before the last.
    ///
    /// # Errors
    /// When none was begun, or what stands there is something else.
    pub(super) fn resume(file: &Path) -> io::Result<Self> {
        let part = part(file);
        let mut lines = BufReader::new(File::open(&part)?);
        let (mut end, mut at, mut versions, mut all) = (0, 0, 0, 0);
        let (mut last, mut current) = (None, None);
        while let Some(line) = next_line(&mut lines)? {
            // A line that broke off is the last.
            let Ok(version) = serde_json::from_slice::<ExportedVersion>(&line) else {
                break;
            };
            if current != Some(version.memory_id) {
                (end, versions, last) = (at, all, current);
                current = Some(version.memory_id);
            }
            at += line.len() as u64 + 1;
            all += 1;
        }
        let mut part = private().open(part)?;
        part.set_len(end)?;
        part.seek(SeekFrom::End(0))?;
        Ok(Self {
            file: file.to_owned(),
            out: BufWriter::new(part),
            versions,
            last,
        })
    }

    /// Adds a page, so that it is there when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn add(&mut self, page: &[ExportedVersion]) -> io::Result<()> {
        for version in page {
            serde_json::to_writer(&mut self.out, version)?;
            self.out.write_all(b"\n")?;
            self.versions += 1;
        }
        self.out.flush()
    }

    /// Puts the first and the last line around it. Says how many versions there are, and the hash.
    ///
    /// # Errors
    /// When it cannot be written; then it can be gone on with.
    pub(super) fn end(mut self, space: SpaceId, at: Timestamp) -> io::Result<(u64, String)> {
        self.out.flush()?;
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            space,
            exported_at: at,
            versions: self.versions,
        };
        let (part, whole) = (part(&self.file), beside(&self.file, ".whole"));
        let out = private().create(true).truncate(true).open(&whole)?;
        let mut out = Hashed {
            out: BufWriter::new(out),
            sha: Sha256::new(),
        };
        serde_json::to_writer(&mut out, &manifest)?;
        out.write_all(b"\n")?;
        io::copy(&mut File::open(&part)?, &mut out)?;
        let sha256 = HEXLOWER.encode(&out.sha.finalize());
        let mut out = out.out;
        serde_json::to_writer(
            &mut out,
            &End {
                sha256: sha256.clone(),
            },
        )?;
        out.write_all(b"\n")?;
        out.into_inner()?.sync_all()?;
        fs::rename(whole, &self.file)?;
        fs::remove_file(part)?;
        Ok((self.versions, sha256))
    }
}

/// Hashes what goes through it.
struct Hashed<W> {
    out: W,
    sha: Sha256,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sha.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A line without its line feed; none at the end. What has no line feed is none: it broke off.
fn next_line(lines: &mut BufReader<File>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    lines
        .by_ref()
        .take(LINE_BYTES)
        .read_until(b'\n', &mut line)?;
    if line.pop() == Some(b'\n') {
        return Ok(Some(line));
    }
    if line.len() as u64 + 1 >= LINE_BYTES {
        return Err(invalid(format!("a line has more than {LINE_BYTES} bytes")));
    }
    Ok(None)
}

/// Makes sure that a file is whole: that its lines are as many as its first says, and have the hash that its last says.
///
/// # Errors
/// When it is not, or cannot be read.
pub(super) fn check(file: &Path) -> io::Result<Manifest> {
    let mut lines = BufReader::new(File::open(file)?);
    let (mut sha, mut count) = (Sha256::new(), 0_u64);
    let first = next_line(&mut lines)?.ok_or_else(|| invalid("it is empty"))?;
    let manifest: Manifest = serde_json::from_slice(&first)
        .map_err(|_| invalid("its first line is not that of an export of memories"))?;
    if manifest.format != FORMAT {
        return Err(invalid(format!("it is not of the format {FORMAT}")));
    }
    let mut before = first;
    while let Some(line) = next_line(&mut lines)? {
        sha.update(&before);
        sha.update(b"\n");
        before = line;
        count += 1;
    }
    let cut = || invalid("its end is missing: the export broke off, or the file was cut");
    let end: End = serde_json::from_slice(&before).map_err(|_| cut())?;
    if end.sha256 != HEXLOWER.encode(&sha.finalize()) {
        return Err(invalid("it was changed: its last line has another hash"));
    }
    if count.checked_sub(1) != Some(manifest.versions) {
        return Err(invalid(
            "it has more or fewer lines than its first line says",
        ));
    }
    Ok(manifest)
}

/// What stands in a file that is whole, some at a time.
pub(super) struct Versions {
    lines: BufReader<File>,
    left: u64,
}

impl Versions {
    /// # Errors
    /// When it cannot be read.
    pub(super) fn of(file: &Path, manifest: &Manifest) -> io::Result<Self> {
        let mut lines = BufReader::new(File::open(file)?);
        next_line(&mut lines)?;
        Ok(Self {
            lines,
            left: manifest.versions,
        })
    }

    /// The next of them, at most so many; none at the end.
    ///
    /// # Errors
    /// When a line is none of a memory.
    pub(super) fn next(&mut self, most: usize) -> io::Result<Vec<ExportedVersion>> {
        let mut versions = Vec::new();
        while versions.len() < most && self.left > 0 {
            let Some(line) = next_line(&mut self.lines)? else {
                return Err(invalid("it was changed while it was read"));
            };
            let version = serde_json::from_slice(&line)
                .map_err(|error| invalid(format!("a line is no version of a memory: {error}")))?;
            versions.push(version);
            self.left -= 1;
        }
        Ok(versions)
    }
}
