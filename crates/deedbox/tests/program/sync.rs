//! What registries say is read: by the command, and by a server in the background.

use std::{
    fs,
    io::{Seek as _, SeekFrom, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use deedbox_neighbours::{
    certificate::Certificate,
    https::{Answer, HttpsServer},
    postgres::Cluster,
};
use serde_json::{Value, json};

use crate::{
    accounts::file,
    common::{Home, PATIENCE, Serving},
    publishing::{Desk, OTHER},
    registries::manifest,
};

/// ERC-1967: where a proxy keeps the address of its implementation.
const IMPLEMENTATION: &str = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
/// A server that looks often.
pub(crate) const OFTEN: [&str; 4] = ["--sync-poll", "100ms", "--sync-code", "100ms"];

pub(crate) fn open_registry(desk: &Desk) -> String {
    desk.deploy(&["registry", "deploy", "open", "--registrar", "self"])
}

pub(crate) fn agent(desk: &Desk, registry: &str, name: &str) -> String {
    let name = format!("name={name}");
    let value = desk.publish(&["agent", "register", registry, &name]);
    value["names"]["agents"][0].as_str().unwrap().to_owned()
}

pub(crate) fn follow(desk: &Desk, registry: &str) {
    desk.home.json(&["registry", "add", registry, "--yes"]);
}

/// Makes the registry a proxy that leads to somebody else.
fn replace_code(desk: &Desk, registry: &str) {
    // What was read at the newest block stays as it was.
    desk.anvil.mine(1).unwrap();
    let address = registry.rsplit(':').next().unwrap();
    let word = format!("0x{}{}", "0".repeat(24), &OTHER[2..]);
    let params = json!([address, IMPLEMENTATION, word]);
    desk.anvil.rpc("anvil_setStorageAt", params).unwrap();
    desk.anvil.mine(1).unwrap();
}

/// The one registry of a summary.
pub(crate) fn only(summary: &Value) -> &Value {
    let all = summary["registries"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{summary}");
    &all[0]
}

#[test]
fn what_is_followed_is_read_up_to_the_head_and_what_is_not_is_dropped() {
    let desk = Desk::new();
    let none = desk.run(&["registry", "sync"], &[]);
    assert_eq!(none.code, 3, "there is no database yet: {}", none.err);
    let (one, other) = (open_registry(&desk), open_registry(&desk));
    follow(&desk, &one);
    agent(&desk, &one, "First");
    let done = desk.run(&["registry", "sync"], &[]).expect(0);
    assert!(done.out.contains("at the head"), "{}", done.out);
    assert!(done.out.contains("1 agent"), "{}", done.out);
    let head = desk.anvil.height().unwrap();
    assert!(
        done.err.contains(&format!("block {head} of {head}")),
        "{}",
        done.err
    );

    agent(&desk, &one, "Second");
    follow(&desk, &other);
    let head = desk.anvil.height().unwrap();
    let summary = desk.home.json(&["registry", "sync", &one]);
    let read = only(&summary);
    assert_eq!(read["registry"], one);
    assert_eq!(read["state"], "at_head");
    assert_eq!(
        (&read["agents"], &read["code_changed"]),
        (&json!(2), &json!(false))
    );
    assert_eq!(
        (&read["upto"]["block"], &read["head"]["block"]),
        (&json!(head), &json!(head))
    );
    assert!(read["head"]["age_seconds"].as_u64().unwrap() < 3_600);
    assert_eq!(summary["stopped"], false);

    let all = desk.home.json(&["registry", "sync", "--chain-id", "31337"]);
    assert_eq!(all["registries"].as_array().unwrap().len(), 2);
    desk.home.json(&["registry", "remove", &one]);
    let left = desk.home.json(&["registry", "sync"]);
    assert_eq!(only(&left)["registry"], other);
    // Followed again, it is read again from the beginning, although it had been read before.
    follow(&desk, &one);
    let again = desk.home.json(&["registry", "sync", &one]);
    let facts = only(&again)["facts"].as_u64().unwrap();
    assert_eq!(only(&again)["facts_read"], facts);
    assert!(facts > 0);
    let unknown = desk.run(&["registry", "sync", &format!("eip155:31337:{OTHER}")], &[]);
    assert!(unknown.expect(1).err.contains("is not followed"));
    desk.is_discreet();
}

#[test]
fn a_chain_that_is_shorter_than_what_was_read_is_not_called_read() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    follow(&desk, &registry);
    let before = desk.anvil.rpc("evm_snapshot", json!([])).unwrap();
    agent(&desk, &registry, "Ghost");
    desk.anvil.mine(5).unwrap();
    desk.home.json(&["registry", "sync"]);
    desk.anvil.rpc("evm_revert", json!([before])).unwrap();
    let sync = desk.run(&["registry", "sync", "--json"], &[]).expect(3);
    let summary: Value = serde_json::from_str(&sync.out).unwrap();
    assert_eq!(only(&summary)["state"], "ahead_of_chain");
    // When it is as long again, what is not in it any more is undone.
    desk.anvil.mine(9).unwrap();
    let summary = desk.home.json(&["registry", "sync"]);
    assert_eq!(only(&summary)["agents"], 0);
}

/// What was set aside of an index.
fn set_aside(index: &Path) -> Vec<PathBuf> {
    let folder = fs::read_dir(index.parent().unwrap()).unwrap();
    let files = folder.map(|file| file.unwrap().path());
    let aside = files.filter(|file| {
        let name = file.file_name().unwrap().to_string_lossy();
        name.contains("sqlite.damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm")
    });
    aside.collect()
}

#[test]
fn what_cannot_be_read_again_is_not_dropped() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    follow(&desk, &registry);
    agent(&desk, &registry, "Ours");
    desk.home.json(&["registry", "sync"]);
    let anew = ["registry", "sync", "--anew", &registry];
    // Nobody listens at a port that a listener just gave back.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let nobody = format!("31337=http://{port}");
    let refused = desk.run(&anew, &[("DEEDBOX_CHAINS", &nobody)]).expect(3);
    assert!(!refused.err.contains("is dropped"), "{}", refused.err);
    let found = desk.home.json(&["agent", "find", "ours"]);
    assert_eq!(found["agents"].as_array().unwrap().len(), 1);
    let done = desk.run(&anew, &[]).expect(0);
    assert!(done.err.contains("is dropped"), "{}", done.err);
}

#[test]
fn a_damaged_index_is_set_aside_and_read_anew_and_that_is_said() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    follow(&desk, &registry);
    agent(&desk, &registry, "Ours");
    desk.home.json(&["registry", "sync"]);
    let index = desk.home.database().with_file_name("deedbox-index.sqlite");
    let rubbish = "no database, but long enough to be one";
    fs::write(&index, rubbish).unwrap();
    // Without any setting of the log.
    let said = desk.home.run(&["registry", "sync", "--json"]).expect(0);
    assert!(said.err.contains("set aside"), "{}", said.err);
    assert_eq!(only(&said.json())["agents"], 1);
    assert_eq!(only(&said.json())["state"], "at_head");
    let [aside] = &set_aside(&index)[..] else {
        panic!("{:?}", set_aside(&index));
    };
    assert!(
        said.err.contains(&aside.display().to_string()),
        "{}",
        said.err
    );
    assert_eq!(fs::read_to_string(aside).unwrap(), rubbish);
    assert_eq!(desk.home.json(&["ledger", "check"])["sound"], true);
    let found = desk.home.json(&["agent", "find", "ours"]);
    assert_eq!(found["agents"].as_array().unwrap().len(), 1);
    let again = desk.home.run(&["registry", "sync"]).expect(0);
    assert!(!again.err.contains("set aside"), "{}", again.err);
}

