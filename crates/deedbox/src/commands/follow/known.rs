//! How well registries are followed, by what the index knows. Nobody is asked.

use deedbox_core::{RegistryState, Timestamp};
use deedbox_server::finding::{ChainIsShort, FinalityBroken, Indexed, ReadUpTo};
use deedbox_store::index::{Cursor, Look, Survey};
use serde_json::Value;

use super::super::Desk;
use crate::{
    database,
    failure::Failure,
    render::{Output, moment},
    settings::Settings,
};

/// What an index knows of all registries.
pub(super) struct Known {
    cursors: Vec<Cursor>,
    looks: Vec<Look>,
    surveys: Vec<Survey>,
    now: Timestamp,
}

impl Known {
    /// Reads it. Of an index that is not there nothing is known.
    ///
    /// # Errors
    /// What the database fails with.
    pub(super) async fn of(desk: &Desk<'_>) -> Result<Self, Failure> {
        let mut known = Self {
            cursors: Vec::new(),
            looks: Vec::new(),
            surveys: Vec::new(),
            now: desk.world.now(),
        };
        let Some(index) = database::index_if_there(desk.settings).await? else {
            return Ok(known);
        };
        let read = async {
            known.cursors = index.cursors().await?;
            known.looks = index.looks().await?;
            known.surveys = index.surveys().await?;
            Ok(())
        };
        let read = desk.ask(read).await;
        index.close().await;
        read.map(|()| known)
    }

    /// How far a registry is read, as it is told with every answer. Of one that nobody follows nothing is.
    pub(super) fn read(&self, state: &RegistryState) -> Option<ReadUpTo> {
        let id = state.id;
        let indexed = match state.followed {
            true => Indexed {
                cursor: self.cursors.iter().find(|one| one.registry == id),
                look: self.looks.iter().find(|one| one.registry == id),
                survey: self.surveys.iter().find(|one| one.registry == id),
            },
            false => Indexed::default(),
        };
        ReadUpTo::of(id, Some(state), indexed, self.now)
    }
}

/// Adds to what is recorded of a registry how far it is read; what stands there already stays. From which block on it was really read stands
/// beside the one that is recorded: after somebody decided anew it is another one, until it is read anew.
///
/// # Errors
/// None that is expected.
pub(super) fn add(value: &mut Value, read: Option<&ReadUpTo>) -> Result<(), Failure> {
    let read = serde_json::to_value(read)
        .map_err(|error| Failure::io("writing the result", error.into()))?;
    if let (Value::Object(value), Value::Object(read)) = (value, read) {
        let is_read = read
            .get("read_upto_block")
            .is_some_and(|block| !block.is_null());
        let from = read.get("from_block").filter(|_| is_read);
        value.insert("read_from_block".to_owned(), from.cloned().into());
        for (name, said) in read {
            value.entry(name).or_insert(said);
        }
    }
    Ok(())
}

/// How long ago a registry's chain was looked at last, and whether that is too long.
pub(super) fn looked(read: &ReadUpTo) -> String {
    match (read.age_seconds, read.look_is_old) {
        (Some(age), false) => format!("{age} s ago"),
        (Some(age), true) => format!("{age} s ago (old)"),
        (None, _) => "never".to_owned(),
    }
}

/// How far a registry is read, and when that was found out.
pub(super) fn how_far(read: &ReadUpTo, output: &Output) -> String {
    let from = read.from_block;
    let upto = match (read.read_upto_block, read.read_upto_at) {
        (Some(block), Some(at)) => format!("blocks {from} to {block} {}", moment(at)),
        (Some(block), None) => format!("blocks {from} to {block}"),
        (None, _) => "nothing yet".to_owned(),
    };
    let looked = match read.age_seconds {
        Some(_) => format!("its chain was looked at {}", looked(read)),
        None => "nobody looked at its chain yet".to_owned(),
    };
    match read.look_is_old {
        true => format!("{upto}; {}", output.paint.alert(&looked)),
        false => format!("{upto}; {looked}"),
    }
}

/// What is the matter with a registry's chain, and the way out.
pub(super) fn alarm(read: &ReadUpTo, settings: &Settings) -> Option<String> {
    let id = read.registry;
    let what = match (read.chain_broke_finality, read.chain_is_short) {
        (Some(broke), _) => broken(broke),
        (None, Some(chain)) if chain.is_alarm() => unknown(chain),
        _ => return None,
    };
    Some(format!(
        "{id}: {what} {}",
        way_out(&id.to_string(), settings)
    ))
}

/// That an endpoint is behind, where nothing worse is known of the chain.
pub(super) fn behind(read: &ReadUpTo) -> Option<String> {
    let whole = read.chain_broke_finality.is_none();
    let chain = read
        .chain_is_short
        .filter(|chain| whole && !chain.is_alarm());
    chain.map(|chain| format!("{}: {}", read.registry, lags(chain)))
}

fn broken(broke: FinalityBroken) -> String {
    let FinalityBroken {
        block_number,
        block_hash,
        now_hash,
    } = broke;
    format!(
        "its chain went back on what was final: block {block_number} was {block_hash}, and the chain has {now_hash} there now. What was read stays as it was, and nothing newer is read."
    )
}

/// That a chain ends below what was final, and none of its blocks is known.
pub(super) fn unknown(chain: ChainIsShort) -> String {
    format!(
        "its chain ends at block {}, below what was final, and none of the blocks that it has is known: the endpoint is far behind, or on another chain. What was read stays as it was; when the chain is as long again with the same blocks, this ends by itself.",
        chain.head_block
    )
}

/// That an endpoint is behind.
pub(super) fn lags(chain: ChainIsShort) -> String {
    let known = chain.recognised_block.map_or_else(String::new, |block| {
        format!(", and it has block {block} as it was read")
    });
    format!(
        "the endpoint is behind: {} blocks below what was read, at block {}{known}. What was read stays, and what is not final of it and not in the chain any more is undone when the chain is as long again.",
        chain.missing_blocks, chain.head_block
    )
}

/// What to do about a chain that went back on what was final.
pub(super) fn way_out(registry: &str, settings: &Settings) -> String {
    let anew = settings.again(&format!("registry sync --anew {registry}"));
    format!(
        "Find out first which of the two is right: the endpoint may be on another chain. To drop what was read, and read it again: {anew}"
    )
}
