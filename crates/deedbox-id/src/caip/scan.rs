//! Runs of characters, which is all that the CAIP grammars are made of.

use crate::error::{Error, code, found};

/// A part of a CAIP text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// With its article, for messages.
    name: &'static str,
    /// Its bit in [`CLASSES`].
    class: u8,
    characters: &'static str,
    least: usize,
    most: usize,
}

const NAMESPACE: u8 = 1;
const REFERENCE: u8 = 2;
const ADDRESS: u8 = 4;

const fn part(name: &'static str, class: u8, least: usize, most: usize) -> Part {
    let characters = match class {
        NAMESPACE => "a-z, 0-9 and hyphen",
        REFERENCE => "letters, digits, hyphen and underscore",
        _ => "letters, digits, hyphen, full stop and percent sign",
    };
    Part {
        name,
        class,
        characters,
        least,
        most,
    }
}

pub(super) const CHAIN_NAMESPACE: Part = part("a namespace", NAMESPACE, 3, 8);
pub(super) const CHAIN_REFERENCE: Part = part("a chain reference", REFERENCE, 1, 32);
pub(super) const ACCOUNT_ADDRESS: Part = part("an account address", ADDRESS, 1, 128);
pub(super) const ASSET_NAMESPACE: Part = part("an asset namespace", NAMESPACE, 3, 8);
pub(super) const ASSET_REFERENCE: Part = part("an asset reference", ADDRESS, 1, 128);
pub(super) const TOKEN_ID: Part = part("a token id", ADDRESS, 1, 78);

static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => NAMESPACE | REFERENCE | ADDRESS,
            b'A'..=b'Z' => REFERENCE | ADDRESS,
            b'_' => REFERENCE,
            b'.' | b'%' => ADDRESS,
            _ => 0,
        };
        byte += 1;
    }
    table
};

impl Part {
    /// The end of this part in a text where it starts at `start` and is followed by one of `ends`, or, with
    /// `or_end`, by the text's end.
    pub(super) fn end(
        self,
        text: &str,
        start: usize,
        ends: &[u8],
        or_end: bool,
    ) -> Result<usize, Error> {
        let rest = &text.as_bytes()[start..];
        let is_in = |byte: &u8| CLASSES[usize::from(*byte)] & self.class != 0;
        let length = rest
            .iter()
            .position(|byte| !is_in(byte))
            .unwrap_or(rest.len());
        let end_is_right = rest.get(length).map_or(or_end, |byte| ends.contains(byte));
        if end_is_right && (self.least..=self.most).contains(&length) {
            return Ok(start + length);
        }
        Err(self.refused(text, start, length, ends, or_end))
    }

    #[cold]
    fn refused(self, text: &str, start: usize, length: usize, ends: &[u8], or_end: bool) -> Error {
        let Self {
            name, least, most, ..
        } = self;
        if length > most {
            let message =
                format!("found {name} that is too long, expected at most {most} characters");
            return Error::new(start + most, code::TOO_LONG, message);
        }
        let at = start + length;
        let end_is_right = text
            .as_bytes()
            .get(at)
            .map_or(or_end, |byte| ends.contains(byte));
        if end_is_right && length < least {
            let message = format!("found {name} of {length} characters, expected at least {least}");
            return Error::new(at, code::TOO_SHORT, message);
        }
        let found = found(text, at);
        let mut next: Vec<String> = ends
            .iter()
            .map(|byte| format!("{:?}", char::from(*byte)))
            .collect();
        if or_end {
            next.push("the end".to_owned());
        }
        let next = next.join(" or ");
        if at == text.len() {
            let message = format!("found the end, expected {name}, then {next}");
            return Error::new(at, code::MISSING_PART, message);
        }
        let characters = self.characters;
        let message = format!("found {found}, expected {name} of {characters}, then {next}");
        Error::new(at, code::CHARACTER, message)
    }
}
