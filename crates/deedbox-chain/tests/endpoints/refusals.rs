//! Why a transaction is not taken, in each client's words.

use crate::support::*;

async fn outcome(code: i64, words: &str) -> Broadcast {
    let server = refusing(code, words);
    let outcome = sending(&of(&[&server])).broadcast(&raw()).await;
    assert_eq!(server.calls(SEND), 1, "{words}");
    outcome
}

async fn all_mean(expected: NotTaken, said: &[(i64, &str)]) {
    for (code, words) in said {
        let outcome = outcome(*code, words).await;
        assert_eq!(outcome, Broadcast::NotTaken(expected.clone()), "{words}");
    }
}

#[tokio::test]
async fn that_it_is_known_already_is_no_refusal() {
    for (code, words) in [
        (-32000, "already known"),                // geth, Erigon, reth
        (-32000, "Known transaction"),            // Besu
        (-32000, "known transaction: 0x7f65"),    // geth until 1.9
        (-32010, "AlreadyKnown"),                 // Nethermind
        (-32003, "transaction already imported"), // anvil
        (
            -32010,
            "Transaction with the same hash was already imported.",
        ), // OpenEthereum
        (
            3,
            "known transaction. transaction with hash 0x6013 is already in the system",
        ), // zkSync
        (
            -32000,
            "failed to forward tx to sequencer, please try again. Error message: 'already known'",
        ), // Mantle
        (-32000, "existing tx with same hash"),   // Erigon
    ] {
        let server = having(
            code,
            words,
            json!({"hash": transaction().to_string(), "gasPrice": "0x1"}),
        );
        let outcome = sending(&of(&[&server])).broadcast(&raw()).await;
        assert_eq!(outcome, known("main"), "{words}");
    }
}

/// Refuses what it is handed with these words, and gives this by its hash.
fn having(code: i64, words: &'static str, by_hash: Value) -> FaultyEndpoint {
    saying(move |call| match call.method.as_str() {
        SEND => Some(Err(error(code, words))),
        "eth_getTransactionByHash" => Some(Ok(by_hash.clone())),
        _ => None,
    })
}

#[tokio::test]
async fn that_it_is_known_already_is_believed_of_one_that_gives_it_by_its_hash() {
    let boasting = || having(-32000, "already known", Value::Null);
    match sending(&of(&[&boasting()])).broadcast(&raw()).await {
        Broadcast::Unclear(error) => {
            assert_eq!(error.code, Code::EndpointUnavailable);
            assert_eq!(
                error.message,
                "endpoint main says that it has the transaction already, and does not give it by its hash"
            );
        }
        other => panic!("{other:?}"),
    }
    // The next one is handed it.
    let (first, second) = (boasting(), willing());
    let outcome = sending(&of(&[&first, &second])).broadcast(&raw()).await;
    assert_eq!(outcome, taken("spare"));
    assert_eq!((first.calls(SEND), second.calls(SEND)), (1, 1));
    // That the next one is short of something does not show that the first has not taken it.
    let (first, second) = (boasting(), refusing(-32000, "txpool is full"));
    let outcome = sending(&of(&[&first, &second])).broadcast(&raw()).await;
    assert!(matches!(outcome, Broadcast::Unclear(_)), "{outcome:?}");
}

#[tokio::test]
async fn nonces() {
    all_mean(
        NotTaken::NonceTooLow,
        &[
            (-32000, "nonce too low"),
            (-32000, "nonce too low: next nonce 4, tx nonce 3"), // geth, reth
            (-32001, "Nonce too low"),                           // Besu
            (
                -32010,
                "OldNonce, Current nonce: 22, nonce of rejected tx: 17",
            ), // Nethermind
            (
                3,
                "nonce too low. allowed nonce range: 427 - 447, actual: 426",
            ), // zkSync
            (
                -32010,
                "Transaction nonce is too low. Try incrementing the nonce.",
            ), // OpenEthereum
        ],
    )
    .await;
    all_mean(
        NotTaken::NonceGap,
        &[
            (-32000, "nonce too high: address 0x33, tx: 8089 state: 8088"), // Arbitrum
            (-32010, "NonceGap, Future nonce. Expected nonce: 10"),         // Nethermind
            (
                -32000,
                "Transaction nonce is too distant from current sender nonce",
            ), // Besu
            (-32000, "An invalid transaction with a lower nonce exists"),   // Besu
            (-32000, "gapped-nonce tx from delegated accounts"),            // geth
        ],
    )
    .await;
}

