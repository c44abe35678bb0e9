//! Answers that are not the one that counts.

use std::{net::TcpListener, process::Command};

use crate::support::*;

#[tokio::test]
async fn no_redirect_is_followed() {
    let elsewhere = server(Answer::ok("{}"));
    let to = elsewhere.url(HOST, "/elsewhere");
    for status in [300, 301, 302, 303, 304, 305, 307, 308, 399] {
        let server = server(Answer::new(status, &[("location", &to)], ""));
        let error = fetch(&server).await.unwrap_err();
        let FetchError::RedirectRefused {
            status: seen,
            location: Some(location),
        } = error
        else {
            panic!("{error:?}");
        };
        assert_eq!((seen, location.as_str()), (status, &*to));
        assert_eq!((server.connections(), server.asked().len()), (1, 1));
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn where_a_redirect_leads_is_shown_short_and_clean() {
    let long = format!("https://b\u{fc}cher.example/\\{}", "x".repeat(4000));
    let redirect = Answer::new(302, &[("location", &long)], "");
    let error = fetch_answer(redirect).await.unwrap_err();
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(text.is_ascii() || text.matches('…').count() == 1, "{text}");
        assert!(!text.contains(&"x".repeat(256)), "{text}");
    }
    let FetchError::RedirectRefused { location, .. } = error else {
        panic!("{error:?}");
    };
    let location = location.unwrap();
    assert_eq!(location.as_str().chars().count(), 256);
    assert!(
        location
            .as_str()
            .starts_with("https://b\\xc3\\xbccher.example/\\x5cxxx")
    );

    let bare = fetch_answer(Answer::new(301, &[], "")).await;
    let error = FetchError::RedirectRefused {
        status: 301,
        location: None,
    };
    assert_eq!(bare, Err(error));
}

#[tokio::test]
async fn only_200_counts() {
    for status in [
        201, 202, 203, 204, 205, 206, 226, 400, 401, 402, 403, 404, 410, 429, 451, 500, 502, 503,
        599, 999,
    ] {
        let fetched = fetch_answer(Answer::new(status, &[], "")).await;
        assert_eq!(fetched, Err(FetchError::Status(status)));
    }
}

#[tokio::test]
async fn the_request_says_no_more_than_it_must() {
    let server = server(Answer::new(200, &[("set-cookie", "id=1; Path=/")], "{}"));
    let fetcher = fetcher(rules(&server));
    for _ in 0..2 {
        fetcher.get(&server.url(HOST, "/a/b?c=d#e")).await.unwrap();
    }
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    for request in asked {
        assert_eq!((&*request.method, &*request.target), ("GET", "/a/b?c=d"));
        let mut headers = request.headers;
        headers.sort();
        let version = concat!("deedbox/", env!("CARGO_PKG_VERSION")).to_owned();
        let expected = [
            ("accept", "*/*".to_owned()),
            ("accept-encoding", "identity".to_owned()),
            ("host", format!("localhost:{}", server.port())),
            ("user-agent", version),
        ];
        assert_eq!(
            headers,
            expected.map(|(name, value)| (name.to_owned(), value))
        );
    }
}

#[tokio::test]
async fn every_fetch_resolves_and_connects_anew() {
    let server = server(Answer::ok("{}"));
    let names = Names::of(&[&[HERE]]);
    let fetcher = Fetcher::with_resolver(rules(&server), names.clone()).unwrap();
    for count in 1..=3 {
        fetcher.get(&server.url(HOST, "/")).await.unwrap();
        assert_eq!((names.asked(), server.connections()), (count, count));
    }
}

#[tokio::test]
async fn fetches_at_the_same_time_share_no_connection() {
    let server = server(Answer::ok("{}"));
    let names = Names::of(&[&[HERE]]);
    let fetcher = Fetcher::with_resolver(rules(&server), names.clone()).unwrap();
    let url = server.url(HOST, "/");
    let (a, b, c, d) = tokio::join!(
        fetcher.get(&url),
        fetcher.get(&url),
        fetcher.get(&url),
        fetcher.get(&url)
    );
    assert!([a, b, c, d].iter().all(Result::is_ok));
    assert_eq!((names.asked(), server.connections()), (4, 4));
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    for answer in [
        Answer::raw("SSH-2.0-OpenSSH_9.9\r\n").close(),
        Answer::raw("HTTP/1.1 200\0 OK\r\n\r\n").close(),
        Answer::raw("HTTP/0.9 200 OK\r\n\r\n{}").close(),
        Answer::raw("{\"type\":\"no headers at all\"}\r\n\r\n").close(),
        Answer::raw("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}").close(),
        Answer::raw("HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}").close(),
        Answer::raw("HTTP/1.1 200 OK\r\n bad name: x\r\n\r\n").close(),
    ] {
        let shown = format!("{answer:?}");
        assert_eq!(
            fetch_answer(answer).await,
            Err(FetchError::BadAnswer),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn headers_without_end_are_not_collected() {
    let start = || Answer::raw("HTTP/1.1 200 OK\r\n");
    for answer in [
        start().then("a: b\r\n".repeat(1000)).then("\r\n"),
        start()
            .then("a: ")
            .forever("b".repeat(10_000), Duration::ZERO),
        start().forever("a: b\r\n", Duration::ZERO),
    ] {
        assert_eq!(fetch_answer(answer).await, Err(FetchError::BadAnswer));
    }
}

#[tokio::test]
async fn hanging_up_before_the_answer_is_told() {
    for answer in [
        Answer::raw("").close(),
        Answer::raw("").cut(),
        Answer::raw("HTTP/1.1 200 OK\r\ncontent-").close(),
    ] {
        assert_eq!(fetch_answer(answer).await, Err(FetchError::Truncated));
    }
}

#[tokio::test]
async fn every_way_to_be_slow_ends_at_the_deadline() {
    let drip = Duration::from_millis(20);
    let head = || Answer::head(200, &[("content-length", "100000")]);
    for (answer, stage) in [
        (Answer::raw("").hang(), Stage::Head),
        (
            Answer::raw("HTTP/1.1 200 OK\r\n").forever("a: b\r\n", drip),
            Stage::Head,
        ),
        (
            Answer::raw("").forever("HTTP/1.1 103 Early Hints\r\n\r\n", drip),
            Stage::Head,
        ),
        (head().hang(), Stage::Body),
        (head().then("{").hang(), Stage::Body),
        (head().forever(" ", drip), Stage::Body),
        (
            Answer::head(200, &[("transfer-encoding", "chunked")]).forever("1\r\n \r\n", drip),
            Stage::Body,
        ),
    ] {
        let shown = format!("{answer:?}");
        assert_eq!(fetch_impatiently(answer).await, timeout(stage), "{shown}");
    }
}

#[test]
fn a_proxy_in_the_environment_is_not_used() {
    let proxy = TcpListener::bind((HERE, 0)).unwrap();
    proxy.set_nonblocking(true).unwrap();
    let url = format!("http://{}", proxy.local_addr().unwrap());
    let mut child = Command::new(std::env::current_exe().unwrap());
    for name in [
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "HTTP_PROXY",
    ] {
        child.env(name, &url);
    }
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    let output = child
        .args([
            "--ignored",
            "--exact",
            "http::a_fetch_for_the_test_about_proxies",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    assert!(proxy.accept().is_err(), "somebody connected");
}

#[tokio::test]
#[ignore = "another test runs it, with proxies in its environment"]
async fn a_fetch_for_the_test_about_proxies() {
    assert_eq!(fetch_answer(Answer::ok("{}")).await.unwrap().body, b"{}");
}
