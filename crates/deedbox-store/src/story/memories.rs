//! Memories: remembered, revised, taken up, forgotten, redacted; who sees them, and who did.

use std::collections::BTreeSet;

use deedbox_core::{
    AgentLabel, Body, InstanceHash, Memory, MemoryId, MemoryKind, MemoryStatus, MemoryText, Space,
    SpaceId, SpaceUsage,
    memory::{About, MemoryAct, MemoryChange, MemoryCommand, MemoryTags, Salt, SealedText, rights},
};

use super::*;
use crate::{Kept, Memories, Recall};

/// The space with this id.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn space(id: &str) -> SpaceId {
    SpaceId::new(id).unwrap()
}

/// A note with these words, at no path, without tags and key.
///
/// # Panics
/// When they are none.
#[must_use]
pub fn words(content: &str) -> MemoryText {
    MemoryText {
        content: content.parse().unwrap(),
        path: None,
        tags: MemoryTags::default(),
        key: None,
    }
}

fn keyed(content: &str, key: &str) -> MemoryText {
    MemoryText {
        key: Some(key.parse().unwrap()),
        ..words(content)
    }
}

pub(super) fn about(kind: MemoryKind) -> About {
    About {
        kind,
        todo_done: false,
        expires_at: None,
    }
}

/// To remember `text` in `space` as a note, under a new id if it has no key.
#[must_use]
pub fn remember(world: &dyn World, space: SpaceId, text: MemoryText) -> Command {
    remember_as(world, space, about(MemoryKind::Note), text, false)
}

pub(super) fn remember_as(
    world: &dyn World,
    space: SpaceId,
    about: About,
    text: MemoryText,
    merge: bool,
) -> Command {
    let sealed = SealedText::new(text, Salt::random(world));
    let fresh = MemoryId(world.uuid());
    Command::Memory(Box::new(MemoryCommand::remember(
        fresh, None, space, about, sealed, merge,
    )))
}

/// To do something with a memory.
#[must_use]
pub fn act(id: MemoryId, act: MemoryAct) -> Command {
    let actor = None;
    Command::Memory(Box::new(MemoryCommand {
        id,
        actor,
        act,
        origin: None,
    }))
}

/// To delete the texts of a memory.
#[must_use]
pub fn redact(id: MemoryId) -> Command {
    act(id, MemoryAct::Redact { reason: None })
}

pub(super) fn id_of(deed: &Deed) -> MemoryId {
    match &deed.stream {
        deedbox_core::Stream::Memory(id) => *id,
        stream => panic!("{stream} is no memory's"),
    }
}

/// Bytes of canonical JSON.
fn bytes(text: &MemoryText) -> u64 {
    text.canonical().len() as u64
}

impl Teller {
    pub(super) async fn say(&self, space: SpaceId, text: MemoryText, by: &str) -> MemoryId {
        let command = remember(&*self.world, space, text);
        id_of(&self.run(command, bound_to(by)).await.unwrap().deed)
    }

    async fn revise(&self, id: MemoryId, change: MemoryChange, by: &str) -> Outcome {
        let salt = Salt::random(&*self.world);
        let change = Box::new(change);
        self.run(act(id, MemoryAct::Revise { change, salt }), bound_to(by))
            .await
    }

    async fn memory(&self, id: MemoryId) -> Memory {
        self.store.memory(id).await.unwrap().unwrap().memory
    }

    async fn usage(&self, space: &SpaceId) -> SpaceUsage {
        self.store.space_usage(space).await.unwrap()
    }

    pub(super) async fn listed(&self, query: Memories) -> Vec<MemoryId> {
        let found = self.store.memories(&query).await.unwrap();
        found.into_iter().map(|memory| memory.state.id).collect()
    }

    pub(super) async fn recalled(&self, spaces: Vec<SpaceId>, question: &str) -> Vec<MemoryId> {
        let recall = Recall {
            spaces,
            question: question.to_owned(),
            kinds: BTreeSet::new(),
            path: None,
            tags: vec![],
            expired: false,
            limit: 5,
            token_budget: None,
        };
        let found = self.store.recall(&recall, self.world.now()).await.unwrap();
        found
            .found
            .iter()
            .map(|(memory, _)| memory.state.id)
            .collect()
    }

