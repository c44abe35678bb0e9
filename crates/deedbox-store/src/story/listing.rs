//! Memories in lists: what has expired, every filter, whole spaces, and who read what.

use deedbox_core::{
    AgentLabel, InstanceHash, MemoryId, MemoryKind, MemoryText, SpaceId,
    memory::{About, MemoryTags},
};

use super::{
    memories::{about, id_of, remember_as, space, words},
    *,
};
use crate::{Access, Accesses, Memories, MemoryPlace};

impl Teller {
    pub(super) async fn what_has_expired_is_listed_when_asked_for_and_not_recalled(&self) {
        let home = space("personal:Zoe");
        let end = self.world.now().plus_millis(1_000);
        let until = About {
            expires_at: Some(end),
            ..about(MemoryKind::Fact)
        };
        let command = remember_as(
            &*self.world,
            home.clone(),
            until,
            words("zebra crossing"),
            false,
        );
        let id = id_of(&self.run(command, bound_to("Zoe")).await.unwrap().deed);
        let all = || Memories::of(vec![home.clone()]);
        let expired = |expired| Memories {
            expired: Some((expired, self.world.now())),
            ..all()
        };
        assert_eq!(self.recalled(vec![home.clone()], "zebra").await, [id]);
        assert_eq!(self.listed(expired(true)).await, []);
        self.world.pass(1_000);
        assert_eq!(self.recalled(vec![home.clone()], "zebra").await, []);
        assert_eq!(self.listed(expired(true)).await, [id]);
        assert_eq!(self.listed(expired(false)).await, []);
        assert_eq!(self.listed(all()).await, [id]);
    }

    pub(super) async fn memories_are_listed_newest_first_by_every_filter(&self) {
        let home = space("personal:dora");
        let add = Command::AddActor {
            id: actor("dora"),
            kind: ActorKind::Human,
            name: Name::new("Dora").unwrap(),
        };
        self.done(add).await;
        let mut ids = vec![];
        for (i, path) in ["a", "a/b", "a/bc", "b", "a/b/c"].into_iter().enumerate() {
            let text = MemoryText {
                path: Some(path.parse().unwrap()),
                tags: MemoryTags::new([format!("t{}", i % 2).parse().unwrap()]).unwrap(),
                key: (i == 3).then(|| "k".parse().unwrap()),
                ..words(&format!("Number {i}"))
            };
            ids.push(self.say(home.clone(), text, "dora").await);
            if i % 2 == 0 {
                self.world.pass(1);
            }
        }
        let all = || Memories::of(vec![home.clone(), space("personal:nobody")]);
        let mut paged = vec![];
        let mut after = None;
        loop {
            let query = Memories {
                after,
                limit: 2,
                ..all()
            };
            let page = self.store.memories(&query).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(MemoryPlace::from(&last.state));
            paged.extend(
                page.iter()
                    .map(|memory| (memory.state.created_at, memory.state.id)),
            );
        }
        assert_eq!(paged.len(), 5);
        assert!(paged.windows(2).all(|pair| pair[0] > pair[1]), "{paged:?}");
        let path = |text: &str| Memories {
            path: Some(text.parse().unwrap()),
            ..all()
        };
        let sorted = |mut ids: Vec<MemoryId>| {
            ids.sort_unstable();
            ids
        };
        let at = |of: &[usize]| sorted(of.iter().map(|i| ids[*i]).collect());
        assert_eq!(sorted(self.listed(path("a/b")).await), at(&[1, 4]));
        assert_eq!(sorted(self.listed(path("a")).await), at(&[0, 1, 2, 4]));
        let tag = Memories {
            tag: Some("t1".parse().unwrap()),
            ..all()
        };
        assert_eq!(sorted(self.listed(tag).await), at(&[1, 3]));
        let key = Memories {
            key: Some("k".parse().unwrap()),
            ..all()
        };
        assert_eq!(self.listed(key).await, at(&[3]));
        let author = Memories {
            author: Some(actor("alice")),
            ..all()
        };
        assert_eq!(self.listed(author).await, []);
        let label = Memories {
            agent_label: Some(AgentLabel::new("x").unwrap()),
            ..all()
        };
        assert_eq!(self.listed(label).await, []);
        let mut exported: Vec<MemoryId> = vec![];
        loop {
            let after = exported.last().copied();
            let page = self.store.export(&home, after, 2).await.unwrap();
            if page.is_empty() {
                break;
            }
            exported.extend(page.iter().map(|memory| memory.state.id));
        }
        assert_eq!(exported, sorted(ids), "by id, without gaps");
    }

    pub(super) async fn who_read_what_is_on_record(&self) {
        let (home, other) = (space("personal:dora"), space("personal:alice"));
        let ids = self.listed(Memories::of(vec![home.clone()])).await;
        let access = |shown| Access {
            at: self.world.now(),
            principal: PrincipalId::from_stored("key:reader".to_owned()),
            actor: Some(actor("dora")),
            agent_label: Some(AgentLabel::new("codex").unwrap()),
            instance: Some(InstanceHash([9; 32])),
            operation: "recall".to_owned(),
            shown,
        };
        let shown = vec![(home.clone(), ids[0]), (home.clone(), ids[1])];
        self.store.record_access(access(shown)).await.unwrap();
        self.world.pass(5);
        let again = access(vec![(home.clone(), ids[0])]);
        let all_at_once = (0..4).map(|_| self.store.record_access(again.clone()));
        for kept in futures::future::join_all(all_at_once).await {
            kept.unwrap();
        }
        self.store.record_access(access(vec![])).await.unwrap();
        let of = |space: &SpaceId, memory, before| Accesses {
            space: space.clone(),
            memory,
            before,
            limit: 3,
        };
        let rows = self.store.accesses(&of(&home, None, None)).await.unwrap();
        assert_eq!(rows.len(), 3);
        assert!(rows.is_sorted_by(|a, b| a.number > b.number));
        assert_eq!((rows[0].memory, rows[0].at), (ids[0], self.world.now()));
        assert_eq!(rows[0].instance, Some(InstanceHash([9; 32])));
        let rest = self
            .store
            .accesses(&of(&home, None, Some(rows[2].number)))
            .await
            .unwrap();
        assert_eq!(rest.len(), 3);
        let one = self
            .store
            .accesses(&of(&home, Some(ids[1]), None))
            .await
            .unwrap();
        assert_eq!(one.len(), 1);
        assert_eq!(one[0].operation, "recall");
        let elsewhere = self
            .store
            .accesses(&of(&other, Some(ids[1]), None))
            .await
            .unwrap();
        assert_eq!(elsewhere, []);
    }
}
