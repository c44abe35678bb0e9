//! Keeping the tools of an index verified: nobody asked for these checks, so they are made politely.
//!
//! What is due stands in the index ([`Index::unchecked`]). Registrations are read many at once; manifests are fetched from many hosts at once
//! and one after the other from each; and a host that does not answer is left alone for a while, which its tools are told as the reason. Of
//! several replicas that one checks a registry which holds it: the lease is the one by which it is read.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use alloy_primitives::{Address, U256};
use deedbox_chain::{Block, Chains, ReadError};
use deedbox_core::{RegistryState, Timestamp, Trust, World};
use deedbox_fetch::Fetcher;
use deedbox_id::ToolReference;
use deedbox_store::{
    Store, StoreError,
    index::{
        CheckOutcome, Index, Lease, ManifestCheck, RegistryId, ServedManifest, Standard, ToolEntry,
    },
};
use futures::{StreamExt as _, stream};

use super::{
    Purpose, ToolVerification, VerifyTool,
    hosts::{Hosts, OF_CHAINS, OF_HOSTS, host},
    verify_seen,
};
use crate::tool::{Registration, Seen, ToolConfig, see_many};

/// How many tools are taken out of the index at once.
const BATCH: u32 = 1_000;
/// How many registrations are read with one question.
const TOGETHER: usize = 100;
/// How long one host may take for its tools of one batch. What is left then is put off.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a [`Verifier`] works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who holds the registries: the name by which they are [synced](crate::sync::Options::holder).
    pub holder: String,
    /// How long a registry is held without a sign of life.
    pub lease: Duration,
    /// From how many hosts something is fetched at once.
    pub at_once: usize,
}

/// Keeps the tools of an index verified.
#[derive(Debug)]
pub struct Verifier {
    chains: Arc<Chains>,
    fetcher: Arc<Fetcher>,
    index: Arc<dyn Index>,
    ledger: Arc<dyn Store>,
    world: Arc<dyn World>,
    options: Options,
    hosts: Mutex<Hosts>,
}

/// What came of a round.
#[derive(Debug, Default)]
pub struct Checked {
    /// How many tools were verified.
    pub verified: u64,
    /// How many were not: one of the checks failed.
    pub failed: u64,
    /// Of how many the manifest could not be had.
    pub unreachable: u64,
    /// Registries whose chains could not be read, with why.
    pub unread: Vec<(RegistryId, ReadError)>,
}

impl Checked {
    /// How many checks were made and kept.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.verified + self.failed + self.unreachable
    }

    fn add(&mut self, outcome: &CheckOutcome) {
        match outcome {
            CheckOutcome::Verified => self.verified += 1,
            CheckOutcome::Failed { .. } => self.failed += 1,
            CheckOutcome::Unreachable { .. } => self.unreachable += 1,
        }
    }
}

/// A tool that is due, with what its registry says of it now.
#[derive(Debug)]
struct Job {
    entry: ToolEntry,
    seen: Seen,
    seen_at: Timestamp,
}

/// What is kept of a check.
type Record = (ManifestCheck, Option<ServedManifest>);

impl Verifier {
    /// One that checks what `ledger` follows and `index` holds. Connects to nothing.
    #[must_use]
    pub fn new(
        chains: Arc<Chains>,
        fetcher: Arc<Fetcher>,
        index: Arc<dyn Index>,
        ledger: Arc<dyn Store>,
        world: Arc<dyn World>,
        options: Options,
    ) -> Self {
        Self {
            chains,
            fetcher,
            index,
            ledger,
            world,
            options,
            hosts: Mutex::default(),
        }
    }

