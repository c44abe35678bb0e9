//! From what a request presents to a [`Principal`].
//!
//! A credential is read from `Authorization: Bearer …` and `X-API-Key: …`, and never from a query string,
//! where it would end up in logs and histories. Callers learn only whether they were admitted; why
//! not stands in the log, by the key's public id.

use std::sync::Arc;

use deedbox_core::{
    ApiKey, Authority, Principal, PrincipalId, Scopes, World, hash::SecretHash, key::KeyRefused,
};
use deedbox_store::{Store, StoreError};
use http::{HeaderMap, header::AUTHORIZATION};
use subtle::ConstantTimeEq;

/// The header that carries a key without a scheme.
pub const API_KEY_HEADER: &str = "x-api-key";

/// Why a request was not admitted.
#[derive(Debug, thiserror::Error)]
pub enum NotAdmitted {
    /// It presents two credentials that differ; which of them counts must not be a guess.
    #[error("this request presents two different credentials; send one")]
    TwoCredentials,
    /// It presents none, or one that is not valid. The same answer for every reason.
    #[error("a valid key is required: send Authorization: Bearer <key>, or X-API-Key: <key>")]
    Unauthenticated,
    /// The database could not be asked.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// The one credential that a request presents.
///
/// # Errors
/// [`NotAdmitted::TwoCredentials`] when there are several that differ; [`NotAdmitted::Unauthenticated`]
/// when there is none.
pub fn presented(headers: &HeaderMap) -> Result<&[u8], NotAdmitted> {
    let bearers = headers
        .get_all(AUTHORIZATION)
        .iter()
        .map(|value| bearer(value.as_bytes()));
    let keys = headers
        .get_all(API_KEY_HEADER)
        .iter()
        .map(|value| value.as_bytes().trim_ascii());
    let mut all = bearers.chain(keys);
    let first = all.next().ok_or(NotAdmitted::Unauthenticated)?;
    if all.any(|other| other != first) {
        return Err(NotAdmitted::TwoCredentials);
    }
    Ok(first)
}

/// What follows the scheme `Bearer` (RFC 6750 §2.1; the scheme in any case). Another scheme's value stays
/// whole: it is a credential too, if none of ours.
fn bearer(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    match value.split_at_checked(7) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(b"bearer ") => rest.trim_ascii(),
        _ => value,
    }
}

/// Admits credentials.
#[derive(Debug)]
pub struct Authenticator {
    store: Arc<dyn Store>,
    world: Arc<dyn World>,
    access_token: Option<SecretHash>,
}

impl Authenticator {
    /// Admits the keys in `store`, and the operator's `access_token` if there is one.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        world: Arc<dyn World>,
        access_token: Option<SecretHash>,
    ) -> Self {
        Self {
            store,
            world,
            access_token,
        }
    }

    /// The principal that a credential stands for, at this moment: a key that expires or is revoked is
    /// refused from the next request on.
    ///
    /// # Errors
    /// [`NotAdmitted`].
    pub async fn admit(&self, credential: &[u8]) -> Result<Principal, NotAdmitted> {
        if let Some(token) = &self.access_token {
            let presented = SecretHash::of(credential);
            if bool::from(presented.as_bytes().ct_eq(token.as_bytes())) {
                return Ok(Principal {
                    id: PrincipalId::ACCESS_TOKEN,
                    authority: Authority::Operator,
                    scopes: Scopes::all(),
                    agent_label: None,
                });
            }
        }
        let key = std::str::from_utf8(credential)
            .ok()
            .and_then(|text| ApiKey::parse(text).ok());
        let Some(key) = key else {
            tracing::info!(
                auth.reason = "not a key of this program",
                "credential refused"
            );
            return Err(NotAdmitted::Unauthenticated);
        };
        let admitted = match self.store.key(key.id()).await? {
            Some(record) => record.admit(&key, self.world.now()),
            // The same work as for a key that exists, so that the time taken tells no id.
            None => Err(absent(&key)),
        };
        admitted.map_err(|reason| {
            tracing::info!(key.id = %key.id(), auth.reason = %reason, "credential refused");
            NotAdmitted::Unauthenticated
        })
    }
}

fn absent(key: &ApiKey) -> KeyRefused {
    let nothing = [0; 32];
    let _same = key.hash().as_bytes().ct_eq(&nothing);
    KeyRefused::WrongSecret
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, value.parse().unwrap());
        }
        map
    }

    #[test]
    fn both_headers_carry_a_credential_and_may_agree() {
        for pairs in [
            &[("authorization", "Bearer abc")][..],
            &[("authorization", "bearer   abc ")],
            &[("x-api-key", "abc")],
            &[("authorization", "Bearer abc"), ("x-api-key", "abc")],
            &[
                ("authorization", "Bearer abc"),
                ("authorization", "BEARER abc"),
            ],
        ] {
            assert_eq!(presented(&headers(pairs)).unwrap(), b"abc", "{pairs:?}");
        }
    }

    #[test]
    fn two_different_credentials_are_refused() {
        for pairs in [
            &[("authorization", "Bearer abc"), ("x-api-key", "abd")][..],
            &[("x-api-key", "a"), ("x-api-key", "b")],
            &[("authorization", "Basic abc"), ("x-api-key", "abc")],
        ] {
            assert!(matches!(
                presented(&headers(pairs)),
                Err(NotAdmitted::TwoCredentials)
            ));
        }
        assert!(matches!(
            presented(&headers(&[])),
            Err(NotAdmitted::Unauthenticated)
        ));
    }
}