#[tokio::test]
async fn fees() {
    all_mean(NotTaken::Underpriced, &[
        (-32000, "transaction underpriced"),
        (
            -32000,
            "transaction gas price below minimum: gas tip cap 0, minimum needed 1000000000",
        ), // geth
        (-32010, "FeeTooLow, EffectivePriorityFeePerGas too low 10 < 20, BaseFee: 30"), // Nethermind
        (-32010, "FeeTooLowToCompete"),
        (-32009, "Gas price below configured minimum gas price"), // Besu
        (-32000, "gas price too low: 18 wei, use at least tx.gasPrice = 19 wei"), // Metis
        (
            -32010,
            "Transaction gas price is too low. It does not satisfy your node's minimal gas price (minimal: 100 got: 50). Try increasing the gas price.",
        ), // OpenEthereum
    ])
    .await;
    all_mean(NotTaken::ReplacementUnderpriced, &[
        (-32000, "replacement transaction underpriced"),
        (-32010, "ReplacementNotAllowed"), // Nethermind
        (-32000, "INTERNAL_ERROR: could not replace existing tx"), // Erigon
        (
            -32010,
            "Transaction gas price 100wei is too low. There is another transaction with same nonce in the queue with gas price 150wei. Try increasing the gas price or incrementing the nonce.",
        ), // OpenEthereum
        (-32000, "there is another tx which has the same nonce in the tx pool"), // Klaytn
    ])
    .await;
    all_mean(NotTaken::FeeBelowBase, &[
        (
            -32000,
            "max fee per gas less than block base fee: address 0x33, maxFeePerGas: 1, baseFee: 7",
        ), // geth, Arbitrum
        (-32009, "Gas price below current base fee"), // Besu
        (
            -32010,
            "FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 50, BaseFee: 100, MaxPriorityFeePerGas:200, Block number: 5",
        ), // Nethermind
        (-32000, "gas price less than block base fee"), // Astar
    ])
    .await;
    all_mean(
        NotTaken::InsufficientFunds,
        &[
            (
                -32000,
                "insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1",
            ), // geth
            (-32004, "Upfront cost exceeds account balance"), // Besu
            (
                -32010,
                "InsufficientFunds, Account balance: 4, cumulative cost: 9",
            ), // Nethermind
            (
                3,
                "insufficient funds for gas + value. balance: 4, fee: 8, value: 0",
            ), // zkSync
            (-32000, "not enough funds for gas"),             // Arbitrum
        ],
    )
    .await;
}

#[tokio::test]
async fn gas_and_sizes() {
    all_mean(
        NotTaken::GasLimitTooHigh,
        &[
            (-32000, "exceeds block gas limit"),
            (
                -32000,
                "transaction gas limit too high (cap: 16777216, tx: 21000000)",
            ), // geth
            (-32005, "Transaction gas limit exceeds block gas limit"), // Besu, with the code of a rate limit
            (
                -32010,
                "GasLimitExceeded, Gas limit: 100, gas limit of rejected tx: 150",
            ), // Nethermind
            (
                -32000,
                "tx fee (1.10 ether) exceeds the configured cap (1.00 ether)",
            ), // geth
        ],
    )
    .await;
    all_mean(NotTaken::IntrinsicGasTooLow, &[
        (-32000, "intrinsic gas too low: gas 20000, minimum needed 21000"), // geth
        (-32003, "Intrinsic gas exceeds gas limit"),                        // Besu
        (-32000, "insufficient gas for floor data gas cost: gas 1, minimum needed 2"),
        (
            -32010,
            "Transaction gas is too low. There is not enough gas to cover minimal cost of the transaction (minimal: 100 got: 50) Try increasing supplied gas.",
        ), // OpenEthereum
    ])
    .await;
    all_mean(
        NotTaken::TooLarge,
        &[
            (
                -32000,
                "oversized data: transaction size 131100, limit 131072",
            ), // geth
            (
                -32000,
                "max initcode size exceeded: code size 50000, limit 49152",
            ), // geth
            (-32000, "RLPTooLong"), // Erigon
        ],
    )
    .await;
}

#[tokio::test]
async fn chains_senders_and_pools() {
    all_mean(
        NotTaken::WrongChain,
        &[
            (
                -32000,
                "invalid sender: invalid chain id for signer: have 1 want 5",
            ), // geth
            (-32000, "Wrong chainId"), // Besu
            (
                -32010,
                "transaction invalid, InvalidTxChainId: Expected 5, got 1",
            ), // Nethermind
            (-32003, "invalid chain ID"), // reth
        ],
    )
    .await;
    all_mean(
        NotTaken::SenderHasCode,
        &[
            (-32000, "sender not an eoa: address 0x33, len(code): 20"),
            (-32010, "SenderIsContract"),
            (
                3,
                "invalid sender. can't start a transaction from a non-account",
            ),
        ],
    )
    .await;
    all_mean(NotTaken::PoolFull, &[
        (-32000, "txpool is full"),
        (-32000, "pending sub-pool is full"), // Erigon
        (-32000, "in-flight transaction limit reached for delegated accounts"), // geth
        (-32000, "account limit exceeded: pooled 64 txs"), // geth
        (
            -32010,
            "There are too many transactions in the queue. Your transaction was dropped due to limit. Try increasing the fee.",
        ), // OpenEthereum
    ])
    .await;
}

#[tokio::test]
async fn unknown_words_are_passed_on_as_plain_text() {
    for (code, words, passed_on) in [
        (-32000, "negative value", "negative value"),
        (
            -32602,
            "see https://docs.example/x?key=1\n\u{202e}\tfor\u{0} help",
            "see (a URL) for help",
        ),
        // The contract's own text means nothing.
        (
            3,
            "execution reverted: nonce too low",
            "execution reverted: nonce too low",
        ),
        (-32000, "Validation revert: no", "Validation revert: no"),
        (-32000, "", ""),
    ] {
        match outcome(code, words).await {
            Broadcast::NotTaken(NotTaken::Refused(said)) => assert_eq!(said, passed_on),
            other => panic!("{words}: {other:?}"),
        }
    }
    let Broadcast::NotTaken(NotTaken::Refused(said)) = outcome(-32000, &"ab ".repeat(900)).await
    else {
        panic!();
    };
    assert!(said.chars().count() <= 201 && said.ends_with('…'), "{said}");
}
