//! What stands below the help of each command.

mod asking;
mod changes;
mod finding;
mod follow;
mod labels;
mod memory;

pub(super) use asking::*;
pub(super) use changes::*;
pub(super) use finding::*;
pub(super) use follow::*;
pub(super) use labels::*;
pub(super) use memory::*;

pub(super) const TOP: &str = "\
Examples:
  deedbox serve                              serve on http://127.0.0.1:7878
  deedbox actor add codex --kind agent       make an agent known
  deedbox key new --actor codex              give it a key of its own
  deedbox task unaccepted                    what nobody owns
  deedbox ledger check                       is the ledger what was done?
  deedbox read chains                        which chains can be read?
  deedbox tool check tool.json               may this manifest be published?
  deedbox chain dev                          a chain with registries, to try things on
  deedbox lint tools https://example.org/mcp what do a server's tools leave unsaid?
  deedbox id parse eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1
                                             what is this, and how else is it written?

Exit codes:
  0  done
  1  refused by the rules, a policy or a standard; no reading; a check found a fault
  2  bad usage, bad input or a bad setting
  3  the program could not do it: database, network, files
  4  a transaction was sent, and its end is not known yet
  5  a registry was asked, and the answer is no: no such agent, not verified, no access

Settings come from flags, then DEEDBOX_* variables, then deedbox.toml; see deedbox config show.";

pub(super) const SERVE: &str = "\
Examples:
  deedbox serve
  deedbox serve --listen 127.0.0.1:8000 --data-dir ./data
  deedbox serve --database-url postgres://deedbox@db.example.org/deedbox \\
      --listen 0.0.0.0:7878 --public-url https://deedbox.example.org

A network address needs --public-url or --allowed-hosts, or clients are refused by their Host
header; and a proxy in front that speaks TLS, or keys travel in the clear.
Set MCP_ACCESS_TOKEN to use a token of your own as an operator key; then no first key is made.";

pub(super) const MCP: &str = "\
Examples:
  DEEDBOX_KEY=dbx_… deedbox mcp

In a client's configuration:
  {\"mcpServers\": {\"deedbox\": {
    \"command\": \"deedbox\", \"args\": [\"mcp\"], \"env\": {\"DEEDBOX_KEY\": \"dbx_…\"}
  }}}";

pub(super) const TASK: &str = "\
Examples:
  deedbox task create 'Check the rollback plan' --as alice
  deedbox task unaccepted
  deedbox task status 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

pub(super) const TASK_CREATE: &str = "\
Examples:
  deedbox task create 'Check the rollback plan' --as alice
  deedbox task create 'Rotate the keys' --as alice --authority-scope 'on call' --recipient-only
  git log -1 | deedbox task create 'Review this commit' --as alice --description -";

pub(super) const TASK_ACCEPT: &str = "\
Examples:
  deedbox task accept 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --as codex
  deedbox task accept 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --as codex --note 'staging first'";

pub(super) const TASK_COMPLETE: &str = "\
Examples:
  deedbox task complete 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --as codex \\
      --provenance reviewed --claim 'The plan restores in 4 minutes' \\
      --source https://ci.example.org/runs/17";

pub(super) const TASK_HANDOFF: &str = "\
Examples:
  deedbox task handoff 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --as codex --to alice \\
      --reason 'needs a person'";

pub(super) const TASK_STATUS: &str = "\
Examples:
  deedbox task status 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b
  deedbox task status 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --json | jq .latestCompletion";

pub(super) const TASK_UNACCEPTED: &str = "\
Examples:
  deedbox task unaccepted
  deedbox task unaccepted --injected-by alice --limit 20";

pub(super) const ACTOR: &str = "\
Examples:
  deedbox actor add alice --kind human --name Alice
  deedbox actor list";

pub(super) const ACTOR_ADD: &str = "\
Examples:
  deedbox actor add alice --kind human --name Alice
  deedbox actor add codex --kind agent";

pub(super) const ACTOR_LIST: &str = "\
Examples:
  deedbox actor list
  deedbox actor list --json | jq -r '.[].id'";

pub(super) const ACTOR_SHOW: &str = "\
Examples:
  deedbox actor show codex";

pub(super) const KEY: &str = "\
Examples:
  deedbox key new --actor codex --expires 30d
  deedbox key list
  deedbox key revoke 0a1b2c3d4e5f6g7h";

pub(super) const KEY_NEW: &str = "\
Examples:
  deedbox key new --actor codex
  deedbox key new --actor dashboard --scopes tasks:read --expires 30d --label 'on the wall'
  deedbox key new --actor codex --agent-label codex
  deedbox key new --operator
  export DEEDBOX_KEY=$(deedbox key new --actor codex --json | jq -r .key)";

