//! What a sentence says that can be compared: its numbers, and what kind each is of; and the addresses that it names.

use std::collections::BTreeSet;

use super::{
    decimal::Decimal,
    scan::{Is, Token, tokens},
};

/// How many characters of a number are said back.
const SHORT_CHARS: usize = 90;

/// What a sentence says.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    pub(super) numbers: Vec<Number>,
    /// In lower case.
    pub(super) addresses: BTreeSet<String>,
    /// What holds digits and is no number, as it is written.
    pub(super) passed_over: Vec<String>,
}

/// A number in a sentence.
#[derive(Clone, Debug)]
pub(super) struct Number {
    written: String,
    /// None when its form is not understood; then it equals nothing.
    pub(super) value: Option<Decimal>,
    pub(super) kind: Kind,
    /// Whether the sentence says that it is not exact, or a bound.
    pub(super) is_estimate: bool,
    /// The word right behind it.
    pub(super) unit: Option<String>,
    /// The words around it, in lower case: three before and two behind, as far as the next number.
    pub(super) near: Vec<String>,
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whatever is none of the others.
    Amount,
    /// So many of a hundred, or of ten thousand.
    Share,
    /// In a currency that no chain counts in.
    Money,
    /// A block's height.
    Height,
    /// A chain's id.
    Chain,
}

impl Number {
    /// As it is written, cut when it is long.
    pub(super) fn short(&self) -> String {
        match self.written.char_indices().nth(SHORT_CHARS) {
            Some((at, _)) => format!("{}…", &self.written[..at]),
            None => self.written.clone(),
        }
    }

    /// A text that is the same for equal numbers.
    pub(super) fn key(&self) -> String {
        let value = self.value.as_ref().map(ToString::to_string);
        value.unwrap_or_else(|| self.written.clone())
    }
}

/// Finds them.
pub(super) fn mentions(text: &str) -> Mentions {
    let tokens = tokens(text);
    let mut found = Mentions::default();
    let mut last = Last::default();
    for (at, token) in tokens.iter().enumerate() {
        match &token.is {
            Is::Hex if token.text.len() == 42 => {
                found.addresses.insert(token.text.to_ascii_lowercase());
            }
            Is::Hex | Is::Name => found.passed_over.push(short(token.text)),
            Is::Number(value) => {
                let around = Around::new(&tokens, at);
                if around.is_label(value.as_ref())
                    || around.is_of_a_date(value.as_ref(), last.was_date)
                {
                    last = Last {
                        was_date: around.is_of_a_date(value.as_ref(), last.was_date),
                        ..Last::default()
                    };
                    found.passed_over.push(short(token.text));
                } else {
                    let number = around.number(value.clone(), last);
                    last = Last {
                        was_date: false,
                        was_height: number.kind == Kind::Height,
                    };
                    found.numbers.push(number);
                }
            }
            Is::Word | Is::Sign(_) => {}
        }
    }
    found
}

fn short(text: &str) -> String {
    text.chars().take(SHORT_CHARS).collect()
}

/// What the number before was.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    was_date: bool,
    was_height: bool,
}

/// A number and what stands around it.
struct Around<'a> {
    token: &'a Token<'a>,
    /// The piece right before and the one before that.
    before: [Option<&'a Token<'a>>; 2],
    /// The piece right behind and the one behind that.
    behind: [Option<&'a Token<'a>>; 2],
    /// Words since the number before, the nearest first; at most three, in lower case.
    words_before: Vec<String>,
    /// Words until the next number; at most two.
    words_behind: Vec<&'a Token<'a>>,
}

fn is_word(token: Option<&Token<'_>>, words: &[&str]) -> bool {
    token.is_some_and(|token| {
        token.is == Is::Word && words.contains(&token.text.to_ascii_lowercase().as_str())
    })
}

fn is_sign(token: Option<&Token<'_>>, signs: &str) -> bool {
    token.is_some_and(|token| matches!(token.is, Is::Sign(c) if signs.contains(c)))
}