#[test]
fn a_damaged_ledger_stops_a_server_and_is_not_touched() {
    let home = Home::new();
    home.json(&["actor", "add", "alice", "--kind", "agent"]);
    let ledger = home.database();
    let mut bytes = fs::read(&ledger).unwrap();
    bytes[..16].copy_from_slice(b"SQLite format 4\0");
    fs::write(&ledger, &bytes).unwrap();
    // A file that is an index by its name, and a damaged ledger by its header.
    let index = ledger.with_file_name("deedbox-index.sqlite");
    bytes[..16].copy_from_slice(b"SQLite format 3\0");
    bytes[100..].fill(0xee);
    fs::write(&index, &bytes).unwrap();
    let stopped = home.run(&["serve", "--listen", "127.0.0.1:0"]).expect(3);
    assert!(stopped.err.contains("backup"), "{}", stopped.err);
    fs::remove_file(&ledger).unwrap();
    let stopped = home.run(&["serve", "--listen", "127.0.0.1:0"]).expect(3);
    assert!(
        stopped.err.contains("index of registries"),
        "{}",
        stopped.err
    );
    assert_eq!(fs::read(&index).unwrap(), bytes);
    assert_eq!(set_aside(&index), [] as [PathBuf; 0]);
}

/// Asks a server until it finds so many agents.
fn await_found(server: &Serving, key: &str, wanted: usize) {
    let started = Instant::now();
    loop {
        let (status, body) = server.request("GET /api/agents", Some(key), "");
        let found: Value = serde_json::from_str(&body).unwrap();
        let count = found["agents"].as_array().map(Vec::len);
        if count == Some(wanted) {
            return;
        }
        assert!(matches!(status, 200 | 503), "{status}: {body}");
        assert!(started.elapsed() < PATIENCE, "{status}: {body}");
        // A policy lets one key ask two times a second.
        thread::sleep(Duration::from_millis(600));
    }
}

