//! What the servers that a test scripts have in common: connections, each in a thread of its own, and the head of an HTTP/1.1
//! request. What goes over the wire then is each server's own.

use std::{
    collections::BTreeMap,
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
    /// By the number that each was taken as, so that one which ended is not kept open by its copy here.
    open: Mutex<BTreeMap<usize, TcpStream>>,
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
                let number = taken.accepted.fetch_add(1, Ordering::AcqRel);
                // Small writes go out at once: a test waits for each.
                let _best_effort = connection.set_nodelay(true);
                if let Ok(copy) = connection.try_clone() {
                    lock(&taken.open).insert(number, copy);
                }
                let (serve, taken) = (Arc::clone(&serve), Arc::clone(&taken));
                thread::spawn(move || {
                    let _ended = serve(connection);
                    let copy = lock(&taken.open).remove(&number);
                    // What `serve` gave to somebody else ends with it, too.
                    let _closed = copy.map(|copy| copy.shutdown(Shutdown::Both));
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
        for connection in std::mem::take(&mut *lock(&self.shared.open)).into_values() {
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_connection_that_ended_is_not_held() -> io::Result<()> {
        let connections = Connections::accept(|_| Ok(()))?;
        for taken in 1..=3 {
            let mut stream = TcpStream::connect(connections.address())?;
            assert_eq!(stream.read(&mut [0])?, 0, "it is closed");
            assert_eq!(connections.accepted(), taken);
            assert_eq!(lock(&connections.shared.open).len(), 0);
        }
        Ok(())
    }
}
