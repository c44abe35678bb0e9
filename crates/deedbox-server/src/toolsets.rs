//! Which groups of tools a server offers.

use std::{fmt, str::FromStr};

use deedbox_core::Scope;

/// Makes [`Toolset`], so that none can be left out of the list.
macro_rules! toolsets {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A named group of tools.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Toolset {
            $($(#[$doc])* $name,)*
        }

        impl Toolset {
            /// Every group, in the order in which they are listed.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];
        }
    };
}

toolsets! {
    /// Who owns a task, and how "done" is known.
    Tasks,
    /// Reading chains, and checking what was concluded.
    Chain,
    /// Who owns an agent, and where it is reached.
    Agents,
    /// Whether a tool is what it says, and who may use it.
    Tools,
    /// Who asks, and what is remembered.
    Memory,
}

impl Toolset {
    /// The name, as it is given in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::Chain => "chain",
            Self::Agents => "agents",
            Self::Tools => "tools",
            Self::Memory => "memory",
        }
    }

    /// What a key needs to call those of its tools that only read.
    pub(crate) const fn read_scope(self) -> Scope {
        match self {
            Self::Tasks => Scope::TasksRead,
            Self::Chain => Scope::ChainRead,
            Self::Agents | Self::Tools => Scope::RegistriesRead,
            Self::Memory => Scope::MemoryRead,
        }
    }

    /// Whether a [policy](crate::policy) governs its tools. What the others may do is a matter of scopes and of rules.
    #[must_use]
    pub const fn is_governed(self) -> bool {
        match self {
            Self::Tasks | Self::Memory => false,
            Self::Chain | Self::Agents | Self::Tools => true,
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of toolsets, never empty. As text: names separated by commas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toolsets(u8);

impl Toolsets {
    /// Every toolset there is.
    #[must_use]
    pub fn all() -> Self {
        Self(Toolset::ALL.into_iter().fold(0, |set, one| set | one.bit()))
    }

    /// Whether the tools of a group are offered.
    #[must_use]
    pub const fn contains(self, toolset: Toolset) -> bool {
        self.0 & toolset.bit() != 0
    }
}

impl Default for Toolsets {
    fn default() -> Self {
        Self::all()
    }
}

impl fmt::Display for Toolsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for toolset in Toolset::ALL.into_iter().filter(|one| self.contains(*one)) {
            write!(f, "{comma}{}", toolset.name())?;
            comma = ",";
        }
        Ok(())
    }
}

/// Why a text is not a set of toolsets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotToolsets {
    /// No such toolset.
    #[error("there is no toolset {0:?}; known: {all}", all = Toolsets::all())]
    Unknown(String),
    /// A server without any tool is of no use to anyone.
    #[error("name at least one toolset; known: {all}", all = Toolsets::all())]
    Empty,
}

impl FromStr for Toolsets {
    type Err = NotToolsets;
    fn from_str(text: &str) -> Result<Self, NotToolsets> {
        let mut set = 0;
        for name in text.split(',').map(str::trim).filter(|n| !n.is_empty()) {
            let known = Toolset::ALL.into_iter().find(|one| one.name() == name);
            set |= known
                .ok_or_else(|| NotToolsets::Unknown(name.to_owned()))?
                .bit();
        }
        if set == 0 {
            Err(NotToolsets::Empty)
        } else {
            Ok(Self(set))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_toolset_is_refused_with_the_known_ones() {
        let error = "tasks,chains".parse::<Toolsets>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no toolset \"chains\"; known: tasks,chain,agents,tools,memory"
        );
        assert_eq!("".parse::<Toolsets>(), Err(NotToolsets::Empty));
        assert_eq!(" , ".parse::<Toolsets>(), Err(NotToolsets::Empty));
    }

    #[test]
    fn a_set_holds_what_was_named_in_any_order() {
        assert_eq!(
            " tools,chain ,agents, tasks,memory,chain".parse(),
            Ok(Toolsets::all())
        );
        assert_eq!(
            Toolsets::all().to_string(),
            "tasks,chain,agents,tools,memory"
        );
        let chain: Toolsets = "chain".parse().unwrap();
        assert!(chain.contains(Toolset::Chain) && !chain.contains(Toolset::Tasks));
        for text in ["tasks", "chain", "tasks,chain"] {
            assert_eq!(text.parse::<Toolsets>().unwrap().to_string(), text);
        }
    }
}
