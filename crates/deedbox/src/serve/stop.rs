//! When to stop.

use std::io;

use tokio_util::sync::CancellationToken;

use crate::failure::Failure;

/// Signals that ask for an end. Made before anything can be interrupted, so none is lost.
#[cfg(unix)]
pub(crate) struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let failed = |source: io::Error| Failure::io("listening for signals", source);
        Ok(Self {
            terminate: signal(SignalKind::terminate()).map_err(failed)?,
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
        })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Signals that ask for an end.
#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// Never on this system.
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        let _: io::Result<()> = tokio::signal::ctrl_c().await;
    }
}

/// A token that the first signal cancels. The second ends the process at once: what was
/// acknowledged is durable, and somebody is impatient.
///
/// # Errors
/// When the system refuses to deliver signals.
pub(crate) fn on_signal() -> Result<CancellationToken, Failure> {
    let mut signals = Signals::new()?;
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        tracing::info!("stopping: finishing requests in flight");
        cancel.cancel();
        signals.next().await;
        tracing::warn!("stopping at once");
        std::process::exit(3);
    });
    Ok(stop)
}
