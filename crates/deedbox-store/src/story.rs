//! The one behavioural story that every backend must tell.
//!
//! A backend's test opens an empty store on a [`StoryWorld`] and calls [`tell`]. Each chapter is a promise;
//! a panic names the one that was broken. Nothing here knows which database it talks to.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a broken promise ends the story"
)]

mod evidence;
pub mod index;
mod listing;
mod memories;
mod people;
mod promises;
mod publications;
mod recalling;
mod registries;
mod reorganised;
mod tasks;

pub use self::{
    evidence::balance,
    memories::{act, redact, remember, space, words},
    publications::{included, signed},
    recalling::recall,
    registries::{follow, pin, registry},
    reorganised::refuses_an_altered_publication,
};

use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use deedbox_core::{
    AcceptanceId, ActorId, ActorKind, ApiKey, Attribution, Authority, ClaimProvenance, Command,
    CompletionId, Deed, HandoffId, KeyId, Principal, PrincipalId, Refusal, Scopes, TaskId,
    TaskStatus, Timestamp, World,
    hash::RequestHash,
    limits,
    task::{Record, Status},
    text::{ClaimText, ContextNote, Description, Name, Reason, SourceReference, Title},
};

use crate::{Execute, Idempotency, Outcome, Place, Store, Unaccepted, ledger};

/// A world whose clock stands still until it is moved, and whose randomness is a counter.
#[derive(Debug)]
pub struct StoryWorld {
    millis: AtomicI64,
    counter: AtomicU64,
}

impl Default for StoryWorld {
    fn default() -> Self {
        Self {
            millis: AtomicI64::new(1_796_000_000_000),
            counter: AtomicU64::new(1),
        }
    }
}

impl StoryWorld {
    /// Moves the clock, backwards when `millis` is negative.
    pub fn pass(&self, millis: i64) {
        self.millis.fetch_add(millis, Ordering::SeqCst);
    }
}

impl World for StoryWorld {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::SeqCst)).unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let n = self.counter.fetch_add(1, Ordering::SeqCst);
            chunk.copy_from_slice(&RequestHash::of(&n.to_be_bytes()).0[..chunk.len()]);
        }
    }
}

/// Tells the whole story on an empty `store`, which was opened on `world`.
///
/// # Panics
/// When a promise is broken.
pub async fn tell(store: Arc<dyn Store>, world: Arc<StoryWorld>) {
    let teller = Teller { store, world };
    teller.an_empty_store_has_nothing_and_is_sound().await;
    teller.actors_are_unique().await;
    teller.keys_are_issued_and_revoked_once().await;
    teller.only_one_first_operator_key_is_made().await;
    teller.a_task_lives_its_whole_life().await;
    teller.refused_commands_write_nothing().await;
    teller.certainty_needs_new_evidence().await;
    teller.a_reading_becomes_evidence().await;
    teller
        .a_reading_is_recorded_once_and_for_a_task_that_exists()
        .await;
    teller
        .a_claim_shows_who_saw_the_evidence_that_it_cites()
        .await;
    teller.readings_are_found_by_their_block().await;
    teller.evidence_is_listed_newest_first_without_gaps().await;
    teller.a_conclusion_is_checked_against_what_is_kept().await;
    teller.a_publication_lives_its_whole_life().await;
    teller.a_publication_is_refused_and_says_what_to_do().await;
    teller
        .a_block_that_is_gone_opens_a_publication_again()
        .await;
    teller
        .a_reorganisation_two_publications_deep_is_mended_from_the_lowest_nonce_up()
        .await;
    teller.of_many_signatures_at_once_one_is_kept().await;
    teller
        .publications_are_listed_newest_first_without_gaps()
        .await;
    teller
        .a_recorded_success_is_not_replaced_behind_the_ledgers_back()
        .await;
    teller.a_registry_is_followed_trusted_and_let_go().await;
    teller.pins_outlast_following().await;
    teller.of_many_decisions_at_once_none_is_lost().await;
    teller
        .registries_come_in_the_byte_order_of_their_ids()
        .await;
    teller.a_team_gets_a_space_and_members_come_and_go().await;
    teller.who_may_do_what_with_memories().await;
    teller.a_memory_lives_its_whole_life().await;
    teller.what_has_a_key_is_said_anew().await;
    teller.of_many_who_say_the_same_at_once_none_is_lost().await;
    teller.the_same_is_taken_up_when_that_is_asked().await;
    teller.a_repeat_of_remembering_is_the_first_memory().await;
    teller
        .what_has_expired_is_listed_when_asked_for_and_not_recalled()
        .await;
    teller
        .memories_are_listed_newest_first_by_every_filter()
        .await;
    teller.who_read_what_is_on_record().await;
    teller.recall_finds_nine_in_ten_of_what_is_labelled().await;
    teller
        .recall_says_why_and_keeps_to_its_filters_and_its_budget()
        .await;
    teller.recall_reaches_what_is_far_behind_the_newest().await;
    teller.a_reserved_task_waits_for_its_recipient().await;
    teller.a_repeat_returns_the_first_result().await;
    teller.lists_are_newest_first_and_page_without_gaps().await;
    teller.texts_come_back_as_they_went_in().await;
    teller.time_never_runs_backwards_in_a_stream().await;
    teller.one_of_many_racing_accepts_wins().await;
    teller.one_of_many_racing_repeats_is_done().await;
    teller.a_snapshot_does_not_see_later_deeds().await;
    teller.the_ledger_is_sound().await;
}

