//! The report on a manifest, as people and programs read it.

use deedbox_manifest::{
    Finding, Report, Severity, Verdict,
    schema::{Consent, PreFilled},
    verify::{Outcome, Reason},
};
use serde_json::{Value, json};

use crate::render::{Lines, Mark, Output, cell, line};

/// Columns that a pre-filled value may take.
const VALUE_WIDTH: usize = 60;

/// A checked manifest, with what is needed to show it.
pub(super) struct Checked {
    /// Its file, as it is shown.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) report: Report,
    /// The checks of §7 that were asked for.
    pub(super) outcomes: Vec<Outcome>,
    pub(super) strict: bool,
}

/// The verdict on a file that could not be read.
pub(super) const UNREADABLE: &str = "unreadable";

pub(super) const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "valid",
        Verdict::ValidWithWarnings => "valid_with_warnings",
        Verdict::Refused => "refused",
    }
}

/// A rule and where it stands: `8257-2-04, ERC-8257 §2`.
pub(super) fn rule(rule: &str, section: &str) -> String {
    if section.starts_with('§') {
        format!("{rule}, ERC-8257 {section}")
    } else {
        format!("{rule}, ERC-8257, {section:?}")
    }
}

const fn mark(severity: Severity) -> Mark {
    match severity {
        Severity::Refusal => Mark::Bad,
        Severity::Warning => Mark::Alert,
        Severity::Note => Mark::Faint,
    }
}

const fn consent(consent: Consent) -> &'static str {
    match consent {
        Consent::Show => "show",
        Consent::Confirm => "confirm",
        Consent::Acknowledge => "acknowledge",
    }
}

impl Checked {
    /// Whether it may be published as it is.
    pub(super) fn passed(&self) -> bool {
        self.verdict() != Verdict::Refused && self.outcomes.iter().all(Outcome::passed)
    }

    /// The verdict on everything that was asked: refused too when it is not as it is registered.
    pub(super) fn outcome(&self) -> Verdict {
        if self.passed() {
            self.verdict()
        } else {
            Verdict::Refused
        }
    }

    /// The report's verdict; with `--strict`, warnings count as refusals.
    fn verdict(&self) -> Verdict {
        match self.report.verdict {
            Verdict::ValidWithWarnings if self.strict => Verdict::Refused,
            verdict => verdict,
        }
    }

    /// How many findings of a severity there are, the omitted ones too.
    fn count(&self, severity: Severity) -> usize {
        let omitted = self
            .report
            .omitted
            .iter()
            .filter(|one| one.severity == severity);
        self.report.of(severity).count() + omitted.map(|one| one.count).sum::<usize>()
    }

    pub(super) fn to_json(&self) -> Value {
        let report = &self.report;
        let lines = Lines::of(&self.bytes);
        let findings = report
            .findings
            .iter()
            .map(|finding| finding_json(finding, &lines));
        let omitted = report.omitted.iter().map(|one| {
            json!({"rule": one.rule, "severity": one.severity.to_string(), "count": one.count})
        });
        let price = |price: &deedbox_manifest::pricing::Price| {
            json!({
                "amount": price.amount.to_string(),
                "asset": price.asset,
                "recipient": price.recipient,
                "protocol": price.protocol,
            })
        };
        let pricing: Option<Vec<Value>> = report
            .pricing
            .is_stated()
            .then(|| report.pricing.entries().iter().map(price).collect());
        let pre_filled = report
            .pre_filled
            .iter()
            .map(|one| pre_filled_json(one, &lines));
        let registration = self.outcomes.iter().map(outcome_json);
        json!({
            "file": self.name,
            "verdict": verdict_name(self.outcome()),
            "byItself": verdict_name(report.verdict),
            "error": null,
            "hash": report.hash.map(|hash| hash.to_string()),
            "canonicalLength": report.hash.map(|_| report.canonical_len),
            "findings": findings.collect::<Vec<_>>(),
            "omitted": omitted.collect::<Vec<_>>(),
            "effectiveTier": report.effective_tier().as_str(),
            "declaredTier": report.declared_tier().map(deedbox_manifest::Tier::as_str),
            "creator": report.creator.map(|creator| creator.to_string()),
            "origin": report.origin.as_ref().map(ToString::to_string),
            "pricing": pricing,
            "maxAge": report.max_age,
            "preFilled": pre_filled.collect::<Vec<_>>(),
            "registration": registration.collect::<Vec<_>>(),
        })
    }

