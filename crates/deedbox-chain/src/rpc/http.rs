//! One POST to one URL: the only place that connects, and the only one that sees the URL and the headers.

use std::{error::Error, fmt, time::Duration};

use reqwest::{
    Certificate, Client, Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
    redirect, retry,
};

use super::trouble::Trouble;
use crate::EndpointConfig;

/// What came back.
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The header `Retry-After` as it is.
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// A URL with all that is needed to post to it.
///
/// No redirection is followed and no proxy is used: either would take a key in the URL somewhere else, and a proxy named by the
/// environment would be a setting that this room must not read. Nothing is decompressed, so `max_body` is what it says.
pub(crate) struct Http {
    client: Client,
    url: Url,
    headers: HeaderMap,
    timeout: Duration,
    max_body: usize,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").finish_non_exhaustive()
    }
}

impl Http {
    /// Connects to nothing. The error is for the operator and repeats nothing of the URL or of a header's value.
    pub(crate) fn new(config: &EndpointConfig) -> Result<Self, String> {
        let url = Url::parse(config.url.reveal()).map_err(|_| "its URL is none".to_owned())?;
        let secure = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err("its URL must begin with https:// or http://".to_owned()),
        };
        let mut builder = Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .user_agent(concat!("deedbox/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(config.timeout);
        let extra = authorities(config.ca_pem.as_deref())?;
        builder = if secure {
            builder.tls_certs_merge(extra)
        } else {
            // The system's certificates are not read where they are not needed.
            builder.tls_certs_only([])
        };
        Ok(Self {
            client: builder
                .build()
                .map_err(|_| "the system's certificates cannot be read".to_owned())?,
            url,
            headers: headers(config)?,
            timeout: config.timeout,
            max_body: config.max_body,
        })
    }

    /// `text` without anything that may be a key: the values of the headers, and every piece of the URL. A piece that is too short for
    /// a key, like `v2`, stays.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        const SHORTEST: usize = 5;
        let headers = self.headers.values().filter(|value| value.is_sensitive());
        let headers = headers.filter_map(|value| value.to_str().ok());
        let url = &self.url;
        let parts = [
            Some(url.username()),
            url.password(),
            url.host_str(),
            url.query(),
        ];
        let path = url.path_segments().into_iter().flatten();
        let query: Vec<_> = url.query_pairs().map(|(_, value)| value).collect();
        let mut secrets: Vec<&str> = headers
            .chain(parts.into_iter().flatten())
            .chain(path)
            .chain(query.iter().map(|value| &**value))
            .filter(|secret| secret.len() >= SHORTEST)
            .collect();
        // A longer one may hold a shorter one.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let mut text = text.to_owned();
        for secret in secrets {
            text = text.replace(secret, "…");
        }
        text
    }

    /// How many bytes are read at most, as configured.
    pub(crate) const fn max_body(&self) -> usize {
        self.max_body
    }

    /// Posts `body` and reads what comes back, in at most the configured time: as many bytes as are configured, or `at_least` so many.
    pub(crate) async fn post(&self, body: String, at_least: usize) -> Result<Reply, Trouble> {
        tokio::time::timeout(self.timeout, self.exchange(body, at_least))
            .await
            .unwrap_or(Err(Trouble::TimedOut))
    }

    async fn exchange(&self, body: String, at_least: usize) -> Result<Reply, Trouble> {
        let request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .body(body);
        let response = request.send().await.map_err(|error| trouble(&error))?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let body = read(response, self.max_body.max(at_least)).await?;
        Ok(Reply {
            status,
            retry_after,
            body,
        })
    }
}

async fn read(mut response: Response, most: usize) -> Result<Vec<u8>, Trouble> {
    let announced = response.content_length().unwrap_or(0);
    if usize::try_from(announced).map_or(true, |length| length > most) {
        return Err(Trouble::ResponseTooLarge);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| trouble(&error))? {
        if chunk.len() > most - body.len() {
            return Err(Trouble::ResponseTooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn authorities(pem: Option<&[u8]>) -> Result<Vec<Certificate>, String> {
    let Some(pem) = pem else {
        return Ok(Vec::new());
    };
    match Certificate::from_pem_bundle(pem) {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err("its file of certificates holds none (PEM)".to_owned()),
    }
}

fn headers(config: &EndpointConfig) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in &config.headers {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("{name:?} is no name of a header"))?;
        let mut value = HeaderValue::from_str(value.reveal())
            .map_err(|_| format!("the value of its header {name} holds what no header may"))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The cause is looked for in the errors' texts, because the TLS library's types are not ours to name.
fn trouble(error: &reqwest::Error) -> Trouble {
    if error.is_timeout() {
        return Trouble::TimedOut;
    }
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if text.contains("certificate") || text.contains("fatal alert") {
            return Trouble::Tls;
        }
        cause = inner.source();
    }
    Trouble::Unreachable
}
