//! What a key may be used for.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use serde::{Deserialize, Serialize, Serializer};

use crate::{SpaceId, id::NotASpaceId, json::json_text, words::words};

/// What a key may be used for. Scopes are independent: a write-only key may not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// Read tasks and lists of tasks.
    #[serde(rename = "tasks:read")]
    TasksRead,
    /// Create, accept, complete and hand off tasks.
    #[serde(rename = "tasks:write")]
    TasksWrite,
    /// Read chains, see what was read, and check conclusions against it.
    #[serde(rename = "chain:read")]
    ChainRead,
    /// Ask registries which agent that is, whether a tool is what it says, and who may use it; search what they hold; see
    /// which are followed, trusted and pinned.
    #[serde(rename = "registries:read")]
    RegistriesRead,
    /// Follow registries, say how far each is trusted, and pin tools.
    #[serde(rename = "registries:write")]
    RegistriesWrite,
    /// Recall, list and look at memories.
    #[serde(rename = "memory:read")]
    MemoryRead,
    /// Remember, and revise what is remembered.
    #[serde(rename = "memory:write")]
    MemoryWrite,
    /// Forget and redact memories.
    #[serde(rename = "memory:delete")]
    MemoryDelete,
    /// Take whole spaces out.
    #[serde(rename = "memory:export")]
    MemoryExport,
}

words! {
    Scope, NotAScope, "must be tasks:read, tasks:write, chain:read, registries:read, registries:write, memory:read, memory:write, memory:delete or memory:export" {
        TasksRead = "tasks:read",
        TasksWrite = "tasks:write",
        ChainRead = "chain:read",
        RegistriesRead = "registries:read",
        RegistriesWrite = "registries:write",
        MemoryRead = "memory:read",
        MemoryWrite = "memory:write",
        MemoryDelete = "memory:delete",
        MemoryExport = "memory:export",
    }
}

impl Scope {
    /// Whether a key can have it for some spaces only.
    const fn has_spaces(self) -> bool {
        match self {
            Self::MemoryRead | Self::MemoryWrite | Self::MemoryDelete | Self::MemoryExport => true,
            Self::TasksRead
            | Self::TasksWrite
            | Self::ChainRead
            | Self::RegistriesRead
            | Self::RegistriesWrite => false,
        }
    }
}

/// How far a scope goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reach {
    /// All that the key's holder may see.
    Everywhere,
    /// These spaces, if its holder may see them.
    Spaces(BTreeSet<SpaceId>),
}

/// A set of scopes. As text: names in order, separated by one space; one of memory may be followed by `@` and the only space that it is
/// for, and stand there for several: `tasks:read memory:read@personal:alice memory:read@team`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(BTreeMap<Scope, Reach>);

/// Why a text is not a set of [`Scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotScopes {
    /// One of them is none.
    #[error(transparent)]
    Scope(#[from] NotAScope),
    /// What stands behind `@` is not a space's id.
    #[error("what stands behind @ {0}")]
    Space(#[from] NotASpaceId),
    /// `@` stands behind a scope that has nothing to do with spaces.
    #[error("only scopes of memory are for a space: {0} is not")]
    Spaceless(Scope),
}

impl Scopes {
    /// Every scope there is.
    #[must_use]
    pub fn all() -> Self {
        Scope::ALL.into_iter().collect()
    }

    /// What an actor's own key is used for unless somebody says otherwise: everything but deciding whom everybody believes, and taking
    /// whole spaces out. Deleting is in it, because what an actor may delete is its own.
    #[must_use]
    pub fn of_an_actor() -> Self {
        Scope::ALL
            .into_iter()
            .filter(|scope| !matches!(scope, Scope::RegistriesWrite | Scope::MemoryExport))
            .collect()
    }

    /// Whether `scope` is in the set, be it for some spaces only.
    #[must_use]
    pub fn contains(&self, scope: Scope) -> bool {
        self.0.contains_key(&scope)
    }

    /// Whether `scope` is in the set for this space.
    #[must_use]
    pub fn reaches(&self, scope: Scope, space: &SpaceId) -> bool {
        match self.0.get(&scope) {
            Some(Reach::Everywhere) => true,
            Some(Reach::Spaces(spaces)) => spaces.contains(space),
            None => false,
        }
    }

    /// The same set with one scope more, for one space only; no more than before when it is there for all.
    ///
    /// # Errors
    /// [`NotScopes::Spaceless`] when the scope has nothing to do with spaces.
    pub fn with(mut self, scope: Scope, space: SpaceId) -> Result<Self, NotScopes> {
        if !scope.has_spaces() {
            return Err(NotScopes::Spaceless(scope));
        }
        let reach = self.0.entry(scope);
        match reach.or_insert_with(|| Reach::Spaces(BTreeSet::new())) {
            Reach::Everywhere => {}
            Reach::Spaces(spaces) => {
                spaces.insert(space);
            }
        }
        Ok(self)
    }

    /// Each of them as its text.
    #[must_use]
    pub fn to_texts(&self) -> Vec<String> {
        let mut texts = Vec::with_capacity(self.0.len());
        for (scope, reach) in &self.0 {
            match reach {
                Reach::Everywhere => texts.push(scope.to_string()),
                Reach::Spaces(spaces) => {
                    texts.extend(spaces.iter().map(|space| format!("{scope}@{space}")));
                }
            }
        }
        texts
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let everywhere = |scope| (scope, Reach::Everywhere);
        Self(scopes.into_iter().map(everywhere).collect())
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_texts().join(" "))
    }
}

