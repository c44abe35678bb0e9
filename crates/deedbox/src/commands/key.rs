//! `deedbox key …`

use std::process::ExitCode;

use deedbox_core::{
    ActorId, AgentLabel, ApiKey, Command, KeyId, KeyRecord, Scopes, Timestamp, text::Name,
};
use serde_json::{Value, json};

use super::Desk;
use crate::{
    cli::{KeyCommand, NewKey},
    duration::Span,
    failure::Failure,
    render::{Output, cell, moment, table},
};

/// Columns that a label may take.
const LABEL_WIDTH: usize = 24;

/// A command with its arguments read.
pub(super) enum Prepared {
    New {
        actor: Option<ActorId>,
        scopes: Scopes,
        label: Option<Name>,
        agent_label: Option<AgentLabel>,
        expires_at: Option<Timestamp>,
    },
    List,
    Revoke {
        id: KeyId,
    },
}

pub(super) fn prepare(command: KeyCommand, now: Timestamp) -> Result<Prepared, Failure> {
    Ok(match command {
        KeyCommand::New(NewKey {
            holder,
            scopes,
            expires,
            label,
            agent_label,
        }) => {
            let usual = if holder.operator {
                Scopes::all()
            } else {
                Scopes::of_an_actor()
            };
            Prepared::New {
                actor: holder
                    .actor
                    .map(|id| ActorId::new(id).map_err(|error| Failure::argument("--actor", error)))
                    .transpose()?,
                scopes: scopes.map_or(Ok(usual), |text| read_scopes(&text))?,
                label: label
                    .map(|text| {
                        Name::new(text).map_err(|error| Failure::argument("--label", error))
                    })
                    .transpose()?,
                agent_label: agent_label
                    .map(|text| {
                        AgentLabel::new(&text)
                            .map_err(|error| Failure::argument("--agent-label", error))
                    })
                    .transpose()?,
                expires_at: expires.map(|text| read_expiry(&text, now)).transpose()?,
            }
        }
        KeyCommand::List => Prepared::List,
        KeyCommand::Revoke { id } => Prepared::Revoke {
            id: id.parse().map_err(|error| Failure::argument("ID", error))?,
        },
    })
}

fn read_scopes(text: &str) -> Result<Scopes, Failure> {
    let scopes: Scopes = text
        .parse()
        .map_err(|error| Failure::argument("--scopes", error))?;
    if scopes == Scopes::default() {
        return Err(Failure::argument(
            "--scopes",
            "must name at least one scope",
        ));
    }
    Ok(scopes)
}

/// A span from now, or a moment; it must lie in the future.
fn read_expiry(text: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    let end = match text.parse::<Span>() {
        Ok(span) => i64::try_from(span.as_millis())
            .ok()
            .map(|millis| now.plus_millis(millis)),
        Err(_) => Timestamp::parse(text).ok(),
    };
    let end = end.ok_or_else(|| {
        let expected = "must be a span like 30d or 12h, or a time like 2027-01-31T00:00:00Z";
        Failure::argument("--expires", expected)
    })?;
    if end <= now {
        return Err(Failure::argument("--expires", "must lie in the future"));
    }
    Ok(end)
}

