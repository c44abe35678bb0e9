//! Canonical bytes (RFC 8785), of which the manifest's hash is made.
//!
//! ERC-8257 §2 says that one SHOULD use a maintained library for this, and this is our own writer. Why: a library
//! takes a value that some other parser built, and what that parser forgave (a name that is there twice, a
//! number too large, half of a surrogate pair) is gone by then; it has no places in the source to point at, and no
//! ceilings. Here the reader refuses those, sorts names while it looks for doubles, and leaves to
//! the writer little more than to copy. What the recommendation is about, hashes that diverge, is met in the
//! tests: every vector, generated document and fuzz input goes through `serde_json_canonicalizer` too and must
//! give the same bytes. The one difficult part, how ECMAScript prints a number, is a library's (`ryu-js`).
//!
//! The writer does not change what it writes: strings that are not in Normalization Form C and hexadecimal digits
//! in upper case stay as they are (the rules refuse them), and unknown members are written like known ones.

use std::{mem, ops::Range};

use crate::json::{
    Document, Value,
    document::{Node, Payload},
};

/// Where canonical bytes go.
pub trait Sink {
    /// Takes the next bytes: any number of them, not always whole tokens.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Document<'_> {
    /// The canonical bytes of the whole document (RFC 8785): what `manifestHash` is the hash of.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        self.root().canonical()
    }
}

impl Value<'_> {
    /// The canonical bytes of this value (RFC 8785).
    #[must_use]
    pub fn canonical(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.span().len());
        self.write_canonical(&mut bytes);
        bytes
    }

    /// Writes the canonical bytes of this value (RFC 8785) to `sink`.
    pub fn write_canonical(self, sink: &mut impl Sink) {
        let document = self.document();
        let mut writer = Writer {
            document,
            run: 0..0,
            sink,
        };
        let mut outer: Vec<Open> = Vec::new();
        let mut inner = Open::NOTHING;
        let mut next = Some(self.index());
        loop {
            let mut is_first = false;
            if let Some(index) = next {
                let node = document.node(index);
                if let Some(opened) = Open::new(index, node) {
                    writer.copy(node.span().start, 1);
                    outer.push(mem::replace(&mut inner, opened));
                    is_first = true;
                } else {
                    writer.scalar(node);
                }
            }
            while inner.next == inner.last {
                let Some(further_out) = outer.pop() else {
                    return writer.flush();
                };
                writer.copy(inner.closing, 1);
                inner = further_out;
                is_first = false;
            }
            if !is_first {
                writer.mark(b',');
            }
            next = writer.step(&mut inner);
        }
    }
}

/// An array or object of which something is still to be written: the nodes (of an array) or the entries of
/// `Document::order` (of an object) from `next` to before `last`.
struct Open {
    next: u32,
    last: u32,
    is_object: bool,
    /// Where its closing bracket stands.
    closing: usize,
}

impl Open {
    /// What surrounds the value that is asked for: nothing that is to be written.
    const NOTHING: Self = Self {
        next: 0,
        last: 0,
        is_object: false,
        closing: 0,
    };

    /// Of an array or object that has to be written piece by piece.
    fn new(index: u32, node: &Node) -> Option<Self> {
        let (next, last, is_object) = match node.payload {
            _ if node.is_canonical() => return None,
            Payload::Array { .. } => (index + 1, node.next, false),
            Payload::Object { len, order, .. } => (order, order + len, true),
            _ => return None,
        };
        Some(Self {
            next,
            last,
            is_object,
            closing: node.span().end - 1,
        })
    }
}

/// Copies from the source as much at a time as is canonical where it stands: in a compact source whose names are in
/// order, everything.
struct Writer<'w, S> {
    document: &'w Document<'w>,
    /// A piece of the source that is to be written next.
    run: Range<usize>,
    sink: &'w mut S,
}

impl<S: Sink> Writer<'_, S> {
    fn flush(&mut self) {
        self.sink.put(&self.document.source()[self.run.clone()]);
        self.run = 0..0;
    }

    /// Writes `len` bytes of the source.
    fn copy(&mut self, start: usize, len: usize) {
        if start != self.run.end {
            self.flush();
            self.run.start = start;
        }
        self.run.end = start + len;
    }

    /// Writes a byte that the source has here, too, perhaps behind some space.
    fn mark(&mut self, byte: u8) {
        if !self.run.is_empty() && self.document.source().get(self.run.end) == Some(&byte) {
            self.run.end += 1;
        } else {
            self.flush();
            self.sink.put(&[byte]);
        }
    }

    /// Goes on in `open`: writes a name, if there is one, and gives the node of the value that is next. Or writes
    /// a whole member; then there is none.
    fn step(&mut self, open: &mut Open) -> Option<u32> {
        let next = open.next;
        if !open.is_object {
            open.next = self.document.node(next).next;
            return Some(next);
        }
        open.next += 1;
        let place = self.document.place(next);
        if let Some(member) = place.canonical() {
            self.copy(member.start, member.len());
            return None;
        }
        self.scalar(self.document.node(place.name));
        self.mark(b':');
        Some(place.name + 1)
    }

    /// Writes a name, or a value that is canonical or holds no others.
    fn scalar(&mut self, node: &Node) {
        if node.is_canonical() {
            return self.copy(node.span().start, node.span().len());
        }
        self.flush();
        match self.document.string(node) {
            Some(text) => write_string(text, self.sink),
            // RFC 8785 §3.2.2.3: as ECMAScript prints it.
            None => {
                let mut buffer = ryu_js::Buffer::new();
                self.sink
                    .put(buffer.format_finite(node.number()).as_bytes());
            }
        }
    }
}

/// RFC 8785 §3.2.2.2: escapes only where there must be one, and of those the shortest.
pub(crate) fn write_string(text: &str, sink: &mut impl Sink) {
    sink.put(b"\"");
    let mut rest = text.as_bytes();
    let special = |byte: &u8| matches!(byte, ..0x20 | b'"' | b'\\');
    while let Some(at) = rest.iter().position(special) {
        sink.put(&rest[..at]);
        match rest[at] {
            b'"' => sink.put(b"\\\""),
            b'\\' => sink.put(b"\\\\"),
            0x08 => sink.put(b"\\b"),
            b'\t' => sink.put(b"\\t"),
            b'\n' => sink.put(b"\\n"),
            0x0C => sink.put(b"\\f"),
            b'\r' => sink.put(b"\\r"),
            byte => sink.put(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                b'0' + (byte >> 4),
                b"0123456789abcdef"[usize::from(byte & 0xF)],
            ]),
        }
        rest = &rest[at + 1..];
    }
    sink.put(rest);
    sink.put(b"\"");
}
