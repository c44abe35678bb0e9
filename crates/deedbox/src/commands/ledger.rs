//! `deedbox ledger check`

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use deedbox_store::ledger::{self, Fault, Sound};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::Desk;
use crate::{
    failure::Failure,
    render::{Output, line},
};

/// How long nothing is drawn: most ledgers are checked sooner.
const PATIENCE: Duration = Duration::from_millis(500);

pub(super) async fn check(desk: &Desk<'_>) -> Result<ExitCode, Failure> {
    let mut snapshot = desk.ask(desk.store.snapshot()).await?;
    let total = desk.ask(snapshot.count()).await?;
    let progress = Progress::new(total);
    let checked = desk
        .ask(ledger::check(snapshot.as_mut(), |deeds| progress.at(deeds)))
        .await;
    progress.bar.finish_and_clear();
    match checked? {
        Ok(sound) => {
            tell_sound(desk.output, sound)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(fault) => {
            tell_fault(desk.output, &fault)?;
            Ok(ExitCode::from(1))
        }
    }
}

fn tell_sound(output: &Output, sound: Sound) -> Result<(), Failure> {
    let value = json!({"sound": true, "deeds": sound.deeds, "streams": sound.streams});
    output.print(&value, |output| {
        format!(
            "{} {} deeds in {} streams: every hash, every chain and every projection is as it should be.",
            output.paint.good("Sound:"),
            sound.deeds,
            sound.streams
        )
    })
}

fn tell_fault(output: &Output, fault: &Fault) -> Result<(), Failure> {
    let value = json!({
        "sound": false,
        "table": fault.table,
        "row": fault.row,
        "fault": fault.what.to_string(),
    });
    output.print(&value, |output| {
        format!(
            "{} {}\nThis is the first row that is not as it should be; rows after it were not checked.",
            output.paint.bad("Fault:"),
            line(&fault.to_string())
        )
    })
}

/// A bar on standard error, if that is a terminal and it takes long.
struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    fn new(total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(
            "checking deeds {wide_bar} {human_pos}/{human_len}, {eta} left",
        ) {
            bar.set_style(style);
        }
        Self {
            bar,
            started: Instant::now(),
        }
    }

    fn at(&self, deeds: u64) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(deeds);
    }
}
