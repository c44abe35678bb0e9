use std::{collections::BTreeMap, path::Path};

use super::*;

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment {
        variables: variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        current_dir: "/here".into(),
        data_home: Some("/data".into()),
        config_home: None,
    }
}

fn flags(given: &[(&'static str, &str)]) -> Flags {
    given
        .iter()
        .map(|(name, text)| (*name, vec![(*text).to_owned()]))
        .collect()
}

fn resolved(flags: &Flags, environment: &Environment) -> Settings {
    resolve(None, flags, environment).unwrap()
}

/// A folder with a `deedbox.toml` of this text, as the current one.
fn with_file(text: &str, variables: &[(&str, &str)]) -> (tempfile::TempDir, Environment) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("deedbox.toml"), text).unwrap();
    let environment = Environment {
        current_dir: folder.path().to_owned(),
        ..environment(variables)
    };
    (folder, environment)
}

#[test]
fn a_flag_is_stronger_than_a_variable_than_the_file_than_the_default() {
    let (folder, all) = with_file(
        "# first\nlisten = \"127.0.0.1:3\"\n",
        &[("DEEDBOX_LISTEN", "127.0.0.1:2")],
    );
    let path = folder.path().join("deedbox.toml");
    let flag = flags(&[("listen", "127.0.0.1:1")]);
    let none = Flags::new();
    let without_variable = Environment {
        variables: BTreeMap::new(),
        ..all.clone()
    };
    let cases = [
        (resolved(&flag, &all), 1, Source::Flag("--listen")),
        (resolved(&none, &all), 2, Source::Variable("DEEDBOX_LISTEN")),
        (resolved(&none, &without_variable), 3, Source::File(path, 2)),
        (resolved(&none, &environment(&[])), 7878, Source::Default),
    ];
    for (settings, port, source) in cases {
        assert_eq!(settings.listen.value.port(), port);
        assert_eq!(settings.listen.source, source);
    }
}

#[test]
fn every_setting_can_come_from_each_of_its_places() {
    let sample = |name: &str| match name {
        "data_dir" => "/elsewhere",
        "database_url" => "postgres://u@h/d",
        "listen" | "metrics_listen" => "127.0.0.1:9",
        "public_url" | "otlp_endpoint" | "allowed_origins" => "https://example.org",
        "allowed_hosts" => "example.org",
        "request_timeout" | "shutdown_grace" => "7s",
        "toolsets" => "tasks",
        "chains" => "1=https://example.org",
        "log_format" => "json",
        "log_filter" => "debug",
        "access_token" => "0123456789abcdefghij",
        _ => "7",
    };
    for definition in &DEFINITIONS {
        let text = sample(definition.name);
        let source_of = |settings: &Settings| {
            if definition.name == "chains" {
                return settings.chains[0].source.clone();
            }
            let shown = settings.shown();
            let one = shown
                .iter()
                .find(|one| one.name == definition.name)
                .unwrap();
            one.source.clone()
        };
        if let Some(flag) = definition.flag {
            let settings = resolved(&flags(&[(definition.name, text)]), &environment(&[]));
            assert_eq!(source_of(&settings), Source::Flag(flag));
        }
        for name in definition.variables {
            let settings = resolved(&Flags::new(), &environment(&[(name, text)]));
            assert_eq!(source_of(&settings), Source::Variable(name));
        }
        let value = if definition.list {
            format!("[\"{text}\"]")
        } else {
            format!("\"{text}\"")
        };
        let (folder, environment) = with_file(&format!("{} = {value}", definition.name), &[]);
        let settings = resolved(&Flags::new(), &environment);
        let path = folder.path().join("deedbox.toml");
        assert_eq!(source_of(&settings), Source::File(path, 1));
    }
}