impl<'a> Around<'a> {
    fn new(tokens: &'a [Token<'a>], at: usize) -> Self {
        let (ahead, behind) = (&tokens[..at], &tokens[at + 1..]);
        let word = |token: &&Token<'_>| token.is == Is::Word;
        let until_number = |token: &&Token<'_>| !matches!(token.is, Is::Number(_));
        Self {
            token: &tokens[at],
            before: [
                ahead.last(),
                ahead.len().checked_sub(2).and_then(|i| ahead.get(i)),
            ],
            behind: [behind.first(), behind.get(1)],
            words_before: ahead
                .iter()
                .rev()
                .take_while(until_number)
                .filter(word)
                .take(3)
                .map(|token| token.text.to_lowercase())
                .collect(),
            words_behind: behind
                .iter()
                .take_while(until_number)
                .filter(word)
                .take(2)
                .collect(),
        }
    }

    fn is_glued(&self, next: &Token<'_>) -> bool {
        self.token.end() == next.start
    }

    /// The number of an item, of a note, or in a row: `1.` before a line, `[1]`, `#1`, `1st`.
    fn is_label(&self, value: Option<&Decimal>) -> bool {
        let small = value
            .and_then(Decimal::to_u64)
            .is_some_and(|value| value < 100 && self.token.text.len() <= 2);
        let begins = self.before[0].is_none_or(|token| token.is == Is::Sign('\n'));
        let item = begins
            && is_sign(self.behind[0], ".)")
            && self.behind[1].is_some_and(|token| token.start > self.token.end() + 1);
        let note = is_sign(self.before[0], "[") && is_sign(self.behind[0], "]");
        let numbered =
            is_sign(self.before[0], "#") && !is_word(self.before[1], &["block", "height"]);
        let ordinal = self.behind[0].is_some_and(|next| {
            self.is_glued(next) && is_word(Some(next), &["st", "nd", "rd", "th"])
        });
        (small && (item || note)) || numbered || ordinal
    }

    /// The day or the year beside a month's name.
    fn is_of_a_date(&self, value: Option<&Decimal>, follows_day: bool) -> bool {
        const MONTHS: [&str; 23] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
            "Jan",
            "Feb",
            "Mar",
            "Apr",
            "Jun",
            "Jul",
            "Aug",
            "Sep",
            "Oct",
            "Nov",
            "Dec",
        ];
        let Some(value) = value.and_then(Decimal::to_u64) else {
            return false;
        };
        let month = |token: Option<&Token<'_>>| token.is_some_and(|t| MONTHS.contains(&t.text));
        let plain = self.token.text.bytes().all(|b| b.is_ascii_digit());
        let year = (1900..=2100).contains(&value) && self.token.text.len() == 4;
        let beside = month(self.before[0]) || (month(self.behind[0]) && value <= 31);
        plain
            && ((beside && (year || (1..=31).contains(&value)))
                || (year && follows_day && is_sign(self.before[0], ",")))
    }

    fn number(&self, value: Option<Decimal>, last: Last) -> Number {
        let mut unit = self.behind[0].filter(|token| token.is == Is::Word);
        let mut value = value;
        let mut end = self.token.end();
        if let Some(word) = unit
            && let Some(places) = multiplier(word.text, self.is_glued(word))
        {
            value = value.and_then(|value| value.times_ten_to(places));
            end = word.end();
            unit = self.behind[1].filter(|token| token.is == Is::Word);
        }
        let written = &self.token.text;
        let behind = end - self.token.end();
        Number {
            kind: self.kind(unit, last),
            is_estimate: self.is_estimate(),
            written: if behind == 0 {
                (*written).to_owned()
            } else {
                format!("{written} {}", self.behind[0].map_or("", |word| word.text))
            },
            value,
            unit: unit.map(|word| word.text.to_owned()),
            near: self
                .words_before
                .iter()
                .cloned()
                .chain(
                    self.words_behind
                        .iter()
                        .map(|word| word.text.to_lowercase()),
                )
                .collect(),
        }
    }

    fn kind(&self, unit: Option<&Token<'_>>, last: Last) -> Kind {
        const SHARES: [&str; 7] = ["percent", "percentage", "pct", "per", "bps", "bp", "basis"];
        const CURRENCIES: [&str; 15] = [
            "usd", "eur", "gbp", "chf", "jpy", "cny", "dollar", "dollars", "euro", "euros",
            "pound", "pounds", "yen", "cents", "cent",
        ];
        if is_sign(self.behind[0], "%‰") || is_word(unit, &SHARES) {
            return Kind::Share;
        }
        let money = is_sign(self.before[0], "$€£¥") || is_word(unit, &CURRENCIES);
        if money || is_word(self.before[0], &CURRENCIES[..6]) {
            return Kind::Money;
        }
        let word = |at: usize| self.words_before.get(at).map_or("", String::as_str);
        let (near, next) = (word(0), word(1));
        let ranged = last.was_height
            && (matches!(near, "to" | "through" | "until")
                || (near.is_empty() && is_sign(self.before[0], "-–—")));
        let names_block = matches!(
            near,
            "block" | "blocks" | "height" | "block_number" | "blocknumber"
        ) || (matches!(near, "number" | "height" | "of" | "no")
            && matches!(next, "block" | "blocks" | "height"));
        if names_block || ranged {
            return Kind::Height;
        }
        if matches!(near, "chain" | "chainid" | "chain_id" | "eip155")
            || (near == "id" && next == "chain")
        {
            return Kind::Chain;
        }
        Kind::Amount
    }

    fn is_estimate(&self) -> bool {
        const WORDS: [&str; 19] = [
            "about",
            "around",
            "approximately",
            "approx",
            "roughly",
            "nearly",
            "almost",
            "over",
            "under",
            "above",
            "below",
            "circa",
            "than",
            "least",
            "most",
            "exceeds",
            "exceeding",
            "upwards",
            "some",
        ];
        is_sign(self.before[0], "~≈<>≥≤±")
            || self
                .words_before
                .iter()
                .take(2)
                .any(|word| WORDS.contains(&word.as_str()))
    }
}

/// How far a word behind a number moves its point.
fn multiplier(word: &str, glued: bool) -> Option<u32> {
    match word {
        "thousand" => Some(3),
        "million" | "mn" => Some(6),
        "billion" | "bn" => Some(9),
        "trillion" => Some(12),
        "k" | "K" if glued => Some(3),
        "m" | "M" | "mm" | "MM" if glued => Some(6),
        "b" | "B" if glued => Some(9),
        "t" | "T" if glued => Some(12),
        _ => None,
    }
}
