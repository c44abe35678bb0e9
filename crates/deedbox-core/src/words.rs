//! Enums whose every value is one word, on the wire as in databases.

/// Gives an enum its words: the list of all its values, and both ways between a value and its word, with the error for what is no
/// word of it. A value without a word does not compile, so none is missing from the list either.
macro_rules! words {
    ($name:ident, $error:ident, $message:literal { $($value:ident = $word:literal,)* }) => {
        impl $name {
            /// All of them, in their order.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$value),*];

            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        #[doc = concat!("Why a text is not a [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error($message)]
        pub struct $error;

        impl std::str::FromStr for $name {
            type Err = $error;
            fn from_str(text: &str) -> Result<Self, $error> {
                Self::ALL.into_iter().find(|value| value.as_str() == text).ok_or($error)
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use std::{
        fmt::{Debug, Display},
        str::FromStr,
    };

    use serde::Serialize;

    use crate::{
        ActorKind, ClaimProvenance, Scope, Standard, TaskStatus, Trust, attribution::Relation,
    };

    fn has_one_spelling<T>(all: &[T])
    where
        T: Debug + Display + FromStr<Err: Debug + Display> + PartialEq + Serialize,
    {
        for value in all {
            let word = value.to_string();
            assert_eq!(serde_json::to_value(value).unwrap(), *word);
            assert_eq!(word.parse::<T>().unwrap(), *value);
            let error = word.to_uppercase().parse::<T>().unwrap_err().to_string();
            assert!(error.contains(&word), "{error} does not name {word}");
        }
    }

    #[test]
    fn each_value_has_one_spelling_everywhere_and_the_error_names_it() {
        has_one_spelling(&ActorKind::ALL);
        has_one_spelling(&ClaimProvenance::ALL);
        has_one_spelling(&Relation::ALL);
        has_one_spelling(&Scope::ALL);
        has_one_spelling(&Standard::ALL);
        has_one_spelling(&TaskStatus::ALL);
        has_one_spelling(&Trust::ALL);
    }
}
