//! Builds again when a migration is added: the macro that embeds them sees only those it knows.
#![expect(clippy::print_stdout, reason = "it is how a build script speaks")]

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
