//! What the SDK asks of a server.

use std::{borrow::Cow, fmt::Display, panic::AssertUnwindSafe, str::FromStr, sync::Arc};

use deedbox_core::{Attribution, Refusal};
use futures::FutureExt as _;
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
        CustomResult, DiscoverResult, JsonObject, ListToolsResult, PaginatedRequestParams,
        ProtocolVersion, RequestMetaObject, ResultType, ServerConfig,
    },
    service::RequestContext,
};
use serde::Serialize;
use serde_json::{Map, Value};
use tracing::{Instrument as _, Span};

use crate::{
    App, Labels, fence,
    operations::{Envelope, Extras, Fault, Operation, Tool},
    problem::Problem,
    routes::{Caller, panic_text},
    toolsets::Toolset,
};

const RECIPIENT_ONLY: &str = "deedbox/recipientOnly";
const IDEMPOTENCY_KEY: &str = "deedbox/idempotencyKey";
const TASK_ID: &str = "deedbox/taskId";
const OPTIONS: [&str; 3] = [RECIPIENT_ONLY, IDEMPOTENCY_KEY, TASK_ID];

/// A server's side of one connection or request.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    app: Arc<App>,
    door: Door,
}

/// Where callers come in, which decides how one knows who they are.
#[derive(Clone)]
enum Door {
    /// Each request was admitted before it came here, and carries its [`Caller`].
    Http,
    /// One credential for all; checked at each call, so that it ends when it is revoked.
    Stdio {
        credential: Arc<str>,
        labels: Labels,
    },
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Http => "Http",
            Self::Stdio { .. } => "Stdio",
        })
    }
}

impl Handler {
    pub(crate) fn over_http(app: &Arc<App>) -> Self {
        Self {
            app: Arc::clone(app),
            door: Door::Http,
        }
    }

    pub(crate) fn over_stdio(app: Arc<App>, credential: &str, labels: Labels) -> Self {
        Self {
            app,
            door: Door::Stdio {
                credential: credential.into(),
                labels,
            },
        }
    }

    async fn caller(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<Attribution>, Problem> {
        match &self.door {
            Door::Http => context
                .extensions
                .get::<Parts>()
                .and_then(|parts| parts.extensions.get::<Caller>())
                .map(|Caller(by)| Arc::clone(by))
                .ok_or_else(Problem::internal),
            Door::Stdio { credential, labels } => {
                let authenticator = &self.app.authenticator;
                let principal = authenticator.admit(credential.as_bytes()).await?;
                self.app.admit_rate(&principal.id)?;
                Ok(Arc::new(labels.attribute(principal)))
            }
        }
    }

    async fn call(
        &self,
        tool: Tool,
        arguments: Result<Map<String, Value>, Refusal>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let work = async {
            let by = self.caller(context).await?;
            let read = arguments
                .map_err(Fault::from)
                .and_then(|arguments| Operation::read(tool, arguments))
                .and_then(|operation| Ok((operation, extras(&context.meta)?)));
            let work = self.app.perform(&by, tool, read);
            if !tool.reads() {
                // A write that was begun is finished: a caller who is gone can still look at what became of it.
                return work.await;
            }
            tokio::select! {
                done = work => done,
                () = context.ct.cancelled() => Err(Problem::read_timeout()),
            }
        };
        let answered = async {
            let done = AssertUnwindSafe(work).catch_unwind().await;
            done.unwrap_or_else(|panic| {
                tracing::error!(panic = panic_text(&*panic), "a tool panicked");
                Err(Problem::internal())
            })
        };
        let done = answered.instrument(span(context, tool)).await;
        match done {
            Ok(answer) => self.result(tool, &answer.reply, false),
            Err(problem) if tool.takes_a_reading() => {
                self.result(tool, &Envelope::without(&problem), true)
            }
            Err(problem) => self.result(tool, &problem, true),
        }
    }

    /// The same value as text and as structured content. In the text, what strangers wrote on a chain or the web, and what others noted
    /// down, stands behind a [fence](crate::fence).
    fn result(&self, tool: Tool, value: &impl Serialize, is_error: bool) -> CallToolResult {
        // Infallible: every answer is texts, numbers and lists in structs.
        let value = serde_json::to_value(value).unwrap_or_default();
        let token = || fence::Token::new(&*self.app.world);
        let text = match tool.toolset() {
            Toolset::Tasks => value.to_string(),
            Toolset::Chain | Toolset::Agents | Toolset::Tools => {
                fence::text(&value, &token(), fence::OUTSIDE)
            }
            Toolset::Memory => fence::text(&value, &token(), fence::NOTES),
        };
        let content = vec![ContentBlock::text(text)];
        let mut result = if is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = Some(value);
        result
    }
}

/// The request's span over HTTP; over stdio one for the call.
fn span(context: &RequestContext<RoleServer>, tool: Tool) -> Span {
    let of_request = context
        .extensions
        .get::<Parts>()
        .and_then(|parts| parts.extensions.get::<Span>());
    of_request
        .cloned()
        .unwrap_or_else(|| tracing::info_span!("call", rpc.id = %context.id, tool = tool.name()))
}

/// What rides beside the arguments, in `_meta`.
fn extras(meta: &RequestMetaObject) -> Result<Extras, Refusal> {
    // What is misspelt must not be ignored: a task that was meant for one recipient would be open to all.
    let ours = |name: &&String| name.starts_with("deedbox/");
    let known = |name: &str| OPTIONS.contains(&name);
    if let Some(name) = meta.keys().filter(ours).find(|name| !known(name)) {
        let shown: String = name.chars().take(64).collect();
        let reason =
            format!("is no option; there are {RECIPIENT_ONLY}, {IDEMPOTENCY_KEY} and {TASK_ID}");
        return Err(Refusal::invalid(format!("_meta.{shown}"), reason));
    }
    let recipient_only = match meta.get(RECIPIENT_ONLY) {
        None => false,
        Some(Value::Bool(only)) => *only,
        Some(_) => {
            let field = format!("_meta.{RECIPIENT_ONLY}");
            return Err(Refusal::invalid(field, "must be true or false"));
        }
    };
    Ok(Extras {
        recipient_only,
        idempotency: text(meta, IDEMPOTENCY_KEY)?,
        task: text(meta, TASK_ID)?,
    })
}

/// An option that is a text, if it is there.
fn text<T: FromStr<Err: Display>>(
    meta: &RequestMetaObject,
    name: &str,
) -> Result<Option<T>, Refusal> {
    let bad = |reason: &dyn Display| Refusal::invalid(format!("_meta.{name}"), reason);
    match meta.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => text.parse().map(Some).map_err(|error| bad(&error)),
        Some(_) => Err(bad(&"must be a text")),
    }
}

