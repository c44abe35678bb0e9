//! What was read: a flat list of nodes, and handles into it.

use std::{fmt, ops::Range};

use super::names;

/// A JSON text that was read, with the place of everything in it.
///
/// The nodes lie in one list in the order of the source, a container before what it contains. Texts are
/// borrowed from the source unless they hold escapes.
pub struct Document<'s> {
    pub(super) source: &'s str,
    pub(super) nodes: Vec<Node>,
    /// For each object, its members in canonical order (by UTF-16 code units).
    pub(super) order: Vec<Place>,
    /// The strings that had escapes, decoded.
    pub(super) decoded: String,
    pub(super) notes: Vec<(u32, NoteKind)>,
}

/// Offsets are 32 bits wide: a source is never larger (the reader sees to it), and nodes stay at 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The node behind this one and all that it contains.
    pub(crate) next: u32,
    /// The container. The root names itself.
    pub(super) parent: u32,
    /// Which one of the container's entries this is, counted from 0.
    pub(super) place: u32,
    pub(crate) payload: Payload,
}

/// A member at its place in canonical order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The name's node.
    pub(crate) name: u32,
    /// The member in the source, if it is canonical there. Found while sorting, so that the writer need not
    /// look at nodes all over a large object.
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Place {
    /// Where the member can be copied from.
    pub(crate) fn canonical(&self) -> Option<Range<usize>> {
        (self.end > 0).then_some(self.start as usize..self.end as usize)
    }
}

/// What a node is. `is_canonical` says that the source has it in canonical form already, brackets and all, so that
/// the canonical bytes can be copied.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Payload {
    Null,
    Bool(bool),
    /// The bits of an `f64`, in two halves so that a node needs no wider alignment.
    Number {
        high: u32,
        low: u32,
        is_canonical: bool,
    },
    /// A string without escapes: the source between the quotes.
    Text,
    /// A string with escapes: a piece of `Document::decoded`.
    Decoded {
        at: u32,
        len: u32,
        is_canonical: bool,
    },
    Array {
        len: u32,
        is_canonical: bool,
    },
    /// `order` is where its names begin in `Document::order`.
    Object {
        len: u32,
        order: u32,
        is_canonical: bool,
    },
}

/// Which of JSON's kinds a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// Prints with its article: "an object".
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

/// A value in a document. A handle: copying it copies nothing else.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    pub(super) document: &'d Document<'d>,
    pub(super) index: u32,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member<'d> {
    /// The name, decoded.
    pub name: &'d str,
    /// Where the name stands in the source, in bytes, with its quotes.
    pub name_span: Range<usize>,
    /// The value.
    pub value: Value<'d>,
}

/// Something that keeps nobody from reading the document, found while reading it.
#[derive(Clone, Debug)]
pub struct Note<'d> {
    /// What was noticed.
    pub kind: NoteKind,
    /// The value; where a name is meant, the value that it names.
    pub value: Value<'d>,
    /// The place in the source, in bytes: of the value, or of the name.
    pub span: Range<usize>,
}

/// What can be noticed while reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A number other than zero became zero, being too small for an IEEE 754 double (RFC 8785 §3.2.2.3).
    Underflow,
    /// A number whose canonical form is another number, for example an integer over 2^53 (RFC 8785 §3.2.2.3).
    Inexact,
    /// A string that is not in Unicode Normalization Form C (ERC-8257 §2).
    StringNotNfc,
    /// A member's name that is not in Unicode Normalization Form C.
    NameNotNfc,
}

impl<'s> Document<'s> {
    /// The document's one value.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value {
            document: self,
            index: 0,
        }
    }

    /// The bytes that were read.
    #[must_use]
    pub fn source(&self) -> &'s [u8] {
        self.source.as_bytes()
    }

    /// The same as text.
    #[must_use]
    pub fn text(&self) -> &'s str {
        self.source
    }

    /// What was noticed while reading, in the order of the source.
    pub fn notes(&self) -> impl ExactSizeIterator<Item = Note<'_>> {
        self.notes.iter().map(|&(index, kind)| {
            let node = self.node(index);
            let value = match kind {
                NoteKind::NameNotNfc => index + 1,
                _ => index,
            };
            Note {
                kind,
                value: Value {
                    document: self,
                    index: value,
                },
                span: node.span(),
            }
        })
    }

    /// An entry of `order`.
    pub(crate) fn place(&self, index: u32) -> &Place {
        &self.order[index as usize]
    }

    pub(crate) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// The string or name that a node is, decoded.
    pub(crate) fn string(&self, node: &Node) -> Option<&str> {
        node.string(self.source, &self.decoded)
    }
}

