//! What stands below the help of each command.

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

/// What every command ends with that changes a chain.
macro_rules! changes {
    ($examples:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "\n\nExit codes: 0 done and read back; 1 refused, reverted, or you said no; 2 bad usage, or nobody\n\
             to ask; 3 the chain or the database could not be asked; 4 sent, and its end is not known yet:\n\
             deedbox publication resume <ID> goes on, and never sends a second transaction."
        )
    };
}

pub(super) const TOOL_PUBLISH: &str = changes!(
    "  deedbox tool publish eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1 weather.json \\
      --metadata-uri https://weather.example/.well-known/ai-tool/weather.json --keystore me
  deedbox tool publish --chain-id 8453 0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1 \\
      --metadata-uri https://weather.example/.well-known/ai-tool/weather.json \\
      --from 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --dry-run"
);

pub(super) const TOOL_UPDATE: &str = changes!(
    "  deedbox tool update eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      weather.json --keystore me \\
      --metadata-uri https://weather.example/.well-known/ai-tool/weather.json"
);

pub(super) const TOOL_SET_PREDICATE: &str = changes!(
    "  deedbox tool set-predicate --keystore me \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      0xc8721c9a776958ffffeb602da1b708bf1d318379
  deedbox tool set-predicate --keystore me \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 open"
);

pub(super) const TOOL_PAUSE: &str = changes!(
    "  deedbox tool pause eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      --predicate 0x5fbdb2315678afecb367f032d93f642f64180aa3 --keystore me"
);

pub(super) const TOOL_DEREGISTER: &str = changes!(
    "  deedbox tool deregister --keystore me \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7"
);

pub(super) const REGISTRY: &str = "\
Examples:
  deedbox registry describe eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1
  deedbox registry deploy open --chain-id 31337 --registrar self --set name='Our agents'
  deedbox registry set 0x00010000027a69145fbdb2315678afecb367f032d93f642f64180aa3 \\
      description='Agents of our team' --keystore me";

pub(super) const REGISTRY_DEPLOY: &str = "\
Examples:
  deedbox registry deploy open --chain-id 31337 --registrar self --set name='Our agents'
  deedbox registry deploy curated --chain-id 31337 --registrar self
  deedbox registry deploy tools --chain-id 31337

docs/registries.md says which kind is for whom.";

pub(super) const REGISTRY_DEPLOY_OPEN: &str = changes!(
    "  deedbox registry deploy open --chain-id 31337 --registrar self \\
      --set name='Our agents' --set image=@logo.txt --keystore me
  deedbox registry deploy open --chain-id 31337 --registrar nobody --set name='As it is' --dry-run \\
      --from 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
);

pub(super) const REGISTRY_DEPLOY_CURATED: &str = changes!(
    "  deedbox registry deploy curated --chain-id 31337 --keystore me \\
      --registrar 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --set name='White hats'"
);

pub(super) const REGISTRY_DEPLOY_FIXED: &str = changes!(
    "  deedbox registry deploy fixed-supply --max-supply 100 --chain-id 31337 --registrar self \\
      --set name='The first hundred' --keystore me"
);

pub(super) const REGISTRY_DEPLOY_TOOLS: &str =
    changes!("  deedbox registry deploy tools --chain-id 31337 --keystore me");

pub(super) const REGISTRY_DESCRIBE: &str = "\
Examples:
  deedbox registry describe eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1
  deedbox registry describe --chain-id 31337 0x5fbdb2315678afecb367f032d93f642f64180aa3 --json

Exit codes: 0 read; 1 it is no registry, or the chain says no; 2 bad usage; 3 no endpoint could
answer.";

pub(super) const REGISTRY_SET: &str = changes!(
    "  deedbox registry set eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      description='Agents of our team' --keystore me
  deedbox registry set eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      description=@about.txt --keystore me --yes"
);

pub(super) const REGISTRY_REGISTRAR: &str = "\
Examples:
  deedbox registry registrar nominate eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me
  deedbox registry registrar accept eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --keystore them";

pub(super) const REGISTRAR_NOMINATE: &str = changes!(
    "  deedbox registry registrar nominate eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(super) const REGISTRAR_ACCEPT: &str = changes!(
    "  deedbox registry registrar accept eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --keystore them"
);

pub(super) const REGISTRAR_RENOUNCE: &str = changes!(
    "  deedbox registry registrar renounce eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --keystore me"
);

pub(super) const AGENT: &str = "\
Examples:
  deedbox agent register eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 name=Weather \\
      service_type=mcp service=https://weather.example/mcp --keystore me
  deedbox agent set 12@0x00010000027a69145fbdb2315678afecb367f032d93f642f64180aa3 \\
      description='Forecasts for a week' --keystore me";

