//! What a started program prints, kept for whoever waits for a line of it or has to explain a failure.

use std::{
    io::{BufRead, BufReader, Read},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// What a program printed, filled by one thread for each stream, so that a full pipe never stops it.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    state: Mutex<Printed>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Printed {
    lines: Vec<String>,
    open_streams: usize,
}

/// Lines that are kept of a program that prints without end: the first ones, among which is the one that somebody waits
/// for, and the newest ones, which explain a failure.
const KEPT: usize = 2_000;

impl Printed {
    fn push(&mut self, line: String) {
        if self.lines.len() == KEPT {
            self.lines.drain(KEPT / 4..KEPT / 2);
        }
        self.lines.push(line);
    }
}

impl Lines {
    pub(crate) fn drain(self: &Arc<Self>, stream: impl Read + Send + 'static) {
        let lines = Arc::clone(self);
        lines.lock().open_streams += 1;
        thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while matches!(stream.read_until(b'\n', &mut line), Ok(1..)) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                line.clear();
                lines.lock().push(text);
                lines.changed.notify_all();
            }
            lines.lock().open_streams -= 1;
            lines.changed.notify_all();
        });
    }

    fn lock(&self) -> MutexGuard<'_, Printed> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn text(&self) -> String {
        self.lock().lines.join("\n")
    }

    /// Waits until the program has closed its streams: nothing more will come.
    pub(crate) fn wait_for_end(&self, limit: Duration) {
        let open = |printed: &mut Printed| printed.open_streams > 0;
        // Whether they closed or the time ran out, what there is is what can be shown.
        drop(self.changed.wait_timeout_while(self.lock(), limit, open));
    }

    /// The first line that starts with `start`; `None` after `limit`, or as soon as the streams have ended.
    pub(crate) fn wait(&self, start: &str, limit: Duration) -> Option<String> {
        let found = |printed: &Printed| {
            printed
                .lines
                .iter()
                .find(|line| line.starts_with(start))
                .cloned()
        };
        let waiting = |printed: &mut Printed| found(printed).is_none() && printed.open_streams > 0;
        let (printed, _) = self
            .changed
            .wait_timeout_while(self.lock(), limit, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        found(&printed)
    }
}
