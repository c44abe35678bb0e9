//! The texts of memories, read beside their deeds: each deed that commits to a text has it, or the texts before it were redacted.

use std::collections::{HashMap, VecDeque};

use deedbox_core::{Body, Deed, MemoryId, Projection, SpaceId, SpaceUsage, Stream};

use super::{Fault, Wrong, unreadable};
use crate::{KeptText, Snapshot, StoreError};

/// Texts in one page: each may have a quarter of a megabyte.
const PAGE: u32 = 64;

/// What is known of texts and spaces between two deeds.
#[derive(Debug, Default)]
pub(super) struct Texts {
    waiting: VecDeque<KeptText>,
    after: Option<(MemoryId, u64)>,
    done: bool,
    /// Of this stream: the first deed whose text is not there, and that nothing explains so far, and the first whose text is.
    missing: Option<u64>,
    kept: Option<u64>,
    spaces: HashMap<SpaceId, SpaceUsage>,
}

type Checked = Result<Result<(), Fault>, StoreError>;

fn fault(memory: MemoryId, version: u64, what: Wrong) -> Fault {
    Fault {
        table: "memory text",
        row: format!("memory:{memory} version {version}"),
        what,
    }
}

impl Texts {
    /// Looks at one more deed, of whatever stream.
    pub(super) async fn deed(&mut self, snapshot: &mut dyn Snapshot, deed: &Deed) -> Checked {
        let Stream::Memory(id) = deed.stream else {
            return Ok(Ok(()));
        };
        let committed = match &deed.body {
            Body::MemoryRemembered { text, .. } => Some(*text),
            Body::MemoryRevised { text, .. } => *text,
            _ => None,
        };
        let here = (id, deed.version);
        let next = match self.next(snapshot).await {
            Ok(next) => next,
            Err(error) => return Ok(Err(unreadable(error)?)),
        };
        let place = next.map(|text| (text.memory, text.version));
        let found = next.map(|text| text.sealed.committed());
        match (place, committed) {
            (Some((memory, version)), _) if (memory, version) < here => {
                return Ok(Err(fault(memory, version, Wrong::Unfounded)));
            }
            (Some(place), None) if place == here => {
                return Ok(Err(fault(id, deed.version, Wrong::Unfounded)));
            }
            (Some(place), Some(committed)) if place == here => {
                if found != Some(committed) {
                    let what = "it is not the text that its deed commits to".to_owned();
                    return Ok(Err(fault(id, deed.version, Wrong::Differs(what))));
                }
                self.waiting.pop_front();
                self.kept.get_or_insert(deed.version);
            }
            (_, Some(_)) => drop(self.missing.get_or_insert(deed.version)),
            (_, None) => {}
        }
        if let Body::MemoryRedacted { .. } = deed.body {
            if let Some(version) = self.kept {
                let what = "it is there, though its memory was redacted later".to_owned();
                return Ok(Err(fault(id, version, Wrong::Differs(what))));
            }
            self.missing = None;
        }
        Ok(Ok(()))
    }

    /// After the last deed of a stream: what is missing without a redaction behind it is missing.
    pub(super) fn end(&mut self, projection: &Projection) -> Result<(), Fault> {
        let Projection::Memory(memory) = projection else {
            return Ok(());
        };
        self.kept = None;
        if let Some(version) = self.missing.take() {
            return Err(fault(memory.id, version, Wrong::Missing));
        }
        let usage = memory.usage();
        let space = self.spaces.entry(memory.space.clone()).or_default();
        space.memories += usage.memories;
        space.bytes += usage.bytes;
        Ok(())
    }

    /// After the last deed of all: no text is left, and spaces have what their memories take.
    pub(super) async fn finish(&mut self, snapshot: &mut dyn Snapshot) -> Checked {
        match self.next(snapshot).await {
            Ok(None) => {}
            Ok(Some(text)) => {
                return Ok(Err(fault(text.memory, text.version, Wrong::Unfounded)));
            }
            Err(error) => return Ok(Err(unreadable(error)?)),
        }
        let of_space = |space: &SpaceId, what| {
            let (table, row) = ("space usage", format!("space:{space}"));
            Ok(Err(Fault { table, row, what }))
        };
        let mut after: Option<SpaceId> = None;
        loop {
            let page = match snapshot.usages(after.as_ref(), super::PAGE).await {
                Ok(page) => page,
                Err(error) => return Ok(Err(unreadable(error)?)),
            };
            let Some((last, _)) = page.last() else { break };
            after = Some(last.clone());
            for (space, found) in page {
                let expected = self.spaces.remove(&space).unwrap_or_default();
                if found != expected {
                    let what = format!(
                        "memories are {}, should be {}; bytes are {}, should be {}",
                        found.memories, expected.memories, found.bytes, expected.bytes
                    );
                    return of_space(&space, Wrong::Differs(what));
                }
            }
        }
        let mut left = self
            .spaces
            .iter()
            .filter(|(_, usage)| **usage != SpaceUsage::default());
        match left.next() {
            Some((space, _)) => of_space(space, Wrong::Missing),
            None => Ok(Ok(())),
        }
    }

    async fn next(&mut self, snapshot: &mut dyn Snapshot) -> Result<Option<&KeptText>, StoreError> {
        if self.waiting.is_empty() && !self.done {
            let page = snapshot.texts(self.after, PAGE).await?;
            self.done = page.len() < PAGE as usize;
            self.after = page.last().map(|text| (text.memory, text.version));
            self.waiting.extend(page);
        }
        Ok(self.waiting.front())
    }
}
