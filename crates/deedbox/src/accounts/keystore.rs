//! A private key in a file, encrypted under a password: Web3 Secret Storage, version 3, as all wallets write it.
//!
//! The crate for this format that is around (`eth-keystore`) was not taken: it writes scrypt with a cost of 2^13, a
//! thirty-second of what other wallets use, with no way to choose; it makes its files readable to everybody; it leaves out
//! the address; and a file with a short key or nonce makes it panic. The primitives are the usual crates'.
//!
//! What is read may be anybody's file, so its costs have limits: nobody's file makes this program take gigabytes.

use aes::{
    Aes128,
    cipher::{KeyIvInit, StreamCipher},
};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use deedbox_core::World;
use deedbox_id::Address;
use hmac::Hmac;
use scrypt::Params;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use sha3::{Digest, Keccak256};
use subtle::ConstantTimeEq;
use uuid::Builder;
use zeroize::Zeroizing;

use super::key::{Password, PrivateKey};

/// log2 of scrypt's cost in what this program writes: 256 MiB and about a second, as geth has it.
const LOG_N: u8 = 18;
const R: u32 = 8;
const P: u32 = 1;
/// Bytes that deriving a key may take at most.
const MOST_MEMORY: u64 = 1 << 30;
/// Steps of scrypt (n × r × p) at most: eight times what is written here.
const MOST_STEPS: u64 = 1 << 24;
/// Rounds of PBKDF2 at most.
const MOST_ROUNDS: u32 = 10_000_000;
/// More steps of scrypt than these take seconds: twice what is written here.
const QUICK_STEPS: u64 = 1 << 22;
/// More rounds of PBKDF2 than these take seconds. Wallets write 262,144.
const QUICK_ROUNDS: u32 = 1_000_000;
/// Bytes that a file may have. Those of wallets have some 500.
pub(super) const MOST_BYTES: u64 = 64 << 10;

/// A file of this kind, read but not decrypted.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Keystore {
    version: u8,
    #[serde(default)]
    id: Option<String>,
    /// The account in lower case, without 0x. Some wallets leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    // geth before 2016 spelled it with a capital letter.
    #[serde(alias = "Crypto")]
    crypto: Crypto,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Crypto {
    cipher: String,
    cipherparams: CipherParams,
    ciphertext: String,
    #[serde(flatten)]
    kdf: Kdf,
    mac: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct CipherParams {
    iv: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "kdf", content = "kdfparams", rename_all = "lowercase")]
enum Kdf {
    Scrypt {
        dklen: u32,
        n: u64,
        r: u32,
        p: u32,
        salt: String,
    },
    Pbkdf2 {
        dklen: u32,
        c: u32,
        prf: String,
        salt: String,
    },
}

/// Why a keystore gives no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// It is not of this format, or of a form that nobody writes.
    #[error("is no keystore (Web3 Secret Storage, version 3): {0}")]
    Malformed(String),
    /// It wants more memory or time than any wallet's does.
    #[error("asks for more memory or time than a keystore may")]
    TooCostly,
    /// The password is not the one that it was encrypted with.
    #[error("the password is wrong")]
    WrongPassword,
    /// The key that comes out is another account's than the file says.
    #[error("says that it is the account {said}, and holds the key of {holds}")]
    AnotherAccount {
        /// What the file says.
        said: Address,
        /// Whose key it holds.
        holds: Address,
    },
}

impl Keystore {
    /// Reads a file's text.
    ///
    /// # Errors
    /// [`Unreadable::Malformed`], [`Unreadable::TooCostly`].
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Unreadable> {
        let keystore: Self = serde_json::from_slice(text)
            // The message quotes names and numbers of the format, never a value of the file.
            .map_err(|error| {
                malformed(format!("line {}, column {}", error.line(), error.column()))
            })?;
        if keystore.version != 3 {
            return Err(malformed("its version is another"));
        }
        keystore.address()?;
        keystore.check_costs()?;
        Ok(keystore)
    }

