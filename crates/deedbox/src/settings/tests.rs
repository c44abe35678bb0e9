use std::{collections::BTreeMap, path::Path};

use super::*;

mod chains;

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment {
        variables: variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        current_dir: "/here".into(),
        data_home: Some("/data".into()),
        config_home: None,
        state_home: None,
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
        "sync" | "verify" => "off",
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
        ("XMEMO_AGENT_INSTANCE_ID", "hunter2-installation"),
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
        ("agent_id", " ", "1 to 256 characters"),
        ("agent_id", &"é".repeat(257), "1 to 256 characters"),
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
fn a_label_of_an_installation_is_kept_as_its_hash_and_a_bad_one_is_refused_unrepeated() {
    let of = |text: &str| {
        let variables = [("DEEDBOX_AGENT_INSTANCE_ID", text)];
        resolve(None, &Flags::new(), &environment(&variables))
    };
    let settings = of(" codex-local-install ").unwrap();
    let hash = "sha256:09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34";
    let kept = settings.agent_instance_id.value.unwrap();
    assert_eq!(kept.to_string(), hash);
    assert_eq!(settings.attribution().instance, Some(kept));
    let long = format!("hunter2{}", "x".repeat(250));
    for (text, expected) in [
        ("\t ", "must not be empty"),
        (&long, "at most 256 characters"),
    ] {
        let error = of(text).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("DEEDBOX_AGENT_INSTANCE_ID"), "{message}");
        assert!(!message.contains("hunter2"), "{message}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn our_own_labels_are_stronger_than_those_of_others() {
    let both = environment(&[("XMEMO_AGENT_ID", "theirs"), ("DEEDBOX_AGENT_ID", "ours")]);
    let settings = resolved(&Flags::new(), &both);
    assert_eq!(settings.agent_id.value.as_ref().unwrap().as_str(), "ours");
    let flag = resolved(&flags(&[("agent_id", "mine")]), &both);
    assert_eq!(flag.agent_id.value.as_ref().unwrap().as_str(), "mine");
}

#[test]
fn what_was_kept_for_an_agent_is_used_with_it_and_is_weaker_than_what_is_given() {
    let home = tempfile::tempdir().unwrap();
    let codex = AgentLabel::new("codex").unwrap();
    let folder = instances::Folder::of(home.path());
    let kept = folder.make(&codex, &crate::world::SystemWorld).unwrap();
    let with = |variables: &[(&str, &str)]| {
        let at_home = Environment {
            state_home: Some(home.path().to_owned()),
            ..environment(variables)
        };
        resolved(&Flags::new(), &at_home).agent_instance_id
    };
    let found = with(&[("DEEDBOX_AGENT_ID", "codex")]);
    assert_eq!(found.value, Some(kept.hash()));
    assert_eq!(found.source, Source::File(folder.path(&codex), 1));
    assert_eq!(with(&[("DEEDBOX_AGENT_ID", "claude")]).value, None);
    assert_eq!(with(&[]).value, None);
    let given = with(&[
        ("DEEDBOX_AGENT_ID", "codex"),
        ("XMEMO_AGENT_INSTANCE_ID", "another"),
    ]);
    assert!(given.value.is_some() && given.value != Some(kept.hash()));
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
