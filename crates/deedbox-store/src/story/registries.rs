//! Registries: followed, trusted, let go; and the tools that are pinned in them.

use deedbox_core::{
    BlockHash, ChainAddress, CodeHash, Following, ManifestHash, RegistryId, RegistryState,
    Sighting, Standard, ToolId, Trust,
};

use super::*;

/// A registry on `chain_id`, told from others by `byte`.
#[must_use]
pub fn registry(chain_id: u64, byte: u8) -> RegistryId {
    RegistryId {
        chain_id,
        address: ChainAddress([byte; 20]),
    }
}

/// To follow `id` for its tools, behind a proxy, with a name that is odd.
///
/// # Panics
/// Never.
#[must_use]
pub fn follow(id: RegistryId) -> Command {
    let seen = code(1);
    let following = Box::new(Following {
        standard: Standard::Erc8257,
        label: Some(Name::new("Ünsinn \u{202e} '; --").unwrap()),
        trust: Trust::Known,
        from_block: 12,
        seen,
    });
    Command::FollowRegistry { id, following }
}

fn code(byte: u8) -> Sighting {
    Sighting {
        code_hash: CodeHash([byte; 32]),
        implementation: Some(ChainAddress([byte; 20])),
        beacon: None,
        claims: ["ERC-165", "ERC-8257 tool registry"]
            .map(|claim| Name::new(claim).unwrap())
            .into(),
        block_number: 20,
        block_hash: BlockHash([byte; 32]),
    }
}

/// To hold a tool of `registry` to the manifest with this hash.
///
/// # Panics
/// Never.
#[must_use]
pub fn pin(registry: RegistryId, tool: &str, byte: u8) -> Command {
    Command::PinTool {
        registry,
        tool: tool_id(tool),
        manifest_hash: ManifestHash([byte; 32]),
    }
}

fn tool_id(text: &str) -> ToolId {
    text.parse().unwrap()
}

impl Teller {
    async fn registry(&self, id: RegistryId) -> RegistryState {
        self.store.registry(id).await.unwrap().unwrap()
    }

    pub(super) async fn a_registry_is_followed_trusted_and_let_go(&self) {
        let id = registry(31_337, 1);
        assert_eq!(self.store.registry(id).await.unwrap(), None);
        let gone = self.refused(Command::UnfollowRegistry { id }).await;
        assert_eq!(gone, Refusal::RegistryNotFollowed(id));
        let followed = self.done(follow(id)).await;
        let state = self.registry(id).await;
        let Command::FollowRegistry { following, .. } = follow(id) else {
            panic!("it follows");
        };
        assert_eq!((state.followed, &state.following), (true, &*following));
        assert_eq!(state.followed_at, followed.at);
        assert_eq!(state.head, followed.head());
        assert_eq!(self.refused(follow(id)).await, Refusal::AlreadyFollowed(id));

        self.world.pass(1_000);
        let trust = Trust::Trusted;
        self.done(Command::SetTrust { id, trust }).await;
        let seen = Box::new(Sighting {
            implementation: None,
            beacon: Some(ChainAddress([7; 20])),
            ..code(2)
        });
        let accepted = self
            .done(Command::AcceptCode {
                id,
                seen: seen.clone(),
            })
            .await;
        let state = self.registry(id).await;
        assert_eq!(state.following.trust, Trust::Trusted);
        assert_eq!(state.following.seen, *seen);
        assert_eq!(
            (state.followed_at, state.head),
            (followed.at, accepted.head())
        );

        self.done(Command::UnfollowRegistry { id }).await;
        assert!(!self.registry(id).await.followed);
        self.done(follow(id)).await;
        let state = self.registry(id).await;
        assert_eq!((state.followed, &state.following), (true, &*following));
        assert!(state.followed_at > followed.at);
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn pins_outlast_following(&self) {
        let id = registry(31_337, 2);
        let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        let before = self.deeds().await;
        let not_followed = self.refused(pin(id, "7", 1)).await;
        assert_eq!(not_followed, Refusal::RegistryNotFollowed(id));
        assert_eq!(self.deeds().await, before);
        self.done(follow(id)).await;
        for (tool, byte) in [("9", 1), ("10", 2), (most, 3), ("9", 4)] {
            self.done(pin(id, tool, byte)).await;
        }
        self.done(Command::UnfollowRegistry { id }).await;
        let unpin = |tool| Command::UnpinTool {
            registry: id,
            tool: tool_id(tool),
        };
        self.done(unpin("10")).await;
        self.done(follow(id)).await;
        let pins =
            [("9", 4), (most, 3)].map(|(tool, byte)| (tool_id(tool), ManifestHash([byte; 32])));
        assert_eq!(self.registry(id).await.pins, pins.into());
        let refusal = self.refused(unpin("10")).await;
        assert_eq!(refusal.code(), "tool_not_pinned");
        let unchanged = self.refused(pin(id, "9", 4)).await;
        assert_eq!(unchanged.code(), "unchanged");
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn of_many_decisions_at_once_none_is_lost(&self) {
        for round in 0..10 {
            let id = registry(31_338, round);
            let follows = (0..8).map(|_| self.run(follow(id), operator()));
            let answers = futures::future::join_all(follows).await;
            let refused = answers.iter().filter_map(|answer| answer.as_ref().err());
            assert_eq!(refused.clone().count(), 7, "one of them followed it");
            assert!(
                refused
                    .clone()
                    .all(|no| *no == Refusal::AlreadyFollowed(id))
            );
            // Pins of different tools, all at once: each finds those before it.
            let pins = (0..8_u8).map(|i| self.run(pin(id, &i.to_string(), i), operator()));
            for answer in futures::future::join_all(pins).await {
                answer.unwrap();
            }
            let state = self.registry(id).await;
            assert_eq!((state.pins.len(), state.head.version), (8, 9));
        }
    }

    pub(super) async fn registries_come_in_the_byte_order_of_their_ids(&self) {
        for (chain, byte) in [(8_453, 0xff), (10, 1), (9, 1), (8_453, 0x0a)] {
            self.done(follow(registry(chain, byte))).await;
        }
        let ids = |all: Vec<RegistryState>| all.into_iter().map(|one| one.id).collect::<Vec<_>>();
        let all = ids(self.store.registries().await.unwrap());
        let texts: Vec<_> = all.iter().map(ToString::to_string).collect();
        assert!(texts.is_sorted(), "{texts:?}");
        assert_eq!(all.len(), 2 + 10 + 4);
        // As the ledger check reads them: page by page.
        let mut snapshot = self.store.snapshot().await.unwrap();
        let mut paged = vec![];
        loop {
            let page = snapshot.registries(paged.last().copied(), 3).await.unwrap();
            if page.is_empty() {
                break;
            }
            paged.extend(ids(page));
        }
        assert_eq!(paged, all);
    }
}