#[test]
fn a_server_whose_index_is_damaged_or_deleted_reads_anew() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    follow(&desk, &registry);
    agent(&desk, &registry, "First");
    desk.home.json(&["registry", "sync"]);
    let index = desk.home.database().with_file_name("deedbox-index.sqlite");
    fs::write(&index, "x".repeat(5_000)).unwrap();
    let mut server = desk.home.serve(&OFTEN, &[]);
    let key = server.key().unwrap().to_owned();
    server.await_log("set aside");
    await_found(&server, &key, 1);
    assert_eq!(set_aside(&index).len(), 1);

    // The chain stands still: what is missing is noticed without news.
    fs::remove_file(&index).unwrap();
    server.await_log("deleted or replaced");
    await_found(&server, &key, 1);
    agent(&desk, &registry, "Second");
    await_found(&server, &key, 2);

    // In the middle of it, so that only reading shows it.
    let length = usize::try_from(fs::metadata(&index).unwrap().len()).unwrap();
    let mut file = fs::OpenOptions::new().write(true).open(&index).unwrap();
    file.seek(SeekFrom::Start(4_096)).unwrap();
    file.write_all(&vec![0xee; length.saturating_sub(4_096)])
        .unwrap();
    let wal = index.with_file_name("deedbox-index.sqlite-wal");
    fs::OpenOptions::new()
        .write(true)
        .open(&wal)
        .unwrap()
        .set_len(0)
        .unwrap();
    agent(&desk, &registry, "Third");
    await_found(&server, &key, 3);
    assert_eq!(set_aside(&index).len(), 2);
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
    let summary = desk.home.json(&["registry", "sync"]);
    assert_eq!(only(&summary)["agents"], 3, "{summary}");
    assert_eq!(desk.home.json(&["ledger", "check"])["sound"], true);
}

#[test]
fn a_chain_that_cannot_be_read_fails_and_says_why_and_the_others_are_read() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    follow(&desk, &registry);
    let elsewhere = [
        "registry",
        "sync",
        "--json",
        "--chain",
        "31337=http://127.0.0.1:9/secret-in-a-path",
    ];
    let done = desk.home.run(&elsewhere).expect(3);
    let summary = done.json();
    let read = only(&summary);
    assert_eq!(read["state"], "failed");
    assert!(
        read["error"]
            .as_str()
            .is_some_and(|error| !error.is_empty())
    );
    assert!(!done.out.contains("secret") && !done.err.contains("secret"));
}

/// What `registry sync` says once whoever reads in its place has come as far as the chain: before that it ends with 3.
fn caught_up(desk: &Desk, arguments: &[&str]) -> Value {
    let started = Instant::now();
    loop {
        let done = desk.home.run(arguments);
        if done.code != 3 {
            return done.expect(0).json();
        }
        assert!(started.elapsed() < PATIENCE, "{}", done.out);
    }
}

