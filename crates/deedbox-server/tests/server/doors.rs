//! Who gets in, and from where.

use std::{num::NonZeroU32, time::Duration};

use bytes::Bytes;
use deedbox_server::Rate;
use http::{Method, header};
use serde_json::json;

use crate::house::{ACCESS_TOKEN, House, Reply};

const CLOSED: [(Method, &str); 20] = [
    (Method::POST, "/mcp"),
    (Method::GET, "/mcp"),
    (Method::POST, "/api/tasks"),
    (Method::GET, "/api/tasks"),
    (Method::GET, "/api/tasks/unaccepted"),
    (Method::POST, "/api/tasks/x/accept"),
    (Method::GET, "/api/tasks/x/status"),
    (Method::GET, "/api/chains"),
    (Method::GET, "/api/chains/1/native-balance"),
    (Method::POST, "/api/conclusions/check"),
    (Method::GET, "/api/evidence/x"),
    (Method::GET, "/metrics"),
    (Method::GET, "/openapi.json"),
    (Method::GET, "/"),
    (Method::GET, "/nothing"),
    (Method::GET, "/api/healthz/"),
    (Method::GET, "/api//healthz"),
    (Method::POST, "/api/healthz"),
    (Method::DELETE, "/.well-known/mcp/server-card.json"),
    (Method::OPTIONS, "/mcp"),
];

