//! `deedbox lint tools`, on files, over HTTP in both eras, and over standard input and output.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
};

use serde_json::{Value, json};

use crate::common::{Done, Home};

const LIST: &str = r#"{"tools": [
    {"name": "whole", "description": "Returns the size of a file in bytes, as of the call; for finding large ones. Does not read its content (read_file does). Fails with isError. Takes milliseconds. Call it once."},
    {"name": "read_file", "description": "Reads \u001b[2J\u202e a file", "inputSchema": {"properties": {"path": {"type": "string"}}}}
]}"#;

#[test]
fn a_file_is_judged_statement_by_statement_with_the_words_that_were_found() {
    let home = Home::new();
    fs::write(home.path().join("tools.json"), LIST).unwrap();
    let done = home.run(&["lint", "tools", "tools.json"]).expect(1);
    insta::assert_snapshot!(done.out, @r#"
    whole
      made     what it answers, and for what
               + Returns the size of a file in bytes, as of the call;
               + for finding large ones.
      made     each input, its form, and its default
               + the schema takes no input
      made     units and precision of what comes back
               + …the size of a file in bytes, as of the call;
      made     as of when
               + …of a file in bytes, as of the call;
      made     what it does not do, and which tool does
               + Does not read its content (read_file does).
               + …not read its content (read_file does).
      made     what failure looks like, how long it takes, how often to call it
               + Fails with isError.
               + Takes milliseconds.
               + Call it once.

    read_file
      partly   what it answers, and for what
               + Reads ⟨U+001B⟩[2J⟨U+202E⟩ a file
               - no word of when or for what to use it
      missing  each input, its form, and its default
               - not described: path
               - optional, and nothing says what happens without it: path
      missing  units and precision of what comes back
               - no unit, precision or format of what comes back
      missing  as of when
               - no word of the moment that the answer is of
      missing  what it does not do, and which tool does
               - nothing says what it does not do or return
               - no other tool is named for what it does not do
      missing  what failure looks like, how long it takes, how often to call it
               - nothing says what failure looks like
               - nothing says how long it takes
               - nothing says how often to call it

       1 lack each input, its form, and its default
              Describe each input in the schema or the text, and say of each optional one what happens
              without it.
       1 lack units and precision of what comes back
              Name the unit of every number and the format of every time or text: bytes, RFC 3339 in
              UTC, UTF-8.
       1 lack as of when
              Say which moment the answer is of: the time of the call, of the record, or how old a
              cache may be.
       1 lack what it does not do, and which tool does
              Say "Does not …" of what a reader might expect, and name the tool that does it.
       1 lack what failure looks like, how long it takes, how often to call it
              Say what an error looks like, whether it takes milliseconds or minutes, and when to call
              again.

    tools.json: 5 statements are missing; 1 of 2 tools are whole
    "#);
    let report = home
        .run(&["lint", "tools", "tools.json", "--json"])
        .expect(1)
        .json();
    assert_eq!(report["tools"][0]["missing"], json!([]));
    assert_eq!(report["tools"][1]["statements"][1]["verdict"], "missing");
    let raw = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
    assert!(!done.out.contains(raw));
}

#[test]
fn a_statement_that_is_made_in_part_is_missing_only_in_strict_mode() {
    let home = Home::new();
    let text = "Returns the size of a file in bytes, as of the call; for finding large ones. \
                Does not read (use read_file). Takes milliseconds.";
    let list = json!([{"name": "size", "description": text}]);
    let lint = |flags: &[&str]| {
        home.run_with(
            &[&["lint", "tools", "-"], flags].concat(),
            &[],
            &list.to_string(),
        )
    };
    drop(lint(&[]).expect(0));
    let strict = lint(&["--strict", "--json"]).expect(1).json();
    assert_eq!(strict["tools"][0]["missing"], json!(["failure"]));
}

#[test]
fn what_holds_no_list_of_tools_ends_with_2() {
    let home = Home::new();
    for (text, expected) in [
        ("", "EOF"),
        ("{\"tools\": 1}", "expected"),
        ("{\"tools\": []}", "empty"),
        ("[{\"name\": \"a\"}, {}]", "tool 2 has no name"),
        (
            "{\"jsonrpc\": \"2.0\", \"id\": 1, \"error\": {\"code\": -32601, \"message\": \"x\"}}",
            "error",
        ),
    ] {
        let done = home
            .run_with(&["lint", "tools", "-", "--json"], &[], text)
            .expect(2);
        let error = done.error();
        assert_eq!(error["code"], "no_tool_list", "{text}");
        let cause = error["cause"].as_str().unwrap();
        assert!(cause.contains(expected), "{text}: {cause}");
    }
    let done = home
        .run(&["lint", "tools", "nowhere.json", "--json"])
        .expect(2);
    assert_eq!(done.error()["code"], "cannot_read");
    let large = std::fs::File::create(home.path().join("large.json")).unwrap();
    large.set_len((16 << 20) + 1).unwrap();
    let done = home
        .run(&["lint", "tools", "large.json", "--json"])
        .expect(2);
    let cause = done.error()["cause"].as_str().unwrap().to_owned();
    assert!(cause.contains("more than 16777216 bytes"), "{cause}");
    for bad in [
        &["lint", "tools"][..],
        &["lint", "tools", "a.json", "--stdio", "b"],
        &["lint", "tools", "--stdio", "'open"],
        &["lint", "tools", "--stdio", " "],
    ] {
        drop(home.run(bad).expect(2));
    }
    for (command, expected) in [("/nowhere/at/all", "started"), ("true", "ended")] {
        let done = home.run(&["lint", "tools", "--stdio", command]).expect(2);
        assert!(done.err.contains(expected), "{}", done.err);
    }
}

/// What a server of these tests is asked: the headers in lower case, and the message.
struct Asked {
    head: String,
    message: Value,
}

/// A server that answers each request with what `answer` makes of it: a status, headers, and a body.
fn serve(
    answer: impl Fn(&Asked) -> (u16, &'static str, String) + Send + 'static,
) -> (String, mpsc::Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp?key=hunter2", listener.local_addr().unwrap());
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let asked = asked(&stream);
            let (status, headers, body) = answer(&asked);
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} x\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            // A client that is content with the first part does not wait for the rest.
            drop(stream.write_all(format!("{head}{body}").as_bytes()));
            if send.send(asked).is_err() {
                break;
            }
        }
    });
    (url, receive)
}

