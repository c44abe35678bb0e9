//! Where a key's text is cut.

use super::{Error, Form, Oddity, Parameters, code};
use crate::error::found;

/// Where the parts of a text begin and end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) form: Form,
    label_end: usize,
    /// Where the first parameter starts.
    start: usize,
}

impl Cut {
    pub(super) fn label<'a>(&self, text: &'a str) -> &'a str {
        &text[..self.label_end]
    }

    pub(super) fn parameters<'a>(&self, text: &'a str) -> Parameters<'a> {
        let rest = match self.form {
            Form::Plain => None,
            Form::Slash | Form::Colon => Some(&text[self.start..]),
            Form::Bracket => Some(&text[self.start..text.len() - 1]),
        };
        Parameters {
            rest,
            in_brackets: self.form == Form::Bracket,
        }
    }
}

/// What happens to an oddity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    Strict,
    /// It is reported, and reading goes on.
    Loose,
}

/// Reads bytes as text.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, Error> {
    str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        let message = format!("found byte 0x{byte:02x}, which is not UTF-8 here, expected UTF-8");
        Error::new(at, code::NOT_UTF8, message)
    })
}

/// Finds the parts of a key. Oddities that strict reading accepts, or loose reading passes over, are told.
pub(super) fn cut(
    text: &str,
    strictness: Strictness,
    tell: &mut dyn FnMut(Oddity),
) -> Result<Cut, Error> {
    let label_end = label_end(text)?;
    let (form, start) = match text.as_bytes().get(label_end) {
        None => (Form::Plain, label_end),
        Some(b'[') => (Form::Bracket, label_end + 1),
        Some(b'/') => (Form::Slash, label_end + 1),
        Some(_) => (Form::Colon, label_end + 1),
    };
    let start = match form {
        Form::Plain => start,
        Form::Bracket => {
            brackets(text, label_end)?;
            start
        }
        Form::Slash | Form::Colon => one_parameter(text, start, strictness, tell)?,
    };
    let cut = Cut {
        form,
        label_end,
        start,
    };
    if strictness == Strictness::Loose {
        let mut at = start;
        for parameter in cut.parameters(text) {
            if parameter.is_empty() {
                tell(Oddity::EmptyParameter { at });
            }
            at += parameter.len() + 2;
        }
    }
    Ok(cut)
}

fn is_label(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'/' | b':' | b'[')
}

/// The label's end, which is the first separator or the end of the text.
pub(super) fn label_end(text: &str) -> Result<usize, Error> {
    let end = text
        .bytes()
        .position(|byte| !is_label(byte))
        .unwrap_or(text.len());
    if !matches!(text.as_bytes().get(end), None | Some(b'/' | b':' | b'[')) {
        let found = found(text, end);
        let message = format!(
            "found {found} in the label, expected printable ASCII without space, \"/\", \":\" and \"[\""
        );
        return Err(Error::new(end, code::CHARACTER, message));
    }
    if end == 0 {
        let found = found(text, 0);
        let message = format!("found {found}, expected a label in front of any parameter");
        return Err(Error::new(0, code::LABEL_EMPTY, message));
    }
    Ok(end)
}

/// Checks the one parameter after a slash or colon and returns where it starts.
fn one_parameter(
    text: &str,
    start: usize,
    strictness: Strictness,
    tell: &mut dyn FnMut(Oddity),
) -> Result<usize, Error> {
    let parameter = &text[start..];
    let spaces = parameter.bytes().take_while(|byte| *byte == b' ').count();
    let bracket = parameter.find('[');
    if strictness == Strictness::Strict {
        if spaces > 0 {
            return Err(space(start));
        }
        if let Some(offset) = bracket {
            return Err(mixed(start + offset));
        }
        return Ok(start);
    }
    if spaces > 0 {
        tell(Oddity::SpaceAfterSeparator { at: start });
    }
    if let Some(offset) = bracket {
        tell(Oddity::MixedForm { at: start + offset });
    }
    Ok(start + spaces)
}

#[cold]
pub(super) fn space(at: usize) -> Error {
    let message = "found a space right after the separator, expected the parameter; drop the space, or quote \
                   data that starts with one: key/' data'";
    Error::new(at, code::SEPARATOR_SPACE, message)
}

#[cold]
pub(super) fn mixed(at: usize) -> Error {
    let message = "found \"[\" after a slash or colon, expected one form only; put every parameter in brackets, \
                   or leave the bracket out";
    Error::new(at, code::MIXED_FORM, message)
}

/// Checks everything from the first `[` on.
fn brackets(text: &str, mut open: usize) -> Result<(), Error> {
    loop {
        let Some(length) = text[open..].find(']') else {
            let message =
                "found a \"[\" that is never closed, expected a \"]\" after its parameter";
            return Err(Error::new(open, code::BRACKET_OPEN, message));
        };
        open += length + 1;
        match text.as_bytes().get(open) {
            None => return Ok(()),
            Some(b'[') => {}
            Some(b'/' | b':') => {
                let message = "found a slash or colon after a bracket, expected one form only; put every \
                               parameter in brackets";
                return Err(Error::new(open, code::MIXED_FORM, message));
            }
            Some(_) => {
                let found = found(text, open);
                let message =
                    format!("found {found} after \"]\", expected another \"[\" or the end");
                return Err(Error::new(open, code::BRACKET_TAIL, message));
            }
        }
    }
}
