//! Texts that strangers wrote, on a terminal.
//!
//! A title may hold escape sequences that move the cursor, or marks that turn the reading direction around,
//! and so make a line say what its writer never did. Whatever does not show as itself is shown by
//! its number instead, as `⟨U+202E⟩`, and no text is wider than its place.

use std::path::Path;

use deedbox_core::Timestamp;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether a character is invisible, or changes how its neighbours are shown.
const fn hides(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0E}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// A character as it is shown.
pub(super) fn character(c: char) -> String {
    if c.is_control() || hides(c) {
        format!("⟨U+{:04X}⟩", u32::from(c))
    } else {
        c.to_string()
    }
}

fn push(shown: &mut String, c: char) {
    if c.is_control() || hides(c) {
        shown.push_str(&character(c));
    } else {
        shown.push(c);
    }
}

/// On one line, with line breaks shown as `⏎`.
pub(crate) fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push('⏎'),
            '\t' => shown.push(' '),
            c => push(&mut shown, c),
        }
    }
    shown
}

/// With its own line breaks, and nothing else that a terminal obeys.
pub(crate) fn foreign(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push('\n'),
            c => push(&mut shown, c),
        }
    }
    shown
}

/// A file's name, on one line. Bytes that are not UTF-8 show as �.
pub(crate) fn path(path: &Path) -> String {
    line(&path.to_string_lossy())
}

/// On one line, at most `width` columns wide; `…` stands where it was cut.
pub(crate) fn cell(text: &str, width: usize) -> String {
    let shown = line(text);
    // Any number of marks without a width may stand on a letter.
    let most = 4 * width;
    if shown.width() <= width && shown.chars().count() <= most {
        return shown;
    }
    let mut cut = String::new();
    let mut columns = 1;
    for c in shown.chars().take(most) {
        columns += c.width().unwrap_or(0);
        if columns > width {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

/// On lines of at most `width` columns, with the text's own line breaks.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.replace("\r\n", "\n").trim_end().split('\n') {
        let mut current = String::new();
        let shown = line(paragraph);
        for word in shown.split_inclusive(' ') {
            let fits = current.width() + word.trim_end().width() <= width;
            if !fits && !current.is_empty() {
                lines.push(std::mem::take(&mut current).trim_end().to_owned());
            }
            let mut rest = word;
            while rest.trim_end().width() > width {
                let at = split_at(rest, width);
                lines.push(rest[..at].to_owned());
                rest = &rest[at..];
            }
            current.push_str(rest);
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// The byte at which the first `width` columns end; past the first character at least.
fn split_at(text: &str, width: usize) -> usize {
    let mut columns = 0;
    for (at, c) in text.char_indices() {
        columns += c.width().unwrap_or(0);
        if columns > width && at > 0 {
            return at;
        }
    }
    text.len()
}

/// JSON that says the same, with invisible characters written as escapes: they can stand only inside its texts.
pub(crate) fn json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || hides(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A moment as people read it: to the second, in UTC.
pub(crate) fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    format!("{date} {}Z", time.split('.').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_bidi_marks_are_shown_by_number() {
        assert_eq!(line("a\u{1b}[2Jb"), "a⟨U+001B⟩[2Jb");
        assert_eq!(line("gpj.\u{202e}exe"), "gpj.⟨U+202E⟩exe");
        assert_eq!(line("\u{2066}x\u{2069}"), "⟨U+2066⟩x⟨U+2069⟩");
        assert_eq!(
            line("zero\u{200b}width\u{e0041}"),
            "zero⟨U+200B⟩width⟨U+E0041⟩"
        );
        for hidden in ["\u{2800}", "\u{13430}", "\u{1bca0}", "\u{2060}", "\u{ad}"] {
            assert!(!line(hidden).contains(hidden), "{hidden:?}");
        }
        assert_eq!(
            line("one\r\ntwo\tthree\u{9b}"),
            "one⟨U+000D⟩⏎two three⟨U+009B⟩"
        );
        assert_eq!(line("イールド é 🎉"), "イールド é 🎉");
    }

    #[test]
    fn json_keeps_its_meaning_and_loses_its_invisible_characters() {
        let text = "a\u{202e}b\u{9b}\u{e0041}\u{1b}é🎉";
        let shown = json(&serde_json::to_string(text).unwrap());
        assert_eq!(shown, r#""a\u202eb\u009b\udb40\udc41\u001bé🎉""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }

    #[test]
    fn a_cell_is_never_wider_than_its_place() {
        assert_eq!(cell("abcdef", 6), "abcdef");
        assert_eq!(cell("abcdefg", 6), "abcde…");
        // Each of these is two columns wide.
        assert_eq!(cell("イールド", 5), "イー…");
        assert!(cell(&"\u{202e}".repeat(100), 20).width() <= 20);
    }

    #[test]
    fn lines_break_between_words_and_inside_long_ones() {
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
        assert_eq!(lines("abcdefghij xy", 4), ["abcd", "efgh", "ij", "xy"]);
        assert_eq!(lines("a\n\nb\r\nc\n\n", 8), ["a", "", "b", "c"]);
        assert_eq!(lines("", 8), [""]);
        for width in 1..12 {
            for line in lines("イールド最適化 for \u{202e}everyone, everywhere", width) {
                assert!(line.width() <= width.max(2), "{line:?} at {width}");
            }
        }
    }
}
