//! What can be asked about memories.

use serde::Serialize;

use crate::{
    inputs::{
        AuditSpace, CreateSpace, DeleteRows, ExportSpace, Forget, ImportMemories, ListMemories,
        ListSpaces, RecallMemories, Remember, ReviewSpace, ShowMemory, ShowSpace, SpaceMember,
        UpdateMemory,
    },
    operations::Tool,
};

/// A tool of memory with its arguments, well-formed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum MemoryRequest {
    /// `remember`.
    Remember(Box<Remember>),
    /// `recall`.
    Recall(RecallMemories),
    /// `list_memories`.
    List(Box<ListMemories>),
    /// `update_memory`.
    Update(Box<UpdateMemory>),
    /// `forget`.
    Forget(Forget),
    /// `show_memory`.
    Show(ShowMemory),
}

impl MemoryRequest {
    /// Which tool it is.
    #[must_use]
    pub const fn tool(&self) -> Tool {
        match self {
            Self::Remember(_) => Tool::Remember,
            Self::Recall(_) => Tool::Recall,
            Self::List(_) => Tool::ListMemories,
            Self::Update(_) => Tool::UpdateMemory,
            Self::Forget(_) => Tool::Forget,
            Self::Show(_) => Tool::ShowMemory,
        }
    }
}

/// What is asked of spaces, well-formed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SpaceRequest {
    /// `list_spaces`.
    List(ListSpaces),
    /// `show_space`.
    Show(ShowSpace),
    /// `create_space`.
    Create(CreateSpace),
    /// `add_space_member`.
    AddMember(SpaceMember),
    /// `remove_space_member`.
    RemoveMember(SpaceMember),
}

impl SpaceRequest {
    /// Which operation it is.
    #[must_use]
    pub const fn tool(&self) -> Tool {
        match self {
            Self::List(_) => Tool::ListSpaces,
            Self::Show(_) => Tool::ShowSpace,
            Self::Create(_) => Tool::CreateSpace,
            Self::AddMember(_) => Tool::AddSpaceMember,
            Self::RemoveMember(_) => Tool::RemoveSpaceMember,
        }
    }
}

/// What those who look after a space ask for, well-formed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StewardRequest {
    /// `export_space`.
    Export(ExportSpace),
    /// `import_memories`.
    Import(ImportMemories),
    /// `delete_rows`.
    Delete(Box<DeleteRows>),
    /// `audit_space`.
    Audit(AuditSpace),
    /// `review_space`.
    Review(ReviewSpace),
}

impl StewardRequest {
    /// Which operation it is.
    #[must_use]
    pub const fn tool(&self) -> Tool {
        match self {
            Self::Export(_) => Tool::ExportSpace,
            Self::Import(_) => Tool::ImportMemories,
            Self::Delete(_) => Tool::DeleteRows,
            Self::Audit(_) => Tool::AuditSpace,
            Self::Review(_) => Tool::ReviewSpace,
        }
    }
}

macro_rules! requests {
    ($($name:ident: $input:ty),*) => {$(
        impl From<$input> for MemoryRequest {
            fn from(input: $input) -> Self {
                Self::$name(input.into())
            }
        }
    )*};
}

requests! {
    Remember: Remember,
    Recall: RecallMemories,
    List: ListMemories,
    Update: UpdateMemory,
    Forget: Forget,
    Show: ShowMemory
}
