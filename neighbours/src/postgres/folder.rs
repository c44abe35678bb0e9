//! The folder of one run, and the user that its server runs as.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions, Permissions},
    os::unix::{
        fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use super::{MARKER, random_hex};

/// A run's folder. A lock on the file beside it says that the run is not over; the kernel lets go of it when
/// the process ends.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    lock_path: PathBuf,
    _lock: File,
    /// The user and group that PostgreSQL runs as when we are root, as which it refuses to run.
    other: Option<(u32, u32)>,
}

impl Folder {
    pub(super) fn create() -> Result<Self> {
        // Not below `TMPDIR`, which may be too long for a socket's path or closed to other users.
        let probe = tempfile::NamedTempFile::new()?;
        let uid = probe.as_file().metadata()?.uid();
        let parent = PathBuf::from(format!("/tmp/{MARKER}-{uid}"));
        fs::create_dir_all(&parent)?;
        let found = fs::symlink_metadata(&parent)?;
        ensure!(
            found.is_dir() && found.uid() == uid,
            "{} belongs to somebody else",
            parent.display()
        );
        fs::set_permissions(&parent, Permissions::from_mode(0o711))?;

        // One at a time, so that nobody takes a folder whose lock is not yet taken for a dead one.
        let turn = lock_file(&parent.join("turn"))?;
        turn.lock()?;
        remove_dead(&parent)?;
        let name = random_hex()?[..12].to_owned();
        let (path, lock_path) = (parent.join(&name), parent.join(format!("{name}.lock")));
        let lock = lock_file(&lock_path)?;
        lock.try_lock()?;
        fs::create_dir(&path)?;
        let folder = Self {
            path,
            lock_path,
            _lock: lock,
            other: if uid == 0 {
                Some(unprivileged()?)
            } else {
                None
            },
        };
        fs::set_permissions(&folder.path, Permissions::from_mode(0o700))?;
        folder.hand_over(&folder.path)?;
        Ok(folder)
    }

    pub(super) fn hand_over(&self, path: &Path) -> Result<()> {
        if let Some((uid, gid)) = self.other {
            chown(path, Some(uid), Some(gid))?;
        }
        Ok(())
    }

    /// `program`, as the user whom this folder belongs to, and dying with us where the system can do that.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut words: Vec<OsString> = Vec::new();
        if Path::new("/usr/bin/setpriv").exists() {
            words.extend(["/usr/bin/setpriv", "--pdeathsig", "QUIT"].map(OsString::from));
            if let Some((uid, gid)) = self.other {
                words.extend([
                    format!("--reuid={uid}").into(),
                    format!("--regid={gid}").into(),
                    "--clear-groups".into(),
                ]);
            }
        }
        words.push(program.into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir("/");
        if let Some((uid, gid)) = self.other.filter(|_| words.len() == 1) {
            command.uid(uid).gid(gid);
        }
        command.env("LC_ALL", "C").env_remove("PGDATA");
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.path));
        drop(fs::remove_file(&self.lock_path));
    }
}

fn lock_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o600);
    options
        .open(path)
        .with_context(|| format!("{} could not be opened", path.display()))
}

/// Removes what runs left that ended without their clean-up.
fn remove_dead(parent: &Path) -> Result<()> {
    for entry in fs::read_dir(parent)? {
        let lock_path = entry?.path();
        if lock_path.extension() != Some(OsStr::new("lock")) {
            continue;
        }
        if lock_file(&lock_path)?.try_lock().is_ok() {
            drop(fs::remove_dir_all(lock_path.with_extension("")));
            drop(fs::remove_file(&lock_path));
        }
    }
    Ok(())
}

/// The user `postgres`, or else `nobody`: uid and gid.
fn unprivileged() -> Result<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd")?;
    let of = |name: &str| {
        users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let uid = fields
                .next()
                .filter(|field| *field == name)
                .and(fields.nth(1))?;
            Some((uid.parse().ok()?, fields.next()?.parse().ok()?))
        })
    };
    of("postgres")
        .or_else(|| of("nobody"))
        .context("PostgreSQL refuses to run as root, and there is no user postgres or nobody")
}
