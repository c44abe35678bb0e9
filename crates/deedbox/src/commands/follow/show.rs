//! `deedbox registry show`: what is recorded of a registry, how far it is read, and what stands there now beside what was accepted. What is
//! known here is told also when its chain cannot be asked.

use std::process::ExitCode;

use deedbox_chain::ReadError;
use deedbox_core::RegistryState;
use deedbox_server::finding::ReadUpTo;
use serde_json::{Value, json};

use super::{
    super::{Desk, publishing::Contract},
    known::{self, Known},
    shown,
    sight::Sight,
};
use crate::{
    chains,
    failure::Failure,
    render::{Output, counted, line, moment},
    settings::Environment,
};

/// What was found out.
struct Shown {
    state: RegistryState,
    /// How far it is read.
    read: Option<ReadUpTo>,
    /// What stands there now.
    sight: Result<Sight, ReadError>,
}

pub(super) async fn show(
    desk: &Desk<'_>,
    environment: &Environment,
    registry: Contract,
) -> Result<ExitCode, Failure> {
    let state = super::known(desk, registry.id()).await?;
    let read = Known::of(desk).await?.read(&state);
    let (chains, _) = chains::open(desk.settings, environment, desk.world.clone())?;
    let sight = match Sight::of(&chains, registry).await {
        Ok(sight) => Ok(sight),
        Err(Failure::Unread(error)) => Err(error),
        Err(failure) => return Err(failure),
    };
    let shown = Shown { state, read, sight };
    let value = shown.value()?;
    desk.output
        .print(&value, |output| shown.text(desk, output))?;
    Ok(shown.exit_code(desk))
}

impl Shown {
    /// How what stands there differs from what was accepted; none when it could not be looked at.
    fn changes(&self) -> Option<Vec<String>> {
        let sight = self.sight.as_ref().ok()?;
        Some(sight.changes_since(&self.state.following.seen))
    }

    /// Whether something else stands there than was accepted, when it was looked at last.
    fn code_changed(&self) -> Option<bool> {
        match self.changes() {
            Some(changes) => Some(!changes.is_empty()),
            None => self.read.as_ref()?.code_changed,
        }
    }

    fn value(&self) -> Result<Value, Failure> {
        let mut value = shown(&self.state)?;
        let changes = self.changes();
        value["now"] = match &self.sight {
            Ok(sight) => sight.value()?,
            Err(_) => Value::Null,
        };
        value["changes"] = json!(changes);
        value["code_changed"] = json!(self.code_changed());
        if changes.is_some() {
            value["code_not_compared"] = Value::Null;
        }
        let error = self.sight.as_ref().err();
        value["error"] = json!(error.map(|error| json!({
            "code": error.code,
            "message": error.message,
            "retryable": error.code.retryable(),
        })));
        known::add(&mut value, self.read.as_ref())?;
        Ok(value)
    }

    /// That it cannot be looked at is no alarm; that something is known to be wrong is one all the same.
    fn exit_code(&self, desk: &Desk<'_>) -> ExitCode {
        let alarm = self.read.as_ref();
        let alarm = alarm.and_then(|read| known::alarm(read, desk.settings));
        if self.code_changed() == Some(true) || alarm.is_some() {
            return ExitCode::from(1);
        }
        match &self.sight {
            Ok(_) => ExitCode::SUCCESS,
            Err(error) => ExitCode::from(Failure::Unread(error.clone()).exit_code()),
        }
    }

    fn text(&self, desk: &Desk<'_>, output: &Output) -> String {
        let mut lines = vec![self.recorded(output), String::new()];
        match (&self.sight, self.changes()) {
            (Ok(sight), Some(changes)) => {
                lines.extend([sight.text(output), String::new()]);
                lines.extend(self.compared(&changes, desk, output));
            }
            (Err(error), _) => lines.extend(self.not_compared(error, output)),
            (Ok(_), None) => {}
        }
        let alarm = self.read.as_ref();
        let alarm = alarm.and_then(|read| known::alarm(read, desk.settings));
        lines.extend(alarm.map(|alarm| output.paint.bad(&alarm)));
        let behind = self.read.as_ref().and_then(known::behind);
        lines.extend(behind.map(|behind| output.paint.alert(&behind)));
        lines.join("\n")
    }

    fn compared(&self, changes: &[String], desk: &Desk<'_>, output: &Output) -> Vec<String> {
        if changes.is_empty() {
            return vec![output.paint.good("Its code is what was accepted.")];
        }
        let alarm = "Something else stands there than was accepted:";
        let mut lines = vec![output.paint.bad(alarm)];
        lines.extend_from_slice(changes);
        let again = format!("registry accept-code {}", self.state.id);
        let accept = desk.settings.again(&again);
        lines.push(format!(
            "To accept it, once you know what it does: {accept}"
        ));
        lines
    }

    /// That it could not be looked at, and what was seen last.
    fn not_compared(&self, error: &ReadError, output: &Output) -> Vec<String> {
        let said = format!(
            "What stands there now could not be read: {}.",
            error.message
        );
        let last = match self.code_changed() {
            Some(true) => output
                .paint
                .bad("When somebody looked last, something else stood there than was accepted."),
            Some(false) => "When somebody looked last, its code was what was accepted.".to_owned(),
            None => "Nobody compared its code with what was accepted yet.".to_owned(),
        };
        vec![output.paint.bad(&line(&said)), last]
    }

    fn recorded(&self, output: &Output) -> String {
        recorded_text(&self.state, self.read.as_ref(), output)
    }
}

fn recorded_text(state: &RegistryState, read: Option<&ReadUpTo>, output: &Output) -> String {
    let following = &state.following;
    let label = following.label.as_ref().map(|label| line(label.as_str()));
    let heading = label.unwrap_or_else(|| state.id.to_string());
    let stand = if state.followed {
        format!("followed since {}", moment(state.followed_at))
    } else {
        "not followed any more".to_owned()
    };
    let mut rows = vec![
        ("recorded", format!("{stand}, {}", following.trust)),
        ("from block", following.from_block.to_string()),
        ("accepted", format!("code {}", following.seen.code_hash)),
        (
            "looked at",
            format!(
                "block {} {}",
                following.seen.block_number, following.seen.block_hash
            ),
        ),
        ("pinned", counted(state.pins.len() as u64, "tool")),
    ];
    rows.extend(
        read.filter(|_| state.followed)
            .map(|read| ("read", known::how_far(read, output))),
    );
    let rows: Vec<String> = rows
        .into_iter()
        .map(|(name, value)| format!("{} {value}", output.paint.faint(&format!("{name:<10}"))))
        .collect();
    format!("{}\n{}", output.paint.strong(&heading), rows.join("\n"))
}
