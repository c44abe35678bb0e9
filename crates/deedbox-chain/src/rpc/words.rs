//! What the words of an endpoint's error mean. JSON-RPC leaves the codes to servers, and they use the same ones for
//! different things (-32005 is a rate limit or too many logs, -32000 anything), so the words decide before the code.
//!
//! One table, from the particular to the general; the first row of which all words occur decides.

use super::wire::ErrorObject;

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    TooManyBlocks,
    TooManyLogs,
    BatchRefused,
    ResponseTooLarge,
    NotCanonical,
    StateUnavailable,
    BlockUnknown,
    RateLimited,
    Unauthorized,
    ExecutionFailed,
    CannotPay,
    TimedOut,
    MethodMissing,
    BadParams,
}

use Means::{
    BadParams, BatchRefused, BlockUnknown, CannotPay, ExecutionFailed, MethodMissing, NotCanonical,
    RateLimited, ResponseTooLarge, StateUnavailable, TimedOut, TooManyBlocks, TooManyLogs,
    Unauthorized,
};

/// Lower-case words, what they mean, and who is known to say them.
/// Words that all stand in the text, what they mean, and who says so.
type Row = (&'static [&'static str], Means, &'static str);

const TABLE: &[Row] = &[
    // Batches first: their refusals mention limits, too.
    (&["batch", "not supported"], BatchRefused, "several"),
    (
        &["batch", "not allowed"],
        BatchRefused,
        "dRPC (per item, HTTP 500), 1RPC",
    ),
    (&["batch", "disabled"], BatchRefused, "several"),
    (&["batch", "limit"], BatchRefused, "Base, Nethermind"),
    (&["batch", "too large"], BatchRefused, "geth, reth"),
    (&["batch", "too many"], BatchRefused, "Flashbots"),
    (&["batch", "maximum"], BatchRefused, "Besu, zkSync"),
    // Logs.
    (&["log response size exceeded"], TooManyLogs, "Alchemy"),
    (&["query timeout exceeded"], TooManyLogs, "Alchemy"),
    (
        &["query returned more than"],
        TooManyLogs,
        "Infura, geth's forks",
    ),
    (&["query returns more than"], TooManyLogs, "Infura"),
    (&["query exceeds max results"], TooManyLogs, "reth, Ankr"),
    (
        &["logs matched by query exceeds limit"],
        TooManyLogs,
        "Arbitrum, Nitro",
    ),
    (&["too many logs"], TooManyLogs, "Nethermind"),
    (&["too many results"], TooManyLogs, "several"),
    (&["query timed out"], TooManyLogs, "Infura"),
    (
        &["try with this block range"],
        TooManyLogs,
        "Infura, zkSync, Thirdweb",
    ),
    (&["this block range should work"], TooManyBlocks, "Alchemy"),
    (&["up to a", "block range"], TooManyBlocks, "Alchemy"),
    (&["extends beyond current head"], BlockUnknown, "geth"),
    (
        &["block range"],
        TooManyBlocks,
        "Cloudflare, dRPC, PublicNode, reth, Ankr, 1RPC, Frontier",
    ),
    (&["blocks range"], TooManyBlocks, "QuickNode"),
    (&["range is too large"], TooManyBlocks, "Ankr, BlockPI"),
    (&["range too large"], TooManyBlocks, "Merkle, Cloudflare"),
    (&["range limit exceeded"], TooManyBlocks, "dRPC"),
    (&["exceeds the range"], TooManyBlocks, "Harmony"),
    (
        &["requested too many blocks"],
        TooManyBlocks,
        "Polygon Edge, Fantom",
    ),
    (&["blocks distance"], TooManyBlocks, "NodeReal"),
    (&["block span", "limit"], TooManyBlocks, "HyperEVM"),
    (&["ranges over", "blocks"], TooManyBlocks, "dRPC"),
    (
        &["limited to", "range"],
        TooManyBlocks,
        "QuickNode (-32614)",
    ),
    (
        &["limited to", "blocks"],
        TooManyBlocks,
        "Chainstack, BlockPI",
    ),
    // Sizes.
    (
        &["response size exceed"],
        ResponseTooLarge,
        "geth's forks, Alchemy",
    ),
    (
        &["response too large"],
        ResponseTooLarge,
        "geth (-32003 in batches)",
    ),
    (
        &["response is too big"],
        ResponseTooLarge,
        "jsonrpsee: reth (-32008)",
    ),
    (
        &["response size is larger than"],
        ResponseTooLarge,
        "Alchemy",
    ),
    (
        &["exceeded max limit of response"],
        ResponseTooLarge,
        "several",
    ),
    // Blocks.
    (&["not currently canonical"], NotCanonical, "geth, Erigon"),
    (&["not canonical"], NotCanonical, "Besu, Nethermind"),
    // State that is not kept.
    (
        &["missing trie node"],
        StateUnavailable,
        "geth and its forks, Ankr",
    ),
    (
        &["historical state", "not available"],
        StateUnavailable,
        "geth, path scheme",
    ),
    (
        &["required historical state unavailable"],
        StateUnavailable,
        "geth",
    ),
    (&["state", "is not available"], StateUnavailable, "geth"),
    (
        &["state already discarded"],
        StateUnavailable,
        "geth's forks",
    ),
    (&["old data not available"], StateUnavailable, "Erigon"),
    (&["no state available"], StateUnavailable, "Nethermind"),
    (&["world state unavailable"], StateUnavailable, "Besu"),
    (&["state has been pruned"], StateUnavailable, "Erigon"),
    (&["is pruned"], StateUnavailable, "reth"),
    (&["pruned history"], StateUnavailable, "EIP-4444 (4444)"),
    (&["pruned block"], StateUnavailable, "Erigon"),
    (&["history has been pruned"], StateUnavailable, "Erigon"),
    (&["state pruning"], StateUnavailable, "OpenEthereum"),
    (&["no historical rpc"], StateUnavailable, "op-geth"),
    (
        &["state histories haven't been fully indexed"],
        StateUnavailable,
        "geth",
    ),
    (&["sync is still in progress"], StateUnavailable, "Besu"),
    (&["recent blocks"], StateUnavailable, "public endpoints"),
    (
        &["older than", "blocks"],
        StateUnavailable,
        "public endpoints",
    ),
    (
        &["archive"],
        StateUnavailable,
        "Infura, PublicNode, Chainstack, QuickNode, BlockPI, GetBlock",
    ),
    // Blocks that are not known.
    (&["header not found"], BlockUnknown, "geth, Erigon, Ankr"),
    (&["header for hash not found"], BlockUnknown, "geth"),
    (&["unknown block"], BlockUnknown, "geth, Infura"),
    (&["unknown header"], BlockUnknown, "anvil, reth"),
    (
        &["block not found"],
        BlockUnknown,
        "Besu, reth, dRPC, anvil",
    ),
    (&["could not find block"], BlockUnknown, "Sei"),
    (&["could not be found"], BlockUnknown, "Nethermind"),
    (&["cannot find block"], BlockUnknown, "Nethermind"),
    (&["block", "not found"], BlockUnknown, "Erigon, anvil"),
    (&["blockoutofrange"], BlockUnknown, "anvil"),
    (&["block height is", "but requested"], BlockUnknown, "anvil"),
    (
        &["tag not supported"],
        BlockUnknown,
        "geth before the merge",
    ),
    (&["finalized block not"], BlockUnknown, "geth, op-geth"),
    (&["safe block not"], BlockUnknown, "geth, op-geth"),
    // Rate limits.
    (
        &["rate limit"],
        RateLimited,
        "Cloudflare, Ankr, Tenderly, Base",
    ),
    (&["ratelimit"], RateLimited, "several"),
    (&["rate exceeded"], RateLimited, "Infura"),
    (&["too many requests"], RateLimited, "Infura, Ankr, Ronin"),
    (
        &["request limit reached"],
        RateLimited,
        "QuickNode (-32007)",
    ),
    (&["compute units per second"], RateLimited, "Alchemy"),
    (&["daily request count exceeded"], RateLimited, "Infura"),
    (&["exceeded", "rps limit"], RateLimited, "Chainstack"),
    (&["per second"], RateLimited, "QuickNode, Chainstack"),
    (&["throttle"], RateLimited, "several"),
    (&["exceeded", "quota"], RateLimited, "Chainstack, GetBlock"),
    (&["monthly capacity"], RateLimited, "Alchemy"),
    (&["capacity exceeded"], RateLimited, "Alchemy, Pocket"),
    (&["credits"], RateLimited, "Infura, QuickNode"),
    // Keys and plans.
    (&["invalid api key"], Unauthorized, "several"),
    (&["invalid project id"], Unauthorized, "Infura"),
    (&["unauthorized"], Unauthorized, "Ankr, dRPC"),
    (&["must be authenticated"], Unauthorized, "Alchemy"),
    (&["api key"], Unauthorized, "Ankr, BlockPI"),
    (&["forbidden"], Unauthorized, "several"),
    (&["free plan"], Unauthorized, "dRPC (35)"),
    (&["free tier"], Unauthorized, "dRPC, Alchemy"),
    (&["current plan"], Unauthorized, "Chainstack"),
    // What the machine did.
    (&["gas limit", "too high"], BadParams, "several"),
    (&["out of gas"], ExecutionFailed, "geth, Erigon, Besu"),
    (&["outofgas"], ExecutionFailed, "anvil, reth, Nethermind"),
    (&["invalid opcode"], ExecutionFailed, "geth, Besu"),
    (&["opcodenotfound"], ExecutionFailed, "anvil"),
    (&["invalidfeopcode"], ExecutionFailed, "anvil, reth"),
    (&["invalid jump destination"], ExecutionFailed, "geth"),
    (&["invalidjump"], ExecutionFailed, "anvil, reth"),
    (&["badinstruction"], ExecutionFailed, "Nethermind"),
    (&["bad instruction"], ExecutionFailed, "OpenEthereum"),
    (&["stack underflow"], ExecutionFailed, "geth"),
    (
        &["stackunderflow"],
        ExecutionFailed,
        "anvil, reth, Nethermind",
    ),
    (&["stack limit reached"], ExecutionFailed, "geth"),
    (&["stackoverflow"], ExecutionFailed, "anvil, reth"),
    (&["write protection"], ExecutionFailed, "geth"),
    (
        &["statechangeduringstaticcall"],
        ExecutionFailed,
        "anvil, reth",
    ),
    (&["return data out of bounds"], ExecutionFailed, "geth"),
    (&["outofoffset"], ExecutionFailed, "anvil, reth"),
    (&["invalid memory access"], ExecutionFailed, "several"),
    (&["gas uint64 overflow"], ExecutionFailed, "geth"),
    (&["calltoodeep"], ExecutionFailed, "anvil, reth"),
    (&["notactivated"], ExecutionFailed, "anvil, reth"),
    (&["precompileerror"], ExecutionFailed, "anvil, reth"),
    // Money.
    (
        &["insufficient funds"],
        CannotPay,
        "geth and its kin, zkSync",
    ),
    (&["insufficientfunds"], CannotPay, "older Nethermind"),
    (
        &["insufficient balance"],
        CannotPay,
        "geth, OpenEthereum, zkSync",
    ),
    (&["insufficient sender balance"], CannotPay, "Nethermind"),
    (&["upfront cost exceeds"], CannotPay, "Besu"),
    (&["not enough funds"], CannotPay, "Arbitrum"),
    (&["would cause overdraft"], CannotPay, "geth"),
    (&["insufficient_payer_balance"], CannotPay, "Hedera"),
    // The rest.
    (&["timed out"], TimedOut, "several"),
    (&["timeout"], TimedOut, "geth, dRPC"),
    (&["deadline exceeded"], TimedOut, "Erigon"),
    (&["method not found"], MethodMissing, "JSON-RPC (-32601)"),
    (&["method", "not available"], MethodMissing, "geth"),
    (&["method", "not supported"], MethodMissing, "several"),
    (
        &["pool not enabled"],
        MethodMissing,
        "Besu: for eth_sendRawTransaction",
    ),
    (&["method", "not whitelisted"], MethodMissing, "several"),
    (&["method", "not allowed"], MethodMissing, "several"),
    (
        &["cannot unmarshal"],
        BadParams,
        "geth: a parameter in a form it does not know",
    ),
    (&["invalid argument"], BadParams, "geth"),
    (&["invalid params"], BadParams, "JSON-RPC (-32602)"),
];

