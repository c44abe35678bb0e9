//! A line of a text that somebody else wrote, with a caret under a place in it.
//!
//! Our own and not a library's: those that draw snippets want valid UTF-8, replace fewer invisible characters than
//! [`super::safe`] does, and lay out the whole line even when it has a megabyte. Here only the
//! characters around the place are looked at, and each is shown as everywhere else in this program.

use std::ops::Range;

use unicode_width::UnicodeWidthChar as _;

use super::{paint::Paint, safe};

/// Columns of a tab. Where it would end on a terminal depends on what stands before it, which may be cut.
const TAB: &str = "    ";
/// What stands where something was cut off.
const CUT: char = '…';

/// A text, and where its lines start.
pub(crate) struct Lines<'a> {
    source: &'a [u8],
    starts: Vec<usize>,
}

/// A place as editors count: both from 1, columns in characters. A byte that is not UTF-8 counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(source: &'a [u8]) -> Self {
        let breaks = source
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at + 1))
            .collect();
        Self { source, starts }
    }

    /// The line that holds a byte, counted from 0.
    fn line(&self, at: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= at)
            .saturating_sub(1)
    }

    /// The bytes of a line, without its end.
    fn range(&self, line: usize) -> Range<usize> {
        let start = self.starts[line];
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.source.len(), |next| next - 1);
        let end = if end > start && self.source[end - 1] == b'\r' {
            end - 1
        } else {
            end
        };
        start..end
    }

    pub(crate) fn position(&self, at: usize) -> Position {
        let line = self.line(at);
        let before = &self.source[self.starts[line]..at.min(self.source.len())];
        let characters: usize = before.utf8_chunks().map(characters_of).sum();
        Position {
            line: line + 1,
            column: characters + 1,
        }
    }

    /// Three lines: a margin, the line with its number, and the mark. A place over several lines is marked to
    /// the end of its first.
    pub(crate) fn snippet(
        &self,
        span: &Range<usize>,
        width: usize,
        paint: Paint,
        mark: Mark,
    ) -> String {
        let line = self.line(span.start);
        let range = self.range(line);
        let within = |at: usize| at.clamp(range.start, range.end) - range.start;
        let number = (line + 1).to_string();
        let margin = " ".repeat(number.len());
        let room = width.saturating_sub(number.len() + 4);
        let place = within(span.start)..within(span.end);
        let marked = Marked::new(&self.source[range.clone()], &place, room);
        let bar = paint.faint("|");
        let carets = mark.paint(paint, &"^".repeat(marked.length));
        format!(
            " {margin} {bar}\n {} {bar} {}\n {margin} {bar} {}{carets}\n",
            paint.faint(&number),
            marked.shown.trim_end(),
            " ".repeat(marked.start),
        )
    }
}

fn characters_of(chunk: std::str::Utf8Chunk<'_>) -> usize {
    chunk.valid().chars().count() + chunk.invalid().len()
}

/// In which colour a place is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Bad,
    Alert,
    Faint,
}

impl Mark {
    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        match self {
            Self::Bad => paint.bad(text),
            Self::Alert => paint.alert(text),
            Self::Faint => paint.faint(text),
        }
    }
}

/// A text of one line, and below it a caret under one of its bytes.
pub(crate) fn pointed(text: &str, at: usize, width: usize, paint: Paint) -> String {
    let marked = Marked::new(text.as_bytes(), &(at..at), width.saturating_sub(2));
    format!(
        "  {}\n  {}{}",
        marked.shown,
        " ".repeat(marked.start),
        paint.bad("^")
    )
}

/// As much of a line as fits, with the columns in it that are to be marked.
struct Marked {
    shown: String,
    start: usize,
    length: usize,
}

/// One character, or one byte that belongs to none.
struct Piece {
    bytes: usize,
    shown: String,
    columns: usize,
    /// Columns, but one at least: a hundred thousand marks on one letter take one column, and are not shown.
    cost: usize,
}

