//! What is offered to callers: each tool's name, texts, forms and route, all in one place.
//!
//! The list of MCP tools, the HTTP routes, the OpenAPI document and the statuses of answers are made from this; a new tool
//! is a line in [`tools!`], one [`About`], the type of its arguments, and what it does in [`operations`](crate::operations),
//! where the compiler asks for it.

mod agents;
mod chain;
mod memory;
mod registered;
mod spaces;
mod tasks;

use deedbox_core::Scope;
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::{
    schemas::{self, Form},
    toolsets::Toolset,
};

/// Makes [`Tool`], with what is known of each, so that none can be left out of the list.
macro_rules! tools {
    ($($(#[$doc:meta])* $name:ident => $about:path,)*) => {
        /// A tool's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Tool {
            $($(#[$doc])* $name,)*
        }

        impl Tool {
            /// Every tool, in the order in which they are listed to callers.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];

            pub(crate) const fn about(self) -> &'static About {
                match self {
                    $(Self::$name => &$about,)*
                }
            }
        }
    };
}

tools! {
    /// `create_task`.
    CreateTask => tasks::CREATE_TASK,
    /// `accept_task`.
    AcceptTask => tasks::ACCEPT_TASK,
    /// `report_completion`.
    ReportCompletion => tasks::REPORT_COMPLETION,
    /// `handoff_task`.
    HandoffTask => tasks::HANDOFF_TASK,
    /// `get_task_status`.
    GetTaskStatus => tasks::GET_TASK_STATUS,
    /// `list_unaccepted_tasks`.
    ListUnacceptedTasks => tasks::LIST_UNACCEPTED_TASKS,
    /// `list_chains`.
    ListChains => chain::LIST_CHAINS,
    /// `get_native_balance`.
    GetNativeBalance => chain::GET_NATIVE_BALANCE,
    /// `get_erc20_balance`.
    GetErc20Balance => chain::GET_ERC20_BALANCE,
    /// `get_token_metadata`.
    GetTokenMetadata => chain::GET_TOKEN_METADATA,
    /// `get_pool_reserves`.
    GetPoolReserves => chain::GET_POOL_RESERVES,
    /// `list_recent_transfers`.
    ListRecentTransfers => chain::LIST_RECENT_TRANSFERS,
    /// `check_conclusion`.
    CheckConclusion => chain::CHECK_CONCLUSION,
    /// `resolve_agent`.
    ResolveAgent => agents::RESOLVE_AGENT,
    /// `find_agents`.
    FindAgents => agents::FIND_AGENTS,
    /// `list_registries`.
    ListRegistries => agents::LIST_REGISTRIES,
    /// `get_registry_history`.
    GetRegistryHistory => agents::GET_REGISTRY_HISTORY,
    /// `find_tools`.
    FindTools => registered::FIND_TOOLS,
    /// `verify_tool`.
    VerifyTool => registered::VERIFY_TOOL,
    /// `check_tool_access`.
    CheckToolAccess => registered::CHECK_TOOL_ACCESS,
    /// `compare_tools`.
    CompareTools => registered::COMPARE_TOOLS,
    /// `get_identity`.
    GetIdentity => memory::GET_IDENTITY,
    /// `remember`.
    Remember => memory::REMEMBER,
    /// `recall`.
    Recall => memory::RECALL,
    /// `list_memories`.
    ListMemories => memory::LIST_MEMORIES,
    /// `update_memory`.
    UpdateMemory => memory::UPDATE_MEMORY,
    /// `forget`.
    Forget => memory::FORGET,
    /// `show_memory`.
    ShowMemory => spaces::SHOW_MEMORY,
    /// `list_spaces`.
    ListSpaces => spaces::LIST_SPACES,
    /// `show_space`.
    ShowSpace => spaces::SHOW_SPACE,
    /// `create_space`.
    CreateSpace => spaces::CREATE_SPACE,
    /// `add_space_member`.
    AddSpaceMember => spaces::ADD_SPACE_MEMBER,
    /// `remove_space_member`.
    RemoveSpaceMember => spaces::REMOVE_SPACE_MEMBER,
    /// `export_space`.
    ExportSpace => spaces::EXPORT_SPACE,
    /// `import_memories`.
    ImportMemories => spaces::IMPORT_MEMORIES,
    /// `delete_rows`.
    DeleteRows => spaces::DELETE_ROWS,
    /// `audit_space`.
    AuditSpace => spaces::AUDIT_SPACE,
    /// `review_space`.
    ReviewSpace => spaces::REVIEW_SPACE,
}

/// Everything about a tool but what it does.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) name: &'static str,
    /// The name for people.
    pub(crate) title: &'static str,
    /// The six statements: what it answers; each input, its form and default; units and precision; as of when;
    /// what it does not do, and which tool does; what failure looks like, how long it takes, how often to call. Empty for what is
    /// for programs and people only: a route and a command, and no tool for models.
    pub(crate) description: &'static str,
    pub(crate) toolset: Toolset,
    pub(crate) effect: Effect,
    pub(crate) answer: Answered,
    pub(crate) method: Method,
    /// The route, with the names of the arguments that stand in it.
    pub(crate) path: &'static str,
    pub(crate) input: fn(SchemaGenerator) -> Schema,
    pub(crate) output: fn(&mut SchemaGenerator) -> Schema,
}

/// What a call changes, and whom it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It adds deeds of the caller's.
    Writes,
    /// So it does, and it may delete words for good.
    Deletes,
    /// It changes nothing of the caller's, and asks nobody outside.
    Reads,
    /// It changes nothing of the caller's, and asks a chain or the web.
    ReadsOutside,
}

