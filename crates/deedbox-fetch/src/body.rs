//! Unpacking a body within the limit (reading M-23).

use std::io::Read;

use flate2::bufread::GzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use crate::{FetchError, Shown};

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    /// Not asked for, and sent by servers that keep their files so.
    Gzip,
}

impl Packing {
    /// What the headers say (RFC 9110 §8.4).
    ///
    /// # Errors
    /// [`FetchError::Encoding`] for any other, and for several.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, FetchError> {
        let named: Vec<_> = headers
            .get_all(CONTENT_ENCODING)
            .iter()
            .map(|value| value.as_bytes().trim_ascii())
            .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"))
            .collect();
        match named[..] {
            [] => Ok(Self::None),
            [name]
                if name.eq_ignore_ascii_case(b"gzip") || name.eq_ignore_ascii_case(b"x-gzip") =>
            {
                Ok(Self::Gzip)
            }
            _ => Err(FetchError::Encoding(Shown::of(&named.join(&b", "[..])))),
        }
    }

    /// The body itself. Takes time and room in proportion to the wire's bytes and to `limit`.
    ///
    /// # Errors
    /// [`FetchError::TooLarge`], [`FetchError::BadGzip`].
    pub(crate) fn open(self, wire: Vec<u8>, limit: usize) -> Result<Vec<u8>, FetchError> {
        if self == Self::None {
            return Ok(wire);
        }
        let mut body = Vec::new();
        let mut decoder = GzDecoder::new(&wire[..]);
        // One byte more than is allowed shows that there is more.
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        (&mut decoder)
            .take(most)
            .read_to_end(&mut body)
            .map_err(|_| FetchError::BadGzip)?;
        if body.len() > limit {
            return Err(FetchError::TooLarge {
                limit,
                unpacked: true,
            });
        }
        // Nobody packs in several pieces, and each takes as long to begin as it likes to be short.
        if !decoder.into_inner().is_empty() {
            return Err(FetchError::BadGzip);
        }
        Ok(body)
    }
}
