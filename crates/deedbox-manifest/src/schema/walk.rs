//! The way through a schema: every place where another schema may be, once.

use std::collections::HashMap;

use super::{
    MOST_LEVELS, MOST_NODES,
    graph::{Edge, Graph},
    keywords::{self, Draft, Shape},
    pattern::{self, Described, MOST_BYTES_TOGETHER},
    pre_filled::{Consent, PreFilled, Source},
    reference::{self, Target},
    shape,
};
use crate::{
    json::{Kind, Member, Value},
    rules::{Findings, Place, Quoted},
};

/// The most bytes of pointers to pre-filled values. One long name above a thousand values makes a thousand long
/// pointers; the places in the source say the same.
const POINTER_BYTES: usize = 1 << 18;

/// The longest path of an argument that is spelt out, in bytes, for the same reason.
const ARGUMENT_BYTES: usize = 256;

/// The most bytes of pre-filled values, for the same reason.
const VALUE_BYTES: usize = 1 << 20;

/// Which of the two schemas it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A caller fills it in, so that pre-filled values matter.
    Inputs,
    Outputs,
}

/// Where the walk is.
#[derive(Clone, Copy)]
struct Here<'d> {
    level: usize,
    /// The schema that `#` means: the whole one, or the nearest with an `$id` of its own.
    resource: Value<'d>,
    /// Whether the draft has a schema here. In a keyword of another draft there is one for whoever reads the
    /// document as that: it counts, but nobody says what shape it must have.
    judged: bool,
    /// The number of the schema that this one stands in.
    above: Option<usize>,
    /// Whether this one looks a level deeper into the arguments than that.
    deeper: bool,
}

/// A reference that is looked at when every anchor is known.
struct Pending<'d> {
    reference: Value<'d>,
    from: Here<'d>,
}

pub(super) struct Walk<'d, 'f> {
    root: Value<'d>,
    role: Role,
    draft: Draft,
    findings: &'f mut Findings,
    /// Schemas so far, those of the other root included.
    pub(super) nodes: usize,
    too_deep: bool,
    /// The number of each visited schema, by where it begins in the source.
    visited: HashMap<usize, usize>,
    pub(super) graph: Graph,
    /// By the resource's place and the name.
    anchors: HashMap<(usize, &'d str), Value<'d>>,
    pending: Vec<Pending<'d>>,
    /// Bytes of patterns that may still be parsed.
    pattern_bytes: usize,
    pointer_bytes: usize,
    value_bytes: usize,
    pub(super) pre_filled: Vec<PreFilled>,
}

impl<'d, 'f> Walk<'d, 'f> {
    pub(super) fn new(
        root: Value<'d>,
        role: Role,
        nodes: usize,
        findings: &'f mut Findings,
    ) -> Self {
        Walk {
            root,
            role,
            draft: Draft::Draft2020,
            findings,
            nodes,
            too_deep: false,
            visited: HashMap::new(),
            graph: Graph::default(),
            anchors: HashMap::new(),
            pending: Vec::new(),
            pattern_bytes: MOST_BYTES_TOGETHER,
            pointer_bytes: 0,
            value_bytes: 0,
            pre_filled: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Self {
        self.dialect();
        let here = Here {
            level: 1,
            resource: self.root,
            judged: true,
            above: None,
            deeper: false,
        };
        self.schema(self.root, &here);
        // Only references lead back.
        let has_references = !self.pending.is_empty();
        while let Some(Pending { reference, from }) = self.pending.pop() {
            self.follow(reference, &from);
        }
        if has_references && self.graph.order().is_none() {
            self.findings.warn(
                "8257-M-21",
                &Place::At(self.root),
                format_args!("the schema refers to itself without looking deeper, so that checking never ends"),
                "Break the circle of references.",
            );
        }
        self
    }

    fn dialect(&mut self) {
        let Some(value) = self.root.get("$schema") else {
            return;
        };
        match value.as_str().and_then(Draft::named) {
            Some(draft) => self.draft = draft,
            None => self.findings.warn(
                "8257-M-21",
                &Place::At(value),
                format_args!(
                    "$schema names no known version of JSON Schema; this is read as 2020-12"
                ),
                "Name a published draft, for example https://json-schema.org/draft/2020-12/schema.",
            ),
        }
    }

    fn schema(&mut self, value: Value<'d>, here: &Here<'d>) {
        if self.nodes > MOST_NODES {
            return;
        }
        let number = self.visited.len();
        let to = *self.visited.entry(value.span().start).or_insert(number);
        if let Some(from) = here.above {
            let deeper = here.deeper;
            self.graph.edges.push(Edge { from, to, deeper });
        }
        if to != number {
            return;
        }
        self.graph.weights.push(1 + value.len());
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            let message =
                format_args!("inputs and outputs have more than {MOST_NODES} schemas in them");
            self.findings.refuse(
                "8257-parse-08",
                &Place::At(value),
                message,
                "Make the schemas smaller.",
            );
            return;
        }
        if here.level > MOST_LEVELS {
            if !std::mem::replace(&mut self.too_deep, true) {
                let message = format_args!("the schema has more than {MOST_LEVELS} levels");
                self.findings.refuse(
                    "8257-parse-07",
                    &Place::At(value),
                    message,
                    "Nest fewer schemas in each other.",
                );
            }
            return;
        }
        match value.members() {
            Some(members) => {
                let resource = self.resource(value, here);
                let above = Some(number);
                let here = Here {
                    resource,
                    above,
                    ..*here
                };
                members.for_each(|member| self.keyword(&member, &here));
            }
            None if matches!(value.kind(), Kind::Bool(_)) && self.draft > Draft::Draft4 => {}
            None if here.judged => self.misshapen(value, "a schema", "an object, true or false"),
            None => {}
        }
    }

    /// The resource that a schema belongs to: its own if it has an `$id` that is not a bare fragment.
    fn resource(&self, value: Value<'d>, here: &Here<'d>) -> Value<'d> {
        let id = value.get("$id").and_then(Value::as_str);
        if id.is_some_and(|id| !id.is_empty() && !id.starts_with('#')) {
            value
        } else {
            here.resource
        }
    }

