//! What the words mean with which nodes refuse a transaction. JSON-RPC has no codes for it: most use -32000 for all, others
//! have their own, so only the words decide. What they say about money stands with the words of every call, in
//! `rpc::words`.
//!
//! One table, from the particular to the general; the first row of which all words occur decides. Known from the sources of
//! geth (`core/txpool/errors.go`, `core/error.go`), Erigon (`txpoolcfg`), reth (`RpcPoolError`, `RpcInvalidTransactionError`), Nethermind
//! (`AcceptTxResult`, `TxPoolErrorMessages`), Besu (`RpcErrorType`), anvil (`PoolError`, `InvalidTransactionError`), zkSync
//! (`SubmitTxError`) and OpenEthereum, and from what operators of Chainlink's nodes have collected of the others.

use super::NotTaken::{
    self, FeeBelowBase, GasLimitTooHigh, IntrinsicGasTooLow, NonceGap, NonceTooLow, PoolFull,
    ReplacementUnderpriced, SenderHasCode, TooLarge, Underpriced, WrongChain,
};

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Means {
    AlreadyKnown,
    NotTaken(NotTaken),
}

/// Words in lower case that all stand in the text as words, what they mean (none: the endpoint has the transaction), and who says so.
type Row = (&'static [&'static str], Option<NotTaken>, &'static str);

