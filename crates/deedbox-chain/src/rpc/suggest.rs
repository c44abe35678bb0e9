//! What an endpoint suggests when it refuses: how many blocks, how many calls. Read from lower-case words; a
//! suggestion is only ever used when it is smaller than what was refused.

/// More than this is no suggestion.
const MOST: u64 = 10_000_000;

/// How many blocks one search may cover: the width of a range that is suggested, else the limit that is named.
pub(super) fn blocks(text: &str) -> Option<u64> {
    range(text).or_else(|| limit(text))
}

/// The width of a suggested range: `[0x1a, 0x1f]`, `26-31`.
pub(super) fn range(text: &str) -> Option<u64> {
    bracketed(text)
        .or_else(|| dashed(text))
        .filter(|n| *n <= MOST)
}

fn bracketed(text: &str) -> Option<u64> {
    let inner = text.split_once("[0x")?.1.split_once(']')?.0;
    let (from, to) = inner.split_once(',')?;
    let to = to.trim().strip_prefix("0x")?;
    width(
        u64::from_str_radix(from.trim(), 16).ok()?,
        u64::from_str_radix(to, 16).ok()?,
    )
}

fn dashed(text: &str) -> Option<u64> {
    let inner = text.split_once("with the range ")?.1;
    let (from, to) = inner.split_once('-')?;
    let end = to.find(|c: char| !c.is_ascii_digit()).unwrap_or(to.len());
    width(from.trim().parse().ok()?, to[..end].parse().ok()?)
}

fn width(from: u64, to: u64) -> Option<u64> {
    to.checked_sub(from)?.checked_add(1)
}

/// The first number after words that announce a limit.
fn limit(text: &str) -> Option<u64> {
    const ANNOUNCE: &[&str] = &[
        "maximum",
        "up to",
        "limited to",
        "limit",
        "max",
        "ranges over",
        "at most",
        "more than",
    ];
    ANNOUNCE
        .iter()
        .filter_map(|words| text.split_once(words))
        .find_map(|(_, rest)| number(rest))
        .filter(|n| (1..=MOST).contains(n))
}

/// The first number in `text`, with commas between its digits and `k` or `m` behind it.
fn number(text: &str) -> Option<u64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || c == ','))
        .unwrap_or(rest.len());
    let digits: String = rest[..end].chars().filter(char::is_ascii_digit).collect();
    let unit = match rest[end..].chars().next() {
        Some('k') => 1_000,
        Some('m') => 1_000_000,
        _ => 1,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// How many calls one batch may hold.
pub(super) fn batch(text: &str) -> Option<usize> {
    usize::try_from(limit(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_as_wide_as_it_says() {
        assert_eq!(range("should work: [0x1180fca, 0x1180fd3]"), Some(10));
        assert_eq!(range("try with this block range [0x5, 0x5]"), Some(1));
        assert_eq!(range("retry with the range 24383075-24383096"), Some(22));
        for bad in [
            "[0x5, 0x4]",
            "[0x, 0x]",
            "[0x5",
            "[0x0, 0xffffffffffffffff]",
            "range a-b",
            "",
        ] {
            assert_eq!(range(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_limit_is_the_number_behind_it() {
        assert_eq!(blocks("block span 5001 exceeds the limit 1000"), Some(1000));
        assert_eq!(blocks("up to a 2k block range"), Some(2000));
        assert_eq!(blocks("limited to a 1m range"), Some(1_000_000));
        assert_eq!(blocks("maximum block range: 0"), None);
        assert_eq!(blocks("maximum block range: 99999999999999999999"), None);
        assert_eq!(blocks("block range is too wide"), None);
    }
}