    /// For people: the verdict, what the manifest comes to, and every finding in its place.
    pub(super) fn shown(&self, output: &Output) -> String {
        let mut text = self.heading(output);
        text.push_str(&self.facts(output));
        let lines = Lines::of(&self.bytes);
        for finding in &self.report.findings {
            text.push('\n');
            text.push_str(&self.finding(finding, &lines, output));
        }
        for one in &self.report.omitted {
            let more = format!("… and {} more of {}", one.count, one.rule);
            text.push_str(&format!("\n{}\n", output.paint.faint(&more)));
        }
        text.push_str(&self.pre_filled(&lines));
        text
    }

    fn heading(&self, output: &Output) -> String {
        let counted = |severity, one: &str, several: &str| match self.count(severity) {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {several}")),
        };
        let counts = [
            counted(Severity::Refusal, "fault", "faults"),
            counted(Severity::Warning, "warning", "warnings"),
            counted(Severity::Note, "note", "notes"),
        ];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let counts = if counts.is_empty() {
            String::new()
        } else {
            format!(" ({})", counts.join(", "))
        };
        let paint = output.paint;
        let verdict = match (self.report.verdict, self.verdict()) {
            (Verdict::Refused, _) => paint.bad("Refused:"),
            (_, Verdict::Refused) => paint.bad("Refused because of --strict:"),
            _ if !self.passed() => paint.bad("Valid by itself, but not as it is registered:"),
            (Verdict::ValidWithWarnings, _) => paint.alert("Valid, with warnings:"),
            (Verdict::Valid, _) => paint.good("Valid:"),
        };
        format!("{verdict} {}{counts}\n", self.name)
    }

    fn facts(&self, output: &Output) -> String {
        let report = &self.report;
        let Some(hash) = report.hash else {
            return String::new();
        };
        let worth = if report.is_refused() {
            "; nobody should register it"
        } else {
            ""
        };
        let mut rows = vec![(
            "hash",
            format!("{hash} ({} canonical bytes{worth})", report.canonical_len),
        )];
        rows.extend(
            report
                .creator
                .map(|creator| ("creator", creator.to_string())),
        );
        rows.extend(
            report
                .origin
                .as_ref()
                .map(|origin| ("origin", line(&origin.to_string()))),
        );
        let effective = report.effective_tier();
        let tier = match report.declared_tier() {
            Some(declared) if declared != effective => {
                format!("{effective} (declared: {declared})")
            }
            Some(_) => effective.to_string(),
            None => format!("{effective} (none is declared)"),
        };
        rows.push(("effective tier", tier));
        let price = if !report.pricing.is_stated() {
            "not stated, which is not the same as free".to_owned()
        } else {
            let entries = report.pricing.entries().iter().map(|one| {
                format!(
                    "{} of {} to {} by {}",
                    one.amount, one.asset, one.recipient, one.protocol
                )
            });
            let entries: Vec<String> = entries.map(|entry| cell(&entry, 200)).collect();
            if entries.is_empty() {
                "unknown".to_owned()
            } else {
                entries.join("\n                  or ")
            }
        };
        rows.push(("price", price));
        for outcome in &self.outcomes {
            rows.push(("as registered", outcome_shown(outcome, output)));
        }
        let row = |(name, value): (&str, String)| {
            format!("  {}  {value}\n", output.paint.faint(&format!("{name:14}")))
        };
        rows.into_iter().map(row).collect()
    }

