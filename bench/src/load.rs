//! A light load generator: N clients, one keep-alive connection each, all on one thread.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use deedbox_neighbours::deedbox::Server;
use hdrhistogram::Histogram;
use http_body_util::{BodyExt, Full};
use hyper::{Request, client::conn::http1::SendRequest};
use hyper_util::rt::TokioIo;
use memchr::memmem;
use tokio::net::TcpStream;

/// Where the server is and how one is let in.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its address.
    pub address: SocketAddr,
    /// A key.
    pub key: String,
}

impl Target {
    /// This server, with this key.
    ///
    /// # Errors
    /// When the server does not run.
    pub fn of(server: &Server, key: &str) -> Result<Self> {
        let address = server.url().trim_start_matches("http://").parse()?;
        let key = key.to_owned();
        Ok(Self { address, key })
    }
}

/// One connection that speaks MCP over HTTP.
#[expect(
    missing_debug_implementations,
    reason = "a connection of hyper has none"
)]
pub struct Client {
    sender: SendRequest<Full<Bytes>>,
    target: Target,
}

impl Client {
    /// Opens it.
    ///
    /// # Errors
    /// When nobody listens.
    pub async fn connect(target: &Target) -> Result<Self> {
        let stream = TcpStream::connect(target.address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self {
            sender,
            target: target.clone(),
        })
    }

    /// Calls one tool; `arguments` is a JSON object. Returns the whole body. A refusal is an error: the
    /// load is made of calls that should succeed.
    ///
    /// # Errors
    /// When the connection breaks, or the answer is a refusal.
    pub async fn call(&mut self, tool: &str, arguments: &str) -> Result<Bytes> {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        );
        let request = Request::post("/mcp")
            .header("host", self.target.address.to_string())
            .header("authorization", format!("Bearer {}", self.target.key))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .body(Full::new(Bytes::from(body)))?;
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        let status = response.status();
        let bytes = response.into_body().collect().await?.to_bytes();
        let refused = has(&bytes, b"\"isError\":true") || !has(&bytes, b"\"structuredContent\"");
        ensure!(
            status.is_success() && !refused,
            "{tool} answered {status}: {}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(600)])
        );
        Ok(bytes)
    }
}

fn has(bytes: &[u8], needle: &[u8]) -> bool {
    memmem::find(bytes, needle).is_some()
}

/// What a phase of load measured.
#[derive(Debug)]
pub struct Measured {
    calls: usize,
    wall: Duration,
    latencies: Histogram<u64>,
}

impl Measured {
    /// Adds another phase that came after this one.
    ///
    /// # Errors
    /// Never: both were counted alike.
    pub fn add(&mut self, other: &Self) -> Result<()> {
        self.calls += other.calls;
        self.wall += other.wall;
        Ok(self.latencies.add(&other.latencies)?)
    }

    /// Calls per second over the whole phase.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.calls as f64 / self.wall.as_secs_f64()
    }

    /// The latency in milliseconds below which `quantile` of the calls lie.
    #[must_use]
    pub fn millis(&self, quantile: f64) -> f64 {
        self.latencies.value_at_quantile(quantile) as f64 / 1_000.0
    }
}

/// Runs `count` steps over `clients` connections as fast as they are answered. `step` gets a connection
/// and the number of the step; its time is the latency that is recorded.
///
/// # Errors
/// The first that a step has.
pub async fn run<T, F>(
    target: &Target,
    clients: usize,
    count: usize,
    step: F,
) -> Result<(Measured, Vec<T>)>
where
    F: AsyncFn(&mut Client, usize) -> Result<T>,
{
    let mut connections = Vec::new();
    for _ in 0..clients {
        connections.push(
            Client::connect(target)
                .await
                .context("connecting to the server")?,
        );
    }
    let next = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let workers = connections.into_iter().map(|mut client| {
        let (next, step) = (Arc::clone(&next), &step);
        async move {
            let mut latencies = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?;
            let mut results = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= count {
                    return anyhow::Ok((latencies, results));
                }
                let sent = Instant::now();
                results.push((i, step(&mut client, i).await?));
                latencies.saturating_record(u64::try_from(sent.elapsed().as_micros())?);
            }
        }
    });
    let parts = futures::future::try_join_all(workers).await?;
    let wall = began.elapsed();
    let mut latencies = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?;
    let mut results = Vec::new();
    for (part, part_results) in parts {
        latencies.add(part)?;
        results.extend(part_results);
    }
    results.sort_by_key(|(i, _)| *i);
    let results = results.into_iter().map(|(_, result)| result).collect();
    Ok((
        Measured {
            calls: count,
            wall,
            latencies,
        },
        results,
    ))
}
