//! The deedbox program.
fn main() {}