#[test]
fn the_variables_of_the_reference_are_weaker_than_our_own() {
    let both = environment(&[
        ("DATABASE_URL", "postgres://them/theirs"),
        ("DEEDBOX_DATABASE_URL", "postgres://us/ours"),
    ]);
    let settings = resolved(&Flags::new(), &both);
    assert_eq!(
        settings.database_url.source,
        Source::Variable("DEEDBOX_DATABASE_URL")
    );
    let settings = resolved(
        &Flags::new(),
        &environment(&[("DATABASE_URL", "postgres://them/theirs")]),
    );
    assert_eq!(
        settings.database_url.source,
        Source::Variable("DATABASE_URL")
    );
    let settings = resolved(
        &Flags::new(),
        &environment(&[("MCP_ACCESS_TOKEN", "abcdefghijklmnopqrstuv")]),
    );
    assert_eq!(
        settings.access_token.source,
        Source::Variable("MCP_ACCESS_TOKEN")
    );
}

#[test]
fn a_database_url_of_another_program_is_explained() {
    let theirs = environment(&[("DATABASE_URL", "mysql://root:hunter2@localhost/shop")]);
    let error = resolve(None, &Flags::new(), &theirs)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("mysql:") && error.contains("DEEDBOX_DATABASE_URL"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
    let ours = environment(&[
        ("DATABASE_URL", "mysql://root@localhost/shop"),
        ("DEEDBOX_DATABASE_URL", "sqlite:///d.sqlite"),
    ]);
    assert!(resolve(None, &Flags::new(), &ours).is_ok());
}

#[test]
fn an_empty_variable_is_no_value() {
    let settings = resolved(
        &Flags::new(),
        &environment(&[("DEEDBOX_LISTEN", ""), ("MCP_ACCESS_TOKEN", "")]),
    );
    assert_eq!(settings.listen.source, Source::Default);
    assert_eq!(settings.access_token.value, None);
}

#[test]
fn a_misspelled_variable_is_noticed() {
    let misspelled = environment(&[("DEEDBOX_LISTNE", "x"), ("DEEDBOX_KEY", "x"), ("HOME", "/")]);
    let settings = resolved(&Flags::new(), &misspelled);
    assert_eq!(settings.unknown_variables, ["DEEDBOX_LISTNE"]);
    assert!(
        settings
            .to_json(&misspelled)
            .to_string()
            .contains("DEEDBOX_LISTNE")
    );
}

#[test]
fn secrets_are_masked_wherever_settings_are_shown() {
    let secret = environment(&[
        (
            "DEEDBOX_DATABASE_URL",
            "postgres://app:hunter2@db/deedbox?password=hunter2&sslmode=require",
        ),
        ("MCP_ACCESS_TOKEN", "hunter2hunter2hunter2"),
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "https://me:hunter2@otel.example.org/",
        ),
    ]);
    let settings = resolved(&Flags::new(), &secret);
    let shown = settings.to_json(&secret).to_string();
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(
        !format!("{settings:?}").contains("hunter2:") && shown.contains("app:***@db"),
        "{shown}"
    );
    assert!(
        !format!("{:?} {:?}", settings.database_url, settings.access_token).contains("hunter2")
    );
}

#[test]
fn everything_that_can_be_set_is_shown() {
    let settings = resolved(&Flags::new(), &environment(&[]));
    let shown: Vec<&str> = settings.shown().iter().map(|one| one.name).collect();
    let mut defined: Vec<&str> = DEFINITIONS.iter().map(|one| one.name).collect();
    // They have tables of their own.
    defined.retain(|name| *name != "chains");
    assert_eq!(shown, defined);
}

fn refused(text: &str) -> String {
    match file::parse(Path::new("deedbox.toml"), text) {
        Err(error) => error.to_string(),
        Ok(given) => panic!("accepted: {given:?}"),
    }
}

