//! What a fault of the HTTP client means: by the types of its causes, not by their words.

use std::{error::Error, io, iter, time::Duration};

use rustls::{CertificateError, Error as TlsError};

use crate::{FetchError, Stage, TlsFault};

/// Before the answer's head was complete. `connect` is how long connecting may take.
pub(crate) fn while_answering(error: &reqwest::Error, connect: Duration) -> FetchError {
    if let Some(ours) = causes(error).find_map(|cause| cause.downcast_ref::<FetchError>()) {
        return ours.clone();
    }
    if error.is_timeout() {
        return FetchError::Timeout {
            stage: Stage::Connect,
            within: connect,
        };
    }
    if let Some(fault) = causes(error).find_map(tls_fault) {
        return FetchError::Tls(fault);
    }
    if error.is_connect() {
        // The innermost is the system's; the others wrap it.
        let kinds =
            causes(error).filter_map(|cause| Some(cause.downcast_ref::<io::Error>()?.kind()));
        let kind = kinds.last();
        return FetchError::ConnectFailed(kind.unwrap_or(io::ErrorKind::Other));
    }
    while_receiving(error)
}

/// While the body was coming.
pub(crate) fn while_receiving(error: &reqwest::Error) -> FetchError {
    if causes(error).any(is_broken_off) {
        FetchError::Truncated
    } else {
        FetchError::BadAnswer
    }
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| {
        // Unlike other errors, this one passes over what it wraps and names that one's cause.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(|error| error.get_ref());
        match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}

fn is_broken_off(cause: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};

    let of_hyper = cause.downcast_ref::<hyper::Error>();
    let of_system = cause.downcast_ref::<io::Error>().map(io::Error::kind);
    of_hyper.is_some_and(hyper::Error::is_incomplete_message)
        || matches!(
            of_system,
            Some(BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
        )
}

fn tls_fault(cause: &(dyn Error + 'static)) -> Option<TlsFault> {
    Some(match cause.downcast_ref::<TlsError>()? {
        TlsError::InvalidCertificate(fault) => match fault {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                TlsFault::Expired
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                TlsFault::NotYetValid
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                TlsFault::WrongName
            }
            CertificateError::UnknownIssuer => TlsFault::UnknownIssuer,
            CertificateError::Revoked => TlsFault::Revoked,
            _ => TlsFault::BadCertificate,
        },
        TlsError::NoCertificatesPresented => TlsFault::BadCertificate,
        TlsError::InvalidMessage(_) => TlsFault::NotTls,
        _ => TlsFault::NoAgreement,
    })
}