fn unknown_tool(name: &str) -> ErrorData {
    let shown: String = name.chars().take(64).collect();
    ErrorData::invalid_params(format!("Unknown tool: {shown}"), None)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.app.catalogue.info()
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(self.app.catalogue.discovery(versions))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|page| page.cursor.is_some()) {
            let text = "Unknown cursor: the list of tools has one page";
            return Err(ErrorData::invalid_params(text, None));
        }
        Ok(self.app.catalogue.tools())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.app.offered(&request.name);
        let tool = tool.ok_or_else(|| unknown_tool(&request.name))?;
        let arguments = Ok(request.arguments.unwrap_or_default());
        Ok(self.call(tool, arguments, &context).await.into())
    }

    /// Comes here: a method that the SDK does not know, and one that it knows with parameters that it cannot
    /// read. A tool that is called with arguments that are no object is answered in band, like
    /// any other bad input.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let invalid = |text: &'static str| ErrorData::invalid_params(text, None);
        match request.method.as_str() {
            "tools/call" => {
                let params: JsonObject = request.params_as().ok().flatten().unwrap_or_default();
                let name = params
                    .get("name")
                    .and_then(Value::as_str)
                    .ok_or_else(|| invalid("Invalid params: name must be a text"))?;
                let tool = self.app.offered(name);
                let tool = tool.ok_or_else(|| unknown_tool(name))?;
                if params.get("arguments").is_none_or(Value::is_object) {
                    return Err(invalid("Invalid params: not the parameters of tools/call"));
                }
                let bad = Err(Refusal::invalid("arguments", "must be an object"));
                let mut result = self.call(tool, bad, &context).await;
                if context
                    .protocol_version()
                    .is_none_or(|version| version < ProtocolVersion::V_2026_07_28)
                {
                    result.result_type = None::<ResultType>;
                }
                Ok(CustomResult(
                    serde_json::to_value(result).unwrap_or_default(),
                ))
            }
            "initialize" | "ping" | "server/discover" | "tools/list" => {
                Err(invalid("Invalid params: not the parameters of this method"))
            }
            _ => {
                let shown: String = request.method.chars().take(64).collect();
                let code = rmcp::model::ErrorCode::METHOD_NOT_FOUND;
                Err(ErrorData::new(code, Cow::Owned(shown), None))
            }
        }
    }
}
