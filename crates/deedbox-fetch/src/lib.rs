#![doc = include_str!("../README.md")]

mod address;
mod body;
mod error;
mod fetcher;
mod resolve;
mod target;
mod trouble;

pub use address::{Special, judge};
pub use error::{FetchError, Shown, Stage, TlsFault};
pub use fetcher::{BadRules, Fetched, Fetcher, Rules};
pub use ipnet::IpNet;
pub use resolve::Resolver;
