//! Every line and every branch of the contracts is reached by a test, or an exception says why it cannot be.

use std::{collections::BTreeSet, fs};

use anyhow::{Context, Result, ensure};
use deedbox_neighbours::tools;

use super::answers::Answers;
use crate::progress::say;

/// The exceptions: source, `line` or `branch`, the line's own text, and the reason.
const EXCEPTIONS: &str = "coverage-exceptions.txt";

/// Fails when something of `contracts/src` is not reached that no exception names, and when an exception is not needed.
///
/// # Errors
/// Then, with all of them.
pub(super) fn check(lcov: &str) -> Result<()> {
    let reached = read(lcov)?;
    ensure!(
        reached.lines > 0 && reached.branches > 0,
        "nothing was measured"
    );
    let mut missed = BTreeSet::new();
    for (source, what, line) in &reached.missed {
        let text = fs::read_to_string(tools::contracts().join(source))?;
        let code = text.lines().nth(line - 1).context("a line of the source")?;
        missed.insert(format!("{source} | {what} | {}", code.trim()));
    }
    Answers::read(EXCEPTIONS)?.judge(
        &missed,
        |missed, answer| missed == answer,
        "no test reaches",
    )?;
    say(&format!(
        "{} lines and {} branches; not reached: {}, each with its reason",
        reached.lines,
        reached.branches,
        missed.len()
    ));
    Ok(())
}

/// What a tracefile says.
#[derive(Debug, Default)]
struct Reached {
    lines: usize,
    branches: usize,
    /// Source, `line` or `branch`, and the line's number from 1.
    missed: BTreeSet<(String, &'static str, usize)>,
}

/// Reads the records `SF`, `DA:line,count` and `BRDA:line,block,branch,count`.
fn read(lcov: &str) -> Result<Reached> {
    let (mut reached, mut source) = (Reached::default(), "");
    for record in lcov.lines() {
        let Some((kind, rest)) = record.split_once(':') else {
            continue;
        };
        let what = match kind {
            "SF" => {
                source = rest;
                continue;
            }
            "DA" => "line",
            "BRDA" => "branch",
            _ => continue,
        };
        let mut values = rest.split(',');
        let line = values.next().unwrap_or_default().parse();
        let line: usize = line.with_context(|| record.to_owned())?;
        match what {
            "line" => reached.lines += 1,
            _ => reached.branches += 1,
        }
        // A branch whose line was never run has `-` for a count.
        if matches!(values.next_back(), Some("0" | "-") | None) {
            reached.missed.insert((source.to_owned(), what, line));
        }
    }
    Ok(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_branches_that_were_not_reached_are_seen() {
        let lcov = "TN:\nSF:src/A.sol\nDA:3,1\nFN:3,A.f\nFNDA:1,A.f\nDA:4,0\nBRDA:4,0,0,-\nBRDA:5,0,0,2\nend_of_record\nSF:src/B.sol\nDA:3,0\nBRDA:3,0,1,0\n";
        let reached = read(lcov).unwrap();
        assert_eq!((reached.lines, reached.branches), (3, 3));
        let expected = [
            ("src/A.sol", "branch", 4),
            ("src/A.sol", "line", 4),
            ("src/B.sol", "branch", 3),
            ("src/B.sol", "line", 3),
        ];
        let expected = expected.map(|(source, what, line)| (source.to_owned(), what, line));
        assert_eq!(reached.missed, BTreeSet::from(expected));
    }
}
