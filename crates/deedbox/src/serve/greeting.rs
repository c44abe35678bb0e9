//! What `serve` prints when it is ready: where it listens, and configuration to paste.

use std::{env, fmt::Write as _, net::SocketAddr};

use deedbox_core::ApiKey;
use serde_json::{Map, Value, json};

use crate::{
    failure::Failure,
    render::Output,
    settings::{Settings, Source},
};

/// Prints it. The last line is `Listening on http://…`; on the first run one line before
/// is `Operator key (shown once): dbx_…`.
pub(super) fn print(
    settings: &Settings,
    output: &Output,
    own: SocketAddr,
    public_url: &str,
    key: Option<&ApiKey>,
) -> Result<(), Failure> {
    let database = settings.database_url.value.to_string();
    let value = json!({
        "url": format!("http://{own}"),
        "publicUrl": public_url,
        "operatorKey": key.map(ApiKey::reveal),
        "database": database,
    });
    output.print(&value, |output| {
        let mut text = output
            .paint
            .strong(concat!("Deedbox ", env!("CARGO_PKG_VERSION")));
        let _ = writeln!(text, "\nDatabase: {database}\n");
        text.push_str(&about_keys(settings, key));
        text.push_str(&to_paste(settings, public_url, key));
        let _ = write!(text, "\nListening on http://{own}");
        text
    })
}

fn about_keys(settings: &Settings, key: Option<&ApiKey>) -> String {
    if let Some(key) = key {
        return format!(
            "Operator key (shown once): {}\n\
             It may act as anyone, and only its hash is kept. Better give each agent a key of its own:\n  \
             {}\n  \
             {}\n",
            key.reveal(),
            settings.again("actor add claude --kind agent"),
            settings.again("key new --actor claude"),
        );
    }
    let token = match &settings.access_token.source {
        Source::Default => String::new(),
        source => format!("The access token ({source}) is accepted as an operator key.\n"),
    };
    format!(
        "{token}Keys are shown only when they are made. To make another one:\n  \
         {}      (or --operator)\n",
        settings.again("key new --actor ID")
    )
}

fn to_paste(settings: &Settings, public_url: &str, key: Option<&ApiKey>) -> String {
    let key = key.map_or("YOUR_KEY", ApiKey::reveal);
    let url = format!("{public_url}/mcp");
    let http = json!({"mcpServers": {"deedbox": {
        "type": "http",
        "url": url,
        "headers": {"Authorization": format!("Bearer {key}")},
    }}});
    let stdio = json!({"mcpServers": {"deedbox": {
        "command": program(),
        "args": ["mcp"],
        "env": stdio_env(settings, key),
    }}});
    format!(
        "\nClaude Code:\n  \
         claude mcp add --transport http deedbox {url} --header \"Authorization: Bearer {key}\"\n\
         \nAny MCP client, over HTTP:\n{http:#}\n\
         \nAny MCP client, over standard input and output:\n{stdio:#}\n{}",
        about_chains(settings)
    )
}

/// Chains that a client's own process would not know of. Their URLs may hold keys, so they are not printed.
fn about_chains(settings: &Settings) -> String {
    let elsewhere = |source: &Source| matches!(source, Source::Flag(_) | Source::Variable(_));
    let chains = settings.chains.iter();
    let unknown = chains.filter(|chain| elsewhere(&chain.source));
    let ids: Vec<String> = unknown.map(|chain| chain.id.to_string()).collect();
    if ids.is_empty() {
        return String::new();
    }
    format!(
        "Over standard input and output, DEEDBOX_CHAINS must be set too, or deedbox.toml name the chains \
         (here only by flag or variable): {}\n",
        ids.join(", ")
    )
}

/// This program, where it is now. A client may be started from anywhere, so its name alone may not do.
fn program() -> String {
    env::current_exe().map_or_else(|_| "deedbox".to_owned(), |path| path.display().to_string())
}

/// What a client must set to reach the same database. A password is masked: it is not ours to print.
fn stdio_env(settings: &Settings, key: &str) -> Value {
    let mut variables = Map::new();
    let mut set = |name: &str, value: String| variables.insert(name.to_owned(), value.into());
    set("DEEDBOX_KEY", key.to_owned());
    if let Some(file) = &settings.config_file {
        set("DEEDBOX_CONFIG", file.value.display().to_string());
    }
    let said = |source: &Source| matches!(source, Source::Flag(_) | Source::Variable(_));
    if let Some(folder) = &settings.data_dir.value
        && said(&settings.data_dir.source)
    {
        set("DEEDBOX_DATA_DIR", folder.display().to_string());
    }
    if said(&settings.database_url.source) {
        set(
            "DEEDBOX_DATABASE_URL",
            settings.database_url.value.to_string(),
        );
    }
    Value::Object(variables)
}
