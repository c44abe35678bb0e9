//! Where settings come from, seen through the real program.

use std::fs;

use crate::common::{Home, redacted};

/// Columns two spaces apart: how wide they are depends on how long the temporary folder's name is.
fn squeezed(table: &str) -> String {
    let columns = |line: &str| {
        let columns = line
            .split("  ")
            .map(str::trim)
            .filter(|column| !column.is_empty());
        columns.collect::<Vec<_>>().join("  ")
    };
    table.lines().map(columns).collect::<Vec<_>>().join("\n")
}

const SECRET: &str = "hunter2hunter2hunter2";

#[test]
fn config_show_names_the_source_of_every_value() {
    let home = Home::new();
    fs::write(
        home.path().join("deedbox.toml"),
        "# ours\nshutdown_grace = 5\nallowed_hosts = [\"deedbox.example.org\"]\nrate_limit = 7\n",
    )
    .unwrap();
    let variables = [
        ("DEEDBOX_RATE_LIMIT", "8"),
        (
            "DATABASE_URL",
            "postgres://app:hunter2hunter2hunter2@db/deedbox",
        ),
        ("MCP_ACCESS_TOKEN", SECRET),
    ];
    let flags = ["config", "show", "--listen", "127.0.0.1:9"];
    let done = home.run_with(&flags, &variables, "").expect(0);
    insta::assert_snapshot!(squeezed(&redacted(&done.out, &home)), @r#"
    Configuration file: HOME/deedbox.toml

    SETTING  VALUE  FROM
    data_dir  HOME/.local/share/deedbox  default
    database_url  postgres://app:***@db/deedbox  environment DATABASE_URL
    postgres_max_connections  12  default
    listen  127.0.0.1:9  flag --listen
    public_url  (where it listens)  default
    allowed_hosts  deedbox.example.org  HOME/deedbox.toml, line 3
    allowed_origins  -  default
    request_timeout  30s  default
    shutdown_grace  5s  HOME/deedbox.toml, line 2
    rate_limit  8  environment DEEDBOX_RATE_LIMIT
    rate_burst  2000  default
    toolsets  tasks, chain, agents, tools, memory  default
    sync  on  default
    sync_poll  12s  default
    sync_code  10m  default
    verify  on  default
    verify_at_once  16  default
    access_token  ***  environment MCP_ACCESS_TOKEN
    metrics_listen  -  default
    otlp_endpoint  -  default
    agent_id  -  default
    agent_instance_id  -  default
    log_format  (text on a terminal, else json)  default
    log_filter  (off; with mcp, warn; with serve, info of Deedbox)  default

    Chains: none. Name one with --chain, DEEDBOX_CHAINS or [chains] in the file

    POLICY  VALUE  FROM
    addresses.allow  all  default
    addresses.deny  none  default
    calls_per_minute  120  default
    calls_per_task  20  default
    chains.allow  all  default
    chains.deny  none  default
    task_required  no  default
    tools.allow  all  default
    tools.deny  none  default

    PUBLISHING  VALUE  FROM
    publish.confirmations  1  default
    publish.wait  5m  default
    fetch.allow  -  default
    fetch.ca_file  -  default
    "#);
    let json = home
        .run_with(&[&flags[..], &["--json"]].concat(), &variables, "")
        .expect(0);
    assert!(!json.out.contains(SECRET));
    let settings = &json.json()["settings"];
    assert_eq!(settings["rate_limit"]["value"], 8);
    assert_eq!(
        settings["rate_limit"]["source"],
        "environment DEEDBOX_RATE_LIMIT"
    );
    assert_eq!(settings["access_token"]["value"], "***");
    assert_eq!(settings["listen"]["source"], "flag --listen");
}

#[test]
fn an_unknown_key_in_the_file_is_an_error_that_points_at_its_line() {
    let home = Home::new();
    fs::write(
        home.path().join("deedbox.toml"),
        "rate_limit = 7\nratelimit = 8\n",
    )
    .unwrap();
    let done = home.run(&["config", "show"]).expect(2);
    insta::assert_snapshot!(redacted(&done.err, &home), @r#"
    error: HOME/deedbox.toml cannot be used
      |
    2 | ratelimit = …
      | ^ there is no setting of this name; did you mean rate_limit?
    "#);
    let done = home.run(&["config", "show", "--json"]).expect(2);
    assert_eq!(done.error()["code"], "bad_config_file");
}

#[test]
fn a_file_that_was_asked_for_must_be_there() {
    let home = Home::new();
    let done = home
        .run(&["config", "show", "--config", "none.toml"])
        .expect(2);
    insta::assert_snapshot!(redacted(&done.err, &home), @r#"
    error: the configuration file HOME/none.toml cannot be read (from flag --config)
      because: No such file or directory (os error 2)
      Correct the path, or leave it out to use the defaults.
    "#);
    let done = home
        .run_with(&["config", "show"], &[("DEEDBOX_CONFIG", "none.toml")], "")
        .expect(2);
    assert!(
        done.err.contains("environment DEEDBOX_CONFIG"),
        "{}",
        done.err
    );
}

#[test]
fn the_file_in_the_configuration_folder_is_found() {
    let home = Home::new();
    let folder = home.path().join(".config/deedbox");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("deedbox.toml"), "rate_limit = 9\n").unwrap();
    let shown = home.json(&["config", "show"]);
    assert_eq!(shown["settings"]["rate_limit"]["value"], 9);
    // One in the current folder is preferred.
    fs::write(home.path().join("deedbox.toml"), "rate_limit = 10\n").unwrap();
    let shown = home.json(&["config", "show"]);
    assert_eq!(shown["settings"]["rate_limit"]["value"], 10);
}

#[test]
fn a_database_url_that_belongs_to_another_program_is_explained() {
    let home = Home::new();
    let theirs = [(
        "DATABASE_URL",
        "mysql://root:hunter2hunter2hunter2@localhost/shop",
    )];
    let done = home
        .run_with(&["task", "unaccepted"], &theirs, "")
        .expect(2);
    assert!(!done.err.contains(SECRET));
    insta::assert_snapshot!(done.err, @r#"error: database_url: Deedbox keeps its deeds in SQLite (sqlite:///path/to/file) or PostgreSQL (postgres://…), and cannot use mysql:. If this variable belongs to another program, set DEEDBOX_DATABASE_URL, which is stronger (from environment DATABASE_URL)"#);
}

#[test]
fn config_show_prints_chains_by_endpoint_without_what_may_be_secret_in_a_url() {
    let home = Home::new();
    let file = "\
[[chains.1.endpoints]]
id = \"main\"
url = \"https://rpc.example.org/v2/hunter2hunter2hunter2\"
headers = { x-api-key = \"hunter2hunter2hunter2\" }
[[chains.1.endpoints]]
url_env = \"SECOND_URL\"
[[chains.1.endpoints]]
url_env = \"THIRD_URL\"

[policy]
chains = { allow = [1, 10] }
calls_per_minute = 0
task_required = true
";
    fs::write(home.path().join("deedbox.toml"), file).unwrap();
    let variables = [(
        "SECOND_URL",
        "https://hunter2hunter2hunter2@b.example.org:8443/?k=hunter2hunter2hunter2",
    )];
    let flags = ["config", "show", "--chain", "10=http://127.0.0.1:8545"];
    let done = home.run_with(&flags, &variables, "").expect(0);
    let shown = squeezed(&redacted(&done.out, &home));
    let (_, shown) = shown
        .split_once("\n\n")
        .unwrap()
        .1
        .split_once("\n\n")
        .unwrap();
    insta::assert_snapshot!(shown, @r#"
    CHAIN  NAME  ENDPOINT  URL  FROM
    1  Ethereum  main  https://rpc.example.org/…  HOME/deedbox.toml, line 1
    1  Ethereum  e2  https://b.example.org:8443/… (SECOND_URL)  HOME/deedbox.toml, line 5
    1  Ethereum  e3  THIRD_URL is not set  HOME/deedbox.toml, line 7
    10  OP Mainnet  flag-e1  http://127.0.0.1:8545  flag --chain

    POLICY  VALUE  FROM
    addresses.allow  all  default
    addresses.deny  none  default
    calls_per_minute  no limit  HOME/deedbox.toml, line 12
    calls_per_task  20  default
    chains.allow  1, 10  HOME/deedbox.toml, line 11
    chains.deny  none  default
    task_required  yes  HOME/deedbox.toml, line 13
    tools.allow  all  default
    tools.deny  none  default

    PUBLISHING  VALUE  FROM
    publish.confirmations  1  default
    publish.wait  5m  default
    fetch.allow  -  default
    fetch.ca_file  -  default
    "#);
    let json = home
        .run_with(&[&flags[..], &["--json"]].concat(), &variables, "")
        .expect(0);
    assert!(!done.out.contains(SECRET) && !json.out.contains(SECRET));
    let endpoints = &json.json()["chains"][0]["endpoints"];
    assert_eq!(endpoints[0]["headers"][0], "x-api-key");
    assert_eq!(endpoints[2]["url"], serde_json::Value::Null);
    assert_eq!(json.json()["policy"]["value"]["calls_per_minute"], 0);
}
