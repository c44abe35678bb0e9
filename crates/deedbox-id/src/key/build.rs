//! Keys that are made here keep to the narrow side of the rules.

use super::{
    Error, StorageKey, code,
    read::{self, label_end},
};

impl StorageKey {
    /// `label`: a key without parameters.
    ///
    /// # Errors
    /// Those of a label: [`LABEL_EMPTY`](code::LABEL_EMPTY) and [`CHARACTER`](code::CHARACTER), which is also
    /// what a separator inside it is.
    pub fn plain(label: &str) -> Result<Self, Error> {
        check_label(label)?;
        label.parse()
    }

    /// `label/parameter`.
    ///
    /// # Errors
    /// Those of a label; for the parameter [`PARAMETER_EMPTY`](code::PARAMETER_EMPTY),
    /// [`SEPARATOR_SPACE`](code::SEPARATOR_SPACE) when it starts with a space (see [`StorageKey::quoted`]) and
    /// [`MIXED_FORM`](code::MIXED_FORM) when it holds a `[`. [`Error::at`] counts within the part that is wrong.
    pub fn slash(label: &str, parameter: &str) -> Result<Self, Error> {
        separated(label, '/', parameter)
    }

    /// `label:parameter`. Prefer [`StorageKey::slash`], which ERC-8048 uses, unless a reader expects the colon.
    ///
    /// # Errors
    /// As for [`StorageKey::slash`].
    pub fn colon(label: &str, parameter: &str) -> Result<Self, Error> {
        separated(label, ':', parameter)
    }

    /// `label/' parameter'`: slash form for data that starts with a space, quoted as ERC-8119 shows it.
    ///
    /// The quotes become part of the parameter; the standard has no rule for taking them off again, nor for
    /// data that holds quotes itself.
    ///
    /// # Errors
    /// As for [`StorageKey::slash`], except that a space in front is fine.
    pub fn quoted(label: &str, parameter: &str) -> Result<Self, Error> {
        let quoted = format!("'{parameter}'");
        if parameter.is_empty() {
            return Err(parameter_empty());
        }
        // The opening quote is not part of the caller's text.
        separated(label, '/', &quoted).map_err(|error| match error.code() {
            code::MIXED_FORM => read::mixed(error.at() - 1),
            _ => error,
        })
    }

    /// `label[parameter][parameter]…`.
    ///
    /// # Errors
    /// Those of a label; [`MISSING_PART`](code::MISSING_PART) when there is no parameter;
    /// [`PARAMETER_EMPTY`](code::PARAMETER_EMPTY) and [`BRACKET_INSIDE`](code::BRACKET_INSIDE) for a parameter,
    /// with [`Error::at`] counting within it.
    pub fn bracket<'a>(
        label: &str,
        parameters: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Error> {
        check_label(label)?;
        let mut text = label.to_owned();
        for parameter in parameters {
            if parameter.is_empty() {
                return Err(parameter_empty());
            }
            if let Some(at) = parameter.find(']') {
                let message = "found \"]\" in a bracketed parameter, expected any other character; use the slash \
                               form for a single parameter with brackets left out, or encode it";
                return Err(Error::new(at, code::BRACKET_INSIDE, message));
            }
            text.push('[');
            text.push_str(parameter);
            text.push(']');
        }
        if text.len() == label.len() {
            let message = "found no parameter, expected at least one in bracket form; make a plain key instead";
            return Err(Error::new(0, code::MISSING_PART, message));
        }
        text.parse()
    }
}

fn check_label(label: &str) -> Result<(), Error> {
    let end = label_end(label)?;
    if end == label.len() {
        return Ok(());
    }
    let message = "found a separator in the label, expected printable ASCII without space, \"/\", \":\" and \"[\"";
    Err(Error::new(end, code::CHARACTER, message))
}

fn separated(label: &str, separator: char, parameter: &str) -> Result<StorageKey, Error> {
    check_label(label)?;
    if parameter.is_empty() {
        return Err(parameter_empty());
    }
    if parameter.starts_with(' ') {
        return Err(read::space(0));
    }
    if let Some(at) = parameter.find('[') {
        return Err(read::mixed(at));
    }
    format!("{label}{separator}{parameter}").parse()
}

#[cold]
fn parameter_empty() -> Error {
    let message = "found an empty parameter, expected at least one character";
    Error::new(0, code::PARAMETER_EMPTY, message)
}
