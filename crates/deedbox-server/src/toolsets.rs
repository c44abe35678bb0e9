//! Which groups of tools a server offers.

use std::{fmt, str::FromStr};

/// A set of toolsets. As text: names separated by commas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toolsets {
    tasks: bool,
}

impl Toolsets {
    /// Every toolset there is.
    #[must_use]
    pub const fn all() -> Self {
        Self { tasks: true }
    }

    /// Whether the six task tools are offered.
    #[must_use]
    pub const fn tasks(self) -> bool {
        self.tasks
    }
}

impl Default for Toolsets {
    fn default() -> Self {
        Self::all()
    }
}

impl fmt::Display for Toolsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.tasks { "tasks" } else { "" })
    }
}

/// Why a text is not a set of toolsets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotToolsets {
    /// No such toolset.
    #[error("there is no toolset {0:?}; known: tasks")]
    Unknown(String),
    /// A server without any tool is of no use to anyone.
    #[error("name at least one toolset; known: tasks")]
    Empty,
}

impl FromStr for Toolsets {
    type Err = NotToolsets;
    fn from_str(text: &str) -> Result<Self, NotToolsets> {
        let mut set = Self { tasks: false };
        for name in text.split(',').map(str::trim).filter(|n| !n.is_empty()) {
            match name {
                "tasks" => set.tasks = true,
                other => return Err(NotToolsets::Unknown(other.to_owned())),
            }
        }
        if set.tasks {
            Ok(set)
        } else {
            Err(NotToolsets::Empty)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_toolset_is_refused_with_the_known_ones() {
        assert_eq!("tasks".parse(), Ok(Toolsets::all()));
        assert_eq!(" tasks , tasks".parse(), Ok(Toolsets::all()));
        let error = "tasks,chains".parse::<Toolsets>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no toolset \"chains\"; known: tasks"
        );
        assert_eq!("".parse::<Toolsets>(), Err(NotToolsets::Empty));
        assert_eq!(Toolsets::all().to_string().parse(), Ok(Toolsets::all()));
    }
}
