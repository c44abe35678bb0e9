//! Names of tools, endpoints and operations: short, ASCII, lower case, and one type for each kind.

/// Makes a type for each kind of name: its error, its form as a pattern, which character may come first, and which
/// may stand behind it beside lower-case letters and digits. At most 64 characters.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $error:ident, $pattern:literal, $first:expr, $rest:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(std::borrow::Cow<'static, str>);

        #[doc = concat!("Why a text is not a [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("must match {}", $pattern)]
        pub struct $error;

        impl $name {
            /// A name that the program knows to be well-formed.
            #[must_use]
            pub const fn known(name: &'static str) -> Self {
                Self(std::borrow::Cow::Borrowed(name))
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $error;
            fn from_str(text: &str) -> Result<Self, $error> {
                let first: fn(char) -> bool = $first;
                let fits = text.len() <= 64
                    && text.starts_with(first)
                    && text.chars().all(|c| {
                        c.is_ascii_lowercase() || c.is_ascii_digit() || $rest.contains(c)
                    });
                fits.then(|| Self(std::borrow::Cow::Owned(text.to_owned()))).ok_or($error)
            }
        }

        $crate::json::json_text!(
            $name,
            schemars::json_schema!({"type": "string", "pattern": $pattern})
        );
    )*};
}

pub(crate) use names;
