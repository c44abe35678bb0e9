//! Starting and stopping a server.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
};

use crate::common::{Home, PATIENCE, head, redacted};
use serde_json::Value;

const CREATE: &str = r#"{"title":"Slow","description":"","injectedBy":"alice"}"#;

#[test]
fn the_first_run_shows_a_key_once_and_configuration_to_paste() {
    let home = Home::new();
    let mut serving = home.serve(&[], &[]);
    let key = serving.key().unwrap().to_owned();
    let greeting = serving
        .greeting
        .replace(&serving.address, "ADDRESS")
        .replace(env!("CARGO_BIN_EXE_deedbox"), "PROGRAM");
    insta::assert_snapshot!(redacted(&greeting, &home), @r#"
    Deedbox 0.1.0
    Database: sqlite://HOME/.local/share/deedbox/deedbox.sqlite

    Operator key (shown once): KEY
    It may act as anyone, and only its hash is kept. Better give each agent a key of its own:
      deedbox actor add claude --kind agent
      deedbox key new --actor claude

    Claude Code:
      claude mcp add --transport http deedbox http://ADDRESS/mcp --header "Authorization: Bearer KEY"

    Any MCP client, over HTTP:
    {
      "mcpServers": {
        "deedbox": {
          "headers": {
            "Authorization": "Bearer KEY"
          },
          "type": "http",
          "url": "http://ADDRESS/mcp"
        }
      }
    }

    Any MCP client, over standard input and output:
    {
      "mcpServers": {
        "deedbox": {
          "args": [
            "mcp"
          ],
          "command": "PROGRAM",
          "env": {
            "DEEDBOX_KEY": "KEY"
          }
        }
      }
    }

    Listening on http://ADDRESS
    "#);
    let (status, body) = serving.request("GET /api/tasks/unaccepted", Some(&key), "");
    assert_eq!(
        (status, body.contains("\"tasks\":[]")),
        (200, true),
        "{body}"
    );

    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(home.database()), 0o600);
    assert_eq!(mode(home.database().parent().unwrap().to_owned()), 0o700);

    serving.signal("TERM");
    assert!(serving.end().success(), "{}", serving.log);
    assert!(!serving.log.contains(&key[21..]), "the key is in the log");
    let database = std::fs::read(home.database()).unwrap();
    let secret = key.as_bytes();
    assert!(
        !database
            .windows(secret.len())
            .any(|window| window == secret)
    );

    let mut second = home.serve(&[], &[]);
    assert_eq!(second.key(), None);
    assert!(
        second.greeting.contains("Bearer YOUR_KEY"),
        "{}",
        second.greeting
    );
    assert!(
        second.greeting.contains("deedbox key new --actor"),
        "{}",
        second.greeting
    );
    assert_eq!(
        second
            .request("GET /api/tasks/unaccepted", Some(&key), "")
            .0,
        200
    );
    second.signal("INT");
    assert!(second.end().success());
    assert_eq!(home.json(&["key", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn an_access_token_is_an_operator_key_and_no_other_is_made() {
    let home = Home::new();
    let token = "a-token-of-my-own-0123456789";
    let mut serving = home.serve(&[], &[("MCP_ACCESS_TOKEN", token)]);
    assert_eq!(serving.key(), None);
    assert_eq!(
        serving
            .request("GET /api/tasks/unaccepted", Some(token), "")
            .0,
        200
    );
    assert_eq!(
        serving
            .request("GET /api/tasks/unaccepted", Some("another"), "")
            .0,
        401
    );
    assert!(!serving.greeting.contains(token), "{}", serving.greeting);
    serving.signal("TERM");
    assert!(serving.end().success());
    assert!(!serving.log.contains(token));
    assert_eq!(home.json(&["key", "list"]).as_array().unwrap().len(), 0);
}

#[test]
fn with_json_the_greeting_is_one_value() {
    use std::process::Stdio;
    let home = Home::new();
    let mut child = home
        .command(&["serve", "--listen", "127.0.0.1:0", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let read = BufReader::new(child.stdout.take().unwrap()).read_line(&mut line);
    drop(child.kill());
    drop(child.wait());
    read.unwrap();
    let greeting: Value = serde_json::from_str(&line).unwrap();
    assert!(
        greeting["url"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );
    assert!(
        greeting["operatorKey"]
            .as_str()
            .unwrap()
            .starts_with("dbx_")
    );
}

#[test]
fn a_taken_port_is_said_before_anything_is_made() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let done = home.run(&["serve", "--listen", &address]).expect(3);
    insta::assert_snapshot!(done.err.replace(&address, "ADDRESS"), @r#"
    error: ADDRESS is taken: another program listens there
      Stop the other program, or choose another port: deedbox serve --listen 127.0.0.1:7879.
    "#);
    assert_eq!(done.out, "");
    assert!(!home.path().join(".local").exists());
    let json = home
        .run(&["serve", "--listen", &address, "--json"])
        .expect(3);
    assert_eq!(json.error()["code"], "port_taken");
}

#[test]
fn an_address_of_another_machine_cannot_be_listened_on() {
    // TEST-NET-1 (RFC 5737) is nobody's.
    let done = Home::new()
        .run(&["serve", "--listen", "192.0.2.1:7878", "--json"])
        .expect(3);
    assert_eq!(done.error()["code"], "cannot_listen");
}

#[test]
fn a_data_folder_that_cannot_be_is_explained() {
    let home = Home::new();
    std::fs::write(home.path().join("file"), "").unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data-dir"];
    for folder in ["file", "file/below"] {
        let done = home.run(&[&serve[..], &[folder]].concat()).expect(3);
        assert!(done.err.contains("is not a folder"), "{}", done.err);
        assert!(done.err.contains("--data-dir"), "{}", done.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_data_folder_that_is_not_writable_is_explained() {
    // Nobody may make a folder here, not even root.
    let home = Home::new();
    let done = home.run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data-dir",
        "/sys/deedbox",
        "--json",
    ]);
    assert_eq!(done.expect(3).error()["code"], "not_writable");
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let home = Home::new();
    let path = home.path().join("notes.txt");
    let notes =
        "these are no deeds, but they are long enough to look like a file of something ".repeat(20);
    std::fs::write(&path, &notes).unwrap();
    let url = format!("sqlite://{}", path.display());
    home.run(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url])
        .expect(3);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), notes);
}

#[test]
fn a_postgres_server_that_is_not_there_is_explained_without_its_password() {
    let home = Home::new();
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let url = format!("postgres://app:hunter2hunter2@{free}/deedbox");
    let done = home
        .run(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url])
        .expect(3);
    assert!(!done.err.contains("hunter2"), "{}", done.err);
    assert!(
        done.err.contains("app:***@") && done.err.contains("not available"),
        "{}",
        done.err
    );
    let done = home
        .run(&["task", "unaccepted", "--database-url", &url, "--json"])
        .expect(3);
    assert_eq!(done.error()["code"], "database_unavailable");
}

/// A request whose head the server has taken up (it asked for the body), and whose body is still to come.
fn half_a_request(address: &str, key: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = head(
        address,
        "POST /api/tasks",
        Some(key),
        CREATE.len(),
        "Expect: 100-continue\r\n",
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 25];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

#[test]
fn sigterm_lets_a_request_in_flight_finish_and_takes_no_new_one() {
    let home = Home::new();
    home.run(&["actor", "add", "alice", "--kind", "human"])
        .expect(0);
    let mut serving = home.serve(&[], &[]);
    let key = serving.key().unwrap().to_owned();
    let mut stream = half_a_request(&serving.address, &key);

    serving.signal("TERM");
    serving.await_log("stopping");
    let started = std::time::Instant::now();
    while TcpStream::connect(&serving.address).is_ok() {
        assert!(started.elapsed() < PATIENCE, "it still takes connections");
        std::thread::yield_now();
    }
    stream.write_all(CREATE.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert!(serving.end().success(), "{}", serving.log);
    assert_eq!(
        home.json(&["task", "unaccepted"])["tasks"][0]["title"],
        "Slow"
    );
    home.run(&["ledger", "check"]).expect(0);
}

#[test]
fn a_request_that_never_ends_is_broken_off_after_the_grace() {
    let home = Home::new();
    let mut serving = home.serve(&["--shutdown-grace", "100ms"], &[]);
    let key = serving.key().unwrap().to_owned();
    let stream = half_a_request(&serving.address, &key);
    serving.signal("TERM");
    assert!(serving.end().success(), "{}", serving.log);
    drop(stream);
}

#[test]
fn commands_work_while_the_server_runs_and_it_sees_what_they_do() {
    let home = Home::new();
    let serving = home.serve(&[], &[]);
    home.run(&["actor", "add", "alice", "--kind", "human"])
        .expect(0);
    let made = home.json(&["key", "new", "--actor", "alice"]);
    let key = made["key"].as_str().unwrap();
    let (status, body) = serving.request("POST /api/tasks", Some(key), CREATE);
    assert_eq!(status, 201, "{body}");
    let task: Value = serde_json::from_str(&body).unwrap();
    let shown = home.json(&["task", "status", task["id"].as_str().unwrap()]);
    assert_eq!(shown["task"]["attribution"]["actor"], "authenticated");
    home.run(&["key", "revoke", made["id"].as_str().unwrap()])
        .expect(0);
    assert_eq!(serving.request("POST /api/tasks", Some(key), CREATE).0, 401);
}

#[test]
fn metrics_are_closed_on_the_main_listener_and_open_on_their_own() {
    let home = Home::new();
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();
    let serving = home.serve(&["--metrics-listen", &free], &[]);
    let key = serving.key().unwrap();
    assert_eq!(serving.request("GET /metrics", None, "").0, 401);
    assert_eq!(
        serving
            .request("GET /api/tasks/unaccepted", Some(key), "")
            .0,
        200
    );
    let own = serving.request("GET /metrics", Some(key), "");
    let apart = crate::common::http(&free, "GET /metrics", None, "");
    for (status, body) in [own, apart] {
        assert_eq!(status, 200);
        assert!(body.contains("deedbox_request_seconds_bucket"), "{body}");
        assert!(body.contains("le=\"0.005\""), "{body}");
        // The key of the first run was one commit of one deed.
        assert!(
            body.contains("deedbox_commits_total{backend=\"sqlite\"}"),
            "{body}"
        );
        assert!(!body.contains(key));
    }
    assert_eq!(
        crate::common::http(&free, "GET /api/tasks/unaccepted", Some(key), "").0,
        404
    );
}

#[test]
fn other_hosts_are_refused_unless_allowed() {
    let home = Home::new();
    let ask = |address: &str, host: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "GET /api/healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    let serving = home.serve(&[], &[]);
    assert_eq!(ask(&serving.address, "localhost"), "200");
    assert_eq!(ask(&serving.address, "evil.example.org"), "421");
    drop(serving);
    let serving = home.serve(&["--public-url", "https://deedbox.example.org"], &[]);
    assert_eq!(ask(&serving.address, "deedbox.example.org"), "200");
    assert!(
        serving.greeting.contains("https://deedbox.example.org/mcp"),
        "{}",
        serving.greeting
    );
    drop(serving);
    let serving = home.serve(&["--allowed-hosts", "a.example.org,b.example.org"], &[]);
    assert_eq!(ask(&serving.address, "b.example.org"), "200");
    assert_eq!(ask(&serving.address, "c.example.org"), "421");
}

#[test]
fn listening_on_the_network_without_names_is_warned_about() {
    let home = Home::new();
    let mut serving = home.serve(&["--listen", "0.0.0.0:0"], &[]);
    serving.await_log("without TLS");
    serving.await_log("allowed_hosts");
}

#[test]
fn the_next_command_that_is_shown_reaches_the_same_database() {
    let home = Home::new();
    let folder = home.path().join("another place");
    let folder = folder.to_str().unwrap();
    let serving = home.serve(&["--data-dir", folder], &[]);
    let next = format!("deedbox key new --actor claude --data-dir '{folder}'\n");
    assert!(serving.greeting.contains(&next), "{}", serving.greeting);
}

#[test]
fn chains_that_a_client_over_stdio_would_not_know_of_are_named_without_their_urls() {
    let home = Home::new();
    let variables = [("DEEDBOX_CHAINS", "10=https://rpc.example.org/hunter2")];
    let serving = home.serve(&[], &variables);
    let greeting = &serving.greeting;
    assert!(
        greeting.contains("DEEDBOX_CHAINS must be set too") && greeting.contains(": 10\n"),
        "{greeting}"
    );
    assert!(!greeting.contains("hunter2"), "{greeting}");
}
