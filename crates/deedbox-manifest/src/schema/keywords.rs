//! Which keywords there are, and what each may hold.

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Draft {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// 2019-09.
    Draft2019,
    /// 2020-12. What a schema is that names no version: ERC-8257 does not say, and this is the newest
    /// (reading M-21).
    Draft2020,
}

impl Draft {
    /// The draft that a `$schema` names; `None` for anything else. Nothing is fetched to find out.
    #[must_use]
    pub fn named(uri: &str) -> Option<Self> {
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        let rest = uri
            .strip_prefix("https://")
            .or_else(|| uri.strip_prefix("http://"))?;
        match rest.strip_prefix("json-schema.org/")? {
            "draft-04/schema" => Some(Self::Draft4),
            "draft-06/schema" => Some(Self::Draft6),
            "draft-07/schema" => Some(Self::Draft7),
            "draft/2019-09/schema" => Some(Self::Draft2019),
            "draft/2020-12/schema" => Some(Self::Draft2020),
            _ => None,
        }
    }
}

/// What a keyword may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Anything,
    Text,
    Truth,
    Number,
    /// Greater than zero.
    Positive,
    /// Whole, zero or more.
    Count,
    /// A list of anything.
    List,
    /// Different strings.
    Names,
    /// For each name, different strings.
    NamesByName,
    TypeNames,
    Pattern,
    /// `$ref` and its kin.
    Reference,
    /// The name of an anchor.
    Anchor,
    /// `$id`.
    Identity,
    /// For each name, true or false.
    TruthByName,
    Schema,
    /// One or more schemas.
    Schemas,
    SchemaOrSchemas,
    SchemaByName,
    SchemaByPattern,
    /// For each name, a schema or different strings.
    Dependencies,
}

use Draft::{Draft4, Draft6, Draft7, Draft2019, Draft2020};

/// A keyword in the drafts from the one to the other.
struct Keyword(&'static str, Shape, Draft, Draft);

/// In the order of their names, for a binary search. Two lines where a keyword changed its shape.
const KEYWORDS: &[Keyword] = &[
    Keyword("$anchor", Shape::Anchor, Draft2019, Draft2020),
    Keyword("$comment", Shape::Text, Draft7, Draft2020),
    Keyword("$defs", Shape::SchemaByName, Draft2019, Draft2020),
    Keyword("$dynamicAnchor", Shape::Anchor, Draft2020, Draft2020),
    Keyword("$dynamicRef", Shape::Reference, Draft2020, Draft2020),
    Keyword("$id", Shape::Identity, Draft6, Draft2020),
    Keyword("$recursiveAnchor", Shape::Truth, Draft2019, Draft2019),
    Keyword("$recursiveRef", Shape::Reference, Draft2019, Draft2019),
    Keyword("$ref", Shape::Reference, Draft4, Draft2020),
    Keyword("$schema", Shape::Text, Draft4, Draft2020),
    Keyword("$vocabulary", Shape::TruthByName, Draft2019, Draft2020),
    Keyword("additionalItems", Shape::Schema, Draft4, Draft2019),
    Keyword("additionalProperties", Shape::Schema, Draft4, Draft2020),
    Keyword("allOf", Shape::Schemas, Draft4, Draft2020),
    Keyword("anyOf", Shape::Schemas, Draft4, Draft2020),
    Keyword("const", Shape::Anything, Draft6, Draft2020),
    Keyword("contains", Shape::Schema, Draft6, Draft2020),
    Keyword("contentEncoding", Shape::Text, Draft7, Draft2020),
    Keyword("contentMediaType", Shape::Text, Draft7, Draft2020),
    Keyword("contentSchema", Shape::Schema, Draft2019, Draft2020),
    Keyword("default", Shape::Anything, Draft4, Draft2020),
    Keyword("definitions", Shape::SchemaByName, Draft4, Draft2020),
    Keyword("dependencies", Shape::Dependencies, Draft4, Draft2020),
    Keyword(
        "dependentRequired",
        Shape::NamesByName,
        Draft2019,
        Draft2020,
    ),
    Keyword(
        "dependentSchemas",
        Shape::SchemaByName,
        Draft2019,
        Draft2020,
    ),
    Keyword("deprecated", Shape::Truth, Draft2019, Draft2020),
    Keyword("description", Shape::Text, Draft4, Draft2020),
    Keyword("else", Shape::Schema, Draft7, Draft2020),
    Keyword("enum", Shape::List, Draft4, Draft2020),
    Keyword("examples", Shape::List, Draft6, Draft2020),
    Keyword("exclusiveMaximum", Shape::Truth, Draft4, Draft4),
    Keyword("exclusiveMaximum", Shape::Number, Draft6, Draft2020),
    Keyword("exclusiveMinimum", Shape::Truth, Draft4, Draft4),
    Keyword("exclusiveMinimum", Shape::Number, Draft6, Draft2020),
    Keyword("format", Shape::Text, Draft4, Draft2020),
    Keyword("id", Shape::Text, Draft4, Draft4),
    Keyword("if", Shape::Schema, Draft7, Draft2020),
    Keyword("items", Shape::SchemaOrSchemas, Draft4, Draft2019),
    Keyword("items", Shape::Schema, Draft2020, Draft2020),
    Keyword("maxContains", Shape::Count, Draft2019, Draft2020),
    Keyword("maxItems", Shape::Count, Draft4, Draft2020),
    Keyword("maxLength", Shape::Count, Draft4, Draft2020),
    Keyword("maxProperties", Shape::Count, Draft4, Draft2020),
    Keyword("maximum", Shape::Number, Draft4, Draft2020),
    Keyword("minContains", Shape::Count, Draft2019, Draft2020),
    Keyword("minItems", Shape::Count, Draft4, Draft2020),
    Keyword("minLength", Shape::Count, Draft4, Draft2020),
    Keyword("minProperties", Shape::Count, Draft4, Draft2020),
    Keyword("minimum", Shape::Number, Draft4, Draft2020),
    Keyword("multipleOf", Shape::Positive, Draft4, Draft2020),
    Keyword("not", Shape::Schema, Draft4, Draft2020),
    Keyword("oneOf", Shape::Schemas, Draft4, Draft2020),
    Keyword("pattern", Shape::Pattern, Draft4, Draft2020),
    Keyword(
        "patternProperties",
        Shape::SchemaByPattern,
        Draft4,
        Draft2020,
    ),
    Keyword("prefixItems", Shape::Schemas, Draft2020, Draft2020),
    Keyword("properties", Shape::SchemaByName, Draft4, Draft2020),
    Keyword("propertyNames", Shape::Schema, Draft6, Draft2020),
    Keyword("readOnly", Shape::Truth, Draft7, Draft2020),
    Keyword("required", Shape::Names, Draft4, Draft2020),
    Keyword("then", Shape::Schema, Draft7, Draft2020),
    Keyword("title", Shape::Text, Draft4, Draft2020),
    Keyword("type", Shape::TypeNames, Draft4, Draft2020),
    Keyword("unevaluatedItems", Shape::Schema, Draft2019, Draft2020),
    Keyword("unevaluatedProperties", Shape::Schema, Draft2019, Draft2020),
    Keyword("uniqueItems", Shape::Truth, Draft4, Draft2020),
    Keyword("writeOnly", Shape::Truth, Draft7, Draft2020),
];

/// A keyword as a draft knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) shape: Shape,
    /// Whether the draft has it. Where it has not, what lies in it is a schema all the same for whoever reads
    /// the document as another draft: it counts, but nobody says what shape it must have.
    pub(super) in_draft: bool,
}

