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

use crate::json::{
    Document, Value,
    document::{Elements, Node, Ordered, Payload},
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

/// An array or object that is being written, and what of it is still to come.
enum Open<'d> {
    Array(Elements<'d>),
    Object(Ordered<'d>),
}

impl<'d> Value<'d> {
    /// The canonical bytes of this value (RFC 8785).
    #[must_use]
    pub fn canonical(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.span().len());
        self.write_canonical(&mut bytes);
        bytes
    }

    /// Writes the canonical bytes of this value (RFC 8785) to `sink`.
    pub fn write_canonical(self, sink: &mut impl Sink) {
        let mut open: Vec<Open<'d>> = Vec::new();
        let mut next = Some(self);
        while let Some(value) = next {
            let mut is_first = false;
            if let Some(elements) = value.elements() {
                sink.put(b"[");
                open.push(Open::Array(elements));
                is_first = true;
            } else if let Some(members) = value.ordered() {
                sink.put(b"{");
                open.push(Open::Object(members));
                is_first = true;
            } else {
                write_scalar(value.document(), value.node(), sink);
            }
            next = advance(&mut open, is_first, sink);
        }
    }
}

/// Writes what stands between two values: brackets that close, a comma, a name. Gives the value that is next.
fn advance<'d>(
    open: &mut Vec<Open<'d>>,
    mut is_first: bool,
    sink: &mut impl Sink,
) -> Option<Value<'d>> {
    loop {
        let (value, closing) = match open.last_mut()? {
            Open::Array(elements) => (elements.next(), b"]"),
            Open::Object(members) => match members.next() {
                Some((name, value)) => {
                    sink.put(if is_first { b"" } else { b"," });
                    write_scalar(value.document(), name, sink);
                    sink.put(b":");
                    return Some(value);
                }
                None => (None, b"}"),
            },
        };
        if value.is_some() {
            sink.put(if is_first { b"" } else { b"," });
            return value;
        }
        sink.put(closing);
        open.pop();
        is_first = false;
    }
}

/// Writes a name or a value that holds no others.
fn write_scalar(document: &Document<'_>, node: &Node, sink: &mut impl Sink) {
    let source = &document.text()[node.span()];
    match node.payload {
        Payload::Number { .. } => write_number(source, node.number(), sink),
        // Escaped otherwise than RFC 8785 §3.2.2.2 says, perhaps.
        Payload::Decoded { .. } => write_string(document.string(node).unwrap_or_default(), sink),
        // A string without escapes needs none, so it is canonical as it stands; a word has one spelling.
        _ => sink.put(source.as_bytes()),
    }
}

/// RFC 8785 §3.2.2.2: escapes only where there must be one, and of those the shortest.
fn write_string(text: &str, sink: &mut impl Sink) {
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

/// RFC 8785 §3.2.2.3: as ECMAScript prints the double.
fn write_number(source: &str, number: f64, sink: &mut impl Sink) {
    let digits = source.strip_prefix('-').unwrap_or(source);
    // Fifteen digits survive a double, and ECMAScript prints a whole number of that size as it is written.
    let is_plain = digits.len() <= 15 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if number == 0.0 {
        sink.put(b"0");
    } else if is_plain {
        sink.put(source.as_bytes());
    } else {
        sink.put(ryu_js::Buffer::new().format_finite(number).as_bytes());
    }
}
