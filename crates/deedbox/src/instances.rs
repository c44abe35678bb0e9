//! The labels of this user's installations of agents: one file for each agent, in the user's state folder.
//!
//! A label is made of random bits and of nothing else: not of the machine's name, nor of the user's. It is no credential; but whoever
//! knows it can say that they are this installation, so its file is for its owner alone.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use data_encoding::BASE32_DNSSEC as BASE32;
use deedbox_core::{
    AgentLabel, InstanceHash, World,
    attribution::{NotAnInstanceLabel, instance_id_hash},
};

use crate::{failure::Failure, files};

/// Random bytes of a label.
const RANDOM_BYTES: usize = 32;
/// The most that is read of a file: more than any label may have.
const MOST_BYTES: u64 = 4096;

/// The label of an installation. `Debug` shows its hash.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct InstanceLabel {
    text: String,
    hash: InstanceHash,
}

impl fmt::Debug for InstanceLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstanceLabel({})", self.hash)
    }
}

impl InstanceLabel {
    /// Makes a label of 256 random bits: 52 characters of lower-case base32hex.
    ///
    /// # Errors
    /// None: it is never empty, and never too long.
    fn generate(world: &dyn World) -> Result<Self, NotAnInstanceLabel> {
        let mut bytes = [0; RANDOM_BYTES];
        world.fill(&mut bytes);
        Self::read(&BASE32.encode(&bytes))
    }

    fn read(text: &str) -> Result<Self, NotAnInstanceLabel> {
        Ok(Self {
            hash: instance_id_hash(text)?,
            text: text.trim().to_owned(),
        })
    }

    /// The label itself, for its owner, who configures a client with it.
    pub(crate) fn reveal(&self) -> &str {
        &self.text
    }

    /// All of it that goes anywhere.
    pub(crate) const fn hash(&self) -> InstanceHash {
        self.hash
    }
}

/// The folder, which need not be there.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder below the one where this user's programs keep their state.
    pub(crate) fn of(state_home: &Path) -> Self {
        Self(state_home.join("deedbox").join("instances"))
    }

    /// Where the label of this user's installation of an agent lies. The name is made of a hash, because an agent may
    /// call itself what no file can be called.
    pub(crate) fn path(&self, agent: &AgentLabel) -> PathBuf {
        let hash = InstanceHash::of(agent.as_str().as_bytes()).to_string();
        self.0.join(hash.trim_start_matches("sha256:"))
    }

    /// Makes a label and keeps it. One that is there is never overwritten.
    ///
    /// # Errors
    /// [`Failure::FileExists`], [`Failure::CannotWrite`].
    pub(crate) fn make(
        &self,
        agent: &AgentLabel,
        world: &dyn World,
    ) -> Result<InstanceLabel, Failure> {
        let path = self.path(agent);
        let label =
            InstanceLabel::generate(world).map_err(|error| Failure::argument("--agent", error))?;
        let text = format!("{}\n", label.reveal());
        files::keep(&path, text.as_bytes()).map_err(|source| match source.kind() {
            std::io::ErrorKind::AlreadyExists => Failure::FileExists {
                path,
                advice: "This agent's installation has a label already, and it is never overwritten: see deedbox instance show",
            },
            _ => Failure::CannotWrite { path, source },
        })?;
        Ok(label)
    }

    /// The label of this user's installation of an agent, if there is one.
    ///
    /// # Errors
    /// [`Failure::CannotRead`]: a file is there and cannot be read, or does not hold a label.
    pub(crate) fn find(&self, agent: &AgentLabel) -> Result<Option<InstanceLabel>, Failure> {
        let path = self.path(agent);
        let bytes = match files::read(&path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Failure::CannotRead { path, source }),
        };
        let refuse = |reason: String| Failure::CannotRead {
            path: path.clone(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidData, reason),
        };
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| refuse("the label in it is not valid UTF-8".to_owned()))?;
        let label = InstanceLabel::read(text)
            .map_err(|error| refuse(format!("the label in it {error}")))?;
        Ok(Some(label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::SystemWorld;

    fn agent(text: &str) -> AgentLabel {
        AgentLabel::new(text).unwrap()
    }

    #[test]
    fn a_label_is_random_and_one_per_agent_and_never_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::of(home.path());
        assert_eq!(folder.find(&agent("codex")).unwrap(), None);
        let codex = folder.make(&agent("codex"), &SystemWorld).unwrap();
        let claude = folder
            .make(&agent("../..\\claude ☂"), &SystemWorld)
            .unwrap();
        assert_ne!(codex, claude);
        assert_eq!(codex.reveal().len(), 52);
        assert_eq!(codex.hash(), instance_id_hash(codex.reveal()).unwrap());
        let again = folder.make(&agent("codex"), &SystemWorld).unwrap_err();
        assert_eq!(again.code(), "file_exists");
        assert_eq!(folder.find(&agent("codex")).unwrap(), Some(codex));
        assert_eq!(
            folder.find(&agent("../..\\claude ☂")).unwrap(),
            Some(claude)
        );
        let all = std::fs::read_dir(home.path().join("deedbox/instances")).unwrap();
        assert_eq!(all.count(), 2, "nothing lies anywhere else");
    }

    #[cfg(unix)]
    #[test]
    fn a_label_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::of(home.path());
        folder.make(&agent("codex"), &SystemWorld).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder.path(&agent("codex"))), 0o600);
        assert_eq!(mode(&home.path().join("deedbox/instances")), 0o700);
    }

    #[test]
    fn a_file_without_a_label_is_an_error_and_no_label() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::of(home.path());
        folder.make(&agent("codex"), &SystemWorld).unwrap();
        let path = folder.path(&agent("codex"));
        for (bytes, why) in [
            (&b" \n"[..], "must not be empty"),
            (&[b'x'; 257], "at most 256"),
            (b"\xff", "UTF-8"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = folder.find(&agent("codex")).unwrap_err();
            assert_eq!(error.code(), "cannot_read");
            let told = error.for_people();
            assert!(told.contains(why), "{told}");
        }
    }

    #[test]
    fn debug_never_shows_a_label() {
        let label = InstanceLabel::generate(&SystemWorld).unwrap();
        assert!(!format!("{label:?}").contains(label.reveal()));
    }
}
