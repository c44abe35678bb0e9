//! Rows and the values they stand for. Reading trusts nothing: a row that this program would not have
//! written is an error that names the row.

use std::{collections::BTreeMap, error::Error};

use deedbox_core::{
    Actor, ActorId, AgentLabel, BlockHash, ClaimProvenance, Deed, EvidenceId, EvidenceState, KeyId,
    KeyRecord, StoredDeed, TaskId, TaskState, Timestamp,
    deed::Head,
    hash::DeedHash,
    task::{AcceptanceSummary, CompletionSummary},
};
use deedbox_store::StoreError;
use sqlx::{
    Decode, Encode, Postgres, Type,
    encode::IsNull,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef},
    types::{Json, time::OffsetDateTime},
};
use uuid::Uuid;

/// A `timestamptz` as the server keeps it: microseconds since 2000-01-01T00:00:00Z.
///
/// The drivers' calendar types panic on `infinity` and cut what is finer than they hold; a changed row must
/// be told from the one that was written, so the exact number comes up here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Micros(i64);

/// 2000-01-01T00:00:00Z in milliseconds since 1970.
const EPOCH_MILLIS: i64 = 946_684_800_000;

impl From<Timestamp> for Micros {
    fn from(at: Timestamp) -> Self {
        // Cannot overflow: years 0 to 9999 in microseconds take 59 bits.
        Self((at.as_millis() - EPOCH_MILLIS) * 1_000)
    }
}

impl Micros {
    /// After every time that can be written.
    pub(crate) const INFINITY: Self = Self(i64::MAX);
    /// Before every time that can be written.
    pub(crate) const MINUS_INFINITY: Self = Self(i64::MIN);

    pub(crate) fn timestamp(self) -> Result<Timestamp, Box<dyn Error + Send + Sync>> {
        if self.0 % 1_000 != 0 {
            return Err("a time is not in whole milliseconds".into());
        }
        let millis = (self.0 / 1_000).saturating_add(EPOCH_MILLIS);
        Ok(Timestamp::from_millis(millis)?)
    }
}

impl Type<Postgres> for Micros {
    fn type_info() -> PgTypeInfo {
        <OffsetDateTime as Type<Postgres>>::type_info()
    }
}

impl PgHasArrayType for Micros {
    fn array_type_info() -> PgTypeInfo {
        <OffsetDateTime as PgHasArrayType>::array_type_info()
    }
}

impl Encode<'_, Postgres> for Micros {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <i64 as Encode<Postgres>>::encode(self.0, buffer)
    }
}

impl Decode<'_, Postgres> for Micros {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        // Statements are prepared, so values are binary: a big-endian 64-bit number.
        Ok(Self(i64::from_be_bytes(value.as_bytes()?.try_into()?)))
    }
}

pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// A row of `deeds`.
#[derive(Debug)]
pub(crate) struct DeedRow {
    pub(crate) stream: String,
    pub(crate) version: i64,
    pub(crate) kind: String,
    pub(crate) body: serde_json::Value,
    pub(crate) at: Micros,
    pub(crate) principal: String,
    pub(crate) basis: String,
    pub(crate) agent_label: Option<String>,
    pub(crate) instance_hash: Option<Vec<u8>>,
    pub(crate) previous_hash: Option<Vec<u8>>,
    pub(crate) hash: Vec<u8>,
}

impl DeedRow {
    /// The deed, without checking its hash.
    pub(crate) fn read(self) -> Result<Deed, StoreError> {
        let place = format!("{} version {}", self.stream, self.version);
        StoredDeed::try_from(self)?
            .read()
            .map_err(|broken| StoreError::unreadable("deed", place, broken))
    }
}

impl TryFrom<DeedRow> for StoredDeed {
    type Error = StoreError;
    fn try_from(row: DeedRow) -> Result<Self, StoreError> {
        let at = row.at.timestamp().map_err(|cause| {
            let place = format!("{} version {}", row.stream, row.version);
            StoreError::unreadable("deed", place, cause)
        })?;
        Ok(Self {
            stream: row.stream,
            version: row.version,
            kind: row.kind,
            body: row.body,
            at,
            principal: row.principal,
            basis: row.basis,
            agent_label: row.agent_label,
            instance_hash: row.instance_hash,
            previous: row.previous_hash,
            hash: row.hash,
        })
    }
}

/// A row of `tasks`.
#[derive(Debug)]
pub(crate) struct TaskRow {
    pub(crate) id: Uuid,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: Micros,
    pub(crate) status: String,
    pub(crate) owner: Option<String>,
    pub(crate) injected_by: String,
    pub(crate) created_at: Micros,
    pub(crate) reserved_for: Option<String>,
    pub(crate) recipient_only: bool,
    pub(crate) latest_acceptance: Option<serde_json::Value>,
    pub(crate) latest_completion: Option<serde_json::Value>,
    pub(crate) cited: serde_json::Value,
    pub(crate) bytes: i64,
}

