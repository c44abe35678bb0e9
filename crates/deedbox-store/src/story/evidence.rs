//! Readings: recorded, found again, cited by claims and compared with conclusions.

use std::collections::BTreeSet;

use deedbox_core::{
    BlockHash, Evidence, EvidenceId, FixedBlock, Reading, Scope,
    conclusion::{Conclusion, Outcome as Fares},
    evidence::{ReadingKey, Witness},
};
use serde_json::json;

use super::*;
use crate::{EvidencePlace, Recorded, conclusion};

const HOLDER: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

/// A balance of `raw` in the smallest unit, with six decimals, read on chain 1 at block `number` whose hash is all `hash`.
///
/// # Panics
/// Never.
#[must_use]
pub fn balance(raw: &str, number: u64, hash: u8) -> Box<Reading> {
    let reading = json!({
        "tool": "get_erc20_balance",
        "arguments": {"chain_id": 1, "holder": HOLDER, "token": HOLDER, "block": number.to_string()},
        "data": {"raw_amount": raw, "decimals": 6},
        "provenance": {
            "chain_id": 1,
            "block_number": number,
            "block_hash": BlockHash([hash; 32]),
            "block_timestamp": "2026-11-29T19:28:54.000Z",
            "source": "rpc",
            "endpoint_id": "main",
        },
    });
    Box::new(serde_json::from_value(reading).unwrap())
}

impl Teller {
    fn record(&self, reading: Box<Reading>, task: Option<TaskId>) -> (EvidenceId, Command) {
        let id = EvidenceId(self.world.uuid());
        (id, Command::RecordReading { id, reading, task })
    }

    async fn recorded(&self, reading: Box<Reading>, task: Option<TaskId>) -> EvidenceId {
        let (id, command) = self.record(reading, task);
        self.done(command).await;
        id
    }

    async fn opened(&self, id: EvidenceId) -> Evidence {
        self.store.evidence(id).await.unwrap().unwrap()
    }

