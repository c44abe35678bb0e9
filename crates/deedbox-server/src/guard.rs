//! Keeping browsers of strangers out: a page from elsewhere must not be able to talk to a Deedbox on the
//! same machine or network, neither directly (`Origin`) nor by pointing its own name at it (`Host`, DNS
//! rebinding). Checked on every route, before anything else looks at the request.

use http::{HeaderMap, Uri, header, uri::Authority};

/// Which hosts and origins are served.
#[derive(Clone, Debug)]
pub struct Guard {
    hosts: Vec<Allowed>,
    origins: Vec<(String, Allowed)>,
}

/// Why a request is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnedAway {
    /// There is no `Host`, or it does not read as one (RFC 9112 §3.2).
    #[error("a Host header is required")]
    NoHost,
    /// The server is not known under this name.
    #[error(
        "this server does not answer to that Host; the operator can add it to the allowed hosts"
    )]
    Host,
    /// A page from there may not use this server.
    #[error("that Origin may not use this server; the operator can add it to the allowed origins")]
    Origin,
}

/// Why an entry of a list is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not {1}")]
pub struct BadEntry(String, &'static str);

impl BadEntry {
    /// Whatever stands before an `@` may be a password, and is left out.
    fn new(entry: &str, expected: &'static str) -> Self {
        let shown = match entry.rsplit_once('@') {
            Some((_, rest)) => format!("…@{rest}"),
            None => entry.to_owned(),
        };
        Self(shown, expected)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Allowed {
    name: Name,
    port: Port,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Any,
    Is(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Any,
    Is(u16),
}

impl Allowed {
    fn parse(entry: &str, without_port: Port) -> Option<Self> {
        if entry == "*" {
            return Some(Self {
                name: Name::Any,
                port: Port::Any,
            });
        }
        let (entry, port) = match entry.strip_suffix(":*") {
            Some(rest) => (rest, Some(Port::Any)),
            None => (entry, None),
        };
        // A bare IPv6 address, as people write it, is not an authority.
        let bracketed = entry
            .parse::<std::net::Ipv6Addr>()
            .map(|v6| format!("[{v6}]"));
        let authority: Authority = bracketed.as_deref().unwrap_or(entry).parse().ok()?;
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return None;
        }
        Some(Self {
            name: Name::Is(authority.host().to_ascii_lowercase()),
            port: port
                .or_else(|| authority.port_u16().map(Port::Is))
                .unwrap_or(without_port),
        })
    }

    fn admits(&self, host: &str, port: Option<u16>) -> bool {
        let named = match &self.name {
            Name::Any => true,
            Name::Is(name) => name.eq_ignore_ascii_case(host),
        };
        named
            && match self.port {
                Port::Any => true,
                Port::Is(only) => port == Some(only),
            }
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

fn split_origin(origin: &str) -> Option<(String, &str)> {
    let (scheme, rest) = origin.split_once("://")?;
    (!scheme.is_empty() && !rest.is_empty() && !rest.contains(['/', '?', '#', '@']))
        .then(|| (scheme.to_ascii_lowercase(), rest))
}

impl Guard {
    /// `hosts`: `name`, `name:port`, `[v6]:port`, or `*`; a name without a port is allowed on each.
    /// `origins`: `scheme://name[:port]`, or `scheme://name:*`; without a port only the scheme's own is meant.
    ///
    /// # Errors
    /// [`BadEntry`] when an entry has another form.
    pub fn new(hosts: &[String], origins: &[String]) -> Result<Self, BadEntry> {
        let hosts = hosts
            .iter()
            .map(|entry| {
                Allowed::parse(entry, Port::Any)
                    .ok_or_else(|| BadEntry::new(entry, "a host: expected name or name:port"))
            })
            .collect::<Result<_, _>>()?;
        let origins = origins
            .iter()
            .map(|entry| {
                let (scheme, rest) = split_origin(entry)?;
                let own = default_port(&scheme).map_or(Port::Any, Port::Is);
                Some((scheme, Allowed::parse(rest, own)?))
            })
            .zip(origins)
            .map(|(read, entry)| {
                read.ok_or_else(|| {
                    BadEntry::new(
                        entry,
                        "an origin: expected https://name or https://name:port",
                    )
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { hosts, origins })
    }

    /// As [`Guard::new`], with the host and origin of `public_url` besides.
    ///
    /// # Errors
    /// [`BadEntry`] when an entry or the URL has another form.
    pub fn with_own(
        public_url: &str,
        hosts: &[String],
        origins: &[String],
    ) -> Result<Self, BadEntry> {
        let (_, authority) = split_origin(public_url).ok_or_else(|| {
            BadEntry::new(
                public_url,
                "a public URL: expected https://name or https://name:port, without a path",
            )
        })?;
        let with = |entries: &[String], own: &str| {
            let own = std::iter::once(own.to_owned());
            own.chain(entries.iter().cloned()).collect::<Vec<_>>()
        };
        Self::new(&with(hosts, authority), &with(origins, public_url))
    }

    /// Checks a request's `Host` (or `:authority`) and `Origin`.
    ///
    /// # Errors
    /// [`TurnedAway`].
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), TurnedAway> {
        let mut named = false;
        for host in headers.get_all(header::HOST) {
            let authority = Authority::try_from(host.as_bytes()).map_err(|_| TurnedAway::NoHost)?;
            self.host(&authority)?;
            named = true;
        }
        if let Some(authority) = uri.authority() {
            self.host(authority)?;
            named = true;
        }
        if !named {
            return Err(TurnedAway::NoHost);
        }
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().map_err(|_| TurnedAway::Origin)?;
            self.origin(origin)?;
        }
        Ok(())
    }

    fn host(&self, authority: &Authority) -> Result<(), TurnedAway> {
        let (host, port) = (authority.host(), authority.port_u16());
        // The parser reads `user@host` and ports that are no number; both name no host of ours.
        let whole = port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let known = authority.as_str() == whole
            && self.hosts.iter().any(|allowed| allowed.admits(host, port));
        known.then_some(()).ok_or(TurnedAway::Host)
    }

    fn origin(&self, origin: &str) -> Result<(), TurnedAway> {
        let (scheme, rest) = split_origin(origin).ok_or(TurnedAway::Origin)?;
        let authority: Authority = rest.parse().map_err(|_| TurnedAway::Origin)?;
        let port = authority.port_u16().or_else(|| default_port(&scheme));
        let known = self
            .origins
            .iter()
            .any(|(own, allowed)| *own == scheme && allowed.admits(authority.host(), port));
        known.then_some(()).ok_or(TurnedAway::Origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        let list = |entries: &[&str]| entries.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>();
        Guard::new(
            &list(&["localhost", "127.0.0.1:7878", "[::1]"]),
            &list(&["https://console.example", "http://localhost:*"]),
        )
        .unwrap()
    }

    fn check(host: Option<&str>, origin: Option<&str>) -> Result<(), TurnedAway> {
        let mut headers = HeaderMap::new();
        if let Some(host) = host {
            headers.insert(header::HOST, host.parse().unwrap());
        }
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        guard().check(&Uri::from_static("/mcp"), &headers)
    }

    #[test]
    fn only_known_hosts_are_served() {
        for good in ["localhost", "LOCALHOST:1", "127.0.0.1:7878", "[::1]:9"] {
            assert_eq!(check(Some(good), None), Ok(()), "{good}");
        }
        for bad in [
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example",
            "localhost.evil.example",
            "[::2]",
            "evil.example@localhost",
            "localhost:evil",
            "localhost:99999",
            "localhost:",
        ] {
            assert_eq!(check(Some(bad), None), Err(TurnedAway::Host), "{bad}");
        }
        assert_eq!(check(None, None), Err(TurnedAway::NoHost));
        assert_eq!(check(Some("a b"), None), Err(TurnedAway::NoHost));
    }

    #[test]
    fn an_absolute_uri_cannot_hide_another_host() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "localhost".parse().unwrap());
        let uri = Uri::from_static("http://evil.example/mcp");
        assert_eq!(guard().check(&uri, &headers), Err(TurnedAway::Host));
    }

    #[test]
    fn only_known_origins_are_served() {
        for good in [
            "https://console.example",
            "https://CONSOLE.example:443",
            "http://localhost:5173",
        ] {
            assert_eq!(check(Some("localhost"), Some(good)), Ok(()), "{good}");
        }
        for bad in [
            "https://console.example:444",
            "http://console.example",
            "https://evil.example",
            "https://console.example.evil.example",
            "https://console.example@evil.example",
            "https://console.example/",
            "null",
            "",
        ] {
            assert_eq!(
                check(Some("localhost"), Some(bad)),
                Err(TurnedAway::Origin),
                "{bad}"
            );
        }
    }

    #[test]
    fn entries_that_mean_nothing_are_refused() {
        for bad in ["", "http://a", "a/b", "u@a"] {
            assert!(Guard::new(&[bad.to_owned()], &[]).is_err(), "{bad:?}");
        }
        let error = Guard::with_own("https://me:secret@a", &[], &[]).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
        for bad in ["", "a", "https://", "https://a/b", "null"] {
            assert!(Guard::new(&[], &[bad.to_owned()]).is_err(), "{bad:?}");
        }
        assert!(Guard::new(&["*".to_owned(), "::1".to_owned()], &[]).is_ok());
    }
}
