//! From which block on a registry is followed, and what is missed of one that was there before.

use deedbox_chain::{Chains, Code, ReadError};
use deedbox_registry::{deployed_at, had_code};
use serde::Serialize;

use super::super::publishing::Contract;
use crate::{
    failure::Failure,
    render::{Output, line},
};

/// Where reading begins.
pub(super) struct Beginning {
    pub(super) from_block: u64,
    /// What whoever follows it from there should know first.
    pub(super) warning: Option<Warning>,
}

/// Something to know, which is no reason to refuse.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Warning {
    /// A name for programs that never changes.
    pub(super) code: &'static str,
    /// What it means, for people.
    pub(super) message: String,
}

impl Warning {
    /// For people.
    pub(super) fn text(&self, output: &Output) -> String {
        let text = line(&format!("Warning: {}.", self.message));
        output.paint.alert(&text)
    }
}

/// The block that somebody named, or else the one that made the contract, which has code at block `upto`.
///
/// # Errors
/// [`Failure::Unread`] where none was named and none can be found.
pub(super) async fn beginning(
    chains: &Chains,
    registry: Contract,
    named: Option<u64>,
    upto: u64,
) -> Result<Beginning, Failure> {
    let Contract { chain_id, address } = registry;
    let Some(from_block) = named else {
        let found = deployed_at(chains, chain_id, address, upto).await;
        let from_block = found.map_err(|mut error| {
            if error.code == Code::ArchiveUnavailable {
                error.message.push_str(
                    "; so it cannot be told in which block the registry was made. Use an endpoint that keeps old state (an archive node), or say the block with --from-block: block explorers show it as the block of the contract's creation, and a later one does where what was said before is not needed",
                );
            }
            Failure::Unread(error)
        })?;
        let warning = None;
        return Ok(Beginning {
            from_block,
            warning,
        });
    };
    // A block above the newest is refused by the rules, and nothing has to be known of it.
    let warning = match from_block.checked_sub(1).filter(|before| *before < upto) {
        Some(before) => missed(
            from_block,
            had_code(chains, chain_id, address, before).await,
        ),
        None => None,
    };
    Ok(Beginning {
        from_block,
        warning,
    })
}

/// What is missed of a registry that is read from a block on, by whether it had code in the block before.
fn missed(from_block: u64, before: Result<bool, ReadError>) -> Option<Warning> {
    let missing = "agents and tools from before will be missing here, and owners, metadata and approvals from before stay unknown, without a sign of it at those that are found";
    match before {
        Ok(false) => None,
        Ok(true) => Some(Warning {
            code: "begins_in_the_middle",
            message: format!(
                "the contract stood there before block {from_block} already, and what it said before is not read: {missing}. Leave --from-block out to begin where it was made"
            ),
        }),
        Err(error) => Some(Warning {
            code: "beginning_not_looked_at",
            message: format!(
                "it could not be looked at whether the contract stood there before block {from_block} ({}). If it did: {missing}",
                error.message
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_begins_in_the_middle_is_warned_and_whoever_cannot_look_is_told_that() {
        assert_eq!(missed(7, Ok(false)), None);
        let middle = missed(7, Ok(true)).unwrap();
        assert_eq!(middle.code, "begins_in_the_middle");
        assert!(middle.message.contains("before block 7"), "{middle:?}");
        let error = ReadError::new(Code::ArchiveUnavailable, "no old state");
        let unseen = missed(7, Err(error)).unwrap();
        assert_eq!(unseen.code, "beginning_not_looked_at");
        assert!(unseen.message.contains("(no old state)"), "{unseen:?}");
    }
}
