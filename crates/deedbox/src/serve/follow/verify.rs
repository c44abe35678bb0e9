//! Keeping tools verified, round after round.

use std::{error::Error, time::Duration};

use deedbox_registry::verify::background::{Checked, Verifier};
use tokio::time;
use tokio_util::sync::CancellationToken;

/// Checks what is due until `stop`, and waits for `pause` when nothing is. A check that is dropped on the way is made again later.
pub(super) async fn keep(verifier: &Verifier, pause: Duration, stop: &CancellationToken) {
    loop {
        let round = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            round = verifier.round() => round,
        };
        let is_more = match round {
            Ok(checked) => {
                tell(&checked);
                checked.all() > 0
            }
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn Error,
                    "tools could not be verified; trying again"
                );
                false
            }
        };
        if is_more {
            continue;
        }
        tokio::select! {
            () = stop.cancelled() => break,
            () = time::sleep(pause) => {}
        }
    }
}

fn tell(checked: &Checked) {
    let outcomes = [
        ("verified", checked.verified),
        ("failed", checked.failed),
        ("unreachable", checked.unreachable),
    ];
    for (outcome, count) in outcomes {
        if count > 0 {
            metrics::counter!("deedbox_tool_checks_total", "outcome" => outcome).increment(count);
        }
    }
    if checked.all() > 0 {
        tracing::info!(
            verified = checked.verified,
            failed = checked.failed,
            unreachable = checked.unreachable,
            "checked manifests of tools"
        );
    }
    for (registry, error) in &checked.unread {
        tracing::warn!(%registry, code = %error.code, error = error.message, "the registry's tools could not be verified for now");
    }
}
