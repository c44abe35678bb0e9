//! Logs and traces, as whoever operates the program sees them.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::mpsc,
    thread,
};

use crate::common::{Home, PATIENCE};
use serde_json::Value;

#[test]
fn log_lines_are_json_where_there_is_no_terminal_and_text_when_asked() {
    let home = Home::new();
    let mut serving = home.serve(&[], &[]);
    serving.signal("TERM");
    assert!(serving.end().success());
    let lines: Vec<Value> = serving
        .log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        lines
            .iter()
            .any(|line| line["message"] == "stopped" && line["level"] == "INFO")
    );

    let mut serving = home.serve(
        &[],
        &[
            ("DEEDBOX_LOG_FORMAT", "text"),
            ("DEEDBOX_LOG_FILTER", "debug"),
        ],
    );
    serving.signal("TERM");
    assert!(serving.end().success());
    assert!(serving.log.contains("INFO") && serving.log.lines().all(|line| !line.starts_with('{')));
    assert!(!serving.log.contains('\u{1b}'));
}

/// Takes one OTLP/HTTP export and returns its request line and body.
fn collector() -> (String, mpsc::Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            reader.read_line(&mut line).unwrap();
            loop {
                let mut header = String::new();
                reader.read_line(&mut header).unwrap();
                let header = header.trim().to_ascii_lowercase();
                if header.is_empty() {
                    break;
                }
                if let Some(value) = header.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let mut stream = stream;
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .unwrap();
            if send.send((line, body)).is_err() {
                break;
            }
        }
    });
    (url, receive)
}

#[test]
fn traces_are_exported_and_continue_the_trace_of_the_caller() {
    use std::net::TcpStream;
    let (url, exports) = collector();
    let home = Home::new();
    let mut serving = home.serve(&[], &[("OTEL_EXPORTER_OTLP_ENDPOINT", &url)]);
    let key = serving.key().unwrap().to_owned();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("traceparent: 00-{trace}-00f067aa0ba902b7-01\r\n");
    let mut stream = TcpStream::connect(&serving.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = crate::common::head(
        &serving.address,
        "GET /api/tasks/unaccepted",
        Some(&key),
        0,
        &parent,
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // What waits for its batch is sent at the end, so that nothing is lost.
    serving.signal("TERM");
    assert!(serving.end().success(), "{}", serving.log);

    let (line, body) = exports.recv_timeout(PATIENCE).unwrap();
    assert_eq!(line.trim(), "POST /v1/traces HTTP/1.1");
    let id: Vec<u8> = (0..trace.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&trace[at..at + 2], 16).unwrap())
        .collect();
    let holds = |part: &[u8]| body.windows(part.len()).any(|window| window == part);
    assert!(holds(&id), "the caller's trace is not continued");
    assert!(holds(b"deedbox") && holds(b"/api/tasks/unaccepted"));
    assert!(!holds(&key.as_bytes()[21..]), "the key is in a trace");
}

#[test]
fn a_collector_that_is_not_there_keeps_nothing_from_working() {
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let home = Home::new();
    let endpoint = format!("http://{free}");
    let mut serving = home.serve(&["--otlp-endpoint", &endpoint], &[]);
    let key = serving.key().unwrap().to_owned();
    assert_eq!(
        serving
            .request("GET /api/tasks/unaccepted", Some(&key), "")
            .0,
        200
    );
    serving.signal("TERM");
    assert!(serving.end().success(), "{}", serving.log);
}