    /// The account, if the file says it.
    ///
    /// # Errors
    /// [`Unreadable::Malformed`]: what it says is no address.
    pub(crate) fn address(&self) -> Result<Option<Address>, Unreadable> {
        let Some(text) = self.address.as_deref().filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let digits = text.trim_start_matches("0x").to_ascii_lowercase();
        let address = format!("0x{digits}").parse();
        address
            .map(Some)
            .map_err(|_| malformed("its address is none"))
    }

    /// Encrypts a key under a password.
    ///
    /// # Errors
    /// [`Unreadable::Malformed`]: scrypt or AES refuse sizes that are fixed here, which they do not.
    pub(crate) fn encrypt(
        key: &PrivateKey,
        password: &Password,
        world: &dyn World,
    ) -> Result<Self, Unreadable> {
        let random = |bytes: &mut [u8]| world.fill(bytes);
        let (mut salt, mut iv, mut id) = ([0; 32], [0; 16], [0; 16]);
        random(&mut salt);
        random(&mut iv);
        random(&mut id);
        let kdf = Kdf::Scrypt {
            dklen: 32,
            n: 1 << LOG_N,
            r: R,
            p: P,
            salt: bare(&salt),
        };
        let derived = kdf.derive(password)?;
        let mut text = *key.as_bytes();
        apply(&derived, &iv, &mut text)?;
        Ok(Self {
            version: 3,
            id: Some(Builder::from_random_bytes(id).into_uuid().to_string()),
            address: Some(
                key.address()
                    .to_string()
                    .trim_start_matches("0x")
                    .to_owned(),
            ),
            crypto: Crypto {
                cipher: CIPHER.to_owned(),
                cipherparams: CipherParams { iv: bare(&iv) },
                ciphertext: bare(&text),
                kdf,
                mac: bare(&mac(&derived, &text)),
            },
        })
    }

    /// Decrypts the key.
    ///
    /// # Errors
    /// All of [`Unreadable`].
    pub(crate) fn decrypt(&self, password: &Password) -> Result<PrivateKey, Unreadable> {
        let crypto = &self.crypto;
        if crypto.cipher != CIPHER {
            return Err(malformed("its cipher is not aes-128-ctr"));
        }
        let iv: [u8; 16] = bytes(&crypto.cipherparams.iv, "iv")?;
        let mut text = Zeroizing::new(bytes::<32>(&crypto.ciphertext, "ciphertext")?);
        let expected: [u8; 32] = bytes(&crypto.mac, "mac")?;
        let derived = crypto.kdf.derive(password)?;
        if !bool::from(mac(&derived, text.as_slice()).ct_eq(&expected)) {
            return Err(Unreadable::WrongPassword);
        }
        apply(&derived, &iv, text.as_mut_slice())?;
        let key = PrivateKey::from_bytes(text).map_err(malformed)?;
        match self.address()? {
            Some(said) if said != key.address() => Err(Unreadable::AnotherAccount {
                said,
                holds: key.address(),
            }),
            _ => Ok(key),
        }
    }

    /// Whether it asks for so much work that people would wonder whether anything goes on.
    pub(crate) fn is_slow(&self) -> bool {
        match &self.crypto.kdf {
            Kdf::Scrypt { n, r, p, .. } => steps(*n, *r, *p) > QUICK_STEPS,
            Kdf::Pbkdf2 { c, .. } => *c > QUICK_ROUNDS,
        }
    }

    /// The file's text.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which cannot happen.
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    fn check_costs(&self) -> Result<(), Unreadable> {
        match &self.crypto.kdf {
            Kdf::Scrypt { n, r, p, .. } => {
                let memory = n.saturating_mul(u64::from(*r)).saturating_mul(128);
                if memory > MOST_MEMORY || steps(*n, *r, *p) > MOST_STEPS {
                    return Err(Unreadable::TooCostly);
                }
            }
            Kdf::Pbkdf2 { c, .. } if *c > MOST_ROUNDS => return Err(Unreadable::TooCostly),
            Kdf::Pbkdf2 { .. } => {}
        }
        Ok(())
    }
}

