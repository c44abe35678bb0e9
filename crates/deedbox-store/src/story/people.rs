//! Actors and keys.

use deedbox_core::AgentLabel;

use super::*;

impl Teller {
    pub(super) async fn an_empty_store_has_nothing_and_is_sound(&self) {
        self.store.ping().await.unwrap();
        assert!(
            self.store
                .status(TaskId(self.world.uuid()))
                .await
                .unwrap()
                .is_none()
        );
        assert!(
            self.store
                .unaccepted(&Unaccepted::default())
                .await
                .unwrap()
                .is_empty()
        );
        assert!(self.store.actors().await.unwrap().is_empty());
        assert!(self.store.actor(&actor("alice")).await.unwrap().is_none());
        assert!(self.store.keys().await.unwrap().is_empty());
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn actors_are_unique(&self) {
        for name in ["bob", "alice", "carol", "Zoe"] {
            let add = Command::AddActor {
                id: actor(name),
                kind: ActorKind::Agent,
                name: Name::new(format!("{name} «☂»")).unwrap(),
            };
            self.done(add.clone()).await;
            assert_eq!(self.refused(add).await, Refusal::ActorExists(actor(name)));
        }
        let ids: Vec<String> = self
            .store
            .actors()
            .await
            .unwrap()
            .iter()
            .map(|actor| actor.id.to_string())
            .collect();
        assert_eq!(
            ids,
            ["Zoe", "alice", "bob", "carol"],
            "by id, in byte order"
        );
        let alice = self.store.actor(&actor("alice")).await.unwrap().unwrap();
        assert_eq!(
            (alice.name.as_str(), alice.created_at),
            ("alice «☂»", self.world.now())
        );
    }

    fn issue(&self, holder: Option<&str>, only_first_operator: bool) -> (ApiKey, Command) {
        let key = ApiKey::generate(&*self.world);
        let command = Command::IssueKey {
            id: key.id().clone(),
            secret_hash: key.hash(),
            actor: holder.map(actor),
            scopes: Scopes::all(),
            label: Some(Name::new("ci").unwrap()),
            agent_label: Some(AgentLabel::new("codex ☂").unwrap()),
            expires_at: Some(self.world.now().plus_millis(1_000)),
            only_first_operator,
        };
        (key, command)
    }

    pub(super) async fn keys_are_issued_and_revoked_once(&self) {
        let (_, nobody) = self.issue(Some("nobody"), false);
        assert_eq!(
            self.refused(nobody).await,
            Refusal::ActorNotFound(actor("nobody"))
        );
        let (key, command) = self.issue(Some("alice"), false);
        self.done(command).await;
        let record = self.store.key(key.id()).await.unwrap().unwrap();
        let principal = record.admit(&key, self.world.now()).unwrap();
        assert_eq!(principal.authority, Authority::Actor(actor("alice")));
        let bound = principal.agent_label.as_ref().map(AgentLabel::as_str);
        assert_eq!(bound, Some("codex ☂"));
        assert_eq!(record.expires_at, Some(self.world.now().plus_millis(1_000)));
        assert_eq!(record.label.as_ref().map(Name::as_str), Some("ci"));
        self.world.pass(5);
        let (second, command) = self.issue(Some("bob"), false);
        self.done(command).await;
        let listed: Vec<KeyId> = self
            .store
            .keys()
            .await
            .unwrap()
            .into_iter()
            .map(|key| key.id)
            .collect();
        assert_eq!(
            listed,
            [key.id().clone(), second.id().clone()],
            "oldest first"
        );
        let revoke = Command::RevokeKey {
            id: key.id().clone(),
        };
        self.done(revoke.clone()).await;
        let revoked = self.store.key(key.id()).await.unwrap().unwrap();
        assert_eq!(revoked.revoked_at, Some(self.world.now()));
        assert!(revoked.admit(&key, self.world.now()).is_err());
        assert_eq!(
            self.refused(revoke).await,
            Refusal::KeyRevoked(key.id().clone())
        );
        let unknown = ApiKey::generate(&*self.world).id().clone();
        assert!(self.store.key(&unknown).await.unwrap().is_none());
        assert_eq!(
            self.refused(Command::RevokeKey {
                id: unknown.clone()
            })
            .await,
            Refusal::KeyNotFound(unknown)
        );
    }

    pub(super) async fn only_one_first_operator_key_is_made(&self) {
        let asked: Vec<_> = (0..6).map(|_| self.issue(None, true).1).collect();
        let answers =
            futures::future::join_all(asked.into_iter().map(|ask| self.run(ask, operator()))).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        assert!(
            answers
                .into_iter()
                .filter_map(Result::err)
                .all(|no| no == Refusal::OperatorExists)
        );
        self.done(self.issue(None, false).1).await;
    }
}
