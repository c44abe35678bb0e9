//! What a deed needs from outside: the time, and randomness.

use uuid::Uuid;

use crate::Timestamp;

/// The clock and the random source, passed in by whoever starts the program.
///
/// Tests pass a seeded one, so that a run can be repeated.
pub trait World: Send + Sync + std::fmt::Debug {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// Fills `bytes` from a source fit for secrets.
    fn fill(&self, bytes: &mut [u8]);

    /// A fresh UUID version 7 (RFC 9562 §5.7): unique, and sorting by time of creation, which keeps
    /// the databases' indexes growing at one end.
    fn uuid(&self) -> Uuid {
        let mut random = [0; 10];
        self.fill(&mut random);
        let millis = u64::try_from(self.now().as_millis()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}
