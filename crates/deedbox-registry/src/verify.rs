//! Whether a tool is what its registration says: the four checks of ERC-8257 §7, made now.

pub mod background;
mod checks;
mod facts;
mod freshness;
mod hosts;
mod record;

use deedbox_chain::{Block, Chains, ReadError};
use deedbox_core::{ReadProvenance, Timestamp, World};
use deedbox_fetch::Fetcher;
use deedbox_id::ToolReference;
use deedbox_manifest::{Address, Hash};
use schemars::JsonSchema;
use serde::Serialize;

use self::checks::Had;
pub use self::{
    checks::{Check, CheckName, CheckOutcome, CheckReason},
    facts::{Inconsistency, ManifestFacts, PriceFact, Stated, TierFacts},
    freshness::{MOST, Purpose, RECOMMENDED, Window},
};
use crate::tool::{Place, Registration, RegistryCode, Seen, ToolConfig};

/// What is to be verified.
#[derive(Clone, Debug)]
pub struct VerifyTool {
    /// Which tool.
    pub tool: ToolReference,
    /// At which block its registration is read. Of one that is named by height or hash there is no newer registration to read again.
    pub block: Block,
    /// What for.
    pub purpose: Purpose,
    /// For how many seconds the consumer would rely on it; none for what is recommended. Never more than the purpose allows.
    pub window: Option<u64>,
}

/// What a verification found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolVerification {
    /// The chain, the block and the endpoint of the registration that was compared. It stands beside an answer, not in it.
    #[serde(skip)]
    pub provenance: ReadProvenance,
    /// The tool: `eip155:<chain>/erc8257:<registry>/<id>`.
    pub tool: String,
    /// Whether all four checks passed, and the manifest keeps its own rules. If not, the tool must not be invoked for anybody, nor
    /// shown to an agent as one that was found.
    pub verified: bool,
    /// The first check that failed: the one to report. Null when all passed, and when there was nothing to check.
    pub failed: Option<CheckName>,
    /// What the registry says.
    pub registration: Registration,
    /// How each check went, in order; none where there is no registration.
    pub checks: Vec<Check>,
    /// What the manifest says; null when none could be read.
    pub manifest: Option<ManifestFacts>,
    /// What the registration was when it was read first, if it was read once more: the hash did not match, and an update might have
    /// landed in between.
    pub read_again_after: Option<ReadBefore>,
    /// For how long it counts.
    pub freshness: Freshness,
    /// What is known of the registry itself.
    pub registry: RegistryCode,
    /// What was served at the registered URI.
    #[serde(skip)]
    pub served: Option<Vec<u8>>,
    /// Whether it is the host's fault, and not this manifest's, that there is none: it does not answer, or wants to be left alone.
    #[serde(skip)]
    pub host_failed: bool,
}

/// A registration whose hash did not match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadBefore {
    /// Where it was read.
    pub provenance: ReadProvenance,
    /// What it was.
    pub registration: ToolConfig,
    /// Whether the URI was another one, so that another manifest was fetched.
    pub other_uri: bool,
}

/// For how long a verification counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Freshness {
    /// What it was made for.
    pub purpose: Purpose,
    /// When it was begun: everything in it is at least as new as this.
    pub verified_at: Timestamp,
    /// Until when it counts; then it has to be made anew. Null when the tool is not verified: that may be tried again at any time, against
    /// the same rules.
    pub fresh_until: Option<Timestamp>,
    /// Whether the manifest's `maxAge` made that sooner.
    pub shortened_by_max_age: bool,
}

/// Verifies a tool. The registration is read at one block; the manifest is fetched from the URI in it, and from nowhere else. When the hash
/// is all that does not match, the registration is read once more, and never a third time (reading V-01).
///
/// # Errors
/// [`ReadError`] when the chain could not be read: then nothing is known. Everything else is an answer.
pub async fn verify_tool(
    chains: &Chains,
    fetcher: &Fetcher,
    world: &dyn World,
    request: &VerifyTool,
) -> Result<ToolVerification, ReadError> {
    let place = Place::of(&request.tool)?;
    let verified_at = world.now();
    let seen = place.see(chains, request.block).await?;
    verify_seen(chains, fetcher, world, request, seen, verified_at).await
}