impl TryFrom<TaskRow> for TaskState {
    type Error = StoreError;
    fn try_from(row: TaskRow) -> Result<Self, StoreError> {
        let id = TaskId(row.id);
        let read = || -> Result<Self, Cause> {
            Ok(Self {
                id,
                head: head(row.version, &row.head_hash, row.head_at)?,
                status: row.status.parse()?,
                owner: row.owner.map(ActorId::new).transpose()?,
                injected_by: ActorId::new(row.injected_by)?,
                created_at: row.created_at.timestamp()?,
                reserved_for: row.reserved_for.map(ActorId::new).transpose()?,
                recipient_only: row.recipient_only,
                latest_acceptance: row
                    .latest_acceptance
                    .map(serde_json::from_value)
                    .transpose()?,
                latest_completion: row
                    .latest_completion
                    .map(serde_json::from_value)
                    .transpose()?,
                cited: serde_json::from_value(row.cited)?,
                bytes: row.bytes.try_into()?,
            })
        };
        read().map_err(|cause| StoreError::unreadable("task", format!("task:{id}"), cause))
    }
}

/// A row of `actors`.
#[derive(Debug)]
pub(crate) struct ActorRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: Micros,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) created_at: Micros,
}

impl TryFrom<ActorRow> for (Actor, Head) {
    type Error = StoreError;
    fn try_from(row: ActorRow) -> Result<Self, StoreError> {
        let place = format!("actor:{}", row.id);
        let read = || -> Result<Self, Cause> {
            let head = head(row.version, &row.head_hash, row.head_at)?;
            let actor = Actor {
                id: ActorId::new(row.id)?,
                kind: row.kind.parse()?,
                name: row.name.parse()?,
                created_at: row.created_at.timestamp()?,
            };
            Ok((actor, head))
        };
        read().map_err(|cause| StoreError::unreadable("actor", place, cause))
    }
}

/// A row of `keys`.
#[derive(Clone, Debug)]
pub(crate) struct KeyRow {
    pub(crate) id: String,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: Micros,
    pub(crate) secret_hash: Vec<u8>,
    pub(crate) actor: Option<String>,
    pub(crate) scopes: String,
    pub(crate) label: Option<String>,
    pub(crate) agent_label: Option<String>,
    pub(crate) created_at: Micros,
    pub(crate) expires_at: Option<Micros>,
    pub(crate) revoked_at: Option<Micros>,
}

impl TryFrom<KeyRow> for (KeyRecord, Head) {
    type Error = StoreError;
    fn try_from(row: KeyRow) -> Result<Self, StoreError> {
        let place = format!("key:{}", row.id);
        let read = || -> Result<Self, Cause> {
            let head = head(row.version, &row.head_hash, row.head_at)?;
            let record = KeyRecord {
                id: row.id.parse::<KeyId>()?,
                secret_hash: row.secret_hash.as_slice().try_into()?,
                actor: row.actor.map(ActorId::new).transpose()?,
                scopes: row.scopes.parse()?,
                label: row.label.map(|label| label.parse()).transpose()?,
                agent_label: row
                    .agent_label
                    .as_deref()
                    .map(AgentLabel::new)
                    .transpose()?,
                created_at: row.created_at.timestamp()?,
                expires_at: row.expires_at.map(Micros::timestamp).transpose()?,
                revoked_at: row.revoked_at.map(Micros::timestamp).transpose()?,
            };
            Ok((record, head))
        };
        read().map_err(|cause| StoreError::unreadable("key", place, cause))
    }
}

/// A row of `evidence`.
#[derive(Debug)]
pub(crate) struct EvidenceRow {
    pub(crate) id: Uuid,
    pub(crate) version: i64,
    pub(crate) head_hash: Vec<u8>,
    pub(crate) head_at: Micros,
    pub(crate) tool: String,
    pub(crate) chain_id: i64,
    pub(crate) block_number: i64,
    pub(crate) block_hash: Vec<u8>,
    pub(crate) digest: Vec<u8>,
    pub(crate) task: Option<Uuid>,
    pub(crate) recorded_at: Micros,
}

impl TryFrom<EvidenceRow> for EvidenceState {
    type Error = StoreError;
    fn try_from(row: EvidenceRow) -> Result<Self, StoreError> {
        let id = EvidenceId(row.id);
        let read = || -> Result<Self, Cause> {
            Ok(Self {
                id,
                head: head(row.version, &row.head_hash, row.head_at)?,
                tool: row.tool.parse()?,
                chain_id: row.chain_id.try_into()?,
                block_number: row.block_number.try_into()?,
                block_hash: BlockHash(row.block_hash.as_slice().try_into()?),
                digest: row.digest.as_slice().try_into()?,
                task: row.task.map(TaskId),
                recorded_at: row.recorded_at.timestamp()?,
            })
        };
        read().map_err(|cause| StoreError::unreadable("evidence", format!("evidence:{id}"), cause))
    }
}