/// What `text`, in lower case, means by the table.
pub(super) fn meaning(text: &str) -> Option<Means> {
    let is_said = |(words, means, _): &&Row| match means {
        // What a contract did decides what it is taken to have said, so a node's trouble must not pass for it.
        ExecutionFailed => words
            .iter()
            .all(|word| of_the_machine(text).starts_with(word)),
        _ => words.iter().all(|word| text.contains(word)),
    };
    TABLE.iter().find(is_said).map(|(_, means, _)| *means)
}

/// What the virtual machine said, without what nodes put before it.
fn of_the_machine(text: &str) -> &str {
    ["err: ", "evm error: ", "evm error "]
        .iter()
        .find_map(|before| text.strip_prefix(before))
        .unwrap_or(text)
}

/// Whether it is a contract that speaks. Asked before [`meaning`]: the reason of a revert is the contract's own text, and
/// must not pass for words of the endpoint.
pub(super) fn reverted(error: &ErrorObject, text: &str) -> bool {
    // Nethermind's "VM execution error." stands for running out of gas, too; its data then does not say "Reverted".
    // 3 is geth's code for a revert; a gateway may use it for something else, and then says so.
    says_reverted(text) || (error.code == 3 && meaning(text).is_none())
}

/// Whether `text`, in lower case, says that a contract refused, and may go on with the contract's own text.
pub(crate) fn says_reverted(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "execution reverted", // geth, Erigon, reth, anvil, Besu
        "vm execution error", // Nethermind, OpenEthereum, with "Reverted 0x…" as data
        "vm exception while processing transaction: revert", // Hardhat, Ganache
        "transaction reverted",
        "reverted 0x",
        "rpc error: code = internal desc = execution reverted", // chains on the Cosmos SDK
    ];
    BEGINNINGS.iter().any(|words| text.starts_with(words))
        || ["revert", "reverted"].contains(&text.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_hidden_by_one_that_means_something_else() {
        for (words, means, who) in TABLE {
            let text = words.join(" ");
            assert_eq!(meaning(&text), Some(*means), "{text} ({who})");
            assert_eq!(text, text.to_lowercase());
        }
    }
}
