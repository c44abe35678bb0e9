//! What to know about how registries are followed, where an answer comes from them: why there is less than one expects, and what is the matter.

use deedbox_core::{RegistryId, Standard};

use super::{ChainIsShort, FromIndex, Hint, HintCode, Known, ReadUpTo};

impl Known {
    /// What the registries that an answer comes from said before the blocks that are read, where they said something: it is missing.
    pub(crate) fn begins_in_the_middle(&self, from: &FromIndex) -> Option<Hint> {
        let read = from.registries.iter();
        let read = read.filter(|one| one.read_upto_block.is_some());
        let missing: Vec<_> = read
            .filter(|one| one.begins_in_the_middle == Some(true))
            .collect();
        let first = missing.first()?;
        let message = format!(
            "events of {} before block {} were not read, and the contract stood there before: agents and tools from before are missing here, and owners, metadata and approvals from before are not known",
            these(first.registry, missing.len()),
            first.from_block
        );
        Some(Hint::new(HintCode::BeginsInTheMiddle, message))
    }

    /// What is the matter with how these registries are followed, of as many of them as something is read.
    pub(super) fn warnings(&self, searched: &[RegistryId]) -> Vec<Hint> {
        let read = searched
            .iter()
            .filter_map(|registry| self.read(*registry))
            .filter(|read| read.read_upto_block.is_some());
        let read: Vec<_> = read.collect();
        let hints = [broken(&read), unknown(&read), behind(&read), old(&read)];
        hints.into_iter().flatten().collect()
    }

    /// What to know about all registries that are followed.
    pub(crate) fn all_hints(&self) -> Vec<Hint> {
        let followed: Vec<_> = self.followed().map(|state| state.id).collect();
        let mut hints = self.hints(None);
        hints.extend(self.warnings(&followed));
        hints
    }

    /// Why there may be less than one expects, about registries of this standard or of both.
    pub(crate) fn hints(&self, standard: Option<Standard>) -> Vec<Hint> {
        let of_standard = |one: Standard| standard.is_none_or(|wanted| wanted == one);
        let mut followed = self
            .followed()
            .filter(|state| of_standard(state.following.standard))
            .peekable();
        let mut hints = Vec::new();
        if followed.peek().is_none() && self.some_hidden {
            // Whether one is followed is what the policy hides.
        } else if followed.peek().is_none() {
            let message = "no such registry is followed here, so there is nothing to search; an operator begins with: deedbox registry add REGISTRY (deedbox registry presets lists public ones)";
            hints.push(Hint::new(HintCode::NothingFollowed, message));
        } else {
            let unread = followed.filter(|state| {
                let cursor = self.cursor(state.id);
                cursor.is_none_or(|cursor| cursor.upto.is_none())
            });
            let unread = unread.count();
            if unread > 0 {
                let message = format!(
                    "of {unread} followed registries nothing is read yet; deedbox serve reads in the background, and an operator can wait for it with: deedbox registry sync"
                );
                hints.push(Hint::new(HintCode::NotReadYet, message));
            }
        }
        if self.some_hidden {
            let message = "some registries are left out, because the policy here does not allow their chain or address";
            hints.push(Hint::new(HintCode::PolicyHidesRegistries, message));
        }
        hints
    }
}

/// A registry, and how many there are beside of which the same is true.
fn these(registry: RegistryId, count: usize) -> String {
    match count.saturating_sub(1) {
        0 => registry.to_string(),
        more => format!("{registry} (and of {more} more of the registries that were searched)"),
    }
}

/// That a chain went back on what was final.
fn broken(read: &[ReadUpTo]) -> Option<Hint> {
    let broken = read.iter().filter(|one| one.chain_broke_finality.is_some());
    let broken: Vec<_> = broken.collect();
    let message = format!(
        "the chain of {} went back on blocks that were final: nothing newer is read of it, and what is told may be of another chain; list_registries has the alarm, and an operator finds what to do under: deedbox registry show",
        these(broken.first()?.registry, broken.len())
    );
    Some(Hint::new(HintCode::ChainBrokeFinality, message))
}

/// The chains that are shorter than what was read, as far as nothing worse is known of them.
fn short(read: &[ReadUpTo], is_alarm: bool) -> Vec<(&ReadUpTo, ChainIsShort)> {
    let whole = read.iter().filter(|one| one.chain_broke_finality.is_none());
    let short = whole.filter_map(|one| Some((one, one.chain_is_short?)));
    short
        .filter(|(_, short)| short.is_alarm() == is_alarm)
        .collect()
}

/// That a chain ends below what was final, and nobody knows why.
fn unknown(read: &[ReadUpTo]) -> Option<Hint> {
    let unknown = short(read, true);
    let (first, chain) = unknown.first()?;
    let message = format!(
        "the chain of {} ends at block {}, below what was final, and none of its blocks is known: either the endpoint is far behind, or it is another chain, and then what is told is not so there; list_registries has the alarm, and an operator finds what to do under: deedbox registry show",
        these(first.registry, unknown.len()),
        chain.head_block
    );
    Some(Hint::new(HintCode::ChainEndsBelowFinal, message))
}

/// That an endpoint is behind.
fn behind(read: &[ReadUpTo]) -> Option<Hint> {
    let behind = short(read, false);
    let (first, chain) = behind
        .iter()
        .max_by_key(|(_, chain)| chain.missing_blocks)?;
    let message = format!(
        "the endpoint of the chain of {} is behind: {} blocks below what was read; what was read is told, and nothing newer is known",
        these(first.registry, behind.len()),
        chain.missing_blocks
    );
    Some(Hint::new(HintCode::EndpointIsBehind, message))
}

/// That nobody looked at a chain for long.
fn old(read: &[ReadUpTo]) -> Option<Hint> {
    let old: Vec<_> = read.iter().filter(|one| one.look_is_old).collect();
    let ages = old.iter();
    let oldest = ages.max_by_key(|one| one.age_seconds.unwrap_or(u64::MAX))?;
    let since = match oldest.age_seconds {
        Some(age) => format!("was looked at {age} s ago last"),
        None => "was never looked at as far as it is known".to_owned(),
    };
    let message = format!(
        "the chain of {} {since}: what was said since is not known here; either nobody reads it (deedbox serve and deedbox registry sync do), or its endpoints do not answer",
        these(oldest.registry, old.len())
    );
    Some(Hint::new(HintCode::LookIsOld, message))
}

/// That accounts may be allowed something of which nothing is known, because that was said before the first block that is read.
pub(crate) fn approvals_before(registry: RegistryId, from: u64) -> Hint {
    let message = format!(
        "events of {registry} before block {from} were not read, and the contract stood there before: who was approved before is not known here, and was asked about only if named in spenders"
    );
    Hint::new(HintCode::BeginsInTheMiddle, message)
}
