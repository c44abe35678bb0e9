//! What is measured: recalls, remembers, and the server's memory over time.

use anyhow::{Context, Result};
use deedbox_bench::{
    load::{self, Client, Measured, Target},
    report::Report,
    resident,
};
use deedbox_neighbours::deedbox::Server;
use serde_json::{Value, json};

use crate::{
    WRITERS,
    floor::Floor,
    notes::{LARGE, MIX, World},
};

const CLIENTS: [usize; 3] = [1, 8, 32];
/// Recalls of each kind that are made before any is timed.
const WARM: usize = 20;
/// How often the server's memory is looked at.
const LOOKS: usize = 10;
/// Who asks while it is.
const MIXED_CLIENTS: usize = 8;

/// A running server with its notes, and whom it lets in.
pub(crate) struct Bench<'a> {
    pub(crate) server: &'a Server,
    /// An agent that is in all spaces of the notes, by its own key.
    pub(crate) agent: Target,
    /// An operator's key, which may write anywhere.
    pub(crate) operator: Target,
    pub(crate) notes: World,
    /// How many notes there were at first.
    pub(crate) filled: u64,
    pub(crate) calls: usize,
    pub(crate) floor_seconds: u64,
}

impl Bench<'_> {
    fn memory(&self, line: &str) -> Result<f64> {
        resident::mib(
            self.server.pid().context("the server is not running")?,
            line,
        )
    }

    /// The n-th call of a kind, of so many at this number of clients: no two runs ask the same.
    fn question(&self, kind: usize, clients: usize, n: usize) -> String {
        let n = clients * 1_000_000 + n;
        self.notes.question(kind, n as u64).to_string()
    }

    /// The n-th note that is not among the first ones, to be remembered in `space`.
    fn fresh(&self, n: u64, space: &str) -> String {
        let note = self.notes.note(self.filled + n);
        let mut arguments = json!({
            "content": note.content, "kind": note.kind, "tags": note.tags, "space": space,
        });
        if let Some(path) = note.path {
            arguments["path"] = Value::from(path);
        }
        arguments.to_string()
    }

    pub(crate) async fn recalls(&self, report: &mut Report) -> Result<()> {
        report.fact(
            "memory of the server at first",
            &format!("{:.0} MiB", self.memory("VmRSS")?),
        );
        for kind in 0..MIX.len() {
            self.recall(kind, 1, WARM, 999).await?;
        }
        report.table(&[
            "clients",
            "recall",
            "p50, ms",
            "p99, ms",
            "a second",
            "found, of 10",
        ]);
        for clients in CLIENTS {
            let mut all: Option<Measured> = None;
            let mut row = |name: &str, measured: &Measured, found: &str| {
                report.row(&[
                    clients.to_string(),
                    name.to_owned(),
                    format!("{:.2}", measured.millis(0.5)),
                    format!("{:.2}", measured.millis(0.99)),
                    format!("{:.0}", measured.rate()),
                    found.to_owned(),
                ]);
            };
            for (kind, name) in MIX.into_iter().enumerate() {
                let (measured, found) = self.recall(kind, clients, self.calls, clients).await?;
                row(name, &measured, &format!("{found:.1}"));
                match &mut all {
                    Some(all) => all.add(&measured)?,
                    None => all = Some(measured),
                }
            }
            if let Some(all) = &all {
                row("**all together**", all, "");
            }
        }
        report.end_table();
        report.fact(
            "memory of the server after this",
            &format!("{:.0} MiB", self.memory("VmRSS")?),
        );
        Ok(())
    }

    /// So many recalls of a kind, and how many memories each found.
    async fn recall(
        &self,
        kind: usize,
        clients: usize,
        count: usize,
        series: usize,
    ) -> Result<(Measured, f64)> {
        let step = async |client: &mut Client, n: usize| {
            client.call("recall", &self.question(kind, series, n)).await
        };
        let (measured, answers) = load::run(&self.agent, clients, count, step).await?;
        let mut found = 0;
        for answer in answers {
            let answer: Value = serde_json::from_slice(&answer)?;
            let memories = answer.pointer("/result/structuredContent/memories");
            found += memories
                .and_then(Value::as_array)
                .context("no memories")?
                .len();
        }
        Ok((measured, found as f64 / count as f64))
    }

    pub(crate) async fn remembers(&self, report: &mut Report, floor: &dyn Floor) -> Result<()> {
        let bytes = (0..1_000)
            .map(|n| self.fresh(n, LARGE).len())
            .sum::<usize>()
            / 1_000;
        report.table(&[
            "clients", "remember", "p50, ms", "p99, ms", "a second", "of bare",
        ]);
        let mut next = 0_u64;
        for clients in CLIENTS {
            let (bare, average) = floor.inserts(clients, bytes, self.floor_seconds).await?;
            let count = (clients * self.calls).max(2_000);
            let own = |n: usize| format!("personal:writer-{}", n % WRITERS);
            for (name, target, is_shared) in [
                ("all in the large space", &self.agent, true),
                ("in 32 personal spaces in turns", &self.operator, false),
            ] {
                let step = async |client: &mut Client, n: usize| {
                    let space = if is_shared { LARGE.to_owned() } else { own(n) };
                    let arguments = self.fresh(next + n as u64, &space);
                    client.call("remember", &arguments).await.map(drop)
                };
                let (measured, _) = load::run(target, clients, count, step).await?;
                next += count as u64;
                report.row(&[
                    clients.to_string(),
                    name.to_owned(),
                    format!("{:.2}", measured.millis(0.5)),
                    format!("{:.2}", measured.millis(0.99)),
                    format!("{:.0}", measured.rate()),
                    format!("{:.2}", measured.rate() / bare),
                ]);
            }
            report.row(&[
                clients.to_string(),
                format!("{}, {bytes} bytes", floor.name()),
                format!("{average:.2} (average)"),
                "–".to_owned(),
                format!("{bare:.0}"),
                "1".to_owned(),
            ]);
        }
        report.end_table();
        report.fact(
            "memory of the server after this",
            &format!("{:.0} MiB", self.memory("VmRSS")?),
        );
        Ok(())
    }

    /// Three recalls, of all kinds in turns, for each note that is remembered.
    pub(crate) async fn over_time(&self, report: &mut Report) -> Result<()> {
        let count = MIXED_CLIENTS * self.calls;
        report.table(&[
            "calls, three recalls to a remember",
            "MiB",
            "calls a second",
            "p99, ms",
        ]);
        for look in 0..LOOKS {
            let first = look * count;
            let step = async |client: &mut Client, n: usize| {
                let n = first + n;
                if n % 4 == 3 {
                    let arguments = self.fresh(10_000_000 + n as u64, LARGE);
                    return client.call("remember", &arguments).await.map(drop);
                }
                let question = self.question(n % MIX.len(), 100, n);
                client.call("recall", &question).await.map(drop)
            };
            let (measured, _) = load::run(&self.agent, MIXED_CLIENTS, count, step).await?;
            report.row(&[
                (first + count).to_string(),
                format!("{:.1}", self.memory("VmRSS")?),
                format!("{:.0}", measured.rate()),
                format!("{:.2}", measured.millis(0.99)),
            ]);
        }
        report.end_table();
        report.fact(
            "peak memory of the server",
            &format!("{:.0} MiB", self.memory("VmHWM")?),
        );
        Ok(())
    }
}
