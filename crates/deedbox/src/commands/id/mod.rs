//! `deedbox id …`

mod convert;
mod describe;
mod format;
mod reading;
mod wrong;

use std::{
    io::{self, BufRead, Read as _, Write as _},
    process::ExitCode,
};

use deedbox_id::{ChainId, LooseKey};
use serde_json::{Value, json};

use self::{
    convert::{Said, read_chain},
    describe::{Description, a_standard, name, standard},
    reading::Identifier,
};
pub(crate) use reading::address as read_address;
pub(crate) use wrong::Wrong;

use crate::{
    cli::{Convert, IdCommand, IdKind},
    failure::{Failure, Fault},
    render::{Output, json, line},
};

/// Bytes of a line of standard input at most; no identifier comes near.
const LONGEST_LINE: u64 = 64 * 1024;

pub(super) fn run(command: IdCommand, output: &Output) -> Result<ExitCode, Failure> {
    match command {
        IdCommand::Parse { text, kind, chain } => {
            let chain = chain.as_deref().map(said_chain).transpose()?;
            let chain = chain.as_ref();
            if text == "-" {
                return parse_lines(kind, chain, output);
            }
            let parsed = Parsed::of(&text, kind, chain);
            output.print(&parsed.to_json(), |output| parsed.shown(output))?;
            Ok(parsed.code())
        }
        IdCommand::Format(parts) => {
            let identifier = format::build(&parts)?;
            let description = Description::of(identifier, None, None);
            output.print(&description.to_json(), |_| line(&description.canonical()))?;
            Ok(ExitCode::SUCCESS)
        }
        IdCommand::Convert(arguments) => convert_text(arguments, output),
    }
}

/// What a text was read as, or why not.
struct Parsed {
    text: String,
    kind: IdKind,
    /// Whether the kind was guessed.
    is_guess: bool,
    read: Result<Description, Wrong>,
}

impl Parsed {
    fn of(text: &str, kind: Option<IdKind>, chain: Option<&ChainId>) -> Self {
        let read_as = kind.unwrap_or_else(|| reading::guess(text));
        let read = Identifier::read_on(read_as, text, chain)
            .and_then(|identifier| on_the_chain(identifier, chain));
        Self {
            text: text.to_owned(),
            kind: read_as,
            is_guess: kind.is_none(),
            read: read.map(|identifier| Description::of(identifier, Some(text), chain)),
        }
    }

    fn code(&self) -> ExitCode {
        ExitCode::from(u8::from(self.read.is_err()))
    }

    fn to_json(&self) -> Value {
        match &self.read {
            Ok(description) => description.to_json(),
            Err(wrong) => json!({
                "text": self.text,
                "valid": false,
                "kind": name(self.kind),
                "standard": standard(self.kind),
                "error": wrong.to_json(&self.text),
                "notes": self.loosely().into_iter().collect::<Vec<_>>(),
            }),
        }
    }

    fn shown(&self, output: &Output) -> String {
        let wrong = match &self.read {
            Ok(description) => return description.shown(output),
            Err(wrong) => wrong,
        };
        let is_nothing = self.is_guess && self.text.trim().is_empty();
        let verdict = if is_nothing {
            "Not an identifier".to_owned()
        } else {
            format!("Not a valid {}", standard(self.kind))
        };
        let mut text = output.paint.bad(&verdict);
        text.push('\n');
        text.push_str(&wrong.shown(
            &crate::accounts::masked(&self.text),
            output.width,
            output.paint,
        ));
        if let Some(note) = self.loosely() {
            text.push_str(&format!(
                "\n  {} {}",
                output.paint.alert("note:"),
                line(&note)
            ));
        }
        if self.is_guess && !is_nothing {
            let hint = format!(
                "Read as {} because of {}; --as KIND reads it as another.",
                a_standard(self.kind),
                reading::looks(self.text.trim(), self.kind)
            );
            text.push_str(&format!("\n  {}", output.paint.faint(&hint)));
        }
        text
    }

    /// What somebody who reads chains makes of a key that is not as it should be.
    fn loosely(&self) -> Option<String> {
        let key: LooseKey = self
            .text
            .parse()
            .ok()
            .filter(|_| self.kind == IdKind::Key)?;
        let parameters: Vec<&str> = key.parameters().collect();
        Some(format!(
            "keys like this one are on chains; its writer seems to mean the label {:?} with {:?}",
            key.label(),
            parameters.join(" ")
        ))
    }
}

/// The chain that was said.
fn said_chain(text: &str) -> Result<ChainId, Failure> {
    read_chain(text).map_err(|error| Failure::Identifier {
        fault: Fault::Part,
        what: "--chain".to_owned(),
        text: text.to_owned(),
        wrong: Box::new(error.into()),
    })
}

