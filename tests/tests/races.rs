//! Real races on every backend: many callers, one task, at the same moment. The protocol's invariants must
//! hold as they do for one caller after another.

use std::sync::Arc;

use anyhow::Result;
use deedbox_tests::{Answer, Backend, Client, Random, Site};
use serde_json::Value;
use tokio::sync::Barrier;

const RACERS: usize = 8;
/// 500 rounds in all, on each backend.
const ACCEPT_ROUNDS: usize = 180;
const HANDOFF_ROUNDS: usize = 140;
const MIXED_ROUNDS: usize = 180;

/// Connected callers who start together. Half of them use the named actor's own key, half an operator's.
struct Racers {
    clients: Vec<Client>,
}

/// What one racer is to do.
#[derive(Clone, Debug)]
enum Run {
    Accept(&'static str),
    Handoff(&'static str),
    Complete,
}

impl Racers {
    async fn new(
        site: &Site,
        count: usize,
        own_key: impl Fn(usize) -> Option<String>,
    ) -> Result<Self> {
        let mut clients = Vec::new();
        for n in 0..count {
            let key = own_key(n).unwrap_or_else(|| site.key.clone());
            clients.push(site.client_with(n, &key).await?);
        }
        Ok(Self { clients })
    }

    /// Lets racer `n` do the `n`th of `runs`, all at once, and returns what each was answered.
    async fn race(&mut self, task: &str, runs: Vec<Run>) -> Result<Vec<Answer>> {
        assert_eq!(runs.len(), self.clients.len());
        let barrier = Arc::new(Barrier::new(runs.len()));
        let mut racing = Vec::new();
        for (mut client, run) in self.clients.drain(..).zip(runs) {
            let (barrier, task) = (Arc::clone(&barrier), task.to_owned());
            racing.push(tokio::spawn(async move {
                barrier.wait().await;
                let answer = match run {
                    Run::Accept(by) => client.accept(&task, by).await,
                    Run::Handoff(to) => client.handoff(&task, "alice", to).await,
                    Run::Complete => client.complete(&task, "alice", "reported", None).await,
                };
                (client, answer)
            }));
        }
        let mut answers = Vec::new();
        for racer in racing {
            let (client, answer) = racer.await?;
            self.clients.push(client);
            answers.push(answer?);
        }
        Ok(answers)
    }
}

fn rows<'a>(status: &'a Value, list: &str) -> &'a [Value] {
    status[list].as_array().map_or(&[], Vec::as_slice)
}

fn count(answers: &[Answer], status: u16, code: &str) -> usize {
    answers
        .iter()
        .filter(|a| a.status == status && a.code() == code)
        .count()
}

async fn one_of_eight_accepts_wins(site: &Site, keys: &Keys) -> Result<()> {
    let mut client = site.client(0).await?;
    let names: [&str; RACERS] = [
        "alice", "bob", "carol", "alice", "alice", "bob", "carol", "alice",
    ];
    let own = |n: usize| n.is_multiple_of(2).then(|| keys.of(names[n]));
    let mut racers = Racers::new(site, RACERS, own).await?;
    for round in 0..ACCEPT_ROUNDS {
        let task = client.create("alice").await?;
        let answers = racers.race(&task, names.map(Run::Accept).to_vec()).await?;
        let won: Vec<&Answer> = answers.iter().filter(|a| a.status == 201).collect();
        assert_eq!(won.len(), 1, "round {round}: {answers:?}");
        assert_eq!(
            count(&answers, 409, "already_owned"),
            RACERS - 1,
            "round {round}: {answers:?}"
        );
        let status = client.status(&task).await?;
        let acceptances = rows(&status, "acceptances");
        assert_eq!(acceptances.len(), 1, "round {round}: {status}");
        assert_eq!(acceptances[0], won[0].body, "round {round}");
        assert_eq!(
            status["task"]["currentOwnerActorId"],
            won[0].body["actorId"]
        );
        assert_eq!(status["task"]["status"], "accepted");
    }
    Ok(())
}