#[test]
fn an_unknown_key_is_refused_with_its_line() {
    insta::assert_snapshot!(refused("listen = \"127.0.0.1:1\"\n\n  listne = \"127.0.0.1:1\"\n"), @r#"
    deedbox.toml cannot be used
      |
    3 |   listne = …
      |   ^ there is no setting of this name; did you mean listen?
    "#);
    insta::assert_snapshot!(refused("colour = true\n"), @r#"
    deedbox.toml cannot be used
      |
    1 | colour = …
      | ^ there is no setting of this name; `deedbox config show` lists them all
    "#);
    insta::assert_snapshot!(refused("[server]\nlisten = \"127.0.0.1:1\"\n"), @r#"
    deedbox.toml cannot be used
      |
    1 | [server]
      |  ^ there is no setting of this name; `deedbox config show` lists them all
    "#);
}

#[test]
fn a_value_of_the_wrong_kind_is_refused_without_showing_it() {
    insta::assert_snapshot!(refused("access_token = [\"hunter2\"]\n"), @r#"
    deedbox.toml cannot be used
      |
    1 | access_token = …
      |                ^ expected a text in quotes or a decimal number
    "#);
    insta::assert_snapshot!(refused("allowed_hosts = \"example.org\"\n"), @r#"
    deedbox.toml cannot be used
      |
    1 | allowed_hosts = …
      |                 ^ expected an array of texts, like ["one", "two"]
    "#);
    insta::assert_snapshot!(refused("rate_limit = 0x10\n"), @r#"
    deedbox.toml cannot be used
      |
    1 | rate_limit = …
      |              ^ expected a text in quotes or a decimal number
    "#);
    insta::assert_snapshot!(refused("listen = \n"), @r#"
    deedbox.toml cannot be used
      |
    1 | listen = …
      |          ^ string values must be quoted, expected literal string
    "#);
    insta::assert_snapshot!(refused("listen = \"a\"\nlisten = \"b\"\n"), @r#"
    deedbox.toml cannot be used
      |
    2 | listen = …
      | ^ duplicate key
    "#);
}

#[test]
fn a_relative_path_starts_where_it_is_written() {
    let (folder, environment) =
        with_file("data_dir = \"data\"\ndatabase_url = \"sqlite:x.db\"", &[]);
    let settings = resolved(&Flags::new(), &environment);
    assert_eq!(settings.data_dir.value, Some(folder.path().join("data")));
    assert_eq!(
        settings.database_url.value,
        DatabaseUrl::Sqlite(folder.path().join("x.db"))
    );
    let settings = resolved(&flags(&[("data_dir", "data")]), &self::environment(&[]));
    assert_eq!(settings.data_dir.value, Some("/here/data".into()));
    let default = DatabaseUrl::Sqlite("/here/data/deedbox.sqlite".into());
    assert_eq!(settings.database_url.value, default);
}

#[test]
fn without_a_home_only_the_embedded_default_is_impossible() {
    let homeless = Environment {
        data_home: None,
        ..environment(&[])
    };
    let error = resolve(None, &Flags::new(), &homeless).unwrap_err();
    assert_eq!(error.code(), "no_data_dir");
    let elsewhere = flags(&[("database_url", "postgres://u@h/d")]);
    assert!(resolve(None, &elsewhere, &homeless).is_ok());
}

#[test]
fn bad_values_name_their_setting_their_source_and_what_is_expected() {
    for (name, text, expected) in [
        ("listen", "7878", "IP address and a port"),
        ("listen", "example.org:80", "IP address and a port"),
        ("database_url", "deedbox.sqlite", "must be a URL"),
        ("database_url", "sqlite::memory:", "in-memory"),
        ("database_url", "sqlite:///a?mode=ro", "only the file"),
        ("public_url", "ftp://example.org", "http://"),
        ("public_url", "https://example.org/deedbox", "public URL"),
        ("allowed_hosts", "https://example.org", "host"),
        ("allowed_origins", "example.org", "origin"),
        ("request_timeout", "0", "longer"),
        ("request_timeout", "soon", "unit"),
        ("rate_limit", "-1", "whole number"),
        ("rate_burst", "0", "from 1"),
        ("postgres_max_connections", "0", "from 1"),
        ("toolsets", "everything", "toolset"),
        ("log_format", "xml", "text or json"),
        ("log_filter", "deedbox=loud", "level"),
        ("otlp_endpoint", "localhost:4318", "http://"),
        ("metrics_listen", "", "empty"),
    ] {
        let error = resolve(None, &flags(&[(name, text)]), &environment(&[])).unwrap_err();
        let message = error.to_string();
        assert!(
            message.starts_with(name) && message.contains(expected),
            "{message}"
        );
        assert!(message.contains("(from flag --"), "{message}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn a_bad_token_is_refused_without_repeating_it() {
    let error = resolve(
        None,
        &Flags::new(),
        &environment(&[("MCP_ACCESS_TOKEN", "hunter2 with space")]),
    );
    assert!(!error.unwrap_err().to_string().contains("hunter2"));
}

#[test]
fn the_guide_names_every_setting_with_its_places() {
    let guide = include_str!("../../../../docs/configuration.md");
    for definition in &DEFINITIONS {
        let row = guide
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", definition.name)))
            .unwrap_or_else(|| panic!("{} is not in docs/configuration.md", definition.name));
        for place in definition.flag.iter().chain(definition.variables) {
            assert!(
                row.contains(&format!("`{place}`")),
                "{place} is missing in: {row}"
            );
        }
    }
}

const CHAINS: &str = r#"[chains.1]
name = "Mainnet"
native = { symbol = "ETH", decimals = 18 }
multicall = false
[[chains.1.endpoints]]
id = "main"
url = "https://rpc.example.org/v2/hunter2?key=hunter2"
headers = { x-api-key = "hunter2" }
ca_file = "ca.pem"
max_concurrent = 3
max_log_blocks = 2000
timeout = "500ms"
[[chains.1.endpoints]]
url_env = "MAINNET_RPC_URL"
header_env = { authorization = "MAINNET_RPC_AUTH" }

[[chains.137.endpoints]]
url = "http://127.0.0.1:8545"

[policy]
tools = { allow = ["get_native_balance"] }
chains = { deny = [137] }
addresses = { deny = ["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"] }
calls_per_minute = 0
calls_per_task = 7
task_required = true
"#;

#[test]
fn chains_and_policy_of_the_file_are_read_with_their_lines() {
    let (folder, environment) = with_file(CHAINS, &[]);
    let settings = resolved(&Flags::new(), &environment);
    let line = |number| Source::File(folder.path().join("deedbox.toml"), number);
    let [mainnet, polygon] = settings.chains.as_slice() else {
        panic!("{:?}", settings.chains);
    };
    assert_eq!((mainnet.id, mainnet.name.as_str()), (1, "Mainnet"));
    assert_eq!((&mainnet.source, mainnet.multicall), (&line(1), None));
    let [main, second] = mainnet.endpoints.as_slice() else {
        panic!("{mainnet:?}");
    };
    assert_eq!((main.limits.id.as_str(), &main.source), ("main", &line(5)));
    assert_eq!(main.limits.max_concurrent.get(), 3);
    assert_eq!(main.limits.max_log_blocks.map(NonZeroU32::get), Some(2000));
    assert_eq!(main.limits.timeout.as_millis(), 500);
    assert_eq!(main.ca_file, Some(folder.path().join("ca.pem")));
    assert_eq!(
        (second.limits.id.as_str(), &second.source),
        ("e2", &line(13))
    );
    // Not said: what is customary.
    assert_eq!(
        (polygon.name.as_str(), polygon.native_symbol.as_str()),
        ("Polygon", "POL")
    );
    assert_eq!((&polygon.source, polygon.native_decimals), (&line(17), 18));
    assert_eq!(polygon.multicall, Some(deedbox_chain::config::MULTICALL3));
    assert_eq!(polygon.endpoints[0].limits.max_waiting, 512);

    let policy = &settings.policy;
    assert_eq!(policy.source, line(20));
    assert_eq!(
        policy
            .value
            .tools
            .allow
            .as_ref()
            .map(std::collections::BTreeSet::len),
        Some(1)
    );
    assert_eq!(policy.value.chains.allow, None);
    assert!(policy.value.chains.deny.contains(&137));
    assert_eq!(policy.value.addresses.deny.len(), 1);
    assert_eq!(policy.value.calls_per_minute, None);
    assert_eq!(policy.value.calls_per_task.map(NonZeroU32::get), Some(7));
    assert!(policy.value.task_required);
}

#[test]
fn no_way_to_show_a_chain_shows_its_url_or_headers() {
    let variables = [
        (
            "MAINNET_RPC_URL",
            "https://hunter2@second.example.org/hunter2",
        ),
        ("MAINNET_RPC_AUTH", "Bearer hunter2"),
    ];
    let (_folder, environment) = with_file(CHAINS, &variables);
    let settings = resolved(&Flags::new(), &environment);
    let shown = settings.to_json(&environment);
    let endpoints = &shown["chains"][0]["endpoints"];
    assert_eq!(endpoints[0]["url"], "https://rpc.example.org/…");
    assert_eq!(endpoints[1]["url"], "https://second.example.org/…");
    assert_eq!(endpoints[1]["url_env"], "MAINNET_RPC_URL");
    assert_eq!(
        shown["chains"][1]["endpoints"][0]["url"],
        "http://127.0.0.1:8545"
    );
    let config = settings.chains[1].config(&environment).unwrap();
    for text in [
        shown.to_string(),
        format!("{settings:?}"),
        format!("{config:?}"),
    ] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn what_stands_in_the_environment_or_a_file_is_looked_up_by_those_who_read_chains_alone() {
    let (folder, mut environment) = with_file(CHAINS, &[]);
    let settings = resolved(&Flags::new(), &environment);
    let error = settings.chains[0].config(&environment).unwrap_err();
    assert_eq!((error.code(), error.exit_code()), ("cannot_read", 2));
    std::fs::write(folder.path().join("ca.pem"), "-----BEGIN").unwrap();
    let error = |environment: &Environment| {
        let error = settings.chains[0].config(environment).unwrap_err();
        assert_eq!(error.code(), "bad_setting");
        error.to_string()
    };
    let refused = error(&environment);
    assert!(
        refused
            .contains("chain 1, endpoint e2: the environment variable MAINNET_RPC_URL is not set")
            && refused.contains("line 13"),
        "{refused}"
    );
    let mut set = |name: &str, value: &str| {
        environment
            .variables
            .insert(name.to_owned(), value.to_owned());
        environment.clone()
    };
    let refused = error(&set("MAINNET_RPC_URL", "hunter2"));
    assert!(
        refused.contains("https://") && !refused.contains("hunter2"),
        "{refused}"
    );
    let refused = error(&set(
        "MAINNET_RPC_URL",
        "https://second.example.org/hunter2",
    ));
    assert!(refused.contains("MAINNET_RPC_AUTH is not set"), "{refused}");
    let refused = error(&set("MAINNET_RPC_AUTH", "Bearer hunter2\n"));
    assert!(
        refused.contains("ASCII") && !refused.contains("hunter2"),
        "{refused}"
    );
    let whole = set("MAINNET_RPC_AUTH", "Bearer hunter2");
    let config = settings.chains[0].config(&whole).unwrap();
    assert_eq!(
        config.endpoints[0].ca_pem.as_deref(),
        Some(&b"-----BEGIN"[..])
    );
    assert_eq!(config.endpoints[1].headers[0].0, "authorization");
}

#[test]
fn the_short_form_replaces_a_chain_of_the_file_and_adds_others() {
    let (folder, environment) = with_file(
        CHAINS,
        &[(
            "DEEDBOX_CHAINS",
            "1=https://one.example.org/k, 10=https://ten.example.org,1=https://two.example.org",
        )],
    );
    let settings = resolved(&Flags::new(), &environment);
    let ids: Vec<u64> = settings.chains.iter().map(|chain| chain.id).collect();
    assert_eq!(ids, [1, 10, 137]);
    let [mainnet, ..] = settings.chains.as_slice() else {
        panic!()
    };
    // Nothing of the table is left, its limits and headers neither.
    assert_eq!(mainnet.name, "Ethereum");
    assert_eq!(mainnet.source, Source::Variable("DEEDBOX_CHAINS"));
    let shown = mainnet.shown(&environment);
    let endpoints: Vec<&str> = [0, 1]
        .map(|at| shown["endpoints"][at]["url"].as_str().unwrap())
        .to_vec();
    assert_eq!(
        endpoints,
        ["https://one.example.org/…", "https://two.example.org"]
    );
    let ids = [0, 1].map(|at| mainnet.endpoints[at].limits.id.to_string());
    assert_eq!(ids, ["e1", "e2"]);
    assert_eq!(
        settings.chains[2].source,
        Source::File(folder.path().join("deedbox.toml"), 17)
    );

    let flag = resolved(&flags(&[("chains", "5=http://[::1]:8545")]), &environment);
    let ids: Vec<u64> = flag.chains.iter().map(|chain| chain.id).collect();
    assert_eq!(ids, [1, 5, 137], "a flag is stronger than the variable");
    assert_eq!(flag.chains[1].source, Source::Flag("--chain"));
    assert_eq!(flag.chains[1].name, "chain 5");
}

#[test]
fn a_bad_short_form_is_refused_without_its_url() {
    for (text, expected) in [
        ("https://hunter2.example.org", "ID=URL"),
        ("one=https://hunter2.example.org", "chain's id"),
        ("01=https://hunter2.example.org", "chain's id"),
        ("0=https://hunter2.example.org", "chain's id"),
        ("9007199254740992=https://hunter2.example.org", "chain's id"),
        ("1=ftp://hunter2.example.org", "https://"),
        ("1=hunter2", "https://"),
        ("1=", "https://"),
    ] {
        let error = resolve(None, &flags(&[("chains", text)]), &environment(&[])).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains(expected) && message.contains("(from flag --chain)"),
            "{text}: {message}"
        );
        assert!(!message.contains("hunter2"), "{message}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn a_variable_that_an_endpoint_names_is_not_taken_for_a_misspelled_setting() {
    let file = "[[chains.1.endpoints]]\nurl_env = \"DEEDBOX_MAINNET\"\nheader_env = { a = \"DEEDBOX_AUTH\" }\n";
    let variables = [
        "DEEDBOX_MAINNET",
        "DEEDBOX_AUTH",
        "DEEDBOX_LINT_TOKEN",
        "DEEDBOX_OTHER",
    ];
    let (_folder, environment) = with_file(file, &variables.map(|name| (name, "x")));
    let settings = resolved(&Flags::new(), &environment);
    assert_eq!(settings.unknown_variables, ["DEEDBOX_OTHER"]);
}

#[test]
fn a_misspelled_key_of_a_chain_or_a_policy_is_refused_with_its_line() {
    insta::assert_snapshot!(refused("[[chains.1.endpoints]]\nurl = \"https://hunter2\"\nmax_bach = 3\n"), @r#"
    deedbox.toml cannot be used
      |
    3 | max_bach = …
      | ^ there is no setting max_bach here; did you mean max_batch?
    "#);
    insta::assert_snapshot!(refused("[chains.1]\nnative = { symbl = \"X\" }\n"), @r#"
    deedbox.toml cannot be used
      |
    2 | native = …
      |          ^ there is no setting symbl here; did you mean symbol?
    "#);
    insta::assert_snapshot!(refused("[policy]\nchains = { allow = [1] }\ncalls_per_hour = 3\n"), @r#"
    deedbox.toml cannot be used
      |
    3 | calls_per_hour = …
      | ^ there is no setting calls_per_hour here; there are tools, chains, addresses, calls_per_minute, calls_per_task, task_required
    "#);
    insta::assert_snapshot!(refused("[policy.tools]\ndeny = [\"get_native_balanc\"]\n"), @r#"
    deedbox.toml cannot be used
      |
    2 | deny = …
      |        ^ there is no tool get_native_balanc here; did you mean get_native_balance?
    "#);
    insta::assert_snapshot!(refused("[chains.mainnet]\nname = \"Mainnet\"\n"), @r#"
    deedbox.toml cannot be used
      |
    1 | [chains.mainnet]
      |         ^ a chain's id is a decimal number without leading zeros, from 1 to 9007199254740991
    "#);
    insta::assert_snapshot!(refused("[chains.1]\nname = \"Mainnet\"\n"), @r#"
    deedbox.toml cannot be used
      |
    1 | [chains.1]
      | ^ has no endpoint: write [[chains.1.endpoints]] with a url below it
    "#);
}

#[test]
fn a_bad_value_of_a_chain_or_a_policy_is_refused_with_its_line_and_not_shown() {
    let endpoint =
        |line: &str| format!("[[chains.1.endpoints]]\nurl = \"https://a.example.org\"\n{line}\n");
    for (text, line, expected) in [
        (
            endpoint("headers = { \"a b\" = \"hunter2\" }"),
            3,
            "name of a header",
        ),
        (endpoint("headers = { a = \"hunter2\\n\" }"), 3, "ASCII"),
        (
            endpoint("headers = { a = \"hunter2\" }\nheader_env = { A = \"X\" }"),
            4,
            "twice",
        ),
        (endpoint("url_env = \"X\""), 3, "not both"),
        (endpoint("timeout = \"0s\""), 3, "longer"),
        (endpoint("timeout = \"soon\""), 3, "unit"),
        (endpoint("max_concurrent = 0"), 3, "from 1"),
        (endpoint("max_body = 12"), 3, "from 1024"),
        (endpoint("id = \"Main\""), 3, "must match"),
        (
            endpoint("[[chains.1.endpoints]]\nid = \"e1\"\nurl = \"https://b.example.org\""),
            3,
            "this id",
        ),
        (
            "[[chains.1.endpoints]]\nurl = \"hunter2\"".to_owned(),
            2,
            "https://",
        ),
        (
            "[[chains.1.endpoints]]\nid = \"a\"".to_owned(),
            1,
            "neither url nor url_env",
        ),
        ("[chains.1]\nendpoints = []".to_owned(), 2, "at least one"),
        (
            "[chains.1]\nendpoints = [\n  [\"hunter2\"]\n]".to_owned(),
            3,
            "a table",
        ),
        ("[chains.1]\nmulticall = true".to_owned(), 2, "Multicall3"),
        (
            "[chains.1]\nmulticall = \"0xd8dA6BF26964aF9D7eEd9e03E53415D37aa96045\"".to_owned(),
            2,
            "EIP-55",
        ),
        (
            "[chains.1]\nnative = { decimals = 256 }".to_owned(),
            2,
            "to 255",
        ),
        ("[chains.1]\nname = \"\"".to_owned(), 2, "a text"),
        ("chains = 1".to_owned(), 1, "an array of texts"),
        ("policy = 1".to_owned(), 1, "a table"),
        (
            "[policy]\nchains = { deny = [\"1\"] }".to_owned(),
            2,
            "whole number",
        ),
        ("[policy]\nchains = { deny = 1 }".to_owned(), 2, "an array"),
        (
            "[policy]\naddresses = { deny = [\"0xd8dA6BF26964aF9D7eEd9e03E53415D37aa96045\"] }"
                .to_owned(),
            2,
            "EIP-55",
        ),
        ("[policy]\ncalls_per_task = -1".to_owned(), 2, "from 0"),
        (
            "[policy]\ntask_required = \"yes\"".to_owned(),
            2,
            "true or false",
        ),
    ] {
        let error = refused(&text);
        assert!(error.contains(expected), "{text}\n{error}");
        assert!(error.contains(&format!("\n{line} | ")), "{text}\n{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}
