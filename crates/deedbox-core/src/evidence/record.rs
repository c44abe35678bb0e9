//! Evidence: a reading that was recorded, and how claims that cite it show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BlockHash, FixedBlock, Reading, ToolName};
use crate::{
    ActorId, Body, BrokenDeed, Deed, EvidenceId, Head, StoredDeed, Stream, TaskId, Timestamp,
    hash::ReadingDigest, json::Inexact, task::RecordAttribution,
};

/// Who saw what a piece of evidence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Witness {
    /// This server took the reading itself. Whoever asked for it could not choose the answer.
    Server,
}

/// A recorded reading as callers see it.
// Its JSON holds all that its digest and its deed's hash are made of, so that `verify` needs no database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The evidence; a claim cites it as `evidence:<id>`.
    #[serde(rename = "evidence_id")]
    pub id: EvidenceId,
    /// What was read.
    #[serde(flatten)]
    pub reading: Reading,
    /// What [`Reading::digest`] was when it was recorded.
    pub digest: ReadingDigest,
    /// The task that it was read for.
    #[serde(rename = "task_id")]
    pub task: Option<TaskId>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// Who saw it.
    pub witness: Witness,
    /// Who asked for it.
    pub attribution: RecordAttribution,
}

impl Evidence {
    /// The evidence that a deed records. Its reading is hashed again each time, so that a row that was changed since is
    /// never taken for what was read.
    ///
    /// # Errors
    /// [`BrokenDeed::Unreadable`] when the deed is of another kind; [`BrokenDeed::HashDiffers`] when its reading or the deed
    /// is not what was hashed ([`Evidence::verify`]).
    pub fn new(deed: Deed) -> Result<Self, BrokenDeed> {
        let attribution = RecordAttribution::from(&deed);
        let (
            Stream::Evidence(id),
            Body::ReadingRecorded {
                tool,
                arguments,
                data,
                provenance,
                digest,
                task_id,
            },
        ) = (deed.stream, deed.body)
        else {
            return Err(BrokenDeed::Unreadable("kind"));
        };
        let evidence = Self {
            id,
            reading: Reading {
                tool,
                arguments,
                data,
                provenance,
            },
            digest,
            task: task_id,
            recorded_at: deed.at,
            witness: Witness::Server,
            attribution,
        };
        match evidence.verify() {
            Ok(()) => Ok(evidence),
            Err(_) => Err(BrokenDeed::HashDiffers),
        }
    }
}

/// How evidence is not what was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Altered {
    /// What was asked, answered or is said of where it came from.
    #[error("its reading does not have the digest that it carries")]
    Reading,
    /// It holds what no recorded reading holds, as a fraction is.
    #[error("it could not have been recorded: {0}")]
    Unrecordable(Inexact),
    /// Anything in its deed: who asked, when, for which task.
    #[error("its deed does not have the hash that it carries")]
    Deed,
    /// Its attribution cites evidence, as only a claim's does; no hash covers that.
    #[error("its attribution carries cited evidence, which no hash covers")]
    Attribution,
}

impl Evidence {
    /// Computes the digest and the deed's hash again.
    ///
    /// # Errors
    /// [`Altered`] says which of them is another. That both are right shows that nobody changed it by accident; that it is
    /// the deed that is recorded, only the ledger that holds it can show.
    pub fn verify(&self) -> Result<(), Altered> {
        // The canonical form of 18.0 is that of 18, and a reader of the file need not take them for the same.
        self.reading.check().map_err(Altered::Unrecordable)?;
        if self.reading.digest() != self.digest {
            return Err(Altered::Reading);
        }
        let reading = self.reading.clone();
        let body = Body::ReadingRecorded {
            tool: reading.tool,
            arguments: reading.arguments,
            data: reading.data,
            provenance: reading.provenance,
            digest: self.digest,
            task_id: self.task,
        };
        let (kind, body) = body.to_stored();
        let by = &self.attribution;
        if by.evidence.is_some() {
            return Err(Altered::Attribution);
        }
        let stored = StoredDeed {
            stream: Stream::Evidence(self.id).to_string(),
            version: 1,
            kind,
            body,
            at: self.recorded_at,
            principal: by.principal.clone(),
            basis: by.basis.as_str().to_owned(),
            agent_label: by.agent_label.clone(),
            instance_hash: by.instance_hash.map(|hash| hash.0.to_vec()),
            previous: None,
            hash: by.hash.0.to_vec(),
        };
        if stored.compute_hash() == by.hash {
            Ok(())
        } else {
            Err(Altered::Deed)
        }
    }
}

/// What is known of evidence without opening it: a projection of its one deed. What was asked and answered stays
/// in the deed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvidenceState {
    /// The evidence.
    #[serde(rename = "evidence_id")]
    pub id: EvidenceId,
    /// Its deed.
    #[serde(skip)]
    pub head: Head,
    /// Which tool read.
    pub tool: ToolName,
    /// On which chain.
    pub chain_id: u64,
    /// At which height.
    pub block_number: u64,
    /// In which block.
    pub block_hash: BlockHash,
    /// The reading's digest.
    pub digest: ReadingDigest,
    /// The task that it was read for.
    #[serde(rename = "task_id")]
    pub task: Option<TaskId>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
}

