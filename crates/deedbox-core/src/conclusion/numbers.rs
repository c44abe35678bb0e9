//! What a sentence says that can be compared: its numbers, and what kind each is of; and the addresses that it names.

mod labels;

use std::collections::BTreeSet;

use super::{
    beside,
    decimal::Decimal,
    hedges,
    scan::{Is, Token, tokens},
    words,
};

/// How many characters of a number, or of what is passed over, are said back.
const SHORT_CHARS: usize = 90;

/// How many digits a name may hold: x402, reserve1. More of them could be an amount.
const NAME_DIGITS: usize = 3;

/// What a sentence says.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    pub(super) numbers: Vec<Number>,
    /// In lower case.
    pub(super) addresses: BTreeSet<String>,
    /// How shortened addresses and hashes begin and end, in lower case.
    pub(super) shortened: BTreeSet<(String, String)>,
    /// Whether it names an account by a name in a directory, as in `vitalik.eth`.
    pub(super) has_account_name: bool,
    /// What holds digits and is no number, as it is written.
    pub(super) passed_over: Vec<String>,
    /// A word that denies the whole sentence.
    pub(super) denial: Option<&'static str>,
    /// What may be a number, and is not understood, as it is written.
    pub(super) unclear: Vec<String>,
}

/// A number in a sentence.
#[derive(Clone, Debug)]
pub(super) struct Number {
    written: String,
    /// None when its form is not understood; then it equals nothing.
    pub(super) value: Option<Decimal>,
    pub(super) kind: Kind,
    /// The word or sign that makes it an estimate, a bound, a multiple or a denial.
    pub(super) hedge: Option<&'static str>,
    /// What stands beside it, and may make it another amount.
    pub(super) beside: Option<String>,
    /// The same, where the words beside it are its name.
    pub(super) beside_name: Option<String>,
    /// Whether a block's height is called one end of a range.
    pub(super) is_in_range: bool,
    /// Whether the sentence calls it a number of the smallest unit.
    pub(super) is_called_raw: bool,
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
        short(&self.written)
    }

    /// The token's symbol that is said to count it.
    pub(super) fn ticker(&self) -> Option<&str> {
        let unit = self.unit.as_deref().filter(|_| self.kind == Kind::Amount);
        unit.filter(|unit| words::is_ticker(unit))
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
            Is::Short => {
                let text = token.text.to_ascii_lowercase();
                let mut ends = text.splitn(2, ['.', '…']);
                let begin = ends.next().unwrap_or_default().to_owned();
                let end = ends.next().unwrap_or_default();
                let end = end.trim_start_matches(['.', '…']).to_owned();
                found.shortened.insert((begin, end));
            }
            Is::Directory => found.has_account_name = true,
            Is::Hex if token.text.len() != 66 => found.unclear.push(short(token.text)),
            Is::Hex | Is::Name => found.pass_over(&tokens, at, token.text),
            Is::Word if token.text.contains(char::is_numeric) => {
                let digits = token.text.chars().filter(|c| c.is_numeric()).count();
                if digits > NAME_DIGITS {
                    found.unclear.push(short(token.text));
                } else {
                    found.pass_over(&tokens, at, token.text);
                }
            }
            // Behind a number it is its multiplier, or stands beside it.
            Is::Word
                if words::is_numeral(token.text)
                    && !matches!(
                        at.checked_sub(1).map(|at| &tokens[at].is),
                        Some(Is::Number(_))
                    ) =>
            {
                found.unclear.push(short(token.text));
            }
            Is::Word => found.denial = found.denial.or(words::denial(token.text)),
            Is::Number(value) => {
                let around = Around::new(&tokens, at);
                let of_date = around.is_of_a_date(value.as_ref(), last.was_date);
                let label = around.label(value.as_ref());
                if let Some((start, end)) = label.or(of_date.then(|| token.ends())) {
                    last = Last {
                        was_date: of_date,
                        ..Last::default()
                    };
                    found.pass_over(&tokens, at, &text[start..end]);
                } else {
                    let number = around.number(value.clone(), last);
                    last = Last {
                        was_date: false,
                        was_height: number.kind == Kind::Height,
                    };
                    found.numbers.push(number);
                }
            }
            Is::Sign(_) => {}
        }
    }
    found
}

