//! What a tool complains about and we let stand: each with the reason, and none that is not needed.

use std::{collections::BTreeSet, fs};

use anyhow::{Context, Result, bail, ensure};
use deedbox_neighbours::tools;

/// The lines of a file in the folder of the contracts: `what | it | is | reason`. Lines that begin with `#` are for readers.
#[derive(Debug)]
pub(super) struct Answers {
    file: &'static str,
    answered: Vec<String>,
}

impl Answers {
    /// Reads `file`.
    ///
    /// # Errors
    /// When it is not there, or an answer has no reason.
    pub(super) fn read(file: &'static str) -> Result<Self> {
        let text = fs::read_to_string(tools::contracts().join(file)).context(file)?;
        Ok(Self {
            file,
            answered: parse(&text).context(file)?,
        })
    }

    /// Fails when one of `complaints` has no answer, and when an answer `fits` none of them.
    ///
    /// # Errors
    /// Then, with all of them; `verb` says what is wrong with a complaint that has no answer.
    pub(super) fn judge(
        &self,
        complaints: &BTreeSet<String>,
        fits: impl Fn(&str, &str) -> bool,
        verb: &str,
    ) -> Result<()> {
        let is_answered =
            |complaint: &&String| self.answered.iter().any(|answer| fits(complaint, answer));
        let is_needed =
            |answer: &&String| complaints.iter().any(|complaint| fits(complaint, answer));
        let open = complaints
            .iter()
            .filter(|complaint| !is_answered(complaint));
        let idle = self.answered.iter().filter(|answer| !is_needed(answer));
        let lines: Vec<_> = open
            .map(|complaint| format!("{verb}: {complaint}"))
            .chain(
                idle.map(|answer| format!("needed no more in contracts/{}: {answer}", self.file)),
            )
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        bail!(
            "{}\nMend it, or answer it in contracts/{} with its reason after another ` | `.",
            lines.join("\n"),
            self.file
        );
    }
}

/// The answers without their reasons.
fn parse(text: &str) -> Result<Vec<String>> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (what, reason) = line.rsplit_once(" | ").with_context(|| line.to_owned())?;
            ensure!(reason.split_whitespace().count() > 2, "no reason: {line}");
            Ok(what.trim().to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(answers: &str, complaints: &[&str]) -> Result<()> {
        let answers = Answers {
            file: "answers.txt",
            answered: parse(answers)?,
        };
        let complaints = complaints.iter().map(|text| (*text).to_owned()).collect();
        answers.judge(
            &complaints,
            |complaint, answer| complaint == answer,
            "found",
        )
    }

    #[test]
    fn an_answer_needs_a_complaint_and_a_complaint_an_answer() {
        let answers = "# for readers\n\nsrc/A.sol | line | x = 1; | it cannot be reached\n";
        judged(answers, &["src/A.sol | line | x = 1;"]).unwrap();
        let error = judged(answers, &["src/B.sol | line | x = 1;"]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("found: src/B.sol"), "{text}");
        assert!(
            text.contains("needed no more in contracts/answers.txt: src/A.sol"),
            "{text}"
        );
    }

    #[test]
    fn an_answer_without_a_reason_is_refused() {
        judged("src/A.sol | line | ", &[]).unwrap_err();
        judged("src/A.sol | line | because", &[]).unwrap_err();
    }
}
