//! Handing over a transaction: once, and elsewhere only where it is known that this endpoint did not take it.

use alloy_primitives::{B256, Bytes, keccak256};
use futures::future::join_all;
use serde_json::json;
use tokio::time::Instant;

use super::{
    Broadcast, NotTaken, Sending, Whereabouts, receipt,
    words::{self, Means},
};
use crate::{
    Block, Code, ReadError,
    rpc::{
        endpoint::{Endpoint, Heard},
        failover,
        line::Turn,
        trouble::{Fault, Trouble},
        value,
        wire::{Ask, ErrorObject},
        words::says_reverted,
    },
    text,
};

/// How much of an endpoint's own words is passed on, in characters.
const WORDS: usize = 200;
/// JSON-RPC 2.0 §5.1: something in the endpoint broke, before or after it took the transaction.
const INTERNAL_ERROR: i64 = -32603;

/// What one endpoint's answer means.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Taken,
    AlreadyKnown,
    NotTaken(NotTaken),
    /// It did not look at the transaction, for reasons that another endpoint may not have.
    NotHeard(Trouble),
    Unclear(Trouble),
}

/// Hands `raw` to one endpoint after the other until one has taken it, or may have, or says what every other would say, too. When all refuse it, the
/// first one's reason counts. One that says it has it already, and does not give it, counts as if it had been told nothing: more than these bytes
/// nobody can be handed.
pub(super) async fn everywhere(sending: &Sending<'_>, raw: &Bytes) -> Broadcast {
    let transaction = keccak256(raw);
    let (mut refused, mut doubtful, mut failures) = (None, None, Vec::new());
    for endpoint in failover::order(&sending.chain.endpoints, Instant::now()) {
        let verdict = match is_on_its_chain(endpoint).await {
            Ok(()) => handed(endpoint, transaction, raw).await,
            Err(trouble) => Verdict::NotHeard(trouble),
        };
        tracing::debug!(endpoint = %endpoint.id, %transaction, ?verdict, "a transaction was handed over");
        match verdict {
            Verdict::Taken => return Broadcast::Taken(endpoint.id.clone()),
            Verdict::AlreadyKnown => match has(sending, endpoint, transaction).await {
                Ok(()) => return Broadcast::AlreadyKnown(endpoint.id.clone()),
                Err(error) => {
                    doubtful.get_or_insert(error);
                }
            },
            Verdict::NotTaken(
                reason @ (NotTaken::NonceTooLow | NotTaken::ReplacementUnderpriced),
            ) => return unless_it_is_this_one(sending, transaction, reason).await,
            // Its pool is not the others' pool, and each has a least price, a highest limit and a head of its own.
            Verdict::NotTaken(
                reason @ (NotTaken::PoolFull
                | NotTaken::NonceGap
                | NotTaken::Underpriced
                | NotTaken::FeeBelowBase
                | NotTaken::GasLimitTooHigh
                | NotTaken::Refused(_)),
            ) => {
                refused.get_or_insert(reason);
            }
            Verdict::NotTaken(reason) => return Broadcast::NotTaken(reason),
            Verdict::NotHeard(trouble) => failures.push(trouble.at(&endpoint.id)),
            Verdict::Unclear(trouble) => return Broadcast::Unclear(trouble.at(&endpoint.id)),
        }
    }
    // It may have it all the same.
    if let Some(error) = doubtful {
        return Broadcast::Unclear(error);
    }
    Broadcast::NotTaken(
        refused
            .unwrap_or_else(|| NotTaken::Unsent(sending.chain.verdict(&failures, Block::Latest))),
    )
}

/// Hands `raw` to every endpoint, whatever the others say, and tells what each of them says.
pub(super) async fn to_each(sending: &Sending<'_>, raw: &Bytes) -> Vec<Broadcast> {
    let transaction = keccak256(raw);
    let handed = sending.chain.endpoints.iter().map(|endpoint| async move {
        let verdict = match is_on_its_chain(endpoint).await {
            Ok(()) => handed(endpoint, transaction, raw).await,
            Err(trouble) => Verdict::NotHeard(trouble),
        };
        match verdict {
            Verdict::Taken => Broadcast::Taken(endpoint.id.clone()),
            Verdict::AlreadyKnown => Broadcast::AlreadyKnown(endpoint.id.clone()),
            Verdict::NotTaken(reason) => Broadcast::NotTaken(reason),
            // It takes none of anybody.
            Verdict::NotHeard(Trouble::MethodMissing) => {
                Broadcast::NotTaken(NotTaken::Refused("it takes no transactions".to_owned()))
            }
            Verdict::NotHeard(trouble) => {
                Broadcast::NotTaken(NotTaken::Unsent(trouble.at(&endpoint.id)))
            }
            Verdict::Unclear(trouble) => Broadcast::Unclear(trouble.at(&endpoint.id)),
        }
    });
    join_all(handed).await
}

