//! Readings, following a chain, and handing over transactions, through endpoints that misbehave: each fault ends in the right error or at the next endpoint, in bounded time and
//! after a bounded number of requests.

#[cfg(test)]
mod events;
#[cfg(test)]
mod failover;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fees;
#[cfg(test)]
mod handing_over;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod state;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod whereabouts;
