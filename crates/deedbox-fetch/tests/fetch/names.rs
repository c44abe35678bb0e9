//! Names that lead where nobody should go.

use std::{future, io};

use crate::support::*;

/// Fetches from the server while names lead to these addresses, one list after the other. Says how often they were asked for.
async fn while_names_are(
    answers: &[&[&str]],
    server: &HttpsServer,
) -> (Result<Fetched, FetchError>, usize) {
    let names = Names::of(answers);
    let fetcher = Fetcher::with_resolver(rules(server), names.clone()).unwrap();
    (fetcher.get(&server.url(HOST, "/")).await, names.asked())
}

fn refused(fetched: &Result<Fetched, FetchError>) -> Option<String> {
    match fetched {
        Err(FetchError::AddressRefused { address, .. }) => Some(address.to_string()),
        _ => None,
    }
}

#[tokio::test]
async fn a_name_that_leads_inside_is_refused() {
    let server = server(Answer::ok("{}"));
    for address in [
        "127.0.0.2",
        "10.0.0.1",
        "169.254.169.254",
        "::1",
        "fd00::1",
        "fe80::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
    ] {
        let (fetched, asked) = while_names_are(&[&[address]], &server).await;
        assert_eq!(
            (refused(&fetched).as_deref(), asked),
            (Some(address), 1),
            "{fetched:?}"
        );
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn one_refused_address_refuses_the_name() {
    let server = server(Answer::ok("{}"));
    for mix in [
        &[HERE, "10.0.0.1"][..],
        &["10.0.0.1", HERE],
        &["8.8.8.8", HERE, "::ffff:10.0.0.1"],
    ] {
        let names = Names::of(&[mix]);
        let fetcher = Fetcher::with_resolver(rules(&server), names).unwrap();
        let fetched = fetcher.get("https://tools.example/").await;
        assert!(
            refused(&fetched).is_some_and(|address| address.ends_with("10.0.0.1")),
            "{fetched:?}"
        );
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn the_last_of_many_addresses_is_judged_too() {
    let server = server(Answer::ok("{}"));
    let mut many = vec![HERE; 1000];
    many.push("10.0.0.1");
    let (fetched, _) = while_names_are(&[&many], &server).await;
    assert_eq!(refused(&fetched).as_deref(), Some("10.0.0.1"));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_second_answer_about_a_name_is_never_used() {
    let server = server(Answer::ok("{}"));
    // The first answer is judged and used; whoever asks again would be led inside.
    let (fetched, asked) = while_names_are(&[&[HERE], &["127.0.0.2"]], &server).await;
    assert_eq!(fetched.unwrap().address, HERE.parse::<IpAddr>().unwrap());
    assert_eq!((asked, server.connections()), (1, 1));
}

#[tokio::test]
async fn a_name_that_was_good_is_judged_again() {
    let server = server(Answer::ok("{}"));
    let names = Names::of(&[&[HERE], &["10.0.0.1"]]);
    let fetcher = Fetcher::with_resolver(rules(&server), names).unwrap();
    let url = server.url(HOST, "/");
    assert!(fetcher.get(&url).await.is_ok());
    assert_eq!(
        refused(&fetcher.get(&url).await).as_deref(),
        Some("10.0.0.1")
    );
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_server_that_fails_is_not_asked_again() {
    for answer in [
        Answer::raw("").close(),
        Answer::raw("").cut(),
        Answer::new(503, &[("retry-after", "0")], ""),
    ] {
        let server = server(answer);
        let (fetched, asked) = while_names_are(&[&[HERE], &["127.0.0.2"]], &server).await;
        assert!(fetched.is_err());
        assert_eq!((asked, server.connections()), (1, 1));
    }
}

#[tokio::test]
async fn an_address_that_does_not_answer_is_passed_over() {
    let server = server(Answer::ok("{}"));
    let rules = Rules {
        allow: vec!["127.0.0.0/29".parse().unwrap()],
        ..rules(&server)
    };
    let names = Names::of(&[&["127.0.0.2", "127.0.0.3", HERE]]);
    let fetcher = Fetcher::with_resolver(rules, names).unwrap();
    let fetched = fetcher.get(&server.url(HOST, "/")).await.unwrap();
    assert_eq!(fetched.address, HERE.parse::<IpAddr>().unwrap());
}

#[tokio::test]
async fn of_many_addresses_a_few_are_tried() {
    let server = server(Answer::ok("{}"));
    let rules = Rules {
        allow: vec!["127.0.0.0/24".parse().unwrap()],
        ..rules(&server)
    };
    let mut names: Vec<_> = (2..=5).map(|last| format!("127.0.0.{last}")).collect();
    names.push(HERE.to_owned());
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let fetcher = Fetcher::with_resolver(rules, Names::of(&[&names])).unwrap();
    let fetched = fetcher.get(&server.url(HOST, "/")).await;
    assert_eq!(
        fetched,
        Err(FetchError::ConnectFailed(io::ErrorKind::ConnectionRefused))
    );
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_name_that_leads_nowhere_is_told() {
    let server = server(Answer::ok("{}"));
    for answers in [&[][..], &[&[][..]]] {
        let (fetched, asked) = while_names_are(answers, &server).await;
        assert_eq!((fetched, asked), (Err(FetchError::NameNotFound), 1));
    }
}

/// A resolver that is asked and says nothing.
#[derive(Debug)]
struct Silent;

#[async_trait::async_trait]
impl Resolver for Silent {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        future::pending().await
    }
}

#[tokio::test]
async fn a_resolver_that_never_answers_is_given_up() {
    let connect = Duration::from_millis(200);
    let rules = Rules {
        connect,
        ..Rules::default()
    };
    let fetcher = Fetcher::with_resolver(rules, Arc::new(Silent)).unwrap();
    let error = FetchError::Timeout {
        stage: Stage::Connect,
        within: connect,
    };
    assert_eq!(fetcher.get("https://tools.example/").await, Err(error));
}

#[tokio::test]
async fn the_system_knows_localhost_and_it_is_refused() {
    let fetcher = Fetcher::new(Rules::default()).unwrap();
    let fetched = fetcher.get("https://localhost/").await;
    assert!(
        matches!(fetched, Err(FetchError::AddressRefused { .. })),
        "{fetched:?}"
    );
    let nowhere = fetcher.get("https://no-such-name.invalid/").await;
    assert_eq!(nowhere, Err(FetchError::NameNotFound));
}

#[tokio::test]
async fn another_port_is_open_in_allowed_networks_only() {
    let server = server(Answer::ok("{}"));
    let (fetched, _) = while_names_are(&[&["8.8.8.8"]], &server).await;
    assert_eq!(fetched, Err(FetchError::PortRefused));
    let (fetched, _) = while_names_are(&[&[HERE, "8.8.8.8"]], &server).await;
    assert_eq!(fetched, Err(FetchError::PortRefused));
    assert_eq!(server.connections(), 0);
    // Nobody is asked about the name where no network is allowed.
    let names = Names::of(&[&["8.8.8.8"]]);
    let fetcher = Fetcher::with_resolver(Rules::default(), names.clone()).unwrap();
    let fetched = fetcher.get("https://tools.example:8443/").await;
    assert_eq!((fetched, names.asked()), (Err(FetchError::PortRefused), 0));
}

#[tokio::test]
async fn an_allowed_address_may_stand_in_the_url() {
    let certificate = Certificate::of(&[HERE]).unwrap();
    let server = HttpsServer::start(&certificate, |_| Answer::ok("{}")).unwrap();
    let names = Names::of(&[]);
    let fetcher = Fetcher::with_resolver(rules(&server), names.clone()).unwrap();
    let fetched = fetcher.get(&server.url(HERE, "/")).await.unwrap();
    assert_eq!((fetched.body, names.asked()), (b"{}".to_vec(), 0));
}
