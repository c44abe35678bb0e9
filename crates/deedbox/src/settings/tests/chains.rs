//! `[chains]` and `[policy]`.

use super::{super::chains::Native, *};

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
fn how_deep_a_final_block_lies_is_read_and_shown() {
    let file =
        "[chains.1]\nfinality_depth = 20\n[[chains.1.endpoints]]\nurl = \"http://localhost\"\n";
    let (_folder, environment) = with_file(file, &[]);
    let settings = resolved(&Flags::new(), &environment);
    let chain = &settings.chains[0];
    let config = chain.config(&environment).unwrap();
    assert_eq!(config.finality_depth, NonZeroU32::new(20));
    assert_eq!(chain.shown(&environment)["finality_depth"], 20);
}

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
    let native = |symbol: &str, decimals| Native {
        symbol: symbol.to_owned(),
        decimals,
    };
    assert_eq!(polygon.name, "Polygon");
    assert_eq!(
        (&polygon.source, &polygon.native),
        (&line(17), &Some(native("POL", 18)))
    );
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
fn the_short_form_replaces_the_endpoints_of_a_chain_of_the_file_and_adds_others() {
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
    // What the chain is stands in the table; of its endpoints nothing is left, their limits and headers neither.
    assert_eq!(
        (mainnet.name.as_str(), mainnet.multicall),
        ("Mainnet", None)
    );
    assert!(mainnet.endpoints.iter().all(|one| one.headers.is_empty()));
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
    assert_eq!(ids, ["env-e1", "env-e2"]);
    assert_eq!(
        settings.chains[2].source,
        Source::File(folder.path().join("deedbox.toml"), 17)
    );

    let flag = resolved(&flags(&[("chains", "10=http://[::1]:8545")]), &environment);
    let ids: Vec<u64> = flag.chains.iter().map(|chain| chain.id).collect();
    assert_eq!(ids, [1, 10, 137], "a flag is stronger than the variable");
    assert_eq!(flag.chains[1].source, Source::Flag("--chain"));
    assert_eq!(flag.chains[1].name, "OP Mainnet");
    let id = &flag.chains[1].endpoints[0].limits.id;
    assert_eq!(id.as_str(), "flag-e1");
    assert_eq!(
        flag.chains[0].endpoints[0].limits.id.as_str(),
        "main",
        "its own table's"
    );
}

#[test]
fn no_native_currency_is_made_up_for_a_chain_that_nobody_knows() {
    let endpoint = "[[chains.5.endpoints]]\nurl = \"https://five.example.org\"\n";
    let (_folder, without) = with_file(endpoint, &[]);
    let error = resolve(None, &Flags::new(), &without).unwrap_err();
    let short = flags(&[("chains", "5=https://hunter2.example.org")]);
    let typed = resolve(None, &short, &environment(&[])).unwrap_err();
    for error in [error, typed] {
        let text = error.to_string();
        assert_eq!((error.code(), error.exit_code()), ("bad_setting", 2));
        assert!(
            text.contains("native = {") && text.contains("[chains.5]"),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
    // Said in the table, it holds for endpoints that come from elsewhere, also when the table has none.
    let table = "[chains.5]\nnative = { symbol = \"USDX\", decimals = 6 }\n";
    let expected = Some(Native {
        symbol: "USDX".to_owned(),
        decimals: 6,
    });
    for text in [table.to_owned(), format!("{table}{endpoint}")] {
        let (_folder, with) = with_file(&text, &[]);
        let settings = resolved(&short, &with);
        assert_eq!(settings.chains[0].native, expected);
        assert_eq!(settings.chains[0].endpoints.len(), 1);
    }
    let half = refused(&format!(
        "[chains.5]\nnative = {{ decimals = 6 }}\n{endpoint}"
    ));
    assert!(half.contains("both symbol and decimals"), "{half}");
}

#[test]
fn what_may_be_a_secret_is_not_shown_with_the_line_that_it_stands_on() {
    for text in [
        "x-api-key: \"c2VjcmV0a2V5==\"\n",
        "x-api-key: c2VjcmV0a2V5=\n",
        "x-api-key: c2VjcmV0a2V5=x\n",
        "url: \"https://h/v2/c2VjcmV0a2V5?x=1\"\n",
        "c2VjcmV0a2V5==\n",
        "c2VjcmV0a2V5=\n",
        "[policy] c2VjcmV0a2V5 = 1\n",
        "[\"c2VjcmV0a2V5\"\n",
        "\"https://h/c2VjcmV0a2V5\" = 1\n",
        "[policy]\n\"https://h/c2VjcmV0a2V5\" = 1\n",
        "allowed_hosts = [\n  c2VjcmV0a2V5=,\n]\n",
        "[[chains.1.endpoints]]\nurl_env = \"https://h/v2/c2VjcmV0a2V5\"\n",
        "[[chains.1.endpoints]]\nurl_env = \"c2VjcmV0a2V5==\"\n",
        "[[chains.1.endpoints]]\nurl = \"https://h\"\nheader_env = { a = \"Bearer c2VjcmV0a2V5\" }\n",
    ] {
        let error = refused(text);
        assert!(!error.contains("c2VjcmV0a2V5"), "{text}{error}");
        assert!(
            error.contains("\n1 | ") || error.contains("\n2 | ") || error.contains("\n3 | "),
            "{error}"
        );
    }
}

#[test]
fn every_rule_of_a_policy_says_where_it_was_written() {
    let (folder, environment) = with_file(CHAINS, &[]);
    let shown = policy::shown(&resolved(&Flags::new(), &environment).policy);
    let file = folder.path().join("deedbox.toml");
    let at = |line| format!("{}, line {line}", file.display());
    assert_eq!(shown["sources"]["tools.allow"], at(21));
    assert_eq!(shown["sources"]["tools.deny"], "default");
    assert_eq!(shown["sources"]["calls_per_task"], at(25));
    let none = policy::shown(&resolved(&Flags::new(), &self::environment(&[])).policy);
    let all = none["sources"].as_object().unwrap();
    assert_eq!(all.len(), 9);
    assert!(all.values().all(|from| from == "default"), "{all:?}");
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
        ("1=https://a,10=https://hunter2.example.org", "two chains"),
        ("1=https://a/b, 10=HTTP://hunter2.example.org", "two chains"),
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
    let (_folder, without) = with_file("# one\n[chains.1]\nname = \"Mainnet\"\n", &[]);
    let error = resolve(None, &Flags::new(), &without)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("chain 1 has no endpoint") && error.contains("deedbox.toml, line 2"),
        "{error}"
    );
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
        ("[chains.1]\nfinality_depth = 0".to_owned(), 2, "1"),
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
