//! Being seen: log lines on standard error, metrics, and traces for whoever collects them.

use std::io::{self, IsTerminal};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::{
    KeyValue,
    propagation::{Extractor, TextMapPropagator},
    trace::TracerProvider as _,
};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{SdkTracerProvider, Tracer},
};
use tracing::{Level, Metadata, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    filter::{FilterExt as _, Targets, filter_fn},
    layer::SubscriberExt,
    registry::LookupSpan,
    util::SubscriberInitExt,
};
use url::Url;

use crate::{
    failure::Failure,
    settings::{Environment, LogFormat, Settings},
};

/// Whatever filter is asked for: who connects says where to, and a key may stand in the name of an endpoint's host; and who speaks MCP
/// shows whole messages, with the words of memories, which would outlive their deletion in a log.
const QUIET: &str = "reqwest=warn,hyper_util=warn,rmcp=info";

/// Bounds of latency histograms, in seconds: from an in-memory answer to a request's time limit.
const SECONDS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0,
];
/// Bounds of histograms that count things.
const COUNTS: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

/// What has to be flushed when the program ends.
#[derive(Debug)]
pub(crate) struct Telemetry(Option<SdkTracerProvider>);

impl Telemetry {
    /// Sends what is still waiting. Must not be called inside an async runtime: it blocks.
    pub(crate) fn flush(self) {
        if let Some(provider) = self.0
            && let Err(error) = provider.shutdown()
        {
            tracing::warn!(%error, "the last traces could not be exported");
        }
    }
}

/// Sets up log lines, and traces when an endpoint is configured. `default_filter` counts when no
/// filter is set. Must not be called inside an async runtime.
///
/// # Errors
/// [`Failure::Telemetry`] when the exporter cannot be made.
pub(crate) fn start(
    settings: &Settings,
    environment: &Environment,
    default_filter: &str,
) -> Result<Telemetry, Failure> {
    let filter = match &settings.log_filter.value {
        Some(asked_for) => format!("{asked_for},{QUIET}"),
        None => default_filter.to_owned(),
    };
    let provider = match &settings.otlp_endpoint.value {
        Some(endpoint) => Some(exporter(endpoint, environment)?),
        None => None,
    };
    let traces = provider
        .as_ref()
        .map(|provider| traces(provider.tracer("deedbox")));
    // The filter was read once already, when the settings were.
    let filter = EnvFilter::new(filter).and(filter_fn(is_ours_to_say));
    let lines = lines(settings, environment).with_filter(filter);
    // Fails only when somebody set up logging before, which nobody in this program does.
    drop(
        tracing_subscriber::registry()
            .with(lines)
            .with(traces)
            .try_init(),
    );
    Ok(Telemetry(provider))
}

/// Whoever checks certificates calls each that does not fit an error of ours. For the most part they are strangers' (a manifest's host, an
/// agent's service), and what is wrong with them is a part of the answer; for an endpoint of ours it is in the error. Its warnings stay: they
/// are about the certificates that this machine trusts.
fn is_ours_to_say(event: &Metadata<'_>) -> bool {
    !(event.target().starts_with("rustls_platform_verifier") && *event.level() == Level::ERROR)
}

fn lines(settings: &Settings, environment: &Environment) -> Box<dyn Layer<Registry> + Send + Sync> {
    let terminal = io::stderr().is_terminal();
    let format = settings.log_format.value.unwrap_or(if terminal {
        LogFormat::Text
    } else {
        LogFormat::Json
    });
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    match format {
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
        LogFormat::Text => {
            let colours = terminal && environment.variable("NO_COLOR").is_none();
            layer.with_ansi(colours).boxed()
        }
    }
}

/// Only this program's own spans: the exporter's client makes spans too, and would export those of its
/// own exports.
fn traces<S>(tracer: Tracer) -> impl Layer<S>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    let own = [
        "deedbox",
        "deedbox_server",
        "deedbox_store",
        "deedbox_sqlite",
        "deedbox_postgres",
    ];
    tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_filter(Targets::new().with_targets(own.map(|target| (target, tracing::Level::INFO))))
}

fn exporter(endpoint: &Url, environment: &Environment) -> Result<SdkTracerProvider, Failure> {
    // OTLP/HTTP: the signal's path is added to the base (OpenTelemetry Protocol Exporter, "Endpoint URLs").
    let mut endpoint = endpoint.clone();
    let path = format!("{}/v1/traces", endpoint.path().trim_end_matches('/'));
    endpoint.set_path(&path);
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(endpoint.as_str())
        .build()
        .map_err(|error| Failure::Telemetry(error.into()))?;
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let mut resource = Resource::builder().with_attribute(version);
    if environment.variable("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name("deedbox");
    }
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build())
}

/// Starts counting.
///
/// # Errors
/// [`Failure::Telemetry`] when somebody counts already.
pub(crate) fn count() -> Result<PrometheusHandle, Failure> {
    let failed = |error: metrics_exporter_prometheus::BuildError| Failure::Telemetry(error.into());
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
        .map_err(failed)?
        .set_buckets(&COUNTS)
        .map_err(failed)?
        .install_recorder()
        .map_err(failed)
}

struct Headers<'a>(&'a axum::http::HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(axum::http::HeaderName::as_str).collect()
    }
}

/// Makes a request's span the child of the one that its `traceparent` header names (W3C Trace Context).
pub(crate) fn take_parent(span: &Span, headers: &axum::http::HeaderMap) {
    if !headers.contains_key("traceparent") {
        return;
    }
    let parent = TraceContextPropagator::new().extract(&Headers(headers));
    // Fails when nothing is exported; then nobody asks for the parent.
    let _ = span.set_parent(parent);
}