pub(super) const KEY_LIST: &str = "\
Examples:
  deedbox key list";

pub(super) const KEY_REVOKE: &str = "\
Examples:
  deedbox key revoke 0a1b2c3d4e5f6g7h";

pub(super) const LEDGER: &str = "\
Examples:
  deedbox ledger check";

pub(super) const LEDGER_CHECK: &str = "\
Examples:
  deedbox ledger check
  deedbox ledger check --database-url sqlite:///backup/deedbox.sqlite --json

Exit codes: 0 no fault, 1 a fault was found, 3 the ledger could not be read.";

pub(super) const CONFIG: &str = "\
Examples:
  deedbox config show";

pub(super) const CONFIG_SHOW: &str = "\
Examples:
  deedbox config show
  deedbox config show --json | jq -r .settings.database_url.source";

pub(super) const COMPLETIONS: &str = "\
Examples:
  deedbox completions bash > ~/.local/share/bash-completion/completions/deedbox
  deedbox completions zsh  > ~/.zfunc/_deedbox
  deedbox completions fish > ~/.config/fish/completions/deedbox.fish";

pub(super) const OPENAPI: &str = "\
Examples:
  deedbox openapi > openapi.json";

pub(super) const EVIDENCE: &str = "\
Examples:
  deedbox evidence list
  deedbox evidence show 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b
  deedbox evidence recheck 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

pub(super) const EVIDENCE_LIST: &str = "\
Examples:
  deedbox evidence list --limit 20
  deedbox evidence list --task 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --json";

pub(super) const EVIDENCE_SHOW: &str = "\
Examples:
  deedbox evidence show 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

pub(super) const EVIDENCE_EXPORT: &str = "\
Examples:
  deedbox evidence export 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b > evidence.json
  deedbox evidence export --task 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --output evidence.json";

pub(super) const EVIDENCE_VERIFY: &str = "\
Examples:
  deedbox evidence verify evidence.json";

pub(super) const EVIDENCE_RECHECK: &str = "\
Examples:
  deedbox evidence recheck 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b
  deedbox evidence recheck 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --chain 1=https://rpc.example.org

Exit codes: 0 the same; 1 another answer, the block is gone, or the policy refuses; 3 it could not
be read.";

pub(super) const PUBLICATION: &str = "\
Examples:
  deedbox publication list --open
  deedbox publication show 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b
  deedbox publication resume 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b";

pub(super) const PUBLICATION_LIST: &str = "\
Examples:
  deedbox publication list --open
  deedbox publication list --chain-id 8453 --limit 20
  deedbox publication list --account 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --json";

pub(super) const PUBLICATION_SHOW: &str = "\
Examples:
  deedbox publication show 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b
  deedbox publication show 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --json | jq .status";

pub(super) const ID: &str = "\
Examples:
  deedbox id parse webdev.42@0x000100000221051488b9adb1ea5bf6f4c42ac4c6a4b71c3cd7bd4b7e
  deedbox id convert eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1 --to erc7930
  deedbox id format --key-label service --param 1";

pub(super) const ID_PARSE: &str = "\
Examples:
  deedbox id parse 0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045
  deedbox id parse eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/1 --json
  deedbox id parse service:1 --as key
  deedbox id parse 0xd8da6bF26964Af9D7eed9E03e53415D37AA96045 --chain 30
  cut -f1 agents.tsv | deedbox id parse - --as token";

pub(super) const ID_FORMAT: &str = "\
Examples:
  deedbox id format --chain 8453 --registry 0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1 \\
      --id 42 --alias webdev
  deedbox id format --as tool --chain 8453 \\
      --registry 0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1 --id 1
  deedbox id format --chain 1 --address 0xd8da6bf26964af9d7eed9e03e53415d37aa96045
  deedbox id format --key-label service --param 1
  deedbox id format --key-label resource --param chain --param 1 --form bracket";

pub(super) const ID_CONVERT: &str = "\
Examples:
  deedbox id convert eip155:1:0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --to erc7930
  deedbox id convert 0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045 --to caip10
  deedbox id convert 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --to eip55
  deedbox id convert 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --to eip1191 --chain 30
  deedbox id convert service:1 --as key --to slash";

pub(super) const TOOL: &str = "\
Examples:
  deedbox tool init --name Weather --endpoint https://weather.example/run
  deedbox tool check tool.json
  deedbox tool hash tool.json";