#[test]
#[cfg(unix)]
fn whoever_follows_the_head_stops_with_a_signal_and_gives_back_what_it_holds() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    follow(&desk, &registry);
    let child = desk
        .home
        .command(&[
            "registry",
            "sync",
            "--follow",
            "--json",
            "--log-filter",
            "info",
        ])
        .env("DEEDBOX_SYNC_POLL", "100ms")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    agent(&desk, &registry, "Seen");
    loop {
        let read = caught_up(&desk, &["registry", "sync", &registry, "--json"]);
        if only(&read)["state"] == "elsewhere" && only(&read)["agents"] == 1 {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{read}");
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", "INT", &pid]).status();
    assert!(sent.unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let summary: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(only(&summary)["state"], "at_head");
    assert_eq!(only(&summary)["agents"], 1);
    let after = desk.home.json(&["registry", "sync"]);
    assert_eq!(
        only(&after)["state"],
        "at_head",
        "nobody holds it any more: {after}"
    );
}

#[test]
fn code_that_changed_is_told_by_sync_by_the_list_and_with_every_answer() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    let agent = agent(&desk, &registry, "Ours");
    let resolve = ["agent", "resolve", &agent];
    let standing = |json: &Value| json["provenance"]["registries"].clone();
    let none = json!([{"registry": registry, "trust": "not_followed", "label": null, "code_changed": null, "code_not_compared": null, "from_block": null}]);
    assert_eq!(standing(&desk.home.json(&resolve)), none);
    let add = ["registry", "add", &registry, "--yes", "--label", "Ours"];
    desk.home.json(&add);
    let from = desk.home.json(&["registry", "list"])["registries"][0]["from_block"].clone();
    assert!(from.as_u64().unwrap() > 0);
    let known = json!([{"registry": registry, "trust": "known", "label": "Ours", "code_changed": false, "code_not_compared": null, "from_block": from}]);
    assert_eq!(standing(&desk.home.json(&resolve)), known);
    desk.home.json(&["registry", "trust", &registry, "blocked"]);
    let shown = desk.run(&resolve, &[]).expect(0).out;
    assert!(shown.lines().next().unwrap().contains("blocked"), "{shown}");
    let list = |desk: &Desk| {
        desk.home.json(&["registry", "list"])["registries"][0]["code_changed"].clone()
    };
    assert_eq!(list(&desk), Value::Null, "nobody looked yet");
    desk.home.json(&["registry", "sync"]);
    assert_eq!(list(&desk), false);

    let evidence = desk.home.json(&resolve);
    let id = evidence["provenance"]["evidence_id"]
        .as_str()
        .unwrap()
        .to_owned();
    replace_code(&desk, &registry);
    let changed = desk.home.json(&resolve);
    assert_eq!(standing(&changed)[0]["code_changed"], true);
    let shown = desk.run(&resolve, &[]).expect(0).out;
    assert!(shown.contains("alarm"), "{shown}");
    let often = [("DEEDBOX_SYNC_CODE", "1ms")];
    let synced = desk.run(&["registry", "sync"], &often).expect(1);
    assert!(synced.out.contains("registry show"), "{}", synced.out);
    assert_eq!(list(&desk), true);
    let found = desk.home.json(&["agent", "find", "ours", "--blocked"]);
    assert_eq!(found["provenance"]["registries"][0]["code_changed"], true);
    assert_eq!(found["agents"][0]["trust"], "blocked");
    desk.home
        .json(&["registry", "accept-code", &registry, "--yes"]);
    assert_ne!(list(&desk), true, "what is accepted is no alarm");
    desk.home.json(&["registry", "sync"]);
    assert_eq!(list(&desk), false);

    // What was decided is no evidence: it may change, and what was read stays the same.
    desk.home.json(&["registry", "remove", &registry]);
    desk.home.json(&["evidence", "recheck", &id]);
}

#[test]
fn a_server_reads_what_is_followed_also_what_is_followed_later_and_tells_of_changed_code() {
    let desk = Desk::new();
    let (one, other) = (open_registry(&desk), open_registry(&desk));
    follow(&desk, &one);
    let mut server = desk.home.serve(&OFTEN, &[]);
    server.await_log("the registry is read up to the head of its chain");
    follow(&desk, &other);
    agent(&desk, &other, "Later");
    server.await_log(&other);
    // Whoever syncs beside it finds it read elsewhere, and nothing missing.
    let summary = caught_up(&desk, &["registry", "sync", &one, "--json"]);
    assert_eq!(only(&summary)["state"], "elsewhere", "{summary}");
    replace_code(&desk, &one);
    server.await_log("something else stands at the registry's address");
    let (_, told) = server.request("GET /metrics", server.key(), "");
    let alarm = format!("deedbox_registry_code_changed{{registry=\"{one}\"}} 1");
    assert!(told.contains(&alarm), "{told}");
    assert!(told.contains("deedbox_sync_facts_total"), "{told}");
    let list = desk.home.json(&["registry", "list"]);
    let states = list["registries"].as_array().unwrap();
    assert!(
        states.iter().any(|one| one["code_changed"] == true),
        "{list}"
    );
    desk.home.json(&["registry", "remove", &one]);
    server.await_log("is dropped from the index");
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
    assert!(!server.log.contains(&desk.anvil.url()), "{}", server.log);
    // It gave back what it held.
    let summary = desk.home.json(&["registry", "sync"]);
    assert_eq!(only(&summary)["state"], "at_head", "{summary}");
}

#[test]
fn a_chain_that_broke_finality_is_told_by_everybody_until_the_registry_is_read_anew() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    agent(&desk, &registry, "Ours");
    follow(&desk, &registry);
    // A node of this kind says that a block is final when there are 64 above it.
    desk.anvil.mine(100).unwrap();
    for _ in 0..2 {
        desk.home.json(&["registry", "sync"]);
    }
    let before = desk.home.json(&["registry", "sync"]);
    let last = only(&before)["final"].as_u64().unwrap();
    assert!(last > 0, "{before}");
    let mut server = desk.home.serve(&OFTEN, &[]);
    server.await_log("this server reads the registry");
    desk.anvil.reorg(90).unwrap();
    server.await_log("the chain took back a block that was final");
    let gauge =
        |value: u8| format!("deedbox_registry_finality_broken{{registry=\"{registry}\"}} {value}");
    let (_, told) = server.request("GET /metrics", server.key(), "");
    assert!(told.contains(&gauge(1)), "{told}");

    // Another process holds it, and everybody knows all the same.
    let synced = desk.home.run(&["registry", "sync", "--json"]).expect(1);
    assert_eq!(only(&synced.json())["state"], "chain_broke_finality");
    let synced = desk.run(&["registry", "sync"], &[]).expect(1).out;
    let way_out = format!("registry sync --anew {registry}");
    assert!(synced.contains(&way_out), "{synced}");
    let shown = desk
        .run(&["registry", "show", &registry], &[])
        .expect(1)
        .out;
    assert!(shown.contains(&way_out), "{shown}");
    let list = desk.run(&["registry", "list"], &[]).expect(0).out;
    assert!(list.contains("went back on what was final"), "{list}");
    let list = desk.home.json(&["registry", "list"]);
    let broke = &only(&list)["chain_broke_finality"];
    assert_eq!(broke["block_number"], last, "{list}");
    let found = desk.home.json(&["agent", "find", "zebra"]);
    assert_eq!(only(&found["provenance"])["chain_broke_finality"], *broke);
    let found = desk.run(&["agent", "find", "ours"], &[]).expect(0).out;
    assert!(found.contains("went back on block"), "{found}");

    desk.run(&["registry", "sync", "--anew"], &[]).expect(2);
    let anew = desk.run(&["registry", "sync", "--anew", &registry], &[]);
    assert!(
        anew.err.contains("what was read of it is dropped"),
        "{}",
        anew.err
    );
    // Whichever of the two comes first reads it.
    let (started, head) = (Instant::now(), desk.anvil.height().unwrap());
    loop {
        let list = desk.home.json(&["registry", "list"]);
        if only(&list)["read_upto_block"] == head {
            assert_eq!(only(&list)["chain_broke_finality"], Value::Null);
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{list}");
    }
    // The server finds out when it prolongs what it believes to hold.
    loop {
        let (_, told) = server.request("GET /metrics", server.key(), "");
        if told.contains(&gauge(0)) {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{told}");
    }
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
    let after = desk.home.json(&["registry", "sync"]);
    assert_eq!(only(&after)["state"], "at_head", "{after}");
    assert_eq!(only(&after)["agents"], 1);
}

#[test]
fn a_server_told_not_to_read_does_not() {
    let desk = Desk::new();
    let one = open_registry(&desk);
    follow(&desk, &one);
    let mut server = desk.home.serve(&["--sync", "off"], &[]);
    let summary = desk.home.json(&["registry", "sync"]);
    assert_eq!(only(&summary)["state"], "at_head", "{summary}");
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
    assert!(!server.log.contains(&one), "{}", server.log);
}

#[test]
fn a_server_keeps_tools_verified_and_whoever_verifies_one_is_heard() {
    let desk = Desk::new();
    let tools = desk.deploy(&["registry", "deploy", "tools"]);
    let web = HttpsServer::start(&Certificate::valid().unwrap(), |_| Answer::ok("")).unwrap();
    let body = manifest(web.port(), "1.0.0");
    let served = body.clone();
    web.script(move |_| Answer::ok(&served));
    let ca = file(&desk.home, "ca.pem", web.ca_pem().unwrap());
    let settings = desk.home.path().join("deedbox.toml");
    let mut text = fs::read_to_string(&settings).unwrap();
    text.push_str(&format!(
        "[fetch]\nallow = [\"127.0.0.0/8\", \"::1/128\"]\nca_file = \"{ca}\"\n"
    ));
    fs::write(&settings, text).unwrap();
    let uri = web.url("localhost", "/.well-known/ai-tool/weather.json");
    let local = file(&desk.home, "weather.json", &body);
    let value = desk.publish(&["tool", "publish", &tools, &local, "--metadata-uri", &uri]);
    let tool = value["names"]["tool"].as_str().unwrap().to_owned();
    follow(&desk, &tools);

    let mut server = desk.home.serve(&OFTEN, &[]);
    server.await_log("\"verified\":1");
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
    let outcome = |desk: &Desk| check(desk)["outcome"]["outcome"].clone();
    assert_eq!(outcome(&desk), "verified");

    // What is served is another document now: whoever asks finds that out, and the index knows it, too.
    web.script(|_| Answer::ok("{}"));
    let verify = ["tool", "verify", &tool];
    desk.run(&verify, &[]).expect(5);
    assert_eq!(outcome(&desk), "failed");
    // Nothing of a check is due again, so a server that starts leaves it alone.
    let asked = web.connections();
    let mut server = desk.home.serve(&OFTEN, &[]);
    server.await_log("this server reads the registry");
    server.signal("TERM");
    assert!(server.end().success(), "{}", server.log);
    assert_eq!(web.connections(), asked);
}

/// The one check in the index.
fn check(desk: &Desk) -> Value {
    use sqlx::{Connection as _, SqliteConnection};
    let path = desk.home.database().with_file_name("deedbox-index.sqlite");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let body: String = runtime.block_on(async {
        let url = format!("sqlite://{}", path.display());
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        let one = sqlx::query_scalar("SELECT body FROM checks");
        one.fetch_one(&mut connection).await.unwrap()
    });
    serde_json::from_str(&body).unwrap()
}

#[test]
fn when_the_server_that_reads_is_killed_another_one_goes_on() {
    let desk = Desk::new();
    let registry = open_registry(&desk);
    let cluster =
        Cluster::for_tests().expect("PostgreSQL is needed; `cargo xtask test` installs it");
    let url = cluster.url();
    let database = ["--database-url", &url];
    let add = ["registry", "add", &registry, "--yes", "--json"];
    desk.home.run(&[&add[..], &database].concat()).expect(0);
    let start = || desk.home.serve(&[&OFTEN[..], &database].concat(), &[]);
    let mut first = start();
    first.await_log("this server reads the registry");
    let mut second = start();
    first.signal("KILL");
    assert!(!first.end().success());
    agent(&desk, &registry, "Afterwards");
    // A lease lasts half a minute.
    second.await_log("this server reads the registry");
    second.await_log("the registry is read up to the head of its chain");
    let sync = ["registry", "sync", "--json"];
    let summary = caught_up(&desk, &[&sync[..], &database].concat());
    assert_eq!(only(&summary)["state"], "elsewhere");
    assert_eq!(only(&summary)["agents"], 1);
    second.signal("TERM");
    assert!(second.end().success(), "{}", second.log);
}
