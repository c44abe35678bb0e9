//! `deedbox chain dev`: a chain with something on it, which leaves nothing behind.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use deedbox_neighbours::tools;
use serde_json::Value;

use crate::common::{Home, PATIENCE};

/// A running chain; it is killed when the test ends.
struct Running {
    child: Child,
    said: Value,
}

impl Running {
    fn start(home: &Home, more: &[&str]) -> Self {
        let arguments = [&["chain", "dev", "--port", "0", "--json"], more].concat();
        let mut child = home
            .command(&arguments)
            .env("DEEDBOX_ANVIL", tools::foundry("anvil").unwrap())
            .env("TMPDIR", home.path())
            .env("DEEDBOX_PRIVATE_KEY", crate::accounts::KEY)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let said = serde_json::from_str(&line).unwrap_or_else(|error| {
            let mut err = String::new();
            drop(child.kill());
            child
                .stderr
                .take()
                .unwrap()
                .read_to_string(&mut err)
                .unwrap();
            panic!("{error}: {line}\n{err}");
        });
        Self { child, said }
    }

    fn url(&self) -> &str {
        self.said["rpc_url"].as_str().unwrap()
    }

    /// The processes that it started and that still run.
    fn children(&self) -> Vec<String> {
        let list = Command::new("ps")
            .args(["-o", "pid=", "--ppid", &self.child.id().to_string()])
            .output()
            .unwrap();
        let text = String::from_utf8(list.stdout).unwrap();
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.unwrap().success());
    }

    fn end(&mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn await_gone(pid: &str) {
    let started = Instant::now();
    let stat = format!("/proc/{pid}/stat");
    // Dead, whether or not its new parent has noticed (`Z`).
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(started.elapsed() < PATIENCE, "{pid} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_chain_has_one_of_each_kind_and_its_commands_work() {
    let home = Home::new();
    let mut chain = Running::start(&home, &[]);
    let said = chain.said.clone();
    let kinds = |of: &str| -> Vec<String> {
        let all = said[of].as_array().unwrap().iter();
        all.map(|one| one["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        kinds("registries"),
        ["open", "curated", "fixed-supply", "tools"]
    );
    assert_eq!(
        kinds("predicates"),
        [
            "always-deny",
            "allowlist",
            "merkle-allowlist",
            "any-agent-owner",
            "agent-owner"
        ]
    );
    assert_eq!(said["agents"].as_array().unwrap().len(), 5);
    assert_eq!(said["agents"][1]["name"], "イールド最適化");
    for registry in said["registries"].as_array().unwrap() {
        let chain = format!("31337={}", chain.url());
        for notation in ["caip10", "erc7930"] {
            let name = registry[notation].as_str().unwrap();
            home.run(&["registry", "describe", name, "--chain", &chain])
                .expect(0);
        }
    }
    for tool in said["tools"].as_array().unwrap() {
        home.run(&["tool", "check", tool["manifest"].as_str().unwrap()])
            .expect(0);
    }
    // What it says is to be tried works as it stands there, one line after another; only nobody is asked.
    let lines = said["commands"].as_array().unwrap().iter();
    let lines = lines.map(|line| line.as_str().unwrap());
    let script: String = lines
        .map(|line| match asks(line) {
            true => format!("{line} --yes\n"),
            false => format!("{line}\n"),
        })
        .collect();
    let done = in_a_shell(&home, &script);
    assert!(done.contains("Done, and read back"), "{done}");
    assert!(done.contains("\"Mine\"  (registry known)"), "{done}");
    // The lines for the file are lines of the file.
    fs::write(
        home.path().join("deedbox.toml"),
        said["settings"].as_str().unwrap(),
    )
    .unwrap();
    assert_eq!(
        home.json(&["read", "chains"])["chains"][0]["chain_id"],
        31337
    );

    let children = chain.children();
    assert_eq!(children.len(), 1);
    chain.signal("TERM");
    assert_eq!(chain.end(), 0);
    await_gone(&children[0]);
    let left = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left
        .filter(|name| name.to_string_lossy().starts_with("deedbox-chain-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Whether a command asks before it does something.
#[cfg(target_os = "linux")]
fn asks(line: &str) -> bool {
    let asks = ["registry deploy", "registry add", "agent register"];
    asks.iter()
        .any(|asks| line.starts_with(&format!("deedbox {asks}")))
}

/// Runs lines of a shell, which end with the first that fails, and returns what they print.
#[cfg(target_os = "linux")]
fn in_a_shell(home: &Home, script: &str) -> String {
    let program = env!("CARGO_BIN_EXE_deedbox");
    let script = format!("deedbox() {{ {program} \"$@\"; }}\n{script}");
    let output = Command::new("sh")
        .args(["-ec", &script])
        .env_clear()
        .env("HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\n{said}\n{err}");
    said
}

/// The commands of a block of shell that comes after a heading, from the second on: the first starts the chain.
fn block(page: &str, heading: &str) -> String {
    let rest = page.split(heading).nth(1).unwrap();
    let block = rest.split("```sh\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    let lines = block
        .lines()
        .filter(|line| !line.starts_with("deedbox chain dev"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_pages_say_of_a_first_publication_works_as_it_stands_there() {
    let readme = include_str!("../../../../README.md");
    let guide = include_str!("../../../../docs/publishing.md");
    let guide = guide.replacen("```sh\n", "", 1);
    for script in [
        block(readme, "## Publish to a registry"),
        block(&guide, "## Try it first"),
    ] {
        let home = Home::new();
        let chain = Running::start(&home, &[]);
        assert!(script.contains("http://127.0.0.1:8545"), "{script}");
        let script = script.replace("http://127.0.0.1:8545", chain.url());
        // Only nobody is asked.
        let script: String = script
            .lines()
            .map(|line| match asks(line) {
                true => format!("{line} --yes\n"),
                false => format!("{line}\n"),
            })
            .collect();
        let said = in_a_shell(&home, &script);
        assert_eq!(said.matches("Done, and read back").count(), 2, "{said}");
    }
}

/// What a page's table of questions has in the columns of commands.
#[cfg(target_os = "linux")]
fn commands_of_table(page: &str, heading: &str) -> Vec<String> {
    let section = page.split(heading).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|'));
    let quoted = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let commands = quoted.filter(|text| text.starts_with("deedbox "));
    commands.map(str::to_owned).collect()
}

/// What the README asks a registry on the chain of `chain dev`, each line as it stands there, and how it ends: a tool's manifest is served by nobody, and an open tool wants no proof.
#[cfg(target_os = "linux")]
const ASKED: [(&str, i32, &str); 8] = [
    ("registry add", 0, "Followed"),
    ("registry sync", 0, "at the head"),
    ("agent find", 0, "These are candidates"),
    ("agent resolve", 0, "Owner: read by ownerOf"),
    ("tool verify", 5, "NOT VERIFIED"),
    ("tool access", 0, "OPEN"),
    ("tool compare", 5, "NOT VERIFIED"),
    ("tool prove", 5, "Nothing was signed"),
];

#[cfg(target_os = "linux")]
#[test]
fn what_the_readme_asks_works_as_it_stands_there() {
    let readme = include_str!("../../../../README.md");
    let home = Home::new();
    let chain = Running::start(&home, &[]);
    let tools = chain.said["registries"][3]["address"].as_str().unwrap();
    let chains = format!("31337={}", chain.url());
    let mut left: Vec<_> = ASKED.to_vec();
    for command in commands_of_table(readme, "## Ask a registry") {
        if matches!(command.as_str(), "deedbox serve" | "deedbox chain dev") {
            continue;
        }
        let (asked, code, says) = left.remove(0);
        assert!(
            command.starts_with(&format!("deedbox {asked}")),
            "{command}"
        );
        // Nobody is asked, and who has no keystore signs with a key that everybody knows.
        let mut line = command
            .replace("TOOLS", tools)
            .replace(" --keystore me", "");
        if asks(&line) {
            line.push_str(" --yes");
        }
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let variables = [
            ("DEEDBOX_CHAINS", chains.as_str()),
            ("DEEDBOX_PRIVATE_KEY", crate::accounts::KEY),
        ];
        let done = home.run_with(&words, &variables, "").expect(code);
        assert!(done.out.contains(says), "{line}: {}", done.out);
    }
    assert_eq!(left, [], "the README asks these no more");
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_readme_asks_a_server_with_curl_works_as_it_stands_there() {
    let readme = include_str!("../../../../README.md");
    let script = readme.split("export KEY=dbx_").nth(1).unwrap();
    let script = script.split_once('\n').unwrap().1;
    let script = script.split("```").next().unwrap();
    assert_eq!(
        script.matches("http://127.0.0.1:7878/").count(),
        3,
        "{script}"
    );
    let home = Home::new();
    let server = home.serve(&[], &[]);
    let script = script
        .replace("127.0.0.1:7878", &server.address)
        .replace("curl -s ", "echo; curl --fail-with-body -s ");
    let said = in_a_shell(&home, &format!("KEY={}\n{script}", server.key().unwrap()));
    for part in [
        "{\"tasks\":[],\"nextCursor\":null}",
        "\"agents\":[]",
        "nothing_followed",
        "\"structuredContent\"",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn killing_the_program_ends_the_node() {
    let home = Home::new();
    let mut chain = Running::start(&home, &["--bare"]);
    let children = chain.children();
    assert_eq!(children.len(), 1);
    chain.child.kill().unwrap();
    chain.end();
    await_gone(&children[0]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_node_that_ends_by_itself_is_no_success() {
    let home = Home::new();
    let mut chain = Running::start(&home, &["--bare"]);
    let children = chain.children();
    let sent = Command::new("kill")
        .args(["-s", "KILL", &children[0]])
        .status();
    assert!(sent.unwrap().success());
    let mut err = String::new();
    let mut from = chain.child.stderr.take().unwrap();
    from.read_to_string(&mut err).unwrap();
    assert_eq!(chain.end(), 3, "{err}");
    assert!(err.contains("anvil ended by itself"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_chain_that_is_kept_goes_on_and_addresses_are_the_same_every_time() {
    let home = Home::new();
    let mut first = Running::start(&home, &["--state-dir", "kept"]);
    let (addresses, agents) = (
        first.said["registries"].clone(),
        first.said["agents"].clone(),
    );
    first.signal("INT");
    assert_eq!(first.end(), 0);
    assert!(home.path().join("kept/state.json").is_file());

    let again = Running::start(&home, &["--state-dir", "kept"]);
    assert_eq!(again.said["registries"], addresses);
    let chain = format!("31337={}", again.url());
    let open = addresses[0]["caip10"].as_str().unwrap();
    let described = home.json(&["registry", "describe", open, "--chain", &chain]);
    assert_eq!(described["known_as"], "OpenAgentRegistry");
    assert!(agents.as_array().unwrap().len() > 3);
    drop(again);

    let anew = Running::start(&home, &[]);
    assert_eq!(anew.said["registries"], addresses);
    drop(anew);
    let other = home.run_with(
        &[
            "chain",
            "dev",
            "--state-dir",
            "kept",
            "--chain-id",
            "5",
            "--json",
        ],
        &[(
            "DEEDBOX_ANVIL",
            tools::foundry("anvil").unwrap().to_str().unwrap(),
        )],
        "",
    );
    assert_eq!(other.expect(3).error()["code"], "no_chain");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let home = Home::new();
    let done = home
        .run(&["chain", "dev", "--anvil", "/nowhere/anvil", "--json"])
        .expect(3);
    assert_eq!(done.error()["code"], "no_chain");
    assert!(done.err.contains("/nowhere/anvil"));
    assert!(!Path::new("/nowhere").exists());
}
