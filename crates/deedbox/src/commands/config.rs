//! `deedbox config show`

use std::process::ExitCode;

use serde_json::Value;

use crate::{
    failure::Failure,
    render::{Output, line, path, table},
    settings::{Environment, Settings, Source},
};

pub(super) fn show(
    settings: &Settings,
    environment: &Environment,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let value = settings.to_json(environment);
    output.print(&value, |output| shown(settings, &value, output))?;
    Ok(ExitCode::SUCCESS)
}

fn shown(settings: &Settings, value: &Value, output: &Output) -> String {
    let file = match &settings.config_file {
        Some(file) if file.source == Source::Default => {
            format!("Configuration file: {}", path(&file.value))
        }
        Some(file) => format!(
            "Configuration file: {} ({})",
            path(&file.value),
            line(&file.source.to_string())
        ),
        None => "Configuration file: none".to_owned(),
    };
    let rows = settings.shown().into_iter().map(|one| {
        vec![
            one.name.to_owned(),
            match unset(one.name).filter(|_| one.value.is_null()) {
                Some(instead) => output.paint.faint(instead),
                None => line(&plain(&one.value)),
            },
            line(&one.source.to_string()),
        ]
    });
    let mut text = format!(
        "{file}\n\n{}\n\n{}\n\n{}\n\n{}",
        table(output, &["SETTING", "VALUE", "FROM"], rows.collect()),
        chains(&value["chains"], output),
        policy(&value["policy"], output),
        publishing(&value["publishing"], output),
    );
    let unknown = settings.unknown_variables.join(", ");
    if !unknown.is_empty() {
        let note = format!("Not understood, perhaps misspelled: {}", line(&unknown));
        text.push_str(&format!("\n\n{}", output.paint.alert(&note)));
    }
    text
}

/// What happens where a setting has no value of its own.
fn unset(name: &str) -> Option<&'static str> {
    Some(match name {
        "public_url" => "(where it listens)",
        "allowed_hosts" => "(this machine's own names, and the public URL's host)",
        "log_format" => "(text on a terminal, else json)",
        "log_filter" => "(off; with mcp, warn; with serve, info of Deedbox)",
        _ => return None,
    })
}

/// One row for each endpoint, from what programs are shown: it holds no secret.
fn chains(chains: &Value, output: &Output) -> String {
    let mut rows = Vec::new();
    for chain in items(chains) {
        for endpoint in items(&chain["endpoints"]) {
            let url = match (&endpoint["url"], &endpoint["url_env"]) {
                (url, Value::Null) => plain(url),
                (Value::Null, variable) => format!("{} is not set", plain(variable)),
                (url, variable) => format!("{} ({})", plain(url), plain(variable)),
            };
            let from = plain(&endpoint["source"]);
            let (id, name) = (plain(&chain["chain_id"]), plain(&chain["name"]));
            let row = [id, name, plain(&endpoint["id"]), url, from];
            rows.push(row.iter().map(|cell| line(cell)).collect());
        }
    }
    if rows.is_empty() {
        return "Chains: none. Name one with --chain, DEEDBOX_CHAINS or [chains] in the file"
            .to_owned();
    }
    table(output, &["CHAIN", "NAME", "ENDPOINT", "URL", "FROM"], rows)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// One row for each rule.
pub(super) fn policy(policy: &Value, output: &Output) -> String {
    let mut rows = Vec::new();
    let mut row = |rule: String, says: String| {
        let from = line(&plain(&policy["sources"][rule.as_str()]));
        rows.push(vec![rule, line(&says), from]);
    };
    for (rule, value) in policy["value"].as_object().into_iter().flatten() {
        match value {
            Value::Object(lists) => {
                for (list, value) in lists {
                    let says = match value {
                        Value::Null => "all".to_owned(),
                        Value::Array(none) if none.is_empty() => "none".to_owned(),
                        some => plain(some),
                    };
                    row(format!("{rule}.{list}"), says);
                }
            }
            Value::Number(number) if number.as_u64() == Some(0) => {
                row(rule.clone(), "no limit".to_owned());
            }
            Value::Bool(there) => row(rule.clone(), if *there { "yes" } else { "no" }.to_owned()),
            other => row(rule.clone(), plain(other)),
        }
    }
    table(output, &["POLICY", "VALUE", "FROM"], rows)
}

/// One row for each setting of `[publish]` and `[fetch]`.
fn publishing(rows: &Value, output: &Output) -> String {
    let row = |row: &Value| {
        let cell = |name: &str| line(&plain(&row[name]));
        vec![cell("name"), cell("value"), cell("source")]
    };
    let rows = items(rows).map(row).collect();
    table(output, &["PUBLISHING", "VALUE", "FROM"], rows)
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "-".to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
