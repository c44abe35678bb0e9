//! Memories, for people.

use deedbox_core::{MemoryKind, MemoryStatus};
use deedbox_server::{
    MemoryRequest, Operation,
    inputs::{HitLimit, ListMemories},
    memories::{
        MemoryPage, MemoryReceipt, MemorySource, Recalled, ShownHistory, ShownMemory, Wrote,
    },
};

use crate::{
    commands::finding::Line,
    render::{Output, line, moment, wrapped},
    settings::Settings,
};

/// What became of a memory.
pub(in crate::commands) fn receipt(receipt: &MemoryReceipt) -> String {
    let MemoryReceipt { id, version, .. } = receipt;
    let space = receipt.space.as_ref();
    let space = space.map_or_else(String::new, |space| format!(" in {space}"));
    match receipt.outcome {
        Wrote::Remembered => format!("Remembered as memory {id}{space}."),
        Wrote::Revised if receipt.changed.is_empty() => {
            format!("Memory {id}{space} says that already.")
        }
        Wrote::Revised => {
            let changed: Vec<&str> = receipt.changed.iter().map(|what| what.as_str()).collect();
            let changed = changed.join(", ");
            format!("Revised memory {id}{space}: {changed}. It is version {version}.")
        }
        Wrote::Merged => format!("Memory {id}{space} says that already, and took it up."),
        Wrote::Forgotten => {
            format!("Forgot memory {id}. Its words are kept in its history.")
        }
        Wrote::Redacted => {
            format!("Redacted memory {id}. The words of all its versions are gone.")
        }
    }
}

/// What helps with a question.
pub(in crate::commands) fn recalled(found: &Recalled, output: &Output) -> String {
    let shown = found.memories.iter().map(|hit| {
        let why = [
            ("its words", &hit.why.words),
            ("its path", &hit.why.in_path),
            ("its tags", &hit.why.in_tags),
            ("its key", &hit.why.in_key),
        ];
        let why = why.into_iter().filter(|(_, words)| !words.is_empty());
        let why: Vec<String> = why
            .map(|(place, words)| format!("{} in {place}", line(&words.join(", "))))
            .collect();
        let why = format!("  found for {}", why.join("; "));
        format!(
            "{}\n{}",
            memory(&hit.memory, output),
            output.paint.faint(&why)
        )
    });
    let mut parts: Vec<String> = shown.collect();
    if parts.is_empty() {
        parts.push("Nothing was found.".to_owned());
    }
    if found.over_budget > 0 {
        parts.push(format!(
            "{} more fitted the question and not the token budget; give --token-budget more.",
            found.over_budget
        ));
    }
    parts.join("\n\n")
}

/// A page, with the command for the next one of the same `list`.
pub(in crate::commands) fn listed(
    page: &MemoryPage,
    list: &Operation,
    settings: &Settings,
    output: &Output,
) -> String {
    if page.memories.is_empty() {
        return "There is no such memory.".to_owned();
    }
    let shown = page.memories.iter().map(|one| memory(one, output));
    let mut text = shown.collect::<Vec<_>>().join("\n\n");
    if let (Some(cursor), Operation::Memory(MemoryRequest::List(list))) = (&page.next_cursor, list)
    {
        let more = settings.again(&again(list, cursor));
        text.push_str(&format!("\n\nMore: {more}"));
    }
    text
}

fn memory(memory: &ShownMemory, output: &Output) -> String {
    let mut kind = memory.kind.to_string();
    if memory.kind == MemoryKind::Todo {
        kind.push_str(if memory.todo_done {
            " (done)"
        } else {
            " (open)"
        });
    }
    let mut head = format!(
        "{} {kind} in {}",
        output.paint.strong(&memory.id.to_string()),
        memory.space
    );
    if let Some(key) = &memory.semantic_key {
        head.push_str(&format!(" as {:?}", line(key.as_str())));
    }
    if let Some(path) = &memory.path {
        head.push_str(&format!(" at {}", line(path.as_str())));
    }
    let mut rows = vec![head];
    if memory.status != MemoryStatus::Live {
        rows.push(format!("  {}", memory.status));
    }
    if let Some(content) = &memory.content {
        let width = output.width.saturating_sub(2).max(20);
        rows.extend(
            wrapped(content, width)
                .into_iter()
                .map(|row| format!("  {row}")),
        );
        if memory.truncated {
            rows.push("  …".to_owned());
        }
    }
    let tags: Vec<String> = memory
        .tags
        .iter()
        .map(|tag| format!("#{}", line(tag.as_str())))
        .collect();
    if !tags.is_empty() {
        rows.push(format!("  {}", tags.join(" ")));
    }
    rows.push(output.paint.faint(&written(memory)));
    rows.join("\n")
}

