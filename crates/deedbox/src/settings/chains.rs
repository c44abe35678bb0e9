//! Chains that may be read, from `deedbox.toml` and in their short form `ID=URL`.
//!
//! An endpoint's URL and headers may stand in the environment, and its certificates in a file of their own. Those are
//! looked up by [`ChainSetting::config`], which only the commands that read chains call: the others must not fail because a
//! secret is not at hand.

use std::{
    fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
};

use deedbox_chain::{
    ChainConfig, EndpointConfig,
    config::{self, MULTICALL3},
};
use deedbox_core::{EndpointId, evidence::MAX_EXACT};
use deedbox_id::Address;
use serde_json::{Value, json};
use url::Url;

use super::{Environment, Raw, Secret, Source, endpoint};
use crate::failure::Failure;

/// A chain as it was written.
#[derive(Clone, Debug)]
pub(crate) struct ChainSetting {
    /// Its id (EIP-155).
    pub(crate) id: u64,
    /// What people call it.
    pub(crate) name: String,
    /// Its native currency. None: nobody said, and the chain is not a known one.
    pub(crate) native: Option<Native>,
    /// Where Multicall3 stands, if it does.
    pub(crate) multicall: Option<Address>,
    /// How many blocks below the newest one a block is final where no endpoint says so; none where nobody said.
    pub(crate) finality_depth: Option<NonZeroU32>,
    /// Its endpoints, the preferred one first.
    pub(crate) endpoints: Vec<EndpointSetting>,
    /// Where it was written.
    pub(crate) source: Source,
}

/// A chain's native currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Native {
    /// Its symbol.
    pub(crate) symbol: String,
    /// How many digits stand behind the point.
    pub(crate) decimals: u8,
}

/// An endpoint as it was written.
#[derive(Clone, Debug)]
pub(crate) struct EndpointSetting {
    /// Its id and its limits. URL, headers and certificates are empty here.
    pub(crate) limits: EndpointConfig,
    /// Where it is.
    pub(crate) url: Given,
    /// The headers that it wants.
    pub(crate) headers: Vec<(String, Given)>,
    /// A file of certificates (PEM) that are trusted besides the system's.
    pub(crate) ca_file: Option<PathBuf>,
    /// Where it was written.
    pub(crate) source: Source,
}

/// A secret, or the variable that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// As it was written.
    Here(Secret),
    /// In this variable, when it is needed.
    Variable(String),
}

impl Given {
    fn find<'a>(&'a self, environment: &'a Environment) -> Result<&'a str, String> {
        match self {
            Self::Here(secret) => Ok(&secret.0),
            Self::Variable(name) => environment
                .variable(name)
                .ok_or_else(|| format!("the environment variable {name} is not set")),
        }
    }

    /// The variable's name, if it is in one.
    pub(crate) fn variable(&self) -> Option<&str> {
        match self {
            Self::Here(_) => None,
            Self::Variable(name) => Some(name),
        }
    }
}

/// Chains that are widely known: id, name, symbol of the native currency. All of these have 18 decimals.
const KNOWN: [(u64, &str, &str); 28] = [
    (1, "Ethereum", "ETH"),
    (10, "OP Mainnet", "ETH"),
    (30, "Rootstock", "RBTC"),
    (31, "Rootstock Testnet", "tRBTC"),
    (56, "BNB Smart Chain", "BNB"),
    (97, "BNB Smart Chain Testnet", "tBNB"),
    (100, "Gnosis", "xDAI"),
    (130, "Unichain", "ETH"),
    (137, "Polygon", "POL"),
    (324, "ZKsync Era", "ETH"),
    (1337, "local development chain", "ETH"),
    (5000, "Mantle", "MNT"),
    (8453, "Base", "ETH"),
    (17000, "Holesky", "ETH"),
    (31337, "local development chain", "ETH"),
    (42161, "Arbitrum One", "ETH"),
    (42220, "Celo", "CELO"),
    (43113, "Avalanche Fuji", "AVAX"),
    (43114, "Avalanche", "AVAX"),
    (59144, "Linea", "ETH"),
    (80002, "Polygon Amoy", "POL"),
    (81457, "Blast", "ETH"),
    (84532, "Base Sepolia", "ETH"),
    (421_614, "Arbitrum Sepolia", "ETH"),
    (534_352, "Scroll", "ETH"),
    (560_048, "Hoodi", "ETH"),
    (11_155_111, "Sepolia", "ETH"),
    (11_155_420, "OP Sepolia", "ETH"),
];

