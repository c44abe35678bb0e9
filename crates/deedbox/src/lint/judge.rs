//! Which of the six statements a description makes, and what that judgement rests on.

use regex::Regex;

use super::{
    Listed, Statement,
    listing::Input,
    words::{
        ANSWER, AS_OF, CONDITION, DEFAULT, ENGLISH, FAILS, FOR_WHAT, FREQUENCY, LATENCY,
        NO_DEFAULTS, NO_TOOL, NOT, UNIT,
    },
};

/// Whether a statement is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// It is.
    Made,
    /// A part of it is.
    Partly,
    /// Nothing of it is found.
    Missing,
}

impl Verdict {
    /// Its name for programs.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Partly => "partly",
            Self::Missing => "missing",
        }
    }
}

/// What is judged of one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    /// Which.
    pub(crate) statement: Statement,
    /// Whether it is made.
    pub(crate) verdict: Verdict,
    /// What counts for it: the words that were found, at most [`QUOTE`] characters each. A stranger's text.
    pub(crate) found: Vec<String>,
    /// What was looked for in vain. May name inputs, which are a stranger's text.
    pub(crate) lacking: Vec<String>,
}

/// The most characters that are quoted in one place.
const QUOTE: usize = 72;
/// The most names that are listed in one place.
const NAMES: usize = 8;
/// Words that it takes to say what a tool does.
const SENTENCE: usize = 4;
/// Words before a negation among which a condition is looked for.
const BEFORE: usize = 4;

/// Judges one tool. `others` are the names of all tools of its server.
pub(crate) fn judge(tool: &Listed, others: &[&str]) -> [Judged; 6] {
    let text = Text::of(&tool.description);
    [
        purpose(&text),
        inputs(tool, &text),
        units(tool, &text),
        one(
            Statement::AsOf,
            text.find_where(&AS_OF, |clause, _| !of_inputs(tool, clause)),
            "no word of the moment that the answer is of",
        ),
        limits(tool, &text, others),
        failure(&text),
    ]
}

/// Whether a description can be judged at all: some words, and they are English.
pub(crate) fn readable(description: &str) -> bool {
    let words = description.split_whitespace().count();
    words < 8 || ENGLISH.find_iter(description).count() * 12 >= words
}

/// A description, taken apart into clauses: what stands between full stops, semicolons, colons and line breaks.
struct Text<'a> {
    clauses: Vec<&'a str>,
}

impl<'a> Text<'a> {
    fn of(description: &'a str) -> Self {
        let mut clauses = Vec::new();
        let mut start = 0;
        // What stands in parentheses belongs to the clause around it, until the line ends.
        let mut depth = 0_u32;
        let mut characters = description.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            match c {
                '(' => depth = depth.saturating_add(1),
                ')' => depth = depth.saturating_sub(1),
                '\n' => depth = 0,
                _ => {}
            }
            let ends = match c {
                '\n' => true,
                _ if depth > 0 => false,
                ';' => true,
                // Not within 1.5 and file.txt, and not behind an abbreviation.
                '.' => {
                    let so_far = &description[start..at];
                    let short = ["e.g", "i.e", "etc", "vs", "approx"];
                    next.is_none_or(char::is_whitespace)
                        && !short.iter().any(|short| so_far.ends_with(short))
                }
                ':' | '!' | '?' => next.is_none_or(char::is_whitespace),
                _ => false,
            };
            if ends {
                let end = at + c.len_utf8();
                clauses.push(&description[start..end]);
                start = end;
            }
        }
        clauses.push(&description[start..]);
        let clauses = clauses.into_iter().map(str::trim);
        Self {
            clauses: clauses.filter(|clause| !clause.is_empty()).collect(),
        }
    }

    /// The first place that a pattern finds.
    fn find(&self, pattern: &Regex) -> Option<String> {
        self.find_where(pattern, |_, _| true)
    }

    /// The first place that a pattern finds and `counts` agrees to, given the clause and the byte in it.
    fn find_where(&self, pattern: &Regex, counts: impl Fn(&str, usize) -> bool) -> Option<String> {
        self.clauses.iter().find_map(|clause| {
            let mut found = pattern
                .find_iter(clause)
                .filter(|found| !is_cited(clause, found.start()));
            let found = found.find(|found| counts(clause, found.start()))?;
            Some(quote(clause, found.start()))
        })
    }
}

/// Whether a place is between quotation marks: an example of a search or of a text says nothing of the tool.
fn is_cited(clause: &str, at: usize) -> bool {
    let before = clause[..at].matches(['"', '“', '”']).count();
    before % 2 == 1 && clause[at..].contains(['"', '”'])
}