impl FromStr for Scopes {
    type Err = NotScopes;
    fn from_str(text: &str) -> Result<Self, NotScopes> {
        let parts = text.split([' ', ',']).filter(|part| !part.is_empty());
        parts
            .into_iter()
            .try_fold(Self::default(), |mut set, part| {
                // A space's id may have another @ in it; a scope's name has none.
                if let Some((scope, space)) = part.split_once('@') {
                    return set.with(scope.parse()?, space.parse()?);
                }
                set.0.insert(part.parse()?, Reach::Everywhere);
                Ok(set)
            })
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

json_text!(Scopes);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_print_in_order_and_read_back() {
        let both: Scopes = "tasks:write,tasks:read".parse().unwrap();
        assert_eq!(both.to_string(), "tasks:read tasks:write");
        assert_eq!("".parse::<Scopes>().unwrap(), Scopes::default());
        assert!("tasks:admin".parse::<Scopes>().is_err());
    }

    #[test]
    fn what_older_keys_say_reads_as_it_did() {
        let text = "tasks:read tasks:write chain:read registries:read registries:write";
        let old: Scopes = text.parse().unwrap();
        assert_eq!(old.to_string(), text);
        assert!(old.contains(Scope::RegistriesWrite));
        assert!(!old.contains(Scope::MemoryRead));
    }

    #[test]
    fn a_scope_of_memory_is_for_all_spaces_or_for_those_that_it_names() {
        let text = "memory:read memory:write@a@b memory:write@personal:alice";
        let scopes: Scopes = text.parse().unwrap();
        assert_eq!(scopes.to_string(), text);
        assert_eq!(
            serde_json::from_value::<Scopes>(serde_json::json!(text)).unwrap(),
            scopes
        );
        let space = |id: &str| SpaceId::new(id).unwrap();
        assert!(scopes.reaches(Scope::MemoryRead, &space("any")));
        assert!(scopes.reaches(Scope::MemoryWrite, &space("a@b")));
        assert!(!scopes.reaches(Scope::MemoryWrite, &space("a")));
        assert!(!scopes.reaches(Scope::MemoryDelete, &space("a@b")));
        assert!(scopes.contains(Scope::MemoryWrite));
        for all in ["memory:read memory:read@a", "memory:read@a memory:read"] {
            assert_eq!(all.parse::<Scopes>().unwrap().to_string(), "memory:read");
        }
    }

    #[test]
    fn a_space_stands_only_behind_scopes_of_memory() {
        let read = |text: &str| text.parse::<Scopes>().unwrap_err();
        assert_eq!(read("tasks:read@a"), NotScopes::Spaceless(Scope::TasksRead));
        assert_eq!(read("memory:read@"), NotScopes::Space(NotASpaceId));
        assert_eq!(read("memory:all@a"), NotScopes::Scope(NotAScope));
    }
}
