//! Of who says that they are whom.

pub(crate) const INSTANCE: &str = "\
Examples:
  deedbox instance new --agent codex
  deedbox instance show --agent codex";

pub(crate) const INSTANCE_NEW: &str = "\
Examples:
  deedbox instance new --agent codex
  deedbox instance new --agent codex --json | jq .environment

Keep the label out of repositories: who knows it can say that they are this installation.
It permits nothing: what a request may do follows from its key alone.";

pub(crate) const INSTANCE_SHOW: &str = "\
Examples:
  deedbox instance show --agent codex
  deedbox instance show --agent codex --reveal";

pub(crate) const WHOAMI: &str = "\
Examples:
  deedbox whoami
  deedbox whoami --as-agent codex

Of another caller: its MCP tool get_identity, or GET /api/identity with its key.";
