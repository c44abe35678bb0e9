//! Says what is going on, and how long it took.

use std::time::Instant;

use anyhow::{Context, Result};

/// One line for the person who waits.
#[expect(clippy::print_stdout, reason = "the output of this program")]
pub(crate) fn say(text: &str) {
    println!("xtask: {text}");
}

/// Does one named step, and says when it begins and how it ended.
///
/// # Errors
/// What `work` returned, with the step's name.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    say(&format!("{name} …"));
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    match &result {
        Ok(_) => say(&format!("{name}: done in {seconds:.1} s")),
        Err(_) => say(&format!("{name}: FAILED after {seconds:.1} s")),
    }
    result.with_context(|| name.to_owned())
}