/// The identifier, unless it is on no chain or on another one than was said.
fn on_the_chain(identifier: Identifier, said: Option<&ChainId>) -> Result<Identifier, Wrong> {
    const OTHER_CHAIN: &str = "other_chain";
    let Some(said) = said else {
        return Ok(identifier);
    };
    let message = match (&identifier, identifier.chain()) {
        (_, Some(own)) if own == said.as_str() => return Ok(identifier),
        (_, Some(own)) => format!("found an identifier on {own}, expected one on {said}"),
        (Identifier::Address(_) | Identifier::Solana(_) | Identifier::Interop(_), None) => {
            return Ok(identifier);
        }
        _ => format!("found an identifier that names no chain, expected one on {said}"),
    };
    Err(Wrong::nowhere(OTHER_CHAIN, message))
}

/// Reads one identifier from each line, and prints each before the next is read.
fn parse_lines(
    kind: Option<IdKind>,
    chain: Option<&ChainId>,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let mut lines = io::stdin().lock();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut count, mut is_wrong) = (0_u64, false);
    let reading = |source| Failure::io("reading standard input", source);
    let mut write = |text: &str| match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::io("writing to standard output", error)),
        Ok(()) => Ok(true),
    };
    while let Some(bytes) = next_line(&mut lines).map_err(reading)? {
        if bytes.is_empty() {
            continue;
        }
        let parsed = read_line(&bytes, kind, chain);
        is_wrong |= parsed.read.is_err();
        let text = if output.json {
            let before = if count == 0 { "[" } else { ",\n" };
            format!("{before}{}", json(&parsed.to_json().to_string()))
        } else {
            let before = if count == 0 { "" } else { "\n" };
            let heading = output.paint.faint(&line(&parsed.text));
            format!("{before}{heading}\n{}\n", parsed.shown(output))
        };
        count += 1;
        if !write(&text)? {
            break;
        }
    }
    if output.json {
        write(if count == 0 { "[]\n" } else { "]\n" })?;
    }
    Ok(ExitCode::from(u8::from(is_wrong)))
}

/// The next line without its end; `None` at the end of the input. Of a line that is too long the beginning and one
/// byte more are kept.
fn next_line(lines: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    lines
        .by_ref()
        .take(LONGEST_LINE + 1)
        .read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') && bytes.len() as u64 > LONGEST_LINE {
        lines.skip_until(b'\n')?;
        return Ok(Some(bytes));
    }
    let end = bytes
        .iter()
        .rposition(|byte| *byte != b'\n' && *byte != b'\r');
    bytes.truncate(end.map_or(0, |end| end + 1));
    Ok(Some(bytes))
}

fn read_line(bytes: &[u8], kind: Option<IdKind>, chain: Option<&ChainId>) -> Parsed {
    use deedbox_id::error::code;
    let text = String::from_utf8_lossy(bytes).into_owned();
    let wrong = if bytes.len() as u64 > LONGEST_LINE {
        let message =
            format!("found a line of more than {LONGEST_LINE} bytes, expected one identifier");
        Some(Wrong {
            at: Some(0),
            reason: code::TOO_LONG,
            message,
            run: None,
        })
    } else {
        str::from_utf8(bytes).err().map(|error| Wrong {
            at: Some(error.valid_up_to()),
            reason: code::NOT_UTF8,
            message: "found bytes that are not UTF-8".to_owned(),
            run: None,
        })
    };
    let Some(wrong) = wrong else {
        return Parsed::of(&text, kind, chain);
    };
    Parsed {
        kind: kind.unwrap_or_else(|| reading::guess(&text)),
        is_guess: kind.is_none(),
        read: Err(wrong),
        text,
    }
}

fn convert_text(arguments: Convert, output: &Output) -> Result<ExitCode, Failure> {
    let Convert {
        text,
        to,
        kind,
        chain,
        standard: by,
    } = arguments;
    let refused = |fault, what: String, text: &str, wrong| Failure::Identifier {
        fault,
        what,
        text: text.to_owned(),
        wrong: Box::new(wrong),
    };
    if text == "-" {
        let reason =
            "- is no identifier, and convert reads no lines; for many texts run it by xargs -n 1";
        return Err(Failure::argument("TEXT", reason));
    }
    let kind = kind.unwrap_or_else(|| reading::guess(&text));
    let said = Said {
        chain: chain.as_deref().map(said_chain).transpose()?,
        standard: by,
    };
    let identifier = Identifier::read_on(kind, &text, said.chain.as_ref()).map_err(|wrong| {
        refused(
            Fault::NotValid,
            format!("not a valid {}", standard(kind)),
            &text,
            wrong,
        )
    })?;
    if let Some((flag, reason)) = convert::needless(&identifier, to, &said) {
        return Err(Failure::argument(flag, reason));
    }
    let converted = convert::convert(&identifier, to, &said).map_err(|wrong| {
        let what = format!("this {} cannot be written as {}", standard(kind), name(to));
        refused(Fault::NoConversion, what, &text, wrong)
    })?;
    let value = json!({
        "text": text,
        "kind": name(kind),
        "to": name(to),
        "result": converted.text,
        "loses": converted.loses,
    });
    output.print(&value, |_| line(&converted.text))?;
    if let Some(lost) = converted.loses.filter(|_| !output.json) {
        super::complain(&format!("note: this loses {lost}"));
    }
    Ok(ExitCode::SUCCESS)
}