impl ChainSetting {
    /// A chain of which nothing is said but its id.
    pub(super) fn new(id: u64, source: Source) -> Self {
        let known = KNOWN.iter().find(|known| known.0 == id);
        Self {
            id,
            name: known.map_or_else(|| format!("chain {id}"), |known| known.1.to_owned()),
            native: known.map(|known| Native {
                symbol: known.2.to_owned(),
                decimals: 18,
            }),
            multicall: Some(MULTICALL3),
            finality_depth: None,
            endpoints: Vec::new(),
            source,
        }
    }

    /// Whether a variable of this name holds something of it.
    pub(super) fn names(&self, variable: &str) -> bool {
        let mut given = self.endpoints.iter().flat_map(|endpoint| {
            let headers = endpoint.headers.iter().map(|(_, given)| given);
            headers.chain([&endpoint.url])
        });
        given.any(|given| given.variable() == Some(variable))
    }

    /// Everything that it takes to read the chain.
    ///
    /// # Errors
    /// A variable or a file that it names cannot be used; never with what stands in it.
    pub(crate) fn config(&self, environment: &Environment) -> Result<ChainConfig, Failure> {
        let native = self.native.clone().ok_or_else(|| self.lacks_native())?;
        Ok(ChainConfig {
            id: self.id,
            name: self.name.clone(),
            native_symbol: native.symbol,
            native_decimals: native.decimals,
            multicall: self.multicall,
            finality_depth: self.finality_depth,
            endpoints: self
                .endpoints
                .iter()
                .map(|endpoint| self.endpoint(endpoint, environment))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Nothing is guessed: with 18 instead of 6 decimals every balance is wrong, and looks right.
    fn lacks_native(&self) -> Failure {
        let id = self.id;
        self.wrong(format!(
            "the native currency of chain {id} is not known: add [chains.{id}] with native = {{ symbol = \"…\", decimals = … }} to deedbox.toml"
        ))
    }

    fn wrong(&self, reason: String) -> Failure {
        Failure::Setting {
            name: "chains",
            reason,
            source_of: self.source.clone(),
        }
    }

    /// Whether everything is said that a chain needs.
    fn check(&self) -> Result<(), Failure> {
        let id = self.id;
        if self.endpoints.is_empty() {
            return Err(self.wrong(format!(
                "chain {id} has no endpoint: write [[chains.{id}.endpoints]] with a url below it"
            )));
        }
        match self.native {
            Some(_) => Ok(()),
            None => Err(self.lacks_native()),
        }
    }

    fn endpoint(
        &self,
        endpoint: &EndpointSetting,
        environment: &Environment,
    ) -> Result<EndpointConfig, Failure> {
        let refuse = |reason: String| Failure::Setting {
            name: "chains",
            reason: format!(
                "chain {}, endpoint {}: {reason}",
                self.id, endpoint.limits.id
            ),
            source_of: endpoint.source.clone(),
        };
        let url = endpoint.url.find(environment).map_err(refuse)?;
        let variable = |given: &Given, reason: &str| match given.variable() {
            Some(name) => format!("the environment variable {name} {reason}"),
            None => reason.to_owned(),
        };
        endpoint::url(url).map_err(|reason| refuse(variable(&endpoint.url, reason)))?;
        let header = |(name, given): &(String, Given)| {
            let value = given.find(environment).map_err(refuse)?;
            endpoint::header_value(value)
                .map_err(|reason| refuse(format!("header {name}: {}", variable(given, reason))))?;
            Ok((name.clone(), config::Secret::new(value)))
        };
        let ca_pem = endpoint.ca_file.as_deref().map(fs::read).transpose();
        Ok(EndpointConfig {
            url: config::Secret::new(url),
            headers: endpoint
                .headers
                .iter()
                .map(header)
                .collect::<Result<_, Failure>>()?,
            ca_pem: ca_pem.map_err(|source| Failure::CannotRead {
                path: endpoint.ca_file.clone().unwrap_or_default(),
                source,
            })?,
            ..endpoint.limits.clone()
        })
    }

    /// What may be shown of it: of a URL no more than its scheme and host, of headers their names.
    pub(crate) fn shown(&self, environment: &Environment) -> Value {
        let endpoint = |endpoint: &EndpointSetting| {
            let url = endpoint.url.find(environment).ok().map(masked);
            json!({
                "id": endpoint.limits.id,
                "url": url,
                "url_env": endpoint.url.variable(),
                "headers": endpoint.headers.iter().map(|(name, _)| name).collect::<Vec<_>>(),
                "ca_file": endpoint.ca_file.as_ref().map(|path| path.display().to_string()),
                "max_concurrent": endpoint.limits.max_concurrent,
                "max_waiting": endpoint.limits.max_waiting,
                "max_batch": endpoint.limits.max_batch,
                "max_log_blocks": endpoint.limits.max_log_blocks,
                "timeout_ms": u64::try_from(endpoint.limits.timeout.as_millis()).unwrap_or(u64::MAX),
                "max_body": endpoint.limits.max_body,
                "attempts": endpoint.limits.attempts,
                "source": endpoint.source.to_string(),
            })
        };
        json!({
            "chain_id": self.id,
            "name": self.name,
            "native": self.native.as_ref().map(|native| json!({"symbol": native.symbol, "decimals": native.decimals})),
            "multicall": self.multicall.map(|address| address.to_string()),
            "finality_depth": self.finality_depth,
            "endpoints": self.endpoints.iter().map(endpoint).collect::<Vec<_>>(),
            "source": self.source.to_string(),
        })
    }
}

/// A URL without what may be secret in it: its path and its query often hold a key.
pub(crate) fn masked(text: &str) -> String {
    let Ok(url) = Url::parse(text) else {
        return "***".to_owned();
    };
    let host = url.host_str().unwrap_or("***");
    let port = url
        .port()
        .map_or_else(String::new, |port| format!(":{port}"));
    let bare = matches!(url.path(), "" | "/") && url.query().is_none();
    let rest = if bare { "" } else { "/…" };
    format!("{}://{host}{port}{rest}", url.scheme())
}

/// What an endpoint is called that was given no id: by its place, counted from 0. One that was named on a command line or
/// in the environment says so, because evidence should show that the file of the installation does not have it.
pub(super) fn default_id(source: &Source, index: usize) -> EndpointId {
    let from = match source {
        Source::Flag(_) => "flag-",
        Source::Variable(_) => "env-",
        Source::File(..) | Source::Default => "",
    };
    let name = format!("{from}e{}", index.saturating_add(1));
    // Well-formed: letters, a hyphen and digits, far below 64 of them.
    name.parse().unwrap_or(EndpointId::known("e0"))
}

/// Reads `ID=URL` items. The endpoints of one id stand together, in the order in which they were given.
///
/// # Errors
/// Which item is wrong, by its number, and what is expected; never the URL.
pub(super) fn short(raw: &Raw) -> Result<Vec<ChainSetting>, String> {
    let mut chains: Vec<ChainSetting> = Vec::new();
    if raw.texts.is_empty() {
        return Err("must name at least one chain, as ID=URL".to_owned());
    }
    for (index, text) in raw.texts.iter().enumerate() {
        let wrong = |reason: &str| format!("item {}: {reason}", index.saturating_add(1));
        let (id, url) = text
            .split_once('=')
            .ok_or_else(|| wrong("must be ID=URL, like 1=https://rpc.example.org"))?;
        let id = chain_id(id).ok_or_else(|| wrong(NOT_A_CHAIN))?;
        if holds_another(url) {
            return Err(wrong(
                "holds two chains: give each its own --chain, or its own text in the array",
            ));
        }
        endpoint::url(url).map_err(wrong)?;
        let at = chains.iter().position(|chain| chain.id == id);
        let at = at.unwrap_or_else(|| {
            chains.push(ChainSetting::new(id, raw.source.clone()));
            chains.len().saturating_sub(1)
        });
        let chain = &mut chains[at];
        chain.endpoints.push(EndpointSetting {
            limits: EndpointConfig::new(
                default_id(&raw.source, chain.endpoints.len()),
                config::Secret::new(""),
            ),
            url: Given::Here(Secret(url.to_owned())),
            headers: Vec::new(),
            ca_file: None,
            source: raw.source.clone(),
        });
    }
    Ok(chains)
}

/// What an id is.
pub(super) const NOT_A_CHAIN: &str =
    "a chain's id is a decimal number without leading zeros, from 1 to 9007199254740991";

pub(super) fn chain_id(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|id| plain && *id <= MAX_EXACT)
}

/// Whether a URL goes on with `,10=https://…`. It would be part of its path, and the second chain be missing.
fn holds_another(url: &str) -> bool {
    url.split(',').skip(1).any(|rest| {
        let (id, rest) = rest.trim_start().split_once('=').unwrap_or_default();
        chain_id(id).is_some() && rest.to_ascii_lowercase().starts_with("http")
    })
}

/// The chains of the file; where one was given in short form too, with those endpoints and no others. What the chain is
/// (its name, its native currency) does not depend on where it is read. By id.
///
/// # Errors
/// Of which chain too little is said.
pub(super) fn merged(
    mut all: Vec<ChainSetting>,
    short: Vec<ChainSetting>,
) -> Result<Vec<ChainSetting>, Failure> {
    for given in short {
        match all.iter_mut().find(|chain| chain.id == given.id) {
            Some(chain) => {
                chain.endpoints = given.endpoints;
                chain.source = given.source;
            }
            None => all.push(given),
        }
    }
    all.sort_by_key(|chain| chain.id);
    all.iter().try_for_each(ChainSetting::check)?;
    Ok(all)
}

/// A path that stands in the file starts at the file's folder.
pub(super) fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}
