//! What happens when things go wrong inside, and when the server stops.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    house::{DOORS, Door, House, assert_no_leak},
    sick::{BROKEN, HANGS, PANICS, SLOW, UNAVAILABLE, WELL, sick_house},
};

#[tokio::test]
async fn a_failure_is_told_without_its_cause_and_the_server_goes_on() {
    let (house, how) = sick_house().await;
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    let status = json!({"taskId": crate::house::NOBODYS_TASK});
    for (sickness, number, code) in [
        (UNAVAILABLE, 503, "unavailable"),
        (BROKEN, 500, "internal"),
        (PANICS, 500, "internal"),
        (HANGS, 504, "timeout"),
    ] {
        how.store(sickness, Ordering::SeqCst);
        for door in DOORS {
            for (tool, arguments) in [("create_task", &create), ("get_task_status", &status)] {
                let said = house
                    .call(door, &house.keys.alice, tool, arguments, json!({}))
                    .await;
                assert_eq!(
                    (said.status, said.code()),
                    (number, code),
                    "{door:?} {tool} {said:?}"
                );
                assert_no_leak(said.error());
            }
        }
        how.store(WELL, Ordering::SeqCst);
        house.task("a").await;
    }
}

#[tokio::test]
async fn health_does_not_lie() {
    let (house, how) = sick_house().await;
    how.store(UNAVAILABLE, Ordering::SeqCst);
    let reply = house.get("/api/healthz", "").await;
    assert_eq!((reply.status, reply.code().as_str()), (503, "unavailable"));
    assert_no_leak(&reply.text());
    how.store(WELL, Ordering::SeqCst);
    // The last answer is given to others for up to a second.
    let well = async {
        while house.get("/api/healthz", "").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), well)
        .await
        .unwrap();
}

#[tokio::test]
async fn stopping_finishes_what_is_in_flight_and_takes_nothing_new() {
    let (mut house, how) = sick_house().await;
    how.store(SLOW, Ordering::SeqCst);
    let served = house.served.take().unwrap();
    let create = json!({"title": "t", "description": "", "injectedBy": "alice"});
    let address = house.url.strip_prefix("http://").unwrap().to_owned();
    let idle = TcpStream::connect(&address).await.unwrap();
    let ask = house.call(
        Door::Rest,
        &house.keys.alice,
        "create_task",
        &create,
        json!({}),
    );
    let stop = async {
        // The request is under way once its deed is being waited for.
        tokio::time::sleep(Duration::from_millis(100)).await;
        house.stop.cancel();
        tokio::time::timeout(Duration::from_secs(4), served).await
    };
    let (said, stopped) = tokio::join!(ask, stop);
    assert_eq!(said.status, 201, "{said:?}");
    stopped
        .expect("an idle connection must not hold up the end")
        .unwrap();
    assert!(TcpStream::connect(&address).await.is_err());
    drop(idle);
}

#[tokio::test]
async fn a_body_that_never_ends_is_given_up() {
    let (house, _) = sick_house().await;
    let address = house.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /api/tasks HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        house.keys.alice
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 1024];
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut answer));
    let read = read.await.unwrap().unwrap();
    let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("body_timeout"), "{answer}");
}

#[tokio::test]
async fn bytes_that_are_no_http_do_not_stop_the_server() {
    let house = House::open().await;
    let address = house.url.strip_prefix("http://").unwrap();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET /api/healthz HTTP/1.1\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        // A reset is an answer too.
        let _ended = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer))
            .await
            .expect("the connection is closed");
        assert!(
            !answer.starts_with(b"HTTP/1.1 200"),
            "{:?}",
            String::from_utf8_lossy(&answer)
        );
    }
    house.goes_on().await;
}

/// Silent connections may not be kept for ever: each holds one of a bounded number of places.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_says_nothing_is_closed() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let house = House::open().await;
    let address = house.url.trim_start_matches("http://").to_owned();
    for start in [
        &b""[..],
        b"GET / HTTP/1.1\r\nHo",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        stream.write_all(start).await.unwrap();
        let mut rest = Vec::new();
        let end = std::time::Duration::from_secs(60);
        let read = tokio::time::timeout(end, stream.read_to_end(&mut rest)).await;
        assert!(
            read.is_ok(),
            "still open after {end:?}, having said {start:?}"
        );
    }
}

/// As above, for one that asks without end and takes no answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_takes_no_answers_is_closed() {
    use tokio::io::AsyncWriteExt as _;
    let house = House::open().await;
    let address = house.url.trim_start_matches("http://").to_owned();
    let request = format!("GET /api/healthz HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
    let asking = async { while stream.write_all(request.as_bytes()).await.is_ok() {} };
    let end = std::time::Duration::from_secs(60);
    let ended = tokio::time::timeout(end, asking).await;
    assert!(ended.is_ok(), "still open after {end:?}");
    house.goes_on().await;
}
