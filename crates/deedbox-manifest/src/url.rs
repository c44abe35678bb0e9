//! URLs as ERC-8257 §6 has them: rules G1–G3 for every HTTPS URL, W1–W3 for the manifest's own address.
//!
//! The rules are about *text*. The usual URL parsers (those that follow WHATWG) turn `bücher.example`
//! into its A-label, drop tabs, take `\` for `/`, decode `%2e` and read `0x7f.1` as an address, all without
//! a word; a rule that says "reject" can then no longer be obeyed. So the text is taken apart here as
//! RFC 3986 does, without changing a byte, and every way in which it is not canonical is reported with
//! its place. What a usual parser makes of it is asked for afterwards, as a second opinion: where the two see
//! different hosts, different software would talk to different servers.

use std::{
    fmt,
    net::{Ipv4Addr, Ipv6Addr},
    ops::Range,
};

use serde::{Serialize, Serializer};

/// The longest URL that a registry, an image or a link may have, in UTF-8 bytes (ERC-8257 §2, §4).
pub const MAX_BYTES: usize = 2048;

/// Where every manifest lies on its origin (ERC-8257 §6).
pub const WELL_KNOWN: &str = "/.well-known/ai-tool/";

/// The most characters of a slug (ERC-8257 §6).
pub const MAX_SLUG: usize = 64;

/// Something about the text of a URL that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// Where, in bytes of the URL's text.
    pub at: Range<usize>,
}

/// What can be wrong with the text of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// It does not begin with `https://`, in whatever case.
    NotHttps,
    /// There is no host.
    NoHost,
    /// The host has a character outside ASCII: a U-label (rule G3).
    UnicodeHost,
    /// The host has a character that no host name has.
    HostCharacter,
    /// An address in brackets that is not an IPv6 address.
    BadIpv6,
    /// The port is not a number from 1 to 65535.
    BadPort,
    /// White space or a control character, which URL parsers drop or encode silently.
    BlankOrControl,
    /// The scheme or the host has capital letters (rule G1).
    Capitals,
    /// Port 443 is written out (rule G2).
    DefaultPort,
    /// A user name or a password stands before the host.
    UserInfo,
    /// A colon without a port behind it.
    EmptyPort,
    /// The port begins with zeros.
    PortZeros,
    /// The host ends with a dot.
    TrailingDot,
    /// The host reads as an IPv4 address, but is not one in its usual spelling.
    OddIpv4,
    /// Other software sees another host here, or none.
    DisputedHost,
    /// The path has a step `.` or `..`, which URL parsers resolve silently.
    DotStep,
    /// A backslash, which URL parsers take for a slash.
    Backslash,
    /// A character that a URL may hold only percent-encoded.
    Unencoded,
    /// A percent sign without two hexadecimal digits behind it.
    BadPercent,
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// A URL, but one that software reads differently or silently changes. The standard is silent about
    /// it (reading M-13).
    Odd,
    /// A URL, but not in the form that rules G1 and G2 ask for.
    NotNormalised,
    /// Not an HTTPS URL with a host in ASCII.
    Broken,
}

impl FaultKind {
    /// How bad it is.
    #[must_use]
    pub fn gravity(self) -> Gravity {
        match self {
            Self::NotHttps
            | Self::NoHost
            | Self::UnicodeHost
            | Self::HostCharacter
            | Self::BadIpv6
            | Self::BadPort
            | Self::BlankOrControl => Gravity::Broken,
            Self::Capitals | Self::DefaultPort => Gravity::NotNormalised,
            Self::UserInfo
            | Self::EmptyPort
            | Self::PortZeros
            | Self::TrailingDot
            | Self::OddIpv4
            | Self::DisputedHost
            | Self::DotStep
            | Self::Backslash
            | Self::Unencoded
            | Self::BadPercent => Gravity::Odd,
        }
    }