async fn with(house: &House, method: &Method, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut request = house.request(method.clone(), path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    house.send(request.body(Bytes::new()).unwrap()).await
}

#[tokio::test]
async fn two_routes_are_open_and_everything_else_is_a_401() {
    let house = House::open().await;
    let health = with(&house, &Method::GET, "/api/healthz", &[]).await;
    assert_eq!(
        (health.status, health.json()),
        (200, json!({"status": "ok"}))
    );
    let card = with(
        &house,
        &Method::GET,
        "/.well-known/mcp/server-card.json",
        &[],
    )
    .await;
    assert_eq!(card.status, 200);
    assert_eq!(
        card.json()["remotes"][0]["url"],
        format!("{}/mcp", house.url)
    );
    for (method, path) in &CLOSED {
        let reply = with(&house, method, path, &[]).await;
        assert_eq!(reply.status, 401, "{method} {path}");
        assert_eq!(reply.code(), "unauthenticated", "{method} {path}");
        assert_eq!(
            reply.header("www-authenticate"),
            Some("Bearer realm=\"deedbox\"")
        );
    }
}

#[tokio::test]
async fn every_credential_that_is_not_valid_gets_the_same_answer() {
    let house = House::open().await;
    let keys = &house.keys;
    let mut wrong_secret = keys.alice.clone();
    wrong_secret.replace_range(
        30..31,
        if &wrong_secret[30..31] == "a" {
            "b"
        } else {
            "a"
        },
    );
    // A key of the right form that was never issued here.
    let strange = deedbox_core::ApiKey::generate(&*house.clock)
        .reveal()
        .to_owned();
    let same_id = format!("{}{}", &keys.alice[..21], &strange[21..]);
    let mut answers = Vec::new();
    for credential in [
        "",
        "x",
        "dbx_",
        &keys.expired,
        &keys.revoked,
        &wrong_secret,
        &strange,
        &same_id,
        &keys.alice.to_uppercase(),
        &format!("{} ", &keys.alice[1..]),
        &"x".repeat(5_000),
    ] {
        for header in [
            ("authorization", format!("Bearer {credential}")),
            ("x-api-key", credential.to_owned()),
        ] {
            let reply = with(
                &house,
                &Method::GET,
                "/api/tasks/unaccepted",
                &[(header.0, &header.1)],
            )
            .await;
            assert_eq!(reply.status, 401, "{credential}");
            answers.push((
                reply.text(),
                reply.header("www-authenticate").map(str::to_owned),
            ));
        }
    }
    let first = answers[0].clone();
    assert!(answers.iter().all(|answer| *answer == first), "{answers:?}");
    let basic = with(
        &house,
        &Method::GET,
        "/api/tasks/unaccepted",
        &[("authorization", "Basic YTpi")],
    )
    .await;
    assert_eq!((basic.status, basic.text()), (401, first.0));
}

#[tokio::test]
async fn both_headers_admit_and_two_different_credentials_do_not() {
    let house = House::open().await;
    let (alice, bob) = (house.keys.alice.as_str(), house.keys.bob.as_str());
    let bearer = |key: &str| format!("Bearer {key}");
    let path = "/api/tasks/unaccepted";
    for (headers, status) in [
        (vec![("authorization", bearer(alice))], 200),
        (vec![("authorization", format!("bearer {alice}"))], 200),
        (vec![("x-api-key", alice.to_owned())], 200),
        (
            vec![
                ("authorization", bearer(alice)),
                ("x-api-key", alice.to_owned()),
            ],
            200,
        ),
        (
            vec![
                ("authorization", bearer(alice)),
                ("x-api-key", bob.to_owned()),
            ],
            400,
        ),
        (
            vec![
                ("authorization", bearer(alice)),
                ("x-api-key", "x".to_owned()),
            ],
            400,
        ),
        (
            vec![
                ("x-api-key", alice.to_owned()),
                ("x-api-key", bob.to_owned()),
            ],
            400,
        ),
        (vec![("authorization", bearer(ACCESS_TOKEN))], 200),
        (vec![("x-api-key", ACCESS_TOKEN.to_owned())], 200),
        (vec![("authorization", bearer(&ACCESS_TOKEN[1..]))], 401),
    ] {
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let reply = with(&house, &Method::GET, path, &headers).await;
        assert_eq!(reply.status, status, "{headers:?} {}", reply.text());
        if status == 400 {
            assert_eq!(reply.code(), "two_credentials");
        }
    }
}

#[tokio::test]
async fn a_credential_in_the_query_string_is_not_read() {
    let house = House::open().await;
    for name in [
        "access_token",
        "api_key",
        "key",
        "token",
        "X-API-Key",
        "authorization",
    ] {
        let path = format!("/api/tasks/unaccepted?{name}={}", house.keys.alice);
        let reply = with(&house, &Method::GET, &path, &[]).await;
        assert_eq!(reply.status, 401, "{name}");
    }
}

#[tokio::test]
async fn a_key_that_expires_or_is_revoked_is_refused_from_the_next_request_on() {
    let house = House::open().await;
    let key = deedbox_core::ApiKey::generate(&*house.clock);
    let command = deedbox_core::Command::IssueKey {
        id: key.id().clone(),
        secret_hash: key.hash(),
        actor: None,
        scopes: deedbox_core::Scopes::all(),
        label: None,
        agent_label: None,
        expires_at: Some(deedbox_core::World::now(&*house.clock).plus_millis(60_000)),
        only_first_operator: false,
    };
    let by = deedbox_core::Attribution::of(deedbox_core::Principal::local());
    let execute = |command| deedbox_store::Execute {
        command,
        attribution: by.clone(),
        idempotency: None,
    };
    house
        .store
        .execute(execute(command))
        .await
        .unwrap()
        .unwrap();
    let path = "/api/tasks/unaccepted";
    assert_eq!(house.get(path, key.reveal()).await.status, 200);
    assert_eq!(house.get(path, &house.keys.bob).await.status, 200);
    house.clock.advance(Duration::from_secs(61));
    assert_eq!(house.get(path, key.reveal()).await.status, 401);
    let id = deedbox_core::ApiKey::parse(&house.keys.bob)
        .unwrap()
        .id()
        .clone();
    let revoke = deedbox_core::Command::RevokeKey { id };
    house.store.execute(execute(revoke)).await.unwrap().unwrap();
    assert_eq!(house.get(path, &house.keys.bob).await.status, 401);
}

#[tokio::test]
async fn a_strangers_page_is_turned_away_on_every_route() {
    let house = House::with(|options| {
        options
            .allowed_origins
            .push("https://console.example".to_owned());
    })
    .await;
    let bearer = format!("Bearer {}", house.keys.operator);
    let mut paths = CLOSED.to_vec();
    paths.push((Method::GET, "/api/healthz"));
    paths.push((Method::GET, "/.well-known/mcp/server-card.json"));
    for (method, path) in paths {
        for origin in [
            "https://evil.example",
            "null",
            "http://127.0.0.1:1",
            "https://console.example.evil.example",
        ] {
            let headers = [("authorization", bearer.as_str()), ("origin", origin)];
            let reply = with(&house, &method, path, &headers).await;
            assert_eq!(
                (reply.status, reply.code().as_str()),
                (403, "origin_not_allowed"),
                "{method} {path} {origin}"
            );
        }
        for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example"] {
            let headers = [("authorization", bearer.as_str()), ("host", host)];
            let reply = with(&house, &method, path, &headers).await;
            assert_eq!(
                (reply.status, reply.code().as_str()),
                (421, "host_not_allowed"),
                "{method} {path} {host}"
            );
        }
    }
    for origin in ["https://console.example", &house.url] {
        let headers = [("authorization", bearer.as_str()), ("origin", origin)];
        assert_eq!(
            with(&house, &Method::GET, "/api/tasks/unaccepted", &headers)
                .await
                .status,
            200
        );
    }
    for host in ["localhost", "localhost:9", "127.0.0.1"] {
        let headers = [("authorization", bearer.as_str()), ("host", host)];
        assert_eq!(
            with(&house, &Method::GET, "/api/tasks/unaccepted", &headers)
                .await
                .status,
            200
        );
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_say_so_to_those_who_may_know() {
    let house = House::open().await;
    let bearer = [("authorization", format!("Bearer {}", house.keys.alice))];
    let bearer = [(bearer[0].0, bearer[0].1.as_str())];
    for path in [
        "/",
        "/nothing",
        "/api",
        "/api/tasks/x",
        "/api/actors",
        "/api/tasks/x/accept/y",
    ] {
        let reply = with(&house, &Method::GET, path, &bearer).await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (404, "not_found"),
            "{path}"
        );
    }
    for (method, path, allow) in [
        (Method::GET, "/api/tasks", "POST"),
        (Method::POST, "/api/tasks/unaccepted", "GET"),
        (Method::DELETE, "/api/tasks/x/status", "GET"),
        (Method::PUT, "/api/tasks/x/accept", "POST"),
        (Method::POST, "/api/healthz", "GET"),
        (Method::GET, "/mcp", "POST"),
        (Method::DELETE, "/mcp", "POST"),
        (Method::PUT, "/mcp", "POST"),
        (Method::PATCH, "/mcp", "POST"),
    ] {
        let reply = with(&house, &method, path, &bearer).await;
        assert_eq!(
            (reply.status, reply.code().as_str()),
            (405, "method_not_allowed"),
            "{method} {path}"
        );
        assert!(
            reply.header("allow").unwrap_or_default().contains(allow),
            "{method} {path} {:?}",
            reply.headers
        );
    }
    let head = with(&house, &Method::HEAD, "/mcp", &bearer).await;
    assert_eq!((head.status, head.header("allow")), (405, Some("POST")));
}

#[tokio::test]
async fn each_key_has_its_own_rate() {
    let one = NonZeroU32::MIN;
    let burst = NonZeroU32::new(3).unwrap();
    let house = House::with(|options| {
        options.rate = Some(Rate {
            per_second: one,
            burst,
        });
    })
    .await;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        let reply = house.get("/api/tasks/unaccepted", &house.keys.alice).await;
        if reply.status == 429 {
            assert_eq!(reply.code(), "rate_limited");
            assert_eq!(reply.header("retry-after"), Some("1"));
        }
        statuses.push(reply.status);
    }
    assert_eq!(&statuses[..3], [200; 3]);
    assert!(statuses.contains(&429), "{statuses:?}");
    // Another key, and those who need none, are not held up by it.
    assert_eq!(
        house
            .get("/api/tasks/unaccepted", &house.keys.bob)
            .await
            .status,
        200
    );
    assert_eq!(
        with(&house, &Method::GET, "/api/healthz", &[]).await.status,
        200
    );
}

