//! How well registries are followed, by what the index knows. Nobody is asked.

use deedbox_core::{RegistryState, Timestamp};
use deedbox_server::finding::{FinalityBroken, Indexed, ReadUpTo};
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

/// Adds to what is recorded of a registry how far it is read; what stands there already stays.
///
/// # Errors
/// None that is expected.
pub(super) fn add(value: &mut Value, read: Option<&ReadUpTo>) -> Result<(), Failure> {
    let read = serde_json::to_value(read)
        .map_err(|error| Failure::io("writing the result", error.into()))?;
    if let (Value::Object(value), Value::Object(read)) = (value, read) {
        for (name, said) in read {
            value.entry(name).or_insert(said);
        }
    }
    Ok(())
}

/// How long ago a registry's chain was looked at last.
pub(super) fn looked(read: &ReadUpTo) -> String {
    match read.age_seconds {
        Some(age) => format!("{age} s ago"),
        None => "never".to_owned(),
    }
}

/// How far a registry is read, and when that was found out.
pub(super) fn how_far(read: &ReadUpTo, output: &Output) -> String {
    let upto = match (read.read_upto_block, read.read_upto_at) {
        (Some(block), Some(at)) => format!("up to block {block} {}", moment(at)),
        (Some(block), None) => format!("up to block {block}"),
        (None, _) => "nothing yet".to_owned(),
    };
    let looked = format!("its chain was looked at {}", looked(read));
    match read.look_is_old {
        true => format!("{upto}; {}", output.paint.alert(&looked)),
        false => format!("{upto}; {looked}"),
    }
}

/// That a chain went back on what was final, and the way out.
pub(super) fn broke(read: &ReadUpTo, settings: &Settings) -> Option<String> {
    let FinalityBroken {
        block_number,
        block_hash,
        now_hash,
    } = read.chain_broke_finality?;
    let id = read.registry;
    Some(format!(
        "{id}: its chain went back on what was final: block {block_number} was {block_hash}, and the chain has {now_hash} there now. What was read stays as it was, and nothing newer is read. {}",
        way_out(&id.to_string(), settings)
    ))
}

/// What to do about a chain that went back on what was final.
pub(super) fn way_out(registry: &str, settings: &Settings) -> String {
    let anew = settings.again(&format!("registry sync --anew {registry}"));
    format!(
        "Find out first which of the two is right: the endpoint may be on another chain. To drop what was read, and read it again: {anew}"
    )
}
