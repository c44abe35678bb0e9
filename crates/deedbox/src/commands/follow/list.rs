//! `deedbox registry list`: what is recorded of each registry, and whether its code was what was accepted when somebody looked last.

use deedbox_core::RegistryState;
use deedbox_store::index::Look;
use serde_json::json;

use super::{super::Desk, shown};
use crate::{
    database,
    failure::Failure,
    render::{line, table},
};

pub(super) async fn list(desk: &Desk<'_>, all: bool) -> Result<(), Failure> {
    let mut registries = desk.ask(desk.store.registries()).await?;
    registries.retain(|one| all || one.followed);
    let looks = last_looks(desk).await?;
    let changed = |one: &RegistryState| {
        let look = looks.iter().find(|look| look.registry == one.id);
        look.filter(|_| one.followed)
            .and_then(|look| look.differs_from(&one.following.seen))
    };
    let values = registries.iter().map(|one| {
        let mut value = shown(one)?;
        value["code_changed"] = json!(changed(one));
        Ok(value)
    });
    let value = json!({"registries": values.collect::<Result<Vec<_>, Failure>>()?});
    desk.output.print(&value, |output| {
        if registries.is_empty() {
            return "No registry is followed. To begin: deedbox registry add REGISTRY; deedbox registry presets lists public ones."
                .to_owned();
        }
        let row = |one: &RegistryState| {
            let following = &one.following;
            let label = following.label.as_ref();
            let trust = if one.followed { following.trust.as_str() } else { "not followed" };
            vec![
                one.id.to_string(),
                following.standard.to_string(),
                trust.to_owned(),
                label.map_or_else(String::new, |label| line(label.as_str())),
                following.from_block.to_string(),
                one.pins.len().to_string(),
                match changed(one) {
                    Some(true) => output.paint.bad("another than accepted"),
                    Some(false) => "as accepted".to_owned(),
                    None => "not looked at".to_owned(),
                },
            ]
        };
        let rows = registries.iter().map(row).collect();
        let header = [
            "REGISTRY", "STANDARD", "TRUST", "LABEL", "FROM BLOCK", "PINS", "CODE",
        ];
        table(output, &header, rows)
    })
}

/// What was seen at registries' addresses when somebody looked last, while registries were read.
async fn last_looks(desk: &Desk<'_>) -> Result<Vec<Look>, Failure> {
    let Some(index) = database::index_if_there(desk.settings).await? else {
        return Ok(Vec::new());
    };
    let looks = desk.ask(index.looks()).await;
    index.close().await;
    looks
}
