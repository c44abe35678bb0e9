//! A sentence cut into words, numbers and what is neither.

use super::decimal::Decimal;

/// A piece of a text, with where it begins and ends, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) start: usize,
    pub(super) text: &'a str,
    pub(super) is: Is,
}

/// What a piece is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Is {
    /// Letters, perhaps with digits after the first.
    Word,
    /// A number. `None`: it has digits, but not in a form that is understood.
    Number(Option<Decimal>),
    /// 0x and hex digits, perhaps abbreviated in the middle.
    Hex,
    /// Holds digits, and is a name or a time: a date, a UUID, a URL, a version.
    Name,
    /// One character that is none of these; a line's end is one too.
    Sign(char),
}

impl Token<'_> {
    pub(super) const fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Cuts `text` up. White space is left out, but for line ends.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut start, mut before) = (0, Before::default());
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let (length, is) = piece(rest, first, before);
        let piece = &rest[..length];
        if let Some(is) = is {
            tokens.push(Token {
                start,
                text: piece,
                is,
            });
        }
        before = before.after(piece);
        start += length;
    }
    tokens
}

/// The two characters before a place.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    last: Option<char>,
    second: Option<char>,
}

impl Before {
    fn after(self, piece: &str) -> Self {
        let mut back = piece.chars().rev();
        let last = back.next();
        Self {
            last,
            second: back.next().or(self.last),
        }
    }

    /// Whether something new begins: after nothing, white space or an opening mark.
    fn begins(self) -> bool {
        self.last
            .is_none_or(|c| c.is_whitespace() || "([{<\"'`,;:=|/~≈$€£¥#".contains(c))
    }

    /// Whether a hyphen joins what follows to a name in capitals, as in ERC-20.
    fn joins_name(self) -> bool {
        self.last == Some('-') && self.second.is_some_and(char::is_uppercase)
    }
}

/// The length of the piece that `rest` begins with, and what it is; `None` for white space.
fn piece(rest: &str, first: char, before: Before) -> (usize, Option<Is>) {
    let sign = (first.len_utf8(), Some(Is::Sign(first)));
    if first.is_whitespace() {
        return (first.len_utf8(), (first == '\n').then_some(Is::Sign('\n')));
    }
    if before.begins() {
        let chunk = run(rest, |c| !c.is_whitespace());
        if rest[..chunk].contains("://") {
            return (chunk, Some(Is::Name));
        }
    }
    if let Some(length) = uuid(rest) {
        return (length, Some(Is::Name));
    }
    if let Some(length) = hex(rest) {
        return (length, Some(Is::Hex));
    }
    if first.is_ascii_digit() {
        if let Some(length) = date_or_time(rest).or_else(|| mixed(rest)) {
            return (length, Some(Is::Name));
        }
        let (length, value) = number(rest, false);
        let is = if before.joins_name() { Is::Name } else { value };
        return (length, Some(is));
    }
    if first.is_numeric() {
        return (run(rest, char::is_numeric), Some(Is::Number(None)));
    }
    if first.is_alphabetic() || first == '_' {
        let length = run(rest, |c| c.is_alphanumeric() || c == '_');
        return (length, Some(Is::Word));
    }
    let after = &rest[first.len_utf8()..];
    let digit_follows = after.starts_with(|c: char| c.is_ascii_digit());
    match first {
        '-' | '\u{2212}' if digit_follows && before.begins() && date_or_time(after).is_none() => {
            let (length, value) = number(after, true);
            (first.len_utf8() + length, Some(value))
        }
        '.' if digit_follows && before.begins() => {
            let length = run(after, |c| c.is_ascii_digit());
            let value = Decimal::new(false, "", &after[..length]);
            (1 + length, Some(Is::Number(value)))
        }
        _ => sign,
    }
}

/// How many bytes at the beginning of `text` are of characters that `are`.
fn run(text: &str, are: impl Fn(char) -> bool) -> usize {
    text.find(|c| !are(c)).unwrap_or(text.len())
}

fn digits(text: &str) -> usize {
    run(text, |c| c.is_ascii_digit())
}

fn uuid(text: &str) -> Option<usize> {
    let candidate = text.get(..36)?;
    let ends = !text[36..].starts_with(char::is_alphanumeric);
    (ends && uuid::Uuid::try_parse(candidate).is_ok()).then_some(36)
}

