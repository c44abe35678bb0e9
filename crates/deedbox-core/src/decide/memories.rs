//! The rules of memories. Who may do what stands in [`rights`].

use std::collections::BTreeSet;

use super::known;
use crate::{
    ActorId, Attribution, Authority, Body, Deed, Head, Memory, MemoryId, MemoryKind, MemoryState,
    MemoryStatus, Refusal, Scope, Space, SpaceId, State, Stream, Timestamp,
    deed::Authorship,
    json::MAX_EXACT,
    limits,
    memory::{
        About, Changed, Committed, MemoryAct, MemoryChange, MemoryCommand, MemoryText, Salt,
        SealedText, rights,
    },
};

/// What is to be written: in which memory, behind which of its deeds, and with which text beside it.
struct Told<'a> {
    id: MemoryId,
    before: Option<&'a MemoryState>,
    body: Body,
    text: Option<Box<SealedText>>,
}

pub(super) fn decide(
    state: &State,
    command: MemoryCommand,
    attribution: &Attribution,
    now: Timestamp,
) -> Result<Deed, Refusal> {
    let MemoryCommand {
        id,
        actor,
        act,
        origin,
    } = command;
    let asked = Asked {
        state,
        attribution,
        actor: acting_as(state, attribution, actor)?,
    };
    if let Some(origin) = &origin
        && !(1..=MAX_EXACT).contains(&origin.version)
    {
        let reason = format_args!("is no version: 1 to {MAX_EXACT}");
        return Err(Refusal::invalid("version", reason));
    }
    let told = match act {
        MemoryAct::Remember {
            space,
            about,
            text,
            merge,
        } => asked.remember(id, &space, about, text, merge)?,
        MemoryAct::Revise { change, salt } => asked.revise(id, *change, salt)?,
        MemoryAct::Forget => {
            let memory = asked.deleting(id)?;
            let actor_id = asked.actor.clone();
            Told::of(memory, Body::MemoryForgotten { actor_id })
        }
        MemoryAct::Redact { reason } => {
            let memory = asked.deleting(id)?;
            let actor_id = asked.actor.clone();
            Told::of(memory, Body::MemoryRedacted { actor_id, reason })
        }
    };
    let told = Told {
        body: told.body.coming_from(origin),
        ..told
    };
    admits(told.before, told.id, &told.body, now)?;
    asked.fits_its_space(told.before, &told.body)?;
    let head: Option<Head> = told.before.map(|before| before.head);
    let by = Authorship::from(attribution);
    let deed = Deed::seal(Stream::Memory(told.id), head.as_ref(), told.body, by, now);
    Ok(deed.beside(told.text))
}

/// What the deeds alone say of whether `body` may follow `before`, at this time: all rules but those of who, where and how much.
///
/// # Errors
/// The refusal that whoever asked for it would have got.
pub(crate) fn admits(
    before: Option<&MemoryState>,
    id: MemoryId,
    body: &Body,
    at: Timestamp,
) -> Result<(), Refusal> {
    let live = before.filter(|memory| memory.status == MemoryStatus::Live);
    let not_found = Refusal::MemoryNotFound(id);
    match body {
        Body::MemoryRemembered {
            space_id, about, ..
        } => {
            if live.is_some() || before.is_some_and(|memory| memory.space != *space_id) {
                return Err(exists(id));
            }
            lies_ahead(about.expires_at, at)?;
            only_a_todo_is_done(about)?;
        }
        Body::MemoryRevised { about, changed, .. } => {
            let memory = live.ok_or(not_found)?;
            if changed.contains(&Changed::ExpiresAt) {
                lies_ahead(about.expires_at, at)?;
            } else if memory.about.expires_at != about.expires_at {
                return Err(Refusal::invalid("expires_at", "changes without saying so"));
            }
            only_a_todo_is_done(about)?;
        }
        Body::MemoryForgotten { .. } => drop(live.ok_or(not_found)?),
        Body::MemoryRedacted { .. } => match before.map(|memory| memory.status) {
            Some(MemoryStatus::Live | MemoryStatus::Forgotten) => {}
            Some(MemoryStatus::Redacted) => return Err(Refusal::MemoryRedacted(id)),
            None => return Err(not_found),
        },
        _ => return Err(not_found),
    }
    // One that is full can be deleted still.
    let deletes = matches!(
        body,
        Body::MemoryForgotten { .. } | Body::MemoryRedacted { .. }
    );
    let version = before.map_or(0, |memory| memory.head.version);
    if version >= limits::MEMORY_DEEDS && !deletes {
        return Err(Refusal::MemoryFull(id));
    }
    Ok(())
}

