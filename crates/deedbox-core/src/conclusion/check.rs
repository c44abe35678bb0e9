//! One claim against the readings that could support it.

use super::{
    Claim, ClaimReport, Outcome, Wanted,
    numbers::{Kind, Mentions, Number, mentions},
    values::{Amount, Values, holds},
};
use crate::{Evidence, FixedBlock, evidence::ReadProvenance};

/// How many of a reading's amounts are shown beside a claim that says something else.
const SHOWN: usize = 5;
/// How many reasons, and how many things that were passed over, one sentence lists.
const LISTED: usize = 5;

impl Claim {
    /// Compares this claim with `loaded`, which is what [`Claim::wanted`] named.
    #[must_use]
    pub fn check(&self, loaded: &[Evidence]) -> ClaimReport {
        let said = mentions(self.claim.as_str());
        let readings = match self.readings(loaded) {
            Ok(readings) => readings,
            Err(report) => return *report,
        };
        let about: Vec<&Evidence> = readings
            .iter()
            .copied()
            .filter(|evidence| said.addresses.iter().all(|a| holds(&evidence.reading, a)))
            .collect();
        if about.is_empty() {
            return self.about_somebody_else(&said, &readings);
        }
        let mut best: Option<(&Evidence, Finding)> = None;
        for evidence in &about {
            let finding = compare(&said, evidence);
            // The first of equals: readings come newest first.
            if best
                .as_ref()
                .is_none_or(|(_, other)| finding.outcome < other.outcome)
            {
                best = Some((evidence, finding));
            }
        }
        let Some((evidence, finding)) = best else {
            return self.about_somebody_else(&said, &readings);
        };
        let mut report = self.report(evidence, finding.outcome, finding.reason);
        if finding.outcome == Outcome::Mismatched {
            if about.len() > 1 {
                let others = about.len() - 1;
                report.reason.push_str(&format!(
                    "; nor does any of {others} other readings there say it. An evidence_id names one of them"
                ));
            }
            report.read_values = finding.shown;
        }
        report
    }

