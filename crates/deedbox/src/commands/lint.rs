//! `deedbox lint tools`

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::{Value, json};
use url::Url;

use super::one_thread;
use crate::{
    cli::{LintCommand, LintTools},
    failure::Failure,
    lint::{Judged, Listed, Statement, Verdict, client, judge, judge::readable, listing},
    render::{Output, cell, line, path as shown_path, wrapped},
    settings::{Environment, chains::masked, environment::LINT_VARIABLE},
};

/// The most that is read of a file.
const MOST: u64 = 16 << 20;

pub(super) fn run(
    command: LintCommand,
    environment: &Environment,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let LintCommand::Tools(arguments) = command;
    let (from, tools) = tools(&arguments, environment)?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let judged = tools.iter().map(|tool| Linted {
        tool,
        readable: readable(&tool.description),
        judged: judge(tool, &names),
    });
    let report = Report {
        from,
        strict: arguments.strict,
        tools: judged.collect(),
    };
    output.print(&report.to_json(), |output| report.shown(output))?;
    Ok(ExitCode::from(u8::from(report.missing() > 0)))
}

/// Where the tools come from, as it is shown, and the tools.
fn tools(
    arguments: &LintTools,
    environment: &Environment,
) -> Result<(String, Vec<Listed>), Failure> {
    if let Some(command) = &arguments.stdio {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            Failure::argument("--stdio", "must be a command, with its quotes closed")
        })?;
        let from = line(&words[0]);
        return asked(from, &client::Server::Stdio(words));
    }
    let target = arguments.target.as_deref().unwrap_or_default();
    let is_url = ["http://", "https://"]
        .iter()
        .any(|scheme| target.to_ascii_lowercase().starts_with(scheme));
    if is_url {
        let url = Url::parse(target).ok().filter(Url::has_host);
        let url = url.ok_or_else(|| Failure::argument("URL|FILE", "is no URL of a server"))?;
        let token = environment.variable(LINT_VARIABLE).map(str::to_owned);
        return asked(masked(target), &client::Server::Http { url, token });
    }
    from_file(Path::new(target))
}

fn asked(from: String, server: &client::Server) -> Result<(String, Vec<Listed>), Failure> {
    match one_thread()?.block_on(client::tools(server)) {
        Ok(tools) => Ok((from, tools)),
        Err(cause) => Err(Failure::NoToolList {
            from,
            cause: Box::new(cause),
        }),
    }
}

/// Reads all of a source, if it is not too large.
fn read_most(source: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = source.take(MOST.saturating_add(1)).read_to_end(bytes)?;
    if u64::try_from(read).is_ok_and(|read| read > MOST) {
        let reason = format!("it has more than {MOST} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(())
}

fn from_file(path: &Path) -> Result<(String, Vec<Listed>), Failure> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if path.as_os_str() == "-" {
            read_most(io::stdin().lock(), &mut bytes)?;
        } else {
            read_most(File::open(path)?, &mut bytes)?;
        }
        Ok(bytes)
    };
    let bytes = read().map_err(|source| Failure::CannotRead {
        path: PathBuf::from(path),
        source,
    })?;
    let from = if path.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        shown_path(path)
    };
    let failed = |cause: Box<dyn std::error::Error + Send + Sync>| Failure::NoToolList {
        from: from.clone(),
        cause,
    };
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| failed(Box::new(error)))?;
    let tools = listing::read(&value).map_err(|error| failed(Box::new(error)))?;
    Ok((from, tools))
}

/// A tool with what is judged of it.
struct Linted<'a> {
    tool: &'a Listed,
    readable: bool,
    judged: [Judged; 6],
}

struct Report<'a> {
    from: String,
    strict: bool,
    tools: Vec<Linted<'a>>,
}