    /// Checks what is due, at most a thousand tools of each registry that is followed, not blocked, and held by nobody else. Another round is
    /// worth while at once if any check was made.
    ///
    /// # Errors
    /// [`StoreError`] of the index or the ledger. What was checked before is kept.
    pub async fn round(&self) -> Result<Checked, StoreError> {
        let mut checked = Checked::default();
        for state in self.ledger.registries().await? {
            if !is_kept_verified(&state) || !self.holds(state.id).await? {
                continue;
            }
            let (now, chain) = (self.world.now(), format!("chain {}", state.id.chain_id));
            if self.with_hosts(|hosts| hosts.rests(&chain, now)) {
                continue;
            }
            let due = self.index.unchecked(state.id, now, BATCH).await?;
            match self.check(state.id, due, &mut checked).await? {
                Ok(()) => self.with_hosts(|hosts| hosts.answered(&chain)),
                // The others do not wait for it the next time.
                Err(error) => {
                    self.with_hosts(|hosts| hosts.failed(&chain, now, OF_CHAINS));
                    checked.unread.push((state.id, error));
                }
            }
        }
        Ok(checked)
    }

    /// Whether this process has a registry now, until the lease is over.
    async fn holds(&self, registry: RegistryId) -> Result<bool, StoreError> {
        if self.chains.events(registry.chain_id).is_err() {
            return Ok(false);
        }
        let (holder, lease) = (&self.options.holder, self.options.lease);
        let now = self.world.now();
        let held: Vec<Lease> = self.index.claim(&[registry], holder, now, lease).await?;
        Ok(!held.is_empty())
    }

    async fn check(
        &self,
        registry: RegistryId,
        due: Vec<ToolEntry>,
        checked: &mut Checked,
    ) -> Result<Result<(), ReadError>, StoreError> {
        let jobs = match self.see(registry, due, checked).await? {
            Ok(jobs) => jobs,
            Err(error) => return Ok(Err(error)),
        };
        let queues = stream::iter(by_host(jobs)).map(|(host, jobs)| self.work(host, jobs));
        let mut queues = queues.buffer_unordered(self.options.at_once.max(1));
        let mut outcome = Ok(());
        while let Some(of_host) = queues.next().await {
            let (made, unread) = of_host?;
            for one in &made {
                checked.add(one);
            }
            if let Some(error) = unread {
                outcome = Err(error);
            }
        }
        Ok(outcome)
    }

    /// Reads what the registry says of tools now. Of those that it does not call registered that is kept; those of which the index does not know
    /// the newest yet are left until it does.
    async fn see(
        &self,
        registry: RegistryId,
        due: Vec<ToolEntry>,
        checked: &mut Checked,
    ) -> Result<Result<Vec<Job>, ReadError>, StoreError> {
        let address = Address::from(registry.address.0);
        let mut jobs = Vec::with_capacity(due.len());
        for together in due.chunks(TOGETHER) {
            let ids: Vec<U256> = together.iter().map(|entry| entry.id).collect();
            let seen_at = self.world.now();
            let chain_id = registry.chain_id;
            let seen = see_many(&self.chains, chain_id, address, &ids, Block::Latest).await;
            let seen = match seen {
                Ok(seen) => seen,
                Err(error) => return Ok(Err(error)),
            };
            for (entry, seen) in together.iter().zip(seen) {
                let registered = seen.filter(|seen| config(seen).is_some());
                let Some(seen) = registered else {
                    let reason = "the registry does not say that it is registered, or not in the form of the standard";
                    let check = not_fetched(entry, seen_at, failed("registration", reason));
                    self.keep(entry, (check, None), checked).await?;
                    continue;
                };
                if config(&seen).is_some_and(|config| is_known(entry, config)) {
                    jobs.push(Job {
                        entry: entry.clone(),
                        seen,
                        seen_at,
                    });
                }
            }
        }
        Ok(Ok(jobs))
    }

