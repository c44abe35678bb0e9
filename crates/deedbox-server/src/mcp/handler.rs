//! What the SDK asks of a server.

use std::{borrow::Cow, panic::AssertUnwindSafe, sync::Arc};

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
    App, Labels,
    operations::{Extras, Operation, Tool},
    problem::Problem,
    routes::{Caller, panic_text},
};

const RECIPIENT_ONLY: &str = "deedbox/recipientOnly";
const IDEMPOTENCY_KEY: &str = "deedbox/idempotencyKey";

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
                .and_then(|arguments| Operation::read(tool, arguments))
                .and_then(|operation| Ok((operation, extras(&context.meta)?)));
            self.app.perform(&by, tool, read).await
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
            Ok(answer) => result(&answer.reply, false),
            Err(problem) => result(&problem, true),
        }
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

/// The same value as text and as structured content.
fn result(value: &impl Serialize, is_error: bool) -> CallToolResult {
    // Infallible: every answer is texts, numbers and lists in structs.
    let value = serde_json::to_value(value).unwrap_or_default();
    let content = vec![ContentBlock::text(value.to_string())];
    let mut result = if is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = Some(value);
    result
}

/// What rides beside the arguments, in `_meta`.
fn extras(meta: &RequestMetaObject) -> Result<Extras, Refusal> {
    // What is misspelt must not be ignored: a task that was meant for one recipient would be open to all.
    let ours = |name: &&String| name.starts_with("deedbox/");
    let known = |name: &str| [RECIPIENT_ONLY, IDEMPOTENCY_KEY].contains(&name);
    if let Some(name) = meta.keys().filter(ours).find(|name| !known(name)) {
        let shown: String = name.chars().take(64).collect();
        let reason = format!("is no option; there are {RECIPIENT_ONLY} and {IDEMPOTENCY_KEY}");
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
    let bad_key = |reason: String| Refusal::invalid(format!("_meta.{IDEMPOTENCY_KEY}"), reason);
    let idempotency = match meta.get(IDEMPOTENCY_KEY) {
        None => None,
        Some(Value::String(text)) => {
            Some(text.parse().map_err(|error| bad_key(format!("{error}")))?)
        }
        Some(_) => return Err(bad_key("must be a text".to_owned())),
    };
    Ok(Extras {
        recipient_only,
        idempotency,
    })
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
        let tool = Tool::from_name(&request.name)
            .filter(|tool| self.app.offers(*tool))
            .ok_or_else(|| unknown_tool(&request.name))?;
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
                let tool = Tool::from_name(name)
                    .filter(|tool| self.app.offers(*tool))
                    .ok_or_else(|| unknown_tool(name))?;
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
