//! What happens while registries are read, as log lines and metrics. No URL is in either.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    sync::{Mutex, PoisonError},
};

use deedbox_registry::sync::{News, Progress, Watch};
use deedbox_store::index::{Look, RegistryId, ShortChain};

/// Logs and counts.
#[derive(Debug, Default)]
pub(super) struct Told(Mutex<Known>);

/// What was told before, as far as what comes next depends on it.
#[derive(Debug, Default)]
struct Known {
    /// How many facts were counted of what a registry's progress says.
    facts: BTreeMap<RegistryId, u64>,
    /// Registries of which it was said that they are read up to the head.
    at_head: BTreeSet<RegistryId>,
    /// Registries whose chain went back on what was final.
    broken: BTreeSet<RegistryId>,
}

impl Watch for Told {
    fn tell(&self, news: News) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match news {
            News::Progress(progress) => known.progress(&progress),
            News::Took(registry) => {
                known.begins(registry);
                tracing::info!(%registry, "this server reads the registry from now on");
            }
            News::Lost(registry) => {
                known.begins(registry);
                tracing::info!(%registry, "another process reads the registry from now on, or nobody follows it");
            }
            News::WentBack { registry, from, to } => {
                known.begins(registry);
                metrics::counter!("deedbox_sync_reorganisations_total", "registry" => registry.to_string())
                    .increment(1);
                tracing::info!(%registry, from, to, "the chain took back blocks: what was said in them is undone");
            }
            News::BrokeFinality(broke) => {
                failed(broke.registry.chain_id);
                broken(broke.registry).set(1.0);
                known.broken.insert(broke.registry);
                tracing::error!(registry = %broke.registry, error = %broke, "the chain took back a block that was final");
            }
            News::KeptFinality(registry) => {
                known.begins(registry);
                tracing::info!(%registry, "the chain has the final block again that it had gone back on");
            }
            News::EndsBelowFinal { registry, chain } => known.ends_below_final(registry, &chain),
            News::LongAgain(registry) => {
                known.begins(registry);
                tracing::info!(%registry, "the chain is as long again as what was final of it");
            }
            News::CodeChanged(look) => code_changed(&look),
            News::CodeAccepted(registry) => {
                changed(registry).set(0.0);
                tracing::info!(%registry, "the registry's code is what is accepted");
            }
            News::NotLookedAt { registry, error } => {
                failed(registry.chain_id);
                tracing::warn!(%registry, code = %error.code, error = error.message, "the registry's code could not be looked at");
            }
            News::RegistryFailed {
                registry,
                error,
                retry_in,
            } => {
                failed(registry.chain_id);
                tracing::warn!(%registry, code = %error.code, error = error.message, retry_in = ?retry_in, "the registry cannot be read for now");
            }
            News::NotConfigured { chain_id, error } => {
                failed(chain_id);
                tracing::warn!(chain.id = chain_id, code = %error.code, error = error.message, "registries of this chain are followed, and cannot be read");
            }
            News::ChainFailed {
                chain_id,
                error,
                retry_in,
            } => {
                failed(chain_id);
                tracing::warn!(chain.id = chain_id, error = &error as &dyn Error, retry_in = ?retry_in, "the chain's registries cannot be read for now");
            }
        }
    }
}

impl Known {
    fn begins(&mut self, registry: RegistryId) {
        self.facts.remove(&registry);
        self.at_head.remove(&registry);
        // Whoever has it from now on says it again if it is so.
        if self.broken.remove(&registry) {
            broken(registry).set(0.0);
        }
    }

    /// An alarm unless the endpoint is known to be behind only.
    fn ends_below_final(&mut self, registry: RegistryId, chain: &ShortChain) {
        failed(registry.chain_id);
        let (head, final_upto, missing) = (chain.head, chain.final_upto, chain.missing());
        if chain.recognised.is_some() {
            self.begins(registry);
            tracing::warn!(%registry, head, final_upto, missing, "the endpoint is behind: it ends below what was final, and what it has is what was read");
        } else {
            broken(registry).set(1.0);
            self.broken.insert(registry);
            tracing::error!(%registry, head, final_upto, missing, "the chain ends below what was final, and none of its blocks is known");
        }
    }

    fn progress(&mut self, progress: &Progress) {
        let registry = progress.registry;
        let before = self.facts.insert(registry, progress.facts).unwrap_or(0);
        let facts = progress.facts.saturating_sub(before);
        let lag = progress.head.saturating_sub(progress.upto);
        let label = registry.to_string();
        metrics::counter!("deedbox_sync_facts_total", "registry" => label.clone()).increment(facts);
        metrics::gauge!("deedbox_sync_lag_blocks", "registry" => label).set(real(lag));
        tracing::debug!(
            %registry,
            upto = progress.upto,
            head = progress.head,
            facts,
            unreadable = progress.unreadable,
            unwatched = progress.unwatched,
            "read"
        );
        if lag == 0 && self.at_head.insert(registry) {
            tracing::info!(%registry, head = progress.head, facts = progress.facts, "the registry is read up to the head of its chain");
        }
    }
}

fn code_changed(look: &Look) {
    let registry = look.registry;
    changed(registry).set(1.0);
    let code = look.seen.as_ref().map(|seen| seen.code_hash.to_string());
    tracing::warn!(
        %registry,
        block = look.block_number,
        code = code.as_deref().unwrap_or("none"),
        "something else stands at the registry's address than was accepted: deedbox registry show"
    );
}

fn changed(registry: RegistryId) -> metrics::Gauge {
    metrics::gauge!("deedbox_registry_code_changed", "registry" => registry.to_string())
}

fn broken(registry: RegistryId) -> metrics::Gauge {
    metrics::gauge!("deedbox_registry_finality_broken", "registry" => registry.to_string())
}

fn failed(chain_id: u64) {
    metrics::counter!("deedbox_sync_failures_total", "chain" => chain_id.to_string()).increment(1);
}

/// Exact up to 2^53, which no height reaches.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a real number")]
fn real(count: u64) -> f64 {
    count as f64
}