struct Teller {
    store: Arc<dyn Store>,
    world: Arc<StoryWorld>,
}

fn actor(name: &str) -> ActorId {
    ActorId::new(name).unwrap()
}

fn operator() -> Attribution {
    Attribution::of(Principal::local())
}

fn bound_to(name: &str) -> Attribution {
    Attribution::of(Principal {
        id: PrincipalId::from_stored(format!("key:{name}")),
        authority: Authority::Actor(actor(name)),
        scopes: Scopes::all(),
        agent_label: None,
    })
}

impl Teller {
    async fn run(&self, command: Command, attribution: Attribution) -> Outcome {
        let execute = Execute {
            command,
            attribution,
            idempotency: None,
        };
        self.store.execute(execute).await.unwrap()
    }

    async fn done(&self, command: Command) -> Deed {
        self.run(command, operator()).await.unwrap().deed
    }

    async fn refused(&self, command: Command) -> Refusal {
        self.run(command, operator()).await.unwrap_err()
    }

    async fn deeds(&self) -> u64 {
        self.store.snapshot().await.unwrap().count().await.unwrap()
    }

    async fn status(&self, task: TaskId) -> Status {
        self.store.status(task).await.unwrap().unwrap()
    }

    fn create(&self, by: &str, title: &str) -> (TaskId, Command) {
        let task = TaskId(self.world.uuid());
        let command = Command::CreateTask {
            task,
            title: Title::new(title).unwrap(),
            description: Description::new("").unwrap(),
            injected_by: actor(by),
            authority_scope: None,
            recipient_only: false,
        };
        (task, command)
    }

    async fn created(&self, by: &str, title: &str) -> TaskId {
        let (task, command) = self.create(by, title);
        self.done(command).await;
        task
    }

    fn accept(&self, task: TaskId, by: &str) -> Command {
        let id = AcceptanceId(self.world.uuid());
        Command::AcceptTask {
            task,
            id,
            actor: actor(by),
            context_note: None,
        }
    }

    fn complete(
        &self,
        task: TaskId,
        by: &str,
        provenance: ClaimProvenance,
        source: Option<&str>,
    ) -> Command {
        Command::ReportCompletion {
            task,
            id: CompletionId(self.world.uuid()),
            actor: actor(by),
            provenance,
            claim_text: ClaimText::new("done").unwrap(),
            source_reference: source.map(|text| SourceReference::new(text).unwrap()),
        }
    }

    fn handoff(&self, task: TaskId, from: &str, to: &str) -> Command {
        let id = HandoffId(self.world.uuid());
        Command::HandoffTask {
            task,
            id,
            from: actor(from),
            to: actor(to),
            reason: None,
        }
    }
}