    /// Checks the tools of one host, one after the other.
    async fn work(
        &self,
        host: String,
        jobs: Vec<Job>,
    ) -> Result<(Vec<CheckOutcome>, Option<ReadError>), StoreError> {
        let began = self.world.now();
        let until = began.plus_millis(i64::try_from(PATIENCE.as_millis()).unwrap_or(i64::MAX));
        let mut made = Vec::with_capacity(jobs.len());
        for job in jobs {
            let now = self.world.now();
            if now >= until && !host.is_empty() {
                self.with_hosts(|hosts| hosts.failed(&host, now, OF_HOSTS));
            }
            let rests = self.with_hosts(|hosts| hosts.rests(&host, now));
            let entry = job.entry.clone();
            let record = if rests {
                let reason =
                    "its host did not answer, or not soon enough, and is left alone for a while";
                let reason = reason.to_owned();
                Some((
                    not_fetched(&entry, now, CheckOutcome::Unreachable { reason }),
                    None,
                ))
            } else {
                match self.verify(job).await {
                    Ok(found) => {
                        let now = self.world.now();
                        self.with_hosts(|hosts| match found.host_failed {
                            true => hosts.failed(&host, now, OF_HOSTS),
                            false => hosts.answered(&host),
                        });
                        found.record()
                    }
                    Err(error) => return Ok((made, Some(error))),
                }
            };
            let Some((check, served)) = record else {
                continue;
            };
            let outcome = check.outcome.clone();
            let recorded = self
                .index
                .record_check(entry.registry, entry.id, check, served);
            if recorded.await? {
                made.push(outcome);
            }
        }
        Ok((made, None))
    }

    async fn verify(&self, job: Job) -> Result<ToolVerification, ReadError> {
        let request = VerifyTool {
            tool: reference(&job.entry)?,
            block: Block::Latest,
            purpose: Purpose::Interactive,
            window: None,
        };
        let (chains, fetcher, world) = (&*self.chains, &*self.fetcher, &*self.world);
        verify_seen(chains, fetcher, world, &request, job.seen, job.seen_at).await
    }

    async fn keep(
        &self,
        entry: &ToolEntry,
        (check, served): Record,
        checked: &mut Checked,
    ) -> Result<(), StoreError> {
        let outcome = check.outcome.clone();
        let recorded = self
            .index
            .record_check(entry.registry, entry.id, check, served);
        if recorded.await? {
            checked.add(&outcome);
        }
        Ok(())
    }

    fn with_hosts<T>(&self, act: impl FnOnce(&mut Hosts) -> T) -> T {
        act(&mut self.hosts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether somebody follows the registry for its tools, and does not warn of it.
fn is_kept_verified(state: &RegistryState) -> bool {
    let following = &state.following;
    state.followed && following.standard == Standard::Erc8257 && following.trust != Trust::Blocked
}

const fn config(seen: &Seen) -> Option<&ToolConfig> {
    match &seen.registration {
        Registration::Registered { config } => Some(config),
        _ => None,
    }
}

/// Whether what is registered is what the index knows: a check of something newer would not count for what it has.
fn is_known(entry: &ToolEntry, config: &ToolConfig) -> bool {
    entry.manifest_hash == config.manifest_hash
        && config.uri_bytes.starts_with(entry.metadata_uri.bytes())
        && usize::try_from(entry.metadata_uri.length()) == Ok(config.uri_bytes.len())
}

/// Tools by the host of their manifests, each host's in the order in which they are due.
fn by_host(jobs: Vec<Job>) -> BTreeMap<String, Vec<Job>> {
    let mut hosts: BTreeMap<String, Vec<Job>> = BTreeMap::new();
    for job in jobs {
        let host = host(job.entry.metadata_uri.bytes());
        hosts.entry(host).or_default().push(job);
    }
    hosts
}

fn failed(step: &str, reason: &str) -> CheckOutcome {
    CheckOutcome::Failed {
        step: step.to_owned(),
        reasons: vec![reason.to_owned()],
    }
}

/// A check that ended before anything was fetched.
fn not_fetched(entry: &ToolEntry, checked_at: Timestamp, outcome: CheckOutcome) -> ManifestCheck {
    ManifestCheck {
        checked_at,
        metadata_uri: entry.metadata_uri.clone(),
        manifest_hash: entry.manifest_hash,
        outcome,
        served: None,
        manifest: None,
        max_age: None,
    }
}

fn reference(entry: &ToolEntry) -> Result<ToolReference, ReadError> {
    let RegistryId { chain_id, address } = entry.registry;
    let text = format!("eip155:{chain_id}/erc8257:{address}/{}", entry.id);
    text.parse()
        .map_err(|error: deedbox_id::Error| ReadError::invalid("tool", error))
}