const TABLE: &[Row] = &[
    // It has it.
    (
        &["already known"],
        None,
        "geth, Erigon, reth, Nethermind, Mantle",
    ),
    (&["alreadyknown"], None, "older Nethermind"),
    (
        &["known transaction"],
        None,
        "Besu, geth until 1.9, Klaytn, zkSync",
    ),
    (&["already imported"], None, "anvil, OpenEthereum"),
    (&["alreadyimported"], None, "Moonbeam"),
    (&["with same hash"], None, "Erigon, RSK"),
    (&["already exists in cache"], None, "Sei"),
    (&["already in mempool"], None, "several"),
    (&["already finalized"], None, "Harmony"),
    // Full before underpriced: some advise a higher fee.
    (
        &["too many transactions in the queue"],
        Some(PoolFull),
        "OpenEthereum",
    ),
    (
        &["future transaction tries to replace pending"],
        Some(PoolFull),
        "geth",
    ),
    (
        &["in-flight transaction limit"],
        Some(PoolFull),
        "geth, for accounts that delegate (EIP-7702)",
    ),
    (
        &["delegatorhaspendingtx"],
        Some(PoolFull),
        "Nethermind, the same",
    ),
    (&["account limit exceeded"], Some(PoolFull), "geth"),
    (
        &["pool is full"],
        Some(PoolFull),
        "Erigon (sub-pool), reth, RSK",
    ),
    (&["txpool is full"], Some(PoolFull), "geth"),
    (&["pool full"], Some(PoolFull), "Arbitrum"),
    (&["txpool full"], Some(PoolFull), "several"),
    (&["queue full"], Some(PoolFull), "Arbitrum"),
    (&["l2 congestion"], Some(PoolFull), "Arbitrum"),
    (&["spammer"], Some(PoolFull), "Erigon"),
    // Another one with its nonce waits.
    (
        &["replacement", "underpriced"],
        Some(ReplacementUnderpriced),
        "geth, Erigon, reth, Nethermind, Besu",
    ),
    (
        &["to replace existing transaction"],
        Some(ReplacementUnderpriced),
        "anvil",
    ),
    (
        &["could not replace existing"],
        Some(ReplacementUnderpriced),
        "Erigon",
    ),
    (
        &["replacementnotallowed"],
        Some(ReplacementUnderpriced),
        "older Nethermind",
    ),
    (
        &["another", "same nonce"],
        Some(ReplacementUnderpriced),
        "OpenEthereum, Klaytn, zkSync",
    ),
    (&["not enough to bump"], Some(ReplacementUnderpriced), "RSK"),
    // Nonces.
    (
        &["nonce too low"],
        Some(NonceTooLow),
        "geth, Erigon, reth, Nethermind, Besu, anvil, Arbitrum, zkSync, Hedera",
    ),
    (&["oldnonce"], Some(NonceTooLow), "older Nethermind"),
    (&["nonce is too low"], Some(NonceTooLow), "OpenEthereum"),
    (
        &["invalid transaction nonce"],
        Some(NonceTooLow),
        "Arbitrum",
    ),
    (&["pool(stale)"], Some(NonceTooLow), "Moonbeam"),
    (
        &["nonce too high"],
        Some(NonceGap),
        "geth (blobs), reth, Nethermind, Besu, Arbitrum, zkSync, Hedera",
    ),
    (&["nonce too far in future"], Some(NonceGap), "Nethermind"),
    (&["noncetoofarinfuture"], Some(NonceGap), "older Nethermind"),
    (&["noncegap"], Some(NonceGap), "older Nethermind"),
    (&["nonce gap"], Some(NonceGap), "several"),
    (
        &["gapped-nonce"],
        Some(NonceGap),
        "geth, for accounts that delegate (EIP-7702)",
    ),
    (
        &["notcurrentnoncefordelegation"],
        Some(NonceGap),
        "Nethermind, the same",
    ),
    (
        &["too distant from current sender nonce"],
        Some(NonceGap),
        "Besu",
    ),
    (&["transaction with a lower nonce"], Some(NonceGap), "Besu"),
    // The base fee before other fees.
    (
        &["less than block base fee"],
        Some(FeeBelowBase),
        "geth, Erigon, reth, anvil, Arbitrum, zkSync, Astar",
    ),
    (&["below current base fee"], Some(FeeBelowBase), "Besu"),
    (&["maxfeepergas too low"], Some(FeeBelowBase), "Nethermind"),
    (&["unacceptable gas price"], Some(FeeBelowBase), "zkSync"),
    // What is paid in all.
    (
        &["exceeds the configured cap"],
        Some(GasLimitTooHigh),
        "geth, Erigon: the whole fee",
    ),
    (
        &["fee cap exceeded"],
        Some(GasLimitTooHigh),
        "Besu: the whole fee",
    ),
    // Gas that is too little. Before gas that is too much: both are compared with limits.
    (
        &["intrinsic gas too low"],
        Some(IntrinsicGasTooLow),
        "geth, Erigon, reth, anvil, zkSync",
    ),
    (&["intrinsicgas"], Some(IntrinsicGasTooLow), "Erigon"),
    (
        &["intrinsic gas exceeds gas limit"],
        Some(IntrinsicGasTooLow),
        "Besu",
    ),
    (
        &["floor data gas"],
        Some(IntrinsicGasTooLow),
        "geth (EIP-7623)",
    ),
    (
        &["gas floor"],
        Some(IntrinsicGasTooLow),
        "reth, anvil (EIP-7623)",
    ),
    (
        &["call gas cost", "exceeds"],
        Some(IntrinsicGasTooLow),
        "reth, anvil",
    ),
    (
        &["transaction gas is too low"],
        Some(IntrinsicGasTooLow),
        "OpenEthereum",
    ),
    (&["above the gas limit"], Some(IntrinsicGasTooLow), "RSK"),
    (
        &["exceeds block gas limit"],
        Some(GasLimitTooHigh),
        "geth, Erigon, reth, Besu, RSK",
    ),
    (
        &["gas limit too high"],
        Some(GasLimitTooHigh),
        "geth (EIP-7825)",
    ),
    (&["gas limit is too high"], Some(GasLimitTooHigh), "Erigon"),
    (
        &["gas limit reached"],
        Some(GasLimitTooHigh),
        "geth, Nethermind",
    ),
    (
        &["gaslimitexceeded"],
        Some(GasLimitTooHigh),
        "older Nethermind",
    ),
    (
        &["exceeds current gas limit"],
        Some(GasLimitTooHigh),
        "OpenEthereum",
    ),
    (
        &["supplied gas is beyond limit"],
        Some(GasLimitTooHigh),
        "OpenEthereum",
    ),
    (&["intrinsic gas too high"], Some(GasLimitTooHigh), "anvil"),
    (
        &["gas limit", "greater than the cap"],
        Some(GasLimitTooHigh),
        "reth, anvil (EIP-7825)",
    ),
    // Sizes.
    (
        &["oversized data"],
        Some(TooLarge),
        "geth, Erigon, reth, zkSync",
    ),
    (
        &["initcode size"],
        Some(TooLarge),
        "geth, reth, anvil (EIP-3860)",
    ),
    (&["initcode too large"], Some(TooLarge), "Erigon"),
    (&["rlptoolong"], Some(TooLarge), "Erigon"),
    (&["maxtxsizeexceeded"], Some(TooLarge), "Nethermind"),
    (&["transaction too large"], Some(TooLarge), "several"),
    (&["transaction is too big"], Some(TooLarge), "OpenEthereum"),
    (&["tx too large"], Some(TooLarge), "Sei"),
    (&["higher than defined maximum"], Some(TooLarge), "RSK"),
    // Chains.
    (
        &["invalid chain id"],
        Some(WrongChain),
        "geth, Erigon, reth, anvil",
    ),
    (&["invalid chainid"], Some(WrongChain), "several"),
    (&["wrong chainid"], Some(WrongChain), "Besu"),
    (&["invalidtxchainid"], Some(WrongChain), "Nethermind"),
    (
        &["chain", "id", "does not match"],
        Some(WrongChain),
        "several",
    ),
    (&["chainid", "does not match"], Some(WrongChain), "several"),
    (
        &["incompatible eip-155"],
        Some(WrongChain),
        "anvil, Avalanche",
    ),
    // Senders.
    (
        &["sender not an eoa"],
        Some(SenderHasCode),
        "geth, Erigon, reth, Nethermind, anvil",
    ),
    (
        &["senderiscontract"],
        Some(SenderHasCode),
        "older Nethermind",
    ),
    (
        &["senders with deployed code"],
        Some(SenderHasCode),
        "anvil",
    ),
    (&["from a non-account"], Some(SenderHasCode), "zkSync"),
    // Any other fee that is too low.
    (
        &["underpriced"],
        Some(Underpriced),
        "geth, Erigon, reth, Nethermind, Klaytn",
    ),
    (&["feetoolow"], Some(Underpriced), "Nethermind"),
    (&["feetoolowtocompete"], Some(Underpriced), "Nethermind"),
    (&["fee too low"], Some(Underpriced), "Erigon"),
    (&["insufficient fee"], Some(Underpriced), "Sei"),
    (&["insufficient fees"], Some(Underpriced), "Sei"),
    (&["gas price too low"], Some(Underpriced), "Arbitrum, Metis"),
    (&["gas price is too low"], Some(Underpriced), "OpenEthereum"),
    (&["gas price below"], Some(Underpriced), "geth, Besu"),
    (
        &["below configured minimum gas price"],
        Some(Underpriced),
        "Hedera",
    ),
    (&["lower than block's minimum"], Some(Underpriced), "RSK"),
];