    fn misshapen(&mut self, value: Value<'d>, what: &str, wanted: &str) {
        let message = format_args!("{what} must be {wanted}, and this is {}", value.kind());
        let fix =
            "Write the schema as its version of JSON Schema says; validators refuse it otherwise.";
        self.findings
            .warn("8257-M-21", &Place::At(value), message, fix);
    }

    fn keyword(&mut self, member: &Member<'d>, here: &Here<'d>) {
        let value = member.value;
        self.pre_fill(member);
        let Some(known) = keywords::keyword(member.name, self.draft) else {
            return;
        };
        // Draft 4 has no boolean schemas but in these two places.
        let exempt = self.draft == Draft::Draft4
            && matches!(member.name, "additionalItems" | "additionalProperties")
            && matches!(value.kind(), Kind::Bool(_));
        if exempt {
            return;
        }
        let here = &Here {
            judged: here.judged && known.in_draft,
            ..*here
        };
        if here.judged
            && let Some(wanted) = shape::fault(value, known.shape, self.draft)
        {
            self.misshapen(value, member.name, wanted);
        }
        if here.judged && lacks_limit(member) && self.draft == Draft::Draft4 {
            self.misshapen(value, member.name, "beside the limit that it is about");
        }
        // Choices and names are gone through one by one.
        if let (true, Some(above)) = (value.len() > 1, here.above) {
            self.graph.weights[above] += value.len();
        }
        match known.shape {
            Shape::Pattern => self.pattern(value.as_str(), &Place::At(value)),
            Shape::Reference => self.pending.push(Pending {
                reference: value,
                from: *here,
            }),
            Shape::Anchor => self.anchor(value.as_str(), value, here),
            Shape::Identity if self.draft <= Draft::Draft7 => {
                let name = value.as_str().and_then(|id| id.strip_prefix('#'));
                self.anchor(name, value, here);
            }
            // Whatever the draft says, somebody else may read an array of schemas here, or one alone.
            Shape::Schema | Shape::Schemas | Shape::SchemaOrSchemas => {
                let is_array = value.kind() == Kind::Array;
                if is_array && known.shape == Shape::Schema && here.judged {
                    self.misshapen(value, member.name, "an object, true or false");
                }
                if is_array {
                    self.schemas(value, member.name, here);
                } else if known.shape != Shape::Schemas || value.kind() == Kind::Object {
                    self.schema(value, &below(here, member.name));
                }
            }
            Shape::SchemaByName | Shape::SchemaByPattern | Shape::Dependencies => {
                self.named_schemas(member, known.shape, here);
            }
            _ => {}
        }
    }

    fn schemas(&mut self, value: Value<'d>, keyword: &str, here: &Here<'d>) {
        for schema in value.elements().into_iter().flatten() {
            self.schema(schema, &below(here, keyword));
        }
    }

    fn named_schemas(&mut self, member: &Member<'d>, shape: Shape, here: &Here<'d>) {
        self.schemas(member.value, member.name, here);
        for named in member.value.members().into_iter().flatten() {
            if shape == Shape::SchemaByPattern {
                let place = Place::Name(named.value, named.name_span.clone());
                self.pattern(Some(named.name), &place);
            }
            if shape == Shape::Dependencies && named.value.kind() == Kind::Array {
                continue;
            }
            self.schema(named.value, &below(here, member.name));
        }
    }

    fn anchor(&mut self, name: Option<&'d str>, value: Value<'d>, here: &Here<'d>) {
        if let (Some(name), Some(schema)) = (name, value.parent()) {
            self.anchors
                .insert((here.resource.span().start, name), schema);
        }
    }

    fn pattern(&mut self, pattern: Option<&'d str>, place: &Place<'d>) {
        let Some(text) = pattern else {
            return;
        };
        if let Err(why) = pattern::check_within(text, &mut self.pattern_bytes) {
            self.findings.warn(
                why.rule(),
                place,
                format_args!("{}", Described(text, why)),
                why.fix(),
            );
        }
    }

