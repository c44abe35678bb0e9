//! Whoever turns pages, or keeps a copy, while a chain goes on and back: what is there all the while is seen, and what is not there is not kept.

use std::collections::{BTreeMap, BTreeSet};

use deedbox_core::Timestamp;
use deedbox_id::U256;

use super::{
    Teller, batch,
    chain::{Dice, at, moved, said, set},
    registry, second,
};
use crate::index::{AgentEntry, Entry, Fact, Lease, OfAgents, RegistryId, Search, Standard};

/// How many agents there are at first: more than one window of a search.
const AGENTS: u64 = 280;
/// How many come on one page.
const PAGE: u32 = 37;

/// A registry on a chain that goes on and back.
struct Living {
    of: RegistryId,
    lease: Lease,
    facts: Vec<Fact>,
    upto: u64,
    is_final: u64,
    agents: u64,
    /// Agents that were there, and not burned, since this was emptied last.
    always: BTreeSet<U256>,
}

impl Living {
    async fn begin(teller: &Teller, of: RegistryId) -> Self {
        let facts = (1..=AGENTS).flat_map(|n| {
            let name = format!("Agent {n}");
            [
                said(n, 0, moved(n, 0, 1)),
                said(n, 1, set(n, "name", name.as_bytes())),
            ]
        });
        let facts: Vec<_> = facts.collect();
        let lease = teller.begin(of, Standard::Erc8122).await;
        let mut living = Self {
            of,
            lease,
            facts: Vec::new(),
            upto: 0,
            is_final: 200,
            agents: AGENTS,
            always: BTreeSet::new(),
        };
        living.append(teller, AGENTS, facts).await;
        living
    }

    async fn append(&mut self, teller: &Teller, upto: u64, facts: Vec<Fact>) {
        self.facts.extend(facts.iter().cloned());
        let after = (self.upto > 0).then(|| at(self.upto));
        let mut batch = batch(self.of, after, upto, facts);
        batch.final_upto = Some(self.is_final);
        self.upto = upto;
        teller.applied(&self.lease, batch).await;
        self.look();
    }

    /// One or two blocks more, in which agents come, change, go, or nothing happens.
    async fn go_on(&mut self, teller: &Teller, dice: &mut Dice) {
        let upto = self.upto + 1 + dice.roll(2);
        let mut facts = Vec::new();
        for block in self.upto + 1..=upto {
            for log in 0..dice.roll(5) {
                let of = 1 + dice.roll(self.agents);
                facts.push(match dice.roll(8) {
                    0 => said(block, log, moved(of, 1, 0)),
                    1 => said(block, log, moved(of, 0, 2)),
                    2 => {
                        self.agents += 1;
                        said(block, log, moved(self.agents, 0, 1))
                    }
                    _ => {
                        let name = format!("Renamed {block} {log} {}", dice.roll(9));
                        said(block, log, set(of, "name", name.as_bytes()))
                    }
                });
            }
        }
        if dice.roll(3) == 0 {
            self.is_final += dice.roll(upto - self.is_final);
        }
        self.append(teller, upto, facts).await;
    }

    /// The chain takes back some of what is not final.
    async fn go_back(&mut self, teller: &Teller, dice: &mut Dice) {
        let depth = dice.roll((self.upto - self.is_final).min(5) + 1);
        self.upto -= depth;
        let (index, to) = (&teller.index, Some(at(self.upto)));
        let back = index.rewind(&self.lease, to, second(1)).await;
        back.unwrap().unwrap();
        self.facts
            .retain(|fact| fact.origin.place.block <= self.upto);
        self.look();
    }

    /// The index is thrown away, and read again up to some block.
    async fn anew(&mut self, teller: &Teller, upto: u64) {
        let facts = std::mem::take(&mut self.facts);
        teller.forget(self.of).await;
        self.lease = teller.begin(self.of, Standard::Erc8122).await;
        self.upto = 0;
        let there = facts.into_iter();
        let there = there.filter(|fact| fact.origin.place.block <= upto);
        self.append(teller, upto, there.collect()).await;
    }

    async fn step(&mut self, teller: &Teller, dice: &mut Dice) {
        match dice.roll(12) {
            0..6 => self.go_on(teller, dice).await,
            6 | 7 => self.go_back(teller, dice).await,
            8 => {
                self.go_back(teller, dice).await;
                self.go_on(teller, dice).await;
            }
            _ => {}
        }
    }