/// Steps of scrypt.
fn steps(n: u64, r: u32, p: u32) -> u64 {
    n.saturating_mul(u64::from(r)).saturating_mul(u64::from(p))
}

/// The only cipher of the format that wallets use.
const CIPHER: &str = "aes-128-ctr";

impl Kdf {
    /// 32 bytes: 16 that encrypt, and 16 that authenticate.
    fn derive(&self, password: &Password) -> Result<Zeroizing<[u8; 32]>, Unreadable> {
        let mut derived = Zeroizing::new([0; 32]);
        let (Self::Scrypt { dklen, .. } | Self::Pbkdf2 { dklen, .. }) = self;
        if *dklen != 32 {
            return Err(malformed("its derived key has not 32 bytes"));
        }
        match self {
            Self::Scrypt { n, r, p, salt, .. } => {
                let cost = malformed("its costs are none of scrypt's");
                let log_n = u8::try_from(n.trailing_zeros()).map_err(|_| cost.clone())?;
                if !n.is_power_of_two() || log_n == 0 {
                    return Err(cost);
                }
                let params = Params::new(log_n, *r, *p).map_err(|_| cost.clone())?;
                scrypt::scrypt(
                    password.as_bytes(),
                    &salted(salt)?,
                    &params,
                    derived.as_mut_slice(),
                )
                .map_err(|_| cost)?;
            }
            Self::Pbkdf2 { c, prf, salt, .. } => {
                let wrong = malformed("its derivation is not hmac-sha256");
                if prf != "hmac-sha256" || *c == 0 {
                    return Err(wrong);
                }
                pbkdf2::pbkdf2::<Hmac<Sha256>>(
                    password.as_bytes(),
                    &salted(salt)?,
                    *c,
                    derived.as_mut_slice(),
                )
                .map_err(|_| wrong)?;
            }
        }
        Ok(derived)
    }
}

/// Encrypts, or decrypts: counter mode does both in the same way.
fn apply(derived: &[u8; 32], iv: &[u8; 16], text: &mut [u8]) -> Result<(), Unreadable> {
    let mut cipher = ctr::Ctr128BE::<Aes128>::new_from_slices(&derived[..16], iv)
        .map_err(|_| malformed("its key or nonce is too short"))?;
    cipher.apply_keystream(text);
    Ok(())
}

fn mac(derived: &[u8; 32], ciphertext: &[u8]) -> [u8; 32] {
    Keccak256::new()
        .chain_update(&derived[16..])
        .chain_update(ciphertext)
        .finalize()
        .into()
}

fn salted(salt: &str) -> Result<Vec<u8>, Unreadable> {
    HEXLOWER_PERMISSIVE
        .decode(salt.as_bytes())
        .map_err(|_| malformed("its salt is not hexadecimal"))
}

fn bytes<const N: usize>(text: &str, what: &str) -> Result<[u8; N], Unreadable> {
    let wrong = || malformed(format!("its {what} has not {N} bytes"));
    let bytes = HEXLOWER_PERMISSIVE
        .decode(text.as_bytes())
        .map_err(|_| wrong())?;
    bytes.try_into().map_err(|_| wrong())
}

