//! Binding an account to whoever asks: the `AccessProof` of ERC-8257 (*Concrete AccessProof Pattern*), EIP-712.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{Eip712Domain, SolStruct as _, SolValue as _, eip712_domain};
use serde_json::{Value, json};

mod typed {
    alloy_sol_types::sol! {
        /// Named as the standard names it: the name is part of what is hashed.
        struct AccessProof { uint256 toolId; address account; uint64 deadline; }
    }
}

/// Says that the account is whoever shows it: for one tool, to one predicate on one chain, until a deadline. Whoever sees it can show it
/// again until then; so a deadline is minutes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessProof {
    /// The predicate's chain.
    pub chain_id: u64,
    /// The predicate that verifies it: in a composite, the term and not the composite.
    pub predicate: Address,
    /// The tool.
    pub tool_id: U256,
    /// The account that signs.
    pub account: Address,
    /// The last second, since 1970, in which it counts.
    pub deadline: u64,
}

impl AccessProof {
    fn domain(&self) -> Eip712Domain {
        eip712_domain! {
            name: "ERC8257-AccessProof",
            version: "1",
            chain_id: self.chain_id,
            verifying_contract: self.predicate,
        }
    }

    /// What the account signs: the EIP-712 digest.
    #[must_use]
    pub fn digest(&self) -> B256 {
        let message = typed::AccessProof {
            toolId: self.tool_id,
            account: self.account,
            deadline: self.deadline,
        };
        message.eip712_signing_hash(&self.domain())
    }

    /// The same for a wallet: the parameter of `eth_signTypedData_v4`.
    #[must_use]
    pub fn typed_data(&self) -> Value {
        let field = |name: &str, kind: &str| json!({"name": name, "type": kind});
        json!({
            "types": {
                "EIP712Domain": [
                    field("name", "string"),
                    field("version", "string"),
                    field("chainId", "uint256"),
                    field("verifyingContract", "address"),
                ],
                "AccessProof": [
                    field("toolId", "uint256"),
                    field("account", "address"),
                    field("deadline", "uint64"),
                ],
            },
            "primaryType": "AccessProof",
            "domain": {
                "name": "ERC8257-AccessProof",
                "version": "1",
                "chainId": self.chain_id.to_string(),
                "verifyingContract": self.predicate,
            },
            "message": {
                "toolId": self.tool_id.to_string(),
                "account": self.account,
                "deadline": self.deadline.to_string(),
            },
        })
    }

    /// The `data` for `hasAccess`: `abi.encode(deadline, signature)`. A signature of a key has 65 bytes, `r`, `s` (the lower of the two)
    /// and `v` (27 or 28); one of a contract has what that contract takes (ERC-1271).
    #[must_use]
    pub fn data(&self, signature: &[u8]) -> Bytes {
        (self.deadline, Bytes::copy_from_slice(signature))
            .abi_encode_params()
            .into()
    }
}

/// What is in `data` of this form: the deadline and the signature. None for any other bytes, also for the same in an encoding that
/// Solidity would not make.
#[must_use]
pub fn read(data: &[u8]) -> Option<(u64, Bytes)> {
    let (deadline, signature) = <(u64, Bytes)>::abi_decode_params(data).ok()?;
    let same = (deadline, signature.clone()).abi_encode_params();
    (same == data).then_some((deadline, signature))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{b256, hex, keccak256};

    use super::*;

    fn proof() -> AccessProof {
        AccessProof {
            chain_id: 8453,
            predicate: Address::repeat_byte(0xbb),
            tool_id: U256::from(7),
            account: Address::repeat_byte(0xaa),
            deadline: 1_800_000_000,
        }
    }

    #[test]
    fn the_type_hash_is_the_pinned_one() {
        let message = typed::AccessProof {
            toolId: U256::ZERO,
            account: Address::ZERO,
            deadline: 0,
        };
        let pinned = b256!("e8f08e8f7306d04c98c930c7b6c46de720239a6eb1d975d517f79832d0120a03");
        assert_eq!(message.eip712_type_hash(), pinned);
    }

    /// Word by word, as EIP-712 and reading P-01 say.
    #[test]
    fn the_digest_hashes_four_words_in_the_domain_of_the_predicate() {
        let proof = proof();
        let word = |number: u64| U256::from(number).to_be_bytes_vec();
        let account = |byte| [vec![0; 12], vec![byte; 20]].concat();
        let domain = keccak256(
            [
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)").to_vec(),
                keccak256("ERC8257-AccessProof").to_vec(),
                keccak256("1").to_vec(),
                word(8453),
                account(0xbb),
            ]
            .concat(),
        );
        let message = keccak256(
            [
                hex!("e8f08e8f7306d04c98c930c7b6c46de720239a6eb1d975d517f79832d0120a03").to_vec(),
                word(7),
                account(0xaa),
                word(1_800_000_000),
            ]
            .concat(),
        );
        let digest = keccak256([&[0x19, 0x01][..], &domain[..], &message[..]].concat());
        assert_eq!(proof.digest(), digest);
        for other in [
            AccessProof {
                chain_id: 1,
                ..proof
            },
            AccessProof {
                predicate: Address::ZERO,
                ..proof
            },
            AccessProof {
                tool_id: U256::from(8),
                ..proof
            },
            AccessProof {
                account: Address::ZERO,
                ..proof
            },
            AccessProof {
                deadline: 1,
                ..proof
            },
        ] {
            assert_ne!(other.digest(), digest, "{other:?}");
        }
    }

    #[test]
    fn data_is_read_back_in_its_one_encoding_only() {
        let data = proof().data(&[5; 65]);
        assert_eq!(data.len(), 5 * 32 + 32);
        assert_eq!(read(&data), Some((1_800_000_000, vec![5; 65].into())));
        let mut dirty = data.to_vec();
        dirty[data.len() - 1] = 1;
        for bad in [&dirty, &data[1..], &data[..32], &[]] {
            assert_eq!(read(bad), None);
        }
    }
}
