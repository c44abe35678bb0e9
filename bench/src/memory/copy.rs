//! The tables of a PostgreSQL database, filled by `COPY`.
//!
//! The deeds are those that the rules decide on, and the rows say what the deeds add up to; `deedbox ledger check` is asked afterwards. The index of
//! words is made once the table is full.

use std::{
    collections::BTreeMap,
    io::{BufWriter, Write as _},
    process::{Child, ChildStdin, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use deedbox_core::{MemoryState, Projection, SpaceId, SpaceUsage, memory::MemoryAuthor};
use deedbox_neighbours::postgres::Cluster;
use deedbox_store::{Decided, Filed, MEMORY_EDITION};

const DEEDS: &str = "deeds (stream, version, kind, body, at, principal, basis, agent_label, instance_hash, previous_hash, hash)";
const MEMORIES: &str = "memories (row, id, version, head_hash, head_at, space, kind, todo_done, expires_at, status, created_at, updated_at, \
    first_actor, first_principal, first_basis, first_label, first_instance, last_actor, last_principal, last_basis, last_label, \
    last_instance, text_version, bytes, path, key, tags, digest)";
const TEXTS: &str = "memory_texts (memory, version, salt, text)";
const DOCUMENTS: &str = "memory_documents (row, words, edition)";
/// The index that is made at the end, as the schema calls it.
const WORDS: &str = "memory_documents_words";

/// One `COPY` that is under way: rows go in as CSV.
struct Copy {
    psql: Child,
    rows: BufWriter<ChildStdin>,
}

type Cell = Option<String>;

fn some(value: impl ToString) -> Cell {
    Some(value.to_string())
}

fn hex(bytes: impl AsRef<[u8]>) -> Cell {
    Some(format!("\\x{}", alloy_primitives::hex::encode(bytes)))
}

impl Copy {
    fn start(cluster: &Cluster, table: &str) -> Result<Self> {
        let sql = format!("COPY {table} FROM STDIN (FORMAT csv)");
        let mut psql = cluster
            .program("psql")
            .args(["--no-psqlrc", "-q", "-v", "ON_ERROR_STOP=1", "-c", &sql])
            .arg(cluster.url())
            .stdin(Stdio::piped())
            .spawn()
            .context("psql could not be run")?;
        let rows = psql.stdin.take().context("psql has no input")?;
        let rows = BufWriter::with_capacity(1 << 18, rows);
        Ok(Self { psql, rows })
    }

    /// One row. A cell without a value is NULL.
    fn row(&mut self, cells: &[Cell]) -> Result<()> {
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                self.rows.write_all(b",")?;
            }
            if let Some(cell) = cell {
                write!(self.rows, "\"{}\"", cell.replace('"', "\"\""))?;
            }
        }
        Ok(self.rows.write_all(b"\n")?)
    }

    fn end(mut self) -> Result<()> {
        self.rows.flush()?;
        drop(self.rows);
        ensure!(self.psql.wait()?.success(), "psql failed");
        Ok(())
    }
}

/// Fills the tables with what was decided, each on a memory that was not there before.
pub(crate) fn copy(
    cluster: &Cluster,
    decided: impl Iterator<Item = Result<Decided>>,
) -> Result<()> {
    let url = cluster.url();
    let index = cluster.psql(
        &url,
        &format!("SELECT pg_get_indexdef('{WORDS}'::regclass)"),
    )?;
    cluster.psql(&url, &format!("DROP INDEX {WORDS}"))?;
    let mut usages: BTreeMap<SpaceId, SpaceUsage> = BTreeMap::new();
    let [mut deeds, mut memories, mut texts, mut documents] = [
        Copy::start(cluster, DEEDS)?,
        Copy::start(cluster, MEMORIES)?,
        Copy::start(cluster, TEXTS)?,
        Copy::start(cluster, DOCUMENTS)?,
    ];
    let mut row = 0_i64;
    for decided in decided {
        let Decided {
            deeds: of_note,
            projection,
        } = decided?;
        let ([deed], Projection::Memory(state)) = (of_note.as_slice(), projection) else {
            bail!("remembering led to something else than one deed of a memory");
        };
        let sealed = deed.text().context("remembering leaves a text")?;
        row += 1;
        let stored = deed.to_stored();
        deeds.row(&[
            some(&stored.stream),
            some(stored.version),
            some(&stored.kind),
            some(deed.canonical_body()),
            some(stored.at),
            some(&stored.principal),
            some(&stored.basis),
            stored.agent_label.clone(),
            stored.instance_hash.as_ref().and_then(hex),
            stored.previous.as_ref().and_then(hex),
            hex(&stored.hash),
        ])?;
        memories.row(&columns(row, &state, &Filed::from(&sealed.text)))?;
        texts.row(&[
            some(state.id),
            some(deed.version),
            hex(sealed.salt.0),
            some(sealed.text.canonical()),
        ])?;
        let words = deedbox_store::document(row, &state, &sealed.text);
        documents.row(&[some(row), some(lexemes(&words)), some(MEMORY_EDITION)])?;
        let usage = usages.entry(state.space.clone()).or_default();
        usage.memories += state.usage().memories;
        usage.bytes += state.usage().bytes;
        if row % 100_000 == 0 {
            crate::progress(&format!("{row} notes"));
        }
    }
    for table in [deeds, memories, texts, documents] {
        table.end()?;
    }
    for (space, SpaceUsage { memories, bytes }) in usages {
        let usage = format!("INSERT INTO space_usage VALUES ('{space}', {memories}, {bytes})");
        cluster.psql(&url, &usage)?;
    }
    cluster.psql(
        &url,
        "SELECT setval(pg_get_serial_sequence('memories', 'row'), (SELECT max(row) FROM memories))",
    )?;
    crate::progress("the index of words");
    cluster.psql(
        &url,
        &format!("SET maintenance_work_mem = '512MB'; {index}"),
    )?;
    cluster.psql(&url, "VACUUM ANALYZE")?;
    // A server whose data is kept is ended as by a crash.
    cluster.psql(&url, "CHECKPOINT")?;
    Ok(())
}

/// Words as a `tsvector` has them.
fn lexemes(words: &[String]) -> String {
    let quote = |word: &String| format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"));
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn author(author: &MemoryAuthor) -> [Cell; 5] {
    let by = &author.by;
    [
        author.actor.as_ref().and_then(some),
        some(&by.principal),
        some(by.basis.as_str()),
        by.agent_label
            .as_ref()
            .and_then(|label| some(label.as_str())),
        by.instance_hash
            .as_ref()
            .and_then(|hash| hex(hash.as_bytes())),
    ]
}

fn columns(row: i64, state: &MemoryState, filed: &Filed) -> Vec<Cell> {
    let tags = filed.tags.iter().map(|tag| format!("\"{tag}\""));
    let mut cells = vec![
        some(row),
        some(state.id),
        some(state.head.version),
        hex(state.head.hash.as_bytes()),
        some(state.head.at),
        some(&state.space),
        some(state.about.kind),
        some(state.about.todo_done),
        state.about.expires_at.and_then(some),
        some(state.status),
        some(state.created_at),
        some(state.updated_at),
    ];
    cells.extend(author(&state.first_author));
    cells.extend(author(&state.last_author));
    cells.extend([
        state.text.and_then(some),
        some(state.bytes),
        filed.path.clone(),
        filed.key.clone(),
        some(format!("{{{}}}", tags.collect::<Vec<_>>().join(","))),
        hex(&filed.digest),
    ]);
    cells
}
