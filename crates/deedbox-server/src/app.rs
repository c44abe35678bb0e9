//! A server's parts, put together once at start.

use std::{fmt, sync::Arc, time::Duration};

use deedbox_core::{
    Attribution, EvidenceId, PrincipalId, World, evidence::Evidence, hash::SecretHash,
};
use deedbox_store::{Store, index::Index};
use http::HeaderMap;
use metrics_exporter_prometheus::PrometheusHandle;
use tracing::Span;

use crate::{
    Operations, Rate, Toolsets,
    auth::Authenticator,
    guard::{BadEntry, Guard},
    health::Health,
    mcp::Catalogue,
    operations::{Answer, Extras, Fault, Operation, Tool},
    policy::Policy,
    problem::Problem,
    rate::{Limiter, TooMany},
    readings::Reader,
};

/// How a server behaves; nothing here is read from the environment.
#[derive(Clone)]
pub struct Options {
    /// Names under which the server answers, see [`Guard::new`]. The host of `public_url` is one of them.
    pub allowed_hosts: Vec<String>,
    /// Pages that may use the server, see [`Guard::new`]. The origin of `public_url` is one of them.
    pub allowed_origins: Vec<String>,
    /// Where callers reach the server, like `http://127.0.0.1:7878`, without a slash at the end.
    pub public_url: String,
    /// The hash of `MCP_ACCESS_TOKEN`, which is an operator key.
    pub access_token: Option<SecretHash>,
    /// How long a request may take before it is answered with a 504.
    pub request_timeout: Duration,
    /// How often one key may ask.
    pub rate: Option<Rate>,
    /// Which tools are offered.
    pub toolsets: Toolsets,
    /// What takes readings; without it no chain is configured.
    pub reader: Option<Reader>,
    /// What may be read of them, and how often.
    pub policy: Policy,
    /// What registries said; without it nothing is found by searching.
    pub index: Option<Arc<dyn Index>>,
    /// Where `/metrics` comes from. `None`: there is no such route.
    pub metrics: Option<PrometheusHandle>,
    /// Called with each request's span and headers before it is entered, so that a tracing layer of the
    /// program can take the parent from `traceparent`.
    pub on_request_span: Option<fn(&Span, &HeaderMap)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            allowed_hosts: ["localhost", "127.0.0.1", "[::1]"]
                .map(str::to_owned)
                .to_vec(),
            allowed_origins: Vec::new(),
            public_url: "http://127.0.0.1:7878".to_owned(),
            access_token: None,
            request_timeout: Duration::from_secs(30),
            rate: None,
            toolsets: Toolsets::all(),
            reader: None,
            policy: Policy::default(),
            index: None,
            metrics: None,
            on_request_span: None,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("public_url", &self.public_url)
            .field("allowed_hosts", &self.allowed_hosts)
            .field("allowed_origins", &self.allowed_origins)
            .field("access_token", &self.access_token.map(|_| "set"))
            .field("request_timeout", &self.request_timeout)
            .field("rate", &self.rate)
            .field("toolsets", &self.toolsets)
            .finish_non_exhaustive()
    }
}

/// A server without its sockets.
#[derive(Debug)]
pub struct App {
    pub(crate) world: Arc<dyn World>,
    pub(crate) options: Options,
    pub(crate) operations: Operations,
    pub(crate) authenticator: Authenticator,
    pub(crate) guard: Guard,
    pub(crate) limiter: Limiter,
    pub(crate) health: Health,
    pub(crate) catalogue: Catalogue,
}

impl App {
    /// Puts a server together.
    ///
    /// # Errors
    /// [`BadEntry`] when an allowed host or origin, or the public URL, does not read as one.
    pub fn new(
        store: Arc<dyn Store>,
        world: Arc<dyn World>,
        options: Options,
    ) -> Result<Arc<Self>, BadEntry> {
        let guard = Guard::with_own(
            &options.public_url,
            &options.allowed_hosts,
            &options.allowed_origins,
        )?;
        Ok(Arc::new(Self {
            operations: Operations::new(Arc::clone(&store), Arc::clone(&world))
                .with_reader(options.reader.clone(), options.policy.clone())
                .with_index(options.index.clone()),
            authenticator: Authenticator::new(
                Arc::clone(&store),
                Arc::clone(&world),
                options.access_token,
            ),
            guard,
            limiter: Limiter::new(options.rate),
            health: Health::new(store),
            catalogue: Catalogue::new(options.toolsets),
            world,
            options,
        }))
    }

    /// Whether callers are offered `tool`.
    pub(crate) fn offers(&self, tool: Tool) -> bool {
        self.options.toolsets.contains(tool.toolset())
    }

    /// The tool that models are offered under this name.
    pub(crate) fn offered(&self, name: &str) -> Option<Tool> {
        Tool::from_name(name).filter(|tool| tool.is_for_models() && self.offers(*tool))
    }

    /// Counts one request of `principal` against its rate.
    pub(crate) fn admit_rate(&self, principal: &PrincipalId) -> Result<(), TooMany> {
        self.limiter.admit(principal).inspect_err(|_| {
            metrics::counter!("deedbox_rate_limited_total").increment(1);
        })
    }

    /// Carries out an operation within the time that a request has, and counts it. `read` is the operation
    /// with what rides beside it, or why that is malformed.
    pub(crate) async fn perform(
        &self,
        by: &Attribution,
        tool: Tool,
        read: Result<(Operation, Extras), Fault>,
    ) -> Result<Answer, Problem> {
        let done = match read {
            Ok((operation, extras)) => {
                let work = self.operations.perform(by, operation, &extras);
                match tokio::time::timeout(self.options.request_timeout, work).await {
                    Ok(done) => done.map_err(Problem::from),
                    Err(_) => {
                        tracing::error!(tool = tool.name(), "operation timed out");
                        Err(if tool.reads() {
                            Problem::read_timeout()
                        } else {
                            Problem::timeout()
                        })
                    }
                }
            }
            Err(fault) if tool.takes_a_reading() => Err(Problem::from(fault.of_reading())),
            Err(fault) => Err(Problem::from(fault)),
        };
        let outcome = match &done {
            Ok(answer) if answer.replayed => "replayed",
            Ok(_) => "done",
            Err(problem) if problem.status < 500 => "refused",
            Err(_) => "failed",
        };
        metrics::counter!("deedbox_tool_calls_total", "tool" => tool.name(), "outcome" => outcome)
            .increment(1);
        done.inspect_err(|problem| note(by, tool.name(), problem))
    }

    /// One piece of evidence, within the time that a request has.
    pub(crate) async fn evidence(
        &self,
        by: &Attribution,
        id: EvidenceId,
    ) -> Result<Evidence, Problem> {
        let work = self.operations.evidence(by, id);
        let found = match tokio::time::timeout(self.options.request_timeout, work).await {
            Ok(found) => found.map_err(Problem::from),
            Err(_) => {
                tracing::error!("looking up evidence timed out");
                Err(Problem::read_timeout())
            }
        };
        found.inspect_err(|problem| note(by, "evidence", problem))
    }
}

/// Counts what was not answered, and logs what was refused; a failure was logged where its cause was known.
fn note(by: &Attribution, what: &'static str, problem: &Problem) {
    metrics::counter!("deedbox_refusals_total", "code" => problem.code).increment(1);
    if problem.status < 500 {
        let principal = by.principal.id.as_str();
        tracing::info!(tool = what, code = problem.code, principal, "refused");
    }
}
