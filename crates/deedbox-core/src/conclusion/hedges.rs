//! Words and signs by which a sentence does not say a number exactly: estimates, bounds, multiples and denials. A reading
//! supports none of these.

/// Signs right before a number.
pub(super) const SIGNS: &str = "~∼≈≅<>≥≤≲≳⩾⩽±≠×";

/// How many words before a number are looked at for each word.
const BEFORE: [(&[&str], usize); 3] = [
    (
        &[
            "some", "near", "most", "ca", "min", "max", "upto", "like", "times",
        ],
        1,
    ),
    (
        &[
            "about",
            "around",
            "approximately",
            "approx",
            "roughly",
            "circa",
            "nearly",
            "almost",
            "barely",
            "over",
            "under",
            "above",
            "below",
            "beyond",
            "within",
            "least",
            "upwards",
            "maybe",
            "perhaps",
            "probably",
            "estimated",
            "atleast",
            "atmost",
        ],
        2,
    ),
    (
        &[
            "than",
            "exceed",
            "exceeds",
            "exceeded",
            "exceeding",
            "surpass",
            "surpasses",
            "surpassed",
            "between",
            "minimum",
            "maximum",
            "half",
            "twice",
            "thrice",
            "double",
            "triple",
            "quadruple",
            "not",
            "never",
            "nor",
            "cannot",
            "without",
            "longer",
            "isn",
            "wasn",
            "doesn",
            "didn",
            "don",
            "hasn",
            "hadn",
            "isnt",
            "doesnt",
        ],
        3,
    ),
];

/// Pairs of words, the second of which may be followed by a few more before the number.
const PAIRS: [(&str, &str); 26] = [
    ("up", "to"),
    ("close", "to"),
    ("closer", "to"),
    ("next", "to"),
    ("much", "as"),
    ("many", "as"),
    ("little", "as"),
    ("few", "as"),
    ("north", "of"),
    ("south", "of"),
    ("excess", "of"),
    ("short", "of"),
    ("shy", "of"),
    ("region", "of"),
    ("neighbourhood", "of"),
    ("neighborhood", "of"),
    ("vicinity", "of"),
    ("order", "of"),
    ("third", "of"),
    ("thirds", "of"),
    ("quarter", "of"),
    ("quarters", "of"),
    ("tenth", "of"),
    ("fraction", "of"),
    ("multiple", "of"),
    ("most", "of"),
];

/// What hedges a number in the words before it, the nearest first, in lower case.
pub(super) fn before(words: &[&str]) -> Option<&'static str> {
    let alone = BEFORE.iter().find_map(|(hedges, reach)| {
        let near = words.iter().take(*reach);
        near.filter_map(|word| hedges.iter().copied().find(|hedge| hedge == word))
            .next()
    });
    alone.or_else(|| {
        let pair = |two: &[&str]| {
            PAIRS
                .iter()
                .find(|(first, second)| two == [*second, *first])
        };
        words.windows(2).find_map(pair).map(|(first, _)| *first)
    })
}

/// What hedges a number in the words behind it, in lower case.
pub(super) fn behind(words: &[&str]) -> Option<&'static str> {
    const NEXT: [&str; 11] = [
        "plus",
        "ish",
        "times",
        "odd",
        "something",
        "x",
        "approximately",
        "roughly",
        "minimum",
        "maximum",
        "twice",
    ];
    const AFTER_OR: [&str; 16] = [
        "more",
        "less",
        "fewer",
        "so",
        "higher",
        "lower",
        "greater",
        "larger",
        "smaller",
        "above",
        "below",
        "over",
        "under",
        "beyond",
        "up",
        "thereabouts",
    ];
    const AFTER_AT: [&str; 2] = ["least", "most"];
    let find = |list: &[&'static str], word: &str| list.iter().copied().find(|one| *one == word);
    // The token's ticker may stand between.
    let next = words.iter().take(2).find_map(|word| find(&NEXT, word));
    next.or_else(|| {
        words.windows(2).take(3).find_map(|two| match two {
            ["or" | "and", word] => find(&AFTER_OR, word),
            ["at", word] => find(&AFTER_AT, word),
            _ => None,
        })
    })
}
