//! What the program says about itself.

use crate::common::Home;

#[test]
fn the_help_opens_with_what_it_is_for_and_ends_with_examples_and_exit_codes() {
    let done = Home::new().run(&["--help"]).expect(0);
    insta::assert_snapshot!(done.out, @r#"
    A registrar for AI agents: who has accepted which task, and how they know that it is done.

    Two rules: nobody owns a task until they accept it, and nobody reports completion without saying how
    they know. Agents speak to Deedbox over MCP, programs over HTTP, people with these commands. The
    commands work on the database itself, also while `deedbox serve` runs.

    Usage: deedbox [OPTIONS] <COMMAND>

    Commands:
      serve        Serve MCP and HTTP
      mcp          Serve one MCP client over standard input and output
      task         Create, accept, complete, hand off and look at tasks
      memory       Remember, recall and forget what agents and people note down for each other
      space        Make spaces for teams' memories, and say who is in them
      actor        Add and list the people, agents and services that act
      key          Make, list and revoke keys
      instance     Give an agent's installation a label, by which others see what it wrote
      whoami       Say as whom you act here, and with which labels
      ledger       Check that the ledger says what was done
      read         Read chains so that the answer can be checked
      policy       Show and try what may be read
      evidence     List, show, export and check again what was read of chains
      id           Read and write identifiers of tokens, tools, accounts, chains and keys
      registry     Put registries on a chain, look at them, follow and trust them
      agent        Find agents, ask who owns one; register them, set metadata, give them away (ERC-8122)
      predicate    Put access predicates on a chain: who may use a tool
      tool         Find and verify tools, ask who may use them; check manifests, register and pin tools
      publication  List what was changed on chains, and go on with what is not settled
      account      Keep the keys that sign transactions, encrypted
      chain        Start a chain of your own, to try things on
      lint         Say what the descriptions of an MCP server's tools leave unsaid
      config       Show the settings that are in force
      completions  Print a completion script for a shell
      openapi      Print the OpenAPI document of the HTTP API
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Options of every command:
          --json
              Print results as one JSON value, and errors as {"error","code"} on standard error

          --config <FILE>
              Configuration file [default: ./deedbox.toml, then ~/.config/deedbox/deedbox.toml]

          --data-dir <DIR>
              Folder of the embedded database [default: ~/.local/share/deedbox]

          --database-url <URL>
              Database: postgres://… or sqlite:///path [default: deedbox.sqlite in the data folder]

          --as-agent <LABEL>
              What the agent that uses this program calls itself; attributes what is done, and permits
              nothing

          --log-format <FORMAT>
              Log lines as text or json [default: text on a terminal, else json]

          --log-filter <FILTER>
              Which log lines, like info or warn,deedbox_server=debug

    Examples:
      deedbox serve                              serve on http://127.0.0.1:7878
      deedbox actor add codex --kind agent       make an agent known
      deedbox key new --actor codex              give it a key of its own
      deedbox task unaccepted                    what nobody owns
      deedbox ledger check                       is the ledger what was done?
      deedbox read chains                        which chains can be read?
      deedbox tool check tool.json               may this manifest be published?
      deedbox chain dev                          a chain with registries, to try things on
      deedbox lint tools https://example.org/mcp what do a server's tools leave unsaid?
      deedbox id parse eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1
                                                 what is this, and how else is it written?

    Exit codes:
      0  done
      1  refused by the rules, a policy or a standard; no reading; a check found a fault
      2  bad usage, bad input or a bad setting
      3  the program could not do it: database, network, files
      4  a transaction was sent, and its end is not known yet
      5  a registry was asked, and the answer is no: no such agent, not verified, no access

    Settings come from flags, then DEEDBOX_* variables, then deedbox.toml; see deedbox config show.
    "#);
}

#[test]
fn the_help_of_serve_groups_its_settings() {
    let done = Home::new().run(&["serve", "-h"]).expect(0);
    insta::assert_snapshot!(done.out, @r#"
    Serve MCP and HTTP

    Usage: deedbox serve [OPTIONS]

    Options:
      -h, --help  Print help (see more with '--help')

    Listening:
          --listen <ADDRESS>           Address and port to listen on [default: 127.0.0.1:7878]
          --public-url <URL>           Where clients reach this server, if that is another place than
                                       where it listens
          --allowed-hosts <HOSTS>      Host headers to answer, separated by commas [default: loopback
                                       names and the public URL's host]
          --allowed-origins <ORIGINS>  Origin headers to answer, separated by commas [default: none but
                                       this server's own]
          --toolsets <NAMES>           Which tools to offer, separated by commas [default: all]

    Limits:
          --request-timeout <SPAN>        How long a request may take [default: 30s]
          --shutdown-grace <SPAN>         How long a stop waits for requests in flight [default: 9s]
          --rate-limit <N>                Requests a second for each key; 0 for no limit [default: 1000]
          --rate-burst <N>                Requests that a key may make at once [default: 2000]
          --postgres-max-connections <N>  Connections to PostgreSQL at most; fewer than 5 count as 5
                                          [default: 12]

    Registries:
          --sync <SWITCH>       Whether to read the registries that are followed, in the background: on
                                or off [default: on]
          --sync-poll <SPAN>    How long after the last look at a chain's head the next one is [default:
                                12s]
          --sync-code <SPAN>    How long after the last look at a registry's code the next one is
                                [default: 10m]
          --verify <SWITCH>     Whether to keep the tools of those registries verified: on or off
                                [default: on]
          --verify-at-once <N>  Manifests to fetch at once, each from another host [default: 16]

    Being seen:
          --metrics-listen <ADDRESS>  A second listener for /metrics alone, open to whoever reaches it
          --otlp-endpoint <URL>       Where to export traces to, over OTLP/HTTP, like
                                      http://localhost:4318

    Chains:
          --chain <ID=URL>  A chain to read, and where: 31337=http://127.0.0.1:8545. Repeat it for more
                            chains, or for more endpoints of one. Everybody on this machine sees flags:
                            a URL with a key in it belongs in deedbox.toml or DEEDBOX_CHAINS

    Options of every command:
          --json                 Print results as one JSON value, and errors as {"error","code"} on
                                 standard error
          --config <FILE>        Configuration file [default: ./deedbox.toml, then
                                 ~/.config/deedbox/deedbox.toml]
          --data-dir <DIR>       Folder of the embedded database [default: ~/.local/share/deedbox]
          --database-url <URL>   Database: postgres://… or sqlite:///path [default: deedbox.sqlite in
                                 the data folder]
          --as-agent <LABEL>     What the agent that uses this program calls itself; attributes what is
                                 done, and permits nothing
          --log-format <FORMAT>  Log lines as text or json [default: text on a terminal, else json]
          --log-filter <FILTER>  Which log lines, like info or warn,deedbox_server=debug

    Examples:
      deedbox serve
      deedbox serve --listen 127.0.0.1:8000 --data-dir ./data
      deedbox serve --database-url postgres://deedbox@db.example.org/deedbox \
          --listen 0.0.0.0:7878 --public-url https://deedbox.example.org

    A network address needs --public-url or --allowed-hosts, or clients are refused by their Host
    header; and a proxy in front that speaks TLS, or keys travel in the clear.
    Set MCP_ACCESS_TOKEN to use a token of your own as an operator key; then no first key is made.
    "#);
}

#[test]
fn the_help_of_complete_says_what_each_provenance_means() {
    let done = Home::new().run(&["task", "complete", "-h"]).expect(0);
    insta::assert_snapshot!(done.out, @r#"
    Report a task complete, and say how the owner knows

    Usage: deedbox task complete [OPTIONS] --as <ACTOR> --provenance <PROVENANCE> --claim <TEXT> <TASK>

    Arguments:
      <TASK>  The task's id

    Options:
          --as <ACTOR>               Who claims it: the task's owner
          --provenance <PROVENANCE>  How the owner knows: observed (saw it happen), reviewed (looked at
                                     the result) or reported (was told)
          --claim <TEXT>             What is claimed; - reads it from standard input
          --source <REFERENCE>       Where the evidence is: a link, a commit. A more certain claim than
                                     the last one needs a new one
      -h, --help                     Print help

    Options of every command:
          --json                 Print results as one JSON value, and errors as {"error","code"} on
                                 standard error
          --config <FILE>        Configuration file [default: ./deedbox.toml, then
                                 ~/.config/deedbox/deedbox.toml]
          --data-dir <DIR>       Folder of the embedded database [default: ~/.local/share/deedbox]
          --database-url <URL>   Database: postgres://… or sqlite:///path [default: deedbox.sqlite in
                                 the data folder]
          --as-agent <LABEL>     What the agent that uses this program calls itself; attributes what is
                                 done, and permits nothing
          --log-format <FORMAT>  Log lines as text or json [default: text on a terminal, else json]
          --log-filter <FILTER>  Which log lines, like info or warn,deedbox_server=debug

    Examples:
      deedbox task complete 0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b --as codex \
          --provenance reviewed --claim 'The plan restores in 4 minutes' \
          --source https://ci.example.org/runs/17
    "#);
}

#[test]
fn bad_usage_ends_with_2_in_text_and_in_json() {
    let home = Home::new();
    let done = home.run(&["task", "accpet"]).expect(2);
    assert!(
        done.err.contains("unrecognized subcommand 'accpet'"),
        "{}",
        done.err
    );
    assert_eq!(done.out, "");
    let done = home.run(&["key", "new", "--json"]).expect(2);
    assert_eq!(done.error()["code"], "bad_usage");
    assert_eq!(done.out, "");
}

#[test]
fn key_new_without_a_holder_is_told_of_both_kinds() {
    let done = Home::new().run(&["key", "new"]).expect(2);
    assert!(
        done.err.contains("<--actor <ID>|--operator>"),
        "{}",
        done.err
    );
}

#[test]
fn a_usage_error_shows_control_and_bidi_characters_by_number() {
    let home = Home::new();
    let hostile = "acc\u{1b}[2J\u{202e}pt\n\u{9b}31m\u{200b}";
    for arguments in [
        &["task", hostile][..],
        &["task", "status", "id", hostile],
        &["actor", "add", "bob", "--kind", hostile],
        &[hostile],
        &["completions", hostile],
        &["task", "unaccepted", "--limit", hostile],
        &["serve", &format!("--{hostile}")],
    ] {
        let done = home.run(arguments).expect(2);
        assert!(done.err.contains("⟨U+202E⟩"), "{arguments:?}: {}", done.err);
        let raw = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{200b}".contains(c));
        assert!(!done.err.contains(raw), "{arguments:?}: {:?}", done.err);
        let done = home.run(&[arguments, &["--json"]].concat()).expect(2);
        assert_eq!(done.error()["code"], "bad_usage", "{arguments:?}");
        assert!(!done.err.contains(raw), "{arguments:?}: {:?}", done.err);
    }
}

#[test]
fn a_path_in_an_error_shows_control_and_bidi_characters_by_number() {
    let home = Home::new();
    let hostile = "acc\u{1b}[2J\u{202e}pt\nerror: \u{9b}31m\u{200b}";
    let raw = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{200b}".contains(c));
    for arguments in [
        &["config", "show", "--config", hostile][..],
        &["task", "unaccepted", "--data-dir", hostile],
        &["task", "unaccepted", "--database-url", hostile],
        &["actor", "show", hostile],
        &["key", "revoke", hostile],
    ] {
        let done = home.run(arguments);
        assert!(done.code >= 2, "{arguments:?}");
        assert!(!done.err.contains(raw), "{arguments:?}: {:?}", done.err);
        assert_eq!(done.err.matches("\nerror: ").count(), 0, "{}", done.err);
        let done = home.run(&[arguments, &["--json"]].concat());
        assert!(!done.err.contains(raw), "{arguments:?}: {:?}", done.err);
    }
}

#[test]
fn shells_complete_kinds_and_provenances_and_not_file_names() {
    let done = Home::new().run(&["completions", "bash"]).expect(0);
    let after = |flag: &str| {
        let case = format!("{flag})\n");
        let at = done.out.find(&case).map(|at| at + case.len());
        let line = at.and_then(|at| done.out[at..].lines().next());
        line.unwrap_or_default().trim().to_owned()
    };
    assert!(
        after("--kind").contains("human agent service"),
        "{}",
        after("--kind")
    );
    let provenances = after("--provenance");
    assert!(
        provenances.contains("reported reviewed observed"),
        "{provenances}"
    );
}

#[test]
fn every_shell_gets_a_completion_script() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = home.run(&["completions", shell]).expect(0);
        assert!(done.out.contains("unaccepted"), "{shell}");
        let json = home.json(&["completions", shell]);
        assert_eq!(
            json["script"].as_str().unwrap().trim_end(),
            done.out.trim_end()
        );
    }
}

#[test]
fn the_openapi_document_needs_no_server() {
    let document = Home::new().json(&["openapi"]);
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/api/tasks"].is_object());
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::Stdio;
    let mut child = Home::new()
        .command(&["openapi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.stderr.is_empty());
}
