//! Why a contract refused, by the name that its standard gives it.

use std::fmt;

use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use deedbox_chain::UntrustedText;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    artifact::{Artifact, Input, Item},
    words::{bytes, word},
};

/// How much of data that cannot be read is shown, in bytes.
const MOST_SHOWN: usize = 68;
/// The most characters of an argument: a text of 256, each escaped.
const MOST_CHARACTERS: usize = 4096;

/// What a contract answered instead of doing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Revert {
    /// An error that is declared in one of our contracts, or in one that many use.
    Custom {
        /// Its name.
        name: String,
        /// Its arguments with their names, in order; an address with its checksum, a number in decimal, a text in quotes. Whoever made
        /// the contract chooses them.
        arguments: Vec<(String, UntrustedText)>,
        /// What it means, in a sentence, where that is known.
        meaning: Option<&'static str>,
    },
    /// `Error(string)`: a text that the contract's author wrote.
    Message {
        /// The text. A stranger's.
        text: UntrustedText,
    },
    /// `Panic(uint256)`: a fault inside the contract, by Solidity's number.
    Panic {
        /// The number.
        #[schemars(with = "String")]
        code: U256,
        /// What it stands for.
        meaning: &'static str,
    },
    /// Nothing: the contract has no such function, ran out of gas, or does not say.
    Empty,
    /// Something that is not known here.
    Unknown {
        /// The first 68 bytes.
        #[schemars(with = "String")]
        data: Bytes,
    },
}

/// Errors that contracts of others use, of OpenZeppelin and of registries after ERC-8122's older draft.
const OTHERS: [&str; 10] = [
    "AccessControlUnauthorizedAccount(address account,bytes32 neededRole)",
    "AgentNotFound()",
    "ArrayLengthMismatch()",
    "ERC6909InsufficientAllowance(address spender,uint256 allowance,uint256 needed,uint256 id)",
    "ERC6909InsufficientBalance(address sender,uint256 balance,uint256 needed,uint256 id)",
    "ERC6909InvalidReceiver(address receiver)",
    "InvalidAmount()",
    "InvalidInitialization()",
    "OwnableUnauthorizedAccount(address account)",
    "ReentrancyGuardReentrantCall()",
];

impl Revert {
    /// Reads what a call that reverted returned. Never fails: what cannot be read is [`Revert::Unknown`].
    #[must_use]
    pub fn name(data: &[u8]) -> Self {
        let Some((selector, arguments)) = data.split_first_chunk::<4>() else {
            return match data {
                [] => Self::Empty,
                data => Self::unknown(data),
            };
        };
        let read = match selector {
            [0x08, 0xc3, 0x79, 0xa0] => bytes(arguments, 0).map(|text| Self::Message {
                text: UntrustedText::read(text, false),
            }),
            [0x4e, 0x48, 0x7b, 0x71] => word(arguments, 0).map(|code| {
                let code = U256::from_be_bytes(*code);
                let meaning = panic_meaning(code);
                Self::Panic { code, meaning }
            }),
            _ => custom(*selector, arguments),
        };
        read.unwrap_or_else(|| Self::unknown(data))
    }

    fn unknown(data: &[u8]) -> Self {
        let data = Bytes::copy_from_slice(&data[..data.len().min(MOST_SHOWN)]);
        Self::Unknown { data }
    }

    /// The name of a custom error.
    #[must_use]
    pub fn custom_name(&self) -> Option<&str> {
        match self {
            Self::Custom { name, .. } => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Revert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Custom {
                name,
                arguments,
                meaning,
            } => {
                let arguments = arguments.iter();
                let arguments: Vec<_> = arguments
                    .map(|(name, value)| format!("{name}: {}", value.text))
                    .collect();
                write!(f, "{name}({})", arguments.join(", "))?;
                meaning.map_or(Ok(()), |meaning| write!(f, ", which means: {meaning}"))
            }
            Self::Message { text } => write!(f, "the contract says {:?}", text.text),
            Self::Panic { code, meaning } => {
                write!(f, "a fault inside the contract (panic {code:#x}: {meaning})")
            }
            Self::Empty => f.write_str(
                "the contract gives no reason (it may have no such function, or have run out of gas)",
            ),
            Self::Unknown { data } => write!(f, "an error that is not known here: {data}"),
        }
    }
}

/// The numbers that Solidity documents.
fn panic_meaning(code: U256) -> &'static str {
    match u8::try_from(code).unwrap_or(0xff) {
        0x00 => "put there by the compiler",
        0x01 => "an assertion failed",
        0x11 => "a number over- or underflowed",
        0x12 => "a division by zero",
        0x21 => "a value is no member of its enum",
        0x22 => "a byte array in storage is not encoded as it should be",
        0x31 => "an empty array was popped",
        0x32 => "an index is out of bounds",
        0x41 => "too much memory was wanted",
        0x51 => "a function was called that was never set",
        _ => "not documented",
    }
}