    /// Which agents there are: the same chain, read at once.
    fn read(&self) -> BTreeMap<U256, AgentEntry> {
        let mut agents: BTreeMap<_, Vec<&Fact>> = BTreeMap::new();
        for fact in &self.facts {
            let subject = fact.statement.subject();
            agents.entry(subject).or_default().push(fact);
        }
        let folded = agents.into_values();
        let folded = folded.filter_map(|facts| match Entry::fold(None, self.of, facts) {
            Some(Entry::Agent(agent)) => Some((agent.id, agent)),
            _ => None,
        });
        folded.collect()
    }

    /// Takes those out that are not there now.
    fn look(&mut self) {
        let there = self.read();
        let lives = |id: &U256| there.get(id).is_some_and(|agent| !agent.is_gone());
        self.always.retain(lives);
    }

    fn look_anew(&mut self) {
        let there = self.read().into_iter();
        let there = there.filter(|(_, agent)| !agent.is_gone());
        self.always = there.map(|(id, _)| id).collect();
    }
}

/// What somebody has of an agent, and whether the block of its last change was final when it came.
type Had = BTreeMap<U256, (AgentEntry, bool)>;

/// Whoever keeps a copy by the rule in docs/agents.md.
#[derive(Default)]
struct Keeper {
    copy: Had,
    since: Option<Timestamp>,
    /// Up to which block the index was read in the last round.
    told: u64,
}

/// How a round ended.
#[derive(Debug, PartialEq, Eq)]
enum Round {
    Done,
    /// The index is read anew, or the chain goes back.
    Waits,
    /// A cursor does not hold any more.
    Outdated,
}

/// What came in a round, and what its first page said of the registry.
struct Came {
    agents: Had,
    upto: u64,
    final_block: Option<u64>,
}

impl Keeper {
    /// One round, with the steps of a chain between its pages.
    async fn round(
        &mut self,
        teller: &Teller,
        chain: &mut Living,
        dice: &mut Dice,
        still: bool,
    ) -> Round {
        let mut since = self.since;
        loop {
            let came = match self.pages(teller, chain, dice, still, since).await {
                Ok(came) => came,
                Err(ended) => return ended,
            };
            let pending = self.copy.iter().filter(|(_, (_, is_final))| !is_final);
            let mut lost: BTreeSet<U256> = pending.map(|(id, _)| *id).collect();
            lost.retain(|id| !came.agents.contains_key(id));
            self.copy.extend(came.agents);
            if !lost.is_empty() && since.is_some() {
                since = None;
                continue;
            }
            self.copy.retain(|id, _| !lost.contains(id));
            self.told = came.upto;
            let settled = self.copy.values().map(|(agent, _)| agent.updated);
            let settled = settled.filter(|last| Some(last.place.block) <= came.final_block);
            self.since = settled.map(|last| last.block_timestamp).max();
            return Round::Done;
        }
    }

    async fn pages(
        &self,
        teller: &Teller,
        chain: &mut Living,
        dice: &mut Dice,
        still: bool,
        since: Option<Timestamp>,
    ) -> Result<Came, Round> {
        let mut search = Search::<OfAgents> {
            registries: vec![chain.of],
            gone: true,
            blocked: true,
            updated_since: since,
            limit: PAGE,
            ..Search::default()
        };
        let numbering = teller.index.numbering().await.unwrap();
        let mut came: Option<Came> = None;
        loop {
            let cursor = teller.cursor(chain.of).await.unwrap();
            let upto = cursor.upto.map_or(0, |upto| upto.block);
            if came.is_none() && upto < self.told {
                return Err(Round::Waits);
            }
            let page = teller.index.search_agents(&search).await.unwrap();
            if search.after.is_some() && teller.index.numbering().await.unwrap() != numbering {
                return Err(Round::Outdated);
            }
            let came = came.get_or_insert_with(|| Came {
                agents: Had::new(),
                upto,
                final_block: cursor.final_upto,
            });
            for agent in page.entries {
                let is_final = cursor.is_final(agent.updated.place.block);
                let twice = came.agents.insert(agent.id, (agent, is_final));
                assert!(twice.is_none(), "twice: {twice:?}");
            }
            search.after = page.next;
            if search.after.is_none() {
                break;
            }
            if !still {
                chain.step(teller, dice).await;
            }
        }
        came.ok_or(Round::Waits)
    }

