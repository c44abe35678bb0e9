//! What stands below the help of commands about registries, agents, tools and keys.

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

pub(in crate::cli) const TOOL_PUBLISH: &str = changes!(
    "  deedbox tool publish eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1 weather.json \\
      --metadata-uri https://weather.example/.well-known/ai-tool/weather.json --keystore me
  deedbox tool publish --chain-id 8453 0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1 \\
      --metadata-uri https://weather.example/.well-known/ai-tool/weather.json \\
      --from 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --dry-run"
);

pub(in crate::cli) const TOOL_UPDATE: &str = changes!(
    "  deedbox tool update eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      weather.json --keystore me"
);

pub(in crate::cli) const TOOL_SET_PREDICATE: &str = changes!(
    "  deedbox tool set-predicate --keystore me \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      0xc8721c9a776958ffffeb602da1b708bf1d318379
  deedbox tool set-predicate --keystore me \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 open"
);

pub(in crate::cli) const TOOL_PAUSE: &str = changes!(
    "  deedbox tool pause eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      --predicate 0x5fbdb2315678afecb367f032d93f642f64180aa3 --keystore me"
);

pub(in crate::cli) const TOOL_DEREGISTER: &str = changes!(
    "  deedbox tool deregister --keystore me \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7"
);

pub(in crate::cli) const REGISTRY: &str = "\
Examples:
  deedbox registry describe eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1
  deedbox registry add public-tools --chain-id 8453
  deedbox registry deploy open --chain-id 31337 --registrar self --set name='Our agents'
  deedbox registry set 0x00010000027a69145fbdb2315678afecb367f032d93f642f64180aa3 \\
      description='Agents of our team' --keystore me";

pub(in crate::cli) const REGISTRY_DEPLOY: &str = "\
Examples:
  deedbox registry deploy open --chain-id 31337 --registrar self --set name='Our agents'
  deedbox registry deploy curated --chain-id 31337 --registrar self
  deedbox registry deploy tools --chain-id 31337

docs/registries.md says which kind is for whom.";

pub(in crate::cli) const REGISTRY_DEPLOY_OPEN: &str = changes!(
    "  deedbox registry deploy open --chain-id 31337 --registrar self \\
      --set name='Our agents' --set image=@logo.txt --keystore me
  deedbox registry deploy open --chain-id 31337 --registrar nobody --set name='As it is' \\
      --dry-run --from 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
);

pub(in crate::cli) const REGISTRY_DEPLOY_CURATED: &str = changes!(
    "  deedbox registry deploy curated --chain-id 31337 --keystore me \\
      --registrar 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --set name='White hats'"
);

pub(in crate::cli) const REGISTRY_DEPLOY_FIXED: &str = changes!(
    "  deedbox registry deploy fixed-supply --max-supply 100 --chain-id 31337 --registrar self \\
      --set name='The first hundred' --keystore me"
);

pub(in crate::cli) const REGISTRY_DEPLOY_TOOLS: &str =
    changes!("  deedbox registry deploy tools --chain-id 31337 --keystore me");

pub(in crate::cli) const REGISTRY_DESCRIBE: &str = "\
Examples:
  deedbox registry describe eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1
  deedbox registry describe --chain-id 31337 0x5fbdb2315678afecb367f032d93f642f64180aa3 --json
  deedbox registry describe eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --key terms --key contact

Exit codes: 0 read; 1 it is no registry, or the chain says no; 2 bad usage; 3 no endpoint could
answer.";

pub(in crate::cli) const REGISTRY_SET: &str = changes!(
    "  deedbox registry set eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      description='Agents of our team' --keystore me
  deedbox registry set eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      description=@about.txt --keystore me --yes"
);

pub(in crate::cli) const REGISTRY_REGISTRAR: &str = "\
Examples:
  deedbox registry registrar nominate eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me
  deedbox registry registrar accept eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --keystore them";

pub(in crate::cli) const REGISTRAR_NOMINATE: &str = changes!(
    "  deedbox registry registrar nominate eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(in crate::cli) const REGISTRAR_ACCEPT: &str = changes!(
    "  deedbox registry registrar accept eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --keystore them"
);

pub(in crate::cli) const REGISTRAR_RENOUNCE: &str = changes!(
    "  deedbox registry registrar renounce eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --keystore me"
);

pub(in crate::cli) const AGENT: &str = "\
Examples:
  deedbox agent register eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 name=Weather \\
      service_type=mcp service=https://weather.example/mcp --keystore me
  deedbox agent set 12@0x00010000027a69145fbdb2315678afecb367f032d93f642f64180aa3 \\
      description='Forecasts for a week' --keystore me";

