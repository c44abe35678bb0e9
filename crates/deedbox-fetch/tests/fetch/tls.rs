//! Whom to trust.

use std::net::TcpListener;

use crate::support::*;

#[tokio::test]
async fn an_authority_in_the_rules_is_trusted() {
    let fetched = fetch_answer(Answer::ok("{}")).await.unwrap();
    assert_eq!(fetched.body, b"{}");
    assert_eq!(fetched.address, HERE.parse::<IpAddr>().unwrap());
}

#[tokio::test]
async fn nothing_is_asked_of_whoever_has_no_certificate_to_trust() {
    for (certificate, fault) in [
        (Certificate::expired(), TlsFault::Expired),
        (Certificate::premature(), TlsFault::NotYetValid),
        (Certificate::of_another(), TlsFault::WrongName),
        (Certificate::self_signed(), TlsFault::UnknownIssuer),
    ] {
        let server = HttpsServer::start(&certificate.unwrap(), |_| Answer::ok("{}")).unwrap();
        assert_eq!(fetch(&server).await, Err(FetchError::Tls(fault)));
        assert_eq!(
            (server.connections(), server.asked().len()),
            (1, 0),
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn an_authority_that_is_in_no_rules_is_not_trusted() {
    let server = server(Answer::ok("{}"));
    let rules = Rules {
        roots: Vec::new(),
        ..rules(&server)
    };
    let fetched = fetch_under(rules, &server).await;
    assert_eq!(fetched, Err(FetchError::Tls(TlsFault::UnknownIssuer)));
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn plain_http_where_tls_is_due_is_refused() {
    let server =
        HttpsServer::without_tls(|_| Answer::raw("HTTP/1.1 400 Bad Request\r\n\r\n").close())
            .unwrap();
    assert_eq!(fetch(&server).await, Err(FetchError::Tls(TlsFault::NotTls)));
}

#[tokio::test]
async fn http_1_1_is_what_is_agreed_on() {
    let certificate = Certificate::valid().unwrap();
    let both = HttpsServer::speaking(&["h2", "http/1.1"], &certificate, |_| Answer::ok("{}"));
    assert_eq!(fetch(&both.unwrap()).await.unwrap().body, b"{}");

    let only_2 = HttpsServer::speaking(&["h2"], &certificate, |_| Answer::ok("{}")).unwrap();
    let fetched = fetch(&only_2).await;
    assert_eq!(fetched, Err(FetchError::Tls(TlsFault::NoAgreement)));
    assert!(only_2.asked().is_empty());
}

#[tokio::test]
async fn a_server_that_never_says_hello_is_given_up() {
    // The system completes the connection, and nobody takes it.
    let silent = TcpListener::bind((HERE, 0)).unwrap();
    let rules = Rules {
        connect: Duration::from_millis(300),
        allow: vec!["127.0.0.1/32".parse().unwrap()],
        ..Rules::default()
    };
    let url = format!("https://{HOST}:{}/", silent.local_addr().unwrap().port());
    let fetched = fetcher(rules).get(&url).await;
    let error = FetchError::Timeout {
        stage: Stage::Connect,
        within: Duration::from_millis(300),
    };
    assert_eq!(fetched, Err(error));
}

#[tokio::test]
async fn an_end_of_the_body_that_tls_does_not_vouch_for_is_no_end() {
    let unframed = Answer::head(200, &[("connection", "close")]).then("{}");
    let whole = fetch_answer(unframed.clone().close()).await;
    assert_eq!(whole.unwrap().body, b"{}");
    assert_eq!(
        fetch_answer(unframed.cut()).await,
        Err(FetchError::Truncated)
    );
}
