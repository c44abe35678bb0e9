//! Politeness: one request at a time for each host, and none for a while to one that does not answer. No I/O.

use std::{collections::BTreeMap, time::Duration};

use deedbox_core::Timestamp;
use deedbox_manifest::WellKnown;

use crate::sync::Backoff;

/// How long a host is left alone after it failed. It is a stranger's, and nobody asked for the checks.
pub(super) const OF_HOSTS: Backoff = Backoff {
    first: Duration::from_secs(5 * 60),
    most: Duration::from_secs(60 * 60),
};
/// How long a chain is left alone after it failed. Its endpoints are the operator's own, and mostly back soon.
pub(super) const OF_CHAINS: Backoff = Backoff {
    first: Duration::from_secs(10),
    most: Duration::from_secs(5 * 60),
};
/// How many hosts are remembered that failed. A stranger may name any number of them.
const MOST: usize = 10_000;

/// The hosts that failed, and the chains: no origin is called as a chain is.
#[derive(Debug, Default)]
pub(super) struct Hosts(BTreeMap<String, Rest>);

#[derive(Clone, Copy, Debug)]
struct Rest {
    until: Timestamp,
    failures: u32,
}

impl Hosts {
    /// Whether a host is left alone at `now`.
    pub(super) fn rests(&self, host: &str, now: Timestamp) -> bool {
        self.0.get(host).is_some_and(|rest| now < rest.until)
    }

    /// Takes note that a host failed: it is left alone, twice as long as the last time.
    pub(super) fn failed(&mut self, host: &str, now: Timestamp, backoff: Backoff) {
        if self.0.len() >= MOST {
            self.0.retain(|_, rest| now < rest.until);
        }
        if self.0.len() >= MOST && !self.0.contains_key(host) {
            return;
        }
        let rest = self.0.entry(host.to_owned()).or_insert(Rest {
            until: now,
            failures: 0,
        });
        let millis = backoff.after(rest.failures).as_millis();
        rest.until = now.plus_millis(i64::try_from(millis).unwrap_or(i64::MAX));
        rest.failures = rest.failures.saturating_add(1);
    }

    /// Takes note that a host answered.
    pub(super) fn answered(&mut self, host: &str) {
        self.0.remove(host);
    }
}

/// Whose manifest a URI names: the origin, which is what one server answers for. Empty where nobody is asked for a manifest.
pub(super) fn host(uri: &[u8]) -> String {
    let text = std::str::from_utf8(uri).unwrap_or_default();
    WellKnown::read(text).map_or_else(|_| String::new(), |known| known.origin.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_one_origin_have_one_host_and_those_that_are_not_asked_for_none() {
        let of = |uri: &str| host(uri.as_bytes());
        let one = of("https://example.com/.well-known/ai-tool/a.json");
        assert!(one.contains("example.com"), "{one}");
        assert_eq!(
            of("https://Example.com:443/.well-known/ai-tool/b.json"),
            one
        );
        let other = of("https://example.com:8443/.well-known/ai-tool/a.json");
        assert_ne!(other, one);
        for unasked in [
            "http://example.com/.well-known/ai-tool/a.json",
            "ipfs://a",
            "",
        ] {
            assert_eq!(of(unasked), "", "{unasked}");
        }
        assert_eq!(host(&[0xff; 20]), "");
    }

    #[test]
    fn a_host_that_fails_rests_twice_as_long_each_time_until_it_answers() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1_000).unwrap();
        let mut hosts = Hosts::default();
        hosts.failed("a", at(0), OF_HOSTS);
        assert!(hosts.rests("a", at(299)) && !hosts.rests("a", at(300)));
        assert!(!hosts.rests("b", at(0)));
        hosts.failed("a", at(300), OF_HOSTS);
        assert!(hosts.rests("a", at(899)) && !hosts.rests("a", at(900)));
        for n in 0..40 {
            hosts.failed("a", at(1_000 + n), OF_HOSTS);
        }
        assert!(hosts.rests("a", at(1_000)) && !hosts.rests("a", at(1_039 + 3_600)));
        hosts.answered("a");
        assert!(!hosts.rests("a", at(1_000)));
    }

    #[test]
    fn a_chain_that_fails_is_asked_again_soon_and_at_least_every_five_minutes() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1_000).unwrap();
        let (mut hosts, mut now) = (Hosts::default(), 0);
        for rest in [10, 20, 40, 80, 160, 300, 300] {
            hosts.failed("chain 1", at(now), OF_CHAINS);
            assert!(hosts.rests("chain 1", at(now + rest - 1)), "{rest}");
            assert!(!hosts.rests("chain 1", at(now + rest)), "{rest}");
            now += rest;
        }
    }

    #[test]
    fn so_many_hosts_are_remembered_and_no_more() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1_000).unwrap();
        let mut hosts = Hosts::default();
        for n in 0..=MOST {
            hosts.failed(&n.to_string(), at(0), OF_HOSTS);
        }
        assert_eq!(hosts.0.len(), MOST);
        hosts.failed("late", at(1_000), OF_HOSTS);
        assert_eq!(hosts.0.len(), 1);
    }
}
