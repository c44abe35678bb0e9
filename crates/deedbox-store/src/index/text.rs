//! Texts as words: what is looked up, in whatever language.
//!
//! Texts are compared in Unicode's compatibility form, in lower case, and Latin, Greek and Cyrillic letters without their marks: "Café" is
//! found by "cafe", and the other way round. So are Hebrew, Arabic and Syriac without the points that tell how words are spoken, which most texts
//! leave out. Marks of other scripts tell words apart (か is not が) and stay. What nobody sees, as characters that join, forbid a break or choose a
//! letter's look, is no part of a word. Where a script puts
//! spaces between words, those are the words, and so are the parts of `camelCase` and `kebab-case`. Where it does not (Chinese, Japanese, Thai …), and in Korean, where a
//! stem and its endings are one, every letter and every pair of neighbours is a word; a longer piece is looked
//! up by its pairs, and then looked for in the text itself.

use std::mem;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// The longest word, in characters: what is longer is cut, in documents and in searches alike.
const WORD: usize = 64;

/// A text in the form in which it is compared: [unmarked], lower case, and letters for which not everybody has a key as those that are
/// written for them.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in unmarked(text).flat_map(char::to_lowercase) {
        // Unicode takes none of these apart.
        match c {
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            'ł' => folded.push('l'),
            'ø' => folded.push('o'),
            'ŧ' => folded.push('t'),
            'ς' => folded.push('σ'),
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            c => folded.push(c),
        }
    }
    folded
}

/// A text in its compatibility form, with the case of its letters, without what is [not seen](is_unseen), and without the marks that tell no
/// words apart.
fn unmarked(text: &str) -> impl Iterator<Item = char> {
    let mut letter = ' ';
    // Taken apart to see the marks; those that stay are joined to their letters again, and Hangul to its syllables.
    text.nfkd()
        .filter(move |c| {
            if is_unseen(*c) || is_point(*c) {
                return false;
            }
            if is_combining_mark(*c) {
                return !drops_mark(letter, *c);
            }
            letter = *c;
            true
        })
        .nfc()
}

/// Whether a letter is the same without a mark on it, as people search: whatever Latin, Greek and Cyrillic letters are taken apart to, and the
/// hamza and the madda of an alef, which are often not written.
fn drops_mark(letter: char, mark: char) -> bool {
    match letter {
        'A'..='Z' | 'a'..='z'
        | '\u{00c0}'..='\u{00d6}' | '\u{00d8}'..='\u{00f6}' | '\u{00f8}'..='\u{02af}' // Latin
        | '\u{0370}'..='\u{0373}' | '\u{0376}'..='\u{03ff}' // Greek
        | '\u{0400}'..='\u{0481}' | '\u{048a}'..='\u{052f}' // Cyrillic
        => true,
        '\u{0627}' => matches!(mark, '\u{0653}'..='\u{0655}'),
        _ => false,
    }
}

/// What tells how a word is spoken or sung and is left out of most texts, whatever letter it is on: Hebrew points and accents, Arabic vowel
/// signs, signs of recitation and the tatweel, which only makes a word longer, and Syriac points. The hamza is not among them: on a waw or a
/// yeh it makes another letter.
fn is_point(c: char) -> bool {
    matches!(c,
        '\u{0591}'..='\u{05bd}' | '\u{05bf}' | '\u{05c1}' | '\u{05c2}' | '\u{05c4}' | '\u{05c5}' | '\u{05c7}' | '\u{fb1e}' // Hebrew
        | '\u{0610}'..='\u{061a}' | '\u{0640}' | '\u{064b}'..='\u{0652}' | '\u{0656}'..='\u{065f}' | '\u{0670}'
        | '\u{06d6}'..='\u{06dc}' | '\u{06df}'..='\u{06e4}' | '\u{06e7}' | '\u{06e8}' | '\u{06ea}'..='\u{06ed}'
        | '\u{0898}'..='\u{089f}' | '\u{08ca}'..='\u{08e1}' | '\u{08e3}'..='\u{08ff}' // Arabic
        | '\u{0730}'..='\u{074a}') // Syriac
}

/// What is not seen wherever it is supported (Unicode's `Default_Ignorable_Code_Point`): joiners, soft hyphens, marks of direction, choices of a
/// glyph, tags, and the byte order mark.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// What a character is to a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Of a script whose words stand apart, or a digit.
    Spaced,
    /// A letter of a script without spaces, or a symbol that is looked for by itself, like an emoji.
    Dense,
    /// Joins two words into one: `-` and `_`.
    Joint,
    /// Stands between words.
    Gap,
}

