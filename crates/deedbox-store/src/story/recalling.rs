//! Recall: what is found of a labelled set in three languages, in which order, and how much of it.

use std::collections::{BTreeSet, HashMap};

use deedbox_core::{
    MemoryId, MemoryKind, MemoryText, SpaceId, Stream,
    memory::{About, MemoryCommand, MemoryTags, Salt, SealedText},
};
use serde::Deserialize;

use super::*;
use crate::{Recall, Recalled};

/// Notes in English, Japanese and Korean, and questions with the notes that answer them. Written for this test, by hand.
const LABELLED: &str = include_str!("labelled.json");

#[derive(Deserialize)]
struct Labelled {
    notes: Vec<Note>,
    queries: Vec<Question>,
}

#[derive(Deserialize)]
struct Note {
    id: String,
    kind: MemoryKind,
    path: String,
    tags: Vec<String>,
    content: String,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    expected: Vec<String>,
}

/// A question to one space, without filters.
pub fn recall(space: &SpaceId, question: &str) -> Recall {
    Recall {
        spaces: vec![space.clone()],
        question: question.to_owned(),
        kinds: BTreeSet::new(),
        path: None,
        tags: vec![],
        expired: false,
        limit: 5,
        token_budget: None,
    }
}

fn ids(recalled: &Recalled) -> Vec<MemoryId> {
    recalled
        .found
        .iter()
        .map(|(memory, _)| memory.state.id)
        .collect()
}

impl Teller {
    async fn asked(&self, query: &Recall) -> Recalled {
        self.store.recall(query, self.world.now()).await.unwrap()
    }

    async fn noted(&self, space: &SpaceId, note: &Note) -> MemoryId {
        let tags = note.tags.iter().map(|tag| tag.parse().unwrap());
        let text = MemoryText {
            content: note.content.parse().unwrap(),
            path: Some(note.path.parse().unwrap()),
            tags: MemoryTags::new(tags).unwrap(),
            key: None,
        };
        let about = About {
            kind: note.kind,
            todo_done: false,
            expires_at: None,
        };
        let sealed = SealedText::new(text, Salt::random(&*self.world));
        let fresh = MemoryId(self.world.uuid());
        let command = MemoryCommand::remember(fresh, None, space.clone(), about, sealed, false);
        let deed = self.done(Command::Memory(Box::new(command))).await;
        match deed.stream {
            Stream::Memory(id) => id,
            stream => panic!("{stream} is no memory's"),
        }
    }

    pub(super) async fn recall_finds_nine_in_ten_of_what_is_labelled(&self) {
        let home = space("personal:alice");
        let set: Labelled = serde_json::from_str(LABELLED).unwrap();
        let mut names = HashMap::new();
        for note in &set.notes {
            let id = self.noted(&home, note).await;
            names.insert(note.id.as_str(), id);
            self.world.pass(60_000);
        }
        let (mut hit, mut all, mut missed) = (0_u32, 0_u32, vec![]);
        for Question { question, expected } in &set.queries {
            let found = ids(&self.asked(&recall(&home, question)).await);
            for name in expected {
                all += 1;
                if found.contains(&names[name.as_str()]) {
                    hit += 1;
                } else {
                    missed.push((question.as_str(), name.as_str()));
                }
            }
        }
        assert!(
            f64::from(hit) / f64::from(all) >= 0.9,
            "recall@5 is {hit} of {all}; missed: {missed:?}"
        );
    }

    pub(super) async fn recall_says_why_and_keeps_to_its_filters_and_its_budget(&self) {
        let home = space("personal:alice");
        let found = self.asked(&recall(&home, "TLS certificate renewal")).await;
        let (memory, why) = &found.found[0];
        assert_eq!(memory.state.about.kind, MemoryKind::Todo);
        assert_eq!(why.words, ["certificate", "tls"]);
        assert_eq!(why.in_path, ["tls"]);
        assert!(why.score > 0.0 && why.recency > 1.0 && why.recency <= 1.25);
        let scores: Vec<f64> = found.found.iter().map(|(_, why)| why.score).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");

        // Everyday words of a question do not outweigh what it is about.
        let asked = self
            .asked(&recall(&home, "what do we do with the TLS"))
            .await;
        assert!(!asked.found.is_empty());
        for (_, why) in &asked.found {
            assert_eq!(
                [why.words.as_slice(), &why.in_path, &why.in_tags].concat()[0],
                "tls"
            );
        }

        let database = recall(&home, "database PostgreSQL");
        let all = ids(&self.asked(&database).await);
        let below = Recall {
            path: Some("projects/atlas".parse().unwrap()),
            ..database.clone()
        };
        let below = ids(&self.asked(&below).await);
        assert_eq!(below, [all[0]]);
        let tagged = Recall {
            tags: vec!["database".parse().unwrap()],
            kinds: BTreeSet::from([MemoryKind::Fact]),
            ..database.clone()
        };
        let tagged = self.asked(&tagged).await;
        assert_eq!(tagged.found.len(), 1);
        let text = tagged.found[0].0.text.as_ref().unwrap();
        assert!(text.content.as_str().starts_with("Backups"));
        let wide = Recall {
            limit: 50,
            ..database.clone()
        };
        let any = self.asked(&wide).await.found;
        for kinds in [
            [MemoryKind::Fact, MemoryKind::Decision],
            [MemoryKind::Fact, MemoryKind::Todo],
        ] {
            let kinds = BTreeSet::from(kinds);
            let of_two = Recall {
                kinds: kinds.clone(),
                ..wide.clone()
            };
            let found: BTreeSet<_> = ids(&self.asked(&of_two).await).into_iter().collect();
            let fitting = any
                .iter()
                .filter(|(memory, _)| kinds.contains(&memory.state.about.kind));
            let fitting: BTreeSet<_> = fitting.map(|(memory, _)| memory.state.id).collect();
            assert!(
                !fitting.is_empty() && fitting.len() < any.len(),
                "{kinds:?}"
            );
            assert_eq!(found, fitting, "{kinds:?}");
        }
        for nothing in [
            recall(&space("personal:bob"), "TLS certificate"),
            recall(&home, " !? "),
            recall(&home, "xylophone"),
            Recall {
                spaces: vec![],
                ..database.clone()
            },
        ] {
            assert_eq!(self.asked(&nothing).await, Recalled::default());
        }
        let tight = Recall {
            token_budget: Some(40),
            ..database.clone()
        };
        let tight = self.asked(&tight).await;
        assert!(tight.over_budget > 0 && tight.found.len() < all.len());
        let one = Recall {
            limit: 1,
            ..database
        };
        assert_eq!(ids(&self.asked(&one).await), [all[0]]);
    }

