//! The canonical order of an object's names, and names that it has twice.

use std::cmp::Ordering;

/// A name on its way to its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked {
    /// [`CHUNK`] bytes of the name, and in the lowest byte how many of them there really are.
    key: u64,
    node: u32,
}

impl Ranked {
    pub(super) const fn new(node: u32) -> Self {
        Self { key: 0, node }
    }

    pub(super) const fn node(&self) -> u32 {
        self.node
    }
}

/// How many bytes of a name are compared at a time.
const CHUNK: usize = 7;
/// What the lowest byte of a key says when the name goes on behind the chunk.
const GOES_ON: u64 = CHUNK as u64 + 1;

/// Sorts names by their UTF-16 code units (RFC 8785 §3.2.3). If two are equal, the nodes of both come back instead:
/// of all the seconds in the source, the first.
///
/// Sorts by a chunk of each name, and then what is still equal by the next chunk. So each byte of a name is
/// looked at once, however many names begin alike: sorting by comparing whole names would look at the common
/// beginning again in every comparison.
pub(super) fn rank<'t>(names: &mut [Ranked], text: impl Fn(u32) -> &'t str) -> Option<(u32, u32)> {
    let mut twice: Option<(u32, u32)> = None;
    let mut todo = Vec::new();
    let mut job = Some((0, names.len(), 0));
    while let Some((start, end, depth)) = job {
        let names = &mut names[start..end];
        for name in &mut *names {
            name.key = key(text(name.node).as_bytes(), depth);
        }
        names.sort_unstable();
        let mut at = start;
        for alike in names.chunk_by(|a, b| a.key == b.key) {
            if alike.len() > 1 && alike[0].key & 0xFF == GOES_ON {
                todo.push((at, at + alike.len(), depth + CHUNK));
            } else if alike.len() > 1 && twice.is_none_or(|(_, second)| alike[1].node < second) {
                twice = Some((alike[0].node, alike[1].node));
            }
            at += alike.len();
        }
        job = todo.pop();
    }
    twice
}

/// The chunk of `name` at `depth`, so that chunks compare as the names' UTF-16 code units do.
fn key(name: &[u8], depth: usize) -> u64 {
    let rest = &name[depth..];
    let (mut chunk, len) = match rest.first_chunk::<8>() {
        Some(bytes) => (u64::from_be_bytes(*bytes) & !0xFF, GOES_ON),
        None => {
            let mut bytes = [0; 8];
            let len = rest.len().min(CHUNK);
            bytes[..len].copy_from_slice(&rest[..len]);
            (u64::from_be_bytes(bytes), len as u64)
        }
    };
    if chunk & 0x8080_8080_8080_8000 != 0 {
        chunk = u64::from_be_bytes(chunk.to_be_bytes().map(utf16_rank));
    }
    chunk | len
}

/// The order of names in the canonical form.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let (blocks_a, blocks_b) = (a.as_chunks::<32>().0, b.as_chunks::<32>().0);
    let alike = 32
        * blocks_a
            .iter()
            .zip(blocks_b)
            .take_while(|(a, b)| a == b)
            .count();
    let (a, b) = (&a[alike..], &b[alike..]);
    let differing = a.iter().zip(b).find(|(a, b)| a != b);
    differing.map_or_else(
        || a.len().cmp(&b.len()),
        |(&a, &b)| utf16_rank(a).cmp(&utf16_rank(b)),
    )
}

/// A byte of UTF-8 as it counts in the order of UTF-16.
///
/// UTF-8 orders by code point. The two orders differ only where a character beyond the basic plane (in UTF-16 a
/// pair that begins with D800–DBFF, in UTF-8 a lead byte F0–F4) meets one of U+E000–U+FFFF (lead byte EE or EF): in
/// UTF-16 the pair is the smaller. The first bytes that differ stand at the same place in their characters, so
/// giving the leads EE and EF a rank behind F0–F4 is all there is to do.
const fn utf16_rank(byte: u8) -> u8 {
    match byte {
        0xEE | 0xEF => byte + 5,
        0xF0..=0xF4 => byte - 2,
        _ => byte,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            Just('a'),
            Just('\0'),
            Just('\u{7FF}'),
            Just('\u{D7FF}'),
            Just('\u{E000}'),
            Just('\u{FB33}'),
            Just('\u{FFFF}'),
            Just('\u{10000}'),
            Just('\u{1F600}'),
            Just('\u{10FFFF}'),
        ];
        (0..3_usize, proptest::collection::vec(c, 0..24)).prop_map(|(prefix, chars)| {
            let mut name = "common beginning ".repeat(prefix);
            name.extend(chars);
            name
        })
    }

    proptest! {
        #[test]
        fn names_compare_as_their_utf16_code_units_do(a in name(), b in name()) {
            prop_assert_eq!(compare(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
        }

        #[test]
        fn names_are_ranked_by_their_utf16_code_units(names in proptest::collection::vec(name(), 0..16)) {
            let mut ranked: Vec<_> = (0..).take(names.len()).map(Ranked::new).collect();
            let twice = rank(&mut ranked, |node| &names[node as usize]);
            let second = (0..names.len()).find(|&i| names[..i].contains(&names[i]));
            match second {
                Some(second) => {
                    let (a, b) = twice.expect("a name is there twice");
                    prop_assert_eq!(b as usize, second);
                    prop_assert_eq!(&names[a as usize], &names[second]);
                    prop_assert!(a < b);
                }
                None => {
                    prop_assert_eq!(twice, None);
                    let got: Vec<_> = ranked.iter().map(|r| &names[r.node() as usize]).collect();
                    let mut want: Vec<_> = names.iter().collect();
                    want.sort_by_key(|name| name.encode_utf16().collect::<Vec<_>>());
                    prop_assert_eq!(got, want);
                }
            }
        }
    }
}
