//! One claim against the readings that could support it.

use super::{
    Claim, ClaimReport, Loaded, Opened, Outcome, Wanted,
    decimal::Decimal,
    numbers::{Kind, Mentions, Number, mentions},
    values::Values,
};
use crate::{Evidence, FixedBlock, evidence::ReadProvenance, limits};

/// How many reasons, how many things that were passed over, and how many amounts one sentence lists.
const LISTED: usize = 5;

impl Claim {
    /// Compares this claim with `loaded`, which is what [`Claim::wanted`] named.
    #[must_use]
    pub fn check(&self, loaded: &Loaded) -> ClaimReport {
        let said = mentions(self.claim.as_str());
        let readings = match self.readings(loaded) {
            Ok(readings) => readings,
            Err(report) => return *report,
        };
        let most = limits::CLAIM_NUMBERS;
        if said.numbers.len() > most {
            let reason = format!("it holds more than {most} numbers: a claim is one sentence");
            return ClaimReport::without_reading(self, reason);
        }
        if said.has_account_name {
            let reason = "it names an account as a directory does (like name.eth), and no reading says whose name that is: claim the address";
            return ClaimReport::without_reading(self, reason.to_owned());
        }
        let is_about = |values: &Values| {
            let short = |(begin, end): &(String, String)| values.holds_short(begin, end);
            said.addresses.iter().all(|hex| values.holds(hex)) && said.shortened.iter().all(short)
        };
        let about: Vec<&Opened> = readings
            .iter()
            .copied()
            .filter(|reading| is_about(&reading.values))
            .collect();
        let mut best: Option<(&Opened, Finding)> = None;
        for reading in &about {
            let finding = compare(&said, reading);
            // The first of equals: readings come newest first.
            if best
                .as_ref()
                .is_none_or(|(_, other)| finding.outcome < other.outcome)
            {
                best = Some((reading, finding));
            }
        }
        let Some((reading, finding)) = best else {
            return self.about_somebody_else(&said, &readings);
        };
        let mut report = self.report(&reading.evidence, finding.outcome, finding.reason);
        if finding.outcome == Outcome::Mismatched {
            let shown = &reading.values.shown;
            if !shown.is_empty() {
                let read: Vec<String> = shown.iter().map(ToString::to_string).collect();
                let read = list(&read);
                report.reason.push_str(&format!(". It says {read}"));
            }
            if about.len() > 1 {
                let others = about.len() - 1;
                report.reason.push_str(&format!(
                    "; nor does any of {others} other readings there say it. An evidence_id names one of them"
                ));
            }
            report.read_values.clone_from(shown);
        }
        if finding.outcome != Outcome::Supported && loaded.left_out > 0 {
            let older = loaded.left_out;
            report.reason.push_str(&format!(
                "; {older} older readings there were too much to compare as well"
            ));
        }
        report
    }