fn class(c: char) -> Class {
    match c {
        '-' | '_' => Class::Joint,
        c if c.is_ascii() => match c.is_ascii_alphanumeric() {
            true => Class::Spaced,
            false => Class::Gap,
        },
        '\u{0e00}'..='\u{0eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Burmese
        | '\u{1100}'..='\u{11ff}' // Hangul letters
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{2190}'..='\u{2bff}' // arrows, symbols
        | '\u{3005}'..='\u{3007}' // 々〆〇
        | '\u{3040}'..='\u{31ff}' // Hiragana, Katakana, Bopomofo, Hangul
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{1f000}'..='\u{1faff}' // emoji
        | '\u{20000}'..='\u{3ffff}' => Class::Dense,
        // Marks that belong to the letter before them are no letters to Rust, and end no word.
        c if c.is_alphanumeric() || is_combining_mark(c) => Class::Spaced,
        _ => Class::Gap,
    }
}

/// A piece of a text.
enum Piece<'a> {
    /// A word between gaps and joints, as it was written.
    Word(&'a str),
    /// The end of words that were joined; how many.
    Joined(&'a [String]),
    /// A run of letters without spaces.
    Run(&'a [char]),
}

/// Cuts a text into its pieces.
fn pieces(text: &str, mut each: impl FnMut(Piece<'_>)) {
    let mut cutter = Cutter::default();
    if text.is_ascii() {
        text.chars().for_each(|c| cutter.next(c, &mut each));
    } else {
        unmarked(text).for_each(|c| cutter.next(c, &mut each));
    }
    cutter.next(' ', &mut each);
}

#[derive(Default)]
struct Cutter {
    word: String,
    joined: Vec<String>,
    run: Vec<char>,
}

impl Cutter {
    fn next(&mut self, c: char, each: &mut impl FnMut(Piece<'_>)) {
        let class = class(c);
        if class != Class::Spaced && !self.word.is_empty() {
            each(Piece::Word(&self.word));
            self.joined.push(mem::take(&mut self.word));
        }
        if class != Class::Dense && !self.run.is_empty() {
            each(Piece::Run(&self.run));
            self.run.clear();
        }
        if matches!(class, Class::Dense | Class::Gap) && !self.joined.is_empty() {
            if self.joined.len() > 1 {
                each(Piece::Joined(&self.joined));
            }
            self.joined.clear();
        }
        match class {
            Class::Spaced => self.word.push(c),
            Class::Dense => self.run.extend(c.to_lowercase()),
            Class::Joint | Class::Gap => {}
        }
    }
}

/// A word as it is looked up.
fn word(text: &str) -> String {
    let folded = folded(text);
    match folded.char_indices().nth(WORD) {
        Some((end, _)) => folded.get(..end).unwrap_or_default().to_owned(),
        None => folded,
    }
}

/// Every word under which a text is found.
pub(crate) fn document_words(text: &str, mut each: impl FnMut(String)) {
    pieces(text, |piece| match piece {
        Piece::Word(text) => {
            let parts = camel_parts(text);
            if parts.len() > 1 {
                parts.into_iter().for_each(|part| each(word(part)));
            }
            each(word(text));
        }
        Piece::Joined(words) => each(word(&words.concat())),
        Piece::Run(letters) => {
            letters.iter().for_each(|c| each(c.to_string()));
            letters
                .windows(2)
                .for_each(|pair| each(pair.iter().collect()));
        }
    });
}

/// Adds the runs of a text that searches may have to be looked for in: what is shorter is a word, or all of its pairs are.
pub(crate) fn long_runs(text: &str, to: &mut String) {
    if text.is_ascii() {
        return;
    }
    pieces(text, |piece| {
        if let Piece::Run(letters @ [_, _, _, ..]) = piece {
            to.extend(letters);
            to.push(' ');
        }
    });
}

/// What a search looks up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sought {
    /// Words that all have to be there.
    pub words: Vec<String>,
    /// Pieces of which all pairs being there does not say that they are: to be looked for in the text.
    pub runs: Vec<String>,
    /// The whole, as names are compared with it.
    pub text: String,
}

impl Sought {
    /// Reads what somebody wrote.
    pub(crate) fn read(text: &str) -> Self {
        let mut sought = Self {
            text: folded(text.trim()),
            ..Self::default()
        };
        pieces(text, |piece| match piece {
            Piece::Word(text) => sought.words.push(word(text)),
            Piece::Joined(_) => {}
            Piece::Run(letters) => {
                let pairs = letters.windows(2).map(|pair| pair.iter().collect());
                sought.words.extend(pairs);
                match letters {
                    [letter] => sought.words.push(letter.to_string()),
                    [_, _] => {}
                    _ => sought.runs.push(letters.iter().collect()),
                }
            }
        });
        sought.words.sort_unstable();
        sought.words.dedup();
        sought
    }
}

/// `fooBarHTTPServer2go` → `foo`, `Bar`, `HTTP`, `Server2go`.
fn camel_parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let mut before: Option<char> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, next)| *next);
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(char::is_lowercase)
            });
        if begins {
            parts.extend(text.get(start..at));
            start = at;
        }
        before = Some(c);
    }
    parts.extend(text.get(start..));
    parts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut set = BTreeSet::new();
        document_words(text, |word| {
            set.insert(word);
        });
        set.into_iter().collect()
    }

    /// Whether a document with this text is among the candidates for what somebody wrote.
    fn finds(document: &str, query: &str) -> bool {
        let (words, sought) = (words(document), Sought::read(query));
        let mut text = String::new();
        long_runs(document, &mut text);
        !sought.words.is_empty()
            && sought.words.iter().all(|word| words.contains(word))
            && sought.runs.iter().all(|run| text.contains(run.as_str()))
    }

    #[test]
    fn words_are_lower_case_and_parts_of_joined_ones_are_words_too() {
        assert_eq!(words("Hello, World!"), ["hello", "world"]);
        assert_eq!(
            words("PaymentBot payment-bot_2"),
            ["2", "bot", "payment", "paymentbot", "paymentbot2"]
        );
        assert_eq!(words("HTTPServer"), ["http", "httpserver", "server"]);
        assert_eq!(words("GPT4Turbo"), ["gpt4", "gpt4turbo", "turbo"]);
        assert_eq!(words("-- --- _"), [""; 0]);
        assert_eq!(words("a- b"), ["a", "b"]);
    }

    #[test]
    fn letters_that_look_alike_in_other_widths_are_the_same() {
        assert_eq!(words("ＡＢＣ ﬁne Ⅷ"), ["abc", "fine", "viii"]);
        // Half-width katakana, with its mark apart, and decomposed kana.
        assert!(finds("ﾃﾞｰﾀ分析", "データ"));
        assert!(finds("ガイド", "カ\u{3099}イド"));
        assert!(finds("Cafe\u{301}", "café"));
        assert_eq!(words("ÀÉ straße ΣΑΣ"), ["ae", "strasse", "σασ"]);
    }

    #[test]
    fn marks_of_latin_greek_and_cyrillic_letters_tell_no_words_apart() {
        for (marked, plain) in [
            ("Café à la crème, déjà vu", "cafe a la creme deja vu"),
            ("Garçon, cœur, Noël", "garcon coeur noel"),
            ("Müller Größe ÄÖÜ STRAẞE", "muller grosse aou strasse"),
            ("Tiếng Việt Đà Nẵng phở", "tieng viet da nang pho"),
            ("Łódź smørrebrød Ísland ð", "lodz smorrebrod island d"),
            ("İstanbul ılık", "istanbul ilik"),
            ("Ελληνικά ΦΩΣ φως ᾧ", "ελληνικα φωσ φωσ ω"),
            ("ёлка Чайка Київ", "елка чаика ки\u{456}в"),
        ] {
            assert!(finds(marked, plain), "{plain} in {marked}");
            assert!(finds(plain, marked), "{marked} in {plain}");
            assert_eq!(folded(marked), folded(&folded(marked)));
        }
        assert_eq!(words("CaféBar"), ["bar", "cafe", "cafebar"]);
    }

    #[test]
    fn marks_of_other_scripts_are_part_of_the_letter() {
        for (one, other) in [
            ("か", "が"),
            ("カード", "ガード"),
            ("ハス", "バス"),
            ("ハス", "パス"),
            ("ｶﾞｰﾄﾞ", "カート"),
            ("कि", "क"),
            ("ขาว", "ข่าว"),
            ("मन", "मन्"),
            ("سؤال", "سوال"),
            ("رئيس", "ريس"),
        ] {
            assert!(!finds(one, other), "{other} in {one}");
            assert!(!finds(other, one), "{one} in {other}");
        }
        // However they are written.
        assert!(finds("が", "か\u{3099}"));
        assert!(finds("ｶﾞｰﾄﾞ", "ガード"));
        // Hangul is taken apart, too, and comes back whole.
        assert_eq!(folded("한국어"), "한국어");
        assert!(finds("\u{1112}\u{1161}\u{11ab}", "한"));
    }

    #[test]
    fn points_that_tell_how_a_word_is_spoken_tell_no_words_apart() {
        for (pointed, plain) in [
            ("שָׁלוֹם עֲלֵיכֶם", "שלום עליכם"),
            ("בְּרֵאשִׁ֖ית", "בראשית"),
            ("\u{fb2a}\u{fb4b}", "שו"), // letters with their points as one character
            ("مُحَمَّدٌ", "محمد"),
            ("الطَّقْسُ", "الطقس"),
            ("طقـــس", "طقس"),
            ("رحمٰن", "رحمن"),
            ("أحمد إلى آخر", "احمد الى اخر"),
            ("\u{fefb}", "لا"), // a ligature
            ("ܡܰܠܟܳܐ", "ܡܠܟܐ"),
        ] {
            assert!(finds(pointed, plain), "{plain} in {pointed}");
            assert!(finds(plain, pointed), "{pointed} in {plain}");
            assert_eq!(folded(pointed), folded(plain));
            assert_eq!(folded(pointed), folded(&folded(pointed)));
        }
        assert!(words("\u{64b}\u{5b0}\u{640}").is_empty(), "no word alone");
    }

    #[test]
    fn what_is_not_seen_is_no_part_of_a_word() {
        for unseen in "\u{ad}\u{34f}\u{61c}\u{200b}\u{200c}\u{200d}\u{200e}\u{202a}\u{2060}\u{2066}\u{3164}\u{fe0f}\u{feff}\u{e0041}".chars() {
            for whole in ["weather", "café", "می\u{62e}واهم", "शक्ति", "データ分析", "ภาษาไทย", "한국어", "❤"] {
                let mut chars = whole.chars();
                let first = chars.next().unwrap();
                let with = format!("{unseen}{first}{unseen}{}{unseen}", chars.as_str());
                assert!(finds(&with, whole), "{whole} in {with:?}");
                assert!(finds(whole, &with), "{with:?} in {whole}");
                assert_eq!(folded(&with), folded(whole));
            }
            // A mark that stands behind it is on the same letter.
            let mark = format!("cafe{unseen}\u{301} か{unseen}\u{3099}");
            assert!(finds(&mark, "café が"), "{mark:?}");
        }
        assert!(finds("👩\u{200d}🚀", "🚀"));
        assert!(
            finds("wea-\u{ad}ther", "weather"),
            "{:?}",
            words("wea-\u{ad}ther")
        );
    }

    #[test]
    fn substrings_of_scripts_without_spaces_are_found() {
        for (document, found, not_found) in [
            ("東京タワー案内エージェント", "タワー案内", "タワ内案"),
            ("東京タワー案内エージェント", "京", "大"),
            ("区块链数据分析助手", "数据分析", "数分据析"),
            ("데이터분석 에이전트", "분석", "석분"),
            ("결제를 도와줍니다", "도와", "와도"),
            ("ผู้ช่วยแปลภาษา", "แปลภาษา", "ภาษาแปล"),
        ] {
            assert!(finds(document, found), "{found} in {document}");
            assert!(!finds(document, not_found), "{not_found} in {document}");
        }
        // All pairs are there, the whole is not.
        assert!(!finds("ABABA 東京東", "京東京"));
    }

    #[test]
    fn a_dense_run_ends_where_another_script_begins() {
        assert_eq!(words("東京tower2"), ["tower2", "京", "東", "東京"]);
        assert!(finds("AIエージェント", "ai"));
        assert!(finds("AIエージェント", "aiエージェント"));
    }

    #[test]
    fn emoji_and_marked_letters_are_words() {
        assert!(finds("to the 🚀 moon", "🚀"));
        assert!(finds("नमस्ते दुनिया", "नमस्ते"));
        assert_eq!(words("ქართული"), ["ქართული"], "Georgian has spaces");
    }

    #[test]
    fn odd_texts_end_in_words_or_in_none() {
        assert!(words("\u{202e}\0\u{feff}").is_empty());
        assert_eq!(words(&"x".repeat(1_000)), ["x".repeat(WORD)]);
        assert!(finds(&"x".repeat(1_000), &"x".repeat(999)));
        assert_eq!(Sought::read(" !? ").words, [""; 0]);
    }
}