impl Report<'_> {
    fn counts(&self, judged: &Judged) -> bool {
        match judged.verdict {
            Verdict::Missing => true,
            Verdict::Partly => self.strict,
            Verdict::Made => false,
        }
    }

    /// How many statements are missing, over all tools.
    fn missing(&self) -> usize {
        let all = self.tools.iter().flat_map(|tool| &tool.judged);
        all.filter(|judged| self.counts(judged)).count()
    }

    /// `{"source","tools":[{"name","readable","missing":[…],"statements":[…]}],"missing","strict"}`.
    fn to_json(&self) -> Value {
        let statement = |judged: &Judged| {
            json!({
                "statement": judged.statement.name(),
                "verdict": judged.verdict.name(),
                "found": judged.found,
                "lacking": judged.lacking,
            })
        };
        let tool = |linted: &Linted<'_>| {
            let missing = linted.judged.iter().filter(|judged| self.counts(judged));
            json!({
                "name": linted.tool.name,
                "readable": linted.readable,
                "missing": missing.map(|judged| judged.statement.name()).collect::<Vec<_>>(),
                "statements": linted.judged.iter().map(statement).collect::<Vec<_>>(),
            })
        };
        json!({
            "source": self.from,
            "strict": self.strict,
            "missing": self.missing(),
            "tools": self.tools.iter().map(tool).collect::<Vec<_>>(),
        })
    }

    fn shown(&self, output: &Output) -> String {
        let mut text = String::new();
        for linted in &self.tools {
            text.push_str(&self.tool(linted, output));
            text.push('\n');
        }
        let rows = Statement::ALL
            .into_iter()
            .enumerate()
            .filter_map(|(at, statement)| {
                let missing = self
                    .tools
                    .iter()
                    .filter(|linted| self.counts(&linted.judged[at]));
                let missing = missing.count();
                let advice = statement.advice().to_owned();
                (missing > 0)
                    .then(|| vec![missing.to_string(), statement.tells().to_owned(), advice])
            });
        let rows: Vec<Vec<String>> = rows.collect();
        for row in &rows {
            text.push_str(&format!("{:>4} lack {}\n", row[0], row[1]));
            for part in wrapped(&row[2], output.width.saturating_sub(12)) {
                text.push_str(&format!("          {}\n", output.paint.faint(&part)));
            }
        }
        if !rows.is_empty() {
            text.push('\n');
        }
        let whole = self.tools.iter();
        let whole = whole.filter(|linted| !linted.judged.iter().any(|one| self.counts(one)));
        let (whole, all) = (whole.count(), self.tools.len());
        let missing = self.missing();
        let verdict = if missing == 0 {
            output.paint.good("nothing is missing")
        } else {
            let plural = if missing == 1 {
                "statement is"
            } else {
                "statements are"
            };
            output.paint.bad(&format!("{missing} {plural} missing"))
        };
        text.push_str(&format!(
            "{}: {verdict}; {whole} of {all} tools are whole",
            self.from
        ));
        text
    }

    fn tool(&self, linted: &Linted<'_>, output: &Output) -> String {
        let paint = output.paint;
        let mut text = paint.strong(&cell(&linted.tool.name, 64));
        text.push('\n');
        if linted.tool.description.is_empty() {
            text.push_str(&format!("  {}\n", paint.alert("has no description")));
        } else if !linted.readable {
            let note = "does not seem to be English; what follows may be wrong";
            text.push_str(&format!("  {}\n", paint.alert(note)));
        }
        for judged in &linted.judged {
            let mark = match judged.verdict {
                _ if self.counts(judged) => paint.bad("missing"),
                Verdict::Made => paint.good("made   "),
                _ => paint.alert("partly "),
            };
            text.push_str(&format!("  {mark}  {}\n", judged.statement.tells()));
            let mut say = |what: &str, said: &str| {
                for (at, part) in wrapped(said, output.width.saturating_sub(13))
                    .iter()
                    .enumerate()
                {
                    let lead = if at == 0 { what } else { "" };
                    text.push_str(&format!("           {lead:<2}{part}\n"));
                }
            };
            for found in &judged.found {
                say("+", found);
            }
            for lacking in &judged.lacking {
                say("-", lacking);
            }
        }
        text
    }
}
