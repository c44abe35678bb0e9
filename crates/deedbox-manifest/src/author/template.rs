//! A manifest to start from.

use crate::{address::Address, canonical, rules::TYPE_V1};

/// What a new manifest says. [`Template::manifest`] writes the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template<'t> {
    /// The tool's name: 1 to 128 code points (ERC-8257 §2).
    pub name: &'t str,
    /// What it does: 1 to 500 code points.
    pub description: &'t str,
    /// Where it is hosted: an HTTPS URL in normal form (§6).
    pub endpoint: &'t str,
    /// Who will register it. `None` writes the zero address, which every check refuses, so that it cannot be forgotten.
    pub creator: Option<Address>,
}

impl Default for Template<'_> {
    fn default() -> Self {
        Self {
            name: "my-tool",
            description: "Says in a sentence or two what the tool does, for people and for agents.",
            endpoint: "https://tools.example.com/my-tool",
            creator: None,
        }
    }
}

impl Template<'_> {
    /// A manifest of a free tool with one argument and one result, laid out for editing, in UTF-8 with a line break at its
    /// end. Once the creator is filled in, [`check`](crate::check()) refuses nothing in it, as long as the texts here keep
    /// their own rules.
    #[must_use]
    pub fn manifest(&self) -> String {
        let [name, description, endpoint] =
            [self.name, self.description, self.endpoint].map(quoted);
        let creator = self.creator.unwrap_or(Address::ZERO);
        format!(
            r#"{{
  "type": "{TYPE_V1}",
  "name": {name},
  "description": {description},
  "endpoint": {endpoint},
  "version": "1.0.0",
  "tags": ["example"],
  "inputs": {{
    "type": "object",
    "properties": {{
      "query": {{ "type": "string", "description": "What to look up", "maxLength": 200 }}
    }},
    "required": ["query"]
  }},
  "outputs": {{
    "type": "object",
    "properties": {{
      "answer": {{ "type": "string", "description": "What was found" }}
    }},
    "required": ["answer"]
  }},
  "creatorAddress": "{creator}"
}}
"#
        )
    }
}

fn quoted(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    canonical::write_string(text, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Verdict, check};

    #[test]
    fn a_new_manifest_lacks_nothing_but_its_creator() {
        let mut template = Template::default();
        let report = check(template.manifest().as_bytes());
        let pointers: Vec<_> = report.findings.iter().map(|f| f.pointer.as_str()).collect();
        assert_eq!(pointers, ["/creatorAddress"], "{:?}", report.findings);
        assert!(report.is_refused());

        template.creator = Some(Address([0x5a; 20]));
        let report = check(template.manifest().as_bytes());
        assert_eq!(report.verdict, Verdict::Valid, "{:?}", report.findings);
    }

    #[test]
    fn what_is_filled_in_needs_no_escaping_by_the_caller() {
        let template = Template {
            name: "\"quoted\" \\ {}",
            description: "two\nlines",
            endpoint: "https://ex.com/a",
            creator: Some(Address([1; 20])),
        };
        let report = check(template.manifest().as_bytes());
        assert_eq!(report.verdict, Verdict::Valid, "{:?}", report.findings);
    }
}