    pub(super) async fn a_reading_becomes_evidence(&self) {
        let task = self.created("alice", "Read something").await;
        let ghost = EvidenceId(self.world.uuid());
        assert_eq!(self.store.evidence(ghost).await.unwrap(), None);
        // Texts that a database could change on the way: signs of JSON, of SQL, of other scripts.
        let mut reading = balance("1234500000", 100, 1);
        reading.data.insert(
            "name".to_owned(),
            json!({"text": "ÜSD \" \\ '; -- \u{202e} 😀\n", "raw_hex": "0x00", "flags": []}),
        );
        let (id, command) = self.record(reading.clone(), Some(task));
        let deed = self.run(command, bound_to("bob")).await.unwrap().deed;
        let evidence = self.opened(id).await;
        assert_eq!(evidence, Evidence::new(deed).unwrap(), "as it was answered");
        assert_eq!(evidence.reading, *reading);
        assert_eq!(evidence.digest, reading.digest());
        assert_eq!(
            (evidence.task, evidence.witness),
            (Some(task), Witness::Server)
        );
        assert_eq!(evidence.attribution.principal, "key:bob");
        assert_eq!(self.store.readings_for(task).await.unwrap(), 1);
        self.recorded(balance("1", 100, 1), None).await;
        assert_eq!(self.store.readings_for(task).await.unwrap(), 1);
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn a_reading_is_recorded_once_and_for_a_task_that_exists(&self) {
        let (id, command) = self.record(balance("7", 100, 1), None);
        self.done(command.clone()).await;
        let before = self.deeds().await;
        let again = self.refused(command).await;
        assert_eq!(again.code(), "invalid_input");
        assert!(again.to_string().contains(&id.to_string()), "{again}");
        let ghost = TaskId(self.world.uuid());
        let (_, command) = self.record(balance("7", 100, 1), Some(ghost));
        assert_eq!(self.refused(command).await, Refusal::TaskNotFound(ghost));
        let mut inexact = balance("7", 100, 1);
        inexact.data.insert("share".to_owned(), json!(0.5));
        let (_, command) = self.record(inexact, None);
        assert_eq!(self.refused(command).await.code(), "invalid_input");
        let mut large = balance("7", 100, 1);
        let text = "x".repeat(limits::READING_BYTES);
        large.data.insert("text".to_owned(), json!(text));
        let (_, command) = self.record(large, None);
        assert_eq!(self.refused(command).await.code(), "invalid_input");
        let (_, command) = self.record(balance("7", 100, 1), None);
        let mut writer = bound_to("bob");
        writer.principal.scopes = [Scope::TasksRead, Scope::TasksWrite].into_iter().collect();
        let refusal = self.run(command, writer).await.unwrap_err();
        let scope = Scope::ChainRead;
        assert_eq!(refusal, Refusal::MissingScope { scope });
        assert_eq!(self.deeds().await, before);
    }

    pub(super) async fn a_claim_shows_who_saw_the_evidence_that_it_cites(&self) {
        use ClaimProvenance::{Observed, Reported};
        let task = self.created("alice", "Cite something").await;
        self.done(self.accept(task, "bob")).await;
        let ghost = format!("evidence:{}", self.world.uuid());
        let cites_nothing = self.complete(task, "bob", Observed, Some(&ghost));
        assert_eq!(
            self.refused(cites_nothing).await.code(),
            "evidence_not_found"
        );
        let id = self.recorded(balance("42", 90, 9), Some(task)).await;
        let other = self.recorded(balance("43", 91, 9), Some(task)).await;
        for (provenance, source) in [
            (Reported, Some(format!("Evidence:{id}"))),
            (Observed, Some(format!("evidence:{other}"))),
            (Observed, Some(format!("evidence:{id}"))),
            (Observed, Some(format!("see evidence:{id}"))),
            (Observed, None),
        ] {
            self.done(self.complete(task, "bob", provenance, source.as_deref()))
                .await;
        }
        let status = self.status(task).await;
        let seen: Vec<_> = status
            .completions
            .iter()
            .map(|claim| {
                claim
                    .attribution
                    .evidence
                    .as_ref()
                    .map(|e| e.evidence_id == id)
            })
            .collect();
        assert_eq!(seen, [Some(true), Some(false), Some(true), None, None]);
        let evidence = status.completions[2].attribution.evidence.as_ref().unwrap();
        let opened = self.opened(id).await;
        assert_eq!(evidence.asserted_by, actor("bob"));
        assert_eq!((evidence.chain_id, evidence.block_number), (1, 90));
        assert_eq!(evidence.block_hash, BlockHash([9; 32]));
        assert_eq!(evidence.digest, opened.digest);
        assert_eq!(evidence.recorded_at, opened.recorded_at);
        assert_eq!(self.store.readings_for(task).await.unwrap(), 2);
        let ids = BTreeSet::from([id, EvidenceId(self.world.uuid())]);
        let cited = self.store.cited(&ids).await.unwrap();
        assert_eq!(cited.iter().map(|e| e.id).collect::<Vec<_>>(), [id]);
        assert_eq!(self.store.cited(&BTreeSet::new()).await.unwrap(), []);
    }

    pub(super) async fn readings_are_found_by_their_block(&self) {
        let mut ids = vec![];
        for (raw, number, hash) in [("1", 500, 5), ("2", 500, 5), ("3", 500, 6), ("4", 501, 7)] {
            ids.push(self.recorded(balance(raw, number, hash), None).await);
            self.world.pass(1);
        }
        let key = |block| ReadingKey {
            tool: "get_erc20_balance".parse().unwrap(),
            chain_id: 1,
            block,
        };
        let ask = async |of: ReadingKey, limit| -> Vec<EvidenceId> {
            let found = self.store.readings(&of, limit).await.unwrap();
            found.iter().map(|evidence| evidence.id).collect()
        };
        let height = key(FixedBlock::Number(500));
        assert_eq!(ask(height.clone(), 10).await, [ids[2], ids[1], ids[0]]);
        assert_eq!(ask(height.clone(), 2).await, [ids[2], ids[1]]);
        let hash = key(FixedBlock::Hash(BlockHash([5; 32])));
        assert_eq!(ask(hash, 10).await, [ids[1], ids[0]]);
        let other = ReadingKey {
            chain_id: 2,
            ..height.clone()
        };
        assert_eq!(ask(other, 10).await, []);
        let other = ReadingKey {
            tool: "get_native_balance".parse().unwrap(),
            ..height
        };
        assert_eq!(ask(other, 10).await, []);
    }

    pub(super) async fn evidence_is_listed_newest_first_without_gaps(&self) {
        let task = self.created("alice", "Read much").await;
        let mut newest_first = vec![];
        for i in 0..5 {
            let id = self.recorded(balance("1", 600 + i, 1), Some(task)).await;
            newest_first.insert(0, id);
            self.recorded(balance("1", 700 + i, 1), None).await;
            if i % 2 == 0 {
                self.world.pass(1); // so that some share their millisecond
            }
        }
        let mut of_task = Recorded {
            task: Some(task),
            after: None,
            limit: 3,
        };
        let first = self.store.recorded(&of_task).await.unwrap();
        of_task.after = first.last().map(EvidencePlace::from);
        let second = self.store.recorded(&of_task).await.unwrap();
        let order: Vec<_> = first
            .iter()
            .chain(&second)
            .map(|evidence| (evidence.recorded_at, evidence.id))
            .collect();
        assert!(order.is_sorted_by(|a, b| a > b), "{order:?}");
        let ids: BTreeSet<_> = order.iter().map(|(_, id)| *id).collect();
        assert_eq!(ids, newest_first.into_iter().collect());
        let all = Recorded {
            limit: limits::PAGE_MAX,
            ..Recorded::default()
        };
        let all = self.store.recorded(&all).await.unwrap();
        assert!(all.is_sorted_by_key(|e| std::cmp::Reverse((e.recorded_at, e.id))));
        let own = all.iter().filter(|e| e.task == Some(task)).count();
        assert_eq!((own, all.len() > 10), (5, true));
        let opened = self.opened(all[0].id).await;
        assert_eq!(all[0].tool, opened.reading.tool);
        assert_eq!(all[0].digest, opened.digest);
    }

    pub(super) async fn a_conclusion_is_checked_against_what_is_kept(&self) {
        let id = self.recorded(balance("1234500000", 800, 8), None).await;
        let later = self.recorded(balance("99", 801, 8), None).await;
        let claim = |text: &str, block: &str| json!({"claim": text, "tool": "get_erc20_balance", "chain_id": 1, "block": block});
        let by_id = json!({
            "claim": "It held 1,234.5 USDC.", "tool": "get_erc20_balance", "chain_id": 1,
            "block": "latest", "evidence_id": later,
        });
        let conclusion: Conclusion = serde_json::from_value(json!({
            "conclusion": "It held 1,234.5 USDC at block 800.",
            "evidence": [
                claim("It held 1,234.5 USDC.", "800"),
                claim("It held 1,234.5 USDC.", "802"),
                by_id,
            ],
            "unknown": [],
        }))
        .unwrap();
        let report = conclusion::check(&*self.store, &conclusion).await.unwrap();
        let fares: Vec<_> = report
            .claims
            .iter()
            .map(|c| (c.outcome, c.evidence_id))
            .collect();
        assert_eq!(
            fares,
            [
                (Fares::Supported, Some(id)),
                (Fares::Unsupported, None),
                (Fares::Mismatched, Some(later)),
            ]
        );
        assert!(report.mixed_heights);
    }
}