/// What `text`, in lower case, means by the table.
pub(super) fn meaning(text: &str) -> Option<Means> {
    let is_said = |(words, ..): &&Row| words.iter().all(|word| stands_in(text, word));
    let (_, reason, _) = TABLE.iter().find(is_said)?;
    Some(match reason {
        None => Means::AlreadyKnown,
        Some(reason) => Means::NotTaken(reason.clone()),
    })
}

/// Whether `words` stand in `text` by themselves: "known transaction" does not in "unknown transaction type".
fn stands_in(text: &str, words: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + words.len()..]);
        !inside(before.chars().next_back()) && !inside(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_inside_of_other_words_mean_nothing() {
        for text in [
            "unknown transaction type",
            "unknown transaction",
            "the transaction is not a known transactional kind",
            "xalready known",
            "renonce too lowered",
        ] {
            assert_eq!(meaning(text), None, "{text}");
        }
        assert_eq!(
            meaning("unknown: known transaction"),
            Some(Means::AlreadyKnown)
        );
    }

    #[test]
    fn no_row_is_hidden_by_one_that_means_something_else() {
        for (words, reason, who) in TABLE {
            let text = words.join(" ");
            let means = reason.clone().map_or(Means::AlreadyKnown, Means::NotTaken);
            assert_eq!(meaning(&text), Some(means), "{text} ({who})");
            assert_eq!(text, text.to_lowercase());
        }
    }
}