/// Hands `raw` to this endpoint, once.
async fn handed(endpoint: &Endpoint, transaction: B256, raw: &Bytes) -> Verdict {
    let ask = Ask {
        method: "eth_sendRawTransaction",
        params: json!([raw.to_string()]),
    };
    let heard = endpoint.tell(&ask).await;
    verdict(heard, transaction, |words| in_plain_words(endpoint, words))
}

/// That an endpoint has it, as it says, is believed when it gives it by its hash.
async fn has(
    sending: &Sending<'_>,
    endpoint: &Endpoint,
    transaction: B256,
) -> Result<(), ReadError> {
    match sending.in_time(receipt::ask(endpoint, transaction)).await {
        Ok(Whereabouts::Pending | Whereabouts::Included(_)) => Ok(()),
        Ok(Whereabouts::Unknown { .. } | Whereabouts::Disputed(_)) => Err(ReadError::new(
            Code::EndpointUnavailable,
            format!(
                "endpoint {} says that it has the transaction already, and does not give it by its hash",
                endpoint.id
            ),
        )),
        Err(trouble) => Err(trouble.at(&endpoint.id)),
    }
}

/// Asks anew, whatever is known: the connection may lead somewhere else since.
async fn is_on_its_chain(endpoint: &Endpoint) -> Result<(), Trouble> {
    let answers = endpoint
        .ask(&[Endpoint::which_chain()], Turn::First)
        .await?;
    let answer = answers.into_iter().next();
    endpoint.is_on_its_chain(answer.unwrap_or(Err(Trouble::Internal)))
}

/// That the nonce is in use may be because of this very transaction.
async fn unless_it_is_this_one(
    sending: &Sending<'_>,
    transaction: B256,
    reason: NotTaken,
) -> Broadcast {
    match sending.found(transaction).await {
        Ok((_, Some(endpoint))) => Broadcast::AlreadyKnown(endpoint.clone()),
        Ok((Whereabouts::Unknown { everywhere: true }, _)) => Broadcast::NotTaken(reason),
        // One that did not answer may have it.
        Ok(_) => Broadcast::Unclear(ReadError::new(
            Code::EndpointUnavailable,
            format!("{reason}; whether it is this one, not every endpoint says"),
        )),
        Err(error) => Broadcast::Unclear(error),
    }
}

/// What `heard` means for `transaction`; `plain` makes an endpoint's own words fit to be shown.
fn verdict(heard: Heard, transaction: B256, plain: impl Fn(&str) -> String) -> Verdict {
    let fault = match heard {
        Ok(answer) => {
            return match value::word_of(&answer) {
                Ok(hash) if hash == transaction => Verdict::Taken,
                Ok(_) => Verdict::Unclear(Trouble::Malformed(
                    "it answered with the hash of another transaction",
                )),
                Err(malformed) => Verdict::Unclear(malformed.into()),
            };
        }
        Err(fault) => fault,
    };
    let Fault {
        trouble,
        status,
        words,
    } = fault;
    match words.as_deref().and_then(|words| means(&trouble, words)) {
        Some(Means::AlreadyKnown) => return Verdict::AlreadyKnown,
        Some(Means::NotTaken(reason)) => return Verdict::NotTaken(reason),
        None => {}
    }
    // Whoever stands before the node gave up on it, or the node on the transaction: at some point.
    if status.is_none_or(|status| status >= 500) {
        return Verdict::Unclear(trouble);
    }
    match (trouble, words) {
        (
            trouble @ (Trouble::RateLimited { .. }
            | Trouble::Unauthorized
            | Trouble::MethodMissing
            | Trouble::StateUnavailable
            | Trouble::BatchRefused { .. }
            | Trouble::Busy),
            _,
        ) => Verdict::NotHeard(trouble),
        (trouble @ Trouble::TimedOut, _) => Verdict::Unclear(trouble),
        (_, Some(words)) if words.code != INTERNAL_ERROR => {
            Verdict::NotTaken(NotTaken::Refused(plain(&words.message)))
        }
        (trouble, _) => Verdict::Unclear(trouble),
    }
}

/// What the words of an error mean for the transaction. The reason of a revert is the contract's own text, and means nothing.
fn means(trouble: &Trouble, words: &ErrorObject) -> Option<Means> {
    let text = words.message.to_lowercase();
    if says_reverted(&text) {
        return None;
    }
    let poor = Means::NotTaken(NotTaken::InsufficientFunds);
    words::meaning(&text).or_else(|| (*trouble == Trouble::CannotPay).then_some(poor))
}

/// An endpoint's own words: one line, of what can be seen, without a URL or a key.
fn in_plain_words(endpoint: &Endpoint, words: &str) -> String {
    let words = endpoint.without_secrets(words);
    let words = words.split_whitespace().map(|word| {
        let is_url = word.contains("://");
        if is_url { "(a URL)" } else { word }
    });
    text::line(&words.collect::<Vec<_>>().join(" "), WORDS)
}