pub(in crate::cli) const AGENT_REGISTER: &str = changes!(
    "  deedbox agent register eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 name=Weather \\
      service_type=mcp service=https://weather.example/mcp --keystore me
  deedbox agent register --chain-id 31337 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      name='イールド最適化' service_type/1=a2a service/1=https://yield.example/a2a \\
      agent_account=0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(in crate::cli) const AGENT_REGISTER_BATCH: &str = changes!(
    "  deedbox agent register-batch eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      agents.csv --keystore me

agents.csv:
  owner,name,service_type,service
  0x70997970c51812dc3a010c7d01b50e0d17dc79c8,Weather,mcp,https://weather.example/mcp

agents.json:
  [{\"name\": \"Weather\", \"service_type\": \"mcp\", \"service\": \"https://weather.example/mcp\"}]"
);

pub(in crate::cli) const AGENT_SET: &str = changes!(
    "  deedbox agent set 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      service_type=a2a service=https://weather.example/a2a --keystore me
  deedbox agent set 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 image= \\
      --keystore me"
);

pub(in crate::cli) const AGENT_TRANSFER: &str = changes!(
    "  deedbox agent transfer 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(in crate::cli) const AGENT_APPROVE: &str = "\
Examples:
  deedbox agent approve spender 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me
  deedbox agent approve operator eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --revoke --keystore me";

pub(in crate::cli) const AGENT_APPROVE_SPENDER: &str = changes!(
    "  deedbox agent approve spender 12@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(in crate::cli) const AGENT_APPROVE_OPERATOR: &str = changes!(
    "  deedbox agent approve operator eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(in crate::cli) const PREDICATE: &str = "\
Examples:
  deedbox predicate deploy always-deny --chain-id 31337 --keystore me
  deedbox predicate deploy erc721 --collection 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --chain-id 31337 --keystore me";

pub(in crate::cli) const PREDICATE_DEPLOY: &str = PREDICATE;

pub(in crate::cli) const PREDICATE_ALWAYS_DENY: &str =
    changes!("  deedbox predicate deploy always-deny --chain-id 31337 --keystore me");

pub(in crate::cli) const PREDICATE_ALLOWLIST: &str = changes!(
    "  deedbox predicate deploy allowlist --registry 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --chain-id 31337 --keystore me"
);

pub(in crate::cli) const PREDICATE_MERKLE: &str = changes!(
    "  deedbox predicate deploy merkle-allowlist --chain-id 31337 --keystore me \\
      --registry 0x5fbdb2315678afecb367f032d93f642f64180aa3"
);

pub(in crate::cli) const PREDICATE_ERC721: &str = changes!(
    "  deedbox predicate deploy erc721 --collection 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --chain-id 31337 --keystore me"
);

pub(in crate::cli) const PREDICATE_ERC1155: &str = changes!(
    "  deedbox predicate deploy erc1155 --collection 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --token-id 7 --chain-id 31337 --keystore me"
);

pub(in crate::cli) const PREDICATE_ERC20: &str = changes!(
    "  deedbox predicate deploy erc20 --token 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --min-balance 1000000 --chain-id 31337 --keystore me"
);

pub(in crate::cli) const PREDICATE_SUBSCRIPTION: &str = changes!(
    "  deedbox predicate deploy subscription --chain-id 31337 --keystore me \\
      --collection 0x5fbdb2315678afecb367f032d93f642f64180aa3 --min-tier 2"
);

pub(in crate::cli) const PREDICATE_ACCESS_PROOF: &str = changes!(
    "  deedbox predicate deploy access-proof --caller 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --chain-id 31337 --keystore me"
);

pub(in crate::cli) const PREDICATE_COMPOSITE: &str = changes!(
    "  deedbox predicate deploy composite --logic all --chain-id 31337 --keystore me \\
      --term 0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --term not:0xe7f1725e7734ce288f8367e1bb143e90bb3f0512,60000
  deedbox predicate deploy composite --logic all --chain-id 31337 --keystore me \\
      --caller 0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0 \\
      --term 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9"
);

pub(in crate::cli) const PREDICATE_AGENT_OWNER: &str = changes!(
    "  deedbox predicate deploy agent-owner --chain-id 31337 --keystore me \\
      --registry 0x5fbdb2315678afecb367f032d93f642f64180aa3 --agent-id 12"
);

pub(in crate::cli) const PREDICATE_ANY_AGENT_OWNER: &str = changes!(
    "  deedbox predicate deploy any-agent-owner --chain-id 31337 --keystore me \\
      --registry 0x5fbdb2315678afecb367f032d93f642f64180aa3"
);

pub(in crate::cli) const PREDICATE_ALLOW: &str = changes!(
    "  deedbox predicate allow eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 --tool-id 7 \\
      0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --keystore me"
);

pub(in crate::cli) const PREDICATE_SET_ROOT: &str = changes!(
    "  deedbox predicate set-root eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      0x2c55b9c4dbb1a4b5ef5c5e3c5a4f8f4fbb2a9be7b1a1ac30f0c2f3a4d5e6f708 \\
      --tool-id 7 --keystore me"
);

pub(in crate::cli) const PUBLICATION_RESUME: &str = changes!(
    "  deedbox publication resume 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b
  deedbox publication resume 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --raise-fee --keystore me"
);

pub(in crate::cli) const ACCOUNT: &str = "\
Examples:
  deedbox account new me
  deedbox account list
  deedbox registry deploy tools --chain-id 31337 --keystore me";

pub(in crate::cli) const ACCOUNT_NEW: &str = "\
Examples:
  deedbox account new me
  deedbox account new ci --password-file /run/secrets/keystore-password --json";

pub(in crate::cli) const ACCOUNT_IMPORT: &str = "\
Examples:
  deedbox account import me
  deedbox account import me --key-file key.txt && shred -u key.txt
  pass show ethereum/me | deedbox account import me --key-file - --password-file password.txt";

pub(in crate::cli) const ACCOUNT_LIST: &str = "\
Examples:
  deedbox account list
  deedbox account list --json | jq -r '.[].address'";

pub(in crate::cli) const CHAIN: &str = "\
Examples:
  deedbox chain dev
  deedbox chain dev --port 0 --json";

pub(in crate::cli) const CHAIN_DEV: &str = "\
Examples:
  deedbox chain dev
  deedbox chain dev --port 0 --json
  deedbox chain dev --state-dir ./chain

With --json it prints one JSON value on one line when everything stands, and goes on running.";