/// The words around a place in a clause.
fn quote(clause: &str, at: usize) -> String {
    let before = clause[..at].char_indices().rev().take(QUOTE / 3).last();
    let mut start = before.map_or(at, |(at, _)| at);
    if start > 0 {
        // Whole words.
        let space = clause[start..at].find(char::is_whitespace);
        start += space.map_or(0, |space| {
            let c = clause[start + space..].chars().next();
            space + c.map_or(0, char::len_utf8)
        });
    }
    let rest = clause[start..].char_indices().nth(QUOTE);
    let end = rest.map_or(clause.len(), |(length, _)| start + length);
    let lead = if start == 0 { "" } else { "…" };
    let more = if end == clause.len() { "" } else { "…" };
    format!("{lead}{}{more}", clause[start..end].trim())
}

fn one(statement: Statement, found: Option<String>, lacking: &str) -> Judged {
    parts(statement, [(found, lacking)])
}

/// A statement of several parts: made when all are there, partly when some are.
fn parts<const N: usize>(statement: Statement, parts: [(Option<String>, &str); N]) -> Judged {
    let (mut found, mut lacking) = (Vec::new(), Vec::new());
    for (evidence, otherwise) in parts {
        match evidence {
            Some(evidence) => found.push(evidence),
            None => lacking.push(otherwise.to_owned()),
        }
    }
    let verdict = match (found.is_empty(), lacking.is_empty()) {
        (_, true) => Verdict::Made,
        (false, false) => Verdict::Partly,
        (true, false) => Verdict::Missing,
    };
    Judged {
        statement,
        verdict,
        found,
        lacking,
    }
}

fn purpose(text: &Text<'_>) -> Judged {
    let first = text
        .clauses
        .iter()
        .find(|clause| clause.split_whitespace().count() >= SENTENCE)
        .map(|clause| quote(clause, 0));
    parts(
        Statement::Purpose,
        [
            (first, "no sentence says what it does or returns"),
            (
                text.find(&FOR_WHAT),
                "no word of when or for what to use it",
            ),
        ],
    )
}

fn inputs(tool: &Listed, text: &Text<'_>) -> Judged {
    let statement = Statement::Inputs;
    if tool.inputs.is_empty() {
        let found = vec!["the schema takes no input".to_owned()];
        return Judged {
            statement,
            verdict: Verdict::Made,
            found,
            lacking: Vec::new(),
        };
    }
    let no_defaults = text.find(&NO_DEFAULTS);
    let described = |input: &Input| !input.description.is_empty() || about(text, input).is_some();
    let formed = |input: &Input| input.has_form || described(input);
    let defaulted = |input: &Input| {
        input.required
            || input.has_default
            || no_defaults.is_some()
            || DEFAULT.is_match(&input.description)
            || about(text, input).is_some_and(|said| DEFAULT.is_match(said))
    };
    let without = |has: &dyn Fn(&Input) -> bool| -> Vec<&str> {
        let names = tool.inputs.iter().filter(|input| !has(input));
        names.map(|input| input.name.as_str()).collect()
    };
    let undescribed = without(&described);
    let mut lacking = Vec::new();
    let mut lack = |names: &[&str], what: &str| {
        if !names.is_empty() {
            lacking.push(format!("{what}: {}", listed(names)));
        }
    };
    lack(&undescribed, "not described");
    lack(&without(&formed), "no form");
    lack(
        &without(&defaulted),
        "optional, and nothing says what happens without it",
    );
    let mut found: Vec<String> = no_defaults.into_iter().collect();
    if undescribed.len() < tool.inputs.len() {
        let count = tool.inputs.len() - undescribed.len();
        found.push(format!("{count} of {} described", tool.inputs.len()));
    }
    let verdict = if lacking.is_empty() {
        Verdict::Made
    } else if undescribed.is_empty() {
        Verdict::Partly
    } else {
        Verdict::Missing
    };
    Judged {
        statement,
        verdict,
        found,
        lacking,
    }
}

/// The clause that names an input, and the ones after it until another might be meant: at most one.
fn about<'t>(text: &Text<'t>, input: &Input) -> Option<&'t str> {
    let mut clauses = text.clauses.iter();
    clauses.find_map(|clause| {
        let at = named(clause, &input.name).filter(|at| is_input(clause, &input.name, *at))?;
        // A list of inputs in one clause: what belongs to this one ends at the closing parenthesis or the next comma
        // outside of one.
        let rest = &clause[at..];
        let mut depth = 0_i32;
        let end = rest.char_indices().find(|(_, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth < 0 || (depth == 0 && *c == ',')
        });
        Some(&rest[..end.map_or(rest.len(), |(at, _)| at)])
    })
}

/// Whether a word that is the name of an input is meant as one: `path` alone is a word of many texts.
fn is_input(clause: &str, name: &str, at: usize) -> bool {
    let (before, after) = (&clause[..at], &clause[at + name.len()..]);
    let lead = before.to_ascii_lowercase();
    let lead = ["input", "arg", "param"]
        .iter()
        .any(|word| lead.contains(word));
    let follows = after.trim_start().starts_with(['(', ':', '=', '–', '—'])
        || [
            "is",
            "are",
            "must",
            "may",
            "specifies",
            "names",
            "-",
            "parameter",
            "argument",
            "input",
        ]
        .iter()
        .any(|word| after.split_whitespace().next() == Some(word));
    lead || follows || is_compound(name) || is_quoted(before, after)
}