impl Piece {
    /// The first piece of some bytes.
    fn first(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(4)];
        let chunk = head.utf8_chunks().next()?;
        let Some(c) = chunk.valid().chars().next() else {
            let shown = format!("⟨{:02X}⟩", head[0]);
            return Some(Self::of(1, shown));
        };
        let shown = match c {
            '\t' => TAB.to_owned(),
            '\n' => "⏎".to_owned(),
            c => safe::character(c),
        };
        Some(Self::of(c.len_utf8(), shown))
    }

    /// The last piece of some bytes.
    fn last(bytes: &[u8]) -> Option<Self> {
        let is_start = |from: &usize| {
            Self::first(&bytes[*from..]).is_some_and(|piece| piece.bytes == bytes.len() - from)
        };
        let from = (bytes.len().saturating_sub(4)..bytes.len()).find(is_start)?;
        Self::first(&bytes[from..])
    }

    fn of(bytes: usize, shown: String) -> Self {
        let columns = shown.chars().map(|c| c.width().unwrap_or(0)).sum();
        Self {
            bytes,
            shown,
            columns,
            cost: columns.max(1),
        }
    }
}

impl Marked {
    /// Lays out the part of `line` around `place` in at most `room` columns (20 at least).
    fn new(line: &[u8], place: &Range<usize>, room: usize) -> Self {
        let room = room.max(20);
        // What follows gets half of the room, or as little as it needs, and the two marks of a cut one column each.
        let after = columns_up_to(&line[place.start..], room / 2);
        let start = left_edge(line, place.start, room - after - 2);
        let mut shown = if start > 0 {
            CUT.to_string()
        } else {
            String::new()
        };
        let mut columns = usize::from(start > 0);
        let mut spent = columns;
        let (mut marked_from, mut marked_to) = (None, columns);
        let mut at = start;
        while let Some(piece) = Piece::first(&line[at..]) {
            // One column stays free for what says that more follows.
            let is_last = at + piece.bytes == line.len();
            if spent + piece.cost + usize::from(!is_last) > room {
                shown.push(CUT);
                columns += 1;
                if at <= place.start {
                    marked_from.get_or_insert(columns - 1);
                }
                if at < place.end {
                    marked_to = columns;
                }
                return Self::with(shown, marked_from, marked_to, columns);
            }
            if at + piece.bytes > place.start {
                marked_from.get_or_insert(columns);
            }
            columns += piece.columns;
            spent += piece.cost;
            if at < place.end {
                marked_to = columns;
            }
            shown.push_str(&piece.shown);
            at += piece.bytes;
        }
        Self::with(shown, marked_from, marked_to, columns)
    }

    fn with(shown: String, from: Option<usize>, to: usize, columns: usize) -> Self {
        let start = from.unwrap_or(columns);
        Self {
            shown,
            start,
            length: to.saturating_sub(start).max(1),
        }
    }
}

/// How many columns the beginning of some bytes takes, counted up to `most`.
fn columns_up_to(bytes: &[u8], most: usize) -> usize {
    let (mut at, mut columns) = (0, 0);
    while let Some(piece) = Piece::first(&bytes[at..]).filter(|_| columns < most) {
        columns += piece.cost;
        at += piece.bytes;
    }
    columns.min(most)
}

