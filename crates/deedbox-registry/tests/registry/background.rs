//! Tools that are kept verified without anybody asking: which are checked, when again, and how politely.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deedbox_core::{Attribution, Command, Following, Principal, RegistryId, Trust};
use deedbox_registry::{
    inspect,
    sync::{Options as SyncOptions, Syncer, Unwatched, align},
    verify::background::{Checked, Options, Verifier},
};
use deedbox_sqlite::{SqliteIndex, SqliteStore};
use deedbox_store::{
    Execute, Store,
    index::{CheckOutcome, Index, ManifestCheck},
};

use super::{
    house::*,
    verify::{Street, hash, manifest},
};

/// A street with an index of its registry.
struct Town {
    street: Street,
    id: RegistryId,
    chains: Arc<Chains>,
    store: Arc<dyn Store>,
    index: Arc<dyn Index>,
    _folder: tempfile::TempDir,
}

impl Town {
    async fn new() -> Self {
        let street = Street::new();
        let folder = tempfile::tempdir().unwrap();
        let clock = street.house.clock.clone();
        let ledger = SqliteStore::open(&folder.path().join("ledger.sqlite"), clock).await;
        let index = SqliteIndex::open(&folder.path().join("index.sqlite")).await;
        let town = Self {
            id: RegistryId {
                chain_id: CHAIN,
                address: chain_address(street.registry),
            },
            chains: street.house.shared(),
            store: Arc::new(ledger.unwrap()),
            index: Arc::new(index.unwrap()),
            _folder: folder,
            street,
        };
        let chains = &town.chains;
        let found = inspect(chains, CHAIN, Block::Latest, town.street.registry).await;
        let found = found.unwrap();
        let following = Box::new(Following {
            standard: found.standard().unwrap(),
            label: None,
            trust: Trust::Known,
            from_block: 0,
            seen: found.sighting().unwrap(),
        });
        let id = town.id;
        town.decide(Command::FollowRegistry { id, following }).await;
        town
    }

    async fn decide(&self, command: Command) {
        let execute = Execute {
            command,
            attribution: Attribution::of(Principal::local()),
            idempotency: None,
        };
        self.store.execute(execute).await.unwrap().unwrap();
    }

    /// Registers a tool of this name whose manifest is said to have this hash; none: the right one.
    fn register(&self, name: &str, wrong: Option<B256>) -> U256 {
        let body = self.manifest(name, None);
        let hash = wrong.unwrap_or_else(|| hash(body.as_bytes()));
        self.register_at(&self.uri(name), hash)
    }

    fn register_at(&self, uri: &str, hash: B256) -> U256 {
        let (house, registry) = (&self.street.house, self.street.registry);
        house.register(registry, uri, hash, Address::ZERO).tool_id()
    }

    fn uri(&self, name: &str) -> String {
        let path = format!("/.well-known/ai-tool/{name}.json");
        self.street.server.url(HOST, &path)
    }

    fn manifest(&self, name: &str, max_age: Option<u64>) -> String {
        let mut manifest = manifest(&self.street.house, &self.street.server);
        manifest["name"] = name.into();
        if let Some(seconds) = max_age {
            manifest["maxAge"] = seconds.into();
        }
        manifest.to_string()
    }

    /// Serves the manifest of every tool but those whose names begin with "lost".
    fn serve(&self) {
        let all: Vec<_> = ["good", "wrong", "brief"]
            .into_iter()
            .map(|name| {
                let max_age = (name == "brief").then_some(600);
                (
                    format!("/.well-known/ai-tool/{name}.json"),
                    self.manifest(name, max_age),
                )
            })
            .collect();
        self.street.server.script(move |request| {
            let found = all.iter().find(|(path, _)| *path == request.target);
            found.map_or_else(|| Answer::new(404, &[], ""), |(_, body)| Answer::ok(body))
        });
    }

    /// Reads what the registry said until now.
    async fn sync(&self) {
        align(&*self.index, &*self.store).await.unwrap();
        let world = self.street.house.clock.clone();
        let syncer = Syncer::new(
            Arc::clone(&self.chains),
            Arc::clone(&self.index),
            world.clone(),
            SyncOptions {
                holder: "reader".to_owned(),
                ..SyncOptions::new(&*world)
            },
            Arc::new(Unwatched),
        );
        syncer.catch_up(CHAIN).await.unwrap();
    }

