//! One pass over the bytes.
//!
//! The stack of open arrays and objects is a list of its own, so a hostile text cannot drive Rust's. Every
//! ceiling is asked before the memory that it guards is spent.

use super::{
    Document, Limits, NoteKind, ReadError, ReadErrorKind, Syntax,
    document::{Node, Payload, Place},
    names::{self, Ranked},
};

pub(super) struct Reader<'s> {
    pub(super) source: &'s str,
    pub(super) bytes: &'s [u8],
    /// The next byte to read.
    pub(super) at: usize,
    limits: Limits,
    nodes: Vec<Node>,
    order: Vec<Place>,
    pub(super) decoded: String,
    notes: Vec<(u32, NoteKind)>,
    open: Vec<Open>,
    /// The end of the last thing that the canonical form has otherwise: white space, an escape, a number, the order
    /// of names. What begins behind it is canonical so far.
    pub(super) flaw: usize,
    /// Values so far.
    values: usize,
    /// Kept between objects, so that each need not ask for memory.
    ranked: Vec<Ranked>,
}

/// An array or object whose end has not come yet.
#[derive(Clone, Copy)]
struct Open {
    node: u32,
    len: u32,
    is_object: bool,
}

impl<'s> Document<'s> {
    /// Reads a JSON text strictly: RFC 8259's grammar and nothing beside it, UTF-8 without a byte-order mark, no
    /// name twice in one object, no half of a surrogate pair, no number beyond the finite IEEE 754 doubles
    /// (ERC-8257 §2, RFC 8785 §3.1). What `source` may cost is bounded by `limits` while it is read.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place. A name that an object has twice is found at that object's
    /// end.
    pub fn read(source: &'s [u8], limits: &Limits) -> Result<Self, ReadError> {
        let limit = limits.bytes.min(MOST_BYTES);
        if source.len() > limit {
            let found = source.len();
            return Err(ReadError {
                at: limit,
                end: found,
                kind: ReadErrorKind::TooLarge { limit, found },
            });
        }
        if source.starts_with(&[0xEF, 0xBB, 0xBF]) {
            return Err(ReadError {
                at: 0,
                end: 3,
                kind: ReadErrorKind::ByteOrderMark,
            });
        }
        let text = std::str::from_utf8(source).map_err(|error| {
            let at = error.valid_up_to();
            ReadError {
                at,
                end: error.error_len().map_or(source.len(), |len| at + len),
                kind: ReadErrorKind::NotUtf8,
            }
        })?;
        Reader::new(text, *limits).document()
    }
}

/// So that offsets, and twice as many nodes as there are bytes, are numbers of 32 bits.
const MOST_BYTES: usize = 1 << 30;