/// In which form a tool answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// With its value, or with a problem.
    Plainly,
    /// With [`Envelope`](crate::operations::Envelope), whatever happens.
    InEnvelope,
}

impl Tool {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.about().name
    }

    /// The tool with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Whether models are offered it. What is not for them has a route and a command all the same.
    #[must_use]
    pub const fn is_for_models(self) -> bool {
        !self.about().description.is_empty()
    }

    /// The group that it belongs to.
    #[must_use]
    pub const fn toolset(self) -> Toolset {
        self.about().toolset
    }

    /// Whether it only reads, as far as the caller's world goes: a reading is recorded, which changes nothing of it.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self.about().effect, Effect::Reads | Effect::ReadsOutside)
    }

    /// The scope that a key needs to call it, where it is asked before the call begins. That a key may write is one of
    /// the rules, which are asked in the transaction that writes.
    pub(crate) const fn scope(self) -> Option<Scope> {
        match self {
            // Who somebody is, they may always ask.
            Self::GetIdentity => None,
            Self::ExportSpace | Self::AuditSpace | Self::ReviewSpace => Some(Scope::MemoryExport),
            _ if self.reads() => Some(self.toolset().read_scope()),
            _ => None,
        }
    }

    /// The names of the arguments that stand in its route.
    pub(crate) fn in_path(self) -> impl Iterator<Item = &'static str> {
        let parts = self.about().path.split('/');
        parts.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Arguments from their texts, as they stand in a path, a query or a command line. What the tool takes as a whole number is read from
    /// its one spelling in digits, a boolean from `true` and `false`, and a list from a name that stands there several times; anything
    /// else stays the text that it is, and is refused where something else is wanted.
    ///
    /// # Errors
    /// [`NamedTwice`] for a name that stands there twice and is no list's.
    pub fn arguments(
        self,
        texts: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Map<String, Value>, NamedTwice> {
        let mut arguments = Map::new();
        for (name, text) in texts {
            let form = schemas::form(self, &name);
            if form == Form::List {
                let list = arguments
                    .entry(name)
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(list) = list {
                    list.push(text.into());
                }
            } else if arguments.contains_key(&name) {
                return Err(NamedTwice(name));
            } else {
                arguments.insert(name, form.value(text));
            }
        }
        Ok(arguments)
    }

    /// Whether it takes a reading: then its answers and errors come in an [`Envelope`](crate::operations::Envelope), it may
    /// be for a task, and a [policy](crate::policy) looks at its arguments.
    #[must_use]
    pub const fn takes_a_reading(self) -> bool {
        matches!(self.about().answer, Answered::InEnvelope)
    }
}

/// A name that stands twice where it may stand once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is given twice")]
pub struct NamedTwice(pub String);

/// The schema of what a caller sends.
fn takes<T: JsonSchema>(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<T>()
}

/// The schema of what a caller gets.
fn gives<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