    fn finding(&self, finding: &Finding, lines: &Lines<'_>, output: &Output) -> String {
        let paint = output.paint;
        let mark = mark(finding.severity);
        let place = lines.position(finding.span.start);
        let pointer = if finding.pointer.is_empty() {
            String::new()
        } else {
            format!(" ({})", cell(&finding.pointer, output.width))
        };
        format!(
            "{} {}\n {} {}:{}:{}{pointer}\n{}   {}\n   {} {}\n",
            mark.paint(paint, &format!("{}:", finding.severity)),
            paint.strong(&line(&finding.message)),
            paint.faint("-->"),
            self.name,
            place.line,
            place.column,
            lines.snippet(&finding.span, output.width, paint, mark),
            paint.faint(&rule(finding.rule, finding.section)),
            paint.good("fix:"),
            line(&finding.fix),
        )
    }

    fn pre_filled(&self, lines: &Lines<'_>) -> String {
        if self.report.pre_filled.is_empty() {
            return String::new();
        }
        let mut text =
            "\nValues that it fills in for its callers, who have to be shown them:\n".to_owned();
        for one in &self.report.pre_filled {
            let argument = match one.argument.as_deref() {
                Some("") => "all arguments".to_owned(),
                Some(argument) => cell(argument, VALUE_WIDTH),
                None => "wherever this schema is referred to".to_owned(),
            };
            let how = match one.consent {
                Consent::Show => "shown",
                Consent::Confirm => "shown and confirmed",
                Consent::Acknowledge => "shown and acknowledged",
            };
            text.push_str(&format!(
                "  line {}: {argument} = {} ({}; {how})\n",
                lines.position(one.span.start).line,
                cell(&one.value, VALUE_WIDTH),
                one.source.keyword(),
            ));
        }
        text
    }
}

/// What stands in the place of a file that could not be read: the same members, none of which anything is known of.
pub(super) fn unread_json(name: &str, error: &Value) -> Value {
    json!({
        "file": name,
        "verdict": UNREADABLE,
        "byItself": null,
        "error": error,
        "hash": null,
        "canonicalLength": null,
        "findings": [],
        "omitted": [],
        "effectiveTier": null,
        "declaredTier": null,
        "creator": null,
        "origin": null,
        "pricing": null,
        "maxAge": null,
        "preFilled": [],
        "registration": [],
    })
}

pub(super) fn finding_json(finding: &Finding, lines: &Lines<'_>) -> Value {
    let place = lines.position(finding.span.start);
    json!({
        "rule": finding.rule,
        "section": finding.section,
        "severity": finding.severity.to_string(),
        "pointer": finding.pointer,
        "line": place.line,
        "column": place.column,
        "start": finding.span.start,
        "end": finding.span.end,
        "message": finding.message,
        "fix": finding.fix,
    })
}

fn pre_filled_json(one: &PreFilled, lines: &Lines<'_>) -> Value {
    json!({
        "pointer": one.pointer,
        "line": lines.position(one.span.start).line,
        "argument": one.argument,
        "keyword": one.source.keyword(),
        "value": one.value,
        "consent": consent(one.consent),
    })
}

fn outcome_json(outcome: &Outcome) -> Value {
    let reasons: Vec<String> = outcome.reasons.iter().map(ToString::to_string).collect();
    json!({"check": outcome.step.number(), "passed": outcome.passed(), "reasons": reasons})
}

fn outcome_shown(outcome: &Outcome, output: &Output) -> String {
    if outcome.passed() {
        return format!("{} {}", output.paint.good("passed"), outcome.step);
    }
    let reasons = outcome.reasons.iter().map(|reason| match reason {
        Reason::Manifest(finding) => format!("it breaks {}", finding.rule),
        other => line(&other.to_string()),
    });
    let reasons: Vec<String> = reasons.collect();
    format!(
        "{} {}: {}",
        output.paint.bad("failed"),
        outcome.step,
        reasons.join("; ")
    )
}
