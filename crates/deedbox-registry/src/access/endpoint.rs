//! Binding an account to one request at a tool's endpoint. The `AccessProof` of ERC-8257 is for a predicate: it names no registry and no
//! endpoint, and whoever sees it can show it again until its deadline. The standard allows an endpoint an equivalent of its own, with the
//! same separation of domains (*Concrete AccessProof Pattern*); this is one, in EIP-712, too.

use std::fmt;

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{Eip712Domain, SolStruct as _, eip712_domain};
use data_encoding::BASE64URL_NOPAD;
use deedbox_id::{EvmChain, ToolReference};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The scheme of `Authorization` and `WWW-Authenticate` (RFC 9110 §11.1) under which a [`Credential`] is shown.
pub const SCHEME: &str = "DeedboxAccess";

/// The name of the EIP-712 domain.
const DOMAIN: &str = "Deedbox-EndpointProof";

/// The most characters of a credential in a header, the scheme left out.
pub const MOST_CHARACTERS: usize = 16 * 1024;

mod typed {
    alloy_sol_types::sol! {
        /// What an account signs for one request.
        struct EndpointProof {
            uint256 toolId;
            address account;
            string audience;
            uint64 issuedAt;
            uint64 deadline;
            bytes32 nonce;
        }
    }
}

/// Says that the account makes one request: to one tool of one registry, at one audience, between two seconds, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointProof {
    /// The registry's chain.
    pub chain_id: u64,
    /// The registry: the domain's verifying contract, because a tool's id means something within its registry only (reading P-02).
    pub registry: Address,
    /// The tool.
    pub tool_id: U256,
    /// The account that signs.
    pub account: Address,
    /// Whom it is shown to: the origin of the tool's endpoint, like `https://tool.example`. Somebody else who is shown it can do nothing
    /// with it there.
    pub audience: String,
    /// The second, since 1970, in which it was signed.
    pub issued_at: u64,
    /// The last second, since 1970, in which it counts.
    pub deadline: u64,
    /// 32 random bytes: no two proofs are the same.
    pub nonce: B256,
}

impl EndpointProof {
    /// The tool; none where there can be no such chain (zero).
    #[must_use]
    pub fn tool(&self) -> Option<ToolReference> {
        let chain = EvmChain::try_from(self.chain_id).ok()?;
        let registry = deedbox_id::Address(self.registry.0.0);
        ToolReference::new(chain, registry, self.tool_id).ok()
    }

    fn domain(&self) -> Eip712Domain {
        eip712_domain! {
            name: DOMAIN,
            version: "1",
            chain_id: self.chain_id,
            verifying_contract: self.registry,
        }
    }

    /// What the account signs: the EIP-712 digest. It is also the proof's name, by which a second use is recognised.
    #[must_use]
    pub fn digest(&self) -> B256 {
        let message = typed::EndpointProof {
            toolId: self.tool_id,
            account: self.account,
            audience: self.audience.clone(),
            issuedAt: self.issued_at,
            deadline: self.deadline,
            nonce: self.nonce,
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
                "EndpointProof": [
                    field("toolId", "uint256"),
                    field("account", "address"),
                    field("audience", "string"),
                    field("issuedAt", "uint64"),
                    field("deadline", "uint64"),
                    field("nonce", "bytes32"),
                ],
            },
            "primaryType": "EndpointProof",
            "domain": {
                "name": DOMAIN,
                "version": "1",
                "chainId": self.chain_id.to_string(),
                "verifyingContract": self.registry,
            },
            "message": {
                "toolId": self.tool_id.to_string(),
                "account": self.account,
                "audience": self.audience,
                "issuedAt": self.issued_at.to_string(),
                "deadline": self.deadline.to_string(),
                "nonce": self.nonce,
            },
        })
    }
}

/// A proof with its signature, and what the predicate takes: what a caller shows. It prints without what could be shown again.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    /// What was signed.
    pub proof: EndpointProof,
    /// By a key: 65 bytes, `r`, `s` (the lower of the two) and `v` (27 or 28). By a contract: what it takes (ERC-1271).
    pub signature: Bytes,
    /// `data` for `hasAccess`: an access proof for the predicate, a Merkle proof, a token's number. Empty where it takes none.
    pub data: Bytes,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("proof", &self.proof)
            .finish_non_exhaustive()
    }
}

/// Why a text is no [`Credential`]. It does not repeat the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotACredential {
    /// It is longer than [`MOST_CHARACTERS`].
    #[error("has more than {MOST_CHARACTERS} characters")]
    TooLong,
    /// It is no base64url without padding (RFC 4648 §5).
    #[error("is no base64url without padding")]
    NotBase64Url,
    /// It does not have exactly the members that it should have, each in its form.
    #[error(
        "must be a JSON object of tool, account, audience, issued_at, deadline, nonce, signature and, where the predicate takes any, data"
    )]
    WrongForm,
}

/// The JSON inside.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    tool: String,
    account: Address,
    audience: String,
    issued_at: u64,
    deadline: u64,
    nonce: B256,
    signature: Bytes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Bytes>,
}

impl Credential {
    /// The value of `Authorization`: the scheme, and a JSON object in base64url.
    #[must_use]
    pub fn authorization(&self) -> String {
        let EndpointProof {
            account,
            audience,
            issued_at,
            deadline,
            nonce,
            ..
        } = self.proof.clone();
        let tool = self.proof.tool();
        let written = Written {
            tool: tool.map(|tool| tool.to_string()).unwrap_or_default(),
            account,
            audience,
            issued_at,
            deadline,
            nonce,
            signature: self.signature.clone(),
            data: (!self.data.is_empty()).then(|| self.data.clone()),
        };
        // Infallible: texts and numbers in a struct.
        let json = serde_json::to_vec(&written).unwrap_or_default();
        format!("{SCHEME} {}", BASE64URL_NOPAD.encode(&json))
    }

