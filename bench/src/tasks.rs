//! `bench tasks`: the six tools under load, on both databases.

use std::time::Instant;

use anyhow::{Context, Result};
use deedbox_bench::{
    load::{self, Client, Measured, Target},
    pgbench,
    report::Report,
    resident,
};
use deedbox_neighbours::{deedbox::Server, postgres::Cluster};
use serde_json::Value;

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Databases to measure on.
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    backend: Vec<Backend>,
    /// Numbers of concurrent clients.
    #[arg(long, value_delimiter = ',', default_value = "1,8,32")]
    clients: Vec<usize>,
    /// Calls of each kind per client and run (at least 2,000 in all).
    #[arg(long, default_value_t = 400)]
    calls: usize,
    /// Sizes at which status and listing are compared; tasks are created until there are that many.
    #[arg(long, value_delimiter = ',', default_value = "1000,1000000")]
    sizes: Vec<usize>,
    /// Seconds that pgbench runs, before and after the accepts.
    #[arg(long, default_value_t = 10)]
    pgbench_seconds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

pub(crate) async fn run(options: &Options) -> Result<()> {
    let mut report = Report::default();
    for &backend in &options.backend {
        let cluster = match backend {
            Backend::Sqlite => None,
            Backend::Postgres => {
                Some(Cluster::start().context("starting PostgreSQL with fsync on")?)
            }
        };
        report.heading(backend.name());
        cold_start(&mut report, cluster.as_ref())?;
        let server = start(cluster.as_ref())?;
        let target = Target::of(&server, server.operator_key()?)?;
        six_tools(options, &mut report, &server, &target, cluster.as_ref()).await?;
        sizes(options, &mut report, &target).await?;
        report.fact(
            "peak memory of the server",
            &format!("{:.0} MiB", memory_mib(&server, "VmHWM")?),
        );
    }
    Ok(())
}

fn start(cluster: Option<&Cluster>) -> Result<Server> {
    let mut builder = Server::builder().quiet().env("DEEDBOX_RATE_LIMIT", "0");
    if let Some(cluster) = cluster {
        builder = builder.database_url(cluster.url());
    }
    let server = builder.start()?;
    for actor in ["alice", "bob"] {
        server.cli(&["actor", "add", actor, "--kind", "agent"])?;
    }
    Ok(server)
}

/// From the start of the process to the line that says it listens; the first on an empty database.
fn cold_start(report: &mut Report, cluster: Option<&Cluster>) -> Result<()> {
    let database = cluster
        .map(|cluster| cluster.fresh_database("cold"))
        .transpose()?;
    let folder = tempfile::tempdir()?;
    let mut millis = Vec::new();
    for _ in 0..11 {
        let mut builder = Server::builder().quiet().data_dir(folder.path());
        if let Some(url) = &database {
            builder = builder.database_url(url);
        }
        let began = Instant::now();
        let mut server = builder.start()?;
        millis.push(began.elapsed().as_secs_f64() * 1_000.0);
        server.terminate()?;
    }
    let first = millis.remove(0);
    millis.sort_by(f64::total_cmp);
    report.fact(
        "cold start",
        &format!(
            "{:.0} ms (median of {}; {first:.0} ms on an empty database)",
            millis[millis.len() / 2],
            millis.len()
        ),
    );
    Ok(())
}

/// A line of the server's `/proc/<pid>/status`, in MiB.
fn memory_mib(server: &Server, line: &str) -> Result<f64> {
    resident::mib(server.pid().context("the server is not running")?, line)
}

fn id_of(body: &[u8]) -> Result<String> {
    let answer: Value = serde_json::from_slice(body)?;
    let id = answer
        .pointer("/result/structuredContent/id")
        .and_then(Value::as_str);
    Ok(id.context("no id in the answer")?.to_owned())
}

async fn create(client: &mut Client, i: usize) -> Result<String> {
    let arguments = format!(
        r#"{{"title":"Check the rollback plan, number {i}","description":"Read the runbook, run it on staging, and say what you saw.","injectedBy":"alice"}}"#
    );
    id_of(&client.call("create_task", &arguments).await?)
}

