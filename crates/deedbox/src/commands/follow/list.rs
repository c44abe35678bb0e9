//! `deedbox registry list`: what is recorded of each registry, how well it is followed, and whether its code was what was accepted when somebody
//! looked last.

use deedbox_core::RegistryState;
use deedbox_server::{finding::ReadUpTo, operations::NotCompared};
use serde_json::json;

use super::{
    super::Desk,
    known::{self, Known},
    shown,
};
use crate::{
    failure::Failure,
    render::{line, table},
};

pub(super) async fn list(desk: &Desk<'_>, all: bool) -> Result<(), Failure> {
    let mut registries = desk.ask(desk.store.registries()).await?;
    registries.retain(|one| all || one.followed);
    let known = Known::of(desk).await?;
    let read: Vec<_> = registries.iter().map(|one| known.read(one)).collect();
    let values = registries.iter().zip(&read).map(|(one, read)| {
        let mut value = shown(one)?;
        known::add(&mut value, read.as_ref())?;
        Ok(value)
    });
    let value = json!({"registries": values.collect::<Result<Vec<_>, Failure>>()?});
    desk.output.print(&value, |output| {
        if registries.is_empty() {
            return "No registry is followed. To begin: deedbox registry add REGISTRY; deedbox registry presets lists public ones."
                .to_owned();
        }
        let row = |(one, read): (&RegistryState, &Option<ReadUpTo>)| {
            let read = read.as_ref();
            let upto = read.and_then(|read| read.read_upto_block);
            let looked = read.filter(|_| one.followed).map(|read| match read.look_is_old {
                true => output.paint.bad(&known::looked(read)),
                false => known::looked(read),
            });
            let following = &one.following;
            let label = following.label.as_ref();
            let trust = if one.followed { following.trust.as_str() } else { "not followed" };
            vec![
                one.id.to_string(),
                following.standard.to_string(),
                trust.to_owned(),
                label.map_or_else(String::new, |label| line(label.as_str())),
                following.from_block.to_string(),
                upto.map_or_else(|| "-".to_owned(), |block| block.to_string()),
                looked.unwrap_or_else(|| "-".to_owned()),
                one.pins.len().to_string(),
                match read.and_then(|read| read.code_changed) {
                    Some(true) => output.paint.bad("another than accepted"),
                    Some(false) => "as accepted".to_owned(),
                    None => {
                        let why = read.and_then(|read| read.code_not_compared);
                        why.map_or("-", NotCompared::for_people).to_owned()
                    }
                },
            ]
        };
        let rows = registries.iter().zip(&read).map(row).collect();
        let header = [
            "REGISTRY", "STANDARD", "TRUST", "LABEL", "FROM BLOCK", "UP TO", "CHAIN SEEN", "PINS", "CODE",
        ];
        let mut text = table(output, &header, rows);
        for read in read.iter().flatten() {
            let alarm = known::alarm(read, desk.settings);
            let alarm = alarm.map(|alarm| output.paint.bad(&alarm));
            let behind = known::behind(read);
            let behind = behind.map(|behind| output.paint.alert(&behind));
            for said in alarm.into_iter().chain(behind) {
                text.push_str(&format!("\n{said}"));
            }
        }
        text
    })
}