fn exists(id: MemoryId) -> Refusal {
    Refusal::invalid("id", format_args!("memory {id} exists already"))
}

fn lies_ahead(expires_at: Option<Timestamp>, now: Timestamp) -> Result<(), Refusal> {
    match expires_at {
        Some(end) if end <= now => Err(Refusal::invalid(
            "expires_at",
            format_args!("{end} is past; it must lie in the future"),
        )),
        Some(_) | None => Ok(()),
    }
}

fn only_a_todo_is_done(about: &About) -> Result<(), Refusal> {
    if about.todo_done && about.kind != MemoryKind::Todo {
        let reason = format_args!("only a todo can be done, and this is a {}", about.kind);
        return Err(Refusal::invalid("todo_done", reason));
    }
    Ok(())
}

/// As whom the command is carried out.
fn acting_as(
    state: &State,
    attribution: &Attribution,
    named: Option<ActorId>,
) -> Result<Option<ActorId>, Refusal> {
    match (&attribution.principal.authority, named) {
        (Authority::Actor(own), None) => Ok(Some(own.clone())),
        (_, None) => Ok(None),
        (_, Some(named)) => {
            attribution.may_act_as(&named)?;
            known(state, &named)?;
            Ok(Some(named))
        }
    }
}

impl<'a> Told<'a> {
    /// Without another text.
    fn of(memory: &'a Memory, body: Body) -> Self {
        Self {
            id: memory.state.id,
            before: Some(&memory.state),
            body,
            text: None,
        }
    }
}

/// Who asks, and what is known.
struct Asked<'a> {
    state: &'a State,
    attribution: &'a Attribution,
    actor: Option<ActorId>,
}