    async fn code(&self, command: Command, by: Attribution) -> &'static str {
        let answer = self.run(command, by).await;
        answer.map_or_else(|refusal| refusal.code(), |_| "ok")
    }

    pub(super) async fn a_team_gets_a_space_and_members_come_and_go(&self) {
        let id = space("team");
        assert_eq!(self.store.space(&id).await.unwrap(), None);
        assert_eq!(
            self.store.space(&space("personal:nobody")).await.unwrap(),
            None
        );
        let create = Command::CreateSpace {
            id: id.clone(),
            name: Name::new("The team «☂»").unwrap(),
            owner: actor("alice"),
        };
        self.done(create.clone()).await;
        assert_eq!(self.refused(create).await, Refusal::SpaceExists(id.clone()));
        let add = |who: &str| Command::AddMember {
            space: id.clone(),
            actor: actor(who),
        };
        self.done(add("bob")).await;
        self.run(add("carol"), bound_to("alice")).await.unwrap();
        assert_eq!(
            self.code(add("Zoe"), bound_to("bob")).await,
            "not_space_owner"
        );
        assert_eq!(
            self.code(add("Zoe"), bound_to("Zoe")).await,
            "space_not_found"
        );
        let remove = Command::RemoveMember {
            space: id.clone(),
            actor: actor("carol"),
        };
        let removed = self.done(remove).await;
        let Some(Space::Team(team)) = self.store.space(&id).await.unwrap() else {
            panic!("it is a team's");
        };
        let members: Vec<_> = team.members.iter().map(ActorId::as_str).collect();
        assert_eq!((members, team.head), (vec!["alice", "bob"], removed.head()));
        let of = |who: &'static str| async move {
            let spaces = self.store.spaces(&actor(who)).await.unwrap();
            spaces
                .iter()
                .map(|space| space.id().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("bob").await, ["personal:bob", "team"]);
        assert_eq!(of("carol").await, ["personal:carol"]);
        assert_eq!(of("nobody").await, [""; 0]);
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn who_may_do_what_with_memories(&self) {
        let team = space("team");
        let id = self.say(team.clone(), words("By bob"), "bob").await;
        let state = self.memory(id).await.state;
        assert_eq!(state.first_author.actor, Some(actor("bob")));
        let other = |content: &str| MemoryChange {
            content: Some(content.parse().unwrap()),
            ..MemoryChange::default()
        };
        let salt = Salt([1; 32]);
        let revise = |id| {
            let change = Box::new(other("Changed"));
            act(id, MemoryAct::Revise { change, salt })
        };
        let before = self.deeds().await;
        for (who, expected) in [("carol", "memory_not_found"), ("Zoe", "memory_not_found")] {
            assert_eq!(self.code(revise(id), bound_to(who)).await, expected);
            assert_eq!(self.code(redact(id), bound_to(who)).await, expected);
        }
        let own = self.say(team.clone(), words("By alice"), "alice").await;
        assert_eq!(
            self.code(revise(own), bound_to("bob")).await,
            "not_memory_author"
        );
        let foreign = remember(&*self.world, space("personal:alice"), words("x"));
        assert_eq!(self.code(foreign, bound_to("bob")).await, "space_not_found");
        let nowhere = remember(&*self.world, space("personal:nobody"), words("x"));
        assert_eq!(self.code(nowhere, operator()).await, "space_not_found");
        let mut reader = bound_to("bob");
        reader.principal.scopes = "memory:read memory:write@other".parse().unwrap();
        assert_eq!(self.code(revise(id), reader).await, "missing_scope");
        assert_eq!(
            self.deeds().await,
            before + 1,
            "what was refused wrote nothing"
        );
        assert_eq!(self.code(revise(id), bound_to("alice")).await, "ok");
        assert_eq!(self.code(revise(own), operator()).await, "ok");
        let spaces = self.store.spaces(&actor("bob")).await.unwrap();
        let readable = rights::readable(&bound_to("bob").principal, &spaces, None).unwrap();
        let listed = self.listed(Memories::of(readable)).await;
        assert!(listed.contains(&id) && listed.contains(&own));
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn a_memory_lives_its_whole_life(&self) {
        let home = space("personal:carol");
        let first = MemoryText {
            path: Some("projects/deedbox/db".parse().unwrap()),
            tags: MemoryTags::new(["ü", "'; --"].map(|tag| tag.parse().unwrap())).unwrap(),
            ..words("Odd '; DROP TABLE \u{202e} 𝄞 e\u{301} \r\n\t \u{10FFFF}")
        };
        let mut by = bound_to("carol");
        by.agent_label = Some(AgentLabel::new("codex").unwrap());
        by.instance = Some(InstanceHash([7; 32]));
        let command = remember(&*self.world, home.clone(), first.clone());
        let deed = self.run(command, by).await.unwrap().deed;
        let id = id_of(&deed);
        let stored = deed.canonical_body();
        assert!(
            !stored.contains("DROP") && !stored.contains("projects"),
            "{stored}"
        );
        let memory = self.memory(id).await;
        assert_eq!(memory.text, Some(first.clone()));
        assert_eq!(memory.state.head, deed.head());
        assert_eq!(memory.state.first_author.by, deed.by);
        let one = SpaceUsage {
            memories: 1,
            bytes: bytes(&first),
        };
        assert_eq!(self.usage(&home).await, one);

        self.world.pass(1_000);
        let content = "Another".to_owned();
        let change = MemoryChange {
            content: Some(content.parse().unwrap()),
            ..MemoryChange::default()
        };
        self.revise(id, change, "carol").await.unwrap();
        let kind = MemoryChange {
            kind: Some(MemoryKind::Todo),
            todo_done: Some(true),
            ..MemoryChange::default()
        };
        self.revise(id, kind, "carol").await.unwrap();
        let history = self.store.memory(id).await.unwrap().unwrap();
        let second = MemoryText {
            content: content.parse().unwrap(),
            ..first.clone()
        };
        assert_eq!(history.memory.text, Some(second.clone()));
        assert!(history.memory.state.about.todo_done);
        let texts: Vec<_> = history
            .deeds
            .iter()
            .map(|(_, text)| text.as_ref())
            .collect();
        assert_eq!(texts, [Some(&first), Some(&second), None]);
        let both = SpaceUsage {
            memories: 1,
            bytes: bytes(&first) + bytes(&second),
        };
        assert_eq!(self.usage(&home).await, both);

        self.run(act(id, MemoryAct::Forget), bound_to("carol"))
            .await
            .unwrap();
        assert_eq!(self.recalled(vec![home.clone()], "another").await, []);
        assert_eq!(self.listed(Memories::of(vec![home.clone()])).await, []);
        assert_eq!(
            self.memory(id).await.text,
            Some(second),
            "its texts are kept"
        );
        let none = SpaceUsage {
            memories: 0,
            ..both
        };
        assert_eq!(self.usage(&home).await, none);
        let forgotten = Memories {
            status: MemoryStatus::Forgotten,
            ..Memories::of(vec![home.clone()])
        };
        assert_eq!(self.listed(forgotten).await, [id]);
        self.the_ledger_is_sound().await;

        self.run(redact(id), bound_to("carol")).await.unwrap();
        let history = self.store.memory(id).await.unwrap().unwrap();
        assert_eq!(history.memory.text, None);
        assert!(history.deeds.iter().all(|(_, text)| text.is_none()));
        assert_eq!(history.deeds.len(), 5, "what was done stays");
        assert_eq!(self.usage(&home).await, SpaceUsage::default());
        let again = self.run(redact(id), bound_to("carol")).await;
        assert_eq!(again, Err(Refusal::MemoryRedacted(id)));
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn what_has_a_key_is_said_anew(&self) {
        let team = space("team");
        let db = |content: &str| keyed(content, "the database");
        let id = self.say(team.clone(), db("SQLite, for now"), "alice").await;
        assert_eq!(self.say(team.clone(), db("PostgreSQL"), "alice").await, id);
        let history = self.store.memory(id).await.unwrap().unwrap();
        assert_eq!(history.deeds.len(), 2);
        assert!(matches!(
            history.deeds[1].0.body,
            Body::MemoryRevised { merged: false, .. }
        ));
        assert_eq!(history.memory.text, Some(db("PostgreSQL")));
        // Elsewhere it is another memory.
        let elsewhere = self.say(space("personal:alice"), db("Mine"), "alice").await;
        assert_ne!(elsewhere, id);
        self.run(redact(id), bound_to("alice")).await.unwrap();
        assert_eq!(self.say(team.clone(), db("Anew"), "bob").await, id);
        let history = self.store.memory(id).await.unwrap().unwrap();
        assert_eq!(history.memory.state.first_author.actor, Some(actor("bob")));
        let texts: Vec<_> = history.deeds.into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, [None, None, None, Some(db("Anew"))]);
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn of_many_who_say_the_same_at_once_none_is_lost(&self) {
        let team = space("team");
        for round in 0..4 {
            let says = (0..8).map(|i| {
                let text = keyed(&format!("Said by {i}"), &format!("race {round}"));
                self.say(team.clone(), text, "alice")
            });
            let ids = futures::future::join_all(says).await;
            assert!(
                ids.iter().all(|id| *id == ids[0]),
                "they meet in one memory"
            );
            let history = self.store.memory(ids[0]).await.unwrap().unwrap();
            assert_eq!(history.deeds.len(), 8);
            let merges = (0..6).map(|_| {
                let text = words(&format!("The same in round {round}"));
                let fact = about(MemoryKind::Fact);
                let command = remember_as(&*self.world, team.clone(), fact, text, true);
                self.run(command, bound_to("bob"))
            });
            let kept = futures::future::join_all(merges).await;
            let ids: Vec<_> = kept
                .iter()
                .map(|kept| id_of(&kept.as_ref().unwrap().deed))
                .collect();
            assert!(
                ids.iter().all(|id| *id == ids[0]),
                "one takes up the others: {ids:?}"
            );
        }
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn the_same_is_taken_up_when_that_is_asked(&self) {
        let team = space("team");
        let text = |content: &str, tag: &str| MemoryText {
            tags: MemoryTags::new([tag.parse().unwrap()]).unwrap(),
            ..words(content)
        };
        let say = |text, merge| {
            remember_as(
                &*self.world,
                team.clone(),
                about(MemoryKind::Preference),
                text,
                merge,
            )
        };
        let first = self
            .run(
                say(text("Tabs, caf\u{e9}", "style"), true),
                bound_to("alice"),
            )
            .await;
        let id = id_of(&first.unwrap().deed);
        let second = say(text(" Tabs, cafe\u{301}\n", "editor"), true);
        let deed = self.run(second, bound_to("bob")).await.unwrap().deed;
        assert_eq!(id_of(&deed), id);
        assert!(matches!(
            deed.body,
            Body::MemoryRevised { merged: true, .. }
        ));
        let memory = self.memory(id).await;
        let tags = memory.text.unwrap().tags;
        assert_eq!(
            tags.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["editor", "style"]
        );
        let unasked = self
            .run(say(text("Tabs, café", "style"), false), bound_to("bob"))
            .await;
        assert_ne!(id_of(&unasked.unwrap().deed), id);
        let other_kind = remember(&*self.world, team.clone(), text("Tabs, café", "style"));
        assert_ne!(id_of(&self.done(other_kind).await), id);
        self.run(act(id, MemoryAct::Forget), bound_to("alice"))
            .await
            .unwrap();
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn a_repeat_of_remembering_is_the_first_memory(&self) {
        let ask = || {
            let command = remember(&*self.world, space("personal:bob"), words("Only once"));
            let idempotency = Some(Idempotency {
                key: "m-1".parse().unwrap(),
                request: RequestHash::of(b"only once"),
            });
            self.store.execute(Execute {
                command,
                attribution: bound_to("bob"),
                idempotency,
            })
        };
        let first: Kept = ask().await.unwrap().unwrap();
        let again = ask().await.unwrap().unwrap();
        assert!(again.replayed);
        assert_eq!(again.deed, first.deed);
        self.run(redact(id_of(&first.deed)), bound_to("bob"))
            .await
            .unwrap();
        assert_eq!(ask().await.unwrap().unwrap().deed, first.deed);
        let later = self.world.now().plus_millis(1);
        assert_eq!(self.store.forget_idempotency(later).await.unwrap(), 1);
    }
}