pub(super) async fn run(desk: &Desk<'_>, command: Prepared) -> Result<ExitCode, Failure> {
    match command {
        Prepared::New {
            actor,
            scopes,
            label,
            agent_label,
            expires_at,
        } => {
            let key = ApiKey::generate(desk.world.as_ref());
            let record = KeyRecord {
                id: key.id().clone(),
                secret_hash: key.hash(),
                actor,
                scopes,
                label,
                agent_label,
                created_at: desk.world.now(),
                expires_at,
                revoked_at: None,
            };
            new(desk, &key, record).await?;
        }
        Prepared::List => list(desk).await?,
        Prepared::Revoke { id } => revoke(desk, id).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn new(desk: &Desk<'_>, key: &ApiKey, mut record: KeyRecord) -> Result<(), Failure> {
    let command = Command::IssueKey {
        id: record.id.clone(),
        secret_hash: record.secret_hash,
        actor: record.actor.clone(),
        scopes: record.scopes.clone(),
        label: record.label.clone(),
        agent_label: record.agent_label.clone(),
        expires_at: record.expires_at,
        only_first_operator: false,
    };
    let deed = desk.execute(command).await?;
    record.created_at = deed.at;
    let mut value = shown(&record, deed.at);
    if let Value::Object(fields) = &mut value {
        fields.insert("key".to_owned(), key.reveal().into());
    }
    desk.output.print(&value, |_| {
        let whose = record.actor.as_ref().map_or_else(
            || "An operator key; it may name any actor".to_owned(),
            |actor| format!("A key for {actor}; it acts only as {actor}"),
        );
        let end = record.expires_at;
        let until = end.map_or_else(String::new, |end| format!(", until {}", moment(end)));
        let witness = record
            .agent_label
            .as_ref()
            .map_or_else(String::new, |label| {
                let label = cell(label.as_str(), LABEL_WIDTH);
                format!(". It bears witness to the agent label {label}")
            });
        format!(
            "{whose}, for {}{until}{witness}. Shown once; only its hash is kept:\n{}",
            record.scopes,
            key.reveal()
        )
    })
}

async fn list(desk: &Desk<'_>) -> Result<(), Failure> {
    let keys = desk.ask(desk.store.keys()).await?;
    let now = desk.world.now();
    let value: Vec<Value> = keys.iter().map(|record| shown(record, now)).collect();
    desk.output.print(&value, |output| {
        if keys.is_empty() {
            let new = desk.settings.again("key new --actor ID");
            format!("There are no keys yet. Make one: {new} (or --operator)")
        } else {
            rows(output, &keys, now)
        }
    })
}

async fn revoke(desk: &Desk<'_>, id: KeyId) -> Result<(), Failure> {
    let deed = desk.execute(Command::RevokeKey { id: id.clone() }).await?;
    let value = json!({"id": id, "revokedAt": deed.at});
    desk.output.print(&value, |_| {
        format!("Revoked {id}; it is refused from now on.")
    })
}

/// A key's record as programs see it. Never its hash.
pub(super) fn shown(record: &KeyRecord, now: Timestamp) -> Value {
    json!({
        "id": record.id,
        "actor": record.actor,
        "scopes": record.scopes.to_texts(),
        "label": record.label,
        "agentLabel": record.agent_label,
        "state": state(record, now),
        "createdAt": record.created_at,
        "expiresAt": record.expires_at,
        "revokedAt": record.revoked_at,
    })
}

fn state(record: &KeyRecord, now: Timestamp) -> &'static str {
    if record.revoked_at.is_some() {
        "revoked"
    } else if record.expires_at.is_some_and(|end| end <= now) {
        "expired"
    } else {
        "active"
    }
}

/// Keys as people see them.
pub(super) fn rows(output: &Output, keys: &[KeyRecord], now: Timestamp) -> String {
    let rows = keys.iter().map(|record| {
        let actor = record.actor.as_ref();
        vec![
            record.id.to_string(),
            actor.map_or_else(|| "(operator)".to_owned(), ToString::to_string),
            state(record, now).to_owned(),
            record.scopes.to_string(),
            record.expires_at.map_or_else(|| "never".to_owned(), moment),
            cell(
                record.label.as_ref().map_or("", |label| label.as_str()),
                LABEL_WIDTH,
            ),
        ]
    });
    let header = ["KEY", "ACTOR", "STATE", "SCOPES", "EXPIRES", "LABEL"];
    table(output, &header, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_expires_after_a_span_or_at_a_moment_but_never_in_the_past() {
        let now = Timestamp::parse("2026-11-29T00:00:00Z").unwrap();
        let read = |text| read_expiry(text, now).map(|end| end.to_string()).ok();
        assert_eq!(read("30d").as_deref(), Some("2026-12-29T00:00:00.000Z"));
        assert_eq!(read("12h").as_deref(), Some("2026-11-29T12:00:00.000Z"));
        assert_eq!(
            read("2027-01-31T01:00:00+01:00").as_deref(),
            Some("2027-01-31T00:00:00.000Z")
        );
        for bad in [
            "",
            "30",
            "0s",
            "-1d",
            "2026-11-28T00:00:00Z",
            "tomorrow",
            "18446744073709551615ms",
        ] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_key_without_any_scope_is_refused() {
        assert!(read_scopes("").is_err());
        assert!(read_scopes(",").is_err());
        assert!(read_scopes("tasks:admin").is_err());
        assert_eq!(read_scopes("tasks:read").unwrap().to_string(), "tasks:read");
    }
}
