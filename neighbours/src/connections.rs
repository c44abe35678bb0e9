//! What the servers that a test scripts have in common: connections, each in a thread of its own, and the head of an HTTP/1.1
//! request. What goes over the wire then is each server's own.

use std::{
    io::{self, BufRead},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// Connections to a free port of 127.0.0.1. Dropping it closes them all, and takes no more.
pub(crate) struct Connections {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    accepted: AtomicUsize,
    open: Mutex<Vec<TcpStream>>,
    stopped: AtomicBool,
}

impl Connections {
    /// Takes connections in a thread of its own, and has each served in another. How `serve` ends is nobody's business: the other
    /// side hung up, or did not like the certificate, which is what a test is about.
    ///
    /// # Errors
    /// When no port can be had.
    pub(crate) fn accept(
        serve: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let (taken, serve) = (Arc::clone(&shared), Arc::new(serve));
        thread::spawn(move || {
            for connection in listener.incoming() {
                if taken.stopped.load(Ordering::Acquire) {
                    return;
                }
                let Ok(connection) = connection else { continue };
                taken.accepted.fetch_add(1, Ordering::AcqRel);
                // Small writes go out at once: a test waits for each.
                let _best_effort = connection.set_nodelay(true);
                if let Ok(copy) = connection.try_clone() {
                    lock(&taken.open).push(copy);
                }
                let serve = Arc::clone(&serve);
                thread::spawn(move || {
                    let copy = connection.try_clone();
                    let _ended = serve(connection);
                    // Closes it although the list of connections holds a copy, too.
                    let _closed = copy.and_then(|copy| copy.shutdown(Shutdown::Both));
                });
            }
        });
        Ok(Self { address, shared })
    }

    /// Where they come in.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many there were, those that ended before anything was said among them.
    pub(crate) fn accepted(&self) -> usize {
        self.shared.accepted.load(Ordering::Acquire)
    }
}

impl Drop for Connections {
    /// Ends every thread: each waits for a socket, or for the pause that a test asked for.
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Release);
        // Wakes the one that waits for connections.
        drop(TcpStream::connect(self.address));
        for connection in lock(&self.shared.open).drain(..) {
            // It may be closed already.
            let _closed = connection.shutdown(Shutdown::Both);
        }
    }
}

/// A lock that a panicking script does not spoil.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The headers that come next, names in lower case, with the line that ends them.
pub(crate) fn headers(stream: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Ok(headers);
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}