    fn verifier(&self, holder: &str) -> Verifier {
        Verifier::new(
            Arc::clone(&self.chains),
            Arc::new(fetcher(&self.street.server)),
            Arc::clone(&self.index),
            Arc::clone(&self.store),
            self.street.house.clock.clone(),
            Options {
                holder: holder.to_owned(),
                lease: Duration::from_secs(30),
                at_once: 4,
            },
        )
    }

    fn later(&self, seconds: i64) {
        self.street
            .house
            .clock
            .0
            .fetch_add(seconds * 1_000, Ordering::AcqRel);
    }

    async fn check(&self, tool: U256) -> Option<ManifestCheck> {
        let entry = self.index.tool(self.id, tool).await.unwrap().unwrap();
        entry.current_check().cloned()
    }
}

/// How many were verified, failed and unreachable.
fn counts(checked: &Checked) -> (u64, u64, u64) {
    assert!(checked.unread.is_empty(), "{:?}", checked.unread);
    (checked.verified, checked.failed, checked.unreachable)
}

#[tokio::test]
async fn tools_that_are_due_are_checked_and_those_that_are_not_are_left_alone() {
    let town = Town::new().await;
    let good = town.register("good", None);
    let brief = {
        let body = town.manifest("brief", Some(600));
        town.register_at(&town.uri("brief"), hash(body.as_bytes()))
    };
    let wrong = town.register("wrong", Some(B256::repeat_byte(9)));
    let lost = town.register("lost", None);
    let elsewhere = town.register_at("ipfs://a", B256::repeat_byte(9));
    town.serve();
    town.sync().await;
    let verifier = town.verifier("reader");
    let round = || async { counts(&verifier.round().await.unwrap()) };
    assert_eq!(round().await, (2, 2, 1));
    assert_eq!(round().await, (0, 0, 0), "nothing is due");
    let check = town.check(good).await.unwrap();
    let summary = check.manifest.unwrap();
    assert_eq!(summary.name, "good");
    assert!(check.outcome.is_verified() && check.served.is_some());
    assert!(
        town.index
            .manifest(check.served.unwrap())
            .await
            .unwrap()
            .is_some()
    );
    for (tool, step) in [(wrong, "hash"), (elsewhere, "origin")] {
        let outcome = town.check(tool).await.unwrap().outcome;
        assert!(
            matches!(&outcome, CheckOutcome::Failed { step: of, .. } if of == step),
            "{outcome:?}"
        );
    }
    let outcome = town.check(lost).await.unwrap().outcome;
    assert!(
        matches!(outcome, CheckOutcome::Unreachable { .. }),
        "{outcome:?}"
    );

    // Its `maxAge` is ten minutes; the others that failed are due after an hour, the good one after a day.
    town.later(600);
    assert_eq!(round().await, (1, 0, 0));
    assert_eq!(
        town.check(brief).await.unwrap().checked_at,
        town.street.house.clock.now()
    );
    town.later(3_600);
    assert_eq!(round().await, (1, 2, 1));
    town.later(24 * 3_600);
    assert_eq!(round().await, (2, 2, 1));
}

#[tokio::test]
async fn a_tool_that_changed_is_checked_at_once_and_one_that_the_index_knows_of_old_not_yet() {
    let town = Town::new().await;
    let good = town.register("good", Some(B256::repeat_byte(9)));
    town.serve();
    town.sync().await;
    let verifier = town.verifier("reader");
    assert_eq!(counts(&verifier.round().await.unwrap()), (0, 1, 0));
    let body = town.manifest("good", None);
    let call = Call::UpdateToolMetadata {
        tool_id: good,
        metadata_uri: town.uri("good"),
        manifest_hash: hash(body.as_bytes()),
    };
    town.street.house.send(0, town.street.registry, &call);
    town.later(2 * 3_600);
    let asked = town.street.server.connections();
    assert_eq!(counts(&verifier.round().await.unwrap()), (0, 0, 0));
    assert_eq!(town.street.server.connections(), asked, "nobody was asked");
    town.sync().await;
    assert_eq!(counts(&verifier.round().await.unwrap()), (1, 0, 0));
}

