//! Worlds that a seed makes up: its randomness, and its words.

/// How many made-up words there are; the word with number n is used about 1/n as often as the first.
pub const WORDS: u64 = 20_000;

const SYLLABLES: [&str; 20] = [
    "ba", "co", "di", "fu", "ga", "he", "ji", "ko", "lu", "ma", "ne", "pi", "qua", "ro", "sa",
    "te", "vi", "wo", "xe", "zu",
];

/// Randomness that a seed repeats (SplitMix64).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that always roll the same after this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`, which is not 0.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.bits() % sides
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of these texts.
    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let at = self.roll(of.len() as u64);
        usize::try_from(at).map_or("", |at| of[at])
    }

    /// A number below `of`, small ones much more often.
    pub fn zipf(&mut self, of: u64) -> u64 {
        let below = 1 + self.roll(of);
        let rank = of / below;
        rank.saturating_sub(1) + self.roll(1 + rank / 4)
    }
}

/// A made-up word: its number in syllables.
#[must_use]
pub fn word(mut number: u64) -> String {
    let mut word = String::new();
    loop {
        let at = usize::try_from(number % 20).unwrap_or(0);
        word.push_str(SYLLABLES[at]);
        number /= 20;
        if number == 0 {
            return word + "n";
        }
    }
}
