//! A caller of the six operations, over MCP (either era) or plain HTTP, with one kind of answer for all.

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::{Connection, mcp};

/// How a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// The HTTP mirrors.
    Rest,
    /// MCP with the revisions that have a handshake.
    Handshake,
    /// MCP without state.
    Stateless,
}

impl Speaks {
    /// All ways, for spreading clients over them.
    pub const ALL: [Self; 3] = [Self::Rest, Self::Handshake, Self::Stateless];
}

/// What an operation answered: the same numbers and values whichever way it was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// 200, 201, or the refusal's number.
    pub status: u16,
    /// The result, or the refusal.
    pub body: Value,
}

impl Answer {
    /// The refusal's code; empty for a result.
    #[must_use]
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    /// The result.
    ///
    /// # Errors
    /// When it was refused.
    pub fn ok(self) -> Result<Value> {
        ensure!(self.status < 300, "refused: {} {}", self.status, self.body);
        Ok(self.body)
    }
}

/// One connection with one credential.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    key: String,
    speaks: Speaks,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// When nobody listens at `url`.
    pub async fn open(url: &str, key: &str, speaks: Speaks) -> Result<Self> {
        let connection = Connection::open(url).await?;
        Ok(Self {
            connection,
            key: key.to_owned(),
            speaks,
        })
    }

    /// Calls one of the six operations.
    ///
    /// # Errors
    /// When the server does not answer as the protocol says; a refusal is not an error.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Result<Answer> {
        match self.speaks {
            Speaks::Rest => {
                let request = rest(&self.key, tool, arguments)?;
                let response = self.connection.send(request).await?;
                let body = response.json()?;
                Ok(Answer {
                    status: response.status,
                    body,
                })
            }
            Speaks::Handshake => {
                let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                    "params": {"name": tool, "arguments": arguments}});
                self.mcp(tool, mcp::handshake_era(&self.key, &message)?)
                    .await
            }
            Speaks::Stateless => {
                let params = json!({"name": tool, "arguments": arguments});
                let message = mcp::stateless_message("tools/call", params);
                self.mcp(tool, mcp::stateless_era(&self.key, &message)?)
                    .await
            }
        }
    }

    async fn mcp(&mut self, tool: &str, request: Request<Bytes>) -> Result<Answer> {
        let response = self.connection.send(request).await?;
        let message = mcp::answer(&response)?;
        ensure!(
            response.status == 200,
            "{tool}: {} {message}",
            response.status
        );
        tool_answer(tool, &message)
    }

    /// Creates a task as `actor` and returns its id.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn create(&mut self, actor: &str) -> Result<String> {
        let arguments =
            json!({"title": "Check the rollback plan", "description": "", "injectedBy": actor});
        let task = self.call("create_task", arguments).await?.ok()?;
        Ok(task["id"].as_str().context("a task without id")?.to_owned())
    }

    /// Calls `accept_task`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn accept(&mut self, task: &str, actor: &str) -> Result<Answer> {
        self.call("accept_task", json!({"taskId": task, "actorId": actor}))
            .await
    }

    /// Calls `report_completion`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn complete(
        &mut self,
        task: &str,
        actor: &str,
        provenance: &str,
        reference: Option<&str>,
    ) -> Result<Answer> {
        let mut arguments = json!({"taskId": task, "actorId": actor, "provenance": provenance,
            "claimText": "done"});
        if let Some(reference) = reference {
            arguments["sourceReference"] = reference.into();
        }
        self.call("report_completion", arguments).await
    }

    /// Calls `handoff_task`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn handoff(&mut self, task: &str, from: &str, to: &str) -> Result<Answer> {
        let arguments = json!({"taskId": task, "fromActorId": from, "toActorId": to});
        self.call("handoff_task", arguments).await
    }

    /// Calls `get_task_status` and returns the status.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn status(&mut self, task: &str) -> Result<Value> {
        self.call("get_task_status", json!({"taskId": task}))
            .await?
            .ok()
    }
}

/// What a `tools/call` says, as HTTP would say it.
///
/// # Errors
/// When the message is not a tool's result, or its two copies of the value differ.
pub fn tool_answer(tool: &str, message: &Value) -> Result<Answer> {
    let result = &message["result"];
    let body = result["structuredContent"].clone();
    ensure!(
        body.is_object(),
        "{tool}: no structured content in {message}"
    );
    let text = result["content"][0]["text"]
        .as_str()
        .context("no text content")?;
    let same: Value = serde_json::from_str(text).context("the text is not JSON")?;
    ensure!(
        same == body,
        "{tool}: the text and the structured content differ"
    );
    let status = if result["isError"] == true {
        let status = body["status"]
            .as_u64()
            .context("a refusal without status")?;
        u16::try_from(status)?
    } else if matches!(tool, "get_task_status" | "list_unaccepted_tasks") {
        200
    } else {
        201
    };
    Ok(Answer { status, body })
}

fn rest(key: &str, tool: &str, mut arguments: Value) -> Result<Request<Bytes>> {
    let mut take = |name: &str| {
        let taken = arguments.as_object_mut().and_then(|map| map.remove(name));
        taken
            .as_ref()
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let (method, path) = match tool {
        "create_task" => (Method::POST, "/api/tasks".to_owned()),
        "accept_task" => (
            Method::POST,
            format!("/api/tasks/{}/accept", take("taskId")),
        ),
        "report_completion" => (
            Method::POST,
            format!("/api/tasks/{}/complete", take("taskId")),
        ),
        "handoff_task" => (
            Method::POST,
            format!("/api/tasks/{}/handoff", take("taskId")),
        ),
        "get_task_status" => (Method::GET, format!("/api/tasks/{}/status", take("taskId"))),
        "list_unaccepted_tasks" => (Method::GET, {
            let query: Vec<String> = arguments
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| {
                    let value = value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned);
                    format!("{name}={value}")
                })
                .collect();
            format!("/api/tasks/unaccepted?{}", query.join("&"))
        }),
        _ => bail!("no such operation: {tool}"),
    };
    let body = if method == Method::GET {
        Bytes::new()
    } else {
        arguments.to_string().into()
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-key", key)
        .header("content-type", "application/json");
    Ok(request.body(body)?)
}