    /// The readings that the claim may mean, or what is wrong with what it names.
    fn readings<'a>(&self, loaded: &'a Loaded) -> Result<Vec<&'a Opened>, Box<ClaimReport>> {
        let none = |reason: String| Box::new(ClaimReport::without_reading(self, reason));
        if loaded.opened.is_empty() && loaded.is_cut {
            return Err(none(
                "the readings that this conclusion names are too large to be compared at once: check fewer claims together".to_owned(),
            ));
        }
        match self.wanted() {
            Wanted::Nothing => Err(none(format!(
                "\"{}\" is another block every time: give the height or the hash that the reading's provenance says, or its evidence_id",
                self.block
            ))),
            Wanted::Evidence(id) => {
                let reading = loaded
                    .opened
                    .iter()
                    .find(|reading| reading.evidence.id == id)
                    .ok_or_else(|| none(format!("no evidence {id} is recorded")))?;
                let evidence = &reading.evidence;
                match self.differs(evidence) {
                    None => Ok(vec![reading]),
                    Some(how) => Err(Box::new(self.report(evidence, Outcome::Mismatched, how))),
                }
            }
            Wanted::Readings(_) => {
                let readings: Vec<&Opened> = loaded
                    .opened
                    .iter()
                    .filter(|reading| self.differs(&reading.evidence).is_none())
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
    fn about_somebody_else(&self, said: &Mentions, readings: &[&Opened]) -> ClaimReport {
        let full = said.addresses.iter().cloned();
        let short = said.shortened.iter();
        let who: Vec<String> = full
            .chain(short.map(|(begin, end)| format!("{begin}…{end}")))
            .take(LISTED)
            .collect();
        let who = who.join(" and ");
        match (self.evidence_id, readings.first()) {
            (Some(_), Some(reading)) => self.report(
                &reading.evidence,
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

fn compare(said: &Mentions, reading: &Opened) -> Finding {
    let provenance = &reading.evidence.reading.provenance;
    let (mut agreed, mut other, mut unreadable) = (vec![], vec![], vec![]);
    for number in &said.numbers {
        if let Some(denial) = said.denial.filter(|_| number.kind == Kind::Amount) {
            let written = number.short();
            unreadable.push(format!(
                "{denial} makes {written} a denial, a condition or one of several, and a reading says exact amounts only"
            ));
            continue;
        }
        match look(number, &reading.values, provenance) {
            Found::Said(how) => agreed.push(how),
            Found::Other(how) => other.push(how),
            Found::Unreadable(how) => unreadable.push(how),
        }
    }
    unreadable.extend(
        said.unclear
            .iter()
            .map(|text| format!("{text} may be a number, and is not understood")),
    );
    let states_amount = said.numbers.iter().any(|n| n.kind == Kind::Amount);
    let (outcome, mut reason) = if !other.is_empty() {
        (Outcome::Mismatched, list(&other))
    } else if !unreadable.is_empty() {
        (Outcome::Unsupported, list(&unreadable))
    } else if states_amount {
        (
            Outcome::Supported,
            format!("the reading says {}", list(&agreed)),
        )
    } else if !said.passed_over.is_empty() {
        let none = "it states no amount that was compared";
        (Outcome::Unsupported, none.to_owned())
    } else {
        let only =
            "such a reading is recorded; the claim states no amount, so nothing else was compared";
        (Outcome::Supported, only.to_owned())
    };
    let tickers = said.numbers.iter().filter_map(Number::ticker);
    let mut passed_over: Vec<String> = tickers
        .map(|ticker| format!("whether the token is {ticker}"))
        .collect();
    passed_over.dedup();
    passed_over.extend(said.passed_over.iter().cloned());
    if !passed_over.is_empty() {
        reason.push_str(&format!(". Not compared: {}", list(&passed_over)));
    }
    Finding { outcome, reason }
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
        Kind::Share => Found::Unreadable(format!(
            "{written} is a share, and no reading says one: claim the two amounts that it comes of"
        )),
        Kind::Money => Found::Unreadable(format!("{written} is money, and no price was read")),
        Kind::Height => {
            let is = provenance.block_number;
            if *value == is.into() || values.is_height(value, number.is_in_range) {
                clear(number.beside.as_ref(), &written, format!("block {written}"))
            } else {
                Found::Other(format!(
                    "the claim says block {written}, the reading is of block {is}"
                ))
            }
        }
        Kind::Chain => {
            let is = provenance.chain_id;
            if *value == is.into() {
                clear(number.beside.as_ref(), &written, format!("chain {written}"))
            } else {
                Found::Other(format!(
                    "the claim says chain {written}, the reading is of chain {is}"
                ))
            }
        }
        Kind::Amount if number.hedge.is_none() && values.is_named(value, &number.near) => {
            clear(number.beside_name.as_ref(), &written, written.clone())
        }
        Kind::Amount => match amount(number, value, &written, values) {
            Found::Said(how) => clear(number.beside.as_ref(), &written, how),
            found => found,
        },
    }
}

/// Said, unless something stands beside it that may make it another number.
fn clear(beside: Option<&String>, written: &str, how: String) -> Found {
    match beside {
        None => Found::Said(how),
        Some(other) => {
            let other: String = other.chars().take(40).collect();
            Found::Unreadable(format!(
                "\"{other}\" beside {written} may change it, and is not understood"
            ))
        }
    }
}

fn amount(number: &Number, value: &Decimal, written: &str, values: &Values) -> Found {
    if let Some(hedge) = number.hedge {
        return Found::Unreadable(format!(
            "{hedge} makes {written} an estimate, a bound, a multiple or a denial, and a reading says exact amounts only"
        ));
    }
    let unit = number.unit.as_deref().unwrap_or_default();
    let small = unit.to_ascii_lowercase();
    let gwei = (small == "gwei").then(|| value.times_ten_to(9)).flatten();
    let smallest = gwei.as_ref().or((small == "wei").then_some(value));
    if let Some(smallest) = smallest {
        return match values.raw(smallest) {
            // There is no gwei of what has another number of decimals.
            Some(moved) if gwei.is_none() || moved.is_some_and(|moved| moved.decimals == 18) => {
                Found::Said(format!("{written} {unit}"))
            }
            _ => Found::Other(format!(
                "the claim says {written} {unit}, the reading does not"
            )),
        };
    }
    if !values.is_under(value, &number.near) {
        return Found::Other(format!(
            "the claim says {written} of what it names, the reading does not"
        ));
    }
    let raw = values.raw(value);
    match raw {
        Some(moved) if number.is_called_raw => Found::Said(match moved {
            Some(moved) => {
                let (whole, decimals) = (&moved.amount, moved.decimals);
                format!("{written} as the raw amount ({whole} with {decimals} decimals)")
            }
            None => format!("{written} as the raw amount"),
        }),
        _ if values.has_moved(value) && !number.is_called_raw => Found::Said(written.to_owned()),
        Some(Some(moved)) => {
            let (whole, decimals) = (&moved.amount, moved.decimals);
            Found::Other(format!(
                "{written} is the raw amount; with {decimals} decimals it is {whole} {unit}. Call it raw if that is meant"
            ))
        }
        Some(None) => Found::Unreadable(format!(
            "{written} is a raw amount, and the reading says no decimals. Call it raw if that is meant"
        )),
        None if number.is_called_raw => Found::Other(format!(
            "the claim says {written} in the smallest unit, the reading does not"
        )),
        None if values.is_without_decimals() => Found::Other(format!(
            "the claim says {written}, the reading does not; it says no decimals either, so only raw amounts can be compared"
        )),
        None => Found::Other(format!("the claim says {written}, the reading does not")),
    }
}
