//! One answer against what it has to be.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolCall, SolValue};
use deedbox_chain::look::Said;
use deedbox_registry::abi::ToolRegistry as Tools;

/// What an answer has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Must {
    Account(Address),
    Number(U256),
    Yes(bool),
    Word(B256),
    /// Exactly these bytes, as the contract encodes them.
    Encoded(Bytes),
    Bytes(Bytes),
    Tool(Option<Address>, Option<(String, B256)>, Option<Address>),
    Refuse,
}

impl Must {
    /// # Errors
    /// What was found instead, in a few words.
    pub(super) fn compare(&self, said: Option<&Said>) -> Result<(), String> {
        let data = match said {
            Some(Said::Returned(data)) => data,
            Some(Said::Reverted(_)) if *self == Self::Refuse => return Ok(()),
            Some(Said::Reverted(_)) => return Err("the contract does not answer".to_owned()),
            Some(Said::TooLong(_)) => return Err("the answer is too long to compare".to_owned()),
            None => return Err("it was not read".to_owned()),
        };
        let unreadable = |_| "the answer cannot be read".to_owned();
        let differs = |same: bool, found: String| {
            if same {
                Ok(())
            } else {
                Err(format!("found {found}"))
            }
        };
        match self {
            Self::Refuse => Err("it is still there".to_owned()),
            Self::Account(wanted) => {
                let found = Address::abi_decode(data).map_err(unreadable)?;
                differs(found == *wanted, format!("{found} instead of {wanted}"))
            }
            Self::Number(wanted) => {
                let found = U256::abi_decode(data).map_err(unreadable)?;
                differs(found == *wanted, format!("{found} instead of {wanted}"))
            }
            Self::Yes(wanted) => {
                let found = bool::abi_decode(data).map_err(unreadable)?;
                differs(found == *wanted, format!("{found} instead of {wanted}"))
            }
            Self::Word(wanted) => {
                let found = B256::abi_decode(data).map_err(unreadable)?;
                differs(found == *wanted, format!("{found} instead of {wanted}"))
            }
            Self::Encoded(wanted) => differs(data == wanted, format!("{data} instead of {wanted}")),
            Self::Bytes(wanted) => {
                let found = Bytes::abi_decode(data).map_err(unreadable)?;
                let lengths = format!("other bytes ({} instead of {})", found.len(), wanted.len());
                differs(found == *wanted, lengths)
            }
            Self::Tool(creator, metadata, predicate) => {
                let found =
                    Tools::getToolConfigCall::abi_decode_returns(data).map_err(unreadable)?;
                if let Some(creator) = creator
                    && found.creator != *creator
                {
                    return Err(format!(
                        "found the creator {} instead of {creator}",
                        found.creator
                    ));
                }
                if let Some((uri, hash)) = metadata
                    && (found.metadataURI != *uri || found.manifestHash != *hash)
                {
                    return Err("found another metadata URI or manifest hash".to_owned());
                }
                predicate.map_or(Ok(()), |wanted| {
                    let same = found.accessPredicate == wanted;
                    differs(
                        same,
                        format!("{} instead of {wanted}", found.accessPredicate),
                    )
                })
            }
        }
    }
}
