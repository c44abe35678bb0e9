//! Secrets, which do not print, and are overwritten when they are no longer needed. What the environment holds stays there.

use std::fmt;

use alloy_signer_local::PrivateKeySigner;
use deedbox_core::World;
use deedbox_id::Address;
use zeroize::Zeroizing;

/// A private key of secp256k1: 32 bytes, a number from 1 to the order of the group less one.
#[derive(Clone)]
pub(crate) struct PrivateKey(Zeroizing<[u8; 32]>);

/// What a private key looks like as text.
pub(crate) const EXPECTED: &str =
    "must be a private key: 64 hexadecimal digits, with 0x in front or without";

impl PrivateKey {
    /// Reads a key from text: 64 hexadecimal digits. White space around them is ignored, as files end with a line break.
    ///
    /// # Errors
    /// What was expected, without what was given.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let digits = text.trim();
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        let mut bytes = Zeroizing::new([0; 32]);
        if digits.len() != 64 {
            return Err(EXPECTED);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            let [high, low] = [pair[0], pair[1]].map(|digit| char::from(digit).to_digit(16));
            let digit = high.zip(low).map(|(high, low)| high * 16 + low);
            *byte = digit
                .and_then(|byte| u8::try_from(byte).ok())
                .ok_or(EXPECTED)?;
        }
        Self::from_bytes(bytes)
    }

    /// Takes 32 bytes as a key.
    ///
    /// # Errors
    /// They are no key: zero, or not below the order of the group.
    pub(crate) fn from_bytes(bytes: Zeroizing<[u8; 32]>) -> Result<Self, &'static str> {
        let key = Self(bytes);
        match key.signer() {
            Some(_) => Ok(key),
            None => Err("is no private key: zero, or larger than a key of secp256k1 can be"),
        }
    }

    /// Makes a new one.
    pub(crate) fn generate(world: &dyn World) -> Self {
        loop {
            let mut bytes = Zeroizing::new([0; 32]);
            world.fill(bytes.as_mut_slice());
            // All but one in 2^128 are keys.
            if let Ok(key) = Self::from_bytes(bytes) {
                return key;
            }
        }
    }

    /// The account that it signs for.
    pub(crate) fn address(&self) -> Address {
        self.signer()
            .map_or(Address([0; 20]), |signer| Address(signer.address().0.0))
    }

    /// Its bytes.
    pub(super) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// What signs with it. None only for bytes that are no key, which [`PrivateKey::from_bytes`] lets nobody have.
    pub(super) fn signer(&self) -> Option<PrivateKeySigner> {
        PrivateKeySigner::from_slice(self.0.as_slice()).ok()
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(…)")
    }
}

/// The password of a keystore.
#[derive(Clone)]
pub(crate) struct Password(Zeroizing<String>);

impl Password {
    /// Takes a text as it is.
    pub(crate) fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Takes a text that is overwritten already when it is no longer needed.
    pub(super) const fn of(text: Zeroizing<String>) -> Self {
        Self(text)
    }

    /// Its bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// How many characters it has.
    pub(crate) fn length(&self) -> usize {
        self.0.chars().count()
    }

    /// Whether it is the same as another.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first account of every development node. Known to everybody.
    const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

    #[test]
    fn a_key_is_read_with_and_without_its_prefix_and_knows_its_account() {
        for text in [
            KEY,
            &KEY[2..],
            &format!(" {KEY}\n"),
            &KEY.to_uppercase()[2..],
        ] {
            let key = PrivateKey::parse(text).unwrap();
            assert_eq!(
                key.address().to_string(),
                "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
            );
        }
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_repeated() {
        let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
        for text in [
            "",
            "0x",
            &KEY[..65],
            &format!("{KEY}0"),
            &KEY.replace('a', "g"),
            &"0".repeat(64),
            order,
            "ééééééééééééééééééééééééééééééée",
        ] {
            let error = PrivateKey::parse(text).unwrap_err();
            assert!(text.len() < 8 || !error.contains(&text[2..8]), "{error}");
        }
        // The largest key is one less than the order.
        assert!(PrivateKey::parse(&order.replace("4141", "4140")).is_ok());
    }

    #[test]
    fn secrets_do_not_print() {
        let key = PrivateKey::parse(KEY).unwrap();
        assert_eq!(format!("{key:?}"), "PrivateKey(…)");
        let signer = format!("{:?}", key.signer().unwrap()).to_lowercase();
        assert!(!signer.contains("ac0974"), "{signer}");
        assert_eq!(
            format!("{:?}", Password::new("hunter2".to_owned())),
            "Password(…)"
        );
    }
}