impl Mentions {
    /// Passes over what `tokens[at]` ends, unless a unit makes an amount of it.
    fn pass_over(&mut self, tokens: &[Token<'_>], at: usize, text: &str) {
        let text = short(text);
        match beside::unit(tokens, at) {
            Some(unit) => self.unclear.push(format!("{text} {}", short(&unit))),
            None => self.passed_over.push(text),
        }
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHORT_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What the number before was.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    was_date: bool,
    was_height: bool,
}

/// A number and what stands around it.
struct Around<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    token: &'a Token<'a>,
    /// The piece right before and the one before that.
    before: [Option<&'a Token<'a>>; 2],
    /// The piece right behind and the one behind that.
    behind: [Option<&'a Token<'a>>; 2],
    /// Words since the number before, the nearest first; at most five, in lower case.
    words_before: Vec<String>,
    /// Words until the next number; at most five, in lower case.
    words_behind: Vec<String>,
    /// How many of them stand right behind it, without a sign between.
    joined: usize,
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
            tokens,
            at,
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
                .take(5)
                .map(|token| token.text.to_lowercase())
                .collect(),
            joined: behind.iter().take(5).take_while(word).count(),
            words_behind: behind
                .iter()
                .take_while(until_number)
                .filter(word)
                .take(5)
                .map(|token| token.text.to_lowercase())
                .collect(),
        }
    }

    fn is_glued(&self, next: &Token<'_>) -> bool {
        self.token.end() == next.start
    }

    fn number(&self, value: Option<Decimal>, last: Last) -> Number {
        let mut unit = self.behind[0].filter(|token| token.is == Is::Word);
        let mut value = value;
        let mut end = self.token.end();
        let mut last_at = self.at;
        if let Some(word) = unit
            && let Some(places) = multiplier(word.text, self.is_glued(word))
        {
            value = value.and_then(|value| value.times_ten_to(places));
            end = word.end();
            last_at += 1;
            unit = self.behind[1].filter(|token| token.is == Is::Word);
        }
        let written = &self.token.text;
        let behind = end - self.token.end();
        let kind = self.kind(unit, last);
        let is_called_raw = self.is_called_raw();
        Number {
            kind,
            hedge: self.hedge(),
            beside: match kind {
                Kind::Height | Kind::Chain => beside::unit(self.tokens, last_at),
                _ => beside::amount(self.tokens, self.at, last_at, is_called_raw),
            },
            beside_name: beside::named(self.tokens, last_at),
            is_in_range: last.was_height
                || self.words_before.iter().take(2).any(|word| {
                    matches!(
                        word.as_str(),
                        "from" | "blocks" | "between" | "since" | "to" | "until"
                    )
                }),
            is_called_raw,
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
                .take(3)
                .chain(self.words_behind.iter().take(2))
                .cloned()
                .collect(),
        }
    }

    fn kind(&self, unit: Option<&Token<'_>>, last: Last) -> Kind {
        const SHARES: [&str; 7] = ["percent", "percentage", "pct", "per", "bps", "bp", "basis"];
        if is_sign(self.behind[0], "%‰‱％") || is_word(unit, &SHARES) {
            return Kind::Share;
        }
        let currency = "$€£¥₹₩₽";
        let signs = is_sign(self.before[0], currency) || is_sign(self.behind[0], currency);
        let money = |word: &String| words::is_money(word);
        let near = self.words_before.iter().take(3);
        // "1234.5 in dollars", "1234.5 (dollars)"; the price in the next part of a sentence is its own.
        let joined = self.words_behind.iter().take(self.joined.min(3));
        if signs
            || unit.is_some_and(|unit| words::is_money(unit.text))
            || near.chain(joined).any(money)
        {
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

    fn hedge(&self) -> Option<&'static str> {
        let before: Vec<&str> = self.words_before.iter().map(String::as_str).collect();
        let behind: Vec<&str> = self.words_behind.iter().map(String::as_str).collect();
        let arrow = is_sign(self.before[0], ">") && is_sign(self.before[1], "-");
        let equals = is_sign(self.before[0], "=") && is_sign(self.before[1], "<>!~≈");
        let signs = is_sign(self.before[0], hedges::SIGNS) && !arrow;
        let plus = is_sign(self.behind[0], "+") && self.behind[0].is_some_and(|t| self.is_glued(t));
        if equals || signs || plus {
            return Some("a sign");
        }
        hedges::before(&before).or_else(|| hedges::behind(&behind))
    }

    fn is_called_raw(&self) -> bool {
        const RAW: [&str; 7] = [
            "raw",
            "raw_amount",
            "smallest",
            "atomic",
            "base",
            "wei",
            "gwei",
        ];
        // Behind it, only what is joined to it: in "5 USDC (raw 5000000)" the word is the next number's.
        let words = self.words_behind.iter().take(self.joined);
        self.words_before
            .iter()
            .chain(words)
            .any(|word| RAW.contains(&word.as_str()))
    }
}

/// How far a word behind a number moves its point.
fn multiplier(word: &str, glued: bool) -> Option<u32> {
    match word.to_ascii_lowercase().as_str() {
        "thousand" => return Some(3),
        "million" => return Some(6),
        "billion" => return Some(9),
        "trillion" => return Some(12),
        _ => {}
    }
    match word {
        "mn" => Some(6),
        "bn" => Some(9),
        "k" | "K" if glued => Some(3),
        "m" | "M" | "mm" | "MM" if glued => Some(6),
        "b" | "B" if glued => Some(9),
        "t" | "T" if glued => Some(12),
        _ => None,
    }
}
