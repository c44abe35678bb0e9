//! What stands below the help of commands that ask registries.

/// What every command ends with whose answer may be no.
macro_rules! asks {
    ($examples:literal, $yes:literal, $no:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "\n\nExit codes: 0 ",
            $yes,
            "; 5 ",
            $no,
            ";\n1 the policy or the chain says no, and nothing is known; 2 bad usage; 3 no endpoint could answer."
        )
    };
}

pub(in crate::cli) const AGENT_RESOLVE: &str = asks!(
    "  deedbox agent resolve 1@eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3
  deedbox agent resolve --chain-id 31337 1@0x5fbdb2315678afecb367f032d93f642f64180aa3 \\
      --key terms --block finalized --json",
    "it has an owner",
    "there is no such agent, or its owner cannot be read"
);

pub(in crate::cli) const TOOL_VERIFY: &str = asks!(
    "  deedbox tool verify eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7
  deedbox tool verify --purpose payment --save weather.json \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7",
    "verified",
    "not verified, or there is no such tool"
);

pub(in crate::cli) const TOOL_ACCESS: &str = asks!(
    "  deedbox tool access eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
    "open or granted",
    "denied, broken, or there is no such tool"
);

pub(in crate::cli) const TOOL_COMPARE: &str = asks!(
    "  deedbox tool compare eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/8
  deedbox tool compare --account 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 --protocol x402 \\
      --chain-id 8453 7@public-tools 8@public-tools",
    "one is verified, and the account may use it",
    "none is"
);

pub(in crate::cli) const TOOL_PROVE: &str = asks!(
    "  deedbox tool prove --keystore me \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7
  deedbox tool prove --keystore me --for https://tool.example \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7
  deedbox tool prove --keystore me --expires-in 2m --json \\
      eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7",
    "signed",
    "the tool takes no access proof"
);
