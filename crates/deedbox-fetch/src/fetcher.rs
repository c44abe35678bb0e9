//! One GET of one URL that a stranger named.

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use ipnet::IpNet;
use reqwest::{
    Certificate, Client, Response, StatusCode,
    header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, LOCATION},
    redirect, retry,
};
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

use crate::{
    FetchError, Resolver, Shown, Stage, body,
    resolve::{Guard, System, Vetting},
    target,
    trouble::{while_answering, while_receiving},
};

/// How much, how long, and where to.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The most bytes of a body, on the wire (without the framing of chunks) and unpacked. Default: 1,048,576, the ceiling of ERC-8257
    /// for a manifest.
    pub max_bytes: usize,
    /// How long resolving a name, connecting and agreeing on TLS may take together. Default: 5 seconds.
    pub connect: Duration,
    /// How long all of it may take, to the last byte of the body. Default: 10 seconds.
    pub deadline: Duration,
    /// Networks that may be connected to although they are special, and on any port: those that the operator vouches for. An
    /// IPv4-mapped address is in the network that its IPv4 address is in. Default: none.
    pub allow: Vec<IpNet>,
    /// Certificates (PEM) that are trusted beside those that the system trusts. Default: none.
    pub roots: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_bytes: 1024 * 1024,
            connect: Duration::from_secs(5),
            deadline: Duration::from_secs(10),
            allow: Vec::new(),
            roots: Vec::new(),
        }
    }
}

/// Rules that no fetcher can be made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRules {
    /// One of [`Rules::roots`], counted from zero, holds no certificate.
    #[error(
        "Root {0} is no certificate in PEM. Give each as a text that begins with -----BEGIN CERTIFICATE-----."
    )]
    Root(usize),
    /// There is nothing to judge certificates by.
    #[error(
        "The system's trusted certificates cannot be read. Install them; the package is often called ca-certificates."
    )]
    NoTrust,
}

/// What was fetched.
#[derive(Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The whole body, unpacked. Whoever wrote it is a stranger.
    pub body: Vec<u8>,
    /// The address that it came from.
    pub address: IpAddr,
    /// How long it took, from resolving the name to the last byte.
    pub elapsed: Duration,
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetched")
            .field("bytes", &self.body.len())
            .field("address", &self.address)
            .field("elapsed", &self.elapsed)
            .finish()
    }
}

/// Fetches what strangers name. One serves any number of fetches, at the same time too; they share no connection and no memory.
pub struct Fetcher {
    rules: Rules,
    /// For port 443.
    usual: Way,
    /// For other ports, which are open in the allowed networks only; none where there are none.
    vouched: Option<Way>,
}

/// A client, and what its connections are guarded by.
struct Way {
    client: Client,
    guard: Guard,
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher")
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

impl Fetcher {
    /// Connects to nothing. Names are resolved by the system.
    ///
    /// # Errors
    /// [`BadRules`].
    pub fn new(rules: Rules) -> Result<Self, BadRules> {
        Self::with_resolver(rules, Arc::new(System))
    }

    /// The same with another resolver. What it answers is judged as the system's answers are.
    ///
    /// # Errors
    /// [`BadRules`].
    pub fn with_resolver(rules: Rules, resolver: Arc<dyn Resolver>) -> Result<Self, BadRules> {
        let way = |only_allowed| {
            let guard = Guard {
                allow: rules.allow.clone().into(),
                only_allowed,
            };
            let vetting = Vetting {
                resolver: Arc::clone(&resolver),
                guard: guard.clone(),
            };
            let client = client(&rules, vetting)?;
            Ok(Way { client, guard })
        };
        Ok(Self {
            usual: way(false)?,
            vouched: (!rules.allow.is_empty()).then(|| way(true)).transpose()?,
            rules,
        })
    }

    /// Judges a URL by its text alone: what is refused here is refused without anybody being asked anything.
    ///
    /// # Errors
    /// [`FetchError::UrlTooLong`], [`FetchError::NotHttps`], [`FetchError::BadUrl`], [`FetchError::PortRefused`], and
    /// [`FetchError::AddressRefused`] for a host that is an address.
    pub fn judge(&self, url: &str) -> Result<(), FetchError> {
        self.target(url).map(|_| ())
    }

