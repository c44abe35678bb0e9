//! What is asked, together with how the answer is read.

use std::fmt;

use alloy_primitives::Bytes;

use super::{
    endpoint::Answer,
    multicall::MAX_RETURNED,
    pinned::{HEAD, Said},
    trouble::Trouble,
    value,
    wire::Ask,
};

type Read<T> = Box<dyn Fn(Answer) -> Result<T, Trouble> + Send + Sync>;

/// One request, and what is made of its answer as soon as that is there. What a stranger's contract returned, some 2 MB, is
/// cut to what is used of it before the other answers come.
pub(super) struct Question<T> {
    pub(super) ask: Ask,
    read: Read<T>,
}

impl<T> fmt::Debug for Question<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("ask", &self.ask)
            .finish_non_exhaustive()
    }
}

impl<T: 'static> Question<T> {
    pub(super) fn new(
        ask: Ask,
        read: impl Fn(Answer) -> Result<T, Trouble> + Send + Sync + 'static,
    ) -> Self {
        Self {
            ask,
            read: Box::new(read),
        }
    }

    /// The same, read further.
    pub(super) fn map<U: 'static>(self, further: fn(T) -> U) -> Question<U> {
        let read = self.read;
        Question::new(self.ask, move |answer| read(answer).map(further))
    }
}

impl<T> Question<T> {
    pub(super) fn read(&self, answer: Answer) -> Result<T, Trouble> {
        (self.read)(answer)
    }
}

/// What a contract said to a call of its own.
pub(super) fn said(answer: Answer) -> Result<Said, Trouble> {
    match answer {
        Ok(answer) => {
            let bytes = value::bytes(&answer)?;
            Ok(if bytes.len() > MAX_RETURNED {
                Said::TooLong(Bytes::copy_from_slice(&bytes[..HEAD]))
            } else {
                Said::Returned(bytes)
            })
        }
        Err(Trouble::Reverted(reason)) => Ok(Said::Reverted(reason)),
        Err(Trouble::ExecutionFailed) => Ok(Said::Reverted(Bytes::new())),
        Err(trouble) => Err(trouble),
    }
}

/// As [`said`], of a contract that was asked for yes or no: the word that says so is kept, and nothing behind it.
pub(super) fn flag(answer: Answer) -> Result<Said, Trouble> {
    const WORD: usize = 32;
    Ok(match said(answer)? {
        Said::Returned(bytes) if bytes.len() > WORD => {
            Said::Returned(Bytes::copy_from_slice(&bytes[..WORD]))
        }
        Said::Reverted(_) => Said::Reverted(Bytes::new()),
        said => said,
    })
}
