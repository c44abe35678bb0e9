//! What stands below the help of commands that follow registries and pin tools.

pub(in crate::cli) const REGISTRY_ADD: &str = "\
Examples:
  deedbox registry add public-tools --chain-id 8453
  deedbox registry add eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --label 'Our agents' --trust trusted --from-block 1 --yes

Exit codes: 0 followed; 1 it is no registry, is followed already, or you said no; 2 bad usage, or
nobody to ask; 3 the chain or the database could not be asked.";

pub(in crate::cli) const REGISTRY_LIST: &str = "\
Examples:
  deedbox registry list
  deedbox registry list --all --json";

pub(in crate::cli) const REGISTRY_SHOW: &str = "\
Examples:
  deedbox registry show public-tools --chain-id 8453
  deedbox registry show eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 --json

Exit codes: 0 its code is what was accepted; 1 it is not, or its chain went back on what was
final, or nobody follows it; 2 bad usage; 3 the chain or the database could not be asked.";

pub(in crate::cli) const REGISTRY_SYNC: &str = "\
Examples:
  deedbox registry sync
  deedbox registry sync public-tools --chain-id 8453
  deedbox registry sync --follow
  deedbox registry sync --anew eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3

Progress goes to standard error, the summary at the end to standard output.
Exit codes: 0 all is read, here or elsewhere; 1 what stands at an address is not what was
accepted, or a chain went back on what was final; 2 bad usage; 3 something could not be read, or
you stopped it before it was.";

pub(in crate::cli) const REGISTRY_TRUST: &str = "\
Examples:
  deedbox registry trust eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 trusted
  deedbox registry trust public-tools blocked --chain-id 8453";

pub(in crate::cli) const REGISTRY_ACCEPT_CODE: &str = "\
Example:
  deedbox registry accept-code eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3

Read the source of what stands there now first: registry show names it.";

pub(in crate::cli) const REGISTRY_REMOVE: &str = "\
Example:
  deedbox registry remove eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3";

pub(in crate::cli) const REGISTRY_PRESETS: &str = "\
Example:
  deedbox registry presets";

pub(in crate::cli) const TOOL_PIN: &str = "\
Examples:
  deedbox tool pin eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7
  deedbox tool pin eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      --hash 0x72402b94bf7d7b07dbb2f1a6a3f5f9b2f3b3b1a8f6e2c4e5d6a7b8c9d0e1f2a3";

pub(in crate::cli) const TOOL_UNPIN: &str = "\
Example:
  deedbox tool unpin eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7";

pub(in crate::cli) const TOOL_PINS: &str = "\
Example:
  deedbox tool pins --json";