/// Where a name stands by itself in a text.
fn named(text: &str, name: &str) -> Option<usize> {
    if name.is_empty() {
        return None;
    }
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

fn units(tool: &Listed, text: &Text<'_>) -> Judged {
    let of_answer = |clause: &str, at: usize| {
        let first_input = tool
            .inputs
            .iter()
            .filter_map(|input| named(clause, &input.name))
            .min()
            .filter(|place| *place < at);
        let returned = ANSWER
            .find(clause)
            .is_some_and(|word| first_input.is_none_or(|place| word.start() < place));
        returned && !of_inputs(tool, clause) && !latency(clause, at)
    };
    let in_schema = || {
        let said = tool.outputs.iter().find(|said| UNIT.is_match(said))?;
        let at = UNIT.find(said).map_or(0, |found| found.start());
        Some(format!("outputSchema: {}", quote(said, at)))
    };
    let found = text.find_where(&UNIT, of_answer).or_else(in_schema);
    let lacking = "no unit, precision or format of what comes back";
    one(Statement::Units, found, lacking)
}

/// Whether a clause is about what the tool takes: it says so, or begins with an input.
fn of_inputs(tool: &Listed, clause: &str) -> bool {
    let start = clause.to_ascii_lowercase();
    ["input", "arguments", "args", "parameters", "params"]
        .iter()
        .any(|word| start.starts_with(word))
        || tool
            .inputs
            .iter()
            .any(|input| named(clause, &input.name) == Some(0) && is_input(clause, &input.name, 0))
}

/// Whether the words at a place say how long something takes: those are no unit of an answer.
fn latency(clause: &str, at: usize) -> bool {
    LATENCY
        .find_iter(clause)
        .any(|found| found.start() <= at && at < found.end())
}

fn limits(tool: &Listed, text: &Text<'_>, others: &[&str]) -> Judged {
    // "If the file does not exist" says nothing of what the tool does not do.
    let of_tool = |clause: &str, at: usize| {
        let before: Vec<&str> = clause[..at].split_whitespace().collect();
        let before = &before[before.len().saturating_sub(BEFORE)..];
        !before.iter().any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            CONDITION
                .find(word)
                .is_some_and(|found| found.len() == word.len())
        })
    };
    let denied = text.find_where(&NOT, of_tool);
    let others: Vec<&str> = others
        .iter()
        .copied()
        .filter(|name| *name != tool.name)
        .collect();
    let no_limit = "nothing says what it does not do or return";
    if others.is_empty() {
        return one(Statement::Limits, denied, no_limit);
    }
    let pointed = text.clauses.iter().find_map(|clause| {
        let mut places = others
            .iter()
            .filter_map(|name| Some((*name, named(clause, name)?)));
        let (_, at) = places.find(|(name, at)| is_meant(clause, name, *at))?;
        Some(quote(clause, at))
    });
    let pointed = pointed.or_else(|| text.find(&NO_TOOL));
    let no_other = "no other tool is named for what it does not do";
    match denied {
        None if pointed.is_some() => {
            parts(Statement::Limits, [(None, no_limit), (pointed, no_other)])
        }
        None => parts(Statement::Limits, [(None, no_limit), (None, no_other)]),
        Some(denied) => parts(
            Statement::Limits,
            [(Some(denied), no_limit), (pointed, no_other)],
        ),
    }
}

/// Whether a word that is the name of a tool is meant as one: `read` alone is a word of every text.
fn is_meant(clause: &str, name: &str, at: usize) -> bool {
    let (before, after) = (&clause[..at], &clause[at + name.len()..]);
    is_compound(name) || is_quoted(before, after) || after.trim_start().starts_with("tool")
}

/// Whether a name is made of several words, as no word of a sentence is.
fn is_compound(name: &str) -> bool {
    let joined = |pair: (char, char)| {
        "_-./".contains(pair.0) || (pair.0.is_lowercase() && pair.1.is_uppercase())
    };
    name.chars().zip(name.chars().skip(1)).any(joined)
}

fn is_quoted(before: &str, after: &str) -> bool {
    let quotes = ['`', '"', '\'', '<', '*'];
    before.ends_with(quotes) && after.starts_with(['`', '"', '\'', '>', '*'])
}

fn failure(text: &Text<'_>) -> Judged {
    parts(
        Statement::Failure,
        [
            (text.find(&FAILS), "nothing says what failure looks like"),
            (text.find(&LATENCY), "nothing says how long it takes"),
            (text.find(&FREQUENCY), "nothing says how often to call it"),
        ],
    )
}

/// Names, as many as are worth reading.
fn listed(names: &[&str]) -> String {
    let capped = |name: &&str| -> String { name.chars().take(QUOTE).collect() };
    let mut shown: Vec<String> = names.iter().take(NAMES).map(capped).collect();
    if names.len() > NAMES {
        shown.push(format!("and {} more", names.len() - NAMES));
    }
    shown.join(", ")
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
