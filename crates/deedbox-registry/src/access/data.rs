//! What `data` for a predicate looks like: everybody on the way to the chain can read it (ERC-8257, *Sensitive Data in the `data`
//! Parameter*).

use alloy_primitives::U256;
use schemars::JsonSchema;
use serde::Serialize;

use super::proof;

/// What is suspicious about `data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Suspicion {
    /// It may be a private key: 32 bytes that are a key and no number or address, or as many in hex.
    PrivateKey,
    /// It may be a token, a password or a cookie: text with the words or the form of one.
    Token,
    /// A signature by itself: nothing says how long it counts, and whoever sees it can show it again.
    BareSignature,
    /// An access proof, which whoever sees it can show again until its deadline: more than an hour from now.
    LongLivedProof,
}

impl Suspicion {
    /// Whether such bytes would be a secret, which must not be sent at all. The others are signatures, which may be seen.
    #[must_use]
    pub const fn is_secret(self) -> bool {
        matches!(self, Self::PrivateKey | Self::Token)
    }
}

/// How far from now a proof's deadline may be before somebody is told, in seconds.
const LONG: u64 = 60 * 60;
/// What a signature has, in bytes.
const SIGNATURE: usize = 65;

/// What is suspicious about these bytes. A Merkle proof, a token's number and an access proof that ends soon are not. `now` is in seconds
/// since 1970; none where that is not known.
#[must_use]
pub fn suspicion(data: &[u8], now: Option<u64>) -> Option<Suspicion> {
    if is_key(data) {
        return Some(Suspicion::PrivateKey);
    }
    if data.len() == SIGNATURE && matches!(data.last(), Some(0 | 1 | 27 | 28)) {
        return Some(Suspicion::BareSignature);
    }
    // A token in the place of a signature is one all the same.
    of_text(data).or_else(|| {
        let (deadline, _) = proof::read(data)?;
        let long = deadline > now?.saturating_add(LONG);
        long.then_some(Suspicion::LongLivedProof)
    })
}

/// Texts are also looked for inside what Solidity encodes.
fn of_text(data: &[u8]) -> Option<Suspicion> {
    let runs = data.split(|byte| !(byte.is_ascii_graphic() || *byte == b' '));
    runs.filter(|run| run.len() >= 12)
        .filter_map(|run| std::str::from_utf8(run).ok())
        .find_map(|run| {
            if is_key_in_hex(run) {
                Some(Suspicion::PrivateKey)
            } else {
                is_token(run).then_some(Suspicion::Token)
            }
        })
}

/// Whether 32 bytes may be a key of secp256k1. A number, an address and a short text in a word have zeros at one end.
fn is_key(data: &[u8]) -> bool {
    let Ok(word) = <[u8; 32]>::try_from(data) else {
        return false;
    };
    const ORDER: U256 = U256::from_be_slice(&[
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xfe, 0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36,
        0x41, 0x41,
    ]);
    let is_other = word.starts_with(&[0; 4]) || word.ends_with(&[0; 4]);
    !is_other && U256::from_be_bytes(word) < ORDER
}

fn is_key_in_hex(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Words that stand in or before secrets, and how those of some who give out keys begin.
fn is_token(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "bearer ",
        "basic ",
        "password",
        "passwd",
        "secret",
        "api_key",
        "apikey",
        "api-key",
        "access_token",
        "cookie",
        "session",
        "private key",
    ];
    const BEGINNINGS: [&str; 8] = [
        "eyj",
        "sk-",
        "sk_",
        "ghp_",
        "github_pat_",
        "xoxb-",
        "xoxp-",
        "akia",
    ];
    let text = text.trim().to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
        || BEGINNINGS
            .iter()
            .any(|beginning| text.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, B256, Bytes, hex};
    use alloy_sol_types::SolValue as _;

    use super::*;

    const KEY: [u8; 32] = hex!("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");

    #[test]
    fn what_may_be_a_secret_is_told() {
        let text = |text: &str| {
            Some(suspicion(text.as_bytes(), None).map(|found| (found, found.is_secret())))
        };
        assert_eq!(suspicion(&KEY, None), Some(Suspicion::PrivateKey));
        let hexed = hex::encode(KEY);
        assert_eq!(text(&hexed), Some(Some((Suspicion::PrivateKey, true))));
        for secret in [
            "Bearer abcdef0123456789",
            "eyJhbGciOiJIUzI1NiJ9.e30.abc",
            "sk-live-0123456789abcdef",
            "password=correct horse",
            "Cookie: sid=31d4d96e407aad42",
            "-----BEGIN PRIVATE KEY-----",
        ] {
            assert_eq!(
                text(secret),
                Some(Some((Suspicion::Token, true))),
                "{secret}"
            );
            let encoded = (U256::from(1), secret.to_owned()).abi_encode_params();
            assert_eq!(
                suspicion(&encoded, None),
                Some(Suspicion::Token),
                "{secret}, encoded"
            );
        }
    }

    #[test]
    fn what_predicates_need_is_no_secret() {
        let merkle = vec![B256::from(KEY); 3].abi_encode();
        let proof = (1_000_u64, Bytes::from(vec![7; 65])).abi_encode_params();
        for data in [
            Vec::new(),
            U256::from(123_456_789).abi_encode(),
            Address::repeat_byte(9).abi_encode(),
            U256::MAX.abi_encode(),
            merkle,
            proof,
            vec![Bytes::new(), Bytes::from(vec![1; 32])].abi_encode(),
            "Hold any Chonk on Base".abi_encode(),
        ] {
            assert_eq!(suspicion(&data, Some(500)), None, "{}", hex::encode(&data));
        }
    }

    #[test]
    fn a_signature_may_be_seen_and_somebody_is_told_that_it_will_be() {
        let bare = [vec![7; 64], vec![27]].concat();
        let found = suspicion(&bare, None).unwrap();
        assert_eq!(
            (found, found.is_secret()),
            (Suspicion::BareSignature, false)
        );
        let proof = (10_000_u64, Bytes::from(vec![7; 65])).abi_encode_params();
        assert_eq!(suspicion(&proof, Some(10_000 - LONG)), None);
        let long = suspicion(&proof, Some(10_000 - LONG - 1)).unwrap();
        assert_eq!((long, long.is_secret()), (Suspicion::LongLivedProof, false));
    }
}
