//! Certificates that deserve trust, and some that do not.

use std::sync::Arc;

use anyhow::{Context, Result};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::{
    ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer},
};

/// A server's certificate, with the authority that signed it.
#[derive(Debug)]
pub struct Certificate {
    authority: String,
    der: Vec<u8>,
    key: Vec<u8>,
}

impl Certificate {
    /// One for `localhost` that is valid for whoever trusts its authority.
    ///
    /// # Errors
    /// When none can be made.
    pub fn valid() -> Result<Self> {
        Self::of(&["localhost"])
    }

    /// One for these names and IP addresses that is valid for whoever trusts its authority.
    ///
    /// # Errors
    /// When none can be made.
    pub fn of(names: &[&str]) -> Result<Self> {
        Self::make(names, |_| {})
    }

    /// One for `localhost` that ran out in 2001.
    ///
    /// # Errors
    /// When none can be made.
    pub fn expired() -> Result<Self> {
        Self::make(&["localhost"], |params| {
            params.not_before = date_time_ymd(2000, 1, 1);
            params.not_after = date_time_ymd(2001, 1, 1);
        })
    }

    /// One for `localhost` that is not valid before the year 4000.
    ///
    /// # Errors
    /// When none can be made.
    pub fn premature() -> Result<Self> {
        Self::make(&["localhost"], |params| {
            params.not_before = date_time_ymd(4000, 1, 1);
        })
    }

    /// One for another name.
    ///
    /// # Errors
    /// When none can be made.
    pub fn of_another() -> Result<Self> {
        Self::of(&["another.example"])
    }

    /// One for `localhost` that nobody signed but its own key. Its authority is one that has nothing to do with it.
    ///
    /// # Errors
    /// When none can be made.
    pub fn self_signed() -> Result<Self> {
        let key = KeyPair::generate()?;
        let params = CertificateParams::new(vec!["localhost".to_owned()])?;
        Ok(Self {
            authority: authority()?.0,
            der: params.self_signed(&key)?.der().to_vec(),
            key: key.serialize_der(),
        })
    }

    fn make(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Result<Self> {
        let (authority, issuer) = authority()?;
        let key = KeyPair::generate()?;
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names)?;
        change(&mut params);
        Ok(Self {
            authority,
            der: params.signed_by(&key, &issuer)?.der().to_vec(),
            key: key.serialize_der(),
        })
    }

    /// The authority's own certificate (PEM): what a client would have to trust.
    #[must_use]
    pub fn ca_pem(&self) -> &str {
        &self.authority
    }

    /// What a server with this certificate is set up with. `protocols` are those it knows (ALPN); none means that it does not care.
    pub(crate) fn config(&self, protocols: &[&str]) -> Result<Arc<ServerConfig>> {
        let chain = vec![CertificateDer::from(self.der.clone())];
        let key = PrivateKeyDer::try_from(self.key.clone())
            .ok()
            .context("no key")?;
        let mut config =
            ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
                .with_safe_default_protocol_versions()?
                .with_no_client_auth()
                .with_single_cert(chain, key)?;
        config.alpn_protocols = protocols
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .collect();
        Ok(Arc::new(config))
    }
}

/// An authority that signs one certificate: its own (PEM), and what signs.
fn authority() -> Result<(String, Issuer<'static, KeyPair>)> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(Vec::new())?;
    // A name that no certificate of a server has: otherwise a self-signed one would look like its work.
    params
        .distinguished_name
        .push(DnType::CommonName, "An authority for tests");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = params.self_signed(&key)?.pem();
    Ok((pem, Issuer::new(params, key)))
}