pub(super) const AGENT_REGISTER: &str = changes!(
    "  deedbox agent register eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 name=Weather \\
      service_type=mcp service=https://weather.example/mcp --keystore me
  deedbox agent register --chain-id 31337 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      name='イールド最適化' service_type/1=a2a service/1=https://yield.example/a2a \\
      agent_account=0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(super) const AGENT_REGISTER_BATCH: &str = changes!(
    "  deedbox agent register-batch eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      agents.csv --keystore me

agents.csv:
  owner,name,service_type,service
  0x70997970c51812dc3a010c7d01b50e0d17dc79c8,Weather,mcp,https://weather.example/mcp

agents.json:
  [{\"name\": \"Weather\", \"service_type\": \"mcp\", \"service\": \"https://weather.example/mcp\"}]"
);

pub(super) const AGENT_SET: &str = changes!(
    "  deedbox agent set 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      service_type=a2a service=https://weather.example/a2a --keystore me
  deedbox agent set 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 image= --keystore me"
);

pub(super) const AGENT_TRANSFER: &str = changes!(
    "  deedbox agent transfer 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(super) const AGENT_APPROVE: &str = "\
Examples:
  deedbox agent approve spender 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me
  deedbox agent approve operator eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --revoke --keystore me";

pub(super) const AGENT_APPROVE_SPENDER: &str = changes!(
    "  deedbox agent approve spender 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(super) const AGENT_APPROVE_OPERATOR: &str = changes!(
    "  deedbox agent approve operator eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(super) const PREDICATE: &str = "\
Examples:
  deedbox predicate deploy always-deny --chain-id 31337 --keystore me
  deedbox predicate deploy erc721 --collection 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --chain-id 31337 --keystore me";

pub(super) const PREDICATE_DEPLOY: &str = PREDICATE;

pub(super) const PREDICATE_ALWAYS_DENY: &str =
    changes!("  deedbox predicate deploy always-deny --chain-id 31337 --keystore me");

pub(super) const PREDICATE_ALLOWLIST: &str = changes!(
    "  deedbox predicate deploy allowlist --registry 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --chain-id 31337 --keystore me"
);

pub(super) const PREDICATE_MERKLE: &str = changes!(
    "  deedbox predicate deploy merkle-allowlist --chain-id 31337 --keystore me \\
      --registry 0x5fbdb2315678afecb367f032d93f642f64180aa3"
);

pub(super) const PREDICATE_ERC721: &str = changes!(
    "  deedbox predicate deploy erc721 --collection 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --chain-id 31337 --keystore me"
);

pub(super) const PREDICATE_ERC1155: &str = changes!(
    "  deedbox predicate deploy erc1155 --collection 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --token-id 7 --chain-id 31337 --keystore me"
);

pub(super) const PREDICATE_ERC20: &str = changes!(
    "  deedbox predicate deploy erc20 --token 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --min-balance 1000000 --chain-id 31337 --keystore me"
);

pub(super) const PREDICATE_SUBSCRIPTION: &str = changes!(
    "  deedbox predicate deploy subscription --chain-id 31337 --keystore me \\
      --collection 0x5fbdb2315678afecb367f032d93f642f64180aa3 --min-tier 2"
);

pub(super) const PREDICATE_ACCESS_PROOF: &str = changes!(
    "  deedbox predicate deploy access-proof --caller 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --chain-id 31337 --keystore me"
);

pub(super) const PREDICATE_COMPOSITE: &str = changes!(
    "  deedbox predicate deploy composite --logic all --chain-id 31337 --keystore me \\
      --term 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --term not:0xe7f1725e7734ce288f8367e1bb143e90bb3f0512,60000"
);

pub(super) const PREDICATE_AGENT_OWNER: &str = changes!(
    "  deedbox predicate deploy agent-owner --chain-id 31337 --keystore me \\
      --registry 0x5fbdb2315678afecb367f032d93f642f64180aa3 --agent-id 12"
);

pub(super) const PREDICATE_ANY_AGENT_OWNER: &str = changes!(
    "  deedbox predicate deploy any-agent-owner --chain-id 31337 --keystore me \\
      --registry 0x5fbdb2315678afecb367f032d93f642f64180aa3"
);

pub(super) const PREDICATE_ALLOW: &str = changes!(
    "  deedbox predicate allow eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 --tool-id 7 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(super) const PREDICATE_SET_ROOT: &str = changes!(
    "  deedbox predicate set-root eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x2c55b9c4dbb1a4b5ef5c5e3c5a4f8f4fbb2a9be7b1a1ac30f0c2f3a4d5e6f708 --tool-id 7 --keystore me"
);

pub(super) const PUBLICATION_RESUME: &str = changes!(
    "  deedbox publication resume 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b
  deedbox publication resume 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --raise-fee --keystore me"
);

pub(super) const ACCOUNT: &str = "\
Examples:
  deedbox account new me
  deedbox account list
  deedbox registry deploy tools --chain-id 31337 --keystore me";

pub(super) const ACCOUNT_NEW: &str = "\
Examples:
  deedbox account new me
  deedbox account new ci --password-file /run/secrets/keystore-password --json";

pub(super) const ACCOUNT_IMPORT: &str = "\
Examples:
  deedbox account import me
  deedbox account import me --key-file key.txt && shred -u key.txt
  pass show ethereum/me | deedbox account import me --key-file - --password-file password.txt";

pub(super) const ACCOUNT_LIST: &str = "\
Examples:
  deedbox account list
  deedbox account list --json | jq -r '.[].address'";

pub(super) const CHAIN: &str = "\
Examples:
  deedbox chain dev
  deedbox chain dev --port 0 --json";

pub(super) const CHAIN_DEV: &str = "\
Examples:
  deedbox chain dev
  deedbox chain dev --port 0 --json
  deedbox chain dev --state-dir ./chain

With --json it prints one JSON value on one line when everything stands, and goes on running.";

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