/// A memory with its history.
pub(in crate::commands) fn history(history: &ShownHistory, output: &Output) -> String {
    let mut text = memory(&history.memory, output);
    for version in &history.versions {
        let mut head = format!(
            "{}. {} by {}, {}",
            version.version,
            version.outcome.as_str(),
            source(&version.source),
            moment(version.at)
        );
        let changed: Vec<&str> = version.changed.iter().map(|what| what.as_str()).collect();
        if !changed.is_empty() {
            head.push_str(&format!(": {}", changed.join(", ")));
        }
        text.push_str(&format!("\n\n{head}"));
        if let Some(reason) = &version.reason {
            text.push_str(&format!("\n   because: {}", line(reason.as_str())));
        }
        if let Some(words) = &version.text {
            let width = output.width.saturating_sub(3).max(20);
            for row in wrapped(words.content.as_str(), width) {
                text.push_str(&format!("\n   {row}"));
            }
        }
    }
    text
}

/// Who wrote it, and when.
fn written(memory: &ShownMemory) -> String {
    let mut text = format!(
        "  by {}, {}",
        source(&memory.source),
        moment(memory.created_at)
    );
    if let Some(change) = &memory.changed_by {
        let by = source(&change.source);
        text.push_str(&format!("; changed by {by}, {}", moment(memory.updated_at)));
    }
    if let Some(end) = memory.expires_at {
        text.push_str(&format!("; expires {}", moment(end)));
    }
    text
}

/// Who, as far as it is known.
pub(super) fn source(source: &MemorySource) -> String {
    let actor = source.actor_id.as_ref();
    let mut text = actor.map_or_else(|| "nobody in particular".to_owned(), ToString::to_string);
    text.push_str(&format!(" ({}", source.basis.as_str()));
    if let Some(label) = &source.agent_label {
        text.push_str(&format!(", calls itself {}", line(label)));
    }
    if let Some(instance) = &source.instance_id_hash {
        let short: String = instance
            .to_string()
            .chars()
            .take("sha256:".len() + 8)
            .collect();
        text.push_str(&format!(", instance {short}…"));
    }
    text.push(')');
    text
}

/// The command that asked for a page, going on at this cursor; without the program's name.
fn again(list: &ListMemories, cursor: &str) -> String {
    let mut command = Line::new("memory list");
    for space in &list.spaces {
        command.flag("--space", Some(space));
    }
    command.flag("--kind", list.kind);
    command.flag("--path", list.path.as_ref());
    command.flag("--tag", list.tag.as_ref());
    command.flag("--semantic-key", list.semantic_key.as_ref());
    command.flag("--by", list.actor_id.as_ref());
    command.flag(
        "--by-label",
        list.agent_label
            .as_ref()
            .map(deedbox_core::AgentLabel::as_str),
    );
    command.flag("--by-instance", list.instance_id_hash);
    command.switch("--expired", list.include_expired);
    command.flag("--limit", list.limit.map(HitLimit::get));
    command.flag("--cursor", Some(cursor));
    command.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_next_page_is_asked_for_with_everything_that_this_one_was() {
        let hash = format!("sha256:{}", "0a".repeat(32));
        let list = json!({
            "spaces": ["a", "b"], "kind": "todo", "path": "x/y z", "tag": "it's", "semantic_key": "k", "actor_id": "alice",
            "agent_label": "codex cli", "instance_id_hash": hash, "include_expired": true, "limit": 3, "cursor": "AAAA",
        });
        let list: ListMemories = serde_json::from_value(list).unwrap();
        assert_eq!(
            again(&list, "C"),
            format!(
                r"memory list --space a --space b --kind todo --path 'x/y z' --tag 'it'\''s' --semantic-key k --by alice --by-label 'codex cli' --by-instance {hash} --expired --limit 3 --cursor C"
            )
        );
    }
}