/// Offsets and node numbers fit, because no source is longer than [`MOST_BYTES`].
#[expect(clippy::cast_possible_truncation, reason = "at most MOST_BYTES")]
pub(super) const fn narrow(number: usize) -> u32 {
    number as u32
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, mut limits: Limits) -> Self {
        limits.depth = limits.depth.min(Limits::DEEPEST);
        // More than most texts need; memory that is not touched costs next to nothing.
        let guess = (source.len() / 4).min(limits.nodes) + 1;
        Self {
            source,
            bytes: source.as_bytes(),
            at: 0,
            limits,
            nodes: Vec::with_capacity(guess),
            order: Vec::with_capacity(guess / 8),
            decoded: String::new(),
            notes: Vec::new(),
            open: Vec::with_capacity(16),
            flaw: 0,
            values: 0,
            ranked: Vec::with_capacity(16),
        }
    }

    fn document(mut self) -> Result<Document<'s>, ReadError> {
        loop {
            self.skip_space();
            let opened = self.value()?;
            if !opened && !self.after_value()? {
                break;
            }
        }
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(self.error_to_end(ReadErrorKind::Syntax(Syntax::AfterEnd)));
        }
        Ok(Document {
            source: self.source,
            nodes: self.nodes,
            order: self.order,
            decoded: self.decoded,
            notes: self.notes,
        })
    }

    /// Reads what begins here. True if that is an array or object with something in it: then the first value
    /// in it is next.
    fn value(&mut self) -> Result<bool, ReadError> {
        let start = self.at;
        let payload = match self.peek() {
            Some(b'"') => self.string(start, NoteKind::StringNotNfc)?,
            Some(b'{') => return self.open(true),
            Some(b'[') => return self.open(false),
            Some(b'-' | b'0'..=b'9') => self.number(start)?,
            Some(b't') if self.eat(b"true") => Payload::Bool(true),
            Some(b'f') if self.eat(b"false") => Payload::Bool(false),
            Some(b'n') if self.eat(b"null") => Payload::Null,
            _ => return Err(self.unexpected(Syntax::Value)),
        };
        self.enter(start, payload)?;
        Ok(false)
    }

    /// Reads on behind a value. True if another value is next; false if the document's value is complete.
    fn after_value(&mut self) -> Result<bool, ReadError> {
        while let Some(&open) = self.open.last() {
            self.skip_space();
            let closing = if open.is_object { b'}' } else { b']' };
            match self.peek() {
                Some(b',') => {
                    self.comma(closing)?;
                    if open.is_object {
                        self.name(Syntax::Name)?;
                    }
                    return Ok(true);
                }
                Some(byte) if byte == closing => self.close()?,
                _ => return Err(self.unexpected(Syntax::CommaOrEnd)),
            }
        }
        Ok(false)
    }

    fn comma(&mut self, closing: u8) -> Result<(), ReadError> {
        let comma = self.at;
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(closing) {
            return Err(ReadError {
                at: comma,
                end: comma + 1,
                kind: ReadErrorKind::Syntax(Syntax::TrailingComma),
            });
        }
        Ok(())
    }

    /// Opens the array or object that begins here, and goes to the first value in it, see [`value`](Self::value).
    fn open(&mut self, is_object: bool) -> Result<bool, ReadError> {
        let limit = self.limits.depth;
        if self.open.len() >= limit {
            return Err(self.error(1, ReadErrorKind::TooDeep { limit }));
        }
        let node = self.enter(
            self.at,
            Payload::Array {
                len: 0,
                is_canonical: false,
            },
        )?;
        self.open.push(Open {
            node,
            len: 0,
            is_object,
        });
        self.at += 1;
        self.skip_space();
        match (self.peek(), is_object) {
            (Some(b'}'), true) | (Some(b']'), false) => self.close().map(|()| false),
            (_, true) => self.name(Syntax::NameOrEnd).map(|()| true),
            (None | Some(b'}' | b',' | b':'), false) => Err(self.unexpected(Syntax::ValueOrEnd)),
            (Some(_), false) => Ok(true),
        }
    }

    /// Closes the innermost array or object with the bracket that is here.
    fn close(&mut self) -> Result<(), ReadError> {
        self.at += 1;
        let Some(Open {
            node,
            len,
            is_object,
        }) = self.open.pop()
        else {
            return Ok(());
        };
        let order = narrow(self.order.len());
        if is_object {
            self.rank_names(node)?;
        }
        let next = narrow(self.nodes.len());
        let node = &mut self.nodes[node as usize];
        let is_canonical = self.flaw <= node.start as usize;
        let payload = if is_object {
            Payload::Object {
                len,
                order,
                is_canonical,
            }
        } else {
            Payload::Array { len, is_canonical }
        };
        node.end = narrow(self.at);
        node.next = next;
        node.payload = payload;
        Ok(())
    }

    /// Reads a name, the colon, and the space behind it.
    fn name(&mut self, expected: Syntax) -> Result<(), ReadError> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(expected));
        }
        // A name belongs to the value that follows, and is counted with it; so there are at most twice as many
        // nodes as values, and one name.
        let payload = self.string(start, NoteKind::NameNotNfc)?;
        let parent = self.open.last().map_or(0, |open| open.node);
        self.nodes.push(Node {
            start: narrow(start),
            end: narrow(self.at),
            next: narrow(self.nodes.len()) + 1,
            parent,
            place: 0,
            payload,
        });
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected(Syntax::Colon));
        }
        self.at += 1;
        Ok(())
    }

    /// Adds the value that reaches from `start` to here to what is open.
    fn enter(&mut self, start: usize, payload: Payload) -> Result<u32, ReadError> {
        let limit = self.limits.nodes;
        if self.values >= limit {
            return Err(ReadError {
                at: start,
                end: self.at.max(start + 1),
                kind: ReadErrorKind::TooManyNodes { limit },
            });
        }
        self.values += 1;
        let index = narrow(self.nodes.len());
        let (parent, place) = self.open.last_mut().map_or((0, 0), |open| {
            open.len += 1;
            (open.node, open.len - 1)
        });
        self.nodes.push(Node {
            start: narrow(start),
            end: narrow(self.at),
            next: index + 1,
            parent,
            place,
            payload,
        });
        Ok(index)
    }

    /// Notes something about the node that is entered next.
    pub(super) fn note(&mut self, kind: NoteKind) {
        self.notes.push((narrow(self.nodes.len()), kind));
    }

    /// Puts the names of the object at `node`, which is complete but for its end, into canonical order.
    fn rank_names(&mut self, object: u32) -> Result<(), ReadError> {
        self.ranked.clear();
        let mut name = object as usize + 1;
        while let Some(value) = self.nodes.get(name + 1) {
            self.ranked.push(Ranked::new(narrow(name)));
            name = value.next as usize;
        }
        let nodes = &self.nodes;
        let decoded = &self.decoded;
        let source = self.source;
        let text = |index: u32| nodes[index as usize].string(source, decoded).unwrap_or("");
        if let Some((first, second)) = names::rank(&mut self.ranked, text) {
            let span = self.nodes[second as usize].span();
            return Err(ReadError {
                at: span.start,
                end: span.end,
                kind: ReadErrorKind::DuplicateName {
                    name: text(second).chars().take(64).collect(),
                    first: self.nodes[first as usize].start as usize,
                },
            });
        }
        if !self.ranked.is_sorted_by_key(Ranked::node) {
            self.flaw = self.at;
        }
        let places = self.ranked.iter().map(|ranked| {
            let [name, value] = [0, 1].map(|i| &nodes[ranked.node() as usize + i]);
            let is_canonical =
                name.is_canonical() && value.is_canonical() && name.end + 1 == value.start;
            Place {
                name: ranked.node(),
                start: name.start,
                end: if is_canonical { value.end } else { 0 },
            }
        });
        self.order.extend(places);
        Ok(())
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, word: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
            self.flaw = self.at;
        }
    }

    /// An error about the next `len` bytes.
    pub(super) fn error(&self, len: usize, kind: ReadErrorKind) -> ReadError {
        ReadError {
            at: self.at,
            end: self.at + len,
            kind,
        }
    }

    fn error_to_end(&self, kind: ReadErrorKind) -> ReadError {
        self.error(self.bytes.len() - self.at, kind)
    }

    /// An error about the next character, or about there being none.
    pub(super) fn unexpected(&self, syntax: Syntax) -> ReadError {
        let next = self.source.get(self.at..).and_then(|s| s.chars().next());
        next.map_or_else(
            || self.error(0, ReadErrorKind::Syntax(Syntax::Ended)),
            |c| self.error(c.len_utf8(), ReadErrorKind::Syntax(syntax)),
        )
    }
}