    /// Reads what stands behind the scheme.
    ///
    /// # Errors
    /// [`NotACredential`]. Whether the signature is right is another question.
    pub fn read(token: &str) -> Result<Self, NotACredential> {
        if token.len() > MOST_CHARACTERS {
            return Err(NotACredential::TooLong);
        }
        let json = BASE64URL_NOPAD.decode(token.as_bytes());
        let json = json.map_err(|_| NotACredential::NotBase64Url)?;
        let written: Written =
            serde_json::from_slice(&json).map_err(|_| NotACredential::WrongForm)?;
        let wrong = NotACredential::WrongForm;
        let tool: ToolReference = written.tool.parse().map_err(|_| wrong.clone())?;
        Ok(Self {
            proof: EndpointProof {
                chain_id: tool.chain().to_u64().ok_or(wrong)?,
                registry: Address::from(tool.registry().0),
                tool_id: tool.tool_id(),
                account: written.account,
                audience: written.audience,
                issued_at: written.issued_at,
                deadline: written.deadline,
                nonce: written.nonce,
            },
            signature: written.signature,
            data: written.data.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::keccak256;

    use super::*;

    fn proof() -> EndpointProof {
        EndpointProof {
            chain_id: 8453,
            registry: Address::repeat_byte(0xbb),
            tool_id: U256::from(7),
            account: Address::repeat_byte(0xaa),
            audience: "https://tool.example".to_owned(),
            issued_at: 1_799_999_700,
            deadline: 1_800_000_000,
            nonce: B256::repeat_byte(0xcc),
        }
    }

    /// Word by word, as EIP-712 says.
    #[test]
    fn the_digest_hashes_every_field_in_the_domain_of_the_registry() {
        let word = |number: u64| U256::from(number).to_be_bytes_vec();
        let account = |byte| [vec![0; 12], vec![byte; 20]].concat();
        let domain = keccak256(
            [
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)").to_vec(),
                keccak256("Deedbox-EndpointProof").to_vec(),
                keccak256("1").to_vec(),
                word(8453),
                account(0xbb),
            ]
            .concat(),
        );
        let kind = "EndpointProof(uint256 toolId,address account,string audience,uint64 issuedAt,uint64 deadline,bytes32 nonce)";
        let message = keccak256(
            [
                keccak256(kind).to_vec(),
                word(7),
                account(0xaa),
                keccak256("https://tool.example").to_vec(),
                word(1_799_999_700),
                word(1_800_000_000),
                vec![0xcc; 32],
            ]
            .concat(),
        );
        let digest = keccak256([&[0x19, 0x01][..], &domain[..], &message[..]].concat());
        assert_eq!(proof().digest(), digest);

        let changes: [fn(&mut EndpointProof); 8] = [
            |proof| proof.chain_id = 1,
            |proof| proof.registry = Address::ZERO,
            |proof| proof.tool_id = U256::from(8),
            |proof| proof.account = Address::ZERO,
            |proof| proof.audience.push('/'),
            |proof| proof.issued_at += 1,
            |proof| proof.deadline += 1,
            |proof| proof.nonce = B256::ZERO,
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut other = proof();
            change(&mut other);
            assert_ne!(other.digest(), digest, "{index}");
        }
    }

    fn credential() -> Credential {
        Credential {
            proof: proof(),
            signature: vec![0x5e; 65].into(),
            data: vec![0xda; 3].into(),
        }
    }

    fn token(of: &Credential) -> String {
        of.authorization().split_once(' ').unwrap().1.to_owned()
    }

    #[test]
    fn a_credential_is_read_back_from_its_header() {
        let written = credential();
        assert!(written.authorization().starts_with("DeedboxAccess "));
        assert_eq!(Credential::read(&token(&written)), Ok(written.clone()));
        let bare = Credential {
            data: Bytes::new(),
            ..written
        };
        assert_eq!(Credential::read(&token(&bare)), Ok(bare));
    }

    #[test]
    fn what_is_no_credential_is_refused_and_not_repeated() {
        let json = |text: &str| Credential::read(&BASE64URL_NOPAD.encode(text.as_bytes()));
        let good = BASE64URL_NOPAD.decode(token(&credential()).as_bytes());
        let good = String::from_utf8(good.unwrap()).unwrap();
        assert!(json(&good).is_ok());
        for bad in [
            good.replace("\"nonce\"", "\"once\""),
            good.replace("\"data\"", "\"more\""),
            good.replace("/erc8257:", "/erc8122:"),
            good.replace("1800000000", "-1"),
            "[]".to_owned(),
        ] {
            assert_eq!(json(&bad), Err(NotACredential::WrongForm), "{bad}");
        }
        assert_eq!(Credential::read("a+b/"), Err(NotACredential::NotBase64Url));
        let long = "A".repeat(MOST_CHARACTERS + 1);
        assert_eq!(Credential::read(&long), Err(NotACredential::TooLong));
    }

    #[test]
    fn what_could_be_shown_again_is_not_printed() {
        let printed = format!("{:?}", credential());
        assert!(
            !printed.contains("5e5e") && !printed.contains("dada"),
            "{printed}"
        );
        assert!(printed.contains("https://tool.example"));
    }
}
