//! What can be asked about memories.

use serde::Serialize;

use crate::{
    inputs::{Forget, ListMemories, RecallMemories, Remember, UpdateMemory},
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
    Forget: Forget
}
