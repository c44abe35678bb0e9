//! What a text looks like to whoever reads it: the parts of UAX 9 and UTS 39 that show when it is not what it seems.

use unicode_script::{Script, UnicodeScript as _};
use unicode_security::{mixed_script::AugmentedScriptSet, skeleton};

/// Control characters, and the two separators that break a line as a control character does.
pub(super) fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX 9 §2).
pub(super) fn turns_direction(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What is drawn as nothing: the default ignorable code points (UAX 44) without those of [`turns_direction`], the marks
/// of annotations, and the blank of Braille.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the text mixes scripts that are not written together. Chinese, Japanese and Korean texts hold several
/// scripts, and Latin letters besides; everything else is one script (UTS 39 §5.1, §5.2). What nobody sees has no part in it.
pub(super) fn mixes_scripts(text: &str) -> bool {
    let (mut all, mut without_latin) =
        (AugmentedScriptSet::default(), AugmentedScriptSet::default());
    for c in text
        .chars()
        .filter(|c| !is_invisible(*c) && !turns_direction(*c))
    {
        all.intersect_with(c.into());
        if !c.script_extension().contains_script(Script::Latin) {
            without_latin.intersect_with(c.into());
        }
    }
    all.is_empty() && !(without_latin.hanb || without_latin.jpan || without_latin.kore)
}

/// Whether a word of the text could be taken for ASCII letters that it is not made of.
///
/// A look-alike alone says nothing: half of a Russian word looks like Latin letters. It counts where the whole word can be
/// read as ASCII, or where ASCII letters stand beside it.
pub(super) fn is_confusable(text: &str) -> bool {
    // Marks that sit on a letter belong to its word. Invisible characters do, too: they are there to part it.
    let is_part =
        |c: char| c.is_alphanumeric() || is_invisible(c) || c.script() == Script::Inherited;
    text.split(|c| !is_part(c)).any(|word| {
        let seen = || word.chars().filter(|c| !is_invisible(*c));
        let has_ascii = word.contains(|c: char| c.is_ascii_alphabetic());
        let reads_as_ascii = seen().all(|c| c.is_ascii() || looks_like_ascii(c));
        (has_ascii || reads_as_ascii) && seen().any(looks_like_ascii)
    })
}

/// Whether a letter or a digit that is not ASCII looks like one that is: its skeleton (UTS 39 §4) is one ASCII letter or
/// digit, or `rn`, which is what skeletons write for `m`. The ligatures of Latin letters are looked at by eye.
///
/// Strokes of Chinese, Japanese and Korean are taken for letters by no reader of those.
fn looks_like_ascii(c: char) -> bool {
    let is_letter =
        c.is_alphabetic() || matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{1d7ce}'..='\u{1d7ff}');
    if c.is_ascii() || !is_letter || is_east_asian(c) {
        return false;
    }
    if matches!(c, '\u{fb00}'..='\u{fb06}') {
        return true;
    }
    let mut buffer = [0; 4];
    let mut prototype = skeleton(c.encode_utf8(&mut buffer));
    match (prototype.next(), prototype.next(), prototype.next()) {
        (Some(one), None, _) => one.is_ascii_alphanumeric(),
        (Some('r'), Some('n'), None) => true,
        _ => false,
    }
}

fn is_east_asian(c: char) -> bool {
    matches!(
        c.script(),
        Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo
    )
}