/// Hexadecimal digits without 0x in front.
fn bare(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

fn malformed(why: impl Into<String>) -> Unreadable {
    Unreadable::Malformed(why.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::SystemWorld;

    /// The two examples of the format's definition: password and key are the same in both.
    const PASSWORD: &str = "testpassword";
    const KEY: &str = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";
    const PBKDF2: &str = r#"{
        "crypto": {
            "cipher": "aes-128-ctr",
            "cipherparams": {"iv": "6087dab2f9fdbbfaddc31a909735c1e6"},
            "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
            "kdf": "pbkdf2",
            "kdfparams": {
                "c": 262144, "dklen": 32, "prf": "hmac-sha256",
                "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"
            },
            "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"
        },
        "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6", "version": 3
    }"#;
    const SCRYPT: &str = r#"{
        "crypto": {
            "cipher": "aes-128-ctr",
            "cipherparams": {"iv": "83dbcc02d8ccb40e466191a123791e0e"},
            "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
            "kdf": "scrypt",
            "kdfparams": {
                "dklen": 32, "n": 262144, "p": 8, "r": 1,
                "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"
            },
            "mac": "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"
        },
        "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6", "version": 3
    }"#;

    fn password(text: &str) -> Password {
        Password::new(text.to_owned())
    }

    #[test]
    fn the_examples_of_the_format_give_their_key() {
        let key = PrivateKey::parse(KEY).unwrap();
        for text in [PBKDF2, SCRYPT] {
            let keystore = Keystore::parse(text.as_bytes()).unwrap();
            assert_eq!(keystore.address().unwrap(), None);
            let read = keystore.decrypt(&password(PASSWORD)).unwrap();
            assert_eq!(read.as_bytes(), key.as_bytes());
            let wrong = keystore.decrypt(&password("testpassword ")).unwrap_err();
            assert_eq!(wrong, Unreadable::WrongPassword);
        }
    }

    #[test]
    fn what_is_written_is_read_back_and_names_its_account_alone() {
        let key = PrivateKey::generate(&SystemWorld);
        let keystore = Keystore::encrypt(&key, &password("correct horse"), &SystemWorld).unwrap();
        let text = keystore.to_json().unwrap();
        let digits = HEXLOWER.encode(key.as_bytes());
        assert!(!text.contains(&digits) && !text.contains("correct"));
        assert!(text.contains("\"n\": 262144"), "{text}");
        let keystore = Keystore::parse(text.as_bytes()).unwrap();
        assert_eq!(keystore.address().unwrap(), Some(key.address()));
        let read = keystore.decrypt(&password("correct horse")).unwrap();
        assert_eq!(read.as_bytes(), key.as_bytes());

        let other = "00000000000000000000000000000000000004d2";
        let said = text.replace(&key.address().to_string()[2..], other);
        let error = Keystore::parse(said.as_bytes())
            .unwrap()
            .decrypt(&password("correct horse"))
            .unwrap_err();
        assert!(
            matches!(error, Unreadable::AnotherAccount { .. }),
            "{error}"
        );
    }

    #[test]
    fn a_file_that_is_none_or_would_cost_too_much_is_refused() {
        for (from, to) in [
            ("\"version\": 3", "\"version\": 1"),
            ("\"dklen\": 32", "\"dklen\": 4"),
            ("6087dab2f9fdbbfaddc31a909735c1e6", "6087"),
            ("hmac-sha256", "hmac-md5"),
            ("\"c\": 262144", "\"c\": 0"),
            ("\"c\": 262144", "\"c\": 4000000000"),
            ("aes-128-ctr", "rot13"),
            ("\"pbkdf2\"", "\"argon2\""),
            ("5318b4d5", ""),
            ("ae3cd4e7", "zz"),
            ("\"version\": 3", "\"version\": 3, \"address\": \"0x12\""),
        ] {
            let text = PBKDF2.replace(from, to);
            let read = Keystore::parse(text.as_bytes())
                .and_then(|keystore| keystore.decrypt(&password(PASSWORD)));
            assert!(read.is_err(), "{from} as {to}");
        }
        for (from, to, costly) in [
            ("\"n\": 262144", "\"n\": 262143", false),
            ("\"n\": 262144", "\"n\": 1", false),
            ("\"n\": 262144", "\"n\": 1099511627776", true),
            ("\"p\": 8", "\"p\": 100000", true),
            ("\"r\": 1", "\"r\": 0", false),
            ("\"r\": 1", "\"r\": 4294967295", true),
        ] {
            let text = SCRYPT.replace(from, to);
            let read = Keystore::parse(text.as_bytes())
                .and_then(|keystore| keystore.decrypt(&password(PASSWORD)));
            let error = read.unwrap_err();
            assert_eq!(error == Unreadable::TooCostly, costly, "{to}: {error}");
        }
    }
}
