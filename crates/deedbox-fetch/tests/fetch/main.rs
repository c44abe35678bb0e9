//! Fetching from real servers that do everything wrong that a server can do wrong, and from names that lead elsewhere.

#[cfg(test)]
mod addresses;
#[cfg(test)]
mod bodies;
#[cfg(test)]
mod http;
#[cfg(test)]
mod names;
#[cfg(test)]
mod support;
#[cfg(test)]
mod texts;
#[cfg(test)]
mod tls;
