//! The deedbox program.

use std::process::ExitCode;

fn main() -> ExitCode {
    deedbox::run()
}