    /// More memories than are looked at closely, so that the index is asked.
    pub(super) async fn recall_reaches_what_is_far_behind_the_newest(&self) {
        let (deep, beside) = (space("deep"), space("beside"));
        for id in [&deep, &beside] {
            let create = Command::CreateSpace {
                id: id.clone(),
                name: Name::new("Deep").unwrap(),
                owner: actor("alice"),
            };
            self.done(create).await;
        }
        let note = |content: String, path: &str, kind, tag: &str| Note {
            id: String::new(),
            kind,
            path: path.to_owned(),
            tags: vec![tag.to_owned()],
            content,
        };
        let filler = |n: u32| {
            let kind = [MemoryKind::Note, MemoryKind::Fact][n as usize % 2];
            note(
                format!("Filler {n}: the river is high."),
                "rivers",
                kind,
                "water",
            )
        };
        let in_deep = |one| async move { self.noted(&space("deep"), &one).await };
        let zebra = "The zebra eats the clover at the river.";
        let zebra = in_deep(note(
            zebra.to_owned(),
            "zoo/zebra",
            MemoryKind::Decision,
            "animals",
        ));
        let zebra = zebra.await;
        let japanese = note(
            "水位は高い川で測る。".to_owned(),
            "zoo",
            MemoryKind::Note,
            "川",
        );
        let japanese = in_deep(japanese).await;
        let next_door = note(
            "Zebra crossings.".to_owned(),
            "zoo",
            MemoryKind::Note,
            "animals",
        );
        let next_door = self.noted(&beside, &next_door).await;
        let mut newest = None;
        for n in 0..300 {
            self.world.pass(1_000);
            newest = Some(in_deep(filler(n)).await);
        }
        let asked = |query: Recall| async move { ids(&self.asked(&query).await) };
        let ask = |question: &str| recall(&deep, question);
        assert_eq!(asked(ask("zebra")).await, [zebra]);
        // One rare word among common ones, and no memory with all of them.
        assert_eq!(
            asked(ask("what does a zebra at the high river eat?")).await[0],
            zebra
        );
        assert_eq!(asked(ask("水位はどこで測る?")).await, [japanese]);
        let high = asked(ask("high river")).await;
        assert_eq!(high.len(), 5);
        assert_eq!(high.first(), newest.as_ref(), "among equals the latest");
        assert_eq!(asked(ask("xylophone")).await, []);
        let river = |change: fn(&mut Recall)| {
            let mut query = ask("the river");
            change(&mut query);
            asked(query)
        };
        assert_eq!(
            river(|q| q.path = Some("zoo".parse().unwrap())).await,
            [zebra]
        );
        assert_eq!(
            river(|q| q.tags = vec!["animals".parse().unwrap()]).await,
            [zebra]
        );
        assert_eq!(
            river(|q| q.kinds = [MemoryKind::Decision].into()).await,
            [zebra]
        );
        assert_eq!(
            river(|q| q.path = Some("zoo/zebr".parse().unwrap())).await,
            []
        );
        // What a filter leaves is still more than is looked at closely.
        let wet = river(|q| {
            q.tags = vec!["water".parse().unwrap()];
            q.kinds = [MemoryKind::Fact].into();
        });
        assert_eq!(wet.await.first(), newest.as_ref());
        assert_eq!(asked(recall(&beside, "zebra")).await, [next_door]);
        let both = Recall {
            spaces: vec![deep.clone(), beside.clone()],
            ..ask("zebra crossings at the high river")
        };
        let both: BTreeSet<_> = asked(both).await.into_iter().collect();
        // The small space's only memory is older than all that a look-up for common words reaches.
        assert!(
            both.contains(&zebra) && both.contains(&next_door),
            "{both:?}"
        );
    }
}