/// The same of a tool whose registration was read already, begun at `verified_at`.
async fn verify_seen(
    chains: &Chains,
    fetcher: &Fetcher,
    world: &dyn World,
    request: &VerifyTool,
    seen: Seen,
    verified_at: Timestamp,
) -> Result<ToolVerification, ReadError> {
    let place = Place::of(&request.tool)?;
    let Registration::Registered { config } = &seen.registration else {
        return Ok(answer(request, seen, None, verified_at, fetcher));
    };
    let run = Run::of(fetcher, config).await;
    let moves = matches!(
        request.block,
        Block::Latest | Block::Safe | Block::Finalized
    );
    if !(run.had.may_read_again() && moves) {
        return Ok(answer(request, seen, Some(run), verified_at, fetcher));
    }

    let again_at = world.now();
    let again = place.see(chains, request.block).await?;
    let (other_uri, run) = match &again.registration {
        Registration::Registered { config: now } if now.uri_bytes == config.uri_bytes => {
            (false, Some(run.judged_by(now)))
        }
        Registration::Registered { config: now } => (true, Some(Run::of(fetcher, now).await)),
        _ => (false, None),
    };
    // A body that was fetched before counts from then.
    let since = if other_uri { again_at } else { verified_at };
    let before = ReadBefore {
        provenance: seen.provenance.clone(),
        registration: config.clone(),
        other_uri,
    };
    let mut found = answer(request, again, run, since, fetcher);
    found.read_again_after = Some(before);
    Ok(found)
}

/// One try: what was fetched, and how it was judged.
#[derive(Debug)]
struct Run {
    body: Option<Vec<u8>>,
    had: Had,
}

impl Run {
    async fn of(fetcher: &Fetcher, config: &ToolConfig) -> Self {
        let uri = match checks::place(config.uri()) {
            Ok(uri) => uri,
            Err(had) => return Self { body: None, had },
        };
        match fetcher.get(uri).await {
            Ok(fetched) => Self {
                had: judge(&fetched.body, config),
                body: Some(fetched.body),
            },
            Err(error) => Self {
                body: None,
                had: Had::Failed(error),
            },
        }
    }

    /// The same body by another registration with the same URI.
    fn judged_by(self, config: &ToolConfig) -> Self {
        let had = self.body.as_deref().map(|body| judge(body, config));
        Self {
            had: had.unwrap_or(self.had),
            body: self.body,
        }
    }
}

fn judge(body: &[u8], config: &ToolConfig) -> Had {
    let registration = deedbox_manifest::Registration {
        metadata_uri: config.uri().unwrap_or_default(),
        manifest_hash: Hash(config.manifest_hash.0),
        creator: Address(config.creator.0),
    };
    Had::Judged(Box::new(deedbox_manifest::verify(body, &registration)))
}

fn answer(
    request: &VerifyTool,
    seen: Seen,
    run: Option<Run>,
    verified_at: Timestamp,
    fetcher: &Fetcher,
) -> ToolVerification {
    let verified = run.as_ref().is_some_and(|run| run.had.is_verified());
    let host_failed = run.as_ref().is_some_and(|run| run.had.is_the_hosts());
    let (had, served) = run.map_or((None, None), |run| (Some(run.had), run.body));
    let checks = had.as_ref().map(Had::checks).unwrap_or_default();
    let failed = checks
        .iter()
        .find(|check| check.outcome == CheckOutcome::Failed);
    let manifest = match (&had, &served) {
        (Some(Had::Judged(found)), Some(body)) => ManifestFacts::read(body, &found.report, fetcher),
        _ => None,
    };
    let max_age = manifest.as_ref().and_then(|manifest| manifest.max_age);
    let window = request.purpose.window(request.window, max_age);
    let millis = i64::try_from(window.seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
    ToolVerification {
        provenance: seen.provenance,
        tool: request.tool.to_string(),
        verified,
        failed: failed.map(|check| check.check),
        registration: seen.registration,
        checks,
        manifest,
        read_again_after: None,
        freshness: Freshness {
            purpose: request.purpose,
            verified_at,
            fresh_until: verified.then(|| verified_at.plus_millis(millis)),
            shortened_by_max_age: window.shortened,
        },
        registry: seen.registry,
        served,
        host_failed,
    }
}
