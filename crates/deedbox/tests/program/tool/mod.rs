//! `deedbox tool`: manifests at the command line.

mod check;
mod hash;
mod hostile;
mod init;
mod normalize;

use std::fs;

use crate::common::{Done, Home};

/// A manifest that every rule is content with.
const GOOD: &str = r#"{
  "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
  "name": "Weather",
  "description": "Returns the weather of a place.",
  "endpoint": "https://weather.example/run",
  "inputs": {"type": "object", "properties": {"place": {"type": "string"}}},
  "outputs": {"type": "object"},
  "creatorAddress": "0xabcdefabcdef1234567890abcdefabcdef123456"
}
"#;

fn home_with(name: &str, content: impl AsRef<[u8]>) -> Home {
    let home = Home::new();
    fs::write(home.path().join(name), content).unwrap();
    home
}

fn check(content: impl AsRef<[u8]>) -> Done {
    home_with("tool.json", content).run(&["tool", "check", "tool.json"])
}
