//! Reading a table of `deedbox.toml` strictly: every key is known, every value is of its kind, and what is wrong is
//! said at its place without repeating a value, which may be a secret.

use std::{fmt::Display, ops::Range, str::FromStr};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// What is wrong, and where.
#[derive(Debug)]
pub(super) struct Wrong {
    /// Bytes of the file.
    pub(super) span: Range<usize>,
    /// What is wrong and what is expected.
    pub(super) reason: String,
}

/// A table whose keys are all known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'t, 'i> {
    entries: &'t DeTable<'i>,
    place: &'t Spanned<DeValue<'i>>,
}

/// A value at its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'t, 'i>(pub(super) &'t Spanned<DeValue<'i>>);

impl<'t, 'i> Table<'t, 'i> {
    /// Reads a table that may hold these keys.
    ///
    /// # Errors
    /// It is no table, or holds another key.
    pub(super) fn of(item: Item<'t, 'i>, known: &[&str]) -> Result<Self, Wrong> {
        let table = Self::open(item)?;
        let stranger = table
            .entries
            .keys()
            .find(|key| !known.contains(&&**key.get_ref()));
        match stranger {
            None => Ok(table),
            Some(key) => Err(Wrong {
                span: key.span(),
                reason: unknown("setting", key.get_ref(), known),
            }),
        }
    }

    /// Reads a table whose keys are the user's own.
    ///
    /// # Errors
    /// It is no table.
    pub(super) fn open(Item(place): Item<'t, 'i>) -> Result<Self, Wrong> {
        match place.get_ref() {
            DeValue::Table(entries) => Ok(Self { entries, place }),
            _ => Err(Item(place).wrong("expected a table")),
        }
    }

    /// The value of a key, if it is given.
    pub(super) fn get(&self, key: &str) -> Option<Item<'t, 'i>> {
        self.entries.get(key).map(Item)
    }

    /// Every key with its place and its value.
    pub(super) fn entries(
        &self,
    ) -> impl Iterator<Item = (&'t str, Range<usize>, Item<'t, 'i>)> + use<'t, 'i> {
        self.entries
            .iter()
            .map(|(key, value)| (&**key.get_ref(), key.span(), Item(value)))
    }

    /// Something is wrong with the table as a whole.
    pub(super) fn wrong(&self, reason: impl Display) -> Wrong {
        Item(self.place).wrong(reason)
    }
}

impl<'t, 'i> Item<'t, 'i> {
    /// Something is wrong here.
    pub(super) fn wrong(self, reason: impl Display) -> Wrong {
        Wrong {
            span: self.0.span(),
            reason: reason.to_string(),
        }
    }

    /// A text that is not empty.
    pub(super) fn text(self) -> Result<&'t str, Wrong> {
        match self.0.get_ref() {
            DeValue::String(text) if !text.is_empty() => Ok(text),
            _ => Err(self.wrong("expected a text in quotes")),
        }
    }

    /// A text that `T` reads.
    pub(super) fn parsed<T: FromStr<Err: Display>>(self) -> Result<T, Wrong> {
        self.text()?.parse().map_err(|error| self.wrong(error))
    }

    /// A decimal number from `least` to `most`.
    pub(super) fn number<T>(self, least: T, most: T) -> Result<T, Wrong>
    where
        T: FromStr + Display + PartialOrd,
    {
        let digits = match self.0.get_ref() {
            // Only plain decimal digits mean the same number to every reader.
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
            _ => None,
        };
        digits
            .and_then(|digits| digits.parse().ok())
            .filter(|number| *number >= least && *number <= most)
            .ok_or_else(|| self.wrong(format!("expected a whole number from {least} to {most}")))
    }

    /// `true` or `false`.
    pub(super) fn truth(self) -> Result<bool, Wrong> {
        let known = self.0.get_ref().as_bool();
        known.ok_or_else(|| self.wrong("expected true or false"))
    }

    /// An array, each element read by `read`.
    pub(super) fn list<T, C: FromIterator<T>>(
        self,
        read: impl Fn(Self) -> Result<T, Wrong>,
    ) -> Result<C, Wrong> {
        match self.0.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| read(Item(item))).collect(),
            _ => Err(self.wrong("expected an array")),
        }
    }
}

/// Whether a text is a bare key (TOML 1.0): letters, digits, `_` and `-`, and no longer than a name is. Anything else may
/// be a value that lost its place, so it is not repeated.
pub(super) fn is_bare(key: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=64).contains(&key.len()) && key.bytes().all(fits)
}

/// What is said of a name that nobody knows, with the known one that is nearest to it.
pub(super) fn unknown(what: &str, key: &str, known: &[&str]) -> String {
    if !is_bare(key) {
        return format!("no {what} has such a name; there are {}", known.join(", "));
    }
    let near = known
        .iter()
        .map(|name| (distance(key, name), name))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    match near {
        Some((_, near)) => format!("there is no {what} {key} here; did you mean {near}?"),
        None => format!(
            "there is no {what} {key} here; there are {}",
            known.join(", ")
        ),
    }
}

/// How many characters have to be changed, added or removed to make one name of the other (Levenshtein).
pub(super) fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}
