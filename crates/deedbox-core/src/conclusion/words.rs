//! The words that may stand beside a number without changing it. Whatever is not here makes a number unclear: a list of
//! what changes nothing can be complete enough, a list of all that changes something cannot.

/// Words right before a number.
const BEFORE: &[&str] = &[
    "a",
    "account",
    "address",
    "after",
    "again",
    "also",
    "amount",
    "amounts",
    "an",
    "and",
    "are",
    "as",
    "at",
    "balance",
    "balances",
    "be",
    "been",
    "block",
    "blocks",
    "both",
    "but",
    "by",
    "contained",
    "contains",
    "decimals",
    "equal",
    "equals",
    "exactly",
    "for",
    "from",
    "got",
    "had",
    "has",
    "have",
    "held",
    "hold",
    "holding",
    "holdings",
    "holds",
    "in",
    "is",
    "it",
    "its",
    "of",
    "on",
    "own",
    "owned",
    "owns",
    "pool",
    "precisely",
    "read",
    "reads",
    "received",
    "receives",
    "reserve",
    "reserves",
    "saw",
    "sent",
    "sends",
    "shows",
    "supply",
    "that",
    "the",
    "then",
    "to",
    "token",
    "tokens",
    "total",
    "totals",
    "transfer",
    "transferred",
    "transfers",
    "value",
    "was",
    "were",
    "while",
    "with",
];

/// Words right behind a number or its unit.
const BEHIND: &[&str] = &[
    "a", "after", "again", "also", "although", "an", "and", "are", "as", "at", "balance", "be",
    "because", "before", "block", "both", "but", "by", "for", "from", "had", "has", "have", "held",
    "in", "into", "is", "it", "its", "later", "now", "of", "on", "raw", "read", "received", "sent",
    "since", "so", "that", "the", "then", "there", "they", "this", "to", "today", "was", "were",
    "when", "where", "which", "while", "with",
];

/// Units that are no ticker, in lower case.
const UNITS: &[&str] = &[
    "token", "tokens", "coin", "coins", "wei", "gwei", "unit", "units", "raw", "base", "smallest",
    "atomic",
];

/// Tickers that are often written in lower case.
const TICKERS: &[&str] = &[
    "btc", "dai", "eth", "ether", "ethers", "reth", "steth", "usdc", "usdt", "wbtc", "weth",
    "wsteth",
];

/// What multiplies, divides or turns round, and in capitals would look like a ticker.
const MAGNITUDES: &[&str] = &[
    "milliard",
    "milliards",
    "grand",
    "kilo",
    "mega",
    "giga",
    "less",
    "more",
    "iou",
    "ious",
    "debt",
    "bln",
    "bn",
    "bp",
    "bps",
    "crore",
    "crores",
    "doz",
    "dozen",
    "dozens",
    "half",
    "hundred",
    "hundreds",
    "kk",
    "lakh",
    "lakhs",
    "mia",
    "mil",
    "mill",
    "mio",
    "mld",
    "mln",
    "mm",
    "mn",
    "mrd",
    "pc",
    "pct",
    "percent",
    "ppb",
    "ppm",
    "score",
    "tenth",
    "tenths",
    "third",
    "thirds",
    "thousand",
    "thousands",
    "tn",
    "trn",
];

/// Numbers in words, which are not compared.
const NUMERALS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "hundreds",
    "thousand",
    "thousands",
    "dozen",
    "dozens",
    "lakh",
    "lakhs",
    "crore",
    "crores",
    "half",
    "halves",
];

/// Words that deny a whole sentence, turn it into its opposite or a wish, or say it of several.
const DENIALS: &[&str] = &[
    "not", "never", "nor", "neither", "cannot", "isn", "wasn", "aren", "weren", "doesn", "didn",
    "don", "hasn", "hadn", "haven", "won", "wouldn", "isnt", "doesnt", "didnt", "hasnt", "longer",
    "false", "untrue", "wrong", "owe", "owes", "owed", "lacks", "lacked", "minus", "negative",
    "except", "without", "unless", "if", "nothing", "none", "can", "could", "might", "will",
    "would", "should", "must", "used", "limit", "expected", "each", "every",
];

/// Words for money.
const MONEY: &[&str] = &[
    "price", "priced", "worth", "cost", "costs", "valued", "dollar", "dollars", "euro", "euros",
    "pound", "pounds", "yen", "rupee", "rupees", "buck", "bucks", "cent", "cents", "usd", "eur",
    "gbp", "chf", "jpy", "cny", "inr", "krw", "cad", "aud",
];

fn is_in(list: &[&str], word: &str) -> bool {
    list.contains(&word.to_lowercase().as_str())
}

/// Whether `word` may stand before a number.
pub(super) fn leads(word: &str) -> bool {
    is_in(BEFORE, word)
}

/// Whether `word` may stand behind a number or its unit.
pub(super) fn follows(word: &str) -> bool {
    is_in(BEHIND, word)
}

/// Whether `word` is the unit of an amount.
pub(super) fn is_unit(word: &str) -> bool {
    is_in(UNITS, word) || is_ticker(word)
}

/// Whether `word` is a token's symbol as they are usually written: two to eleven ASCII letters, two of them capitals.
/// Which token it is, is not known.
pub(super) fn is_ticker(word: &str) -> bool {
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let letters = word.chars().all(|c| c.is_ascii_alphabetic());
    let looks = letters && (2..=11).contains(&word.len()) && capitals >= 2;
    let means_else = [BEFORE, BEHIND, UNITS, MAGNITUDES, DENIALS, MONEY]
        .iter()
        .any(|list| is_in(list, word));
    let means_else = means_else || is_numeral(word);
    is_in(TICKERS, word) || (looks && !means_else)
}

/// Whether `word` is a number, or a part of one.
pub(super) fn is_numeral(word: &str) -> bool {
    let word = word.to_lowercase();
    NUMERALS.contains(&word.as_str()) || word.ends_with("illion") || word.ends_with("illions")
}

/// Whether `word` denies what it stands in.
pub(super) fn denial(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    DENIALS.iter().copied().find(|denial| *denial == word)
}

/// Whether `word` speaks of money.
pub(super) fn is_money(word: &str) -> bool {
    is_in(MONEY, word)
}
