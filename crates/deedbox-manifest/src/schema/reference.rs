//! References from one schema to another within the same document (ERC-8257, "Remote `$ref` in Embedded Schemas").

use std::borrow::Cow;

use super::MOST_NODES;
use crate::json::Value;

/// What a reference points at.
pub(super) enum Target<'r> {
    /// The schema resource itself.
    Root,
    /// A JSON pointer (RFC 6901) from there.
    Pointer(Cow<'r, str>),
    /// An anchor.
    Anchor(Cow<'r, str>),
    /// Another document. `$id` does not change that: whoever reads the manifest cannot be sure that every
    /// other reader finds the same schema under a name that claims to be a URL (reading M-21).
    Remote,
    /// The part after `#` is not validly percent-encoded.
    Broken,
}

pub(super) fn read(reference: &str) -> Target<'_> {
    let Some(fragment) = reference.strip_prefix('#') else {
        return if reference.is_empty() {
            Target::Root
        } else {
            Target::Remote
        };
    };
    let Some(fragment) = percent_decode(fragment) else {
        return Target::Broken;
    };
    if fragment.is_empty() {
        Target::Root
    } else if fragment.starts_with('/') {
        Target::Pointer(fragment)
    } else {
        Target::Anchor(fragment)
    }
}

fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            let value = digit()? << 4 | digit()?;
            u8::try_from(value).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// The value that a JSON pointer leads to from `root`.
pub(super) fn resolve<'d>(root: Value<'d>, pointer: &str) -> Option<Value<'d>> {
    pointer.split('/').skip(1).try_fold(root, |here, step| {
        let step = if step.contains('~') {
            Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(step)
        };
        match here.elements() {
            Some(mut elements) => {
                let canonical = step == "0" || !step.starts_with('0');
                let digits = step.bytes().all(|byte| byte.is_ascii_digit());
                let index: usize = step.parse().ok().filter(|_| canonical && digits)?;
                // Elements are counted off one by one, a thousand references may each want that, and no schema stands
                // behind as many others.
                (index <= MOST_NODES).then(|| elements.nth(index))?
            }
            None => here.get(&step),
        }
    })
}
