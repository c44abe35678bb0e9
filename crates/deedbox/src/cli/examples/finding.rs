//! What stands below the help of commands that ask the local index.

pub(in crate::cli) const AGENT_FIND: &str = "\
Examples:
  deedbox agent find weather
  deedbox agent find 東京 案内 --service mcp --chain-id 8453
  deedbox agent find --owner 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --json";

pub(in crate::cli) const AGENT_HISTORY: &str = "\
Examples:
  deedbox agent history 1@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3
  deedbox agent history --chain-id 31337 1@0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --key service --limit 50";

pub(in crate::cli) const TOOL_FIND: &str = "\
Examples:
  deedbox tool find weather --access open
  deedbox tool find --unverified --registry \\
      eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1
  deedbox tool find translate --at-most 10000 --asset \\
      eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

pub(in crate::cli) const TOOL_HISTORY: &str = "\
Examples:
  deedbox tool history eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7
  deedbox tool history eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 --json";