fn asked(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line.to_lowercase());
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    Asked {
        head,
        message: serde_json::from_slice(&body).unwrap_or(Value::Null),
    }
}

const JSON: &str = "Content-Type: application/json\r\n";

fn result(asked: &Asked, result: Value) -> (u16, &'static str, String) {
    (
        200,
        JSON,
        json!({"jsonrpc": "2.0", "id": asked.message["id"], "result": result}).to_string(),
    )
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": ""})
}

fn lint(url: &str) -> Done {
    let token = [("DEEDBOX_LINT_TOKEN", "hunter2-token")];
    Home::new().run_with(&["lint", "tools", url, "--json"], &token, "")
}

fn names(done: &Done) -> Vec<String> {
    let report = done.json();
    let tools = report["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_stateless_server_is_read_page_by_page_without_a_session() {
    let (url, asked) = serve(|asked| match asked.message["method"].as_str() {
        Some("server/discover") => result(asked, json!({"supportedVersions": ["2026-07-28"]})),
        _ if asked.message["params"]["cursor"] == "two" => {
            result(asked, json!({"tools": [tool("b")]}))
        }
        _ => result(asked, json!({"tools": [tool("a")], "nextCursor": "two"})),
    });
    let done = lint(&url).expect(1);
    assert_eq!(names(&done), ["a", "b"]);
    assert!(!done.out.contains("hunter2"), "{}", done.out);
    let asked: Vec<Asked> = asked.try_iter().collect();
    let methods: Vec<&str> = asked
        .iter()
        .map(|one| one.message["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods, ["server/discover", "tools/list", "tools/list"]);
    for one in &asked {
        let method = one.message["method"].as_str().unwrap();
        assert!(
            one.head.contains("mcp-protocol-version: 2026-07-28"),
            "{}",
            one.head
        );
        assert!(
            one.head.contains(&format!("mcp-method: {method}")),
            "{}",
            one.head
        );
        assert!(
            one.head.contains("authorization: bearer hunter2-token"),
            "{}",
            one.head
        );
        let meta = &one.message["params"]["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
    }
}

#[test]
fn a_server_of_the_older_era_is_greeted_and_its_session_is_ended() {
    let (url, asked) = serve(|asked| match asked.message["method"].as_str() {
        Some("server/discover") => (400, "", "Bad Request: no session".to_owned()),
        Some("initialize") => {
            let (status, _, body) = result(asked, json!({"protocolVersion": "2025-11-25"}));
            (
                status,
                "Content-Type: application/json\r\nMcp-Session-Id: s1\r\n",
                body,
            )
        }
        Some("tools/list") => {
            let (status, _, body) = result(asked, json!({"tools": [tool("a")]}));
            let events = format!(
                ": hello\n\nevent: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}}\n\nevent: message\ndata: {body}\n\n"
            );
            (status, "Content-Type: text/event-stream\r\n", events)
        }
        _ => (202, "", String::new()),
    });
    assert_eq!(names(&lint(&url).expect(1)), ["a"]);
    let asked: Vec<Asked> = asked.try_iter().collect();
    let last = asked.last().unwrap();
    assert!(last.head.starts_with("delete /mcp"), "{}", last.head);
    let methods: Vec<&Value> = asked[..asked.len() - 1]
        .iter()
        .map(|one| &one.message["method"])
        .collect();
    assert_eq!(
        methods,
        [
            "server/discover",
            "initialize",
            "notifications/initialized",
            "tools/list"
        ]
    );
    for one in &asked[2..] {
        assert!(one.head.contains("mcp-session-id: s1"), "{}", one.head);
        assert!(
            one.head.contains("mcp-protocol-version: 2025-11-25"),
            "{}",
            one.head
        );
    }
}

#[test]
fn a_server_that_gives_no_list_is_told_apart_without_its_url() {
    let large = format!("{{\"x\": \"{}\"}}", "x".repeat(9 << 20));
    for (answer, expected) in [
        ((401, JSON, "{}".to_owned()), "DEEDBOX_LINT_TOKEN"),
        (
            (302, "Location: http://127.0.0.1:1/\r\n", String::new()),
            "HTTP 302",
        ),
        (
            (200, "Content-Type: text/html\r\n", "<html>".to_owned()),
            "no message of the protocol",
        ),
        ((200, JSON, large), "more than"),
    ] {
        let refused = answer.0 != 200;
        let (url, _asked) = serve(move |_| answer.clone());
        let done = lint(&url).expect(2);
        assert_eq!(done.error()["code"], "no_tool_list");
        let cause = done.error()["cause"].as_str().unwrap().to_owned();
        assert!(cause.contains(expected), "{cause}");
        assert!(!cause.contains("path /mcp"), "{cause}");
        assert!(!done.err.contains("hunter2"), "{}", done.err);
        // Who forgot the path is not sent looking for a token alone.
        let done = lint(&url.replace("/mcp?key=hunter2", "/")).expect(2);
        let cause = done.error()["cause"].as_str().unwrap().to_owned();
        assert_eq!(cause.contains("path /mcp"), refused, "{cause}");
    }
    let (url, _asked) = serve(|asked| {
        let error = json!({"code": -32000, "message": "no\u{1b}[2J tools \u{202e}here"});
        let answer = json!({"jsonrpc": "2.0", "id": asked.message["id"], "error": error});
        (200, JSON, answer.to_string())
    });
    let done = lint(&url).expect(2);
    let cause = done.error()["cause"].as_str().unwrap().to_owned();
    assert!(
        cause.contains("refuses initialize") && cause.contains("-32000"),
        "{cause}"
    );
    assert!(!done.err.contains(['\u{1b}', '\u{202e}']), "{:?}", done.err);
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let done = lint(&format!("http://{free}/?key=hunter2")).expect(2);
    assert!(!done.err.contains("hunter2"), "{}", done.err);
}

#[test]
fn a_list_without_an_end_is_given_up() {
    let (url, _asked) = serve(|asked| match asked.message["method"].as_str() {
        Some("server/discover") => result(asked, json!({"supportedVersions": ["2026-07-28"]})),
        _ => result(asked, json!({"tools": [tool("a")], "nextCursor": "again"})),
    });
    let cause = lint(&url).expect(2).error()["cause"].to_string();
    assert!(cause.contains("no end"), "{cause}");
}

#[test]
fn the_tools_of_this_server_make_all_six_statements_over_both_transports() {
    let home = Home::new();
    let server = home.serve(&[], &[]);
    let key = server.key().unwrap();
    let url = format!("http://{}/mcp", server.address);
    let done = home
        .run_with(
            &["lint", "tools", &url, "--strict"],
            &[("DEEDBOX_LINT_TOKEN", key)],
            "",
        )
        .expect(0);
    assert!(done.out.contains("nothing is missing"), "{}", done.out);
    let command = format!("'{}' mcp", env!("CARGO_BIN_EXE_deedbox"));
    let variables = [("DEEDBOX_KEY", key)];
    let stdio = home
        .run_with(
            &["lint", "tools", "--strict", "--stdio", &command],
            &variables,
            "",
        )
        .expect(0);
    let judged = |text: &str| {
        text.rsplit_once('\n')
            .map(|(tools, _)| tools.trim_end().to_owned())
    };
    let lines = |done: &Done| judged(done.out.trim_end()).unwrap();
    assert_eq!(
        lines(&stdio),
        lines(&done),
        "the transports list different tools"
    );
}
