//! `deedbox tool check`

use std::process::ExitCode;

use deedbox_manifest::{
    Address, Hash, Registration, Verdict, check as check_bytes, verify,
    verify::{Outcome, Step},
};
use serde_json::{Value, json};

use super::{
    input::{self, Input},
    report::{self, Checked, verdict_name},
};
use crate::{
    cli::Check,
    commands::{Wrong, complain, read_address},
    failure::{Failure, Fault},
    render::{self, Output},
};

pub(super) fn check(arguments: &Check, output: &Output) -> Result<ExitCode, Failure> {
    let registered = Registered::of(arguments)?;
    if registered.is_some() && arguments.files.len() > 1 {
        let reason = "with --metadata-uri, --hash or --creator there is one manifest to check";
        return Err(Failure::argument("FILE", reason));
    }
    if arguments
        .files
        .iter()
        .filter(|path| input::is_standard(path))
        .count()
        > 1
    {
        let reason = "standard input is read once; name - once";
        return Err(Failure::argument("FILE", reason));
    }
    let (mut code, mut values) = (0, Vec::new());
    let mut verdict = Verdict::Valid;
    for (index, path) in arguments.files.iter().enumerate() {
        let input = match Input::read(path) {
            Ok(input) => input,
            // The other files are checked all the same.
            Err(failure) => {
                code = 2;
                values.push(unread(path, &failure, output));
                continue;
            }
        };
        let checked = judge(input, arguments.strict, registered.as_ref());
        code = code.max(u8::from(!checked.passed()));
        verdict = verdict.max(checked.outcome());
        if output.json {
            values.push(checked.to_json());
        } else {
            let before = if index == 0 { "" } else { "\n" };
            output.write(&format!("{before}{}", checked.shown(output)))?;
        }
    }
    if output.json {
        let verdict = if code == 2 {
            report::UNREADABLE
        } else {
            verdict_name(verdict)
        };
        output.print(&json!({"verdict": verdict, "files": values}), |_| {
            String::new()
        })?;
    }
    Ok(ExitCode::from(code))
}

/// Says that a file could not be read: at once, and to programs in its place among the files too.
fn unread(path: &std::path::Path, failure: &Failure, output: &Output) -> Value {
    let error = failure.for_programs();
    if output.json {
        complain(&render::json(&error.to_string()));
    } else {
        complain(&failure.for_people());
    }
    report::unread_json(&input::name(path), &error)
}

fn judge(input: Input, strict: bool, registered: Option<&Registered>) -> Checked {
    let name = input.name();
    let mut report = check_bytes(&input.bytes);
    input.say_more(&mut report);
    let outcomes = registered.map_or_else(Vec::new, |registered| registered.outcomes(&input.bytes));
    Checked {
        name,
        bytes: input.bytes,
        report,
        outcomes,
        strict,
    }
}

/// What a registry is said to hold, as far as it is said.
struct Registered {
    metadata_uri: Option<String>,
    hash: Option<Hash>,
    creator: Option<Address>,
}

impl Registered {
    fn of(arguments: &Check) -> Result<Option<Self>, Failure> {
        let hash = arguments.hash.as_ref().map(|text| {
            let hash = text.to_ascii_lowercase().parse::<Hash>();
            hash.map_err(|error| Failure::argument("--hash", error))
        });
        let creator = arguments.creator.as_deref().map(creator);
        let this = Self {
            metadata_uri: arguments.metadata_uri.clone(),
            hash: hash.transpose()?,
            creator: creator.transpose()?,
        };
        let is_some = this.metadata_uri.is_some() || this.hash.is_some() || this.creator.is_some();
        Ok(is_some.then_some(this))
    }

    /// The checks of §7 for which there is something to compare with.
    fn outcomes(&self, bytes: &[u8]) -> Vec<Outcome> {
        let registration = Registration {
            metadata_uri: self.metadata_uri.as_deref().unwrap_or_default(),
            manifest_hash: self.hash.unwrap_or(Hash([0; 32])),
            creator: self.creator.unwrap_or(Address::ZERO),
        };
        let asked = |outcome: &Outcome| match outcome.step {
            Step::Origin => self.metadata_uri.is_some(),
            Step::Bytes => self.hash.is_some(),
            Step::Creator => self.creator.is_some(),
            Step::Rules => false,
        };
        verify(bytes, &registration)
            .outcomes
            .into_iter()
            .filter(asked)
            .collect()
    }
}

/// Reads an address as it is typed: in lower case, or with its checksum, that of Rootstock too.
pub(super) fn creator(text: &str) -> Result<Address, Failure> {
    read_address(text)
        .map(|(address, _)| Address(address.0))
        .map_err(|error| Failure::Identifier {
            fault: Fault::Part,
            what: "--creator".to_owned(),
            text: text.to_owned(),
            wrong: Box::new(Wrong::from(error)),
        })
}