impl fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("bytes", &self.source.len())
            .field("nodes", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

impl Node {
    /// The number that it is, 0 if it is none.
    pub(crate) fn number(&self) -> f64 {
        match self.payload {
            Payload::Number { high, low, .. } => {
                f64::from_bits(u64::from(high) << 32 | u64::from(low))
            }
            _ => 0.0,
        }
    }

    /// Whether the source has it in canonical form.
    pub(crate) const fn is_canonical(&self) -> bool {
        match self.payload {
            // A string without escapes needs none, and a word has one spelling.
            Payload::Null | Payload::Bool(_) | Payload::Text => true,
            Payload::Number { is_canonical, .. }
            | Payload::Decoded { is_canonical, .. }
            | Payload::Array { is_canonical, .. }
            | Payload::Object { is_canonical, .. } => is_canonical,
        }
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<'d> Value<'d> {
    pub(crate) fn document(self) -> &'d Document<'d> {
        self.document
    }

    pub(crate) fn index(self) -> u32 {
        self.index
    }

    fn node(self) -> &'d Node {
        self.document.node(self.index)
    }

    fn at(self, index: u32) -> Self {
        Self { index, ..self }
    }

    /// Which of JSON's kinds it is of.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.node().payload {
            Payload::Null => Kind::Null,
            Payload::Bool(value) => Kind::Bool(value),
            Payload::Number { .. } => Kind::Number,
            Payload::Text | Payload::Decoded { .. } => Kind::String,
            Payload::Array { .. } => Kind::Array,
            Payload::Object { .. } => Kind::Object,
        }
    }

    /// The string, decoded, if it is one.
    #[must_use]
    pub fn as_str(self) -> Option<&'d str> {
        self.document.string(self.node())
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.node().payload {
            Payload::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number as RFC 8785 understands it, if it is one: an IEEE 754 double, always finite.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        let node = self.node();
        matches!(node.payload, Payload::Number { .. }).then(|| node.number())
    }

    /// The number as it is written in the source, if it is one.
    #[must_use]
    pub fn number_text(self) -> Option<&'d str> {
        self.as_f64().map(|_| self.source_text())
    }

    /// The value as it is written in the source.
    #[must_use]
    pub fn source_text(self) -> &'d str {
        &self.document.source[self.span()]
    }

    /// How many elements an array or members an object has; 0 for everything else.
    #[must_use]
    pub fn len(self) -> usize {
        match self.node().payload {
            Payload::Array { len, .. } | Payload::Object { len, .. } => len as usize,
            _ => 0,
        }
    }

    /// Whether there is nothing in it, see [`len`](Self::len).
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The elements, in order, if it is an array.
    #[must_use]
    pub fn elements(self) -> Option<Elements<'d>> {
        match self.node().payload {
            Payload::Array { len, .. } => Some(Elements {
                next: self.at(self.index + 1),
                left: len,
            }),
            _ => None,
        }
    }

    /// The members, in the order of the source, if it is an object.
    #[must_use]
    pub fn members(self) -> Option<Members<'d>> {
        match self.node().payload {
            Payload::Object { len, .. } => Some(Members {
                next: self.at(self.index + 1),
                left: len,
            }),
            _ => None,
        }
    }

    /// The member whose name is the node at `index`.
    fn member(self, index: u32) -> Member<'d> {
        let name = self.document.node(index);
        Member {
            name: self.document.string(name).unwrap_or_default(),
            name_span: name.span(),
            value: self.at(index + 1),
        }
    }

    fn order(self) -> Option<&'d [Place]> {
        match self.node().payload {
            Payload::Object { len, order, .. } => {
                Some(&self.document.order[order as usize..][..len as usize])
            }
            _ => None,
        }
    }

    /// The value of the member with this name (decoded), if it is an object that has one.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Self> {
        self.get_member(name).map(|member| member.value)
    }

    /// The member with this name (decoded), if it is an object that has one.
    #[must_use]
    pub fn get_member(self, name: &str) -> Option<Member<'d>> {
        let order = self.order()?;
        let found = order.binary_search_by(|place| {
            let here = self.document.string(self.document.node(place.name));
            names::compare(here.unwrap_or_default(), name)
        });
        found.ok().map(|at| self.member(order[at].name))
    }

    /// Where the value stands in the source, in bytes; a string with its quotes.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.node().span()
    }

    /// The array or object that it stands in; nothing for the root.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        (self.index != 0).then(|| self.at(self.node().parent))
    }

    /// The name that it has in its object, decoded; nothing for an array's element and for the root.
    #[must_use]
    pub fn name(self) -> Option<&'d str> {
        let name = self.document.node(self.index.checked_sub(1)?);
        let in_object = self.parent()?.kind() == Kind::Object;
        in_object.then(|| self.document.string(name)).flatten()
    }

    /// The JSON Pointer (RFC 6901) to it from the root; the root's own is empty.
    ///
    /// Takes time and memory as the names on the way are long. A hostile document may have one very long
    /// name above many values: who makes many pointers has to stop at some number of bytes.
    #[must_use]
    pub fn pointer(self) -> String {
        let mut steps = Vec::new();
        let mut here = self;
        while let Some(parent) = here.parent() {
            steps.push(here);
            here = parent;
        }
        let mut pointer = String::new();
        for step in steps.into_iter().rev() {
            pointer.push('/');
            match step.name() {
                Some(name) if name.contains(['~', '/']) => {
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
                Some(name) => pointer.push_str(name),
                None => pointer.push_str(&step.node().place.to_string()),
            }
        }
        pointer
    }

    /// The value for code that wants it as `serde_json` has it.
    ///
    /// Numbers are what RFC 8785 makes of them, so that a rule about a number is a rule about what is hashed.
    #[cfg(any(test, feature = "schema"))]
    #[must_use]
    pub fn to_serde(self) -> serde_json::Value {
        use serde_json::Value as Json;
        if let Some(elements) = self.elements() {
            return elements.map(Value::to_serde).collect();
        }
        if let Some(members) = self.members() {
            let members = members.map(|member| (member.name.to_owned(), member.value.to_serde()));
            return Json::Object(members.collect());
        }
        match (self.kind(), self.as_str(), self.as_f64()) {
            (Kind::Bool(value), ..) => Json::Bool(value),
            (_, Some(text), _) => Json::String(text.to_owned()),
            (_, _, Some(number)) => number_to_serde(number),
            _ => Json::Null,
        }
    }
}