/// The evidence that a completion claim cites, inside the claim's `attribution`: so a reader sees at once that the
/// server saw the one thing, and that an actor only said the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitedEvidence {
    /// The evidence.
    pub evidence_id: EvidenceId,
    /// Who saw what it says.
    pub witnessed_by: Witness,
    /// Who says that it supports the claim.
    pub asserted_by: ActorId,
    /// Which tool read.
    pub tool: ToolName,
    /// On which chain (EIP-155).
    pub chain_id: u64,
    /// At which height.
    pub block_number: u64,
    /// In which block.
    pub block_hash: BlockHash,
    /// The reading's digest.
    pub digest: ReadingDigest,
    /// When it was recorded.
    pub recorded_at: Timestamp,
}

impl EvidenceState {
    /// As a claim of `actor` shows it.
    #[must_use]
    pub fn cited_by(&self, actor: &ActorId) -> CitedEvidence {
        CitedEvidence {
            evidence_id: self.id,
            witnessed_by: Witness::Server,
            asserted_by: actor.clone(),
            tool: self.tool.clone(),
            chain_id: self.chain_id,
            block_number: self.block_number,
            block_hash: self.block_hash,
            digest: self.digest,
            recorded_at: self.recorded_at,
        }
    }
}

/// Which readings: of one tool, on one chain, at one block.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadingKey {
    /// Which tool read.
    pub tool: ToolName,
    /// On which chain (EIP-155).
    pub chain_id: u64,
    /// At which block.
    pub block: FixedBlock,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Attribution, Command, Principal, Projection, State, decide};

    fn recorded() -> Evidence {
        Evidence::new(deed()).unwrap()
    }

    fn deed() -> Deed {
        let reading: Reading = serde_json::from_value(json!({
            "tool": "get_erc20_balance",
            "arguments": {
                "chain_id": 1,
                "holder": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                "token": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
                "block": "19000000",
            },
            "data": {"raw_amount": "1234500000", "decimals": 6},
            "provenance": {
                "chain_id": 1,
                "block_number": 19_000_000,
                "block_hash": BlockHash([0xab; 32]),
                "block_timestamp": "2024-01-13T12:00:00.000Z",
                "source": "rpc",
                "endpoint_id": "main",
            },
        }))
        .unwrap();
        let command = Command::RecordReading {
            id: EvidenceId(uuid::Uuid::nil()),
            reading: Box::new(reading),
            task: None,
        };
        let by = Attribution::of(Principal::local());
        let now = Timestamp::from_millis(1_000).unwrap();
        let deeds = decide(&State::default(), command, &by, now).unwrap();
        deeds.into_iter().next().unwrap()
    }

    #[test]
    fn the_digest_of_a_known_reading_stays_what_it_is() {
        // Computed independently: Python's hashlib over json.dumps(…, sort_keys=True, separators=(",", ":")).
        assert_eq!(
            recorded().digest.to_string(),
            "sha256:0495cac2476a85909df685b1a3977592baa492e2fff660d63073b84c865490f8"
        );
    }

    #[test]
    fn a_deed_whose_reading_was_changed_is_no_evidence() {
        let change = |change: fn(&mut Deed)| {
            let mut deed = deed();
            change(&mut deed);
            Evidence::new(deed)
        };
        assert!(change(|_| ()).is_ok());
        let changes: [fn(&mut Deed); 3] = [
            |deed| {
                if let Body::ReadingRecorded { data, .. } = &mut deed.body {
                    data.insert("raw_amount".into(), json!("1"));
                }
            },
            |deed| {
                if let Body::ReadingRecorded { digest, .. } = &mut deed.body {
                    *digest = ReadingDigest([0; 32]);
                }
            },
            |deed| deed.at = Timestamp::from_millis(1).unwrap(),
        ];
        for one in changes {
            assert_eq!(change(one), Err(BrokenDeed::HashDiffers));
        }
    }

    #[test]
    fn exported_evidence_is_verified_without_a_database() {
        let json = serde_json::to_value(recorded()).unwrap();
        let read = |json: &serde_json::Value| -> Evidence {
            serde_json::from_value(json.clone()).unwrap()
        };
        assert_eq!(read(&json), recorded());
        assert_eq!(read(&json).verify(), Ok(()));
        let changed = |path: &str, to: serde_json::Value| {
            let mut json = json.clone();
            *json.pointer_mut(path).unwrap() = to;
            read(&json).verify()
        };
        for (path, to) in [
            ("/data/raw_amount", json!("1234500001")),
            ("/data/decimals", json!(7)),
            (
                "/arguments/holder",
                json!("0x00000000219ab540356cBB839Cbe05303d7705Fa"),
            ),
            ("/provenance/block_number", json!(19_000_001)),
            ("/provenance/endpoint_id", json!("other")),
            ("/tool", json!("get_native_balance")),
        ] {
            assert_eq!(changed(path, to), Err(Altered::Reading), "{path}");
        }
        for (path, to) in [
            ("/recorded_at", json!("1970-01-01T00:00:01.001Z")),
            ("/attribution/principal", json!("key:mallory")),
            (
                "/evidence_id",
                json!("00000000-0000-0000-0000-000000000001"),
            ),
            ("/task_id", json!("00000000-0000-0000-0000-000000000001")),
        ] {
            assert_eq!(changed(path, to), Err(Altered::Deed), "{path}");
        }
        assert_eq!(
            changed("/data/decimals", json!(6.0)),
            Err(Altered::Unrecordable(Inexact::Number))
        );
        let mut citing = read(&json);
        let states = Projection::apply(None, &deed()).unwrap();
        let Projection::Evidence(state) = states else {
            panic!("not evidence")
        };
        let cited = state.cited_by(&ActorId::new("mallory").unwrap());
        citing.attribution.evidence = Some(Box::new(cited));
        assert_eq!(citing.verify(), Err(Altered::Attribution));
    }
}
