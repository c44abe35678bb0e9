//! What stands beside a number, and is not known to change nothing.

use super::{
    scan::{Is, Token},
    words,
};

/// The marks that may stand right before a number.
const OPENING: &str = "\n([{\"'“‘`:=;,|.!?)]";
/// The marks that may stand right behind a number or its unit.
const CLOSING: &str = "\n.,;:!?)]}\"'”’`([|…";

/// What makes an amount unclear that is written by `tokens[first..=last]`: the word or the sign beside it.
pub(super) fn amount(
    tokens: &[Token<'_>],
    first: usize,
    last: usize,
    is_raw: bool,
) -> Option<String> {
    let (ahead, rest) = (&tokens[..first], &tokens[last + 1..]);
    let encloses = is(ahead.last(), "(") && is(rest.first(), ")");
    if encloses {
        // As accountants write a negative number.
        return Some("()".to_owned());
    }
    before(ahead, tokens[first].start).or_else(|| behind(rest, tokens[last].end(), is_raw))
}

/// What makes a number unclear that the words beside it name, as in "6 decimals".
pub(super) fn named(tokens: &[Token<'_>], last: usize) -> Option<String> {
    let (end, rest) = (tokens[last].end(), &tokens[last + 1..]);
    match rest.first() {
        Some(name) if name.is == Is::Word && !words::is_unit(name.text) && end < name.start => {
            after(&rest[1..], name.end())
        }
        _ => after(rest, end),
    }
}

/// The unit that makes an amount of what `tokens[..=last]` end with and is no amount: a label, a date, a height.
pub(super) fn unit(tokens: &[Token<'_>], last: usize) -> Option<String> {
    const COUNTED: [&str; 7] = [
        "tokens", "coins", "wei", "gwei", "units", "rewards", "funds",
    ];
    let mut behind = tokens[last + 1..]
        .iter()
        .skip_while(|token| matches!(token.is, Is::Sign(')' | ']' | '.' | '-' | '$')));
    behind
        .next()
        .filter(|token| token.is == Is::Word)
        .and_then(|token| {
            let word = token.text.to_lowercase();
            let counts = COUNTED.contains(&word.as_str())
                || words::is_ticker(token.text)
                || words::is_numeral(&word)
                || words::is_money(&word);
            counts.then(|| token.text.to_owned())
        })
}

fn is(token: Option<&Token<'_>>, signs: &str) -> bool {
    token.is_some_and(|token| matches!(token.is, Is::Sign(c) if signs.contains(c)))
}

fn unclear(token: &Token<'_>) -> Option<String> {
    Some(token.text.to_owned())
}

fn before(ahead: &[Token<'_>], start: usize) -> Option<String> {
    let (last, rest) = ahead.split_last()?;
    let is_known = match last.is {
        Is::Word => words::leads(last.text) || words::is_unit(last.text),
        Is::Sign('>') => is(rest.last(), "-"),
        Is::Sign(c) => {
            let parts = last.end() == start && c != '\n';
            let is_glued = rest.last().is_some_and(|token| token.end() == last.start);
            OPENING.contains(c)
                && !(parts && ".!?)]".contains(c))
                && !(parts && is_glued && matches!(rest.last().map(|t| &t.is), Some(Is::Number(_))))
        }
        _ => false,
    };
    if is_known { None } else { unclear(last) }
}

fn behind(rest: &[Token<'_>], end: usize, is_raw: bool) -> Option<String> {
    let units = rest
        .iter()
        .take(3)
        .take_while(|token| token.is == Is::Word && words::is_unit(token.text))
        .count();
    let (units, rest) = rest.split_at(units);
    let whole = |unit: &&Token<'_>| {
        words::is_ticker(unit.text)
            || matches!(
                unit.text.to_lowercase().as_str(),
                "token" | "tokens" | "coin" | "coins"
            )
    };
    let mut tickers = units.iter().filter(|unit| words::is_ticker(unit.text));
    // No token counts itself in the smallest unit.
    if let Some(unit) = units.iter().find(whole).filter(|_| is_raw) {
        return unclear(unit);
    }
    if let Some(second) = tickers.nth(1) {
        return unclear(second);
    }
    after(rest, units.last().map_or(end, Token::end))
}

/// What follows a number with its unit, which end at `end`.
fn after(rest: &[Token<'_>], end: usize) -> Option<String> {
    let (next, rest) = rest.split_first()?;
    let is_glued = next.start == end;
    let is_known = match next.is {
        Is::Word => !is_glued && words::follows(next.text),
        Is::Sign(c) if CLOSING.contains(c) => {
            let joins =
                |token: &&Token<'_>| token.start == next.end() && !matches!(token.is, Is::Sign(_));
            match rest.first() {
                Some(inside) if "([".contains(c) && inside.is == Is::Word => {
                    words::leads(inside.text)
                        || words::follows(inside.text)
                        || words::is_unit(inside.text)
                }
                // Digits are left out.
                _ if is_glued && c == '…' => false,
                Some(dot) if is_glued && c == '.' && dot.is == Is::Sign('.') => false,
                Some(_) if "([".contains(c) => !is_glued,
                one => c == '\n' || !(is_glued && one.as_ref().is_some_and(joins)),
            }
        }
        _ => false,
    };
    if is_known { None } else { unclear(next) }
}