/// Where to begin, so that at most `room` columns stand before a place.
fn left_edge(line: &[u8], place: usize, room: usize) -> usize {
    let (mut at, mut columns) = (place, 0);
    while let Some(piece) = Piece::last(&line[..at]) {
        columns += piece.cost;
        if columns > room {
            break;
        }
        at -= piece.bytes;
    }
    at
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;
    use crate::settings::Environment;

    fn plain() -> Paint {
        Paint::when(false, &Environment::default())
    }

    #[test]
    fn marks_without_a_width_are_cut_too() {
        let text = format!("\"x{}\"", "\u{489}".repeat(100_000));
        let drawn = snippet(&text, 0..text.len());
        assert!(drawn.chars().count() < 300, "{}", drawn.chars().count());
        assert!(super::super::cell(&text, 40).chars().count() < 200);
    }

    fn snippet(source: impl AsRef<[u8]>, span: Range<usize>) -> String {
        let source = source.as_ref();
        Lines::of(source).snippet(&span, 60, plain(), Mark::Bad)
    }

    /// What stands above the carets, by columns.
    fn above_carets(drawn: &str) -> String {
        let lines: Vec<&str> = drawn.lines().collect();
        let [.., line, mark] = lines[..] else {
            panic!("{drawn}")
        };
        let start = mark.find('^').unwrap();
        let end = start + mark.matches('^').count();
        let mut column = 0;
        let mut found = String::new();
        for c in line.chars() {
            if (start..end).contains(&column) {
                found.push(c);
            }
            column += c.width().unwrap_or(0);
        }
        found
    }

    #[test]
    fn a_line_is_shown_with_its_number_and_the_place_is_marked() {
        let source = "{\n  \"name\": \"\",\n}";
        insta::assert_snapshot!(snippet(source, 12..14), @r#"
           |
         2 |   "name": "",
           |           ^^
        "#);
    }

    #[test]
    fn a_place_over_several_lines_is_marked_to_the_end_of_its_first() {
        let source = "{\n  \"access\": {\r\n  }\r\n}";
        assert_eq!(above_carets(&snippet(source, 14..20)), "{");
    }

    #[test]
    fn tabs_and_wide_characters_keep_the_caret_in_place() {
        let source = "\t\"イールド🎉\": x";
        let at = source.find('x').unwrap();
        assert_eq!(above_carets(&snippet(source, at..at + 1)), "x");
        assert_eq!(above_carets(&snippet(source, 2..5)), "イ");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_by_number_and_the_caret_stays_under_it() {
        let source = "a\u{1b}[2J\u{202e}\u{200b}b";
        let at = source.find('b').unwrap();
        let drawn = snippet(source, at..at + 1);
        assert!(drawn.contains("a⟨U+001B⟩[2J⟨U+202E⟩⟨U+200B⟩b"), "{drawn}");
        assert_eq!(above_carets(&drawn), "b");
        assert_eq!(above_carets(&snippet(source, 1..2)), "⟨U+001B⟩");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_by_value_and_count_as_one_character() {
        let source = b"\"\xff\xc3\"\xe2\x82x";
        let drawn = snippet(source, 6..7);
        assert!(drawn.contains("\"⟨FF⟩⟨C3⟩\"⟨E2⟩⟨82⟩x"), "{drawn}");
        assert_eq!(above_carets(&drawn), "x");
        assert_eq!(above_carets(&snippet(source, 1..2)), "⟨FF⟩");
        let position = Lines::of(source).position(6);
        assert_eq!(position, Position { line: 1, column: 7 });
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret_wherever_that_is() {
        let source = "é".repeat(300) + "X" + &"🎉".repeat(300);
        for at in [0, 2, 40, 598, 600, 601, 605, 1001, 1797, source.len()] {
            let drawn = snippet(&source, at..at);
            for line in drawn.lines() {
                assert!(
                    line.width() <= 60,
                    "{at}: {} columns\n{drawn}",
                    line.width()
                );
            }
            let expected = source[at..]
                .chars()
                .next()
                .map(String::from)
                .unwrap_or_default();
            let found = above_carets(&drawn);
            assert!(
                expected.starts_with(&found),
                "{at}: {found:?} for {expected:?}\n{drawn}"
            );
        }
        let all = snippet(&source, 0..source.len());
        assert!(all.lines().all(|line| line.width() <= 60), "{all}");
    }

    #[test]
    fn a_megabyte_on_one_line_costs_no_more_than_its_window() {
        let source = "\u{202e}".repeat(350_000);
        let lines = Lines::of(source.as_bytes());
        for _ in 0..1000 {
            let drawn = lines.snippet(&(600_000..900_000), 80, plain(), Mark::Bad);
            assert!(drawn.len() < 1000);
        }
    }

    #[test]
    fn the_end_of_a_text_has_a_place_too() {
        assert_eq!(snippet("", 0..0).lines().last(), Some("   | ^"));
        let source = "one\ntwo\n";
        assert_eq!(
            Lines::of(source.as_bytes()).position(8),
            Position { line: 3, column: 1 }
        );
        assert_eq!(snippet(source, 7..8).lines().last(), Some("   |    ^"));
    }

    #[test]
    fn a_caret_points_into_a_text_of_one_line() {
        assert_eq!(
            pointed("webdev.042@0x", 7, 40, plain()),
            "  webdev.042@0x\n         ^"
        );
    }
}