/// A hash or an address, also one that is cut short in the middle: 0x1234…abcd.
fn hex(text: &str) -> Option<usize> {
    let after = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    let length = 2 + run(after, |c| c.is_ascii_hexdigit());
    let rest = &text[length..];
    let dots = run(rest, |c| c == '.' || c == '…');
    let gap = &rest[..dots];
    let tail = run(&rest[dots..], |c| c.is_ascii_hexdigit());
    if (gap.contains('…') || gap.len() > 1) && tail > 0 {
        return Some(length + dots + tail);
    }
    (length > 2).then_some(length)
}

/// `2026-11-30`, `2026-11-30T12:00:00.000Z`, `30/11/2026`, `12:30`, `12:30:05`.
fn date_or_time(text: &str) -> Option<usize> {
    let shape: String = text
        .chars()
        .take(12)
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    let fits = |form: &str| {
        let more = shape.strip_prefix(form)?;
        (!more.starts_with('0')).then_some(form.len())
    };
    if let Some(date) = fits("0000-00-00") {
        let time = text[date..].strip_prefix('T').map_or(0, |time| {
            1 + run(time, |c| c.is_ascii_digit() || ":.Z+".contains(c))
        });
        let text = text[..date + time].trim_end_matches('.');
        return Some(text.len());
    }
    [
        "00/00/0000",
        "0/00/0000",
        "00/0/0000",
        "0/0/0000",
        "00:00:00",
        "0:00:00",
        "00:00",
        "0:00",
    ]
    .into_iter()
    .find_map(fits)
}

/// Digits and letters mixed, as in a piece of a hash (`3f9a1`). A number with an exponent or with letters behind it is
/// not one.
fn mixed(text: &str) -> Option<usize> {
    let length = run(text, |c| c.is_alphanumeric() || c == '_');
    let letters = text[..length].trim_start_matches(|c: char| c.is_ascii_digit());
    let is_exponent = letters
        .strip_prefix(['e', 'E'])
        .is_some_and(|power| !power.is_empty() && power.bytes().all(|b| b.is_ascii_digit()));
    let has_more = letters.contains(|c: char| c.is_ascii_digit());
    // An underscore may part thousands; see `grouped`.
    (has_more && !is_exponent && !letters.starts_with('_')).then_some(length)
}

/// A number that begins with a digit, and its length.
fn number(text: &str, negative: bool) -> (usize, Is) {
    let (mut length, whole) = grouped(text);
    let mut fraction = "";
    if let Some(after) = text[length..].strip_prefix('.') {
        let places = digits(after);
        if places > 0 {
            fraction = &after[..places];
            length += 1 + places;
        }
    }
    if let Some(after) = text[length..].strip_prefix('.')
        && !fraction.is_empty()
        && digits(after) > 0
    {
        // A second point: 1.234.567 parts thousands, 1.2.3 is a version.
        let all = run(text, |c| c.is_ascii_digit() || c == '.');
        let text = text[..all].trim_end_matches('.');
        let mut parts = text.split('.');
        let first = parts.next().unwrap_or_default();
        if first.len() <= 3 && parts.all(|part| part.len() == 3) {
            let value = Decimal::new(negative, &text.replace('.', ""), "");
            return (text.len(), Is::Number(value));
        }
        return (text.len(), Is::Name);
    }
    let mut value = Decimal::new(negative, &whole, fraction);
    if let Some(after) = text[length..].strip_prefix(['e', 'E']) {
        let power = after.strip_prefix('+').unwrap_or(after);
        let places = digits(power);
        if places > 0 {
            length += 1 + (after.len() - power.len()) + places;
            let places = power[..places].parse().ok();
            value = value
                .zip(places)
                .and_then(|(value, n)| value.times_ten_to(n));
        }
    }
    if text[length..].starts_with(['^', '⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'])
    {
        value = None;
    }
    (length, Is::Number(value))
}

/// The digits before the point, without what parts their thousands.
fn grouped(text: &str) -> (usize, String) {
    let first = digits(text);
    let plain = (first, text[..first].to_owned());
    let Some(mark) = text[first..].chars().next() else {
        return plain;
    };
    // Not an ordinary space: it parts two numbers as often.
    let parts = matches!(
        mark,
        ',' | '_' | '\'' | '’' | '\u{a0}' | '\u{2009}' | '\u{202f}'
    );
    if !parts || first > 3 {
        return plain;
    }
    let (mut length, mut whole) = plain.clone();
    while let Some(after) = text[length..].strip_prefix(mark) {
        if digits(after) != 3 {
            // 1,2345 and 1,23 are no thousands; then the comma is one between two numbers.
            return if digits(after) > 0 {
                plain
            } else {
                (length, whole)
            };
        }
        whole.push_str(&after[..3]);
        length += mark.len_utf8() + 3;
    }
    (length, whole)
}
