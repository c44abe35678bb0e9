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
    /// 0x and hex digits.
    Hex,
    /// 0x and hex digits of which the middle or the end is left out.
    Short,
    /// Holds digits, and is a name or a time: a date, a UUID, a URL, a version.
    Name,
    /// The end of a name in a directory of addresses: `.eth`.
    Directory,
    /// One character that is none of these; a line's end is one too.
    Sign(char),
}

impl Token<'_> {
    pub(super) const fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) const fn ends(&self) -> (usize, usize) {
        (self.start, self.end())
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

/// The character before a place.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    last: Option<char>,
}

impl Before {
    fn after(self, piece: &str) -> Self {
        Self {
            last: piece.chars().next_back().or(self.last),
        }
    }

    /// Whether something new begins: after nothing, white space or an opening mark.
    fn begins(self) -> bool {
        self.last
            .is_none_or(|c| c.is_whitespace() || "([{<\"'`,;:=|/~≈$€£¥#".contains(c))
    }
}

/// The length of the piece that `rest` begins with, and what it is; `None` for white space.
fn piece(rest: &str, first: char, before: Before) -> (usize, Option<Is>) {
    let sign = (first.len_utf8(), Some(Is::Sign(first)));
    if first.is_whitespace() {
        return (first.len_utf8(), (first == '\n').then_some(Is::Sign('\n')));
    }
    let link = before.begins().then(|| url(rest)).flatten();
    if let Some(length) = link.or_else(|| standard(rest)).or_else(|| uuid(rest)) {
        return (length, Some(Is::Name));
    }
    if let Some((length, is)) = hex(rest) {
        return (length, Some(is));
    }
    if first.is_ascii_digit() {
        if let Some(length) = date_or_time(rest) {
            return (length, Some(Is::Name));
        }
        if let Some(length) = mixed(rest) {
            return (length, Some(Is::Number(None)));
        }
        let (length, is) = number(rest, false);
        return (length, Some(is));
    }
    if first.is_numeric() {
        return (run(rest, char::is_numeric), Some(Is::Number(None)));
    }
    if first.is_alphabetic() || first == '_' {
        let length = run(rest, |c| c.is_alphanumeric() || c == '_');
        return match version(rest, length) {
            Some(length) => (length, Some(Is::Name)),
            None => (length, Some(Is::Word)),
        };
    }
    if first == '.'
        && before.last.is_some_and(|c| !c.is_whitespace())
        && let Some(length) = directory(rest)
    {
        return (length, Some(Is::Directory));
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

/// An absolute URL: a scheme (RFC 3986 §3.1), `://`, and what may stand in a sentence's URL. A mark that more often ends
/// a URL than belongs to it ends it, so that a number behind it is not taken for a part.
fn url(text: &str) -> Option<usize> {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let scheme = run(text, |c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    // Others are made up as easily as a number is hidden in one.
    if !["http", "https", "ipfs"].contains(&&text[..scheme]) {
        return None;
    }
    let after = text[scheme..].strip_prefix("://")?;
    let ends = |c: char| c.is_whitespace() || "()[]{}<>\"'`,;|".contains(c);
    Some(scheme + 3 + run(after, |c| !ends(c)))
}

/// The name of a standard, which ends in its number: ERC-20, RFC 8785 is not one. Other words that a hyphen joins to a
/// number may name a token.
fn standard(text: &str) -> Option<usize> {
    const BODIES: [&str; 13] = [
        "ERC", "EIP", "BEP", "TRC", "CAIP", "BIP", "SLIP", "RIP", "RFC", "ISO", "SHA", "UTF", "SPL",
    ];
    let body = run(text, |c| c.is_ascii_alphabetic());
    let number = text[body..].strip_prefix('-')?;
    let length = digits(number);
    let ends = !number[length..].starts_with(|c: char| c.is_alphanumeric())
        && !number[length..]
            .strip_prefix(['.', ',', '_'])
            .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    (BODIES.contains(&&text[..body]) && (1..=5).contains(&length) && ends)
        .then_some(body + 1 + length)
}

/// `v1.2.3`, of which the first `word` bytes are one word.
fn version(text: &str, word: usize) -> Option<usize> {
    let first = text[..word].strip_prefix(['v', 'V'])?;
    if first.is_empty() || digits(first) < first.len() {
        return None;
    }
    let rest = text[word..].strip_prefix('.')?;
    let length = run(rest, |c| c.is_ascii_digit() || c == '.');
    let length = rest[..length].trim_end_matches('.').len();
    (length > 0).then_some(word + 1 + length)
}

/// The end of a name that stands for an address somewhere: `.eth`.
fn directory(text: &str) -> Option<usize> {
    const DIRECTORIES: [&str; 6] = ["eth", "bnb", "arb", "lens", "crypto", "nft"];
    let after = text.strip_prefix('.')?;
    let length = run(after, char::is_alphanumeric);
    let name = &after[..length];
    DIRECTORIES
        .iter()
        .any(|one| one.eq_ignore_ascii_case(name))
        .then_some(1 + length)
}

/// A hash or an address, also one that is cut short: 0x1234…abcd, 0x1234…, 0x1234.
fn hex(text: &str) -> Option<(usize, Is)> {
    let after = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    let given = run(after, |c| c.is_ascii_hexdigit());
    let length = 2 + given;
    let rest = &text[length..];
    let dots = run(rest, |c| c == '.' || c == '…');
    let gap = &rest[..dots];
    let tail = run(&rest[dots..], |c| c.is_ascii_hexdigit());
    if given < 40 && (gap.contains('…') || gap.len() > 1) && given + tail > 0 {
        return Some((length + dots + tail, Is::Short));
    }
    // Shorter ones are numbers and bytes: 0x1, 0x00.
    let is = if (4..40).contains(&given) {
        Is::Short
    } else {
        Is::Hex
    };
    (given > 0).then_some((length, is))
}

/// `2026-11-30`, `2026-11-30T12:00:00.000Z`, `30/11/2026`, `12:30`, `12:30:05`: only what can be a date or a time.
fn date_or_time(text: &str) -> Option<usize> {
    let end = run(text, |c| c.is_ascii_digit() || "-/:".contains(c));
    let form = text[..end].trim_end_matches(['-', '/', ':']);
    let parts = |mark: char| -> Option<Vec<u16>> {
        let short = |part: &str| (1..=4).contains(&part.len());
        form.split(mark)
            .map(|part| short(part).then(|| part.parse().ok()).flatten())
            .collect()
    };
    let is_year = |year: u16| (1900..=2100).contains(&year);
    let is_day = |month: u16, day: u16| (1..=12).contains(&month) && (1..=31).contains(&day);
    match *parts('-').unwrap_or_default() {
        [year, month, day] if form.len() == 10 && is_year(year) && is_day(month, day) => {
            let time = text[form.len()..].strip_prefix('T').map_or(0, |time| {
                1 + run(time, |c| c.is_ascii_digit() || ":.Z+".contains(c))
            });
            return Some(text[..form.len() + time].trim_end_matches('.').len());
        }
        _ => {}
    }
    let is_date = match *parts('/').unwrap_or_default() {
        [a, b, year] => is_year(year) && (is_day(a, b) || is_day(b, a)),
        _ => false,
    };
    let is_time = match *parts(':').unwrap_or_default() {
        [hour, minute] => hour < 24 && minute < 60 && form.len() - form.find(':')? == 3,
        [hour, minute, second] => hour < 24 && minute < 60 && second < 60 && form.len() >= 7,
        _ => false,
    };
    (is_date || is_time).then_some(form.len())
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
        // A second point: 1.234.567 parts thousands, 1.2.3 and 1,234.5.6 do not.
        let all = length + run(&text[length..], |c| c.is_ascii_digit() || c == '.');
        let text = text[..all].trim_end_matches('.');
        if text.contains(|c: char| !c.is_ascii_digit() && c != '.') {
            return (text.len(), Is::Number(None));
        }
        let mut parts = text.split('.');
        let first = parts.next().unwrap_or_default();
        if first.len() <= 3 && parts.all(|part| part.len() == 3) {
            let value = Decimal::new(negative, &text.replace('.', ""), "");
            return (text.len(), Is::Number(value));
        }
        return (text.len(), Is::Number(None));
    }
    let mut value = whole.and_then(|whole| Decimal::new(negative, &whole, fraction));
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

/// The digits before the point, without what parts their thousands; `None` when they are parted in no way that is
/// understood.
fn grouped(text: &str) -> (usize, Option<String>) {
    let first = digits(text);
    let plain = (first, Some(text[..first].to_owned()));
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
    let (mut length, mut whole) = (first, text[..first].to_owned());
    while let Some(after) = text[length..].strip_prefix(mark) {
        match digits(after) {
            0 => break,
            3 => {
                whole.push_str(&after[..3]);
                length += mark.len_utf8() + 3;
            }
            // 1,2345 and 1,23 are no thousands; then the comma is one between two numbers.
            _ if length == first => return plain,
            // 1,000,23: what has been read is not read again as several numbers.
            more => return (length + mark.len_utf8() + more, None),
        }
    }
    (length, Some(whole))
}
