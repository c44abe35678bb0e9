//! The same as a layer around a service.

use std::{
    fmt,
    future::Future,
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::{Either, Full};
use tower_layer::Layer;
use tower_service::Service;

use crate::Gate;

/// Puts a [`Gate`] before services: `Router::route_layer` of axum takes it, and whatever else takes a tower layer.
#[derive(Clone)]
pub struct GateLayer {
    gate: Arc<Gate>,
}

impl GateLayer {
    /// All services behind it share the gate: a proof lets one request in to any of them.
    #[must_use]
    pub fn new(gate: impl Into<Arc<Gate>>) -> Self {
        Self { gate: gate.into() }
    }
}

impl fmt::Debug for GateLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GateLayer").field(&self.gate).finish()
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated {
            inner,
            gate: Arc::clone(&self.gate),
        }
    }
}

/// A service behind a [`Gate`]. What gets through has [`Caller`](crate::Caller) among its extensions, and no `Authorization` any more: it was for the gate, and is
/// used up.
#[derive(Clone, Debug)]
pub struct Gated<S> {
    inner: S,
    gate: Arc<Gate>,
}

impl<S, B, R> Service<Request<B>> for Gated<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<Either<R, Full<Bytes>>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        // The one that is ready is the one that is called.
        let ready = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, ready);
        let gate = Arc::clone(&self.gate);
        Box::pin(async move {
            match gate.admit(request.headers()).await {
                Ok(caller) => {
                    request.headers_mut().remove(header::AUTHORIZATION);
                    request.extensions_mut().insert(caller);
                    let response = inner.call(request).await?;
                    Ok(response.map(Either::Left))
                }
                Err(refusal) => {
                    tracing::info!(code = refusal.code(), "a request was not let in");
                    Ok(refusal.response(gate.challenge()).map(Either::Right))
                }
            }
        })
    }
}
