//! `deedbox tool normalize`

use std::{ops::Range, process::ExitCode};

use deedbox_manifest::author::{Edit, Left, Normalised, Reason, normalise};
use serde_json::{Value, json};

use super::{
    hash::unreadable,
    input::{self, Input},
    output::{Existing, exact, write},
};
use crate::{
    cli::Normalize,
    commands::complain,
    failure::Failure,
    render::{Lines, Output, Paint, cell},
};

pub(super) fn normalize(arguments: &Normalize, output: &Output) -> Result<ExitCode, Failure> {
    let file = &arguments.manifest.file;
    if arguments.write && input::is_standard(file) {
        let reason = "standard input cannot be written back; leave it out to print the result";
        return Err(Failure::argument("--write", reason));
    }
    let input = Input::read(file)?;
    let normalised = normalise(&input.bytes).map_err(|error| unreadable(&input, &error))?;
    let is_written = arguments.write && !normalised.edits.is_empty();
    if is_written {
        write(
            file,
            normalised.text.as_bytes(),
            Existing::ReplaceThis(&input.bytes),
        )?;
    }
    let changes = Changes::of(&input, &normalised);
    let is_normal = normalised.edits.is_empty() && normalised.left.is_empty();
    let code = ExitCode::from(u8::from(arguments.check && !is_normal));
    if output.json {
        let is_asked = !(arguments.write || arguments.check || arguments.diff);
        let mut value = changes.to_json(is_asked.then_some(&normalised.text));
        value["written"] = is_written.into();
        output.print(&value, |_| String::new())?;
    } else if arguments.diff || arguments.check || arguments.write {
        let mut text = changes.shown(output.width, output.paint);
        if is_written {
            text.push_str(&format!("Wrote {}.\n", input.name()));
        }
        output.write(&text)?;
    } else {
        exact(normalised.text.as_bytes())?;
        if !is_normal {
            complain(changes.shown(output.width, Paint::off()).trim_end());
        }
    }
    Ok(code)
}

/// What was changed, with the places.
struct Changes<'a> {
    file: String,
    lines: Lines<'a>,
    normalised: &'a Normalised,
}

impl<'a> Changes<'a> {
    fn of(input: &'a Input, normalised: &'a Normalised) -> Self {
        Self {
            file: input.name(),
            lines: Lines::of(&input.bytes),
            normalised,
        }
    }

    fn place(&self, span: &Range<usize>, pointer: &str, width: usize) -> String {
        let place = self.lines.position(span.start);
        let pointer = if pointer.is_empty() {
            String::new()
        } else {
            format!(" ({})", cell(pointer, width))
        };
        format!("{}:{}:{}{pointer}", self.file, place.line, place.column)
    }

    fn shown(&self, width: usize, paint: Paint) -> String {
        let Normalised {
            edits,
            left,
            hash_before,
            hash_after,
            ..
        } = self.normalised;
        let mut text = String::new();
        for Edit {
            pointer,
            span,
            before,
            after,
            reasons,
        } in edits
        {
            let reasons: Vec<String> = reasons.iter().map(reason).collect();
            let [before, after] = spelled([before, after], width.saturating_sub(4));
            text.push_str(&format!(
                "{}: {}\n  {}\n  {}\n",
                self.place(span, pointer, width),
                reasons.join("; "),
                paint.bad(&format!("- {before}")),
                paint.good(format!("+ {after}").trim_end()),
            ));
        }
        for Left {
            pointer,
            span,
            reason: why,
        } in left
        {
            text.push_str(&format!(
                "{} {}: {}\n",
                paint.alert("left:"),
                self.place(span, pointer, width),
                reason(why)
            ));
        }
        if edits.is_empty() {
            text.push_str(&format!("{}: nothing to change\n", self.file));
        } else if hash_before == hash_after {
            text.push_str("The hash stays the same.\n");
        } else {
            text.push_str(&format!(
                "The hash was {hash_before}\n      and is {hash_after}\n"
            ));
        }
        text
    }

    /// `text` is the new manifest, where it is the result.
    fn to_json(&self, text: Option<&String>) -> Value {
        let Normalised {
            edits,
            left,
            hash_before,
            hash_after,
            ..
        } = self.normalised;
        let place = |span: &Range<usize>| self.lines.position(span.start);
        let reason = |one: &Reason| json!({"rule": one.rule, "text": one.text});
        let edit = |one: &Edit| {
            json!({
                "pointer": one.pointer,
                "line": place(&one.span).line,
                "column": place(&one.span).column,
                "before": one.before,
                "after": one.after,
                "reasons": one.reasons.iter().map(reason).collect::<Vec<_>>(),
            })
        };
        let left_over = |one: &Left| {
            json!({
                "pointer": one.pointer,
                "line": place(&one.span).line,
                "column": place(&one.span).column,
                "reason": reason(&one.reason),
            })
        };
        json!({
            "file": self.file,
            "changed": !edits.is_empty(),
            "edits": edits.iter().map(edit).collect::<Vec<_>>(),
            "left": left.iter().map(left_over).collect::<Vec<_>>(),
            "hashBefore": hash_before.to_string(),
            "hashAfter": hash_after.to_string(),
            "text": text,
        })
    }
}

fn reason(reason: &Reason) -> String {
    format!("{} ({})", reason.text, reason.rule)
}

/// Both texts from a little before the first difference on. Where they differ outside ASCII, they may well look the
/// same, so that all such characters are shown by number.
fn spelled(texts: [&String; 2], width: usize) -> [String; 2] {
    let [before, after] = texts;
    let same = before
        .chars()
        .zip(after.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let skipped = same.saturating_sub(width / 3);
    let ascii = before.is_ascii() && after.is_ascii();
    texts.map(|text| {
        let mut shown = if skipped > 0 {
            "…".to_owned()
        } else {
            String::new()
        };
        for c in text.chars().skip(skipped).take(width) {
            if ascii || c.is_ascii() {
                shown.push(c);
            } else {
                shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
            }
        }
        cell(&shown, width)
    })
}