    /// The readings that the claim may mean, or what is wrong with what it names.
    fn readings<'a>(&self, loaded: &'a [Evidence]) -> Result<Vec<&'a Evidence>, Box<ClaimReport>> {
        let none = |reason: String| Box::new(ClaimReport::without_reading(self, reason));
        match self.wanted() {
            Wanted::Nothing => Err(none(format!(
                "\"{}\" is another block every time: give the height or the hash that the reading's provenance says, or its evidence_id",
                self.block
            ))),
            Wanted::Evidence(id) => {
                let evidence = loaded
                    .iter()
                    .find(|evidence| evidence.id == id)
                    .ok_or_else(|| none(format!("no evidence {id} is recorded")))?;
                match self.differs(evidence) {
                    None => Ok(vec![evidence]),
                    Some(how) => Err(Box::new(self.report(evidence, Outcome::Mismatched, how))),
                }
            }
            Wanted::Readings(_) => {
                let readings: Vec<&Evidence> = loaded
                    .iter()
                    .filter(|evidence| self.differs(evidence).is_none())
                    .collect();
                if readings.is_empty() {
                    return Err(none(format!(
                        "no reading by {} on chain {} at block {} is recorded",
                        self.tool, self.chain_id, self.block
                    )));
                }
                Ok(readings)
            }
        }
    }

    /// How a reading is another one than the claim says.
    fn differs(&self, evidence: &Evidence) -> Option<String> {
        let reading = &evidence.reading;
        let at = &reading.provenance;
        if reading.tool != self.tool {
            let (is, claimed) = (&reading.tool, &self.tool);
            return Some(format!(
                "the evidence is a reading by {is}, not by {claimed}"
            ));
        }
        if at.chain_id != self.chain_id {
            let (is, claimed) = (at.chain_id, self.chain_id);
            return Some(format!(
                "the evidence is of chain {is}, not of chain {claimed}"
            ));
        }
        let (same, is) = match self.block.fixed() {
            Some(FixedBlock::Number(number)) => {
                (number == at.block_number, at.block_number.to_string())
            }
            Some(FixedBlock::Hash(hash)) => (hash == at.block_hash, at.block_hash.to_string()),
            None => (true, String::new()),
        };
        let claimed = self.block;
        (!same).then(|| format!("the evidence was read at block {is}, not at block {claimed}"))
    }

    /// There are readings, and none of them is of what the claim is about.
    fn about_somebody_else(&self, said: &Mentions, readings: &[&Evidence]) -> ClaimReport {
        let who = said
            .addresses
            .iter()
            .cloned()
            .collect::<Vec<_>>()
            .join(" and ");
        match (self.evidence_id, readings.first()) {
            (Some(_), Some(evidence)) => self.report(
                evidence,
                Outcome::Mismatched,
                format!("the evidence says nothing of {who}"),
            ),
            _ => ClaimReport::without_reading(
                self,
                format!(
                    "{} by {} at that block, and none of {who}",
                    count(
                        readings.len(),
                        "reading is recorded",
                        "readings are recorded"
                    ),
                    self.tool
                ),
            ),
        }
    }

    fn report(&self, evidence: &Evidence, outcome: Outcome, reason: String) -> ClaimReport {
        ClaimReport {
            outcome,
            evidence_id: Some(evidence.id),
            block_number: Some(evidence.reading.provenance.block_number),
            block_hash: Some(evidence.reading.provenance.block_hash),
            chain_id: evidence.reading.provenance.chain_id,
            ..ClaimReport::without_reading(self, reason)
        }
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// What came of comparing a claim with one reading.
struct Finding {
    outcome: Outcome,
    reason: String,
    shown: Vec<super::ReadValue>,
}

/// What came of one number.
enum Found {
    /// The reading says it; how.
    Said(String),
    /// The reading says something else.
    Other(String),
    /// No reading could say it.
    Unreadable(String),
}

fn compare(said: &Mentions, evidence: &Evidence) -> Finding {
    let values = Values::of(&evidence.reading);
    let provenance = &evidence.reading.provenance;
    let (mut agreed, mut other, mut unreadable) = (vec![], vec![], vec![]);
    for number in &said.numbers {
        match look(number, &values, provenance) {
            Found::Said(how) => agreed.push(how),
            Found::Other(how) => other.push(how),
            Found::Unreadable(how) => unreadable.push(how),
        }
    }
    let amounts = said
        .numbers
        .iter()
        .filter(|n| n.kind == Kind::Amount)
        .count();
    let (outcome, mut reason) = if !other.is_empty() {
        (Outcome::Mismatched, list(&other))
    } else if !unreadable.is_empty() {
        (Outcome::Unsupported, list(&unreadable))
    } else if amounts == 0 {
        let only =
            "such a reading is recorded; the claim states no amount, so nothing else was compared";
        (Outcome::Supported, only.to_owned())
    } else {
        (
            Outcome::Supported,
            format!("the reading says {}", list(&agreed)),
        )
    };
    if !said.passed_over.is_empty() {
        reason.push_str(&format!(". Not compared: {}", list(&said.passed_over)));
    }
    Finding {
        outcome,
        reason,
        shown: values
            .amounts
            .iter()
            .take(SHOWN)
            .map(Amount::shown)
            .collect(),
    }
}

fn list(reasons: &[String]) -> String {
    let mut text = reasons
        .iter()
        .take(LISTED)
        .cloned()
        .collect::<Vec<_>>()
        .join("; ");
    if reasons.len() > LISTED {
        text.push_str(&format!("; and {} more", reasons.len() - LISTED));
    }
    text
}

fn look(number: &Number, values: &Values, provenance: &ReadProvenance) -> Found {
    let written = number.short();
    let Some(value) = &number.value else {
        return Found::Other(format!(
            "{written} is not written as a number that can be compared"
        ));
    };
    match number.kind {
        Kind::Share => {
            return Found::Unreadable(format!(
                "{written} is a share, and no reading says one: claim the two amounts that it comes of"
            ));
        }
        Kind::Money => {
            return Found::Unreadable(format!("{written} is money, and no price was read"));
        }
        Kind::Height => {
            let is = provenance.block_number;
            let named = values
                .named
                .iter()
                .any(|named| named.is_height() && named.value == *value);
            return if named || *value == is.into() {
                Found::Said(format!("block {written}"))
            } else {
                Found::Other(format!(
                    "the claim says block {written}, the reading is of block {is}"
                ))
            };
        }
        Kind::Chain => {
            let is = provenance.chain_id;
            return if *value == is.into() {
                Found::Said(format!("chain {written}"))
            } else {
                Found::Other(format!(
                    "the claim says chain {written}, the reading is of chain {is}"
                ))
            };
        }
        Kind::Amount => {}
    }
    let named =
        |named: &&super::values::Named| named.value == *value && named.is_called(&number.near);
    if values.named.iter().any(|one| named(&one)) {
        return Found::Said(written);
    }
    amount(number, value, &written, values)
}

fn amount(
    number: &Number,
    value: &super::decimal::Decimal,
    written: &str,
    values: &Values,
) -> Found {
    let unit = number.unit.as_deref().unwrap_or_default();
    let small = unit.to_ascii_lowercase();
    let gwei = (small == "gwei").then(|| value.times_ten_to(9)).flatten();
    let smallest = gwei.as_ref().or((small == "wei").then_some(value));
    if let Some(smallest) = smallest {
        return match values.amounts.iter().find(|amount| amount.raw == *smallest) {
            Some(_) => Found::Said(format!("{written} {unit}")),
            None => Found::Other(format!(
                "the claim says {written} {unit}, the reading does not"
            )),
        };
    }
    if values
        .amounts
        .iter()
        .any(|amount| amount.moved.as_ref() == Some(value))
    {
        return Found::Said(written.to_owned());
    }
    if let Some(raw) = values.amounts.iter().find(|amount| amount.raw == *value) {
        let whole = raw.moved.as_ref().filter(|moved| *moved != value);
        return match (whole, raw.decimals) {
            (Some(whole), Some(decimals)) if is_ticker(unit) => Found::Other(format!(
                "{written} is the raw amount; with {decimals} decimals it is {whole} {unit}"
            )),
            (Some(whole), Some(decimals)) => Found::Said(format!(
                "{written} as the raw amount ({whole} with {decimals} decimals)"
            )),
            _ => Found::Said(format!("{written} as the raw amount")),
        };
    }
    if number.is_estimate {
        return Found::Unreadable(format!(
            "{written} is an estimate or a bound, and only exact amounts are compared"
        ));
    }
    let without_decimals = values
        .amounts
        .iter()
        .all(|amount| amount.decimals.is_none());
    Found::Other(if without_decimals && !values.amounts.is_empty() {
        format!(
            "the claim says {written}, the reading does not; it says no decimals either, so only raw amounts can be compared"
        )
    } else {
        format!("the claim says {written}, the reading does not")
    })
}

/// Whether a word behind a number makes it a number of whole tokens.
fn is_ticker(word: &str) -> bool {
    let known = ["ether", "eth", "token", "tokens", "coin", "coins"];
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    known.contains(&word.to_ascii_lowercase().as_str())
        || (capitals >= 2 && word.len() <= 12 && word.chars().all(|c| c.is_ascii_alphanumeric()))
}