    /// Fetches a URL: resolves the host's name once, judges every address of it, connects to one of those, and gives back the body
    /// of an answer with status 200. The content type is not looked at (reading V-14).
    ///
    /// # Errors
    /// [`FetchError`]. There is never a part of a body.
    pub async fn get(&self, url: &str) -> Result<Fetched, FetchError> {
        let started = Instant::now();
        let deadline = started + self.rules.deadline;
        let late = |stage| FetchError::Timeout {
            stage,
            within: self.rules.deadline,
        };
        let (client, url) = self.target(url)?;
        let response = timeout_at(deadline, client.get(url).send())
            .await
            .map_err(|_| late(Stage::Head))?
            .map_err(|error| while_answering(&error, self.rules.connect))?;
        let address = response.remote_addr().ok_or(FetchError::BadAnswer)?.ip();
        accept(&response)?;
        let packing = body::Packing::of(response.headers())?;
        let wire = timeout_at(deadline, receive(response, self.rules.max_bytes))
            .await
            .map_err(|_| late(Stage::Body))??;
        Ok(Fetched {
            body: packing.open(wire, self.rules.max_bytes)?,
            address,
            elapsed: started.elapsed(),
        })
    }

    /// What to connect with, and to what.
    fn target(&self, text: &str) -> Result<(&Client, Url), FetchError> {
        let url = target::read(text)?;
        let way = if url.port_or_known_default() == Some(443) {
            &self.usual
        } else {
            self.vouched.as_ref().ok_or(FetchError::PortRefused)?
        };
        // The client asks no resolver about addresses.
        match url.host() {
            Some(Host::Ipv4(address)) => way.guard.permit(address.into())?,
            Some(Host::Ipv6(address)) => way.guard.permit(address.into())?,
            Some(Host::Domain(_)) | None => {}
        }
        Ok((&way.client, url))
    }
}

/// Each thing that is switched off is switched off in words: other crates of a program can switch on a default.
fn client(rules: &Rules, vetting: Vetting) -> Result<Client, BadRules> {
    let roots = rules.roots.iter().enumerate().map(|(at, pem)| {
        let found = Certificate::from_pem_bundle(pem.as_bytes());
        found
            .ok()
            .filter(|found| !found.is_empty())
            .ok_or(BadRules::Root(at))
    });
    let roots: Vec<_> = roots.collect::<Result<_, _>>()?;
    // Packed bodies cost more to bound; a server that packs anyway is understood.
    let headers = [(ACCEPT_ENCODING, HeaderValue::from_static("identity"))];
    Client::builder()
        .https_only(true)
        .tls_certs_merge(roots.into_iter().flatten())
        .user_agent(concat!("deedbox/", env!("CARGO_PKG_VERSION")))
        .default_headers(HeaderMap::from_iter(headers))
        .dns_resolver(vetting)
        // A proxy would resolve the name again and connect where it likes, so nothing here would be judged.
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .retry(retry::never())
        // A connection that is kept is an address that is not judged again.
        .pool_max_idle_per_host(0)
        // Less that a stranger can play with. Every server speaks it.
        .http1_only()
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .connect_timeout(rules.connect)
        .build()
        .map_err(|_| BadRules::NoTrust)
}

/// Status 200 and nothing else.
fn accept(response: &Response) -> Result<(), FetchError> {
    let status = response.status();
    if status.is_redirection() {
        let location = response.headers().get(LOCATION);
        return Err(FetchError::RedirectRefused {
            status: status.as_u16(),
            location: location.map(|value| Shown::of(value.as_bytes())),
        });
    }
    if status == StatusCode::OK {
        Ok(())
    } else {
        Err(FetchError::Status(status.as_u16()))
    }
}

/// The body as it is on the wire. Stops reading at the limit; before the first byte when more is announced.
async fn receive(mut response: Response, limit: usize) -> Result<Vec<u8>, FetchError> {
    let too_large = FetchError::TooLarge {
        limit,
        unpacked: false,
    };
    let announced = response.content_length().unwrap_or(0);
    if usize::try_from(announced).map_or(true, |length| length > limit) {
        return Err(too_large);
    }
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| while_receiving(&error))?
    {
        if piece.len() > limit - body.len() {
            return Err(too_large);
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}
