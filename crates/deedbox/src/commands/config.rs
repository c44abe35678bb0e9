//! `deedbox config show`

use std::process::ExitCode;

use serde_json::Value;

use crate::{
    failure::Failure,
    render::{Output, line, path, table},
    settings::{Settings, Source},
};

pub(super) fn show(settings: &Settings, output: &Output) -> Result<ExitCode, Failure> {
    output.print(&settings.to_json(), |output| shown(settings, output))?;
    Ok(ExitCode::SUCCESS)
}

fn shown(settings: &Settings, output: &Output) -> String {
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
            line(&plain(&one.value)),
            line(&one.source.to_string()),
        ]
    });
    let table = table(output, &["SETTING", "VALUE", "FROM"], rows.collect());
    let unknown = settings.unknown_variables.join(", ");
    if unknown.is_empty() {
        return format!("{file}\n\n{table}");
    }
    let note = format!("Not understood, perhaps misspelled: {}", line(&unknown));
    format!("{file}\n\n{table}\n\n{}", output.paint.alert(&note))
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