impl<'a> Asked<'a> {
    fn remember(
        &self,
        id: MemoryId,
        space: &SpaceId,
        about: About,
        text: Box<SealedText>,
        merge: bool,
    ) -> Result<Told<'a>, Refusal> {
        let place = self.state.space.as_ref();
        let place = place.ok_or_else(|| Refusal::SpaceNotFound(space.clone()))?;
        rights::may(&self.attribution.principal, Scope::MemoryWrite, place)?;
        let key = text.text.key.as_ref();
        match key {
            Some(key) if id != MemoryId::of_key(space, key) => {
                return Err(Refusal::invalid("id", "is not the one of this key"));
            }
            None if id.is_of_a_key() => return Err(Refusal::invalid("id", "is the one of a key")),
            Some(_) | None => {}
        }
        if merge
            && key.is_none()
            && let Some(twin) = &self.state.twin
        {
            return self.merge(twin, about, &text);
        }
        let before = self.state.memory.as_ref();
        let live = before.filter(|memory| memory.state.status == MemoryStatus::Live);
        let Some(memory) = live else {
            // Whoever says anew what somebody else forgot becomes its author, who may read and delete what it was.
            if let Some(memory) = before
                && memory.state.status == MemoryStatus::Forgotten
            {
                rights::may_change(&self.attribution.principal, place, &memory.state)?;
            }
            let body = Body::MemoryRemembered {
                space_id: space.clone(),
                actor_id: self.actor.clone(),
                about,
                text: text.committed(),
                origin: None,
            };
            return Ok(Told {
                id,
                before: before.map(|memory| &memory.state),
                body,
                text: Some(text),
            });
        };
        if key.is_none() {
            return Err(exists(id));
        }
        rights::may_change(&self.attribution.principal, place, &memory.state)?;
        Ok(self.revised(memory, about, Some(text), false))
    }

    /// The same was remembered before: that takes up the tags, and lasts as long as either.
    fn merge(
        &self,
        twin: &'a Memory,
        about: About,
        text: &SealedText,
    ) -> Result<Told<'a>, Refusal> {
        let was = words(twin)?;
        let tags = was.tags.and(&text.text.tags);
        let tags = tags.map_err(|many| Refusal::invalid("tags", many))?;
        let united = MemoryText {
            tags,
            ..was.clone()
        };
        let ends = (twin.state.about.expires_at, about.expires_at);
        let about = About {
            expires_at: ends.0.zip(ends.1).map(|(one, other)| one.max(other)),
            ..twin.state.about
        };
        let text = (united != *was).then(|| Box::new(SealedText::new(united, text.salt)));
        Ok(self.revised(twin, about, text, true))
    }

    fn revise(&self, id: MemoryId, change: MemoryChange, salt: Salt) -> Result<Told<'a>, Refusal> {
        let (memory, space) = self.seen(id, Scope::MemoryWrite)?;
        if memory.state.status != MemoryStatus::Live {
            return Err(Refusal::MemoryNotFound(id));
        }
        let only_done = MemoryChange {
            todo_done: change.todo_done,
            ..MemoryChange::default()
        };
        if change == MemoryChange::default() {
            return Err(Refusal::invalid("", "nothing is to be changed"));
        }
        // Whoever sees a to-do may do it.
        if change != only_done || memory.state.about.kind != MemoryKind::Todo {
            rights::may_change(&self.attribution.principal, space, &memory.state)?;
        }
        let was = memory.state.about;
        let kind = change.kind.unwrap_or(was.kind);
        let still_done = was.todo_done && kind == MemoryKind::Todo;
        let about = About {
            kind,
            todo_done: change.todo_done.unwrap_or(still_done),
            expires_at: change.expires_at.unwrap_or(was.expires_at),
        };
        let text = words(memory)?;
        let new = MemoryText {
            content: change.content.unwrap_or_else(|| text.content.clone()),
            path: change.path.unwrap_or_else(|| text.path.clone()),
            tags: change.tags.unwrap_or_else(|| text.tags.clone()),
            key: text.key.clone(),
        };
        let new = (new != *text).then(|| Box::new(SealedText::new(new, salt)));
        Ok(self.revised(memory, about, new, false))
    }

    fn revised(
        &self,
        memory: &'a Memory,
        about: About,
        text: Option<Box<SealedText>>,
        merged: bool,
    ) -> Told<'a> {
        let was = memory.state.about;
        let words = |differ: fn(&MemoryText, &MemoryText) -> bool| {
            let old = memory.text.as_ref();
            let both = old.zip(text.as_ref().map(|text| &text.text));
            both.is_some_and(|(old, new)| differ(old, new))
        };
        let changed: BTreeSet<Changed> = [
            (Changed::Content, words(|a, b| a.content != b.content)),
            (Changed::Tags, words(|a, b| a.tags != b.tags)),
            (Changed::Path, words(|a, b| a.path != b.path)),
            (Changed::Kind, was.kind != about.kind),
            (Changed::TodoDone, was.todo_done != about.todo_done),
            (Changed::ExpiresAt, was.expires_at != about.expires_at),
        ]
        .into_iter()
        .filter_map(|(what, is_another)| is_another.then_some(what))
        .collect();
        Told {
            id: memory.state.id,
            before: Some(&memory.state),
            body: Body::MemoryRevised {
                actor_id: self.actor.clone(),
                about,
                text: text.as_ref().map(|text| text.committed()),
                changed,
                merged,
                origin: None,
            },
            text,
        }
    }

    /// A memory that the caller may delete, be it forgotten already or not.
    fn deleting(&self, id: MemoryId) -> Result<&'a Memory, Refusal> {
        let (memory, space) = self.seen(id, Scope::MemoryDelete)?;
        rights::may_change(&self.attribution.principal, space, &memory.state)?;
        Ok(memory)
    }

    /// A memory that is there for the caller, who may use `scope` where it is.
    fn seen(&self, id: MemoryId, scope: Scope) -> Result<(&'a Memory, &'a Space), Refusal> {
        let found = self.state.memory.as_ref().zip(self.state.space.as_ref());
        let principal = &self.attribution.principal;
        let (memory, space) = found
            .filter(|(_, space)| rights::sees(principal, space))
            .ok_or(Refusal::MemoryNotFound(id))?;
        rights::may(principal, scope, space)?;
        Ok((memory, space))
    }

    /// Whether the space has room for what is to be written.
    fn fits_its_space(&self, before: Option<&MemoryState>, body: &Body) -> Result<(), Refusal> {
        let (new, text) = match body {
            Body::MemoryRemembered { text, .. } => (1, Some(text)),
            Body::MemoryRevised { text, .. } => (0, text.as_ref()),
            _ => return Ok(()),
        };
        let bytes = text.map_or(0, |Committed { bytes, .. }| *bytes);
        let usage = self.state.usage;
        let memories_fit = new == 0 || usage.memories + new <= limits::SPACE_MEMORIES;
        let bytes_fit = bytes == 0 || usage.bytes + bytes <= limits::SPACE_BYTES;
        if memories_fit && bytes_fit {
            return Ok(());
        }
        let space = self.state.space.as_ref().map(Space::id);
        let space = space.or_else(|| before.map(|memory| memory.space.clone()));
        match space {
            Some(space) => Err(Refusal::SpaceFull { space, usage }),
            None => Ok(()),
        }
    }
}

/// The text of a living memory. That it is there is what the ledger check sees to.
fn words(memory: &Memory) -> Result<&MemoryText, Refusal> {
    let text = memory.text.as_ref();
    text.ok_or(Refusal::MemoryNotFound(memory.state.id))
}