/// The last deed of a stream, as its projection's row names it.
pub(crate) fn head(version: i64, hash: &[u8], at: Micros) -> Result<Head, Cause> {
    Ok(Head {
        version: version.try_into()?,
        hash: DeedHash::try_from(hash)?,
        at: at.timestamp()?,
    })
}

/// Deeds as columns, for one statement that writes them all.
#[derive(Debug, Default)]
pub(crate) struct DeedColumns {
    pub(crate) stream: Vec<String>,
    pub(crate) version: Vec<i64>,
    pub(crate) kind: Vec<String>,
    pub(crate) body: Vec<serde_json::Value>,
    pub(crate) at: Vec<Micros>,
    pub(crate) principal: Vec<String>,
    pub(crate) basis: Vec<String>,
    pub(crate) agent_label: Vec<Option<String>>,
    pub(crate) instance_hash: Vec<Option<Vec<u8>>>,
    pub(crate) previous_hash: Vec<Option<Vec<u8>>>,
    pub(crate) hash: Vec<Vec<u8>>,
}

impl DeedColumns {
    pub(crate) fn push(&mut self, deed: StoredDeed) {
        self.stream.push(deed.stream);
        self.version.push(deed.version);
        self.kind.push(deed.kind);
        self.body.push(deed.body);
        self.at.push(deed.at.into());
        self.principal.push(deed.principal);
        self.basis.push(deed.basis);
        self.agent_label.push(deed.agent_label);
        self.instance_hash.push(deed.instance_hash);
        self.previous_hash.push(deed.previous);
        self.hash.push(deed.hash);
    }
}

/// `tasks.latest_acceptance`.
pub(crate) type AcceptanceJson<'a> = Json<&'a AcceptanceSummary>;
/// `tasks.latest_completion`.
pub(crate) type CompletionJson<'a> = Json<&'a CompletionSummary>;
/// `tasks.cited`.
pub(crate) type CitedJson<'a> = Json<&'a BTreeMap<String, ClaimProvenance>>;

/// Tasks as columns, for one statement that writes them all. Borrowed: a claim's text may be long.
#[derive(Debug, Default)]
pub(crate) struct TaskColumns<'a> {
    pub(crate) id: Vec<Uuid>,
    pub(crate) version: Vec<i64>,
    pub(crate) head_hash: Vec<&'a [u8]>,
    pub(crate) head_at: Vec<Micros>,
    pub(crate) status: Vec<&'static str>,
    pub(crate) owner: Vec<Option<&'a str>>,
    pub(crate) injected_by: Vec<&'a str>,
    pub(crate) created_at: Vec<Micros>,
    pub(crate) reserved_for: Vec<Option<&'a str>>,
    pub(crate) recipient_only: Vec<bool>,
    pub(crate) latest_acceptance: Vec<Option<AcceptanceJson<'a>>>,
    pub(crate) latest_completion: Vec<Option<CompletionJson<'a>>>,
    pub(crate) cited: Vec<CitedJson<'a>>,
    pub(crate) bytes: Vec<i64>,
}

impl<'a> TaskColumns<'a> {
    pub(crate) fn push(&mut self, task: &'a TaskState) {
        self.id.push(task.id.0);
        self.version.push(signed(task.head.version));
        self.head_hash.push(task.head.hash.as_bytes());
        self.head_at.push(task.head.at.into());
        self.status.push(task.status.as_str());
        self.owner.push(task.owner.as_ref().map(ActorId::as_str));
        self.injected_by.push(task.injected_by.as_str());
        self.created_at.push(task.created_at.into());
        self.reserved_for
            .push(task.reserved_for.as_ref().map(ActorId::as_str));
        self.recipient_only.push(task.recipient_only);
        self.latest_acceptance
            .push(task.latest_acceptance.as_ref().map(Json));
        self.latest_completion
            .push(task.latest_completion.as_ref().map(Json));
        self.cited.push(Json(&task.cited));
        self.bytes.push(signed(task.bytes));
    }
}

/// Versions and sizes are bounded far below 2^63 by `deedbox_core::limits`.
pub(crate) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_the_same_before_and_after() {
        for millis in [
            -62_167_219_200_000,
            -1,
            0,
            946_684_800_001,
            253_402_300_799_999,
        ] {
            let at = Timestamp::from_millis(millis).unwrap();
            assert_eq!(Micros::from(at).timestamp().unwrap(), at);
        }
    }

    #[test]
    fn a_time_that_nobody_wrote_is_an_error_and_not_a_panic() {
        for micros in [i64::MAX, i64::MIN, 1, -1] {
            assert!(Micros(micros).timestamp().is_err(), "{micros}");
        }
    }
}