    /// What to do about it: one sentence.
    #[must_use]
    pub fn fix(self) -> &'static str {
        match self {
            Self::NotHttps => "Use a URL that begins with https://.",
            Self::NoHost => "Write the host after https://.",
            Self::UnicodeHost => {
                "Write the host as an A-label (xn--…), which is the same name in ASCII."
            }
            Self::HostCharacter => {
                "Use letters, digits, hyphens and dots in the host; percent-encoding has no place there."
            }
            Self::BadIpv6 => "Write an IPv6 address in brackets, or a host name.",
            Self::BadPort => "Write a port from 1 to 65535, or none.",
            Self::BlankOrControl => "Remove the white space or control character.",
            Self::Capitals => "Write the scheme and the host in lower case.",
            Self::DefaultPort => "Leave out :443, which https has anyway.",
            Self::UserInfo => {
                "Remove the user name and the password; a public URL is no place for them."
            }
            Self::EmptyPort => "Remove the colon.",
            Self::PortZeros => "Write the port without zeros at its front.",
            Self::TrailingDot => "Remove the dot at the end of the host.",
            Self::OddIpv4 => "Write an IPv4 address as four decimal numbers, or use a host name.",
            Self::DisputedHost => "Use a host that every reader takes for the same.",
            Self::DotStep => "Write the path that it resolves to.",
            Self::Backslash => "Write / for a step of the path, or %5C for a backslash.",
            Self::Unencoded => "Percent-encode the character.",
            Self::BadPercent => "Write two hexadecimal digits after %, or %25 for a percent sign.",
        }
    }
}

/// What is wrong, as the end of a sentence that begins with the name of the URL.
impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHttps => "does not begin with https://",
            Self::NoHost => "has no host",
            Self::UnicodeHost => "has a host with characters outside ASCII",
            Self::HostCharacter => "has a character in its host that no host name has",
            Self::BadIpv6 => "has brackets around something that is not an IPv6 address",
            Self::BadPort => "has a port that is not a number from 1 to 65535",
            Self::BlankOrControl => "has white space or a control character in it",
            Self::Capitals => "has capital letters in its scheme or host",
            Self::DefaultPort => "names port 443, the default of https",
            Self::UserInfo => "has a user name or a password before its host",
            Self::EmptyPort => "has a colon without a port",
            Self::PortZeros => "has a port that begins with zeros",
            Self::TrailingDot => "has a host that ends with a dot",
            Self::OddIpv4 => "has a host that some software reads as an IPv4 address",
            Self::DisputedHost => {
                "has a host that other software reads as another one, or not at all"
            }
            Self::DotStep => "has a step . or .. in its path",
            Self::Backslash => "has a backslash in it",
            Self::Unencoded => "has a character in it that must be percent-encoded",
            Self::BadPercent => "has a percent sign without two hexadecimal digits",
        })
    }
}

/// Scheme `https`, host and port: what RFC 6454 compares. Prints as `https://host` or `https://host:port`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    host: String,
    /// `None` stands for 443.
    port: Option<u16>,
}

impl Origin {
    /// The host, in lower case; an IPv6 address with its brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(443)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "https://{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The text of an HTTPS URL, taken apart without changing it, with everything that is wrong with it.
#[derive(Clone, Debug)]
pub struct HttpsUrl<'t> {
    text: &'t str,
    /// `user:password` before the `@`.
    userinfo: Option<&'t str>,
    host: &'t str,
    port: Option<u16>,
    /// Path, query and fragment, as they are.
    rest: &'t str,
    faults: Vec<Fault>,
}

impl<'t> HttpsUrl<'t> {
    /// Takes `text` apart. There is always a result; [`faults`](Self::faults) says what it is worth.
    #[must_use]
    pub fn read(text: &'t str) -> Self {
        let mut url = Self::read_alone(text);
        if url.is_readable() {
            url.second_opinion();
            url.faults
                .sort_by_key(|fault| (fault.at.start, fault.at.end));
        }
        url
    }

    /// The same without asking what the usual parser sees, for where there are many URLs.
    #[must_use]
    pub fn read_alone(text: &'t str) -> Self {
        let mut url = HttpsUrl {
            text,
            userinfo: None,
            host: "",
            port: None,
            rest: "",
            faults: Vec::new(),
        };
        let Some((scheme, after)) = text.split_at_checked("https://".len()) else {
            url.fault(FaultKind::NotHttps, 0..text.len());
            return url;
        };
        if !scheme.eq_ignore_ascii_case("https://") {
            url.fault(FaultKind::NotHttps, 0..scheme.len());
            return url;
        }
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        let (authority, rest) = after.split_at(end);
        url.rest = rest;
        let plain = is_plain(text);
        if !plain {
            url.blanks();
        }
        let host_at = url.authority(authority, scheme.len());
        for part in [
            0..scheme.len() - "://".len(),
            host_at..host_at + url.host.len(),
        ] {
            if text[part.clone()]
                .bytes()
                .any(|byte| byte.is_ascii_uppercase())
            {
                url.fault(FaultKind::Capitals, part);
            }
        }
        url.dot_step(scheme.len() + end);
        if !plain {
            url.odd_characters(scheme.len() + end);
        }
        url.faults
            .sort_by_key(|fault| (fault.at.start, fault.at.end));
        url
    }

