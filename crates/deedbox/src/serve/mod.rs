//! `deedbox serve`: start, and an orderly stop.

mod first_key;
mod greeting;
pub(crate) mod stop;

use std::{io, net::SocketAddr, num::NonZeroU32, process::ExitCode, sync::Arc, time::Duration};

use deedbox_core::{World, hash::SecretHash, limits};
use deedbox_server::{App, Options, Patience, Rate, serve_http, serve_router};
use deedbox_store::Store;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::{net::TcpListener, task::JoinSet, time};

use crate::{
    chains,
    database::{self, WhenMissing},
    failure::Failure,
    observe,
    render::Output,
    settings::{Environment, Settings, Source},
    world::SystemWorld,
};

/// How long a scrape that is in flight may delay a stop.
const METRICS_GRACE: Duration = Duration::from_secs(1);
/// How often old idempotency records are forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(60 * 60);
/// When they are forgotten for the first time: not while the server is busy starting.
const FORGET_FIRST: Duration = Duration::from_secs(60);
/// How often counted values are condensed, so that what nobody collects does not pile up.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);
/// Below this, an access token could be guessed.
const SHORT_TOKEN: usize = 20;

/// Serves until SIGTERM or Ctrl-C.
///
/// # Errors
/// Whatever keeps the server from starting; a listener that fails later.
pub(crate) async fn serve(
    settings: &Settings,
    environment: &Environment,
    output: &Output,
    metrics: PrometheusHandle,
) -> Result<ExitCode, Failure> {
    // The address first: a second server on one machine should fail before it touches the database.
    let listener = bind(settings.listen.value).await?;
    let own = listener
        .local_addr()
        .map_err(|source| Failure::io("asking for the listener's address", source))?;
    let metrics_listener = match settings.metrics_listen.value {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    let world: Arc<dyn World> = Arc::new(SystemWorld);
    let (reader, policy) = chains::of_server(settings, environment, Arc::clone(&world))?;
    let store = database::open(settings, Arc::clone(&world), WhenMissing::Create).await?;
    let index = database::index_of_server(settings).await?;
    warn_about(settings, own);

    let public_url = public_url(settings, own);
    let options = Options {
        reader,
        policy,
        index: index.clone(),
        ..options(settings, own, &public_url, metrics.clone())
    };
    let app = App::new(Arc::clone(&store), Arc::clone(&world), options)
        .map_err(|error| bad_option(settings, &error))?;
    let stop = stop::on_signal()?;
    let key = first_key::issue(settings, store.as_ref(), world.as_ref()).await?;

    let mut beside = JoinSet::new();
    beside.spawn(keep_house(Arc::clone(&store), world, metrics.clone()));
    if let Some(listener) = metrics_listener {
        let routes = deedbox_server::metrics_router(metrics);
        let patience = Patience {
            grace: METRICS_GRACE,
            ..Patience::default()
        };
        beside.spawn(serve_router(routes, listener, stop.clone(), patience));
    }
    greeting::print(settings, output, own, &public_url, key.as_ref())?;
    let patience = Patience {
        grace: settings.shutdown_grace.value.to_duration(),
        ..Patience::default()
    };
    serve_http(app, listener, stop, patience).await;
    beside.shutdown().await;
    if let Some(index) = index {
        index.close().await;
    }
    store.close().await;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|source| {
        if source.kind() == io::ErrorKind::AddrInUse {
            Failure::PortTaken { address }
        } else {
            Failure::CannotListen { address, source }
        }
    })
}

/// Where clients reach the server when nobody said: where it listens, or on this machine when that is everywhere.
fn public_url(settings: &Settings, own: SocketAddr) -> String {
    if let Some(url) = &settings.public_url.value {
        return url.clone();
    }
    let mut reachable = own;
    if own.ip().is_unspecified() {
        reachable.set_ip(if own.is_ipv4() {
            std::net::Ipv4Addr::LOCALHOST.into()
        } else {
            std::net::Ipv6Addr::LOCALHOST.into()
        });
    }
    format!("http://{reachable}")
}

