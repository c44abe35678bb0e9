//! From names to addresses that may be connected to.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use async_trait::async_trait;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::{FetchError, address};

/// The most addresses of either family that are tried: who names a thousand shall not have a thousand asked.
const MOST_TRIED: usize = 4;

/// What knows the addresses of names: the system does, and tests have their own.
#[async_trait]
pub trait Resolver: fmt::Debug + Send + Sync {
    /// Every address of a name, in the order in which they are to be tried. Asked once for each fetch, and what it says is kept for
    /// that fetch only.
    ///
    /// # Errors
    /// When the name has none, or nobody could be asked.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's own.
#[derive(Debug)]
pub(crate) struct System;

#[async_trait]
impl Resolver for System {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 443)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Which addresses may be connected to.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// Networks that somebody vouches for.
    pub(crate) allow: Arc<[IpNet]>,
    /// Whether no others may.
    pub(crate) only_allowed: bool,
}

impl Guard {
    /// # Errors
    /// [`FetchError::AddressRefused`], [`FetchError::PortRefused`].
    pub(crate) fn permit(&self, address: IpAddr) -> Result<(), FetchError> {
        let real = address.to_canonical();
        if self.allow.iter().any(|network| network.contains(&real)) {
            return Ok(());
        }
        address::judge(address).map_err(|why| FetchError::AddressRefused { address, why })?;
        if self.only_allowed {
            return Err(FetchError::PortRefused);
        }
        Ok(())
    }

    /// Judges every address of a name, and keeps a few of them. One that is refused refuses the name: an honest name has no such
    /// address, and a name that mixes them is there to have the second one taken.
    fn vet(&self, mut addresses: Vec<IpAddr>) -> Result<Vec<IpAddr>, FetchError> {
        if addresses.is_empty() {
            return Err(FetchError::NameNotFound);
        }
        addresses
            .iter()
            .try_for_each(|&address| self.permit(address))?;
        let (mut v4, mut v6) = (0, 0);
        addresses.retain(|address| {
            let tried = if address.is_ipv4() { &mut v4 } else { &mut v6 };
            *tried += 1;
            *tried <= MOST_TRIED
        });
        Ok(addresses)
    }
}

/// The only way in which the HTTP client learns an address: what it connects to was judged here, and a later answer about the same
/// name cannot change it.
pub(crate) struct Vetting {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) guard: Guard,
}

impl Resolve for Vetting {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, guard) = (Arc::clone(&self.resolver), self.guard.clone());
        Box::pin(async move {
            let found = resolver.resolve(name.as_str()).await;
            let vetted = guard.vet(found.map_err(|_| FetchError::NameNotFound)?)?;
            // The port is the URL's.
            let vetted = vetted
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(vetted) as Addrs)
        })
    }
}