    fn fault(&mut self, kind: FaultKind, at: Range<usize>) {
        self.faults.push(Fault { kind, at });
    }

    fn blanks(&mut self) {
        let bad = |c: char| c.is_whitespace() || c.is_control();
        if let Some(at) = self.text.find(bad) {
            let len = self.text[at..].chars().next().map_or(1, char::len_utf8);
            self.fault(FaultKind::BlankOrControl, at..at + len);
        }
    }

    /// Splits user information, host and port, and says where the host begins.
    fn authority(&mut self, authority: &'t str, at: usize) -> usize {
        // Parsers that take \ for / end the host here, and others do not.
        if let Some(found) = authority.find('\\') {
            self.fault(FaultKind::HostCharacter, at + found..at + found + 1);
        }
        // The last @ decides, as it does for every parser: what stands before it is no host.
        let (userinfo, host_port) = match authority.rsplit_once('@') {
            Some((userinfo, host_port)) => (Some(userinfo), host_port),
            None => (None, authority),
        };
        self.userinfo = userinfo;
        let host_at = at + authority.len() - host_port.len();
        if userinfo.is_some() {
            self.fault(FaultKind::UserInfo, at..host_at);
        }
        let bracket = host_port
            .starts_with('[')
            .then(|| host_port.find(']'))
            .flatten();
        let host_len = match bracket {
            Some(close) => close + 1,
            None => host_port.find(':').unwrap_or(host_port.len()),
        };
        let (host, port) = host_port.split_at(host_len);
        self.host = host;
        self.host_faults(host_at);
        self.port_faults(port, host_at + host_len);
        host_at
    }

