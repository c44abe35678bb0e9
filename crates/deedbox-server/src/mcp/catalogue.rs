//! What a server says about itself and its tools. Made once; the same for every caller and on every replica.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, DiscoverResult, Implementation, ListToolsResult, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool as McpTool, ToolAnnotations,
};

use super::descriptions::{INSTRUCTIONS, description, title};
use crate::{Toolsets, operations::Tool, schemas};

/// How long clients may keep the list of tools: it changes only with the program.
const FRESH_MILLIS: u64 = 60 * 60 * 1000;

/// What `initialize`, `server/discover` and `tools/list` answer.
#[derive(Clone, Debug)]
pub(crate) struct Catalogue {
    info: ServerConfig,
    tools: ListToolsResult,
}

impl Catalogue {
    pub(crate) fn new(toolsets: Toolsets) -> Self {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let info = ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("deedbox", env!("CARGO_PKG_VERSION")).with_title("Deedbox"),
            )
            .with_instructions(INSTRUCTIONS);
        let offered = Tool::ALL.into_iter().filter(|_| toolsets.tasks());
        let mut tools = ListToolsResult::with_all_items(offered.map(tool).collect());
        tools.ttl_ms = Some(FRESH_MILLIS);
        tools.cache_scope = Some(CacheScope::Public);
        Self { info, tools }
    }

    pub(crate) fn info(&self) -> ServerConfig {
        self.info.clone()
    }

    pub(crate) fn tools(&self) -> ListToolsResult {
        self.tools.clone()
    }

    pub(crate) fn discovery(&self, versions: Vec<ProtocolVersion>) -> DiscoverResult {
        let mut result = DiscoverResult::from_server_info(versions, self.info.clone());
        result.ttl_ms = FRESH_MILLIS;
        result.cache_scope = CacheScope::Public;
        result
    }
}

fn tool(tool: Tool) -> McpTool {
    // Nothing here is destructive: deeds are only ever added. No write is idempotent by itself: the same
    // arguments twice are two tasks, two claims, or a refusal.
    let annotations = ToolAnnotations::with_title(title(tool))
        .read_only(tool.reads())
        .destructive(false)
        .idempotent(tool.reads())
        .open_world(false);
    McpTool::new(
        tool.name(),
        description(tool),
        Arc::new(schemas::input(tool)),
    )
    .with_title(title(tool))
    .with_raw_output_schema(Arc::new(schemas::output(tool)))
    .with_annotations(annotations)
}