#[tokio::test]
async fn what_is_blocked_not_followed_or_held_by_another_is_left_alone() {
    let town = Town::new().await;
    town.register("good", None);
    town.serve();
    town.sync().await;
    let (one, other) = (town.verifier("one"), town.verifier("other"));
    let id = town.id;
    let trust = Trust::Blocked;
    town.decide(Command::SetTrust { id, trust }).await;
    assert_eq!(counts(&one.round().await.unwrap()), (0, 0, 0));
    let trust = Trust::Known;
    town.decide(Command::SetTrust { id, trust }).await;
    assert_eq!(counts(&one.round().await.unwrap()), (1, 0, 0));
    town.later(24 * 3_600);
    let (now, hour) = (town.street.house.clock.now(), Duration::from_secs(3_600));
    let held = town.index.claim(&[id], "other", now, hour).await.unwrap();
    assert_eq!(held.len(), 1);
    assert_eq!(
        counts(&one.round().await.unwrap()),
        (0, 0, 0),
        "another has it"
    );
    assert_eq!(counts(&other.round().await.unwrap()), (1, 0, 0));
    town.later(24 * 3_600);
    town.decide(Command::UnfollowRegistry { id }).await;
    assert_eq!(counts(&other.round().await.unwrap()), (0, 0, 0));
}

#[tokio::test]
async fn a_host_is_asked_for_one_manifest_at_a_time_and_left_alone_when_it_does_not_answer() {
    let town = Town::new().await;
    for n in 0..6 {
        let name = format!("tool-{n}");
        town.register(&name, None);
    }
    let bodies: Vec<_> = (0..6)
        .map(|n| town.manifest(&format!("tool-{n}"), None))
        .collect();
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    town.street.server.script(move |request| {
        let now = open.fetch_add(1, Ordering::AcqRel) + 1;
        seen.fetch_max(now, Ordering::AcqRel);
        std::thread::yield_now();
        let number = request.target.rsplit("tool-").next();
        let number = number.and_then(|name| name.strip_suffix(".json")?.parse::<usize>().ok());
        open.fetch_sub(1, Ordering::AcqRel);
        Answer::ok(&bodies[number.unwrap()])
    });
    town.sync().await;
    let verifier = town.verifier("reader");
    assert_eq!(counts(&verifier.round().await.unwrap()), (6, 0, 0));
    assert_eq!(most.load(Ordering::Acquire), 1);

    // A day later the server wants to be left alone: it is asked once, and its other tools are told why.
    town.later(25 * 3_600);
    town.street.server.script(|_| Answer::new(503, &[], ""));
    let before = town.street.server.connections();
    assert_eq!(counts(&verifier.round().await.unwrap()), (0, 0, 6));
    assert_eq!(town.street.server.connections(), before + 1);
    let mut put_off = 0;
    for tool in 1..=6 {
        let check = town.check(U256::from(tool)).await.unwrap();
        let CheckOutcome::Unreachable { reason } = check.outcome else {
            panic!("{check:?}");
        };
        put_off += usize::from(reason.contains("left alone"));
    }
    assert_eq!(put_off, 5, "all but the one that was asked for");
    // An hour later all of it is due, the rest is over, and it is asked once again.
    town.later(3_600);
    assert_eq!(counts(&verifier.round().await.unwrap()), (0, 0, 6));
    assert_eq!(town.street.server.connections(), before + 2);
}

#[tokio::test]
async fn what_the_registry_does_not_call_registered_is_no_verified_tool() {
    let town = Town::new().await;
    let good = town.register("good", None);
    town.serve();
    town.sync().await;
    let call = Call::DeregisterTool(good);
    town.street.house.send(0, town.street.registry, &call);
    let verifier = town.verifier("reader");
    assert_eq!(counts(&verifier.round().await.unwrap()), (0, 1, 0));
    let outcome = town.check(good).await.unwrap().outcome;
    assert!(
        matches!(&outcome, CheckOutcome::Failed { step, .. } if step == "registration"),
        "{outcome:?}"
    );
    assert_eq!(
        town.street.server.connections(),
        0,
        "nobody was asked for its manifest"
    );
}