async fn one_of_six_handoffs_wins(site: &Site, keys: &Keys) -> Result<()> {
    let mut client = site.client(0).await?;
    let own = |n: usize| n.is_multiple_of(2).then(|| keys.of("alice"));
    let mut racers = Racers::new(site, 6, own).await?;
    for round in 0..HANDOFF_ROUNDS {
        let task = client.create("alice").await?;
        client.accept(&task, "alice").await?.ok()?;
        let to = ["bob", "carol", "alice", "bob", "carol", "alice"].map(Run::Handoff);
        let answers = racers.race(&task, to.to_vec()).await?;
        let won: Vec<&Answer> = answers.iter().filter(|a| a.status == 201).collect();
        assert_eq!(won.len(), 1, "round {round}: {answers:?}");
        assert_eq!(
            count(&answers, 403, "not_owner"),
            5,
            "round {round}: {answers:?}"
        );
        let status = client.status(&task).await?;
        assert_eq!(
            rows(&status, "handoffs"),
            [won[0].body.clone()],
            "round {round}"
        );
        assert_eq!(status["task"]["status"], "transitioned");
        assert_eq!(status["task"]["currentOwnerActorId"], Value::Null);
    }
    Ok(())
}

/// Four claims against one handoff. Whatever wins, nothing is completed after it was handed away, and the
/// handoff's snapshot holds exactly what was claimed before it.
async fn a_claim_never_lands_after_a_handoff(
    site: &Site,
    keys: &Keys,
    random: &mut Random,
) -> Result<()> {
    let mut client = site.client(0).await?;
    let own = |n: usize| n.is_multiple_of(2).then(|| keys.of("alice"));
    let mut racers = Racers::new(site, 5, own).await?;
    let (mut late, mut early) = (0, 0);
    for round in 0..MIXED_ROUNDS {
        let task = client.create("alice").await?;
        client.accept(&task, "alice").await?.ok()?;
        let mut runs = vec![Run::Complete; 5];
        let place = usize::try_from(random.below(5))?;
        runs[place] = Run::Handoff("bob");
        let answers = racers.race(&task, runs).await?;
        let status = client.status(&task).await?;
        let what = || format!("round {round}: {answers:?}\n{status}");
        assert_eq!(
            answers[place].status,
            201,
            "the owner's only handoff: {}",
            what()
        );
        assert_eq!(status["task"]["status"], "transitioned", "{}", what());
        assert_eq!(
            status["task"]["currentOwnerActorId"],
            Value::Null,
            "{}",
            what()
        );
        let claimed = count(&answers, 201, "") - 1;
        assert_eq!(
            claimed + count(&answers, 409, "no_current_owner"),
            4,
            "{}",
            what()
        );
        assert_eq!(rows(&status, "completions").len(), claimed, "{}", what());
        let snapshot = &rows(&status, "handoffs")[0]["contextSnapshot"];
        let latest = &status["latestCompletion"]["id"];
        assert_eq!(&snapshot["latestCompletion"]["id"], latest, "{}", what());
        let stood = if claimed == 0 {
            "accepted"
        } else {
            "completed"
        };
        assert_eq!(snapshot["status"], stood, "{}", what());
        late += 4 - claimed;
        early += claimed;
    }
    // Both orders came up, else this was no race.
    assert!(
        late > 0 && early > 0,
        "{early} claims before the handoff, {late} after it"
    );
    Ok(())
}

struct Keys(Vec<(&'static str, String)>);

impl Keys {
    fn of(&self, actor: &str) -> String {
        let found = self.0.iter().find(|(name, _)| *name == actor);
        found.map(|(_, key)| key.clone()).unwrap_or_default()
    }
}

async fn race_all(backend: Backend) -> Result<()> {
    let mut random = Random::seeded();
    let site = Site::start(backend)?;
    let names = ["alice", "bob", "carol"];
    site.add_actors(&names)?;
    let mut keys = Keys(vec![]);
    for name in names {
        keys.0.push((name, site.key_of(name)?));
    }
    one_of_eight_accepts_wins(&site, &keys).await?;
    one_of_six_handoffs_wins(&site, &keys).await?;
    a_claim_never_lands_after_a_handoff(&site, &keys, &mut random).await?;
    site.check_ledger()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn races_on_sqlite_leave_one_winner() -> Result<()> {
    race_all(Backend::Sqlite).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn races_on_postgresql_leave_one_winner() -> Result<()> {
    race_all(Backend::Postgres).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn races_across_three_replicas_leave_one_winner() -> Result<()> {
    race_all(Backend::Replicas).await
}