pub(super) const TOOL_CHECK: &str = "\
Examples:
  deedbox tool check tool.json
  deedbox tool check --strict manifests/*.json
  curl -fsS https://weather.example/.well-known/ai-tool/weather.json | deedbox tool check -
  deedbox tool check tool.json \\
      --metadata-uri https://weather.example/.well-known/ai-tool/weather.json

Exit codes: 0 valid, perhaps with warnings; 1 refused (with --strict, for a warning too), also
when it is not JSON or too large; 2 a file could not be read.";

pub(super) const TOOL_HASH: &str = "\
Examples:
  deedbox tool hash tool.json
  HASH=$(deedbox tool hash tool.json) && echo \"register with $HASH\"

Exit codes: 0 the manifest is valid, 1 it is refused, 2 the file could not be read.";

pub(super) const TOOL_CANONICAL: &str = "\
Examples:
  deedbox tool canonical tool.json > canonical.json
  deedbox tool canonical tool.json | wc -c

Exit codes: 0 the manifest is valid, 1 it is refused, 2 the file could not be read.";

pub(super) const TOOL_INIT: &str = "\
Examples:
  deedbox tool init
  deedbox tool init weather.json --name Weather --endpoint https://weather.example/run \\
      --creator 0xd8da6bf26964af9d7eed9e03e53415d37aa96045
  deedbox tool init - | jq .";

pub(super) const TOOL_NORMALIZE: &str = "\
Examples:
  deedbox tool normalize tool.json > normalized.json
  deedbox tool normalize --diff tool.json
  deedbox tool normalize --write tool.json
  deedbox tool normalize --check tool.json

Exit codes: 0 done; 1 it cannot be read as JSON, or with --check it is not in normal form;
2 the file could not be read.";

pub(super) const LINT: &str = "\
Examples:
  deedbox lint tools tools.json
  deedbox lint tools https://mcp.example.org/mcp";

pub(super) const LINT_TOOLS: &str = "\
Examples:
  deedbox lint tools https://mcp.example.org/mcp
  DEEDBOX_LINT_TOKEN=… deedbox lint tools https://mcp.example.org/mcp --strict
  deedbox lint tools --stdio 'npx -y @modelcontextprotocol/server-memory'
  deedbox lint tools tools.json --json | jq '.tools[] | {name, missing}'

A file holds {\"tools\":[…]}, the answer of a server to tools/list, or an array of tools.

Exit codes: 0 nothing is missing, 1 something is, 2 there is no list of tools to be read.";

pub(super) const READ: &str = "\
Examples:
  deedbox read chains
  deedbox read native-balance --chain-id 1 --holder 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 \\
      --block finalized

Exit codes: 0 read; 1 refused, or the chain says no; 2 bad usage; 3 no endpoint could
answer, or the database failed.";

pub(super) const READ_NATIVE_BALANCE: &str = "\
Examples:
  deedbox read native-balance --chain-id 1 --holder 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 \\
      --block 19000000
  deedbox read native-balance --chain 31337=http://127.0.0.1:8545 --chain-id 31337 \\
      --holder 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 --block latest --json";

pub(super) const READ_ERC20_BALANCE: &str = "\
Examples:
  deedbox read erc20-balance --chain-id 1 --holder 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 \\
      --token 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48 --block finalized";

pub(super) const READ_TOKEN_METADATA: &str = "\
Examples:
  deedbox read token-metadata --chain-id 1 \\
      --token 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48 --block finalized";

pub(super) const READ_POOL_RESERVES: &str = "\
Examples:
  deedbox read pool-reserves --chain-id 1 \\
      --pool 0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc --block finalized";

pub(super) const READ_TRANSFERS: &str = "\
Examples:
  deedbox read transfers --chain-id 1 --address 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 \\
      --from-block 19000000 --to-block 19000100 --limit 50";

pub(super) const READ_CHAINS: &str = "\
Examples:
  deedbox read chains
  deedbox read chains --chain 31337=http://127.0.0.1:8545";

pub(super) const POLICY: &str = "\
Examples:
  deedbox policy show
  deedbox policy test get_native_balance chain_id=1 block=latest \\
      holder=0xd8da6bf26964af9d7eed9e03e53415d37aa96045";

pub(super) const POLICY_SHOW: &str = "\
Examples:
  deedbox policy show
  deedbox policy show --json | jq .value.addresses";

pub(super) const POLICY_TEST: &str = "\
Examples:
  deedbox policy test get_native_balance chain_id=1 block=latest \\
      holder=0xd8da6bf26964af9d7eed9e03e53415d37aa96045
  deedbox policy test list_chains
  deedbox policy test get_token_metadata '{\"chain_id\":1,\"block\":\"latest\",
      \"token\":\"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48\"}'

Exit codes: 0 allowed, 1 refused, 2 no such tool, or its arguments are wrong.";
