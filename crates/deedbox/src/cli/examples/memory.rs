//! What stands below the help of commands about memories and spaces.

pub(crate) const MEMORY: &str = "\
Examples:
  deedbox memory remember 'We deploy on Thursdays' --as alice --semantic-key 'deploy day'
  deedbox memory recall when do we deploy --of alice
  deedbox memory list --space atlas --kind todo";

pub(crate) const MEMORY_REMEMBER: &str = "\
Examples:
  deedbox memory remember 'We deploy on Thursdays' --as alice --semantic-key 'deploy day'
  deedbox memory remember 'Rotate the keys' --as alice --space atlas --kind todo --tag security
  git log -1 | deedbox memory remember - --as alice --path projects/atlas";

pub(crate) const MEMORY_RECALL: &str = "\
Examples:
  deedbox memory recall when do we deploy --of alice
  deedbox memory recall database --space atlas --kind decision --kind fact --token-budget 500
  deedbox memory recall certificates --space atlas --json | jq '.memories[].why'";

pub(crate) const MEMORY_LIST: &str = "\
Examples:
  deedbox memory list --of alice
  deedbox memory list --space atlas --kind todo --path projects/atlas --limit 50";

pub(crate) const MEMORY_UPDATE: &str = "\
Examples:
  deedbox memory update 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --as alice --done
  deedbox memory update 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --as alice \\
      --content 'We deploy on Fridays' --tag release";

pub(crate) const MEMORY_FORGET: &str = "\
Examples:
  deedbox memory forget 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --as alice
  deedbox memory forget 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --redact --reason 'on request'";

pub(crate) const MEMORY_SHOW: &str = "\
Examples:
  deedbox memory show 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b
  deedbox memory show 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --json | jq '.versions[].source'";

pub(crate) const SPACE: &str = "\
Examples:
  deedbox space new atlas --owner alice --name 'Atlas'
  deedbox space member add atlas codex
  deedbox space show atlas";

pub(crate) const SPACE_NEW: &str = "\
Examples:
  deedbox space new atlas --owner alice --name 'Atlas'";

pub(crate) const SPACE_LIST: &str = "\
Examples:
  deedbox space list
  deedbox space list --of alice";

pub(crate) const SPACE_SHOW: &str = "\
Examples:
  deedbox space show atlas
  deedbox space show personal:alice --json | jq .usage";

pub(crate) const SPACE_MEMBER: &str = "\
Examples:
  deedbox space member add atlas codex
  deedbox space member remove atlas codex";

pub(crate) const SPACE_MEMBER_ADD: &str = "\
Examples:
  deedbox space member add atlas codex";

pub(crate) const SPACE_MEMBER_REMOVE: &str = "\
Examples:
  deedbox space member remove atlas codex";

pub(crate) const MEMORY_EXPORT: &str = "\
Examples:
  deedbox memory export atlas.jsonl --space atlas
  deedbox memory export atlas.jsonl --space atlas --resume";

pub(crate) const MEMORY_IMPORT: &str = "\
Examples:
  deedbox memory import atlas.jsonl --space atlas-2 --dry-run
  deedbox memory import atlas.jsonl --space atlas-2";

pub(crate) const MEMORY_AUDIT: &str = "\
Examples:
  deedbox memory audit --space atlas
  deedbox memory audit --space atlas --changes --memory 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

pub(crate) const MEMORY_REVIEW: &str = "\
Examples:
  deedbox memory review --space atlas";

pub(crate) const SPACE_DELETE_ROWS: &str = "\
Examples:
  deedbox space delete-rows atlas --actor alice --dry-run
  deedbox space delete-rows atlas --actor alice --redact --reason 'on request'
  deedbox space delete-rows atlas --agent-label codex && deedbox ledger check";
