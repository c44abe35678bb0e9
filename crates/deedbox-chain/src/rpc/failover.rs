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
            | Code::Timeout
            | Code::Busy
    )
}

/// How much a failure tells whoever asked, the most telling first: what to ask differently, then what to wait for,
/// then what an operator must look at. That a block is not there is believed only when every endpoint says so.
const TELLING: [Code; 8] = [
    Code::ArchiveUnavailable,
    Code::RangeTooLarge,
    Code::EndpointLagging,
    Code::RateLimited,
    Code::Busy,
    Code::Timeout,
    Code::EndpointUnavailable,
    Code::BlockNotFound,
];

/// One error for all `failures`, which are in the order in which the endpoints were asked; `highest` is the highest
/// block that any of them was ever seen to have.
pub(crate) fn verdict(failures: &[ReadError], block: Block, highest: Option<u64>) -> ReadError {
    let told = TELLING
        .into_iter()
        .find(|code| failures.iter().any(|failure| failure.code == *code));
    let all_lag = failures.iter().all(|f| f.code == Code::EndpointLagging);
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
        // One that may have it does not answer.
        assert_eq!(
            told(&[EndpointLagging, EndpointUnavailable], 99),
            EndpointLagging
        );
    }

    #[test]
    fn every_failure_is_in_the_message() {
        let failures = ["a", "b"].map(|m| ReadError::new(Code::Timeout, m));
        assert_eq!(verdict(&failures, Block::Latest, None).message, "a; b");
    }
}
