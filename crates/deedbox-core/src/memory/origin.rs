//! Where an imported memory was written first.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    ActorId, AgentLabel, Basis, InstanceHash, MemoryId, SpaceId, Timestamp, deed::DeedHash,
};

/// What an export says of a deed that was imported: data about another ledger, or about this one at another time. Nobody here vouches
/// for it, and none of it is whoever imported it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Origin {
    /// In which space it was.
    pub space_id: SpaceId,
    /// Which memory.
    pub memory_id: MemoryId,
    /// Which of its deeds.
    pub version: u64,
    /// When that was done.
    pub at: Timestamp,
    /// As whom.
    pub actor_id: Option<ActorId>,
    /// Whether that actor's own key was used.
    pub basis: Basis,
    /// What the agent called itself.
    pub agent_label: Option<AgentLabel>,
    /// Which installation it said it was.
    pub instance_hash: Option<InstanceHash>,
    /// The hash of that deed, which covers all of the above and the commitment to its text. By it a repeated import is recognised.
    pub hash: DeedHash,
}

impl MemoryId {
    /// The memory that takes up memory `of` of another space when that is imported into `space`: a UUID of the random form (RFC 9562 §5.4)
    /// made of SHA-256 over `deedbox/memory-import/v1`, a zero byte, the 16 bytes of the id, and the space's id. So the same memory is
    /// imported into one place however often.
    #[must_use]
    pub fn of_import(space: &SpaceId, of: Self) -> Self {
        let mut sha = Sha256::new_with_prefix(b"deedbox/memory-import/v1\0");
        sha.update(of.0.as_bytes());
        sha.update(space.as_str());
        let hash: [u8; 32] = sha.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_imported_into_one_place_however_often() {
        let of: MemoryId = "0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b".parse().unwrap();
        let space = |id: &str| SpaceId::new(id).unwrap();
        let id = MemoryId::of_import(&space("team"), of);
        // Computed with Python's hashlib and uuid.
        assert_eq!(id.to_string(), "1826f1fd-28a2-490f-bf32-82e60b976b46");
        assert_ne!(id, MemoryId::of_import(&space("tea"), of));
        assert!(!id.is_of_a_key());
    }
}