/// What is known about a keyword; `None` for a name that no draft has.
pub(super) fn keyword(name: &str, draft: Draft) -> Option<Known> {
    let from = KEYWORDS.partition_point(|keyword| keyword.0 < name);
    let lines = KEYWORDS[from..]
        .iter()
        .take_while(|keyword| keyword.0 == name);
    let mut last = None;
    for &Keyword(_, shape, first, until) in lines {
        let in_draft = (first..=until).contains(&draft);
        last = Some(Known { shape, in_draft });
        if in_draft {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(KEYWORDS.is_sorted_by_key(|keyword| (keyword.0, keyword.2)));
    }

    #[test]
    fn a_keyword_has_the_shape_of_its_draft() {
        let shape = |name, draft| keyword(name, draft).map(|known| (known.shape, known.in_draft));
        assert_eq!(shape("items", Draft7), Some((Shape::SchemaOrSchemas, true)));
        assert_eq!(shape("items", Draft2020), Some((Shape::Schema, true)));
        assert_eq!(
            shape("exclusiveMinimum", Draft4),
            Some((Shape::Truth, true))
        );
        assert_eq!(
            shape("exclusiveMinimum", Draft2020),
            Some((Shape::Number, true))
        );
        assert_eq!(shape("$defs", Draft7), Some((Shape::SchemaByName, false)));
        assert_eq!(shape("x-hint", Draft2020), None);
        for keyword in KEYWORDS {
            assert!(super::keyword(keyword.0, keyword.2).is_some_and(|known| known.in_draft));
        }
    }

    #[test]
    fn a_draft_is_known_by_its_uri_and_nothing_else() {
        assert_eq!(
            Draft::named("http://json-schema.org/draft-07/schema#"),
            Some(Draft7)
        );
        assert_eq!(
            Draft::named("https://json-schema.org/draft/2020-12/schema"),
            Some(Draft2020)
        );
        assert_eq!(Draft::named("https://example.com/draft-07/schema"), None);
        assert_eq!(Draft::named("draft-07"), None);
    }
}