    fn follow(&mut self, value: Value<'d>, from: &Here<'d>) {
        let Some(text) = value.as_str() else {
            return;
        };
        let root = from.resource;
        let target = match reference::read(text) {
            Target::Remote => {
                let message = format_args!(
                    "the schema refers to {}, which is never fetched",
                    Quoted(text)
                );
                let fix = "Copy what it refers to into $defs, and refer to it there.";
                self.findings
                    .warn("8257-ref-01", &Place::At(value), message, fix);
                return;
            }
            Target::Root => Some(root),
            Target::Pointer(pointer) => reference::resolve(root, &pointer),
            Target::Anchor(name) => self.anchors.get(&(root.span().start, &*name)).copied(),
            Target::Broken => None,
        };
        let Some(target) = target else {
            let message = format_args!("the schema refers to {}, which is not in it", Quoted(text));
            self.findings.warn(
                "8257-ref-03",
                &Place::At(value),
                message,
                "Refer to a schema that is there.",
            );
            return;
        };
        // Where no schema should be (an unknown keyword, an example) one may hide from whoever lists values. It
        // counts as a schema; its levels count from itself, since the standard counts none above it.
        let here = Here {
            level: 1,
            resource: root,
            judged: true,
            above: from.above,
            deeper: false,
        };
        self.schema(target, &here);
    }

    fn pre_fill(&mut self, member: &Member<'d>) {
        if self.role != Role::Inputs {
            return;
        }
        let schema = member.value.parent();
        let (source, value) = match member.name {
            "default" => (Source::Default, member.value),
            "const" => (Source::Const, member.value),
            "enum" if member.value.len() == 1 => {
                match member.value.elements().and_then(|mut one| one.next()) {
                    Some(only) => (Source::OnlyChoice, only),
                    None => return,
                }
            }
            _ => return,
        };
        let pointer = if self.pointer_bytes > POINTER_BYTES {
            String::new()
        } else {
            value.pointer()
        };
        self.pointer_bytes += pointer.len();
        let told = self.value_text(value);
        self.pre_filled.push(PreFilled {
            pointer,
            span: value.span(),
            argument: schema.and_then(|schema| argument(self.root, schema)),
            source,
            value: told,
            consent: Consent::Acknowledge,
        });
    }
}

impl Walk<'_, '_> {
    /// The value as canonical JSON, while there is room: values stand in each other, and each is told whole.
    fn value_text(&mut self, value: Value<'_>) -> String {
        if self.value_bytes + value.span().len() > VALUE_BYTES {
            return String::new();
        }
        let text = String::from_utf8_lossy(&value.canonical()).into_owned();
        self.value_bytes += text.len();
        text
    }
}

/// In draft 4 these two only say how a limit is meant.
fn lacks_limit(member: &Member<'_>) -> bool {
    let limit = match member.name {
        "exclusiveMaximum" => "maximum",
        "exclusiveMinimum" => "minimum",
        _ => return false,
    };
    member
        .value
        .parent()
        .is_some_and(|schema| schema.get(limit).is_none())
}

/// Whether a keyword only keeps schemas for others to refer to.
fn is_store(keyword: &str) -> bool {
    matches!(keyword, "$defs" | "definitions" | "contentSchema")
}

/// Whether the schemas in a keyword look at the same argument as the one that the keyword is in.
fn stays(keyword: &str) -> bool {
    matches!(
        keyword,
        "allOf"
            | "anyOf"
            | "oneOf"
            | "not"
            | "if"
            | "then"
            | "else"
            | "dependentSchemas"
            | "dependencies"
    )
}

/// The place of a subschema, one level down.
fn below<'d>(here: &Here<'d>, keyword: &str) -> Here<'d> {
    Here {
        level: here.level + 1,
        above: here.above.filter(|_| !is_store(keyword)),
        deeper: !stays(keyword),
        ..*here
    }
}

/// The argument that a value of this schema fills, if that can be told: the way down to it, by its names.
fn argument(root: Value<'_>, schema: Value<'_>) -> Option<String> {
    let mut way = Vec::new();
    let mut here = schema;
    while here.span() != root.span() {
        way.push(here);
        here = here.parent()?;
    }
    let mut argument = String::new();
    while let Some(step) = way.pop() {
        let keyword = step.name()?;
        match keyword {
            "properties" => {
                let name = way.pop()?.name()?;
                if !argument.is_empty() {
                    argument.push('.');
                }
                if name.len() > ARGUMENT_BYTES {
                    return None;
                }
                argument.push_str(name);
            }
            "items" | "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems" => {
                argument.push_str("[]");
            }
            _ if stays(keyword) => {}
            _ => return None,
        }
        // A list of schemas, or schemas by name: one more step, which says nothing about the argument.
        let one_more =
            step.kind() == Kind::Array || matches!(keyword, "dependentSchemas" | "dependencies");
        if one_more {
            way.pop()?;
        }
        if argument.len() > ARGUMENT_BYTES {
            return None;
        }
    }
    Some(argument)
}