/// Names that lead to this machine whoever resolves them. Without a port, because a tunnel or a container
/// may show the server at another one. A page of a stranger cannot have any of them as its own.
fn own_hosts(own: SocketAddr) -> Vec<String> {
    let mut hosts = ["localhost", "127.0.0.1", "[::1]"]
        .map(str::to_owned)
        .to_vec();
    if !own.ip().is_unspecified() && !own.ip().is_loopback() {
        hosts.push(own.to_string());
    }
    hosts
}

fn options(
    settings: &Settings,
    own: SocketAddr,
    public_url: &str,
    metrics: PrometheusHandle,
) -> Options {
    let token = settings.access_token.value.as_ref();
    let allowed_hosts = settings.allowed_hosts.value.clone();
    Options {
        allowed_hosts: allowed_hosts.unwrap_or_else(|| own_hosts(own)),
        allowed_origins: settings.allowed_origins.value.clone(),
        public_url: public_url.to_owned(),
        access_token: token.map(|token| SecretHash::of(token.0.as_bytes())),
        request_timeout: settings.request_timeout.value.to_duration(),
        rate: NonZeroU32::new(settings.rate_limit.value).map(|per_second| Rate {
            per_second,
            burst: settings.rate_burst.value,
        }),
        toolsets: settings.toolsets.value,
        metrics: Some(metrics),
        on_request_span: Some(observe::take_parent),
        ..Options::default()
    }
}

/// Hosts, origins and the public URL were each read by the same reader before, so this is not expected.
fn bad_option(settings: &Settings, error: &deedbox_server::guard::BadEntry) -> Failure {
    Failure::Setting {
        name: "allowed_hosts",
        reason: error.to_string(),
        source_of: settings.allowed_hosts.source.clone(),
    }
}

fn warn_about(settings: &Settings, own: SocketAddr) {
    if !settings.unknown_variables.is_empty() {
        tracing::warn!(
            variables = settings.unknown_variables.join(" "),
            "variables that look like settings and are none: perhaps misspelled"
        );
    }
    if !own.ip().is_loopback() {
        tracing::warn!(
            listen = %own,
            "listening beyond this machine without TLS: keys travel in the clear unless a proxy in front speaks TLS"
        );
        let named = settings.allowed_hosts.source != Source::Default
            || settings.public_url.source != Source::Default;
        if !named {
            tracing::warn!(
                "neither allowed_hosts nor public_url is set: requests that name this server in another way than localhost{} are refused",
                if own.ip().is_unspecified() {
                    String::new()
                } else {
                    format!(" or {own}")
                }
            );
        }
    }
    let token = settings.access_token.value.as_ref();
    if token.is_some_and(|token| token.0.len() < SHORT_TOKEN) {
        tracing::warn!(
            "the access token has fewer than {SHORT_TOKEN} characters and may name any actor: use a longer one"
        );
    }
}

/// What has to be done now and then, until it is stopped.
async fn keep_house(store: Arc<dyn Store>, world: Arc<dyn World>, metrics: PrometheusHandle) {
    let mut forget = time::interval_at(time::Instant::now() + FORGET_FIRST, FORGET_EVERY);
    let mut upkeep = time::interval(UPKEEP_EVERY);
    forget.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    upkeep.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = upkeep.tick() => metrics.run_upkeep(),
            _ = forget.tick() => {
                let before = world.now().plus_millis(-limits::IDEMPOTENCY_MILLIS);
                match store.forget_idempotency(before).await {
                    Ok(forgotten) => tracing::debug!(forgotten, "forgot old idempotency records"),
                    Err(error) => {
                        let cause = std::error::Error::source(&error).map(ToString::to_string);
                        tracing::warn!(%error, cause, "old idempotency records could not be forgotten");
                    }
                }
            }
        }
    }
}
