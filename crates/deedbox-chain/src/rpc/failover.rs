//! Several endpoints of one chain: in which order they are asked, and which failure is told when all failed.

use tokio::time::Instant;

use super::endpoint::Endpoint;
use crate::{Block, Code, ReadError};

/// The endpoints in the order in which they are to be asked: as configured, those that failed lately last.
pub(crate) fn order(endpoints: &[Endpoint], now: Instant) -> Vec<&Endpoint> {
    let (mut first, last): (Vec<_>, Vec<_>) = endpoints
        .iter()
        .partition(|endpoint| endpoint.condition().takes_its_turn(now));
    first.extend(last);
    first
}

/// Whether another endpoint may know better. What a contract said, and what the chain did, every endpoint would say.
pub(crate) const fn is_the_endpoints(code: Code) -> bool {
    matches!(
        code,
        Code::BlockNotFound
            | Code::ArchiveUnavailable
            | Code::RangeTooLarge
            | Code::RateLimited
            | Code::EndpointLagging
            | Code::EndpointUnavailable
            | Code::WrongChain
            | Code::Timeout
            | Code::Busy
    )
}

/// What became of an endpoint that had found the block and then failed with `error`. That the block is not there any more
/// is a reorg, whether the endpoint has another one instead or none yet.
pub(crate) fn once_found(error: ReadError) -> ReadError {
    match error.code {
        Code::BlockNotFound => ReadError::new(Code::Reorged, error.message),
        _ => error,
    }
}

/// How much a failure tells whoever asked, the most telling first. What may pass comes before what does not: an endpoint that
/// keeps no archive says nothing about the one that was asked too often. That a block is not there is believed only
/// when every endpoint of the chain says so, and one of another chain has no say.
const TELLING: [Code; 10] = [
    Code::Reorged,
    Code::EndpointLagging,
    Code::RateLimited,
    Code::Busy,
    Code::Timeout,
    Code::EndpointUnavailable,
    Code::ArchiveUnavailable,
    Code::RangeTooLarge,
    Code::BlockNotFound,
    Code::WrongChain,
];

/// One error for all `failures`, which are in the order in which the endpoints were asked; `highest` is the highest
/// block that any of them was ever seen to have.
pub(crate) fn verdict(failures: &[ReadError], block: Block, highest: Option<u64>) -> ReadError {
    let told = TELLING
        .into_iter()
        .find(|code| failures.iter().any(|failure| failure.code == *code));
    let all_lag = failures
        .iter()
        .all(|f| matches!(f.code, Code::EndpointLagging | Code::WrongChain));
    let above_all = matches!(block, Block::Number(n) if highest.is_none_or(|highest| highest < n));
    let code = match told {
        // Nobody has it, so the chain does not have it yet.
        Some(Code::EndpointLagging) if all_lag && above_all => Code::BlockNotFound,
        Some(code) => code,
        None => Code::EndpointUnavailable,
    };
    let messages: Vec<_> = failures.iter().map(|f| f.message.as_str()).collect();
    ReadError::new(code, messages.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(codes: &[Code], highest: u64) -> Code {
        let failures: Vec<_> = codes
            .iter()
            .map(|code| ReadError::new(*code, "x"))
            .collect();
        verdict(&failures, Block::Number(100), Some(highest)).code
    }

    #[test]
    fn the_most_telling_failure_is_told_whatever_the_order() {
        for (one, other) in TELLING.iter().zip(&TELLING[1..]) {
            assert_eq!(told(&[*one, *other], 100), *one);
            assert_eq!(told(&[*other, *one], 100), *one);
        }
    }

    #[test]
    fn a_height_above_every_head_is_no_block_and_below_one_of_them_a_lag() {
        use Code::{BlockNotFound, EndpointLagging, EndpointUnavailable};
        assert_eq!(told(&[EndpointLagging], 99), BlockNotFound);
        assert_eq!(told(&[EndpointLagging, EndpointLagging], 99), BlockNotFound);
        // One that had it does not say so today.
        assert_eq!(
            told(&[EndpointLagging, EndpointLagging], 100),
            EndpointLagging
        );
        assert_eq!(
            told(&[EndpointLagging, Code::WrongChain], 99),
            BlockNotFound
        );
        // One that may have it does not answer.
        assert_eq!(
            told(&[EndpointLagging, EndpointUnavailable], 99),
            EndpointLagging
        );
    }

    #[test]
    fn what_no_retry_helps_is_told_only_when_nothing_else_may_pass() {
        for lasting in [
            Code::ArchiveUnavailable,
            Code::RangeTooLarge,
            Code::WrongChain,
        ] {
            assert_eq!(told(&[lasting, lasting], 100), lasting);
            for passing in TELLING.into_iter().filter(|code| code.retryable()) {
                let code = told(&[lasting, passing], 100);
                let nowhere = passing == Code::BlockNotFound && lasting != Code::WrongChain;
                assert_eq!(code, if nowhere { lasting } else { passing });
            }
        }
    }

    #[test]
    fn a_block_that_was_there_and_is_not_any_more_is_a_reorg() {
        for (code, then) in [
            (Code::BlockNotFound, Code::Reorged),
            (Code::Timeout, Code::Timeout),
        ] {
            let error = once_found(ReadError::new(code, "x"));
            assert_eq!(error, ReadError::new(then, "x"));
        }
    }

    #[test]
    fn every_failure_is_in_the_message() {
        let failures = ["a", "b"].map(|m| ReadError::new(Code::Timeout, m));
        assert_eq!(verdict(&failures, Block::Latest, None).message, "a; b");
    }
}
