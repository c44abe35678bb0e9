use serde_json::{Value, json};

use super::*;
use crate::lint::listing;

/// The other tools of the server in these tests.
const OTHERS: [&str; 3] = ["this_tool", "list_things", "read"];

fn judged(tool: Value) -> [Judged; 6] {
    let tool = listing::read(&json!([tool])).unwrap().remove(0);
    judge(&tool, &OTHERS)
}

/// What is judged of a description of a tool without inputs.
fn verdict(statement: Statement, description: &str) -> Verdict {
    let tool = json!({"name": "this_tool", "description": description});
    let judged = judged(tool);
    let one = judged.iter().find(|one| one.statement == statement);
    one.unwrap().verdict
}

/// Checks descriptions that were labelled by reading them.
fn labelled(statement: Statement, labels: &[(Verdict, &str)]) {
    let wrong: Vec<String> = labels
        .iter()
        .filter_map(|(label, text)| {
            let found = verdict(statement, text);
            (found != *label).then(|| format!("{found:?}, not {label:?}: {text}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{statement:?}\n{}", wrong.join("\n"));
}

use Verdict::{Made, Missing, Partly};

#[test]
fn the_purpose_is_what_it_does_and_for_what() {
    labelled(
        Statement::Purpose,
        &[
            (
                Made,
                "Returns the owner of a task; for finding out who works on it.",
            ),
            (
                Made,
                "Searches code across repositories. Best for finding exact symbols.",
            ),
            (
                Made,
                "Get details of the user. Use this when a request is about the user's own profile.",
            ),
            (
                Made,
                "Lists every file below a folder, so that you know what there is to read.",
            ),
            (
                Made,
                "Returns how much an address holds; for a balance that can be checked later.",
            ),
            (
                Partly,
                "Lists the files of a folder. For a long list, the answer has pages.",
            ),
            (
                Partly,
                "Get the contents of a file or directory from a repository",
            ),
            (Partly, "Lists alerts for a repository of an organisation."),
            (Partly, "Shows the working tree status"),
            (Missing, "Switches branches"),
            (Missing, "search"),
            (Missing, ""),
        ],
    );
}

#[test]
fn units_are_those_of_the_answer_and_not_of_an_input_or_of_how_long_it_takes() {
    labelled(
        Statement::Units,
        &[
            (Made, "Returns the balance in wei as a decimal string."),
            (
                Made,
                "Returns each file's size in bytes and its time of change in RFC 3339.",
            ),
            (Made, "The response includes the distance in kilometres."),
            (Made, "Times are RFC 3339 in UTC, to the millisecond."),
            (Made, "Returns the page as Markdown."),
            (Missing, "Returns the balance of an account."),
            (
                Missing,
                "Returns size, creation time and permissions of a file.",
            ),
            (Missing, "Inputs: timeout (in seconds, up to 60)."),
            (Missing, "Returns a page. Takes up to 30 seconds."),
            (Missing, "Converts a temperature."),
        ],
    );
    let with = |schema: Value| {
        let tool = json!({"name": "this_tool", "description": "Waits for timeout_ms milliseconds and returns what came.",
            "inputSchema": {"properties": {"timeout_ms": {"type": "integer"}}}, "outputSchema": schema});
        judged(tool)[2].clone()
    };
    assert_eq!(with(json!({})).verdict, Missing, "the unit is an input's");
    let tool = json!({"name": "this_tool", "description": "Returns what is there. Inputs, all required: \
        id (hex; list_things shows which), n (whole number).",
        "inputSchema": {"properties": {"id": {}, "n": {}}}});
    assert_eq!(judged(tool)[2].verdict, Missing, "the unit is an input's");
    let schema =
        json!({"properties": {"size": {"type": "integer", "description": "Size in bytes"}}});
    let judged = with(schema);
    assert_eq!(judged.verdict, Made);
    assert_eq!(judged.found, ["outputSchema: Size in bytes"]);
}

#[test]
fn the_moment_of_an_answer_has_its_words() {
    labelled(
        Statement::AsOf,
        &[
            (Made, "Everything is as of one moment, that of the call."),
            (Made, "Returns the balance at the given block height."),
            (Made, "Prices may be delayed by 15 minutes; data is cached."),
            (Made, "createdAt is the time of the record."),
            (Made, "Real-time quotes of the exchange."),
            (Made, "The index is updated every hour."),
            (Missing, "Returns the latest release of a repository."),
            (Missing, "Returns the last modified time of a file."),
            (Missing, "Creates a new branch from an optional base branch"),
            (Missing, "Updates the current user's profile."),
        ],
    );
}

#[test]
fn limits_are_of_the_tool_and_name_another_one() {
    labelled(
        Statement::Limits,
        &[
            (Made, "Does not search texts (list_things does)."),
            (
                Made,
                "Returns one thing and never a list: use `read` for its content, list_things for all.",
            ),
            (
                Made,
                "If the user names an author, then DO NOT use this tool and use the list_things tool instead.",
            ),
            (Partly, "Does not follow redirects."),
            (Partly, "Limited to organizations that the key can see."),
            (Missing, "Finds texts (e.g. \"cannot connect\") in issues."),
            (Partly, "Only works within allowed directories."),
            (Partly, "DEPRECATED: Use list_things instead."),
            (Partly, "Cannot read files that are larger than 1 MiB."),
            (Missing, "Returns an error if the file does not exist."),
            (Missing, "Reads files that are not empty."),
            (
                Missing,
                "Use it when you don't know where a file is. Then read it.",
            ),
            (
                Missing,
                "Use `head` to read only the first lines of a file.",
            ),
            (Missing, "Reads a file."),
        ],
    );
    // A server with one tool has no other to name.
    let alone =
        listing::read(&json!([{"name": "this_tool", "description": "Does not follow links."}]));
    let alone = alone.unwrap().remove(0);
    assert_eq!(judge(&alone, &["this_tool"])[4].verdict, Made);
}

#[test]
fn failure_is_what_it_looks_like_how_long_it_takes_and_how_often_to_call() {
    labelled(
        Statement::Failure,
        &[
            (
                Made,
                "Fails with isError and a code. Takes milliseconds. Call once per task.",
            ),
            (
                Made,
                "Returns an error if there is no such file. Slow for large folders. Rate limited.",
            ),
            (
                Partly,
                "If the destination exists, the operation will fail.",
            ),
            (Partly, "Returns null when nothing matches."),
            (Partly, "May take up to a minute."),
            (Partly, "Idempotent."),
            (Partly, "Resolving an already resolved thread is a no-op."),
            (
                Missing,
                "Searches issues, best by a phrase (e.g. \"login fails after a retry\").",
            ),
            (Missing, "Downloads the error logs of failed jobs."),
            (
                Missing,
                "Lists retried jobs of a run, the quickest first, with each one's error count.",
            ),
            (Missing, "Reads a file."),
        ],
    );
}

#[test]
fn an_input_is_described_in_the_schema_or_in_the_text() {
    let judge_inputs = |description: &str, schema: Value| {
        let tool = json!({"name": "this_tool", "description": description, "inputSchema": schema});
        judged(tool)[1].clone()
    };
    let path = |more: Value| json!({"properties": {"path": more}, "required": ["path"]});
    let string = json!({"type": "string"});
    for (verdict, description, schema) in [
        (Made, "Does it.", json!({"properties": {}})),
        (
            Made,
            "Does it.",
            path(json!({"type": "string", "description": "Where it is"})),
        ),
        (
            Made,
            "Reads. Inputs: path (text: where it is).",
            path(string.clone()),
        ),
        (Made, "Reads what `path` leads to.", path(string.clone())),
        (
            Missing,
            "Reads the file at a path of yours.",
            path(string.clone()),
        ),
        (Missing, "Reads a file.", path(string.clone())),
        // Optional: what happens without it has to be said.
        (
            Partly,
            "Does it.",
            json!({"properties": {"n": {"type": "integer", "description": "How many"}}}),
        ),
        (
            Made,
            "Does it.",
            json!({"properties": {"n": {"type": "integer", "description": "How many", "default": 3}}}),
        ),
        (
            Made,
            "Does it.",
            json!({"properties": {"n": {"type": "integer", "description": "How many, 10 if omitted"}}}),
        ),
        (
            Made,
            "No input has a default.",
            json!({"properties": {"n": {"type": "integer", "description": "How many"}}}),
        ),
        (
            Made,
            "Inputs: n (how many, default 10), m (which, by default all).",
            json!({"properties": {"n": {"type": "integer"}, "m": {"type": "integer"}}}),
        ),
        // The default belongs to the other one.
        (
            Partly,
            "Inputs: n (how many, default 10), m (which).",
            json!({"properties": {"n": {"type": "integer"}, "m": {"type": "integer"}}}),
        ),
        (
            Made,
            "Does it.",
            path(
                json!({"type": "array", "items": {"properties": {"a": {"description": "One part"}}}}),
            ),
        ),
    ] {
        let judged = judge_inputs(description, schema.clone());
        assert_eq!(judged.verdict, verdict, "{description} {schema} {judged:?}");
    }
    let many: serde_json::Map<String, Value> = (0..30)
        .map(|n| (format!("input{n:02}"), json!({})))
        .collect();
    let judged = judge_inputs("Does it.", json!({"properties": many}));
    assert!(
        judged.lacking[0].ends_with("input07, and 22 more"),
        "{judged:?}"
    );
}

#[test]
fn every_verdict_rests_on_words_that_are_shown_and_capped() {
    let long = format!(
        "{} Fails with isError {}.",
        "Reads a file of some kind. ".repeat(50),
        "é".repeat(5000)
    );
    for one in judged(json!({"name": "this_tool", "description": long})) {
        assert_eq!(one.verdict == Verdict::Made, one.lacking.is_empty());
        for quote in one.found.iter().chain(&one.lacking) {
            assert!(quote.chars().count() <= QUOTE + 20, "{quote}");
        }
    }
    let failure = &judged(json!({"name": "this_tool", "description": long}))[5];
    assert!(
        failure.found[0].starts_with("Fails with isError é"),
        "{failure:?}"
    );
}

#[test]
fn a_description_in_another_language_is_not_judged_silently() {
    assert!(readable("Lists files."));
    assert!(readable(
        "Get list of commits of a branch in a GitHub repository."
    ));
    for foreign in [
        "Liefert den Kontostand einer Adresse zu einem bestimmten Block der gewählten Kette.",
        "Devuelve el saldo de una cuenta en el bloque indicado con su unidad mínima exacta.",
        "指定した ブロック における アドレス の 残高 を 返します 単位 は ウェイ です",
    ] {
        assert!(!readable(foreign), "{foreign}");
    }
}

/// What is missing of each tool of three public servers, as it was confirmed by reading the descriptions.
#[test]
fn the_tools_of_public_servers_are_judged_as_a_reader_would() {
    let mut table = String::new();
    for (server, list) in [
        (
            "filesystem",
            include_str!("../../tests/data/tool-lists/filesystem.json"),
        ),
        ("git", include_str!("../../tests/data/tool-lists/git.json")),
        (
            "github",
            include_str!("../../tests/data/tool-lists/github.json"),
        ),
    ] {
        let tools = listing::read(&serde_json::from_str(list).unwrap()).unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        for tool in &tools {
            assert!(readable(&tool.description), "{}", tool.name);
            let marks: String = judge(tool, &names)
                .iter()
                .map(|one| match one.verdict {
                    Made => '+',
                    Partly => '~',
                    Missing => '.',
                })
                .collect();
            table.push_str(&format!("{marks} {server} {}\n", tool.name));
        }
    }
    insta::assert_snapshot!(table, @r#"
    ~...~. filesystem read_file
    +...~~ filesystem read_text_file
    ~.+.~. filesystem read_media_file
    ++..~. filesystem read_multiple_files
    ~...~. filesystem write_file
    ~...~. filesystem edit_file
    +...~. filesystem create_directory
    +...~. filesystem list_directory
    +...~. filesystem list_directory_with_sizes
    ~.+.~. filesystem directory_tree
    +....~ filesystem move_file
    +...~. filesystem search_files
    +...~. filesystem get_file_info
    ++.... filesystem list_allowed_directories
    ~..... git git_status
    ~..... git git_diff_unstaged
    ~..... git git_diff_staged
    ~..... git git_diff
    ~..... git git_commit
    ~..... git git_add
    ~..... git git_reset
    ~..... git git_log
    ~..... git git_create_branch
    ...... git git_checkout
    ~..... git git_show
    .+.... git git_branch
    +~..~. github create_or_update_file
    ~+.... github delete_repository
    ~~..~. github get_file_blame
    ~~.... github get_file_contents
    ~~.... github get_job_logs
    ++.... github get_me
    ~+..~. github get_team_members
    ~~.... github issue_read
    ~~.... github issue_write
    ~~.... github label_write
    ~~.... github list_commits
    ~+.... github list_issue_fields
    +~.... github list_notifications
    ~~..+. github list_pull_requests
    ~~.... github merge_pull_request
    ~+...~ github resolve_review_thread
    +~...~ github search_code
    +~.... github search_issues
    ~~.... github search_pull_requests
    +~.... github search_repositories
    "#);
}
