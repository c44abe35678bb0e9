//! The server card: what a client can know before it has a key.
//!
//! In the form of the MCP proposal SEP-2127 (a draft extension), at the path under which the
//! protocol's reference server has it. It says where the server is and that it wants a key, and lists no tool.

use http::Uri;
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use crate::App;

/// The card of a server, as its callers reach it.
pub(crate) fn card(app: &App) -> Value {
    let url = app.options.public_url.trim_end_matches('/');
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": name(url),
        "version": env!("CARGO_PKG_VERSION"),
        "title": "Deedbox",
        "description": "Records who has accepted a task, how \"done\" is known, and what a chain said at which block.",
        "remotes": [{
            "type": "streamable-http",
            "url": format!("{url}/mcp"),
            "supportedProtocolVersions": ProtocolVersion::KNOWN_VERSIONS,
            "headers": [{
                "name": "Authorization",
                "description": "Bearer, and a key that an operator makes with: deedbox key new",
                "isRequired": true,
                "isSecret": true,
            }],
        }],
    })
}

/// The card's name: the host with its parts reversed, as a namespace.
fn name(url: &str) -> String {
    let uri: Option<Uri> = url.parse().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or("localhost");
    let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    let namespace = if is_address {
        "localhost".to_owned()
    } else {
        host.rsplit('.').collect::<Vec<_>>().join(".")
    };
    format!("{namespace}/deedbox")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_host_reversed() {
        assert_eq!(
            name("https://deeds.example.com"),
            "com.example.deeds/deedbox"
        );
        assert_eq!(name("http://localhost:7878"), "localhost/deedbox");
        assert_eq!(name("http://127.0.0.1:7878"), "localhost/deedbox");
        assert_eq!(name("http://[::1]:7878"), "localhost/deedbox");
    }
}
