//! `deedbox id`: identifiers at the command line.

mod convert;
mod examples;
mod format;
mod parse;

use crate::common::{Done, Home};

const REGISTRY: &str = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
const ACCOUNT: &str = "eip155:1:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

fn id(arguments: &[&str]) -> Done {
    Home::new().run(&[&["id"], arguments].concat())
}

/// The first line of standard output, of a command that succeeds.
fn first(arguments: &[&str]) -> String {
    id(arguments).expect(0).out.trim_end().to_owned()
}

/// As Rootstock (chain 30) writes the address of [`ACCOUNT`].
fn of_rootstock() -> String {
    first(&["convert", &ACCOUNT[9..], "--to", "eip1191", "--chain", "30"])
}