async fn accept(client: &mut Client, task: &str, actor: &str) -> Result<()> {
    let arguments = format!(r#"{{"taskId":"{task}","actorId":"{actor}"}}"#);
    client.call("accept_task", &arguments).await.map(drop)
}

async fn complete(client: &mut Client, task: &str, actor: &str) -> Result<()> {
    let arguments = format!(
        r#"{{"taskId":"{task}","actorId":"{actor}","provenance":"reviewed","claimText":"Staging rolled back in four minutes.","sourceReference":"ci/run/{task}"}}"#
    );
    client.call("report_completion", &arguments).await.map(drop)
}

async fn handoff(client: &mut Client, task: &str) -> Result<()> {
    let arguments = format!(
        r#"{{"taskId":"{task}","fromActorId":"bob","toActorId":"alice","reason":"end of shift"}}"#
    );
    client.call("handoff_task", &arguments).await.map(drop)
}

async fn status(client: &mut Client, task: &str) -> Result<()> {
    client
        .call("get_task_status", &format!(r#"{{"taskId":"{task}"}}"#))
        .await
        .map(drop)
}

async fn life(client: &mut Client, i: usize) -> Result<()> {
    let task = create(client, i).await?;
    accept(client, &task, "bob").await?;
    complete(client, &task, "bob").await?;
    handoff(client, &task).await?;
    accept(client, &task, "alice").await?;
    complete(client, &task, "alice").await?;
    status(client, &task).await
}

async fn six_tools(
    options: &Options,
    report: &mut Report,
    server: &Server,
    target: &Target,
    cluster: Option<&Cluster>,
) -> Result<()> {
    report.table(&["clients", "call", "calls/s", "p50 ms", "p99 ms"]);
    let mut accepts_at_32 = None;
    let mut yardstick = Vec::new();
    let pgbench_url = cluster
        .map(|cluster| cluster.fresh_database("pgbench"))
        .transpose()?;
    if let Some(url) = &pgbench_url {
        pgbench::prepare(url)?;
    }
    for &clients in &options.clients {
        let count = (clients * options.calls).max(2_000);
        let row = |report: &mut Report, call: &str, m: &Measured| {
            report.row(&[
                clients.to_string(),
                call.to_owned(),
                format!("{:.0}", m.rate()),
                format!("{:.2}", m.millis(0.5)),
                format!("{:.2}", m.millis(0.99)),
            ]);
        };
        let (m, tasks) = load::run(target, clients, count, async |c, i| create(c, i).await).await?;
        row(report, "create", &m);
        let measures_pg = clients == 32 && pgbench_url.is_some();
        if let (true, Some(url)) = (measures_pg, &pgbench_url) {
            yardstick.push(pgbench::run(url, options.pgbench_seconds)?);
        }
        let (m, _) = load::run(target, clients, count, async |c, i| {
            accept(c, &tasks[i], "bob").await
        })
        .await?;
        row(report, "accept", &m);
        if clients == 32 {
            accepts_at_32 = Some(m.rate());
        }
        if let (true, Some(url)) = (measures_pg, &pgbench_url) {
            yardstick.push(pgbench::run(url, options.pgbench_seconds)?);
        }
        let (m, _) = load::run(target, clients, count, async |c, i| {
            complete(c, &tasks[i], "bob").await
        })
        .await?;
        row(report, "complete", &m);
        let (m, _) = load::run(target, clients, count, async |c, i| {
            status(c, &tasks[i]).await
        })
        .await?;
        row(report, "status", &m);
        let (m, _) = load::run(target, clients, count, async |c, i| {
            handoff(c, &tasks[i]).await
        })
        .await?;
        row(report, "handoff", &m);
        let (m, _) = load::run(target, clients, count / 4, async |c, i| life(c, i).await).await?;
        row(report, "whole life (7 calls)", &m);
    }
    report.end_table();
    report.fact(
        "memory of the server after this",
        &format!("{:.0} MiB", memory_mib(server, "VmRSS")?),
    );
    if let (Some(accepts), false) = (accepts_at_32, yardstick.is_empty()) {
        let tps = yardstick.iter().sum::<f64>() / yardstick.len() as f64;
        let runs: Vec<String> = yardstick.iter().map(|tps| format!("{tps:.0}")).collect();
        report.fact(
            "accepts at 32 clients beside `pgbench -N -c 32`",
            &format!(
                "{accepts:.0}/s beside {} tps (before, after): ratio {:.2}",
                runs.join(", "),
                accepts / tps
            ),
        );
    }
    Ok(())
}

/// Status and listing, one client, as the number of tasks grows.
async fn sizes(options: &Options, report: &mut Report, target: &Target) -> Result<()> {
    report.table(&["tasks", "call", "p50 ms", "p99 ms"]);
    let mut tasks: Vec<String> = Vec::new();
    for &size in &options.sizes {
        while tasks.len() < size {
            let step = (size - tasks.len()).min(50_000);
            let (m, more) = load::run(target, 32, step, async |c, i| create(c, i).await).await?;
            tasks.extend(more);
            report.progress(&format!(
                "{} of {size} tasks, {:.0}/s",
                tasks.len(),
                m.rate()
            ));
        }
        // Spread over all of them, so that what is measured is not one warm page.
        let stride = (size / 1_000).max(1);
        let pick = |i: usize| &tasks[(i * stride) % size];
        for warm in [true, false] {
            let (m, _) = load::run(target, 1, 1_000, async |c, i| status(c, pick(i)).await).await?;
            if !warm {
                report.row(&[
                    size.to_string(),
                    "status".to_owned(),
                    format!("{:.3}", m.millis(0.5)),
                    format!("{:.3}", m.millis(0.99)),
                ]);
            }
        }
        for (call, arguments) in [
            ("list, 100 newest", r#"{"limit":100}"#),
            (
                "list, 100 of one actor",
                r#"{"limit":100,"actorId":"alice"}"#,
            ),
        ] {
            let (m, _) = load::run(target, 1, 300, async |c, _| {
                c.call("list_unaccepted_tasks", arguments).await.map(drop)
            })
            .await?;
            report.row(&[
                size.to_string(),
                call.to_owned(),
                format!("{:.3}", m.millis(0.5)),
                format!("{:.3}", m.millis(0.99)),
            ]);
        }
    }
    report.end_table();
    Ok(())
}