    fn lives(&self, id: &U256) -> bool {
        let had = self.copy.get(id);
        had.is_some_and(|(agent, _)| !agent.is_gone())
    }
}

impl Teller {
    /// Keeps a copy through many rounds in which the chain goes on and back between pages, and the index is thrown away.
    pub(super) async fn who_keeps_a_copy_by_the_rule_loses_nothing_and_keeps_nothing_dead(
        &self,
        seed: u64,
    ) {
        let (of, mut dice, mut keeper) = (registry(9), Dice(seed), Keeper::default());
        let mut chain = Living::begin(self, of).await;
        let mut done = 0;
        for round in 0..9 {
            chain.go_on(self, &mut dice).await;
            chain.go_on(self, &mut dice).await;
            let settled = chain.is_final;
            chain.look_anew();
            let ended = keeper.round(self, &mut chain, &mut dice, false).await;
            if ended == Round::Done {
                done += 1;
                for id in &chain.always {
                    assert!(keeper.lives(id), "seed {seed}, round {round}: lost {id}");
                }
                for (id, agent) in chain.read() {
                    let dead = agent.is_gone() && agent.updated.place.block <= settled;
                    assert!(!dead || !keeper.lives(&id), "seed {seed}: dead {id}");
                }
            }
            match dice.roll(8) {
                0 => chain.anew(self, chain.upto).await,
                1 => {
                    let half = chain.is_final + (chain.upto - chain.is_final) / 2;
                    chain.anew(self, half).await;
                }
                _ => chain.step(self, &mut dice).await,
            }
        }
        assert!(done > 1, "seed {seed}: only {done} rounds ended");
        while chain.upto < keeper.told {
            chain.go_on(self, &mut dice).await;
        }
        let ended = keeper.round(self, &mut chain, &mut dice, true).await;
        assert_eq!(ended, Round::Done, "seed {seed}");
        let copy = keeper.copy.into_iter().map(|(id, (agent, _))| (id, agent));
        let copy: BTreeMap<_, _> = copy.collect();
        assert_eq!(copy, chain.read(), "seed {seed}");
        self.forget(of).await;
    }

    /// Whatever is searched for and however it is ranked: what fits all the while is on one page.
    pub(super) async fn pages_lose_and_repeat_nothing_that_fits_all_the_while(&self, seed: u64) {
        let (of, mut dice) = (registry(9), Dice(seed));
        let mut chain = Living::begin(self, of).await;
        for limit in [7, 40] {
            let mut search = Search::<OfAgents> {
                text: "agent".to_owned(),
                limit,
                ..Search::default()
            };
            let fits = |chain: &Living| -> BTreeSet<U256> {
                let named = |agent: &AgentEntry| {
                    let name = agent.name().map(|name| name.lossy().into_owned());
                    name.is_some_and(|name| name.starts_with("Agent"))
                };
                let agents = chain.read().into_values();
                let fitting = agents.filter(|agent| named(agent) && !agent.is_gone());
                fitting.map(|agent| agent.id).collect()
            };
            let (mut always, mut seen) = (fits(&chain), BTreeSet::new());
            loop {
                let page = self.index.search_agents(&search).await.unwrap();
                for agent in page.entries {
                    assert!(seen.insert(agent.id), "seed {seed}: twice {}", agent.id);
                }
                search.after = page.next;
                if search.after.is_none() {
                    break;
                }
                chain.go_on(self, &mut dice).await;
                let now = fits(&chain);
                always.retain(|id| now.contains(id));
            }
            let missing: Vec<_> = always.difference(&seen).collect();
            assert!(missing.is_empty(), "seed {seed}: {missing:?}");
            assert!(always.len() > 50, "seed {seed}: {}", always.len());
        }
        self.forget(of).await;
    }

    pub(super) async fn rows_have_another_numbering_once_some_were_thrown_away(&self) {
        let (a, b) = (registry(1), registry(2));
        let numbering = || async { self.index.numbering().await.unwrap() };
        let lease = self.begin(a, Standard::Erc8122).await;
        self.begin(b, Standard::Erc8122).await;
        let first = numbering().await;
        self.applied(&lease, batch(a, None, 1, vec![said(1, 0, moved(1, 0, 1))]))
            .await;
        let back = self.index.rewind(&lease, None, second(1)).await;
        back.unwrap().unwrap();
        assert_eq!(numbering().await, first, "a chain that goes back");
        self.forget(b).await;
        assert_ne!(numbering().await, first);
        self.forget(a).await;
    }
}