#[tokio::test]
async fn metrics_are_for_operators() {
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let house = House::with(|options| options.metrics = Some(handle)).await;
    let actor = house.get("/metrics", &house.keys.alice).await;
    assert_eq!(
        (actor.status, actor.code().as_str()),
        (403, "operator_only")
    );
    let operator = house.get("/metrics", &house.keys.operator).await;
    assert_eq!(operator.status, 200);
    assert!(
        operator
            .header("content-type")
            .unwrap()
            .starts_with("text/plain")
    );
    let without = House::open().await;
    assert_eq!(
        without.get("/metrics", &without.keys.operator).await.status,
        404
    );
}

#[tokio::test]
async fn answers_are_not_to_be_sniffed_or_kept() {
    let house = House::open().await;
    for reply in [
        house.get("/api/tasks/unaccepted", &house.keys.alice).await,
        house.get("/nothing", "").await,
        house.post("/mcp", &house.keys.alice, &[], "x").await,
    ] {
        assert_eq!(
            reply.header(header::X_CONTENT_TYPE_OPTIONS.as_str()),
            Some("nosniff")
        );
        assert_eq!(
            reply.header(header::CACHE_CONTROL.as_str()),
            Some("no-store")
        );
    }
    let card = house.get("/.well-known/mcp/server-card.json", "").await;
    assert_eq!(card.header("cache-control"), Some("public, max-age=3600"));
}
