//! Certificates that deserve trust, and some that do not.

use std::sync::Arc;

use anyhow::{Context, Result};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::{
    ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer},
};

/// A server's certificate for `localhost`, with the authority that signed it.
#[derive(Debug)]
pub struct Certificate {
    authority: String,
    der: Vec<u8>,
    key: Vec<u8>,
}

impl Certificate {
    /// One that is valid for whoever trusts its authority.
    ///
    /// # Errors
    /// When none can be made.
    pub fn valid() -> Result<Self> {
        Self::make("localhost", |_| {})
    }

    /// One that ran out in 2001.
    ///
    /// # Errors
    /// When none can be made.
    pub fn expired() -> Result<Self> {
        Self::make("localhost", |params| {
            params.not_before = date_time_ymd(2000, 1, 1);
            params.not_after = date_time_ymd(2001, 1, 1);
        })
    }

    /// One for another name.
    ///
    /// # Errors
    /// When none can be made.
    pub fn of_another() -> Result<Self> {
        Self::make("another.example", |_| {})
    }

    fn make(name: &str, change: impl FnOnce(&mut CertificateParams)) -> Result<Self> {
        let authority_key = KeyPair::generate()?;
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = authority.self_signed(&authority_key)?.pem();
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(vec![name.to_owned()])?;
        change(&mut params);
        Ok(Self {
            authority: pem,
            der: params.signed_by(&key, &issuer)?.der().to_vec(),
            key: key.serialize_der(),
        })
    }

    /// The authority's own certificate.
    pub(super) fn ca_pem(&self) -> &str {
        &self.authority
    }

    pub(super) fn config(&self) -> Result<Arc<ServerConfig>> {
        let chain = vec![CertificateDer::from(self.der.clone())];
        let key = PrivateKeyDer::try_from(self.key.clone())
            .ok()
            .context("no key")?;
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        Ok(Arc::new(config))
    }
}
