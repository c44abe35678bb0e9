//! Asks an MCP server for its tools, and nothing else of it.
//!
//! The SDK's client is not used here: it reads tools into its own types, so that what is malformed or new is lost before it can
//! be judged, and it reads answers of any size. What a reader of descriptions needs is three messages: `server/discover` of the
//! stateless revision, or else `initialize` of the older ones, and `tools/list`, page by page.

mod http;
mod stdio;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use self::{http::Http, stdio::Stdio};
use super::{Listed, listing};

/// The stateless revision.
const STATELESS: &str = "2026-07-28";
/// The newest revision with a handshake.
const HANDSHAKE: &str = "2025-11-25";
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a server may think about `server/discover`: an older one may never answer it.
const DISCOVERY: Duration = Duration::from_secs(5);
/// The most bytes of one answer.
const MOST_BYTES: usize = 8 << 20;
/// The most pages of one list.
const MOST_PAGES: usize = 100;
/// The most tools of one list.
const MOST_TOOLS: usize = 10_000;

/// Where a server is.
#[derive(Debug)]
pub(crate) enum Server {
    /// At a URL, over Streamable HTTP, with a credential if it wants one.
    Http {
        /// Where.
        url: url::Url,
        /// What is sent as a bearer token.
        token: Option<String>,
    },
    /// A command that speaks over its standard input and output: the program and its arguments.
    Stdio(Vec<String>),
}

/// Why there is no list. No text of the server but the message of its error, capped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoList {
    /// The program cannot be started.
    #[error("the command cannot be started")]
    Start(#[source] std::io::Error),
    /// No connection, or it broke off.
    #[error("the server cannot be reached")]
    Connect(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The process ended, or closed its output.
    #[error("the server ended before it answered")]
    Ended,
    /// It wants another credential.
    #[error(
        "the server wants a credential (HTTP {0}): put a bearer token into DEEDBOX_LINT_TOKEN{1}"
    )]
    Credential(u16, &'static str),
    /// The credential cannot stand in a header.
    #[error("DEEDBOX_LINT_TOKEN holds characters that no header can carry")]
    BadToken,
    /// It answered something that is no message of the protocol.
    #[error("the server answers HTTP {0} and no message of the protocol{1}")]
    Status(u16, &'static str),
    /// An answer that is no JSON, or belongs to no request.
    #[error("the server's answer is no message of the protocol")]
    NotAMessage,
    /// It answered with an error.
    #[error("the server refuses {method}: {message} ({code})")]
    Refused {
        /// What was asked.
        method: &'static str,
        /// The code of JSON-RPC.
        code: i64,
        /// The server's words, at most 200 characters.
        message: String,
    },
    /// An answer that is too large.
    #[error("the server's answer has more than {MOST_BYTES} bytes")]
    TooLarge,
    /// It took too long.
    #[error("the server did not answer within {} seconds", PATIENCE.as_secs())]
    Timeout,
    /// The pages never end.
    #[error("the list of tools has no end: the same page again, or more than {MOST_PAGES} pages")]
    Endless,
    /// The list is none.
    #[error(transparent)]
    NotAList(#[from] listing::NotAList),
}

/// Which revisions a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Stateless,
    Handshake,
}

enum Connection {
    Http(Http),
    Stdio(Box<Stdio>),
}

/// Asks a server for all its tools.
///
/// # Errors
/// [`NoList`]. A process that was started is ended in any case.
pub(crate) async fn tools(server: &Server) -> Result<Vec<Listed>, NoList> {
    let mut connection = match server {
        Server::Http { url, token } => Connection::Http(Http::new(url, token.as_deref())?),
        Server::Stdio(command) => Connection::Stdio(Box::new(Stdio::start(command)?)),
    };
    let listed = list(&mut connection).await;
    match connection {
        Connection::Http(http) => http.close().await,
        Connection::Stdio(stdio) => stdio.close().await,
    }
    listed
}

async fn list(connection: &mut Connection) -> Result<Vec<Listed>, NoList> {
    let era = connection.open().await?;
    let mut tools: Vec<Value> = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let params = cursor
            .as_ref()
            .map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let page = connection.ask(era, "tools/list", params, PATIENCE).await?;
        let items = page["tools"].as_array().ok_or(listing::NotAList::NoList)?;
        tools.extend(items.iter().cloned());
        let next = page["nextCursor"].as_str().map(str::to_owned);
        if next.is_none() {
            return Ok(listing::read(&Value::Array(tools))?);
        }
        if next == cursor || tools.len() > MOST_TOOLS {
            return Err(NoList::Endless);
        }
        cursor = next;
    }
    Err(NoList::Endless)
}

impl Connection {
    /// Finds out which era the server is of, and does what that era begins with.
    async fn open(&mut self) -> Result<Era, NoList> {
        let found = self
            .ask(Era::Stateless, "server/discover", json!({}), DISCOVERY)
            .await;
        match found {
            Ok(result) => {
                let versions = result["supportedVersions"].as_array();
                if versions.is_some_and(|versions| versions.iter().any(|one| one == STATELESS)) {
                    return Ok(Era::Stateless);
                }
            }
            Err(
                error @ (NoList::Credential(..)
                | NoList::BadToken
                | NoList::Start(_)
                | NoList::Connect(_)
                | NoList::Ended),
            ) => return Err(error),
            // It knows no such method, or says so in a way of its own.
            Err(_) => {}
        }
        let hello = json!({
            "protocolVersion": HANDSHAKE,
            "capabilities": {},
            "clientInfo": client(),
        });
        self.ask(Era::Handshake, "initialize", hello, PATIENCE)
            .await?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        match self {
            Self::Http(http) => http.notify(&ready).await?,
            Self::Stdio(stdio) => stdio.send(&ready).await?,
        }
        Ok(Era::Handshake)
    }

    /// Sends a request and returns its result.
    async fn ask(
        &mut self,
        era: Era,
        method: &'static str,
        mut params: Value,
        patience: Duration,
    ) -> Result<Value, NoList> {
        if era == Era::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": client(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let asked = async {
            match self {
                Self::Http(http) => http.ask(era, method, params).await,
                Self::Stdio(stdio) => stdio.ask(method, params).await,
            }
        };
        let answer = timeout(patience, asked)
            .await
            .map_err(|_| NoList::Timeout)??;
        result(method, &answer)
    }
}

fn client() -> Value {
    json!({"name": "deedbox-lint", "version": env!("CARGO_PKG_VERSION")})
}

/// What an answer holds: a result, or the server's error.
fn result(method: &'static str, answer: &Value) -> Result<Value, NoList> {
    if let Some(result) = answer.get("result") {
        return Ok(result.clone());
    }
    let error = answer.get("error").ok_or(NoList::NotAMessage)?;
    let message = error["message"].as_str().unwrap_or_default();
    Err(NoList::Refused {
        method,
        code: error["code"].as_i64().unwrap_or_default(),
        message: message.chars().take(200).collect(),
    })
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}
