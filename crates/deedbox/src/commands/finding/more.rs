//! The command for the next page: the one that asked for this page, with the same arguments.

use deedbox_server::{
    Operation,
    inputs::{FindAgents, FindTools, GetRegistryHistory, HitLimit},
};

use crate::settings::again::quoted;

/// What asked for a page, going on at this cursor; without the program's name.
pub(super) fn again(question: &Operation, cursor: &str) -> String {
    match question {
        Operation::FindAgents(input) => of_agents(input, cursor),
        Operation::FindTools(input) => of_tools(input, cursor),
        Operation::GetRegistryHistory(input) => of_history(input, cursor),
        _ => String::new(),
    }
}

/// A command that is put together.
pub(in crate::commands) struct Line(String);

impl Line {
    /// One that begins with these words.
    pub(in crate::commands) fn new(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// The command, without the program's name.
    pub(in crate::commands) fn into_text(self) -> String {
        self.0
    }

    /// With a word more.
    pub(in crate::commands) fn word(&mut self, word: &str) {
        self.0.push(' ');
        self.0.push_str(&quoted(word));
    }

    /// With what stands after it, when there is something.
    pub(in crate::commands) fn flag(&mut self, flag: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.word(flag);
            self.word(&value.to_string());
        }
    }

    /// With a flag, when it is on.
    pub(in crate::commands) fn switch(&mut self, flag: &str, is_on: bool) {
        if is_on {
            self.word(flag);
        }
    }
}

/// What both searches have.
macro_rules! scope {
    ($line:expr, $input:expr, $cursor:expr) => {
        for registry in &$input.registries {
            $line.flag("--registry", Some(registry));
        }
        $line.flag("--chain-id", $input.chain_id);
        $line.flag("--updated-since", $input.updated_since);
        $line.switch("--gone", $input.gone);
        $line.switch("--blocked", $input.blocked);
        $line.flag("--limit", $input.limit.map(HitLimit::get));
        $line.flag("--cursor", Some($cursor));
    };
}

fn of_agents(input: &FindAgents, cursor: &str) -> String {
    let mut line = Line::new("agent find");
    line.flag("--owner", input.owner.as_ref());
    line.flag("--service", input.service_type.as_ref());
    scope!(line, input, cursor);
    words(line, input.text.as_deref())
}

fn of_tools(input: &FindTools, cursor: &str) -> String {
    let mut line = Line::new("tool find");
    line.flag("--creator", input.creator.as_ref());
    line.flag("--tier", input.tier.as_ref());
    line.flag("--access", input.access.map(word_of));
    line.flag("--asset", input.asset.as_ref());
    line.flag("--at-most", input.at_most.as_ref());
    line.switch("--unverified", input.unverified);
    scope!(line, input, cursor);
    words(line, input.text.as_deref())
}

fn word_of(access: deedbox_store::index::Access) -> &'static str {
    match access {
        deedbox_store::index::Access::Open => "open",
        deedbox_store::index::Access::Gated => "gated",
    }
}

fn of_history(input: &GetRegistryHistory, cursor: &str) -> String {
    let of = match input.subject.contains("/erc8257:") {
        true => "tool history",
        false => "agent history",
    };
    let mut line = Line::new(of);
    line.word(&input.subject);
    line.flag("--key", input.key.as_ref());
    line.flag("--limit", input.limit.map(HitLimit::get));
    line.flag("--cursor", Some(cursor));
    line.0
}

/// The words that are searched for come last: after `--`, where one of them could be taken for a flag.
fn words(mut line: Line, text: Option<&str>) -> String {
    let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
    if words.iter().any(|word| word.starts_with('-')) {
        line.0 = format!("{} --", line.0);
    }
    for word in words {
        line.word(word);
    }
    line.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_next_page_is_asked_for_with_everything_that_this_one_was() {
        let agents = json!({
            "text": "weather it's", "owner": "0x01", "service_type": "a b", "registries": ["eip155:1:0x02"], "chain_id": 1,
            "updated_since": "2026-01-01T00:00:00Z", "gone": true, "blocked": true, "limit": 3, "cursor": "AAAA",
        });
        let agents = serde_json::from_value(agents).unwrap();
        assert_eq!(
            again(&Operation::FindAgents(agents), "C"),
            r"agent find --owner 0x01 --service 'a b' --registry eip155:1:0x02 --chain-id 1 --updated-since 2026-01-01T00:00:00.000Z --gone --blocked --limit 3 --cursor C weather 'it'\''s'"
        );
        let tools = json!({"text": "-x", "access": "gated", "asset": "eip155:1/slip44:60", "at_most": "5", "unverified": true});
        let tools = serde_json::from_value(tools).unwrap();
        assert_eq!(
            again(&Operation::FindTools(tools), "C"),
            "tool find --access gated --asset eip155:1/slip44:60 --at-most 5 --unverified --cursor C -- -x"
        );
        let history = json!({"subject": "1@eip155:1:0x02", "key": "name", "limit": 2});
        let history = serde_json::from_value(history).unwrap();
        assert_eq!(
            again(&Operation::GetRegistryHistory(history), "C"),
            "agent history 1@eip155:1:0x02 --key name --limit 2 --cursor C"
        );
    }
}