    fn host_faults(&mut self, at: usize) {
        let host = self.host;
        let whole = at..at + host.len();
        if host.is_empty() {
            self.fault(FaultKind::NoHost, whole);
            return;
        }
        if host.starts_with('[') {
            let inner = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
            match inner.map(|inner| (inner, inner.parse::<Ipv6Addr>())) {
                // Others write it in its shortest form without a word.
                Some((inner, Ok(address))) if !inner.eq_ignore_ascii_case(&address.to_string()) => {
                    self.fault(FaultKind::DisputedHost, whole);
                }
                Some((_, Ok(_))) => {}
                Some((_, Err(_))) | None => self.fault(FaultKind::BadIpv6, whole),
            }
            return;
        }
        if !host.is_ascii() {
            self.fault(FaultKind::UnicodeHost, whole);
            return;
        }
        // A backslash was reported already.
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '\\');
        if let Some(bad) = host.find(|c| !allowed(c)) {
            self.fault(FaultKind::HostCharacter, at + bad..at + bad + 1);
            return;
        }
        if host.ends_with('.') {
            self.fault(FaultKind::TrailingDot, whole.end - 1..whole.end);
        }
        let last = host
            .trim_end_matches('.')
            .rsplit('.')
            .next()
            .unwrap_or_default();
        let hexadecimal = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
        let numeric = last.starts_with(|c: char| c.is_ascii_digit())
            && (last.bytes().all(|byte| byte.is_ascii_digit())
                || hexadecimal.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit())));
        if numeric && host.parse::<Ipv4Addr>().is_err() {
            self.fault(FaultKind::OddIpv4, whole);
        }
    }

    fn port_faults(&mut self, port: &str, at: usize) {
        let whole = at..at + port.len();
        let Some(digits) = port.strip_prefix(':') else {
            if !port.is_empty() {
                self.fault(FaultKind::HostCharacter, whole);
            }
            return;
        };
        if digits.is_empty() {
            self.fault(FaultKind::EmptyPort, whole);
            return;
        }
        let number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let significant = digits.trim_start_matches('0');
        match significant.parse::<u16>().ok().filter(|_| number) {
            None => self.fault(FaultKind::BadPort, whole),
            Some(port) => {
                if port == 443 {
                    self.fault(FaultKind::DefaultPort, whole.clone());
                } else {
                    self.port = Some(port);
                }
                if significant.len() < digits.len() {
                    self.fault(FaultKind::PortZeros, whole);
                }
            }
        }
    }

    /// A step of the path that would be resolved. `at` is where the path begins.
    fn dot_step(&mut self, at: usize) {
        let mut step_at = at;
        for step in self.path_text().split('/') {
            if is_dot_step(step) {
                self.fault(FaultKind::DotStep, step_at..step_at + step.len());
                break;
            }
            step_at += step.len() + 1;
        }
    }

    /// Characters in path, query and fragment that should not be there as they are.
    fn odd_characters(&mut self, at: usize) {
        let rest = self.rest;
        if let Some(found) = rest.find('\\') {
            self.fault(FaultKind::Backslash, at + found..at + found + 1);
        }
        let unencoded = |c: char| {
            !c.is_ascii() && !c.is_whitespace() && !c.is_control()
                || matches!(c, '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}')
        };
        if let Some(found) = rest.find(unencoded) {
            let len = rest[found..].chars().next().map_or(1, char::len_utf8);
            self.fault(FaultKind::Unencoded, at + found..at + found + len);
        }
        let bytes = rest.as_bytes();
        let bad = (0..bytes.len()).find(|&i| {
            let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_hexdigit);
            bytes[i] == b'%' && !(digit(i + 1) && digit(i + 2))
        });
        if let Some(found) = bad {
            self.fault(FaultKind::BadPercent, at + found..at + found + 1);
        }
    }

    /// Asks the parser that most software uses which host it sees.
    fn second_opinion(&mut self) {
        let same = ::url::Url::parse(self.text).is_ok_and(|other| {
            let host = other.host_str().unwrap_or_default();
            host.eq_ignore_ascii_case(self.host)
                && other.port_or_known_default() == Some(self.port())
        });
        let explained = |fault: &Fault| matches!(fault.kind, FaultKind::OddIpv4);
        // The same IPv6 address has several spellings; they are not different hosts.
        if !same && !self.host.starts_with('[') && !self.faults.iter().any(explained) {
            let host_at = self.host.as_ptr().addr() - self.text.as_ptr().addr();
            self.fault(FaultKind::DisputedHost, host_at..host_at + self.host.len());
        }
    }

    fn port(&self) -> u16 {
        self.port.unwrap_or(443)
    }

    /// Everything that is wrong with it, in the order of the text. Empty: an HTTPS URL in canonical form.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Whether it is an HTTPS URL with a host in ASCII, in canonical form or not.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.faults
            .iter()
            .all(|fault| fault.kind.gravity() < Gravity::Broken)
    }

    /// The path as it is written, up to `?` or `#`.
    #[must_use]
    pub fn path_text(&self) -> &'t str {
        let end = self.rest.find(['?', '#']).unwrap_or(self.rest.len());
        &self.rest[..end]
    }

    /// The URL in the form that rules G1 and G2 ask for: scheme and host in lower case, no `:443`. Nothing
    /// else is changed. `None` when it [cannot be read](Self::is_readable).
    #[must_use]
    pub fn normalised(&self) -> Option<String> {
        let origin = self.origin()?;
        let userinfo = self
            .userinfo
            .map(|user| format!("{user}@"))
            .unwrap_or_default();
        let port = origin
            .port
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        Some(format!(
            "https://{userinfo}{}{port}{}",
            origin.host, self.rest
        ))
    }

    /// What RFC 6454 compares: scheme, host and port in canonical form. `None` when it
    /// [cannot be read](Self::is_readable).
    #[must_use]
    pub fn origin(&self) -> Option<Origin> {
        self.is_readable().then(|| Origin {
            host: self.host.to_ascii_lowercase(),
            port: self.port,
        })
    }
}

/// Whether a text has only characters that no rule about single characters forbids: the common case, in one pass.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| {
        byte.is_ascii_graphic()
            && !matches!(
                byte,
                b'"' | b'%' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{'..=b'}'
            )
    })
}

/// `.` or `..`, in whatever way the dots are written.
fn is_dot_step(step: &str) -> bool {
    if !step.starts_with(['.', '%']) || step.len() > "%2e%2e".len() {
        return false;
    }
    matches!(
        step.to_ascii_lowercase().replace("%2e", ".").as_str(),
        "." | ".."
    )
}

/// Whether `text` is `[a-z0-9]([a-z0-9-]*[a-z0-9])?` from its first to its last character: the grammar of
/// slugs (ERC-8257 §6) and tags (§2). The lengths are judged elsewhere.
#[must_use]
pub fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().copied().is_some_and(inner)
        && bytes.last().copied().is_some_and(inner)
        && bytes.iter().all(|&byte| inner(byte) || byte == b'-')
}
