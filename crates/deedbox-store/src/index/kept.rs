//! Bytes that strangers put on a chain, as many of them as are kept.

use std::{borrow::Cow, fmt};

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// How many bytes of one value a fact keeps: more than one transaction can write (EIP-7825 leaves room for about 23 KB).
pub const FACT_BYTES: usize = 32 * 1_024;

/// A stranger's bytes. They need not be text, and where they are, they are made safe where they are shown.
///
/// Of what is longer than a limit the beginning is kept, with the length and the SHA-256 of the whole, so that two long
/// values can be told apart. As JSON: the text itself, or an object with `text` or `hex`, and `length` and `sha256` when cut.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Kept {
    bytes: Vec<u8>,
    cut: Option<Cut>,
}

/// What is known of a value of which only the beginning is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cut {
    /// How many bytes the whole has.
    pub length: u64,
    /// SHA-256 of the whole.
    pub sha256: [u8; 32],
}

impl Kept {
    /// Keeps at most [`FACT_BYTES`].
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { bytes, cut: None }.at_most(FACT_BYTES)
    }

    /// The same with at most so many bytes. Length and hash stay those of the whole.
    #[must_use]
    pub fn at_most(mut self, most: usize) -> Self {
        if self.bytes.len() > most {
            self.cut.get_or_insert_with(|| Cut {
                length: self.bytes.len() as u64,
                sha256: Sha256::digest(&self.bytes).into(),
            });
            self.bytes.truncate(most);
        }
        self
    }

    /// The bytes that are kept.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bytes the whole has.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.cut
            .as_ref()
            .map_or(self.bytes.len() as u64, |cut| cut.length)
    }

    /// What is known of the rest, when only the beginning is kept.
    #[must_use]
    pub fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// SHA-256 of the whole.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.cut
            .as_ref()
            .map_or_else(|| Sha256::digest(&self.bytes).into(), |cut| cut.sha256)
    }

    /// Whether there is nothing: what contracts call unset (reading X-27).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// What is kept as text; `None` when it is no UTF-8. A character that the cut went through is left out.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Some(text),
            Err(error) if self.cut.is_some() && error.error_len().is_none() => {
                std::str::from_utf8(self.bytes.get(..error.valid_up_to())?).ok()
            }
            Err(_) => None,
        }
    }

    /// What is kept as text, with U+FFFD for what is no UTF-8; for searching.
    #[must_use]
    pub fn lossy(&self) -> Cow<'_, str> {
        self.text()
            .map_or_else(|| String::from_utf8_lossy(&self.bytes), Cow::Borrowed)
    }
}

impl From<&str> for Kept {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({:?}", self.lossy())?;
        if let Some(cut) = &self.cut {
            write!(f, " of {} bytes", cut.length)?;
        }
        f.write_str(")")
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    More(#[serde(borrow)] Parts<'a>),
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Parts<'a> {
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // All bytes have to come back: half a character at a cut is no text here. A NUL is no character to PostgreSQL.
        let text = std::str::from_utf8(&self.bytes)
            .ok()
            .filter(|text| !text.contains('\0'));
        if let (Some(text), None) = (text, &self.cut) {
            return serializer.serialize_str(text);
        }
        let parts = Parts {
            text: text.map(Cow::Borrowed),
            hex: text.is_none().then(|| HEXLOWER.encode(&self.bytes)),
            length: self.cut.map(|cut| cut.length),
            sha256: self.cut.map(|cut| HEXLOWER.encode(&cut.sha256)),
        };
        parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = match Wire::deserialize(deserializer)? {
            Wire::Text(text) => {
                return Ok(Self {
                    bytes: text.into_owned().into_bytes(),
                    cut: None,
                });
            }
            Wire::More(parts) => parts,
        };
        let unhex = |hex: String| {
            HEXLOWER_PERMISSIVE
                .decode(hex.as_bytes())
                .map_err(de::Error::custom)
        };
        let bytes = match (parts.text, parts.hex) {
            (Some(text), None) => text.into_owned().into_bytes(),
            (None, Some(hex)) => unhex(hex)?,
            _ => return Err(de::Error::custom("one of text and hex is wanted")),
        };
        let cut = match (parts.length, parts.sha256) {
            (None, None) => None,
            (Some(length), Some(hash)) => Some(Cut {
                length,
                sha256: unhex(hash)?
                    .try_into()
                    .map_err(|_| de::Error::custom("sha256 has 32 bytes"))?,
            }),
            _ => return Err(de::Error::custom("length and sha256 come together")),
        };
        Ok(Self { bytes, cut })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(kept: &Kept) -> Kept {
        serde_json::from_str(&serde_json::to_string(kept).unwrap()).unwrap()
    }

    #[test]
    fn every_bytes_come_back_as_they_went_in() {
        for bytes in [
            &b""[..],
            b"plain",
            "日本語 \u{202e}".as_bytes(),
            b"a\0b",
            b"\xff\xfe",
            b"quote \" and \\",
            &[0xe2, 0x82],
        ] {
            let kept = Kept::new(bytes);
            assert_eq!(back(&kept), kept);
            assert_eq!((kept.bytes(), kept.cut()), (bytes, None));
        }
        assert_eq!(
            serde_json::to_string(&Kept::from("a b")).unwrap(),
            "\"a b\""
        );
        assert_eq!(
            serde_json::to_string(&Kept::new(*b"\xff\0")).unwrap(),
            r#"{"hex":"ff00"}"#
        );
    }

    #[test]
    fn a_long_value_keeps_length_and_hash_of_the_whole_however_often_it_is_cut() {
        let whole = "é".repeat(20_000);
        let kept = Kept::new(whole.as_bytes());
        assert_eq!((kept.bytes().len(), kept.length()), (FACT_BYTES, 40_000));
        let hash: [u8; 32] = Sha256::digest(&whole).into();
        let shorter = kept.clone().at_most(5);
        for kept in [&kept, &shorter] {
            assert_eq!((kept.length(), kept.sha256()), (40_000, hash));
            assert_eq!(back(kept), *kept);
        }
        assert_eq!(shorter.text(), Some("éé"), "half a character is left out");
        assert_eq!(
            Kept::new(*b"\xc3").text(),
            None,
            "but not where nothing was cut"
        );
    }
}
