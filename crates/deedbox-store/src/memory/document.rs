//! Under which words a memory is found.
//!
//! Each word begins with what stands for the memory's space, so that each space has an index of its own: how long a search takes depends on
//! the spaces that it is for, and not on what others keep beside them.

use deedbox_core::{
    MemoryKind, MemoryState, MemoryText, SpaceId,
    hash::RequestHash,
    text::{MemoryPath, MemoryTag},
};

use crate::{blocks, index::text::document_words};

/// Which words a memory has. Another number: backends make the words of every memory anew when they open.
pub const MEMORY_EDITION: i32 = 1;

/// How many levels of a path are looked up.
const LEVELS: usize = 16;
/// How many letters stand for a space. Two spaces may have the same: whoever looks up asks each memory for its space.
const LETTERS: usize = 5;

/// What the words of a space's memories begin with, the colon included.
pub(super) fn prefix(space: &SpaceId) -> String {
    let hash = RequestHash::of(space.as_str().as_bytes());
    let mut prefix = data_encoding::BASE32_NOPAD.encode(&hash.0[..4]);
    prefix.make_ascii_lowercase();
    prefix.truncate(LETTERS);
    prefix.push(':');
    prefix
}

/// A word that no text has, because it has a colon, for something that is looked up as a whole.
fn reserved(letter: char, of: &str) -> String {
    let hash = RequestHash::of(of.as_bytes());
    format!("{letter}:{}", data_encoding::HEXLOWER.encode(&hash.0[..8]))
}

/// The word of every memory of a kind, without its space.
pub(super) fn of_kind(kind: MemoryKind) -> String {
    format!("k:{kind}")
}

/// The word of every memory with a tag, without its space.
pub(super) fn of_tag(tag: &MemoryTag) -> String {
    reserved('t', tag.as_str())
}

/// The word of every memory at a path or below it, without its space. None of a path that is too deep to be looked up.
pub(super) fn of_path(path: &MemoryPath) -> Option<String> {
    let path = path.as_str();
    (path.matches('/').count() < LEVELS).then(|| reserved('p', path))
}

/// Every word under which a memory is found, in their order, and those for the [blocks] that its row is in. No word has a space in it.
#[must_use]
pub fn document(row: i64, state: &MemoryState, text: &MemoryText) -> Vec<String> {
    let prefix = prefix(&state.space);
    let mut words = Vec::new();
    let mut each = |word: String| words.push(format!("{prefix}{word}"));
    each(of_kind(state.about.kind));
    document_words(text.content.as_str(), &mut each);
    if let Some(key) = &text.key {
        document_words(key.as_str(), &mut each);
    }
    for tag in text.tags.iter() {
        document_words(tag.as_str(), &mut each);
        each(of_tag(tag));
    }
    if let Some(path) = &text.path {
        let path = path.as_str();
        document_words(path, &mut each);
        let ends = path.match_indices('/').map(|(at, _)| at);
        for end in ends.chain([path.len()]).take(LEVELS) {
            each(reserved('p', path.get(..end).unwrap_or_default()));
        }
    }
    words.extend(blocks::words(row));
    words.sort_unstable();
    words.dedup();
    words
}

/// A word of a document without its space. Those for blocks of rows have none.
pub(super) fn without_space(word: &str) -> &str {
    match word.split_at_checked(LETTERS + 1) {
        Some((space, word)) if space.ends_with(':') => word,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_space_has_words_of_its_own() {
        let of = |id: &str| prefix(&SpaceId::new(id).unwrap());
        assert_eq!(of("atlas"), of("atlas"));
        assert_ne!(of("atlas"), of("birch"));
        for prefix in [of("atlas"), of("personal:alice")] {
            let (letters, colon) = prefix.split_at(LETTERS);
            assert_eq!(colon, ":");
            assert!(
                letters.bytes().all(|b| b.is_ascii_alphanumeric()),
                "{letters}"
            );
        }
    }

    #[test]
    fn a_word_of_a_block_is_no_word_of_a_space() {
        assert_eq!(without_space("abcde:976"), "976");
        assert_eq!(without_space("abcde:k:note"), "k:note");
        for block in ["b10:976", "b22:0"] {
            assert_eq!(without_space(block), block);
        }
    }

    #[test]
    fn a_path_too_deep_to_be_looked_up_has_no_word() {
        let path = |levels: usize| vec!["a"; levels].join("/").parse::<MemoryPath>().unwrap();
        assert!(of_path(&path(LEVELS)).is_some());
        assert_eq!(of_path(&path(LEVELS + 1)), None);
    }
}