/// Whole numbers become integers, because schemas ask for them.
#[cfg(any(test, feature = "schema"))]
fn number_to_serde(number: f64) -> serde_json::Value {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, and within the range of the target"
    )]
    if number.fract() != 0.0 {
        number.into()
    } else if (-TWO_TO_63..TWO_TO_63).contains(&number) {
        (number as i64).into()
    } else if (0.0..2.0 * TWO_TO_63).contains(&number) {
        (number as u64).into()
    } else {
        number.into()
    }
}

/// The elements of an array, in order.
#[derive(Clone, Debug)]
pub struct Elements<'d> {
    next: Value<'d>,
    left: u32,
}

impl<'d> Iterator for Elements<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        self.left = self.left.checked_sub(1)?;
        let element = self.next;
        self.next.index = element.node().next;
        Some(element)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Elements<'_> {}

/// The members of an object, in the order of the source.
#[derive(Clone, Debug)]
pub struct Members<'d> {
    next: Value<'d>,
    left: u32,
}

impl<'d> Iterator for Members<'d> {
    type Item = Member<'d>;

    fn next(&mut self) -> Option<Member<'d>> {
        self.left = self.left.checked_sub(1)?;
        let member = self.next.member(self.next.index);
        self.next.index = member.value.node().next;
        Some(member)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Members<'_> {}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An iterator that is at its end holds a value that is none.
        let node = self.document.nodes.get(self.index as usize);
        let text = node.map_or("", |node| &self.document.source[node.span()]);
        let end = text.floor_char_boundary(64);
        write!(f, "Value({})", &text[..end])
    }
}
