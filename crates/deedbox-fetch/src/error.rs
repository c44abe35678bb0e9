//! Why there is nothing.

use std::{fmt, io, net::IpAddr, time::Duration};

use deedbox_manifest::url::FaultKind;

use crate::address::Special;

/// The most characters of a stranger's text that an error repeats.
const MOST_SHOWN: usize = 256;

/// Why nothing was fetched. Each one's text says what is wrong, and then what to do about it.
///
/// Nothing of the URL is repeated: whoever asked has it. Of what the server wrote only [`Shown`] text is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL has more bytes than any URL of ERC-8257 may have.
    #[error("The URL has {0} bytes, and at most 2048 are allowed. Use a shorter one.")]
    UrlTooLong(usize),
    /// The URL does not begin with `https://`.
    #[error(
        "The URL does not begin with https://, and nothing else is fetched. Serve it over HTTPS."
    )]
    NotHttps,
    /// The text of the URL is read differently by different software, or is no URL.
    #[error("The URL {0}. {fix}", fix = .0.fix())]
    BadUrl(FaultKind),
    /// Another port than 443, at an address that the rules do not vouch for.
    #[error(
        "The URL names another port than 443, and strangers are asked on that one only. Serve it there, or allow the network of its \
         address in the settings if it is yours."
    )]
    PortRefused,
    /// No address is known for the name, or nobody could be asked.
    #[error(
        "The host's name leads to no address. Check its spelling and its DNS records, and that names can be resolved from here."
    )]
    NameNotFound,
    /// The host is, or leads to, an address that is none of the public Internet. With several addresses, one is enough.
    #[error(
        "The host leads to {address}, which is no address of the public Internet: {why}. Every address of the name has to be one; \
         correct its DNS records, or allow the network in the settings if it is yours."
    )]
    AddressRefused {
        /// The address.
        address: IpAddr,
        /// What it is instead.
        why: Special,
    },
    /// No connection to any of the addresses.
    #[error(
        "No connection to the host could be made: {0}. Check that it is up, and reachable from here on this port."
    )]
    ConnectFailed(io::ErrorKind),
    /// No TLS connection that can be trusted. Nothing was asked.
    #[error("{0}. {fix}", fix = .0.fix())]
    Tls(TlsFault),
    /// A redirect, which ERC-8257 §7 forbids to follow.
    #[error(
        "The server answered {status}, a redirect{to}, and redirects are not followed (ERC-8257 §7). Serve it at this URL, or \
         register the other one.",
        to = Towards(location)
    )]
    RedirectRefused {
        /// The status, from 300 to 399.
        status: u16,
        /// Where to, if that was said.
        location: Option<Shown>,
    },
    /// Neither 200 nor a redirect.
    #[error(
        "The server answered {0}, and only 200 counts. Make it answer a plain GET of this URL with 200 and the whole body."
    )]
    Status(u16),
    /// The body is packed in a way that was not asked for and is not understood.
    #[error("The body is packed as {0}. Serve it as it is, or with gzip.")]
    Encoding(Shown),
    /// The body is said to be packed with gzip and cannot be unpacked, or has something behind it.
    #[error("The body does not unpack as gzip, which it is said to be. Serve it as it is.")]
    BadGzip,
    /// More bytes than are allowed, on the wire or unpacked. Nothing of them is used.
    #[error("The body has more than {limit} bytes{unpacked}, and all of it was dropped. Serve less.", unpacked = if *.unpacked { " when unpacked" } else { "" })]
    TooLarge {
        /// How many are allowed.
        limit: usize,
        /// Whether only unpacking it showed that.
        unpacked: bool,
    },
    /// Not in time.
    #[error("{stage} did not end within {} ms. Try again later; if it stays so, serve it faster.", .within.as_millis())]
    Timeout {
        /// What was waited for.
        stage: Stage,
        /// How long was waited: for a connection from the beginning of making it, otherwise from the beginning of everything.
        within: Duration,
    },
    /// The connection ended before the answer did.
    #[error(
        "The connection ended before the answer was complete, and all of it was dropped. Try again; if it stays so, look at what \
         stands before the server."
    )]
    Truncated,
    /// What answered does not keep to HTTP/1.1, or its headers are too many or too large.
    #[error(
        "What the server answered is no HTTP that can be read. Check its headers and its framing of the body."
    )]
    BadAnswer,
}

/// What was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The resolver, the connection, and agreeing on TLS.
    Connect,
    /// Sending the request, and the head of the answer.
    Head,
    /// The body.
    Body,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "Connecting to the host",
            Self::Head => "Waiting for the server's answer to begin",
            Self::Body => "Receiving the body",
        })
    }
}

/// What is wrong with a server's TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlsFault {
    /// Its certificate ran out.
    Expired,
    /// Its certificate does not count yet.
    NotYetValid,
    /// Its certificate is for other names.
    WrongName,
    /// Nobody who is trusted signed its certificate.
    UnknownIssuer,
    /// Its certificate was taken back.
    Revoked,
    /// Something else about its certificate.
    BadCertificate,
    /// What it speaks is no TLS.
    NotTls,
    /// The two have no version, cipher or protocol in common, or one broke the rules.
    NoAgreement,
}

impl TlsFault {
    /// What to do about it: one sentence.
    #[must_use]
    pub fn fix(self) -> &'static str {
        match self {
            Self::Expired => "Renew it.",
            Self::NotYetValid => "Check the clocks, there and here.",
            Self::WrongName => "Get one for the host in the URL.",
            Self::UnknownIssuer => {
                "Get one from a public authority, and serve the certificates between the two along with it."
            }
            Self::Revoked | Self::BadCertificate => "Get a new one from a public authority.",
            Self::NotTls => "Serve HTTPS on this port.",
            Self::NoAgreement => {
                "Offer TLS 1.2 or 1.3 and HTTP/1.1, and ask the client for no certificate."
            }
        }
    }
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Expired => "The server's certificate has expired",
            Self::NotYetValid => "The server's certificate is not valid yet",
            Self::WrongName => "The server's certificate is for another name",
            Self::UnknownIssuer => {
                "The server's certificate is signed by nobody who is trusted here"
            }
            Self::Revoked => "The server's certificate was revoked",
            Self::BadCertificate => "The server's certificate cannot be accepted",
            Self::NotTls => "The server does not speak TLS on this port",
            Self::NoAgreement => "The server and Deedbox could not agree on a TLS connection",
        })
    }
}

/// A stranger's text, safe to show: ASCII on one line, everything else as `\xNN`, a backslash too; at most 256 characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shown(String);

impl Shown {
    /// Takes what a stranger wrote.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut shown = String::new();
        for &byte in bytes {
            let plain = (byte.is_ascii_graphic() || byte == b' ') && byte != b'\\';
            let piece = if plain {
                char::from(byte).to_string()
            } else {
                format!("\\x{byte:02x}")
            };
            // One is left for the sign that there was more.
            if shown.len() + piece.len() >= MOST_SHOWN {
                shown.push('…');
                break;
            }
            shown.push_str(&piece);
        }
        Self(shown)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The end of "a redirect".
struct Towards<'e>(&'e Option<Shown>);

impl fmt::Display for Towards<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(location) => write!(f, " to \"{location}\""),
            None => Ok(()),
        }
    }
}
