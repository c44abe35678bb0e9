//! A server, a resolver under the test's control, and a fetcher that trusts the one and asks the other.

use std::{
    collections::VecDeque,
    io,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
pub(crate) use std::{net::IpAddr, sync::Arc, time::Duration};

pub(crate) use deedbox_fetch::{FetchError, Fetched, Fetcher, Resolver, Rules, Stage, TlsFault};
pub(crate) use deedbox_neighbours::{
    certificate::Certificate,
    https::{Answer, HttpsServer},
};

/// The name that every test's certificate is for.
pub(crate) const HOST: &str = "localhost";
/// Where the server is.
pub(crate) const HERE: &str = "127.0.0.1";

/// A resolver that answers what the test wants, for every name: one answer after the other, and the last one again and again.
#[derive(Debug)]
pub(crate) struct Names {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Names {
    pub(crate) fn of(answers: &[&[&str]]) -> Arc<Self> {
        let answers = answers.iter().map(|answer| addresses(answer)).collect();
        Arc::new(Self {
            answers: Mutex::new(answers),
            asked: AtomicUsize::new(0),
        })
    }

    /// How often it was asked.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Acquire)
    }
}

fn addresses(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[async_trait::async_trait]
impl Resolver for Names {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.fetch_add(1, Ordering::AcqRel);
        let mut answers = self.answers.lock().unwrap();
        let next = match answers.len() {
            0 => None,
            1 => answers.front().cloned(),
            _ => answers.pop_front(),
        };
        next.ok_or_else(|| io::Error::other("no such name"))
    }
}

/// A server with a certificate that deserves trust.
pub(crate) fn server(answer: Answer) -> HttpsServer {
    HttpsServer::start(&Certificate::valid().unwrap(), move |_| answer.clone()).unwrap()
}

/// Rules that trust the server, and allow its address and no other.
pub(crate) fn rules(server: &HttpsServer) -> Rules {
    Rules {
        allow: vec!["127.0.0.1/32".parse().unwrap()],
        roots: server.ca_pem().map(str::to_owned).into_iter().collect(),
        ..Rules::default()
    }
}

/// A fetcher for which every name is the server.
pub(crate) fn fetcher(rules: Rules) -> Fetcher {
    Fetcher::with_resolver(rules, Names::of(&[&[HERE]])).unwrap()
}

/// Fetches `/file` from the server under rules of the test's own.
pub(crate) async fn fetch_under(rules: Rules, server: &HttpsServer) -> Result<Fetched, FetchError> {
    fetcher(rules).get(&server.url(HOST, "/file")).await
}

/// Fetches `/file` from the server.
pub(crate) async fn fetch(server: &HttpsServer) -> Result<Fetched, FetchError> {
    fetch_under(rules(server), server).await
}

/// Fetches what a server answers so.
pub(crate) async fn fetch_answer(answer: Answer) -> Result<Fetched, FetchError> {
    fetch(&server(answer)).await
}

/// Fetches what a server answers so, with little patience, and says how it ended. Fails when that took much longer.
pub(crate) async fn fetch_impatiently(answer: Answer) -> FetchError {
    let server = server(answer);
    let rules = Rules {
        deadline: Duration::from_millis(700),
        ..rules(&server)
    };
    let fetched = tokio::time::timeout(Duration::from_secs(20), fetch_under(rules, &server));
    fetched.await.expect("it has a deadline").unwrap_err()
}

pub(crate) fn timeout(stage: Stage) -> FetchError {
    FetchError::Timeout {
        stage,
        within: Duration::from_millis(700),
    }
}