/// What the errors of both standards and of our contracts mean, and what to do.
fn meaning(name: &str) -> Option<&'static str> {
    Some(match name {
        "ToolNotFound" => "no tool was ever registered under this id in this registry",
        "NotToolCreator" => "only the account that registered the tool may do this",
        "InvalidMetadataURI" => {
            "the metadata URI is empty, too long, or not one that this registry takes"
        }
        "InvalidManifestHash" => "the manifest hash is zero",
        "InvalidAccessPredicate" => {
            "the predicate says that it implements ERC-165 and then does not confirm IAccessPredicate"
        }
        "ToolIsDeregistered" => "the tool was removed for ever by its creator",
        "InsufficientGas" => {
            "more gas has to be sent along, so that the predicate can be asked properly"
        }
        "AgentNotFound" => "there is no agent with this id in this registry",
        "InvalidAmount" => "an agent has one owner, so the amount of a transfer is exactly 1",
        "InvalidOwner" => "an agent cannot belong to this address",
        "InsufficientBalance" | "ERC6909InsufficientBalance" => {
            "this account does not own the agent"
        }
        "InsufficientPermission" | "ERC6909InsufficientAllowance" => {
            "the account is neither the owner nor an operator, and has no allowance for the agent"
        }
        "InvalidAgentAccount" => "agent_account must be exactly 20 bytes, or empty",
        "BatchLengthMismatch" | "ArrayLengthMismatch" => {
            "there must be as many lists of metadata as owners"
        }
        "ValueTooLong" => "the value is longer than the registry can keep",
        "NotRegistrar" => "only the registry's registrar may do this",
        "NotNominated" => "only the account that the registrar nominated may accept",
        "MissingRegistrar" => "a registry where somebody admits agents needs a registrar",
        "MissingSupply" => "a registry that may hold no agents would never hold any",
        "SupplyExhausted" => "the registry has as many agents as it ever will",
        "NotAContract" => "there is no code at the address that was given",
        "NotAToolRegistry" => "the address that was given is no tool registry (ERC-8257)",
        "InvalidTermCount" => "a composite has at least one term, and not more than it can ask",
        "NegatedTermReadsData" => {
            "a predicate that answers from data that the caller sends cannot be negated: leaving the data out would grant access"
        }
        "TermServesOneCaller" => {
            "the term answers one caller only: that must be this composite, and this composite must have a caller of its own"
        }
        "TermIsBroken" => "a term of the composite does not answer, so it can only deny",
        "InvalidData" => "the data must hold one element for each term of the composite",
        "TooManyRequirements" => "the composite has more requirements than consumers read (256)",
        "NotTheCaller" => "this predicate answers one caller only, which is not this one",
        "OwnerUnknown" => "asking who owns this used up its gas and brought no answer",
        "NothingRequired" => "a predicate that requires nothing would let everybody in",
        "AccessControlUnauthorizedAccount" | "OwnableUnauthorizedAccount" => {
            "the account does not have the role that this takes"
        }
        _ => return None,
    })
}

fn custom(selector: [u8; 4], arguments: &[u8]) -> Option<Revert> {
    let of_artifacts = Artifact::all().iter().flat_map(|artifact| &artifact.abi);
    let ours = of_artifacts
        .filter(|item| item.kind == "error")
        .find(|item| self::selector(item) == selector);
    let item = ours.cloned().or_else(|| {
        OTHERS
            .iter()
            .map(|text| declared(text))
            .find(|item| self::selector(item) == selector)
    })?;
    let values = item.inputs.iter().enumerate().map(|(index, input)| {
        let value = value(&input.kind, arguments, index)?;
        let value = UntrustedText::read_long(value.as_bytes(), MOST_CHARACTERS);
        Some((input.name.clone(), value))
    });
    Some(Revert::Custom {
        arguments: values.collect::<Option<_>>()?,
        meaning: meaning(&item.name),
        name: item.name,
    })
}

/// An error from its declaration, `Name(type name,…)`.
fn declared(text: &str) -> Item {
    let (name, inputs) = text.split_once('(').unwrap_or((text, ")"));
    let inputs = inputs.trim_end_matches(')').split(',');
    let input = |input: &str| {
        let (kind, name) = input.split_once(' ')?;
        Some(Input {
            name: name.to_owned(),
            kind: kind.to_owned(),
        })
    };
    Item {
        kind: "error".to_owned(),
        name: name.to_owned(),
        inputs: inputs.filter_map(input).collect(),
    }
}

fn selector(item: &Item) -> [u8; 4] {
    let kinds: Vec<_> = item
        .inputs
        .iter()
        .map(|input| input.kind.as_str())
        .collect();
    let hash = keccak256(format!("{}({})", item.name, kinds.join(",")));
    [hash[0], hash[1], hash[2], hash[3]]
}

/// One argument for people; none when the data is not what the declaration says.
fn value(kind: &str, data: &[u8], index: usize) -> Option<String> {
    let word = word(data, index)?;
    Some(match kind {
        "address" if word[..12] == [0; 12] => Address::from_slice(&word[12..]).to_string(),
        "bool" if word[..31] == [0; 31] && word[31] < 2 => (word[31] == 1).to_string(),
        "bytes32" => B256::from(*word).to_string(),
        "bytes4" => format!("0x{}", hex::encode(&word[..4])),
        "string" => format!("{:?}", UntrustedText::read(bytes(data, index)?, false).text),
        "bytes" => {
            let bytes = bytes(data, index)?;
            let shown = Bytes::copy_from_slice(&bytes[..bytes.len().min(MOST_SHOWN)]);
            format!("{shown} ({} bytes)", bytes.len())
        }
        kind if kind.starts_with("uint") => U256::from_be_bytes(*word).to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
